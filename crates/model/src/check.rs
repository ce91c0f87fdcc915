//! What is asked of a value beyond its type, and of that what one look decides: bounds of integers, of floats and of
//! lengths, as numbers and not as objects.
//!
//! What may surprise: nothing here says no. A value that is not plainly within its bounds is asked about once more by what
//! makes the words (`engine::feed::judge`), so whatever is unusual (integers beyond 64 bits, subclasses, bounds of Decimals)
//! needs no place here, and is decided there.

use alloc::vec::Vec;

use crate::takes;
use py::{Int, Own, Ref, Seen};

/// The question whether a pattern is found. Those before it are bounds of numbers and lengths.
pub const PATTERN: u8 = 7;

/// From here on questions are functions of users: this one, which says whether a value is right, the next, which
/// gives another, and one that is as the first, but stands before the value is read.
pub const STEPS: u8 = 20;

/// What is asked of a value that is of the right type.
pub struct Check {
    /// Of which types it is asked, as bits of [`takes`].
    pub of: u32,
    /// Which question: see `oxwire._types`.
    pub op: u8,
    /// What the value is compared with, or what is called with it.
    pub operand: Own,
    /// What is said if the answer is no.
    pub words: Own,
    /// That of [`wire::pattern`], if the question is a pattern that has one.
    pub table: Vec<u8>,
}

/// The bounds of values of one type.
///
/// They are floats, also of integers and lengths: a number of no more than 53 bits is on the same side of a bound that had
/// to be rounded as of the bound itself.
pub struct Bounds {
    /// Of which type they are, as a bit of [`takes`].
    of: u32,
    /// Whether nothing else is asked of it.
    all: bool,
    /// The least number, or length. Not a number if nothing is settled by one look.
    low: f64,
    /// The greatest.
    high: f64,
    /// What an integer is a multiple of.
    step: u64,
}

impl Bounds {
    /// Those of the type that a check is for.
    #[inline(never)]
    pub(crate) fn new(checks: &[Check], of: u32) -> Bounds {
        let mut b = Bounds { of, all: true, low: f64::NEG_INFINITY, high: f64::INFINITY, step: 1 };
        for c in checks.iter().filter(|c| c.of & of != 0) {
            if c.op >= PATTERN {
                b.all = false;
            }
            // What stands behind a function of a user is asked of what that gave.
            if c.op > PATTERN {
                break;
            }
            if c.op < PATTERN && (c.of != of || !b.take(c)) {
                b.low = f64::NAN;
            }
        }
        b
    }

    /// Takes a bound; false if it is none that is a number, or is one besides another.
    #[inline(always)]
    fn take(&mut self, c: &Check) -> bool {
        let bound = c.operand.as_ref();
        let (bound, step) = match bound.as_int().map(|v| v.get_cold()) {
            Some(Int::I64(v)) => (v as f64, v as u64),
            Some(Int::U64(v)) => (v as f64, v),
            _ => match bound.as_float() {
                Some(v) => (v, 0),
                None => return false,
            },
        };
        match c.op {
            0 | 5 if bound > self.low => self.low = bound,
            2 | 6 if bound < self.high => self.high = bound,
            4 if step != 0 && self.step == 1 => self.step = step,
            _ => return false,
        }
        true
    }

    /// Whether a value of a type is plainly within its bounds, and if so, whether nothing else is asked of it.
    #[inline(never)]
    pub fn settle(of_each: &[Bounds], of: u32, v: Ref<'_>) -> Option<bool> {
        let b = of_each.iter().find(|b| b.of == of)?;
        let n = b.number(v)?;
        (b.low <= n && n <= b.high).then_some(b.all)
    }

    /// What is compared of a value; nothing if that is not one look, or if it is no multiple.
    #[inline(always)]
    fn number(&self, v: Ref<'_>) -> Option<f64> {
        match self.of {
            takes::FLOAT => v.as_float(),
            takes::INT => {
                let v = v.as_int()?.signed()?;
                let settles = self.step == 1 || v.magnitude.checked_rem(self.step) == Some(0);
                (settles && v.magnitude >> 53 == 0).then(|| v.get() as f64)
            }
            takes::STR => Some(v.as_str()?.chars() as f64),
            _ => match v.see_cold() {
                Seen::List(v) => Some(v.len() as f64),
                Seen::Dict(v) => Some(v.len() as f64),
                _ => None,
            },
        }
    }
}
