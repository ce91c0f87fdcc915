//! Where values come from.
//!
//! A [`Feed`] gives what a [`Source`] gives, scalars arriving as objects. Two will stand here:
//! bytes of any format, and live objects. The first is [`FromBytes`].

mod any;
mod attributes;
mod choose;
mod collect;
mod hooks;
mod judge;
mod keys;
mod leaf;
mod levels;
mod numbers;
mod objects;
mod odd;
mod parts;
mod records;
mod shapes;
mod spelled;
mod typed;
mod wrong;

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::env::Env;
pub use any::Build;
use any::Open;
pub use any::Room;
pub use hooks::{Hooks, Keys, Texts, Times, Unknown};
use judge::{Judge, Wrong};
use keys::KeyCache;
use levels::Levels;
use model::{Members, Plan};
pub use objects::{convert, of_field};
use py::{OldTexts, Own, Raised, Young};
use shapes::Shapes;
pub use typed::Typed;
use wire::time::Instant;
use wire::transcode::Decoded;
use wire::{Caps, Error, KNOWN, Kind, Num, Source, Str};

/// Why a feed gives nothing. It is one word, so that an object or this comes back in two registers: as an enum it would
/// come back in memory, which whoever calls makes room for and reads, and whoever hands it on copies.
#[derive(Debug)]
pub struct Trouble(Option<Box<Why>>);

/// The same, to be looked at.
#[derive(Debug)]
enum Why {
    /// The input is malformed.
    Wire(Error),
    /// A Python exception is set. Needs no memory: there may be none.
    Raised,
    /// The value is not what its type says.
    Wrong(Box<Wrong>),
}

impl Trouble {
    fn why(self) -> Why {
        self.0.map_or(Why::Raised, |why| *why)
    }
}

impl From<Why> for Trouble {
    #[cold]
    fn from(why: Why) -> Self {
        Trouble(if let Why::Raised = why { None } else { Some(Box::new(why)) })
    }
}

impl From<Error> for Trouble {
    #[cold]
    #[inline(never)]
    fn from(e: Error) -> Self {
        Why::Wire(e).into()
    }
}

impl From<Raised> for Trouble {
    #[inline(always)]
    fn from(_: Raised) -> Self {
        Trouble(None)
    }
}

/// How many places for keys and open containers are kept from call to call.
const KEEP: usize = 16 * 1024;

type Given<T> = Result<T, Trouble>;

/// What reading keeps from call to call.
#[derive(Default)]
pub struct Reading {
    pub(crate) stack: Vec<Own>,
    pub(crate) open: Vec<Open>,
    pub(crate) levels: Levels<'static>,
    pub(crate) key_places: Vec<usize>,
    shapes: Shapes,
    keys: KeyCache,
    decoded: Decoded,
    young: Young,
}

impl Reading {
    /// Room for reading; `seed` makes the key cache's places unpredictable.
    pub fn new(seed: u64) -> Reading {
        Reading { keys: KeyCache::new(seed), young: Young::found(), ..Reading::default() }
    }

    /// To be called when a document is done: room that only a large one needs is not kept.
    #[inline]
    pub fn tidy(&mut self) {
        self.decoded.tidy();
        if self.key_places.capacity() > KEEP {
            self.key_places = Vec::new();
        }
        if self.open.capacity() > KEEP {
            self.open = Vec::new();
        }
    }

    /// The parts that a feed needs, and those that a build needs.
    /// `many` says that there may be many values.
    pub fn split(&mut self, many: bool) -> (TextRoom<'_>, Room<'_>) {
        (
            TextRoom { keys: &mut self.keys, decoded: &mut self.decoded, many },
            Room {
                stack: &mut self.stack,
                open: &mut self.open,
                levels: &mut self.levels,
                key_places: &mut self.key_places,
                shapes: &mut self.shapes,
                young: self.young.for_many(many),
            },
        )
    }
}

