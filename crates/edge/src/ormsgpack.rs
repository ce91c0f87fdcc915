//! The face of `oxwire.compat.ormsgpack`: its names, option numbers, limits and texts, over the same
//! engine. The option bits die here.

use alloc::vec::Vec;
use core::ffi::CStr;
use wire::say;

use crate::instances;
use crate::orjson::arguments;
use crate::pack_args::{Packing, Unpacking};
use crate::raise::{self, By, Part};
use crate::state::State;
use engine::{Fault, Keys, Order, Quirks, SortSet, Times, What, sorts};
use msgpack::{Limits, Reader};
use py::{Args, Builtin, Class, Data, Function, Int, NotData, Own, Raised, Ref, Result, Seen, Visit, doc};
use wire::{Code, Error, Input, Source};

const NAIVE_UTC: i64 = 1 << 0;
const NON_STR_KEYS: i64 = 1 << 1;
const OMIT_MICROSECONDS: i64 = 1 << 2;
const PASSTHROUGH_BIG_INT: i64 = 1 << 3;
const PASSTHROUGH_DATACLASS: i64 = 1 << 4;
const PASSTHROUGH_DATETIME: i64 = 1 << 5;
const PASSTHROUGH_SUBCLASS: i64 = 1 << 6;
const PASSTHROUGH_TUPLE: i64 = 1 << 7;
const SERIALIZE_NUMPY: i64 = 1 << 8;
const SERIALIZE_PYDANTIC: i64 = 1 << 9;
const SORT_KEYS: i64 = 1 << 10;
const UTC_Z: i64 = 1 << 11;
const PASSTHROUGH_UUID: i64 = 1 << 12;
const PASSTHROUGH_ENUM: i64 = 1 << 13;
const DATETIME_AS_TIMESTAMP_EXT: i64 = 1 << 14;
const REPLACE_SURROGATES: i64 = 1 << 15;
const TO_WRITE: i64 = (1 << 16) - 1;
const TO_READ: i64 = NON_STR_KEYS | DATETIME_AS_TIMESTAMP_EXT;

/// How deep containers may nest in what is written.
const WRITE_DEPTH: usize = 255;
/// How deep in what is read.
const READ_DEPTH: usize = 1023;
/// How deep in a fragment.
const FRAGMENT_DEPTH: usize = 254;

/// Lists them for the module.
pub(crate) fn add(all: &mut Vec<py::MethodDef>) {
    py::function::<State, Pack>(all);
    py::function::<State, Unpack>(all);
}

/// What calls without hooks use: for no option, and for each sum of options to read with.
pub(crate) struct Plain {
    packing: Packing,
    unpacking: [Unpacking; 4],
}

impl Plain {
    pub(crate) fn new(ext: &Own) -> Plain {
        let all = [0, NON_STR_KEYS, DATETIME_AS_TIMESTAMP_EXT, TO_READ];
        Plain { packing: packing(None, 0), unpacking: all.map(|bits| unpacking(ext, None, bits)) }
    }

    fn unpacking(&self, bits: i64) -> &Unpacking {
        let [none, keys, times, both] = &self.unpacking;
        match (bits & NON_STR_KEYS != 0, bits & DATETIME_AS_TIMESTAMP_EXT != 0) {
            (false, false) => none,
            (true, false) => keys,
            (false, true) => times,
            (true, true) => both,
        }
    }
}

fn packing(default: Option<Own>, bits: i64) -> Packing {
    let on = |bit: i64| bits & bit != 0;
    let mut p = Packing::default();
    let r = &mut p.rules;
    r.hook = default;
    r.sorts = sorts::BYTES.with(sorts::EXTS).with(sorts::PACKED);
    let mut allow = |set: SortSet, on: bool| {
        if on {
            r.sorts = r.sorts.with(set);
        }
    };
    allow(sorts::SUBCLASSES, !on(PASSTHROUGH_SUBCLASS));
    allow(sorts::MOMENTS, !on(PASSTHROUGH_DATETIME));
    allow(sorts::DATACLASS, !on(PASSTHROUGH_DATACLASS));
    allow(sorts::ENUM, !on(PASSTHROUGH_ENUM));
    allow(sorts::UUID, !on(PASSTHROUGH_UUID));
    allow(sorts::ARRAYS, on(SERIALIZE_NUMPY));
    allow(sorts::MODEL.with(sorts::OLD_MODEL), on(SERIALIZE_PYDANTIC));
    r.max_depth = WRITE_DEPTH;
    r.order = if on(SORT_KEYS) { Order::Sorted } else { Order::Stored };
    r.str_errors = on(REPLACE_SURROGATES).then(|| c"replace".into());
    r.quirks = Quirks {
        str_keys: !on(NON_STR_KEYS),
        no_sorted_dicts: on(NON_STR_KEYS),
        strict_keys: true,
        same_keys: true,
        few_keys: true,
        big_to_hook: on(PASSTHROUGH_BIG_INT),
        tuple_to_hook: on(PASSTHROUGH_TUPLE),
        wrap_hook: true,
        exact: true,
        stored_dicts: true,
        fields: engine::Fields::Stored,
        public: sorts::DATACLASS,
        decorated_only: true,
        model_dict: true,
        naive_times: true,
        plain_arrays: true,
        swapped_arrays: true,
        text_moments: true,
        positive_ext: true,
        ..Quirks::default()
    };
    p.style.timestamps = on(DATETIME_AS_TIMESTAMP_EXT);
    p.style.time.naive_utc = on(NAIVE_UTC);
    p.style.time.utc_z = on(UTC_Z);
    p.style.time.omit_microseconds = on(OMIT_MICROSECONDS);
    p
}

