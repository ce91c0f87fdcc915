//! What sort of value the instances of a class are, and remembering it.
//!
//! Only classes that are not plainly built in come here. The first instance of a class is looked
//! at closely; then the answer is remembered by the class, with a weak reference, so that no
//! class is kept alive and none is mistaken for another at the same address.
//!
//! What may surprise: classes of modules that we never import are found by name first. A name can
//! be anybody's, so the class must then also be the one that stands under that name in the
//! module, which is loaded by then.

use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::record::Record;
use crate::env::Env;
use py::{Flags, MomentKind, Own, Ref, Type, Weak};

/// A sort of value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Sort {
    /// Subclasses of what is built in, written as it.
    StrSub,
    IntSub,
    FloatSub,
    ListSub,
    DictSub,
    TupleSub,
    Bytes,
    ByteArray,
    MemoryView,
    Set,
    /// Anything of the standard library that gives items.
    Iterable,
    /// Anything of the standard library that gives entries.
    Mapping,
    /// A dict with an order or contents beside those of its storage.
    OddDict,
    Enum,
    DateTime,
    Date,
    Time,
    Delta,
    /// The same, of a subclass.
    DateTimeSub,
    Uuid,
    UuidSub,
    Decimal,
    Fraction,
    /// What is its text: paths, addresses.
    Text,
    /// What has a text of which Python is asked: patterns, time zones, complex numbers.
    More,
    Dataclass,
    Attrs,
    Model,
    /// One of the library's first version, which dumps itself in another way.
    OldModel,
    Array,
    ArrayScalar,
    /// An array of which some items do not count.
    Masked,
    Numbers,
    Raw,
    Fragment,
    /// A fragment of a format of bytes.
    Packed,
    /// An application type: a code and bytes.
    Ext,
    /// A moment with nanoseconds.
    Timestamp,
    /// An instance of one of our classes with fields.
    Struct,
    /// Nothing that we know.
    Unknown,
}

/// A set of sorts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SortSet(u64);

impl SortSet {
    /// All of them but those that only a compatible face knows.
    pub const ALL: SortSet =
        SortSet(!SortSet::of(&[Sort::Unknown, Sort::Fragment, Sort::Packed, Sort::OldModel]).0);

    const fn of(sorts: &[Sort]) -> SortSet {
        let mut bits = 0;
        let mut i = 0;
        while i < sorts.len() {
            bits |= 1 << sorts[i] as u64;
            i += 1;
        }
        SortSet(bits)
    }

    #[inline]
    pub(crate) fn has(self, sort: Sort) -> bool {
        self.0 >> sort as u64 & 1 != 0
    }

    /// Without the members of another.
    pub fn without(self, other: SortSet) -> SortSet {
        SortSet(self.0 & !other.0)
    }

    /// With the members of another.
    pub fn with(self, other: SortSet) -> SortSet {
        SortSet(self.0 | other.0)
    }
}

/// Sets of sorts that options speak of.
pub mod sorts {
    use super::{Sort, SortSet};
    /// None.
    pub const NONE: SortSet = SortSet(0);
    /// Subclasses of str, int, list and dict.
    pub const SUBCLASSES: SortSet =
        SortSet::of(&[Sort::StrSub, Sort::IntSub, Sort::ListSub, Sort::DictSub, Sort::OddDict]);
    /// Subclasses of anything that is built in.
    pub const ALL_SUBCLASSES: SortSet = SUBCLASSES.with_const(SortSet::of(&[Sort::FloatSub, Sort::TupleSub]));
    /// Datetimes, dates and times, of the classes themselves.
    pub const MOMENTS: SortSet = SortSet::of(&[Sort::DateTime, Sort::Date, Sort::Time]);
    /// UUIDs, of the class itself.
    pub const UUID: SortSet = SortSet::of(&[Sort::Uuid]);
    /// Members of enumerations.
    pub const ENUM: SortSet = SortSet::of(&[Sort::Enum]);
    /// Dataclasses.
    pub const DATACLASS: SortSet = SortSet::of(&[Sort::Dataclass]);
    /// attrs classes.
    pub const ATTRS: SortSet = SortSet::of(&[Sort::Attrs]);
    /// Models of a validation library.
    pub const MODEL: SortSet = SortSet::of(&[Sort::Model]);
    /// Those of its first version.
    pub const OLD_MODEL: SortSet = SortSet::of(&[Sort::OldModel]);
    /// Arrays of which some items do not count.
    pub const MASKED: SortSet = SortSet::of(&[Sort::Masked]);
    /// Arrays of an array library, and its scalars.
    pub const ARRAYS: SortSet = SortSet::of(&[Sort::Array, Sort::ArrayScalar]);
    /// Bytes, and what has some.
    pub const BYTES: SortSet = SortSet::of(&[Sort::Bytes, Sort::ByteArray, Sort::MemoryView]);
    /// Application types, and moments with nanoseconds.
    pub const EXTS: SortSet = SortSet::of(&[Sort::Ext, Sort::Timestamp]);
    /// Subclasses of tuple and float.
    pub const MORE_SUBCLASSES: SortSet = SortSet::of(&[Sort::FloatSub, Sort::TupleSub]);
    /// Fragments.
    pub const FRAGMENT: SortSet = SortSet::of(&[Sort::Fragment]);
    /// Fragments of a format of bytes.
    pub const PACKED: SortSet = SortSet::of(&[Sort::Packed]);
}

