//! Records that are several instances, one in the other, whose fields stand side by side; and what is kept of
//! unknown keys.
//!
//! What may surprise: the values wait on the stack until the record ends, those of all instances beside each
//! other. Above them are the unknown keys with their values.

use alloc::vec::Vec;
use wire::say;

use super::judge::{Wrong, refused};
use super::records::missing;
use super::{Given, Hooks, Unknown};
use model::{Fallback, Record};
use py::push;
use py::{Own, Word, Young};

/// An unknown key: it is refused, or kept, above the fields with room for its value, whose place is given.
#[inline(never)]
pub(super) fn unknown(
    stack: &mut Vec<Own>,
    base: usize,
    r: &Record,
    key: Own,
    unset: &Own,
    hooks: &Hooks,
) -> Given<Option<usize>> {
    // What a field takes in it takes whatever was asked; that of the class itself has no key.
    let asked = matches!(hooks.unknown, Unknown::AsClass | Unknown::Keep);
    let field = |at: usize| r.fields.get(at).is_some_and(|f| f.key.as_ref().truth().is_ok_and(|k| k));
    if r.extra.is_some_and(|(_, at)| asked || field(at)) && key.as_ref().as_str().is_some() {
        push(stack, key);
        push(stack, unset.clone());
        return Ok(Some(stack.len() - 1 - base));
    }
    if hooks.unknown.forbids(r.forbid_unknown) {
        return Err(Wrong::of(py::words(
            say!("Object contains unknown field `{}`"),
            &[Word::Name(key.as_ref())],
        )));
    }
    Ok(None)
}

/// Makes a dict of the unknown keys that were kept, in its place among the fields; false if one stands twice where that matters.
pub(super) fn keep(stack: &mut Vec<Own>, base: usize, r: &Record, unique: bool) -> Given<bool> {
    let end = base + r.fields.len();
    if let Some((_, at)) = r.extra
        && stack.len() > end
    {
        let n = (stack.len() - end) / 2;
        let kept = py::dict(stack, end, Young::default())?;
        if unique && kept.as_ref().as_any_dict().map(|d| d.hold().len()) != Some(n) {
            return Ok(false);
        }
        if let Some(place) = stack.get_mut(base + at) {
            *place = kept;
        }
    }
    Ok(true)
}

/// Makes the instances, of which the last is the record.
#[inline(never)]
pub(super) fn assemble(stack: &mut [Own], base: usize, r: &Record, unset: &Own) -> Given<Option<Own>> {
    let values = stack.get_mut(base..).unwrap_or_default();
    let is_set = |values: &[Own], i: usize| values.get(i).is_some_and(|v| !v.as_ref().is(unset.as_ref()));
    for part in &r.parts {
        let spare = r.fields.get(part.into).is_some_and(|f| !matches!(f.default, Fallback::None));
        if spare && !part.from.iter().any(|&i| is_set(values, i)) {
            continue;
        }
        let mut fresh = part.maker.fresh_cold()?;
        for (slot, &i) in part.from.iter().enumerate() {
            let (Some(f), Some(v)) = (r.fields.get(i), values.get_mut(i)) else { continue };
            let mut v = core::mem::replace(v, unset.clone());
            if v.as_ref().is(unset.as_ref()) {
                v = f.default.make_cold().map_err(refused)?.ok_or_else(|| missing(&f.key))?;
            }
            fresh.put_cold(slot, v);
        }
        let class = fresh.shape();
        let o = fresh.finish();
        class.post_init(&o, false).map_err(refused)?;
        match values.get_mut(part.into) {
            Some(place) => *place = o,
            None => return Ok(Some(o)),
        }
    }
    Ok(Some(unset.clone()))
}
