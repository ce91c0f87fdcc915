//! Bytes as text in standard base64 with padding (RFC 4648, section 4).
//!
//! What may surprise: of text that is read, the bits that belong to no byte are not looked at, as the interpreter's own
//! reader does not. All else is strict: no other character, no blanks, and all of the padding.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The text of some bytes.
pub fn text(bytes: &[u8]) -> String {
    let mut text = vec![b'='; bytes.len().div_ceil(3) * 4];
    let (blocks, left) = bytes.as_chunks::<24>();
    let (to, rest) = text.split_at_mut(blocks.len() * 32);
    for (block, to) in blocks.iter().zip(to.as_chunks_mut::<32>().0) {
        // Eight bytes are read at once, of which six are spelled; the last six have none behind them.
        let word = |from: usize| {
            block.get(from..).and_then(|b| b.first_chunk()).map_or(0, |b| u64::from_be_bytes(*b))
        };
        let words = [word(0), word(6), word(12), word(16) << 16];
        for (to, word) in to.as_chunks_mut().0.iter_mut().zip(words) {
            *to = spelled(word);
        }
    }
    for (word, to) in left.chunks(6).zip(rest.chunks_mut(8)) {
        // As if zeros followed; what would spell these alone stays padding.
        let (mut bits, n) = ([0; 8], (word.len() * 4).div_ceil(3));
        bits.iter_mut().zip(word).for_each(|(to, from)| *to = *from);
        let digits = spelled(u64::from_be_bytes(bits));
        to.iter_mut().zip(&digits).take(n).for_each(|(to, digit)| *to = *digit);
    }
    String::from_utf8(text).unwrap_or_default()
}

/// What each ASCII character stands for, or more than six bits.
static VALUES: [u8; 128] = {
    let mut values = [u8::MAX; 128];
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
    let (quads, rest) = text.as_chunks::<4>();
    let mut bytes = Vec::with_capacity(quads.len() * 3);
    let mut odd = if rest.is_empty() { 0 } else { u8::MAX };
    for (i, quad) in quads.iter().enumerate() {
        let mut digits = *quad;
        if i + 1 == quads.len() {
            // What belongs to no byte is as if it were zero.
            digits.iter_mut().rev().take(pads).for_each(|digit| *digit = b'A');
        }
        let mut word = 0;
        for digit in digits {
            let value = VALUES.get(usize::from(digit)).copied().unwrap_or(u8::MAX);
            odd |= value;
            word = word << 6 | u32::from(value);
        }
        let [_, a, b, c] = word.to_be_bytes();
        bytes.extend_from_slice(&[a, b, c]);
    }
    bytes.truncate(bytes.len() - pads.min(bytes.len()));
    (odd < 64).then_some(bytes)
}

/// The digits of the first six of eight bytes.
#[inline(always)]
fn spelled(bits: u64) -> [u8; 8] {
    core::array::from_fn(|i| DIGITS[(bits >> (58 - 6 * i) & 63) as usize])
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
