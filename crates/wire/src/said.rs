//! Texts that are seldom shown, messages and docstrings, which have many words in common: in the extension one byte stands
//! for each of those.
//!
//! What may surprise: they are packed when they are compiled ([`say!`](crate::say)), so sources have them as they are.

use alloc::string::String;
use core::fmt;

/// The words, parted by bars, those that are met most first; the byte 128 stands for the first. Found by trying which
/// save the most.
const WORDS: &str = concat!(
    "s |e |{}|, |in|a |the |t |er|se|of |de|is |` |or |expected |it|d |on|ta|must be |th|or|es|not |`{}`|",
    "en|byte|ex|ed|an |le|re|at |ti|as |ma|y |typ|un|al|str|: |{} |value|valid |() takes |, got |in |ac|",
    "and |ic|con|key|es |In|co|fiel|no |with|'{}'|ut |one |to |)\n--\n\n|positional argument|encode|an|",
    "array|ing |clas|ble |keyword argument|after |The |None|cannot |string|ough|nam|bjec|Struc|memory|",
    "given|rang|say|argument|than `max_|is beyond |from |ializ|digit|character|JSON|not allowed|datetim|",
    "hook|teger |another |surrogat|ragment|Cannot set |limit|oxwire|=True|must |document|required |",
    "stream decoder |UTF-8|dumps|obj, /|_len` allows|miss|($self|Expected `|length |    |position|",
    ".__new__|guous buf|`passthr|StreamDecoder|msgpack|Python object|number |loads|RFC3339 ",
);

/// A packed text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Said(&'static [u8]);

impl Said {
    /// One whose bytes [`packed`] gave.
    pub const fn new(packed: &'static [u8]) -> Self {
        Said(packed)
    }

    /// The text as it was.
    pub fn text(self) -> String {
        unpacked(self.0)
    }
}

/// A text as it was before [`packed`].
#[cold]
#[inline(never)]
pub fn unpacked(packed: &[u8]) -> String {
    let mut text = String::new();
    for &byte in packed {
        match byte.checked_sub(128) {
            None => text.push(char::from(byte)),
            Some(n) => {
                // A loop of our own: what the core library has for this serves every kind of text.
                let mut bars = n;
                for &byte in WORDS.as_bytes() {
                    if byte == b'|' {
                        if bars == 0 {
                            break;
                        }
                        bars -= 1;
                    } else if bars == 0 {
                        text.push(char::from(byte));
                    }
                }
            }
        }
    }
    text
}

impl From<Said> for String {
    #[inline(always)]
    fn from(said: Said) -> String {
        said.text()
    }
}

impl fmt::Debug for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// How long the word is that stands at the beginning of a text, and its number. The longest if there are several.
const fn word(text: &[u8]) -> Option<(usize, u8)> {
    let words = WORDS.as_bytes();
    let (mut best, mut at, mut number) = (None, 0, 0);
    while at < words.len() {
        let (mut n, mut same) = (0, true);
        while at + n < words.len() && words[at + n] != b'|' {
            same = same && n < text.len() && text[n] == words[at + n];
            n += 1;
        }
        if same && !matches!(best, Some((longest, _)) if longest >= n) {
            best = Some((n, 128 | number));
        }
        at += n + 1;
        number += 1;
    }
    best
}

/// A packed text in the first bytes, and how many there are.
const fn packed_in<const N: usize>(mut rest: &[u8]) -> ([u8; N], usize) {
    let (mut packed, mut n) = ([0; N], 0);
    while let [byte, after @ ..] = rest {
        assert!(*byte < 128, "what is packed is of ASCII only");
        (packed[n], rest) = match word(rest) {
            Some((len, number)) => (number, rest.split_at(len).1),
            None => (*byte, after),
        };
        n += 1;
    }
    (packed, n)
}

/// How long a text is when it is packed. No text is longer than this can take.
pub const fn packed_len(text: &[u8]) -> usize {
    packed_in::<1024>(text).1
}

/// A packed text, which is that long.
pub const fn packed<const N: usize>(text: &[u8]) -> [u8; N] {
    let (all, mut packed, mut i) = (packed_in::<1024>(text).0, [0; N], 0);
    while i < N {
        packed[i] = all[i];
        i += 1;
    }
    packed
}

/// A text as it is in the extension.
#[macro_export]
macro_rules! say {
    ($text:expr) => {{
        const PACKED: [u8; $crate::packed_len($text.as_bytes())] = $crate::packed($text.as_bytes());
        const { $crate::Said::new(&PACKED) }
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_texts_come_back() {
        assert_eq!(say!("").text(), "");
        let text = "encode(obj, /, *, sort=False)\n--\n\nWrite, with ~{}.";
        let said = say!("encode(obj, /, *, sort=False)\n--\n\nWrite, with ~{}.");
        assert_eq!(said.text(), text);
        assert!(said.0.len() < text.len() / 2);
    }

    #[test]
    fn no_byte_stands_for_two_words() {
        assert!(WORDS.split('|').count() <= 128);
        assert!(WORDS.split('|').all(|word| word.len() > 1));
    }
}
