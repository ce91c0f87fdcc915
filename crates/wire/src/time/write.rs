//! The text of moments and spans.
//!
//! What may surprise: RFC 3339 has no seconds in an offset, and old local times have them. Such
//! an offset is rounded to the nearest minute (half a minute upwards) and the local fields stay
//! as they are, so the text names a moment that is up to half a minute off. No text is ever
//! longer than its `TEXT`, whatever the fields hold.
//!
//! Nearly all fields are what they should be, and then each stands where it always does: three numbers are made digits at
//! once, and written as a word.

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

    /// Writes the text at the front of `out`, and says how long it is. What does not fit into
    /// fewer than `TEXT` bytes is left out.
    #[inline(never)]
    pub fn write(&self, out: &mut [u8]) -> usize {
        match out.first_chunk_mut() {
            Some(room) if self.year as u32 <= 9999 => {
                self.plain(room);
                10
            }
            _ => self.write_odd(out),
        }
    }

    /// One of the years that have four digits.
    #[inline(always)]
    fn plain(&self, out: &mut [u8; 10]) {
        let (century, year) = (self.year as u32 / 100, self.year as u32 % 100);
        [out[0], out[1]] = two(century);
        out[2..].copy_from_slice(&three([year as u8, self.month, self.day], b'-'));
    }

    /// Any other year, which hardly any calendar has.
    #[cold]
    #[inline(never)]
    fn write_odd(&self, out: &mut [u8]) -> usize {
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
        let [_, _, rest @ ..] = three([0, self.month, self.day], b'-');
        put(out, n, rest)
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
    pub fn write(&self, style: TimeStyle, out: &mut [u8]) -> usize {
        out.first_chunk_mut().map_or(0, |out| self.spell(style, out))
    }

    #[inline(always)]
    fn spell(&self, style: TimeStyle, out: &mut [u8; Self::TEXT]) -> usize {
        out[..8].copy_from_slice(&three([self.hour, self.minute, self.second], b':'));
        let mut n = 8;
        if self.nanosecond != 0 && !style.omit_microseconds {
            let micros = self.nanosecond / 1000;
            let rest = self.nanosecond - micros * 1000;
            // By pairs, which do not wait for each other.
            let ([a, b], [c, d], [e, f]) = (two(micros / 10_000), two(micros / 100 % 100), two(micros % 100));
            out[8..15].copy_from_slice(&[b'.', a, b, c, d, e, f]);
            n = 15;
            if rest != 0 {
                ([out[15], out[16]], out[17]) = (two(rest / 10), b'0' + (rest % 10) as u8);
                n = 18;
            }
        }
        match if style.naive_utc { self.offset.or(Some(0)) } else { self.offset } {
            None => n,
            Some(0) if style.utc_z => {
                out[n] = b'Z';
                n + 1
            }
            Some(0) => {
                out[n..n + 6].copy_from_slice(b"+00:00");
                n + 6
            }
            Some(seconds) => n + offset_text(seconds, style, out.get_mut(n..).unwrap_or_default()),
        }
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
    pub fn write(&self, style: TimeStyle, out: &mut [u8]) -> usize {
        let before = match out.first_chunk_mut() {
            Some(date) if self.date.year as u32 <= 9999 => {
                self.date.plain(date);
                10
            }
            _ => self.date.write_odd(out),
        };
        let Some(([mark], rest)) = out.get_mut(before..).and_then(|out| out.split_first_chunk_mut()) else {
            return before;
        };
        *mark = b'T';
        before + 1 + rest.first_chunk_mut().map_or(0, |time| self.time.spell(style, time))
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

/// Writes an offset in whole minutes, within what two digits of hours below 24 can say: how much it is.
#[inline(never)]
fn offset_text(seconds: i32, style: TimeStyle, out: &mut [u8]) -> usize {
    let minutes = seconds.saturating_add(30).div_euclid(60).clamp(-1439, 1439);
    if minutes == 0 && style.utc_z {
        return put(out, 0, [b'Z']);
    }
    let sign = if minutes < 0 { b'-' } else { b'+' };
    let minutes = minutes.unsigned_abs();
    let ([a, b], [c, d]) = (two(minutes / 60), two(minutes % 60));
    put(out, 0, [sign, a, b, b':', c, d])
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

/// Three numbers of two digits, of longer ones the last two, with a mark between them: all at once.
#[inline(always)]
fn three([a, b, c]: [u8; 3], mark: u8) -> [u8; 8] {
    let mut v = u64::from(a) | u64::from(b) << 24 | u64::from(c) << 48;
    if (v + 0x001c_0000_1c00_001c) & 0x0180_0001_8000_0180 != 0 {
        v = last_twos(v);
    }
    let tens = (v * 103) >> 10 & 0x000f_0000_0f00_000f;
    let marks = u64::from(mark) * 0x0000_0100_0001_0000;
    (((v - tens * 10) << 8 | tens) + 0x3030_0030_3000_3030 + marks).to_le_bytes()
}

#[cold]
#[inline(never)]
fn last_twos(v: u64) -> u64 {
    ((v & 0xff) % 100) | (((v >> 24 & 0xff) % 100) << 24) | ((v >> 48) % 100) << 48
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
