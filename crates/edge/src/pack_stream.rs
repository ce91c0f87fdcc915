//! Messages out of chunks: for sockets, for files of many messages.
//!
//! What may surprise: a message is decoded where it stands, before anybody knows whether all of it
//! is there; most are. If it proves to be cut, its end is looked for first, each byte once, and it
//! is decoded again when all of it has come: so every message is read twice at most, however it is
//! cut. Where hooks are to be called, the end is always looked for first, since they must not be
//! called twice; and then the stream stands behind the message while they run, so that a hook may
//! feed it.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::Cell;
use core::ffi::CStr;
use wire::say;

use crate::args::count;
use crate::functions::{nothing, only_one};
use crate::instances;
use crate::keyword::{Target, each, show_hooks};
use crate::pack::data_by_call;
use crate::pack_args::Unpacking;
use crate::raise;
use crate::raw::Raw;
use crate::state::State;
use engine::{Fault, What};
use msgpack::Skim;
use py::{Args, Builtin, Class, Copied, Getter, Method, Own, Ref, Result, Slot, Visit, doc};
use wire::{Code, Error, Input};

/// `oxwire.msgpack.StreamDecoder`.
pub(crate) struct PackStream {
    decoding: Unpacking,
    max_buffer: usize,
    /// The `read` of a file, and how much it is asked for.
    file: Option<Own>,
    read_size: usize,
    /// What changes; away while a call works on it.
    input: Slot<Pending>,
}

/// What has come and is not used up.
struct Pending {
    /// With a zero behind it, so that it can be read where it stands.
    bytes: Vec<u8>,
    /// Where the next message begins.
    at: usize,
    /// Where `bytes` begin in the whole input.
    offset: usize,
    /// How far the next message was looked through.
    skim: Skim,
    /// It was read already, and proved to be cut.
    cut: bool,
    closed: bool,
    /// The file has nothing just now.
    blocked: bool,
    /// What is wrong, where nothing behind it can be found.
    fault: Option<Error>,
}

/// An empty buffer that is larger is not kept.
const KEEP: usize = 256 * 1024;

/// How much is read of a file unless somebody says otherwise.
const READ_SIZE: usize = 64 * 1024;

