//! Keys that are not text, where a format takes any value as a key: each is written as it would
//! be in the place of a value.
//!
//! What may surprise: as soon as one key of a map is not text, all of its keys are encoded apart
//! first. Only so can they be put in the order of their bytes, and two that are written alike be
//! found: a reader would lose one of the values. Plain integers differ if they are written
//! differently, so a map that begins with them is written from where it stands as far as they go.

use alloc::string::String;
use alloc::vec::Vec;

use super::Out;
use super::key::CHAIN;
use super::rules::Order;
use super::seldom::Seldom;
use super::sort::{Sort, member_value};
use super::walk::{Cold, Go, Walk};
use crate::fault::{Stop, What};
use py::{NotUtf8, Own, Ref, Seen};

/// How much of a key is shown in a message.
const SHOWN: usize = 60;

/// A key as a message shows it.
pub(super) fn shown(o: Ref<'_>) -> String {
    o.show().chars().take(SHOWN).collect()
}

/// Whether values of a sort can be keys where few can.
pub(super) fn is_few(sort: Sort, o: Ref<'_>) -> bool {
    match sort {
        Sort::Enum | Sort::OddEnum | Sort::StrSub | Sort::IntSub | Sort::Uuid | Sort::MemoryView => true,
        Sort::DateTime | Sort::Date | Sort::Time => true,
        Sort::Bytes => o.is_bytes(),
        _ => false,
    }
}

impl Seldom<'_, '_> {
    /// Makes the keys of gathered entries ready, of which some are not exactly text.
    #[cold]
    #[inline(never)]
    pub(super) fn key_values(&mut self, base: usize) -> Go {
        // Keys that differ may be written alike: members of an enumeration, floats in fewer bits.
        if !self.cold().found_keys(base)? {
            self.encode_keys(base)?;
        }
        self.cold().no_same_keys(base)
    }

    /// Encodes the keys of entries, each on its own.
    #[inline(never)]
    fn encode_keys(&mut self, base: usize) -> Go {
        let end = self.cold().gathered.len();
        for at in base..end {
            let w = self.cold();
            let Some(key) = w.gathered.get(at).map(|e| e.key.clone()) else { break };
            let mark = w.out.mark();
            self.plain_key(&key)?;
            let w = self.cold();
            let out = &mut w.out;
            if !w.gathered.encode(at, |texts| out.cut(mark, texts)) {
                return Err(w.stop(What::Memory));
            }
        }
        Ok(())
    }

    /// The order in which entries can be written; where that is the order of their bytes, the keys
    /// are encoded.
    #[inline]
    pub(super) fn encode_keys_for(&mut self, base: usize, order: Order) -> Result<Order, Stop> {
        let w = self.cold();
        if w.out.caps().str_keys_only || order == Order::Stored {
            return Ok(order);
        }
        // Text has an order of its own, but only among text.
        let encoded = w.gathered.is_encoded(base);
        if order == Order::Encoded && !encoded {
            self.encode_keys(base)?;
        }
        Ok(if encoded { Order::Encoded } else { order })
    }

    /// Writes a key as a value.
    #[inline(never)]
    pub(super) fn plain_key(&mut self, key: &Own) -> Go {
        self.cold().in_keys += 1;
        // Integers of keys have the limit of all others.
        self.whole(key.as_ref())?;
        let w = self.cold();
        w.in_keys -= 1;
        let wrote = w.out.end_key();
        w.wrote(wrote)
    }
}

impl<O: Out + ?Sized> Walk<'_, O> {
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
}

impl Cold<'_, '_> {
    /// Finds what is to be written for the keys of entries; whether all of it is text.
    fn found_keys(&mut self, base: usize) -> Result<bool, Stop> {
        let mut text = true;
        let end = self.gathered.len();
        for at in base..end {
            let Some(key) = self.gathered.get(at).map(|e| e.key.clone()) else { break };
            if self.rules.quirks.str_keys && key.as_ref().as_str().is_none() {
                return Err(self.stop(What::KeyNotStr));
            }
            let key = self.key_value(key)?;
            let o = key.as_ref();
            let exact = self.rules.quirks.exact || self.rules.table;
            text &= if exact { o.as_str().is_some() } else { o.as_any_str().is_some() };
            self.escape_key(at, &key)?;
            self.gathered.set_key(at, key);
        }
        Ok(text)
    }

    /// Refuses entries whose keys are written alike.
    fn no_same_keys(&mut self, base: usize) -> Go {
        if !self.rules.quirks.same_keys
            && let Some(at) = self.gathered.same_key(base)
        {
            let key = self.gathered.lossy(at).or_else(|| Some(shown(self.gathered.get(at)?.key.as_ref())));
            return Err(self.stop(What::SameKey(key.unwrap_or_default())));
        }
        Ok(())
    }

    /// What is to be written for a key: the value of a member of an enumeration, otherwise itself.
    pub(super) fn key_value(&mut self, mut key: Own) -> Result<Own, Stop> {
        for _ in 0..CHAIN {
            if !matches!(key.as_ref().see_cold(), Seen::Other(_)) || self.rules.quirks.hook_keys {
                return Ok(key);
            }
            let known = self.classes.of(self.env, &key);
            let sort = self.raised(known)?.sort;
            let few = self.rules.quirks.few_keys;
            match sort {
                Sort::Enum | Sort::OddEnum => {
                    let v = member_value(self.env, sort, key.as_ref());
                    key = self.raised(v)?;
                    continue;
                }
                sort if is_few(sort, key.as_ref()) => {}
                Sort::Bytes
                | Sort::FloatSub
                | Sort::TupleSub
                | Sort::Set
                | Sort::DateTimeSub
                | Sort::Delta
                | Sort::UuidSub
                | Sort::Decimal
                | Sort::Fraction
                | Sort::Text
                | Sort::ArrayScalar
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

    /// Spells a key that is text with a surrogate, as the codec error handler says.
    fn escape_key(&mut self, at: usize, key: &Own) -> Go {
        let Some(errors) = self.rules.key_errors() else { return Ok(()) };
        let mut room = Vec::new();
        if key.as_ref().as_any_str().is_none_or(|s| s.text(&mut room).is_ok()) {
            return Ok(());
        }
        let bytes = py::encoded_with(key.as_ref(), errors);
        let bytes = self.handled(bytes, NotUtf8(0))?;
        if self.gathered.spell_bytes(at, bytes.as_ref().as_bytes().unwrap_or_default()) {
            return Ok(());
        }
        Err(self.stop(What::Memory))
    }

    /// What a codec error handler gave. That which we have named refuses what stands for no byte, and
    /// then it is as if there were none.
    pub(super) fn handled(&mut self, r: py::Result<Own>, e: NotUtf8) -> Result<Own, Stop> {
        match r {
            Ok(bytes) => Ok(bytes),
            Err(_) if self.rules.quirks.by_base || self.rules.quirks.exact => self.raised(r),
            Err(_) if !py::pending(py::Builtin::Value) => self.raised(r),
            Err(_) => {
                py::clear();
                Err(self.surrogate(e))
            }
        }
    }
}
