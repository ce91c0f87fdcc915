//! Objects in: the message is read to its end first, and what is in it is built; only then does anything run that hashes,
//! compares or calls.
//!
//! BE ADVISED: what can be in a cycle exists before its contents and is filled when these are there. A tuple that is referred to
//! is made of `None`s first; nobody sees it before it is filled, since no code of a user runs meanwhile.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use engine::Fault;
use native::{Head, Limits, Reader, Refused};
use py::{Held, ListKind, Own, Raised, Ref, TupleKind, Young};
use wire::transcode::Decoded;
use wire::{Code, Input, Num};

use crate::{Codec, Known, calls, moment};

pub(crate) use native::What;

/// Inputs above this may make so many containers that the collector should wait.
const LARGE: usize = 4096;
/// What a message may take in memory if nobody says how much: this, and so many times its length, up to the most.
const MEMORY: usize = 64 << 20;
const MEMORY_TIMES: usize = 64;
const MOST_MEMORY: usize = 1 << 30;

/// It stopped: the reader knows why, or an exception is set.
pub(crate) struct Trouble;

impl From<Refused> for Trouble {
    #[inline(always)]
    fn from(_: Refused) -> Trouble {
        Trouble
    }
}

impl From<Raised> for Trouble {
    #[inline(always)]
    fn from(_: Raised) -> Trouble {
        Trouble
    }
}

pub(crate) type Given<T> = Result<T, Trouble>;

/// How objects of a type are made: how; the class, or what makes an object of all its parts, or what makes one without them; the
/// attributes that the values become, or their places; what is to be called when all is there.
pub(crate) struct Maker {
    pub(crate) said: Held<TupleKind>,
    pub(crate) how: How,
    /// What makes an instance of all its values at once, if these are for its slots, one after the other, and nothing is to be
    /// called.
    pub(crate) straight: Option<py::Maker<model::Class>>,
}

impl Maker {
    pub(crate) fn new(said: Held<TupleKind>, structs: &model::Classes) -> Maker {
        let number = |o: Ref<'_>| o.as_int().and_then(|v| v.short());
        let how = match said.get(0).and_then(number) {
            Some(0) => How::Plain,
            Some(1) => How::AtOnce,
            Some(2) => How::Opened,
            _ => How::Struct,
        };
        let mut maker = Maker { said, how, straight: None };
        let (class, places, finish) = (maker.part(1), maker.part(2), maker.part(3));
        if how == How::Struct
            && finish.as_ref().is_none()
            && let Some(places) = places.as_ref().as_any_tuple().map(|t| t.hold())
            && (0..places.len()).all(|i| places.get(i).and_then(number) == Some(i as i64))
        {
            maker.straight = class.as_ref().as_type().and_then(|class| structs.maker(class));
        }
        maker
    }

    pub(crate) fn part(&self, i: usize) -> Own {
        self.said.get(i).map_or_else(py::none, Ref::own)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// As `object` does, attribute by attribute.
    Plain,
    /// Of all parts at once.
    AtOnce,
    /// Without its parts, which are given to `finish`.
    Opened,
    /// One of our classes with fields, slot by slot.
    Struct,
}

/// What a call uses and the next one uses again.
#[derive(Default)]
pub(crate) struct Reading {
    pub(crate) stack: Vec<Own>,
    pub(crate) frames: Vec<Frame>,
    /// Definitions with the S bit, by index; nothing if they are not made yet.
    pub(crate) shared: Vec<Option<Own>>,
    /// What references have numbers for.
    numbered: Vec<Own>,
    /// The keys of each shape.
    pub(crate) shapes: Vec<Held<TupleKind>>,
    pub(crate) makers: Vec<Maker>,
    /// What waits until the graph stands, in fours: what to do (see `Helper.finish`), with what, with which parts, where.
    pub(crate) later: Vec<Own>,
    /// Tuples and frozensets that are shared and open.
    pub(crate) open: Vec<Own>,
    /// The zones of this message, each once.
    pub(crate) zones: Vec<Own>,
    decoded: Decoded,
    /// Where lists and dicts of this message are made, and where those of a large one are, which is found once.
    pub(crate) young: Young,
    pub(crate) found: Young,
}

impl Reading {
    pub(crate) fn clear(&mut self) {
        let Reading { stack, numbered, later, open, zones, .. } = self;
        for all in [stack, numbered, later, open, zones] {
            all.clear();
        }
        self.shapes.clear();
        self.frames.clear();
        self.shared.clear();
        self.makers.clear();
    }
}

/// What is being read inside of a value that is open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inside {
    /// The values.
    Values,
    /// The values, each behind its key, which is known.
    Keyed,
    /// The keys of a shape, or the names of the fields of a type.
    Names,
    /// The name of a type.
    Name,
}

