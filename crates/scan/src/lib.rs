//! Looking at many bytes at once: the only place where instruction sets appear.
//!
//! The algorithms are written once over [`vector::Vector`] in `generic`; each instruction set
//! implements the vector. What every machine of an architecture has (SSE2, NEON) is compiled in
//! and inlined, since most text is short; a wider set is asked for at run time and takes over
//! for long runs only, where the question costs nothing.
//!
//! What may surprise: nothing here reads a byte outside the range that it is given, not even one
//! that is on the same page. The last few bytes of a range are read by an overlapping load, or
//! one by one.
//!
//! This is a crate of its own because it is compiled for speed, and nothing else is; nearly everybody has it from
//! `wire`. Beside the looking stand the loops that turn bytes into others: text of one width into that of another, and
//! base64.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

use core::sync::atomic::{AtomicU8, AtomicU64};

pub mod base64;
mod generic;
pub mod transcode;
mod vector;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "aarch64")]
use aarch64::Neon as Base;

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
use x86_64::Sse2 as Base;

mod scalar;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use scalar::Word as Base;

/// The instruction set for long runs: 0 none, 1 SSE2, 2 AVX2, 3 AVX-512, 4 NEON.
pub fn level() -> u8 {
    #[cfg(target_arch = "x86_64")]
    return x86_64::level();
    #[cfg(not(target_arch = "x86_64"))]
    return if cfg!(target_arch = "aarch64") { 4 } else { 0 };
}

/// How many bytes beyond its text [`copy_plain`] may write.
pub const SPARE: usize = 64;

/// Text up to this length is copied and looked at in place.
const IN_PLACE: usize = 2 * <Base as vector::Vector>::N;

/// How many bytes stand before the first that ends or escapes JSON text (below 0x20, `"`, `\`),
/// or before `end`; and whether they are all ASCII. The input begins at `start`.
///
/// # Safety
/// `start..end` must be readable, and `at` be in it or its end.
#[inline(always)]
pub unsafe fn plain(start: *const u8, at: *const u8, end: *const u8) -> (usize, bool) {
    // SAFETY: by contract.
    unsafe { generic::plain::<Base>(start, at, end, more_plain) }
}

/// What goes on behind two blocks: a call for what is longer costs less than code for it wherever text is met.
///
/// # Safety
/// As for [`plain`].
#[inline(never)]
unsafe fn more_plain(start: *const u8, at: *const u8, end: *const u8) -> (usize, bool) {
    // SAFETY: by contract.
    unsafe { generic::plain_more::<Base>(start, at, end, long_plain) }
}

/// The rest of a run that has proved long.
///
/// # Safety
/// As for [`plain`].
#[inline(never)]
unsafe fn long_plain(start: *const u8, at: *const u8, end: *const u8) -> (usize, bool) {
    #[cfg(target_arch = "x86_64")]
    if x86_64::has_avx2() {
        // SAFETY: by contract, and the machine has AVX2.
        return unsafe { x86_64::plain_avx2(start, at, end) };
    }
    // SAFETY: by contract.
    unsafe { generic::plain_run::<Base>(start, at, end) }
}

/// How many bytes of white space (space, tab, line feed, carriage return) stand at `at`.
///
/// # Safety
/// `at..end` must be readable.
#[inline(always)]
pub unsafe fn space(at: *const u8, end: *const u8) -> usize {
    // SAFETY: by contract.
    unsafe { generic::space::<Base>(at, end) }
}

/// Copies bytes up to the first that JSON text must escape, and says how many they are: all if there is none, else perhaps
/// fewer than stand before it.
///
/// # Safety
/// `out` must be writable for `bytes.len() + SPARE` bytes, apart from `bytes`.
#[inline(always)]
pub unsafe fn copy_plain(bytes: &[u8], out: *mut u8) -> usize {
    // SAFETY: by contract.
    unsafe {
        if bytes.len() <= IN_PLACE {
            generic::copy_plain::<Base>(bytes, out)
        } else {
            long_copy_plain(bytes, out)
        }
    }
}

/// How each byte is spelled: up to six bytes, and their number in the last of eight (little-endian). Atomic, so that such a table
/// can be made when it is first wanted; who passes one on has made it.
pub type Spellings = [AtomicU64; 256];

