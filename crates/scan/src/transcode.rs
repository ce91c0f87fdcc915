//! UTF-8 to code points and back, checked on the way: one pass where checking first would be two.
//!
//! Reading gives code units of the smallest width that holds them all, since that is what a
//! string of Python wants; writing takes any width and refuses surrogates, which UTF-8 cannot
//! spell (RFC 3629, section 3).
#![allow(unsafe_code)]

use alloc::vec::Vec;

use crate as scan;

/// The code units of a text, in the smallest width that holds them all.
pub enum Units<'a> {
    /// Each is below 0x100; kept two bytes wide, to be narrowed by whoever stores them.
    One(&'a [u16]),
    /// Each is below 0x1_0000.
    Two(&'a [u16]),
    /// Any.
    Four(&'a [u32]),
}

/// Room for code units, kept from one text to the next.
#[derive(Default)]
pub struct Decoded {
    two: Vec<u16>,
    four: Vec<u32>,
}

/// A buffer above this many units is not kept.
const KEEP: usize = 64 * 1024;

impl Decoded {
    /// The code units of `bytes`; or how many leading bytes are valid UTF-8.
    pub fn decode(&mut self, bytes: &[u8]) -> Result<Units<'_>, usize> {
        self.two.clear();
        self.two.reserve(bytes.len() + BLOCK);
        let (at, top) = self.narrow(bytes);
        if at == bytes.len() {
            return Ok(if top < 0x100 { Units::One(&self.two) } else { Units::Two(&self.two) });
        }
        self.wide(bytes, at)
    }

    /// Lets go of room that one long text has needed and others will not.
    #[inline]
    pub fn tidy(&mut self) {
        if self.two.capacity() > KEEP || self.four.capacity() > KEEP {
            *self = Decoded::default();
        }
    }

    /// Goes as far as every character fits 16 bits; gives the place and the union of their bits.
    fn narrow(&mut self, bytes: &[u8]) -> (usize, u32) {
        let n = bytes.len();
        let p = bytes.as_ptr();
        let out = self.two.as_mut_ptr();
        let (mut i, mut o, mut top) = (0, 0, 0u32);
        while i + 4 <= n {
            // SAFETY: four bytes are left; the read needs no alignment.
            let v = unsafe { p.add(i).cast::<u32>().read_unaligned() }.to_le();
            if v & 0x00c0_c0f0 == 0x0080_80e0 {
                let c = (v & 0xf) << 12 | (v >> 2) & 0xfc0 | (v >> 16) & 0x3f;
                if c < 0x800 || c & 0xf800 == 0xd800 {
                    break;
                }
                // SAFETY: there is room for one unit for each byte.
                unsafe { *out.add(o) = c as u16 };
                top |= c;
                i += 3;
                o += 1;
            } else if v & 0x80 == 0 {
                // SAFETY: as above, and for the block that `ascii` may write beyond them.
                let k = unsafe { ascii(bytes, i, out.add(o)) };
                i += k;
                o += k;
            } else if v & 0xc0e0 == 0x80c0 && v & 0x1e != 0 {
                let c = (v & 0x1f) << 6 | (v >> 8) & 0x3f;
                // SAFETY: as above.
                unsafe { *out.add(o) = c as u16 };
                top |= c;
                i += 2;
                o += 1;
            } else {
                break;
            }
        }
        while let Some((c, k)) = char_at(bytes, i) {
            if c > 0xffff {
                break;
            }
            // SAFETY: as above.
            unsafe { *out.add(o) = c as u16 };
            top |= c;
            i += k;
            o += 1;
            // A character of four bytes or a fault has stopped the loop above for good; one that
            // merely stood near the end has three bytes after it at most.
            if i + 4 <= n {
                break;
            }
        }
        // SAFETY: `o` units were written, which is no more than was reserved.
        unsafe { self.two.set_len(o) };
        (i, top)
    }

    /// The rest of a text that has characters beyond 16 bits.
    #[cold]
    fn wide(&mut self, bytes: &[u8], mut i: usize) -> Result<Units<'_>, usize> {
        self.four.clear();
        self.four.reserve(self.two.len() + (bytes.len() - i));
        self.four.extend(self.two.iter().map(|&u| u32::from(u)));
        let mut top = 0;
        while i < bytes.len() {
            // What made us come here is likely to come again.
            let (c, k) = match bytes.get(i..i + 4).and_then(|b| <[u8; 4]>::try_from(b).ok()) {
                Some(four) => {
                    let v = u32::from_le_bytes(four);
                    let c = (v & 7) << 18 | (v & 0x3f00) << 4 | (v >> 10) & 0xfc0 | (v >> 24) & 0x3f;
                    let long = v & 0xc0c0_c0f8 == 0x8080_80f0 && (0x1_0000..0x11_0000).contains(&c);
                    if long { (c, 4) } else { char_at(bytes, i).ok_or(i)? }
                }
                None => char_at(bytes, i).ok_or(i)?,
            };
            self.four.push(c);
            top |= c;
            i += k;
        }
        if top > 0xffff {
            return Ok(Units::Four(&self.four));
        }
        // The narrow loop stopped for the end of the input only: everything fits two bytes.
        self.two.clear();
        self.two.extend(self.four.iter().map(|&c| c as u16));
        let one = self.two.iter().all(|&u| u < 0x100);
        Ok(if one { Units::One(&self.two) } else { Units::Two(&self.two) })
    }
}

