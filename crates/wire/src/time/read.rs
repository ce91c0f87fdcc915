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
        date(text.try_into().ok()?)
    }
}

impl Time {
    /// Reads RFC 3339 `full-time` or `partial-time`: `02:03:04.5+01:00`, `02:03:04Z`, `02:03:04`.
    ///
    /// `Z` may be `z`, and the colon of the offset may be absent.
    pub fn parse(text: &[u8]) -> Option<Time> {
        moment(text, false).map(|v| v.time)
    }
}

impl DateTime {
    /// Reads RFC 3339 `date-time`, or one without an offset: `2018-12-01T02:03:04+01:00`.
    ///
    /// `t` or a space may stand for `T`; the rest is as in [`Date::parse`] and [`Time::parse`].
    pub fn parse(text: &[u8]) -> Option<DateTime> {
        moment(text, true)
    }
}

/// A date with a time, or a time, which is given some date: both in one function, into which all of it is compiled.
#[inline(never)]
fn moment(text: &[u8], dated: bool) -> Option<DateTime> {
    let (mut rest, mut day) = (text, Date { year: 1970, month: 1, day: 1 });
    if dated {
        let (head, after) = text.split_first_chunk()?;
        day = date(head)?;
        let ([mark], after) = after.split_first_chunk()?;
        if !matches!(mark, b'T' | b't' | b' ') {
            return None;
        }
        rest = after;
    }
    let time = time(rest)?;
    Some(DateTime { date: day, time })
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
                    self.ended = true;
                    let (v, n) = fraction(digits, 18)?;
                    *rest = digits.get(n..)?;
                    v
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
#[inline(always)]
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

    /// Eight bytes that have this form: each digit as the number of two digits that begins with it.
    #[inline(always)]
    fn of(&self, text: &[u8; 8]) -> Option<[u8; 8]> {
        let v = u64::from_le_bytes(*text) ^ self.marks;
        if (v | v.wrapping_add(self.room)) & 0x8080_8080_8080_8080 != 0 {
            return None;
        }
        Some((v * 10 + (v >> 8)).to_le_bytes())
    }
}

/// A number of one digit at least, within 64 bits.
#[inline(always)]
fn number(rest: &mut &[u8]) -> Option<u64> {
    let (mut v, mut n) = (0u64, 0);
    while let Some(b @ b'0'..=b'9') = rest.get(n) {
        let digit = u64::from(b - b'0');
        // So many are within it in any case.
        v = if n < 19 { v * 10 + digit } else { v.checked_mul(10)?.checked_add(digit)? };
        n += 1;
    }
    *rest = rest.get(n..)?;
    (n > 0).then_some(v)
}

/// The digits that a fraction begins with, one at least, as if there were `len` of them, the rest being cut off; and how
/// many there are.
#[inline(never)]
fn fraction(text: &[u8], len: usize) -> Option<(u64, usize)> {
    let (mut v, mut n) = (0, 0);
    while let Some(b @ b'0'..=b'9') = text.get(n) {
        if n < len {
            v = v * 10 + u64::from(b - b'0');
        }
        n += 1;
    }
    for _ in n..len {
        v *= 10;
    }
    (n > 0).then_some((v, n))
}

#[inline(always)]
fn date(text: &[u8; 10]) -> Option<Date> {
    const MONTH: Form = Form::new(*b"0000-00-");
    const DAY: Form = Form::new(*b"00-00-00");
    let [century, _, year, _, _, month, ..] = MONTH.of(text.first_chunk()?)?;
    let day = DAY.of(text.last_chunk()?)?[6];
    let year = i32::from(century) * 100 + i32::from(year);
    // Most days are in every month.
    let usual = month.wrapping_sub(1) < 12 && day.wrapping_sub(1) < 28;
    (usual || day > 28 && day <= days_in_month(year, month)).then_some(Date { year, month, day })
}

#[inline(always)]
fn time(text: &[u8]) -> Option<Time> {
    const CLOCK: Form = Form::new(*b"00:00:00");
    const MICROS: Form = Form::new(*b"0.000000");
    let (clock, mut rest) = text.split_first_chunk()?;
    let [hour, _, _, minute, _, _, second, _] = CLOCK.of(clock)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let mut nanosecond = 0;
    // Six digits, as most have, are read at once, with that before the point. More may follow.
    if let Some((micros, after)) = text.get(7..).and_then(|text| text.split_first_chunk())
        && let Some([_, _, a, _, b, _, c, _]) = MICROS.of(micros)
        && !matches!(after, [b'0'..=b'9', ..])
    {
        nanosecond = ((u32::from(a) * 100 + u32::from(b)) * 100 + u32::from(c)) * 1000;
        rest = after;
    } else if let [b'.', digits @ ..] = rest {
        let (nanos, n) = fraction(digits, 9)?;
        (nanosecond, rest) = (nanos as u32, digits.get(n..)?);
    }
    Some(Time { hour, minute, second, nanosecond, offset: offset(rest)? })
}

/// The offset, if there is one: the outer `None` is a fault.
#[inline(always)]
fn offset(rest: &[u8]) -> Option<Option<i32>> {
    let (sign, [a, b, c, d]) = match *rest {
        [] => return Some(None),
        [b'Z' | b'z'] => return Some(Some(0)),
        [sign, a, b, b':', c, d] | [sign, a, b, c, d] => (sign, [a, b, c, d]),
        _ => return None,
    };
    let digit = |b: u8| b.wrapping_sub(b'0');
    let (a, b, c, d) = (digit(a), digit(b), digit(c), digit(d));
    if a > 9 || b > 9 || c > 5 || d > 9 || a * 10 + b > 23 {
        return None;
    }
    let seconds = (i32::from(a * 10 + b) * 60 + i32::from(c * 10 + d)) * 60;
    match sign {
        b'+' => Some(Some(seconds)),
        b'-' => Some(Some(-seconds)),
        _ => None,
    }
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
        let (mut moment_out, mut span_out) = ([0; DateTime::TEXT], [0; Duration::ROOM]);
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
