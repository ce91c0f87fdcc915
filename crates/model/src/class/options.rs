//! The options of a class: what keywords say, and what goes together.

use super::Flag;
use super::define::{Making, type_error, value_error};
use py::{Args, Result, Word};
use wire::say;

/// The options that are true or false, by keyword, in the order of their bits.
const FLAGS: &str = "frozen eq order array_like gc repr_omit_defaults omit_defaults forbid_unknown_fields \
    weakref dict cache_hash validate validate_assignment mixin";

/// Those options, each with its bit.
fn flags() -> impl Iterator<Item = (u32, &'static str)> {
    FLAGS.split_ascii_whitespace().enumerate().map(|(i, name)| (1 << i, name))
}

/// What is on if nothing is said.
pub(super) const PLAIN: u32 = Flag::Eq as u32 | Flag::Gc as u32;
/// What is no option, or none that is inherited.
pub(super) const OWN: u32 = Flag::Mixin as u32
    | Flag::Shaped as u32
    | Flag::Guarded as u32
    | Flag::Closed as u32
    | Flag::Open as u32
    | Flag::Abstract as u32;
/// What only few classes have.
pub(super) const SPECIAL: u32 =
    Flag::Keep as u32 | Flag::Mixin as u32 | Flag::Validate as u32 | Flag::ValidateAssignment as u32;

impl Making {
    #[inline(never)]
    pub(super) fn take_options(&mut self, args: &Args<'_>) -> Result<()> {
        let inherited = self.options;
        for (name, v) in args.named() {
            if let Some((bit, _)) = flags().find(|(_, flag)| name.is(flag)) {
                self.switch(bit, v.truth()?);
            } else if name.is("extra") {
                let v = v.as_any_str();
                let is = |word| v.is_some_and(|v| v.is(word));
                if !(is("ignore") || is("forbid") || is("keep")) {
                    return value_error(say!("`extra` must be 'ignore', 'forbid' or 'keep'"), &[]);
                }
                self.switch(Flag::ForbidUnknownFields as u32, is("forbid"));
                self.switch(Flag::Keep as u32, is("keep"));
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
                        return type_error(say!("`tag_field` must be a `str`"), &[]);
                    }
                    self.tag_field = Some(v.own());
                }
            } else {
                return type_error(
                    say!("StructMeta.__new__() got an unexpected keyword argument '{}'"),
                    &[Word::Name(name.as_ref())],
                );
            }
        }
        const ROOM: u32 = Flag::Weakref as u32 | Flag::Dict as u32 | Flag::CacheHash as u32;
        let lost = ROOM & inherited & !self.options;
        if lost != 0
            && let Some((_, name)) = flags().find(|(bit, _)| lost & bit != 0)
        {
            return value_error(
                say!("Cannot set `{}=False` if base class already has `{}=True`"),
                &[name.into(), name.into()],
            );
        }
        if self.is(Flag::Order) && !self.is(Flag::Eq) {
            return value_error(say!("Cannot set eq=False and order=True"), &[]);
        }
        if self.is(Flag::CacheHash) && !self.is(Flag::Frozen) && inherited & Flag::CacheHash as u32 == 0 {
            return value_error(say!("Cannot set cache_hash=True without frozen=True"), &[]);
        }
        if !self.is(Flag::Gc) {
            if self.dict_base {
                return value_error(
                    say!("Cannot set gc=False when inheriting from non-struct types with a __dict__"),
                    &[],
                );
            }
            if self.is(Flag::Dict) {
                return value_error(say!("Cannot set gc=False and dict=True"), &[]);
            }
            if self.is(Flag::Weakref) {
                let words = say!(
                    "Cannot set gc=False and weakref=True at the same time, due to possible memory corruption"
                );
                return value_error(words, &[]);
            }
        }
        Ok(())
    }

    fn switch(&mut self, bit: u32, on: bool) {
        self.said |= bit;
        self.options = if on { self.options | bit } else { self.options & !bit };
    }
}
