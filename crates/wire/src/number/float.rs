//! Floats from decimal digits, correctly rounded.
//!
//! Two ways, each exact where it is taken. Clinger's: a mantissa and a power of ten that are both
//! exact floats, so that the one operation between them is the only rounding. Eisel and Lemire's:
//! the mantissa times a power of five of 128 bits, whose leading bits decide in nearly every
//! case, and which knows when they do not. What is left goes to [`super::exact`].

use core::sync::atomic::Ordering;

use super::powers::{self, FIRST};

/// The powers of ten that a float holds exactly.
static TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// How many bits of a mantissa are stored; the leading one is not.
pub(super) const STORED: i32 = 52;

/// What is added to a binary exponent when it is stored.
pub(super) const BIAS: i32 = 1023;

/// The float nearest to `mantissa * 10^exponent10`, to even if two are; negated if `negative`.
///
/// `None` if that cannot be told here, or if it is beyond the finite floats: then
/// [`float_text`](super::float_text) decides, which also makes the powers of five that are missing at first.
/// The mantissa must be all the digits: one that was cut off at 19
/// digits gives the right float only if the next greater mantissa gives the same.
#[inline]
pub fn float(mantissa: u64, exponent10: i64, negative: bool) -> Option<f64> {
    let ten = usize::try_from(exponent10.unsigned_abs()).ok().and_then(|power| TENS.get(power));
    let magnitude = match ten {
        Some(&ten) if mantissa <= 1 << 53 => {
            let mantissa = mantissa as f64;
            if exponent10 < 0 { mantissa / ten } else { mantissa * ten }
        }
        _ => eisel_lemire(mantissa, exponent10)?,
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// The float nearest to `mantissa * 10^exponent10`, or `None` if it is infinite or in doubt.
///
/// After Daniel Lemire, "Number parsing at a gigabyte per second" (2021).
fn eisel_lemire(mantissa: u64, exponent10: i64) -> Option<f64> {
    // Below the table, the greatest mantissa is less than half of the least float.
    if mantissa == 0 || exponent10 < FIRST {
        return Some(0.0);
    }
    // Above the table, a mantissa of 1 is beyond the greatest float.
    let (five_high, five_low) = powers::power(exponent10)?;
    let exponent10 = exponent10 as i32;
    let zeros = mantissa.leading_zeros();
    let mantissa = mantissa << zeros;

    // The upper 128 bits of the 192 of the product. The lower half of the power matters only if
    // the nine bits below those that decide are all ones, so that it might carry into them.
    let (mut high, mut low) = multiply(mantissa, five_high);
    if high & 0x1ff == 0x1ff {
        let (carry, _) = multiply(mantissa, five_low.load(Ordering::Relaxed));
        let (sum, overflow) = low.overflowing_add(carry);
        low = sum;
        high += u64::from(overflow);
    }
    // Even so, a cut-off power might still carry; those of 55 and less fit 128 bits, and those
    // from -27 are as good as exact.
    if low == u64::MAX && !(-27..=55).contains(&exponent10) {
        return None;
    }

    // 54 bits: the mantissa of a float and one more to round by. The product's highest bit is its first or second.
    let upper = (high >> 63) as i32;
    let shift = upper + 64 - STORED - 3;
    let mut bits = high >> shift;
    // 217706 / 65536 is the binary logarithm of ten, near enough to be exact after the shift.
    let mut exponent2 = ((exponent10 * 217_706) >> 16) + 63 + upper - zeros as i32 + BIAS;

    if exponent2 <= 0 {
        // A subnormal float, with fewer bits. It may round up to the least normal one, whose
        // exponent is then right as it stands: the carry goes into it.
        if exponent2 <= -63 {
            return Some(0.0);
        }
        bits >>= 1 - exponent2;
        return Some(f64::from_bits((bits + (bits & 1)) >> 1));
    }
    // Halfway between two floats, which the product shows only if it is exact: for so small
    // powers, with nothing below the bit to round by. Then an even mantissa stays.
    if low <= 1 && (-4..=23).contains(&exponent10) && bits & 3 == 1 && bits << shift == high {
        bits -= 1;
    }
    bits = (bits + (bits & 1)) >> 1;
    if bits == 2 << STORED {
        bits = 1 << STORED;
        exponent2 += 1;
    }
    if exponent2 > 2 * BIAS {
        return None;
    }
    Some(f64::from_bits(bits & !(1 << STORED) | (exponent2 as u64) << STORED))
}

/// Both halves of a product.
#[inline]
fn multiply(a: u64, b: u64) -> (u64, u64) {
    let product = u128::from(a) * u128::from(b);
    ((product >> 64) as u64, product as u64)
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;

    use super::super::float_text;
    use super::*;
    use crate::random::Random;

    /// Checks one number against the standard library; says whether it was decided here.
    fn check(mantissa: u64, exponent10: i64) -> bool {
        powers::prepare();
        let text = format!("{mantissa}e{exponent10}");
        let right: f64 = text.parse().unwrap();
        for (negative, right) in [(false, right), (true, -right)] {
            match float(mantissa, exponent10, negative) {
                Some(v) => assert_eq!(v.to_bits(), right.to_bits(), "{text}"),
                None => {
                    let text = if negative { format!("-{text}") } else { text.clone() };
                    assert_eq!(float_text(&text).to_bits(), right.to_bits(), "{text}");
                    return false;
                }
            }
        }
        assert!(right.is_finite(), "{text}");
        true
    }

    /// Checks a text of digits, with a point and an exponent, which fits 19 digits.
    fn check_text(text: &str) {
        let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let mantissa = (String::from(whole) + fraction).parse().unwrap();
        let exponent10 = exponent.parse::<i64>().unwrap() - fraction.len() as i64;
        assert!(check(mantissa, exponent10), "{text} is not decided");
    }

    #[test]
    fn random_numbers() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let (mut finite, mut decided) = (0u32, 0u32);
        for _ in 0..150_000 {
            // Of every length in bits, with every exponent that is not plainly too great or too small.
            let mantissa = random.next() >> (random.next() % 64);
            let exponent10 = (random.next() % 680) as i64 - 360;
            let right: f64 = format!("{mantissa}e{exponent10}").parse().unwrap();
            finite += u32::from(right.is_finite());
            decided += u32::from(check(mantissa, exponent10));
        }
        assert_eq!(finite, decided, "so few are in doubt that none of these should be");
    }

    #[test]
    fn numbers_as_they_are_written() {
        let mut random = Random(1);
        for _ in 0..100_000 {
            let digits = 1 + random.next() % 19;
            let mantissa = random.next() % 10u64.pow(digits as u32);
            check(mantissa, -((random.next() % 20) as i64));
            check(mantissa, (random.next() % 20) as i64 - 4);
        }
    }

    #[test]
    fn shortest_digits_of_random_floats_read_back() {
        let mut random = Random(2);
        for _ in 0..50_000 {
            let v = f64::from_bits(random.next() & !(1 << 63));
            if v.is_finite() {
                let text = format!("{v:e}");
                check_text(&text);
            }
        }
    }

    #[test]
    fn halfway_between_two_floats() {
        let mut random = Random(3);
        for _ in 0..20_000 {
            // An odd number of 54 bits lies halfway; so do its products with powers of two.
            let halfway = (random.next() >> 10) | 1 << 53 | 1;
            for near in [halfway - 1, halfway, halfway + 1] {
                for shift in 0..10 {
                    check(near << shift, 0);
                }
                // Quotients by powers of two, spelled with powers of ten.
                for power in 1..=4 {
                    if let Some(mantissa) = near.checked_mul(5u64.pow(power)) {
                        check(mantissa, -i64::from(power));
                    }
                }
            }
            for power in 1..=23 {
                let mantissa = (halfway / 5u64.pow(power)) | 1;
                check(mantissa, i64::from(power));
            }
        }
        for text in [
            "9007199254740993",
            "9007199254740991",
            "9007199254740992",
            "9007199254740995",
            "9007199254740997",
            "900719925474099.3",
            "9007199254740993e1",
            "9007199254740993e22",
            "9007199254740993e23",
            "1152921504606847104",
            "1152921504606847105",
            "1152921504606847103",
            "9223372036854776832",
            "8.5e22",
            "1e23",
            "8.988465674311580e307",
        ] {
            check_text(text);
        }
    }

    #[test]
    fn around_the_least_and_the_greatest() {
        for text in [
            "2.2250738585072011e-308",
            "2.2250738585072012e-308",
            "2.2250738585072014e-308",
            "2.225073858507201e-308",
            "4.9406564584124654e-324",
            "5e-324",
            "2.4703282292062328e-324",
            "2.4703282292062327e-324",
            "2.47e-324",
            "1e-323",
            "7.4e-324",
            "7.5e-324",
            "1e-400",
            "18446744073709551615e-343",
            "1e-342",
            "9999999999999999999e-342",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "179769313486231580e291",
            "0e400",
            "0.0",
            "0e-400",
            "1e308",
            "9.999999999999999e307",
        ] {
            check_text(text);
        }
        for exponent10 in -400..400 {
            for mantissa in
                [0, 1, 2, 5, 1 << 53, (1 << 53) + 1, u64::MAX - 1, u64::MAX, 10_000_000_000_000_000_000]
            {
                check(mantissa, exponent10);
            }
        }
    }

    #[test]
    fn beyond_the_floats_is_left_to_the_text() {
        for (mantissa, exponent10) in [
            (18_446_744_073_709_551_615, 290),
            (17_976_931_348_623_159, 292),
            (1, 309),
            (1, i64::MAX),
            (u64::MAX, 308),
        ] {
            assert_eq!(float(mantissa, exponent10, false), None);
        }
        assert_eq!(float_text("-1e309"), f64::NEG_INFINITY);
        assert_eq!(float(1, i64::MIN, false), Some(0.0));
        assert_eq!(float(0, i64::MAX, true).map(f64::to_bits), Some(1 << 63));
        assert!(float_text("x").is_nan());
    }
}
