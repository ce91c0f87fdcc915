//! What each interpreter has of the module: classes, exceptions, and what calls keep for the next.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ffi::CStr;

use crate::archive::Unpacked;
use crate::args::{Decoding, Encoding};
use crate::coder::{Decoder, Encoder};
use crate::face::Json;
use crate::functions;
use crate::native::Graph;
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
use py::{Building, Given, Made, Module, Own, Result, Room, Visit};

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

/// The classes whose instances are made here.
struct Classes {
    raw: Made<Raw>,
    fragment: Made<Fragment>,
    packed: Made<ormsgpack::Fragment>,
    stream: Made<Stream>,
    programs: Made<Program>,
}

/// Makes the classes.
#[inline(never)]
fn classes(m: &Building<'_, State>) -> Result<Classes> {
    let c = Classes {
        raw: m.class()?,
        fragment: m.class()?,
        packed: m.class()?,
        stream: m.class()?,
        programs: m.class()?,
    };
    m.class::<Encoder<Json>>()?;
    m.class::<Decoder<Json>>()?;
    m.class::<PackStream>()?;
    m.class::<Encoder<Pack>>()?;
    m.class::<Decoder<Pack>>()?;
    m.class::<Graph>()?;
    Ok(c)
}

/// Puts the functions into the module.
#[inline(never)]
fn functions(m: &Building<'_, State>) -> Result<()> {
    let mut all = Vec::new();
    py::early::<Unpacked>(&mut all);
    functions::add(&mut all);
    orjson::add(&mut all);
    pack::add(&mut all);
    ormsgpack::add(&mut all);
    structs::add(&mut all);
    typing::add(&mut all);
    m.add_functions(all)
}

impl Module for State {
    const NAME: &'static CStr = c"oxwire._oxwire";
    const DOC: &'static CStr = c"The engine of oxwire. Its public faces are the modules of the package.";

    #[inline(never)]
    fn new(m: &Building<'_, Self>) -> Result<Self> {
        let c = classes(m)?;
        functions(m)?;
        // All that is made in Python: how objects are read and made, classes, names. It is taken in the order in which it
        // stands there.
        let mut given = Given::new(m, c"oxwire._struct", c"given")?;
        let ways = py::ways(&given.take());
        // For `oxwire.doctor`: that, whether it was forbidden, and the instruction set for long texts.
        let ways = ways | given.number() << 7 | i64::from(wire::scan::level()) << 8;
        m.add(c"_ways", &py::int(ways)?)?;
        // A number that nobody can know before the process begins.
        let seed = given.number() as u64;
        let structs = pairs::classes(m.module())?;
        m.add(c"StructMeta", structs.meta())?;
        m.add(c"Struct", &model::first_class(&structs, &mut given)?)?;
        m.add(c"__version__", &py::text(env!("CARGO_PKG_VERSION"))?)?;
        let (ext, timestamp) = (given.take(), given.take());
        let ready = Ready {
            raw: c.raw.clone(),
            fragment: c.fragment,
            packed: c.packed,
            ext: ext.clone(),
            timestamp: timestamp.clone(),
        };
        let types = py::new_dict()?;
        // From here on nothing fails, so that nothing has to be taken back.
        Ok(State {
            env: Env::new(Box::new(ready), structs, c.programs, &mut given),
            packing_default: Packing::default(),
            unpacking_default: Unpacking::new(&ext),
            ormsgpack: ormsgpack::Plain::new(&ext),
            ext,
            timestamp,
            types,
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
        for own in [self.raw.own(), self.stream.own(), &self.types] {
            visit.object(own);
        }
        for maker in &self.makers {
            visit.maybe(maker.get());
        }
        self.env.traverse(visit);
    }
}
