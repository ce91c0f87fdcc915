//! SSE2, which every x86-64 machine has, and AVX2 and AVX-512, which are asked for at run time.
//!
//! What may surprise: what AVX-512 is good for here is short text. A load and a store by a mask need no
//! branch on the length, which for text is as chance has it, and so is guessed wrong. They are written as
//! assembly because only that can be compiled into functions that are for machines without it as well. (Text
//! that is looked at on the way gained nothing so: comparing by masks takes as long as it saves.)
#![allow(unsafe_code)]

use core::arch::asm;
use core::arch::x86_64::*;
use core::sync::atomic::{AtomicU8, Ordering};

use super::vector::Vector;
use super::{Spellings, generic};

/// Sixteen bytes.
#[derive(Clone, Copy)]
pub(super) struct Sse2(__m128i);

/// SSE2 belongs to x86-64 itself, so its intrinsics may be called everywhere.
macro_rules! sse2 {
    ($e:expr) => {
        // SAFETY: every x86-64 machine has SSE2; the intrinsic touches registers only.
        unsafe { $e }
    };
}

impl Sse2 {
    /// All ones where a byte is below 0x20, `"` or `\`.
    #[inline(always)]
    fn specials(self) -> __m128i {
        sse2!({
            let quote = _mm_cmpeq_epi8(self.0, _mm_set1_epi8(b'"' as i8));
            let slash = _mm_cmpeq_epi8(self.0, _mm_set1_epi8(b'\\' as i8));
            let control = _mm_cmpeq_epi8(_mm_min_epu8(self.0, _mm_set1_epi8(0x1f)), self.0);
            _mm_or_si128(_mm_or_si128(quote, slash), control)
        })
    }
}

impl Vector for Sse2 {
    const N: usize = 16;
    const BITS: u32 = 1;

