//! Faults become exceptions. What went wrong is told to functions in Python, which have the words and
//! make the exceptions (`python/oxwire/_raised.py`, and `_faces.py` for the native faces).
//!
//! What may surprise: so code of Python runs here, and whatever it raises comes in the place of what was
//! to be told. That there is no memory is said without it.

use crate::state::State;
use alloc::vec::Vec;
use core::ffi::CStr;
use engine::{Fault, Hooks, Unknown, What};
use py::{Args, Builtin, NotData, Once, Own, Raised, Ref, Result};
use wire::Error;
use wire::say;

/// Where in a longer input the bytes at hand begin.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// Bytes before them.
    pub(crate) offset: usize,
    /// Line feeds before them.
    pub(crate) lines: usize,
    /// Characters since the last of these.
    pub(crate) chars: usize,
}

/// The beginning.
pub(crate) const START: Place = Place { offset: 0, lines: 0, chars: 0 };

impl Place {
    /// The place after more bytes.
    pub(crate) fn after(self, bytes: &[u8]) -> Place {
        let lines = bytes.iter().filter(|&&b| b == b'\n').count();
        let tail =
            bytes.iter().rposition(|&b| b == b'\n').and_then(|at| bytes.get(at + 1..)).unwrap_or(bytes);
        // Characters are counted by the bytes that begin one.
        let chars = tail.iter().filter(|&&b| b & 0xc0 != 0x80).count();
        Place {
            offset: self.offset + bytes.len(),
            lines: self.lines + lines,
            chars: chars + if lines == 0 { self.chars } else { 0 },
        }
    }
}

