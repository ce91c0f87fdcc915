//! A format as its users meet it: the options, and how one document is written and read. Encoders
//! and decoders of every format are made over this, so that they behave alike.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ffi::CStr;
use wire::say;

use crate::args::{Decoding, Encoding};
use crate::coder::{self, Decoder, Encoder};
use crate::functions::only_one;
use crate::instances;
use crate::keyword;
use crate::lines;
use crate::raise;
use crate::state::State;
use py::{Args, Builtin, Method, MethodDef, Own, Ref, Result, Visit, doc};
use wire::Buf;

/// A format.
pub(crate) trait Face: Sized + 'static {
    /// The module that users import.
    const MODULE: &'static str;
    /// The name of the encoder's class, and its docstring.
    const ENCODER: (&'static CStr, &'static CStr);
    /// The same for the decoder's.
    const DECODER: (&'static CStr, &'static CStr);
    /// Everything that an encoder is told.
    type Encoding: 'static;
    /// Everything that a decoder is told.
    type Decoding: 'static;

    /// What keywords say.
    fn encoding(args: &Args<'_>) -> Result<Box<Self::Encoding>>;
    /// The same for a decoder, and one more.
    fn decoding(state: &State, args: &Args<'_>, more: Option<(&str, Ref<'_>)>)
    -> Result<Box<Self::Decoding>>;
    /// Shows every object that is owned to the collector.
    fn visit_encoding(e: &Self::Encoding, visit: &mut Visit<'_>);
    /// The same for a decoder.
    fn visit_decoding(d: &Self::Decoding, visit: &mut Visit<'_>);
    /// Writes one document after what `out` holds, of which nothing is left if it fails.
    fn write(state: &State, e: &Self::Encoding, o: Ref<'_>, out: &mut Buf) -> Result<()>;
    /// Reads the one document that `buf` is.
    fn read(state: &State, d: &Self::Decoding, buf: Ref<'_>) -> Result<Own>;
    /// The methods that only this format's encoder has.
    fn encoder_methods(add: &mut Vec<MethodDef>);
    /// The same for the decoder's.
    fn decoder_methods(add: &mut Vec<MethodDef>);
}

/// JSON.
pub(crate) struct Json;

impl Face for Json {
    const MODULE: &'static str = "oxwire.json";
    const ENCODER: (&'static CStr, &'static CStr) = (
        c"oxwire.json.Encoder",
        doc!(
            c"Encoder(**options)\n--\n\n\
        `encode` with its options fixed: immutable, picklable, safe to share among threads."
        ),
    );
    const DECODER: (&'static CStr, &'static CStr) = (
        c"oxwire.json.Decoder",
        doc!(
            c"Decoder(type=..., **options)\n--\n\n\
        `decode` with its options fixed: immutable, picklable, safe to share among threads."
        ),
    );
    type Encoding = Encoding;
    type Decoding = Decoding;

    fn encoding(args: &Args<'_>) -> Result<Box<Encoding>> {
        Encoding::parse(args)
    }
    fn decoding(state: &State, args: &Args<'_>, more: Option<(&str, Ref<'_>)>) -> Result<Box<Decoding>> {
        Decoding::parse(state, args, more)
    }
    fn visit_encoding(e: &Encoding, visit: &mut Visit<'_>) {
        keyword::show_rules(&e.rules, visit);
    }
    fn visit_decoding(d: &Decoding, visit: &mut Visit<'_>) {
        keyword::show_hooks(&d.hooks, visit);
    }
    #[inline(always)]
    fn write(state: &State, e: &Encoding, o: Ref<'_>, out: &mut Buf) -> Result<()> {
        if let Err(fault) = instances::json_walk(state, e, o, out) {
            return Err(raise::encode(state, &fault, &e.rules.fault));
        }
        if e.newline && out.push(b'\n').is_err() {
            return Err(Builtin::Memory.raise(say!("not enough memory for the output")));
        }
        Ok(())
    }
    #[inline(always)]
    fn read(state: &State, d: &Decoding, buf: Ref<'_>) -> Result<Own> {
        coder::decode(state, d, buf)
    }
    fn encoder_methods(add: &mut Vec<MethodDef>) {
        py::method::<State, Encoder<Json>, EncodeLines>(add);
    }
    fn decoder_methods(add: &mut Vec<MethodDef>) {
        py::method::<State, Decoder<Json>, DecodeLines>(add);
    }
}

struct EncodeLines;
impl Method<State, Encoder<Json>> for EncodeLines {
    const NAME: &'static CStr = c"encode_lines";
    const DOC: &'static CStr =
        doc!(c"encode_lines($self, items, /)\n--\n\nWrite each item as one line of NDJSON.");
    fn call(state: &State, this: &Encoder<Json>, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        let items = only_one("encode_lines", args)?;
        lines::encode(state, this.encoding(), items)
    }
}

struct DecodeLines;
impl Method<State, Decoder<Json>> for DecodeLines {
    const NAME: &'static CStr = c"decode_lines";
    const DOC: &'static CStr = doc!(c"decode_lines($self, buf, /)\n--\n\nRead NDJSON.");
    fn call(state: &State, this: &Decoder<Json>, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        let buf = only_one("decode_lines", args)?;
        lines::decode(state, this.decoding(), buf)
    }
}