/// A value with others in it, that is open.
pub(crate) struct Frame {
    pub(crate) what: What,
    pub(crate) inside: Inside,
    pub(crate) at: usize,
    /// Where its parts begin on the stack, and how many are still to come.
    pub(crate) base: usize,
    pub(crate) left: usize,
    /// Its index among definitions.
    pub(crate) index: usize,
    /// Its shape, type, kind of type, or tag.
    pub(crate) of: usize,
    /// The object, if it exists already.
    pub(crate) object: Option<Own>,
    /// What stands between tag and value, or what fills the object.
    pub(crate) with: Option<Own>,
}

/// Makes objects of one message, and of the buffers that were given beside it.
pub fn read(
    codec: &Codec,
    known: Known<'_>,
    input: Input<'_>,
    given: Option<Held<ListKind>>,
) -> Result<Own, Box<Fault>> {
    let mut room = codec.room();
    let limits =
        Limits { max_depth: codec.max_depth, max_int_bytes: codec.max_int_bytes, ..Limits::default() };
    let r = Reader::new(input, limits);
    let n = input.bytes().len();
    let memory = match codec.max_memory {
        0 => (MEMORY + n.saturating_mul(MEMORY_TIMES)).min(MOST_MEMORY.max(n)),
        memory => memory,
    };
    let mut build = Build { r, codec, known, room: &mut room.reading, given, at: 0, memory };
    // Text and bytes take what they take in the message.
    let r = build.take(n).and_then(|()| build.all(n > LARGE));
    let (why, at) = (build.r.why(), build.at);
    if r.is_err()
        && why.is_none()
        && let Some(raised) = py::take_raised()
    {
        codec.blame(Some(raised), py::uint(at as u64));
    }
    // What is said of all of them says nothing of a place.
    let r = r.and_then(|o| build.are_used().map(|()| o));
    room.reading.clear();
    codec.put(room);
    r.map_err(|_| Fault::new(why.map_or(engine::What::Raised, engine::What::Wire), String::new()))
}

/// The tag of a buffer beside the message.
const OUTSIDE: u64 = 0x10;

pub(crate) struct Build<'d, 'a> {
    pub(crate) r: Reader<'d>,
    pub(crate) codec: &'a Codec,
    pub(crate) known: Known<'a>,
    pub(crate) room: &'a mut Reading,
    /// The buffers beside the message.
    pub(crate) given: Option<Held<ListKind>>,
    /// Where the value stands that is being made.
    pub(crate) at: usize,
    /// How much memory is left.
    memory: usize,
}

impl Build<'_, '_> {
    fn all(&mut self, large: bool) -> Given<Own> {
        self.room.young = self.room.found.for_many(large);
        let paused = if large { py::pause_gc() } else { None };
        self.r.begin()?;
        self.values()?;
        self.r.end(!self.codec.memoize)?;
        drop(paused);
        let Some(root) = self.room.stack.pop() else { return Err(Trouble) };
        if !self.room.later.is_empty() {
            self.later()?;
        }
        if self.codec.memoize {
            return Ok(root);
        }
        Ok(py::tuple2(root, py::uint(self.r.at() as u64)?)?)
    }

    /// The buffers that were given, as a list.
    #[cold]
    #[inline(never)]
    pub(crate) fn all_given(&self) -> Given<Own> {
        match &self.given {
            Some(given) => Ok(given.as_own().clone()),
            None => Ok(py::list_cold(&mut Vec::new(), 0)?),
        }
    }

    /// Sees to it that the message uses all of them.
    fn are_used(&mut self) -> Given<()> {
        if self.given.as_ref().is_some_and(|given| given.len() > self.r.beside()) {
            let (tag, given, none) = (py::uint(OUTSIDE)?, self.all_given()?, py::none());
            let args = [tag.as_ref(), given.as_ref(), none.as_ref(), none.as_ref()];
            self.codec.ask(calls::MAKE, &args)?;
        }
        Ok(())
    }

    /// The second phase.
    #[inline(never)]
    fn later(&mut self) -> Given<()> {
        let later = py::list_cold(&mut self.room.later, 0)?;
        let next = self.codec.ask(calls::FINISH, &[later.as_ref()])?;
        loop {
            let filled = py::call0(next.as_ref())?;
            let Some(filled) = filled.as_ref().as_any_tuple().map(|t| t.hold()) else { return Ok(()) };
            if let (Some(frozen), Some(members)) = (filled.get(0), filled.get(1)) {
                py::fill_frozenset(&frozen.own(), &members.own())?;
            }
        }
    }

