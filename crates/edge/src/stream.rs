//! Documents out of chunks: for sockets, for files of lines, for one array too large to hold.
//!
//! What may surprise: while a document is being decoded, which may run a hook, the stream is
//! whole again and stands after that document. So a hook may feed it, and a document that is
//! wrong does not stop the ones behind it.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ffi::CStr;
use wire::say;

use crate::args::Decoding;
use crate::functions::only_one;
use crate::keyword::{Target, each, show_hooks};
use crate::lines::{Before, copy, document};
use crate::raise::{self, Place, START};
use crate::state::State;
use crate::typing;
use json::Skim;
use py::{Args, Builtin, Class, Data, Getter, Method, Own, Ref, Result, Slot, Visit, doc};
use wire::{Code, Error};

/// What the input consists of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Documents, one after the other.
    Documents,
    /// A document for each line.
    Lines,
    /// The items of one array.
    Items,
}

/// Where in its array a stream of items stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stand {
    Before,
    First,
    Item,
    After,
    End,
}

/// `oxwire.json.StreamDecoder`.
pub(crate) struct Stream {
    decoding: Decoding,
    kind: Kind,
    max_buffer: usize,
    /// What changes; away while a call works on it.
    input: Slot<Pending>,
}

/// What has come and is not used up.
struct Pending {
    bytes: Vec<u8>,
    /// Where `bytes` begin in the whole input.
    place: Place,
    scan: Scan,
}

/// How far the input was looked through. No byte is looked at twice.
#[derive(Clone, Copy)]
struct Scan {
    kind: Kind,
    /// Where the next document begins, and what is not used up.
    at: usize,
    /// How far that document was looked through.
    looked: usize,
    /// It ends there.
    found: bool,
    skim: Skim,
    stand: Stand,
    /// How many documents were given.
    given: usize,
    closed: bool,
}

/// The bytes from a place on.
fn rest(bytes: &[u8], from: usize) -> &[u8] {
    bytes.get(from..).unwrap_or_default()
}

impl Scan {
    /// The length of the next document, which begins at `at` then; nothing if more input is needed, or
    /// none comes.
    fn next(&mut self, bytes: &[u8]) -> wire::Result<Option<usize>> {
        if !self.found {
            self.found = match self.kind {
                Kind::Documents => self.skip_space(bytes).is_some() && self.document(bytes),
                Kind::Lines => self.line(bytes),
                Kind::Items => self.item(bytes)?,
            };
        }
        if self.found {
            return Ok(Some(self.looked - self.at));
        }
        let done = self.at == bytes.len() && (self.kind != Kind::Items || self.stand == Stand::End);
        if self.closed && !done { Err(Error { code: Code::Eof, at: bytes.len() }) } else { Ok(None) }
    }

    /// Whether a document that begins at `at` ends.
    fn document(&mut self, bytes: &[u8]) -> bool {
        match self.skim.feed(rest(bytes, self.looked)) {
            Some(n) => self.looked += n,
            None => {
                self.looked = bytes.len();
                // A number may end with the input.
                if !self.closed || !self.skim.ends_here() {
                    return false;
                }
                self.skim = Skim::default();
            }
        }
        true
    }

    /// Whether a line that begins at `at` ends; blank ones are passed.
    fn line(&mut self, bytes: &[u8]) -> bool {
        loop {
            let end = rest(bytes, self.looked).iter().position(|&b| b == b'\n');
            self.looked = end.map_or(bytes.len(), |n| self.looked + n + 1);
            let blank = bytes.get(self.at..self.looked).unwrap_or_default().trim_ascii().is_empty();
            let ended = end.is_some() || self.closed;
            if !ended || !blank || self.at == bytes.len() {
                return ended && !blank;
            }
            self.pass();
        }
    }

    /// Whether an item of the array ends.
    fn item(&mut self, bytes: &[u8]) -> wire::Result<bool> {
        while let Some(b) = self.skip_space(bytes) {
            self.stand = match (self.stand, b) {
                (Stand::Before, b'[') => Stand::First,
                (Stand::First | Stand::After, b']') => Stand::End,
                (Stand::After, b',') => Stand::Item,
                (Stand::First | Stand::Item, _) if b != b']' => {
                    self.stand = Stand::Item;
                    return Ok(self.document(bytes));
                }
                (stand, _) => {
                    let code = match stand {
                        Stand::Before => Code::Array,
                        Stand::After => Code::CommaOrBracket,
                        Stand::End => Code::Trailing,
                        Stand::First | Stand::Item => Code::TrailingComma,
                    };
                    return Err(Error { code, at: self.at });
                }
            };
            self.looked += 1;
            self.pass();
        }
        Ok(false)
    }

