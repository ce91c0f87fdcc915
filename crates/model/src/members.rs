//! Values that stand for others, such as those of an enumeration, found without a question to the interpreter.
//!
//! What may surprise: the dict that Python made of them stays, for what is not ASCII or no integer of 64 bits, and since
//! some values come to be while the program is used. What is not found here may be found there.

use alloc::vec::Vec;
use wire::texts::{hash, same};

use crate::program::rows;
use py::{Int, Own, Ref, Result, Visit};

/// One of them.
struct Place {
    /// The integer, or the hash of the text.
    code: u64,
    value: Own,
    member: Own,
}

/// A table of them, at most half full.
#[derive(Default)]
pub struct Members(Vec<Option<Place>>);

/// What a value is looked for by, if it is of a sort that stands here.
#[inline(always)]
fn code(value: Ref<'_>) -> Option<u64> {
    match value.as_int() {
        Some(i) => match i.get_cold() {
            Int::I64(v) => Some(v as u64),
            _ => None,
        },
        None => Some(hash(value.as_str()?.ascii()?, 0)),
    }
}

/// Where the search for it begins.
fn start(code: u64) -> usize {
    (code.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
}

impl Members {
    /// The table of a dict.
    #[inline(never)]
    pub(crate) fn new(values: &Own) -> Result<Members> {
        let n = values.as_ref().as_any_dict().map_or(0, |d| d.hold().len());
        let mut places: Vec<Option<Place>> = Vec::new();
        places.resize_with((2 * n).next_power_of_two(), || None);
        for value in &mut rows(values)? {
            let Some(code) = code(value.as_ref()) else { continue };
            let Some(member) = py::dict_find(values.as_ref(), value.as_ref())? else { continue };
            let (mut at, last) = (start(code), places.len() - 1);
            while places.get(at & last).is_some_and(Option::is_some) {
                at += 1;
            }
            if let Some(place) = places.get_mut(at & last) {
                *place = Some(Place { code, value, member });
            }
        }
        Ok(Members(places))
    }

    #[inline(always)]
    fn find(&self, code: u64, is: impl Fn(Ref<'_>) -> bool) -> Option<&Own> {
        let mut at = start(code);
        let last = self.0.len().wrapping_sub(1);
        loop {
            let place = self.0.get(at & last)?.as_ref()?;
            if place.code == code && is(place.value.as_ref()) {
                return Some(&place.member);
            }
            at += 1;
        }
    }

    /// Whether there are any.
    #[inline(always)]
    pub fn are_known(&self) -> bool {
        !self.0.is_empty()
    }

    /// The one that a text of ASCII stands for.
    #[inline(never)]
    pub fn text(&self, text: &[u8]) -> Option<&Own> {
        self.find(hash(text, 0), |v| v.as_str().and_then(|s| s.ascii()).is_some_and(|s| same(s, text)))
    }

    /// The one that an integer stands for.
    #[inline(never)]
    pub fn int(&self, v: i64) -> Option<&Own> {
        self.find(v as u64, |v| v.as_int().is_some())
    }

    /// The one that a value stands for.
    pub fn get(&self, value: Ref<'_>) -> Option<&Own> {
        match value.as_int() {
            Some(i) => self.int(i.short()?),
            None => self.text(value.as_str()?.ascii()?),
        }
    }

    pub(crate) fn traverse(&self, visit: &mut Visit<'_>) {
        for place in self.0.iter().flatten() {
            visit.object(&place.value);
            visit.object(&place.member);
        }
    }
}
