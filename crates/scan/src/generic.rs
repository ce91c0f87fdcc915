//! The algorithms, over any vector.
//!
//! ADVICE: short text is the common case (keys, names, numbers as text), so the first block and
//! the last partial block matter most. A partial block is never read past its end: with a whole
//! block behind it, the load is moved back to overlap; otherwise eight, four and single bytes, or
//! a copy in a block of our own.
#![allow(unsafe_code)]

use core::sync::atomic::Ordering;

use super::vector::Vector;
use super::{Base, Meanings, Spellings};

/// Where a run that goes on after this many more blocks is handed to whoever is better at long ones.
const BLOCKS: usize = 2;

/// Who looks on: where the input begins, where to look from, and where it ends.
type Next = unsafe fn(*const u8, *const u8, *const u8) -> (usize, bool);

/// See [`super::plain`]. `more` takes over behind two blocks, or where there are not so many.
///
/// # Safety
/// `start..end` must be readable, and `at` be in it.
#[inline(always)]
pub(super) unsafe fn plain<V: Vector>(
    start: *const u8,
    at: *const u8,
    end: *const u8,
    more: Next,
) -> (usize, bool) {
    let (mut p, mut high) = (at, 0);
    if (end as usize - p as usize) >= V::N {
        // SAFETY: a whole block is left.
        let v = unsafe { V::load(p) };
        let stop = v.special();
        high = v.high();
        if stop != 0 {
            // The bits below the lowest that is set.
            return (V::first(stop), high & (stop - 1) & !stop == 0);
        }
        // SAFETY: a whole block was left.
        p = unsafe { p.add(V::N) };
        if (end as usize - p as usize) >= V::N {
            // SAFETY: as above.
            let v = unsafe { V::load(p) };
            let stop = v.special();
            if stop != 0 {
                return (V::N + V::first(stop), (high | v.high() & (stop - 1) & !stop) == 0);
            }
            high |= v.high();
            // SAFETY: as above.
            p = unsafe { p.add(V::N) };
        }
    }
    // SAFETY: by contract.
    let (n, ascii) = unsafe { more(start, p, end) };
    (p as usize - at as usize + n, ascii && high == 0)
}

/// The next few blocks. `long` takes over when a run proves long.
///
/// # Safety
/// As for [`plain`].
#[inline(always)]
pub(super) unsafe fn plain_more<V: Vector>(
    start: *const u8,
    at: *const u8,
    end: *const u8,
    long: Next,
) -> (usize, bool) {
    let (mut p, mut high) = (at, 0);
    for _ in 0..BLOCKS {
        if (end as usize - p as usize) < V::N {
            // SAFETY: by contract.
            let (n, rest) = unsafe { tail(start, p, end) };
            return (p as usize - at as usize + n, rest && high == 0);
        }
        // SAFETY: a whole block is left.
        let v = unsafe { V::load(p) };
        let stop = v.special();
        if stop != 0 {
            high |= v.high() & (stop - 1) & !stop;
            return (p as usize - at as usize + V::first(stop), high == 0);
        }
        high |= v.high();
        // SAFETY: a whole block was left.
        p = unsafe { p.add(V::N) };
    }
    // SAFETY: by contract.
    let (n, ascii) = unsafe { long(start, p, end) };
    (p as usize - at as usize + n, ascii && high == 0)
}

/// As [`plain`], to the very end.
///
/// # Safety
/// As for [`plain`].
#[inline(always)]
pub(super) unsafe fn plain_run<V: Vector>(start: *const u8, at: *const u8, end: *const u8) -> (usize, bool) {
    let mut p = at;
    let mut high = 0;
    while (end as usize - p as usize) >= V::N {
        // SAFETY: a whole block is left.
        let v = unsafe { V::load(p) };
        let stop = v.special();
        if stop != 0 {
            // The bits below the lowest that is set.
            high |= v.high() & (stop - 1) & !stop;
            return (p as usize - at as usize + V::first(stop), high == 0);
        }
        high |= v.high();
        // SAFETY: a whole block was left.
        p = unsafe { p.add(V::N) };
    }
    // SAFETY: by contract.
    let (n, rest) = unsafe { tail(start, p, end) };
    (p as usize - at as usize + n, rest && high == 0)
}

