//! Maps that cannot be written straight from where they stand: sorted ones, ones with keys that
//! are no text, fields of records. They are gathered first, then written in one small loop.
//!
//! What may surprise: the entries of all open maps stand on one stack, each map's above those of
//! the map around it, and whatever is spelled on another. Most of these maps are small, and room
//! of its own for each would cost more than writing it.

use alloc::string::String;
use alloc::vec::Vec;

use super::rules::Order;
use py::{NotUtf8, Own};
use wire::Str;
use wire::order::{self, Sorter};

/// A key and its value.
pub(crate) struct Entry {
    /// A str, or what claims to be one, unless it is spelled.
    pub(crate) key: Own,
    /// Taken when it is written.
    pub(crate) value: Option<Own>,
    /// Where the text of the key stands, if it is spelled.
    spelled: Option<(u32, u32)>,
    /// What stands there is not text, but what is written for the key.
    encoded: bool,
}

impl Entry {
    /// The UTF-8 of the key: its own bytes, which the str keeps alive, or what it is spelled as.
    #[inline(always)]
    fn bytes<'b>(&'b self, texts: &'b [u8]) -> &'b [u8] {
        match self.spelled {
            Some(span) => part(texts, span),
            None => ascii(&self.key).unwrap_or_default(),
        }
    }
}

/// The key of an entry, ready to be written.
pub(crate) enum Key<'g> {
    /// A str, or what claims to be one; anything else stands only in what a model holds beside its
    /// fields.
    Plain(&'g Own),
    /// What the key is spelled as.
    Text(&'g Own, Str<'g>),
    /// What is written for the key.
    Encoded(&'g Own, &'g [u8]),
}

/// The entries of every open map, and what some of their keys are spelled as.
#[derive(Default)]
pub(crate) struct Gathered {
    entries: Vec<Entry>,
    texts: Vec<u8>,
    sorter: Sorter,
    room: Vec<u8>,
}

/// Room above this many entries, or bytes, is not kept from call to call.
const KEEP: usize = 4096;

impl Gathered {
    /// How many entries there are: where the next map's begin.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Makes room for so many more.
    #[inline]
    pub(crate) fn reserve(&mut self, n: usize) {
        self.entries.reserve(n);
    }

    /// A function of its own, so that an entry is put together where it belongs.
    #[inline(never)]
    pub(crate) fn push(&mut self, key: Own, value: Own) {
        py::push(&mut self.entries, Entry { key, value: Some(value), spelled: None, encoded: false });
    }

    #[inline(always)]
    pub(crate) fn get(&self, at: usize) -> Option<&Entry> {
        self.entries.get(at)
    }

    /// The value of an entry, which is written now, and only once.
    #[inline(always)]
    pub(crate) fn take(&mut self, at: usize) -> Option<Own> {
        self.entries.get_mut(at)?.value.take()
    }

