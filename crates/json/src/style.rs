//! The options: how JSON looks, and how much of it is allowed. Fixed before work begins.

use alloc::vec::Vec;
use wire::time::TimeStyle;

/// What becomes of NaN and the infinities, for which JSON has no word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NonFinite {
    /// They are refused.
    #[default]
    Error,
    /// They are `null`.
    Null,
    /// They are `NaN`, `Infinity` and `-Infinity`, as ECMAScript spells them.
    Literal,
}

/// How the text looks.
#[derive(Clone, Debug, Default)]
pub struct Style {
    /// What each level is indented by; nothing at all for compact text.
    pub indent: Option<Vec<u8>>,
    /// Escape everything that is not ASCII.
    pub ascii: bool,
    /// Numbers as ECMAScript prints them (RFC 8785, section 3.2.2.3).
    pub ecmascript: bool,
    /// NaN and infinities. Whoever writes must refuse them where the answer is `Error`.
    pub non_finite: NonFinite,
    /// Moments as text.
    pub time: TimeStyle,
}

/// How much is allowed in the input.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many containers may nest.
    pub max_depth: usize,
    /// How many digits an integer may have.
    pub max_int_digits: usize,
    /// The greatest integer, if it is of 64 bits at most.
    pub max_int: u64,
    /// The magnitude of the least integer.
    pub min_int: u64,
    /// Whether integers beyond 64 bits are allowed.
    pub big_ints: bool,
    /// NaN and infinities.
    pub non_finite: NonFinite,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_depth: 1000,
            max_int_digits: 100_000,
            max_int: u64::MAX,
            min_int: u64::MAX,
            big_ints: true,
            non_finite: NonFinite::Error,
        }
    }
}

impl Limits {
    /// Restricts integers to `bits`: 53 is what a 64-bit float holds exactly, both ways
    /// symmetric (RFC 8259, section 6); 64 is signed or unsigned.
    pub fn int_bits(&mut self, bits: u32) {
        self.big_ints = false;
        (self.max_int, self.min_int) =
            if bits == 53 { ((1 << 53) - 1, (1 << 53) - 1) } else { (u64::MAX, 1 << 63) };
    }
}
