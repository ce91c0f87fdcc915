//! Whatever is not plainly built in: how each sort is written, and the hook.

use alloc::vec::Vec;

use super::Out;
use super::key_value::shown;
use super::record::{Record, gather_held};
use super::rules::Order;
use super::sort::{Known, Sort};
use super::walk::{Go, Met, Walk};
use crate::env::Splice;
use crate::fault::{Stop, What};
use py::{DictKind, Held, Int, ListKind, Moment, MomentKind, NotUtf8, Own, Raised, Seen};
use wire::time::{DateTime, Instant, Time, TimeStyle};
use wire::{Str, Wrote};

/// What a look at an object came to.
pub(crate) enum Step {
    /// It was written, or it is a container, which was begun.
    Met(Met),
    /// Another object stands for it.
    Again(Own),
}

/// How often one object may stand for another.
const CHAIN: usize = 255;

impl From<Met> for Step {
    fn from(met: Met) -> Step {
        Step::Met(met)
    }
}

impl<O: Out> Walk<'_, O> {
    /// Writes a moment of the kind that lists are made of most, without a look at its class; nothing
    /// if it is something else.
    #[inline(always)]
    pub(crate) fn plain_moment(&mut self, o: &Own) -> Option<Wrote> {
        let v = self.env.moments.plain_datetime(o).filter(|_| self.rules.plain_datetimes())?;
        Some(self.out.datetime(o.as_ref(), v))
    }

    /// Writes an object that is not plainly built in.
    #[inline(never)]
    pub(crate) fn other(&mut self, mut o: Own) -> Result<Met, Stop> {
        if let Some(w) = self.plain_moment(&o) {
            self.wrote(w)?;
            return Ok(Met::Wrote);
        }
        let mut hooked = 0;
        for _ in 0..CHAIN * 2 {
            if self.rules.quirks.by_base
                && let Some(met) = self.by_base(&o)?
            {
                return Ok(met);
            }
            let known = self.classes.of(self.env, o.as_ref());
            let known = self.raised(known)?;
            let step = if self.allowed(&known, &o) { self.written(&known, &o)? } else { None };
            let next = match step {
                Some(Step::Met(met)) => return Ok(met),
                Some(Step::Again(next)) => next,
                None => {
                    hooked += 1;
                    if hooked > CHAIN {
                        break;
                    }
                    if hooked > 1 && self.rules.quirks.hook_once {
                        let what = What::Unsupported(o.as_ref().class().tp_name().into());
                        return Err(self.stop(what));
                    }
                    self.hook(&o)?
                }
            };
            if !matches!(next.as_ref().see(), Seen::Other(_) | Seen::Tuple(_)) {
                return self.value_cold(next.as_ref());
            }
            if let Seen::Tuple(t) = next.as_ref().see() {
                return self.begin_tuple(t.hold());
            }
            o = next;
        }
        Err(self.stop(What::Chain))
    }

    fn allowed(&self, known: &Known, o: &Own) -> bool {
        if self.rules.quirks.exact
            && matches!(known.sort, Sort::Bytes | Sort::ByteArray)
            && !o.as_ref().is_plain_data()
        {
            return false;
        }
        // Of few keys it was decided before which can be one.
        if self.in_keys > 0 && self.rules.quirks.few_keys && known.sort != Sort::Unknown {
            return true;
        }
        if !self.rules.allows(known.sort, o.as_ref()) {
            return false;
        }
        let q = &self.rules.quirks;
        !(known.sort == Sort::Dataclass && q.decorated_only && known.record.as_ref().is_some_and(|r| !r.own))
    }

    /// Writes an instance of a subclass of what is built in as that; nothing if it is no such thing.
    #[cold]
    #[inline(never)]
    fn by_base(&mut self, o: &Own) -> Result<Option<Met>, Stop> {
        let r = o.as_ref();
        if let Some(i) = r.as_any_int() {
            return self.odd_int(r, i.get()).map(Some);
        }
        if let Some(v) = r.as_any_float() {
            return self.float(o, v).map(Some);
        }
        if r.as_any_str().is_some() {
            return self.text(o).map(Some);
        }
        if let Some(d) = r.as_any_dict() {
            return self.dict(d.hold()).map(Some);
        }
        if self.rules.passthrough.has(r.class()) {
            return Ok(None);
        }
        if let Some(l) = r.as_any_list() {
            return self.list(l.hold()).map(Some);
        }
        match r.as_any_tuple() {
            Some(t) => self.begin_tuple(t.hold()).map(Some),
            None => Ok(None),
        }
    }

    /// Asks the hook what to write in the place of an object.
    #[cold]
    fn hook(&mut self, o: &Own) -> Result<Own, Stop> {
        let name = || {
            let class = o.as_ref().class();
            if self.rules.quirks.wrap_hook { class.tp_name().into() } else { o.as_ref().class_name() }
        };
        if self.in_keys > 0 && !self.rules.quirks.hook_keys {
            let what = What::Key(o.as_ref().class_name(), shown(o.as_ref()));
            return Err(self.stop(what));
        }
        let Some(hook) = &self.rules.hook else {
            let what = What::Unsupported(name());
            return Err(self.stop(what));
        };
        match py::call1(hook.as_ref(), o.as_ref()) {
            Ok(v) => Ok(v),
            Err(Raised) if self.rules.quirks.wrap_hook && py::is_ordinary() => {
                let what = What::HookRaised(name());
                Err(self.stop(what))
            }
            Err(Raised) => Err(self.stop(What::Raised)),
        }
    }

    /// Writes an object as its sort says; nothing if it cannot be written after all.
    fn written(&mut self, known: &Known, o: &Own) -> Result<Option<Step>, Stop> {
        let r = o.as_ref();
        let met = match known.sort {
            Sort::StrSub => r.as_any_str().map(|_| self.text(o)),
            Sort::IntSub => r.as_any_int().map(|i| self.odd_int(r, i.get())),
            Sort::FloatSub => r.as_any_float().map(|v| self.float(o, v)),
            Sort::ListSub => r.as_any_list().map(|l| self.list(l.hold())),
            Sort::DictSub => r.as_any_dict().map(|d| self.dict(d.hold())),
            Sort::TupleSub => r.as_any_tuple().map(|t| self.begin_tuple(t.hold())),
            Sort::Bytes => r.as_bytes().map(|b| self.bytes(o, b)),
            Sort::ByteArray | Sort::MemoryView => {
                let b = r.copy_bytes();
                let b = self.raised(b)?;
                Some(self.bytes(o, &b))
            }
            Sort::Set if self.rules.order == Order::Encoded => Some(self.sorted_set(o)),
            Sort::Set | Sort::Iterable => return self.again(py::list_of(r)),
            Sort::OddDict if self.rules.quirks.stored_dicts && !is_ordered(r) => {
                r.as_any_dict().map(|d| self.dict(d.hold()))
            }
            Sort::Mapping | Sort::OddDict => return self.again(py::dict_from(r)),
            Sort::Enum => return self.again(r.attr(&self.env.names.value)),
            Sort::DateTime | Sort::Date | Sort::Time | Sort::Delta | Sort::DateTimeSub => {
                Some(self.moment(o))
            }
            Sort::Uuid | Sort::UuidSub => Some(self.uuid(o)),
            Sort::Decimal => Some(self.decimal(o)),
            Sort::Fraction | Sort::Text => {
                let s = py::text_of(r);
                let s = self.raised(s)?;
                Some(self.text(&s))
            }
            Sort::Dataclass | Sort::Attrs => Some(self.record(known, o)),
            Sort::Model if self.rules.quirks.model_dict => {
                let base = self.gathered.len();
                let held = gather_held(self.env, o, self.gathered);
                self.raised(held)?;
                Some(self.begin_entries(base, self.rules.order))
            }
            Sort::Model => {
                if let Some(met) = self.plain_model(known, o)? {
                    return Ok(Some(Step::Met(met)));
                }
                let dumped = self.model(o);
                return self.again(dumped);
            }
            // Its own method gives None for what does not count.
            Sort::Masked => return self.again(py::call_method0(r, c"tolist")),
            Sort::Array | Sort::ArrayScalar => return self.array(o, known.sort == Sort::ArrayScalar),
            Sort::Numbers => return self.numbers(o),
            Sort::Raw | Sort::Fragment => Some(self.splice(o)),
            Sort::Ext if O::CAPS.ext => Some(self.ext(o)),
            Sort::Timestamp => Some(self.timestamp(o)),
            Sort::Ext => None,
            Sort::Unknown => None,
        };
        Ok(match met {
            Some(met) => Some(Step::Met(met?)),
            None => None,
        })
    }

    fn again(&mut self, r: py::Result<Own>) -> Result<Option<Step>, Stop> {
        self.raised(r).map(|o| Some(Step::Again(o)))
    }

    // What is compiled into the walk's own loop stands here a second time, and not a third.

    #[inline(never)]
    fn list(&mut self, l: Held<ListKind>) -> Result<Met, Stop> {
        self.begin_list(l)
    }

    #[inline(never)]
    fn dict(&mut self, d: Held<DictKind>) -> Result<Met, Stop> {
        self.begin_dict(d)
    }

    #[inline(never)]
    pub(crate) fn float(&mut self, o: &Own, v: f64) -> Result<Met, Stop> {
        if !(v.abs() <= self.rules.max_float) {
            self.odd_float(v)?;
        }
        let w = self.out.f64(o.as_ref(), v);
        self.wrote(w)?;
        Ok(Met::Wrote)
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

    /// Text with a surrogate: refused, or what the codec error handler makes of it.
    #[cold]
    #[inline(never)]
    pub(crate) fn odd_text(&mut self, o: &Own, e: NotUtf8) -> Result<Met, Stop> {
        let Some(errors) = &self.rules.str_errors else { return Err(self.surrogate(e)) };
        let bytes = py::encoded_with(o.as_ref(), errors);
        let bytes = self.raised(bytes)?;
        self.str(o, Str::unchecked(bytes.as_ref().as_bytes().unwrap_or_default()))
    }

    /// Asks the hook what to write in the place of an object that could be written, until that is
    /// no such object again.
    #[cold]
    #[inline(never)]
    pub(crate) fn instead(&mut self, mut o: Own, such: fn(&Own) -> bool) -> Result<Met, Stop> {
        for _ in 0..if self.rules.quirks.hook_once { 1 } else { CHAIN } {
            o = self.hook(&o)?;
            if !such(&o) {
                return self.value_cold(o.as_ref());
            }
        }
        let what = What::Unsupported(o.as_ref().class().tp_name().into());
        Err(self.stop(what))
    }

    /// A set in the order of what is written for its members.
    #[inline(never)]
    fn sorted_set(&mut self, o: &Own) -> Result<Met, Stop> {
        let list = py::list_of(o.as_ref());
        let list = self.raised(list)?;
        let Some(list) = list.as_ref().as_any_list().map(|l| l.hold()) else {
            return Err(self.stop(What::Changed("set")));
        };
        self.deeper()?;
        // One run of bytes, and where each member ends in it.
        let (mut bytes, mut places) = (Vec::new(), Vec::new());
        for i in 0..list.len() {
            let Some(item) = list.get(i) else { return Err(self.stop(What::Changed("set"))) };
            let (from, mark) = (bytes.len(), self.out.mark());
            self.whole(item.as_ref())?;
            self.out.cut(mark, &mut bytes);
            places.push((from, bytes.len()));
        }
        let member = |&(from, to): &(usize, usize)| bytes.get(from..to).unwrap_or_default();
        places.sort_unstable_by(|a, b| member(a).cmp(member(b)));
        let w = self.out.begin_array(places.len());
        self.wrote(w)?;
        for place in &places {
            let w = self.out.raw(o.as_ref(), member(place)).and_then(|()| self.out.end_item());
            self.wrote(w)?;
        }
        let w = self.out.end_array(places.len());
        self.wrote(w)?;
        self.depth -= 1;
        Ok(Met::Wrote)
    }

    /// An application type, of the class that is ours.
    #[inline(never)]
    fn ext(&mut self, o: &Own) -> Result<Met, Stop> {
        let parts = o.as_ref().attr_named(c"code").and_then(|c| Ok((c, o.as_ref().attr_named(c"data")?)));
        let (code, data) = self.raised(parts)?;
        let code = match code.as_ref().as_any_int().map(|i| i.get()) {
            Some(Int::I64(v)) => i8::try_from(v).ok(),
            _ => None,
        };
        let code = code.filter(|&c| c >= 0 || !self.rules.quirks.positive_ext);
        let (Some(code), Some(body)) = (code, data.as_ref().as_bytes()) else {
            return Err(self.stop(What::Ext));
        };
        let w = self.out.ext(o.as_ref(), code, body);
        self.wrote(w)?;
        Ok(Met::Wrote)
    }

    /// A moment with nanoseconds, of the class that is ours.
    #[inline(never)]
    fn timestamp(&mut self, o: &Own) -> Result<Met, Stop> {
        let r = o.as_ref();
        let parts = r.attr_named(c"seconds").and_then(|s| Ok((s, r.attr_named(c"nanoseconds")?)));
        let (seconds, nanos) = self.raised(parts)?;
        let int = |o: &Own| match o.as_ref().as_any_int().map(|i| i.get()) {
            Some(Int::I64(v)) => Some(v),
            _ => None,
        };
        let nanosecond = int(&nanos).and_then(|n| u32::try_from(n).ok()).filter(|&n| n < 1_000_000_000);
        let (Some(seconds), Some(nanosecond)) = (int(&seconds), nanosecond) else {
            return Err(self.stop(What::TimeRange));
        };
        let w = if O::CAPS.time {
            self.out.instant(r, Instant { seconds, nanosecond })
        } else {
            match DateTime::from_unix(seconds, nanosecond) {
                Some(v) => self.out.datetime(r, v),
                None => return Err(self.stop(What::TimeRange)),
            }
        };
        self.wrote(w)?;
        Ok(Met::Wrote)
    }

    /// The text of a str, or of an instance of a subclass.
    fn text(&mut self, s: &Own) -> Result<Met, Stop> {
        let Some(text) = s.as_ref().as_any_str() else { return Err(self.stop(What::KeyNotStr)) };
        let mut room = Vec::new();
        match text.text(&mut room) {
            Ok(t) => self.str(s, t),
            Err(e) => self.odd_text(s, e),
        }
    }

    #[inline(never)]
    fn str(&mut self, o: &Own, v: Str<'_>) -> Result<Met, Stop> {
        let w = self.out.str(o.as_ref(), v);
        self.wrote(w)?;
        Ok(Met::Wrote)
    }

    #[inline(never)]
    fn bytes(&mut self, o: &Own, v: &[u8]) -> Result<Met, Stop> {
        let w = self.out.bytes(o.as_ref(), v);
        self.wrote(w)?;
        Ok(Met::Wrote)
    }

    #[inline(never)]
    fn moment(&mut self, o: &Own) -> Result<Met, Stop> {
        let w = if let Some(v) = self.env.moments.plain_datetime(o) {
            self.out.datetime(o.as_ref(), v)
        } else if let Some(v) = self.env.moments.plain_date(o) {
            self.out.date(o.as_ref(), v)
        } else if !(self.rules.quirks.naive_times && self.out.time_style().naive_utc)
            && let Some(v) = self.env.moments.plain_time(o)
        {
            self.out.time(o.as_ref(), v)
        } else {
            return self.any_moment(o);
        };
        self.wrote(w)?;
        Ok(Met::Wrote)
    }

    #[inline(never)]
    fn any_moment(&mut self, o: &Own) -> Result<Met, Stop> {
        let kind = self.env.moments.kind(o.as_ref().class()).unwrap_or(MomentKind::Date);
        let moment = self.env.moments.read(o, kind);
        let r = o.as_ref();
        let w = match self.raised(moment)? {
            Moment::DateTime(v) => self.out.datetime(r, v),
            Moment::Date(v) => self.out.date(r, v),
            Moment::Time(v) if self.rules.quirks.naive_times => {
                if v.offset.is_some() {
                    return Err(self.stop(What::TimeWithZone));
                }
                let style = TimeStyle { naive_utc: false, ..self.out.time_style() };
                return self.str(o, v.text(style, &mut [0; Time::TEXT]));
            }
            Moment::Time(v) => self.out.time(r, v),
            Moment::Delta(v) => self.out.duration(r, v),
        };
        self.wrote(w)?;
        Ok(Met::Wrote)
    }

    #[inline(never)]
    fn uuid(&mut self, o: &Own) -> Result<Met, Stop> {
        let v = self.uuid_bytes(o)?;
        let w = self.out.uuid(o.as_ref(), v);
        self.wrote(w)?;
        Ok(Met::Wrote)
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
    fn decimal(&mut self, o: &Own) -> Result<Met, Stop> {
        let s = py::text_of(o.as_ref());
        let s = self.raised(s)?;
        let mut room = Vec::new();
        let digits = match s.as_ref().as_any_str().map(|s| s.text(&mut room)) {
            Some(Ok(t)) => t.utf8().unwrap_or_default(),
            _ => return Err(self.stop(What::Unsupported(o.as_ref().class_name()))),
        };
        let word = digits.trim_start_matches('-');
        if !word.starts_with(|c: char| c.is_ascii_digit()) {
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
            return self.str(o, Str::new(digits));
        }
        // A subclass may spell itself in its own way, which goes into the output as it is.
        if !is_number(digits.as_bytes()) {
            return Err(self.stop(What::Unsupported(o.as_ref().class_name())));
        }
        let w = self.out.number_text(o.as_ref(), digits);
        self.wrote(w)?;
        Ok(Met::Wrote)
    }

    #[inline(never)]
    fn record(&mut self, known: &Known, o: &Own) -> Result<Met, Stop> {
        let Some(record) = &known.record else {
            return Err(self.stop(What::Unsupported(o.as_ref().class_name())));
        };
        let base = self.gathered.len();
        let compatible = self.rules.quirks.dataclass_dict;
        let mut from_dict = false;
        if compatible && !record.slots {
            let found = record.gather_dict(self.env, o, self.gathered);
            from_dict = self.raised(found)?;
        }
        if !from_dict {
            let found = record.gather(o, self.gathered);
            self.raised(found)?;
        }
        // Fields stand in the order of their class, unless keys are sorted.
        self.begin_entries(base, if compatible { Order::Stored } else { self.rules.order })
    }

    /// A model that is written as what it holds, which is what it would dump; nothing if it must dump
    /// itself. What it holds may be of other classes than was declared, and then the model would dump
    /// less of it: that is found where it is met, and what was written so far is taken back.
    #[inline(never)]
    fn plain_model(&mut self, known: &Known, o: &Own) -> Result<Option<Met>, Stop> {
        let Some(record) = &known.record else { return Ok(None) };
        if self.rules.model_mode != c"python" || self.in_keys > 0 {
            return Ok(None);
        }
        if let Some(outer) = &self.model {
            let class = o.as_ref().class();
            if !outer.models.iter().any(|c| c.as_ref().is(class.as_ref())) {
                return Err(self.stop(What::Undeclared));
            }
            return self.model_entries(record, o, false);
        }
        let before = (self.out.mark(), self.depth, self.inner, self.gathered.len());
        self.model = Some(record.clone());
        let gone = match self.model_entries(record, o, true) {
            Ok(Some(met)) => self.whole_met(met).map(|()| true),
            Ok(None) => Ok(false),
            Err(stop) => Err(stop),
        };
        self.model = None;
        match gone {
            Ok(written) => Ok(written.then_some(Met::Wrote)),
            Err(stop) if !matches!(self.what.as_deref(), Some(What::Undeclared)) => Err(stop),
            Err(_) => {
                self.what = None;
                self.inside.clear();
                self.out.cut(before.0, &mut Vec::new());
                (self.depth, self.inner) = (before.1, before.2);
                self.gathered.close(before.3);
                Ok(None)
            }
        }
    }

    fn model_entries(&mut self, record: &Record, o: &Own, outer: bool) -> Result<Option<Met>, Stop> {
        let base = self.gathered.len();
        let found = record.gather_model(self.env, o, self.gathered);
        if !self.raised(found)? {
            return if outer { Ok(None) } else { Err(self.stop(What::Undeclared)) };
        }
        self.begin_entries(base, self.rules.order).map(Some)
    }

    /// A model of a validation library, as it dumps itself: with aliases, without what is excluded.
    #[inline(never)]
    fn model(&self, o: &Own) -> py::Result<Own> {
        let f = o.as_ref().attr_named(c"model_dump")?;
        let keywords = py::new_dict()?;
        py::dict_set(&keywords, "mode", &py::text(self.rules.model_mode.to_str().unwrap_or_default())?)?;
        py::dict_set(&keywords, "by_alias", &py::bool(true))?;
        py::instance(f.as_ref(), &py::tuple(&mut Vec::new(), 0)?, Some(&keywords))
    }

    #[inline(never)]
    fn splice(&mut self, o: &Own) -> Result<Met, Stop> {
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
        Ok(Met::Wrote)
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

/// Whether a dict keeps an order beside that of its storage.
fn is_ordered(o: py::Ref<'_>) -> bool {
    let mut found = false;
    o.class().mro(|t| found |= t.tp_name() == "collections.OrderedDict");
    found
}
