//! Floats as text: the fewest digits that read back the same, and of those the ones nearest to the float.
//!
//! After Raffaello Giulietti, "The Schubfach way to render doubles" (2020): in units of the greatest power of ten that is
//! not longer than the interval of all that reads back as the float, the interval holds at least one integer and at most
//! one multiple of ten. If it holds one of ten, that is it, less its zeros; otherwise the nearest integer is.
//!
//! What may surprise: the paper multiplies three times, for both ends of the interval and for the float, and is exact.
//! [`quick`] multiplies the float alone, and compares how far it is from the nearest multiple of ten to half the length of
//! the interval. That is wrong by less than 2^-60; where so little matters, which is in almost no number, it says nothing
//! and the paper's own way is gone ([`slow`]). The powers of five are those by which floats are read ([`super::powers`]).

use core::sync::atomic::Ordering;

use super::digits::{ROOM, ZEROS, sixteen, store};
use super::powers;

/// The least number of 16 digits.
const E15: u64 = 1_000_000_000_000_000;

/// What is to be known of a width of floats.
struct Kind {
    /// How many bits of the mantissa are stored.
    stored: u32,
    /// The exponent of its last bit, as it is stored, where that is 2^0.
    bias: i32,
    /// The exponents of ten between which no exponent is written.
    least: i32,
    greatest: u32,
}

static DOUBLE: Kind = Kind { stored: 52, bias: 1075, least: -5, greatest: 15 };
static SINGLE: Kind = Kind { stored: 23, bias: 150, least: -6, greatest: 12 };

/// Writes a finite float with the fewest digits that read back the same; gives the length.
///
/// Always as a float: `1.0`, `0.00001`, `1e-6`, `1e+16`, `-0.0`.
#[inline(never)]
pub fn write_f64(v: f64, out: &mut [u8; ROOM]) -> usize {
    let bits = v.to_bits();
    write(bits << 1 >> 1, bits >> 63 != 0, &DOUBLE, out)
}

/// The same for a float of 32 bits, from `0.000001` to below 10^13 without an exponent.
#[inline(never)]
pub fn write_f32(v: f32, out: &mut [u8; ROOM]) -> usize {
    let bits = v.to_bits();
    write(u64::from(bits << 1 >> 1), bits >> 31 != 0, &SINGLE, out)
}

/// A float without its sign, which is given as its bits. Compiled for each width, whose constants need no registers then.
#[inline(always)]
fn write(bits: u64, negative: bool, kind: &'static Kind, out: &mut [u8; ROOM]) -> usize {
    let sign = usize::from(negative);
    out[0] = b'-';
    let (mut tens, mut unit, k) = match quick::<false>(bits, kind) {
        Some(found) => found,
        None => slow(bits, kind),
    };
    // The exponent of the first digit, of 17. It is made the first of the 16 that are split into digits together. Floats of 32 bits
    // have fewer, and subnormal ones any number.
    let mut exponent = k + 16;
    if tens < E15 {
        (tens, unit, exponent) = (tens * 10 + unit, 0, exponent - 1);
    }
    if tens < E15 {
        if tens == 0 {
            store(u64::from_le_bytes(*b"0.0\0\0\0\0\0"), out, sign);
            return sign + 3;
        }
        while tens < E15 {
            (tens, exponent) = (tens * 10, exponent - 1);
        }
    }
    let (high, low) = sixteen(tens);
    let (last, before) = if low == 0 { (high, 0) } else { (low, 8) };
    // How many digits there are before zeros only.
    let mut digits = before + 8 - last.leading_zeros() as usize / 8;
    if unit != 0 {
        digits = 17;
    }
    let (high, low, unit) = (high | ZEROS, low | ZEROS, b'0' + unit as u8);

    // Of unsigned integers, so that it is one question.
    if exponent as u32 <= kind.greatest {
        let whole = exponent as usize;
        // The fraction stands one place further on than the digits before the point, which takes the place of the last of those.
        store(high, out, sign);
        if whole < 8 {
            store(high >> (8 * whole), out, sign + whole + 1);
            store(low, out, sign + 9);
        } else {
            let whole = whole.min(15);
            store(low, out, sign + 8);
            store(low >> (8 * (whole - 8)), out, sign + whole + 1);
        }
        put(b'.', out, sign + whole + 1);
        put(unit, out, sign + 17);
        return sign + digits.max(whole + 2) + 1;
    }
    let small = (kind.least..0).contains(&exponent);
    store(u64::from_le_bytes(*b"0.000000"), out, sign);
    let start = sign + if small { exponent.unsigned_abs() as usize } else { 0 } + 1;
    store(high, out, start);
    store(low, out, start + 8);
    put(unit, out, start + 16);
    if small {
        return start + digits;
    }
    put(high as u8, out, sign);
    put(b'.', out, start);
    let end = if digits == 1 { start } else { start + digits };
    // Up to three digits, without zeros before them.
    let e = u64::from(exponent.unsigned_abs());
    let (hundreds, tens) = (e / 100, e / 10);
    let three = hundreds | (tens - hundreds * 10) << 8 | (e - tens * 10) << 16 | 0x30_3030;
    let absent = usize::from(e < 100) + usize::from(e < 10);
    let letter = u64::from(b'e') | u64::from(if exponent < 0 { b'-' } else { b'+' }) << 8;
    store(three >> (8 * absent) << 16 | letter, out, end);
    end + 5 - absent
}

