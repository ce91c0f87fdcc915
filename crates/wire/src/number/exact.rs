//! The float that a text spells, whatever it takes: what [`super::float()`] cannot tell, or not from 19 digits.
//!
//! With integers of any size: the number is a quotient of two, of which as many bits as count are divided out one by
//! one, and what is left over says on which side of halfway it lies. The integers have some 2700 bits at most, since
//! more than 768 digits are never needed. A number that needs all this takes 2 to 10 µs.

use alloc::{vec, vec::Vec};
use core::cmp::Ordering;

use super::big::{multiply, text_to_big};
use super::float::{BIAS, STORED, float};
use super::powers;

/// How many digits tell a number from what is halfway between two floats, which has 767 at most.
const DIGITS: usize = 768;

/// How many digits a mantissa of 64 bits holds, whatever they are.
const MANTISSA: usize = 19;

/// The float nearest to what a text spells, to even if two are; an infinity if it is beyond the finite floats.
///
/// The format has checked the grammar; a text that names no number gives NaN.
#[cold]
pub fn float_text(text: &str) -> f64 {
    let (negative, text) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        all => (false, all),
    };
    // The digits that count, the first of them as a number, and the power of ten that makes them the number.
    let (mut count, mut mantissa, mut exponent10) = (0, 0u64, 0i64);
    let mut point = false;
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'0'..=b'9' => {
                if count < MANTISSA {
                    mantissa = mantissa * 10 + u64::from(byte - b'0');
                    count += usize::from(mantissa != 0);
                    exponent10 -= i64::from(point);
                } else {
                    count += 1;
                    exponent10 += i64::from(!point);
                }
            }
            b'.' if !point => point = true,
            b'e' | b'E' => match exponent(bytes.as_slice()) {
                Some(exponent) => {
                    exponent10 += exponent;
                    break;
                }
                None => return f64::NAN,
            },
            _ => return f64::NAN,
        }
    }
    if !text.first().is_some_and(u8::is_ascii_digit) {
        return f64::NAN;
    }
    powers::prepare();
    let magnitude = match float(mantissa, exponent10, false) {
        // With more digits the number lies between this mantissa and the next.
        Some(v) if count <= MANTISSA || float(mantissa + 1, exponent10, false) == Some(v) => v,
        _ => all(text, exponent10),
    };
    if negative { -magnitude } else { magnitude }
}

/// The number after the `e`.
fn exponent(text: &[u8]) -> Option<i64> {
    let (down, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        all => (false, all),
    };
    let mut exponent = 0;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        // No text is so long that its digits could make up for an exponent that stops here.
        exponent = (exponent * 10 + i64::from(digit - b'0')).min(1 << 58);
    }
    (!digits.is_empty()).then_some(if down { -exponent } else { exponent })
}

/// The float, of all digits. The exponent is for the first of those that count, as many as are a mantissa.
#[inline(never)]
fn all(text: &[u8], exponent10: i64) -> f64 {
    let mut all = text.iter().copied().take_while(|&byte| byte | 0x20 != b'e').filter(|&byte| byte != b'.');
    let mut digits: Vec<u8> = all.by_ref().skip_while(|&digit| digit == b'0').take(DIGITS).collect();
    if all.any(|digit| digit != b'0') {
        // Whatever it is that follows, it makes the number a little greater.
        digits.push(b'1');
    }
    exact(&digits, exponent10 - digits.len().saturating_sub(MANTISSA) as i64)
}

/// The float nearest to an integer times a power of ten. The digits are not too many, and the first is not a zero.
#[inline(never)]
fn exact(digits: &[u8], exponent10: i64) -> f64 {
    // The power of ten that is just greater than the number.
    let above = exponent10.saturating_add(digits.len() as i64);
    if digits.is_empty() || above < -330 {
        return 0.0;
    }
    if above > 310 {
        return f64::INFINITY;
    }
    // The number is `high / low * 2^exponent2`.
    let mut high = text_to_big(digits);
    let mut low = Vec::from([1]);
    let mut exponent2 = exponent10 as i32;
    fives(if exponent10 < 0 { &mut low } else { &mut high }, exponent10.unsigned_abs());
    // With as many bits in both, the quotient is between a half and two; then it is made at least one.
    let more = bits(&high) - bits(&low);
    shift(if more < 0 { &mut high } else { &mut low }, more.unsigned_abs());
    exponent2 += more;
    if compare(&high, &low) == Ordering::Less {
        shift(&mut high, 1);
        exponent2 -= 1;
    }
    // 64 bits of the quotient, of which the first is set. The last of them also stands for all that follow.
    let mut quotient = 0u64;
    for _ in 0..64 {
        quotient <<= 1;
        if compare(&high, &low) != Ordering::Less {
            subtract(&mut high, &low);
            quotient |= 1;
        }
        shift(&mut high, 1);
    }
    let odd = |over: bool| u64::from(over);
    quotient |= odd(!high.is_empty());

    // A subnormal float has fewer bits, and an exponent as if it were the least normal one.
    let mut exponent = exponent2 + BIAS;
    if exponent <= 0 {
        let less = 1 - exponent;
        let lost = quotient.checked_shl(64 - less.min(64) as u32).unwrap_or(0);
        quotient = quotient.checked_shr(less as u32).unwrap_or(0) | odd(lost != 0 || less >= 64);
        exponent = 1;
    }
    // What is rounded off, against a half; then to even.
    const OFF: i32 = 63 - STORED;
    let (kept, off) = (quotient >> OFF, quotient & ((1 << OFF) - 1));
    let up = off > 1 << (OFF - 1) || off == 1 << (OFF - 1) && kept & 1 == 1;
    // The leading bit of a normal float counts the exponent up by one, and so does a carry. Beyond the greatest float
    // that gives the infinity, or more.
    let float = ((exponent as u64 - 1) << STORED) + kept + u64::from(up);
    f64::from_bits(float.min(f64::INFINITY.to_bits()))
}

