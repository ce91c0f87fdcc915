//! Whatever is not plainly built in: how each sort is written, and the hook.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::Out;
use super::key_value::{is_few, shown};
use super::record::{Object, Record, gather_held};
use super::rules::Order;
use super::seldom::Seldom;
use super::sort::{Known, Sort, is_ordered, member_value};
use super::walk::{Cold, Go, Met, Walk};
use crate::fault::{Stop, What};
use py::{DictKind, Held, Int, ListKind, MomentKind, NotUtf8, Own, Raised, Ref, RowKind, Seen, TupleKind};
use wire::order::{self, Sorter};
use wire::{Big, Str};

/// What became of an object: it was written, or what is to be begun in its place.
pub(crate) enum Leaf {
    Wrote,
    /// A list or a tuple.
    Row(Held<RowKind>),
    Dict(Held<DictKind>),
    /// A map of the entries gathered from here on, in this order.
    Entries(usize, Order),
    /// Another object stands for it, which is built in.
    Value(Own),
    /// Another object stands for it, which is to be looked at again.
    Again(Own),
    /// A set, whose members must be put in order.
    Set(Own),
    /// An application type, as a table tells it.
    Told(Held<TupleKind>),
    /// An instance of a class with fields.
    Struct(Own),
    /// A model, which may be written as what it holds.
    Model(Arc<Record>, Own),
}

/// How often one object may stand for another.
pub(super) const CHAIN: usize = 255;

impl<O: Out> Walk<'_, O> {
    /// Writes exactly a moment of this kind.
    #[inline(never)]
    pub(crate) fn moment(&mut self, o: Ref<'_>, kind: MomentKind) -> Go {
        if !self.rules.plain_moments(kind) || self.in_keys > 0 {
            return self.seldom().unknown(o);
        }
        let (moments, out) = (&self.env.moments, &mut self.out);
        let wrote = match kind {
            MomentKind::DateTime => moments.plain_datetime(o).map(|v| out.often_datetime(o, v)),
            MomentKind::Date => moments.plain_date(o).map(|v| out.date(o, v)),
            MomentKind::Delta => moments.plain_delta(o).map(|v| out.duration(o, v)),
            MomentKind::Time if self.rules.quirks.naive_times && out.time_style().naive_utc => None,
            MomentKind::Time => moments.plain_time(o).map(|v| out.time(o, v)),
        };
        match wrote {
            Some(wrote) => self.wrote(wrote),
            None => self.cold().odd_moment(o),
        }
    }

    /// Writes an object that is not plainly built in.
    #[inline(never)]
    pub(crate) fn other(&mut self, o: Ref<'_>) -> Go {
        // Not sooner: where each value is looked at, one question more costs all of them.
        if self.is_plain_struct(o) {
            return self.plain_struct(o);
        }
        if self.env.met_others() && self.in_keys == 0 && self.cold().plain_leaf(o)? {
            return Ok(());
        }
        self.seldom().unknown(o)
    }
}

impl Seldom<'_, '_> {
    /// Writes an object of a class that is to be looked at.
    #[inline(never)]
    fn unknown(&mut self, o: Ref<'_>) -> Go {
        let w = self.cold();
        let mut known = None;
        // What is written as what it inherits from is not looked at before that.
        if !w.rules.quirks.by_base {
            let Some(mut found) = w.classes.seen(o) else { return self.unmet(o.own()) };
            if let Some(mut object) = w.object(&mut found, o) {
                object.begins = w.out.mark();
                w.begun_map(object.len())?;
                object.entries = w.out.mark();
                drop(found);
                return self.inside(Met::Object(object));
            }
            match found.sort {
                Sort::TupleSub if w.allowed(&found, o) => {
                    if let Some(t) = o.as_any_tuple() {
                        let row = w.begin_row(t.row().hold())?;
                        return self.inside(Met::Row(row));
                    }
                }
                Sort::Set if w.rules.order != Order::Encoded && w.allowed(&found, o) => {
                    let set = o.own();
                    let list = py::list_of(set.as_ref());
                    let list = w.raised(list)?;
                    drop(set);
                    return self.value(list.as_ref());
                }
                Sort::ByteArray if w.allowed(&found, o) => {
                    if let Some(bytes) = o.as_bytearray() {
                        let wrote = w.out.bytes(o, bytes);
                        return w.wrote(wrote);
                    }
                }
                // Most members are written as the text or the number that they stand for.
                Sort::Enum if w.allowed(&found, o) => {
                    let value = member_value(w.env, found.sort, o);
                    let value = w.raised(value)?;
                    let wrote = match value.as_ref().see_cold() {
                        Seen::Str(s) => s.plain().map(|text| w.out.text(value.as_ref(), text)),
                        Seen::Int(i) => i.short().map(|v| w.out.i64(value.as_ref(), v)),
                        _ => None,
                    };
                    if let Some(wrote) = wrote {
                        return w.wrote(wrote);
                    }
                }
                _ => {}
            }
            known = Some(found);
        }
        let leaf = w.resolve(known, o.own(), false)?;
        self.place(leaf)
    }