#[inline(always)]
fn put(byte: u8, out: &mut [u8; ROOM], at: usize) {
    if let Some(to) = out.get_mut(at) {
        *to = byte;
    }
}

/// Upper and lower half of a power of five, highest bit set.
#[inline(always)]
fn five(exponent: i32) -> (u64, u64) {
    let (high, low) = powers::made(i64::from(exponent));
    (high, low.load(Ordering::Relaxed))
}

/// The fewest digits of a float, with or without zeros behind them: all but the last, the last, and the exponent of the last.
///
/// Nothing if that is in doubt; always of zero, of subnormal floats and of the least that is none, and of powers of two, below which the
/// next float is only half as far, unless it is `UNEVEN`: then of all others.
#[inline(always)]
fn quick<const UNEVEN: bool>(bits: u64, &Kind { stored, bias, .. }: &Kind) -> Option<(u64, u64, i32)> {
    let fraction = bits & ((1 << stored) - 1);
    let exponent = bits >> stored;
    if exponent <= 1 || (fraction == 0) != UNEVEN {
        return None;
    }
    let q = exponent as i32 - bias;
    // The unit is 10^k, the greatest power of ten that is not greater than 2^q. Binary logarithms and decimal ones are near enough to be
    // exact after the shift.
    let k = (q * 1_262_611 - if UNEVEN { 524_031 } else { 0 }) >> 22;
    let at = q + (((-k - 1) * 1_741_647) >> 19);
    let (five_high, five_low) = five(-k - 1);

    // The float in tens of the unit: an integer and a fraction of 64 bits.
    let c = fraction << (63 - stored) | 1 << 63;
    let carry = (u128::from(five_low) * u128::from(c)) >> 64;
    let product = u128::from(five_high) * u128::from(c) + carry;
    let (upper, lower) = ((product >> 64) as u64, product as u64);
    // From 11 to 43.
    let shift = (62 - stored as i32 - at) as u32;
    let tens = upper.wrapping_shr(shift);
    let part = upper.wrapping_shl(64 - shift) | lower.wrapping_shr(shift);

    // How far the nearest multiple of ten is inside of the interval, half of which is the distance between floats; or inside of the
    // lesser half.
    let half = five_high >> (i32::from(UNEVEN) - at);
    let inside = half.wrapping_sub((part as i64).unsigned_abs()) as i64;
    let units = u128::from(part) * 10 + (1 << 63);
    // In doubt a difference says nothing.
    if (inside + 3) as u64 <= 6 || (units as u64).wrapping_add(30) <= 60 || (UNEVEN && inside < 0) {
        return None;
    }
    Some(if inside > 0 { (tens + (part >> 63), 0, k) } else { (tens, (units >> 64) as u64, k) })
}

