//! Objects in: the message is read to its end first, and what is in it is built; only then does anything run that hashes,
//! compares or calls.
//!
//! BE ADVISED: what can be in a cycle exists before its contents and is filled when these are there. A tuple that is referred to
//! is made of `None`s first; nobody sees it before it is filled, since no code of a user runs meanwhile.

use alloc::boxed::Box;
use alloc::vec::Vec;

use engine::{Fault, KeyCache};
use native::{Head, Limits, Names, Reader, What};
use py::{MomentTypes, Own, Raised, Ref};
use wire::time::DateTime;
use wire::transcode::Decoded;
use wire::{Code, Error, Input, Num};

use crate::later::{self, Later};
use crate::text::{name, text, wide};
use crate::{Codec, Known};

/// Inputs above this may make so many containers that the collector should wait.
const LARGE: usize = 4096;
/// Definitions without the S bit have no index.
const UNSHARED: usize = usize::MAX;

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
struct Maker {
    how: How,
    /// The class, or what makes an object of all its parts, or what makes one without them.
    class: Own,
    /// The attributes that the values become; none for one that is dropped.
    names: Vec<Option<Own>>,
    /// What is to be called when all is there.
    finish: Option<Own>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
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
    stack: Vec<Own>,
    frames: Vec<Frame>,
    /// Definitions with the S bit, by index; nothing if they are not made yet.
    shared: Vec<Option<Own>>,
    /// What references have numbers for.
    numbered: Vec<Own>,
    shapes: Vec<Vec<Own>>,
    makers: Vec<Maker>,
    later: Vec<Later>,
    /// Tuples and frozensets that are shared and open.
    open: Vec<Own>,
    /// Those of them that were referred to meanwhile, and where.
    early: Vec<(Own, usize)>,
    /// Frozensets that wait for their members.
    waiting: Vec<Own>,
    decoded: Decoded,
    keys: KeyCache,
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
struct Frame {
    what: What,
    at: usize,
    /// Where its parts begin on the stack, and how many are still to come.
    base: usize,
    left: usize,
    /// Its index among definitions.
    index: usize,
    /// The object, if it exists already.
    object: Option<Own>,
    /// Its shape, type, or code.
    of: usize,
    /// The moment before a zone; what fills an object of the standard library is `fill`.
    moment: u64,
    fill: Option<Own>,
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

struct Build<'d, 'a> {
    r: Reader<'d>,
    codec: &'a Codec,
    known: Known<'a>,
    room: &'a mut Reading,
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
    fn fault<T>(&self, code: Code, at: usize) -> Given<T> {
        Err(Trouble::Wire(Error { code, at }))
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
    fn leaf(&mut self, code: usize, body: Own) -> Given<Own> {
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

    fn moment(&mut self, what: What, v: u64, zone: Option<Own>, at: usize) -> Given<Own> {
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

    /// Opens a value that has parts. Of the one around it, `left` are still to come.
    #[inline(never)]
    fn open(&mut self, h: Head, left: usize) -> Given<()> {
        if let Some(around) = self.room.frames.last_mut() {
            around.left = left;
        }
        if self.room.frames.len() >= self.codec.max_depth {
            return self.fault(Code::Depth, h.at);
        }
        let index = if h.shared { self.r.definitions() - 1 } else { UNSHARED };
        let mut f = Frame {
            what: h.what,
            at: h.at,
            base: self.room.stack.len(),
            left: 0,
            index,
            object: None,
            of: 0,
            moment: 0,
            fill: None,
        };
        if h.shared {
            // The names in a definition may be shared too, and come after it.
            self.room.shared.push(None);
        }
        match h.what {
            What::Shaped => (f.of, f.left) = self.r.shaped(h)?,
            What::Shape => {
                let names = self.r.shape(h)?;
                let keys = self.names(names)?;
                f.of = self.room.shapes.len();
                self.room.shapes.push(keys);
                self.r.define_shape(names)?;
                f.left = names.0;
            }
            What::Record => (f.of, f.left) = self.r.record(h)?,
            What::Type => {
                f.of = self.room.makers.len();
                f.left = self.definition(h)?;
            }
            What::Dict => f.left = 2 * self.r.entries(h)?,
            What::TimeTz | What::DateTimeTz => (f.moment, f.left) = (self.r.moment(h)?, 1),
            What::Ext => {
                f.of = self.r.ext()?.into();
                if !self.r.bodily() {
                    return self.fault(Code::Body, h.at);
                }
                f.left = 1;
                if f.of >= 0x20 {
                    self.open_ext(&mut f)?;
                }
            }
            _ => f.left = self.r.items(h)?,
        }
        if h.shared || matches!(h.what, What::Record | What::Type) {
            self.exist(&mut f)?;
        }
        self.room.frames.push(f);
        Ok(())
    }

    /// Makes an object of the standard library that will be filled.
    fn open_ext(&mut self, f: &mut Frame) -> Given<()> {
        let code = py::int(f.of as i64)?;
        let said = py::call1(self.codec.open.as_ref(), code.as_ref())?;
        if let Some(said) = said.as_ref().as_any_tuple().map(|t| t.hold()) {
            f.object = said.get(0).map(Ref::own);
            f.fill = said.get(1).map(Ref::own);
        }
        Ok(())
    }

    /// Lets an object exist before its parts, if its type can.
    #[inline(never)]
    fn exist(&mut self, f: &mut Frame) -> Given<()> {
        let object = match f.what {
            What::List => py::new_list()?,
            What::Dict | What::Shape | What::Shaped => py::new_dict()?,
            What::Set => py::new_set()?,
            What::Frozenset => {
                let s = py::new_frozenset()?;
                self.room.open.push(s.clone());
                s
            }
            What::Tuple => {
                let t = py::open_tuple(f.left)?;
                self.room.open.push(t.clone());
                t
            }
            What::Record | What::Type => {
                let m = &self.room.makers[f.of];
                match m.how {
                    How::Plain => py::call1(self.codec.new.as_ref(), m.class.as_ref())?,
                    How::Opened => py::call0(m.class.as_ref())?,
                    How::Struct => {
                        let class = m.class.as_ref().as_type();
                        match class.and_then(|class| self.known.structs.maker(class)) {
                            Some(maker) => maker.fresh()?.finish(),
                            None => return self.fault(Code::Undefined, f.at),
                        }
                    }
                    How::AtOnce => return Ok(()),
                }
            }
            _ => match f.object.take() {
                Some(o) => o,
                None => return Ok(()),
            },
        };
        if let Some(place) = self.room.shared.get_mut(f.index) {
            *place = Some(object.clone());
        }
        f.object = Some(object);
        Ok(())
    }

    /// Text that is the key of a shape, or a name in a type.
    fn name(&mut self) -> Given<(Own, usize)> {
        let h = self.r.name()?;
        let o = match h.what {
            What::Str | What::Wstr => {
                let o = name(&mut self.r, h, &mut self.room.decoded, &mut self.room.keys)?;
                if h.shared {
                    self.room.shared.push(Some(o.clone()));
                }
                o
            }
            What::Ref => {
                let n = self.r.numbered(h)?;
                self.other_reference(h, n)?
            }
            What::Int => py::int(h.small().into())?,
            What::Number => match self.r.number(h)? {
                Num::I64(v) => py::int(v)?,
                _ => return self.fault(Code::KeyKind, h.at),
            },
            _ => return self.fault(Code::KeyKind, h.at),
        };
        Ok((o, h.at))
    }

    fn names(&mut self, names: Names) -> Given<Vec<Own>> {
        let mut found = Vec::with_capacity(names.0);
        let seen = py::new_set()?;
        for _ in 0..names.0 {
            let (name, at) = self.name()?;
            if name.as_ref().as_str().is_none() {
                return self.fault(Code::KeyKind, at);
            }
            py::add_member(&seen, name.as_ref())?;
            found.push(name);
            if py::set_len(seen.as_ref()) != found.len() {
                return self.fault(Code::DuplicateKey, at);
            }
        }
        Ok(found)
    }

    /// A type definition: the helper says what is made of its objects.
    #[inline(never)]
    fn definition(&mut self, h: Head) -> Given<usize> {
        let head = self.r.type_head(h)?;
        let (name, at) = self.name()?;
        let code = |v: py::Int<'_>| matches!(v, py::Int::I64(0..0x8000_0000));
        if name.as_ref().as_int().is_some_and(|v| !code(v.get_cold())) {
            return self.fault(Code::KeyKind, at);
        }
        let (version, names) = self.r.version(h, head)?;
        let mut fields = self.names(names)?;
        let fields = py::tuple(&mut fields, 0)?;
        let mut parts = alloc::vec![py::int(head.kind.into())?, name, py::uint(version)?, fields];
        let definition = py::tuple(&mut parts, 0)?;
        let said = py::call1(self.codec.resolve.as_ref(), definition.as_ref())?;
        let maker = maker(said.as_ref()).ok_or(Raised);
        let Ok(maker) = maker else { return self.fault(Code::Undefined, h.at) };
        self.room.makers.push(maker);
        Ok(self.r.define_type(head, names)?)
    }

    /// Finishes the innermost value that is open.
    fn close(&mut self) -> Given<()> {
        let Some(f) = self.room.frames.pop() else { return Ok(()) };
        let o = match f.what {
            What::List => match f.object {
                None => py::list(&mut self.room.stack, f.base)?,
                Some(l) => {
                    let items = py::list(&mut self.room.stack, f.base)?;
                    py::extend_list(&l, &items)?;
                    l
                }
            },
            What::Tuple => match f.object {
                None => py::tuple(&mut self.room.stack, f.base)?,
                Some(t) => {
                    py::fill_tuple(&t, &mut self.room.stack, f.base);
                    self.room.open.retain(|one| !one.as_ref().is(t.as_ref()));
                    t
                }
            },
            What::Shape | What::Shaped => match f.object {
                None => py::dict(&mut self.room.stack, f.base)?,
                Some(d) => {
                    let entries = py::dict(&mut self.room.stack, f.base)?;
                    py::update_dict(&d, &entries)?;
                    d
                }
            },
            What::Record | What::Type => return self.close_object(f),
            _ => return self.close_other(f),
        };
        self.room.stack.push(o);
        Ok(())
    }

    /// Remembers what did not exist before its parts.
    fn made(&mut self, index: usize, o: Own) {
        if let Some(place) = self.room.shared.get_mut(index) {
            *place = Some(o.clone());
        }
        self.room.stack.push(o);
    }

    #[inline(never)]
    fn close_other(&mut self, f: Frame) -> Given<()> {
        match f.what {
            What::Dict | What::Set | What::Frozenset => self.close_hashed(f),
            What::Ext => {
                let Some(body) = self.room.stack.pop() else { return Err(Trouble::Raised) };
                match (f.object, f.fill) {
                    (Some(o), Some(fill)) => {
                        self.room.later.push(Later::Fill(fill, o.clone(), body));
                        self.made(f.index, o);
                    }
                    _ => {
                        let o = self.leaf(f.of, body)?;
                        self.made(f.index, o);
                    }
                }
                Ok(())
            }
            _ => {
                let zone = self.room.stack.pop();
                let o = self.moment(f.what, f.moment, zone, f.at)?;
                self.made(f.index, o);
                Ok(())
            }
        }
    }

    /// A dict, set or frozenset: at once if nobody's code is needed for its keys.
    fn close_hashed(&mut self, f: Frame) -> Given<()> {
        let step = if f.what == What::Dict { 2 } else { 1 };
        let parts: Vec<Own> = self.room.stack.drain(f.base..).collect();
        let mut plain = true;
        for key in parts.iter().step_by(step) {
            let keys = later::Keys {
                moments: self.known.moments,
                open: &self.room.open,
                waiting: &self.room.waiting,
                at: f.at,
            };
            plain &= keys.is_plain(key.as_ref())?;
        }
        if let (Some(o), What::Frozenset) = (&f.object, f.what) {
            self.room.open.retain(|one| !one.as_ref().is(o.as_ref()));
        }
        let o = match (f.object, f.what) {
            (Some(o), _) => o,
            (None, What::Dict) => py::new_dict()?,
            (None, What::Set) => py::new_set()?,
            (None, _) => py::new_frozenset()?,
        };
        let later = match f.what {
            What::Dict => Later::Dict(o.clone(), parts, f.at),
            What::Set => Later::Set(o.clone(), parts, f.at),
            _ => Later::Frozen(o.clone(), parts, f.at),
        };
        if plain {
            later::finish(later)?;
        } else {
            if let Later::Frozen(..) = later {
                self.room.waiting.push(o.clone());
            }
            self.room.later.push(later);
        }
        self.room.stack.push(o);
        Ok(())
    }

    /// An object of a registered class.
    #[inline(never)]
    fn close_object(&mut self, f: Frame) -> Given<()> {
        let m = &self.room.makers[f.of];
        let Some(o) = f.object else {
            let parts = py::list(&mut self.room.stack, f.base)?;
            let o = py::call1(m.class.as_ref(), parts.as_ref())?;
            self.made(f.index, o);
            return Ok(());
        };
        match m.how {
            How::Opened => {
                let parts = py::list(&mut self.room.stack, f.base)?;
                if let Some(finish) = &m.finish {
                    self.room.later.push(Later::Fill(finish.clone(), o.clone(), parts));
                }
            }
            How::Struct => {
                let Some(this) = self.known.structs.this(o.as_ref()) else { return Err(Trouble::Raised) };
                for (name, v) in m.names.iter().zip(self.room.stack.drain(f.base..)) {
                    let place = name.as_ref().and_then(|n| n.as_ref().as_int()).and_then(|n| n.short());
                    if let Some(place) = place {
                        this.put(place as usize, Some(v));
                    }
                }
            }
            _ => {
                for (name, v) in m.names.iter().zip(self.room.stack.get(f.base..).unwrap_or_default()) {
                    if let Some(name) = name {
                        o.as_ref().set_plainly(name.as_ref(), v.as_ref())?;
                    }
                }
                self.room.stack.drain(f.base..).for_each(Own::release);
            }
        }
        if m.how != How::Opened
            && let Some(finish) = &m.finish
        {
            self.room.later.push(Later::Call(finish.clone(), o.clone()));
        }
        self.room.stack.push(o);
        Ok(())
    }
}

/// What the helper said of a type: how, class, names, what to call at the end.
fn maker(said: Ref<'_>) -> Option<Maker> {
    let said = said.as_any_tuple()?.hold();
    let how = match said.get(0)?.as_int()?.short()? {
        0 => How::Plain,
        1 => How::AtOnce,
        2 => How::Opened,
        _ => How::Struct,
    };
    let names = said.get(2)?.as_any_tuple()?.hold();
    let name = |o: Ref<'_>| (!o.is_none()).then(|| o.own());
    let names = (0..names.len()).filter_map(|i| names.get(i).map(name)).collect();
    let finish = said.get(3).filter(|o| !o.is_none()).map(Ref::own);
    Some(Maker { how, class: said.get(1)?.own(), names, finish })
}
