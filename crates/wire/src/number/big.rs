//! Integers of any size between limbs of 64 bits and decimal digits.
//!
//! Both ways go by 19 digits at a time, the most that a limb holds, and their time grows with
//! the square of the length: 100,000 digits take some 6 ms to read and 26 ms to write. Whoever
//! reads such numbers from strangers should bound their length.

use alloc::string::String;
use alloc::vec::Vec;

use super::digits::{swar, write_u64};

/// How many digits are one step.
const DIGITS: usize = 19;

/// What one step multiplies or divides by.
const CHUNK: u64 = 10_000_000_000_000_000_000;

/// The reciprocal of [`CHUNK`], less 2^64: it makes division two multiplications.
const RECIPROCAL: u64 = (u128::MAX / CHUNK as u128 - (1 << 64)) as u64;

/// Whether the first byte of a two's complement, most significant byte first, only repeats the sign
/// that the second has too: then fewer bytes say the same.
pub fn repeats_sign(twos: &[u8]) -> bool {
    match twos {
        [0x00, next, ..] => *next < 0x80,
        [0xff, next, ..] => *next >= 0x80,
        _ => false,
    }
}

/// The decimal digits of an integer, after a minus sign if it is negative and not zero.
///
/// The magnitude has the least significant limb first; limbs of zero at its end do no harm.
pub fn big_to_text(limbs: &[u64], negative: bool) -> String {
    // 64 bits are 19.27 digits: one limb in 71 needs a chunk more.
    let mut chunks: Vec<u64> = Vec::with_capacity(limbs.len() + limbs.len() / 64 + 1);
    for &limb in limbs.iter().rev() {
        let mut carry = limb;
        for chunk in &mut chunks {
            (carry, *chunk) = shift(*chunk, carry);
        }
        if carry >= CHUNK {
            chunks.extend([carry % CHUNK, carry / CHUNK]);
        } else if carry != 0 {
            chunks.push(carry);
        }
    }
    let mut text = Vec::with_capacity(chunks.len() * DIGITS + 1);
    let mut chunks = chunks.into_iter().rev();
    let first = chunks.next().unwrap_or(0);
    if negative && first != 0 {
        text.push(b'-');
    }
    let mut digits = [0; 32];
    let len = write_u64(first, &mut digits);
    text.extend_from_slice(digits.get(..len).unwrap_or_default());
    for chunk in chunks {
        // 3 digits, 8 and 8.
        let (head, tail) = (chunk / 10_000_000_000_000_000, chunk % 10_000_000_000_000_000);
        let [.., a, b, c] = ascii(head);
        text.extend_from_slice(&[a, b, c]);
        text.extend_from_slice(&ascii(tail / 100_000_000));
        text.extend_from_slice(&ascii(tail % 100_000_000));
    }
    String::from_utf8(text).unwrap_or_default()
}

/// Eight digits of a number below 10^8.
fn ascii(v: u64) -> [u8; 8] {
    (swar(v) | 0x3030_3030_3030_3030).to_le_bytes()
}

/// Quotient and remainder of `chunk * 2^64 + carry` by [`CHUNK`], for a chunk below it.
///
/// By a reciprocal, as in Möller and Granlund, "Improved division by invariant integers" (2011).
/// The carry comes in only after the division, so that the chunks of a number wait for each
/// other no longer than a few additions take.
#[inline]
fn shift(chunk: u64, carry: u64) -> (u64, u64) {
    // Too small by less than 1.6, as a chunk is little more than half of 2^64: so the rest is
    // below 1.6 times CHUNK and fits 64 bits, and with the carry it is below 3.5 times CHUNK.
    let estimate = ((u128::from(RECIPROCAL) * u128::from(chunk)) >> 64) as u64 + chunk;
    let rest = estimate.wrapping_mul(CHUNK).wrapping_neg();
    let sum = u128::from(rest) + u128::from(carry);
    let over = [1, 2, 3].into_iter().fold(0, |over, n| over + u64::from(sum >= n * u128::from(CHUNK)));
    (estimate.wrapping_add(over), (sum as u64).wrapping_sub(over.wrapping_mul(CHUNK)))
}

