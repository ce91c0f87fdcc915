//! What a class with fields carries, and how its instances are made.
//!
//! What may surprise: a subclass does not ask its bases. All that it inherits is written down again
//! when it is made, so that reading and writing look in one place.

mod bases;
mod define;
mod methods;
mod more;
mod names;
mod options;

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ffi::CStr;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use wire::say;

pub use define::first_class;
pub use methods::{as_dict, as_tuple, replaced};
pub use more::{Mark, More};

use py::{
    Args, Builtin, Fresh, Meta, OldTexts, Once, Own, Raised, Ref, Result, Seen, Shaped, StrRef, This, Type,
    Word,
};
use wire::Kept;

/// The metaclass and the base of one interpreter.
pub type Classes = Shaped<Class>;

/// An option of a class, as a bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Flag {
    /// Fields cannot be set.
    Frozen = 1,
    /// Instances are compared by their fields.
    Eq = 1 << 1,
    /// Instances are ordered by their fields.
    Order = 1 << 2,
    /// Written as an array.
    ArrayLike = 1 << 3,
    /// The collector may know the instances.
    Gc = 1 << 4,
    /// Fields that have their default are not shown.
    ReprOmitDefaults = 1 << 5,
    /// Fields that have their default are not written.
    OmitDefaults = 1 << 6,
    /// Unknown fields are refused.
    ForbidUnknownFields = 1 << 7,
    /// Instances can be referred to weakly.
    Weakref = 1 << 8,
    /// Instances have a `__dict__`.
    Dict = 1 << 9,
    /// The hash is kept.
    CacheHash = 1 << 10,
    /// The values are looked at when an instance is made by calling the class.
    Validate = 1 << 11,
    /// The same when a field is set.
    ValidateAssignment = 1 << 12,
    /// It makes no instances; its fields are for the classes that inherit from it.
    Mixin = 1 << 13,
    /// What is written is not just the fields as they stand: see [`More`].
    Shaped = 1 << 14,
    /// Setting a field is not just storing a value.
    Guarded = 1 << 15,
    /// Unknown fields are kept.
    Keep = 1 << 16,
    /// Some fields are no arguments.
    Closed = 1 << 17,
    /// Fields may hold any keys, those of other fields too.
    Open = 1 << 18,
    /// The metaclass is one of abstract classes as well, so the class may be one.
    Abstract = 1 << 19,
}

/// What stands in for a value that is missing.
#[derive(Clone)]
pub enum Fallback {
    /// Nothing: the field is required.
    None,
    /// This value.
    Value(Own),
    /// What this gives.
    Factory(Own),
    /// A new empty list.
    List,
    /// A new empty dict.
    Dict,
    /// A new empty set.
    Set,
}

impl Fallback {
    /// What a function makes; of the classes of containers it is known how that is told from others.
    pub fn of_factory(f: Own) -> Fallback {
        let is = |class: Type<'_>| f.as_ref().is(class.as_ref());
        if is(py::list_class()) {
            Fallback::List
        } else if is(py::dict_class()) {
            Fallback::Dict
        } else if is(py::set_class()) {
            Fallback::Set
        } else {
            Fallback::Factory(f)
        }
    }

