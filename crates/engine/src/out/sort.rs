//! What sort of value the instances of a class are, and remembering it.
//!
//! Only classes that are not plainly built in come here. The first instance of a class is looked
//! at closely; then the answer is remembered by the class, with a weak reference, so that no
//! class is kept alive and none is mistaken for another at the same address.
//!
//! What may surprise: classes of modules that we never import are found by name first. A name can
//! be anybody's, so the class must then also be the one that stands under that name in the
//! module, which is loaded by then.

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
    /// A member whose value is its `_value_`, as `Enum` has it; one whose class says otherwise.
    Enum,
    OddEnum,
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
    pub const ENUM: SortSet = SortSet::of(&[Sort::Enum, Sort::OddEnum]);
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
        Sort::OddEnum,
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

/// The value of a member of an enumeration. Asking for `value` would run code that gives `_value_`.
#[inline(never)]
pub(crate) fn member_value(env: &Env, sort: Sort, o: Ref<'_>) -> py::Result<Own> {
    // It is what a member is given first, unless its class has a `__new__` of its own.
    if sort == Sort::Enum
        && let Some(value) = o.first_attribute(&env.names.own_value)
    {
        return Ok(value);
    }
    // Whatever holds it may let go of it meanwhile.
    let o = o.own();
    o.as_ref().attr(if sort == Sort::Enum { &env.names.own_value } else { &env.names.value })
}

/// Whether a dict keeps an order beside that of its storage.
pub(super) fn is_ordered(o: Ref<'_>) -> bool {
    let mut found = false;
    o.class().mro(&mut |t| found |= t.tp_name() == "collections.OrderedDict");
    found
}

/// What is remembered of a class.
#[derive(Clone)]
pub(crate) struct Known {
    pub(crate) sort: Sort,
    /// How its fields are found, if it has fields.
    pub(crate) record: Option<Arc<Record>>,
}

/// A class that was met.
struct Place {
    /// Its address; none where its instances are nothing that we know.
    address: usize,
    class: Weak,
    known: Known,
    /// The state that it had then.
    state: u32,
}

/// Classes that were met.
#[derive(Default)]
pub(crate) struct Classes {
    places: Vec<Option<Place>>,
}

const PLACES: usize = 256;

impl Classes {
    /// What sort an object is whose class was met before. No code of users runs.
    #[inline(always)]
    pub(crate) fn seen(&self, o: Ref<'_>) -> Option<Known> {
        let class = o.class();
        let place = self.places.get(class.address() / 16 % PLACES)?.as_ref()?;
        let same = place.address == class.address() && place.class.is(class.as_ref());
        same.then(|| place.known.clone())
    }

    /// What sort an object is. It is owned, since its class may be asked what runs code of a metaclass, which can let go of whatever
    /// holds it. An exception only if that raises one.
    pub(crate) fn of(&mut self, env: &Env, o: &Own) -> py::Result<Known> {
        match self.seen(o.as_ref()) {
            Some(known) => Ok(known),
            None => self.meet(env, o),
        }
    }

    #[cold]
    fn meet(&mut self, env: &Env, o: &Own) -> py::Result<Known> {
        // The class must outlive the questions as well.
        let class = o.as_ref().class().as_ref().own();
        let Some(class) = class.as_ref().as_type() else {
            return Ok(Known { sort: Sort::Unknown, record: None });
        };
        let (state, at) = (class.state(), class.address() / 16 % PLACES);
        if state != 0
            && let Some(Some(place)) = self.places.get(at)
            && place.state == state
            && place.address == 0
            && place.class.is(class.as_ref())
        {
            return Ok(place.known.clone());
        }
        let (known, stays) = classify(env, class)?;
        // What is not known may become so: a class can be decorated after its first instance.
        let address = if known.sort == Sort::Unknown { 0 } else { class.address() };
        if address != 0 || stays && state != 0 {
            if self.places.is_empty() {
                self.places.resize_with(PLACES, || None);
            }
            let (class, known) = (Weak::new(class.as_ref())?, known.clone());
            self.places[at] = Some(Place { address, class, known, state });
        }
        Ok(known)
    }
}

