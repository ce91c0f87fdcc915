//! The face of `oxwire.compat.orjson`: its names, option numbers, limits and texts, over the same
//! engine. The option bits die here.

use alloc::vec;
use alloc::vec::Vec;
use core::ffi::CStr;
use wire::{Said, say};

use crate::args::Encoding;
use crate::instances;
use crate::state::State;
use engine::{Fault, Hooks, Order, Quirks, SortSet, Splice, What, sorts};
use json::{Limits, NonFinite};
use py::{Args, Builtin, Class, Data, Function, Int, NotData, Own, Raised, Result, Seen, Visit, Word, doc};
use wire::{Code, Error};

const INDENT_2: i64 = 1 << 0;
const NAIVE_UTC: i64 = 1 << 1;
const NON_STR_KEYS: i64 = 1 << 2;
const OMIT_MICROSECONDS: i64 = 1 << 3;
const SERIALIZE_NUMPY: i64 = 1 << 4;
const SORT_KEYS: i64 = 1 << 5;
const STRICT_INTEGER: i64 = 1 << 6;
const UTC_Z: i64 = 1 << 7;
const PASSTHROUGH_SUBCLASS: i64 = 1 << 8;
const PASSTHROUGH_DATETIME: i64 = 1 << 9;
const APPEND_NEWLINE: i64 = 1 << 10;
const PASSTHROUGH_DATACLASS: i64 = 1 << 11;
const ALL: i64 = (1 << 12) - 1;

/// How deep containers may nest in what is written.
const WRITE_DEPTH: usize = 254;
/// How deep in what is read.
const READ_DEPTH: usize = 1024;

/// Lists them for the module.
pub(crate) fn add(all: &mut Vec<py::MethodDef>) {
    py::function::<State, Dumps>(all);
    py::function::<State, Loads>(all);
    py::function::<State, DecodeError>(all);
}

fn encoding(default: Option<Own>, bits: i64) -> Encoding {
    let on = |bit: i64| bits & bit != 0;
    let mut e = Encoding::default();
    let r = &mut e.rules;
    r.hook = default;
    r.sorts = sorts::NONE.with(sorts::ENUM).with(sorts::UUID).with(sorts::FRAGMENT);
    let mut allow = |set: SortSet, not: i64| {
        if !on(not) {
            r.sorts = r.sorts.with(set);
        }
    };
    allow(sorts::SUBCLASSES, PASSTHROUGH_SUBCLASS);
    allow(sorts::MOMENTS, PASSTHROUGH_DATETIME);
    allow(sorts::DATACLASS, PASSTHROUGH_DATACLASS);
    if on(SERIALIZE_NUMPY) {
        r.sorts = r.sorts.with(sorts::ARRAYS);
    }
    r.max_depth = WRITE_DEPTH;
    r.order = if on(SORT_KEYS) { Order::Sorted } else { Order::Stored };
    r.finite = false;
    r.max_float = f64::INFINITY;
    r.big_ints = false;
    if on(STRICT_INTEGER) {
        r.max_int = (1 << 53) - 1;
        r.int_bits = 53;
    }
    r.quirks = Quirks {
        str_keys: !on(NON_STR_KEYS),
        same_keys: true,
        dataclass_dict: true,
        public: sorts::DATACLASS,
        decorated_only: true,
        naive_times: true,
        wrap_hook: true,
        plain_arrays: true,
        few_keys: true,
        stored_dicts: true,
        ..Quirks::default()
    };
    e.style.non_finite = NonFinite::Null;
    e.style.indent = on(INDENT_2).then(|| vec![b' '; 2]);
    e.style.time.naive_utc = on(NAIVE_UTC);
    e.style.time.utc_z = on(UTC_Z);
    e.style.time.omit_microseconds = on(OMIT_MICROSECONDS);
    e.newline = on(APPEND_NEWLINE);
    e
}

