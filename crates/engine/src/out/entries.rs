//! Maps that cannot be written straight from where they stand: sorted ones, ones with keys that
//! are no text, fields of records. They are gathered first, then written in one small loop.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

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

    /// The bytes of the text.
    fn bytes(&self) -> Result<Vec<u8>, NotUtf8> {
        match self {
            Key::Str(o) => match o.as_ref().as_any_str() {
                Some(s) => {
                    let mut room = Vec::new();
                    let t = s.text(&mut room)?;
                    Ok(t.bytes().to_vec())
                }
                None => Err(NotUtf8(0)),
            },
            Key::Text(_, s) => Ok(s.as_bytes().to_vec()),
        }
    }
}

/// Keys and values, both owned.
pub(crate) struct Entries {
    pub(crate) items: Vec<(Key, Own)>,
    /// How many were written.
    pub(crate) done: usize,
}

impl Entries {
    pub(crate) fn new(items: Vec<(Key, Own)>) -> Entries {
        Entries { items, done: 0 }
    }

    /// Sorts by key; the first key that has a surrogate, if any, and its place.
    pub(crate) fn sort(&mut self, order: Order) -> Result<(), (usize, NotUtf8)> {
        let mut keyed = Vec::with_capacity(self.items.len());
        for (i, item) in core::mem::take(&mut self.items).into_iter().enumerate() {
            keyed.push((item.0.bytes().map_err(|e| (i, e))?, item));
        }
        match order {
            Order::Stored => {}
            Order::Sorted => keyed.sort_by(|a, b| a.0.cmp(&b.0)),
            Order::Utf16 => keyed.sort_by(|a, b| utf16(&a.0, &b.0)),
        }
        self.items = keyed.into_iter().map(|(_, item)| item).collect();
        Ok(())
    }

    /// A key that stands twice, if any.
    pub(crate) fn same_key(&self) -> Option<String> {
        let mut all: Vec<String> = self.items.iter().map(|(k, _)| k.lossy()).collect();
        all.sort_unstable();
        all.windows(2).find(|w| w[0] == w[1]).map(|w| w[0].clone())
    }
}

/// UTF-8 orders as code points do; UTF-16 puts what it spells as surrogates before U+E000.
fn utf16(a: &[u8], b: &[u8]) -> Ordering {
    let (a, b) = (core::str::from_utf8(a).unwrap_or_default(), core::str::from_utf8(b).unwrap_or_default());
    a.encode_utf16().cmp(b.encode_utf16())
}
