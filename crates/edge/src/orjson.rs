//! The face of `oxwire.compat.orjson`: its names, option numbers, limits and texts, over the same
//! engine. The option bits die here.

use alloc::vec;
use alloc::vec::Vec;
use core::ffi::CStr;
use wire::say;

use crate::args::Encoding;
use crate::instances;
use crate::raise::{self, By, Part};
use crate::state::State;
use engine::{Hooks, Order, Quirks, SortSet, Splice, What, sorts};
use json::{Limits, NonFinite};
use py::{Args, Builtin, Class, Data, Function, Int, NotData, Own, Raised, Ref, Result, Seen, Visit, doc};
use wire::Error;

const INDENT_2: i64 = 1 << 0;
const NAIVE_UTC: i64 = 1 << 1;
const NON_STR_KEYS: i64 = 1 << 2;
const OMIT_MICROSECONDS: i64 = 1 << 3;
const SERIALIZE_NUMPY: i64 = 1 << 4;
const SORT_KEYS: i64 = 1 << 5;
const STRICT_INTEGER: i64 = 1 << 6;
const UTC_Z: i64 = 1 << 7;
const PASSTHROUGH_SUBCLASS: i64 = 1 << 8;
const PASSTHROUGH_DATETIME: i64 = 1 << 9;
const APPEND_NEWLINE: i64 = 1 << 10;
const PASSTHROUGH_DATACLASS: i64 = 1 << 11;
const ALL: i64 = (1 << 12) - 1;

/// How deep containers may nest in what is written.
const WRITE_DEPTH: usize = 254;
/// How deep in what is read.
const READ_DEPTH: usize = 1024;

/// Lists them for the module.
pub(crate) fn add(all: &mut Vec<py::MethodDef>) {
    py::function::<State, Dumps>(all);
    py::function::<State, Loads>(all);
}

fn encoding(default: Option<Own>, bits: i64) -> Encoding {
    let on = |bit: i64| bits & bit != 0;
    let mut e = Encoding::default();
    let r = &mut e.rules;
    r.hook = default;
    r.sorts = sorts::NONE.with(sorts::ENUM).with(sorts::UUID).with(sorts::FRAGMENT);
    let mut allow = |set: SortSet, not: i64| {
        if !on(not) {
            r.sorts = r.sorts.with(set);
        }
    };
    allow(sorts::SUBCLASSES, PASSTHROUGH_SUBCLASS);
    allow(sorts::MOMENTS, PASSTHROUGH_DATETIME);
    allow(sorts::DATACLASS, PASSTHROUGH_DATACLASS);
    if on(SERIALIZE_NUMPY) {
        r.sorts = r.sorts.with(sorts::ARRAYS);
    }
    r.max_depth = WRITE_DEPTH;
    r.order = if on(SORT_KEYS) { Order::Sorted } else { Order::Stored };
    r.finite = false;
    r.max_float = f64::INFINITY;
    r.big_ints = false;
    if on(STRICT_INTEGER) {
        r.max_int = (1 << 53) - 1;
        r.int_bits = 53;
    }
    r.quirks = Quirks {
        str_keys: !on(NON_STR_KEYS),
        same_keys: true,
        dataclass_dict: true,
        public: sorts::DATACLASS,
        decorated_only: true,
        naive_times: true,
        wrap_hook: true,
        plain_arrays: true,
        few_keys: true,
        stored_dicts: true,
        ..Quirks::default()
    };
    e.style.non_finite = NonFinite::Null;
    e.style.indent = on(INDENT_2).then(|| vec![b' '; 2]);
    e.style.time.naive_utc = on(NAIVE_UTC);
    e.style.time.utc_z = on(UTC_Z);
    e.style.time.omit_microseconds = on(OMIT_MICROSECONDS);
    e.newline = on(APPEND_NEWLINE);
    e
}

/// The arguments of a function: the object, and two with a name, of which `most` count by position too. Nothing if
/// they are wrong, which Python looks into.
#[inline(always)]
pub(crate) fn arguments<'a>(
    args: &Args<'a>,
    names: [&str; 2],
    most: usize,
) -> Option<(Ref<'a>, [Option<Ref<'a>>; 2])> {
    let positional = args.positional();
    if positional.len() > most {
        return None;
    }
    let (mut a, mut b) = (positional.get(1).copied(), positional.get(2).copied());
    let [name_a, name_b] = names;
    for (name, v) in args.named() {
        let place = if name.is(name_a) {
            &mut a
        } else if name.is(name_b) {
            &mut b
        } else {
            return None;
        };
        if place.replace(v).is_some() {
            return None;
        }
    }
    Some((*positional.first()?, [a, b]))
}

struct Dumps;
impl Function<State> for Dumps {
    const NAME: &'static CStr = c"oxwire.compat.orjson.dumps";
    const DOC: &'static CStr =
        doc!(c"dumps(obj, /, default=None, option=None)\n--\n\nSerialize Python objects to JSON.");