/// The same for every float, exactly, as in section 9 of the paper.
#[cold]
#[inline(never)]
fn slow(bits: u64, kind: &Kind) -> (u64, u64, i32) {
    if let Some(found) = quick::<true>(bits, kind) {
        return found;
    }
    let &Kind { stored, bias, .. } = kind;
    let fraction = bits & ((1 << stored) - 1);
    let exponent = (bits >> stored) as i32;
    let (c, q) = if exponent == 0 { (fraction, 1 - bias) } else { (fraction | 1 << stored, exponent - bias) };
    let uneven = fraction == 0 && exponent > 1;
    let k = (q * 1_262_611 - if uneven { 524_031 } else { 0 }) >> 22;
    let h = q + ((-k * 1_741_647) >> 19) + 1;
    let (high, low) = five(-k);
    if c == 0 {
        return (0, 0, 0);
    }
    // The paper wants powers that are rounded up where they are not exact.
    let power = (u128::from(high) << 64 | u128::from(low)) + u128::from(!(-27..=55).contains(&-k));
    // Four times as many, cut off but for a last bit that says whether there was anything.
    let round = |quarters: u64| {
        let quarters = u128::from(quarters << h);
        let below = (quarters * (power & u128::from(u64::MAX))) >> 64;
        let product = quarters * (power >> 64) + below;
        (product >> 64) as u64 | u64::from(product as u64 > 1)
    };
    let odd = c & 1;
    let lower = round(4 * c - 2 + u64::from(uneven)) + odd;
    let v = round(4 * c);
    let upper = round(4 * c + 2) - odd;
    for unit in [10, 1] {
        let s = v / (4 * unit);
        let (below, above) = (lower <= 4 * unit * s, 4 * unit * (s + 1) <= upper);
        if below != above && (unit == 1 || s > 0) {
            return split((s + u64::from(above)) * unit, k);
        }
    }
    let (s, quarters) = (v / 4, v % 4);
    split(s + u64::from(quarters > 2 || (quarters == 2 && s & 1 == 1)), k)
}

