//! The text of moments and spans.
//!
//! What may surprise: RFC 3339 has no seconds in an offset, and old local times have them. Such
//! an offset is rounded to the nearest minute (half a minute upwards) and the local fields stay
//! as they are, so the text names a moment that is up to half a minute off. No text is ever
//! longer than its `TEXT`, whatever the fields hold.
//!
//! Nearly all fields are what they should be, and then each stands where it always does: two digits of a table.

use super::{Date, DateTime, Duration, Time, TimeStyle};
use crate::Str;
use crate::buf::PAIRS;
use crate::number::write_u64;

impl Date {
    /// The longest text, with a sign and ten digits of a year.
    pub const TEXT: usize = 17;

    /// RFC 3339 `full-date`: `2018-12-01`. A year that has no four digits has a sign, as in
    /// ISO 8601: `+10000-01-01`, `-0001-01-01`.
    #[inline(never)]
    pub fn text(self, out: &mut [u8; Self::TEXT]) -> Str<'_> {
        let n = self.write(out);
        text(out, n)
    }

    /// Writes the text at the front of `out`, and says how long it is.
    #[inline(never)]
    pub fn write(&self, out: &mut [u8; Self::TEXT]) -> usize {
        self.put(out)
    }

    /// The same, compiled into whoever asks.
    #[inline(always)]
    pub fn put(self, out: &mut [u8; Self::TEXT]) -> usize {
        if !self.is_plain() {
            return self.write_odd(out);
        }
        self.plain(out);
        10
    }

    /// Whether the year has four digits.
    #[inline(always)]
    fn is_plain(&self) -> bool {
        self.year as u32 <= 9999
    }

    /// One of these years.
    #[inline(always)]
    fn plain(&self, out: &mut [u8; Self::TEXT]) {
        let century = self.year as u32 / 100;
        let year = pair(century) | pair(self.year as u32 - century * 100) << 16 | u64::from(b'-') << 32;
        let word = year | pair(self.month.into()) << 40 | u64::from(b'-') << 56;
        out[..8].copy_from_slice(&word.to_le_bytes());
        [out[8], out[9]] = two(self.day.into());
    }

    /// Any other year, which hardly any calendar has.
    #[cold]
    #[inline(never)]
    fn write_odd(self, out: &mut [u8; Self::TEXT]) -> usize {
        let mut n = put(out, 0, if self.year < 0 { [b'-'] } else { [b'+'] });
        let year = self.year.unsigned_abs();
        let mut digits = [0; 32];
        let len = write_u64(year.into(), &mut digits);
        for _ in len..4 {
            n = put(out, n, [b'0']);
        }
        for digit in digits.into_iter().take(len) {
            n = put(out, n, [digit]);
        }
        let ([a, b], [c, d]) = (two(self.month.into()), two(self.day.into()));
        put(out, n, [b'-', a, b, b'-', c, d])
    }
}

impl Time {
    /// The longest text, with nine digits of a fraction and an offset.
    pub const TEXT: usize = 24;

    /// RFC 3339 `full-time`, or `partial-time` if the time has no offset: `02:03:04.000005+01:00`.
    ///
    /// The fraction has six digits if they suffice, else nine, and is absent if it is zero.
    #[inline(never)]
    pub fn text(self, style: TimeStyle, out: &mut [u8; Self::TEXT]) -> Str<'_> {
        let n = self.write(style, out);
        text(out, n)
    }

    /// As [`Date::write`].
    #[inline(never)]
    pub fn write(&self, style: TimeStyle, out: &mut [u8; Self::TEXT]) -> usize {
        self.put(style, out)
    }

    /// The same, compiled into whoever asks.
    #[inline(always)]
    pub fn put(&self, style: TimeStyle, out: &mut [u8; Self::TEXT]) -> usize {
        let hour = pair(self.hour.into()) | u64::from(b':') << 16;
        let minute = pair(self.minute.into()) << 24 | u64::from(b':') << 40;
        out[..8].copy_from_slice(&(hour | minute | pair(self.second.into()) << 48).to_le_bytes());
        let mut n = 8;
        if self.nanosecond != 0 && !style.omit_microseconds {
            let micros = self.nanosecond / 1000;
            let rest = self.nanosecond - micros * 1000;
            let high = micros / 10_000;
            let low = micros - high * 10_000;
            let middle = low / 100;
            let word =
                u64::from(b'.') | pair(high) << 8 | pair(middle) << 24 | pair(low - middle * 100) << 40;
            out[8..16].copy_from_slice(&word.to_le_bytes());
            n = 15;
            if rest != 0 {
                [out[15], out[16]] = two(rest / 10);
                out[17] = b'0' + (rest % 10) as u8;
                n = 18;
            }
        }
        let offset = match self.offset {
            None if !style.naive_utc => return n,
            offset => offset.unwrap_or(0),
        };
        if offset != 0 {
            return offset_text(offset, style, out, n);
        }
        if style.utc_z { put(out, n, [b'Z']) } else { put(out, n, *b"+00:00") }
    }
}

