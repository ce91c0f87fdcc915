//! `Encoder` and `Decoder`: options fixed once, and the calls that functions and methods share.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::ffi::CStr;
use wire::say;

use crate::args::Decoding;
use crate::face::Face;
use crate::functions::{no_names, only};
use crate::instances;
use crate::raise::{self, Part, START};
use crate::raw::Raw;
use crate::state::State;
use py::{Args, Builtin, Class, Data, Getter, Int, Method, Own, Ref, Result, Seen, Visit, doc};

/// An object as one document.
#[inline(never)]
pub(crate) fn encode<F: Face>(state: &State, e: &F::Encoding, obj: Ref<'_>) -> Result<Own> {
    let mut out = py::bytes_buf(&state.room);
    F::write(state, e, obj, &mut out)?;
    py::finish(out, &state.room)
}

/// An object as one document in a bytearray.
pub(crate) fn encode_into<F: Face>(state: &State, e: &F::Encoding, args: &[Ref<'_>]) -> Result<Own> {
    let (obj, into, offset) = into(args)?;
    let mut out = wire::Buf::from_vec(Vec::new());
    F::write(state, e, obj, &mut out)?;
    put(into, offset, out.as_slice())
}

/// The arguments for that: an object, a bytearray, and an offset if there is one.
#[inline(never)]
fn into<'a>(args: &[Ref<'a>]) -> Result<(Ref<'a>, Ref<'a>, Option<Ref<'a>>)> {
    let given = match *args {
        [obj, into] => (obj, into, None),
        [obj, into, offset] => (obj, into, Some(offset)),
        _ => {
            let n = args.len();
            return Err(Builtin::Type.raise_words(
                say!("encode_into() takes 2 or 3 positional arguments ({} given)"),
                &[n.into()],
            ));
        }
    };
    py::with_bytearray(given.1)?;
    Ok(given)
}

/// Ends a bytearray with a document, from an offset on.
#[inline(never)]
fn put(into: Ref<'_>, offset: Option<Ref<'_>>, out: &[u8]) -> Result<Own> {
    // Only now: a hook may have changed the length.
    let len = py::with_bytearray(into)?;
    let offset = match offset.map(|o| o.see()) {
        None => 0,
        Some(Seen::Int(i)) => match i.get_cold() {
            Int::I64(-1) => len,
            Int::I64(n) if n >= 0 && n as usize <= len => n as usize,
            _ => {
                return Err(
                    Builtin::Value.raise_words(say!("`offset` must be -1 or from 0 to {}"), &[len.into()])
                );
            }
        },
        Some(_) => return Err(Builtin::Type.raise(say!("`offset` must be an int"))),
    };
    py::write_bytearray(into, offset, out)?;
    Ok(py::none())
}

/// One JSON document.
#[inline(never)]
pub(crate) fn decode(state: &State, d: &Decoding, buf: Ref<'_>) -> Result<Own> {
    let data = match Data::of(buf) {
        Ok(data) => data,
        Err(why) => return Err(raise::not_data(state, why, buf, START)),
    };
    let input = data.input();
    let made = if d.raw { check(state, d, buf, &data)? } else { instances::json_build(state, d, input) };
    match made {
        Ok(o) => Ok(o),
        Err(fault) => Err(raise::decode(state, &fault, input.bytes(), START, Some(&d.hooks))),
    }
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
pub(crate) fn keywords(args: &Args<'_>) -> Result<Own> {
    let d = py::new_dict()?;
    for (name, v) in args.named() {
        py::dict_set(&d, &name.lossy(), &v.own())?;
    }
    Ok(d)
}

fn no_positional(class: &str, args: &Args<'_>) -> Result<()> {
    match args.positional() {
        [] => Ok(()),
        _ => Err(Builtin::Type.raise_words(say!("{}() takes keyword arguments only"), &[class.into()])),
    }
}

/// The words of `repr`: the class with its keywords.
fn show(module: &str, class: &str, options: &Own) -> Result<Own> {
    raise::ask(c"show", &[Part::Text(module), Part::Text(class), Part::Object(Some(options))])
}

/// What pickle makes an instance from: no positional arguments, and the keywords.
fn new_args(options: &Own) -> Result<Own> {
    let mut parts = vec![py::tuple(&mut Vec::new(), 0)?, py::dict_copy(options.as_ref())?];
    py::tuple(&mut parts, 0)
}

/// The `Encoder` of a format.
pub(crate) struct Encoder<F: Face> {
    encoding: F::Encoding,
    options: Own,
}

impl<F: Face> Encoder<F> {
    /// What it was told.
    pub(crate) fn encoding(&self) -> &F::Encoding {
        &self.encoding
    }
}

impl<F: Face> Class<State> for Encoder<F> {
    const NAME: &'static CStr = F::ENCODER.0;
    const DOC: &'static CStr = F::ENCODER.1;

    fn new(_: &State, args: &Args<'_>) -> Result<Self> {
        no_positional("Encoder", args)?;
        Ok(Encoder { encoding: *F::encoding(args)?, options: keywords(args)? })
    }
    fn methods(add: &mut Vec<py::MethodDef>) {
        py::method::<State, Self, EncodeMethod>(add);
        py::method::<State, Self, EncodeIntoMethod>(add);
        py::method::<State, Self, NewArgs>(add);
        F::encoder_methods(add);
    }
    fn getters(add: &mut Vec<py::GetterDef>) {
        py::getter::<State, Self, Options>(add);
    }
    fn traverse(&self, visit: &mut Visit<'_>) {
        visit.object(&self.options);
        F::visit_encoding(&self.encoding, visit);
    }
    fn repr(&self) -> Result<Own> {
        show(F::MODULE, "Encoder", &self.options)
    }
}

struct EncodeMethod;
impl<F: Face> Method<State, Encoder<F>> for EncodeMethod {
    const NAME: &'static CStr = c"encode";
    const DOC: &'static CStr = doc!(c"encode($self, obj, /)\n--\n\nWrite an object as one document.");
    const OFTEN: bool = true;
    #[inline]
    fn call(state: &State, this: &Encoder<F>, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        let [obj] = only("encode", args)?;
        encode::<F>(state, &this.encoding, obj)
    }
}

struct EncodeIntoMethod;
impl<F: Face> Method<State, Encoder<F>> for EncodeIntoMethod {
    const NAME: &'static CStr = c"encode_into";
    const DOC: &'static CStr = doc!(
        c"encode_into($self, obj, buffer, offset=0, /)\n--\n\n\
        Write an object as one document into a bytearray from an offset (-1 is its end)."
    );
    fn call(state: &State, this: &Encoder<F>, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        if args.has_names() {
            return Err(no_names("encode_into"));
        }
        encode_into::<F>(state, &this.encoding, args.positional())
    }
}