    /// The same of a class that was not met before, which is asked what may let go of whatever holds the object.
    #[cold]
    #[inline(never)]
    fn unmet(&mut self, o: Own) -> Go {
        let (w, class) = (self.cold(), o.as_ref().class().address());
        let known = w.classes.of(w.env, &o);
        let known = w.raised(known)?;
        // What is known now is found as soon as it is looked for. If it has another class by now, it may have another one each time.
        if known.sort != Sort::Unknown && o.as_ref().class().address() == class {
            return self.unknown(o.as_ref());
        }
        let leaf = w.resolve(Some(known), o, false)?;
        self.place(leaf)
    }

    /// Writes an int that is not plainly allowed.
    #[cold]
    #[inline(never)]
    pub(crate) fn odd_int(&mut self, o: Ref<'_>, v: Int<'_>) -> Go {
        let leaf = self.cold().any_int(o, v)?;
        self.place(leaf)
    }

    /// Writes what the hook gives in the place of a tuple.
    #[cold]
    #[inline(never)]
    pub(crate) fn odd_tuple(&mut self, o: Own) -> Go {
        let leaf = self.cold().instead(o, |o| matches!(o.as_ref().see_cold(), Seen::Tuple(_)))?;
        self.place(leaf)
    }

    /// A set in the order of what is written for its members.
    #[inline(never)]
    pub(super) fn sorted_set(&mut self, o: &Own) -> Go {
        let list = self.cold().begin_members(o)?;
        // One run of bytes, and where each member stands in it.
        let (mut bytes, mut members) = (Vec::new(), Vec::new());
        for i in 0..list.len() {
            let Some(item) = list.get(i) else { return Err(self.cold().stop(What::Changed("set"))) };
            let (from, mark) = (bytes.len(), self.cold().out.mark());
            self.whole(item.as_ref())?;
            self.cold().out.cut(mark, &mut bytes);
            members.push((from, bytes.len()));
        }
        self.cold().end_members(o, &bytes, &mut members)
    }

    /// Writes an application type: its code, where its body stands, and what that begins with, as bytes; then perhaps
    /// a value, which stands where it does (0), in no key (1), or is a list of keys that have no order (2).
    #[cold]
    #[inline(never)]
    pub(super) fn told(&mut self, t: &Held<TupleKind>) -> Go {
        let w = self.cold();
        let Some(&[code, place, ref body @ ..]) = t.get(0).and_then(|o| o.as_bytes()) else {
            return Err(w.stop(What::Ext));
        };
        let (keys, mark, mut body) = (w.in_keys, w.out.mark(), body.to_vec());
        if let Some(value) = t.get(1) {
            w.in_keys = if place == 1 { 0 } else { keys + usize::from(place) };
            // Whatever begins in it asks whether that is too deep.
            w.depth += 1;
            if place == 2 && w.rules.order == Order::Encoded {
                self.sorted_set(&value.own())?;
            } else {
                self.whole(value)?;
            }
            let w = self.cold();
            w.out.cut(mark, &mut body);
            w.depth -= 1;
            w.in_keys = keys;
        }
        let w = self.cold();
        let wrote = w.out.ext(py::none().as_ref(), code as i8, &body);
        w.wrote(wrote)
    }

