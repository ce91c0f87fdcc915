//! Keys that are not text, where a format takes any value as a key: each is written as it would
//! be in the place of a value.
//!
//! What may surprise: a key that is not plainly a scalar is encoded apart first. Only so can keys
//! be put in the order of their bytes, and two that are written alike be found: a reader would
//! lose one of the values.

use alloc::string::String;

use super::Out;
use super::key::CHAIN;
use super::rules::Order;
use super::sort::Sort;
use super::walk::{Go, Walk};
use crate::fault::{Stop, What};
use py::{NotUtf8, Own, Ref, Seen};
use wire::{Full, Str};

/// How much of a key is shown in a message.
const SHOWN: usize = 60;

/// A key as a message shows it.
pub(super) fn shown(o: Ref<'_>) -> String {
    o.show().chars().take(SHOWN).collect()
}

impl<O: Out> Walk<'_, O> {
    /// Makes the keys of gathered entries ready, of which some are not exactly text.
    #[cold]
    #[inline(never)]
    pub(super) fn key_values(&mut self, base: usize) -> Go {
        let (mut text, mut plain) = (true, true);
        let end = self.gathered.len();
        for at in base..end {
            let Some(key) = self.gathered.get(at).map(|e| e.key.clone()) else { break };
            if self.rules.quirks.str_keys && key.as_ref().as_str().is_none() {
                return Err(self.stop(What::KeyNotStr));
            }
            let key = self.key_value(key)?;
            let o = key.as_ref();
            let scalar = matches!(o.see(), Seen::Int(_) | Seen::Float(_) | Seen::Bool(_) | Seen::None);
            text &= if self.rules.quirks.exact { o.as_str().is_some() } else { o.as_any_str().is_some() };
            plain &= o.as_str().is_some() || scalar || o.is_bytes();
            self.gathered.set_key(at, key);
        }
        if plain && self.rules.order == Order::Stored {
            return Ok(());
        }
        if !text {
            self.encode_keys(base)?;
        }
        if !self.rules.quirks.same_keys
            && let Some(at) = self.gathered.same_key(base)
        {
            let key = self.gathered.lossy(at).or_else(|| Some(shown(self.gathered.get(at)?.key.as_ref())));
            return Err(self.stop(What::SameKey(key.unwrap_or_default())));
        }
        Ok(())
    }

    /// What is to be written for a key: the value of a member of an enumeration, otherwise itself.
    fn key_value(&mut self, mut key: Own) -> Result<Own, Stop> {
        for _ in 0..CHAIN {
            if !matches!(key.as_ref().see(), Seen::Other(_)) || self.rules.quirks.hook_keys {
                return Ok(key);
            }
            let known = self.classes.of(self.env, key.as_ref());
            let sort = self.raised(known)?.sort;
            let few = self.rules.quirks.few_keys;
            match sort {
                Sort::Enum => {
                    let v = key.as_ref().attr(&self.env.names.value);
                    key = self.raised(v)?;
                    continue;
                }
                Sort::StrSub | Sort::IntSub | Sort::DateTime | Sort::Date | Sort::Time | Sort::Uuid => {}
                Sort::Bytes if !few || key.as_ref().is_bytes() => {}
                Sort::MemoryView => {}
                Sort::FloatSub
                | Sort::TupleSub
                | Sort::Set
                | Sort::DateTimeSub
                | Sort::Delta
                | Sort::UuidSub
                | Sort::Decimal
                | Sort::Fraction
                | Sort::Text
                | Sort::ArrayScalar
                | Sort::Raw
                | Sort::Ext
                | Sort::Timestamp
                    if !few => {}
                _ => {
                    let what = What::Key(key.as_ref().class_name(), shown(key.as_ref()));
                    return Err(self.stop(what));
                }
            }
            return Ok(key);
        }
        Err(self.stop(What::Chain))
    }

    /// Encodes the keys of entries, each on its own.
    #[inline(never)]
    fn encode_keys(&mut self, base: usize) -> Go {
        let end = self.gathered.len();
        for at in base..end {
            let Some(key) = self.gathered.get(at).map(|e| e.key.clone()) else { break };
            let mark = self.out.mark();
            self.plain_key(&key)?;
            let out = &mut self.out;
            if !self.gathered.encode(at, |texts| out.cut(mark, texts)) {
                return Err(self.stop(What::Memory));
            }
        }
        Ok(())
    }

    /// The order in which entries can be written; where that is the order of their bytes, the keys
    /// are encoded.
    #[inline]
    pub(super) fn encode_keys_for(&mut self, base: usize, order: Order) -> Result<Order, Stop> {
        if O::CAPS.str_keys_only || order == Order::Stored {
            return Ok(order);
        }
        // Text has an order of its own, but only among text.
        let encoded = self.gathered.is_encoded(base);
        if order == Order::Encoded && !encoded {
            self.encode_keys(base)?;
        }
        Ok(if encoded { Order::Encoded } else { order })
    }

    /// Writes a key as a value.
    #[inline(never)]
    pub(super) fn plain_key(&mut self, key: &Own) -> Go {
        self.in_keys += 1;
        // Integers of keys have the limit of all others.
        self.whole(key.as_ref())?;
        self.in_keys -= 1;
        let w = self.out.end_key();
        self.wrote(w)
    }

    /// What is (part of) a key cannot be a map: no reader could look it up.
    #[inline(always)]
    pub(super) fn no_map_in_keys(&mut self) -> Go {
        if self.in_keys == 0 { Ok(()) } else { Err(self.map_in_key()) }
    }

    #[cold]
    #[inline(never)]
    fn map_in_key(&mut self) -> Stop {
        self.stop(What::Key("dict".into(), "...".into()))
    }

    /// Text with a surrogate, as a key.
    #[cold]
    #[inline(never)]
    pub(super) fn odd_key_text(&mut self, key: &Own) -> Go {
        let bytes = match &self.rules.str_errors {
            Some(errors) if !self.rules.quirks.strict_keys => py::encoded_with(key.as_ref(), errors),
            _ => return Err(self.surrogate(NotUtf8(0))),
        };
        let bytes = self.raised(bytes)?;
        let text = Str::unchecked(bytes.as_ref().as_bytes().unwrap_or_default());
        match self.out.spelled_key(key.as_ref(), text) {
            Ok(()) => Ok(()),
            Err(Full) => Err(self.full()),
        }
    }
}