fn split(number: u64, k: i32) -> (u64, u64, i32) {
    (number / 10, number % 10, k)
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;

    use super::*;
    use crate::random::Random;

    fn text(write: impl FnOnce(&mut [u8; ROOM]) -> usize) -> String {
        // Not zeros: every byte that counts must be written.
        let mut out = [0xff; ROOM];
        let len = write(&mut out);
        String::from_utf8(out[..len].to_vec()).unwrap()
    }

    fn check(bits: u64) {
        let v = f64::from_bits(bits);
        if v.is_finite() {
            let written = text(|out| write_f64(v, out));
            assert_eq!(written, zmij::Buffer::new().format_finite(v), "{bits:x}");
        }
    }

    fn check32(bits: u32) {
        let v = f32::from_bits(bits);
        if v.is_finite() {
            assert_eq!(text(|out| write_f32(v, out)), zmij::Buffer::new().format_finite(v), "{bits:x}");
        }
    }

    /// Both signs of a float and the floats beside it.
    fn around(v: f64) {
        let bits = v.to_bits();
        for near in bits.saturating_sub(3)..=bits + 3 {
            check(near);
            check(near ^ 1 << 63);
        }
        let bits = (v as f32).to_bits();
        for near in bits.saturating_sub(3)..=bits + 3 {
            check32(near);
            check32(near ^ 1 << 31);
        }
    }

    /// How many floats of each kind.
    fn count() -> u32 {
        option_env!("FLOATS").and_then(|n| n.parse().ok()).unwrap_or(40_000)
    }

    #[test]
    fn powers_and_their_neighbours() {
        for exponent in -1074..1024 {
            around(2f64.powi(exponent));
            for mantissa in [3, 5, 7, 9, 11, 13, 1023, 1025] {
                around(f64::from(mantissa) * 2f64.powi(exponent));
            }
        }
        for exponent in -330..309 {
            for digits in
                ["1", "2", "5", "9", "15", "25", "123", "9007199254740993", "4.5", "99999999999999995"]
            {
                around(format!("{digits}e{exponent}").parse().unwrap());
            }
        }
    }

    #[test]
    fn every_exponent() {
        let mut random = Random(0x5eed);
        for exponent in 0..2047u64 {
            for _ in 0..count() / 1000 {
                let fraction = random.next() >> 12;
                for fraction in [
                    fraction,
                    fraction >> (random.next() % 52),
                    !(fraction >> (random.next() % 52)) << 12 >> 12,
                ] {
                    check(exponent << 52 | fraction);
                }
            }
        }
        for exponent in 0..255u32 {
            for _ in 0..count() / 100 {
                check32(exponent << 23 | random.next() as u32 >> 9);
            }
            (0..200).for_each(|fraction| check32(exponent << 23 | fraction));
            (0..200).for_each(|fraction| check32(exponent << 23 | (0x7f_ffff - fraction)));
        }
    }

    #[test]
    fn random_bits_and_random_decimals() {
        let mut random = Random(4);
        for _ in 0..count() {
            check(random.next());
            check32(random.next() as u32);
            let (digits, places) = (1 + random.next() % 19, random.next() % 25);
            let v = (random.next() % 10u64.pow(digits as u32)) as f64 / 10f64.powi(places as i32);
            check(v.to_bits());
            check32((v as f32).to_bits());
            check((random.next() as f64 / 2f64.powi(64)).to_bits());
            // Integers, and halves of them.
            let v = (random.next() >> (random.next() % 64)) as f64;
            around(v);
            check((v / 2.0).to_bits());
            check((v * 1024.0).to_bits());
        }
    }

    #[test]
    #[ignore = "four billion floats take minutes"]
    fn every_float_of_32_bits() {
        (0..=u32::MAX).for_each(check32);
    }

    #[test]
    fn subnormal_floats() {
        let mut random = Random(5);
        (0..2000).for_each(|bits| {
            check(bits);
            check32(bits as u32);
        });
        for _ in 0..count() {
            check(random.next() >> (12 + random.next() % 52));
            check32(random.next() as u32 >> (9 + random.next() % 23));
        }
    }

    #[test]
    fn as_few_digits_as_the_standard_library_has() {
        let mut random = Random(6);
        for _ in 0..count() {
            let (v, single) = (f64::from_bits(random.next()), f32::from_bits(random.next() as u32));
            if v.is_finite() && single.is_finite() {
                // Of two that are as near it may take the other.
                let (written, other) = (text(|out| write_f64(v, out)), format!("{v:e}"));
                assert_eq!(bare(&written).len(), bare(&other).len());
                assert_eq!(written.parse::<f64>().unwrap().to_bits(), v.to_bits());
                let (written, other) = (text(|out| write_f32(single, out)), format!("{single:e}"));
                assert_eq!(bare(&written).len(), bare(&other).len());
                assert_eq!(written.parse::<f32>().unwrap().to_bits(), single.to_bits());
            }
        }
    }

    fn bare(text: &str) -> String {
        let digits = text.split('e').next().unwrap_or_default().replace(['.', '-'], "");
        String::from(digits.trim_matches('0'))
    }

    #[test]
    fn the_short_way_and_the_long_way_agree() {
        let mut random = Random(7);
        let mut decided = 0;
        for _ in 0..count() {
            let bits = random.next() >> 1;
            if let Some((tens, unit, k)) = quick::<false>(bits, &DOUBLE).filter(|_| bits >> 52 < 2047) {
                assert_eq!(slow(bits, &DOUBLE), (tens, unit, k), "{bits:x}");
                decided += 1;
            }
        }
        assert!(decided > count() / 10 * 9);
    }
}