impl DateTime {
    /// The longest text: a date, `T`, and a time.
    pub const TEXT: usize = Date::TEXT + 1 + Time::TEXT;

    /// RFC 3339 `date-time`: `2018-12-01T02:03:04.000005+01:00`, without an offset if it has none.
    ///
    /// The parts are spelled as [`Date::text`] and [`Time::text`] spell them.
    #[inline(never)]
    pub fn text(self, style: TimeStyle, out: &mut [u8; Self::TEXT]) -> Str<'_> {
        let n = self.write(style, out);
        text(out, n)
    }

    /// As [`Date::write`].
    #[inline(never)]
    pub fn write(&self, style: TimeStyle, out: &mut [u8; Self::TEXT]) -> usize {
        self.put(style, out)
    }

    /// The same, compiled into whoever asks.
    #[inline(always)]
    pub fn put(self, style: TimeStyle, out: &mut [u8; Self::TEXT]) -> usize {
        if !self.date.is_plain() {
            return self.write_odd(style, out);
        }
        if let Some(date) = out.first_chunk_mut() {
            self.date.plain(date);
        }
        out[10] = b'T';
        let (_, rest) = out.split_at_mut(11);
        11 + rest.first_chunk_mut().map_or(0, |time| self.time.put(style, time))
    }

    /// As that of dates.
    #[cold]
    #[inline(never)]
    fn write_odd(self, style: TimeStyle, out: &mut [u8; Self::TEXT]) -> usize {
        let before = out.first_chunk_mut().map_or(0, |date| self.date.write_odd(date));
        let n = put(out, before, [b'T']);
        n + out
            .get_mut(n..)
            .and_then(|rest| rest.first_chunk_mut())
            .map_or(0, |time| self.time.write(style, time))
    }
}

/// What was written at the front of `out`. It is ASCII, which looking proves.
fn text(out: &[u8], n: usize) -> Str<'_> {
    Str::unchecked(out.get(..n).unwrap_or_default())
}

impl Duration {
    /// The longest text, with twenty digits of days and ten of seconds.
    pub const TEXT: usize = 45;

    /// What it is written into: numbers are given more room than they take.
    pub const ROOM: usize = Self::TEXT + 19;

    /// ISO 8601, in days and seconds only: `P1DT2.000003S`, `-PT1S`, `P0D`.
    ///
    /// Hours and minutes would say the same in more ways than one. The fraction has no trailing zeros.
    #[inline(never)]
    pub fn text(self, out: &mut [u8; Self::ROOM]) -> Str<'_> {
        let n = self.write(out);
        text(out, n)
    }

    /// As [`Date::write`].
    #[inline(never)]
    pub fn write(&self, out: &mut [u8; Self::ROOM]) -> usize {
        let &Duration { negative, days, seconds, nanosecond } = self;
        let clock = seconds != 0 || nanosecond != 0;
        // How much there is is kept in a register: what is written in many parts would else wait for it at each.
        let mut n = 0;
        if negative && (days != 0 || clock) {
            n = put(out, n, *b"-");
        }
        n = put(out, n, *b"P");
        if days != 0 || !clock {
            n = number(out, n, days);
            n = put(out, n, *b"D");
        }
        if clock {
            n = put(out, n, *b"T");
            n = number(out, n, u64::from(seconds));
            if nanosecond != 0 {
                n = put(out, n, *b".");
                let micros = nanosecond / 1000;
                let mut digits = u64::from_le_bytes(eight(micros % 1_000_000 * 100));
                if micros * 1000 != nanosecond {
                    // No classes have these, so it need not be fast.
                    let [a, b, c, d, e, f, ..] = digits.to_le_bytes();
                    n = put(out, n, [a, b, c, d, e, f]);
                    let ([a, b], c) = (two(nanosecond / 10 % 100), b'0' + (nanosecond % 10) as u8);
                    digits = u64::from_le_bytes([a, b, c, b'0', b'0', b'0', b'0', b'0']);
                }
                // Without what is zero at the end: the last is the highest.
                let len = 8 - (digits ^ ZEROS).leading_zeros() as usize / 8;
                put(out, n, digits.to_le_bytes());
                n += len;
            }
            n = put(out, n, *b"S");
        }
        n
    }
}

