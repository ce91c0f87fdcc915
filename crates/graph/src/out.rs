//! Objects out: one loop over a container, which calls itself for what is in it, eight deep. What is deeper waits on a stack of
//! our own.
//!
//! BE ADVISED: wherever the helper is asked, code of a user may run. What is open is held, its length is looked at before each
//! step, and what was remembered is owned.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::Cell;

use engine::{Fault, What};
use native::Writer;
use py::{
    DictKind, Held, Instance, Int, IntRef, Items, ItemsRoom, Own, Raised, Ref, RowKind, Seen, TupleKind,
};
use wire::{Buf, Full};

use crate::calls;
use crate::memo::{Memo, hash_of};
use crate::{Codec, Known};

/// Dicts of more entries have no shape.
const MAX_SHAPE: usize = 64;
/// No more shapes than readers must take.
const MAX_SHAPES: usize = 60_000;

/// So many open containers are on the thread's stack, from the innermost that is not.
const NESTED: usize = 8;

/// Why it stopped.
#[derive(Clone, Copy)]
pub(crate) enum Stop {
    Full,
    Raised,
    Depth,
    List,
    Dict,
    Object,
    Types,
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

/// What a call uses and the next one uses again.
#[derive(Default)]
pub(crate) struct Writing {
    pub(crate) memo: Memo,
    pub(crate) frames: Vec<Frame>,
    /// Classes that were met, with what they are.
    pub(crate) sorts: Vec<(Own, Own)>,
    /// Definitions that were written in this message.
    pub(crate) types: Vec<Own>,
    /// The class of ours whose instance was written last, by its address, which `sorts` keeps, and the number of its type; no
    /// address if there was none.
    pub(crate) last: (usize, usize),
    /// For text that is not ASCII.
    text: Vec<u8>,
    /// For packed items.
    words: Vec<u64>,
    /// The addresses of keys, behind their number.
    keys: Vec<usize>,
}

impl Writing {
    pub(crate) fn clear(&mut self) {
        self.memo.clear();
        self.frames.clear();
        self.types.clear();
        self.last = (0, 0);
    }
}

impl Writing {
    /// Where the walk stands, as a list of indices, keys and names.
    #[cold]
    #[inline(never)]
    fn steps(&self) -> py::Result<Own> {
        let (mut steps, mut inner) = (Vec::new(), false);
        for f in &self.frames {
            let last = (f.next as usize).saturating_sub(1);
            // The list that the helper gives for an object, and a tuple in it, are nothing that one sees.
            let hidden =
                !f.own || inner && matches!(&f.open, Open::Row(r) if r.as_ref().as_any_tuple().is_some());
            inner = !f.own;
            match &f.open {
                Open::One(_) | Open::Keys(_) => {}
                _ if hidden => {}
                Open::Row(_) => steps.push(py::uint(last as u64)?),
                Open::Values(d) | Open::Dict(d, _) => {
                    let mut place = 0;
                    let mut key = py::none();
                    while place < f.next
                        && let Some((k, _)) = d.next_cold(&mut place)
                    {
                        key = k.as_ref().own();
                    }
                    steps.push(key);
                }
                Open::Struct(s) => steps.extend(s.this().shape().fields.get(last).map(|f| f.name.clone())),
                Open::Object(_, names) => steps.extend(names.get(last).map(Ref::own)),
            }
        }
        py::list_cold(&mut steps, 0)
    }
}

/// A container that is open.
pub(crate) enum Open {
    /// A list or tuple.
    Row(Held<RowKind>),
    /// The keys of a shape: what is held from one on.
    Keys(usize),
    /// The values of a dict of a shape.
    Values(Held<DictKind>),
    /// Keys and values in turn; a value that waits for its key.
    Dict(Held<DictKind>, Cell<Option<Own>>),
    /// An instance of one of our classes with fields.
    Struct(Instance<model::Class>),
    /// An object by the names of its attributes.
    Object(Own, Held<TupleKind>),
    /// One object.
    One(Own),
}

pub(crate) struct Frame {
    open: Open,
    next: isize,
    /// How many there were when it was opened.
    n: usize,
    /// Whether what is in it are objects of their own.
    own: bool,
    /// What is being written, if nothing else holds it.
    key: Option<Own>,
}

impl Frame {
    #[inline(always)]
    fn new(open: Open, next: isize, n: usize, own: bool) -> Frame {
        Frame { open, next, n, own, key: None }
    }
}

/// Writes an object as a message after what `out` holds. Buffers that are to travel beside it go to `taken`.
pub fn write(
    codec: &Codec,
    known: Known<'_>,
    o: Ref<'_>,
    out: Buf,
    taken: Option<&mut Vec<Own>>,
) -> Result<Buf, Box<Fault>> {
    let mut room = codec.room();
    let r = run(codec, known, o, out, taken, &mut room.writing);
    let r = r.map_err(|stop| {
        let mut raised = py::take_raised();
        // If it lacks a field, the helper says so.
        if let (Some(Frame { open: Open::Object(o, _), .. }), Some(_)) = (room.writing.frames.last(), &raised)
            && codec.ask(calls::DESCRIBE, &[o.as_ref()]).is_err()
        {
            raised = py::take_raised();
        }
        let path = codec.blame(raised, room.writing.steps());
        let what = match stop {
            Stop::Full => What::Memory,
            Stop::Raised => What::Raised,
            Stop::Depth => What::Depth(codec.max_depth),
            Stop::List => What::Changed("list"),
            Stop::Dict => What::Changed("dict"),
            Stop::Object => What::Changed("object"),
            Stop::Types => What::Length,
        };
        Fault::new(what, path)
    });
    room.writing.clear();
    codec.put(room);
    r
}

fn run(
    codec: &Codec,
    known: Known<'_>,
    o: Ref<'_>,
    out: Buf,
    taken: Option<&mut Vec<Own>>,
    room: &mut Writing,
) -> Go<Buf> {
    let mut walk = Walk { w: Writer::new(out)?, codec, known, taken, room, nested: 0 };
    // As if it were in a container that nobody sees, and that is no level of its own.
    walk.room.frames.push(Frame::new(Open::One(o.own()), 0, 1, true));
    while let Some(frame) = walk.room.frames.pop() {
        walk.enter_cold(frame)?;
    }
    Ok(walk.w.into_buf())
}

pub(crate) struct Walk<'a> {
    pub(crate) w: Writer,
    pub(crate) codec: &'a Codec,
    pub(crate) known: Known<'a>,
    /// The buffers that travel beside the message, if any may.
    pub(crate) taken: Option<&'a mut Vec<Own>>,
    pub(crate) room: &'a mut Writing,
    /// How many open containers are on the thread's stack, beside those in the room, which these are in.
    nested: usize,
}

