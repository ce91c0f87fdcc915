//! Bytes as text in standard base64 with padding (RFC 4648, section 4).
//!
//! What may surprise: of text that is read, the bits that belong to no byte are not looked at, as the interpreter's own
//! reader does not. All else is strict: no other character, no blanks, and all of the padding.

use alloc::string::String;
use alloc::vec::Vec;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The text of some bytes, eight digits at a time, the last ones with how many they are.
#[inline(always)]
pub fn pieces(bytes: &[u8]) -> impl Iterator<Item = ([u8; 8], usize)> {
    let mut rest = bytes;
    core::iter::from_fn(move || {
        // Eight bytes are read at once, of which six are spelled.
        if let Some(word) = rest.first_chunk() {
            rest = rest.get(6..).unwrap_or_default();
            return Some((spelled(u64::from_be_bytes(*word)), 8));
        }
        let (now, later) = rest.split_at(rest.len().min(6));
        rest = later;
        (!now.is_empty()).then(|| last(now))
    })
}

/// Six bytes or fewer, as if zeros followed; what would spell these alone is padding.
#[inline(never)]
fn last(bytes: &[u8]) -> ([u8; 8], usize) {
    let mut word = [0; 8];
    word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    let mut digits = spelled(u64::from_be_bytes(word));
    digits.iter_mut().skip((bytes.len() * 4).div_ceil(3)).for_each(|digit| *digit = b'=');
    (digits, bytes.len().div_ceil(3) * 4)
}

/// The text of some bytes.
pub fn text(bytes: &[u8]) -> String {
    let mut text = Vec::with_capacity(bytes.len().div_ceil(3) * 4 + 8);
    for (digits, n) in pieces(bytes) {
        text.extend_from_slice(&digits);
        text.truncate(text.len() + n - 8);
    }
    String::from_utf8(text).unwrap_or_default()
}

/// What each character stands for, or more than six bits.
static VALUES: [u8; 256] = {
    let mut values = [u8::MAX; 256];
    let mut i = 0;
    while i < DIGITS.len() {
        values[DIGITS[i] as usize] = i as u8;
        i += 1;
    }
    values
};

/// The bytes that a text spells, if it spells some.
pub fn bytes(text: &[u8]) -> Option<Vec<u8>> {
    let pads = text.iter().rev().take(2).take_while(|&&b| b == b'=').count();
    let mut odd = if text.len().is_multiple_of(4) { 0 } else { u8::MAX };
    let mut six = |digits: &[u8; 8]| {
        let mut word = 0;
        for &digit in digits {
            let value = VALUES[usize::from(digit)];
            odd |= value;
            word = word << 6 | u64::from(value);
        }
        // What belongs to none of the six follows them.
        (word << 16).to_be_bytes()
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 8);
    let (blocks, rest) = text.split_at(text.len().saturating_sub(1) / 8 * 8);
    for digits in blocks.as_chunks().0 {
        bytes.extend_from_slice(&six(digits));
        bytes.truncate(bytes.len() - 2);
    }
    // What belongs to no byte is as if it were zero.
    let mut digits = [b'A'; 8];
    let digits_there = rest.len().saturating_sub(pads);
    digits.iter_mut().zip(rest).take(digits_there).for_each(|(to, from)| *to = *from);
    bytes.extend_from_slice(&six(&digits));
    bytes.truncate(bytes.len() - 8 + digits_there * 3 / 4);
    (odd < 64).then_some(bytes)
}

/// The digits of the first six of eight bytes: all at once, each in a byte of the word.
#[inline(always)]
fn spelled(bits: u64) -> [u8; 8] {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let bits = bits >> 16;
    let halves = (bits & 0xffff_ff00_0000) << 8 | bits & 0xff_ffff;
    let quarters = (halves & 0x00ff_f000_00ff_f000) << 4 | halves & 0x0000_0fff_0000_0fff;
    let digits = (quarters & 0x0fc0_0fc0_0fc0_0fc0) << 2 | quarters & 0x003f_003f_003f_003f;
    // Letters, small letters, digits and two signs: each sort begins elsewhere. A byte is 1 where a digit is so much or more.
    let least = |n: u64| (digits + (128 - n) * ONES) >> 7 & ONES;
    let sum = digits + ONES * u64::from(b'A') + least(26) * 6 + least(63) * 3;
    (sum - least(52) * 75 - least(62) * 15).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_rfc_4648() {
        for (bytes, spelled) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(text(bytes.as_bytes()), spelled);
            assert_eq!(super::bytes(spelled.as_bytes()).as_deref(), Some(bytes.as_bytes()));
        }
        assert_eq!(text(&[0xfb, 0xef, 0xff]), "++//");
    }

    #[test]
    fn spells_as_others_do() {
        use ::base64::Engine;
        let others = ::base64::engine::general_purpose::STANDARD;
        let bytes: alloc::vec::Vec<u8> = (0..=255u8).cycle().take(1000).collect();
        for start in 0..9 {
            for end in start..300 {
                assert_eq!(text(&bytes[start..end]), others.encode(&bytes[start..end]));
            }
        }
        assert_eq!(text(&bytes), others.encode(&bytes));
    }

    #[test]
    fn reads_as_others_do() {
        use ::base64::Engine;
        use ::base64::engine::general_purpose::{GeneralPurpose, PAD};
        let others =
            GeneralPurpose::new(&::base64::alphabet::STANDARD, PAD.with_decode_allow_trailing_bits(true));
        let bytes: Vec<u8> = (0..=255u8).cycle().take(1000).collect();
        for end in 0..300 {
            assert_eq!(super::bytes(others.encode(&bytes[..end]).as_bytes()).as_deref(), Some(&bytes[..end]));
        }
        // Every text of four or five of these, and every character in each place of two quads.
        let few = *b"Ab+/=9-\0";
        for n in 0..few.len().pow(5) {
            let text: [u8; 5] = core::array::from_fn(|i| few[n / few.len().pow(i as u32) % few.len()]);
            for len in 0..=5 {
                assert_eq!(super::bytes(&text[..len]), others.decode(&text[..len]).ok(), "{text:?}");
            }
        }
        for at in 0..8 {
            for odd in 0..=255 {
                let mut text = *b"AbC9AbC=";
                text[at] = odd;
                assert_eq!(super::bytes(&text), others.decode(text).ok(), "{text:?}");
            }
        }
    }
}
