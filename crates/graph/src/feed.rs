//! Objects in: the message is read to its end first, and what is in it is built; only then does anything run that hashes,
//! compares or calls.
//!
//! BE ADVISED: what can be in a cycle exists before its contents and is filled when these are there. A tuple that is referred to
//! is made of `None`s first; nobody sees it before it is filled, since no code of a user runs meanwhile.

use alloc::boxed::Box;
use alloc::vec::Vec;

use engine::{Fault, KeyCache};
use native::{Head, Limits, Reader, What};
use py::{MomentTypes, Own, Raised};
use wire::time::DateTime;
use wire::transcode::Decoded;
use wire::{Code, Error, Input, Num};

use crate::later::{self, Later};
use crate::text::{text, wide};
use crate::{Codec, Known};

/// Inputs above this may make so many containers that the collector should wait.
const LARGE: usize = 4096;
/// Definitions without the S bit have no index.
pub(crate) const UNSHARED: usize = usize::MAX;

/// Why it stopped.
pub(crate) enum Trouble {
    Wire(Error),
    Raised,
}

impl From<Error> for Trouble {
    fn from(e: Error) -> Trouble {
        Trouble::Wire(e)
    }
}

impl From<Raised> for Trouble {
    fn from(_: Raised) -> Trouble {
        Trouble::Raised
    }
}

pub(crate) type Given<T> = Result<T, Trouble>;

/// How objects of a type are made.
pub(crate) struct Maker {
    pub(crate) how: How,
    /// The class, or what makes an object of all its parts, or what makes one without them.
    pub(crate) class: Own,
    /// The attributes that the values become; none for one that is dropped.
    pub(crate) names: Vec<Option<Own>>,
    /// What is to be called when all is there.
    pub(crate) finish: Option<Own>,
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
pub(crate) struct Reading {
    pub(crate) stack: Vec<Own>,
    pub(crate) frames: Vec<Frame>,
    /// Definitions with the S bit, by index; nothing if they are not made yet.
    pub(crate) shared: Vec<Option<Own>>,
    /// What references have numbers for.
    pub(crate) numbered: Vec<Own>,
    pub(crate) shapes: Vec<Vec<Own>>,
    pub(crate) makers: Vec<Maker>,
    pub(crate) later: Vec<Later>,
    /// Tuples and frozensets that are shared and open.
    pub(crate) open: Vec<Own>,
    /// Those of them that were referred to meanwhile, and where.
    pub(crate) early: Vec<(Own, usize)>,
    /// Frozensets that wait for their members.
    pub(crate) waiting: Vec<Own>,
    pub(crate) decoded: Decoded,
    pub(crate) keys: KeyCache,
}

impl Reading {
    pub(crate) fn new(seed: u64) -> Reading {
        Reading {
            stack: Vec::new(),
            frames: Vec::new(),
            shared: Vec::new(),
            numbered: Vec::new(),
            shapes: Vec::new(),
            makers: Vec::new(),
            later: Vec::new(),
            open: Vec::new(),
            early: Vec::new(),
            waiting: Vec::new(),
            decoded: Decoded::default(),
            keys: KeyCache::new(seed),
        }
    }

    fn tidy(&mut self) {
        while let Some(o) = self.stack.pop() {
            o.release();
        }
        self.frames.clear();
        self.shared.clear();
        self.numbered.clear();
        self.shapes.clear();
        self.makers.clear();
        self.later.clear();
        self.open.clear();
        self.early.clear();
        self.waiting.clear();
    }
}

/// A value with others in it, that is open.
pub(crate) struct Frame {
    pub(crate) what: What,
    pub(crate) at: usize,
    /// Where its parts begin on the stack, and how many are still to come.
    pub(crate) base: usize,
    pub(crate) left: usize,
    /// Its index among definitions.
    pub(crate) index: usize,
    /// The object, if it exists already.
    pub(crate) object: Option<Own>,
    /// Its shape, type, or code.
    pub(crate) of: usize,
    /// The moment before a zone; what fills an object of the standard library is `fill`.
    pub(crate) moment: u64,
    pub(crate) fill: Option<Own>,
}

impl Frame {
    /// Whether its keys are known, and are to stand on the stack before the values.
    #[inline(always)]
    fn keyed(&self) -> bool {
        matches!(self.what, What::Shaped | What::Shape)
    }
}

/// Makes objects of one message.
pub fn read(codec: &Codec, known: Known<'_>, input: Input<'_>) -> Result<Own, Box<Fault>> {
    let mut room = codec.reading.take(|| Reading::new(known.seed));
    let limits =
        Limits { max_depth: codec.max_depth, max_int_bytes: codec.max_int_bytes, ..Limits::default() };
    let r = run(codec, known, input, limits, &mut room);
    room.tidy();
    codec.reading.put(room);
    r.map_err(later::fault)
}

fn run(codec: &Codec, known: Known<'_>, input: Input<'_>, limits: Limits, room: &mut Reading) -> Given<Own> {
    let large = input.bytes().len() > LARGE;
    let paused = if large { py::pause_gc() } else { None };
    let reader = Reader::new(input, limits)?;
    let mut build = Build { r: reader, codec, known, room };
    let root = build.whole()?;
    drop(paused);
    for (o, at) in core::mem::take(&mut build.room.early) {
        later::check_cycle(&o, at)?;
    }
    for later in core::mem::take(&mut build.room.later) {
        later::finish(later)?;
    }
    Ok(root)
}

pub(crate) struct Build<'d, 'a> {
    pub(crate) r: Reader<'d>,
    pub(crate) codec: &'a Codec,
    pub(crate) known: Known<'a>,
    pub(crate) room: &'a mut Reading,
}

impl Build<'_, '_> {
    fn moments(&self) -> &MomentTypes {
        self.known.moments
    }