impl Walk<'_> {
    /// Writes what is left of a container. If it is too deep for what is in it, or something stops it, it is put where those are
    /// that stand in the room, below what was put there of it.
    #[inline(always)]
    fn enter(&mut self, mut frame: Frame) -> Go {
        let depth = self.room.frames.len();
        let gone = self.walk(&mut frame, depth);
        if gone.is_err() || self.room.frames.len() > depth {
            self.room.frames.insert(depth, frame);
        }
        gone
    }

    /// The same, where it need not be compiled in.
    #[inline(never)]
    fn enter_cold(&mut self, frame: Frame) -> Go {
        self.enter(frame)
    }

    /// Writes what is left of a container, up to the first value that is opened and is not finished.
    #[inline(never)]
    fn walk(&mut self, frame: &mut Frame, depth: usize) -> Go {
        let Frame { open, next: place, n, own, key } = frame;
        let (open, n, own) = (&*open, *n, *own);
        let mut items_room = ItemsRoom::default();
        let items = match open {
            Open::Row(row) => Some(row.items(&mut items_room)),
            _ => None,
        };
        loop {
            let item;
            let next = *place as usize;
            let o = match open {
                _ if let Some(items) = &items => {
                    if items.len() != n {
                        return Err(Stop::List);
                    }
                    let Some(o) = items.get(next) else { return Ok(()) };
                    *place += 1;
                    item = o;
                    item.as_ref()
                }
                Open::Row(_) => return Ok(()),
                Open::Values(d) => {
                    if d.len() != n {
                        return Err(Stop::Dict);
                    }
                    let Some((_, v)) = d.next(place) else { return Ok(()) };
                    item = v;
                    item.as_ref()
                }
                Open::Struct(s) => {
                    if next == n {
                        return Ok(());
                    }
                    let Some(v) = s.this().get(next) else { return self.lacks(s.this().as_ref()) };
                    *place += 1;
                    item = v;
                    item.as_ref()
                }
                Open::Object(o, names) => {
                    let Some(name) = names.get(next) else { return Ok(()) };
                    *place += 1;
                    // Where it stands in the instance, in the order in which it is wanted, nobody needs to be asked.
                    let held = o.as_ref().attributes().and_then(|held| held.at(next));
                    match held.filter(|(k, _)| k.is(name)) {
                        Some((_, v)) => v,
                        None => key.insert(o.as_ref().attr(&name.own())?).as_ref(),
                    }
                }
                Open::Keys(base) => {
                    let Some(k) = self.room.memo.held(*base + next).filter(|_| next < n) else {
                        return Ok(());
                    };
                    *place += 1;
                    key.insert(k).as_ref()
                }
                Open::One(o) => {
                    if next > 0 {
                        return Ok(());
                    }
                    *place = 1;
                    o.as_ref()
                }
                Open::Dict(d, waits) => {
                    let k = match waits.take() {
                        Some(v) => v,
                        None => {
                            if d.len() != n {
                                return Err(Stop::Dict);
                            }
                            let Some((k, v)) = d.next_cold(place) else { return Ok(()) };
                            waits.set(Some(v.as_ref().own()));
                            k.as_ref().own()
                        }
                    };
                    key.insert(k).as_ref()
                }
            };
            match o.see() {
                Seen::Str(s) => {
                    // The interpreter has each text of one character once.
                    let ascii = s.ascii();
                    let may_return = !o.is_unshared() && ascii.is_none_or(|text| text.len() > 1);
                    if may_return && own && self.codec.memoize && self.look_up(o)? {
                        continue;
                    }
                    match ascii {
                        Some(text) => self.w.str(text)?,
                        None => self.wide(o)?,
                    }
                }
                Seen::Int(i) => match i.short() {
                    Some(v) => self.w.i64(v)?,
                    None => self.long_int(i)?,
                },
                Seen::Bool(v) => self.w.bool(v)?,
                Seen::None => self.w.none()?,
                Seen::Float(v) => self.w.f64(v)?,
                seen => {
                    let may_return = match seen {
                        Seen::List(_) | Seen::Dict(_) => !o.is_unshared(),
                        // There is one empty tuple.
                        Seen::Tuple(_) => {
                            !o.is_unshared() && o.as_any_tuple().is_some_and(|t| t.hold().len() > 0)
                        }
                        _ => false,
                    };
                    if may_return && own && self.codec.memoize && self.look_up(o)? {
                        continue;
                    }
                    match seen {
                        Seen::List(l) => self.row(l.row().hold(), false)?,
                        Seen::Dict(d) => self.dict(d.hold())?,
                        Seen::Tuple(t) => self.row(t.row().hold(), true)?,
                        _ if o.class().as_ref().address() == self.room.last.0 => self.another(o, own)?,
                        _ => self.other(o, own)?,
                    }
                    if self.room.frames.len() > depth {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Writes text that is not ASCII.
    #[inline(never)]
    fn wide(&mut self, o: Ref<'_>) -> Go {
        match o.as_str().map(|s| s.text(&mut self.room.text)) {
            Some(Ok(text)) => Ok(self.w.seldom_str(text.bytes())?),
            _ => self.asked(o),
        }
    }

    #[inline(never)]
    fn long_int(&mut self, v: IntRef<'_>) -> Go {
        match v.get_cold() {
            Int::I64(v) => Ok(self.w.i64(v)?),
            Int::U64(v) => Ok(self.w.u64(v)?),
            Int::Big(_) => self.asked(v.as_ref()),
        }
    }

    /// Whether an object was met before; then a reference is written. Otherwise it is remembered.
    #[inline(never)]
    pub(crate) fn look_up(&mut self, o: Ref<'_>) -> Go<bool> {
        let at = self.w.at();
        let Some(entry) = self.room.memo.meet(o, at) else { return Ok(false) };
        match entry.number {
            0 => entry.number = 1 + self.w.share(entry.at as usize)?,
            number => self.w.reference(number - 1)?,
        }
        Ok(true)
    }

    /// Writes a number that is met often; false if it is anything else.
    #[inline(always)]
    fn number(&mut self, o: Ref<'_>) -> Go<bool> {
        match o.see() {
            Seen::Float(v) => self.w.f64(v)?,
            Seen::Int(i) => match i.short() {
                Some(v) => self.w.i64(v)?,
                None => return Ok(false),
            },
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Writes or opens a list or tuple. The numbers that it begins with need no frame.
    #[inline(never)]
    fn row(&mut self, row: Held<RowKind>, tuple: bool) -> Go {
        let mut items_room = ItemsRoom::default();
        let items = row.items(&mut items_room);
        let n = items.len();
        if n > 3 && self.packed(items, n, tuple)? {
            return Ok(());
        }
        if tuple {
            self.w.tuple(n)?
        } else {
            self.w.list(n)?
        }
        self.deeper()?;
        let mut next = 0;
        while next < n
            && let Some(o) = items.get(next)
            && self.number(o.as_ref())?
        {
            next += 1;
        }
        if next == n {
            return Ok(());
        }
        self.inside(Frame::new(Open::Row(row), next as isize, n, true))
    }

    /// Whether there may be a container in what is open.
    #[inline(always)]
    fn deeper(&self) -> Go {
        if self.room.frames.len() + self.nested >= self.codec.max_depth { Err(Stop::Depth) } else { Ok(()) }
    }

    /// Writes what is in a container whose head is written.
    #[inline(always)]
    pub(crate) fn open(&mut self, open: Open, n: usize, own: bool) -> Go {
        self.deeper()?;
        if n > 0 { self.inside(Frame::new(open, 0, n, own)) } else { Ok(()) }
    }

    /// Writes what is left of a container, or leaves it for later if it is too deep for the thread's stack.
    #[inline(never)]
    fn inside(&mut self, frame: Frame) -> Go {
        if self.nested == NESTED {
            self.room.frames.push(frame);
            return Ok(());
        }
        self.nested += 1;
        let gone = self.enter(frame);
        self.nested -= 1;
        gone
    }

    /// Writes a list or tuple in the packed form, if its items are numbers of one kind.
    #[inline(never)]
    fn packed(&mut self, items: Items<'_>, n: usize, tuple: bool) -> Go<bool> {
        let words = &mut self.room.words;
        words.clear();
        // The bits of each; and of integers the highest bit that any needs. What kind they are, the first says.
        let (mut used, mut float) = (0, false);
        for i in 0..n {
            let Some(item) = items.get(i) else { return Ok(false) };
            let o = item.as_ref();
            let bits = match o.see() {
                Seen::Float(v) if float || i == 0 => {
                    float = true;
                    v.to_bits()
                }
                Seen::Int(v) if !float => {
                    let v = match v.short() {
                        Some(v) => v,
                        None => match v.get_cold() {
                            Int::I64(v) => v,
                            _ => return Ok(false),
                        },
                    };
                    used |= v ^ v >> 63;
                    v as u64
                }
                _ => return Ok(false),
            };
            py::push(words, bits);
        }
        let kind = match used.leading_zeros() {
            _ if float => 4,
            57.. => 0,
            49.. => 1,
            33.. => 2,
            _ => 3,
        };
        self.w.packed(tuple, kind, n)?;
        let size = 1 << kind.min(3);
        for word in words {
            self.w.low(&word.to_le_bytes(), size)?;
        }
        Ok(true)
    }

    /// Writes or opens a dict. The numbers that one of a shape begins with need no frame.
    #[inline(never)]
    fn dict(&mut self, d: Held<DictKind>) -> Go {
        let n = d.len();
        if let Some(number) = self.guess(&d, n) {
            self.w.shaped(number)?;
        } else if !self.begin_dict(&d, n)? {
            return self.open(Open::Dict(d, Cell::default()), n, true);
        }
        self.deeper()?;
        let (mut place, mut next) = (0, 0);
        while d.len() == n {
            let Some((_, v)) = d.next(&mut next) else { return Ok(()) };
            if !self.number(v.as_ref())? {
                break;
            }
            place = next;
        }
        self.inside(Frame::new(Open::Values(d), place, n, true))
    }

    /// The number of the shape of a dict, if it is the one that such a first key had last.
    #[inline(always)]
    fn guess(&self, d: &Held<DictKind>, n: usize) -> Option<usize> {
        let mut place = 0;
        let (mut key, _) = d.next(&mut place)?;
        let (number, keys) = self.room.memo.guess(key.as_ref().address(), n)?;
        for (i, known) in keys.iter().enumerate() {
            if i > 0 {
                (key, _) = d.next(&mut place)?;
            }
            if key.as_ref().address() != *known {
                return None;
            }
        }
        Some(number)
    }

    /// Begins a dict: one whose keys are text has a shape.
    #[inline(never)]
    fn begin_dict(&mut self, d: &Held<DictKind>, n: usize) -> Go<bool> {
        // How many there are comes first, so that none is the beginning of another.
        self.room.keys.clear();
        self.room.keys.push(n);
        let mut place = 0;
        while (1..=MAX_SHAPE).contains(&n)
            && let Some((k, _)) = d.next(&mut place)
            && k.as_ref().as_str().is_some()
        {
            py::push(&mut self.room.keys, k.as_ref().address());
        }
        let shaped = n > 0 && self.room.keys.len() == n + 1;
        let hash = hash_of(&self.room.keys);
        if shaped && let Some(number) = self.room.memo.shape(hash, &self.room.keys) {
            self.w.shaped(number)?;
            return Ok(true);
        }
        if !shaped || self.room.memo.shapes >= MAX_SHAPES {
            self.w.dict(n)?;
            return Ok(false);
        }
        let base = self.room.memo.define(hash, n);
        let mut place = 0;
        while let Some((k, _)) = d.next(&mut place) {
            self.room.memo.add_key(k.as_ref());
        }
        // Another thread may have changed it meanwhile, where there is no lock for all.
        if self.room.memo.held(base + n - 1).is_none() {
            return Err(Stop::Dict);
        }
        self.w.shape(n)?;
        // The keys are no level of their own, and nothing in them is opened.
        self.enter_cold(Frame::new(Open::Keys(base), 0, n, true))?;
        Ok(true)
    }
}
