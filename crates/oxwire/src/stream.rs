//! Documents out of chunks: for sockets, for files of lines, for one array too large to hold.
//!
//! What may surprise: while a document is being decoded, which may run a hook, the stream is
//! whole again and stands after that document. So a hook may feed it, and a document that is
//! wrong does not stop the ones behind it.

use core::ffi::CStr;

use crate::args::{Decoding, count, unknown};
use crate::coder::no_names;
use crate::functions::exactly;
use crate::lines::document;
use crate::raise::{self, Place, START};
use crate::state::State;
use json::Skim;
use py::{Args, Builtin, Class, Data, Getter, Method, Own, Ref, Result, Slot, Visit};
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
    max_buffer: Option<usize>,
    /// What changes; away while a call works on it.
    input: Slot<Pending>,
}

/// What has come and is not used up.
struct Pending {
    bytes: Vec<u8>,
    /// What of `bytes` is used up.
    at: usize,
    /// How far the document at `at` was looked through.
    looked: usize,
    skim: Skim,
    /// Where `bytes` begin in the whole input.
    place: Place,
    stand: Stand,
    closed: bool,
}

/// What there is to do next.
enum Next {
    /// A document stands here, and so long.
    Document(usize),
    /// More input is needed.
    More,
    /// Nothing more comes.
    End,
}

impl Pending {
    fn fault(&self, state: &State, code: Code, at: usize) -> py::Raised {
        raise::malformed(state, Error { code, at }, &self.bytes, self.place)
    }

    /// The end of the document that begins at `at`, if it has one yet.
    fn find(&mut self, kind: Kind) -> Option<usize> {
        let fresh = &self.bytes[self.looked..];
        let end = if kind == Kind::Lines {
            fresh.iter().position(|&b| b == b'\n').map(|n| n + 1)
        } else {
            self.skim.feed(fresh)
        };
        match end {
            Some(n) => {
                let end = self.looked + n;
                self.looked = end;
                Some(end - self.at)
            }
            None => {
                self.looked = self.bytes.len();
                // The last document may end with the input.
                let left = self.bytes.len() - self.at;
                let whole = self.closed && left > 0 && (kind == Kind::Lines || self.skim.ends_here());
                if whole {
                    self.skim = Skim::default();
                }
                whole.then_some(left)
            }
        }
    }

    /// Passes white space, and so many bytes more.
    fn pass(&mut self, n: usize) {
        self.at += n;
        self.looked = self.at;
    }

    fn skip_space(&mut self) -> Option<u8> {
        while let Some(&b) = self.bytes.get(self.at) {
            if !matches!(b, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(b);
            }
            self.pass(1);
        }
        None
    }

    /// Goes on to the next document.
    fn next(&mut self, state: &State, kind: Kind) -> Result<Next> {
        if kind == Kind::Items {
            return self.next_item(state);
        }
        while let Some(n) = self.find(kind) {
            let blank = self.bytes[self.at..self.at + n].trim_ascii().is_empty();
            if !blank {
                return Ok(Next::Document(n));
            }
            self.pass(n);
        }
        if kind == Kind::Documents && self.skim.is_before() {
            // Blanks between documents belong to none.
            self.pass(self.bytes.len() - self.at);
        }
        self.nothing(state, kind)
    }

    /// No document is complete; is that right?
    fn nothing(&self, state: &State, kind: Kind) -> Result<Next> {
        if !self.closed {
            return Ok(Next::More);
        }
        let done = if kind == Kind::Items { self.stand == Stand::End } else { self.at == self.bytes.len() };
        if done { Ok(Next::End) } else { Err(self.fault(state, Code::Eof, self.bytes.len())) }
    }