    /// Writes a model as what it holds, which is what it would dump; false if it must dump
    /// itself. What it holds may be of other classes than was declared, and then the model would dump
    /// less of it: that is found where it is met, and what was written so far is taken back.
    #[inline(never)]
    pub(super) fn plain_model(&mut self, record: &Arc<Record>, o: &Own) -> Result<bool, Stop> {
        let w = self.cold();
        if !w.out.caps().bytes || w.in_keys > 0 {
            return Ok(false);
        }
        if let Some(outer) = &w.aside.model {
            let class = o.as_ref().class();
            if !outer.models.iter().any(|c| c.as_ref().is(class.as_ref())) {
                return Err(w.stop(What::Undeclared));
            }
            let Some(leaf) = w.model_entries(record, o)? else { return Err(w.stop(What::Undeclared)) };
            return self.place(leaf).map(|()| true);
        }
        let before = (w.out.mark(), w.gathered.len(), w.depth, w.aside.inner, w.aside.hooked);
        w.aside.model = Some(record.clone());
        let gone = match w.model_entries(record, o) {
            Ok(Some(leaf)) => {
                let mut leaf = Some(leaf);
                self.apart(&mut |w| w.place(leaf.take().unwrap_or(Leaf::Wrote))).map(|()| true)
            }
            Ok(None) => Ok(false),
            Err(stop) => Err(stop),
        };
        let w = self.cold();
        w.aside.model = None;
        match gone {
            Ok(written) => Ok(written),
            Err(stop) if !matches!(w.aside.what.as_deref(), Some(What::Undeclared)) => Err(stop),
            Err(_) => {
                w.aside.what = None;
                w.aside.inside.clear();
                w.out.cut(before.0, &mut Vec::new());
                w.gathered.close(before.1);
                (w.depth, w.aside.inner, w.aside.hooked) = (before.2, before.3, before.4);
                Ok(false)
            }
        }
    }
}

impl Cold<'_, '_> {
    /// What a model holds, to be written in its place; nothing if it holds other things than its class declares.
    fn model_entries(&mut self, record: &Record, o: &Own) -> Result<Option<Leaf>, Stop> {
        let found = record.of_model_instance(self.env, o);
        let Some(held) = self.raised(found)? else { return Ok(None) };
        let (base, order) = (self.gathered.len(), self.rules.order);
        if order == Order::Stored && !record.extra {
            return Ok(Some(Leaf::Dict(held)));
        }
        let found = record.gather_model(o, &held, self.gathered);
        self.raised(found)?;
        Ok(Some(Leaf::Entries(base, order)))
    }

    /// The members of a set, which are to be written one level deeper.
    fn begin_members(&mut self, o: &Own) -> Result<Held<ListKind>, Stop> {
        let list = py::list_of(o.as_ref());
        let list = self.raised(list)?;
        let Some(list) = list.as_ref().as_any_list().map(|l| l.hold()) else {
            return Err(self.stop(What::Changed("set")));
        };
        self.deeper()?;
        Ok(list)
    }

    /// Writes the members, of which `bytes` has what was written for them.
    fn end_members(&mut self, o: &Own, bytes: &[u8], members: &mut [(usize, usize)]) -> Go {
        put_in_order(bytes, members);
        let w = self.out.begin_array(members.len());
        self.wrote(w)?;
        for one in &*members {
            let w = self.out.raw(o.as_ref(), member(bytes, one)).and_then(|()| self.out.end_item());
            self.wrote(w)?;
        }
        let w = self.out.end_array(members.len());
        self.wrote(w)?;
        self.depth -= 1;
        Ok(())
    }