    #[inline(always)]
    unsafe fn load(p: *const u8) -> Self {
        // SAFETY: by contract; the load needs no alignment.
        Sse2(unsafe { _mm_loadu_si128(p.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut u8) {
        // SAFETY: by contract; the store needs no alignment.
        unsafe { _mm_storeu_si128(p.cast(), self.0) };
    }
    #[inline(always)]
    fn special(self) -> u64 {
        sse2!(_mm_movemask_epi8(self.specials()) as u32 as u64)
    }
    #[inline(always)]
    fn any_special(a: Self, b: Self) -> bool {
        sse2!(_mm_movemask_epi8(_mm_or_si128(a.specials(), b.specials())) != 0)
    }
    #[inline(always)]
    fn two_special(a: u64, b: u64) -> bool {
        Sse2(sse2!(_mm_set_epi64x(b as i64, a as i64))).special() != 0
    }
    #[inline(always)]
    fn high(self) -> u64 {
        sse2!(_mm_movemask_epi8(self.0) as u32 as u64)
    }
    #[inline(always)]
    fn not_space(self) -> u64 {
        sse2!({
            let blank = _mm_cmpeq_epi8(self.0, _mm_set1_epi8(b' ' as i8));
            let feed = _mm_cmpeq_epi8(self.0, _mm_set1_epi8(b'\n' as i8));
            let back = _mm_cmpeq_epi8(self.0, _mm_set1_epi8(b'\r' as i8));
            let tab = _mm_cmpeq_epi8(self.0, _mm_set1_epi8(b'\t' as i8));
            let any = _mm_or_si128(_mm_or_si128(blank, feed), _mm_or_si128(back, tab));
            (_mm_movemask_epi8(any) as u32 as u64) ^ 0xffff
        })
    }
}

/// See [`super::starts_with`]: three blocks at once, and one question about the bytes that count.
///
/// # Safety
/// As there.
#[inline(always)]
pub(super) unsafe fn starts_with(at: *const u8, known: &[u8; super::KNOWN], len: usize) -> bool {
    // SAFETY: three blocks of sixteen are readable on both sides.
    unsafe {
        let same = |i: usize| {
            let (a, b) = (Sse2::load(at.add(i)), Sse2::load(known.as_ptr().add(i)));
            _mm_movemask_epi8(_mm_cmpeq_epi8(a.0, b.0)) as u32 as u64
        };
        let mask = (1 << len) - 1;
        // Most keys are short.
        let differ = if len <= 16 { !same(0) } else { !(same(0) | same(16) << 16 | same(32) << 32) };
        differ & mask == 0
    }
}

/// See [`super::sixteen_digits`]: both halves at once, each step splitting every lane into its digits' upper and lower half.
#[inline(always)]
pub(super) fn sixteen_digits(high: u64, low: u64) -> (u64, u64) {
    // SAFETY: every machine of this architecture has SSE2.
    unsafe {
        let v = _mm_set_epi64x(low as i64, high as i64);
        // A quotient by a product that is exact for so few digits; `v + quotient * (2^n - divisor)` puts it above what remains.
        let fours = _mm_srli_epi64(_mm_mul_epu32(v, _mm_set1_epi64x(109_951_163)), 40);
        let v = _mm_add_epi64(v, _mm_mul_epu32(fours, _mm_set1_epi64x((1 << 32) - 10_000)));
        let twos = _mm_srli_epi16(_mm_mulhi_epu16(v, _mm_set1_epi32(5243)), 3);
        let v = _mm_sub_epi32(v, _mm_mullo_epi16(twos, _mm_set1_epi32(100)));
        let v = _mm_add_epi32(v, _mm_slli_epi32(twos, 16));
        let ones = _mm_mulhi_epu16(v, _mm_set1_epi16(6554));
        let v = _mm_sub_epi16(v, _mm_mullo_epi16(ones, _mm_set1_epi16(10)));
        let v = _mm_add_epi16(v, _mm_slli_epi16(ones, 8));
        // The last digit is the lowest now.
        let half = |v| (_mm_cvtsi128_si64(v) as u64).swap_bytes();
        (half(v), half(_mm_unpackhi_epi64(v, v)))
    }
}

/// Whether the machine has AVX2 and the system keeps its registers; asked once.
#[inline(always)]
pub(super) fn has_avx2() -> bool {
    level() >= AVX2
}

/// The same for AVX-512 with bytes and shorter registers.
#[inline(always)]
pub(super) fn has_avx512() -> bool {
    level() == AVX512
}

#[inline(always)]
pub(super) fn level() -> u8 {
    if cfg!(miri) {
        // It knows no assembly.
        return SSE2;
    }
    match LEVEL.load(Ordering::Relaxed) {
        0 => ask(),
        level => level,
    }
}

static LEVEL: AtomicU8 = AtomicU8::new(0);
const SSE2: u8 = 1;
const AVX2: u8 = 2;
const AVX512: u8 = 3;

#[cold]
#[inline(never)]
fn ask() -> u8 {
    // Leaf 1: the system lets programs ask (27), and the machine has AVX (28). Then the system
    // must save the registers of both widths (XCR0, bits 1 and 2), and for AVX-512 the masks, and more and
    // wider registers (5 to 7). Leaf 7: AVX2 (5), BMI2 (8), AVX-512 (16), with bytes (30), shorter (31).
    let saved = if __cpuid(0).eax >= 7 && __cpuid(1).ecx >> 27 & 3 == 3 {
        // SAFETY: leaf 1 has just said that the instruction is there.
        unsafe { saved_registers() }
    } else {
        0
    };
    let has = __cpuid_count(7, 0).ebx;
    let all = 1 << 5 | 1 << 8 | 1 << 16 | 1 << 30 | 1 << 31;
    let level = match saved {
        _ if saved & 6 != 6 || has >> 5 & 1 == 0 => SSE2,
        _ if saved & 0xe6 != 0xe6 || has & all != all => AVX2,
        _ => AVX512,
    };
    LEVEL.store(level, Ordering::Relaxed);
    level
}

/// # Safety
/// The machine must have `xgetbv`.
#[target_feature(enable = "xsave")]
unsafe fn saved_registers() -> u64 {
    // SAFETY: by contract.
    unsafe { _xgetbv(0) }
}

/// Thirty-two bytes. Only to be used within a function that enables AVX2, on a machine that has it.
#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256i);

impl Vector for Avx2 {
    const N: usize = 32;
    const BITS: u32 = 1;

    #[inline(always)]
    unsafe fn load(p: *const u8) -> Self {
        // SAFETY: by contract; the load needs no alignment, and whoever loads has asked for AVX2.
        Avx2(unsafe { _mm256_loadu_si256(p.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut u8) {
        // SAFETY: by contract; a loaded block proves that the machine has AVX2.
        unsafe { _mm256_storeu_si256(p.cast(), self.0) };
    }
    #[inline(always)]
    fn special(self) -> u64 {
        // SAFETY: a loaded block proves that the machine has AVX2.
        unsafe {
            let quote = _mm256_cmpeq_epi8(self.0, _mm256_set1_epi8(b'"' as i8));
            let slash = _mm256_cmpeq_epi8(self.0, _mm256_set1_epi8(b'\\' as i8));
            let control = _mm256_cmpeq_epi8(_mm256_min_epu8(self.0, _mm256_set1_epi8(0x1f)), self.0);
            _mm256_movemask_epi8(_mm256_or_si256(_mm256_or_si256(quote, slash), control)) as u32 as u64
        }
    }
    #[inline(always)]
    fn high(self) -> u64 {
        // SAFETY: as for `special`.
        unsafe { _mm256_movemask_epi8(self.0) as u32 as u64 }
    }
    #[inline(always)]
    fn not_space(self) -> u64 {
        // SAFETY: as for `special`.
        unsafe {
            let blank = _mm256_cmpeq_epi8(self.0, _mm256_set1_epi8(b' ' as i8));
            let feed = _mm256_cmpeq_epi8(self.0, _mm256_set1_epi8(b'\n' as i8));
            let back = _mm256_cmpeq_epi8(self.0, _mm256_set1_epi8(b'\r' as i8));
            let tab = _mm256_cmpeq_epi8(self.0, _mm256_set1_epi8(b'\t' as i8));
            let any = _mm256_or_si256(_mm256_or_si256(blank, feed), _mm256_or_si256(back, tab));
            (_mm256_movemask_epi8(any) as u32 as u64) ^ 0xffff_ffff
        }
    }
}

/// # Safety
/// As for [`generic::plain_run`], on a machine with AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn plain_avx2(start: *const u8, at: *const u8, end: *const u8) -> (usize, bool) {
    // SAFETY: by contract.
    unsafe { generic::plain_run::<Avx2>(start, at, end) }
}

/// # Safety
/// As for [`generic::copy_plain`], on a machine with AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn copy_plain_avx2(bytes: &[u8], out: *mut u8) -> usize {
    // SAFETY: by contract.
    unsafe { generic::copy_plain::<Avx2>(bytes, out) }
}

/// See [`super::spell`]: thirty-two bytes at a time as long as no more than one of them must be escaped; else sixteen, of
/// which those behind one that is spelled are shuffled to its end. The last of all, which are no block, are shuffled to the
/// beginning of one. So nothing waits for what was just written, and the place of the next one to spell is known before the
/// last one's length. Sixteen with three of them in a row go byte by byte.
///
/// # Safety
/// As there, on a machine with AVX2; sixteen bytes must be readable before `end`.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn spell_avx2(
    mut p: *const u8,
    end: *const u8,
    mut out: *mut u8,
    table: &Spellings,
) -> *mut u8 {
    // The places of what is so far on, and nothing behind the last.
    static FRONT: [u8; 32] = {
        let mut places = [0x80; 32];
        let mut i = 0;
        while i < 16 {
            places[i] = i as u8;
            i += 1;
        }
        places
    };
    // SAFETY: by contract; of `FRONT` sixteen bytes are read from a place up to the sixteenth.
    unsafe {
        let front = |v, from: usize| _mm_shuffle_epi8(v, _mm_loadu_si128(FRONT.as_ptr().add(from).cast()));
        let put = |out: *mut u8, b: u8| {
            let spelling = table[usize::from(b)].load(Ordering::Relaxed);
            out.cast::<[u8; 8]>().write(spelling.to_le_bytes());
            out.add((spelling >> 56 & 7) as usize)
        };
        loop {
            // Text has few of them as a rule.
            while end as usize - p as usize >= 32 {
                let v = Avx2::load(p);
                v.store(out);
                let stop = v.special();
                if stop == 0 {
                    (p, out) = (p.add(32), out.add(32));
                } else if stop & (stop - 1) == 0 {
                    let n = stop.trailing_zeros() as usize;
                    out = put(out.add(n), *p.add(n));
                    p = p.add(n + 1);
                } else {
                    break;
                }
            }
            let left = end as usize - p as usize;
            if left == 0 {
                return out;
            }
            let n = left.min(16);
            let mut v = Sse2(front(_mm_loadu_si128(end.sub(left.max(16)).cast()), 16 - n));
            v.store(out);
            let last = p.add(n);
            let mut stop = v.special() as u32 & ((1 << n) - 1);
            if stop & stop >> 1 & stop >> 2 != 0 {
                out = generic::spell_each(p, last, out, table);
                p = last;
                continue;
            }
            while stop != 0 {
                let n = stop.trailing_zeros() as usize;
                out = put(out.add(n), *p.add(n));
                (p, stop) = (p.add(n + 1), stop >> (n + 1));
                v = Sse2(front(v.0, n + 1));
                v.store(out);
            }
            out = out.add(last as usize - p as usize);
            p = last;
        }
    }
}

/// See [`super::prefetch`].
#[inline(always)]
pub(super) fn prefetch(at: *const i8) {
    // SAFETY: every x86-64 machine has the instruction, which any place may be named to.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at) };
}

/// Copies up to 32 bytes, and writes as many.
///
/// # Safety
/// `out` must be writable for 32 bytes, apart from `bytes`, of which there are no more; on a machine with AVX-512.
#[inline(always)]
pub(super) unsafe fn copy_avx512(bytes: &[u8], out: *mut u8) {
    // SAFETY: by contract. Bytes that the mask leaves out are not read. No register is used that code without
    // AVX-512 knows.
    unsafe {
        asm!(
            "bzhi {mask:e}, {mask:e}, {n:e}",
            "kmovd k1, {mask:e}",
            "vmovdqu8 ymm16 {{k1}} {{z}}, [{from}]",
            "vmovdqu8 [{to}], ymm16",
            mask = inout(reg) !0u32 => _,
            n = in(reg) bytes.len(),
            from = in(reg) bytes.as_ptr(),
            to = in(reg) out,
            out("xmm16") _, out("k1") _,
            options(nostack),
        );
    }
}

/// # Safety
/// The machine must have AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn ascii_avx2(bytes: &[u8]) -> bool {
    generic::ascii::<Avx2>(bytes)
}

/// # Safety
/// The machine must have AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn measure_avx2(bytes: &[u8]) -> (usize, u8) {
    let (blocks, rest) = bytes.as_chunks::<32>();
    let (mut count, mut top) = generic::measure(rest);
    let mut tops = _mm256_setzero_si256();
    // So many at a time that a byte can count them.
    for part in blocks.chunks(255) {
        let mut begun = _mm256_setzero_si256();
        for block in part {
            // SAFETY: the block has thirty-two bytes; the load needs no alignment.
            let v = unsafe { _mm256_loadu_si256(block.as_ptr().cast()) };
            // True is -1.
            begun = _mm256_sub_epi8(begun, _mm256_cmpgt_epi8(v, _mm256_set1_epi8(-0x41)));
            tops = _mm256_max_epu8(tops, v);
        }
        let mut sums = [0u64; 4];
        // SAFETY: the array has thirty-two bytes; the store needs no alignment.
        unsafe {
            let sum = _mm256_sad_epu8(begun, _mm256_setzero_si256());
            _mm256_storeu_si256(sums.as_mut_ptr().cast(), sum);
        }
        count += sums.iter().sum::<u64>() as usize;
    }
    let mut each = [0u8; 32];
    // SAFETY: as above.
    unsafe { _mm256_storeu_si256(each.as_mut_ptr().cast(), tops) };
    top = each.iter().fold(top, |top, &b| top.max(b));
    (count, top)
}

/// See [`super::three_bytes`]: four characters at a time.
///
/// # Safety
/// As there, on a machine with AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn three_bytes_avx2(bytes: &[u8], out: *mut u16) -> usize {
    let (mut i, mut o) = (0, 0);
    let leads = _mm_setr_epi8(-16, -64, -64, -16, -64, -64, -16, -64, -64, -16, -64, -64, 0, 0, 0, 0);
    let want = _mm_setr_epi8(-32, -128, -128, -32, -128, -128, -32, -128, -128, -32, -128, -128, 0, 0, 0, 0);
    let order = _mm_setr_epi8(2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1);
    while i + 16 <= bytes.len() {
        // SAFETY: sixteen bytes are left; by contract there is room for each character.
        unsafe {
            let v = _mm_loadu_si128(bytes.as_ptr().add(i).cast());
            if _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_and_si128(v, leads), want)) != 0xffff {
                break;
            }
            let v = _mm_shuffle_epi8(v, order);
            let low = _mm_and_si128(v, _mm_set1_epi32(0x3f));
            let middle = _mm_srli_epi32::<2>(_mm_and_si128(v, _mm_set1_epi32(0x3f00)));
            let high = _mm_srli_epi32::<4>(_mm_and_si128(v, _mm_set1_epi32(0x0f_0000)));
            let c = _mm_or_si128(_mm_or_si128(low, middle), high);
            // Neither what fewer bytes could say, nor a surrogate.
            let kind = _mm_and_si128(c, _mm_set1_epi32(0xf800));
            let bad = _mm_or_si128(
                _mm_cmpeq_epi32(kind, _mm_setzero_si128()),
                _mm_cmpeq_epi32(kind, _mm_set1_epi32(0xd800)),
            );
            if _mm_movemask_epi8(bad) != 0 {
                break;
            }
            _mm_storel_epi64(out.add(o).cast(), _mm_packus_epi32(c, c));
        }
        (i, o) = (i + 12, o + 4);
    }
    o
}

