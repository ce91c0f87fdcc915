//! The powers of five from 5^-342 to 5^324, each as the leading 128 bits of its binary digits.
//!
//! What may surprise: they are computed, by the first number that finds them missing and so goes the long way
//! ([`super::exact`]), or is to be written ([`super::shortest`]). It takes some 30 µs; as a table in the binary they would be 10 kB of it. The exact powers have
//! up to 800 bits, and each is made of the one before, so that a single one could not be had for much less.
//!
//! Those from 5^-27 to 5^-1 are rounded up, all others are cut off. The proof that the algorithm of [`super::float`]
//! never errs (Daniel Lemire, "Number parsing at a gigabyte per second", 2021; Noble Mushtak and Daniel Lemire,
//! "Fast number parsing without fallback", 2023) is about just these roundings: with the few that are rounded up, a
//! product that is exact ends in a low half of 0 or 1.

use core::sync::atomic::{AtomicU64, Ordering};

/// The exponent of the first power: below it, every 64-bit number times the power of ten rounds to zero.
pub(super) const FIRST: i64 = -342;

/// The exponent of the last power. Above 308 every number is beyond the floats; the rest is for writing the least of them.
const LAST: i64 = 324;

/// From here to 5^-1 the powers are rounded up.
const ROUNDED_UP: i64 = -27;

/// How many powers there are.
const COUNT: usize = (LAST - FIRST + 1) as usize;

/// Upper and lower half of each power, shifted so that the highest bit is set; zeros until they are made. Threads that
/// make them at the same time write the same. There is room for as many as some bits can count, so that a place that is
/// cut to these is within.
static POWERS: [[AtomicU64; 2]; COUNT.next_power_of_two()] =
    [const { [const { AtomicU64::new(0) }; 2] }; COUNT.next_power_of_two()];

/// A power of five, if it is one of these and they are made: its upper half, and where the lower stands, which is
/// seldom wanted.
#[inline(always)]
pub(super) fn power(exponent: i64) -> Option<(u64, &'static AtomicU64)> {
    if !(FIRST..=LAST).contains(&exponent) {
        return None;
    }
    let [high, low] = POWERS.get((exponent - FIRST) as usize)?;
    // The upper half is written last.
    match high.load(Ordering::Acquire) {
        0 => None,
        high => Some((high, low)),
    }
}

/// A power of five that is one of these, made if it is missing.
#[inline(always)]
pub(super) fn made(exponent: i64) -> (u64, &'static AtomicU64) {
    let [high, low] = &POWERS[(exponent - FIRST) as usize % POWERS.len()];
    match high.load(Ordering::Acquire) {
        0 => make_one(exponent),
        high => (high, low),
    }
}

#[cold]
#[inline(never)]
fn make_one(exponent: i64) -> (u64, &'static AtomicU64) {
    make();
    power(exponent).unwrap_or((0, &POWERS[0][1]))
}

/// Makes them if that has not been done.
#[inline]
pub(super) fn prepare() {
    if POWERS[COUNT - 1][0].load(Ordering::Acquire) == 0 {
        make();
    }
}

/// Limbs for the greatest power, of 753 bits, and for the quotient of which the least power is the leading part.
type Limbs = [u64; 16];

/// Makes all of them, downwards and upwards from 5^0, such that the last is made when all are.
#[cold]
#[inline(never)]
fn make() {
    let (down, up) = POWERS[..COUNT].split_at(-FIRST as usize);
    // 2^960 divided by five again and again. What each division cuts off does not matter to the next, and 165 bits
    // are left of the last quotient.
    let mut quotient: Limbs = [0; 16];
    quotient[15] = 1;
    for (place, exponent) in down.iter().rev().zip((FIRST..0).rev()) {
        let mut rest = 0;
        for limb in quotient.iter_mut().rev() {
            // In halves: a division of 128 bits would be a function of its own.
            let upper = rest << 32 | *limb >> 32;
            let lower = (upper % 5) << 32 | *limb & 0xffff_ffff;
            *limb = ((upper / 5) << 32) | (lower / 5);
            rest = lower % 5;
        }
        put(place, leading(&quotient) + u128::from(exponent >= ROUNDED_UP));
    }
    let mut five: Limbs = [0; 16];
    five[0] = 1;
    for place in up {
        put(place, leading(&five));
        let mut carry = 0;
        for limb in &mut five {
            let product = u128::from(*limb) * 5 + carry;
            *limb = product as u64;
            carry = product >> 64;
        }
    }
}

