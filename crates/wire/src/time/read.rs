//! Reading moments and spans, as strictly as their standards are.
//!
//! What may surprise: a fraction may be of any length, and digits beyond the ninth are cut off,
//! not rounded, so that a moment never moves into the next second. Leap seconds (`23:59:60`)
//! and the hour 24 are refused, since Unix time has no place for them. The offset `-00:00`,
//! "offset unknown" in RFC 3339, reads as UTC.

use super::{DAY, Date, DateTime, Duration, Time, days_in_month};

impl Date {
    /// Reads RFC 3339 `full-date`: `2018-12-01`. The day must exist; the year has four digits, `0000` too.
    pub fn parse(text: &[u8]) -> Option<Date> {
        let mut rest = text;
        let date = date(&mut rest)?;
        rest.is_empty().then_some(date)
    }
}

impl Time {
    /// Reads RFC 3339 `full-time` or `partial-time`: `02:03:04.5+01:00`, `02:03:04Z`, `02:03:04`.
    ///
    /// `Z` may be `z`, and the colon of the offset may be absent.
    pub fn parse(text: &[u8]) -> Option<Time> {
        let mut rest = text;
        let time = time(&mut rest)?;
        rest.is_empty().then_some(time)
    }
}

impl DateTime {
    /// Reads RFC 3339 `date-time`, or one without an offset: `2018-12-01T02:03:04+01:00`.
    ///
    /// `t` or a space may stand for `T`; the rest is as in [`Date::parse`] and [`Time::parse`].
    pub fn parse(text: &[u8]) -> Option<DateTime> {
        let mut rest = text;
        let date = date(&mut rest)?;
        if !matches!(byte(&mut rest)?, b'T' | b't' | b' ') {
            return None;
        }
        let time = time(&mut rest)?;
        rest.is_empty().then_some(DateTime { date, time })
    }
}

/// The units before `T`, largest first, and their seconds. Years and months have no fixed length.
const DATE_UNITS: [(u8, u64); 1] = [(b'D', DAY as u64)];

/// The units after `T`, largest first, and their seconds.
const TIME_UNITS: [(u8, u64); 3] = [(b'H', 3600), (b'M', 60), (b'S', 1)];

/// The unit that stands alone.
const WEEK: (u8, u64) = (b'W', 7 * DAY as u64);

impl Duration {
    /// Reads an ISO 8601 duration: `P1DT2H3M4.5S` or `P2W`, in either case, after an optional sign.
    ///
    /// The last unit may have a fraction, after `.` or `,`; what lies beyond nanoseconds is cut
    /// off. `None` for years and months, whose length is not fixed, and for what `u64` days
    /// cannot hold. The fields come out within their ranges: `PT90000S` is a day and an hour,
    /// and nothing at all is never negative.
    pub fn parse(text: &[u8]) -> Option<Duration> {
        let (negative, mut rest) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        if !byte(&mut rest)?.eq_ignore_ascii_case(&b'P') || rest.is_empty() {
            return None;
        }
        let mut span = Span { days: 0, seconds: 0, nanosecond: 0, ended: false };
        if rest.last()?.eq_ignore_ascii_case(&b'W') {
            span.part(&mut rest, &[WEEK])?;
        } else {
            if !rest[0].eq_ignore_ascii_case(&b'T') {
                span.part(&mut rest, &DATE_UNITS)?;
            }
            if let [b'T' | b't', clock @ ..] = rest {
                rest = clock;
                span.part(&mut rest, &TIME_UNITS)?;
            }
        }
        if !rest.is_empty() {
            return None;
        }
        let days = span.days.checked_add(span.seconds / DAY as u64)?;
        let seconds = (span.seconds % DAY as u64) as u32;
        let nanosecond = span.nanosecond;
        let negative = negative && (days != 0 || seconds != 0 || nanosecond != 0);
        Some(Duration { negative, days, seconds, nanosecond })
    }
}