    fn next_item(&mut self, state: &State) -> Result<Next> {
        loop {
            if self.stand != Stand::Item || self.looked == self.at {
                let Some(b) = self.skip_space() else { return self.nothing(state, Kind::Items) };
                match self.stand {
                    Stand::Before if b == b'[' => self.stand = Stand::First,
                    Stand::First if b == b']' => self.stand = Stand::End,
                    Stand::After if b == b',' => {
                        self.stand = Stand::Item;
                    }
                    Stand::After if b == b']' => self.stand = Stand::End,
                    Stand::Before => return Err(self.not_array(state)),
                    Stand::After => return Err(self.fault(state, Code::CommaOrBracket, self.at)),
                    Stand::End => return Err(self.fault(state, Code::Trailing, self.at)),
                    Stand::Item if b == b']' => return Err(self.fault(state, Code::TrailingComma, self.at)),
                    Stand::First | Stand::Item => {
                        self.stand = Stand::Item;
                        return Ok(match self.find(Kind::Items) {
                            Some(n) => Next::Document(n),
                            None => return self.nothing(state, Kind::Items),
                        });
                    }
                }
                self.pass(1);
                continue;
            }
            return Ok(match self.find(Kind::Items) {
                Some(n) => Next::Document(n),
                None => return self.nothing(state, Kind::Items),
            });
        }
    }

    #[cold]
    fn not_array(&self, state: &State) -> py::Raised {
        let _ = state;
        Builtin::Value.raise("iter_items() reads one array; the input begins with something else")
    }

    /// Drops what is used up, when that is worth it.
    fn compact(&mut self) {
        if self.at == self.bytes.len() || self.at > 64 * 1024 {
            self.place = self.place.after(&self.bytes[..self.at]);
            self.bytes.drain(..self.at);
            self.looked -= self.at;
            self.at = 0;
        }
    }
}

impl Stream {
    /// What the arguments of a constructor say.
    pub(crate) fn parse(args: &Args<'_>, kind: Kind) -> Result<Stream> {
        if !args.positional().is_empty() {
            return Err(Builtin::Type.raise("StreamDecoder() takes keyword arguments only"));
        }
        let mut decoding = Decoding::default();
        let mut max_buffer = None;
        for (name, v) in args.named() {
            let name = name.lossy();
            if name == "max_buffer" && kind == Kind::Documents {
                max_buffer = if v.is_none() { None } else { Some(count(&name, v)?) };
            } else if !decoding.option(&name, v)? {
                return Err(unknown(&name));
            }
        }
        let input = Pending {
            bytes: Vec::new(),
            at: 0,
            looked: 0,
            skim: Skim::default(),
            place: START,
            stand: Stand::Before,
            closed: false,
        };
        Ok(Stream { decoding, kind, max_buffer, input: Slot::new(input) })
    }

    /// The place of an offset of the whole input. A hook that fed the stream meanwhile may have
    /// let the input before it go; then only the offset is known.
    fn place(&self, offset: usize) -> Place {
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
        let Some(mut input) = self.input.take() else {
            return Err(Builtin::Runtime.raise("the stream decoder is in use by another thread"));
        };
        let r = f(&mut input);
        self.input.put(input);
        r
    }
}

impl Class<State> for Stream {
    const NAME: &'static CStr = c"oxwire.json.StreamDecoder";
    const DOC: &'static CStr = c"StreamDecoder(*, raw=False, max_buffer=None, **options)\n--\n\n\
        Documents out of chunks, for sockets: `feed` bytes as they come, iterate the documents that are complete.\n\n\
        Documents may be separated by white space or by nothing; a number or literal at the top level is complete\n\
        only when something follows it or `close` is called.";
    const ITERATES: bool = true;