/// See [`super::four_bytes`]: four characters at a time.
///
/// # Safety
/// As there, on a machine with AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn four_bytes_avx2(bytes: &[u8], out: *mut u32) -> usize {
    let (mut i, mut o) = (0, 0);
    let leads = _mm_set1_epi32(0xc0c0_c0f8u32 as i32);
    let want = _mm_set1_epi32(0x8080_80f0u32 as i32);
    let order = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
    while i + 16 <= bytes.len() {
        // SAFETY: sixteen bytes are left; by contract there is room for each character.
        unsafe {
            let v = _mm_loadu_si128(bytes.as_ptr().add(i).cast());
            if _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_and_si128(v, leads), want)) != 0xffff {
                break;
            }
            let v = _mm_shuffle_epi8(v, order);
            let a = _mm_and_si128(v, _mm_set1_epi32(0x3f));
            let b = _mm_srli_epi32::<2>(_mm_and_si128(v, _mm_set1_epi32(0x3f00)));
            let c = _mm_srli_epi32::<4>(_mm_and_si128(v, _mm_set1_epi32(0x3f_0000)));
            let d = _mm_srli_epi32::<6>(_mm_and_si128(v, _mm_set1_epi32(0x0700_0000)));
            let c = _mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d));
            let bad = _mm_or_si128(
                _mm_cmpgt_epi32(_mm_set1_epi32(0x1_0000), c),
                _mm_cmpgt_epi32(c, _mm_set1_epi32(0x10_ffff)),
            );
            if _mm_movemask_epi8(bad) != 0 {
                break;
            }
            _mm_storeu_si128(out.add(o).cast(), c);
        }
        (i, o) = (i + 16, o + 4);
    }
    o
}
