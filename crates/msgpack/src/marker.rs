//! The first bytes of values, by the names that the specification gives them.

use wire::Kind;

pub(crate) const FIX_MAP: u8 = 0x80;
pub(crate) const FIX_ARRAY: u8 = 0x90;
pub(crate) const FIX_STR: u8 = 0xa0;
pub(crate) const NIL: u8 = 0xc0;
pub(crate) const NEVER: u8 = 0xc1;
pub(crate) const FALSE: u8 = 0xc2;
pub(crate) const TRUE: u8 = 0xc3;
pub(crate) const BIN_8: u8 = 0xc4;
pub(crate) const BIN_16: u8 = 0xc5;
pub(crate) const BIN_32: u8 = 0xc6;
pub(crate) const EXT_8: u8 = 0xc7;
pub(crate) const EXT_16: u8 = 0xc8;
pub(crate) const EXT_32: u8 = 0xc9;
pub(crate) const FLOAT_32: u8 = 0xca;
pub(crate) const FLOAT_64: u8 = 0xcb;
pub(crate) const UINT_8: u8 = 0xcc;
pub(crate) const UINT_16: u8 = 0xcd;
pub(crate) const UINT_32: u8 = 0xce;
pub(crate) const UINT_64: u8 = 0xcf;
pub(crate) const INT_8: u8 = 0xd0;
pub(crate) const INT_16: u8 = 0xd1;
pub(crate) const INT_32: u8 = 0xd2;
pub(crate) const INT_64: u8 = 0xd3;
pub(crate) const FIX_EXT_1: u8 = 0xd4;
pub(crate) const FIX_EXT_2: u8 = 0xd5;
pub(crate) const FIX_EXT_4: u8 = 0xd6;
pub(crate) const FIX_EXT_8: u8 = 0xd7;
pub(crate) const FIX_EXT_16: u8 = 0xd8;
pub(crate) const STR_8: u8 = 0xd9;
pub(crate) const STR_16: u8 = 0xda;
pub(crate) const STR_32: u8 = 0xdb;
pub(crate) const ARRAY_16: u8 = 0xdc;
pub(crate) const ARRAY_32: u8 = 0xdd;
pub(crate) const MAP_16: u8 = 0xde;
pub(crate) const MAP_32: u8 = 0xdf;
/// The least of the one-byte negative integers: -32.
pub(crate) const NEGATIVE: u8 = 0xe0;

/// The application type of timestamps.
pub(crate) const TIMESTAMP: i8 = -1;

/// What begins with each byte. `Ref`, which this format cannot say, stands for what never begins.
pub(crate) static KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Number; 256];
    let mut b = 0;
    while b < 256 {
        kinds[b] = match b as u8 {
            FIX_MAP..FIX_ARRAY | MAP_16 | MAP_32 => Kind::Map,
            FIX_ARRAY..FIX_STR | ARRAY_16 | ARRAY_32 => Kind::Array,
            FIX_STR..NIL | STR_8..=STR_32 => Kind::Str,
            NIL => Kind::Null,
            NEVER => Kind::Ref,
            FALSE | TRUE => Kind::Bool,
            BIN_8..=BIN_32 => Kind::Bytes,
            EXT_8..=EXT_32 | FIX_EXT_1..=FIX_EXT_16 => Kind::Ext,
            _ => Kind::Number,
        };
        b += 1;
    }
    kinds
};

/// A key as it is read, for whoever expects it: its shortest form. How long it is, or 0 if it is too long.
pub fn known_key(key: &str, text: &mut [u8; wire::KNOWN]) -> usize {
    let n = key.len();
    let head: &[u8] = match n {
        0..32 => &[FIX_STR | n as u8],
        _ => &[STR_8, n as u8],
    };
    wire::known(text, &[head, key.as_bytes()])
}
