//! What only few classes have: fields that are more than a name and a value, private ones, computed ones,
//! what is kept of unknown keys, and values that are looked at when they are set.
//!
//! What may surprise: private fields are no fields. They have slots behind those of the fields, so whatever
//! looks through the fields does not see them; so does what is kept of unknown keys, which is the first of them.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::define::{Draft, Making};
use super::{Class, Fallback, Field, Flag, Tools, names, put};
use py::{Builtin, Own, Place, Ref, Result, This, Word};

/// The attribute that holds what is kept of unknown keys.
pub(super) const KEPT: &str = "__extra__";

/// What is said of a field, as a bit. They are those of `oxwire._struct`.
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
    /// Of each field: bits of [`Mark`], and the description that it was declared with.
    pub(super) fields: Box<[(u8, Option<Own>)]>,
    /// Private fields; their slots stand behind those of the fields.
    pub(super) private: Box<[Field]>,
    /// Computed fields: attributes, and the keys that they are written under.
    pub computed: Box<[(Own, Own)]>,
    /// Fields may hold any keys, those of other fields too.
    pub open: bool,
    /// There is a `__post_init__`.
    pub(super) post_init: bool,
}

impl More {
    pub(super) fn traverse(&self, visit: &mut py::Visit<'_>) {
        self.fields.iter().filter_map(|(_, o)| o.as_ref()).for_each(|o| visit.object(o));
        self.private.iter().filter_map(|f| f.default.object()).for_each(|o| visit.object(o));
    }
}

impl Class {
    /// What is said of a field.
    pub fn marks(&self, i: usize) -> u8 {
        self.more.as_ref().and_then(|m| m.fields.get(i)).map_or(0, |f| f.0)
    }

    /// What an instance has kept of unknown keys, if that is anything.
    pub fn kept_of(&self, me: This<'_, Class>) -> Result<Option<Own>> {
        if self.is(Flag::Keep)
            && let Some(kept) = me.value(self.fields.len())
            && kept.as_ref().truth()?
        {
            return Ok(Some(kept));
        }
        Ok(None)
    }

    /// Does what is to be done to a new instance before anyone sees it.
    #[cold]
    #[inline(never)]
    pub(super) fn complete(&self, more: &More, o: &Own, post_init: &Own, called: bool) -> Result<()> {
        let Some(me) = py::this_shaped::<Class>(o.as_ref()) else { return Ok(()) };
        for (i, f) in (self.fields.len()..).zip(&more.private) {
            if me.get(i).is_none()
                && let Some(v) = f.default.make()?
            {
                me.put(i, Some(v));
            }
        }
        if called && self.is(Flag::Validate) {
            py::call_method1(self.tools.module.as_ref(), c"validate", o.as_ref())?;
        }
        if more.post_init {
            py::call_method(o.as_ref(), post_init)?;
        }
        Ok(())
    }

    /// `__struct_more__`: for `oxwire._fields`, which says what stands where.
    pub(super) fn more_described(&self) -> Result<Own> {
        let Some(more) = &self.more else { return Ok(py::none()) };
        let (fields, computed) = (py::new_dict()?, py::new_dict()?);
        for (f, (_, described)) in self.fields.iter().zip(&more.fields) {
            if let Some(described) = described {
                py::dict_put(&fields, f.name.as_ref(), described.as_ref())?;
            }
        }
        for (name, key) in &more.computed {
            py::dict_put(&computed, name.as_ref(), key.as_ref())?;
        }
        let flags = [Flag::Keep, Flag::Mixin, Flag::Validate, Flag::ValidateAssignment];
        let flags = flags.into_iter().fold(0, |all, f| all << 1 | i64::from(self.is(f)));
        py::tuple(&mut alloc::vec![fields, computed, py::int(flags)?], 0)
    }
}

/// Sets or deletes an attribute where that is not just storing a value.
#[cold]
#[inline(never)]
pub(super) fn set(me: This<'_, Class>, name: Ref<'_>, value: Option<Ref<'_>>) -> Result<()> {
    let class = me.shape();
    let is = |f: &Field| f.name.as_ref().as_any_str().zip(name.as_any_str()).is_some_and(|(a, b)| a.same(b));
    let private = class.more.iter().flat_map(|m| &m.private).position(is);
    if let Some(i) = private
        && !name.as_any_str().is_some_and(|s| s.is(KEPT))
    {
        return put(me, class.fields.len() + i, name, value.map(Ref::own));
    }
    if class.is(Flag::Frozen) {
        let class = me.as_ref().class().tp_name();
        return Err(Builtin::Attribute.raise_words("immutable type: '{}'", &[class.into()]));
    }
    let Some(i) = class.index(name, 0) else { return me.put_other(name, value) };
    if class.marks(i) & Mark::Frozen as u8 != 0 {
        return Err(Builtin::Attribute.raise_words("immutable field: '{}'", &[Word::Name(name)]));
    }
    let value = match value {
        Some(v) if class.is(Flag::ValidateAssignment) => {
            let validate = class.tools.module.as_ref().attr_named(c"validate")?;
            Some(py::call(validate.as_ref(), &[me.as_ref(), py::int(i as i64)?.as_ref(), v])?)
        }
        v => v.map(Ref::own),
    };
    put(me, i, name, value)
}

/// What stands in for what is kept of unknown keys.
pub(super) fn kept() -> Result<Field> {
    let name = py::intern(KEPT)?;
    Ok(Field { key: name.clone(), name, default: Fallback::Dict })
}

impl Making {
    /// The private fields, what is kept of unknown keys first. The others stay.
    pub(super) fn take_private(&mut self) -> Result<Vec<Draft>> {
        let keep = self.is(Flag::Keep);
        if !keep && !self.fields.iter().any(|d| d.is(Mark::Private)) {
            return Ok(Vec::new());
        }
        let (mut private, fields): (Vec<_>, Vec<_>) =
            core::mem::take(&mut self.fields).into_iter().partition(|d| d.is(Mark::Private));
        self.fields = fields;
        if keep {
            let field = kept()?;
            let is = |d: &Draft| d.field.name.as_ref().is(field.name.as_ref());
            match private.iter().position(is) {
                Some(i) => private.swap(0, i),
                None => {
                    let (place, marks) = (Place::New(field.name.clone()), Mark::Private as u8);
                    private.insert(0, Draft { field, place, kw_only: true, marks, described: None });
                }
            }
        }
        Ok(private)
    }

    /// The computed fields of a class, and what they are called outside.
    pub(super) fn computed(&self, class: &Own, tools: &Tools) -> Result<Vec<(Own, Own)>> {
        let found = py::call_method1(tools.module.as_ref(), c"computed_of", class.as_ref())?;
        let mut all = Vec::new();
        let Some(found) = found.as_ref().as_any_list().map(|l| l.hold()) else { return Ok(all) };
        let mut i = 0;
        while let Some(pair) = found.get(i) {
            let Some(pair) = pair.as_ref().as_any_tuple().map(|p| p.hold()) else { break };
            if let (Some(name), Some(key)) = (pair.get(0).map(Ref::own), pair.get(1).map(Ref::own)) {
                let key = match &self.rename {
                    Some(rename) if key.as_ref().is_none() => names::renamed(rename, &name, tools)?,
                    _ if key.as_ref().is_none() => name.clone(),
                    _ => key,
                };
                all.push((name, key));
            }
            i += 1;
        }
        Ok(all)
    }
}
