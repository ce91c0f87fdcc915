//! The face of `oxwire.compat.ormsgpack`: its names, option numbers, limits and texts, over the same
//! engine. The option bits die here.

use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::CStr;
use wire::{Said, say};

use crate::instances;
use crate::pack_args::{Packing, Unpacking};
use crate::state::State;
use engine::{Fault, Keys, Order, Quirks, SortSet, Times, What, sorts};
use msgpack::{Limits, Reader};
use py::{
    Args, Builtin, Class, Data, Function, Int, NotData, Own, Raised, Ref, Result, Seen, Visit, Word, doc,
};
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

/// For frames without words.
const NO: Word<'_> = Word::Count(0);

/// The arguments of one of the functions: the object, and two with a name, of which `most` count by
/// position too.
fn arguments<'a>(
    function: &str,
    args: &Args<'a>,
    names: [&str; 2],
    most: usize,
) -> Result<(Ref<'a>, [Option<Ref<'a>>; 2])> {
    let wrong = |frame: Said, word: Word<'_>| {
        Builtin::Type.raise_words(say!("{}() {}"), &[function.into(), (&py::words(frame, &[word])).into()])
    };
    let positional = args.positional();
    if positional.len() > most {
        let frame = match most {
            1 => say!("takes 1 positional arguments but {} were given"),
            _ => say!("takes from 1 to 3 positional arguments but {} were given"),
        };
        return Err(wrong(frame, positional.len().into()));
    }
    let mut found = [positional.get(1).copied(), positional.get(2).copied()];
    let mut obj_named = false;
    for (name, v) in args.named() {
        let known = names.iter().zip(&mut found).find(|(n, _)| name.is(n));
        match known {
            Some((_, place)) if place.is_none() => *place = Some(v),
            Some((n, _)) => return Err(wrong(say!("got multiple values for argument '{}'"), (*n).into())),
            None if name.is("obj") => obj_named = true,
            None => {
                return Err(wrong(
                    say!("got an unexpected keyword argument '{}'"),
                    Word::Name(name.as_ref()),
                ));
            }
        }
    }
    if obj_named {
        let text = say!("got some positional-only arguments passed as keyword arguments: 'obj'");
        return Err(wrong(text, NO));
    }
    match positional.first() {
        Some(&obj) => Ok((obj, found)),
        None => Err(wrong(say!("missing 1 required positional argument: 'obj'"), NO)),
    }
}

/// The bits of an `option`; nothing if it is none.
fn option(option: Option<Ref<'_>>, allowed: i64) -> Option<i64> {
    match option.map(|o| o.see()) {
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
            _ => arguments("packb", args, ["default", "option"], 3)?,
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
    match instances::pack_walk(state, p, obj, py::bytes_buf(&state.room)) {
        Ok(out) => py::finish(out, &state.room),
        Err(fault) => Err(not_written(&fault)),
    }
}

#[cold]
fn not_written(fault: &Fault) -> Raised {
    const NOT_SERIALIZABLE: Said = say!("Type is not msgpack serializable: {}");
    let words;
    let (frame, word): (Said, Word<'_>) = match &fault.what {
        What::Raised => return Raised,
        What::Memory => return Builtin::Memory.raise(say!("not enough memory")),
        What::HookRaised(class) => {
            return from_hook(Builtin::Type, &py::words(NOT_SERIALIZABLE, &[class.into()]));
        }
        What::Unsupported(class) => (NOT_SERIALIZABLE, class.into()),
        What::Chain => (say!("Recursion limit for default hook reached"), NO),
        What::Depth(_) => (say!("Recursion limit reached"), NO),
        What::IntRange(bits) => (say!("Integer exceeds {}-bit range"), Word::Count(u64::from(*bits))),
        What::Surrogate(_) => (say!("string contains surrogates"), NO),
        What::KeyNotStr => (say!("Dict key must be str"), NO),
        What::Key(..) => (say!("Dict key must a type serializable with OPT_NON_STR_KEYS"), NO),
        What::KeyOrder => (say!("OPT_NON_STR_KEYS is not compatible with OPT_SORT_KEYS"), NO),
        What::TimeWithZone => (say!("datetime.time must not have tzinfo set"), NO),
        What::Ext => (say!("Extension type out of range"), NO),
        What::Length => (say!("write error"), NO),
        _ => {
            words = fault.words();
            (say!("{}"), (&words).into())
        }
    };
    Builtin::Type.raise_words(frame, &[word])
}

/// What a hook raised becomes the cause of an exception, unless it means more than that the hook
/// failed.
#[cold]
fn from_hook(class: Builtin, text: &str) -> Raised {
    if !py::is_ordinary() || py::pending(Builtin::Memory) {
        return Raised;
    }
    let make = || {
        let cause = py::take_raised();
        let e = py::call1(class.class(), py::text(text)?.as_ref())?;
        if let Some(cause) = cause {
            py::set_cause(e.as_ref(), cause);
        }
        Ok(py::raise_object(e.as_ref()))
    };
    make().unwrap_or_else(|r: Raised| r)
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
            _ => arguments("unpackb", args, ["ext_hook", "option"], 1)?,
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
        What::Wire(e) => malformed(e, input.bytes(), u.hooks.keys),
        _ if u.hooks.ext.is_some() => from_hook(Builtin::Value, "ext_hook failed"),
        // Nothing else raises this, as no user code ran.
        _ if py::pending(Builtin::Value) => {
            py::clear();
            Builtin::Value.raise(say!("ext_hook missing"))
        }
        _ => Raised,
    })
}