    /// Passes the blanks before a document; its first byte.
    fn skip_space(&mut self, bytes: &[u8]) -> Option<u8> {
        if self.skim.is_before() {
            let blank = |b: &u8| matches!(b, b' ' | b'\t' | b'\n' | b'\r');
            self.looked += rest(bytes, self.looked).iter().take_while(|b| blank(b)).count();
            self.pass();
        }
        bytes.get(self.at).copied()
    }

    /// Goes on behind what was looked through.
    fn pass(&mut self) {
        self.at = self.looked;
        self.found = false;
    }
}

impl Pending {
    #[cold]
    fn fault(&self, state: &State, e: Error) -> py::Raised {
        raise::malformed(state, e, &self.bytes, self.place)
    }

    /// The length of the next document, if all of it is here and it is not too long.
    fn next(&mut self, state: &State, max: usize) -> Result<Option<usize>> {
        let next = self.scan.next(&self.bytes).map_err(|e| self.fault(state, e))?;
        if next.unwrap_or(self.bytes.len() - self.scan.at) > max {
            return Err(self.fault(state, Error { code: Code::Length, at: self.scan.at + max }));
        }
        Ok(next)
    }

    /// Drops what is used up, when that is most of what there is: so each byte is moved once or twice.
    fn compact(&mut self) {
        let used = self.scan.at;
        if used * 2 < self.bytes.len() || used == 0 {
            return;
        }
        self.place = self.place.after(self.bytes.get(..used).unwrap_or_default());
        if used == self.bytes.len() && used > KEEP {
            self.bytes = Vec::new();
        } else {
            self.bytes.drain(..used);
        }
        self.scan.looked -= used;
        self.scan.at = 0;
    }
}

/// An empty buffer that is larger is not kept.
const KEEP: usize = 256 * 1024;

impl Stream {
    /// What the arguments of a constructor say.
    pub(crate) fn parse(state: &State, args: &Args<'_>, kind: Kind) -> Result<Stream> {
        if !args.positional().is_empty() {
            return Err(Builtin::Type.raise(say!("StreamDecoder() takes keyword arguments only")));
        }
        let mut decoding = Decoding::default();
        let mut max_buffer = usize::MAX;
        each(args, None, &mut |name, v| match name {
            "max_buffer" if kind == Kind::Documents => Target::Limit(&mut max_buffer).take(name, v),
            _ => decoding.option(name, v),
        })?;
        if kind == Kind::Items {
            decoding.inside()?;
        }
        typing::finish(state, &mut decoding.hooks, decoding.raw)?;
        let scan = Scan {
            kind,
            at: 0,
            looked: 0,
            found: false,
            skim: Skim::default(),
            stand: Stand::Before,
            given: 0,
            closed: false,
        };
        let input = Pending { bytes: Vec::new(), place: START, scan };
        Ok(Stream { decoding, kind, max_buffer, input: Slot::new(input) })
    }

    /// The place of an offset of the whole input. A hook that fed the stream meanwhile may have
    /// let the input before it go; then only the offset is known.
    pub(crate) fn place(&self, offset: usize) -> Place {
        let known = self.input.take().map(|p| {
            let place = offset
                .checked_sub(p.place.offset)
                .and_then(|n| p.bytes.get(..n))
                .map(|before| p.place.after(before));
            self.input.put(p);
            place
        });
        known.flatten().unwrap_or(Place { offset, ..START })
    }

    /// Works on the input, which no other call has meanwhile.
    fn with<T>(&self, f: impl FnOnce(&mut Pending) -> Result<T>) -> Result<T> {
        let mut input = self.taken()?;
        let r = f(&mut input);
        self.put_back(input);
        r
    }

    #[inline(never)]
    fn taken(&self) -> Result<Box<Pending>> {
        self.input
            .take()
            .ok_or_else(|| Builtin::Runtime.raise(say!("the stream decoder is in use by another thread")))
    }

    #[inline(never)]
    fn put_back(&self, input: Box<Pending>) {
        self.input.put(input);
    }
}

