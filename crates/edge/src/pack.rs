//! The functions of `oxwire.msgpack`, and what its encoders and decoders do beyond those of others.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::Cell;
use core::ffi::CStr;
use wire::say;

use crate::coder::{self, Decoder, Encoder};
use crate::face::Face;
use crate::functions::{exactly, one, only_one};
use crate::instances;
use crate::keyword;
use crate::pack_args::{Packing, Unpacking};
use crate::raise;
use crate::raw::Raw;
use crate::state::State;
use py::{Args, Builtin, Data, Function, Method, MethodDef, NotData, Own, Ref, Result, Visit, doc};
use wire::{Buf, Input};

/// Lists them for the module.
pub(crate) fn add(all: &mut Vec<py::MethodDef>) {
    py::function::<State, Encode>(all);
    py::function::<State, Decode>(all);
    py::function::<State, DecodePrefix>(all);
    py::function::<State, EncodeInto>(all);
    py::function::<State, EncodeMany>(all);
}

/// MessagePack.
pub(crate) struct Pack;

impl Face for Pack {
    const MODULE: &'static str = "oxwire.msgpack";
    const ENCODER: (&'static CStr, &'static CStr) = (
        c"oxwire.msgpack.Encoder",
        doc!(
            c"Encoder(**options)\n--\n\n\
        `encode` with its options fixed: immutable, picklable, safe to share among threads."
        ),
    );
    const DECODER: (&'static CStr, &'static CStr) = (
        c"oxwire.msgpack.Decoder",
        doc!(
            c"Decoder(type=..., **options)\n--\n\n\
        `decode` with its options fixed: immutable, picklable, safe to share among threads."
        ),
    );
    type Encoding = Packing;
    type Decoding = Unpacking;

    fn encoding(args: &Args<'_>) -> Result<Box<Packing>> {
        Packing::parse(args)
    }
    fn decoding(state: &State, args: &Args<'_>, more: Option<(&str, Ref<'_>)>) -> Result<Box<Unpacking>> {
        Unpacking::parse(state, args, more)
    }
    fn visit_encoding(e: &Packing, visit: &mut Visit<'_>) {
        keyword::show_rules(&e.rules, visit);
    }
    fn visit_decoding(d: &Unpacking, visit: &mut Visit<'_>) {
        keyword::show_hooks(&d.hooks, visit);
    }
    #[inline(always)]
    fn write(state: &State, e: &Packing, o: Ref<'_>, out: &mut Buf) -> Result<()> {
        match instances::pack_walk(state, e, o, out) {
            Ok(()) => Ok(()),
            Err(fault) => Err(raise::encode(state, &fault, &e.rules.fault)),
        }
    }
    #[inline(never)]
    fn read(state: &State, d: &Unpacking, buf: Ref<'_>) -> Result<Own> {
        let data = data(buf)?;
        read(state, d, buf, &data, None)
    }
    fn encoder_methods(add: &mut Vec<MethodDef>) {
        py::method::<State, Encoder<Pack>, EncodeManyMethod>(add);
    }
    fn decoder_methods(add: &mut Vec<MethodDef>) {
        py::method::<State, Decoder<Pack>, DecodePrefixMethod>(add);
    }
}

/// The bytes of a buffer. Text is none.
#[inline(always)]
pub(crate) fn data<'a>(buf: Ref<'a>) -> Result<Data<'a>> {
    let why = if buf.as_any_str().is_some() {
        NotData::NoBuffer
    } else {
        match Data::of(buf) {
            Ok(data) => return Ok(data),
            Err(why) => why,
        }
    };
    if why == NotData::Raised {
        return Err(py::Raised);
    }
    Err(Builtin::Type
        .raise_words(say!("expected bytes or another contiguous buffer, got `{}`"), &[py::Word::Class(buf)]))
}

/// The same, for those who are called less often.
#[inline(never)]
pub(crate) fn data_by_call<'a>(buf: Ref<'a>) -> Result<Data<'a>> {
    data(buf)
}

/// One message, which is all of a buffer, or only its beginning.
#[inline(always)]
fn read(
    state: &State,
    d: &Unpacking,
    buf: Ref<'_>,
    data: &Data<'_>,
    prefix: Option<&Cell<usize>>,
) -> Result<Own> {
    let input = data.input();
    if d.raw {
        return check(state, d, buf, input, prefix);
    }
    let shared = (d.hooks.array.is_some() && buf.is_bytes()).then_some(buf);
    match instances::pack_build(state, d, &d.hooks, input, prefix, shared) {
        Ok(o) => Ok(o),
        Err(fault) => Err(raise::unpack(state, &fault, input.bytes(), 0, Some(&d.hooks))),
    }
}

#[cold]
fn check(
    state: &State,
    d: &Unpacking,
    buf: Ref<'_>,
    input: Input<'_>,
    prefix: Option<&Cell<usize>>,
) -> Result<Own> {
    let n = instances::pack_check(state, d, input, prefix.is_some())
        .map_err(|fault| raise::unpack(state, &fault, input.bytes(), 0, Some(&d.hooks)))?;
    if let Some(prefix) = prefix {
        prefix.set(n);
    }
    py::new_instance(&state.raw, Raw::part(buf, input.bytes(), 0, n)?)
}