const BILLION: u64 = 1_000_000_000;

/// A duration as far as it has been read.
struct Span {
    days: u64,
    /// Three parts of a day at most, and a part of a week.
    seconds: u64,
    nanosecond: u32,
    /// A fraction was read: nothing may follow.
    ended: bool,
}

impl Span {
    /// Reads numbers with their units, one at least, up to the end or a `T`; each unit once, in order.
    fn part(&mut self, rest: &mut &[u8], units: &[(u8, u64)]) -> Option<()> {
        let mut units = units.iter();
        loop {
            if self.ended {
                return None;
            }
            let whole = number(rest)?;
            let fraction = match rest {
                [b'.' | b',', digits @ ..] => {
                    *rest = digits;
                    self.ended = true;
                    fraction(rest, 18)?
                }
                _ => 0,
            };
            let unit = byte(rest)?.to_ascii_uppercase();
            let seconds = units.find(|known| known.0 == unit)?.1;
            // Nothing has more than 64 bits so: half of the digits at a time, and days by themselves.
            if fraction != 0 {
                let nanoseconds = fraction / BILLION * seconds + fraction % BILLION * seconds / BILLION;
                self.seconds += nanoseconds / BILLION;
                self.nanosecond = (nanoseconds % BILLION) as u32;
            }
            // What is less than a day, as most is, is not divided.
            match whole.checked_mul(seconds) {
                Some(all) if all < DAY as u64 => self.seconds += all,
                _ => {
                    let (day, units) = (DAY as u64, (DAY as u64 / seconds).max(1));
                    let days = (whole / units).checked_mul((seconds / day).max(1))?;
                    self.days = self.days.checked_add(days)?;
                    self.seconds += whole % units * seconds;
                }
            }
            if matches!(rest, [] | [b'T' | b't', ..]) {
                return Some(());
            }
        }
    }
}

/// The next byte.
#[inline]
fn byte(rest: &mut &[u8]) -> Option<u8> {
    let (&first, after) = rest.split_first()?;
    *rest = after;
    Some(first)
}

/// What eight bytes of text must be: a digit wherever it has `0`, and else what it has.
struct Form {
    marks: u64,
    /// By how much each byte may be more than that, less than the highest bit.
    room: u64,
}

impl Form {
    const fn new(text: [u8; 8]) -> Form {
        let mut room = [0x7f; 8];
        let mut i = 0;
        while i < 8 {
            if text[i] == b'0' {
                room[i] -= 9;
            }
            i += 1;
        }
        Form { marks: u64::from_le_bytes(text), room: u64::from_le_bytes(room) }
    }

    /// The next eight bytes, if they have this form: each digit as the number of two digits that begins with it.
    #[inline(always)]
    fn take(&self, rest: &mut &[u8]) -> Option<[u8; 8]> {
        let (text, after) = rest.split_first_chunk()?;
        let v = u64::from_le_bytes(*text) ^ self.marks;
        if (v | v.wrapping_add(self.room)) & 0x8080_8080_8080_8080 != 0 {
            return None;
        }
        *rest = after;
        Some((v * 10 + (v >> 8)).to_le_bytes())
    }
}

/// The value of the next byte as a digit.
#[inline]
fn digit(rest: &mut &[u8]) -> Option<u8> {
    let digit = byte(rest)?.wrapping_sub(b'0');
    (digit < 10).then_some(digit)
}

/// A number of two digits.
#[inline]
fn two(rest: &mut &[u8]) -> Option<u8> {
    let (&[tens, ones], after) = rest.split_first_chunk()?;
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    *rest = after;
    (tens < 10 && ones < 10).then(|| tens * 10 + ones)
}

/// A number of two digits, below a limit.
#[inline]
fn below(rest: &mut &[u8], limit: u8) -> Option<u8> {
    two(rest).filter(|&v| v < limit)
}

