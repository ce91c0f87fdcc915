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
pub(crate) const MAX_SORTS: usize = 256;

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

pub(crate) type Go<T = ()> = Result<T, Stop>;

/// What instances of a class are.
#[derive(Clone, Copy)]
pub(crate) enum Sort {
    Exact(Exact),
    Moment(MomentKind),
    /// By the plan of that number.
    Plan(usize),
    /// Whatever the helper says of each.
    Asked,
}

/// How objects of a class are taken apart.
pub(crate) struct Plan {
    /// Kind, name, version, fields.
    pub(crate) definition: Own,
    /// The names of the attributes. None for an instance of a class of ours, whose fields are in order.
    pub(crate) attributes: Option<Vec<Own>>,
}

/// What a call uses and the next one uses again.
#[derive(Default)]
pub(crate) struct Writing {
    pub(crate) memo: Memo,
    pub(crate) shapes: Shapes,
    pub(crate) frames: Vec<Frame>,
    /// Classes that were met, with what they are.
    pub(crate) sorts: Vec<(Own, Sort)>,
    pub(crate) plans: Vec<Plan>,
    /// Definitions that were written in this message.
    pub(crate) types: Vec<Own>,
    /// For text that is not ASCII, the addresses of keys, packed items.
    pub(crate) text: Vec<u8>,
    pub(crate) keys: Vec<usize>,
    pub(crate) items: Vec<u8>,
}

/// A container that is open.
pub(crate) enum Open {
    List(Held<ListKind>),
    Tuple(Held<TupleKind>),
    /// Keys and values in turn; a value that waits for its key.
    Dict(Held<DictKind>, Option<Own>),
    /// The values of a dict of a shape.
    Values(Held<DictKind>),
    /// Parts that the helper gave. If it says so, they are no objects of their own.
    Parts(Vec<Own>, bool),
}

pub(crate) struct Frame {
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

pub(crate) struct Walk<'a> {
    pub(crate) w: Writer,
    pub(crate) codec: &'a Codec,
    pub(crate) known: Known<'a>,
    pub(crate) room: &'a mut Writing,
    /// 1 while a container is open that does not stand on the stack.
    pub(crate) inside: usize,
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
    pub(crate) fn look_up(&mut self, o: Ref<'_>) -> Go<bool> {
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
    pub(crate) fn value(&mut self, o: Ref<'_>, own: bool) -> Go {
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
    pub(crate) fn open(&mut self, open: Open, n: usize) -> Go {
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