/// How many bytes [`ascii`] widens at once.
const BLOCK: usize = 16;

/// Widens a run of ASCII that begins at `i`, and says how long it is (at least one).
///
/// # Safety
/// `out` must be writable for as many units as bytes are left from `i`, and `BLOCK` more.
#[inline(always)]
unsafe fn ascii(bytes: &[u8], i: usize, out: *mut u16) -> usize {
    if let Some(block) = bytes.get(i..i + BLOCK) {
        let mut wide = [0u16; BLOCK];
        let mut high = 0;
        for (k, (w, &b)) in wide.iter_mut().zip(block).enumerate() {
            *w = u16::from(b);
            high |= u32::from(b >> 7) << k;
        }
        // SAFETY: by contract there is room for a block.
        unsafe { out.cast::<[u16; BLOCK]>().write_unaligned(wide) };
        return if high == 0 { BLOCK } else { high.trailing_zeros() as usize };
    }
    // SAFETY: by contract.
    unsafe { *out = u16::from(bytes[i]) };
    1
}

/// The character at `i` and its length in bytes; nothing at the end or where it is malformed
/// (RFC 3629, section 4).
#[inline]
fn char_at(bytes: &[u8], i: usize) -> Option<(u32, usize)> {
    let b0 = u32::from(*bytes.get(i)?);
    let cont = |k: usize| bytes.get(i + k).filter(|&&b| b & 0xc0 == 0x80).map(|&b| u32::from(b & 0x3f));
    match b0 {
        0..0x80 => Some((b0, 1)),
        0xc2..0xe0 => Some(((b0 & 0x1f) << 6 | cont(1)?, 2)),
        0xe0..0xf0 => {
            let c = (b0 & 0xf) << 12 | cont(1)? << 6 | cont(2)?;
            (c >= 0x800 && c & 0xf800 != 0xd800).then_some((c, 3))
        }
        0xf0..0xf5 => {
            let c = (b0 & 7) << 18 | cont(1)? << 12 | cont(2)? << 6 | cont(3)?;
            (0x1_0000..0x11_0000).contains(&c).then_some((c, 4))
        }
        _ => None,
    }
}

/// A code unit of one width.
trait Unit: Copy {
    /// How many bytes of UTF-8 most characters have, in text that needs this width.
    const USUAL: usize;
    /// The unit of a character that fits it.
    fn of(c: u32) -> Self;
    /// Decodes valid characters of the usual length, as far as there are many in a row; how many.
    ///
    /// # Safety
    /// `out` must be writable for as many units as `bytes` has bytes that begin a character.
    unsafe fn run(bytes: &[u8], out: *mut Self) -> usize {
        let _ = (bytes, out);
        0
    }
}

impl Unit for u8 {
    const USUAL: usize = 2;
    #[inline(always)]
    fn of(c: u32) -> u8 {
        c as u8
    }
}

impl Unit for u16 {
    const USUAL: usize = 3;
    #[inline(always)]
    fn of(c: u32) -> u16 {
        c as u16
    }
    #[inline(always)]
    unsafe fn run(bytes: &[u8], out: *mut u16) -> usize {
        // SAFETY: by contract.
        unsafe { scan::three_bytes(bytes, out) }
    }
}