struct Dumps;
impl Function<State> for Dumps {
    const NAME: &'static CStr = c"oxwire.compat.orjson.dumps";
    const DOC: &'static CStr =
        doc!(c"dumps(obj, /, default=None, option=None)\n--\n\nSerialize Python objects to JSON.");

    const OFTEN: bool = true;
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        let (obj, mut default, mut option) = match *args.positional() {
            [] => {
                return Err(
                    Builtin::Type.raise(say!("dumps() missing 1 required positional argument: 'obj'"))
                );
            }
            [obj] => (obj, None, None),
            [obj, default] => (obj, Some(default), None),
            [obj, default, option] => (obj, Some(default), Some(option)),
            _ => return Err(Builtin::Type.raise(say!("dumps() takes at most 3 positional arguments"))),
        };
        for (name, v) in args.named() {
            let place = if name.is("default") {
                &mut default
            } else if name.is("option") {
                &mut option
            } else {
                return Err(Builtin::Type.raise(say!("dumps() got an unexpected keyword argument")));
            };
            if place.is_some() {
                return Err(Builtin::Type.raise_words(
                    say!("dumps() got multiple values for argument: '{}'"),
                    &[Word::Name(name.as_ref())],
                ));
            }
            *place = Some(v);
        }
        let bits = match option.map(|o| o.see()) {
            None | Some(Seen::None) => 0,
            Some(Seen::Int(i)) => match i.get_cold() {
                Int::I64(bits @ 0..=ALL) => bits,
                _ => return Err(Builtin::Type.raise(say!("Invalid opts"))),
            },
            Some(_) => return Err(Builtin::Type.raise(say!("Invalid opts"))),
        };
        let default = default.filter(|d| !d.is_none()).map(|d| d.own());
        let e = encoding(default, bits);
        let out = py::bytes_buf(&state.room);
        let mut out = match instances::json_walk(state, &e, obj, out) {
            Ok(out) => out,
            Err(fault) => return Err(not_written(&fault)),
        };
        if e.newline && out.push(b'\n').is_err() {
            return Err(Builtin::Memory.raise(say!("not enough memory")));
        }
        py::finish(out, &state.room)
    }
}

#[cold]
fn not_written(fault: &Fault) -> Raised {
    const NO: Word<'_> = Word::Count(0);
    const NOT_SERIALIZABLE: Said = say!("Type is not JSON serializable: {}");
    let words;
    let (frame, word): (Said, Word<'_>) = match &fault.what {
        What::Raised => return Raised,
        What::Memory => return Builtin::Memory.raise(say!("not enough memory")),
        What::HookRaised(class) => {
            let text = py::words(NOT_SERIALIZABLE, &[class.into()]);
            let make = || {
                let cause = py::take_raised();
                let e = py::call1(Builtin::Type.class(), py::text(&text)?.as_ref())?;
                if let Some(cause) = cause {
                    py::set_cause(e.as_ref(), cause);
                }
                Ok(py::raise_object(e.as_ref()))
            };
            return make().unwrap_or_else(|r: Raised| r);
        }
        What::Unsupported(class) => (NOT_SERIALIZABLE, class.into()),
        What::Chain => (say!("default serializer exceeds recursion limit"), NO),
        What::Depth(_) => (say!("Recursion limit reached"), NO),
        What::IntRange(bits) => (say!("Integer exceeds {}-bit range"), Word::Count(u64::from(*bits))),
        What::Surrogate(_) => (say!("str is not valid UTF-8: surrogates not allowed"), NO),
        What::Fragment => (say!("orjson.Fragment's content is not of type bytes or str"), NO),
        What::KeyNotStr => (say!("Dict key must be str"), NO),
        What::Key(..) => (say!("Dict key must a type serializable with OPT_NON_STR_KEYS"), NO),
        What::KeyRange => (say!("Dict integer key must be within 64-bit range"), NO),
        What::TimeWithZone => (say!("datetime.time must not have tzinfo set"), NO),
        _ => {
            words = fault.words();
            (say!("{}"), (&words).into())
        }
    };
    Builtin::Type.raise_words(frame, &[word])
}