impl SortSet {
    /// What a face writes that gives all else to its hook: our own classes, records, and values of which
    /// there is one class.
    pub const CLOSED: SortSet = SortSet::of(&[
        Sort::ListSub,
        Sort::DictSub,
        Sort::OddDict,
        Sort::TupleSub,
        Sort::Bytes,
        Sort::ByteArray,
        Sort::MemoryView,
        Sort::Set,
        Sort::Enum,
        Sort::DateTime,
        Sort::Date,
        Sort::Time,
        Sort::Delta,
        Sort::Uuid,
        Sort::UuidSub,
        Sort::Decimal,
        Sort::Dataclass,
        Sort::Attrs,
        Sort::Raw,
        Sort::Ext,
        Sort::Struct,
    ]);
    /// Sets.
    pub const SET: SortSet = SortSet::of(&[Sort::Set]);

    const fn with_const(self, other: SortSet) -> SortSet {
        SortSet(self.0 | other.0)
    }
}

/// What is remembered of a class.
#[derive(Clone)]
pub(crate) struct Known {
    pub(crate) sort: Sort,
    /// How its fields are found, if it has fields.
    pub(crate) record: Option<Arc<Record>>,
}

/// Classes that were met.
#[derive(Default)]
pub(crate) struct Classes {
    places: Vec<Option<(usize, Weak, Known)>>,
}

const PLACES: usize = 256;

impl Classes {
    /// What sort an object is. An exception only if looking at its class raises one.
    #[inline(always)]
    pub(crate) fn of(&mut self, env: &Env, o: Ref<'_>) -> py::Result<Known> {
        let class = o.class();
        let at = class.address() / 16 % PLACES;
        if let Some(Some((address, weak, known))) = self.places.get(at)
            && *address == class.address()
            && weak.is(class.as_ref())
        {
            return Ok(known.clone());
        }
        self.meet(env, o, at)
    }

    #[cold]
    fn meet(&mut self, env: &Env, o: Ref<'_>, at: usize) -> py::Result<Known> {
        // The class must outlive the questions, which may run code of its metaclass.
        let class = o.class().as_ref().own();
        let Some(class) = class.as_ref().as_type() else {
            return Ok(Known { sort: Sort::Unknown, record: None });
        };
        let known = classify(env, class)?;
        // What is not known may become so: a class can be decorated after its first instance.
        if known.sort != Sort::Unknown {
            if self.places.is_empty() {
                self.places.resize_with(PLACES, || None);
            }
            self.places[at] = Some((class.address(), Weak::new(class.as_ref())?, known.clone()));
        }
        Ok(known)
    }
}

/// What the instances of [`Spliced::classes`](crate::env::Spliced::classes) are.
const SPLICED: [Sort; 5] = [Sort::Raw, Sort::Fragment, Sort::Packed, Sort::Ext, Sort::Timestamp];

fn classify(env: &Env, class: Type<'_>) -> py::Result<Known> {
    let plain = |sort| Ok(Known { sort, record: None });
    if env.structs.shape(class).is_some() {
        return plain(Sort::Struct);
    }
    let ours = env.spliced.classes().into_iter().zip(SPLICED);
    if let Some((_, sort)) = ours.into_iter().find(|(c, _)| class.as_ref().is(c.as_ref())) {
        return plain(sort);
    }
    let is_enum = env.enum_meta.as_ref().as_type().is_some_and(|m| class.metaclass().is_subtype(m));
    if is_enum {
        return plain(Sort::Enum);
    }
    if let Some(kind) = env.moments.kind(class) {
        return plain(match kind {
            MomentKind::DateTime | MomentKind::Date | MomentKind::Time if !env.moments.is_exact(class) => {
                Sort::DateTimeSub
            }
            MomentKind::DateTime => Sort::DateTime,
            MomentKind::Date => Sort::Date,
            MomentKind::Time => Sort::Time,
            MomentKind::Delta => Sort::Delta,
        });
    }
    let flags = class.flags();
    let from_dataclass = class.has_own(c"__dataclass_fields__");
    // A dataclass that is a list or a dict, too, is written as that.
    if from_dataclass && flags == Flags::None {
        let record = Record::of_dataclass(class)?;
        return Ok(Known { sort: Sort::Dataclass, record: Some(Arc::new(record)) });
    }
    if class.has_own(c"__attrs_attrs__") && flags == Flags::None {
        let record = Record::of_attrs(class)?;
        return Ok(Known { sort: Sort::Attrs, record: Some(Arc::new(record)) });
    }
    if class.has_own(c"__pydantic_serializer__") && class.has_own(c"model_dump") {
        let record = Record::of_model(class)?.map(Arc::new);
        return Ok(Known { sort: Sort::Model, record });
    }
    if class.defines(c"__fields__") && class.has_own(c"__fields_set__") {
        return plain(Sort::OldModel);
    }
    // A scalar of an array library that is a str or bytes too is written as that.
    if !matches!(flags, Flags::Str | Flags::Bytes)
        && let Some(sort) = by_name(class)?
    {
        return plain(sort);
    }
    plain(match flags {
        Flags::Str => Sort::StrSub,
        Flags::Int => Sort::IntSub,
        Flags::Float => Sort::FloatSub,
        Flags::List => Sort::ListSub,
        Flags::Dict => Sort::DictSub,
        Flags::OddDict => Sort::OddDict,
        Flags::Tuple => Sort::TupleSub,
        Flags::Bytes => Sort::Bytes,
        Flags::ByteArray => Sort::ByteArray,
        Flags::MemoryView => Sort::MemoryView,
        Flags::Set => Sort::Set,
        Flags::None => Sort::Unknown,
    })
}