    fn new(_: &State, args: &Args<'_>) -> Result<Stream> {
        Stream::parse(args, Kind::Documents)
    }
    fn methods(add: &mut Vec<py::MethodDef>) {
        add.push(py::method::<State, Stream, Feed>());
        add.push(py::method::<State, Stream, Close>());
    }
    fn getters(add: &mut Vec<py::GetterDef>) {
        add.push(py::getter::<State, Stream, PendingBytes>());
    }
    fn traverse(&self, visit: &mut Visit<'_>) {
        self.decoding.objects().for_each(|o| visit.object(o));
    }
    fn repr(&self, _: &State) -> Result<Own> {
        let n = self.with(|p| Ok(p.bytes.len() - p.at))?;
        py::text(&format!("<oxwire.json.StreamDecoder, {n} bytes pending>"))
    }
    fn next(state: &State, this: &Self) -> Result<Option<Own>> {
        let taken = this.with(|p| {
            Ok(match p.next(state, this.kind)? {
                Next::Document(n) => {
                    let document = p.bytes[p.at..p.at + n].to_vec();
                    let from = p.place.offset + p.at;
                    p.pass(n);
                    if this.kind == Kind::Items {
                        p.stand = Stand::After;
                    }
                    Some((document, from))
                }
                Next::More | Next::End => {
                    p.compact();
                    None
                }
            })
        })?;
        match taken {
            Some((bytes, from)) => document(state, &this.decoding, bytes, || this.place(from)).map(Some),
            None => Ok(None),
        }
    }
}

struct Feed;
impl Method<State, Stream> for Feed {
    const NAME: &'static CStr = c"feed";
    const DOC: &'static CStr = c"feed($self, data, /)\n--\n\n\
        Add a chunk. Raises DecodeError if an incomplete document grows beyond `max_buffer` bytes, ValueError after\n\
        `close`.";
    fn call(state: &State, this: &Stream, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        no_names("feed", args)?;
        let [data] = exactly::<1>("feed", args)?;
        let data = Data::of(data).map_err(|why| raise::not_data(state, why, data, START))?;
        this.with(|p| {
            if p.closed {
                return Err(Builtin::Value.raise("the stream decoder is closed"));
            }
            p.compact();
            p.bytes.extend_from_slice(data.input().bytes());
            if let Some(max) = this.max_buffer
                && p.bytes.len() - p.at > max
                && p.looked + max >= p.at
                && p.clone_find() > max
            {
                return Err(p.fault(state, Code::Length, p.at + max));
            }
            Ok(py::none())
        })
    }
}

impl Pending {
    /// How many bytes of the document at `at` are known to belong to it, whether it ends or not.
    fn clone_find(&self) -> usize {
        let mut skim = self.skim;
        match skim.feed(&self.bytes[self.looked..]) {
            Some(n) => self.looked + n - self.at,
            None => self.bytes.len() - self.at,
        }
    }
}

struct Close;
impl Method<State, Stream> for Close {
    const NAME: &'static CStr = c"close";
    const DOC: &'static CStr = c"close($self)\n--\n\n\
        No more is to come: a number at the end is complete now. Raises DecodeError when a document is left\n\
        incomplete.";
    fn call(state: &State, this: &Stream, _: Ref<'_>, _: &Args<'_>) -> Result<Own> {
        this.with(|p| {
            p.closed = true;
            Ok(())
        })?;
        // Documents that are complete stay for whoever iterates; only the very end is looked at.
        this.with(|p| {
            let mut end = Pending {
                bytes: p.bytes.clone(),
                at: p.at,
                looked: p.looked,
                skim: p.skim,
                place: p.place,
                stand: p.stand,
                closed: true,
            };
            while let Next::Document(n) = end.next(state, this.kind)? {
                end.at += n;
                end.looked = end.at;
                if this.kind == Kind::Items {
                    end.stand = Stand::After;
                }
            }
            Ok(py::none())
        })
    }
}

struct PendingBytes;
impl Getter<State, Stream> for PendingBytes {
    const NAME: &'static CStr = c"pending";
    const DOC: &'static CStr = c"How many bytes are held that were not given back as documents yet.";
    fn get(_: &State, this: &Stream) -> Result<Own> {
        this.with(|p| py::uint((p.bytes.len() - p.at) as u64))
    }
}
