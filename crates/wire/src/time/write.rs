//! The text of moments and spans.
//!
//! What may surprise: RFC 3339 has no seconds in an offset, and old local times have them. Such
//! an offset is rounded to the nearest minute (half a minute upwards) and the local fields stay
//! as they are, so the text names a moment that is up to half a minute off. No text is ever
//! longer than its `TEXT`, whatever the fields hold.

use super::{Date, DateTime, Duration, Time, TimeStyle};
use crate::Str;
use crate::buf::PAIRS;
use crate::number::write_u64;

impl Date {
    /// The longest text, with a sign and ten digits of a year.
    pub const TEXT: usize = 17;

    /// RFC 3339 `full-date`: `2018-12-01`. A year that has no four digits has a sign, as in
    /// ISO 8601: `+10000-01-01`, `-0001-01-01`.
    #[inline]
    pub fn text(self, out: &mut [u8; Self::TEXT]) -> Str<'_> {
        let n = self.write(out);
        text(out, n)
    }

    /// Writes the text at the front of `out`, and says how long it is. What does not fit into
    /// fewer than `TEXT` bytes is left out.
    pub fn write(self, out: &mut [u8]) -> usize {
        let mut text = Text::new(out);
        text.date(&self);
        text.len
    }
}

impl Time {
    /// The longest text, with nine digits of a fraction and an offset.
    pub const TEXT: usize = 24;

    /// RFC 3339 `full-time`, or `partial-time` if the time has no offset: `02:03:04.000005+01:00`.
    ///
    /// The fraction has six digits if they suffice, else nine, and is absent if it is zero.
    pub fn text(self, style: TimeStyle, out: &mut [u8; Self::TEXT]) -> Str<'_> {
        let n = self.write(style, out);
        text(out, n)
    }

    /// As [`Date::write`].
    pub fn write(self, style: TimeStyle, out: &mut [u8]) -> usize {
        let mut text = Text::new(out);
        text.time(&self, style);
        text.len
    }
}

impl DateTime {
    /// The longest text: a date, `T`, and a time.
    pub const TEXT: usize = Date::TEXT + 1 + Time::TEXT;

    /// RFC 3339 `date-time`: `2018-12-01T02:03:04.000005+01:00`, without an offset if it has none.
    ///
    /// The parts are spelled as [`Date::text`] and [`Time::text`] spell them.
    pub fn text(self, style: TimeStyle, out: &mut [u8; Self::TEXT]) -> Str<'_> {
        let n = self.write(style, out);
        text(out, n)
    }

    /// As [`Date::write`].
    pub fn write(self, style: TimeStyle, out: &mut [u8]) -> usize {
        let mut text = Text::new(out);
        text.date(&self.date);
        text.put([b'T']);
        text.time(&self.time, style);
        text.len
    }
}

/// What was written at the front of `out`. It is ASCII, which looking proves.
fn text(out: &[u8], n: usize) -> Str<'_> {
    Str::unchecked(out.get(..n).unwrap_or_default())
}

impl Duration {
    /// The longest text, with twenty digits of days and ten of seconds.
    pub const TEXT: usize = 45;

    /// ISO 8601, in days and seconds only: `P1DT2.000003S`, `-PT1S`, `P0D`.
    ///
    /// Hours and minutes would say the same in more ways than one. The fraction has no trailing zeros.
    pub fn text(self, out: &mut [u8; Self::TEXT]) -> Str<'_> {
        let mut all = Text::new(out);
        let Duration { negative, days, seconds, nanosecond } = self;
        let clock = seconds != 0 || nanosecond != 0;
        if negative && (days != 0 || clock) {
            all.put([b'-']);
        }
        all.put([b'P']);
        if days != 0 || !clock {
            all.number(days);
            all.put([b'D']);
        }
        if clock {
            all.put([b'T']);
            all.number(u64::from(seconds));
            if nanosecond != 0 {
                let digits = nine(nanosecond);
                let len = digits.iter().rposition(|&digit| digit != b'0').map_or(1, |last| last + 1);
                all.put([b'.']);
                all.put_slice(digits.get(..len).unwrap_or_default());
            }
            all.put([b'S']);
        }
        let n = all.len;
        text(out, n)
    }
}

/// A text that grows in the caller's bytes.
struct Text<'b> {
    out: &'b mut [u8],
    len: usize,
}

