//! Integers and floats as digits, into an array that is long enough for every one of them.
//!
//! The array is longer than any number so that several digits can be stored at once, also where
//! fewer count: what lies beyond the length that is given back is without meaning.

use alloc::string::String;

use super::shortest::write_f64;
use crate::buf::put_digits;

/// The length of the arrays; the longest number has 25 bytes.
pub(super) const ROOM: usize = 32;

/// What eight digits stay below, and sixteen.
pub(crate) const E8: u64 = 100_000_000;
pub(crate) const E16: u64 = E8 * E8;

/// Eight ASCII zeros.
pub(crate) const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Writes an integer; gives the length.
#[inline]
pub fn write_u64(v: u64, out: &mut [u8; ROOM]) -> usize {
    at(v, out, 0)
}

/// Writes an integer, after a minus sign if it is negative; gives the length.
#[inline]
pub fn write_i64(v: i64, out: &mut [u8; ROOM]) -> usize {
    if v < 0 {
        out[0] = b'-';
        return at(v.unsigned_abs(), out, 1);
    }
    write_u64(v as u64, out)
}

/// An integer as a text of its own.
#[inline(never)]
pub fn decimal(magnitude: u64, negative: bool) -> String {
    let mut room = [b'-'; ROOM];
    let n = at(magnitude, &mut room, usize::from(negative));
    room.get(..n).and_then(|digits| core::str::from_utf8(digits).ok()).unwrap_or_default().into()
}

/// Writes an integer from a place on; gives the end.
fn at(v: u64, out: &mut [u8; ROOM], start: usize) -> usize {
    start + out.get_mut(start..).and_then(|out| out.first_chunk_mut()).map_or(0, |out| put_digits(v, out))
}

/// The digits of a number below 10^16, one in each byte: the first eight and the last, the first of each in the lowest.
#[inline(always)]
pub(crate) fn sixteen(v: u64) -> (u64, u64) {
    scan::sixteen_digits(v / E8, v % E8, swar)
}

/// Stores eight bytes, the lowest first.
#[inline(always)]
pub(super) fn store(bytes: u64, out: &mut [u8; ROOM], start: usize) {
    if let Some(to) = out.get_mut(start..start + 8) {
        to.copy_from_slice(&bytes.to_le_bytes());
    }
}

/// The eight digits of a number below 10^8, one in each byte, the first in the lowest.
#[inline(always)]
pub(crate) fn swar(v: u64) -> u64 {
    // Halves of four digits, quarters of two, eighths of one: each step splits every lane at
    // once, dividing by a multiplication that is exact for so few digits. What remains goes to the lane above:
    // `(v - high * n) << shift | high` in one operation less.
    let high = (v * 109_951_163) >> 40;
    let v = (v << 32).wrapping_sub(high * ((10_000 << 32) - 1));
    let high = ((v * 5243) >> 19) & 0x0000_007f_0000_007f;
    let v = (v << 16).wrapping_sub(high * ((100 << 16) - 1));
    let high = ((v * 103) >> 10) & 0x000f_000f_000f_000f;
    (v << 8).wrapping_sub(high * ((10 << 8) - 1))
}

/// Copies a few bytes; gives how many.
#[inline]
fn copy(text: &[u8], out: &mut [u8; ROOM]) -> usize {
    out[..text.len()].copy_from_slice(text);
    text.len()
}