/// What the instances of [`Spliced::classes`](crate::env::Spliced::classes) are.
const SPLICED: [Sort; 5] = [Sort::Raw, Sort::Fragment, Sort::Packed, Sort::Ext, Sort::Timestamp];

/// What a class is; and whether that is so until something in the class changes.
#[inline(never)]
fn classify(env: &Env, class: Type<'_>) -> py::Result<(Known, bool)> {
    let plain = |sort| Ok((Known { sort, record: None }, true));
    if env.structs.shape(class).is_some() {
        return plain(Sort::Struct);
    }
    let ours = env.spliced.classes().into_iter().zip(SPLICED);
    if let Some((_, sort)) = ours.into_iter().find(|(c, _)| class.as_ref().is(c.as_ref())) {
        return plain(sort);
    }
    let is_enum = env.enum_meta.as_ref().as_type().is_some_and(|m| class.metaclass().is_subtype(m));
    if is_enum {
        return plain(match (class.holders(c"value"), class.holders(c"_value_")) {
            (1, 0) => Sort::Enum,
            _ => Sort::OddEnum,
        });
    }
    if let Some(kind) = env.moments.kind(class) {
        return plain(match kind {
            MomentKind::DateTime | MomentKind::Date | MomentKind::Time
                if env.moments.exact(class).is_none() =>
            {
                Sort::DateTimeSub
            }
            MomentKind::DateTime => Sort::DateTime,
            MomentKind::Date => Sort::Date,
            MomentKind::Time => Sort::Time,
            MomentKind::Delta => Sort::Delta,
        });
    }
    let flags = class.flags();
    let (sort, record) = if class.has_own(c"__dataclass_fields__") && flags == Flags::None {
        // A dataclass that is a list or a dict, too, is written as that.
        (Sort::Dataclass, Record::of_dataclass(class)?)
    } else if class.has_own(c"__attrs_attrs__") && flags == Flags::None {
        (Sort::Attrs, Record::of_attrs(class)?)
    } else if class.has_own(c"__pydantic_serializer__") && class.has_own(c"model_dump") {
        (Sort::Model, Record::of_model(class)?)
    } else if class.defines(c"__fields__") && class.has_own(c"__fields_set__") {
        (Sort::OldModel, None)
    } else {
        let sort = match flags {
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
        };
        // A scalar of an array library that is a str or bytes too is written as that.
        if matches!(flags, Flags::Str | Flags::Bytes) {
            return plain(sort);
        }
        let (named, stays) = by_name(class)?;
        return Ok((Known { sort: named.unwrap_or(sort), record: None }, stays));
    };
    Ok((Known { sort, record }, true))
}

/// The sorts of classes that are known by module and name, in the order of `oxwire._models`.
const NAMED: [Sort; 12] = [
    Sort::Uuid,
    // Arrays and UUIDs of a subclass may mean something else to their makers; what is its text stays its text.
    Sort::UuidSub,
    Sort::Decimal,
    Sort::Fraction,
    Sort::Text,
    Sort::More,
    Sort::Numbers,
    Sort::Iterable,
    Sort::Mapping,
    Sort::Masked,
    Sort::Array,
    Sort::ArrayScalar,
];

/// The sort of a class that is known by its name, or by that of a base; and whether nothing is if there is none, until
/// the class changes.
#[inline(never)]
fn by_name(class: Type<'_>) -> py::Result<(Option<Sort>, bool)> {
    let (mut classes, mut names) = (Vec::new(), Vec::new());
    class.mro(&mut |t| {
        classes.push(t.as_ref().own());
        names.push(py::text(t.tp_name()));
    });
    let mut names = names.into_iter().collect::<py::Result<Vec<Own>>>()?;
    let (classes, names) = (py::list_cold(&mut classes, 0)?, py::list_cold(&mut names, 0)?);
    let found = py::import(c"oxwire._models")?.as_ref().attr_named(c"named")?;
    let found = py::call(found.as_ref(), &[classes.as_ref(), names.as_ref()])?;
    let place = found.as_ref().as_int().and_then(|i| i.short());
    Ok((place.and_then(|i| NAMED.get(i as usize).copied()), found.as_ref().is_none()))
}
