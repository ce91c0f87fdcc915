//! Faults become exceptions.

use crate::state::State;
use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::CStr;
use engine::{Fault, Hooks, Unknown, What};
use py::{Builtin, NotData, Own, Raised, Ref};
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

/// What an exception knows besides its message.
enum Known<'a> {
    Text(&'a str),
    Count(usize),
    Bytes(&'a [u8]),
    Nothing,
}

/// Raises an exception with a message and attributes.
#[cold]
#[inline(never)]
fn raise(class: &Own, message: &str, known: &[(&CStr, Known<'_>)], cause: Option<&Own>) -> Raised {
    let make = || {
        let x = py::call1(class.as_ref(), py::text(message)?.as_ref())?;
        for (name, v) in known {
            let v = match *v {
                Known::Text(v) => py::text(v)?,
                Known::Count(v) => py::uint(v as u64)?,
                Known::Bytes(v) => py::bytes(v)?,
                Known::Nothing => py::none(),
            };
            x.as_ref().set_attr(name, &v)?;
        }
        if let Some(cause) = cause {
            py::set_cause(x.as_ref(), cause.clone());
        }
        Ok(py::raise_object(x.as_ref()))
    };
    make().unwrap_or_else(|r: Raised| r)
}

/// The exception that is set, or what a compatible face in Python makes of it.
#[cold]
#[inline(never)]
fn told(face: &Option<Own>, raised: Raised, path: &str) -> Raised {
    let Some(face) = face else { return raised };
    let Some(x) = py::take_raised() else { return raised };
    let path = py::text(path).and_then(|path| x.as_ref().set_attr(c"_path", &path));
    path.and_then(|()| py::call1(face.as_ref(), x.as_ref()))
        .map_or_else(|r| r, |x| py::raise_object(x.as_ref()))
}

/// The exception for what could not be written.
#[cold]
pub(crate) fn encode(state: &State, fault: &Fault, face: &Option<Own>) -> Raised {
    match fault.what {
        What::Raised => return Raised,
        What::Memory => return Builtin::Memory.raise(say!("not enough memory for the output")),
        _ => {}
    }
    let words = fault.words();
    let message = py::words(say!("{} - at `{}`"), &[(&words).into(), (&ends(&fault.path)).into()]);
    let known = [
        (c"msg", Known::Text(&words)),
        (c"path", Known::Text(&fault.path)),
        (c"_code", Known::Text(short_what(&fault.what))),
    ];
    told(face, raise(&state.errors.encode, &message, &known, None), &fault.path)
}

/// A path as a message shows it: of a long one, how it begins and how it ends.
fn ends(path: &str) -> String {
    const SHOWN: usize = 100;
    let to = path.char_indices().nth(SHOWN).map_or(0, |(at, _)| at);
    let from = path.char_indices().nth_back(SHOWN).map_or(0, |(at, _)| at);
    match (path.get(..to), path.get(from..)) {
        (Some(first), Some(last)) if to < from => py::words(say!("{} ... {}"), &[first.into(), last.into()]),
        _ => path.into(),
    }
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
    match fault.what {
        What::Wire(e) => told(face_of(hooks), malformed(state, e, bytes, place), &fault.path),
        _ => invalid(state, fault, hooks, Source::Bytes(bytes, place, true)),
    }
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
    match fault.what {
        What::Wire(e) => {
            told(face_of(hooks), malformed_pack(state, "MessagePack", e, bytes, offset), &fault.path)
        }
        _ => invalid(state, fault, hooks, Source::Bytes(bytes, Place { offset, ..START }, false)),
    }
}

/// The exception for a graph that could not be read from `bytes`.
#[cold]
pub(crate) fn graph(state: &State, fault: &Fault, bytes: &[u8]) -> Raised {
    match fault.what {
        What::Wire(e) => malformed_pack(state, "message", e, bytes, 0),
        _ => Raised,
    }
}

/// What was read: bytes that begin at a place and may have lines, or an object.
pub(crate) enum Source<'a> {
    Bytes(&'a [u8], Place, bool),
    Object(Ref<'a>),
}

/// The exception for a value that is not what its type says.
#[cold]
pub(crate) fn invalid(state: &State, fault: &Fault, hooks: Option<&Hooks>, source: Source<'_>) -> Raised {
    let What::Invalid(words, cause) = &fault.what else { return Raised };
    let (message, path) = match fault.path.as_str() {
        "" | "$" => (words.clone(), "$"),
        path => (py::words(say!("{} - at `{}`"), &[words.into(), (&ends(path)).into()]), path),
    };
    let known = [
        (c"msg", Known::Text(words)),
        (c"path", Known::Text(path)),
        (c"offset", Known::Nothing),
        (c"line", Known::Nothing),
        (c"column", Known::Nothing),
    ];
    let raised = raise(&state.errors.validation, &message, &known, cause.0.as_ref());
    match hooks {
        Some(hooks) if hooks.all => {
            let Some(x) = py::take_raised() else { return raised };
            all_of(&x, hooks, source).map_or_else(|r| r, |()| py::raise_object(x.as_ref()))
        }
        _ => raised,
    }
}

/// Tells an exception of all that is wrong, for which what was read is read again.
#[cold]
fn all_of(x: &Own, hooks: &Hooks, source: Source<'_>) -> Result<(), Raised> {
    let (object, place) = match source {
        Source::Object(o) => (o.own(), py::none()),
        Source::Bytes(bytes, place, lines) => {
            let numbers = [place.offset, place.lines, place.chars];
            let mut parts = Vec::from([py::bool(lines)]);
            for n in numbers {
                parts.push(py::uint(n as u64)?);
            }
            (py::bytes(bytes)?, py::tuple(&mut parts, 0)?)
        }
    };
    let or_none = |o: &Option<Own>| o.clone().unwrap_or_else(py::none);
    let unknown = match hooks.unknown {
        Unknown::AsClass => py::none(),
        unknown => py::bool(unknown == Unknown::Forbid),
    };
    let mut told = Vec::from([
        or_none(&hooks.program),
        or_none(&hooks.custom),
        py::bool(!hooks.lax),
        unknown,
        py::bool(hooks.attributes),
        py::bool(hooks.text_keys),
    ]);
    let told = py::tuple(&mut told, 0)?;
    let tell = py::import(c"oxwire._faults")?.as_ref().attr_named(c"tell")?;
    py::call(tell.as_ref(), &[x.as_ref(), object.as_ref(), place.as_ref(), told.as_ref()]).map(drop)
}

fn face_of(hooks: Option<&Hooks>) -> &Option<Own> {
    hooks.map_or(&None, |h| &h.fault)
}

/// How much of what is wrong a compatible face gets to see.
const HEAD: usize = 32;

/// The exception for malformed MessagePack, which is wrong in `bytes`; `offset` bytes are before these.
#[cold]
pub(crate) fn malformed_pack(state: &State, form: &str, e: Error, bytes: &[u8], offset: usize) -> Raised {
    let rest = bytes.get(e.at..).unwrap_or_default();
    let head = rest.get(..HEAD).unwrap_or(rest);
    let e = Error { at: e.at + offset, ..e };
    if e.code == wire::Code::Memory {
        return Builtin::Memory.raise(say!("not enough memory for the value"));
    }
    let words = match e.code {
        wire::Code::DuplicateKey => say!("the key stands twice in one map"),
        code => code.words(),
    };
    let message = py::words(say!("Malformed {}: {} (byte {})"), &[form.into(), words.into(), e.at.into()]);
    let known = [
        (c"msg", Known::Text(&words.text())),
        (c"offset", Known::Count(e.at)),
        // Lines are for text.
        (c"line", Known::Nothing),
        (c"column", Known::Nothing),
        (c"_code", Known::Text(short_code(e.code))),
        (c"_head", Known::Bytes(head)),
    ];
    raise(&state.errors.decode, &message, &known, None)
}

/// A word for a fault, by which a compatible face written in Python chooses its own.
fn short_what(what: &What) -> &'static str {
    match what {
        What::Raised | What::Wire(_) | What::Undeclared | What::Invalid(..) => "raised",
        What::Memory => "memory",
        What::Unsupported(_) | What::HookRaised(_) => "unsupported",
        What::Chain => "chain",
        What::Depth(_) | What::Inner(_) => "depth",
        What::IntRange(_) => "int_range",
        What::NonFinite | What::FloatRange => "float_range",
        What::Surrogate(_) => "surrogate",
        What::Key(..) | What::KeyNotStr | What::KeyOrder | What::KeyRange | What::SameKey(_) => "key",
        What::Changed(_) => "changed",
        What::Raw(_) | What::Fragment => "raw",
        What::Array(_) => "array",
        What::TimeWithZone | What::TimeRange => "time",
        What::Length => "length",
        What::Ext => "ext",
    }
}

/// The same for a fault in the input.
fn short_code(code: wire::Code) -> &'static str {
    use wire::Code;
    match code {
        Code::Eof | Code::Empty => "eof",
        Code::Marker => "marker",
        Code::NotUtf8 => "utf8",
        Code::Depth => "depth",
        Code::Length | Code::LongStr | Code::LongBytes | Code::LongArray | Code::LongMap | Code::LongExt => {
            "length"
        }
        Code::Key | Code::MapKey | Code::KeyKind => "key",
        Code::Timestamp | Code::TimeRange => "timestamp",
        Code::Trailing => "trailing",
        Code::DuplicateKey => "duplicate_key",
        Code::NotShortest => "not_shortest",
        _ => "other",
    }
}

/// The exception for malformed input.
#[cold]
pub(crate) fn malformed(state: &State, e: Error, bytes: &[u8], place: Place) -> Raised {
    if e.code == wire::Code::Memory {
        return Builtin::Memory.raise(say!("not enough memory for the output"));
    }
    let at = place.after(bytes.get(..e.at).unwrap_or(bytes));
    let (words, line, column) = (e.code.words(), at.lines + 1, at.chars + 1);
    let message = py::words(
        say!("Malformed JSON: {} - at line {}, column {} (byte {})"),
        &[words.into(), line.into(), column.into(), at.offset.into()],
    );
    let known = [
        (c"msg", Known::Text(&words.text())),
        (c"offset", Known::Count(at.offset)),
        (c"line", Known::Count(line)),
        (c"column", Known::Count(column)),
        (c"_head", Known::Bytes(bytes.get(e.at..e.at + 1).unwrap_or_default())),
    ];
    raise(&state.errors.decode, &message, &known, None)
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
