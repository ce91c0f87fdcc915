//! What is asked of a value beyond its type, and of that what one look decides: bounds of integers, of floats and of
//! lengths, as numbers and not as objects.
//!
//! What may surprise: nothing here says no. A value that is not plainly within its bounds is asked about once more by what
//! makes the words (`engine::feed::judge`), so whatever is unusual (integers beyond 64 bits, subclasses, bounds of Decimals)
//! needs no place here, and is decided there.

use alloc::vec::Vec;

use crate::takes;
use py::{Int, Own, Ref, Seen};

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

/// The bounds that are asked first of all.
pub struct Bounds {
    /// Of which type they are, as a bit of [`takes`].
    of: u32,
    /// How many of the checks they are.
    count: usize,
    /// The least and the greatest integer, or length.
    ints: (i64, i64),
    /// The same of floats.
    floats: (f64, f64),
    /// What an integer is a multiple of.
    step: i64,
}

impl Bounds {
    #[inline(never)]
    pub(crate) fn new(checks: &[Check]) -> Bounds {
        let (ints, floats) = ((i64::MIN, i64::MAX), (f64::NEG_INFINITY, f64::INFINITY));
        let mut b = Bounds { of: checks.first().map_or(0, |c| c.of), count: 0, ints, floats, step: 1 };
        for c in checks {
            if c.of != b.of || !b.take(c) {
                break;
            }
            b.count += 1;
        }
        b
    }

    /// Takes a bound; false if it is none that is a number, or that is compared with one.
    fn take(&mut self, c: &Check) -> bool {
        let (ints, floats) = (&mut self.ints, &mut self.floats);
        match c.operand.as_ref().see_cold() {
            Seen::Int(v) => match (c.op, v.get_cold()) {
                (0 | 5, Int::I64(v)) => ints.0 = ints.0.max(v),
                (2 | 6, Int::I64(v)) => ints.1 = ints.1.min(v),
                (4, Int::I64(v)) if self.step == 1 => self.step = v,
                _ => return false,
            },
            Seen::Float(v) => match c.op {
                0 => floats.0 = floats.0.max(v),
                1 => floats.0 = floats.0.max(v.next_up()),
                2 => floats.1 = floats.1.min(v),
                3 => floats.1 = floats.1.min(v.next_down()),
                _ => return false,
            },
            _ => return false,
        }
        true
    }

    /// How many of the checks are settled: the first, if a value of a type is plainly within its bounds.
    #[inline(always)]
    pub fn settle(&self, of: u32, v: Ref<'_>) -> usize {
        if self.of == of && self.hold(v) { self.count } else { 0 }
    }

    #[inline(always)]
    fn hold(&self, v: Ref<'_>) -> bool {
        let n = match (self.of, v.see()) {
            // What is not a number is neither.
            (takes::FLOAT, Seen::Float(v)) => return self.floats.0 <= v && v <= self.floats.1,
            (takes::INT, Seen::Int(v)) => match v.signed() {
                Some(v) if v.magnitude >> 63 == 0 => v.get(),
                _ => return false,
            },
            (takes::STR, Seen::Str(v)) => v.chars() as i64,
            (takes::ARRAY, Seen::List(v)) => v.len() as i64,
            (takes::MAP, Seen::Dict(v)) => v.len() as i64,
            _ => return false,
        };
        self.ints.0 <= n && n <= self.ints.1 && (self.step == 1 || n.checked_rem(self.step) == Some(0))
    }
}