/// Multiplies by a power of five.
fn fives(limbs: &mut Vec<u64>, mut power: u64) {
    /// The most that fit a limb.
    const MOST: u64 = 27;
    while power != 0 {
        let step = power.min(MOST);
        multiply(limbs, 5u64.pow(step as u32), 0);
        power -= step;
    }
}

/// How many bits a magnitude has. Here and below, none ends with a limb of zero.
fn bits(limbs: &[u64]) -> i32 {
    limbs.last().map_or(0, |last| limbs.len() as i32 * 64 - last.leading_zeros() as i32)
}

/// Multiplies by a power of two.
fn shift(limbs: &mut Vec<u64>, bits: u32) {
    multiply(limbs, 1 << (bits % 64), 0);
    if bits >= 64 && !limbs.is_empty() {
        let mut shifted = vec![0; bits as usize / 64];
        shifted.extend_from_slice(limbs);
        *limbs = shifted;
    }
}

fn compare(a: &[u64], b: &[u64]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

/// Subtracts what is not greater.
fn subtract(from: &mut Vec<u64>, less: &[u64]) {
    let mut borrow = false;
    let padded = less.iter().copied().chain(core::iter::repeat(0));
    for (limb, less) in from.iter_mut().zip(padded) {
        let (difference, first) = limb.overflowing_sub(less);
        let (difference, second) = difference.overflowing_sub(u64::from(borrow));
        *limb = difference;
        borrow = first | second;
    }
    while from.last() == Some(&0) {
        from.pop();
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::{String, ToString};

    use super::super::big::big_to_text;
    use super::*;
    use crate::random::Random;

    /// Checks a text against the standard library: as it is read, and by the long way alone.
    fn check(text: &str) {
        let right: f64 = text.parse().unwrap();
        assert_eq!(float_text(text).to_bits(), right.to_bits(), "{text}");
        let minus = format!("-{text}");
        assert_eq!(float_text(&minus).to_bits(), (-right).to_bits(), "{minus}");

        let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let digits = String::from(whole) + fraction;
        let digits = digits.trim_start_matches('0');
        if let (true, Ok(exponent)) = (digits.len() <= DIGITS, exponent.parse::<i64>()) {
            let v = exact(digits.as_bytes(), exponent - fraction.len() as i64);
            assert_eq!(v.to_bits(), right.to_bits(), "{text}, the long way");
        }
    }

    #[test]
    fn numbers_of_any_length() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        for step in 0..60_000 {
            let (long, short) = (if step % 50 == 0 { 900 } else { 40 }, 25);
            let whole = random.next() % if step % 3 == 0 { long } else { short } + 1;
            let fraction = random.next() % if step % 5 == 0 { long } else { short };
            let whole = random.digits(whole);
            let fraction = random.digits(fraction);
            let exponent = (random.next() % 720) as i64 - 380;
            check(&whole);
            if !fraction.is_empty() {
                check(&format!("{whole}.{fraction}"));
                check(&format!("{whole}.{fraction}e{exponent}"));
                check(&format!("0.{fraction}E{exponent:+}"));
            }
            check(&format!("{whole}e{}", exponent - whole.len() as i64));
        }
    }

    #[test]
    fn random_floats_with_all_their_digits() {
        let mut random = Random(2);
        for _ in 0..4000 {
            let v = f64::from_bits(random.next() & !(1 << 63));
            if v.is_finite() {
                check(&format!("{v:e}"));
                check(&format!("{v:.20e}"));
                check(&format!("{v:.1100}"));
            }
        }
    }

    /// The digits of what is halfway between a float and the next, and the power of ten that they are times.
    fn halfway(v: f64) -> (String, i64) {
        let bits = v.to_bits();
        let stored = (bits >> STORED) as i32;
        let mantissa = bits & ((1 << STORED) - 1) | u64::from(stored != 0) << STORED;
        let exponent2 = stored.max(1) - BIAS - STORED - 1;
        let mut limbs = Vec::from([mantissa * 2 + 1]);
        if exponent2 < 0 {
            fives(&mut limbs, exponent2.unsigned_abs().into());
        } else {
            shift(&mut limbs, exponent2 as u32);
        }
        let digits = big_to_text(&limbs, false);
        let significant = digits.trim_end_matches('0');
        (significant.to_string(), i64::from(exponent2.min(0)) + (digits.len() - significant.len()) as i64)
    }

    #[test]
    fn halfway_between_two_floats() {
        let mut random = Random(3);
        let edges = [
            0,
            1,
            2,
            (1 << STORED) - 2,
            (1 << STORED) - 1,
            1 << STORED,
            (1 << STORED) + 1,
            f64::MAX.to_bits() - 1,
            f64::MAX.to_bits(),
            1.0f64.to_bits(),
            2.0f64.to_bits() - 1,
        ];
        let random = (0..3000).map(|step| match step % 3 {
            // Normal ones, those of usual size, and subnormal ones.
            0 => random.next() & !(1 << 63),
            1 => (random.next() & ((1 << (STORED + 4)) - 1)) + (1000 << STORED),
            _ => random.next() >> (64 - STORED + (random.next() % 40) as i32),
        });
        for v in edges.into_iter().chain(random).map(f64::from_bits).filter(|v| v.is_finite()) {
            let (digits, exponent10) = halfway(v);
            // To even; then a little more and a little less, beyond the digits that are looked at too.
            check(&format!("{digits}e{exponent10}"));
            for zeros in [0, 1, 20, 900] {
                let more = exponent10 - zeros as i64 - 1;
                let zeros = "0".repeat(zeros);
                check(&format!("{digits}{zeros}1e{more}"));
            }
            let (last, nines) = (digits.len() - 1, "9".repeat(30));
            let less = char::from(digits.as_bytes()[last] - 1);
            check(&format!("{}{less}{nines}e{}", &digits[..last], exponent10 - 30));
            check(&format!("{}.{}e{}", &digits[..1], &digits[1..], exponent10 + last as i64));
        }
    }

    #[test]
    fn the_least_the_greatest_and_beyond() {
        for text in [
            "0",
            "0.0",
            "0e5",
            "0e999999999999999999999",
            "00001",
            "0.0000000000000000000000000000000000001e37",
            "1",
            "4.9e-324",
            "2.4703282292062327208e-324",
            "2.4703282292062327209e-324",
            "2.47032822920623272088284396434110686182e-324",
            "2.2250738585072011e-308",
            "2.2250738585072014e-308",
            "2.225073858507201136057409796709131975934819546351645648023426109724822222021076945516529523908135087914149158913039621106870086438694594645527657207407820621743379988141063267329253552286881372149012981122451451889849057222307285255133155755015914397476397983411801999323962548289017107081850690630666655994938275772572015763062690663332647565300009245888316433037779791869612049497390377829704905051080609940730262937128958950003583799967207254304360284078895771796150945516748243471030702609144621572289880258182545180325707018860872113128079512233426288368622321503775666622503982534335974568884423900265498198385487948292206894721689831099698365846814022854243330660339850886445804001034933970427567186443383770486037861622771738545623065874679014086723327636718751234567890123456789012345678901e-308",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "17976931348623159e292",
            "1e309",
            "1e310",
            "1e311",
            "9e-331",
            "1e-400",
            "1e999999999999999999999",
            "1e-999999999999999999999",
            "8.988465674311580536566680721e307",
            "9007199254740993",
            "9007199254740993.00000000000000000000000001",
        ] {
            check(text);
        }
        let zeros = "0".repeat(5000);
        for text in [
            format!("0.{zeros}1e5001"),
            format!("0.{zeros}1e5300"),
            format!("1{zeros}e-5000"),
            format!("1{zeros}1e-5301"),
            format!("{zeros}1.{zeros}1"),
            format!("1{zeros}.0e-999999999999999999999"),
        ] {
            check(&text);
        }
        assert_eq!(float_text("-1e309"), f64::NEG_INFINITY);
    }

    #[test]
    fn what_names_no_number() {
        for text in [
            "", "-", "x", "e5", ".5", "-.5", "-e1", "1x", "1.2.3", "1e5e5", "1e--5", "1e+-5", "+1", "1.5x",
            "1 ", "1e", "1e+",
        ] {
            assert!(float_text(text).is_nan(), "{text}");
        }
    }

    #[test]
    fn quotients_of_two_limbs() {
        let mut limbs = Vec::from([u64::MAX, 1]);
        assert_eq!(bits(&limbs), 65);
        shift(&mut limbs, 130);
        assert_eq!(limbs, [0, 0, u64::MAX - 3, 7]);
        assert_eq!(compare(&limbs, &[1, 0, u64::MAX - 3, 7]), Ordering::Less);
        subtract(&mut limbs, &[0, 0, u64::MAX, 6]);
        assert_eq!(limbs, [0, 0, u64::MAX - 3 + 1]);
        subtract(&mut limbs, &[0, 0, u64::MAX - 2]);
        assert_eq!((limbs.len(), bits(&limbs)), (0, 0));
    }
}