impl Class<State> for Stream {
    const NAME: &'static CStr = c"oxwire.json.StreamDecoder";
    const DOC: &'static CStr = doc!(c"StreamDecoder(*, raw=False, max_buffer=None, **options)\n--\n\n\
        Documents out of chunks, for sockets: `feed` bytes as they come, iterate the documents that are complete.\n\n\
        Documents may be separated by white space or by nothing; a number or literal at the top level is complete\n\
        only when something follows it or `close` is called.");
    const ITERATES: bool = true;

    fn new(state: &State, args: &Args<'_>) -> Result<Stream> {
        Stream::parse(state, args, Kind::Documents)
    }
    fn methods(add: &mut Vec<py::MethodDef>) {
        py::method::<State, Stream, Feed>(add);
        py::method::<State, Stream, Close>(add);
    }
    fn getters(add: &mut Vec<py::GetterDef>) {
        py::getter::<State, Stream, PendingBytes>(add);
    }
    fn traverse(&self, visit: &mut Visit<'_>) {
        show_hooks(&self.decoding.hooks, visit);
    }
    fn repr(&self) -> Result<Own> {
        let n = self.with(|p| Ok(p.bytes.len() - p.scan.at))?;
        py::text(&py::words(say!("<oxwire.json.StreamDecoder, {} bytes pending>"), &[n.into()]))
    }
    fn next(state: &State, this: &Self) -> Result<Option<Own>> {
        let taken = this.with(|p| {
            let Some(n) = p.next(state, this.max_buffer)? else {
                p.compact();
                return Ok(None);
            };
            let at = p.scan.at;
            let document = copy(p.bytes.get(at..at + n).unwrap_or_default());
            p.scan.pass();
            if this.kind == Kind::Items {
                p.scan.stand = Stand::After;
            }
            p.scan.given += 1;
            let index = (this.kind != Kind::Documents).then_some(p.scan.given - 1);
            Ok(Some((document, index, p.place.offset + at)))
        })?;
        match taken {
            Some((bytes, index, from)) => {
                document(state, &this.decoding, bytes, index, Before::Stream(this, from)).map(Some)
            }
            None => Ok(None),
        }
    }
}

struct Feed;
impl Method<State, Stream> for Feed {
    const NAME: &'static CStr = c"feed";
    const DOC: &'static CStr = doc!(c"feed($self, data, /)\n--\n\n\
        Add a chunk. Raises DecodeError if the next document is longer than `max_buffer` bytes, ValueError after\n\
        `close`.");
    fn call(state: &State, this: &Stream, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        let data = only_one("feed", args)?;
        let data = Data::of(data).map_err(|why| raise::not_data(state, why, data, START))?;
        this.with(|p| {
            if p.scan.closed {
                return Err(Builtin::Value.raise(say!("the stream decoder is closed")));
            }
            p.compact();
            // The document that stands first is looked at only if it may be too long.
            let check = |p: &mut Pending| match p.bytes.len() - p.scan.at > this.max_buffer {
                true => p.next(state, this.max_buffer).map(drop),
                false => Ok(()),
            };
            check(p)?;
            p.bytes.extend_from_slice(data.input().bytes());
            check(p)?;
            Ok(py::none())
        })
    }
}

struct Close;
impl Method<State, Stream> for Close {
    const NAME: &'static CStr = c"close";
    const DOC: &'static CStr = doc!(
        c"close($self)\n--\n\n\
        No more is to come: a number at the end is complete now. Raises DecodeError when a document is left\n\
        incomplete."
    );
    fn call(state: &State, this: &Stream, _: Ref<'_>, _: &Args<'_>) -> Result<Own> {
        this.with(|p| {
            p.scan.closed = true;
            // Documents that are complete stay for whoever iterates; only the very end is looked at.
            let mut scan = p.scan;
            while scan.next(&p.bytes).map_err(|e| p.fault(state, e))?.is_some() {
                scan.pass();
                if this.kind == Kind::Items {
                    scan.stand = Stand::After;
                }
            }
            Ok(py::none())
        })
    }
}

struct PendingBytes;
impl Getter<State, Stream> for PendingBytes {
    const NAME: &'static CStr = c"pending";
    const DOC: &'static CStr = doc!(c"How many bytes are held that were not given back as documents yet.");
    fn get(_: &State, this: &Stream) -> Result<Own> {
        this.with(|p| py::uint((p.bytes.len() - p.scan.at) as u64))
    }
}