fn put([high, low]: &[AtomicU64; 2], power: u128) {
    low.store(power as u64, Ordering::Relaxed);
    high.store((power >> 64) as u64, Ordering::Release);
}

/// The leading 128 bits of a number that is not zero.
fn leading(limbs: &Limbs) -> u128 {
    let mut from_first = limbs.iter().rev().skip_while(|&&limb| limb == 0);
    let [first, second, third] = [(); 3].map(|()| u128::from(from_first.next().copied().unwrap_or(0)));
    let shift = first.leading_zeros() - 64;
    (first << 64 | second) << shift | third << shift >> 64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(exponent: i64) -> u128 {
        prepare();
        let (high, low) = power(exponent).unwrap();
        u128::from(high) << 64 | u128::from(low.load(Ordering::Relaxed))
    }

    #[test]
    fn powers_that_fit_are_exact() {
        let mut five = 1u128;
        for exponent in 0..=55 {
            assert_eq!(entry(exponent), five << five.leading_zeros(), "5^{exponent}");
            five = five.wrapping_mul(5);
        }
    }

    #[test]
    fn quotients_by_powers_that_fit_are_cut_off_or_rounded_up() {
        let mut five = 1u128;
        for exponent in 1..=54 {
            five *= 5;
            // The bits of 2^n / five one by one.
            let (mut rest, mut bits) = (1u128, 0u128);
            while bits >> 127 == 0 {
                rest <<= 1;
                bits = bits << 1 | u128::from(rest >= five);
                rest -= if rest >= five { five } else { 0 };
            }
            assert_eq!(entry(-exponent), bits + u128::from(exponent <= 27), "5^-{exponent}");
        }
    }

    #[test]
    fn each_is_five_times_the_one_before() {
        // The true power differs from its entry by less than one, so five times it by less than five.
        for exponent in FIRST..LAST {
            let [before, after] = [entry(exponent), entry(exponent + 1)];
            assert!(before >> 127 == 1 && after >> 127 == 1);
            // Five times an entry has two or three bits more: as many are shifted out.
            let four = before >> 2;
            let (sum, overflow) = before.overflowing_add(four);
            let expected = if overflow { sum >> 1 | 1 << 127 } else { sum };
            assert!(after.abs_diff(expected) <= 3, "5^{exponent}: {before:x} {after:x}");
        }
    }

    #[test]
    fn all_are_as_exact_integers_give_them() {
        prepare();
        // Over 5**e >> n or (1 << n) // 5**-e of an interpreter whose integers have any size.
        let halves =
            (FIRST..=308).filter_map(power).flat_map(|(high, low)| [high, low.load(Ordering::Relaxed)]);
        let sum = halves.fold(0u64, |sum, half| (sum ^ half).wrapping_mul(0x100_0000_01b3));
        assert_eq!(sum, 0x0ebd_b92f_68b1_f533);
    }

    #[test]
    fn the_least_and_the_greatest() {
        assert_eq!(entry(FIRST), 0xeef4_53d6_923b_d65a_113f_aa29_06a1_3b3f);
        prepare();
        assert!(power(FIRST - 1).is_none());
        assert!(power(LAST + 1).is_none());
        assert!(power(i64::MAX).is_none());
        assert!(power(i64::MIN).is_none());
    }
}
