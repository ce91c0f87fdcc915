//! Moments, dates, times of day and spans, as plain fields, with their text in RFC 3339 and
//! ISO 8601 and their place on the Unix time line.
//!
//! The fields are public and are not checked when they are set: whoever fills them has them
//! from a library that did check, or from [`Date::parse`] and its kin, which do. Fields out of
//! range give a wrong text, never a panic. The calendar is the Gregorian one, also before 1582.

mod read;
mod write;

/// Seconds in a day; leap seconds have no place in Unix time.
const DAY: i64 = 86_400;

/// The Unix time of `0000-01-01T00:00:00Z`.
const FIRST_SECOND: i64 = -62_167_219_200;

/// The Unix time of `9999-12-31T23:59:59Z`.
const LAST_SECOND: i64 = 253_402_300_799;

/// How moments are spelled as text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeStyle {
    /// A moment without an offset is spelled as UTC.
    pub naive_utc: bool,
    /// An offset of zero is spelled `Z` instead of `+00:00`.
    pub utc_z: bool,
    /// The fraction of a second is left out. Nothing is rounded.
    pub omit_microseconds: bool,
}

/// A day of the calendar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Date {
    /// The year; 0 is the year before 1.
    pub year: i32,
    /// The month, from 1.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
}

/// A time of day, by the local clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Time {
    /// The hour, below 24.
    pub hour: u8,
    /// The minute, below 60.
    pub minute: u8,
    /// The second, below 60: there are no leap seconds.
    pub second: u8,
    /// The fraction of a second, below 1,000,000,000.
    pub nanosecond: u32,
    /// How many seconds the local clock is ahead of UTC, less than a day either way; `None` if nobody knows.
    pub offset: Option<i32>,
}

/// A day with a time of day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DateTime {
    /// The day, by the local calendar.
    pub date: Date,
    /// The time of day, by the local clock.
    pub time: Time,
}

/// A moment on the Unix time line, as binary formats write it: any that 64 bits can count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instant {
    /// Whole seconds since the start of 1970, rounded to the past.
    pub seconds: i64,
    /// Nanoseconds beyond these, below 1,000,000,000.
    pub nanosecond: u32,
}

/// A span of time. The sign is apart, so that the other fields are the digits of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Duration {
    /// Whether the span points to the past.
    pub negative: bool,
    /// Whole days, of 86,400 seconds each.
    pub days: u64,
    /// Whole seconds beyond the days, below 86,400.
    pub seconds: u32,
    /// The fraction of a second, below 1,000,000,000.
    pub nanosecond: u32,
}

impl DateTime {
    /// The moment, in UTC, that is so many seconds and nanoseconds after the start of 1970.
    ///
    /// `None` outside of the years 0 to 9999, which are all that RFC 3339 can spell, and if
    /// `nanosecond` is a whole second or more.
    #[inline(never)]
    pub fn from_unix(seconds: i64, nanosecond: u32) -> Option<DateTime> {
        let since = seconds.wrapping_sub(FIRST_SECOND) as u64;
        if since > (LAST_SECOND - FIRST_SECOND) as u64 || nanosecond >= 1_000_000_000 {
            return None;
        }
        let date = civil((since / DAY as u64) as u32);
        let second = (since % DAY as u64) as u32;
        let time = Time {
            hour: (second / 3600) as u8,
            minute: (second / 60 % 60) as u8,
            second: (second % 60) as u8,
            nanosecond,
            offset: Some(0),
        };
        Some(DateTime { date, time })
    }

    /// The nearest moment in whole microseconds, the later of two, for whoever leaves out what is beyond them; `None` after
    /// the year 9999.
    #[inline(always)]
    pub fn rounded(self) -> Option<DateTime> {
        let nanos = self.time.nanosecond;
        if nanos - thousandth(nanos) * 1000 < 500 { Some(self) } else { self.rounded_up() }
    }

    #[cold]
    #[inline(never)]
    fn rounded_up(self) -> Option<DateTime> {
        let offset = self.time.offset;
        let nanosecond = self.time.nanosecond + 500;
        let local = DateTime { time: Time { offset: None, ..self.time }, ..self };
        let (seconds, _) = local.to_unix();
        let seconds = seconds + i64::from(nanosecond / 1_000_000_000);
        let mut new = DateTime::from_unix(seconds, nanosecond % 1_000_000_000)?;
        new.time.offset = offset;
        Some(new)
    }

    /// Whole seconds since the start of 1970, rounded to the past, and nanoseconds beyond them.
    /// A moment without an offset is taken to be UTC.
    #[inline(always)]
    pub fn to_unix(self) -> (i64, u32) {
        let Time { hour, minute, second, nanosecond, offset } = self.time;
        let clock = i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second);
        (days_from_civil(self.date) * DAY + clock - i64::from(offset.unwrap_or(0)), nanosecond)
    }
}

/// A thousandth, rounded down, as the quickest code has it: where code is compiled for the least size, it would divide.
#[inline(always)]
pub const fn thousandth(v: u32) -> u32 {
    ((v as u64 * 274_877_907) >> 38) as u32
}

/// Days in an era of 400 years, after which the calendar repeats.
const ERA: i64 = 146_097;