    /// Reads values until there is one on the stack that is in no other. Of the innermost that is open, how many parts are to
    /// come is kept here and not in its frame.
    #[inline(always)]
    fn values(&mut self) -> Given<()> {
        let (mut left, mut inside) = (1, Inside::Values);
        loop {
            while left == 0 {
                if self.room.frames.is_empty() {
                    return Ok(());
                }
                self.close()?;
                (left, inside) = self.innermost();
            }
            left -= 1;
            if inside == Inside::Keyed {
                self.key(left);
            }
            let h = self.r.head()?;
            let o = match h.what() {
                What::Str => {
                    let s = self.r.str(h)?;
                    match py::str(s, &mut self.room.decoded) {
                        Ok(o) => o?,
                        Err(good) => return Err(self.r.not_utf8(s.bytes().len(), good).into()),
                    }
                }
                What::Ref => match self.r.numbered(h)? {
                    Some(n) if self.room.open.is_empty() => match self.room.numbered.get(n) {
                        Some(o) => o.as_ref().own(),
                        None => return self.fault(Code::Reference, h.at()),
                    },
                    n => self.other_reference(h, n)?,
                },
                What::Int => py::int(h.small().into())?,
                What::None => py::none(),
                What::Bool => py::bool(h.bool()),
                What::Float => py::float(self.r.float()?)?,
                What::Number => match self.r.number(h)? {
                    Num::I64(v) => py::int(v)?,
                    Num::U64(v) => py::uint(v)?,
                    Num::Bytes(twos) => self.make(h.tag().into(), &py::bytes(twos)?, None, h.at())?,
                    _ => return self.fault(Code::Marker, h.at()),
                },
                What::List | What::Shaped | What::Record
                    if !h.shared() && matches!(inside, Inside::Values | Inside::Keyed) =>
                {
                    (left, inside) = self.often(h, left)?;
                    continue;
                }
                _ => match self.other(h, left)? {
                    Some(o) => o,
                    None => {
                        (left, inside) = self.innermost();
                        continue;
                    }
                },
            };
            if h.shared() {
                self.room.shared.push(Some(o.clone()));
            }
            py::push(&mut self.room.stack, o);
        }
    }

    #[inline(always)]
    fn innermost(&self) -> (usize, Inside) {
        self.room.frames.last().map_or((0, Inside::Values), |f| (f.left, f.inside))
    }

    /// Puts the key of the next value on the stack.
    #[inline(always)]
    fn key(&mut self, left: usize) {
        let room = &mut *self.room;
        if let Some(keys) = room.frames.last().and_then(|f| room.shapes.get(f.of))
            && let Some(key) = keys.get(keys.len().wrapping_sub(1 + left))
        {
            py::push(&mut room.stack, key.own());
        }
    }

    /// Asks for memory, before it is taken.
    #[inline(never)]
    pub(crate) fn take(&mut self, n: usize) -> Given<()> {
        match self.memory.checked_sub(n) {
            Some(left) => self.memory = left,
            None => return self.fault(Code::Limit, self.at),
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn fault<T>(&mut self, code: Code, at: usize) -> Given<T> {
        Err(self.r.fault(code, at).into())
    }

    /// What a reference refers to: a first one, or one while tuples or frozensets are open. It is not there before its parts are,
    /// unless its type says so.
    #[inline(never)]
    fn other_reference(&mut self, h: Head, number: Option<usize>) -> Given<Own> {
        let found = match number {
            Some(n) => self.room.numbered.get(n),
            None => {
                let index = self.r.new_reference(h)?;
                let found = self.room.shared.get(index).and_then(Option::as_ref);
                self.room.numbered.extend(found.cloned());
                found
            }
        };
        let Some(o) = found.cloned() else { return self.fault(Code::Reference, h.at()) };
        if self.room.open.iter().any(|one| one.as_ref().is(o.as_ref())) {
            // It must not hold itself by way of tuples alone.
            self.leave(py::int(0)?, o.clone(), py::none(), h.at())?;
        }
        Ok(o)
    }

    /// Leaves something for later.
    #[inline(never)]
    pub(crate) fn leave(&mut self, what: Own, o: Own, parts: Own, at: usize) -> Given<()> {
        // One behind the other, four for each.
        for one in [what, o, parts, py::uint(at as u64)?] {
            self.room.later.push(one);
        }
        Ok(())
    }

    /// An object of what is seldom met, of what stands behind its tag.
    #[inline(never)]
    pub(crate) fn make(&mut self, tag: usize, raw: &Own, value: Option<Own>, at: usize) -> Given<Own> {
        let value = value.unwrap_or_else(py::none);
        self.at = at;
        let bytes = raw.as_ref().as_bytes().unwrap_or_default();
        if let Some(o) = moment::read(self.known.moments, tag, bytes, value.as_ref()) {
            return Ok(o);
        }
        let (tag, at) = (py::uint(tag as u64)?, py::uint(at as u64)?);
        let args: [Ref<'_>; 4] = [tag.as_ref(), raw.as_ref(), value.as_ref(), at.as_ref()];
        Ok(self.codec.ask(calls::MAKE, &args)?)
    }
}
