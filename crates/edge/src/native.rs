//! The codec of `oxwire.native`: what its encoders, decoders and functions call.
//!
//! What may surprise: options are parsed in Python, once for each codec; a call has the object or the bytes and nothing else.

use alloc::vec::Vec;
use core::ffi::CStr;

use crate::functions::only;
use crate::pack::data;
use crate::raise;
use crate::state::State;
use graph::{Codec, Known};
use py::{Args, Builtin, Class, Int, Method, MethodDef, Own, Ref, Result, Visit};

/// A codec as an object.
pub(crate) struct Graph(Codec);

fn known(state: &State) -> Known<'_> {
    Known { moments: state.env.moments(), structs: &state.env.structs, seed: state.rooms.seed() }
}

/// A limit.
fn count(o: Ref<'_>) -> Result<usize> {
    match o.as_any_int().map(|v| v.get_cold()) {
        Some(Int::I64(v)) if v >= 0 => Ok(v as usize),
        _ => Err(Builtin::Value.raise("a limit must be an int that is not negative")),
    }
}

impl Class<State> for Graph {
    const NAME: &'static CStr = c"oxwire._oxwire.Graph";
    const DOC: &'static CStr = c"Graph(helper, memoize, max_depth, max_int_bytes)";
    fn new(_: &State, args: &Args<'_>) -> Result<Self> {
        let [helper, memoize, depth, int_bytes] = only::<4>("Graph", args)?;
        Ok(Graph(Codec::new(helper, memoize.truth()?, count(depth)?, count(int_bytes)?)?))
    }
    fn methods(add: &mut Vec<MethodDef>) {
        py::method::<State, Graph, Encode>(add);
        py::method::<State, Graph, Decode>(add);
    }
    fn traverse(&self, visit: &mut Visit<'_>) {
        self.0.objects().for_each(|o| visit.object(o));
    }
    fn repr(&self, _: &State) -> Result<Own> {
        py::text("<oxwire codec>")
    }
}

struct Encode;
impl Method<State, Graph> for Encode {
    const NAME: &'static CStr = c"encode";
    const DOC: &'static CStr = c"encode($self, obj, /)\n--\n\nWrite an object as one message.";
    fn call(state: &State, this: &Graph, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        let [obj] = only("encode", args)?;
        let out = py::bytes_buf(&state.room);
        match graph::write(&this.0, known(state), obj, out) {
            Ok(out) => py::finish(out, &state.room),
            Err(fault) => Err(raise::encode(state, &fault, &None)),
        }
    }
}

struct Decode;
impl Method<State, Graph> for Decode {
    const NAME: &'static CStr = c"decode";
    const DOC: &'static CStr =
        c"decode($self, buf, /)\n--\n\nRead one message, which must be all there is in a buffer.";
    fn call(state: &State, this: &Graph, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        let [buf] = only("decode", args)?;
        let data = data(buf)?;
        let input = data.input();
        match graph::read(&this.0, known(state), input) {
            Ok(o) => Ok(o),
            Err(fault) => Err(raise::graph(state, &fault)),
        }
    }
}