impl Pending {
    /// What is not used up.
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..self.bytes.len() - 1).unwrap_or_default()
    }

    /// Goes on behind `n` bytes.
    fn pass(&mut self, n: usize) {
        self.at += n;
        self.skim = Skim::default();
        self.cut = false;
        self.fault = None;
    }

    /// Drops what is used up, when that is most of what there is: so each byte is moved once or twice.
    fn compact(&mut self) {
        let used = self.at;
        if used * 2 < self.bytes.len() || used == 0 {
            return;
        }
        self.offset += used;
        if used + 1 == self.bytes.len() && used > KEEP {
            self.bytes = alloc::vec![0];
        } else {
            self.bytes.drain(..used);
        }
        self.at = 0;
    }

    fn add(&mut self, chunk: &[u8]) -> Result<()> {
        self.compact();
        if self.bytes.try_reserve(chunk.len()).is_err() {
            return Err(Builtin::Memory.raise(say!("not enough memory for the input")));
        }
        self.bytes.pop();
        self.bytes.extend_from_slice(chunk);
        self.bytes.push(0);
        Ok(())
    }

    /// The exception for a fault of the next message. If its end can be found, the stream goes on behind it.
    #[cold]
    fn fail<T>(&mut self, state: &State, stream: &PackStream, e: Error) -> Result<Option<T>> {
        let mut skim = Skim::default();
        match skim.look(self.rest(), &stream.decoding.limits) {
            Ok(Some(n)) if n <= stream.max_buffer => {
                let raised = self.again(state, e);
                self.pass(n);
                Err(raised)
            }
            // Its end will come; what is wrong is said then, as if it had come whole.
            Ok(None) if e.code != Code::Length => {
                self.cut = true;
                Ok(None)
            }
            _ => {
                self.fault = Some(e);
                Err(self.again(state, e))
            }
        }
    }

    /// The exception for a fault that nothing can be found behind.
    #[cold]
    fn again(&self, state: &State, e: Error) -> py::Raised {
        raise::malformed_pack(state, e, self.rest(), self.offset + self.at)
    }

    /// The length of the next message, if all of it is here.
    fn look(&mut self, state: &State, stream: &PackStream) -> Result<Option<usize>> {
        if let Some(e) = self.fault {
            return Err(self.again(state, e));
        }
        let mut skim = self.skim;
        let found = match skim.look(self.rest(), &stream.decoding.limits) {
            Ok(found) => found,
            Err(e) => return self.fail(state, stream, e),
        };
        self.skim = skim;
        if found.unwrap_or(self.rest().len()) > stream.max_buffer {
            return self.fail(state, stream, Error { code: Code::Length, at: stream.max_buffer });
        }
        Ok(found)
    }

    /// An exception was raised within a message: it counts when all of that is here, and the stream
    /// goes on behind it.
    #[cold]
    fn raised(&mut self, stream: &PackStream) -> Result<Option<Own>> {
        match Skim::default().look(self.rest(), &stream.decoding.limits) {
            Ok(None) => {
                py::clear();
                self.cut = true;
                Ok(None)
            }
            Ok(Some(n)) => {
                self.pass(n);
                Err(py::Raised)
            }
            Err(_) => Err(py::Raised),
        }
    }

    /// Reads a message where it stands; nothing if it is cut.
    fn read(&mut self, state: &State, stream: &PackStream) -> Result<Option<Own>> {
        let Some(input) = self.bytes.get(self.at..).and_then(Input::ended) else { return Ok(None) };
        let n = Cell::new(0);
        let d = &stream.decoding;
        match instances::pack_build(state, d, &d.hooks, input, Some(&n), None) {
            Ok(_) if n.get() > stream.max_buffer => {
                let e = Error { code: Code::Length, at: stream.max_buffer };
                self.fail(state, stream, e)
            }
            Ok(o) => {
                self.pass(n.get());
                Ok(Some(o))
            }
            Err(fault) => match fault.what {
                What::Wire(Error { code: Code::Eof, .. }) => {
                    self.cut = true;
                    Ok(None)
                }
                What::Wire(e) => self.fail(state, stream, e),
                _ => {
                    let whole = match Skim::default().look(self.rest(), &d.limits) {
                        Ok(Some(n)) => self.rest().get(..n),
                        _ => None,
                    };
                    let (bytes, from) = (whole.unwrap_or(&[]), self.offset + self.at);
                    let _ = raise::unpack(state, &fault, bytes, from, whole.map(|_| &d.hooks));
                    self.raised(stream)
                }
            },
        }
    }
}

/// What came of looking for a message.
enum Found {
    /// It.
    Value(Own),
    /// A copy of it, and where it began, to be decoded when the stream is whole again.
    Copy(Vec<u8>, usize),
    /// It is not all there.
    More,
}

impl PackStream {
    fn parse(state: &State, args: &Args<'_>) -> Result<PackStream> {
        let file = match *args.positional() {
            [] => None,
            [file] if file.is_none() => None,
            [file] => {
                let read = file.attr_named(c"read").map_err(|e| {
                    if !py::pending(Builtin::Attribute) {
                        return e;
                    }
                    Builtin::Type.raise_words(
                        say!("expected a file with a method `read`, got `{}`"),
                        &[py::Word::Class(file)],
                    )
                })?;
                Some(read)
            }
            _ => {
                return Err(
                    Builtin::Type.raise(say!("StreamDecoder() takes at most one positional argument"))
                );
            }
        };
        let mut decoding = Unpacking::new(&state.ext);
        let (mut max_buffer, mut read_size) = (usize::MAX, READ_SIZE);
        each(args, None, &mut |name, v| match name {
            "max_buffer" => Target::Limit(&mut max_buffer).take(name, v),
            "read_size" => {
                read_size = count(name, v)?.max(1);
                Ok(true)
            }
            _ => decoding.option(state, name, v),
        })?;
        decoding.check(state, args)?;
        let input = Pending {
            bytes: alloc::vec![0],
            at: 0,
            offset: 0,
            skim: Skim::default(),
            cut: false,
            closed: false,
            blocked: false,
            fault: None,
        };
        Ok(PackStream { decoding, max_buffer, file, read_size, input: Slot::new(input) })
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
            .ok_or_else(|| Builtin::Runtime.raise(say!("the stream decoder is in use by another call")))
    }

