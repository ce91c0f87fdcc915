//! Keys that are not text, where a format wants text: the spelling of each.
//!
//! None is `null`, truth values are `true` and `false`, numbers their shortest text, moments RFC
//! 3339 and ISO 8601, bytes base64, members of enumerations whatever their value is, anything
//! that is written as its text that text. Two keys that are spelled alike are an error: a reader
//! would silently lose one of the values.

use alloc::string::{String, ToString};

use super::Out;
use super::key_value::shown;
use super::rules::Order;
use super::seldom::Seldom;
use super::sort::{Sort, member_value};
use super::walk::{Cold, Walk};
use crate::fault::{Stop, What};
use py::{DictKind, Held, Int, Moment, MomentKind, Own, Ref, Seen};
use wire::time::{Date, DateTime, Duration, Time};
use wire::{Str, number};

/// How often a key may lead to another value that is to be the key.
pub(super) const CHAIN: usize = 64;

/// What a look at a key came to.
enum Spelled {
    /// Its text.
    Text(String),
    /// A str that is its text.
    Str(Own),
    /// Another object is to be the key.
    Again(Own),
}

impl<O: Out + ?Sized> Walk<'_, O> {
    #[inline(always)]
    pub(crate) fn plain_int(&self, k: Ref<'_>) -> Option<i64> {
        match k.as_int()?.get() {
            Int::I64(v) if v.unsigned_abs() <= self.max_key() => Some(v),
            _ => None,
        }
    }

    #[inline(always)]
    fn max_key(&self) -> u64 {
        if self.rules.quirks.few_keys { u64::MAX } else { self.rules.max_int }
    }
}

impl Seldom<'_, '_> {
    /// Gathers every entry of a dict, its keys spelled; says where they begin.
    #[inline(never)]
    pub(super) fn gather(&mut self, dict: &Held<DictKind>) -> Result<usize, Stop> {
        let w = self.cold();
        let base = w.gathered.len();
        w.gathered.reserve(dict.len());
        // A text with a surrogate may be written as another text is.
        let (mut place, mut odd) = (0, w.rules.str_errors.is_some());
        while let Some((k, v)) = dict.next(&mut place) {
            odd |= k.as_ref().as_str().is_none();
            w.gathered.push(k.as_ref().own(), v.as_ref().own());
        }
        if odd && w.out.caps().str_keys_only {
            w.spell_keys(base)?;
        } else if odd {
            self.key_values(base)?;
        }
        Ok(base)
    }
}

impl Cold<'_, '_> {
    #[cold]
    #[inline(never)]
    pub(super) fn spell_keys(&mut self, base: usize) -> Result<(), Stop> {
        let mut ints = true;
        // Spelling a key may run user code, which can no longer reach what was gathered.
        for at in base..self.gathered.len() {
            let Some(key) = self.gathered.get(at).map(|e| &e.key) else { break };
            if let Some(v) = self.plain_int(key.as_ref())
                && !self.rules.quirks.str_keys
            {
                let mut room = [0; 32];
                let n = number::write_i64(v, &mut room);
                let digits = core::str::from_utf8(room.get(..n).unwrap_or_default()).unwrap_or_default();
                self.spell_as(at, digits)?;
                continue;
            }
            ints &= matches!(key.as_ref().see(), Seen::Int(_));
            // The moments that are met most, without a string of their own.
            if let Some(v) = self.env.moments.plain_date(key.as_ref())
                && !self.rules.quirks.str_keys
            {
                let mut room = [0; Date::TEXT];
                self.spell_as(at, v.text(&mut room).utf8().unwrap_or_default())?;
                continue;
            }
            if let Some(v) = self.env.moments.plain_datetime(key.as_ref())
                && !self.rules.quirks.str_keys
            {
                let mut room = [0; DateTime::TEXT];
                let style = self.out.time_style();
                self.spell_as(at, v.text(style, &mut room).utf8().unwrap_or_default())?;
                continue;
            }
            if key.as_ref().as_str().is_none() {
                let key = key.clone();
                self.spell(at, key)?;
            }
        }
        if !ints
            && !self.rules.quirks.same_keys
            && let Some(at) = self.gathered.same_key(base)
        {
            let key = self.gathered.lossy(at).unwrap_or_default();
            return Err(self.stop(What::SameKey(key)));
        }
        Ok(())
    }

    fn spell_as(&mut self, at: usize, text: &str) -> Result<(), Stop> {
        if self.gathered.spell(at, text) { Ok(()) } else { Err(self.stop(What::Memory)) }
    }

    /// The spelling of the key of one entry.
    fn spell(&mut self, at: usize, key: Own) -> Result<(), Stop> {
        if self.rules.quirks.str_keys {
            return Err(self.stop(What::KeyNotStr));
        }
        let mut k = key;
        for _ in 0..CHAIN {
            match self.spell_once(&k)? {
                Spelled::Text(s) => return self.spell_as(at, &s),
                Spelled::Str(s) => {
                    self.gathered.set_key(at, s);
                    return Ok(());
                }
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
            Seen::Bool(v) => if v { "true" } else { "false" }.into(),
            Seen::Float(v) => self.float_key(v)?,
            Seen::Int(i) => self.int_key(i.get_cold())?,
            _ => return self.spell_other(k),
        };
        Ok(Spelled::Text(text))
    }

    /// Keys are what they are, whatever is passed through as a value, and the hook is for values.
    fn spell_other(&mut self, k: &Own) -> Result<Spelled, Stop> {
        let o = k.as_ref();
        let known = self.classes.of(self.env, k);
        let sort = self.raised(known)?.sort;
        let many = !self.rules.quirks.few_keys;
        let text = match sort {
            Sort::Enum | Sort::OddEnum => {
                let v = member_value(self.env, sort, o);
                return Ok(Spelled::Again(self.raised(v)?));
            }
            Sort::StrSub => return Ok(Spelled::Str(k.clone())),
            Sort::IntSub => o.as_any_int().map(|i| self.int_key(i.get_cold())),
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
                let plain = matches!(v.as_ref().see_cold(), Seen::Int(_) | Seen::None);
                if !(same || moment && plain) {
                    return Ok(Spelled::Again(v));
                }
                None
            }
            _ => None,
        };
        match text {
            Some(text) => text.map(Spelled::Text),
            None => Err(self.stop(What::Key(o.class_name(), shown(o)))),
        }
    }

    fn int_key(&mut self, v: Int<'_>) -> Result<String, Stop> {
        let max = self.max_key();
        Ok(match v {
            Int::I64(v) if v.unsigned_abs() <= max => number::decimal(v.unsigned_abs(), v < 0),
            Int::U64(v) if v <= max => number::decimal(v, false),
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
        Ok(room.iter().take(n).map(|&digit| char::from(digit)).collect())
    }

    fn moment_key(&mut self, k: &Own) -> Result<String, Stop> {
        let kind = self.env.moments.kind(k.as_ref().class()).unwrap_or(MomentKind::Date);
        let moment = self.env.moments.read(k, kind);
        let style = self.out.time_style();
        let owned = |s: Str<'_>| s.utf8().unwrap_or_default().to_string();
        Ok(match self.raised(moment)? {
            Moment::DateTime(v, _) => owned(v.text(style, &mut [0; DateTime::TEXT])),
            Moment::Date(v) => owned(v.text(&mut [0; Date::TEXT])),
            Moment::Time(v) => {
                let style = self.style_of_time(k)?;
                owned(v.text(style, &mut [0; Time::TEXT]))
            }
            Moment::Delta(v) => owned(v.text(&mut [0; Duration::ROOM])),
        })
    }
}
