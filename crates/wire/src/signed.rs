//! Integers by their sign and their magnitude, as Python has them and as digits are written.

/// An integer of which both are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signed {
    /// Without the sign.
    pub magnitude: u64,
    /// Whether it is below zero.
    pub negative: bool,
}

impl Signed {
    /// Of these parts: what is negative is so by 2**63 at most, and not zero.
    #[inline(always)]
    pub fn new(magnitude: u64, negative: bool) -> Signed {
        Signed { magnitude, negative }
    }

    /// Its value.
    #[inline(always)]
    pub fn get(self) -> i64 {
        let v = self.magnitude as i64;
        if self.negative { v.wrapping_neg() } else { v }
    }
}

impl From<i64> for Signed {
    #[inline(always)]
    fn from(v: i64) -> Signed {
        Signed { magnitude: v.unsigned_abs(), negative: v < 0 }
    }
}