impl Unit for u32 {
    const USUAL: usize = 4;
    #[inline(always)]
    fn of(c: u32) -> u32 {
        c
    }
    #[inline(always)]
    unsafe fn run(bytes: &[u8], out: *mut u32) -> usize {
        // SAFETY: by contract.
        unsafe { scan::four_bytes(bytes, out) }
    }
}

/// How many characters UTF-8 has, if it is any, and in how many bytes the largest fits: 1, 2 or 4.
/// Nothing is checked.
pub fn measure_utf8(bytes: &[u8]) -> (usize, usize) {
    // Each character has one byte that continues none.
    let (count, top) = scan::measure(bytes);
    let width = match top {
        0xf0.. => 4,
        // U+0100 begins with this byte.
        0xc4.. => 2,
        _ => 1,
    };
    (count, width)
}

/// The functions below are compiled here, each for one width, and not where they are called: a crate
/// that is compiled for size would make them slow.
macro_rules! for_width {
    ($unit:ty, $decode:ident, $encode:ident) => {
        /// Writes UTF-8 as code units of this width; or says how many bytes are valid.
        ///
        /// # Safety
        /// `out` must be writable for `count` units, which [`measure_utf8`] counted, and each character
        /// fit one.
        #[inline(never)]
        pub unsafe fn $decode(bytes: &[u8], out: *mut $unit, count: usize) -> Result<usize, usize> {
            // SAFETY: by contract.
            unsafe { decode_into(bytes, out, count) }
        }

        /// Appends code units of this width as UTF-8; or says which unit is a surrogate, and appends
        /// those before it.
        #[inline(never)]
        pub fn $encode(units: &[$unit], out: &mut Vec<u8>) -> Result<(), usize> {
            encode(units, out)
        }
    };
}
for_width!(u8, decode_one, encode_one);
for_width!(u16, decode_two, encode_two);
for_width!(u32, decode_four, encode_four);

/// Writes code units below 0x100 in one byte each.
///
/// # Safety
/// `out` must be writable for as many bytes as there are units.
#[inline(never)]
pub unsafe fn narrow_into(units: &[u16], out: *mut u8) {
    for (i, &u) in units.iter().enumerate() {
        // SAFETY: by contract.
        unsafe { *out.add(i) = u as u8 };
    }
}