fn unpacking(ext: &Own, hook: Option<Own>, bits: i64) -> Unpacking {
    let on = |bit: i64| bits & bit != 0;
    let mut u = Unpacking::new(ext);
    u.hooks.ext = hook;
    u.hooks.ext_class = None;
    u.hooks.keys = if on(NON_STR_KEYS) { Keys::Plain } else { Keys::Str };
    u.hooks.times = Times::Cut;
    u.hooks.max_depth = READ_DEPTH;
    u.limits.max_depth = READ_DEPTH;
    u.limits.time_as_ext = !on(DATETIME_AS_TIMESTAMP_EXT);
    u
}

/// The exception for wrong arguments.
#[cold]
fn refused(state: &State, function: &CStr, args: &Args<'_>) -> Raised {
    raise::raise(state, By::Faces, function, &[Part::Args(args)])
}

#[inline(never)]
fn found<'a>(args: &Args<'a>, names: [&str; 2], most: usize) -> Option<(Ref<'a>, [Option<Ref<'a>>; 2])> {
    arguments(args, names, most)
}

/// The bits of an `option`; nothing if it is none.
fn option(option: Option<Ref<'_>>, allowed: i64) -> Option<i64> {
    match option.map(|o| o.see_cold()) {
        None | Some(Seen::None) => Some(0),
        Some(Seen::Int(i)) => match i.get_cold() {
            Int::I64(bits) if bits & !allowed == 0 => Some(bits),
            _ => None,
        },
        Some(_) => None,
    }
}

struct Pack;
impl Function<State> for Pack {
    const NAME: &'static CStr = c"oxwire.compat.ormsgpack.packb";
    const DOC: &'static CStr =
        doc!(c"packb(obj, /, default=None, option=None)\n--\n\nSerialize Python objects to msgpack.");

    const OFTEN: bool = true;
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        let (obj, [default, bits]) = match *args.positional() {
            [obj] if !args.has_names() => (obj, [None; 2]),
            _ => match found(args, ["default", "option"], 3) {
                Some(found) => found,
                None => return Err(refused(state, c"ormsgpack_packb", args)),
            },
        };
        let Some(bits) = option(bits, TO_WRITE) else {
            return Err(Builtin::Type.raise(say!("Invalid opts")));
        };
        let default = default.filter(|d| !d.is_none()).map(|d| d.own());
        if bits == 0 && default.is_none() {
            return pack(state, &state.ormsgpack.packing, obj);
        }
        pack(state, &packing(default, bits), obj)
    }
}

fn pack(state: &State, p: &Packing, obj: Ref<'_>) -> Result<Own> {
    let mut out = py::bytes_buf(&state.room);
    match instances::pack_walk(state, p, obj, &mut out) {
        Ok(()) => py::finish(out, &state.room),
        Err(fault) => Err(not_written(state, &fault)),
    }
}

/// What a hook raised becomes the cause of an exception, unless it means more than that the hook
/// failed.
fn means_more() -> bool {
    !py::is_ordinary() || py::pending(Builtin::Memory)
}

#[cold]
fn not_written(state: &State, fault: &Fault) -> Raised {
    match fault.what {
        What::HookRaised(_) if means_more() => Raised,
        _ => raise::not_written(state, fault, c"ormsgpack_encode"),
    }
}

struct Unpack;
impl Function<State> for Unpack {
    const NAME: &'static CStr = c"oxwire.compat.ormsgpack.unpackb";
    const DOC: &'static CStr =
        doc!(c"unpackb(obj, /, *, ext_hook=None, option=None)\n--\n\nDeserialize msgpack to Python objects.");

