//! The codec of `oxwire.native`: what its encoders, decoders and functions call.
//!
//! What may surprise: options are parsed in Python, once for each codec; a call has the object or the bytes and nothing else. But
//! those about buffers beside the message, if they stand alone, are understood here: what they save is less than asking costs.

use alloc::vec::Vec;
use core::ffi::CStr;
use wire::say;

use crate::coder::keywords;
use crate::functions::{exactly, only};
use crate::pack::data_by_call;
use crate::raise;
use crate::state::State;
use graph::{Codec, Known, calls};
use py::{Args, Builtin, Class, Int, Method, MethodDef, Own, Ref, Result, Visit, doc};

/// A codec as an object.
pub(crate) struct Graph(Codec);

/// What a call with keywords gives.
#[cold]
#[inline(never)]
fn told(this: &Graph, which: usize, o: Ref<'_>, args: &Args<'_>) -> Result<Own> {
    this.0.ask(which, &[o, keywords(args)?.as_ref()])
}

fn known(state: &State) -> Known<'_> {
    Known { moments: state.env.moments(), structs: &state.env.structs }
}

/// The value of the only keyword of a call, if that has this name.
#[inline(never)]
fn lone<'a>(args: &Args<'a>, name: &[u8]) -> Option<Ref<'a>> {
    match args.names() {
        ([one], [value]) if one.as_any_str().and_then(|s| s.ascii()) == Some(name) => Some(*value),
        _ => None,
    }
}

/// A limit.
fn count(o: Ref<'_>) -> Result<usize> {
    match o.as_any_int().map(|v| v.get_cold()) {
        Some(Int::I64(v)) if v >= 0 => Ok(v as usize),
        _ => Err(Builtin::Value.raise(say!("a limit must be an int that is not negative"))),
    }
}

impl Class<State> for Graph {
    const NAME: &'static CStr = c"oxwire.native.Graph";
    const DOC: &'static CStr = doc!(c"Graph(calls, how, max_depth, max_int_bytes, max_memory)");
    fn new(_: &State, args: &Args<'_>) -> Result<Self> {
        let [calls, how, depth, int_bytes, memory] = only("Graph", args)?;
        let Some(calls) = calls.as_any_tuple().map(|t| t.hold()) else {
            return Err(Builtin::Type.raise(say!("`calls` must be a tuple")));
        };
        let limits = [count(depth)?, count(int_bytes)?, count(memory)?];
        Ok(Graph(Codec::new(calls, count(how)?, limits)))
    }
    fn methods(add: &mut Vec<MethodDef>) {
        py::method::<State, Graph, Encode>(add);
        py::method::<State, Graph, Decode>(add);
    }
    fn traverse(&self, visit: &mut Visit<'_>) {
        visit.object(self.0.calls.as_own());
    }
    fn repr(&self) -> Result<Own> {
        py::text("<oxwire codec>")
    }
}

struct Encode;
impl Method<State, Graph> for Encode {
    const NAME: &'static CStr = c"encode";
    const DOC: &'static CStr = doc!(
        c"encode($self, obj, /, **options)\n--\n\nWrite an object as one message. Options are those of Encoder."
    );
    fn call(state: &State, this: &Graph, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        let [obj] = exactly("encode", args)?;
        let mut collect = this.0.collect;
        if args.has_names() {
            let yes = lone(args, b"collect_buffers").is_some_and(|v| v.is(py::bool(true).as_ref()));
            if !(yes && this.0.options) {
                return told(this, calls::ENCODE, obj, args);
            }
            collect = true;
        }
        let mut taken = Vec::new();
        let out = py::bytes_buf_by_call(&state.room);
        match graph::write(&this.0, known(state), obj, out, collect.then_some(&mut taken)) {
            Ok(out) => {
                let message = py::finish_by_call(out, &state.room)?;
                if collect { py::tuple2(message, py::list_cold(&mut taken, 0)?) } else { Ok(message) }
            }
            Err(fault) => Err(raise::encode(state, &fault, &None)),
        }
    }
}

struct Decode;
impl Method<State, Graph> for Decode {
    const NAME: &'static CStr = c"decode";
    const DOC: &'static CStr = doc!(
        c"decode($self, buf, /, **options)\n--\n\n\
        Read one message, which must be all there is in a buffer. Options are those of Decoder."
    );
    fn call(state: &State, this: &Graph, _: Ref<'_>, args: &Args<'_>) -> Result<Own> {
        let [buf] = exactly("decode", args)?;
        let mut given = None;
        if args.has_names() {
            let Some(buffers) = lone(args, b"buffers") else {
                return told(this, calls::DECODE, buf, args);
            };
            // A copy: what hooks do to theirs is not seen.
            if buffers.truth()? {
                given = py::list_of(buffers)?.as_ref().as_any_list().map(|l| l.hold());
            }
        }
        let data = data_by_call(buf)?;
        let input = data.input();
        match graph::read(&this.0, known(state), input, given) {
            Ok(o) => Ok(o),
            Err(fault) => Err(raise::graph(state, &fault, input.bytes())),
        }
    }
}