/// Eight zeros, as digits.
const ZEROS: u64 = u64::from_le_bytes(*b"00000000");

/// Writes bytes, all of them ASCII, at a place: what stands behind them. How many is known when this is compiled: they
/// are a few stores, where a slice is a call.
#[inline(always)]
fn put<const N: usize>(out: &mut [u8], at: usize, bytes: [u8; N]) -> usize {
    if let Some(to) = out.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
        *to = bytes;
    }
    at + N
}

/// The same of a number without leading zeros.
#[inline(always)]
fn number(out: &mut [u8], at: usize, v: u64) -> usize {
    at + out.get_mut(at..).and_then(|rest| rest.first_chunk_mut()).map_or(0, |room| write_u64(v, room))
}

/// Writes an offset in whole minutes, within what two digits of hours below 24 can say, at a place: what stands behind it.
#[inline(never)]
fn offset_text(seconds: i32, style: TimeStyle, out: &mut [u8; Time::TEXT], at: usize) -> usize {
    let minutes = seconds.saturating_add(30).div_euclid(60).clamp(-1439, 1439);
    if minutes == 0 && style.utc_z {
        return put(out, at, [b'Z']);
    }
    let sign = if minutes < 0 { b'-' } else { b'+' };
    let minutes = minutes.unsigned_abs();
    let ([a, b], [c, d]) = (two(minutes / 60), two(minutes % 60));
    put(out, at, [sign, a, b, b':', c, d])
}

/// Two digits: those of a number that has no more. Of any other, which no field is but for a mistake, they are some.
#[inline(always)]
fn two(v: u32) -> [u8; 2] {
    PAIRS[(v & 127) as usize]
}

/// The same, as the lowest two bytes of a word: processors write one word sooner than its parts.
#[inline(always)]
fn pair(v: u32) -> u64 {
    u16::from_le_bytes(two(v)).into()
}

