//! What each interpreter has of the module: classes, exceptions, and what calls keep for the next.

use alloc::boxed::Box;
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
use crate::raise::Makers;
use crate::raw::{Raw, Ready};
use crate::stream::Stream;
use crate::structs;
use crate::typing;
use engine::Env;
use model::Program;
use pairs::Rooms;
use py::{Building, Made, Module, Once, Own, Ref, Result, Room, Visit};

/// The state of the module in one interpreter.
pub struct State {
    pub(crate) env: Env,
    pub(crate) makers: Makers,
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
    /// The programs of types that were asked for.
    pub(crate) types: Own,
    pub(crate) room: Room,
}

/// Attributes of a module.
#[inline(never)]
fn attributes(module: &CStr, names: &[&CStr], into: &mut Vec<Own>) -> Result<()> {
    let module = py::import(module)?;
    for name in names {
        into.push(module.as_ref().attr_named(name)?);
    }
    Ok(())
}

/// The names of the exceptions.
const ERRORS: [&CStr; 4] = [c"EncodeError", c"DecodeError", c"ValidationError", c"Error"];

/// What is made in Python: exceptions, values, what classes are declared with.
fn given() -> Result<[Own; 8]> {
    let mut all = Vec::new();
    attributes(c"oxwire._errors", &ERRORS, &mut all)?;
    attributes(c"oxwire._msgpack", &[c"Ext", c"Timestamp"], &mut all)?;
    attributes(c"oxwire._struct", &[c"UNSET"], &mut all)?;
    all.push(py::import(c"oxwire._struct")?);
    all.try_into().map_err(|_| py::Raised)
}

/// The classes whose instances are made here.
struct Classes {
    raw: Made<Raw>,
    fragment: Made<Fragment>,
    packed: Made<ormsgpack::Fragment>,
    stream: Made<Stream>,
    programs: Made<Program>,
}

/// Makes the classes, and puts those into the module that others look for.
#[inline(never)]
fn classes(m: &Building<'_, State>) -> Result<Classes> {
    let c = Classes {
        raw: m.class()?,
        fragment: m.class()?,
        packed: m.class()?,
        stream: m.class()?,
        programs: m.class()?,
    };
    m.add(c"Raw", c.raw.own())?;
    m.add(c"Fragment", c.fragment.own())?;
    m.add(c"PackedFragment", c.packed.own())?;
    m.add(c"JsonStreamDecoder", c.stream.own())?;
    m.add(c"JsonEncoder", m.class::<Encoder<Json>>()?.own())?;
    m.add(c"JsonDecoder", m.class::<Decoder<Json>>()?.own())?;
    m.add(c"MsgpackStreamDecoder", m.class::<PackStream>()?.own())?;
    m.add(c"MsgpackEncoder", m.class::<Encoder<Pack>>()?.own())?;
    m.add(c"MsgpackDecoder", m.class::<Decoder<Pack>>()?.own())?;
    Ok(c)
}

/// Puts the functions into the module.
#[inline(never)]
fn functions(m: &Building<'_, State>) -> Result<()> {
    functions::add(m)?;
    orjson::add(m)?;
    pack::add(m)?;
    ormsgpack::add(m)?;
    structs::add(m)?;
    typing::add(m)
}

impl Module for State {
    const NAME: &'static CStr = c"oxwire._oxwire";
    const DOC: &'static CStr = c"The engine of oxwire. Its public faces are the modules of the package.";

    #[inline(never)]
    fn new(m: &Building<'_, Self>) -> Result<Self> {
        let c = classes(m)?;
        functions(m)?;
        let given = given()?;
        for (name, o) in ERRORS.iter().zip(&given) {
            m.add(name, o)?;
        }
        let [_, _, _, _, ext, timestamp, unset, declared] = given;
        let seed = start(m, declared.as_ref())?;
        let structs = pairs::classes(m.module())?;
        m.add(c"StructMeta", structs.meta())?;
        m.add(c"Struct", &model::first_class(&structs, declared)?)?;
        m.add(c"__version__", &py::text(env!("CARGO_PKG_VERSION"))?)?;

        let ready = Ready {
            raw: c.raw.clone(),
            fragment: c.fragment,
            packed: c.packed,
            ext: ext.clone(),
            timestamp: timestamp.clone(),
        };
        Ok(State {
            env: Env::new(Box::new(ready), structs, c.programs, unset)?,
            packing_default: Packing::default(),
            unpacking_default: Unpacking::new(&ext),
            ormsgpack: ormsgpack::Plain::new(&ext),
            ext,
            timestamp,
            types: py::new_dict()?,
            makers: Makers::default(),
            raw: c.raw,
            stream: c.stream,
            encoding: Encoding::default(),
            decoding: Decoding::default(),
            orjson: orjson::decoding(),
            room: Room::default(),
            rooms: Rooms::new(seed),
        })
    }

    fn traverse(&self, visit: &mut Visit<'_>) {
        let own = [self.raw.own(), self.stream.own(), &self.types];
        let makers = self.makers.iter().filter_map(Once::get);
        own.into_iter().chain(makers).chain(self.env.objects()).for_each(|o| visit.object(o));
    }
}

/// Chooses how objects are read and made, and gives a number that nobody can know before the process begins.
fn start(m: &Building<'_, State>, declared: Ref<'_>) -> Result<u64> {
    let os = py::import(c"os")?;
    // The environment variable forces the plain way, so that both can be tested.
    let plain = py::call_method1(os.as_ref(), c"getenv", py::text("OXWIRE_PLAIN")?.as_ref())?;
    let plain = plain.as_ref().truth()?;
    let dicts = py::call0(declared.attr_named(c"dicts")?.as_ref())?;
    let trusted = py::try_tables(plain, dicts.as_ref())?;
    // For `oxwire.doctor`: what is done by hand, whether that was forbidden, and the instruction set for long texts.
    let ways = i64::from(trusted) | i64::from(plain) << 7 | i64::from(wire::scan::level()) << 8;
    m.add(c"_ways", &py::int(ways)?)?;
    let random = py::call_method1(os.as_ref(), c"urandom", py::int(8)?.as_ref())?;
    let bytes = random.as_ref().as_bytes().and_then(|b| b.first_chunk());
    Ok(bytes.map_or(0, |b| u64::from_ne_bytes(*b)))
}
