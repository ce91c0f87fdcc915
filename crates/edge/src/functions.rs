//! The functions of `oxwire.json`.

use alloc::vec;
use alloc::vec::Vec;
use core::ffi::CStr;
use wire::say;

use crate::args::{Decoding, Encoding, indent};
use crate::coder;
use crate::face::Json;
use crate::keyword::{Target, each};
use crate::lines;
use crate::raise::{self, START};
use crate::state::State;
use crate::stream::{Kind, Stream};
use json::{Limits, Style};
use py::{Args, Builtin, Data, Function, Own, Raised, Ref, Result, doc};

/// Lists them for the module.
pub(crate) fn add(all: &mut Vec<py::MethodDef>) {
    py::function::<State, Encode>(all);
    py::function::<State, Decode>(all);
    py::function::<State, EncodeInto>(all);
    py::function::<State, EncodeLines>(all);
    py::function::<State, DecodeLines>(all);
    py::function::<State, Format>(all);
    py::function::<State, Lines>(all);
    py::function::<State, Items>(all);
}

/// Exactly so many arguments by position.
#[inline(always)]
pub(crate) fn exactly<'a, const N: usize>(name: &str, args: &Args<'a>) -> Result<[Ref<'a>; N]> {
    match args.positional().try_into() {
        Ok(a) => Ok(a),
        Err(_) => Err(not_exactly(name, N, args.positional().len())),
    }
}

/// The same, and none by name.
#[inline(always)]
pub(crate) fn only<'a, const N: usize>(name: &str, args: &Args<'a>) -> Result<[Ref<'a>; N]> {
    match args.positional().try_into() {
        Ok(a) if !args.has_names() => Ok(a),
        _ if args.has_names() => Err(no_names(name)),
        _ => Err(not_exactly(name, N, args.positional().len())),
    }
}

/// Exactly one argument, for what is called seldom.
#[inline(never)]
pub(crate) fn one<'a>(name: &str, args: &Args<'a>) -> Result<Ref<'a>> {
    exactly(name, args).map(|[o]| o)
}

/// The same, and none by name.
#[inline(never)]
pub(crate) fn only_one<'a>(name: &str, args: &Args<'a>) -> Result<Ref<'a>> {
    only(name, args).map(|[o]| o)
}

/// No argument.
#[inline(never)]
pub(crate) fn nothing(name: &str, args: &Args<'_>) -> Result<()> {
    only(name, args).map(|[]| ())
}

#[cold]
#[inline(never)]
pub(crate) fn no_names(name: &str) -> Raised {
    Builtin::Type.raise_words(say!("{}() takes no keyword arguments"), &[name.into()])
}

#[cold]
#[inline(never)]
fn not_exactly(name: &str, want: usize, n: usize) -> Raised {
    let s = if want == 1 { "" } else { "s" };
    Builtin::Type.raise_words(
        say!("{}() takes exactly {} positional argument{} ({} given)"),
        &[name.into(), want.into(), s.into(), n.into()],
    )
}

struct Encode;
impl Function<State> for Encode {
    const NAME: &'static CStr = c"oxwire.json.encode";
    const DOC: &'static CStr = doc!(c"encode(obj, /, *, enc_hook=None, codecs=None, order=None, sort=False, canonical=False, indent=None, \
        newline=False, ensure_ascii=False, naive_utc=False, utc_z=False, omit_microseconds=False, nan='error', \
        int_bits=None, decimal_format='string', max_depth=1000, passthrough=(), omit_defaults=False, \
        omit_none=False, by_name=False, include=None, exclude=None)\n--\n\n\
        Write an object as JSON (RFC 8259), in UTF-8.\n\n\
        What each keyword means stands in docs/json.md. Raises EncodeError, with `path`, for what\n\
        cannot be written faithfully.");
    const OFTEN: bool = true;
    #[inline]
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        let [obj] = exactly::<1>("encode", args)?;
        if args.has_names() {
            return coder::encode::<Json>(state, &*Encoding::parse(args)?, obj);
        }
        coder::encode::<Json>(state, &state.encoding, obj)
    }
}

