//! Keys that are not text, where a format wants text: the spelling of each.
//!
//! None is `null`, truth values are `true` and `false`, numbers their shortest text, moments RFC
//! 3339 and ISO 8601, bytes base64, members of enumerations whatever their value is, anything
//! that is written as its text that text. Two keys that are spelled alike are an error: a reader
//! would silently lose one of the values.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Out;
use super::entries::{Entries, Key};
use super::rules::Order;
use super::sort::Sort;
use super::walk::Walk;
use crate::fault::{Stop, What};
use py::{DictKind, Held, Int, Moment, MomentKind, Own, Seen};
use wire::time::{Date, DateTime, Duration, Time, TimeStyle};
use wire::{Str, number};

/// How often a key may lead to another value that is to be the key.
const CHAIN: usize = 64;

/// How much of a key that cannot be one is shown.
const SHOWN: usize = 60;

/// What a look at a key came to.
enum Spelled {
    /// Its text.
    Text(String),
    /// A str that is its text.
    Str(Own),
    /// Another object is to be the key.
    Again(Own),
}

impl<O: Out> Walk<'_, O> {
    /// Every entry of a dict, its keys spelled; `done` of them have been written.
    #[cold]
    #[inline(never)]
    pub(crate) fn odd_entries(&mut self, dict: &Held<DictKind>, done: usize) -> Result<Entries, Stop> {
        let (mut place, mut items) = (0, Vec::with_capacity(dict.len()));
        let (mut odd, mut ints) = (false, true);
        while let Some((k, v)) = dict.next(&mut place) {
            odd |= k.as_ref().as_str().is_none();
            ints &= matches!(k.as_ref().see(), Seen::Int(_));
            items.push((Key::Str(k.as_ref().own()), v.as_ref().own()));
        }
        if odd {
            // Spelling a key may run user code, which can no longer reach what was gathered.
            for (key, _) in &mut items {
                if let Key::Str(k) = key
                    && k.as_ref().as_str().is_none()
                {
                    *key = self.spell(k)?;
                }
            }
        }
        let mut entries = Entries::new(items);
        entries.done = done;
        // Integers that differ are spelled differently.
        if odd
            && !ints
            && !self.rules.quirks.same_keys
            && let Some(key) = entries.same_key()
        {
            return Err(self.stop(What::SameKey(key)));
        }
        Ok(entries)
    }

    /// The spelling of one key.
    fn spell(&mut self, key: &Own) -> Result<Key, Stop> {
        if self.rules.quirks.str_keys {
            return Err(self.stop(What::KeyNotStr));
        }
        let mut k = key.clone();
        for _ in 0..CHAIN {
            match self.spell_once(&k)? {
                Spelled::Text(s) => return Ok(Key::Text(key.clone(), s)),
                Spelled::Str(s) => return Ok(Key::Str(s)),
                Spelled::Again(other) => k = other,
            }
        }
        Err(self.stop(What::Chain))
    }

    fn spell_once(&mut self, k: &Own) -> Result<Spelled, Stop> {
        let o = k.as_ref();
        let text = match o.see() {
            Seen::Str(_) => return Ok(Spelled::Str(k.clone())),
            Seen::None => "null".to_string(),
            Seen::Bool(v) => v.to_string(),
            Seen::Float(v) => self.float_key(v)?,
            Seen::Int(i) => self.int_key(i.get())?,
            _ => return self.spell_other(k),
        };
        Ok(Spelled::Text(text))
    }

    /// Keys are what they are, whatever is passed through as a value, and the hook is for values.
    fn spell_other(&mut self, k: &Own) -> Result<Spelled, Stop> {
        let o = k.as_ref();
        let known = self.classes.of(self.env, o);
        let sort = self.raised(known)?.sort;
        let many = !self.rules.quirks.few_keys;
        let text = match sort {
            Sort::Enum => {
                let v = o.attr(&self.env.names.value);
                return Ok(Spelled::Again(self.raised(v)?));
            }
            Sort::StrSub => return Ok(Spelled::Str(k.clone())),
            Sort::IntSub => o.as_any_int().map(|i| self.int_key(i.get())),
            Sort::FloatSub if many => o.as_any_float().map(|v| self.float_key(v)),
            Sort::DateTime | Sort::Date | Sort::Time => Some(self.moment_key(k)),
            Sort::DateTimeSub | Sort::Delta if many => Some(self.moment_key(k)),
            Sort::Uuid => {
                let v = self.uuid_bytes(k)?;
                let mut room = [0; wire::uuid::TEXT];
                Some(Ok(wire::uuid::text(v, &mut room).utf8().unwrap_or_default().to_string()))
            }
            Sort::UuidSub | Sort::Decimal | Sort::Text | Sort::Fraction if many => {
                let s = py::text_of(o);
                return Ok(Spelled::Str(self.raised(s)?));
            }
            Sort::Bytes if many => o.as_bytes().map(|b| Ok(wire::base64::text(b))),
            Sort::ArrayScalar if many => {
                let v = py::call_method0(o, c"item");
                let v = self.raised(v)?;
                // What Python has no value for gives itself back, moments finer than its own a number.
                let same = v.as_ref().class().as_ref().is(o.class().as_ref());
                let moment = matches!(o.class().tp_name(), "numpy.datetime64" | "numpy.timedelta64");
                let plain = matches!(v.as_ref().see(), Seen::Int(_) | Seen::None);
                if !(same || moment && plain) {
                    return Ok(Spelled::Again(v));
                }
                None
            }
            _ => None,
        };
        match text {
            Some(text) => text.map(Spelled::Text),
            None => {
                let shown = o.show().chars().take(SHOWN).collect();
                Err(self.stop(What::Key(o.class_name(), shown)))
            }
        }
    }

    fn int_key(&mut self, v: Int<'_>) -> Result<String, Stop> {
        let max = if self.rules.quirks.few_keys { u64::MAX } else { self.rules.max_int };
        Ok(match v {
            Int::I64(v) if v.unsigned_abs() <= max => v.to_string(),
            Int::U64(v) if v <= max => v.to_string(),
            Int::Big(b) if self.rules.big_ints => {
                let s = b.text();
                self.raised(s)?
            }
            _ if self.rules.quirks.few_keys => return Err(self.stop(What::KeyRange)),
            _ => return Err(self.stop(What::IntRange(self.rules.int_bits))),
        })
    }

    fn float_key(&mut self, v: f64) -> Result<String, Stop> {
        if !v.is_finite() {
            if self.rules.finite {
                return Err(self.stop(What::NonFinite));
            }
            return Ok("null".to_string());
        }
        let mut room = [0; 32];
        let n = if self.rules.order == Order::Utf16 {
            number::ecmascript(v, &mut room)
        } else {
            number::write_f64(v, &mut room)
        };
        Ok(String::from_utf8_lossy(&room[..n]).into_owned())
    }

    fn moment_key(&mut self, k: &Own) -> Result<String, Stop> {
        let kind = self.env.moments.kind(k.as_ref().class()).unwrap_or(MomentKind::Date);
        let moment = self.env.moments.read(k, kind);
        let style = self.out.time_style();
        let owned = |s: Str<'_>| s.utf8().unwrap_or_default().to_string();
        Ok(match self.raised(moment)? {
            Moment::DateTime(v) => owned(v.text(style, &mut [0; DateTime::TEXT])),
            Moment::Date(v) => owned(v.text(&mut [0; Date::TEXT])),
            Moment::Time(v) if self.rules.quirks.naive_times => {
                if v.offset.is_some() {
                    return Err(self.stop(What::TimeWithZone));
                }
                let style = TimeStyle { naive_utc: false, ..style };
                owned(v.text(style, &mut [0; Time::TEXT]))
            }
            Moment::Time(v) => owned(v.text(style, &mut [0; Time::TEXT])),
            Moment::Delta(v) => owned(v.text(&mut [0; Duration::TEXT])),
        })
    }
}