/// The last bytes of the input, less than a block; a wider block may have left more than one of these.
///
/// What stands before them in the input is looked at too, and its answers are shifted away: a block that was put together byte
/// by byte would have to wait until all of it is written.
///
/// # Safety
/// As for [`plain`].
#[inline(never)]
unsafe fn tail(start: *const u8, at: *const u8, end: *const u8) -> (usize, bool) {
    const N: usize = Base::N;
    let (mut p, mut high) = (at, 0);
    loop {
        let left = end as usize - p as usize;
        if left == 0 {
            return (p as usize - at as usize, high == 0);
        }
        let (v, before) = if left >= N {
            // SAFETY: a whole block is left.
            (unsafe { Base::load(p) }, 0)
        } else if end as usize - start as usize >= N {
            // SAFETY: the input is no shorter than a block.
            (unsafe { Base::load(end.sub(N)) }, N - left)
        } else {
            let mut block = [0; N];
            // SAFETY: the block has room for what is less than a block.
            (
                unsafe {
                    core::ptr::copy_nonoverlapping(p, block.as_mut_ptr(), left);
                    Base::load(block.as_ptr())
                },
                0,
            )
        };
        let shift = before as u32 * Base::BITS;
        // The input ends the text.
        let beyond = if left < N { 1 << (left as u32 * Base::BITS) } else { 0 };
        let (stop, wide) = (v.special() >> shift | beyond, v.high() >> shift);
        high |= wide & stop.wrapping_sub(1) & !stop;
        let n = if stop == 0 { N } else { Base::first(stop) };
        // SAFETY: no more than was left: what stands behind it would have stopped it.
        p = unsafe { p.add(n) };
        if stop != 0 {
            return (p as usize - at as usize, high == 0);
        }
    }
}

/// Whether all bytes are below 0x80.
#[inline(always)]
pub(super) fn ascii<V: Vector>(bytes: &[u8]) -> bool {
    let blocks = bytes.chunks_exact(4 * V::N);
    let rest = blocks.remainder();
    for block in blocks {
        let p = block.as_ptr();
        // SAFETY: the chunk has four blocks.
        let high = unsafe {
            V::load(p).high()
                | V::load(p.add(V::N)).high()
                | V::load(p.add(2 * V::N)).high()
                | V::load(p.add(3 * V::N)).high()
        };
        if high != 0 {
            return false;
        }
    }
    super::ascii(rest)
}

/// See [`super::measure`]: eight bytes at a time, each counted in its own place as long as that has room.
#[inline(always)]
pub(super) fn measure(bytes: &[u8]) -> (usize, u8) {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let (mut count, mut top) = (0, 0u8);
    let (words, rest) = bytes.as_chunks::<8>();
    let (mut two, mut four) = (0, 0);
    for part in words.chunks(31) {
        let mut begun = 0;
        for word in part {
            let w = u64::from_le_bytes(*word);
            // A byte that continues has its highest bit, and not the next.
            begun += (!w >> 7 | w >> 6) & EACH;
            let lead = w & w << 1;
            four |= lead & w << 2 & w << 3;
            two |= lead & (w << 2 | w << 3 | w << 4 | w << 5);
        }
        // The highest byte of the product is the sum of all: 248 at most.
        count += (begun.wrapping_mul(EACH) >> 56) as usize;
    }
    if two & EACH << 7 != 0 {
        top = if four & EACH << 7 != 0 { 0xf0 } else { 0xc4 };
    }
    for &b in rest {
        count += usize::from(b as i8 >= -0x40);
        top = top.max(b);
    }
    (count, top)
}

