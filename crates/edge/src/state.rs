//! What each interpreter has of the module: classes, exceptions, and what calls keep for the next.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::ffi::CStr;

use crate::args::{Decoding, Encoding};
use crate::coder::{Decoder, Encoder};
use crate::face::Json;
use crate::functions;
use crate::orjson::{self, Fragment};
use crate::ormsgpack;
use crate::pack::{self, Pack};
use crate::pack_args::{Packing, Unpacking};
use crate::pack_stream::PackStream;
use crate::raw::{Raw, Ready};
use crate::stream::Stream;
use crate::structs;
use engine::Env;
use pairs::Rooms;
use py::{Building, Made, Module, Own, Result, Room, Visit};

/// The state of the module in one interpreter.
pub struct State {
    pub(crate) env: Env,
    pub(crate) errors: Errors,
    pub(crate) raw: Made<Raw>,
    pub(crate) stream: Made<Stream>,
    pub(crate) encoding: Encoding,
    pub(crate) decoding: Decoding,
    pub(crate) orjson: Decoding,
    /// What calls use and put back.
    pub(crate) rooms: Rooms,
    pub(crate) packing_default: Packing,
    pub(crate) unpacking_default: Unpacking,
    pub(crate) ormsgpack: ormsgpack::Plain,
    pub(crate) ext: Own,
    pub(crate) timestamp: Own,
    pub(crate) room: Room,
}

/// The exceptions.
pub(crate) struct Errors {
    pub(crate) base: Own,
    pub(crate) encode: Own,
    pub(crate) decode: Own,
    pub(crate) orjson_decode: Own,
}

impl Errors {
    fn new() -> Result<Errors> {
        let class = |name: &CStr, doc: &CStr, bases: Vec<Own>| {
            let mut bases = bases;
            py::new_exception(name, doc, py::tuple(&mut bases, 0)?.as_ref())
        };
        let built_in = |b: py::Builtin| b.class().own();
        let base = class(
            c"oxwire.Error",
            c"Whatever oxwire raises of its own.",
            vec![built_in(py::Builtin::Exception)],
        )?;
        let decode = class(
            c"oxwire.DecodeError",
            c"The input is malformed; `offset`, `line` and `column` say where.",
            vec![base.clone(), built_in(py::Builtin::Value)],
        )?;
        let stdlib = py::import(c"json")?.as_ref().attr_named(c"JSONDecodeError")?;
        Ok(Errors {
            encode: class(
                c"oxwire.EncodeError",
                c"A value cannot be written faithfully; `path` says where it stands.",
                vec![base.clone(), built_in(py::Builtin::Type), built_in(py::Builtin::Value)],
            )?,
            decode,
            orjson_decode: class(
                c"oxwire.compat.orjson.JSONDecodeError",
                c"The input is not valid JSON.",
                vec![stdlib],
            )?,
            base,
        })
    }
}

impl Module for State {
    const NAME: &'static CStr = c"oxwire._oxwire";
    const DOC: &'static CStr = c"The engine of oxwire. Its public faces are the modules of the package.";

    fn new(m: &Building<'_, Self>) -> Result<Self> {
        let raw = m.class::<Raw>()?;
        let fragment = m.class::<Fragment>()?;
        let packed = m.class::<ormsgpack::Fragment>()?;
        let stream = m.class::<Stream>()?;
        let errors = Errors::new()?;
        let structs = pairs::classes(m.module())?;
        let declared = py::import(c"oxwire._struct")?;
        let first = model::first_class(&structs, declared.clone())?;
        for (name, class) in [
            (c"Raw", raw.own()),
            (c"Fragment", fragment.own()),
            (c"PackedFragment", packed.own()),
            (c"JsonStreamDecoder", stream.own()),
            (c"JsonEncoder", m.class::<Encoder<Json>>()?.own()),
            (c"JsonDecoder", m.class::<Decoder<Json>>()?.own()),
            (c"MsgpackStreamDecoder", m.class::<PackStream>()?.own()),
            (c"MsgpackEncoder", m.class::<Encoder<Pack>>()?.own()),
            (c"MsgpackDecoder", m.class::<Decoder<Pack>>()?.own()),
            (c"StructMeta", structs.meta()),
            (c"Struct", &first),
            (c"Error", &errors.base),
            (c"EncodeError", &errors.encode),
            (c"DecodeError", &errors.decode),
            (c"OrjsonDecodeError", &errors.orjson_decode),
            (c"__version__", &py::text(env!("CARGO_PKG_VERSION"))?),
        ] {
            m.add(name, class)?;
        }
        let values = py::import(c"oxwire._msgpack")?;
        let ext = values.as_ref().attr_named(c"Ext")?;
        let timestamp = values.as_ref().attr_named(c"Timestamp")?;
        // The environment variable forces the plain way, so that both can be tested.
        let os = py::import(c"os")?;
        let plain = py::call_method1(os.as_ref(), c"getenv", py::text("OXWIRE_PLAIN")?.as_ref())?;
        py::try_tables(plain.as_ref().truth()?)?;
        functions::add(m)?;
        orjson::add(m)?;
        pack::add(m)?;
        ormsgpack::add(m)?;
        structs::add(m)?;
        let ready =
            Ready { raw: raw.clone(), fragment, packed, ext: ext.clone(), timestamp: timestamp.clone() };
        Ok(State {
            env: Env::new(Box::new(ready), structs, declared.as_ref().attr_named(c"UNSET")?)?,
            packing_default: Packing::default(),
            unpacking_default: Unpacking::new(&ext),
            ormsgpack: ormsgpack::Plain::new(&ext),
            ext,
            timestamp,
            errors,
            raw,
            stream,
            encoding: Encoding::default(),
            decoding: Decoding::default(),
            orjson: orjson::decoding(),
            room: Room::default(),
            rooms: Rooms::new(seed(os.as_ref())?),
        })
    }

    fn traverse(&self, visit: &mut Visit<'_>) {
        let e = &self.errors;
        let own = [self.raw.own(), self.stream.own(), &e.base, &e.encode, &e.decode, &e.orjson_decode];
        own.into_iter().chain(self.env.objects()).for_each(|o| visit.object(o));
    }
}

/// A number that nobody can know before the process begins.
fn seed(os: py::Ref<'_>) -> Result<u64> {
    let random = py::call_method1(os, c"urandom", py::int(8)?.as_ref())?;
    let bytes = random.as_ref().as_bytes().and_then(|b| b.first_chunk());
    Ok(bytes.map_or(0, |b| u64::from_ne_bytes(*b)))
}
