//! Bytes as text in standard base64 with padding (RFC 4648, section 4).
//!
//! What may surprise: nothing here reads such text. What has to be read is given to the interpreter's own reader.

use alloc::string::String;
use alloc::vec;

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
}