impl<'b> Text<'b> {
    #[inline(always)]
    fn new(out: &'b mut [u8]) -> Self {
        Text { out, len: 0 }
    }

    /// Appends bytes, all of them ASCII. How many is known when this is compiled: they are a few
    /// stores, where a slice is a call.
    #[inline(always)]
    fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        if let Some(to) = self.out.get_mut(self.len..).and_then(|rest| rest.first_chunk_mut()) {
            *to = bytes;
            self.len += N;
        }
    }

    fn put_slice(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        if let Some(to) = self.out.get_mut(self.len..end) {
            to.copy_from_slice(bytes);
            self.len = end;
        }
    }

    /// Appends a number without leading zeros.
    fn number(&mut self, v: u64) {
        let mut digits = [0; 32];
        let len = write_u64(v, &mut digits);
        self.put_slice(digits.get(..len).unwrap_or_default());
    }

    // By reference here and below: fields that were written one by one and are read as one word, as
    // a copy would, must all have arrived first.
    #[inline(always)]
    fn date(&mut self, date: &Date) {
        let ([e, f], [g, h]) = (two(u32::from(date.month)), two(u32::from(date.day)));
        if let Ok(year @ 0..=9999) = u32::try_from(date.year) {
            let ([a, b], [c, d]) = (two(year / 100), two(year % 100));
            self.put([a, b, c, d, b'-', e, f, b'-', g, h]);
        } else {
            self.far_year(date.year);
            self.put([b'-', e, f, b'-', g, h]);
        }
    }

    /// A year that four digits cannot say, which hardly any calendar has.
    #[cold]
    #[inline(never)]
    fn far_year(&mut self, year: i32) {
        self.put(if year < 0 { [b'-'] } else { [b'+'] });
        let year = u64::from(year.unsigned_abs());
        for limit in [1000, 100, 10] {
            if year < limit {
                self.put([b'0']);
            }
        }
        self.number(year);
    }

    #[inline(always)]
    fn time(&mut self, time: &Time, style: TimeStyle) {
        let ([a, b], [c, d], [e, f]) =
            (two(u32::from(time.hour)), two(u32::from(time.minute)), two(u32::from(time.second)));
        self.put([a, b, b':', c, d, b':', e, f]);
        if time.nanosecond != 0 && !style.omit_microseconds {
            let [a, b, c, d, e, f, g, h, i] = nine(time.nanosecond);
            self.put([b'.', a, b, c, d, e, f]);
            if [g, h, i] != *b"000" {
                self.put([g, h, i]);
            }
        }
        match if style.naive_utc { time.offset.or(Some(0)) } else { time.offset } {
            Some(0) if style.utc_z => self.put([b'Z']),
            Some(offset) => self.offset(offset, style),
            None => {}
        }
    }

    /// An offset in whole minutes, within what two digits of hours below 24 can say.
    #[inline(never)]
    fn offset(&mut self, seconds: i32, style: TimeStyle) {
        let minutes = seconds.saturating_add(30).div_euclid(60).clamp(-1439, 1439);
        if minutes == 0 && style.utc_z {
            return self.put([b'Z']);
        }
        let sign = if minutes < 0 { b'-' } else { b'+' };
        let minutes = minutes.unsigned_abs();
        let ([a, b], [c, d]) = (two(minutes / 60), two(minutes % 60));
        self.put([sign, a, b, b':', c, d]);
    }
}

/// Two digits; of a longer number the last two.
#[inline(always)]
fn two(v: u32) -> [u8; 2] {
    // Fields are in range but for a mistake, and a comparison costs less than a division.
    match PAIRS.get(v as usize) {
        Some(pair) => *pair,
        None => last_two(v),
    }
}

/// A function of its own, or the compiler divides in any case and then chooses.
#[cold]
#[inline(never)]
fn last_two(v: u32) -> [u8; 2] {
    PAIRS[(v % 100) as usize]
}

/// Nine digits; of a longer number the last nine.
#[inline]
fn nine(v: u32) -> [u8; 9] {
    let (micros, rest) = (v / 1000, v % 1000);
    let ([a, b], [c, d]) = (two(micros / 10_000 % 100), two(micros / 100 % 100));
    let ([e, f], [g, h]) = (two(micros % 100), two(rest / 10));
    [a, b, c, d, e, f, g, h, b'0' + (rest % 10) as u8]
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
        string(Duration { negative, days, seconds, nanosecond }.text(&mut [0; Duration::TEXT]))
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