/// The `Decoder` of a format.
pub(crate) struct Decoder<F: Face> {
    decoding: F::Decoding,
    options: Own,
}

impl<F: Face> Decoder<F> {
    /// What it was told.
    pub(crate) fn decoding(&self) -> &F::Decoding {
        &self.decoding
    }
}

impl<F: Face> Class<State> for Decoder<F> {
    const NAME: &'static CStr = F::DECODER.0;
    const DOC: &'static CStr = F::DECODER.1;

    fn new(state: &State, args: &Args<'_>) -> Result<Self> {
        let options = keywords(args)?;
        let kind = match args.positional() {
            [] => None,
            [kind] => {
                if args.named().any(|(name, _)| name.is("type")) {
                    return Err(Builtin::Type.raise(say!("Decoder() takes one type")));
                }
                py::dict_set(&options, "type", &kind.own())?;
                Some(("type", *kind))
            }
            _ => return Err(Builtin::Type.raise(say!("Decoder() takes a type by position, and keywords"))),
        };
        Ok(Decoder { decoding: *F::decoding(state, args, kind)?, options })
    }
    fn methods(add: &mut Vec<py::MethodDef>) {
        py::method::<State, Self, DecodeMethod>(add);
        py::generic(add);
        py::method::<State, Self, NewArgs>(add);
        F::decoder_methods(add);
    }
    fn getters(add: &mut Vec<py::GetterDef>) {
        py::getter::<State, Self, Options>(add);
    }
    fn traverse(&self, visit: &mut Visit<'_>) {
        visit.object(&self.options);
        F::visit_decoding(&self.decoding, visit);
    }
    fn repr(&self) -> Result<Own> {
        show(F::MODULE, "Decoder", &self.options)
    }
}

struct DecodeMethod;
impl<F: Face> Method<State, Decoder<F>> for DecodeMethod {
    const NAME: &'static CStr = c"decode";
    const DOC: &'static CStr = doc!(c"decode($self, buf, /)\n--\n\nRead one document.");
    const OFTEN: bool = true;
    #[inline]
    fn call(state: &State, this: &Decoder<F>, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        let [buf] = only("decode", args)?;
        F::read(state, &this.decoding, buf)
    }
}

/// The keywords that an instance was made with.
struct Options;

/// What pickle asks for.
struct NewArgs;

macro_rules! keeps_options {
    ($class:ident) => {
        impl<F: Face> Getter<State, $class<F>> for Options {
            const NAME: &'static CStr = c"options";
            const DOC: &'static CStr = doc!(c"The keywords that it was made with, as a new dict.");
            fn get(_: &State, this: &$class<F>) -> Result<Own> {
                py::dict_copy(this.options.as_ref())
            }
        }
        impl<F: Face> Method<State, $class<F>> for NewArgs {
            const NAME: &'static CStr = c"__getnewargs_ex__";
            const DOC: &'static CStr = doc!(c"For pickle.");
            fn call(_: &State, this: &$class<F>, _: Ref<'_>, _: &Args<'_>) -> Result<Own> {
                new_args(&this.options)
            }
        }
    };
}
keeps_options!(Encoder);
keeps_options!(Decoder);
