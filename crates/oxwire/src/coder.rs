//! `Encoder` and `Decoder`: options fixed once, and the calls that functions and methods share.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::ffi::CStr;

use crate::args::{Decoding, Encoding};
use crate::functions::exactly;
use crate::instances;
use crate::lines;
use crate::raise::{self, START};
use crate::raw::Raw;
use crate::state::State;
use py::{Args, Builtin, Class, Data, Getter, Int, Method, Own, Ref, Result, Seen, Visit};

/// An object as JSON.
#[inline]
pub(crate) fn encode(state: &State, e: &Encoding, obj: Ref<'_>) -> Result<Own> {
    let out = py::bytes_buf(&state.room);
    let mut out = match instances::json_walk(state, e, obj, out) {
        Ok(out) => out,
        Err(fault) => return Err(raise::encode(state, &fault)),
    };
    if e.newline && out.push(b'\n').is_err() {
        return Err(Builtin::Memory.raise("not enough memory for the output"));
    }
    py::finish(out, &state.room)
}

/// An object as JSON into a bytearray.
pub(crate) fn encode_into(state: &State, e: &Encoding, args: &[Ref<'_>]) -> Result<Own> {
    let (obj, into, offset) = match *args {
        [obj, into] => (obj, into, None),
        [obj, into, offset] => (obj, into, Some(offset)),
        _ => {
            let n = args.len();
            return Err(
                Builtin::Type.raise(&format!("encode_into() takes 2 or 3 positional arguments ({n} given)"))
            );
        }
    };
    py::with_bytearray(into)?;
    let mut room = wire::Buf::from_vec(Vec::new());
    room = instances::json_walk(state, e, obj, room).map_err(|fault| raise::encode(state, &fault))?;
    if e.newline && room.push(b'\n').is_err() {
        return Err(Builtin::Memory.raise("not enough memory for the output"));
    }
    // Only now: a hook may have changed the length.
    let len = py::with_bytearray(into)?;
    let offset = match offset.map(|o| o.see()) {
        None => 0,
        Some(Seen::Int(i)) => match i.get() {
            Int::I64(-1) => len,
            Int::I64(n) if n >= 0 && n as usize <= len => n as usize,
            _ => return Err(Builtin::Value.raise(&format!("`offset` must be -1 or from 0 to {len}"))),
        },
        Some(_) => return Err(Builtin::Type.raise("`offset` must be an int")),
    };
    py::write_bytearray(into, offset, room.as_slice())?;
    Ok(py::none())
}

/// One document.
#[inline]
pub(crate) fn decode(state: &State, d: &Decoding, buf: Ref<'_>) -> Result<Own> {
    let data = match Data::of(buf) {
        Ok(data) => data,
        Err(why) => return Err(raise::not_data(state, why, buf, START)),
    };
    let input = data.input();
    let made = if d.raw { check(state, d, buf, &data)? } else { instances::json_build(state, d, input) };
    made.map_err(|fault| raise::decode(state, &fault, input.bytes(), START))
}

#[cold]
fn check(
    state: &State,
    d: &Decoding,
    buf: Ref<'_>,
    data: &Data<'_>,
) -> Result<core::result::Result<Own, Box<engine::Fault>>> {
    let input = data.input();
    Ok(match instances::json_check(state, d, input) {
        Ok((from, to)) => Ok(py::new_instance(&state.raw, Raw::part(buf, input.bytes(), from, to)?)?),
        Err(fault) => Err(fault),
    })
}

/// A copy of the keywords, to show and to pickle.
fn keywords(args: &Args<'_>) -> Result<Own> {
    let d = py::new_dict()?;
    for (name, v) in args.named() {
        py::dict_set(&d, &name.lossy(), &v.own())?;
    }
    Ok(d)
}

fn no_positional(class: &str, args: &Args<'_>) -> Result<()> {
    match args.positional() {
        [] => Ok(()),
        _ => Err(Builtin::Type.raise(&format!("{class}() takes keyword arguments only"))),
    }
}

/// The words of `repr`: the class with its keywords.
fn show(class: &str, options: &Own) -> Result<Own> {
    let mut words = Vec::new();
    if let Some(d) = options.as_ref().as_any_dict() {
        let d = d.hold();
        let (mut place, mut items) = (0, Vec::new());
        while let Some((k, v)) = d.next(&mut place) {
            items.push((k.as_ref().own(), v.as_ref().own()));
        }
        for (k, v) in items {
            let name = k.as_ref().as_any_str().map(|s| s.lossy()).unwrap_or_default();
            words.push(format!("{name}={}", v.as_ref().show()));
        }
    }
    py::text(&format!("oxwire.json.{class}({})", words.join(", ")))
}

/// What pickle makes an instance from: no positional arguments, and the keywords.
fn new_args(options: &Own) -> Result<Own> {
    let mut parts = vec![py::tuple(&mut Vec::new(), 0)?, py::dict_copy(options.as_ref())?];
    py::tuple(&mut parts, 0)
}

/// `oxwire.json.Encoder`.
pub(crate) struct Encoder {
    encoding: Encoding,
    options: Own,
}

impl Class<State> for Encoder {
    const NAME: &'static CStr = c"oxwire.json.Encoder";
    const DOC: &'static CStr = c"Encoder(**options)\n--\n\n\
        `encode` with its options fixed: immutable, picklable, safe to share among threads.";

    fn new(_: &State, args: &Args<'_>) -> Result<Encoder> {
        no_positional("Encoder", args)?;
        Ok(Encoder { encoding: Encoding::parse(args.named())?, options: keywords(args)? })
    }
    fn methods(add: &mut Vec<py::MethodDef>) {
        add.push(py::method::<State, Encoder, EncodeMethod>());
        add.push(py::method::<State, Encoder, EncodeIntoMethod>());
        add.push(py::method::<State, Encoder, EncodeLinesMethod>());
        add.push(py::method::<State, Encoder, NewArgs>());
    }
    fn getters(add: &mut Vec<py::GetterDef>) {
        add.push(py::getter::<State, Encoder, Options>());
    }
    fn traverse(&self, visit: &mut Visit<'_>) {
        visit.object(&self.options);
        self.encoding.objects().for_each(|o| visit.object(o));
    }
    fn repr(&self, _: &State) -> Result<Own> {
        show("Encoder", &self.options)
    }
}

struct EncodeMethod;
impl Method<State, Encoder> for EncodeMethod {
    const NAME: &'static CStr = c"encode";
    const DOC: &'static CStr = c"encode($self, obj, /)\n--\n\nWrite an object as JSON.";
    #[inline]
    fn call(state: &State, this: &Encoder, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        let [obj] = one("encode", args)?;
        encode(state, &this.encoding, obj)
    }
}

struct EncodeIntoMethod;
impl Method<State, Encoder> for EncodeIntoMethod {
    const NAME: &'static CStr = c"encode_into";
    const DOC: &'static CStr = c"encode_into($self, obj, buffer, offset=0, /)\n--\n\n\
        Write an object as JSON into a bytearray from an offset (-1 is its end).";
    fn call(state: &State, this: &Encoder, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        no_names("encode_into", args)?;
        encode_into(state, &this.encoding, args.positional())
    }
}

struct EncodeLinesMethod;
impl Method<State, Encoder> for EncodeLinesMethod {
    const NAME: &'static CStr = c"encode_lines";
    const DOC: &'static CStr = c"encode_lines($self, items, /)\n--\n\nWrite each item as one line of NDJSON.";
    fn call(state: &State, this: &Encoder, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        let [items] = one("encode_lines", args)?;
        lines::encode(state, &this.encoding, items)
    }
}

/// `oxwire.json.Decoder`.
pub(crate) struct Decoder {
    decoding: Decoding,
    options: Own,
}

impl Class<State> for Decoder {
    const NAME: &'static CStr = c"oxwire.json.Decoder";
    const DOC: &'static CStr = c"Decoder(**options)\n--\n\n\
        `decode` with its options fixed: immutable, picklable, safe to share among threads.";

    fn new(_: &State, args: &Args<'_>) -> Result<Decoder> {
        no_positional("Decoder", args)?;
        Ok(Decoder { decoding: Decoding::parse(args.named())?, options: keywords(args)? })
    }
    fn methods(add: &mut Vec<py::MethodDef>) {
        add.push(py::method::<State, Decoder, DecodeMethod>());
        add.push(py::method::<State, Decoder, DecodeLinesMethod>());
        add.push(py::method::<State, Decoder, NewArgs>());
    }
    fn getters(add: &mut Vec<py::GetterDef>) {
        add.push(py::getter::<State, Decoder, Options>());
    }
    fn traverse(&self, visit: &mut Visit<'_>) {
        visit.object(&self.options);
        self.decoding.objects().for_each(|o| visit.object(o));
    }
    fn repr(&self, _: &State) -> Result<Own> {
        show("Decoder", &self.options)
    }
}

struct DecodeMethod;
impl Method<State, Decoder> for DecodeMethod {
    const NAME: &'static CStr = c"decode";
    const DOC: &'static CStr = c"decode($self, buf, /)\n--\n\nRead one JSON document.";
    #[inline]
    fn call(state: &State, this: &Decoder, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        let [buf] = one("decode", args)?;
        decode(state, &this.decoding, buf)
    }
}

struct DecodeLinesMethod;
impl Method<State, Decoder> for DecodeLinesMethod {
    const NAME: &'static CStr = c"decode_lines";
    const DOC: &'static CStr = c"decode_lines($self, buf, /)\n--\n\nRead NDJSON.";
    fn call(state: &State, this: &Decoder, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        let [buf] = one("decode_lines", args)?;
        lines::decode(state, &this.decoding, buf)
    }
}

#[inline]
fn one<'a>(name: &str, args: &Args<'a>) -> Result<[Ref<'a>; 1]> {
    no_names(name, args)?;
    exactly::<1>(name, args)
}

#[inline]
pub(crate) fn no_names(name: &str, args: &Args<'_>) -> Result<()> {
    if args.has_names() {
        return Err(Builtin::Type.raise(&format!("{name}() takes no keyword arguments")));
    }
    Ok(())
}

/// The keywords that an instance was made with.
struct Options;

/// What pickle asks for.
struct NewArgs;

macro_rules! keeps_options {
    ($class:ty) => {
        impl Getter<State, $class> for Options {
            const NAME: &'static CStr = c"options";
            const DOC: &'static CStr = c"The keywords that it was made with, as a new dict.";
            fn get(_: &State, this: &$class) -> Result<Own> {
                py::dict_copy(this.options.as_ref())
            }
        }
        impl Method<State, $class> for NewArgs {
            const NAME: &'static CStr = c"__getnewargs_ex__";
            const DOC: &'static CStr = c"For pickle.";
            fn call(_: &State, this: &$class, _: Ref<'_>, _: &Args<'_>) -> Result<Own> {
                new_args(&this.options)
            }
        }
    };
}
keeps_options!(Encoder);
keeps_options!(Decoder);
