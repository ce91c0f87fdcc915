//! Objects out: one loop over a stack of our own.
//!
//! BE ADVISED: wherever the helper is asked, code of a user may run. What is open is held, its length is looked at before each
//! step, and what was remembered is owned.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use engine::{Fault, What};
use native::Writer;
use py::{DictKind, Exact, Held, Int, ListKind, MomentKind, Own, Raised, Ref, Seen, StrRef, TupleKind};
use wire::{Buf, Full};

use crate::memo::{Memo, Shapes, UNNUMBERED};
use crate::{Codec, Known};

/// Dicts of more entries have no shape.
const MAX_SHAPE: usize = 64;
/// No more shapes than readers must take.
const MAX_SHAPES: usize = 60_000;
/// As many classes are remembered from call to call.
const MAX_SORTS: usize = 256;

/// Why it stopped.
pub(crate) enum Stop {
    Full,
    Raised,
    Depth,
    Changed(&'static str),
}

impl From<Full> for Stop {
    fn from(_: Full) -> Stop {
        Stop::Full
    }
}

impl From<Raised> for Stop {
    fn from(_: Raised) -> Stop {
        Stop::Raised
    }
}

type Go<T = ()> = Result<T, Stop>;

/// What instances of a class are.
#[derive(Clone, Copy)]
enum Sort {
    Exact(Exact),
    Moment(MomentKind),
    /// By the plan of that number.
    Plan(usize),
    /// Whatever the helper says of each.
    Asked,
}

/// How objects of a class are taken apart.
struct Plan {
    /// Kind, name, version, fields.
    definition: Own,
    /// The names of the attributes. None for an instance of a class of ours, whose fields are in order.
    attributes: Option<Vec<Own>>,
}

/// What a call uses and the next one uses again.
#[derive(Default)]
pub(crate) struct Writing {
    memo: Memo,
    shapes: Shapes,
    frames: Vec<Frame>,
    /// Classes that were met, with what they are.
    sorts: Vec<(Own, Sort)>,
    plans: Vec<Plan>,
    /// Definitions that were written in this message.
    types: Vec<Own>,
    /// For text that is not ASCII, the addresses of keys, packed items.
    text: Vec<u8>,
    keys: Vec<usize>,
    items: Vec<u8>,
}

/// A container that is open.
enum Open {
    List(Held<ListKind>),
    Tuple(Held<TupleKind>),
    /// Keys and values in turn; a value that waits for its key.
    Dict(Held<DictKind>, Option<Own>),
    /// The values of a dict of a shape.
    Values(Held<DictKind>),
    /// Parts that the helper gave. If it says so, they are no objects of their own.
    Parts(Vec<Own>, bool),
}

struct Frame {
    open: Open,
    next: isize,
    /// How many there were when it was opened.
    n: usize,
}

/// Writes an object as a message after what `out` holds.
pub fn write(codec: &Codec, known: Known<'_>, o: Ref<'_>, out: Buf) -> Result<Buf, Box<Fault>> {
    let mut room = codec.writing.take(Writing::default);
    let r = run(codec, known, o, out, &mut room);
    room.memo.clear();
    room.shapes.clear();
    room.frames.clear();
    room.types.clear();
    codec.writing.put(room);
    r
}

fn run(codec: &Codec, known: Known<'_>, o: Ref<'_>, out: Buf, room: &mut Writing) -> Result<Buf, Box<Fault>> {
    let full = |_| Fault::new(What::Memory, String::new());
    let mut walk = Walk { w: Writer::new(out).map_err(full)?, codec, known, room, inside: 0 };
    let root = o.own();
    match walk.value(root.as_ref(), true).and_then(|()| walk.rest()) {
        Ok(()) => Ok(walk.w.into_buf()),
        Err(stop) => {
            let what = match stop {
                Stop::Full => What::Memory,
                Stop::Raised => What::Raised,
                Stop::Depth => What::Depth(codec.max_depth),
                Stop::Changed(what) => What::Changed(what),
            };
            Err(Fault::new(what, walk.path()))
        }
    }
}

struct Walk<'a> {
    w: Writer,
    codec: &'a Codec,
    known: Known<'a>,
    room: &'a mut Writing,
    /// 1 while a container is open that does not stand on the stack.
    inside: usize,
}

