//! What an instruction set must give: a block of bytes, and questions about all of them at once.

/// A block of `N` bytes.
///
/// Answers are masks with `BITS` bits for each byte, the first byte lowest, so that counting
/// trailing zeros finds the first byte that answers yes.
pub(super) trait Vector: Copy {
    /// Bytes in a block.
    const N: usize;
    /// Bits of a mask for each byte.
    const BITS: u32;

    /// # Safety
    /// `N` bytes at `p` must be readable.
    unsafe fn load(p: *const u8) -> Self;
    /// # Safety
    /// `N` bytes at `p` must be writable.
    unsafe fn store(self, p: *mut u8);
    /// Which bytes are below 0x20, `"` or `\`.
    fn special(self) -> u64;
    /// Which bytes are 0x80 or above.
    fn high(self) -> u64;
    /// Which bytes are not space, tab, line feed or carriage return.
    fn not_space(self) -> u64;

    /// Whether one byte of two blocks is below 0x20, `"` or `\`.
    #[inline(always)]
    fn any_special(a: Self, b: Self) -> bool {
        a.special() | b.special() != 0
    }

    /// Whether one of sixteen bytes, given as two words, is below 0x20, `"` or `\`.
    #[inline(always)]
    fn two_special(a: u64, b: u64) -> bool {
        (super::generic::word_special(a) | super::generic::word_special(b)) != 0
    }

    /// The place of the first byte that answers yes.
    #[inline(always)]
    fn first(mask: u64) -> usize {
        (mask.trailing_zeros() / Self::BITS) as usize
    }
}
