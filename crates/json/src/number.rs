//! The grammar of numbers (RFC 8259, section 6).
//!
//! ADVICE: digits are gathered into a 64-bit integer while they are passed, wrapping around; how
//! many there were says whether the integer is right. Up to 19 digits it is, and then no second
//! look at the text is needed: an integer is done, a float needs one multiplication or two
//! ([`wire::number::float`]). Everything longer takes the slow road through the text.

// What a call gives is taken apart and put together again: given on as it is, all that is made here would be written into memory,
// where that call writes, and read again by whoever has asked.
#![expect(clippy::needless_question_mark)]

use crate::read::Reader;
use crate::style::NonFinite;
use wire::{Code, Error, Num, NumText, Result};

/// Any integer of this many digits fits 64 bits.
const EXACT: usize = 19;

/// The least integer of one digit more.
const TWENTY: u64 = 10_000_000_000_000_000_000;

impl<'d> Reader<'d> {
    /// Takes a number whose first byte is `head`.
    #[inline(always)]
    pub(crate) fn take_number(&mut self, head: u8) -> Result<Num<'d>> {
        let start = self.c.offset();
        let negative = head == b'-' && self.c.eat::<b'-'>();
        let first = self.c.peek();
        let from = self.c.offset();
        let v = self.c.short_digits();
        let n = self.c.offset() - from;
        if n == 0 {
            return Ok(self.no_digits(start, negative)?);
        }
        if first == b'0' && n > 1 {
            return Err(Error { code: Code::LeadingZero, at: start + usize::from(negative) });
        }
        let next = self.c.peek();
        if next == b'.' || next | 0x20 == b'e' {
            return Ok(self.float(start, negative, v, n)?);
        }
        if n <= EXACT {
            if negative {
                if v <= 1 << 63 && v <= self.limits.min_int {
                    return Ok(Num::I64((v as i64).wrapping_neg()));
                }
            } else if v <= self.limits.max_int {
                return Ok(if v <= i64::MAX as u64 { Num::I64(v as i64) } else { Num::U64(v) });
            }
        }
        // Twenty digits of which the first is 1, and no wrapping around: that would leave less than there is without it.
        if n == EXACT + 1 && first == b'1' && !negative && v >= TWENTY && v <= self.limits.max_int {
            return Ok(Num::U64(v));
        }
        Ok(self.big_int(start, negative, n)?)
    }

    /// The same, where it need not be compiled in.
    #[inline(never)]
    pub(crate) fn take_number_cold(&mut self, head: u8) -> Result<Num<'d>> {
        self.take_number(head)
    }

    /// Whatever is no integer of 64 bits that is plainly allowed.
    #[cold]
    #[inline(never)]
    fn big_int(&mut self, start: usize, negative: bool, n: usize) -> Result<Num<'d>> {
        let fail = |code| Err(Error { code, at: start });
        if n > self.limits.max_int_digits {
            return fail(Code::IntDigits);
        }
        let text = self.ascii_since(start);
        if let Ok(v) = text.parse::<u64>() {
            return if v <= self.limits.max_int { Ok(Num::U64(v)) } else { fail(Code::IntRange) };
        }
        if !self.limits.big_ints {
            return match text.parse::<i64>() {
                Ok(v) if negative && v.unsigned_abs() <= self.limits.min_int => Ok(Num::I64(v)),
                _ => fail(Code::IntRange),
            };
        }
        Ok(Num::Text(text))
    }

    /// The rest of a number that goes on with a fraction or an exponent.
    #[inline(always)]
    fn float(&mut self, start: usize, negative: bool, mut v: u64, mut n: usize) -> Result<Num<'d>> {
        let mut exponent = 0i64;
        if self.c.eat::<b'.'>() {
            let from = self.c.offset();
            v = self.c.digits(v);
            let k = self.c.offset() - from;
            if k == 0 {
                return self.fail(Code::FractionDigit);
            }
            n += k;
            exponent = -(k as i64);
        }
        if self.c.peek() | 0x20 == b'e' {
            let (e, digits) = self.exponent()?;
            exponent += e;
            // An exponent of many digits may have wrapped around; the text knows better.
            if digits > 6 {
                n = usize::MAX;
            }
        }
        if n <= EXACT
            && let Some(f) = wire::number::float(v, exponent, negative)
        {
            return Ok(Num::F64(f));
        }
        Ok(self.slow_float(start)?)
    }

    /// An exponent, and of how many digits.
    #[inline(never)]
    fn exponent(&mut self) -> Result<(i64, usize)> {
        self.c.advance(1);
        let down = self.c.eat::<b'-'>() || {
            self.c.eat::<b'+'>();
            false
        };
        let from = self.c.offset();
        let e = self.c.few_digits(0);
        let k = self.c.offset() - from;
        if k == 0 {
            return self.fail(Code::ExponentDigit);
        }
        Ok((if down { -(e as i64 & 0xff_ffff) } else { e as i64 & 0xff_ffff }, k))
    }

    #[cold]
    #[inline(never)]
    fn slow_float(&mut self, start: usize) -> Result<Num<'d>> {
        let f = wire::number::float_text(self.ascii_since(start));
        if f.is_finite() { Ok(Num::F64(f)) } else { Err(Error { code: Code::FloatRange, at: start }) }
    }

    /// A sign without digits, or a word for a number that is not finite.
    #[cold]
    #[inline(never)]
    fn no_digits(&mut self, start: usize, negative: bool) -> Result<Num<'d>> {
        let word = if self.c.eat_word(b"Infinity") {
            Some(if negative { f64::NEG_INFINITY } else { f64::INFINITY })
        } else if !negative && self.c.eat_word(b"NaN") {
            Some(f64::NAN)
        } else {
            None
        };
        match word {
            Some(f) if self.limits.non_finite == NonFinite::Literal => Ok(Num::F64(f)),
            Some(_) => Err(Error { code: Code::NotFinite, at: start }),
            None => self.fail(Code::Digit),
        }
    }

    /// Takes a number as it is written.
    pub(crate) fn take_number_text(&mut self, head: u8) -> Result<NumText<'d>> {
        let start = self.c.offset();
        let float = match self.take_number_cold(head) {
            Ok(Num::F64(_)) => true,
            Ok(_) => false,
            // Beyond a float's range, but the text can say it.
            Err(Error { code: Code::FloatRange, .. }) => true,
            Err(e) => return Err(e),
        };
        Ok(NumText { text: self.ascii_since(start), float })
    }

    /// What was passed since `start`, which was all ASCII.
    fn ascii_since(&self, start: usize) -> &'d str {
        core::str::from_utf8(self.c.since(start)).unwrap_or_default()
    }
}
