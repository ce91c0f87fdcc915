//! Moments as numbers made of fields, the highest field first, and back: checked, so that what comes out of here exists.

use wire::time::{Date, Time};

const MICROS: u64 = 1_000_000;
const DAY: u64 = 86_400;
const MAX_DAYS: i32 = 999_999_999;

/// A timedelta as Python has it: days with a sign, the rest without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Days.
    pub days: i32,
    /// Seconds, below those of a day.
    pub seconds: u32,
    /// Microseconds, below a million.
    pub micros: u32,
}

/// A day as a number.
pub fn pack_day(d: Date) -> u64 {
    (d.year as u64) << 9 | u64::from(d.month) << 5 | u64::from(d.day)
}

/// The day that a number says, if it exists.
pub fn day(v: u64) -> Option<Date> {
    let (year, month, day) = (v >> 9, (v >> 5 & 15) as u8, (v & 31) as u8);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + u8::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    let exists = (1..=9999).contains(&year) && (1..=last).contains(&day);
    exists.then_some(Date { year: year as i32, month, day })
}

/// A time of day as a number, and whether it is the second of two.
pub fn pack_time(t: Time, fold: bool) -> u64 {
    u64::from(t.hour) << 33
        | u64::from(t.minute) << 27
        | u64::from(t.second) << 21
        | u64::from(t.nanosecond / 1000) << 1
        | u64::from(fold)
}

/// The time that a number says, if it exists, and whether it is the second of two.
pub fn time(v: u64) -> Option<(Time, bool)> {
    let (hour, minute, second, micros) = (v >> 33, v >> 27 & 63, v >> 21 & 63, v >> 1 & 0xf_ffff);
    if hour > 23 || minute > 59 || second > 59 || micros >= MICROS {
        return None;
    }
    let time = Time {
        hour: hour as u8,
        minute: minute as u8,
        second: second as u8,
        nanosecond: micros as u32 * 1000,
        offset: None,
    };
    Some((time, v & 1 == 1))
}

/// A span as four bytes and five.
pub fn pack_span(s: Span) -> [u8; 9] {
    let [a, b, c, d] = s.days.to_le_bytes();
    let [e, f, g, h, i, ..] = (u64::from(s.seconds) << 20 | u64::from(s.micros)).to_le_bytes();
    [a, b, c, d, e, f, g, h, i]
}

/// The span that the bytes say, if it exists.
pub fn span(bytes: [u8; 9]) -> Option<Span> {
    let [a, b, c, d, e, f, g, h, i] = bytes;
    let days = i32::from_le_bytes([a, b, c, d]);
    let v = u64::from_le_bytes([e, f, g, h, i, 0, 0, 0]);
    let (seconds, micros) = (v >> 20, v & 0xf_ffff);
    let exists = (-MAX_DAYS..=MAX_DAYS).contains(&days) && seconds < DAY && micros < MICROS;
    exists.then_some(Span { days, seconds: seconds as u32, micros: micros as u32 })
}