    /// The function that makes the value, if there is one.
    fn factory(&self) -> Option<Ref<'_>> {
        Some(match self {
            Fallback::None | Fallback::Value(_) => return None,
            Fallback::Factory(f) => f.as_ref(),
            Fallback::List => py::list_class().as_ref(),
            Fallback::Dict => py::dict_class().as_ref(),
            Fallback::Set => py::set_class().as_ref(),
        })
    }

    /// The value, if there is one.
    #[inline(always)]
    pub fn make(&self) -> Result<Option<Own>> {
        Ok(Some(match self {
            Fallback::None => return Ok(None),
            Fallback::Value(v) => v.clone(),
            Fallback::List => py::new_list()?,
            Fallback::Dict => py::new_dict()?,
            Fallback::Set => py::new_set()?,
            Fallback::Factory(f) => py::call0(f.as_ref())?,
        }))
    }

    /// The same, for what is seldom asked.
    #[inline(never)]
    pub fn make_cold(&self) -> Result<Option<Own>> {
        self.make()
    }

    /// Whether a value is what stands in for a missing one, or is as empty as that.
    pub fn is(&self, v: Ref<'_>) -> bool {
        match self {
            Fallback::None => false,
            // Of the classes that make immutable containers it is known what they make.
            Fallback::Factory(f) => {
                f.as_ref().is(v.class().as_ref()) && v.is_frozen_container() && v.truth() == Ok(false)
            }
            Fallback::Value(d) => d.as_ref().is(v),
            Fallback::List => matches!(v.see(), Seen::List(l) if l.is_empty()),
            Fallback::Dict => matches!(v.see(), Seen::Dict(d) if d.is_empty()),
            Fallback::Set => v.class().as_ref().is(py::set_class().as_ref()) && v.truth() == Ok(false),
        }
    }

    /// Whether a function of a user makes it.
    pub fn calls(&self) -> bool {
        matches!(self, Fallback::Factory(_))
    }

    /// What it owns.
    pub fn object(&self) -> Option<&Own> {
        match self {
            Fallback::Value(o) | Fallback::Factory(o) => Some(o),
            _ => None,
        }
    }
}

/// A field.
#[derive(Clone)]
pub struct Field {
    /// The attribute.
    pub name: Own,
    /// The key that it is written under.
    pub key: Own,
    /// What stands in for a missing value.
    pub default: Fallback,
}

/// How many formats keep something for each class.
pub const FORMATS: usize = 2;

/// What a format writes for every instance of a class; what is too long to be kept is missing.
pub struct Written {
    /// What stands before the first field: how many there are, and the tag.
    pub head: Option<Kept>,
    /// The key of each field with what stands after it; none for what is written as an array.
    pub keys: Box<[Option<Kept>]>,
}

/// What a class carries.
pub struct Class {
    /// The fields: those of positional arguments, then those that must be named.
    pub fields: Box<[Field]>,
    /// Their names, as a tuple.
    names: Own,
    /// `__match_args__`: the names of the positional ones, unless the body of the class says otherwise.
    match_args: Own,
    /// How many values make two instances equal: those of the fields, and what was kept of unknown ones.
    compared: usize,
    /// How many fields are looked for among arguments: more than there are, if some must not be there.
    wanted: usize,
    /// Where the hash is kept: no slot, if it is not.
    hash_slot: usize,
    /// What only few classes have.
    pub more: Option<Box<More>>,
    /// A bit for the hash of each name, so that most names are seen to be no field's at once.
    hashes: u64,
    /// What was asked of the class and stays as it is, by its place in [`py::Shape::ASKED`].
    asked: [Once<Own>; 5],
    /// What formats write for each instance, each format's in its own place.
    pub written: [Once<Written>; FORMATS],
    /// The state of the class in which each field's name was seen to be that of its slot.
    found: AtomicU32,
    /// How many are positional.
    positional: usize,
    /// The key of the tag, and the tag.
    pub tag: Option<(Own, Own)>,
    options: u32,
    /// Which of them were said, by the class or those that it inherits from: the others are what they are by default.
    said: u32,
    /// `__post_init__`, if there is one, or if something else is to be done to new instances.
    post_init: Option<PostInit>,
    /// What names the fields of a subclass.
    rename: Option<Own>,
    /// What makes the tag of a subclass.
    tagger: Option<Own>,
    /// What the subclass of a class without a tag of its own inherits: the key of the tag.
    tag_field: Option<Own>,
    /// What classes are made with, which all have from the first.
    tools: Arc<Tools>,
    /// Whether it is the first, which shows the above to the collector.
    first: bool,
}

/// What is called when an instance was made.
struct PostInit {
    /// Its name.
    name: Own,
    /// The function that it was, and the state of the class when it was that.
    known: Once<(u32, Own)>,
}

