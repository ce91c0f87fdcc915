//! What a plan takes, as bits. They are those of `oxwire._types`.
#![allow(missing_docs, reason = "the names are those of the types")]

use py::MomentKind;

pub const ANY: u32 = 1;
pub const NONE: u32 = 1 << 1;
pub const BOOL: u32 = 1 << 2;
pub const INT: u32 = 1 << 3;
pub const FLOAT: u32 = 1 << 4;
pub const STR: u32 = 1 << 5;
pub const BYTES: u32 = 1 << 6;
pub const BYTEARRAY: u32 = 1 << 7;
pub const MEMORYVIEW: u32 = 1 << 8;
pub const DATETIME: u32 = 1 << 9;
pub const DATE: u32 = 1 << 10;
pub const TIME: u32 = 1 << 11;
pub const TIMEDELTA: u32 = 1 << 12;
pub const UUID: u32 = 1 << 13;
pub const DECIMAL: u32 = 1 << 14;
pub const EXT: u32 = 1 << 15;
pub const RAW: u32 = 1 << 16;
pub const CUSTOM: u32 = 1 << 17;
pub const VALUES_STR: u32 = 1 << 18;
pub const VALUES_INT: u32 = 1 << 19;
pub const ARRAY: u32 = 1 << 20;
pub const MAP: u32 = 1 << 21;
pub const TRUE: u32 = 1 << 22;
pub const FALSE: u32 = 1 << 23;
/// There is a list of tries.
pub const TRIES: u32 = 1 << 25;
/// What text can spell, but text.
pub const SPELLED: u32 = DATETIME | DATE | TIME | TIMEDELTA | UUID | DECIMAL | VALUES_STR;
/// Besides which it is not the text alone that says what text is.
pub const AMBIGUOUS: u32 = ANY | STR | VALUES_STR | TRIES | CUSTOM | WHOLE;
/// Beside which a value that stands for a member is that member, as it is read.
pub(crate) const BESIDE_MEMBERS: u32 =
    VALUES_STR | VALUES_INT | NONE | BOOL | INT | STR | TRUE | FALSE | STRICT | LAX;
/// Not of types: values of another type may not become one of these, or may, whatever the call says.
pub const STRICT: u32 = 1 << 30;
pub const LAX: u32 = 1 << 31;
pub const NUMBERS: u32 = 1 << 24;
/// What is taken whole where it is met.
pub const WHOLE: u32 = RAW | NUMBERS;

/// The classes of `datetime`.
const MOMENTS: u32 = DATETIME | DATE | TIME | TIMEDELTA;

/// The bit of one of them.
pub fn moment(kind: MomentKind) -> u32 {
    match kind {
        MomentKind::DateTime => DATETIME,
        MomentKind::Date => DATE,
        MomentKind::Time => TIME,
        MomentKind::Delta => TIMEDELTA,
    }
}

/// Those of which a value's own type says that it is one: unless it is a member first, or a number must be read as it is spelled.
pub(crate) fn certain(takes: u32) -> u32 {
    let mut certain = takes & (NONE | BOOL | INT | FLOAT | STR | BYTES | MOMENTS | UUID | DECIMAL);
    if takes & VALUES_STR != 0 {
        certain &= !STR;
    }
    if takes & VALUES_INT != 0 || takes & (DECIMAL | FLOAT) == DECIMAL {
        certain &= !(INT | FLOAT);
    }
    certain
}