impl Walk<'_> {
    /// Where it stands, as far as places say it.
    #[cold]
    fn path(&self) -> String {
        let mut path = String::from("$");
        for frame in &self.room.frames {
            path.push_str(&match &frame.open {
                Open::Dict(..) | Open::Values(_) => String::from("[...]"),
                _ => py::words("[{}]", &[((frame.next - 1).max(0) as usize).into()]),
            });
        }
        path
    }

    /// Writes what is open, to the end.
    fn rest(&mut self) -> Go {
        while let Some(mut frame) = self.room.frames.pop() {
            let depth = self.room.frames.len();
            self.inside = 1;
            let r = self.walk(&mut frame, depth);
            // What was opened stands above it.
            if r.is_err() || self.room.frames.len() > depth {
                self.room.frames.insert(depth, frame);
            }
            r?;
        }
        Ok(())
    }

    /// Writes what is left of a container, up to the first value that is opened.
    #[inline(always)]
    fn walk(&mut self, frame: &mut Frame, depth: usize) -> Go {
        match &mut frame.open {
            Open::List(l) => loop {
                if l.len() != frame.n {
                    return Err(Stop::Changed("list"));
                }
                let Some(o) = l.get(frame.next as usize) else { return Ok(()) };
                frame.next += 1;
                if self.written(o.as_ref(), depth)? {
                    return Ok(());
                }
            },
            Open::Values(d) => loop {
                if d.len() != frame.n {
                    return Err(Stop::Changed("dict"));
                }
                let Some((_, v)) = d.next(&mut frame.next) else { return Ok(()) };
                if self.written(v.as_ref(), depth)? {
                    return Ok(());
                }
            },
            _ => self.walk_other(frame, depth),
        }
    }

    /// The same for what is met less often, where it need not be fast.
    #[inline(never)]
    fn walk_other(&mut self, frame: &mut Frame, depth: usize) -> Go {
        loop {
            let next = frame.next as usize;
            match &mut frame.open {
                Open::Tuple(t) => {
                    let Some(o) = t.get(next) else { return Ok(()) };
                    frame.next += 1;
                    self.value(o, true)?;
                }
                Open::Parts(parts, own) => {
                    let Some(o) = parts.get(next) else { return Ok(()) };
                    frame.next += 1;
                    self.value(o.as_ref(), *own)?;
                }
                Open::Dict(_, waits @ Some(_)) => {
                    if let Some(v) = waits.take() {
                        self.value(v.as_ref(), true)?;
                    }
                }
                Open::Dict(d, waits) => {
                    if d.len() != frame.n {
                        return Err(Stop::Changed("dict"));
                    }
                    let Some((k, v)) = d.next_cold(&mut frame.next) else { return Ok(()) };
                    if k.as_ref().as_str().is_some() || k.as_ref().as_int().is_some() {
                        self.value(k.as_ref(), true)?;
                        self.value(v.as_ref(), true)?;
                    } else {
                        *waits = Some(v.as_ref().own());
                        self.value(k.as_ref(), true)?;
                    }
                }
                Open::List(_) | Open::Values(_) => return Ok(()),
            }
            if self.room.frames.len() > depth {
                return Ok(());
            }
        }
    }

    /// Writes a value, and says whether it was opened instead.
    #[inline(always)]
    fn written(&mut self, o: Ref<'_>, depth: usize) -> Go<bool> {
        if self.scalar(o)? {
            return Ok(false);
        }
        self.value(o, true)?;
        Ok(self.room.frames.len() > depth)
    }

    /// Writes what is never met twice, and is met most.
    #[inline(always)]
    fn scalar(&mut self, o: Ref<'_>) -> Go<bool> {
        match o.see() {
            Seen::Str(s) if o.is_unshared() => self.text(s)?,
            Seen::Int(i) => match i.short() {
                Some(v) => self.w.i64(v)?,
                None => self.long_int(i.get_cold())?,
            },
            Seen::Bool(v) => self.w.bool(v)?,
            Seen::None => self.w.none()?,
            Seen::Float(v) => self.w.f64(v)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    #[inline(never)]
    fn long_int(&mut self, v: Int<'_>) -> Go {
        match v {
            Int::I64(v) => self.w.i64(v)?,
            Int::U64(v) => self.w.u64(v)?,
            Int::Big(v) => {
                let mut twos = v.bytes()?;
                // The sign is repeated to a multiple of eight bytes.
                while let [.., b, last] = twos[..]
                    && last == if b < 0x80 { 0 } else { 0xff }
                {
                    twos.pop();
                }
                self.w.big(&twos)?;
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn text(&mut self, s: StrRef<'_>) -> Go {
        match s.text(&mut self.room.text) {
            Ok(text) => Ok(self.w.str(text.bytes())?),
            Err(_) => self.surrogates(s),
        }
    }

    #[cold]
    #[inline(never)]
    fn surrogates(&mut self, s: StrRef<'_>) -> Go {
        let bytes = py::encoded_with(s.as_ref(), c"surrogatepass")?;
        Ok(self.w.wstr(bytes.as_ref().as_bytes().unwrap_or_default())?)
    }

    /// Whether an object was met before; then a reference is written. Otherwise it is remembered.
    #[inline(always)]
    fn met(&mut self, o: Ref<'_>) -> Go<bool> {
        if !self.codec.memoize || o.is_unshared() {
            return Ok(false);
        }
        self.look_up(o)
    }

    #[inline(never)]
    fn look_up(&mut self, o: Ref<'_>) -> Go<bool> {
        let at = self.w.at();
        let Some(entry) = self.room.memo.meet(o, at) else { return Ok(false) };
        if entry.number == UNNUMBERED {
            entry.number = self.w.share(entry.at)?;
        } else {
            self.w.reference(entry.number)?;
        }
        Ok(true)
    }

    /// Writes any value, or opens it. `own` says whether it is an object of its own.
    #[inline(never)]
    fn value(&mut self, o: Ref<'_>, own: bool) -> Go {
        match o.see() {
            Seen::Str(s) => {
                // The interpreter has each text of one character once.
                let long = s.ascii().is_none_or(|text| text.len() > 1);
                if own && long && self.met(o)? {
                    return Ok(());
                }
                self.text(s)
            }
            Seen::List(l) => {
                if own && self.met(o)? {
                    return Ok(());
                }
                let l = l.hold();
                let n = l.len();
                if n > 3 && self.packed(n, false, |i| l.get(i))? {
                    return Ok(());
                }
                self.w.list(n)?;
                self.open(Open::List(l), n)
            }
            Seen::Dict(d) => {
                if own && self.met(o)? {
                    return Ok(());
                }
                self.dict(d.hold())
            }
            Seen::Tuple(t) => {
                let t = t.hold();
                let n = t.len();
                if n > 0 && own && self.met(o)? {
                    return Ok(());
                }
                if n > 3 && self.packed(n, true, |i| t.get(i))? {
                    return Ok(());
                }
                self.w.tuple(n)?;
                self.open(Open::Tuple(t), n)
            }
            Seen::Other(o) => self.other(o, own),
            _ => self.scalar(o).map(drop),
        }
    }

    #[inline(always)]
    fn open(&mut self, open: Open, n: usize) -> Go {
        if self.room.frames.len() + self.inside >= self.codec.max_depth {
            return Err(Stop::Depth);
        }
        if n > 0 {
            self.room.frames.push(Frame { open, next: 0, n });
        }
        Ok(())
    }

    /// Writes a list or tuple in the packed form, if its items are numbers of one kind.
    #[inline(always)]
    fn packed<T: AsItem>(&mut self, n: usize, tuple: bool, get: impl Fn(usize) -> Option<T>) -> Go<bool> {
        match get(0) {
            Some(first) => match first.item().see() {
                Seen::Int(_) | Seen::Float(_) => self.pack(n, tuple, get),
                _ => Ok(false),
            },
            None => Ok(false),
        }
    }

    #[inline(never)]
    fn pack<T: AsItem>(&mut self, n: usize, tuple: bool, get: impl Fn(usize) -> Option<T>) -> Go<bool> {
        let float = get(0).is_some_and(|o| o.item().as_float().is_some());
        let items = &mut self.room.items;
        items.clear();
        // The bits of each; and of integers the highest bit that any needs.
        let mut used = 0;
        for i in 0..n {
            let Some(o) = get(i) else { return Ok(false) };
            let bits = match (float, o.item().see()) {
                (true, Seen::Float(v)) => v.to_bits(),
                (false, Seen::Int(v)) => match v.get_cold() {
                    Int::I64(v) => {
                        used |= v ^ v >> 63;
                        v as u64
                    }
                    _ => return Ok(false),
                },
                _ => return Ok(false),
            };
            items.extend_from_slice(&bits.to_le_bytes());
        }
        let kind = match used.leading_zeros() {
            _ if float => 4,
            57.. => 0,
            49.. => 1,
            33.. => 2,
            _ => 3,
        };
        if kind < 3 {
            let width = 1 << kind;
            for i in 0..n {
                items.copy_within(8 * i..8 * i + width, width * i);
            }
            items.truncate(n * width);
        }
        self.w.packed(tuple, kind, n)?;
        self.w.raw(items)?;
        Ok(true)
    }

    /// Begins a dict: one whose keys are text has a shape.
    #[inline(always)]
    fn dict(&mut self, d: Held<DictKind>) -> Go {
        let n = d.len();
        if n == 0 || n > MAX_SHAPE || !self.shape(&d, n)? {
            self.w.dict(n)?;
            return self.open(Open::Dict(d, None), n);
        }
        self.open(Open::Values(d), n)
    }

    /// Writes the shape of a dict, if it has one.
    #[inline(never)]
    fn shape(&mut self, d: &Held<DictKind>, n: usize) -> Go<bool> {
        let mut keys = core::mem::take(&mut self.room.keys);
        keys.clear();
        let mut place = 0;
        while let Some((k, _)) = d.next(&mut place) {
            if k.as_ref().as_str().is_none() {
                break;
            }
            keys.push(k.as_ref().address());
        }
        let r = if keys.len() != n || d.len() != n {
            Ok(false)
        } else if let Some(number) = self.room.shapes.find(&keys) {
            self.w.shaped(number).map_err(Stop::from).map(|()| true)
        } else {
            self.define(d, &keys)
        };
        self.room.keys = keys;
        r
    }

    #[inline(never)]
    fn define(&mut self, d: &Held<DictKind>, keys: &[usize]) -> Go<bool> {
        if self.room.shapes.len() >= MAX_SHAPES {
            return Ok(false);
        }
        let (mut own, mut place) = (Vec::with_capacity(keys.len()), 0);
        while let Some((k, _)) = d.next_cold(&mut place) {
            own.push(k.as_ref().own());
        }
        self.w.shape(own.len())?;
        for k in &own {
            self.value(k.as_ref(), true)?;
        }
        self.room.shapes.define(keys, own.into_iter());
        Ok(true)
    }

    /// What a class is, remembered.
    fn sort(&mut self, o: Ref<'_>) -> Go<Sort> {
        let class = o.class();
        let known = self.room.sorts.iter().find(|(c, _)| c.as_ref().is(class.as_ref()));
        if let Some(&(_, sort)) = known {
            return Ok(sort);
        }
        let class = class.as_ref().own();
        let sort = if let Some(exact) = o.class().exact() {
            Sort::Exact(exact)
        } else if let Some(kind) =
            self.known.moments.kind(o.class()).filter(|_| self.known.moments.is_exact(o.class()))
        {
            Sort::Moment(kind)
        } else {
            self.plan(class.as_ref())?
        };
        if self.room.sorts.len() < MAX_SORTS {
            self.room.sorts.push((class, sort));
        } else if let Sort::Plan(_) = sort {
            return Ok(Sort::Asked);
        }
        Ok(sort)
    }

    /// Asks the helper how objects of a class are taken apart.
    #[cold]
    fn plan(&mut self, class: Ref<'_>) -> Go<Sort> {
        let said = py::call1(self.codec.plan.as_ref(), class)?;
        let Some(said) = said.as_ref().as_any_tuple().map(|t| t.hold()) else { return Ok(Sort::Asked) };
        let (Some(definition), Some(names)) = (said.get(0), said.get(1)) else { return Ok(Sort::Asked) };
        let attributes = names.as_any_tuple().map(|names| {
            let names = names.hold();
            (0..names.len()).filter_map(|i| names.get(i).map(Ref::own)).collect()
        });
        self.room.plans.push(Plan { definition: definition.own(), attributes });
        Ok(Sort::Plan(self.room.plans.len() - 1))
    }

    /// Writes an object of a class that is not among the most frequent.
    #[inline(never)]
    fn other(&mut self, o: Ref<'_>, own: bool) -> Go {
        if o.is(py::not_implemented().as_ref()) {
            return Ok(self.w.not_implemented()?);
        }
        if o.is(py::ellipsis().as_ref()) {
            return Ok(self.w.ellipsis()?);
        }
        if self.known.moments.is_utc(o) {
            return Ok(self.w.utc()?);
        }
        // From here on code of a user may run.
        let (unshared, held) = (o.is_unshared(), o.own());
        let o = held.as_ref();
        let sort = self.sort(o)?;
        if let Sort::Exact(Exact::Complex) = sort {
            let (re, im) = o.complex_parts();
            return Ok(self.w.complex(re, im)?);
        }
        if own && self.codec.memoize && !unshared && self.look_up(o)? {
            return Ok(());
        }
        match sort {
            Sort::Exact(exact) => self.exact(o, exact),
            Sort::Moment(kind) => self.moment(o, kind),
            Sort::Plan(plan) => self.planned(o, plan),
            Sort::Asked => self.asked(o),
        }
    }

    fn exact(&mut self, o: Ref<'_>, exact: Exact) -> Go {
        match exact {
            Exact::Bytes => self.w.bytes(o.as_bytes().unwrap_or_default())?,
            Exact::Set | Exact::FrozenSet => {
                let n = py::set_len(o);
                let members = py::list_of(o)?;
                let mut parts = Vec::with_capacity(n);
                if let Some(list) = members.as_ref().as_any_list().map(|l| l.hold()) {
                    parts.extend((0..list.len()).filter_map(|i| list.get(i).map(|o| o.as_ref().own())));
                }
                self.w.set(exact == Exact::FrozenSet, parts.len())?;
                return self.parts(parts, true);
            }
            _ => self.w.bytearray(&o.copy_bytes()?)?,
        }
        Ok(())
    }

    fn parts(&mut self, parts: Vec<Own>, own: bool) -> Go {
        let n = parts.len();
        self.open(Open::Parts(parts, own), n)
    }

    fn moment(&mut self, o: Ref<'_>, kind: MomentKind) -> Go {
        let own = o.own();
        if kind == MomentKind::Delta {
            let (days, seconds, micros) = self.known.moments.delta_parts(&own)?;
            let span = native::Span { days, seconds: seconds as u32, micros: micros as u32 };
            return Ok(self.w.timedelta(span)?);
        }
        let (date, time, fold, zone) = self.known.moments.whole(&own, kind)?;
        let day = date.map(native::pack_day);
        let time = time.map(|t| native::pack_time(t, fold));
        match (day, time) {
            (Some(day), Some(time)) => self.w.datetime(day, time, zone.is_some())?,
            (Some(day), None) => self.w.date(day)?,
            (None, time) => self.w.time(time.unwrap_or_default(), zone.is_some())?,
        }
        match zone {
            Some(zone) => self.parts(alloc::vec![zone], true),
            None => Ok(()),
        }
    }

    /// Writes an object by the plan of its class.
    fn planned(&mut self, o: Ref<'_>, plan: usize) -> Go {
        let Some(plan) = self.room.plans.get(plan) else { return self.asked(o) };
        let definition = plan.definition.clone();
        let mut parts = Vec::new();
        match &plan.attributes {
            None => {
                let Some(s) = self.known.structs.this(o) else { return self.asked(o) };
                for i in 0..s.shape().fields.len() {
                    match s.value(i) {
                        Some(v) => parts.push(v),
                        None => return self.asked(o),
                    }
                }
            }
            Some(names) => {
                parts.reserve(names.len());
                // Where they stand in the instance, in the order in which they are wanted, nobody needs to be asked.
                if let Some(held) = o.attributes().filter(|held| held.len() == names.len()) {
                    let wanted =
                        held.zip(names).map_while(|((k, v), name)| k.is(name.as_ref()).then(|| v.own()));
                    parts.extend(wanted);
                }
                if parts.len() != names.len() {
                    parts.clear();
                    for name in names {
                        parts.push(o.attr(name)?);
                    }
                }
            }
        }
        self.define_type(&definition)?;
        self.parts(parts, true)
    }

    /// Writes what the helper says that an object consists of.
    #[inline(never)]
    fn asked(&mut self, o: Ref<'_>) -> Go {
        let said = py::call1(self.codec.describe.as_ref(), o)?;
        let Some(said) = said.as_ref().as_any_tuple().map(|t| t.hold()) else { return Err(Stop::Raised) };
        let (Some(what), Some(body)) = (said.get(0), said.get(1)) else { return Err(Stop::Raised) };
        if let Some(code) = what.as_int().and_then(|v| v.short()) {
            return match u8::try_from(code) {
                Ok(0x13)
                    if body.is_bytes()
                        && body.as_bytes().is_some_and(|b| b.len() == 16)
                        && said.len() == 3 =>
                {
                    let id = body.as_bytes().and_then(|b| b.first_chunk().copied()).unwrap_or_default();
                    Ok(self.w.uuid(id)?)
                }
                Ok(code) => {
                    self.w.ext(code)?;
                    self.parts(alloc::vec![body.own()], false)
                }
                Err(_) => Err(Stop::Raised),
            };
        }
        self.define_type(&what.own())?;
        let parts = body.as_any_list().map(|l| l.hold());
        let parts = parts.map(|l| (0..l.len()).filter_map(|i| l.get(i).map(|o| o.as_ref().own())).collect());
        self.parts(parts.unwrap_or_default(), true)
    }

    /// Begins an object: names its type, or defines it.
    fn define_type(&mut self, definition: &Own) -> Go {
        // The last is the likeliest.
        let known = self.room.types.iter().rposition(|one| one.as_ref().is(definition.as_ref()));
        if let Some(number) = known {
            return Ok(self.w.record(number)?);
        }
        let Some(d) = definition.as_ref().as_any_tuple().map(|t| t.hold()) else { return Err(Stop::Raised) };
        let int = |i| match d.get(i).and_then(|o: Ref<'_>| o.as_int()).map(|v| v.get_cold()) {
            Some(Int::I64(v)) => usize::try_from(v).unwrap_or_default(),
            _ => 0,
        };
        let fields = d.get(3).and_then(Ref::as_any_tuple).map(|t| t.hold());
        let n = fields.as_ref().map_or(0, |f| f.len());
        self.w.type_head(int(0) as u8)?;
        match d.get(1) {
            Some(name) => self.value(name, true)?,
            None => return Err(Stop::Raised),
        }
        self.w.version(int(2), n)?;
        for i in 0..n {
            if let Some(field) = fields.as_ref().and_then(|f| f.get(i)) {
                self.value(field, true)?;
            }
        }
        self.room.types.push(definition.clone());
        Ok(())
    }
}

/// An item of a list or of a tuple.
trait AsItem {
    fn item(&self) -> Ref<'_>;
}

impl AsItem for py::Item<'_> {
    #[inline(always)]
    fn item(&self) -> Ref<'_> {
        self.as_ref()
    }
}

impl AsItem for Ref<'_> {
    #[inline(always)]
    fn item(&self) -> Ref<'_> {
        *self
    }
}
