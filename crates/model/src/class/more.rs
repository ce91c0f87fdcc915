//! What only few classes have: fields that are more than a name and a value, private ones, computed ones,
//! what is kept of unknown keys, and values that are looked at when they are set.
//!
//! What may surprise: private fields are no fields. They have slots behind those of the fields, so whatever
//! looks through the fields does not see them; so does what is kept of unknown keys, which is the first of them.
//! What is said of fields is put together in Python (`oxwire._fields`).

use alloc::boxed::Box;
use core::ffi::CStr;
use wire::say;

use super::define::type_error;
use super::{Class, Fallback, Field, Flag, PostInit, field, put, unexpected};
use py::{Builtin, Fresh, Meta, Own, Raised, Ref, Result, Seen, This, Word};

/// The attribute that holds what is kept of unknown keys.
pub(super) const KEPT: &str = "__extra__";

/// What is said of a field, as a bit. They are those of `oxwire._fields`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Mark {
    /// It is never written.
    Exclude = 1,
    /// It is no argument, and not read.
    NoInit = 1 << 1,
    /// It cannot be set again.
    Frozen = 1 << 2,
    /// It is none to anyone outside.
    Private = 1 << 3,
    /// Its own fields, or entries, stand beside the fields.
    Flatten = 1 << 4,
}

/// What only few classes have.
pub struct More {
    /// What Python has told of the class (`oxwire._fields.told_of`): of each field bits of [`Mark`], as bytes; the keys
    /// that computed attributes are written under, as a dict; and what Python asks for itself.
    pub(super) told: Own,
    /// Private fields; their slots stand behind those of the fields.
    pub(super) private: Box<[Field]>,
    /// There is a `__post_init__`.
    pub(super) post_init: bool,
}

/// A small number, or none.
pub(super) fn count(o: &Own) -> u32 {
    match o.as_ref().as_int().and_then(|i| i.short()) {
        Some(v) => v as u32,
        None => 0,
    }
}

impl More {
    /// A part of what was told.
    #[inline(never)]
    pub(super) fn part(&self, i: usize) -> Own {
        let told = self.told.as_ref().as_any_tuple().map(|t| t.hold());
        told.and_then(|t| t.get(i).map(Ref::own)).unwrap_or_else(py::none)
    }

    /// The keys that computed attributes are written under, as a dict.
    pub fn computed(&self) -> Own {
        self.part(1)
    }

    pub(super) fn traverse(&self, visit: &mut py::Visit<'_>) {
        visit.maybe(Some(&self.told));
        for f in &self.private {
            visit.maybe(f.default.object());
        }
    }
}

impl Class {
    /// What is said of a field.
    pub fn marks(&self, i: usize) -> u8 {
        let Some(more) = &self.more else { return 0 };
        more.part(0).as_ref().as_bytes().and_then(|m| m.get(i)).copied().unwrap_or(0)
    }

    /// Refuses arguments that are none.
    #[cold]
    #[inline(never)]
    pub(super) fn refuse_given(&self, fresh: &Fresh<'_, Class>) -> Result<()> {
        if self.is(Flag::Mixin) {
            let words = say!("A mixin makes no instances: it is for classes that inherit from it");
            return Err(Builtin::Type.raise(words));
        }
        if self.is(Flag::Abstract) {
            py::call_method1(self.tools.module.as_ref(), c"concrete", fresh.class().as_ref())?;
        }
        for (i, f) in self.fields.iter().enumerate() {
            if fresh.has(i) && self.marks(i) & Mark::NoInit as u8 != 0 {
                return Err(unexpected(f.name.as_ref()));
            }
        }
        Ok(())
    }

    /// What an instance has kept of unknown keys, if that is anything.
    #[inline(never)]
    pub fn kept_of(&self, me: This<'_, Class>) -> Result<Option<Own>> {
        if self.is(Flag::Keep)
            && let Some(kept) = me.value(self.fields.len())
            && kept.as_ref().truth()?
        {
            return Ok(Some(kept));
        }
        Ok(None)
    }

    /// What Python makes of an instance.
    #[cold]
    #[inline(never)]
    pub(super) fn asked_of(&self, me: This<'_, Class>, name: &CStr) -> Result<Own> {
        py::call_method1(self.tools.module.as_ref(), name, me.as_ref())
    }