    const OFTEN: bool = true;
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        let (obj, [default, option]) = match *args.positional() {
            [obj] if !args.has_names() => (obj, [None; 2]),
            _ => match arguments(args, ["default", "option"], 3) {
                Some(found) => found,
                None => return Err(raise::raise(state, By::Faces, c"orjson_dumps", &[Part::Args(args)])),
            },
        };
        let bits = match option.map(|o| o.see_cold()) {
            None | Some(Seen::None) => 0,
            Some(Seen::Int(i)) => match i.get_cold() {
                Int::I64(bits @ 0..=ALL) => bits,
                _ => return Err(Builtin::Type.raise(say!("Invalid opts"))),
            },
            Some(_) => return Err(Builtin::Type.raise(say!("Invalid opts"))),
        };
        let default = default.filter(|d| !d.is_none()).map(|d| d.own());
        let e = encoding(default, bits);
        let mut out = py::bytes_buf(&state.room);
        if let Err(fault) = instances::json_walk(state, &e, obj, &mut out) {
            return Err(raise::not_written(state, &fault, c"orjson_encode"));
        }
        if e.newline && out.push(b'\n').is_err() {
            return Err(Builtin::Memory.raise(say!("not enough memory")));
        }
        py::finish(out, &state.room)
    }
}

struct Loads;
impl Function<State> for Loads {
    const NAME: &'static CStr = c"oxwire.compat.orjson.loads";
    const DOC: &'static CStr = doc!(c"loads(obj, /)\n--\n\nDeserialize JSON to Python objects.");

    const OFTEN: bool = true;
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        let [o] = *args.positional() else { return Err(no_loads(state, args)) };
        if args.has_names() {
            return Err(no_loads(state, args));
        }
        if !o.is_plain_data() {
            return Err(refused(state, Why::NoInput));
        }
        let data = match Data::of(o) {
            Ok(data) => data,
            Err(NotData::NotUtf8(_)) => return Err(refused(state, Why::NotUtf8)),
            Err(_) if py::pending(Builtin::Memory) => return Err(Raised),
            Err(_) => {
                py::clear();
                return Err(refused(state, Why::NoInput));
            }
        };
        let input = data.input();
        if input.bytes().is_empty() {
            return Err(refused(state, Why::Empty));
        }
        match instances::json_build(state, &state.orjson, input) {
            Ok(o) => Ok(o),
            Err(fault) => Err(match fault.what {
                What::Wire(e) => malformed(state, e, input.bytes()),
                _ => Raised,
            }),
        }
    }
}

#[cold]
fn no_loads(state: &State, args: &Args<'_>) -> Raised {
    raise::raise(state, By::Faces, c"orjson_loads", &[Part::Args(args)])
}

/// What `loads` reads with.
pub(crate) fn decoding() -> crate::args::Decoding {
    crate::args::Decoding {
        hooks: Hooks { max_depth: READ_DEPTH, guess: true, ..Hooks::default() },
        limits: Limits { max_depth: READ_DEPTH, ..Limits::default() },
        raw: false,
    }
}

/// Why there is nothing to read; Python says it.
enum Why {
    NoInput,
    NotUtf8,
    Empty,
}

#[cold]
fn refused(state: &State, why: Why) -> Raised {
    raise::raise(state, By::Faces, c"orjson_refused", &[Part::Count(why as usize)])
}

/// The exception for malformed input.
#[cold]
fn malformed(state: &State, e: Error, bytes: &[u8]) -> Raised {
    let parts = [Part::Count(e.code as usize), Part::Count(e.at), Part::Bytes(bytes)];
    raise::raise(state, By::Faces, c"orjson_malformed", &parts)
}

/// `Fragment`: JSON that goes into the output unseen.
pub(crate) struct Fragment {
    contents: Own,
}

impl Fragment {
    /// What goes into the output.
    pub(crate) fn splice<'a>(&'a self, room: &'a mut Vec<u8>) -> Splice<'a> {
        let o = self.contents.as_ref();
        if o.is_bytes()
            && let Some(b) = o.as_bytes()
        {
            return Splice::Trusted(b);
        }
        match o.as_str().map(|s| s.text(room)) {
            Some(Ok(t)) => Splice::Trusted(t.bytes()),
            Some(Err(_)) => Splice::Surrogate,
            None => Splice::Wrong,
        }
    }
}

impl Class<State> for Fragment {
    const NAME: &'static CStr = c"oxwire.compat.orjson.Fragment";
    const DOC: &'static CStr =
        doc!(c"Fragment(contents, /)\n--\n\nJSON that is already encoded, as bytes or str.");

    fn new(_: &State, args: &Args<'_>) -> Result<Fragment> {
        match *args.positional() {
            [contents] if !args.has_names() => Ok(Fragment { contents: contents.own() }),
            _ => Err(Builtin::Type.raise(say!("orjson.Fragment() takes exactly 1 positional argument"))),
        }
    }
    fn methods(_: &mut Vec<py::MethodDef>) {}
    fn traverse(&self, visit: &mut Visit<'_>) {
        visit.object(&self.contents);
    }
    fn repr(&self) -> Result<Own> {
        py::text("<orjson.Fragment>")
    }
}