    /// The value of the message, and nothing after it.
    fn whole(&mut self) -> Given<Own> {
        self.values()?;
        self.r.end(false)?;
        match self.room.stack.pop() {
            Some(root) => Ok(root),
            None => self.fault(Code::Empty, 0),
        }
    }

    /// Reads values until there is one on the stack that is in no other. Of the innermost that is open, how many parts are to
    /// come is kept here and not in its frame.
    fn values(&mut self) -> Given<()> {
        let (mut left, mut keyed) = (1, false);
        loop {
            while left == 0 {
                if self.room.frames.is_empty() {
                    return Ok(());
                }
                self.close()?;
                (left, keyed) = self.room.frames.last().map_or((0, false), |f| (f.left, f.keyed()));
            }
            left -= 1;
            if keyed {
                self.key(left);
            }
            let h = self.r.head()?;
            let o = match h.what {
                What::Str => text(&mut self.r, h, &mut self.room.decoded)?,
                What::Ref => match self.r.numbered(h)? {
                    Some(n) if self.room.open.is_empty() => match self.room.numbered.get(n) {
                        Some(o) => o.as_ref().own(),
                        None => return self.fault(Code::Reference, h.at),
                    },
                    n => self.other_reference(h, n)?,
                },
                What::Int => py::int(h.small().into())?,
                What::None => py::none(),
                What::Bool => py::bool(h.bool()),
                What::Float => py::float(self.r.float()?)?,
                What::Number => match self.r.number(h)? {
                    Num::I64(v) => py::int(v)?,
                    v => self.long_int(v)?,
                },
                What::List | What::Tuple | What::Shaped | What::Record => {
                    self.open(h, left)?;
                    (left, keyed) = self.room.frames.last().map_or((0, false), |f| (f.left, f.keyed()));
                    continue;
                }
                _ => match self.other(h, left)? {
                    Some(o) => o,
                    None => {
                        (left, keyed) = self.room.frames.last().map_or((0, false), |f| (f.left, f.keyed()));
                        continue;
                    }
                },
            };
            if h.shared {
                self.room.shared.push(Some(o.clone()));
            }
            self.room.stack.push(o);
        }
    }

    /// Puts the key of the next value on the stack.
    #[inline(always)]
    fn key(&mut self, left: usize) {
        let room = &mut *self.room;
        let of = room.frames.last().map_or(0, |f| f.of);
        let keys = room.shapes.get(of).map_or(&[][..], |keys| keys);
        if let Some(key) = keys.get(keys.len().wrapping_sub(1 + left)) {
            room.stack.push(key.as_ref().own());
        }
    }

    #[cold]
    pub(crate) fn fault<T>(&self, code: Code, at: usize) -> Given<T> {
        Err(Trouble::Wire(Error { code, at }))
    }

    /// What a reference refers to: a first one, or one while tuples or frozensets are open. It is not there before its parts are,
    /// unless its type says so.
    #[inline(never)]
    pub(crate) fn other_reference(&mut self, h: Head, number: Option<usize>) -> Given<Own> {
        let found = match number {
            Some(n) => self.room.numbered.get(n),
            None => {
                let index = self.r.new_reference(h)?;
                let found = self.room.shared.get(index).and_then(Option::as_ref);
                self.room.numbered.extend(found.cloned());
                found
            }
        };
        let Some(o) = found.cloned() else { return self.fault(Code::Reference, h.at) };
        if self.room.open.iter().any(|one| one.as_ref().is(o.as_ref())) {
            self.room.early.push((o.clone(), h.at));
        }
        Ok(o)
    }