    /// Looks at an object that is not plainly built in, and at whatever stands for it. `dump` says that
    /// models dump themselves.
    pub(super) fn resolve(&mut self, mut known: Option<Known>, mut o: Own, dump: bool) -> Result<Leaf, Stop> {
        for _ in 0..CHAIN * 2 {
            if self.rules.quirks.by_base
                && let Some(leaf) = self.by_base(&o)?
            {
                return Ok(leaf);
            }
            let known = match known.take() {
                Some(known) => known,
                None => {
                    let known = self.classes.of(self.env, &o);
                    self.raised(known)?
                }
            };
            let step = if self.allowed(&known, o.as_ref()) { self.written(&known, &o, dump)? } else { None };
            let next = match step {
                Some(Leaf::Again(next)) => next,
                Some(leaf) => return Ok(leaf),
                None => {
                    let made = self.hook(&o)?;
                    if let (true, Seen::Tuple(t)) = (self.rules.table, made.as_ref().see_cold()) {
                        return Ok(Leaf::Told(t.hold()));
                    }
                    made
                }
            };
            match next.as_ref().see_cold() {
                Seen::Other(_) => {}
                Seen::Tuple(t) if self.rules.quirks.hook_once => return Ok(Leaf::Row(t.row().hold())),
                _ => return Ok(Leaf::Value(next)),
            }
            o = next;
        }
        Err(self.stop(What::Chain))
    }

    /// An int of any size.
    #[inline(never)]
    pub(super) fn any_int(&mut self, o: Ref<'_>, v: Int<'_>) -> Result<Leaf, Stop> {
        let wrote = match v {
            Int::I64(v) if v.unsigned_abs() <= self.rules.max_int => self.out.i64(o, v),
            Int::U64(v) if v <= self.rules.max_int => self.out.u64(o, v),
            Int::Big(b) if self.rules.big_ints && self.out.caps().big != Big::No => {
                let wrote = self.out.big(b);
                self.raised(wrote)?
            }
            Int::Big(_)
                if self.rules.quirks.big_to_hook && (self.in_keys == 0 || self.rules.quirks.hook_keys) =>
            {
                let is_big =
                    |o: &Own| matches!(o.as_ref().as_any_int().map(|i| i.get_cold()), Some(Int::Big(_)));
                return self.instead(o.own(), is_big);
            }
            // Beyond 64 bits it is beyond any limit, and 64 is the one to name.
            Int::Big(_) => return Err(self.stop(What::IntRange(64))),
            _ => return Err(self.stop(What::IntRange(self.rules.int_bits))),
        };
        self.wrote(wrote)?;
        Ok(Leaf::Wrote)
    }

    /// Asks the hook what to write in the place of an object that could be written, until that is
    /// no such object again.
    #[cold]
    #[inline(never)]
    fn instead(&mut self, mut o: Own, such: fn(&Own) -> bool) -> Result<Leaf, Stop> {
        loop {
            o = self.hook(&o)?;
            if !such(&o) {
                return Ok(Leaf::Value(o));
            }
        }
    }

    fn allowed(&self, known: &Known, o: Ref<'_>) -> bool {
        if self.rules.quirks.exact
            && matches!(known.sort, Sort::Bytes | Sort::ByteArray)
            && !o.is_plain_data()
        {
            return false;
        }
        // What can be a key can be part of one.
        if self.in_keys > 0 && self.rules.quirks.few_keys {
            return is_few(known.sort, o);
        }
        if !self.rules.allows(known.sort, o) {
            return false;
        }
        let q = &self.rules.quirks;
        !(known.sort == Sort::Dataclass && q.decorated_only && known.record.as_ref().is_some_and(|r| !r.own))
    }

