//! Values of one object each: how those of every sort are written that are no containers.

use alloc::vec::Vec;

use super::key_value::shown;
use super::leaf::Leaf;
use super::sort::Sort;
use super::walk::{Cold, Go};
use crate::env::Splice;
use crate::fault::{Stop, What};
use py::{Int, Moment, MomentKind, Own, Ref};
use wire::Str;
use wire::time::{DateTime, Instant, Time, TimeStyle};

impl Cold<'_, '_> {
    #[inline(never)]
    pub(crate) fn float(&mut self, o: &Own, v: f64) -> Result<Leaf, Stop> {
        if !(v.abs() <= self.rules.max_float) {
            self.odd_float(v)?;
        }
        let w = self.out.f64(o.as_ref(), v);
        self.wrote(w)?;
        Ok(Leaf::Wrote)
    }

    #[inline(never)]
    pub(super) fn str(&mut self, o: &Own, v: Str<'_>) -> Result<Leaf, Stop> {
        let w = self.out.text(o.as_ref(), v);
        self.wrote(w)?;
        Ok(Leaf::Wrote)
    }

    #[inline(never)]
    pub(super) fn bytes(&mut self, o: &Own, v: &[u8]) -> Result<Leaf, Stop> {
        let w = self.out.bytes(o.as_ref(), v);
        self.wrote(w)?;
        Ok(Leaf::Wrote)
    }

    /// Writes a moment of which something must be asked.
    #[cold]
    #[inline(never)]
    pub(super) fn odd_moment(&mut self, o: Ref<'_>) -> Go {
        self.any_moment(&o.own()).map(|_| ())
    }

    #[inline(never)]
    pub(super) fn any_moment(&mut self, o: &Own) -> Result<Leaf, Stop> {
        let kind = self.env.moments.kind(o.as_ref().class()).unwrap_or(MomentKind::Date);
        let moment = self.env.moments.read(o, kind);
        let r = o.as_ref();
        let w = match self.raised(moment)? {
            Moment::DateTime(v, rest) if rest != 0 && self.out.caps().time => {
                self.out.datetime(r, at_whole_second(v, rest))
            }
            Moment::DateTime(v, _) => self.out.datetime(r, v),
            Moment::Date(v) => self.out.date(r, v),
            Moment::Time(v) => {
                let style = self.style_of_time(o)?;
                return self.str(o, v.text(style, &mut [0; Time::TEXT]));
            }
            Moment::Delta(v) => self.out.duration(r, v),
        };
        self.wrote(w)?;
        Ok(Leaf::Wrote)
    }

    /// How a `time` is written. Some faces refuse any tzinfo, even one that knows no offset without a day, as those of regions.
    #[inline(never)]
    pub(super) fn style_of_time(&mut self, o: &Own) -> Result<TimeStyle, Stop> {
        let mut style = self.out.time_style();
        if self.rules.quirks.naive_times {
            let zone = o.as_ref().attr_named(c"tzinfo");
            if !self.raised(zone)?.as_ref().is_none() {
                return Err(self.stop(What::TimeWithZone));
            }
            style.naive_utc = false;
        }
        Ok(style)
    }

    #[inline(never)]
    pub(super) fn uuid(&mut self, o: &Own) -> Result<Leaf, Stop> {
        let v = self.uuid_bytes(o)?;
        let w = self.out.uuid(o.as_ref(), v);
        self.wrote(w)?;
        Ok(Leaf::Wrote)
    }

    /// Writes exactly a UUID or a decimal, if its class was met before and nobody has a say in that; false if it is none.
    #[inline(never)]
    pub(super) fn plain_leaf(&mut self, o: Ref<'_>) -> Result<bool, Stop> {
        if let Some(v) = self.env.plain_uuid(o) {
            if self.rules.allows(Sort::Uuid, o) {
                let w = self.out.uuid(o, v.to_be_bytes());
                self.wrote(w)?;
                return Ok(true);
            }
        } else if self.env.is_decimal(o) && self.rules.allows(Sort::Decimal, o) {
            return self.decimal(&o.own()).map(|leaf| matches!(leaf, Leaf::Wrote));
        }
        Ok(false)
    }

    /// The sixteen bytes of a UUID, of which only `int` is asked.
    pub(crate) fn uuid_bytes(&mut self, o: &Own) -> Result<[u8; 16], Stop> {
        let v = o.as_ref().attr(&self.env.names.int);
        let v = self.raised(v)?;
        match py::unsigned128(v.as_ref()) {
            Some(v) => Ok(v.to_be_bytes()),
            None => Err(self.stop(What::Unsupported(o.as_ref().class_name()))),
        }
    }

    #[inline(never)]
    pub(super) fn decimal(&mut self, o: &Own) -> Result<Leaf, Stop> {
        let s = py::text_of(o.as_ref());
        let s = self.raised(s)?;
        let mut room = Vec::new();
        let (text, digits) = match s.as_ref().as_any_str().map(|s| s.text(&mut room)) {
            Some(Ok(t)) => (t, t.utf8().unwrap_or_default()),
            _ => return Err(self.stop(What::Unsupported(o.as_ref().class_name()))),
        };
        let word = digits.trim_start_matches('-');
        if !word.as_bytes().first().is_some_and(u8::is_ascii_digit) && !self.rules.quirks.text_decimals {
            // NaN, sNaN or Infinity: what becomes of a float that is so.
            let inf = word.starts_with("Inf");
            let v = if !inf {
                f64::NAN
            } else if digits.len() > word.len() {
                f64::NEG_INFINITY
            } else {
                f64::INFINITY
            };
            return self.float(o, v);
        }
        if !self.rules.decimal_number {
            return self.str(o, text);
        }
        // A subclass may spell itself in its own way, which goes into the output as it is.
        if !is_number(digits.as_bytes()) {
            return Err(self.stop(What::Unsupported(o.as_ref().class_name())));
        }
        let w = self.out.number_text(o.as_ref(), digits);
        self.wrote(w)?;
        Ok(Leaf::Wrote)
    }