    #[inline(never)]
    fn put_back(&self, input: Box<Pending>) {
        self.input.put(input);
    }

    /// Works on the input until `f` gives something, with more of the file each time. Nothing if there is no more.
    fn until<T>(&self, mut f: impl FnMut(&mut Pending) -> Result<Option<T>>) -> Result<Option<T>> {
        loop {
            if let Some(v) = self.with(&mut f)? {
                return Ok(Some(v));
            }
            if !self.more()? {
                return Ok(None);
            }
        }
    }

    /// Nothing came of what there is; an exception if there is something, and the file ends in it.
    fn ended<T>(&self, state: &State) -> Result<Option<T>> {
        self.with(|p| {
            p.compact();
            if self.file.is_none() || p.blocked || p.rest().is_empty() {
                return Ok(None);
            }
            Err(p.again(state, Error { code: Code::Eof, at: p.rest().len() }))
        })
    }

    /// Reads more of the file; false if there is none, or no more of it for now.
    fn more(&self) -> Result<bool> {
        let Some(read) = &self.file else { return Ok(false) };
        let chunk = py::call1(read.as_ref(), py::uint(self.read_size as u64)?.as_ref())?;
        // A file that would block gives nothing at all; that is not its end.
        let blocked = chunk.as_ref().is_none();
        self.with(|p| {
            p.blocked = blocked;
            Ok(())
        })?;
        if blocked {
            return Ok(false);
        }
        let chunk = data_by_call(chunk.as_ref())?;
        let bytes = chunk.input().bytes();
        self.with(|p| p.add(bytes))?;
        Ok(!bytes.is_empty())
    }

    /// The next message.
    fn message(&self, state: &State) -> Result<Option<Own>> {
        let late = self.decoding.raw || self.decoding.hooks.any();
        let found = self.until(|p| {
            if p.rest().is_empty() {
                return Ok(None);
            }
            if !late
                && !p.cut
                && p.fault.is_none()
                && let Some(o) = p.read(state, self)?
            {
                return Ok(Some(Found::Value(o)));
            }
            let Some(n) = p.look(state, self)? else { return Ok(None) };
            if !late {
                return Ok(Some(p.read(state, self)?.map_or(Found::More, Found::Value)));
            }
            let mut copy = Vec::with_capacity(n + 1);
            copy.extend_from_slice(p.rest().get(..n).unwrap_or_default());
            let from = p.offset + p.at;
            p.pass(n);
            Ok(Some(Found::Copy(copy, from)))
        })?;
        match found {
            Some(Found::Value(o)) => Ok(Some(o)),
            Some(Found::Copy(copy, from)) => self.late(state, copy, from).map(Some),
            Some(Found::More) | None => self.ended(state),
        }
    }

    /// A message that was taken out of the stream.
    fn late(&self, state: &State, copy: Vec<u8>, from: usize) -> Result<Own> {
        let copy = Copied::new(copy);
        let (input, d) = (copy.input(), &self.decoding);
        let made: core::result::Result<Own, Box<Fault>> = if d.raw {
            match instances::pack_check(state, d, input, false) {
                Ok(_) => return py::new_instance(&state.raw, Raw::of(input.bytes())?),
                Err(fault) => Err(fault),
            }
        } else {
            instances::pack_build(state, d, &d.hooks, input, None, None)
        };
        made.map_err(|fault| raise::unpack(state, &fault, input.bytes(), from, Some(&d.hooks)))
    }

