//! UUIDs as text (RFC 9562): sixteen bytes, spelled as hexadecimal digits in five groups.
//!
//! What may surprise: only the two spellings that programs write are read, with hyphens in
//! their places or without any. Braces and `urn:uuid:` are refused, and no version or variant is
//! asked for: a UUID that somebody else made is their affair.

use crate::Str;

/// The length of a UUID's text.
pub const TEXT: usize = 36;

/// Where each byte's two digits stand in the hyphenated text.
const PLACES: [usize; 16] = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/// The text of a UUID: lower case, with hyphens.
pub fn text(v: [u8; 16], out: &mut [u8; TEXT]) -> Str<'_> {
    *out = [b'-'; TEXT];
    let v = u128::from_be_bytes(v);
    out[..8].copy_from_slice(&digits((v >> 96) as u32));
    // The groups in the middle have four digits each, and a hyphen behind them.
    let (left, right) = (digits((v >> 64) as u32), digits((v >> 32) as u32));
    out[9..13].copy_from_slice(&left[..4]);
    out[14..18].copy_from_slice(&left[4..]);
    out[19..23].copy_from_slice(&right[..4]);
    out[24..28].copy_from_slice(&right[4..]);
    out[28..].copy_from_slice(&digits(v as u32));
    Str::unchecked(out)
}

/// The eight digits of four bytes, all at once.
#[inline(never)]
fn digits(word: u32) -> [u8; 8] {
    let mut x = u64::from(word);
    // Each nibble gets a byte of its own.
    x = (x | x << 16) & 0x0000_ffff_0000_ffff;
    x = (x | x << 8) & 0x00ff_00ff_00ff_00ff;
    x = (x | x << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    // Those from ten on are letters, which stand 39 further on than the next after `9`.
    let letters = (x + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101;
    (x + 0x3030_3030_3030_3030 + letters * 39).to_be_bytes()
}

/// The UUID that a text names, in either case; with the four hyphens, or with none.
pub fn parse(text: &[u8]) -> Option<[u8; 16]> {
    let mut uuid = [0; 16];
    // Bad digits only raise a bit that no good pair sets: one test at the end serves all of them.
    let mut bad = 0;
    if let Ok(text) = <&[u8; TEXT]>::try_from(text) {
        for (byte, at) in uuid.iter_mut().zip(PLACES) {
            let pair = pair(text[at], text[at + 1]);
            *byte = pair as u8;
            bad |= pair;
        }
        for at in [8, 13, 18, 23] {
            bad |= -i16::from(text[at] != b'-');
        }
    } else {
        let text = <&[u8; 32]>::try_from(text).ok()?;
        for (byte, digits) in uuid.iter_mut().zip(text.chunks_exact(2)) {
            let pair = pair(digits[0], digits[1]);
            *byte = pair as u8;
            bad |= pair;
        }
    }
    (bad >= 0).then_some(uuid)
}

/// The byte that two digits spell, or a negative number.
#[inline]
fn pair(high: u8, low: u8) -> i16 {
    i16::from(VALUES[usize::from(high)]) << 4 | i16::from(VALUES[usize::from(low)])
}

/// The value of each digit; -1 for what is not a digit, which stays negative when it is shifted.
static VALUES: [i8; 256] = {
    let mut values = [-1; 256];
    let mut value = 0;
    while value < 16 {
        let digit = b"0123456789abcdef"[value];
        values[digit as usize] = value as i8;
        values[digit.to_ascii_uppercase() as usize] = value as i8;
        value += 1;
    }
    values
};

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: [u8; 16] =
        [0xf8, 0x1d, 0x4f, 0xae, 0x7d, 0xec, 0x11, 0xd0, 0xa7, 0x65, 0x00, 0xa0, 0xc9, 0x1e, 0x6b, 0xf6];

    #[test]
    fn text_is_lower_case_with_hyphens() {
        let mut out = [0; TEXT];
        let text = text(BYTES, &mut out);
        assert!(text.is_ascii());
        assert_eq!(text.bytes(), b"f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
    }

    #[test]
    fn reads_what_it_writes() {
        let mut bytes = [0; 16];
        for step in 0..=255u8 {
            for (at, byte) in bytes.iter_mut().enumerate() {
                *byte = step.wrapping_mul(31).wrapping_add(at as u8 * 17);
            }
            let mut out = [0; TEXT];
            assert_eq!(parse(text(bytes, &mut out).bytes()), Some(bytes));
        }
    }

    #[test]
    fn either_case_and_no_hyphens() {
        assert_eq!(parse(b"F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"), Some(BYTES));
        assert_eq!(parse(b"f81d4fae7dec11d0a76500a0c91e6bf6"), Some(BYTES));
        assert_eq!(parse(b"F81d4fAE7DEC11d0a76500A0C91E6BF6"), Some(BYTES));
    }

    #[test]
    fn refuses_every_other_byte_in_every_place() {
        for good in [&b"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"[..], b"f81d4fae7dec11d0a76500a0c91e6bf6"] {
            for at in 0..good.len() {
                for byte in 0..=255u8 {
                    let mut text = good.to_vec();
                    text[at] = byte;
                    let fits = if good[at] == b'-' { byte == b'-' } else { byte.is_ascii_hexdigit() };
                    assert_eq!(parse(&text).is_some(), fits, "byte {byte} at {at}");
                }
            }
        }
    }

    #[test]
    fn refuses_other_lengths_and_misplaced_hyphens() {
        for bad in [
            &b""[..],
            b"{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}",
            b"urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
            b"f81d4fae-7dec-11d0-a765-00a0c91e6bf",
            b"f81d4fae-7dec-11d0-a765-00a0c91e6bf66",
            b"f81d4fae7dec11d0a76500a0c91e6bf",
            b"f81d4fae-7dec11d0a76500a0c91e6bf",
            b"f81d4fa-e7dec-11d0-a765-00a0c91e6bf6",
        ] {
            assert_eq!(parse(bad), None);
        }
    }
}
