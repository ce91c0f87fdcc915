//! What a value begins with.
//!
//! What may surprise: it is one number, of which everything else is computed. A struct of several fields is put together in memory
//! for each value, and then read in wider parts than it was written in, which has to wait.

use crate::tag::*;

/// A tag that was taken, and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Head(u64);

impl Head {
    /// Of the byte of a tag and its offset, of which 56 bits are more than memory has.
    #[inline(always)]
    pub(crate) fn new(byte: u8, at: usize) -> Head {
        Head((at as u64) << 8 | u64::from(byte))
    }

    #[inline(always)]
    pub(crate) fn byte(self) -> u8 {
        self.0 as u8
    }

    /// What begins with it.
    #[inline(always)]
    pub fn what(self) -> What {
        WHATS[usize::from(self.byte())]
    }

    /// Whether the S bit is set. Then the definition is the last so far.
    #[inline(always)]
    pub fn shared(self) -> bool {
        (SHARED..MORE_REF).contains(&self.byte())
    }

    /// Where it stands.
    #[inline(always)]
    pub fn at(self) -> usize {
        (self.0 >> 8) as usize
    }

    /// Of a truth value: which. Of an integer in a tag: see [`Head::small`].
    #[inline(always)]
    pub fn bool(self) -> bool {
        self.byte() == TRUE
    }

    /// The tag, without the S bit.
    #[inline(always)]
    pub fn tag(self) -> u8 {
        if self.shared() { self.byte() & !SHARED } else { self.byte() }
    }

    /// The integer that is in the tag.
    #[inline(always)]
    pub fn small(self) -> i8 {
        self.byte().wrapping_sub(ZERO) as i8
    }
}