/// The words that this face has for a fault.
#[cold]
fn malformed(e: Error, bytes: &[u8], keys: Keys) -> Raised {
    let here = bytes.get(e.at).copied().unwrap_or(0);
    let first;
    let (frame, word): (Said, Word<'_>) = match e.code {
        Code::Memory => return Builtin::Memory.raise(say!("not enough memory")),
        Code::Empty | Code::Eof => (say!("unexpected end of file"), NO),
        Code::NotUtf8 => (say!("invalid UTF-8 string"), NO),
        // What could be a timestamp is refused for what it holds.
        Code::KeyKind if keys == Keys::Plain && matches!(here, 0xc7 | 0xd6 | 0xd7) => {
            (say!("invalid value"), NO)
        }
        Code::Marker | Code::KeyKind | Code::MapKey => {
            first = marker(here);
            (say!("invalid type {}"), (&first).into())
        }
        Code::Timestamp | Code::TimeRange => (say!("invalid value"), NO),
        Code::Depth => (say!("Recursion limit reached"), NO),
        Code::Trailing => (say!("trailing bytes after the message, from byte {} on"), e.at.into()),
        other => (say!("{}"), other.words().into()),
    };
    Builtin::Value.raise_words(frame, &[word])
}

/// What a first byte says.
fn marker(byte: u8) -> String {
    // One text: each of its own would be two words, and an entry for the linker as long as three.
    const NAMED: &str = "Null Reserved False True Bin8 Bin16 Bin32 Ext8 Ext16 Ext32 F32 F64 U8 U16 U32 U64 I8 I16 I32 \
        I64 FixExt1 FixExt2 FixExt4 FixExt8 FixExt16 Str8 Str16 Str32 Array16 Array32 Map16 Map32";
    let named = |byte| NAMED.split_ascii_whitespace().nth(usize::from(byte)).unwrap_or_default();
    let (frame, least) = match byte {
        0x00..0x80 => (say!("FixPos({})"), 0),
        0x80..0x90 => (say!("FixMap({})"), 0x80),
        0x90..0xa0 => (say!("FixArray({})"), 0x90),
        0xa0..0xc0 => (say!("FixStr({})"), 0xa0),
        0xc0..0xe0 => return named(byte - 0xc0).into(),
        0xe0.. => return py::words(say!("FixNeg(-{})"), &[usize::from(byte.wrapping_neg()).into()]),
    };
    py::words(frame, &[usize::from(byte - least).into()])
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

    fn new(_: &State, args: &Args<'_>) -> Result<Fragment> {
        let wrong = |text: Word<'_>| Builtin::Type.raise_words(say!("Fragment.__new__() {}"), &[text]);
        if let Some((name, _)) = args.named().next() {
            let text = match name.lossy().as_str() {
                "data" => {
                    say!("got some positional-only arguments passed as keyword arguments: 'data'").into()
                }
                name => py::words(say!("got an unexpected keyword argument '{}'"), &[name.into()]),
            };
            return Err(wrong((&text).into()));
        }
        let o = match *args.positional() {
            [] => return Err(wrong(say!("missing 1 required positional argument: 'data'").into())),
            [o] => o,
            ref all => {
                return Err(wrong(
                    (&py::words(say!("takes 1 positional arguments but {} were given"), &[all.len().into()]))
                        .into(),
                ));
            }
        };
        if o.as_bytes().is_none() {
            return Err(wrong(say!("first argument must be bytes").into()));
        }
        let Ok(data) = Data::of(o) else { return Err(wrong(say!("first argument must be bytes").into())) };
        check(data.input())?;
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
fn check(input: Input<'_>) -> Result<()> {
    let mut reader = Reader::new(input, Limits { max_depth: FRAGMENT_DEPTH, ..Limits::default() });
    let mut read = || {
        reader.skip()?;
        reader.end()
    };
    read().map_err(|e: Error| match e.code {
        Code::Trailing => Builtin::Value.raise(say!("invalid value")),
        _ => malformed(e, input.bytes(), Keys::Any),
    })
}