    const OFTEN: bool = true;
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        let (obj, [hook, bits]) = match *args.positional() {
            [obj] if !args.has_names() => (obj, [None; 2]),
            _ => match found(args, ["ext_hook", "option"], 1) {
                Some(found) => found,
                None => return Err(refused(state, c"ormsgpack_unpackb", args)),
            },
        };
        let Some(bits) = option(bits, TO_READ) else {
            return Err(Builtin::Value.raise(say!("Invalid opts")));
        };
        let data = data(obj)?;
        match hook.filter(|h| !h.is_none()) {
            None => unpack(state, state.ormsgpack.unpacking(bits), data.input()),
            Some(hook) => unpack(state, &unpacking(&state.ext, Some(hook.own()), bits), data.input()),
        }
    }
}

fn data<'a>(obj: Ref<'a>) -> Result<Data<'a>> {
    if !obj.is_plain_data() || obj.as_any_str().is_some() {
        return Err(Builtin::Value.raise(say!("Input must be bytes, bytearray, memoryview")));
    }
    match Data::of(obj) {
        Ok(data) => Ok(data),
        Err(NotData::Raised) if py::pending(Builtin::Memory) => Err(Raised),
        Err(_) => {
            py::clear();
            Err(Builtin::Value.raise(say!("Input type memoryview must be a C contiguous buffer")))
        }
    }
}

fn unpack(state: &State, u: &Unpacking, input: Input<'_>) -> Result<Own> {
    instances::pack_build(state, u, &u.hooks, input, None, None).map_err(|fault| match fault.what {
        What::Wire(e) => malformed(state, e, input.bytes(), u.hooks.keys),
        _ if u.hooks.ext.is_some() => match means_more() {
            true => Raised,
            false => {
                let cause = py::take_raised();
                raise::raise(state, By::Faces, c"ormsgpack_failed", &[Part::Object(cause.as_ref())])
            }
        },
        // Nothing else raises this, as no user code ran.
        _ if py::pending(Builtin::Value) => {
            py::clear();
            Builtin::Value.raise(say!("ext_hook missing"))
        }
        _ => Raised,
    })
}

/// The exception for malformed input.
#[cold]
fn malformed(state: &State, e: Error, bytes: &[u8], keys: Keys) -> Raised {
    if e.code == Code::Memory {
        return Builtin::Memory.raise(say!("not enough memory"));
    }
    let parts = [
        Part::Count(e.code as usize),
        Part::Count(e.at),
        Part::Count(bytes.get(e.at).copied().unwrap_or(0).into()),
        Part::Flag(keys == Keys::Plain),
    ];
    raise::raise(state, By::Faces, c"ormsgpack_malformed", &parts)
}

/// `Fragment`: MessagePack that goes into the output as it is. It was checked when it was made.
pub(crate) struct Fragment {
    /// A `bytes` object.
    data: Own,
}

impl Fragment {
    /// What goes into the output.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.data.as_ref().as_bytes().unwrap_or_default()
    }
}

impl Class<State> for Fragment {
    const NAME: &'static CStr = c"oxwire.compat.ormsgpack.Fragment";
    const DOC: &'static CStr =
        doc!(c"Fragment(data, /)\n--\n\nOne message that is already packed, as bytes.");

    fn new(state: &State, args: &Args<'_>) -> Result<Fragment> {
        let o = match *args.positional() {
            [o] if !args.has_names() && o.as_bytes().is_some() => o,
            _ => return Err(refused(state, c"ormsgpack_fragment", args)),
        };
        let Ok(data) = Data::of(o) else { return Err(refused(state, c"ormsgpack_fragment", args)) };
        check(state, data.input())?;
        Ok(Fragment { data: o.own() })
    }
    fn methods(_: &mut Vec<py::MethodDef>) {}
    fn traverse(&self, visit: &mut Visit<'_>) {
        visit.object(&self.data);
    }
    fn repr(&self) -> Result<Own> {
        py::text("<ormsgpack.Fragment>")
    }
}

/// Refuses what is not one message.
fn check(state: &State, input: Input<'_>) -> Result<()> {
    let mut reader = Reader::new(input, Limits { max_depth: FRAGMENT_DEPTH, ..Limits::default() });
    let mut read = || {
        reader.skip()?;
        reader.end()
    };
    read().map_err(|e: Error| match e.code {
        Code::Trailing => Builtin::Value.raise(say!("invalid value")),
        _ => malformed(state, e, input.bytes(), Keys::Any),
    })
}