impl PostInit {
    #[inline(never)]
    fn call(&self, o: &Own) -> Result<Own> {
        let given = py::call_method(o.as_ref(), &self.name)?;
        if self.known.get().is_none()
            && let Some(known) = o.as_ref().class().method(&self.name)
        {
            self.known.set(known);
        }
        Ok(given)
    }
}

/// The objects that classes are made with.
struct Tools {
    /// Stands for no default.
    no_default: Own,
    /// The class of what describes a field.
    field: Own,
    /// The module of the above.
    module: Own,
    /// What `__reduce__` names for a class with arguments by name.
    rebuild: Own,
    /// The class of what a class is made of, for pickling it by value.
    portable: Own,
    /// Names, interned.
    slots: Own,
    dict: Own,
    match_args: Own,
    annotations: Own,
    post_init: Own,
    /// What tells a class with computed fields.
    computed: Own,
    /// Those that a class cannot have in its body.
    taken: [Own; 3],
    texts: Arc<OldTexts>,
}

/// The bit that a hash has among those of names.
fn hash_bit(hash: isize) -> u64 {
    1 << (hash & 63)
}

impl Class {
    /// Whether an option is on.
    #[inline(always)]
    pub fn is(&self, o: Flag) -> bool {
        self.options & o as u32 != 0
    }

    /// Whether one of two options is on.
    #[inline(always)]
    pub fn is_either(&self, a: Flag, b: Flag) -> bool {
        self.options & (a as u32 | b as u32) != 0
    }

    /// Whether there is a `__post_init__`.
    #[inline(always)]
    pub fn has_post_init(&self) -> bool {
        self.post_init.is_some()
    }

    /// Runs `__post_init__`, if there is one; `called` says that the class made the instance out of arguments.
    #[inline(always)]
    pub fn post_init(&self, o: &Own, called: bool) -> Result<()> {
        let Some(hook) = &self.post_init else { return Ok(()) };
        if let Some(more) = &self.more {
            return self.complete(more, o, hook, called);
        }
        match hook.known.get() {
            Some((state, f)) if *state == o.as_ref().class().state() => py::call1(f.as_ref(), o.as_ref()),
            _ => hook.call(o),
        }
        .map(drop)
    }

    /// Which field has a name.
    #[inline(always)]
    fn index(&self, name: Ref<'_>, from: usize) -> Option<usize> {
        // Arguments stand in the order of the fields more often than not, and names are interned.
        if self.fields.get(from).is_some_and(|f| f.name.as_ref().is(name)) {
            return Some(from);
        }
        let text = name.as_any_str()?;
        if let Some(h) = text.known_hash()
            && self.hashes & hash_bit(h) == 0
        {
            return None;
        }
        for (i, f) in self.fields.iter().enumerate() {
            if f.name.as_ref().is(name) {
                return Some(i);
            }
        }
        self.equal(text)
    }

    /// The same for a name that is not interned, or no field's.
    #[inline(never)]
    fn equal(&self, name: StrRef<'_>) -> Option<usize> {
        self.fields.iter().position(|f| f.name.as_ref().as_any_str().is_some_and(|s| s.same(name)))
    }

    /// `__struct_encode_fields__`.
    fn keys(&self) -> Result<Own> {
        if self.fields.iter().all(|f| f.key.as_ref().is(f.name.as_ref())) {
            return Ok(self.names.clone());
        }
        py::tuple_of(self.fields.len(), |i| Ok(self.fields.get(i).map_or_else(py::none, |f| f.key.clone())))
    }

    /// `__struct_defaults__`: what stands in for missing values, from the first field that has something.
    fn defaults(&self) -> Result<Own> {
        let factory = self.tools.module.as_ref().attr_named(c"Factory")?;
        let mut all = Vec::new();
        for f in &self.fields {
            match (&f.default, f.default.factory()) {
                (Fallback::Value(v), _) => all.push(v.clone()),
                (_, Some(f)) => all.push(py::call1(factory.as_ref(), f)?),
                (_, None) if all.is_empty() => {}
                (_, None) => all.push(self.tools.no_default.clone()),
            }
        }
        py::tuple(&mut all, 0)
    }
}