/// See [`super::space`].
///
/// # Safety
/// `at..end` must be readable.
#[inline(always)]
pub(super) unsafe fn space<V: Vector>(at: *const u8, end: *const u8) -> usize {
    let mut p = at;
    while (end as usize - p as usize) >= V::N {
        // SAFETY: a whole block is left.
        let stop = unsafe { V::load(p) }.not_space();
        if stop != 0 {
            return p as usize - at as usize + V::first(stop);
        }
        // SAFETY: a whole block was left.
        p = unsafe { p.add(V::N) };
    }
    while p != end {
        // SAFETY: `p < end`.
        if !matches!(unsafe { *p }, b' ' | b'\n' | b'\r' | b'\t') {
            break;
        }
        // SAFETY: as above.
        p = unsafe { p.add(1) };
    }
    p as usize - at as usize
}

/// See [`super::copy_plain`].
///
/// # Safety
/// `out` must be writable for `bytes.len() + super::SPARE` bytes, apart from `bytes`.
#[inline(always)]
pub(super) unsafe fn copy_plain<V: Vector>(bytes: &[u8], out: *mut u8) -> usize {
    let n = bytes.len();
    let p = bytes.as_ptr();
    if n < V::N {
        // SAFETY: by contract.
        return unsafe { copy_short(bytes, out) };
    }
    if n <= 2 * V::N {
        // Two blocks that may overlap: what is read and written twice is the same both times.
        // SAFETY: both lie within the text, and the output is as long.
        let (a, b) = unsafe { (V::load(p), V::load(p.add(n - V::N))) };
        // SAFETY: as above.
        unsafe {
            a.store(out);
            b.store(out.add(n - V::N));
        }
        return if V::any_special(a, b) { 0 } else { n };
    }
    let mut i = 0;
    loop {
        // The last block is moved back so that it ends with the text, as above.
        let from = if i + V::N <= n { i } else { n - V::N };
        // SAFETY: `from + N <= n`.
        let v = unsafe { V::load(p.add(from)) };
        // SAFETY: as above, and the output is as long.
        unsafe { v.store(out.add(from)) };
        let stop = v.special();
        if stop != 0 {
            // A stop before `i` would have ended the block before this one.
            return from + V::first(stop);
        }
        i = from + V::N;
        if i == n {
            return n;
        }
    }
}

/// Writes bytes as a table spells them, one by one, with no branch on what they are.
///
/// # Safety
/// `p..end` must be readable, and `out` writable for seven bytes for each of them and one more, apart from them.
#[inline(never)]
pub(super) unsafe fn spell_each(
    mut p: *const u8,
    end: *const u8,
    mut out: *mut u8,
    table: &Spellings,
) -> *mut u8 {
    while p != end {
        // SAFETY: by contract; of the eight bytes that are stored no more than seven count.
        unsafe {
            let spelling = table[usize::from(*p)].load(Ordering::Relaxed);
            out.cast::<[u8; 8]>().write(spelling.to_le_bytes());
            (p, out) = (p.add(1), out.add((spelling >> 56 & 7) as usize));
        }
    }
    out
}

/// See [`super::spell`]: as long as there are whole blocks, from one byte that must be escaped to the next. A block with three of
/// them in a row goes byte by byte. It gives what is left.
///
/// # Safety
/// As there, for what is from `p` to `end`.
#[cfg(any(test, not(target_arch = "x86_64")))]
pub(super) unsafe fn spell_blocks<V: Vector>(
    mut p: *const u8,
    end: *const u8,
    mut out: *mut u8,
    table: &Spellings,
) -> (*const u8, *mut u8) {
    while end as usize - p as usize >= V::N {
        // SAFETY: a whole block is left; what is stored beyond what counts has room by contract.
        unsafe {
            let v = V::load(p);
            v.store(out);
            let stop = v.special();
            if stop == 0 {
                (p, out) = (p.add(V::N), out.add(V::N));
            } else if stop & stop >> V::BITS & stop >> (2 * V::BITS) != 0 {
                out = spell_each(p, p.add(V::N), out, table);
                p = p.add(V::N);
            } else {
                let n = V::first(stop);
                out = spell_each(p.add(n), p.add(n + 1), out.add(n), table);
                p = p.add(n + 1);
            }
        }
    }
    (p, out)
}