/// A number of one digit at least, within 64 bits.
fn number(rest: &mut &[u8]) -> Option<u64> {
    let mut v = u64::from(digit(rest)?);
    while let [b'0'..=b'9', ..] = rest {
        v = v.checked_mul(10)?.checked_add(u64::from(digit(rest)?))?;
    }
    Some(v)
}

/// The digits of a fraction, one at least, as if there were `len` of them: the rest is cut off.
#[inline]
fn fraction(rest: &mut &[u8], len: usize) -> Option<u64> {
    let (mut v, mut n) = (0, 0);
    while let Some(b @ b'0'..=b'9') = rest.get(n) {
        if n < len {
            v = v * 10 + u64::from(b - b'0');
        }
        n += 1;
    }
    *rest = rest.get(n..)?;
    for _ in n..len {
        v *= 10;
    }
    (n > 0).then_some(v)
}

#[inline]
fn date(rest: &mut &[u8]) -> Option<Date> {
    const MONTH: Form = Form::new(*b"0000-00-");
    let [century, _, year, _, _, month, ..] = MONTH.take(rest)?;
    let year = i32::from(century) * 100 + i32::from(year);
    let day = two(rest)?;
    (1..=days_in_month(year, month)).contains(&day).then_some(Date { year, month, day })
}

#[inline]
fn time(rest: &mut &[u8]) -> Option<Time> {
    const CLOCK: Form = Form::new(*b"00:00:00");
    let [hour, _, _, minute, _, _, second, _] = CLOCK.take(rest)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let mut nanosecond = 0;
    if let [b'.', digits @ ..] = rest {
        *rest = digits;
        nanosecond = fraction(rest, 9)? as u32;
    }
    Some(Time { hour, minute, second, nanosecond, offset: offset(rest)? })
}