/// The message that a buffer begins with, and how long it is.
fn decode_prefix(state: &State, d: &Unpacking, buf: Ref<'_>) -> Result<Own> {
    let data = data(buf)?;
    let n = Cell::new(0);
    let value = read(state, d, buf, &data, Some(&n))?;
    py::tuple(&mut vec![value, py::uint(n.get() as u64)?], 0)
}

/// Each item of an iterable as one message.
fn encode_many(state: &State, e: &Packing, items: Ref<'_>) -> Result<Own> {
    let items = py::iterate(items)?;
    let mut out = py::bytes_buf_by_call(&state.room);
    while let Some(item) = py::next(&items)? {
        Pack::write(state, e, item.as_ref(), &mut out)?;
    }
    py::finish_by_call(out, &state.room)
}

struct Encode;
impl Function<State> for Encode {
    const NAME: &'static CStr = c"oxwire.msgpack.encode";
    const DOC: &'static CStr = doc!(c"encode(obj, /, *, enc_hook=None, codecs=None, order=None, sort=False, canonical=False, \
        float32=False, datetime_format='timestamp', naive_utc=False, utc_z=False, omit_microseconds=False, \
        int_bits=None, big_int_ext=None, ndarray_ext=None, ext_table=None, str_errors='strict', old_spec=False, \
        max_depth=1000, \
        passthrough=(), omit_defaults=False, omit_none=False, by_name=False, include=None, exclude=None)\n--\n\n\
        Write an object as one MessagePack message, each value in its shortest form.\n\n\
        What each keyword means stands in docs/msgpack.md. Raises EncodeError, with `path`, for\n\
        what cannot be written faithfully.");
    const OFTEN: bool = true;
    #[inline]
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        let [obj] = exactly::<1>("encode", args)?;
        if args.has_names() {
            return coder::encode::<Pack>(state, &*Packing::parse(args)?, obj);
        }
        coder::encode::<Pack>(state, &state.packing_default, obj)
    }
}

struct Decode;
impl Function<State> for Decode {
    const NAME: &'static CStr = c"oxwire.msgpack.decode";
    const DOC: &'static CStr = doc!(
        c"decode(buf, /, *, type=..., raw=False, **options)\n--\n\n\
        Read one MessagePack message, which must be all there is in a buffer.\n\n\
        What each keyword means stands in docs/msgpack.md. Raises DecodeError with `offset`."
    );
    const OFTEN: bool = true;
    #[inline]
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        let [buf] = exactly::<1>("decode", args)?;
        if args.has_names() {
            return Pack::read(state, &*Unpacking::parse(state, args, None)?, buf);
        }
        Pack::read(state, &state.unpacking_default, buf)
    }
}

struct DecodePrefix;
impl Function<State> for DecodePrefix {
    const NAME: &'static CStr = c"oxwire.msgpack.decode_prefix";
    const DOC: &'static CStr = doc!(
        c"decode_prefix(buf, /, *, raw=False, **options)\n--\n\n\
        Read the message that a buffer begins with: the value, and how many bytes it took."
    );
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        let buf = one("decode_prefix", args)?;
        decode_prefix(state, &*Unpacking::given(state, args)?, buf)
    }
}

struct EncodeInto;
impl Function<State> for EncodeInto {
    const NAME: &'static CStr = c"oxwire.msgpack.encode_into";
    const DOC: &'static CStr = doc!(c"encode_into(obj, buffer, offset=0, /, **options)\n--\n\n\
        Write an object into a bytearray from an offset (-1 is its end). The bytearray is cut or grown to end with\n\
        the output.");
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        coder::encode_into::<Pack>(state, &*Packing::given(state, args)?, args.positional())
    }
}

struct EncodeMany;
impl Function<State> for EncodeMany {
    const NAME: &'static CStr = c"oxwire.msgpack.encode_many";
    const DOC: &'static CStr = doc!(
        c"encode_many(items, /, **options)\n--\n\n\
        Write each item as one message, one behind the other."
    );
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        let items = one("encode_many", args)?;
        encode_many(state, &*Packing::given(state, args)?, items)
    }
}

struct EncodeManyMethod;
impl Method<State, Encoder<Pack>> for EncodeManyMethod {
    const NAME: &'static CStr = c"encode_many";
    const DOC: &'static CStr = doc!(
        c"encode_many($self, items, /)\n--\n\n\
        Write each item as one message, one behind the other."
    );
    fn call(state: &State, this: &Encoder<Pack>, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        let items = only_one("encode_many", args)?;
        encode_many(state, this.encoding(), items)
    }
}

struct DecodePrefixMethod;
impl Method<State, Decoder<Pack>> for DecodePrefixMethod {
    const NAME: &'static CStr = c"decode_prefix";
    const DOC: &'static CStr = doc!(
        c"decode_prefix($self, buf, /)\n--\n\n\
        Read the message that a buffer begins with: the value, and how many bytes it took."
    );
    fn call(state: &State, this: &Decoder<Pack>, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        let buf = only_one("decode_prefix", args)?;
        decode_prefix(state, this.decoding(), buf)
    }
}
