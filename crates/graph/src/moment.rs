//! Moments in: numbers made of fields, the highest field first.
//!
//! What may surprise: what does not exist is not looked for here. The interpreter's classes refuse it, and then the helper, which
//! is asked for moments that cannot be made here too, says so.

use py::{MomentKind, MomentTypes, Own, Ref};

/// The moment that a tag begins and the bytes behind it say.
#[inline(never)]
pub(crate) fn read(types: &MomentTypes, tag: usize, raw: &[u8], zone: Ref<'_>) -> Option<Own> {
    let kind = match tag {
        0x14 => MomentKind::Date,
        0x15 | 0x16 => MomentKind::Time,
        0x17 | 0x18 => MomentKind::DateTime,
        0x19 => MomentKind::Delta,
        _ => return None,
    };
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b));
    if kind == MomentKind::Delta {
        let (days, rest) = raw.split_at_checked(4)?;
        let v = number(rest);
        let fields = [number(days) as i32, (v >> 20) as i32, v as i32 & 0xf_ffff, 0, 0, 0, 0, 0];
        return types.of_fields(kind, &fields, zone);
    }
    let v = number(raw) << if kind == MomentKind::Date { 38 } else { 0 };
    // Of a time there is no day, or it is none.
    if kind == MomentKind::Time && v >> 38 != 0 {
        return None;
    }
    let bits = |at: u32, n: u32| (v >> at) as i32 & ((1 << n) - 1);
    let fields = [
        bits(47, 17),
        bits(43, 4),
        bits(38, 5),
        bits(33, 5),
        bits(27, 6),
        bits(21, 6),
        bits(1, 20),
        bits(0, 1),
    ];
    types.of_fields(kind, &fields, zone)
}