/// The magnitude that decimal digits spell, least significant limb first, without limbs of
/// zero at its end: zero is no limb at all.
///
/// The bytes must be ASCII digits; others give some wrong number.
pub fn text_to_big(digits: &[u8]) -> Vec<u64> {
    let mut limbs: Vec<u64> = Vec::with_capacity(digits.len() / DIGITS + 1);
    let (first, rest) = digits.split_at(digits.len() % DIGITS);
    for chunk in [first].into_iter().chain(rest.chunks_exact(DIGITS)) {
        let chunk = chunk
            .iter()
            .fold(0u64, |v, digit| v.wrapping_mul(10).wrapping_add(u64::from(digit.wrapping_sub(b'0'))));
        multiply(&mut limbs, CHUNK, chunk);
    }
    limbs
}

/// Multiplies a magnitude by one limb, and adds another.
pub(super) fn multiply(limbs: &mut Vec<u64>, by: u64, mut carry: u64) {
    for limb in limbs.iter_mut() {
        let product = u128::from(*limb) * u128::from(by) + u128::from(carry);
        *limb = product as u64;
        carry = (product >> 64) as u64;
    }
    if carry != 0 {
        limbs.push(carry);
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec;

    use super::*;

    fn both_ways(v: u128) {
        let limbs = [v as u64, (v >> 64) as u64];
        let text = v.to_string();
        assert_eq!(big_to_text(&limbs, false), text);
        let len = limbs.iter().rposition(|&limb| limb != 0).map_or(0, |last| last + 1);
        assert_eq!(text_to_big(text.as_bytes()), limbs[..len]);
    }

    #[test]
    fn against_the_standard_library() {
        let mut v = u128::MAX;
        while v != 0 {
            both_ways(v);
            v -= v / 131 + 1;
        }
        for power in 0..=38 {
            let ten = 10u128.pow(power);
            [ten - 1, ten, ten + 1].into_iter().for_each(both_ways);
        }
        for shift in 0..128 {
            let two = 1u128 << shift;
            [two - 1, two, two + 1].into_iter().for_each(both_ways);
        }
    }

    #[test]
    fn division_by_a_chunk() {
        let mut random = 0x2545_f491_4f6c_dd1du64;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        let edges = [0, 1, 2, CHUNK - 1, CHUNK, CHUNK + 1, u64::MAX - CHUNK, 1 << 63, u64::MAX - 1, u64::MAX];
        for step in 0..200_000 {
            let chunk = if step % 4 == 0 { edges[step / 4 % 10] } else { next() } % CHUNK;
            for carry in [next(), edges[step % 10]] {
                let v = u128::from(chunk) << 64 | u128::from(carry);
                let right = ((v / u128::from(CHUNK)) as u64, (v % u128::from(CHUNK)) as u64);
                assert_eq!(shift(chunk, carry), right, "{chunk} {carry}");
            }
        }
    }

    #[test]
    fn signs_zeros_and_empty() {
        assert_eq!(big_to_text(&[], false), "0");
        assert_eq!(big_to_text(&[0, 0], true), "0");
        assert_eq!(big_to_text(&[7, 0, 0], true), "-7");
        assert_eq!(big_to_text(&[0, 1], true), "-18446744073709551616");
        assert_eq!(text_to_big(b""), vec![]);
        assert_eq!(text_to_big(b"000"), vec![]);
        assert_eq!(text_to_big(b"00000000000000000000000000000000000000000"), vec![]);
        assert_eq!(text_to_big(b"0000000000000000000000000000018446744073709551616"), vec![0, 1]);
    }

    #[test]
    fn long_numbers() {
        let mut text = String::new();
        let mut ones: Vec<u64> = vec![];
        for len in 1..2000usize {
            // A digit and zeros, all nines, and digits of every sort.
            text.push(char::from(b'0' + (len * len / 7 % 9 + 1) as u8));
            let limbs = text_to_big(text.as_bytes());
            assert_eq!(big_to_text(&limbs, false), text);
            if len % 50 == 0 {
                let nines = "9".repeat(len);
                let power = "1".to_string() + &"0".repeat(len);
                let mut limbs = text_to_big(nines.as_bytes());
                assert_eq!(big_to_text(&limbs, true), "-".to_string() + &nines);
                // Nines and one are a power of ten; from 10^64 on, its last limbs are zero.
                for limb in &mut limbs {
                    *limb = limb.wrapping_add(1);
                    if *limb != 0 {
                        break;
                    }
                }
                assert_eq!(big_to_text(&limbs, false), power);
                assert_eq!(text_to_big(power.as_bytes()), limbs);
                // All bits set.
                ones.push(u64::MAX);
                assert_eq!(text_to_big(big_to_text(&ones, false).as_bytes()), ones);
            }
        }
    }
}