    #[cold]
    #[inline(never)]
    fn long_int(&mut self, v: Num<'_>) -> Given<Own> {
        match v {
            Num::U64(v) => Ok(py::uint(v)?),
            Num::Bytes(twos) => {
                let mut big = twos.to_vec();
                big.reverse();
                Ok(py::int_of_bytes(&big)?)
            }
            _ => self.fault(Code::Marker, self.r.at()),
        }
    }

    /// Reads what is seldom met; nothing if it was opened instead.
    #[inline(never)]
    fn other(&mut self, h: Head, left: usize) -> Given<Option<Own>> {
        let o = match h.what {
            What::Wstr => wide(&mut self.r, h)?,
            What::Bytes => py::bytes(self.r.bytes(h)?)?,
            What::Bytearray => py::bytearray(self.r.bytes(h)?)?,
            What::Buffer => match self.r.buffer(h)? {
                (bytes, false) => py::bytes(bytes)?,
                (bytes, true) => py::bytearray(bytes)?,
            },
            What::Complex => py::complex(self.r.float()?, self.r.float()?)?,
            What::Ellipsis => py::ellipsis(),
            What::NotImplemented => py::not_implemented(),
            What::Utc => self.moments().utc().clone(),
            What::Uuid => {
                let id = py::bytes(&self.r.uuid()?)?;
                self.leaf(0x113, id)?
            }
            What::Date | What::Time | What::DateTime => {
                let v = self.r.moment(h)?;
                self.moment(h.what, v, None, h.at)?
            }
            What::Timedelta => {
                let s = self.r.timedelta(h)?;
                self.moments().make_delta(s.days.into(), s.seconds.into(), s.micros.into())?
            }
            What::Packed => {
                let (tuple, kind, items) = self.r.packed(h)?;
                self.unpack(tuple, kind, items)?
            }
            // Not read yet.
            What::Sealed => {
                self.r.sealed(h)?;
                return self.fault(Code::Forbidden, h.at);
            }
            What::Outside => {
                self.r.outside(h)?;
                return self.fault(Code::Forbidden, h.at);
            }
            _ => {
                self.open(h, left)?;
                return Ok(None);
            }
        };
        Ok(Some(o))
    }

    /// A type of the standard library that is made of its body.
    pub(crate) fn leaf(&mut self, code: usize, body: Own) -> Given<Own> {
        let code = py::int(code as i64)?;
        Ok(py::call(self.codec.leaf.as_ref(), &[code.as_ref(), body.as_ref()])?)
    }

    #[inline(never)]
    fn unpack(&mut self, tuple: bool, kind: u8, items: &[u8]) -> Given<Own> {
        let base = self.room.stack.len();
        let stack = &mut self.room.stack;
        let width = 1 << kind.min(3);
        stack.reserve(items.len() / width);
        for item in items.chunks_exact(width) {
            let mut word = [if item.last() >= Some(&0x80) { 0xff } else { 0 }; 8];
            word[..width].copy_from_slice(item);
            stack.push(match kind {
                4 => py::float(f64::from_le_bytes(word))?,
                _ => py::int(i64::from_le_bytes(word))?,
            });
        }
        Ok(if tuple { py::tuple(stack, base)? } else { py::list(stack, base)? })
    }

    pub(crate) fn moment(&mut self, what: What, v: u64, zone: Option<Own>, at: usize) -> Given<Own> {
        let wrong = Trouble::Wire(Error { code: Code::Body, at });
        let timed = v & ((1 << 38) - 1);
        let bare = match what {
            What::Date => return Ok(self.moments().make_date(native::day(v).ok_or(wrong)?)?),
            What::Time | What::TimeTz => {
                let (time, _) = native::time(timed).ok_or(wrong)?;
                self.moments().make_time(time)?
            }
            _ => {
                let (date, (mut time, _)) = native::day(v >> 38).zip(native::time(timed)).ok_or(wrong)?;
                if zone.as_ref().is_some_and(|z| self.moments().is_utc(z.as_ref())) && v & 1 == 0 {
                    time.offset = Some(0);
                    return Ok(self.moments().make_datetime(DateTime { date, time })?);
                }
                self.moments().make_datetime(DateTime { date, time })?
            }
        };
        if zone.is_none() && v & 1 == 0 {
            return Ok(bare);
        }
        let (fold, zone) = (py::int((v & 1) as i64)?, zone.unwrap_or_else(py::none));
        Ok(py::call(self.codec.moment.as_ref(), &[bare.as_ref(), fold.as_ref(), zone.as_ref()])?)
    }
}