struct Loads;
impl Function<State> for Loads {
    const NAME: &'static CStr = c"oxwire.compat.orjson.loads";
    const DOC: &'static CStr = doc!(c"loads(obj, /)\n--\n\nDeserialize JSON to Python objects.");

    const OFTEN: bool = true;
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        if args.has_names() {
            return Err(Builtin::Type.raise(say!("orjson.loads() takes no keyword arguments")));
        }
        let [o] = *args.positional() else {
            let n = args.positional().len();
            return Err(Builtin::Type
                .raise_words(say!("orjson.loads() takes exactly one argument ({} given)"), &[n.into()]));
        };
        if !o.is_plain_data() {
            return Err(not_read(state, NO_INPUT, b"", 0));
        }
        let data = match Data::of(o) {
            Ok(data) => data,
            Err(NotData::NotUtf8(_)) => return Err(not_read(state, NOT_UTF8, b"", 0)),
            Err(_) if py::pending(Builtin::Memory) => return Err(Raised),
            Err(_) => {
                py::clear();
                return Err(not_read(state, NO_INPUT, b"", 0));
            }
        };
        let input = data.input();
        if input.bytes().is_empty() {
            return Err(not_read(state, say!("Input is a zero-length, empty document"), b"", 0));
        }
        match instances::json_build(state, &state.orjson, input) {
            Ok(o) => Ok(o),
            Err(fault) => Err(match fault.what {
                What::Wire(e) => malformed(state, e, input.bytes()),
                _ => Raised,
            }),
        }
    }
}

/// What `loads` reads with.
pub(crate) fn decoding() -> crate::args::Decoding {
    crate::args::Decoding {
        hooks: Hooks { max_depth: READ_DEPTH, guess: true, ..Hooks::default() },
        limits: Limits { max_depth: READ_DEPTH, ..Limits::default() },
        raw: false,
    }
}

const NO_INPUT: Said = say!("Input must be bytes, bytearray, memoryview, or str");
const NOT_UTF8: Said = say!("str is not valid UTF-8: surrogates not allowed");

/// The words and the place that this face has for a fault.
#[cold]
fn malformed(state: &State, e: Error, bytes: &[u8]) -> Raised {
    // All of the input is text before any of it is JSON.
    if core::str::from_utf8(bytes).is_err() {
        return not_read(state, NOT_UTF8, b"", 0);
    }
    let here = bytes.get(e.at).copied().unwrap_or(0);
    let mut at = e.at;
    let words = match e.code {
        Code::Empty => {
            at = 0;
            say!("input data is empty")
        }
        Code::Eof => say!("unexpected end of data"),
        Code::Value | Code::NotFinite if matches!(here, b'+' | b'.') => say!("no digit after sign"),
        Code::NotFinite if here == b'-' => {
            at += 1;
            say!("no digit after sign")
        }
        Code::Value | Code::NotFinite => say!("unexpected character, expected a JSON value"),
        Code::Literal => match here {
            b'n' => say!("invalid literal, expected 'null'"),
            b't' => say!("invalid literal, expected 'true'"),
            _ => say!("invalid literal, expected 'false'"),
        },
        Code::CommaOrBracket => say!("unexpected character, expected ',' or ']'"),
        Code::CommaOrBrace => say!("unexpected character, expected ',' or '}'"),
        Code::TrailingComma => {
            at = bytes.get(..at).and_then(|b| b.iter().rposition(|&b| b == b',')).unwrap_or(at);
            say!("trailing comma is not allowed")
        }
        Code::Key => say!("unexpected character, expected a string key"),
        Code::Colon => say!("unexpected character, expected ':' after key"),
        Code::Digit => say!("no digit after sign"),
        Code::FractionDigit => say!("no digit after decimal point"),
        Code::ExponentDigit => say!("no digit after exponent sign"),
        Code::LeadingZero => say!("number with leading zero is not allowed"),
        Code::FloatRange => say!("number is infinity when parsed as double"),
        Code::Control => say!("unexpected control character in string"),
        Code::Escape => say!("invalid escaped sequence in string"),
        Code::Surrogate => surrogate(bytes.get(at..).unwrap_or_default()),
        Code::Bom => say!("UTF-8 byte order mark (BOM) is not supported"),
        Code::Trailing => say!("unexpected content after document"),
        Code::Depth => {
            // Behind the bracket.
            at += 1;
            say!("depth limit exceeded")
        }
        other => other.words(),
    };
    not_read(state, words, bytes, at)
}