    /// Writes an instance of a subclass of what is built in as that; nothing if it is no such thing.
    #[cold]
    #[inline(never)]
    fn by_base(&mut self, o: &Own) -> Result<Option<Leaf>, Stop> {
        let r = o.as_ref();
        if let Some(i) = r.as_any_int() {
            return self.any_int(r, i.get_cold()).map(Some);
        }
        if let Some(v) = r.as_any_float() {
            return self.float(o, v).map(Some);
        }
        if r.as_any_str().is_some() {
            return self.text(o).map(Some);
        }
        if let Some(d) = r.as_any_dict() {
            return Ok(Some(Leaf::Dict(d.hold())));
        }
        if self.rules.passthrough.has(r.class()) {
            return Ok(None);
        }
        if let Some(l) = r.as_any_list() {
            return Ok(Some(Leaf::Row(l.row().hold())));
        }
        Ok(r.as_any_tuple().map(|t| Leaf::Row(t.row().hold())))
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
        self.aside.hooked += 1;
        if self.aside.hooked > CHAIN {
            return Err(self.stop(What::Chain));
        }
        if self.aside.hooked > 1 && self.rules.quirks.hook_once {
            let what = What::Unsupported(o.as_ref().class().tp_name().into());
            return Err(self.stop(what));
        }
        let what = match self.rules.hook.as_ref().map(|hook| py::call1(hook.as_ref(), o.as_ref())) {
            Some(Ok(v)) if !self.rules.quirks.hook_declines || !v.as_ref().is(o.as_ref()) => return Ok(v),
            Some(Err(Raised)) if self.rules.quirks.wrap_hook && py::is_ordinary() => What::HookRaised(name()),
            Some(Err(Raised)) => What::Raised,
            _ => What::Unsupported(name()),
        };
        Err(self.stop(what))
    }

    /// Writes an object as its sort says; nothing if it cannot be written after all.
    fn written(&mut self, known: &Known, o: &Own, dump: bool) -> Result<Option<Leaf>, Stop> {
        let r = o.as_ref();
        let leaf = match known.sort {
            Sort::StrSub => r.as_any_str().map(|_| self.text(o)),
            Sort::IntSub => r.as_any_int().map(|i| self.any_int(r, i.get_cold())),
            Sort::FloatSub => r.as_any_float().map(|v| self.float(o, v)),
            Sort::ListSub => r.as_any_list().map(|l| Ok(Leaf::Row(l.row().hold()))),
            Sort::DictSub => r.as_any_dict().map(|d| Ok(Leaf::Dict(d.hold()))),
            Sort::TupleSub => r.as_any_tuple().map(|t| Ok(Leaf::Row(t.row().hold()))),
            Sort::Bytes => r.as_bytes().map(|b| self.bytes(o, b)),
            Sort::ByteArray | Sort::MemoryView => {
                let b = r.copy_bytes();
                let b = self.raised(b)?;
                Some(self.bytes(o, &b))
            }
            Sort::Set if self.rules.order == Order::Encoded => Some(Ok(Leaf::Set(o.clone()))),
            Sort::Set | Sort::Iterable => return self.again(py::list_of(r)),
            Sort::OddDict if self.rules.quirks.stored_dicts && !is_ordered(r) => {
                r.as_any_dict().map(|d| Ok(Leaf::Dict(d.hold())))
            }
            Sort::Mapping | Sort::OddDict => return self.again(py::dict_from(r)),
            Sort::Enum | Sort::OddEnum => return self.again(member_value(self.env, known.sort, r)),
            Sort::DateTime | Sort::Date | Sort::Time | Sort::Delta | Sort::DateTimeSub => {
                Some(self.any_moment(o))
            }
            Sort::Uuid => {
                let met = self.env.meet_uuid(r.class().as_ref());
                self.raised(met)?;
                Some(self.uuid(o))
            }
            Sort::UuidSub => Some(self.uuid(o)),
            Sort::Decimal => {
                self.env.meet_decimal(r.class());
                Some(self.decimal(o))
            }
            Sort::Fraction | Sort::Text => {
                let s = py::text_of(r);
                let s = self.raised(s)?;
                Some(self.text(&s))
            }
            Sort::More => {
                let text =
                    py::import(c"oxwire._codecs").and_then(|m| py::call_method1(m.as_ref(), c"text", r));
                let text = self.raised(text)?;
                if text.as_ref().is_none() { None } else { Some(self.text(&text)) }
            }
            Sort::Dataclass | Sort::Attrs => Some(self.record(known, o)),
            Sort::Struct => Some(Ok(Leaf::Struct(o.clone()))),
            Sort::Model | Sort::OldModel if self.rules.quirks.model_dict => {
                let base = self.gathered.len();
                let held = gather_held(self.env, o, self.gathered);
                self.raised(held)?;
                Some(Ok(Leaf::Entries(base, self.rules.order)))
            }
            Sort::Model => {
                if let Some(record) = &known.record
                    && self.rules.model_mode == c"python"
                    && !dump
                {
                    return Ok(Some(Leaf::Model(record.clone(), o.clone())));
                }
                let dumped = self.model(o);
                return self.again(dumped);
            }
            // Its own method gives None for what does not count.
            Sort::Masked => return self.again(py::call_method0(r, c"tolist")),
            Sort::Array | Sort::ArrayScalar => return self.array(o, known.sort == Sort::ArrayScalar),
            Sort::Numbers => return self.numbers(o),
            Sort::Raw | Sort::Fragment | Sort::Packed => Some(self.splice(o)),
            Sort::Ext if self.out.caps().ext => Some(self.ext(o)),
            Sort::Timestamp => Some(self.timestamp(o)),
            Sort::Ext | Sort::OldModel => None,
            Sort::Unknown => None,
        };
        leaf.transpose()
    }