/// The offset, if there is one: the outer `None` is a fault.
#[inline]
fn offset(rest: &mut &[u8]) -> Option<Option<i32>> {
    if rest.is_empty() {
        return Some(None);
    }
    let sign = match byte(rest)? {
        b'Z' | b'z' => return Some(Some(0)),
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let hours = i32::from(below(rest, 24)?);
    if let [b':', minutes @ ..] = rest {
        *rest = minutes;
    }
    let minutes = i32::from(below(rest, 60)?);
    Some(Some(sign * (hours * 3600 + minutes * 60)))
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::super::TimeStyle;
    use super::*;

    fn time(text: &str) -> Option<(u8, u8, u8, u32, Option<i32>)> {
        Time::parse(text.as_bytes()).map(|t| (t.hour, t.minute, t.second, t.nanosecond, t.offset))
    }

    fn span(text: &str) -> Option<(bool, u64, u32, u32)> {
        Duration::parse(text.as_bytes()).map(|d| (d.negative, d.days, d.seconds, d.nanosecond))
    }

    #[test]
    fn dates() {
        assert_eq!(Date::parse(b"2018-12-01"), Some(Date { year: 2018, month: 12, day: 1 }));
        assert_eq!(Date::parse(b"0000-02-29"), Some(Date { year: 0, month: 2, day: 29 }));
        assert_eq!(Date::parse(b"9999-12-31"), Some(Date { year: 9999, month: 12, day: 31 }));
        for good in ["2000-02-29", "2024-02-29", "2023-02-28", "2023-04-30", "2023-11-30", "1900-02-28"] {
            assert!(Date::parse(good.as_bytes()).is_some(), "{good}");
        }
        for bad in [
            "",
            "2018",
            "2018-12",
            "2018-12-1",
            "2018-12-011",
            "2018-1-01",
            "18-12-01",
            "2018/12/01",
            "20181201",
            "2018-00-01",
            "2018-13-01",
            "2018-12-00",
            "2018-12-32",
            "2023-04-31",
            "2023-02-29",
            "1900-02-29",
            "+2018-12-01",
            "-001-12-01",
            " 2018-12-01",
            "2018-12-01 ",
            "2018-12-0a",
            "2018-99-99",
        ] {
            assert_eq!(Date::parse(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn times() {
        assert_eq!(time("02:03:04"), Some((2, 3, 4, 0, None)));
        assert_eq!(time("00:00:00Z"), Some((0, 0, 0, 0, Some(0))));
        assert_eq!(time("23:59:59z"), Some((23, 59, 59, 0, Some(0))));
        assert_eq!(time("02:03:04.5"), Some((2, 3, 4, 500_000_000, None)));
        assert_eq!(time("02:03:04.000005+01:00"), Some((2, 3, 4, 5000, Some(3600))));
        assert_eq!(time("02:03:04-0330"), Some((2, 3, 4, 0, Some(-12_600))));
        assert_eq!(time("02:03:04+23:59"), Some((2, 3, 4, 0, Some(86_340))));
        assert_eq!(time("02:03:04-00:00"), Some((2, 3, 4, 0, Some(0))));
        assert_eq!(time("02:03:04.123456789"), Some((2, 3, 4, 123_456_789, None)));
        assert_eq!(time("02:03:04.9999999999999999999999999Z"), Some((2, 3, 4, 999_999_999, Some(0))));
        for bad in [
            "",
            "02",
            "02:03",
            "02:03:04.",
            "02:03:04,5",
            "02:03:04.Z",
            "24:00:00",
            "23:60:00",
            "23:59:60",
            "2:03:04",
            "02:3:04",
            "02:03:4",
            "020304",
            "02:03:04+1:00",
            "02:03:04+01",
            "02:03:04+01:0",
            "02:03:04+24:00",
            "02:03:04+01:60",
            "02:03:04+01:00:00",
            "02:03:04ZZ",
            "02:03:04 Z",
            "02:03:04+",
            "02:03:04+-1:00",
            "02:03:04\0",
            "02:03:04Z ",
            "T02:03:04",
        ] {
            assert_eq!(time(bad), None, "{bad}");
        }
    }

    #[test]
    fn moments() {
        let date = Date { year: 2018, month: 12, day: 1 };
        let time = Time { hour: 2, minute: 3, second: 4, nanosecond: 0, offset: Some(0) };
        for good in ["2018-12-01T02:03:04Z", "2018-12-01t02:03:04+00:00", "2018-12-01 02:03:04+0000"] {
            assert_eq!(DateTime::parse(good.as_bytes()), Some(DateTime { date, time }));
        }
        for bad in [
            "2018-12-01",
            "2018-12-01T",
            "2018-12-01_02:03:04",
            "2018-12-0102:03:04",
            "2018-12-01  02:03:04",
            "2018-02-29T02:03:04",
            "2018-12-01T02:03:60",
            "2018-12-01T02:03:04Zx",
        ] {
            assert_eq!(DateTime::parse(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn spans() {
        assert_eq!(span("P1DT2.000003S"), Some((false, 1, 2, 3000)));
        assert_eq!(span("-PT1S"), Some((true, 0, 1, 0)));
        assert_eq!(span("+p1dt2h3m4s"), Some((false, 1, 7384, 0)));
        assert_eq!(span("P0D"), Some((false, 0, 0, 0)));
        assert_eq!(span("-P0D"), Some((false, 0, 0, 0)));
        assert_eq!(span("P2W"), Some((false, 14, 0, 0)));
        assert_eq!(span("p0.5w"), Some((false, 3, 43_200, 0)));
        assert_eq!(span("P1.5D"), Some((false, 1, 43_200, 0)));
        assert_eq!(span("PT1,25H"), Some((false, 0, 4500, 0)));
        assert_eq!(span("PT0.1M"), Some((false, 0, 6, 0)));
        assert_eq!(span("PT36H"), Some((false, 1, 43_200, 0)));
        assert_eq!(span("PT90000S"), Some((false, 1, 3600, 0)));
        assert_eq!(span("PT1H5S"), Some((false, 0, 3605, 0)));
        assert_eq!(span("PT0.0000000019S"), Some((false, 0, 0, 1)));
        assert_eq!(span("-PT0.0000000009S"), Some((false, 0, 0, 0)));
        assert_eq!(span("P0.99999999999999999999999999W"), Some((false, 6, 86_399, 999_999_999)));
        assert_eq!(span("P18446744073709551615D"), Some((false, u64::MAX, 0, 0)));
        assert_eq!(span("P18446744073709551615DT23H59M59S"), Some((false, u64::MAX, 86_399, 0)));
    }

    #[test]
    fn refused_spans() {
        for bad in [
            "",
            "P",
            "-",
            "-P",
            "PT",
            "P1",
            "1D",
            "P1DT",
            "PT1",
            "P1Y",
            "P1M",
            "P1Y2M3D",
            "PT1D",
            "P1H",
            "P1S",
            "PT1S1M",
            "PT1S2S",
            "P1D1D",
            "P1W1D",
            "P1D1W",
            "P1WT1S",
            "PT1W",
            "P1.5DT1S",
            "PT1.5H3S",
            "PT.5S",
            "PT1.S",
            "P-1D",
            "PT+1S",
            "P1D ",
            " P1D",
            "--P1D",
            "PT1ST1S",
            "P1DTT1S",
            "PTT1S",
            "PT1.5.5S",
            "P1DT1S!",
            "P18446744073709551616D",
            "P18446744073709551615DT24H",
            "P18446744073709551615W",
            "P1e3D",
            "PW",
            "PD",
        ] {
            assert_eq!(span(bad), None, "{bad}");
        }
    }

    #[test]
    fn reads_what_is_written() {
        let (mut date_out, mut time_out) = ([0; Date::TEXT], [0; Time::TEXT]);
        let (mut moment_out, mut span_out) = ([0; DateTime::TEXT], [0; Duration::TEXT]);
        let mut seconds = super::super::FIRST_SECOND;
        let mut nanosecond = 0;
        while let Some(mut moment) = DateTime::from_unix(seconds, nanosecond) {
            let span =
                Duration { negative: seconds < 0, days: seconds.unsigned_abs(), seconds: 7, nanosecond };
            assert_eq!(Duration::parse(span.text(&mut span_out).bytes()), Some(span));
            assert_eq!(Date::parse(moment.date.text(&mut date_out).bytes()), Some(moment.date));
            for offset in [None, Some(0), Some(-86_340), Some(86_340), Some(19_800)] {
                moment.time.offset = offset;
                let style = TimeStyle { utc_z: seconds & 1 == 0, ..TimeStyle::default() };
                assert_eq!(DateTime::parse(moment.text(style, &mut moment_out).bytes()), Some(moment));
                assert_eq!(Time::parse(moment.time.text(style, &mut time_out).bytes()), Some(moment.time));
            }
            seconds += 98_765_432;
            nanosecond = (nanosecond + 777_777_777) % 1_000_000_000;
        }
    }

    #[test]
    fn cut_texts_are_refused_and_nothing_panics() {
        let text = "2018-12-01T02:03:04.5+01:00";
        for end in 0..text.len() {
            let cut = &text[..end];
            // Only where the fraction or the offset has not begun is what stands a moment by itself.
            let whole = end == 19 || end == 21;
            assert_eq!(DateTime::parse(cut.as_bytes()).is_some(), whole, "{cut}");
        }
        for at in 0..text.len() {
            for byte in 0..=255 {
                let mut bytes = text.as_bytes().to_vec();
                bytes[at] = byte;
                DateTime::parse(&bytes);
                Time::parse(&bytes[11..]);
                Duration::parse(&bytes[at..]);
            }
        }
        for unit in ["D", "W", "T1S", "DT1H1M1S"] {
            let text = format!("P{}{unit}", u64::MAX);
            Duration::parse(text.as_bytes());
        }
    }
}