    /// Does what is to be done to a new instance before anyone sees it.
    #[cold]
    #[inline(never)]
    pub(super) fn complete(&self, more: &More, o: &Own, hook: &PostInit, called: bool) -> Result<()> {
        let Some(me) = py::this_shaped::<Class>(o.as_ref()) else { return Ok(()) };
        for (i, f) in (self.fields.len()..).zip(&more.private) {
            if me.get(i).is_none() {
                me.put(i, f.default.make_cold()?);
            }
        }
        if called && self.is(Flag::Validate) {
            py::call_method1(self.tools.module.as_ref(), c"structs_validate", o.as_ref())?;
        }
        if more.post_init {
            hook.call(o)?;
        }
        Ok(())
    }
}

/// Sets or deletes an attribute where that is not just storing a value.
#[cold]
#[inline(never)]
pub(super) fn set(me: This<'_, Class>, name: Ref<'_>, value: Option<Ref<'_>>) -> Result<()> {
    let class = me.shape();
    let n = class.fields.len();
    let mut value = value.map(Ref::own);
    let private = class.more.as_ref().map_or(&[][..], |m| &m.private);
    if let Some(i) = private.iter().position(|f| f.name.as_ref().is(name))
        // What unknown keys are kept in is changed, and not set.
        && !(i == 0 && class.is(Flag::Keep))
    {
        return put(me, n + i, name, value);
    }
    let at = class.index(name, 0);
    let frozen = at.is_some_and(|i| class.marks(i) & Mark::Frozen as u8 != 0);
    if frozen || class.is(Flag::Frozen) {
        let (frame, word) = match class.is(Flag::Frozen) {
            true => (say!("immutable type: '{}'"), me.as_ref().class().tp_name().into()),
            false => (say!("immutable field: '{}'"), Word::Name(name)),
        };
        return Err(Builtin::Attribute.raise_words(frame, &[word]));
    }
    let Some(i) = field(me, name) else {
        return me.put_other(name, value.as_ref().map(Own::as_ref));
    };
    if let Some(v) = &mut value
        && class.is(Flag::ValidateAssignment)
    {
        let validate = class.tools.module.as_ref().attr_named(c"structs_validate")?;
        *v = py::call(validate.as_ref(), &[me.as_ref(), py::int(i as i64)?.as_ref(), v.as_ref()])?;
    }
    put(me, i, name, value)
}

/// A value of the class body that stands in for a missing one. What could be changed afterwards, for all
/// instances, is refused, unless it is empty: then each instance gets its own.
pub(super) fn plain_fallback(meta: &Meta<'_, Class>, v: Own) -> Result<Fallback> {
    let refuse = |v: &Own| -> Raised {
        Builtin::Type.raise_words(
            say!(
                "Using a non-empty mutable collection ({}) as a default value is unsafe. Instead configure a \
            `default_factory` for this field."
            ),
            &[Word::Show(v.as_ref())],
        )
    };
    match v.as_ref().see_cold() {
        Seen::List(l) => return if l.is_empty() { Ok(Fallback::List) } else { Err(refuse(&v)) },
        Seen::Dict(d) => return if d.is_empty() { Ok(Fallback::Dict) } else { Err(refuse(&v)) },
        Seen::Other(o) if o.class().as_ref().is(py::set_class().as_ref()) || o.is_byte_array() => {
            let class = o.class().as_ref().own();
            return if o.truth()? { Err(refuse(&v)) } else { Ok(Fallback::of_factory(class)) };
        }
        Seen::Other(o) if meta.shape(o.class()).is_some_and(|c| !c.is(Flag::Frozen)) => {
            // A copy: the object's `repr` may give its class another name.
            let name = alloc::string::String::from(o.class().tp_name());
            return type_error(
                say!(
                    "Using a mutable struct object ({}) as a default value is unsafe. Either configure a \
                `default_factory` for this field, or set `frozen=True` on `{}`"
                ),
                &[Word::Show(o), (&name).into()],
            );
        }
        _ => {}
    }
    Ok(Fallback::Value(v))
}
