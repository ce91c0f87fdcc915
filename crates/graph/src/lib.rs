//! Graphs of Python objects, out to the native format and in from it.
//!
//! What may surprise: this is no instance of the engine's loops. A format that keeps identity asks of every object whether it was
//! met before, and builds containers before what they hold; a format that does not would pay for both. docs/decisions/0020-graphs.md
//! has the reasons.
//!
//! Here is what is met often, and the two phases of reading. All other types are known to a *helper*, an object in Python
//! (python/oxwire/_native.py): it spells what an object begins with and says what follows, and it makes an object of the bytes
//! behind a tag. So a type costs a line in a table there and nothing here.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod apart;
mod close;
mod feed;
mod memo;
mod moment;
mod open;
mod out;

use alloc::boxed::Box;
use alloc::string::String;

use py::{Held, Own, Ref, Result, Slot, TupleKind, Young};

use feed::Reading;
use out::Writing;

/// What is called, by its place among the calls of a codec.
pub mod calls {
    /// `describe(object)`: the bytes that it begins with, and a list of what follows, or bytes that do. If there is a third item,
    /// what follows are no objects of their own.
    pub const DESCRIBE: usize = 0;
    /// `plan(class)`: how objects of a class are taken apart, if that can be said of all; `True` for atoms.
    pub const PLAN: usize = 1;
    /// `make(tag, raw, value, at)`: an object of what is seldom met. Of a buffer beside the message `raw` is the list of those that
    /// were given; without a value, they are too many. Above the eight bits of EXT stands how many bytes of the message it took.
    pub const MAKE: usize = 2;
    /// `open(code)`: an object of the standard library without its body; `None` if it can only be made of it.
    pub const OPEN: usize = 3;
    /// `resolve(kind, definition)`: how objects of a type are made; the definition is its name, version and fields.
    pub const RESOLVE: usize = 4;
    /// `finish(later)`: a function that does what was left for later, and gives each frozenset that is to be filled.
    pub const FINISH: usize = 5;
    /// `object.__new__`.
    pub const NEW: usize = 6;
    /// `blame(exception, where)`: tells an exception of the helper where it was raised: steps, or an offset. Gives the path that the
    /// steps make, also of no exception.
    pub const BLAME: usize = 7;
    /// `encode(object, options)` and `decode(buffer, options)`: what a call with keywords gives.
    pub const ENCODE: usize = 8;
    /// As above.
    pub const DECODE: usize = 9;
}

/// All that encoders and decoders are told, with what calls keep for the next.
pub struct Codec {
    /// What is called.
    pub calls: Held<TupleKind>,
    /// Whether what is one object is written once. Of what reads: whether a message must be all that there is; otherwise it
    /// says too where the message ended.
    pub memoize: bool,
    /// Whether buffers travel beside the message that is written.
    pub collect: bool,
    /// Whether calls may have options.
    pub options: bool,
    /// How deep values may nest.
    pub max_depth: usize,
    /// The longest integer, in bytes.
    pub max_int_bytes: usize,
    /// How much memory what is read may take, by an estimate, in bytes; 0 for as much as suits the message.
    pub max_memory: usize,
    kept: Slot<Room>,
}

/// What calls of both directions work in.
#[derive(Default)]
struct Room {
    writing: Writing,
    reading: Reading,
}

impl Codec {
    /// A codec over what is called; `how` has a bit for each truth value below, in order; the limits are depth, bytes of an integer,
    /// memory.
    pub fn new(calls: Held<TupleKind>, how: usize, limits: [usize; 3]) -> Codec {
        let [max_depth, max_int_bytes, max_memory] = limits;
        Codec {
            calls,
            memoize: how & 1 != 0,
            collect: how & 2 != 0,
            options: how & 4 != 0,
            max_depth,
            max_int_bytes,
            max_memory,
            kept: Slot::default(),
        }
    }

    /// Says of an exception of the helper where it was raised: gives the path, if that is what was said.
    #[cold]
    #[inline(never)]
    fn blame(&self, raised: Option<Own>, place: py::Result<Own>) -> String {
        let x = raised.clone().unwrap_or_else(py::none);
        let told = place.and_then(|place| self.ask(calls::BLAME, &[x.as_ref(), place.as_ref()]));
        match (told, raised) {
            // Whatever it raises itself comes out instead.
            (Err(_), None) => drop(py::take_raised()),
            (Err(_), Some(_)) => {}
            (Ok(path), raised) => {
                if let Some(raised) = raised {
                    py::raise_object(raised.as_ref());
                }
                return path.as_ref().as_str().map_or_else(String::new, |path| path.lossy());
            }
        }
        String::new()
    }

    #[inline(never)]
    fn room(&self) -> Box<Room> {
        self.kept.take().unwrap_or_else(|| {
            let mut room = Box::<Room>::default();
            room.reading.found = Young::found();
            room
        })
    }

    /// Keeps the room for the next call. What the last was about is forgotten.
    #[inline(never)]
    fn put(&self, room: Box<Room>) {
        self.kept.put(room);
    }

    /// What a call gives.
    pub fn ask(&self, which: usize, args: &[Ref<'_>]) -> Result<Own> {
        match self.calls.get(which) {
            Some(f) => py::call(f, args),
            None => Ok(py::none()),
        }
    }
}

/// What both directions know of one interpreter.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// The classes of moments.
    pub moments: &'a py::MomentTypes,
    /// Classes with fields.
    pub structs: &'a model::Classes,
}

pub use feed::read;
pub use out::write;
