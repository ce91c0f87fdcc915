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
use wire::time::{Date, DateTime, Duration, Time};
use wire::{Str, number};

/// How often a key may lead to another value that is to be the key.
const CHAIN: usize = 64;

impl<O: Out> Walk<'_, O> {
    /// Every entry of a dict, its keys spelled; `done` of them have been written.
    #[cold]
    #[inline(never)]
    pub(crate) fn odd_entries(&mut self, dict: &Held<DictKind>, done: usize) -> Result<Entries, Stop> {
        let n = dict.len();
        let (mut place, mut all): (isize, Vec<(Own, Own)>) = (0, Vec::with_capacity(n));
        while let Some((k, v)) = dict.next(&mut place) {
            all.push((k.as_ref().own(), v.as_ref().own()));
        }
        // Spelling a key may run user code, which can no longer reach what was gathered.
        let mut odd = false;
        let mut items = Vec::with_capacity(all.len());
        for (k, v) in all {
            let key = if k.as_ref().as_str().is_some() {
                Key::Str(k)
            } else {
                odd = true;
                self.spell(k)?
            };
            items.push((key, v));
        }
        let mut entries = Entries::new(items);
        entries.done = done;
        if odd
            && !self.rules.quirks.same_keys
            && let Some(key) = entries.same_key()
        {
            return Err(self.stop(What::SameKey(key)));
        }
        Ok(entries)
    }

    /// The spelling of one key.
    pub(crate) fn spell(&mut self, key: Own) -> Result<Key, Stop> {
        let mut k = key.clone();
        for _ in 0..CHAIN {
            match self.spell_once(&key, &k)? {
                Ok(spelled) => return Ok(spelled),
                Err(other) => k = other,
            }
        }
        Err(self.stop(What::Chain))
    }

    /// The spelling, or another object to spell in its place.
    fn spell_once(&mut self, key: &Own, k: &Own) -> Result<Result<Key, Own>, Stop> {
        let quirks = self.rules.quirks;
        let text = |s: &str| Ok(Ok(Key::Text(key.clone(), s.to_string())));
        if quirks.str_keys {
            return Err(self.stop(What::KeyNotStr));
        }
        match k.as_ref().see() {
            Seen::Str(_) => return Ok(Ok(Key::Str(k.clone()))),
            Seen::None => return text("null"),
            Seen::Bool(v) => return text(if v { "true" } else { "false" }),
            Seen::Float(v) => return self.float_key(v).and_then(|s| text(&s)),
            Seen::Int(i) => return self.int_key(i.get()).and_then(|s| text(&s)),
            _ => {}
        }
        let known = self.classes.of(self.env, k.as_ref());
        let known = self.raised(known)?;
        let o = k.as_ref();
        match known.sort {
            // Keys are what they are, whatever is passed through as a value.
            Sort::Enum => {
                let v = o.attr(&self.env.names.value);
                return Ok(Err(self.raised(v)?));
            }
            Sort::StrSub => return Ok(Ok(Key::Str(k.clone()))),
            Sort::IntSub => {
                if let Some(i) = o.as_any_int() {
                    return self.int_key(i.get()).and_then(|s| text(&s));
                }
            }
            Sort::FloatSub if self.rules.sorts.has(Sort::FloatSub) => {
                if let Some(v) = o.as_any_float() {
                    return self.float_key(v).and_then(|s| text(&s));
                }
            }
            Sort::DateTime | Sort::Date | Sort::Time => return self.moment_key(k).and_then(|s| text(&s)),
            Sort::DateTimeSub if self.rules.sorts.has(Sort::DateTimeSub) => {
                return self.moment_key(k).and_then(|s| text(&s));
            }
            Sort::Delta if self.rules.sorts.has(Sort::Delta) => {
                return self.moment_key(k).and_then(|s| text(&s));
            }
            Sort::Uuid => {
                let v = self.uuid_bytes(k)?;
                let mut room = [0; wire::uuid::TEXT];
                return text(wire::uuid::text(v, &mut room).utf8().unwrap_or_default());
            }
            Sort::UuidSub | Sort::Decimal | Sort::Text | Sort::Fraction
                if self.rules.sorts.has(known.sort) =>
            {
                let s = py::text_of(o);
                return Ok(Ok(Key::Str(self.raised(s)?)));
            }
            Sort::Bytes if self.rules.sorts.has(Sort::Bytes) => {
                if let Some(b) = o.as_bytes() {
                    return text(&wire::base64::text(b));
                }
            }
            Sort::ArrayScalar if self.rules.sorts.has(Sort::Bytes) => {
                let v = py::call_method0(o, c"item");
                let v = self.raised(v)?;
                if !v.as_ref().class().as_ref().is(o.class().as_ref()) {
                    return Ok(Err(v));
                }
            }
            _ => {}
        }
        match &self.rules.hook {
            Some(hook) if !quirks.wrap_hook => {
                let v = py::call1(hook.as_ref(), o);
                Ok(Err(self.raised(v)?))
            }
            _ => Err(self.stop(What::Key(o.class_name()))),
        }
    }

    fn int_key(&mut self, v: Int<'_>) -> Result<String, Stop> {
        Ok(match v {
            Int::I64(v) => v.to_string(),
            Int::U64(v) => v.to_string(),
            Int::Big(_) if self.rules.quirks.int_keys => return Err(self.stop(What::KeyRange)),
            Int::Big(b) => {
                let s = b.text();
                self.raised(s)?
            }
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
            Moment::Time(v) if v.offset.is_some() && self.rules.quirks.naive_times => {
                return Err(self.stop(What::TimeWithZone));
            }
            Moment::Time(v) => owned(v.text(style, &mut [0; Time::TEXT])),
            Moment::Delta(v) => owned(v.text(&mut [0; Duration::TEXT])),
        })
    }
}
