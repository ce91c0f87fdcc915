//! Decimal digits, written where they belong: three at a time, out of a table.
//!
//! What may surprise: the table is empty at first, so that it is no part of the binary, and each of its entries is made when it is
//! first wanted. With it a number of up to three digits takes one look and no branch that could be guessed wrong, and
//! what waits for its length waits for that look alone.
#![allow(unsafe_code)]

use core::sync::atomic::{AtomicU64, Ordering};

use crate::number::{E8, E16, ZEROS, sixteen, swar};

/// Room for the digits of any integer, and what is written beyond them.
pub(super) const DIGITS: usize = 24;

/// Of each number below 1000: its digits without leading zeros, in the lowest three bytes; how many these are, in the fourth; and all
/// three digits, in the next three. Nothing until it is made. Threads that make one at the same time make the same.
static THREES: [AtomicU64; 1000] = [const { AtomicU64::new(0) }; 1000];

/// What is said of a number below 1000.
#[inline(always)]
fn three(v: u32) -> u64 {
    THREES[v as usize].load(Ordering::Relaxed)
}

/// Set in all that is said of a number: a bit of a digit.
const MADE: u64 = 1 << 36;

/// Writes decimal digits and says how many.
///
/// # Safety
/// `out` must be writable for `DIGITS` bytes.
#[inline(always)]
pub(super) unsafe fn digits(v: u64, out: *mut u8) -> usize {
    // SAFETY: by contract; at most nine digits are written here, the last in a store of four bytes.
    unsafe {
        if v < 1000 {
            let first = three(v as u32);
            return if first == 0 { missing(v as u32, out) } else { put_first(first, out) };
        }
        if v >= 1_000_000_000 {
            return many_digits(v, out);
        }
        let v = v as u32;
        let (high, last) = (v / 1000, three(v % 1000));
        if high < 1000 {
            let first = three(high);
            if first & last & MADE == 0 {
                return missing(v, out);
            }
            let n = put_first(first, out);
            put_next(last, out.add(n));
            return n + 3;
        }
        let (first, second) = (three(high / 1000), three(high % 1000));
        if first & second & last & MADE == 0 {
            return missing(v, out);
        }
        let n = put_first(first, out);
        put_next(second, out.add(n));
        put_next(last, out.add(n + 3));
        n + 6
    }
}

/// The same, where it need not be compiled in.
///
/// # Safety
/// As above.
#[inline(never)]
pub(super) unsafe fn any_digits(v: u64, out: *mut u8) -> usize {
    // SAFETY: by contract.
    unsafe { digits(v, out) }
}

/// The same, into an array.
#[inline(always)]
pub(crate) fn put_digits(v: u64, out: &mut [u8; DIGITS]) -> usize {
    // SAFETY: an array of that length.
    unsafe { any_digits(v, out.as_mut_ptr()) }
}

/// The digits of a number of more than nine: the last eight or sixteen at once.
///
/// # Safety
/// As above.
#[inline(never)]
unsafe fn many_digits(v: u64, out: *mut u8) -> usize {
    // What is written next waits for how many digits this has: so the first are counted by themselves, and not where all are.
    // SAFETY: by contract; there are twenty digits at most.
    unsafe {
        if v < E16 {
            let n = any_digits(v / E8, out);
            out.add(n).cast::<[u8; 8]>().write((swar(v % E8) | ZEROS).to_le_bytes());
            return n + 8;
        }
        let (high, low) = sixteen(v % E16);
        let n = any_digits(v / E16, out);
        out.add(n).cast::<[u8; 8]>().write((high | ZEROS).to_le_bytes());
        out.add(n + 8).cast::<[u8; 8]>().write((low | ZEROS).to_le_bytes());
        n + 16
    }
}

/// A number below 10^9 in threes of digits.
#[inline(always)]
fn threes(v: u32) -> [u32; 3] {
    [v / 1_000_000, v / 1000 % 1000, v % 1000]
}

/// The digits of a number below 10^9 of which something is not made.
///
/// # Safety
/// As above.
#[cold]
#[inline(never)]
unsafe fn missing(v: u32, out: *mut u8) -> usize {
    for v in threes(v) {
        make(v);
    }
    // SAFETY: by contract.
    unsafe { any_digits(v.into(), out) }
}

#[cold]
#[inline(never)]
fn make(v: u32) -> u64 {
    let n = 1 + u32::from(v >= 10) + u32::from(v >= 100);
    let all = 0x30_3030 | (v / 100) | (v / 10 % 10) << 8 | (v % 10) << 16;
    let made = u64::from(all) << 32 | u64::from(n << 24 | all >> (24 - 8 * n));
    THREES[v as usize].store(made, Ordering::Relaxed);
    made
}

/// The digits of a number below 1000, without leading zeros; gives how many.
///
/// # Safety
/// `out` must be writable for four bytes.
#[inline(always)]
unsafe fn put_first(made: u64, out: *mut u8) -> usize {
    // SAFETY: by contract.
    unsafe { out.cast::<[u8; 4]>().write((made as u32).to_le_bytes()) };
    (made as u32 >> 24) as usize
}

/// Its three digits.
///
/// # Safety
/// As above.
#[inline(always)]
unsafe fn put_next(made: u64, out: *mut u8) {
    // SAFETY: by contract.
    unsafe { out.cast::<[u8; 4]>().write(((made >> 32) as u32).to_le_bytes()) };
}

/// The two digits of each number below 100, and as many of the next ones as seven bits can say: their last two.
pub(crate) static PAIRS: [[u8; 2]; 128] = {
    let mut pairs = [[0; 2]; 128];
    let mut i = 0;
    while i < 128 {
        pairs[i] = [b'0' + (i / 10 % 10) as u8, b'0' + (i % 10) as u8];
        i += 1;
    }
    pairs
};
