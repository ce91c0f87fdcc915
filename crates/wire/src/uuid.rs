//! UUIDs as text (RFC 9562): sixteen bytes, spelled as hexadecimal digits in five groups.
//!
//! What may surprise: only the two spellings that programs write are read, with hyphens in
//! their places or without any. Braces and `urn:uuid:` are refused, and no version or variant is
//! asked for: a UUID that somebody else made is their affair.

use crate::Str;

/// The length of a UUID's text.
pub const TEXT: usize = 36;

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
#[inline(never)]
pub fn parse(text: &[u8]) -> Option<u128> {
    let (a, b, c, d);
    if let Ok(text) = <&[u8; TEXT]>::try_from(text) {
        if [text[8], text[13], text[18], text[23]] != [b'-'; 4] {
            return None;
        }
        // Those in the middle stand in two parts.
        let both = |at: usize| {
            let part = |at: usize| text.get(at..).and_then(|text| text.first_chunk().copied());
            Some(
                u64::from(u32::from_le_bytes(part(at)?)) | u64::from(u32::from_le_bytes(part(at + 5)?)) << 32,
            )
        };
        (a, b, c, d) = (word(&text[..8])?, both(9)?, both(19)?, word(&text[28..])?);
    } else {
        let text = <&[u8; 32]>::try_from(text).ok()?;
        (a, b, c, d) = (word(&text[..8])?, word(&text[8..16])?, word(&text[16..24])?, word(&text[24..])?);
    }
    // What is odd raises a bit in any of them: one test serves all.
    let (a, b, c, d) = (value(a), value(b), value(c), value(d));
    if a.1 | b.1 | c.1 | d.1 != 0 {
        return None;
    }
    let half = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    Some(u128::from(half(a.0, b.0)) << 64 | u128::from(half(c.0, d.0)))
}

#[inline(always)]
fn word(text: &[u8]) -> Option<u64> {
    text.first_chunk().map(|text| u64::from_le_bytes(*text))
}

/// What eight digits spell; and something that is not zero if one of them is none.
#[inline(always)]
fn value(v: u64) -> (u32, u64) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    // How far each is from `0`, and from the character before `a`: below ten, or from one to six.
    let (digit, letter) = (v ^ (0x30 * ONES), (v | (0x20 * ONES)) ^ (0x60 * ONES));
    let not_digit = digit.wrapping_add(0x76 * ONES);
    let is_letter = letter.wrapping_add(0x7f * ONES) & !letter.wrapping_add(0x79 * ONES);
    let bad = (v | not_digit & !is_letter) & HIGH;
    let nibbles = (v & (0x0f * ONES)) + (v >> 6 & ONES) * 9;
    // The first is the highest: two make a byte, of which every other is taken.
    let bytes = (nibbles << 4 | nibbles >> 8) & 0x00ff_00ff_00ff_00ff;
    let pairs = (bytes | bytes >> 8) & 0x0000_ffff_0000_ffff;
    (((pairs | pairs >> 16) as u32).swap_bytes(), bad)
}

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
            assert_eq!(parse(text(bytes, &mut out).bytes()), Some(u128::from_be_bytes(bytes)));
        }
    }

    #[test]
    fn either_case_and_no_hyphens() {
        assert_eq!(parse(b"F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"), Some(u128::from_be_bytes(BYTES)));
        assert_eq!(parse(b"f81d4fae7dec11d0a76500a0c91e6bf6"), Some(u128::from_be_bytes(BYTES)));
        assert_eq!(parse(b"F81d4fAE7DEC11d0a76500A0C91E6BF6"), Some(u128::from_be_bytes(BYTES)));
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