/// The eight digits of a number that has no more: halves, quarters and eighths of it, all of one size at once.
#[inline(always)]
fn eight(v: u32) -> [u8; 8] {
    let v = u64::from(v / 10_000) | u64::from(v % 10_000) << 32;
    let hundreds = (v * 10_486) >> 20 & 0x0000_007f_0000_007f;
    let v = (v - hundreds * 100) << 16 | hundreds;
    let tens = (v * 103) >> 10 & 0x000f_000f_000f_000f;
    (((v - tens * 10) << 8 | tens) + ZEROS).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};

    use super::*;

    const PLAIN: TimeStyle = TimeStyle { naive_utc: false, utc_z: false, omit_microseconds: false };

    fn string(text: Str<'_>) -> String {
        assert!(text.is_ascii());
        text.utf8().unwrap().to_string()
    }

    fn date(year: i32, month: u8, day: u8) -> String {
        string(Date { year, month, day }.text(&mut [0; Date::TEXT]))
    }

    fn moment(nanosecond: u32, offset: Option<i32>, style: TimeStyle) -> String {
        let date = Date { year: 2018, month: 12, day: 1 };
        let time = Time { hour: 2, minute: 3, second: 4, nanosecond, offset };
        let text = string(DateTime { date, time }.text(style, &mut [0; DateTime::TEXT]));
        assert_eq!(text.strip_prefix("2018-12-01T"), Some(&*string(time.text(style, &mut [0; Time::TEXT]))));
        text
    }

    fn span(negative: bool, days: u64, seconds: u32, nanosecond: u32) -> String {
        string(Duration { negative, days, seconds, nanosecond }.text(&mut [0; Duration::ROOM]))
    }

    #[test]
    fn dates() {
        assert_eq!(date(2018, 12, 1), "2018-12-01");
        assert_eq!(date(1, 1, 1), "0001-01-01");
        assert_eq!(date(0, 1, 31), "0000-01-31");
        assert_eq!(date(9999, 12, 31), "9999-12-31");
        assert_eq!(date(10_000, 1, 1), "+10000-01-01");
        assert_eq!(date(-1, 1, 1), "-0001-01-01");
        assert_eq!(date(-12, 1, 1), "-0012-01-01");
        assert_eq!(date(-123, 1, 1), "-0123-01-01");
        assert_eq!(date(-1234, 1, 1), "-1234-01-01");
        assert_eq!(date(i32::MIN, 1, 1), "-2147483648-01-01");
        assert_eq!(date(i32::MAX, 1, 1), "+2147483647-01-01");
    }

    #[test]
    fn fractions() {
        assert_eq!(moment(0, None, PLAIN), "2018-12-01T02:03:04");
        assert_eq!(moment(5_000, None, PLAIN), "2018-12-01T02:03:04.000005");
        assert_eq!(moment(500_000_000, None, PLAIN), "2018-12-01T02:03:04.500000");
        assert_eq!(moment(123_456_000, None, PLAIN), "2018-12-01T02:03:04.123456");
        assert_eq!(moment(123_456_789, None, PLAIN), "2018-12-01T02:03:04.123456789");
        assert_eq!(moment(1, None, PLAIN), "2018-12-01T02:03:04.000000001");
        assert_eq!(moment(999_999_999, Some(0), PLAIN), "2018-12-01T02:03:04.999999999+00:00");
    }

    #[test]
    fn offsets() {
        for (seconds, text) in [
            (0, "+00:00"),
            (3600, "+01:00"),
            (-3600, "-01:00"),
            (20_700, "+05:45"),
            (-12_600, "-03:30"),
            (1172, "+00:20"),
            (-1172, "-00:20"),
            (29, "+00:00"),
            (30, "+00:01"),
            (-30, "+00:00"),
            (-31, "-00:01"),
            (7169, "+01:59"),
            (7170, "+02:00"),
            (-7170, "-01:59"),
            (-7171, "-02:00"),
            (86_340, "+23:59"),
            (86_399, "+23:59"),
            (-86_399, "-23:59"),
            (i32::MAX, "+23:59"),
            (i32::MIN, "-23:59"),
        ] {
            assert_eq!(
                moment(0, Some(seconds), PLAIN),
                "2018-12-01T02:03:04".to_string() + text,
                "{seconds}"
            );
        }
    }

    #[test]
    fn styles() {
        let utc = TimeStyle { naive_utc: true, ..PLAIN };
        let zulu = TimeStyle { utc_z: true, ..PLAIN };
        let whole = TimeStyle { omit_microseconds: true, ..PLAIN };
        let all = TimeStyle { naive_utc: true, utc_z: true, omit_microseconds: true };
        assert_eq!(moment(0, None, utc), "2018-12-01T02:03:04+00:00");
        assert_eq!(moment(0, Some(3600), utc), "2018-12-01T02:03:04+01:00");
        assert_eq!(moment(0, None, zulu), "2018-12-01T02:03:04");
        assert_eq!(moment(0, Some(0), zulu), "2018-12-01T02:03:04Z");
        assert_eq!(moment(0, Some(3600), zulu), "2018-12-01T02:03:04+01:00");
        assert_eq!(moment(999_999_999, Some(0), whole), "2018-12-01T02:03:04+00:00");
        assert_eq!(moment(999_999_000, None, all), "2018-12-01T02:03:04Z");
    }

    #[test]
    fn spans() {
        assert_eq!(span(false, 0, 0, 0), "P0D");
        assert_eq!(span(true, 0, 0, 0), "P0D");
        assert_eq!(span(false, 2, 0, 0), "P2D");
        assert_eq!(span(false, 0, 3600, 0), "PT3600S");
        assert_eq!(span(false, 1, 2, 3_000), "P1DT2.000003S");
        assert_eq!(span(true, 0, 1, 0), "-PT1S");
        assert_eq!(span(true, 3, 0, 1), "-P3DT0.000000001S");
        assert_eq!(span(false, 0, 0, 500_000_000), "PT0.5S");
        assert_eq!(span(false, 0, 86_399, 120_000_000), "PT86399.12S");
        assert_eq!(span(true, 999_999_999, 0, 0), "-P999999999D");
    }

    #[test]
    fn the_longest_texts_fit() {
        let date = Date { year: i32::MIN, month: 12, day: 31 };
        let time = Time { hour: 255, minute: 255, second: 255, nanosecond: u32::MAX, offset: Some(i32::MIN) };
        let mut out = [0; DateTime::TEXT];
        assert_eq!(date.text(&mut [0; Date::TEXT]).bytes().len(), Date::TEXT);
        assert_eq!(time.text(PLAIN, &mut [0; Time::TEXT]).bytes().len(), Time::TEXT);
        assert_eq!(DateTime { date, time }.text(PLAIN, &mut out).bytes().len(), DateTime::TEXT);
        assert_eq!(span(true, u64::MAX, u32::MAX, u32::MAX).len(), Duration::TEXT);
    }
}