/// Writes the bytes from a place on as a table spells them. What JSON text need not escape must be spelled as it is. It gives the
/// place behind the last.
///
/// # Safety
/// `from` must not be beyond the end, and `out` be writable for seven bytes for each of them and for `SPARE`, apart from them.
#[inline(never)]
pub unsafe fn spell(bytes: &[u8], from: usize, out: *mut u8, table: &Spellings) -> *mut u8 {
    // SAFETY: by contract.
    unsafe {
        let (p, end) = (bytes.as_ptr().add(from), bytes.as_ptr_range().end);
        #[cfg(target_arch = "x86_64")]
        if bytes.len() >= 16 && x86_64::has_avx2() {
            return x86_64::spell_avx2(p, end, out, table);
        }
        // (Machines of this architecture without AVX2 are few; they go byte by byte.)
        #[cfg(not(target_arch = "x86_64"))]
        let (p, out) = generic::spell_blocks::<Base>(p, end, out, table);
        generic::spell_each(p, end, out, table)
    }
}

/// What each letter behind a backslash stands for; 0 for those that stand for none by themselves. Atomic as [`Spellings`] are.
pub type Meanings = [AtomicU8; 256];

/// Copies bytes as long as there are a few more, with a backslash and the letter behind it as what they stand for. It stops at
/// what else ends or escapes JSON text, and gives how many bytes it went over, and the place behind the last it wrote.
///
/// # Safety
/// `out` must be writable for `bytes.len() + SPARE` bytes, apart from `bytes`.
#[inline(never)]
pub unsafe fn unspell(bytes: &[u8], out: *mut u8, meanings: &Meanings) -> (usize, *mut u8) {
    // SAFETY: by contract.
    unsafe { generic::unspell::<Base>(bytes, out, meanings) }
}

/// How many bytes a copy by a mask writes, whatever it copies.
pub const MASKED: usize = 32;