    /// An application type, of the class that is ours.
    #[inline(never)]
    pub(super) fn ext(&mut self, o: &Own) -> Result<Leaf, Stop> {
        let parts = o.as_ref().attr_named(c"code").and_then(|c| Ok((c, o.as_ref().attr_named(c"data")?)));
        let (code, data) = self.raised(parts)?;
        let code = match code.as_ref().as_any_int().map(|i| i.get_cold()) {
            Some(Int::I64(v)) => i8::try_from(v).ok(),
            _ => None,
        };
        let code = code.filter(|&c| c >= 0 || !self.rules.quirks.positive_ext);
        let (Some(code), Some(body)) = (code, data.as_ref().as_bytes()) else {
            return Err(self.stop(What::Ext));
        };
        let w = self.out.ext(o.as_ref(), code, body);
        self.wrote(w)?;
        Ok(Leaf::Wrote)
    }

    /// A moment with nanoseconds, of the class that is ours.
    #[inline(never)]
    pub(super) fn timestamp(&mut self, o: &Own) -> Result<Leaf, Stop> {
        let r = o.as_ref();
        let parts = r.attr_named(c"seconds").and_then(|s| Ok((s, r.attr_named(c"nanoseconds")?)));
        let (seconds, nanos) = self.raised(parts)?;
        let int = |o: &Own| match o.as_ref().as_any_int().map(|i| i.get_cold()) {
            Some(Int::I64(v)) => Some(v),
            _ => None,
        };
        let nanosecond = int(&nanos).and_then(|n| u32::try_from(n).ok()).filter(|&n| n < 1_000_000_000);
        let (Some(seconds), Some(nanosecond)) = (int(&seconds), nanosecond) else {
            return Err(self.stop(What::TimeRange));
        };
        let w = if self.out.caps().time {
            self.out.instant(r, Instant { seconds, nanosecond })
        } else {
            match DateTime::from_unix(seconds, nanosecond) {
                Some(v) => self.out.datetime(r, v),
                None => return Err(self.stop(What::TimeRange)),
            }
        };
        self.wrote(w)?;
        Ok(Leaf::Wrote)
    }

    #[inline(never)]
    pub(super) fn splice(&mut self, o: &Own) -> Result<Leaf, Stop> {
        // Whether it holds a map is not known.
        if self.in_keys > 0 {
            let what = What::Key(o.as_ref().class_name(), shown(o.as_ref()));
            return Err(self.stop(what));
        }
        let mut room = Vec::new();
        let w = match self.env.spliced.splice(o.as_ref(), &mut room) {
            Splice::Checked(b) => match (self.rules.check_raw)(b) {
                Ok(()) => self.out.raw(o.as_ref(), b),
                Err(e) => return Err(self.stop(What::Raw(e))),
            },
            Splice::Trusted(b) => self.out.raw(o.as_ref(), b),
            Splice::Surrogate => return Err(self.stop(What::Surrogate(0))),
            Splice::Wrong => return Err(self.stop(What::Fragment)),
        };
        self.wrote(w)?;
        Ok(Leaf::Wrote)
    }

    /// Looks at a float that is NaN or beyond the limit.
    #[cold]
    #[inline(never)]
    pub(crate) fn odd_float(&mut self, v: f64) -> Go {
        if v.is_finite() {
            return Err(self.stop(What::FloatRange));
        }
        if self.rules.finite { Err(self.stop(What::NonFinite)) } else { Ok(()) }
    }

    /// The text of a str, or of an instance of a subclass.
    pub(super) fn text(&mut self, s: &Own) -> Result<Leaf, Stop> {
        let Some(text) = s.as_ref().as_any_str() else { return Err(self.stop(What::KeyNotStr)) };
        let mut room = Vec::new();
        match text.text(&mut room) {
            Ok(t) => self.str(s, t),
            Err(e) => self.surrogates(s, e),
        }
    }
}

/// Whether a text is a number as text formats write it: no zeros before it, digits on both sides of a point.
fn is_number(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
    let mut rest = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits(rest);
    if whole == 0 || whole > 1 && rest.starts_with(b"0") {
        return false;
    }
    rest = rest.get(whole..).unwrap_or_default();
    if let Some(fraction) = rest.strip_prefix(b".") {
        let n = digits(fraction);
        if n == 0 {
            return false;
        }
        rest = fraction.get(n..).unwrap_or_default();
    }
    let Some((b'e' | b'E', power)) = rest.split_first() else { return rest.is_empty() };
    let power = power.strip_prefix(b"-").or_else(|| power.strip_prefix(b"+")).unwrap_or(power);
    !power.is_empty() && digits(power) == power.len()
}

/// The same moment with an offset of whole seconds: the true one has so many microseconds more.
fn at_whole_second(v: DateTime, rest: i32) -> DateTime {
    let nanos = i64::from(v.time.nanosecond) - i64::from(rest) * 1000;
    let shift = nanos.div_euclid(1_000_000_000);
    let nanosecond = nanos.rem_euclid(1_000_000_000) as u32;
    let offset = v.time.offset.map(|o| o - shift as i32);
    DateTime { time: Time { nanosecond, offset, ..v.time }, ..v }
}