/// Writes a finite float as ECMAScript prints numbers, which is RFC 8785's way; gives the length.
///
/// `1`, `0` for a negative zero too, `0.000001`, `1e-7`, `100000000000000000000`, `1e+21`.
pub fn ecmascript(v: f64, out: &mut [u8; ROOM]) -> usize {
    let mut text = [0; ROOM];
    let len = write_f64(v, &mut text);
    let text = &text[..len];
    let Some(e) = text.iter().position(|&byte| byte == b'e') else {
        // Without an exponent the spellings differ only in that integers have no fraction.
        let text = text.strip_suffix(b".0").unwrap_or(text);
        return copy(if text == b"-0" { b"0" } else { text }, out);
    };
    let exponent = text[e + 1..].iter().filter(|byte| byte.is_ascii_digit());
    let exponent = exponent.fold(0, |exponent, byte| exponent * 10 + usize::from(byte - b'0'));
    let small = text[e + 1] == b'-';
    let fixed = if small { exponent <= 6 } else { exponent < 21 };
    if !fixed {
        return copy(text, out);
    }
    // From 10^16 on the fewest digits are never more than the integer has: zeros fill it up.
    out.fill(b'0');
    let sign = usize::from(text[0] == b'-');
    out[0] = text[0];
    let digits = text[sign..e].iter().filter(|&&byte| byte != b'.');
    let start = if small { sign + 1 + exponent } else { sign };
    let mut end = start;
    for (to, &digit) in out[start..].iter_mut().zip(digits) {
        *to = digit;
        end += 1;
    }
    if !small {
        return sign + exponent + 1;
    }
    out[sign] = b'0';
    out[sign + 1] = b'.';
    end
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};

    use super::*;

    fn string(write: impl FnOnce(&mut [u8; ROOM]) -> usize) -> String {
        // Not zeros: every byte that counts must be written.
        let mut out = [0xff; ROOM];
        let len = write(&mut out);
        String::from_utf8(out[..len].to_vec()).unwrap()
    }

    fn unsigned(v: u64) {
        assert_eq!(string(|out| write_u64(v, out)), v.to_string());
        assert_eq!(decimal(v, false), v.to_string());
        for v in [v as i64, (v as i64).wrapping_neg()] {
            assert_eq!(string(|out| write_i64(v, out)), v.to_string());
            assert_eq!(decimal(v.unsigned_abs(), v < 0), v.to_string());
        }
    }

    #[test]
    fn integers() {
        (0..200_000).for_each(unsigned);
        for power in 0..20 {
            let ten = 10u64.pow(power);
            for v in [ten - 1, ten, ten + 1, ten.wrapping_mul(9), ten | 0x5555, ten / 3, ten / 7 * 5] {
                unsigned(v);
            }
        }
        let mut v = u64::MAX;
        while v != 0 {
            unsigned(v);
            unsigned(v / 3);
            v -= v / 97 + 1;
        }
        unsigned(1 << 63);
    }

    #[test]
    fn every_pair_of_four_digits_splits() {
        for four in 0..10_000 {
            unsigned(four * 10_000 + 9999 - four);
            unsigned(99_990_000 + four);
            unsigned(four * 1_000_000_000_000 + four);
        }
    }

    #[test]
    fn floats() {
        for (v, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (-1.5, "-1.5"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.25e22, "1.25e+22"),
            (0.00001, "0.00001"),
            (0.000001, "1e-6"),
            (1.5e-7, "1.5e-7"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (-2.2250738585072014e-308, "-2.2250738585072014e-308"),
            (-1.2345678901234567e-5, "-0.000012345678901234568"),
        ] {
            assert_eq!(string(|out| write_f64(v, out)), text);
        }
    }

    #[test]
    fn numbers_of_rfc_8785() {
        // Appendix B, and what lies beside the borders.
        for (bits, text) in [
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] {
            assert_eq!(string(|out| ecmascript(f64::from_bits(bits), out)), text, "{bits:x}");
        }
    }

    #[test]
    fn ecmascript_borders() {
        for (v, text) in [
            (1.0, "1"),
            (-1.0, "-1"),
            (0.5, "0.5"),
            (-10.0, "-10"),
            (1e15, "1000000000000000"),
            (1e16, "10000000000000000"),
            (12_345_678_901_234_568.0, "12345678901234568"),
            (-1.2345678901234567e20, "-123456789012345670000"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.5e300, "1.5e+300"),
            (0.00001, "0.00001"),
            (0.000001, "0.000001"),
            (-1.2345678901234567e-6, "-0.0000012345678901234567"),
            (1e-7, "1e-7"),
            (1.25e-7, "1.25e-7"),
        ] {
            assert_eq!(string(|out| ecmascript(v, out)), text);
        }
    }

    #[test]
    fn ecmascript_reads_back() {
        let mut bits = 0x3b15_17de_92a6_ec55u64;
        for _ in 0..100_000 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            for v in [
                f64::from_bits(bits),
                (bits >> 11) as f64 / 1e9,
                (bits >> 11) as f64 * 1e-21,
                bits as f64 * 8.0,
            ] {
                if v.is_finite() {
                    let text = string(|out| ecmascript(v, out));
                    assert_eq!(text.parse::<f64>().unwrap().to_bits(), v.to_bits(), "{text}");
                    assert!(text.len() <= 25 && !text.ends_with(".0"));
                    assert_eq!(text.contains('e'), v.abs() >= 1e21 || (v != 0.0 && v.abs() < 1e-6), "{text}");
                }
            }
        }
    }
}