struct Decode;
impl Function<State> for Decode {
    const NAME: &'static CStr = c"oxwire.json.decode";
    const DOC: &'static CStr = doc!(
        c"decode(buf, /, *, type=..., raw=False, **options)\n--\n\n\
        Read one JSON document (RFC 8259) from bytes, any contiguous buffer, or str.\n\n\
        What each keyword means stands in docs/json.md. Raises DecodeError with `offset`, `line`\n\
        and `column` for malformed input."
    );
    const OFTEN: bool = true;
    #[inline]
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        let [buf] = exactly::<1>("decode", args)?;
        if args.has_names() {
            return coder::decode(state, &*Decoding::parse(state, args, None)?, buf);
        }
        coder::decode(state, &state.decoding, buf)
    }
}

struct EncodeInto;
impl Function<State> for EncodeInto {
    const NAME: &'static CStr = c"oxwire.json.encode_into";
    const DOC: &'static CStr = doc!(c"encode_into(obj, buffer, offset=0, /, **options)\n--\n\n\
        Write an object as JSON into a bytearray from an offset (-1 is its end). The bytearray is cut or grown to\n\
        end with the output.");
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        coder::encode_into::<Json>(state, &*Encoding::given(state, args)?, args.positional())
    }
}

struct EncodeLines;
impl Function<State> for EncodeLines {
    const NAME: &'static CStr = c"oxwire.json.encode_lines";
    const DOC: &'static CStr = doc!(
        c"encode_lines(items, /, **options)\n--\n\n\
        Write each item as one line of NDJSON, each ended with a line feed."
    );
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        let items = one("encode_lines", args)?;
        lines::encode(state, &*Encoding::given(state, args)?, items)
    }
}

struct DecodeLines;
impl Function<State> for DecodeLines {
    const NAME: &'static CStr = c"oxwire.json.decode_lines";
    const DOC: &'static CStr = doc!(
        c"decode_lines(buf, /, **options)\n--\n\n\
        Read NDJSON: one document for each line that is not blank."
    );
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        let buf = one("decode_lines", args)?;
        lines::decode(state, &*Decoding::given(state, args)?, buf)
    }
}

struct Format;
impl Function<State> for Format {
    const NAME: &'static CStr = c"oxwire.json.format";
    const DOC: &'static CStr = doc!(c"format(buf, /, *, indent=2, newline=False)\n--\n\n\
        Lay existing JSON out again: indented, or compact if `indent` is None. Numbers and strings stay as they are\n\
        spelled.");
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        let buf = one("format", args)?;
        let mut style = Style { indent: Some(vec![b' '; 2]), ..Style::default() };
        let mut newline = false;
        each(args, None, &mut |name, v| match name {
            "indent" => {
                style.indent = indent(v)?;
                Ok(true)
            }
            "newline" => Target::Flag(&mut newline).take(name, v),
            _ => Ok(false),
        })?;
        let data = Data::of(buf).map_err(|why| raise::not_data(state, why, buf, START))?;
        // Nothing is built, so no depth is too deep.
        let limits = Limits { max_depth: usize::MAX, max_int_digits: usize::MAX, ..Limits::default() };
        let input = data.input();
        let out = py::bytes_buf_by_call(&state.room);
        let mut out = json::reformat(json::Reader::new(input, limits), out, &style)
            .map_err(|e| raise::malformed(state, e, input.bytes(), START))?;
        if newline && out.push(b'\n').is_err() {
            return Err(Builtin::Memory.raise(say!("not enough memory for the output")));
        }
        py::finish_by_call(out, &state.room)
    }
}

struct Lines;
impl Function<State> for Lines {
    const NAME: &'static CStr = c"oxwire.json.lines";
    const DOC: &'static CStr = doc!(c"A stream decoder of lines, for `iter_lines`.");
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        py::new_instance(&state.stream, Stream::parse(state, args, Kind::Lines)?)
    }
}

struct Items;
impl Function<State> for Items {
    const NAME: &'static CStr = c"oxwire.json.items";
    const DOC: &'static CStr = doc!(c"A stream decoder of the items of one array, for `iter_items`.");
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        py::new_instance(&state.stream, Stream::parse(state, args, Kind::Items)?)
    }
}
