//! Moments as numbers made of fields, the highest field first, both ways.
//!
//! What may surprise: what does not exist is not looked for here. The interpreter's classes refuse it, and then the helper, which
//! is asked for moments that cannot be made here too, says so.

use py::{Fields, MomentKind};

/// How many bits each field has but the first, of which the rest is.
const BITS: [u32; 8] = [0, 4, 5, 5, 6, 6, 20, 1];
/// The tag of a date. The others follow, those with a zone each after that without.
const DATE: u8 = 0x14;
const TIME: u8 = 0x15;
const DATETIME: u8 = 0x17;
const TIMEDELTA: u8 = 0x19;

/// The tag without a zone, the first field and the number behind the last, how many bytes they take.
fn layout(kind: MomentKind) -> (u8, core::ops::Range<usize>, usize) {
    match kind {
        MomentKind::Date => (DATE, 0..3, 3),
        MomentKind::Time => (TIME, 3..8, 5),
        MomentKind::DateTime => (DATETIME, 0..8, 8),
        MomentKind::Delta => (TIMEDELTA, 0..0, 9),
    }
}

/// The kind of moment that a tag begins.
pub(crate) fn kind(tag: usize) -> Option<MomentKind> {
    Some(match tag {
        0x14 => MomentKind::Date,
        0x15 | 0x16 => MomentKind::Time,
        0x17 | 0x18 => MomentKind::DateTime,
        0x19 => MomentKind::Delta,
        _ => return None,
    })
}

/// The tag and the fields as they are written, and how many bytes that is.
pub(crate) fn packed(kind: MomentKind, fields: &Fields, zone: bool) -> ([u8; 16], usize) {
    let (tag, range, n) = layout(kind);
    let mut v = 0;
    if let [days, seconds, micros, ..] = *fields
        && kind == MomentKind::Delta
    {
        v = u128::from(seconds as u32) << 52 | u128::from(micros as u32) << 32 | u128::from(days as u32);
    }
    for (field, bits) in fields.iter().zip(BITS).skip(range.start).take(range.len()) {
        v = v << bits | *field as u128;
    }
    ((v << 8 | u128::from(tag + u8::from(zone))).to_le_bytes(), n + 1)
}

/// The fields that the bytes behind a tag say.
pub(crate) fn unpacked(kind: MomentKind, bytes: &[u8]) -> Fields {
    let mut v = bytes.iter().rev().fold(0, |v, &b| v << 8 | u128::from(b));
    let mut fields = [0; 8];
    if kind == MomentKind::Delta {
        [fields[0], fields[1], fields[2]] = [v as i32, (v >> 52) as i32, (v >> 32) as i32 & 0xf_ffff];
        return fields;
    }
    let range = layout(kind).1;
    for i in range.clone().rev() {
        let first = i == range.start;
        let bits = BITS.get(i).copied().unwrap_or_default();
        if let Some(field) = fields.get_mut(i) {
            *field = if first { v as i32 } else { v as i32 & ((1 << bits) - 1) };
        }
        v >>= bits;
    }
    fields
}
