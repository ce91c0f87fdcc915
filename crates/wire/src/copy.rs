//! Copies of few bytes, of which nobody knows beforehand how few: by moves of fixed sizes that may overlap, without a call.
#![allow(unsafe_code)]

use core::ptr;

/// Copies bytes: up to 32 in two moves that may overlap, more by the usual call.
///
/// # Safety
/// `out` must be writable for as many bytes, apart from them.
#[inline(always)]
pub(crate) unsafe fn copy_few(bytes: &[u8], out: *mut u8) {
    let (n, from) = (bytes.len(), bytes.as_ptr());
    // SAFETY: each move lies within `n` bytes on both sides, by the comparison before it.
    unsafe {
        if n > 32 {
            ptr::copy_nonoverlapping(from, out, n);
        } else if n >= 16 {
            copy_ends::<16>(from, out, n);
        } else if n >= 8 {
            copy_ends::<8>(from, out, n);
        } else if n >= 4 {
            copy_ends::<4>(from, out, n);
        } else if n > 0 {
            *out = *from;
            *out.add(n / 2) = *from.add(n / 2);
            *out.add(n - 1) = *from.add(n - 1);
        }
    }
}

/// Copies `N` to `2 * N` bytes, by their first and their last `N`.
///
/// # Safety
/// Both must be good for `n` bytes, and apart; `N <= n <= 2 * N`.
#[inline(always)]
unsafe fn copy_ends<const N: usize>(from: *const u8, out: *mut u8, n: usize) {
    // SAFETY: by contract; arrays of bytes need no alignment.
    unsafe {
        let (first, last) = (*from.cast::<[u8; N]>(), *from.add(n - N).cast::<[u8; N]>());
        out.cast::<[u8; N]>().write(first);
        out.add(n - N).cast::<[u8; N]>().write(last);
    }
}