/// See [`super::unspell`].
///
/// # Safety
/// As there.
#[inline(always)]
pub(super) unsafe fn unspell<V: Vector>(
    bytes: &[u8],
    mut out: *mut u8,
    meanings: &Meanings,
) -> (usize, *mut u8) {
    let mut at = 0;
    // A byte more, so that there is one behind the last of the block.
    while bytes.len() - at > V::N {
        // SAFETY: a whole block is left, and a byte behind it. What counts is no more than was read; beyond that a
        // block is stored, for which there is `SPARE`.
        unsafe {
            let p = bytes.as_ptr().add(at);
            let v = V::load(p);
            v.store(out);
            let stop = v.special();
            if stop == 0 {
                (at, out) = (at + V::N, out.add(V::N));
                continue;
            }
            let n = V::first(stop);
            (at, out) = (at + n, out.add(n));
            let meaning = meanings[usize::from(*p.add(n + 1))].load(Ordering::Relaxed);
            if *p.add(n) != b'\\' || meaning == 0 {
                break;
            }
            *out = meaning;
            (at, out) = (at + 2, out.add(1));
        }
    }
    (at, out)
}

/// Less than a block: two overlapping words where they fit.
///
/// # Safety
/// `out` must be writable for `bytes.len()` bytes, apart from `bytes`.
#[inline(always)]
unsafe fn copy_short(bytes: &[u8], out: *mut u8) -> usize {
    let n = bytes.len();
    let p = bytes.as_ptr();
    if n >= 16 {
        // Only for blocks wider than 16 bytes.
        // SAFETY: by contract; a block of 16 fits.
        return unsafe { copy_plain::<Base>(bytes, out) };
    }
    let (a, b) = if n >= 8 {
        // SAFETY: both words lie within the text; neither needs alignment.
        let (a, b) =
            unsafe { (p.cast::<u64>().read_unaligned(), p.add(n - 8).cast::<u64>().read_unaligned()) };
        // SAFETY: both words lie within the output.
        unsafe {
            out.cast::<u64>().write_unaligned(a);
            out.add(n - 8).cast::<u64>().write_unaligned(b);
        }
        (a, b)
    } else if n >= 4 {
        // SAFETY: as above, with half words.
        let (a, b) =
            unsafe { (p.cast::<u32>().read_unaligned(), p.add(n - 4).cast::<u32>().read_unaligned()) };
        // SAFETY: as above.
        unsafe {
            out.cast::<u32>().write_unaligned(a);
            out.add(n - 4).cast::<u32>().write_unaligned(b);
        }
        let both = u64::from(a) | u64::from(b) << 32;
        (both, both)
    } else if n > 0 {
        // The first byte, the last, and one between; others that need no escape stand for the rest.
        // SAFETY: all three lie within the text and the output.
        let all = unsafe {
            let (a, b, c) = (*p, *p.add(n / 2), *p.add(n - 1));
            (*out, *out.add(n / 2), *out.add(n - 1)) = (a, b, c);
            u64::from_le_bytes([a, b, c, b'-', b'-', b'-', b'-', b'-'])
        };
        (all, all)
    } else {
        return 0;
    };
    if super::Base::two_special(a, b) { 0 } else { n }
}

/// Non-zero if one of eight bytes is below 0x20, `"` or `\`.
///
/// The subtraction borrows into the next byte only where a byte below has answered yes, so the
/// answer for the whole word is exact.
#[inline(always)]
pub(super) const fn word_special(v: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    let quote = v ^ (ONES * b'"' as u64);
    let slash = v ^ (ONES * b'\\' as u64);
    let control = v.wrapping_sub(ONES * 0x20) & !v;
    let quote = quote.wrapping_sub(ONES) & !quote;
    let slash = slash.wrapping_sub(ONES) & !slash;
    (control | quote | slash) & TOPS
}