/// A part of what Python is told about a fault.
pub(crate) enum Part<'a> {
    Text(&'a str),
    Count(usize),
    Bytes(&'a [u8]),
    Flag(bool),
    Object(Option<&'a Own>),
    Given(Ref<'a>),
    /// How many arguments a call has by position, and the names of the others.
    Args(&'a Args<'a>),
}

/// Who makes the exceptions: ours, or those of faces that are native.
#[derive(Clone, Copy)]
pub(crate) enum By {
    Ours,
    Faces,
}

/// The modules that make exceptions. They are imported when the first is asked for.
pub(crate) type Makers = [Once<Own>; 2];

/// A tuple of what Python is told.
fn tuple(parts: &[Part<'_>]) -> Result<Own> {
    let mut all = Vec::with_capacity(parts.len());
    for part in parts {
        all.push(match *part {
            Part::Text(text) => py::text(text)?,
            Part::Count(n) => py::uint(n as u64)?,
            Part::Bytes(bytes) => py::bytes(bytes)?,
            Part::Flag(on) => py::bool(on),
            Part::Object(o) => o.cloned().unwrap_or_else(py::none),
            Part::Given(o) => o.own(),
            Part::Args(args) => {
                let mut all = Vec::from([py::uint(args.positional().len() as u64)?]);
                for (name, _) in args.named() {
                    all.push(py::text(&name.lossy())?);
                }
                py::tuple(&mut all, 0)?
            }
        });
    }
    py::tuple(&mut all, 0)
}

/// What a function in Python says of options.
#[cold]
#[inline(never)]
pub(crate) fn ask(function: &CStr, parts: &[Part<'_>]) -> Result<Own> {
    let module = py::import(c"oxwire._options")?;
    py::instance(module.as_ref().attr_named(function)?.as_ref(), &tuple(parts)?, None)
}

/// Raises what a function in Python makes of some parts, or what was raised on the way.
#[cold]
#[inline(never)]
pub(crate) fn raise(state: &State, by: By, function: &CStr, parts: &[Part<'_>]) -> Raised {
    let make = || {
        let (known, name) = match (by, &state.makers) {
            (By::Ours, [known, _]) => (known, c"oxwire._raised"),
            (By::Faces, [_, known]) => (known, c"oxwire._faces"),
        };
        let parts = tuple(parts)?;
        let module = match known.get() {
            Some(module) => module,
            None => known.set(py::import(name)?),
        };
        let made = py::instance(module.as_ref().attr_named(function)?.as_ref(), &parts, None)?;
        Ok(py::raise_object(made.as_ref()))
    };
    make().unwrap_or_else(|r: Raised| r)
}

/// The exception for what could not be written.
#[cold]
pub(crate) fn encode(state: &State, fault: &Fault, face: &Option<Own>) -> Raised {
    let told = match fault.what {
        What::Raised => return Raised,
        What::Memory => return Builtin::Memory.raise(say!("not enough memory for the output")),
        _ => fault.told(),
    };
    let parts = [
        Part::Object(face.as_ref()),
        Part::Text(&fault.path),
        Part::Count(told.what),
        Part::Text(told.text),
        Part::Count(told.number),
        Part::Count(told.code),
    ];
    raise(state, By::Ours, c"encode", &parts)
}

/// The exception of a face for what could not be written.
#[cold]
pub(crate) fn not_written(state: &State, fault: &Fault, function: &CStr) -> Raised {
    let told = match fault.what {
        What::Raised => return Raised,
        What::Memory => return Builtin::Memory.raise(say!("not enough memory")),
        _ => fault.told(),
    };
    // What a hook raised. Nothing else is set.
    let cause = py::take_raised();
    let parts = [
        Part::Object(cause.as_ref()),
        Part::Count(told.what),
        Part::Text(told.text),
        Part::Count(told.number),
        Part::Count(told.code),
    ];
    raise(state, By::Faces, function, &parts)
}

/// What is read; Python names it.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Form {
    Json,
    Pack,
    Graph,
}

/// What was read: bytes of a form, which begin at a place, or an object.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    Bytes(Form, &'a [u8], Place),
    Object(Ref<'a>),
}

/// The exception for what could not be read from `bytes`, which begin at a place.
#[cold]
pub(crate) fn decode(
    state: &State,
    fault: &Fault,
    bytes: &[u8],
    place: Place,
    hooks: Option<&Hooks>,
) -> Raised {
    not_read(state, fault, hooks, Source::Bytes(Form::Json, bytes, place))
}

/// The exception for a MessagePack message that could not be read; `offset` bytes are before it.
#[cold]
pub(crate) fn unpack(
    state: &State,
    fault: &Fault,
    bytes: &[u8],
    offset: usize,
    hooks: Option<&Hooks>,
) -> Raised {
    not_read(state, fault, hooks, Source::Bytes(Form::Pack, bytes, Place { offset, ..START }))
}

/// The exception for what could not be read.
#[cold]
#[inline(never)]
pub(crate) fn not_read(state: &State, fault: &Fault, hooks: Option<&Hooks>, source: Source<'_>) -> Raised {
    match (&fault.what, source) {
        (What::Wire(e), source) => {
            let (form, bytes, place) = match source {
                Source::Bytes(form, bytes, place) => (form, bytes, place),
                Source::Object(_) => (Form::Json, [].as_slice(), START),
            };
            let face = hooks.and_then(|h| h.fault.as_ref());
            malformed_at(state, *e, form, bytes, place, face, &fault.path)
        }
        (What::Invalid(words, cause), _) => invalid(state, words, &fault.path, &cause.0, hooks, source),
        _ => Raised,
    }
}

/// The exception for a graph that could not be read from `bytes`.
#[cold]
pub(crate) fn graph(state: &State, fault: &Fault, bytes: &[u8]) -> Raised {
    not_read(state, fault, None, Source::Bytes(Form::Graph, bytes, START))
}

/// The exception for a value that is not what its type says.
fn invalid(
    state: &State,
    words: &str,
    path: &str,
    cause: &Option<Own>,
    hooks: Option<&Hooks>,
    source: Source<'_>,
) -> Raised {
    let all = match hooks {
        Some(hooks) if hooks.all => match all_of(hooks, source) {
            Ok(all) => Some(all),
            Err(raised) => return raised,
        },
        _ => None,
    };
    let parts =
        [Part::Text(words), Part::Text(path), Part::Object(cause.as_ref()), Part::Object(all.as_ref())];
    raise(state, By::Ours, c"invalid", &parts)
}

/// What is asked for to tell of all that is wrong: what was read, which is read again.
#[cold]
fn all_of(hooks: &Hooks, source: Source<'_>) -> Result<Own> {
    let (object, place) = match source {
        Source::Object(o) => (o.own(), None),
        Source::Bytes(form, bytes, Place { offset, lines, chars }) => {
            let lined = Part::Flag(form == Form::Json);
            let place = [lined, Part::Count(offset), Part::Count(lines), Part::Count(chars)];
            (py::bytes(bytes)?, Some(tuple(&place)?))
        }
    };
    let told = tuple(&[
        Part::Object(hooks.program.as_ref()),
        Part::Object(hooks.custom.as_ref()),
        Part::Flag(!hooks.lax),
        match hooks.unknown {
            Unknown::AsClass => Part::Object(None),
            unknown => Part::Flag(unknown == Unknown::Forbid),
        },
        Part::Flag(hooks.attributes),
        Part::Flag(hooks.text_keys),
    ])?;
    tuple(&[Part::Object(Some(&object)), Part::Object(place.as_ref()), Part::Object(Some(&told))])
}

/// How much of malformed MessagePack a compatible face gets to see.
const HEAD: usize = 32;

/// The exception for malformed MessagePack, which is wrong in `bytes`; `offset` bytes are before these.
#[cold]
pub(crate) fn malformed_pack(state: &State, e: Error, bytes: &[u8], offset: usize) -> Raised {
    malformed_at(state, e, Form::Pack, bytes, Place { offset, ..START }, None, "")
}

/// The exception for malformed JSON.
#[cold]
pub(crate) fn malformed(state: &State, e: Error, bytes: &[u8], place: Place) -> Raised {
    malformed_at(state, e, Form::Json, bytes, place, None, "")
}

/// The exception for malformed input, or what a compatible face makes of it.
#[cold]
#[inline(never)]
fn malformed_at(
    state: &State,
    e: Error,
    form: Form,
    bytes: &[u8],
    place: Place,
    face: Option<&Own>,
    path: &str,
) -> Raised {
    if e.code == wire::Code::Memory {
        return Builtin::Memory.raise(match form {
            Form::Json => say!("not enough memory for the output"),
            Form::Pack | Form::Graph => say!("not enough memory for the value"),
        });
    }
    let (before, rest) = bytes.split_at_checked(e.at).unwrap_or((bytes, b""));
    let head = rest.get(..if form == Form::Json { 1 } else { HEAD }).unwrap_or(rest);
    let at = match form {
        Form::Json => place.after(before),
        // Lines are for text.
        Form::Pack | Form::Graph => Place { offset: place.offset + e.at, ..place },
    };
    let parts = [
        Part::Object(face),
        Part::Text(path),
        Part::Count(form as usize),
        Part::Count(e.code as usize),
        Part::Count(at.offset),
        Part::Count(at.lines),
        Part::Count(at.chars),
        Part::Bytes(head),
    ];
    raise(state, By::Ours, c"malformed", &parts)
}

/// The exception for what is no input.
#[cold]
pub(crate) fn not_data(state: &State, why: NotData, o: Ref<'_>, place: Place) -> Raised {
    match why {
        NotData::Raised => Raised,
        NotData::NoBuffer => Builtin::Type.raise_words(
            say!("expected bytes, another contiguous buffer, or str, got `{}`"),
            &[py::Word::Class(o)],
        ),
        NotData::NotUtf8(before) => {
            malformed(state, Error { code: wire::Code::NotUtf8, at: before.len() }, &before, place)
        }
    }
}