    /// Enters an array or map.
    fn header(&self, state: &State, map: bool) -> Result<Own> {
        let n = self.until(|p| {
            if let Some(e) = p.fault {
                return Err(p.again(state, e));
            }
            match Skim::header(p.rest(), map) {
                Ok(None) => Ok(None),
                Ok(Some((n, head))) => {
                    let l = &self.decoding.limits;
                    let (max, code) =
                        if map { (l.max_map, Code::LongMap) } else { (l.max_array, Code::LongArray) };
                    if n > max {
                        return Err(p.again(state, Error { code, at: 0 }));
                    }
                    p.pass(head);
                    Ok(Some(n))
                }
                Err(_) => {
                    let what = if map { "map" } else { "array" };
                    Err(Builtin::Value.raise_words(say!("no {} stands next"), &[what.into()]))
                }
            }
        })?;
        match n {
            Some(n) => py::uint(n as u64),
            None => self.ended(state)?.ok_or_else(incomplete),
        }
    }
}

#[cold]
fn incomplete() -> py::Raised {
    Builtin::Eof.raise(say!("the next message is not complete yet"))
}

impl Class<State> for PackStream {
    const NAME: &'static CStr = c"oxwire.msgpack.StreamDecoder";
    const DOC: &'static CStr = doc!(c"StreamDecoder(file=None, /, *, raw=False, read_size=65536, max_buffer=None, \
        **options)\n--\n\n\
        Messages out of chunks, for sockets and files: `feed` bytes as they come, iterate the messages that are\n\
        complete. From a file more is read by itself.");
    const ITERATES: bool = true;

    fn new(state: &State, args: &Args<'_>) -> Result<PackStream> {
        PackStream::parse(state, args)
    }
    fn methods(add: &mut Vec<py::MethodDef>) {
        py::method::<State, PackStream, Feed>(add);
        py::method::<State, PackStream, Close>(add);
        py::method::<State, PackStream, Read>(add);
        py::method::<State, PackStream, Skip>(add);
        py::method::<State, PackStream, ReadBytes>(add);
        py::method::<State, PackStream, ReadArrayHeader>(add);
        py::method::<State, PackStream, ReadMapHeader>(add);
        py::method::<State, PackStream, Tell>(add);
    }
    fn getters(add: &mut Vec<py::GetterDef>) {
        py::getter::<State, PackStream, PendingBytes>(add);
    }
    fn traverse(&self, visit: &mut Visit<'_>) {
        show_hooks(&self.decoding.hooks, visit);
        self.file.iter().for_each(|o| visit.object(o));
    }
    fn repr(&self) -> Result<Own> {
        let n = self.with(|p| Ok(p.rest().len()))?;
        py::text(&py::words(say!("<oxwire.msgpack.StreamDecoder, {} bytes pending>"), &[n.into()]))
    }
    #[inline]
    fn next(state: &State, this: &Self) -> Result<Option<Own>> {
        this.message(state)
    }
}

struct Feed;
impl Method<State, PackStream> for Feed {
    const NAME: &'static CStr = c"feed";
    const DOC: &'static CStr = doc!(c"feed($self, data, /)\n--\n\n\
        Add a chunk. Raises DecodeError if the next message is longer than `max_buffer` bytes, ValueError after\n\
        `close`.");
    fn call(state: &State, this: &PackStream, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        let chunk = only_one("feed", args)?;
        let chunk = data_by_call(chunk)?;
        this.with(|p| {
            if p.closed {
                return Err(Builtin::Value.raise(say!("the stream decoder is closed")));
            }
            p.add(chunk.input().bytes())?;
            // The message that stands first is looked at only if it may be too long.
            if p.rest().len() > this.max_buffer && p.fault.is_none() {
                p.look(state, this)?;
            }
            Ok(py::none())
        })
    }
}

