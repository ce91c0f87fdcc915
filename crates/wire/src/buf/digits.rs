//! Decimal digits, written where they belong.
#![allow(unsafe_code)]

use crate::number::swar;

/// Room for the digits of any integer, and what is written beyond them.
pub(super) const DIGITS: usize = 32;

/// The least number of more than eight digits.
pub(super) const EIGHT: u64 = 100_000_000;

/// Writes decimal digits and says how many: eight at a time, in one store each.
///
/// # Safety
/// `out` must be writable for `DIGITS` bytes.
#[inline(always)]
pub(super) unsafe fn digits(v: u64, out: *mut u8) -> usize {
    // SAFETY: each writes no more than there is room for.
    unsafe {
        if v < 100 {
            return few_digits(v as usize, out);
        }
        if v < 1000 {
            *out = b'0' + (v / 100) as u8;
            out.add(1).cast::<[u8; 2]>().write(PAIRS[(v % 100) as usize]);
            return 3;
        }
        if v < EIGHT { first_digits(v, out) } else { many_digits(v, out) }
    }
}

/// The digits of a number of more than eight.
///
/// # Safety
/// `out` must be writable for `DIGITS` bytes.
#[inline(never)]
unsafe fn many_digits(v: u64, out: *mut u8) -> usize {
    let (high, low) = (v / EIGHT, v % EIGHT);
    // SAFETY: at most 4 + 8 + 8 digits are written, the first in a store of eight bytes.
    unsafe {
        let n = if high < 100 {
            few_digits(high as usize, out)
        } else if high < EIGHT {
            first_digits(high, out)
        } else {
            let n = first_digits(high / EIGHT, out);
            out.add(n).cast::<[u8; 8]>().write((swar(high % EIGHT) | ZEROS).to_le_bytes());
            n + 8
        };
        out.add(n).cast::<[u8; 8]>().write((swar(low) | ZEROS).to_le_bytes());
        n + 8
    }
}

/// The two digits of each number below 100.
pub(crate) static PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut i = 0;
    while i < 100 {
        pairs[i] = [b'0' + (i / 10) as u8, b'0' + (i % 10) as u8];
        i += 1;
    }
    pairs
};

/// The digits of a number below 100, without leading zeros.
///
/// # Safety
/// `v` must be below 100, and `out` writable for two bytes.
#[inline(always)]
unsafe fn few_digits(v: usize, out: *mut u8) -> usize {
    let pair = PAIRS[v];
    // SAFETY: by contract.
    unsafe {
        if v < 10 {
            *out = pair[1];
            return 1;
        }
        out.cast::<[u8; 2]>().write(pair);
    }
    2
}

/// The digits of a number below 1000, without leading zeros.
///
/// # Safety
/// `v` must be below 1000, and `out` writable for four bytes.
#[inline(always)]
pub(super) unsafe fn three_digits(v: u32, out: *mut u8) -> usize {
    let n = 1 + usize::from(v >= 10) + usize::from(v >= 100);
    let [a, b] = PAIRS[(v % 100) as usize];
    let all = u32::from_le_bytes([b'0' + (v / 100) as u8, a, b, 0]);
    // SAFETY: by contract.
    unsafe { out.cast::<[u8; 4]>().write((all >> (24 - 8 * n)).to_le_bytes()) };
    n
}

const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The digits of a number below 10**8, without leading zeros.
///
/// # Safety
/// `out` must be writable for eight bytes.
#[inline(always)]
unsafe fn first_digits(v: u64, out: *mut u8) -> usize {
    // Counted from the number, not from its digits: whatever is written next waits for the count.
    let v32 = v as u32;
    let n = 1
        + usize::from(v32 >= 10)
        + usize::from(v32 >= 100)
        + usize::from(v32 >= 1000)
        + usize::from(v32 >= 10_000)
        + usize::from(v32 >= 100_000)
        + usize::from(v32 >= 1_000_000)
        + usize::from(v32 >= 10_000_000);
    // SAFETY: by contract.
    unsafe { out.cast::<[u8; 8]>().write(((swar(v) | ZEROS) >> (64 - 8 * n)).to_le_bytes()) };
    n
}