    #[inline(always)]
    pub(crate) fn key(&self, at: usize) -> Option<Key<'_>> {
        let entry = self.entries.get(at)?;
        Some(match entry.spelled {
            None => Key::Plain(&entry.key),
            Some(span) if entry.encoded => Key::Encoded(&entry.key, self.text(span)),
            Some(span) => Key::Text(&entry.key, Str::unchecked(self.text(span))),
        })
    }

    fn text(&self, span: (u32, u32)) -> &[u8] {
        part(&self.texts, span)
    }

    /// The text of a key for messages; nothing if it is no text.
    pub(crate) fn lossy(&self, at: usize) -> Option<String> {
        match self.key(at)? {
            Key::Text(_, s) => Some(s.utf8().unwrap_or_default().into()),
            Key::Plain(o) | Key::Encoded(o, _) => o.as_ref().as_any_str().map(|s| s.lossy()),
        }
    }

    /// Another str stands for the key of an entry.
    pub(crate) fn set_key(&mut self, at: usize, key: Own) {
        if let Some(entry) = self.entries.get_mut(at) {
            entry.key = key;
        }
    }

    /// The key of an entry is spelled so. False if there is more text than can be named.
    pub(crate) fn spell(&mut self, at: usize, text: &str) -> bool {
        self.spell_by(at, false, |texts| texts.extend_from_slice(text.as_bytes()))
    }

    /// The same for bytes that may not be UTF-8.
    pub(crate) fn spell_bytes(&mut self, at: usize, bytes: &[u8]) -> bool {
        self.spell_by(at, false, |texts| texts.extend_from_slice(bytes))
    }

    /// What is written for the key of an entry is what `write` appends.
    pub(crate) fn encode(&mut self, at: usize, write: impl FnOnce(&mut Vec<u8>)) -> bool {
        self.spell_by(at, true, write)
    }

    fn spell_by(&mut self, at: usize, encoded: bool, write: impl FnOnce(&mut Vec<u8>)) -> bool {
        let from = self.texts.len();
        write(&mut self.texts);
        let (Ok(from), Ok(to)) = (u32::try_from(from), u32::try_from(self.texts.len())) else {
            return false;
        };
        if let Some(entry) = self.entries.get_mut(at) {
            (entry.spelled, entry.encoded) = (Some((from, to)), encoded);
        }
        true
    }

    /// Whether what is written for the keys from `base` on is there for any of them.
    pub(crate) fn is_encoded(&self, base: usize) -> bool {
        self.entries.get(base..).unwrap_or_default().iter().any(|e| e.encoded)
    }

    /// Lets go of the entries of a map: those from `base` on.
    #[inline]
    pub(crate) fn close(&mut self, base: usize) {
        if !self.texts.is_empty() {
            let spelled = self.entries.get(base..).unwrap_or_default().iter().filter_map(|e| e.spelled);
            if let Some(first) = spelled.map(|(from, _)| from as usize).min() {
                self.texts.truncate(first);
            }
        }
        self.entries.truncate(base);
    }

    /// Lets go of everything, after a walk.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.texts.clear();
        if self.entries.capacity() > KEEP || self.texts.capacity() > KEEP * 16 {
            *self = Gathered::default();
        }
    }

    /// Sorts the entries from `base` on by their keys.
    pub(crate) fn sort(&mut self, base: usize, order: Order) -> Result<(), Unsorted> {
        self.order(base, order)?;
        let Gathered { entries, sorter, .. } = self;
        sorter.apply(|a, b| entries.swap(base + a, base + b));
        Ok(())
    }

    /// An entry from `base` on whose key stands twice, if any. Keys with surrogates are left for
    /// whoever writes them.
    pub(crate) fn same_key(&mut self, base: usize) -> Option<usize> {
        self.order(base, Order::Sorted).ok()?;
        let mut last = None;
        for at in self.sorter.indices().map(|index| base + index) {
            let bytes = |at: usize| self.entries.get(at).map(|entry| entry.bytes(&self.texts));
            if last.is_some_and(|last| bytes(last) == bytes(at)) {
                return last;
            }
            last = Some(at);
        }
        None
    }

    /// Finds the order of the entries from `base` on.
    #[inline(never)]
    fn order(&mut self, base: usize, by: Order) -> Result<(), Unsorted> {
        for at in base..self.entries.len() {
            if self.is_wide(at) {
                self.spell_wide(at)?;
            }
        }
        let Gathered { entries, texts, sorter, .. } = self;
        let entries = entries.get(base..).unwrap_or_default();
        let head = if by == Order::Utf16 { utf16_head } else { order::head };
        sorter.clear();
        for entry in entries {
            let bytes = entry.bytes(texts);
            // Not by its pointer: the usual one is compiled in.
            sorter.add(if by == Order::Utf16 { utf16_head(bytes) } else { order::head(bytes) }, bytes.len());
        }
        sorter.sort(&|index| entries.get(index).map(|entry| entry.bytes(texts)).unwrap_or_default(), head);
        Ok(())
    }

    /// Whether the bytes of a key stand nowhere yet.
    #[inline(always)]
    fn is_wide(&self, at: usize) -> bool {
        self.entries.get(at).is_some_and(|e| e.spelled.is_none() && ascii(&e.key).is_none())
    }

    /// A str that is not ASCII is spelled in UTF-8, which is its order.
    #[cold]
    #[inline(never)]
    fn spell_wide(&mut self, at: usize) -> Result<(), Unsorted> {
        let mut room = core::mem::take(&mut self.room);
        let key = self.entries.get(at).map(|e| e.key.clone());
        let Some(s) = key.as_ref().and_then(|k| k.as_ref().as_any_str()) else { return Ok(()) };
        let text = s.text(&mut room).map_err(Unsorted::Surrogate)?;
        let spelled = self.spell(at, text.utf8().unwrap_or_default());
        self.room = room;
        if spelled { Ok(()) } else { Err(Unsorted::Full) }
    }
}

/// Why entries cannot be sorted.
pub(crate) enum Unsorted {
    /// A key has a surrogate.
    Surrogate(NotUtf8),
    /// There is too much text.
    Full,
}

#[inline(always)]
fn part(texts: &[u8], (from, to): (u32, u32)) -> &[u8] {
    texts.get(from as usize..to as usize).unwrap_or_default()
}

#[inline(always)]
fn ascii(key: &Own) -> Option<&[u8]> {
    key.as_ref().as_any_str()?.ascii()
}

/// The first bytes as a number that orders as UTF-16 does.
///
/// UTF-8 orders as code points do; UTF-16 puts what it spells as surrogates, which begins with
/// F0 or more in UTF-8, before U+E000 to U+FFFF, which begin with EE and EF. No other byte of
/// UTF-8 has these values, nor those that take their place here.
fn utf16_head(bytes: &[u8]) -> u64 {
    let bytes = order::head(bytes).to_be_bytes();
    u64::from_be_bytes(bytes.map(|b| if matches!(b, 0xee | 0xef) { b + 0x10 } else { b }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf16_orders_as_its_units_do() {
        let all = ["", "a", "ab", "é", "\u{d7ff}", "\u{e000}", "\u{ffff}", "\u{10000}", "\u{10ffff}"];
        // In heads and behind them.
        for a in all {
            for b in all {
                for before in ["", "123456", "1234567890"] {
                    let texts = [a, b].map(|s| [before, s].concat());
                    let mut sorter = Sorter::default();
                    texts.iter().for_each(|s| sorter.add(utf16_head(s.as_bytes()), s.len()));
                    sorter.sort(&|i| texts[i].as_bytes(), utf16_head);
                    let greater = a.encode_utf16().gt(b.encode_utf16());
                    assert_eq!(sorter.indices().next(), Some(usize::from(greater)), "{before}{a} {b}");
                }
            }
        }
    }
}