struct Close;
impl Method<State, PackStream> for Close {
    const NAME: &'static CStr = c"close";
    const DOC: &'static CStr = doc!(
        c"close($self)\n--\n\n\
        No more is to come. Raises DecodeError when a message is left incomplete."
    );
    fn call(state: &State, this: &PackStream, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        nothing("close", args)?;
        this.with(|p| {
            p.closed = true;
            // Messages that are complete stay for whoever iterates; only the very end is looked at.
            let mut rest = p.rest();
            while !rest.is_empty() && p.fault.is_none() {
                match Skim::default().look(rest, &this.decoding.limits) {
                    Ok(Some(n)) => rest = rest.get(n..).unwrap_or_default(),
                    // What is wrong is told to whoever gets there.
                    Err(_) => break,
                    Ok(None) => {
                        return Err(p.again(state, Error { code: Code::Eof, at: p.rest().len() }));
                    }
                }
            }
            Ok(py::none())
        })
    }
}

struct Read;
impl Method<State, PackStream> for Read {
    const NAME: &'static CStr = c"read";
    const DOC: &'static CStr = doc!(
        c"read($self)\n--\n\n\
        The next message; EOFError if it is not complete yet."
    );
    fn call(state: &State, this: &PackStream, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        nothing("read", args)?;
        this.message(state)?.ok_or_else(incomplete)
    }
}

struct Skip;
impl Method<State, PackStream> for Skip {
    const NAME: &'static CStr = c"skip";
    const DOC: &'static CStr = doc!(
        c"skip($self)\n--\n\n\
        Pass over the next message without making objects of it; EOFError if it is not complete yet."
    );
    fn call(state: &State, this: &PackStream, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        nothing("skip", args)?;
        let passed = this.until(|p| {
            let found = p.look(state, this)?;
            Ok(found.map(|n| p.pass(n)))
        })?;
        match passed {
            Some(()) => Ok(py::none()),
            None => this.ended(state)?.ok_or_else(incomplete),
        }
    }
}

struct ReadBytes;
impl Method<State, PackStream> for ReadBytes {
    const NAME: &'static CStr = c"read_bytes";
    const DOC: &'static CStr = doc!(
        c"read_bytes($self, n, /)\n--\n\n\
        The next `n` bytes as they stand, fewer at the end of what has come."
    );
    fn call(_: &State, this: &PackStream, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        let n = only_one("read_bytes", args)?;
        let n = count("n", n)?;
        let whole = this.until(|p| {
            let part = p.rest().get(..n).map(py::bytes).transpose()?;
            Ok(part.inspect(|_| p.pass(n)))
        })?;
        match whole {
            Some(o) => Ok(o),
            None => this.with(|p| {
                let part = py::bytes(p.rest())?;
                p.pass(p.rest().len());
                Ok(part)
            }),
        }
    }
}

struct ReadArrayHeader;
impl Method<State, PackStream> for ReadArrayHeader {
    const NAME: &'static CStr = c"read_array_header";
    const DOC: &'static CStr = doc!(
        c"read_array_header($self)\n--\n\n\
        Enter the array that stands next: how many items follow. ValueError if no array does."
    );
    fn call(state: &State, this: &PackStream, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        nothing("read_array_header", args)?;
        this.header(state, false)
    }
}

struct ReadMapHeader;
impl Method<State, PackStream> for ReadMapHeader {
    const NAME: &'static CStr = c"read_map_header";
    const DOC: &'static CStr = doc!(
        c"read_map_header($self)\n--\n\n\
        Enter the map that stands next: how many pairs of key and value follow. ValueError if no map does."
    );
    fn call(state: &State, this: &PackStream, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        nothing("read_map_header", args)?;
        this.header(state, true)
    }
}

struct Tell;
impl Method<State, PackStream> for Tell {
    const NAME: &'static CStr = c"tell";
    const DOC: &'static CStr = doc!(c"tell($self)\n--\n\nHow many bytes of the whole input were used up.");
    fn call(_: &State, this: &PackStream, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        nothing("tell", args)?;
        this.with(|p| py::uint((p.offset + p.at) as u64))
    }
}

struct PendingBytes;
impl Getter<State, PackStream> for PendingBytes {
    const NAME: &'static CStr = c"pending";
    const DOC: &'static CStr = doc!(c"How many bytes are held that were not given back yet.");
    fn get(_: &State, this: &PackStream) -> Result<Own> {
        this.with(|p| py::uint(p.rest().len() as u64))
    }
}
