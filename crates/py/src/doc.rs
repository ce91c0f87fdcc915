//! Docstrings, which have many words in common: in the extension one byte stands for each of those.
//!
//! What may surprise: they are packed when they are compiled ([`doc!`](crate::doc)), so sources have them as they are. They
//! are unpacked when what they are of is made, and live for ever then.

use alloc::vec::Vec;
use core::ffi::CStr;

/// The words, parted by bars; the byte 128 stands for the first. Found by trying which save the most.
const WORDS: &str = concat!(
    ")\n--\n\n|, |=False|\nWhat each keyword means stands in docs|**options|",
    "` with its options fixed: immutable| the |. Raises DecodeError |=None|($self| is |",
    "safe to share among threads.|it|s |e | object|encode| into a bytearray from an offset (-1|document|",
    "or|decode|buffer|messag|at|byte|in|complet|er|an|on|th|str| a|JSON|of|y |d |en|(obj|valu|Err|each |",
    ". Raise|default|picklable|om|type|field|re|al|es|not |next|by_name|msgpack| `|array|Encod|close|to|",
    "max_|c_hook| chunk|ad|uct|buf| f| m|wh|ic|fset|feed|Decod|Th|em|raw|out| (RFC 8259)|Wr|e.|=...| if |",
    "yet.|`.|no| b|st|Rea|built|naive_utc|follow. V| w|rough=()|.md| typ|opti",
);

/// Where the word begins that stands at the beginning of a text, and its number. The longest if there are several.
const fn word(text: &[u8]) -> Option<(usize, u8)> {
    let words = WORDS.as_bytes();
    let (mut best, mut at, mut number) = (None, 0, 128);
    while at < words.len() {
        let (mut n, mut same) = (0, true);
        while at + n < words.len() && words[at + n] != b'|' {
            same = same && n < text.len() && text[n] == words[at + n];
            n += 1;
        }
        if same && !matches!(best, Some((longest, _)) if longest >= n) {
            best = Some((n, number));
        }
        at += n + 1;
        number += 1;
    }
    best
}

/// A packed text in the first bytes, and how many there are. For [`doc!`](crate::doc).
const fn packed_in<const N: usize>(text: &CStr) -> ([u8; N], usize) {
    let (mut packed, mut n, mut rest) = ([0; N], 0, text.to_bytes_with_nul());
    while let [byte, after @ ..] = rest {
        assert!(*byte < 128, "docstrings are of ASCII only");
        (packed[n], rest) = match word(rest) {
            Some((len, number)) => (number, rest.split_at(len).1),
            None => (*byte, after),
        };
        n += 1;
    }
    (packed, n)
}

/// How long a text is when it is packed. No text is longer than this can take.
pub const fn packed_len(text: &CStr) -> usize {
    packed_in::<1024>(text).1
}

/// A packed text, which is that long.
pub const fn packed<const N: usize>(text: &CStr) -> [u8; N] {
    let (all, mut packed, mut i) = (packed_in::<1024>(text).0, [0; N], 0);
    while i < N {
        packed[i] = all[i];
        i += 1;
    }
    packed
}

/// A docstring as it is in the extension.
#[macro_export]
macro_rules! doc {
    ($text:literal) => {{
        const PACKED: [u8; $crate::packed_len($text)] = $crate::packed($text);
        const {
            match core::ffi::CStr::from_bytes_with_nul(&PACKED) {
                Ok(doc) => doc,
                Err(_) => unreachable!(),
            }
        }
    }};
}

/// A docstring as it was, with the zero that ends it.
#[inline(never)]
pub(crate) fn unpacked(doc: &CStr) -> Vec<u8> {
    let mut text = Vec::new();
    for &byte in doc.to_bytes_with_nul() {
        match byte.checked_sub(128) {
            None => text.push(byte),
            Some(n) => {
                let word = WORDS.as_bytes().split(|&b| b == b'|').nth(n.into());
                text.extend_from_slice(word.unwrap_or_default());
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_texts_come_back() {
        for (doc, text) in [
            (
                doc!(c"encode(obj, /, *, sort=False)\n--\n\nWrite."),
                "encode(obj, /, *, sort=False)\n--\n\nWrite.\0",
            ),
            (doc!(c""), "\0"),
        ] {
            assert_eq!(unpacked(doc), text.as_bytes());
            assert!(text.len() < 2 || doc.count_bytes() < text.len() - 1);
        }
    }
}