/// Writes UTF-8 as code units of a width that was measured; or says how many bytes are valid.
///
/// # Safety
/// `out` must be writable for `count` units, which [`measure_utf8`] counted, and each character fit one.
#[inline(always)]
unsafe fn decode_into<U: Unit>(bytes: &[u8], out: *mut U, count: usize) -> Result<usize, usize> {
    let n = bytes.len();
    let (mut i, mut o) = (0, 0);
    // SAFETY (of every write): a character is written for a byte that begins one, and these are
    // what was counted, so there is room.
    while i + 8 <= n {
        // SAFETY: eight bytes are left; the read needs no alignment.
        let all = u64::from_le(unsafe { bytes.as_ptr().add(i).cast::<u64>().read_unaligned() });
        let v = all as u32;
        // Characters of one length seldom come alone: as many as the word holds, first.
        if U::USUAL == 4 && all & 0xc0c0_c0f8_c0c0_c0f8 == 0x8080_80f0_8080_80f0 {
            let (a, b) = (four_bytes(v), four_bytes((all >> 32) as u32));
            if is_high(a) && is_high(b) {
                // SAFETY: see above.
                let many = unsafe { U::run(bytes.get(i..).unwrap_or_default(), out.add(o)) };
                if many != 0 {
                    (i, o) = (i + 4 * many, o + many);
                    continue;
                }
                // SAFETY: see above.
                unsafe { out.add(o).cast::<[U; 2]>().write_unaligned([U::of(a), U::of(b)]) };
                (i, o) = (i + 8, o + 2);
                continue;
            }
        } else if U::USUAL >= 3 && all & 0x0000_c0c0_f0c0_c0f0 == 0x0000_8080_e080_80e0 {
            let (a, b) = (three_bytes(v), three_bytes((all >> 24) as u32));
            if is_middle(a) && is_middle(b) {
                if U::USUAL == 3 {
                    // SAFETY: see above.
                    let many = unsafe { U::run(bytes.get(i..).unwrap_or_default(), out.add(o)) };
                    if many != 0 {
                        (i, o) = (i + 3 * many, o + many);
                        continue;
                    }
                }
                // SAFETY: see above.
                unsafe { out.add(o).cast::<[U; 2]>().write_unaligned([U::of(a), U::of(b)]) };
                (i, o) = (i + 6, o + 2);
                continue;
            }
        } else if v & 0x80 == 0 && o + 8 <= count {
            // The ASCII that the word begins with counts, and what is written behind it is overwritten.
            let k = ((all & 0x8080_8080_8080_8080).trailing_zeros() / 8) as usize;
            // SAFETY: there is room for eight.
            unsafe {
                out.add(o).cast::<[U; 8]>().write_unaligned(all.to_le_bytes().map(|b| U::of(b.into())))
            };
            (i, o) = (i + k, o + k);
            continue;
        }
        let (c, k) = if U::USUAL == 4 && v & 0xc0c0_c0f8 == 0x8080_80f0 {
            let c = four_bytes(v);
            if !is_high(c) {
                return Err(i);
            }
            (c, 4)
        } else if U::USUAL >= 3 && v & 0x00c0_c0f0 == 0x0080_80e0 {
            let c = three_bytes(v);
            if !is_middle(c) {
                return Err(i);
            }
            (c, 3)
        } else if v & 0x80 == 0 {
            (v & 0x7f, 1)
        } else if v & 0xc0e0 == 0x80c0 && v & 0x1e != 0 {
            ((v & 0x1f) << 6 | (v >> 8) & 0x3f, 2)
        } else {
            return Err(i);
        };
        // SAFETY: see above.
        unsafe { *out.add(o) = U::of(c) };
        (i, o) = (i + k, o + 1);
    }
    while i < n {
        let (c, k) = char_at(bytes, i).ok_or(i)?;
        // SAFETY: see above.
        unsafe { *out.add(o) = U::of(c) };
        (i, o) = (i + k, o + 1);
    }
    Ok(o)
}

/// The character of four bytes, of three, the first being the lowest.
#[inline(always)]
const fn four_bytes(v: u32) -> u32 {
    (v & 7) << 18 | (v & 0x3f00) << 4 | (v >> 10) & 0xfc0 | (v >> 24) & 0x3f
}

#[inline(always)]
const fn three_bytes(v: u32) -> u32 {
    (v & 0xf) << 12 | (v >> 2) & 0xfc0 | (v >> 16) & 0x3f
}

/// Whether a character needs four bytes; three.
#[inline(always)]
const fn is_high(c: u32) -> bool {
    c.wrapping_sub(0x1_0000) < 0x10_0000
}

#[inline(always)]
const fn is_middle(c: u32) -> bool {
    c >= 0x800 && c & 0xf800 != 0xd800
}

/// Text of more units than this is measured before it is written, so that it takes no more room
/// than it needs.
const LARGE: usize = 64 * 1024;

/// Appends code units of one width as UTF-8; or says which unit is a surrogate, and appends those before it.
#[inline(always)]
fn encode<U: Copy + Into<u32>>(units: &[U], out: &mut Vec<u8>) -> Result<(), usize> {
    // A character of one byte takes two at most, one of two bytes three, any other four.
    let most = size_of::<U>().max(1) + usize::from(size_of::<U>() < 4);
    let room = if units.len() > LARGE { measure(units) } else { units.len() * most };
    out.reserve(room + 4);
    // SAFETY: the room suffices for all units, by their width or by measure, and what is written
    // is counted.
    unsafe {
        let first = out.as_mut_ptr().add(out.len());
        let mut p = first;
        for (i, &u) in units.iter().enumerate() {
            let c: u32 = u.into();
            if c < 0x80 {
                *p = c as u8;
                p = p.add(1);
            } else if c < 0x800 {
                *p = (0xc0 | c >> 6) as u8;
                *p.add(1) = (0x80 | c & 0x3f) as u8;
                p = p.add(2);
            } else if c < 0x1_0000 {
                if c & 0xf800 == 0xd800 {
                    out.set_len(out.len() + (p as usize - first as usize));
                    return Err(i);
                }
                *p = (0xe0 | c >> 12) as u8;
                *p.add(1) = (0x80 | c >> 6 & 0x3f) as u8;
                *p.add(2) = (0x80 | c & 0x3f) as u8;
                p = p.add(3);
            } else {
                *p = (0xf0 | c >> 18 & 7) as u8;
                *p.add(1) = (0x80 | c >> 12 & 0x3f) as u8;
                *p.add(2) = (0x80 | c >> 6 & 0x3f) as u8;
                *p.add(3) = (0x80 | c & 0x3f) as u8;
                p = p.add(4);
            }
        }
        out.set_len(out.len() + (p as usize - first as usize));
    }
    Ok(())
}