/// What a feed needs to make text.
pub struct TextRoom<'r> {
    keys: &'r mut KeyCache,
    decoded: &'r mut Decoded,
    many: bool,
}

/// Where values come from. The takers are those of [`Source`], in the same order of calls.
pub trait Feed {
    /// What the other end can say.
    const CAPS: Caps;
    /// See [`Source::Head`].
    type Head: Copy;
    /// See [`Source::Seq`].
    type Seq: Copy + From<u64> + Into<u64>;

    /// See [`Source::head`].
    fn head(&mut self) -> Given<(Kind, Self::Head)>;
    /// See [`Source::text_head`].
    fn text_head(&self) -> Option<Self::Head> {
        None
    }
    /// See [`Source::next_text`].
    fn next_text(&mut self) -> Option<Self::Head> {
        None
    }
    /// See [`Source::head_here`].
    fn head_here(&mut self) -> Given<(Kind, Self::Head)> {
        self.head()
    }
    /// See [`Source::container_head`].
    fn container_head(&self) -> Option<(Kind, Self::Head)> {
        None
    }
    /// See [`Source::null`].
    fn null(&mut self, h: Self::Head) -> Given<()>;
    /// See [`Source::bool`].
    fn bool(&mut self, h: Self::Head) -> Given<bool>;
    /// A number as an object.
    fn number(&mut self, h: Self::Head) -> Given<Own>;
    /// The text of a number that is not an integer, or the integer. Called only if `CAPS.number_text`.
    fn float_text(&mut self, h: Self::Head) -> Given<Result<Own, Own>>;
    /// The integer that stands here, if one look tells that it is one, short and allowed.
    #[inline(always)]
    fn short_int(&mut self) -> Option<i64> {
        None
    }
    /// A number, as a float if `float` and it is an integer of 64 bits.
    fn number_as(&mut self, h: Self::Head, float: bool) -> Given<Own>;
    /// A number as it is. Called only if not `CAPS.forms`.
    fn num(&mut self, h: Self::Head) -> Given<Num<'_>> {
        let _ = h;
        self.refuse(wire::Code::Forbidden)
    }
    /// Text as an object, in the memory of one that is gone if there is such memory.
    fn str(&mut self, h: Self::Head, old: Option<&OldTexts>) -> Given<Own>;
    /// The same, where it need not be compiled in.
    fn str_cold(&mut self, h: Self::Head) -> Given<Own> {
        self.str(h, None)
    }
    /// What text spells, read where it lies; if it is nothing, nothing is taken.
    fn spelled(&mut self, h: Self::Head, judge: &Judge<'_>, plan: &Plan, bit: u32) -> Given<Option<Own>> {
        let _ = (h, judge, plan, bit);
        Ok(None)
    }
    /// What text stands for among some, likewise. Called only if not `CAPS.forms`.
    fn stands_for(&mut self, h: Self::Head, members: &Members) -> Given<Option<Own>> {
        let _ = (h, members);
        Ok(None)
    }
    /// Bytes as an object.
    fn bytes(&mut self, h: Self::Head) -> Given<Own>;
    /// A moment.
    fn time(&mut self, h: Self::Head) -> Given<Instant>;
    /// The code of an application type, and where its body stands.
    fn ext(&mut self, h: Self::Head) -> Given<(i8, &[u8])>;
    /// See [`Source::array`].
    fn array(&mut self, h: Self::Head) -> Given<Self::Seq>;
    /// See [`Source::item`].
    fn item(&mut self, s: &mut Self::Seq) -> Given<bool>;
    /// See [`Source::size_hint`].
    fn size_hint(&self, s: &Self::Seq) -> usize;
    /// See [`Source::map`].
    fn map(&mut self, h: Self::Head) -> Given<Self::Seq>;
    /// See [`Source::entry`].
    fn entry(&mut self, s: &mut Self::Seq) -> Given<bool>;
    /// See [`Source::key`].
    fn key_head(&mut self) -> Given<(Kind, Self::Head)>;
    /// A key that is text, as an object that other maps may share.
    fn key(&mut self, h: Self::Head) -> Given<Own>;
    /// See [`Source::mark`].
    fn mark(&self) -> usize;
    /// See [`Source::since`].
    fn since(&self, mark: usize) -> &[u8];
    /// See [`Source::again`].
    fn again(&mut self, known: &[u8; KNOWN], len: usize) -> bool;
    /// See [`Source::entry_again`].
    fn entry_again(&mut self, s: &mut Self::Seq, known: &[u8; KNOWN], len: usize) -> bool {
        let _ = (s, known, len);
        false
    }
    /// See [`Source::look`].
    fn look(&mut self);
    /// See [`Source::rewind`].
    fn rewind(&mut self, mark: usize);
    /// See [`Source::skip`].
    fn skip(&mut self) -> Given<()>;
    /// See [`Source::raw`].
    fn raw(&mut self) -> Given<&[u8]>;
    /// See [`Source::value`].
    fn value(&mut self) -> Given<()>;
    /// See [`Source::end`].
    fn end(&mut self) -> Given<()>;
    /// See [`Source::at`].
    fn at(&self) -> usize;
    /// What is next, as an object. Called only if `CAPS.forms`.
    fn object(&self) -> Option<&Own> {
        None
    }
    /// What that is plainly. Called only if `CAPS.forms`.
    fn plain(&self, env: &Env) -> u32 {
        let _ = env;
        0
    }
    /// Takes the next entry of a map if this object is its key and its value is plainly one of these: the value. Called only
    /// if `CAPS.forms`.
    fn plain_value(&mut self, s: &mut Self::Seq, env: &Env, key: &Own, takes: u32) -> Option<Own> {
        let _ = (s, env, key, takes);
        None
    }
    /// Makes this what is next. Called only if `CAPS.forms`.
    fn put(&mut self, o: Own) {
        drop(o);
    }
    /// Leaves only so many containers open. Called only if `CAPS.forms`.
    fn close(&mut self, open: usize) {
        let _ = open;
    }
    /// The key before a place in an open map. Called only if `CAPS.forms`.
    fn key_before(&self, level: usize, seq: u64) -> Option<Own> {
        let _ = (level, seq);
        None
    }
    /// A form that this build has no use for.
    fn refuse<T>(&self, code: wire::Code) -> Given<T> {
        Err(Error { code, at: self.at() }.into())
    }
}

