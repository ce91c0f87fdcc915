//! Making a class: its options, its fields in order, what they are called, its tag.
//!
//! What may surprise: annotations are not looked at, but for `ClassVar`. What they mean is asked when the
//! class is first read or described, so they may name what does not exist yet.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use wire::{Said, say};

use super::bases;
use super::more::{self, Mark, More, count};
use super::names;
use super::options::{OWN, PLAIN, SPECIAL};
use super::{Class, Classes, Fallback, Field, Flag, PostInit, Tools};
use py::{Args, Builtin, Given, Int, Meta, Once, Own, Place, Ref, Result, Seen, Type, Word};

/// Attributes that a class cannot have as fields, because its instances keep something else there.
const RESERVED: [&str; 3] = ["__weakref__", "__dict__", HASH];
const HASH: &str = "__oxwire_cached_hash__";

pub(super) fn type_error<T>(frame: Said, words: &[Word<'_>]) -> Result<T> {
    Err(Builtin::Type.raise_words(frame, words))
}

pub(super) fn value_error<T>(frame: Said, words: &[Word<'_>]) -> Result<T> {
    Err(Builtin::Value.raise_words(frame, words))
}

/// A field of a class that is being made.
pub(super) struct Draft {
    pub(super) field: Field,
    pub(super) place: Place,
    /// Fields stand in the order of these.
    pub(super) rank: u8,
}

/// What may be given by position, or must be named; what is kept of unknown keys; what is private.
const POSITIONAL: u8 = 0;
const NAMED: u8 = 1;
pub(super) const KEEPS: u8 = 2;
const PRIVATE: u8 = 3;

/// Everything that is known of a class that is being made.
pub(super) struct Making {
    pub(super) fields: Vec<Draft>,
    pub(super) options: u32,
    /// Which of them were said.
    pub(super) said: u32,
    pub(super) kw_only: bool,
    pub(super) rename: Option<Own>,
    pub(super) tag: Option<Own>,
    pub(super) tag_field: Option<Own>,
    described: Option<Own>,
    /// A base that is no such class has a `__dict__`.
    pub(super) dict_base: bool,
    /// The options that bases have made room for.
    had: u32,
}

/// Finishes the class that all others inherit from.
#[inline(never)]
pub fn first_class(classes: &Classes, given: &mut Given) -> Result<Own> {
    let tools = Tools {
        texts: Arc::default(),
        module: given.take(),
        no_default: given.take(),
        field: given.take(),
        rebuild: given.take(),
        portable: given.take(),
        dict: given.take(),
        slots: given.take(),
        match_args: given.take(),
        annotations: given.take(),
        post_init: given.take(),
        computed: given.take(),
        taken: core::array::from_fn(|_| given.take()),
    };
    let (class, none) = (classes.first(), py::tuple(&mut Vec::new(), 0)?);
    let namespace = py::new_dict()?;
    Making::new().finish(
        &classes.maker_of_first()?,
        none.as_ref(),
        none.as_ref(),
        &namespace,
        Arc::new(tools),
        Some(class),
    )?;
    Ok(class.clone())
}

/// What the metaclass does when it is called.
#[inline(never)]
pub(super) fn define(meta: &Meta<'_, Class>, args: &Args<'_>) -> Result<Own> {
    let [name, bases, namespace] = *args.positional() else {
        return type_error(
            say!("StructMeta.__new__() takes exactly 3 positional arguments ({} given)"),
            &[args.positional().len().into()],
        );
    };
    let (Some(_), Some(all), Some(_)) = (name.as_any_str(), bases.as_any_tuple(), namespace.as_any_dict())
    else {
        return type_error(say!("StructMeta.__new__() takes a str, a tuple of classes and a dict"), &[]);
    };
    let (all, mut making, mut tools) = (all.hold(), Making::new(), None);
    for i in (0..all.len()).rev() {
        let Some(base) = all.get(i).and_then(|b| b.as_type()) else {
            return type_error(say!("All base classes must be types"), &[]);
        };
        making.had |= bases::room_of(base);
        match meta.shape(base) {
            Some(shape) => {
                making.inherit(base, shape)?;
                tools = Some(shape.tools.clone());
            }
            None => making.mix_in(base)?,
        }
    }
    // A class that has only the metaclass gets the base too.
    let completed;
    let (bases, tools) = match tools {
        Some(tools) => (bases, tools),
        None => {
            let tools;
            (completed, tools) = bases::completed(meta, bases)?;
            (completed.as_ref(), tools)
        }
    };
    let known = py::dict_find(namespace, tools.dict.as_ref())?;
    if let Some(was) = &known
        && was.as_ref().class().as_ref().is(tools.portable.as_ref())
    {
        // Pickled by value and read again: it is made of what it was made of before.
        let remade = tools.module.as_ref().attr_named(c"remade")?;
        return py::call(remade.as_ref(), &[meta.class().as_ref(), name, bases, namespace]);
    }
    making.options |= making.had;
    making.take_options(args)?;
    let (given, namespace) = (namespace, py::dict_copy(namespace)?);
    let has_dict = making.is(Flag::Dict);
    if !has_dict && known.is_none() {
        let options = if args.has_names() { py::new_dict()? } else { py::none() };
        for (name, v) in args.named() {
            py::dict_put(&options, name.as_ref(), v)?;
        }
        let parts = [py::none(), given.own(), options];
        let portable = py::call(tools.portable.as_ref(), &parts.each_ref().map(Own::as_ref))?;
        py::dict_put(&namespace, tools.dict.as_ref(), portable.as_ref())?;
    }
    making.take_fields(meta, &namespace, &tools)?;
    let module = tools.module.clone();
    let class = making.finish(meta, name, bases, &namespace, tools, None)?;
    if has_dict {
        // Its `__dict__` is that of its instances.
        let slots =
            py::call_method1(module.as_ref(), c"Rooted", class.as_ref().attr_named(c"__slots__")?.as_ref())?;
        class.as_ref().set_attr(c"__slots__", &slots)?;
    }
    Ok(class)
}

impl Making {
    fn new() -> Making {
        Making {
            fields: Vec::new(),
            options: PLAIN,
            said: 0,
            kw_only: false,
            rename: None,
            tag: None,
            tag_field: None,
            described: None,
            dict_base: false,
            had: 0,
        }
    }

    pub(super) fn is(&self, flag: Flag) -> bool {
        self.options & flag as u32 != 0
    }

    fn find(&mut self, name: Ref<'_>) -> Option<&mut Draft> {
        let text = name.as_any_str()?;
        self.fields.iter_mut().find(|d| {
            d.field.name.as_ref().is(name) || d.field.name.as_ref().as_any_str().is_some_and(|s| s.same(text))
        })
    }

    /// Takes over what a base has.
    #[inline(never)]
    fn inherit(&mut self, base: Type<'_>, class: &Class) -> Result<()> {
        let n = class.fields.len();
        let private = class.more.as_ref().map_or(&[][..], |m| &m.private);
        for (i, f) in class.fields.iter().chain(private).enumerate() {
            let place = match class.is(Flag::Mixin) {
                true => Place::New(f.name.clone()),
                false => Place::Of(base.as_ref().own(), i),
            };
            let rank = if i < class.positional {
                POSITIONAL
            } else if i < n {
                NAMED
            } else {
                PRIVATE
            };
            self.add(Draft { field: f.clone(), place, rank });
        }
        if let Some(more) = &class.more {
            py::call_method1(self.described()?.as_ref(), c"update", more.part(3).as_ref())?;
        }
        // What makes room in an instance cannot be taken back.
        let room = Flag::Weakref as u32 | Flag::Dict as u32 | Flag::CacheHash as u32;
        // What a base leaves as it is by default does not hide what another one says.
        let said = class.said & !OWN;
        self.options = class.options & said | self.options & (room | !said);
        self.said |= said;
        let set = |to: &mut Option<Own>, from: &Option<Own>| {
            if from.is_some() {
                to.clone_from(from);
            }
        };
        set(&mut self.rename, &class.rename);
        set(&mut self.tag, &class.tagger);
        set(&mut self.tag_field, &class.tag_field);
        Ok(())
    }

    /// Adds a field, or puts it in the place of one of that name.
    #[inline(never)]
    pub(super) fn add(&mut self, draft: Draft) {
        match self.find(draft.field.name.as_ref()) {
            Some(old) => {
                // Slots that there are stay.
                let place = match draft.place {
                    Place::New(_) => core::mem::replace(&mut old.place, draft.place),
                    place => place,
                };
                *old = Draft { place, ..draft };
            }
            None => self.fields.push(draft),
        }
    }

    /// What fields were declared with that says more than a default and a name, by their names.
    fn described(&mut self) -> Result<Own> {
        if self.described.is_none() {
            self.described = Some(py::new_dict()?);
        }
        Ok(self.described.clone().unwrap_or_else(py::none))
    }

    /// Looks at a base that is no such class. It must leave making instances to us.
    #[inline(never)]
    fn mix_in(&mut self, base: Type<'_>) -> Result<()> {
        let object = py::object_class();
        for name in [c"__init__", c"__new__"] {
            let (own, plain) = (base.as_ref().attr_named(name)?, object.as_ref().attr_named(name)?);
            if !own.as_ref().is(plain.as_ref()) {
                let name = name.to_str().unwrap_or_default();
                return type_error(say!("Struct base classes cannot define {}"), &[name.into()]);
            }
        }
        self.dict_base |= base.has_dict();
        Ok(())
    }

    /// Takes the fields that a class declares out of its namespace.
    #[inline(never)]
    fn take_fields(&mut self, meta: &Meta<'_, Class>, namespace: &Own, tools: &Tools) -> Result<()> {
        for name in &tools.taken {
            if py::dict_find(namespace.as_ref(), name.as_ref())?.is_some() {
                return type_error(say!("Struct types cannot define {}"), &[Word::Name(name.as_ref())]);
            }
        }
        let annotations = match py::dict_find(namespace.as_ref(), tools.annotations.as_ref())? {
            Some(found) => found,
            // Later versions have a function instead, which the class's module knows how to ask.
            None => py::call_method1(tools.module.as_ref(), c"annotations", namespace.as_ref())?,
        };
        let Some(annotations) = annotations.as_ref().as_any_dict().map(|d| d.hold()) else {
            return type_error(say!("__annotations__ must be a dict"), &[]);
        };
        let mut declared = Vec::with_capacity(annotations.len());
        let mut place = 0;
        while let Some((name, annotation)) = annotations.next(&mut place) {
            declared.push((name.as_ref().own(), annotation.as_ref().own()));
        }
        for (name, annotation) in declared {
            if is_class_var(annotation.as_ref(), tools)? {
                continue;
            }
            let Some(text) = name.as_ref().as_any_str() else {
                return type_error(say!("Field names must be str"), &[]);
            };
            if let Some(name) = RESERVED.iter().find(|n| text.is(n)) {
                return type_error(say!("Cannot have a struct field named '{}'"), &[(*name).into()]);
            }
            let name = match name.as_ref().as_str() {
                Some(_) => py::interned(name)?,
                None => py::intern(&text.lossy())?,
            };
            match py::dict_pop(namespace, &name)? {
                Some(v) => self.declare(name, Some((meta, v)), tools)?,
                None => self.declare(name, None, tools)?,
            }
        }
        Ok(())
    }

    fn declare(&mut self, name: Own, v: Option<(&Meta<'_, Class>, Own)>, tools: &Tools) -> Result<()> {
        let mut marks = py::none();
        if let Some((_, v)) = &v
            && v.as_ref().class().as_ref().is(tools.field.as_ref())
        {
            marks = v.as_ref().attr_named(c"marks")?;
            if !marks.as_ref().is_none() {
                py::dict_put(&self.described()?, name.as_ref(), v.as_ref())?;
            }
        }
        if let Some(described) = &self.described
            && marks.as_ref().is_none()
        {
            py::dict_pop(described, &name)?;
        }
        let marks = count(&marks);
        let (default, key) = match v {
            Some((meta, v)) => self.fallback(meta, v, tools)?,
            None => (Fallback::None, None),
        };
        let key = match (key, &self.rename) {
            (Some(key), _) => key,
            (None, Some(rename)) => names::renamed(rename, &name, tools)?,
            (None, None) => {
                self.find(name.as_ref()).map_or_else(|| name.clone(), |old| old.field.key.clone())
            }
        };
        let rank = if marks & Mark::Private as u32 != 0 {
            PRIVATE
        } else if self.kw_only || marks & Mark::NoInit as u32 != 0 {
            NAMED
        } else {
            POSITIONAL
        };
        self.add(Draft { field: Field { name: name.clone(), key, default }, place: Place::New(name), rank });
        Ok(())
    }

    /// What a field's value in the class body says: what stands in for a missing value, and a key.
    fn fallback(&self, meta: &Meta<'_, Class>, v: Own, tools: &Tools) -> Result<(Fallback, Option<Own>)> {
        if !v.as_ref().class().as_ref().is(tools.field.as_ref()) {
            return Ok((more::plain_fallback(meta, v)?, None));
        }
        let get = |name| {
            let v = v.as_ref().attr_named(name)?;
            Ok((!v.as_ref().is(tools.no_default.as_ref())).then_some(v))
        };
        let key = v.as_ref().attr_named(c"name")?;
        let key = (!key.as_ref().is_none()).then_some(key);
        let default = match (get(c"default")?, get(c"default_factory")?) {
            (Some(v), _) => more::plain_fallback(meta, v)?,
            (None, Some(f)) => Fallback::of_factory(f),
            (None, None) => Fallback::None,
        };
        Ok((default, key))
    }

    /// What was said of the tag comes to the key and the tag itself.
    fn make_tag(&mut self, namespace: &Own, name: Ref<'_>) -> Result<Option<(Own, Own)>> {
        let mut tag = match (&self.tag, &self.tag_field) {
            (Some(tag), _) => tag.clone(),
            (None, Some(_)) => py::bool(true),
            (None, None) => return Ok(None),
        };
        let named = match tag.as_ref().see_cold() {
            Seen::Bool(false) => {
                // Nor has a subclass one, unless it says so itself.
                (self.tag, self.tag_field) = (None, None);
                return Ok(None);
            }
            Seen::Bool(true) => true,
            _ => false,
        };
        let key = match &self.tag_field {
            Some(key) => key.clone(),
            None => py::intern("type")?,
        };
        if named || tag.as_ref().is_callable() {
            let full = py::dict_get(namespace.as_ref(), "__qualname__")?;
            let full = full.as_ref().map_or(name, Own::as_ref).as_any_str().or(name.as_any_str());
            let title = full.map_or_else(|| Ok(py::none()), names::title)?;
            tag = if named { title } else { py::call1(tag.as_ref(), title.as_ref())? };
        }
        match tag.as_ref().see_cold() {
            Seen::Str(_) => {}
            Seen::Int(i) if matches!(i.get_cold(), Int::I64(_)) => {}
            Seen::Int(_) => {
                return value_error(say!("Integer `tag` values must be within [-2**63, 2**63 - 1]"), &[]);
            }
            _ => return type_error(say!("`tag` must be a `str` or an `int`"), &[]),
        }
        Ok(Some((key, tag)))
    }

    /// Puts the fields in order and checks what they are called.
    fn arrange(&mut self, tag: Option<&(Own, Own)>) -> Result<(usize, usize)> {
        // They are few, and most stand right.
        for i in 1..self.fields.len() {
            let mut at = i;
            while let Some([before, this]) = at.checked_sub(1).and_then(|b| self.fields.get(b..=at))
                && before.rank > this.rank
            {
                self.fields.swap(at - 1, at);
                at -= 1;
            }
        }
        let up_to = |rank| self.fields.iter().filter(|d| d.rank <= rank).count();
        let (positional, n) = (up_to(POSITIONAL), up_to(NAMED));
        let mut optional = false;
        for d in self.fields.iter().take(positional) {
            match d.field.default {
                Fallback::None if optional => {
                    return type_error(
                        say!(
                            "Required field '{}' cannot follow optional fields. Either reorder the struct fields, \
                        or set `kw_only=True` in the struct definition."
                        ),
                        &[Word::Name(d.field.name.as_ref())],
                    );
                }
                Fallback::None => {}
                _ => optional = true,
            }
        }
        // Names differ. So do keys that are the names.
        let fields = self.fields.get(..n).unwrap_or_default();
        if tag.is_none() && fields.iter().all(|d| d.field.key.as_ref().is(d.field.name.as_ref())) {
            return Ok((positional, n));
        }
        let keys = py::new_dict()?;
        for d in fields {
            let key = d.field.key.as_ref();
            py::dict_put(&keys, key, key)?;
        }
        if let Some((tag, _)) = tag
            && py::dict_find(keys.as_ref(), tag.as_ref())?.is_some()
        {
            return value_error(
                say!("`tag_field='{}' conflicts with an existing field of that name"),
                &[Word::Name(tag.as_ref())],
            );
        }
        if keys.as_ref().as_any_dict().is_some_and(|k| k.hold().len() != n) {
            return value_error(
                say!("Multiple fields rename to the same name, field names must be unique"),
                &[],
            );
        }
        Ok((positional, n))
    }

    #[inline(never)]
    fn finish(
        mut self,
        meta: &Meta<'_, Class>,
        name: Ref<'_>,
        bases: Ref<'_>,
        namespace: &Own,
        tools: Arc<Tools>,
        first: Option<&Own>,
    ) -> Result<Own> {
        let tag = self.make_tag(namespace, name)?;
        let is_mixin = self.is(Flag::Mixin);
        if self.is(Flag::Keep) {
            let name = py::intern(more::KEPT)?;
            let field = Field { key: name.clone(), name: name.clone(), default: Fallback::Dict };
            self.add(Draft { field, place: Place::New(name), rank: KEEPS });
        }
        let (positional, n) = self.arrange(tag.as_ref())?;

        // Slots: those of the new fields, and what an option needs that no base has.
        let mut slots = Vec::with_capacity(n + 3);
        let hash = bases::with_hash(meta, bases);
        self.had |= if hash.is_some() { Flag::CacheHash as u32 } else { 0 };
        for (flag, slot) in
            [(Flag::Weakref, "__weakref__"), (Flag::Dict, "__dict__"), (Flag::CacheHash, HASH)]
        {
            if self.options & !self.had & flag as u32 != 0 {
                slots.push(py::intern(slot)?);
            }
        }
        let mut places = Vec::with_capacity(n + 1);
        let mut fields = Vec::with_capacity(n);
        for Draft { field, place, .. } in core::mem::take(&mut self.fields) {
            if !is_mixin {
                if let Place::New(name) = &place {
                    slots.push(name.clone());
                }
                places.push(place);
            }
            fields.push(field);
        }
        let private = fields.split_off(n);
        let mut hash_slot = usize::MAX;
        if self.is(Flag::CacheHash) {
            hash_slot = places.len();
            places.push(match hash {
                Some((base, at)) => Place::Of(base, at),
                None => Place::New(py::intern(HASH)?),
            });
        }
        py::dict_put(namespace, tools.slots.as_ref(), py::tuple(&mut slots, 0)?.as_ref())?;

        let named =
            |n: usize| py::tuple_of(n, |i| Ok(fields.get(i).map_or_else(py::none, |f| f.name.clone())));
        let names = named(n)?;
        let match_args = match py::dict_find(namespace.as_ref(), tools.match_args.as_ref())? {
            Some(own) => own,
            None if positional == n => names.clone(),
            None => named(positional)?,
        };
        let class = match first {
            Some(class) => class.clone(),
            None => meta.begin(name, bases, namespace)?,
        };
        if !meta.is_own()
            && py::call_method1(tools.module.as_ref(), c"abstract", class.as_ref())?.as_ref().truth()?
        {
            self.options |= Flag::Abstract as u32;
        }
        let finds = |name| class.as_ref().as_type().is_some_and(|t| t.finds(name));
        let post_init = finds(&tools.post_init);
        let mut after = post_init;
        let more = if self.described.is_some()
            || !private.is_empty()
            || self.options & SPECIAL != 0
            || finds(&tools.computed)
        {
            let (described, rename) = (self.described()?, self.rename.clone().unwrap_or_else(py::none));
            let (options, hides) = (py::int(self.options.into())?, py::bool(!private.is_empty()));
            let tell = tools.module.as_ref().attr_named(c"told_of")?;
            let args = [&class, &names, &described, &rename, &options, &hides].map(Own::as_ref);
            let more = More { told: py::call(tell.as_ref(), &args)?, private: private.into(), post_init };
            self.options = count(&more.part(2));
            after |= self.is(Flag::Validate) || !more.private.is_empty();
            Some(Box::new(more))
        } else {
            None
        };
        let special = more.is_some();
        let carried = Class {
            post_init: after.then(|| PostInit { name: tools.post_init.clone(), known: Once::default() }),
            compared: n + usize::from(self.is(Flag::Keep)),
            wanted: n + usize::from(is_mixin || self.is(Flag::Closed) || self.is(Flag::Abstract)),
            hash_slot,
            more,
            hashes: fields
                .iter()
                .fold(0, |all, f: &Field| all | f.name.as_ref().hash().map_or(u64::MAX, super::hash_bit)),
            fields: fields.into(),
            names,
            match_args,
            asked: Default::default(),
            found: u32::MAX.into(),
            written: Default::default(),
            positional,
            tag,
            options: self.options,
            said: self.said,
            rename: self.rename,
            tagger: self.tag,
            tag_field: self.tag_field,
            tools,
            first: first.is_some(),
        };
        let gc = carried.is(Flag::Gc);
        let module = carried.tools.module.clone();
        meta.finish(&class, &places, gc, carried)?;
        if special {
            py::call_method1(module.as_ref(), c"check", class.as_ref())?;
        }
        Ok(class)
    }
}

/// Whether an annotation says that a name is the class's own, and no field.
fn is_class_var(annotation: Ref<'_>, tools: &Tools) -> Result<bool> {
    // A class is what most annotations are.
    if annotation.as_type().is_some() {
        return Ok(false);
    }
    // Most texts are seen not to say so at once.
    if let Some(s) = annotation.as_any_str()
        && !s.ascii().is_some_and(|s| s.windows(8).any(|w| w == b"ClassVar"))
    {
        return Ok(false);
    }
    let found = py::call_method1(tools.module.as_ref(), c"is_class_var", annotation)?;
    found.as_ref().truth()
}
