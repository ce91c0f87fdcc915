//! The tags, by the names that the specification gives them, and what begins with each byte.
//!
//! What may surprise: zero is no tag. The input is followed by a zero byte that is not part of it, so one look at a table
//! finds the end as well.

/// Beside this bit the tags below [`NONE`] are the same: the value is referred to later.
pub const SHARED: u8 = 0x80;

pub(crate) const STR: u8 = 0x01;
pub(crate) const WSTR: u8 = 0x02;
pub(crate) const LIST: u8 = 0x03;
pub(crate) const TUPLE: u8 = 0x04;
pub(crate) const DICT: u8 = 0x05;
pub(crate) const SET: u8 = 0x06;
pub(crate) const FROZENSET: u8 = 0x07;
pub(crate) const SHAPE: u8 = 0x08;
pub(crate) const SHAPED: u8 = 0x09;
pub(crate) const TYPE: u8 = 0x0a;
pub(crate) const RECORD: u8 = 0x0b;
pub(crate) const PACKED: u8 = 0x0c;
pub(crate) const BYTES: u8 = 0x0d;
pub(crate) const BYTEARRAY: u8 = 0x0e;
pub(crate) const BUFFER: u8 = 0x0f;
pub(crate) const OUTSIDE: u8 = 0x10;
pub(crate) const SEALED: u8 = 0x11;
pub(crate) const EXT: u8 = 0x12;
pub(crate) const UUID: u8 = 0x13;
pub(crate) const DATE: u8 = 0x14;
pub(crate) const TIME: u8 = 0x15;
pub(crate) const TIME_TZ: u8 = 0x16;
pub(crate) const DATETIME: u8 = 0x17;
pub(crate) const DATETIME_TZ: u8 = 0x18;
pub(crate) const TIMEDELTA: u8 = 0x19;
pub(crate) const FIX_STR: u8 = 0x20;
pub(crate) const FIX_LIST: u8 = 0x40;
pub(crate) const FIX_TUPLE: u8 = 0x48;
pub(crate) const FIX_RECORD: u8 = 0x4c;
pub(crate) const FIX_SHAPED: u8 = 0x50;
pub(crate) const NONE: u8 = 0x58;
pub(crate) const FALSE: u8 = 0x59;
pub(crate) const TRUE: u8 = 0x5a;
pub(crate) const REF: u8 = 0x5b;
pub(crate) const NEWREF: u8 = 0x5c;
pub(crate) const UTC: u8 = 0x5d;
pub(crate) const FLOAT: u8 = 0x5e;
pub(crate) const COMPLEX: u8 = 0x5f;
pub(crate) const POS: u8 = 0x60;
pub(crate) const NEG: u8 = 0x66;
pub(crate) const BIGINT: u8 = 0x6c;
pub(crate) const FIX_REF: u8 = 0x6d;
/// From here on bit 7 is no S bit: first come further numbers of references, as if they were the bytes behind `7f`.
pub(crate) const MORE_REF: u8 = 0xd8;
/// From here on a byte is an integer: itself less [`ZERO`].
pub(crate) const INT: u8 = 0xdf;
pub(crate) const ZERO: u8 = 0xe0;

/// How many numbers of references are in tags.
pub(crate) const FIX_REFS: u8 = SHARED - FIX_REF + (INT - MORE_REF);

/// Widths of integers, in bytes, by how far their tag is from the first.
pub(crate) const WIDTHS: [u8; 6] = [1, 2, 3, 4, 6, 8];

/// What a value is, whichever of its tags it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "the specification has a line for each")]
pub enum What {
    /// No tag, a reserved one, or the end of the input.
    Never,
    Int,
    Str,
    None,
    Bool,
    Float,
    List,
    Tuple,
    Dict,
    Shape,
    Shaped,
    Record,
    /// An integer in bytes of its own.
    Number,
    Packed,
    Ref,
    Wstr,
    Bytes,
    Bytearray,
    Set,
    Frozenset,
    Type,
    Complex,
    Utc,
    Buffer,
    Outside,
    Sealed,
    Ext,
    Uuid,
    Date,
    Time,
    TimeTz,
    DateTime,
    DateTimeTz,
    Timedelta,
}

/// What begins with each byte.
pub(crate) static WHATS: [What; 256] = {
    let mut whats = [What::Never; 256];
    let mut b = 0;
    while b < 256 {
        let byte = b as u8;
        let tag = if byte < MORE_REF { byte & !SHARED } else { byte };
        whats[b] = match tag {
            STR | FIX_STR..FIX_LIST => What::Str,
            WSTR => What::Wstr,
            LIST | FIX_LIST..FIX_TUPLE => What::List,
            TUPLE | FIX_TUPLE..FIX_RECORD => What::Tuple,
            DICT => What::Dict,
            SET => What::Set,
            FROZENSET => What::Frozenset,
            SHAPE => What::Shape,
            SHAPED | FIX_SHAPED..NONE => What::Shaped,
            TYPE => What::Type,
            RECORD | FIX_RECORD..FIX_SHAPED => What::Record,
            PACKED => What::Packed,
            BYTES => What::Bytes,
            BYTEARRAY => What::Bytearray,
            BUFFER => What::Buffer,
            OUTSIDE => What::Outside,
            SEALED => What::Sealed,
            EXT => What::Ext,
            UUID => What::Uuid,
            DATE => What::Date,
            TIME => What::Time,
            TIME_TZ => What::TimeTz,
            DATETIME => What::DateTime,
            DATETIME_TZ => What::DateTimeTz,
            TIMEDELTA => What::Timedelta,
            NONE => What::None,
            FALSE | TRUE => What::Bool,
            UTC => What::Utc,
            FLOAT => What::Float,
            COMPLEX => What::Complex,
            POS..=BIGINT => What::Number,
            REF | NEWREF | FIX_REF..SHARED | MORE_REF..INT => What::Ref,
            INT.. => What::Int,
            _ => What::Never,
        };
        b += 1;
    }
    whats
};