/// Which half of a pair is wrong, at the escape that begins it.
fn surrogate(escape: &[u8]) -> Said {
    let low = matches!(escape.get(3).map(u8::to_ascii_lowercase), Some(b'c'..=b'f'));
    if low {
        say!("invalid high surrogate in string")
    } else if escape.get(6..8) == Some(b"\\u") {
        say!("invalid low surrogate in string")
    } else {
        say!("no low surrogate in string")
    }
}

fn not_read(state: &State, words: Said, doc: &[u8], at: usize) -> Raised {
    let make = || {
        let pos = doc.get(..at).unwrap_or(doc).iter().filter(|&&b| b & 0xc0 != 0x80).count();
        let mut args = vec![py::text(&words.text())?, py::str_from(doc)?, py::uint(pos as u64)?];
        let e = py::instance(error(state)?.as_ref(), &py::tuple(&mut args, 0)?, None)?;
        Ok(py::raise_object(e.as_ref()))
    };
    make().unwrap_or_else(|r: Raised| r)
}

/// The class of such errors. It is made when it is first asked for: its base is the standard library's, which takes
/// longer to import than all of ours.
fn error(state: &State) -> Result<&Own> {
    if let Some(known) = state.errors.orjson_decode.get() {
        return Ok(known);
    }
    let base = py::import(c"json")?.as_ref().attr_named(c"JSONDecodeError")?;
    let (name, doc) = (c"oxwire.compat.orjson.JSONDecodeError", c"The input is not valid JSON.");
    Ok(state.errors.orjson_decode.set(py::new_exception(name, doc, base.as_ref())?))
}

struct DecodeError;
impl Function<State> for DecodeError {
    const NAME: &'static CStr = c"oxwire.compat.orjson.decode_error";
    const DOC: &'static CStr = doc!(c"The class of the errors of `loads`.");
    fn call(state: &State, _: &Args<'_>) -> Result<Own> {
        error(state).cloned()
    }
}

/// `Fragment`: JSON that goes into the output unseen.
pub(crate) struct Fragment {
    contents: Own,
}

impl Fragment {
    /// What goes into the output.
    pub(crate) fn splice<'a>(&'a self, room: &'a mut Vec<u8>) -> Splice<'a> {
        let o = self.contents.as_ref();
        if o.is_bytes()
            && let Some(b) = o.as_bytes()
        {
            return Splice::Trusted(b);
        }
        match o.as_str().map(|s| s.text(room)) {
            Some(Ok(t)) => Splice::Trusted(t.bytes()),
            Some(Err(_)) => Splice::Surrogate,
            None => Splice::Wrong,
        }
    }
}

impl Class<State> for Fragment {
    const NAME: &'static CStr = c"oxwire.compat.orjson.Fragment";
    const DOC: &'static CStr =
        doc!(c"Fragment(contents, /)\n--\n\nJSON that is already encoded, as bytes or str.");

    fn new(_: &State, args: &Args<'_>) -> Result<Fragment> {
        match *args.positional() {
            [contents] if !args.has_names() => Ok(Fragment { contents: contents.own() }),
            _ => Err(Builtin::Type.raise(say!("orjson.Fragment() takes exactly 1 positional argument"))),
        }
    }
    fn methods(_: &mut Vec<py::MethodDef>) {}
    fn traverse(&self, visit: &mut Visit<'_>) {
        visit.object(&self.contents);
    }
    fn repr(&self) -> Result<Own> {
        py::text("<orjson.Fragment>")
    }
}