/// Values out of bytes of any format.
pub struct FromBytes<'r, S> {
    source: S,
    room: TextRoom<'r>,
    texts: &'r Texts,
}

impl<'r, S: Source> FromBytes<'r, S> {
    /// Reads from `source`.
    pub fn new(source: S, room: TextRoom<'r>, texts: &'r Texts) -> Self {
        FromBytes { source, room, texts }
    }

    /// Text that comes as bytes, all of it; nothing if it does not.
    #[inline(always)]
    fn is_bytes(&self) -> bool {
        S::CAPS.bytes && matches!(self.texts, Texts::Bytes)
    }

    #[inline(never)]
    fn str_as_bytes(&mut self, h: S::Head) -> Given<Own> {
        Ok(py::bytes(text(&mut self.source, h)?.bytes())?)
    }

    #[cold]
    #[inline(never)]
    fn not_utf8(&mut self, n: usize, good: usize) -> Given<Own> {
        if !S::CAPS.bytes || matches!(self.texts, Texts::Strict) {
            return Err(self.source.not_utf8(n, good).into());
        }
        // A format that can say bytes writes text as it is: what was taken last is the text.
        let bytes = self.source.since(self.source.mark() - n);
        Ok(match self.texts {
            Texts::Handler(name) => py::str_with(bytes, name)?,
            _ => py::bytes(bytes)?,
        })
    }
}