/// The memory of texts that went with instances, once the first class is finished.
pub fn old_texts(classes: &Classes) -> Arc<OldTexts> {
    let first = classes.first().as_ref().as_type().and_then(|first| classes.shape(first));
    first.map(|class| class.tools.texts.clone()).unwrap_or_default()
}

impl py::Shape for Class {
    const META: (&'static CStr, &'static CStr) = (c"oxwire.StructMeta", c"The metaclass of Struct classes.");
    const FIRST: (&'static CStr, &'static CStr) =
        (c"oxwire.Struct", c"A base for classes with fields: see `oxwire.Struct` in the documentation.");

    fn define(meta: Meta<'_, Self>, args: &Args<'_>) -> Result<Own> {
        define::define(&meta, args)
    }

    #[inline]
    fn construct(mut fresh: Fresh<'_, Self>, args: &Args<'_>) -> Result<Own> {
        let class = fresh.shape();
        let positional = args.positional();
        if positional.len() > class.positional {
            return Err(Builtin::Type.raise(say!("Extra positional arguments provided")));
        }
        fresh.put_first(positional);
        let mut missing = class.wanted - positional.len();
        let mut next = positional.len();
        let (names, values) = args.names();
        for (name, v) in names.iter().zip(values) {
            let Some(i) = class.index(*name, next) else { return Err(unexpected(*name)) };
            if fresh.has(i) {
                return Err(twice(*name));
            }
            fresh.put(i, v.own());
            next = i + 1;
            missing -= 1;
        }
        if missing != 0 {
            fill(&mut fresh, positional.len())?;
        }
        let o = fresh.finish();
        class.post_init(&o, true)?;
        Ok(o)
    }

    #[inline(always)]
    fn texts(&self) -> &OldTexts {
        &self.tools.texts
    }
    fn traverse(&self, visit: &mut py::Visit<'_>) {
        for f in &self.fields {
            visit.maybe(f.default.object());
        }
        visit.maybe(self.rename.as_ref());
        visit.maybe(self.tagger.as_ref());
        visit.maybe(Some(&self.match_args));
        if let Some(more) = &self.more {
            more.traverse(visit);
        }
        for asked in &self.asked {
            visit.maybe(asked.get());
        }
        visit.maybe(self.post_init.as_ref().and_then(|hook| Some(&hook.known.get()?.1)));
        if self.first {
            // Names are in no cycle.
            let t = &self.tools;
            for o in [&t.no_default, &t.field, &t.module, &t.rebuild, &t.portable] {
                visit.maybe(Some(o));
            }
        }
    }

    #[inline]
    fn compare(a: This<'_, Self>, b: This<'_, Self>, op: py::Compare) -> Result<Option<Own>> {
        methods::compare(a, b, op)
    }
    #[inline]
    fn hash(me: This<'_, Self>) -> Result<isize> {
        methods::hash(me)
    }
    fn repr(me: This<'_, Self>) -> Result<Own> {
        methods::repr(me)
    }
    #[inline]
    fn set(me: This<'_, Self>, name: Ref<'_>, value: Option<Ref<'_>>) -> Result<()> {
        let class = me.shape();
        if class.is_either(Flag::Frozen, Flag::Guarded) {
            return more::set(me, name, value);
        }
        match field(me, name) {
            Some(i) => put(me, i, name, value.map(Ref::own)),
            None => me.put_other(name, value),
        }
    }
    fn methods(add: &mut Vec<py::MethodDef>) {
        methods::add(add);
    }
    const ASKED: &'static [&'static CStr] = &[
        c"__struct_encode_fields__",
        c"__struct_defaults__",
        c"__struct_config__",
        c"__struct_more__",
        c"__oxwire_fields__",
        c"__struct_fields__",
        c"__match_args__",
        c"__signature__",
    ];
    #[inline(always)]
    fn known(&self, which: usize) -> Option<&Own> {
        match which {
            5 => Some(&self.names),
            6 => Some(&self.match_args),
            _ => self.asked.get(which)?.get(),
        }
    }
    #[inline(never)]
    fn ask(class: Type<'_>, shape: &Self, which: usize) -> Result<Own> {
        let module = shape.tools.module.as_ref();
        let Some(kept) = shape.asked.get(which) else {
            return py::call_method1(module, c"signature", class.as_ref());
        };
        let made = match which {
            0 => shape.keys()?,
            1 => shape.defaults()?,
            3 => shape.more.as_ref().map_or_else(py::none, |m| m.told.clone()),
            4 => py::call_method1(py::import(c"oxwire.structs")?.as_ref(), c"_described", class.as_ref())?,
            _ => {
                let (tag_field, tag) = shape.tag.clone().unwrap_or_else(|| (py::none(), py::none()));
                let parts = [py::int(shape.options.into())?, tag, tag_field];
                py::call(module.attr_named(c"config")?.as_ref(), &parts.each_ref().map(Own::as_ref))?
            }
        };
        Ok(kept.set(made).clone())
    }
}