/// Copies bytes: up to 32 by a mask, or in two moves that may overlap, more by the usual call.
///
/// # Safety
/// `out` must be writable for as many bytes, and for `MASKED`, apart from them.
#[inline(always)]
pub unsafe fn copy_few(bytes: &[u8], out: *mut u8) {
    let (n, from) = (bytes.len(), bytes.as_ptr());
    // SAFETY: each move lies within `n` bytes on both sides, by the comparison before it.
    unsafe {
        if n > MASKED {
            core::ptr::copy_nonoverlapping(from, out, n);
        } else if copy_masked(bytes, out) {
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

/// Copies up to 32 bytes, whatever they are, if there is a way to do so without asking how many; it writes 32.
///
/// # Safety
/// `out` must be writable for 32 bytes, apart from `bytes`, of which there must be no more.
#[inline(always)]
unsafe fn copy_masked(bytes: &[u8], out: *mut u8) -> bool {
    #[cfg(target_arch = "x86_64")]
    if x86_64::has_avx512() {
        // SAFETY: by contract, and the machine has AVX-512.
        unsafe { x86_64::copy_avx512(bytes, out) };
        return true;
    }
    let _ = (bytes, out);
    false
}

/// Asks for the memory at a place, which will be needed soon. Nothing is read.
#[inline(always)]
pub fn prefetch<T>(at: *const T) {
    #[cfg(target_arch = "x86_64")]
    x86_64::prefetch(at.cast());
    let _ = at;
}

/// # Safety
/// As for [`copy_plain`].
#[inline(never)]
unsafe fn long_copy_plain(bytes: &[u8], out: *mut u8) -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        if x86_64::has_avx2() {
            // SAFETY: by contract, and the machine has AVX2.
            return unsafe { x86_64::copy_plain_avx2(bytes, out) };
        }
    }
    // SAFETY: by contract.
    unsafe { generic::copy_plain::<Base>(bytes, out) }
}

/// Whether all of some bytes are below 0x80: the core library's way, which stands here once.
#[inline(never)]
pub fn ascii(bytes: &[u8]) -> bool {
    bytes.is_ascii()
}

/// Whether all of many bytes are below 0x80.
#[inline(never)]
pub fn long_ascii(bytes: &[u8]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if x86_64::has_avx2() {
        // SAFETY: the machine has AVX2.
        return unsafe { x86_64::ascii_avx2(bytes) };
    }
    generic::ascii::<Base>(bytes)
}

/// How many bytes continue no character of UTF-8, and a byte that is 0xf0 or above, or 0xc4 or above, where the greatest is.
pub fn measure(bytes: &[u8]) -> (usize, u8) {
    #[cfg(target_arch = "x86_64")]
    if x86_64::has_avx2() {
        // SAFETY: the machine has AVX2.
        return unsafe { x86_64::measure_avx2(bytes) };
    }
    generic::measure(bytes)
}

/// Decodes valid UTF-8 characters of three bytes each, as far as there are many of them in a row,
/// and says how many; perhaps none where no instruction set helps.
///
/// # Safety
/// `out` must be writable for as many units as `bytes` has bytes that begin a character.
#[inline(always)]
pub unsafe fn three_bytes(bytes: &[u8], out: *mut u16) -> usize {
    #[cfg(target_arch = "x86_64")]
    if x86_64::has_avx2() {
        // SAFETY: by contract, and the machine has AVX2.
        return unsafe { x86_64::three_bytes_avx2(bytes, out) };
    }
    let _ = (bytes, out);
    0
}

/// The same for characters of four bytes.
///
/// # Safety
/// As above.
#[inline(always)]
pub unsafe fn four_bytes(bytes: &[u8], out: *mut u32) -> usize {
    #[cfg(target_arch = "x86_64")]
    if x86_64::has_avx2() {
        // SAFETY: by contract, and the machine has AVX2.
        return unsafe { x86_64::four_bytes_avx2(bytes, out) };
    }
    let _ = (bytes, out);
    0
}

/// Whether the first `len` bytes of `known` stand at `at`.
///
/// # Safety
/// [`SHORT`] bytes must be readable at `at`, and if `len` is more than that, [`KNOWN`].
#[inline(always)]
pub unsafe fn starts_with(at: *const u8, known: &[u8; KNOWN], len: usize) -> bool {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: by contract.
    unsafe {
        x86_64::starts_with(at, known, len)
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: by contract.
    unsafe {
        known.get(..len) == Some(core::slice::from_raw_parts(at, len))
    }
}

/// The digits of two numbers below 10^8, one in each byte, the first in the lowest. `one` does it for one number, where the machine
/// has no better way for both.
#[inline(always)]
pub fn sixteen_digits(high: u64, low: u64, one: impl Fn(u64) -> u64) -> (u64, u64) {
    #[cfg(target_arch = "x86_64")]
    {
        let _ = one;
        x86_64::sixteen_digits(high, low)
    }
    #[cfg(not(target_arch = "x86_64"))]
    (one(high), one(low))
}

/// How many bytes [`starts_with`] looks at.
pub const KNOWN: usize = 48;

/// The same if it is asked about no more than these.
pub const SHORT: usize = 16;

/// Whether a byte ends or escapes JSON text.
#[inline(always)]
const fn special(b: u8) -> bool {
    b < 0x20 || b == b'"' || b == b'\\'
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Every vector must say what the plain loop says, at every length and alignment.
    fn check<V: vector::Vector>() {
        let mut seed = 0x9e37_79b9_7f4a_7c15u64;
        for round in 0..6000usize {
            let bytes: Vec<u8> = (0..round % 131)
                .map(|_| {
                    seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    let b = (seed >> 56) as u8;
                    // Mostly plain letters, so that runs get long.
                    if seed & 0x3f00 == 0 { b } else { b'a' + (b & 15) }
                })
                .collect();
            for skew in [0, 1, 2, 3, 17].into_iter().filter(|n| *n <= bytes.len()) {
                let b = &bytes[skew..];
                let n = b.iter().position(|&b| special(b)).unwrap_or(b.len());
                let r = b.as_ptr_range();
                // SAFETY: the range is that of a slice; the output has the room that is asked for.
                unsafe {
                    let want = (n, b[..n].is_ascii());
                    // The input may begin with the text, or before it.
                    for start in [r.start, bytes.as_ptr()] {
                        assert_eq!(generic::plain::<V>(start, r.start, r.end, more_plain), want);
                        assert_eq!(generic::plain_more::<V>(start, r.start, r.end, long_plain), want);
                        assert_eq!(generic::plain_run::<V>(start, r.start, r.end), want);
                    }
                    let mut out = alloc::vec![0u8; b.len() + SPARE];
                    // The second is what this machine has for text of that length.
                    for copied in [generic::copy_plain::<V>, copy_plain] {
                        out.fill(0);
                        let copied = copied(b, out.as_mut_ptr());
                        assert!(copied == n || copied < n && n < b.len());
                        assert_eq!(&out[..copied], &b[..copied]);
                    }
                    // Longer for what must be escaped.
                    let table: Spellings = core::array::from_fn(|b| {
                        let b = b as u8;
                        let spelling = [b, b, b, b, b, b, 0, if special(b) { 6 } else { 1 }];
                        AtomicU64::new(u64::from_le_bytes(spelling))
                    });
                    let mut spelled = alloc::vec![0u8; 7 * b.len() + SPARE];
                    let from = spelled.as_mut_ptr();
                    let (rest, out) = generic::spell_blocks::<V>(r.start, r.end, from, &table);
                    let out = generic::spell_each(rest, r.end, out, &table);
                    let n = out as usize - from as usize;
                    let each = |b: &u8| alloc::vec![*b; if special(*b) { 6 } else { 1 }];
                    let want: Vec<u8> = b.iter().flat_map(each).collect();
                    assert_eq!(spelled[..n], want);
                    let end = spell(b, 0, from, &table);
                    assert_eq!((end, &spelled[..n]), (out, &want[..]));
                    let meanings: Meanings =
                        core::array::from_fn(|b| AtomicU8::new(if b == 0x61 { b'A' } else { 0 }));
                    let slashed: Vec<u8> = b
                        .iter()
                        .flat_map(|&b| if b & 7 == 1 { alloc::vec![b'\\', b] } else { alloc::vec![b] })
                        .collect();
                    let (went, out) = generic::unspell::<V>(&slashed, from, &meanings);
                    let n = out as usize - from as usize;
                    let text: Vec<u8> = (slashed[..went].iter().scan(false, |behind, &b| {
                        let was = core::mem::replace(behind, b == b'\\');
                        Some(if was { Some(b'A') } else { (b != b'\\').then_some(b) })
                    }))
                    .flatten()
                    .collect();
                    assert_eq!(spelled[..n], text);
                    let rest = &slashed[went..];
                    assert!(rest.len() <= V::N || special(rest[0]) && !rest.starts_with(b"\\a"));
                    assert_eq!(generic::ascii::<V>(b), b.is_ascii());
                    let spaces: Vec<u8> =
                        b.iter().map(|&b| if b < 0x60 { b } else { b" \n\t\r"[b as usize & 3] }).collect();
                    let n = spaces.iter().take_while(|b| b" \n\t\r".contains(b)).count();
                    let r = spaces.as_ptr_range();
                    assert_eq!(generic::space::<V>(r.start, r.end), n);
                }
            }
        }
    }

    #[test]
    fn known_starts() {
        let mut known = [0u8; KNOWN];
        known.iter_mut().enumerate().for_each(|(i, b)| *b = i as u8);
        for len in 0..=KNOWN {
            let mut here = known;
            here[len..].fill(0xff);
            // SAFETY: both are arrays of that length.
            assert!(unsafe { starts_with(here.as_ptr(), &known, len) });
            for at in 0..len {
                let mut other = here;
                other[at] ^= 0x40;
                // SAFETY: as above.
                assert!(!unsafe { starts_with(other.as_ptr(), &known, len) });
            }
        }
    }

    #[test]
    fn characters_are_counted_alike() {
        for n in (0..70usize).chain([247, 248, 249, 500, 8159, 8160, 8161, 9000]) {
            for top in [0x41, 0x80, 0xc3, 0xc4, 0xdf, 0xef, 0xf0, 0xff] {
                for at in [0, n / 2, n.saturating_sub(1)] {
                    let mut bytes: Vec<u8> = (0..n).map(|i| b"a\xc3\xa9\x80"[i % 4]).collect();
                    bytes.get_mut(at).into_iter().for_each(|b| *b = top);
                    let count = bytes.iter().filter(|&&b| b & 0xc0 != 0x80).count();
                    let most = bytes.iter().max().copied().unwrap_or(0);
                    for (counted, told) in [measure(&bytes), generic::measure(&bytes)] {
                        assert_eq!(counted, count, "{n} {top}");
                        assert_eq!((told >= 0xc4, told >= 0xf0), (most >= 0xc4, most >= 0xf0), "{n} {top}");
                    }
                }
            }
        }
    }

    #[test]
    fn base() {
        check::<Base>();
    }

    #[test]
    fn word() {
        check::<scalar::Word>();
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn avx2() {
        if x86_64::has_avx2() {
            check::<x86_64::Avx2>();
        }
    }
}
