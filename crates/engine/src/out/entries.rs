//! Maps that cannot be written straight from where they stand: sorted ones, ones with keys that
//! are no text, fields of records. They are gathered first, then written in one small loop.

use alloc::string::String;
use alloc::vec::Vec;

use super::rules::Order;
use py::{NotUtf8, Own};

/// A key, ready to be written.
pub(crate) enum Key {
    /// A str, or what claims to be one.
    Str(Own),
    /// What a key that is no str is spelled as.
    Text(Own, String),
}

impl Key {
    /// The text for messages.
    pub(crate) fn lossy(&self) -> String {
        match self {
            Key::Str(o) => o.as_ref().as_any_str().map(|s| s.lossy()).unwrap_or_default(),
            Key::Text(_, s) => s.clone(),
        }
    }

    /// Adds the bytes of the text to `all`.
    fn spell(&self, all: &mut Vec<u8>, room: &mut Vec<u8>) -> Result<(), NotUtf8> {
        match self {
            Key::Str(o) => {
                let Some(s) = o.as_ref().as_any_str() else { return Err(NotUtf8(0)) };
                all.extend_from_slice(s.text(room)?.bytes());
            }
            Key::Text(_, s) => all.extend_from_slice(s.as_bytes()),
        }
        Ok(())
    }
}

/// Keys and values, both owned.
pub(crate) struct Entries {
    pub(crate) items: Vec<(Key, Own)>,
    /// How many were written.
    pub(crate) done: usize,
}

/// Where in the texts of all keys that of one stands, and which it was.
struct Place {
    /// The first bytes: comparing them is often enough.
    head: u64,
    from: usize,
    to: usize,
    index: usize,
}

impl Entries {
    pub(crate) fn new(items: Vec<(Key, Own)>) -> Entries {
        Entries { items, done: 0 }
    }

    /// Sorts by key; the first key that has a surrogate, if any, and its place.
    pub(crate) fn sort(&mut self, order: Order) -> Result<(), (usize, NotUtf8)> {
        let (mut places, _) = self.places(order)?;
        // Each place says whose item belongs there. Cycle by cycle the items change places.
        for start in 0..places.len() {
            let mut at = start;
            loop {
                let from = core::mem::replace(&mut places[at].index, at);
                if from == start || from == at {
                    break;
                }
                self.items.swap(at, from);
                at = from;
            }
        }
        Ok(())
    }

    /// A key that stands twice, if any. Keys with surrogates are left for whoever writes them.
    pub(crate) fn same_key(&self) -> Option<String> {
        let (places, all) = self.places(Order::Sorted).ok()?;
        let twice = places.windows(2).find(|w| all[w[0].from..w[0].to] == all[w[1].from..w[1].to])?;
        self.items.get(twice[0].index).map(|(key, _)| key.lossy())
    }

    /// The places of the keys in order, and the texts in which they are.
    #[inline(never)]
    fn places(&self, order: Order) -> Result<(Vec<Place>, Vec<u8>), (usize, NotUtf8)> {
        let (mut all, mut room) = (Vec::with_capacity(16 * self.items.len()), Vec::new());
        let mut places = Vec::with_capacity(self.items.len());
        for (index, (key, _)) in self.items.iter().enumerate() {
            let from = all.len();
            key.spell(&mut all, &mut room).map_err(|e| (index, e))?;
            if order == Order::Utf16 {
                all[from..].iter_mut().for_each(utf16);
            }
            let key = &all[from..];
            let mut head = [0; 8];
            let n = key.len().min(8);
            head[..n].copy_from_slice(&key[..n]);
            places.push(Place { head: u64::from_be_bytes(head), from, to: all.len(), index });
        }
        places.sort_unstable_by(|a, b| {
            a.head.cmp(&b.head).then_with(|| all[a.from..a.to].cmp(&all[b.from..b.to]))
        });
        Ok((places, all))
    }
}

/// UTF-8 orders as code points do; UTF-16 puts what it spells as surrogates, which begins with
/// F0 or more in UTF-8, before U+E000 to U+FFFF, which begin with EE and EF. No other byte of
/// UTF-8 has these values, nor those that take their place here.
fn utf16(b: &mut u8) {
    if matches!(*b, 0xee | 0xef) {
        *b += 0x10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf16_orders_as_its_units_do() {
        let all = ["", "a", "ab", "é", "\u{d7ff}", "\u{e000}", "\u{ffff}", "\u{10000}", "\u{10ffff}"];
        let ours = |s: &str| {
            let mut bytes = s.as_bytes().to_vec();
            bytes.iter_mut().for_each(utf16);
            bytes
        };
        for a in all {
            for b in all {
                assert_eq!(ours(a).cmp(&ours(b)), a.encode_utf16().cmp(b.encode_utf16()));
            }
        }
    }
}