/// Fills what was not given.
#[inline(never)]
fn fill(fresh: &mut Fresh<'_, Class>, from: usize) -> Result<()> {
    let class = fresh.shape();
    if class.wanted > class.fields.len() {
        class.refuse_given(fresh)?;
    }
    for (i, f) in class.fields.iter().enumerate().skip(from) {
        if fresh.has(i) {
            continue;
        }
        match f.default.make()? {
            Some(v) => fresh.put(i, v),
            None => {
                return Err(Builtin::Type
                    .raise_words(say!("Missing required argument '{}'"), &[Word::Name(f.name.as_ref())]));
            }
        }
    }
    Ok(())
}

#[cold]
fn unexpected(name: Ref<'_>) -> Raised {
    Builtin::Type.raise_words(say!("Unexpected keyword argument '{}'"), &[Word::Name(name)])
}

#[cold]
fn twice(name: Ref<'_>) -> Raised {
    Builtin::Type.raise_words(say!("Argument '{}' given by name and position"), &[Word::Name(name)])
}

/// The field that is set under a name: none where the class finds something else there, as a property.
#[inline(always)]
fn field(me: This<'_, Class>, name: Ref<'_>) -> Option<usize> {
    let i = me.shape().index(name, 0)?;
    (me.shape().found.load(Relaxed) == me.as_ref().class().state() || finds(me, i)).then_some(i)
}

#[inline(never)]
fn finds(me: This<'_, Class>, i: usize) -> bool {
    let (class, of) = (me.shape(), me.as_ref().class());
    // Whoever is asked has a state.
    let state = of.as_ref().attr(&class.tools.slots).map_or(0, |_| of.state());
    let (mut all, mut this) = (state != 0, true);
    for (j, f) in class.fields.iter().enumerate() {
        let found = me.finds_slot(j, &f.name);
        all &= found;
        this &= found || i != j;
    }
    if all {
        class.found.store(state, Relaxed);
    }
    this
}

/// Stores the value of a field, or deletes it.
#[inline(always)]
fn put(me: This<'_, Class>, i: usize, name: Ref<'_>, value: Option<Own>) -> Result<()> {
    if value.is_none() && me.get(i).is_none() {
        return Err(unset(name));
    }
    me.put(i, value);
    Ok(())
}

/// Asking for a field that was deleted, or never set.
#[cold]
pub fn unset(name: Ref<'_>) -> Raised {
    Builtin::Attribute.raise_words(say!("Struct field '{}' is unset"), &[Word::Name(name)])
}

/// Sets a field of an instance, frozen or not.
pub fn force_set(me: This<'_, Class>, name: Ref<'_>, value: Ref<'_>) -> Result<()> {
    let class = me.shape();
    match field(me, name) {
        Some(i) => {
            me.put(i, Some(value.own()));
            // The hash that was kept is another's now.
            me.put(class.hash_slot, None);
            Ok(())
        }
        None => me.put_other(name, Some(value)),
    }
}