/// Days from the first of March of the year 0 to the start of 1970.
const EPOCH: i64 = 719_468;

/// How many days after 1970-01-01 a day is.
///
/// After Howard Hinnant's `days_from_civil`: years begin in March, so that the leap day is the
/// last of its year and the months' lengths follow one straight line.
#[inline]
pub const fn days_from_civil(date: Date) -> i64 {
    // Without signs, where dividing is cheap: years are counted from before the first that there is.
    const ERAS: i64 = 5_368_710;
    let month = date.month as u64;
    let year = (date.year as i64 + 400 * ERAS) as u64 - (month <= 2) as u64;
    let march = if month > 2 { month - 3 } else { month + 9 };
    let day = (153 * march + 2) / 5 + date.day as u64;
    (year * 365 + year / 4 - year / 100 + year / 400 + day) as i64 - (EPOCH + 1 + ERA * ERAS)
}

/// The day that is so many days after the first of the year 0, of the first 10,000 years.
///
/// The inverse, likewise after Howard Hinnant: an era earlier there is a March to count from, and nothing has a sign.
#[inline]
fn civil(days: u32) -> Date {
    let days = days + ERA as u32 - 60;
    let century = (4 * days + 3) / 146_097;
    let rest = days - 146_097 * century / 4;
    let year = (4 * rest + 3) / 1461;
    let day = rest - 1461 * year / 4;
    let march = (5 * day + 2) / 153;
    let month = if march < 10 { march + 3 } else { march - 9 };
    let year = 100 * century + year + u32::from(month <= 2);
    Date { year: year as i32 - 400, month: month as u8, day: (day - (153 * march + 2) / 5 + 1) as u8 }
}

/// How many days a month has; none if there is no such month.
#[inline(never)]
fn days_in_month(year: i32, month: u8) -> u8 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_ten_thousand_years() {
        let first = days_from_civil(Date { year: 0, month: 1, day: 1 });
        let mut days = first;
        assert_eq!(days * DAY, FIRST_SECOND);
        for year in 0..=9999 {
            for month in 1..=12 {
                for day in 1..=days_in_month(year, month) {
                    let date = Date { year, month, day };
                    assert_eq!(days_from_civil(date), days);
                    assert_eq!(civil((days - first) as u32), date);
                    days += 1;
                }
            }
        }
        assert_eq!(days * DAY - 1, LAST_SECOND);
    }

    #[test]
    fn thousandths() {
        for v in (0..=u32::MAX).step_by(997).chain([499, 500, 999, 1000, 999_999_999, u32::MAX]) {
            assert_eq!(thousandth(v), v / 1000);
        }
    }

    #[test]
    fn days_that_are_known() {
        for (year, month, day, days) in [
            (1970, 1, 1, 0),
            (1969, 12, 31, -1),
            (2000, 2, 29, 11_016),
            (2038, 1, 19, 24_855),
            (-1, 12, 31, -719_529),
        ] {
            let date = Date { year, month, day };
            assert_eq!(days_from_civil(date), days);
        }
    }

    #[test]
    fn fields_out_of_range_do_not_panic() {
        for field in 0..=255 {
            let date = Date { year: i32::MIN, month: field, day: field };
            let time = Time {
                hour: field,
                minute: field,
                second: field,
                nanosecond: u32::MAX,
                offset: Some(i32::MIN),
            };
            DateTime { date, time }.to_unix();
        }
    }

    #[test]
    fn unix_time_both_ways() {
        for (seconds, year, month, day, hour, minute, second) in [
            (0, 1970, 1, 1, 0, 0, 0),
            (-1, 1969, 12, 31, 23, 59, 59),
            (1_543_629_784, 2018, 12, 1, 2, 3, 4),
            (FIRST_SECOND, 0, 1, 1, 0, 0, 0),
            (LAST_SECOND, 9999, 12, 31, 23, 59, 59),
        ] {
            let time = Time { hour, minute, second, nanosecond: 7, offset: Some(0) };
            let moment = DateTime { date: Date { year, month, day }, time };
            assert_eq!(DateTime::from_unix(seconds, 7), Some(moment));
            assert_eq!(moment.to_unix(), (seconds, 7));
        }
    }

    #[test]
    fn offsets_count_and_none_is_utc() {
        let date = Date { year: 1970, month: 1, day: 1 };
        for (offset, seconds) in
            [(None, 3600), (Some(0), 3600), (Some(3600), 0), (Some(-7200), 10_800), (Some(3601), -1)]
        {
            let time = Time { hour: 1, minute: 0, second: 0, nanosecond: 0, offset };
            assert_eq!(DateTime { date, time }.to_unix(), (seconds, 0));
        }
    }

    #[test]
    fn unix_time_that_rfc_3339_cannot_spell() {
        assert_eq!(DateTime::from_unix(FIRST_SECOND - 1, 0), None);
        assert_eq!(DateTime::from_unix(LAST_SECOND + 1, 0), None);
        assert_eq!(DateTime::from_unix(i64::MIN, 0), None);
        assert_eq!(DateTime::from_unix(i64::MAX, 0), None);
        assert_eq!(DateTime::from_unix(0, 1_000_000_000), None);
    }
}