/// Classes that are known by module and name, with the sort of their instances. A class that
/// inherits from one of them is of that sort too. (Few long texts: each text of its own is two
/// words, and an entry for the linker as long as three.)
const NAMED: &[(Sort, &str)] = &[
    (Sort::Uuid, "uuid.UUID"),
    (Sort::Decimal, "decimal.Decimal"),
    (Sort::Fraction, "fractions.Fraction"),
    (
        Sort::Text,
        "pathlib.PurePath collections.UserString ipaddress.IPv4Address ipaddress.IPv6Address \
         ipaddress.IPv4Network ipaddress.IPv6Network ipaddress.IPv4Interface ipaddress.IPv6Interface",
    ),
    (Sort::More, "re.Pattern zoneinfo.ZoneInfo"),
    (Sort::Numbers, "array.array"),
    (Sort::Iterable, "collections.deque collections.UserList"),
    (Sort::Mapping, "collections.UserDict collections.ChainMap"),
    (Sort::Masked, "numpy.ma.MaskedArray"),
    (Sort::Array, "numpy.ndarray"),
    (Sort::ArrayScalar, "numpy.generic"),
];

/// The same for built-in classes, which stand in no module: their names are enough, because
/// nobody else can make a static class of the module `builtins`.
const BUILT_IN: &[(Sort, &str)] = &[
    (Sort::Mapping, "mappingproxy frozendict"),
    (Sort::More, "complex"),
    (
        Sort::Iterable,
        "range dict_keys dict_values dict_items generator map filter zip enumerate reversed str_iterator \
         str_ascii_iterator bytes_iterator bytearray_iterator memory_iterator longrange_iterator list_iterator \
         list_reverseiterator tuple_iterator range_iterator set_iterator dict_keyiterator dict_valueiterator \
         dict_itemiterator odict_keys odict_values odict_items",
    ),
];

/// Each name of such a table, with its sort.
fn names(table: &'static [(Sort, &'static str)]) -> impl Iterator<Item = (Sort, &'static str)> {
    table.iter().flat_map(|&(sort, names)| names.split_ascii_whitespace().map(move |name| (sort, name)))
}

fn by_name(class: Type<'_>) -> py::Result<Option<Sort>> {
    let mut found = None;
    let mut error = None;
    let mut own = true;
    class.mro(&mut |t| {
        if found.is_none() && error.is_none() {
            match one_by_name(t) {
                // Arrays and UUIDs of a subclass may mean something else to their makers; what is
                // its text stays its text.
                Ok(Some(Sort::Uuid)) if !own => found = Some(Sort::UuidSub),
                Ok(sort) => found = sort,
                Err(e) => error = Some(e),
            }
        }
        own = false;
    });
    match error {
        Some(e) => Err(e),
        None => Ok(found),
    }
}

fn one_by_name(class: Type<'_>) -> py::Result<Option<Sort>> {
    // A copy: what is asked below may run code that gives the class another name, and frees this one.
    let name = class.tp_name().to_string();
    let last = crate::fault::last_part(&name);
    if let Some((sort, _)) = names(BUILT_IN).find(|(_, n)| *n == name) {
        let (module, _) = class.names();
        return Ok((module == "builtins").then_some(sort));
    }
    // The iterators that have an end; whoever writes the others means something else.
    if name.starts_with("itertools.") && !matches!(last, "count" | "cycle" | "repeat") {
        return Ok(stands_in(class, "itertools", last)?.then_some(Sort::Iterable));
    }
    for (sort, named) in names(NAMED) {
        if let Some(module) = named.strip_suffix(last).and_then(|module| module.strip_suffix('.'))
            && stands_in(class, module, last)?
        {
            return Ok(Some(sort));
        }
    }
    Ok(None)
}

/// Whether a class is what stands under a name in a module that is loaded.
fn stands_in(class: Type<'_>, module: &str, name: &str) -> py::Result<bool> {
    let modules: Own = py::import(c"sys")?.as_ref().attr_named(c"modules")?;
    let Some(module) = py::dict_get(modules.as_ref(), module)? else { return Ok(false) };
    let name = py::text(name)?;
    match module.as_ref().attr(&name) {
        Ok(o) => Ok(o.as_ref().is(class.as_ref())),
        Err(_) => {
            py::clear();
            Ok(false)
        }
    }
}