    fn again(&mut self, r: py::Result<Own>) -> Result<Option<Leaf>, Stop> {
        self.raised(r).map(|o| Some(Leaf::Again(o)))
    }

    /// Text with a surrogate: refused, or what the codec error handler makes of it.
    #[cold]
    #[inline(never)]
    pub(super) fn surrogates(&mut self, o: &Own, e: NotUtf8) -> Result<Leaf, Stop> {
        let strict = self.in_keys > 0 && self.rules.quirks.strict_keys;
        let Some(errors) = self.rules.str_errors.as_ref().filter(|_| !strict) else {
            return Err(self.surrogate(e));
        };
        let bytes = py::encoded_with(o.as_ref(), errors);
        let bytes = self.handled(bytes, e)?;
        self.str(o, Str::unchecked(bytes.as_ref().as_bytes().unwrap_or_default()))
    }

    /// An instance whose fields are written one after the other, if nothing but its class decides what they are.
    #[inline(always)]
    fn object(&self, known: &mut Known, o: Ref<'_>) -> Option<Object> {
        let quirks = &self.rules.quirks;
        let plain = known.record.is_some()
            && known.sort != Sort::Model
            && !(quirks.decorated_only || quirks.dataclass_dict)
            && self.in_keys == 0
            && self.rules.field_order() == Order::Stored
            && self.rules.allows(known.sort, o);
        // What counts its users, and is asked by all threads, is given on.
        let record = if plain { known.record.take() } else { None };
        Some(Object::new(record?, o.own(), quirks.public.has(known.sort)))
    }

    #[inline(never)]
    fn record(&mut self, known: &Known, o: &Own) -> Result<Leaf, Stop> {
        let Some(record) = &known.record else {
            return Err(self.stop(What::Unsupported(o.as_ref().class_name())));
        };
        let base = self.gathered.len();
        if self.rules.quirks.dataclass_dict && !record.slots {
            let found = record.gather_dict(self.env, o, self.gathered);
            if self.raised(found)? {
                return Ok(Leaf::Entries(base, Order::Stored));
            }
        }
        // Fields stand in the order of their class, unless keys are sorted.
        let order = if self.rules.quirks.dataclass_dict { Order::Stored } else { self.rules.field_order() };
        let public = self.rules.quirks.public.has(known.sort);
        let found = record.gather(self.env, o, public, self.gathered);
        self.raised(found)?;
        Ok(Leaf::Entries(base, order))
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
}

/// Puts pieces of some bytes in their order.
#[inline(never)]
fn put_in_order(bytes: &[u8], members: &mut [(usize, usize)]) {
    let mut sorter = Sorter::default();
    let text = |index: usize| members.get(index).map(|one| member(bytes, one)).unwrap_or_default();
    (0..members.len()).map(text).for_each(|text| sorter.add(order::head(text), text.len()));
    sorter.sort(&text, order::head);
    sorter.apply(|a, b| members.swap(a, b));
}

fn member<'b>(bytes: &'b [u8], &(from, to): &(usize, usize)) -> &'b [u8] {
    bytes.get(from..to).unwrap_or_default()
}
