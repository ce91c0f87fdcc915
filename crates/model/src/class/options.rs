//! The options of a class: what keywords say, and what goes together.

use super::Flag;
use super::define::{Making, type_error, value_error};
use py::{Args, Result, Word};

/// The options that are true or false, by keyword.
pub(super) const FLAGS: [(&str, Flag); 14] = [
    ("frozen", Flag::Frozen),
    ("eq", Flag::Eq),
    ("order", Flag::Order),
    ("array_like", Flag::ArrayLike),
    ("gc", Flag::Gc),
    ("repr_omit_defaults", Flag::ReprOmitDefaults),
    ("omit_defaults", Flag::OmitDefaults),
    ("forbid_unknown_fields", Flag::ForbidUnknownFields),
    ("weakref", Flag::Weakref),
    ("dict", Flag::Dict),
    ("cache_hash", Flag::CacheHash),
    ("validate", Flag::Validate),
    ("validate_assignment", Flag::ValidateAssignment),
    ("mixin", Flag::Mixin),
];
/// What is on if nothing is said.
pub(super) const PLAIN: u32 = Flag::Eq as u32 | Flag::Gc as u32;
/// What is no option, or none that is inherited.
pub(super) const OWN: u32 =
    Flag::Mixin as u32 | Flag::Shaped as u32 | Flag::Guarded as u32 | Flag::Closed as u32 | Flag::Open as u32;
/// What only few classes have.
pub(super) const SPECIAL: u32 =
    Flag::Keep as u32 | Flag::Mixin as u32 | Flag::Validate as u32 | Flag::ValidateAssignment as u32;

impl Making {
    pub(super) fn take_options(&mut self, args: &Args<'_>) -> Result<()> {
        let inherited = self.options;
        for (name, v) in args.named() {
            if let Some((_, flag)) = FLAGS.iter().find(|(n, _)| name.is(n)) {
                self.switch(*flag, v.truth()?);
            } else if name.is("extra") {
                let v = v.as_any_str();
                let is = |word| v.is_some_and(|v| v.is(word));
                if !(is("ignore") || is("forbid") || is("keep")) {
                    return value_error("`extra` must be 'ignore', 'forbid' or 'keep'", &[]);
                }
                self.switch(Flag::ForbidUnknownFields, is("forbid"));
                self.switch(Flag::Keep, is("keep"));
            } else if name.is("kw_only") {
                self.kw_only = v.truth()?;
            } else if name.is("rename") {
                self.rename = (!v.is_none()).then(|| v.own());
            } else if name.is("tag") {
                if !v.is_none() {
                    self.tag = Some(v.own());
                }
            } else if name.is("tag_field") {
                if !v.is_none() {
                    if v.as_str().is_none() {
                        return type_error("`tag_field` must be a `str`", &[]);
                    }
                    self.tag_field = Some(v.own());
                }
            } else {
                return type_error(
                    "StructMeta.__new__() got an unexpected keyword argument '{}'",
                    &[Word::Name(name.as_ref())],
                );
            }
        }
        for (flag, name) in
            [(Flag::Weakref, "weakref"), (Flag::Dict, "dict"), (Flag::CacheHash, "cache_hash")]
        {
            if inherited & flag as u32 != 0 && !self.is(flag) {
                return value_error(
                    "Cannot set `{}=False` if base class already has `{}=True`",
                    &[name.into(), name.into()],
                );
            }
        }
        if self.is(Flag::Order) && !self.is(Flag::Eq) {
            return value_error("Cannot set eq=False and order=True", &[]);
        }
        if self.is(Flag::CacheHash) && !self.is(Flag::Frozen) {
            return value_error("Cannot set cache_hash=True without frozen=True", &[]);
        }
        if !self.is(Flag::Gc) {
            if self.is(Flag::Dict) {
                return value_error("Cannot set gc=False and dict=True", &[]);
            }
            if self.is(Flag::Weakref) {
                let words = "Cannot set gc=False and weakref=True at the same time, due to possible memory corruption";
                return value_error(words, &[]);
            }
            if self.dict_base {
                return value_error(
                    "Cannot set gc=False when inheriting from non-struct types with a __dict__",
                    &[],
                );
            }
        }
        Ok(())
    }

    pub(super) fn switch(&mut self, flag: Flag, on: bool) {
        let bit = flag as u32;
        self.options = if on { self.options | bit } else { self.options & !bit };
    }
}