/// Text, where taking it need not be compiled in.
#[inline(never)]
fn text<S: Source>(source: &mut S, h: S::Head) -> Given<Str<'_>> {
    Ok(source.str(h)?)
}

impl<S: Source> Feed for FromBytes<'_, S> {
    const CAPS: Caps = S::CAPS;
    type Head = S::Head;
    type Seq = S::Seq;

    #[inline(always)]
    fn head(&mut self) -> Given<(Kind, S::Head)> {
        Ok(self.source.head()?)
    }
    #[inline(always)]
    fn text_head(&self) -> Option<S::Head> {
        self.source.text_head()
    }
    #[inline(always)]
    fn next_text(&mut self) -> Option<S::Head> {
        self.source.next_text()
    }
    #[inline(always)]
    fn head_here(&mut self) -> Given<(Kind, S::Head)> {
        Ok(self.source.head_here()?)
    }
    #[inline(always)]
    fn container_head(&self) -> Option<(Kind, S::Head)> {
        self.source.container_head()
    }
    #[inline(always)]
    fn null(&mut self, h: S::Head) -> Given<()> {
        Ok(self.source.null(h)?)
    }
    #[inline(always)]
    fn bool(&mut self, h: S::Head) -> Given<bool> {
        Ok(self.source.bool(h)?)
    }
    #[inline(always)]
    fn number(&mut self, h: S::Head) -> Given<Own> {
        let made = match self.source.number(h)? {
            Num::I64(v) => py::int(v),
            Num::F64(v) => py::float_of_many(v, self.room.many),
            Num::U64(v) => py::uint(v),
            Num::Text(s) => py::big_int(s),
            Num::Bytes(_) => return self.refuse(wire::Code::Forbidden),
        };
        Ok(made?)
    }
    #[inline(always)]
    fn short_int(&mut self) -> Option<i64> {
        self.source.short_int()
    }
    #[inline(always)]
    fn number_as(&mut self, h: S::Head, float: bool) -> Given<Own> {
        Ok(match self.source.number(h)? {
            Num::I64(v) if float => py::float(v as f64)?,
            Num::I64(v) => py::int(v)?,
            Num::F64(v) => py::float(v)?,
            Num::U64(v) if float => py::float(v as f64)?,
            Num::U64(v) => py::uint(v)?,
            Num::Text(s) => py::big_int(s)?,
            Num::Bytes(_) => return self.refuse(wire::Code::Forbidden),
        })
    }
    #[inline(always)]
    fn num(&mut self, h: S::Head) -> Given<Num<'_>> {
        Ok(self.source.number(h)?)
    }
    #[cold]
    fn float_text(&mut self, h: S::Head) -> Given<Result<Own, Own>> {
        let n = self.source.number_text(h)?;
        if n.float {
            return Ok(Ok(py::text(n.text)?));
        }
        Ok(Err(match n.text.parse() {
            Ok(v) => py::int(v)?,
            Err(_) => py::big_int(n.text)?,
        }))
    }
    #[inline(always)]
    fn str(&mut self, h: S::Head, old: Option<&OldTexts>) -> Given<Own> {
        if self.is_bytes() {
            return self.str_as_bytes(h);
        }
        let s = self.source.str(h)?;
        if let Some(o) = py::ascii(&s, old) {
            return Ok(o?);
        }
        let n = s.bytes().len();
        match py::wide(s, self.room.decoded) {
            Ok(o) => Ok(o?),
            Err(good) => Ok(self.not_utf8(n, good)?),
        }
    }
    #[inline(never)]
    fn str_cold(&mut self, h: S::Head) -> Given<Own> {
        if self.is_bytes() {
            return self.str_as_bytes(h);
        }
        let s = text(&mut self.source, h)?;
        let n = s.bytes().len();
        match py::str(s, self.room.decoded) {
            Ok(o) => Ok(o?),
            Err(good) => self.not_utf8(n, good),
        }
    }
    #[inline(never)]
    fn spelled(&mut self, h: S::Head, judge: &Judge<'_>, plan: &Plan, bit: u32) -> Given<Option<Own>> {
        if self.is_bytes() {
            return Ok(None);
        }
        let mark = self.source.mark();
        let made = judge.spelled(plan, bit, text(&mut self.source, h)?.bytes())?;
        if made.is_none() {
            self.source.rewind(mark);
        }
        Ok(made)
    }
    #[inline(never)]
    fn stands_for(&mut self, h: S::Head, members: &Members) -> Given<Option<Own>> {
        if self.is_bytes() {
            return Ok(None);
        }
        let mark = self.source.mark();
        let found = members.text(text(&mut self.source, h)?.bytes()).cloned();
        if found.is_none() {
            self.source.rewind(mark);
        }
        Ok(found)
    }
    #[inline(always)]
    fn bytes(&mut self, h: S::Head) -> Given<Own> {
        Ok(py::bytes(self.source.bytes(h)?)?)
    }
    fn time(&mut self, h: S::Head) -> Given<Instant> {
        Ok(self.source.time(h)?)
    }
    fn ext(&mut self, h: S::Head) -> Given<(i8, &[u8])> {
        Ok(self.source.ext(h)?)
    }
    #[inline(always)]
    fn array(&mut self, h: S::Head) -> Given<S::Seq> {
        Ok(self.source.array(h)?)
    }
    #[inline(always)]
    fn item(&mut self, s: &mut S::Seq) -> Given<bool> {
        Ok(self.source.item(s)?)
    }
    #[inline(always)]
    fn size_hint(&self, s: &S::Seq) -> usize {
        self.source.size_hint(s)
    }
    #[inline(always)]
    fn map(&mut self, h: S::Head) -> Given<S::Seq> {
        Ok(self.source.map(h)?)
    }
    #[inline(always)]
    fn entry(&mut self, s: &mut S::Seq) -> Given<bool> {
        Ok(self.source.entry(s)?)
    }
    #[inline(always)]
    fn key_head(&mut self) -> Given<(Kind, S::Head)> {
        Ok(self.source.key()?)
    }
    #[inline(always)]
    fn key(&mut self, h: S::Head) -> Given<Own> {
        if self.is_bytes() {
            return self.str_as_bytes(h);
        }
        let s = self.source.str(h)?;
        if KeyCache::suits(&s) {
            return Ok(self.room.keys.get(s, self.room.decoded)?);
        }
        let n = s.bytes().len();
        match py::str(s, self.room.decoded) {
            Ok(o) => Ok(o?),
            Err(good) => self.not_utf8(n, good),
        }
    }
    #[inline(always)]
    fn mark(&self) -> usize {
        self.source.mark()
    }
    fn since(&self, mark: usize) -> &[u8] {
        self.source.since(mark)
    }
    fn look(&mut self) {
        self.source.look();
    }
    fn rewind(&mut self, mark: usize) {
        self.source.rewind(mark);
    }
    fn skip(&mut self) -> Given<()> {
        Ok(self.source.skip()?)
    }
    fn raw(&mut self) -> Given<&[u8]> {
        Ok(self.source.raw()?)
    }
    #[inline(always)]
    fn again(&mut self, known: &[u8; KNOWN], len: usize) -> bool {
        self.source.again(known, len)
    }
    #[inline(always)]
    fn entry_again(&mut self, s: &mut S::Seq, known: &[u8; KNOWN], len: usize) -> bool {
        self.source.entry_again(s, known, len)
    }
    #[inline(always)]
    fn value(&mut self) -> Given<()> {
        Ok(self.source.value()?)
    }
    fn end(&mut self) -> Given<()> {
        Ok(self.source.end()?)
    }
    fn at(&self) -> usize {
        self.source.at()
    }
}