/// How many bytes the units take as UTF-8.
fn measure<U: Copy + Into<u32>>(units: &[U]) -> usize {
    units
        .iter()
        .map(|&u| {
            let c: u32 = u.into();
            1 + usize::from(c >= 0x80) + usize::from(c >= 0x800) + usize::from(c >= 0x1_0000)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec;

    fn chars(d: &mut Decoded, bytes: &[u8]) -> Result<Vec<u32>, usize> {
        Ok(match d.decode(bytes)? {
            Units::One(u) => {
                assert!(u.iter().all(|&u| u < 0x100));
                u.iter().map(|&u| u.into()).collect()
            }
            Units::Two(u) => {
                assert!(u.iter().any(|&u| u >= 0x100));
                u.iter().map(|&u| u.into()).collect()
            }
            Units::Four(u) => {
                assert!(u.iter().any(|&u| u >= 0x1_0000));
                u.to_vec()
            }
        })
    }

    #[test]
    fn agrees_with_the_standard_library() {
        let mut d = Decoded::default();
        let alphabet = [
            "a",
            "bcdefghijklmnopqrstuvwxyz",
            "é",
            "ÿ",
            "Ā",
            "ж",
            "漢",
            "字",
            "\u{ffff}",
            "😀",
            "\u{10ffff}",
        ];
        let mut seed = 7u64;
        for round in 0..4000usize {
            let mut s = String::new();
            for _ in 0..round % 41 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
                let limit = 1 + round % alphabet.len();
                s.push_str(alphabet[(seed >> 33) as usize % limit]);
            }
            let want: Vec<u32> = s.chars().map(u32::from).collect();
            assert_eq!(chars(&mut d, s.as_bytes()), Ok(want.clone()), "{s}");
            assert_eq!(measured(s.as_bytes()), Ok(want.clone()), "{s}");
            let mut back = vec![];
            encode(&want, &mut back).unwrap();
            assert_eq!(back, s.as_bytes());
            // Any byte changed: the same verdict and the same place.
            let mut b = s.into_bytes();
            if !b.is_empty() {
                let at = (seed >> 20) as usize % b.len();
                b[at] = (seed >> 50) as u8;
                let want = core::str::from_utf8(&b)
                    .map(|s| s.chars().map(u32::from).collect())
                    .map_err(|e| e.valid_up_to());
                assert_eq!(measured(&b), want, "{b:?}");
                assert_eq!(chars(&mut d, &b), want, "{b:?}");
            }
        }
    }

    /// The same by way of measuring first.
    fn measured(bytes: &[u8]) -> Result<Vec<u32>, usize> {
        fn all<U: Unit + Into<u32> + Default>(bytes: &[u8], count: usize) -> Result<Vec<u32>, usize> {
            let mut out = vec![U::default(); count];
            // SAFETY: so many were counted, of that width.
            let n = unsafe { decode_into(bytes, out.as_mut_ptr(), count) }?;
            assert_eq!(n, count);
            Ok(out.into_iter().map(Into::into).collect())
        }
        match measure_utf8(bytes) {
            (n, 1) => all::<u8>(bytes, n),
            (n, 2) => all::<u16>(bytes, n),
            (n, _) => all::<u32>(bytes, n),
        }
    }

    #[test]
    fn surrogates_are_refused_both_ways() {
        let mut d = Decoded::default();
        assert_eq!(chars(&mut d, b"abcd\xed\xa0\x80"), Err(4));
        let mut before = vec![];
        assert_eq!(encode(&[0xe9u16, 0xd800, 0x62], &mut before), Err(1));
        assert_eq!(before, "é".as_bytes());
        assert_eq!(encode(&[0x61u32, 0xdfff], &mut vec![]), Err(1));
    }
}
