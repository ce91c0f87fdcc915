//! Types as keywords give them, and their programs, which are kept from call to call.

use crate::args::{MAX_DEPTH, flag, hook, unknown};
use crate::raise;
use crate::state::State;
use alloc::vec;
use alloc::vec::Vec;
use core::ffi::CStr;
use engine::Hooks;
use model::Program;
use py::{Args, Building, Builtin, Class, Function, Own, Ref, Result, Visit};

/// How many programs are kept at once.
const KEPT: usize = 256;

/// Puts the functions into the module.
pub(crate) fn add(m: &Building<'_, State>) -> Result<()> {
    m.add_function::<Convert>(c"convert")
}

/// One keyword that every typed reading has; false if it is none of them.
pub(crate) fn option(hooks: &mut Hooks, name: &str, v: Ref<'_>) -> Result<bool> {
    match name {
        // It becomes a program when all keywords are known.
        "type" => hooks.program = Some(v.own()),
        "codecs" => hooks.codecs = (!v.is_none()).then(|| v.own()),
        "_closed" => hooks.codecs = Some(py::bool(false)),
        "dec_hook" => hooks.custom = hook(name, v)?,
        "strict" => hooks.lax = !flag(name, v)?,
        "_fault" => hooks.fault = hook(name, v)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// The program of the type, to be made when all keywords are known; an exception for what has no meaning together
/// with a type.
pub(crate) fn finish(state: &State, hooks: &mut Hooks, raw: bool) -> Result<()> {
    let codecs = hooks.codecs.take();
    if let Some(kind) = hooks.program.take() {
        hooks.program = program(state, kind.as_ref(), codecs)?;
    }
    let containers = hooks.tuples || hooks.object.is_some() || hooks.pairs.is_some() || hooks.list.is_some();
    if hooks.program.is_some() && (raw || containers) {
        let words = if raw { "`raw`" } else { "hooks for containers, or `use_list=False`," };
        return Err(Builtin::Type.raise_words("`type` and {} exclude each other", &[words.into()]));
    }
    Ok(())
}

/// The program of a type; nothing, if any value is of it. `codecs` are by their types, or false for none, not even our own.
fn program(state: &State, kind: Ref<'_>, codecs: Option<Own>) -> Result<Option<Own>> {
    let key = match &codecs {
        Some(codecs) => py::tuple(&mut vec![codecs.clone(), kind.own()], 0)?,
        None => kind.own(),
    };
    let codecs = codecs.unwrap_or_else(py::none);
    let known = match py::dict_find(state.types.as_ref(), key.as_ref()) {
        Ok(found) => found,
        Err(_) if py::is_ordinary() => {
            // What has no hash is looked through each time.
            py::clear();
            return make(state, kind, codecs.as_ref());
        }
        Err(e) => return Err(e),
    };
    if let Some(p) = known {
        return Ok((!p.as_ref().is_none()).then_some(p));
    }
    let made = make(state, kind, codecs.as_ref())?;
    if state.types.as_ref().as_any_dict().is_some_and(|d| d.hold().len() >= KEPT) {
        py::call_method0(state.types.as_ref(), c"clear")?;
    }
    py::dict_put(&state.types, key.as_ref(), made.clone().unwrap_or_else(py::none).as_ref())?;
    Ok(made)
}

fn make(state: &State, kind: Ref<'_>, codecs: Ref<'_>) -> Result<Option<Own>> {
    let module = py::import(c"oxwire._types")?;
    let f = module.as_ref().attr_named(c"program")?;
    let tables = py::call(f.as_ref(), &[kind, codecs])?;
    if tables.as_ref().is_none() {
        return Ok(None);
    }
    let p = Program::new(&state.env.structs, pairs::SPELLS, &tables)?;
    Ok(Some(py::new_instance(&state.env.programs, p)?))
}

impl Class<State> for Program {
    const NAME: &'static CStr = c"oxwire._oxwire.Program";
    const DOC: &'static CStr = c"What a type says of values.";

    fn new(_: &State, _: &Args<'_>) -> Result<Self> {
        Err(Builtin::Type.raise("Programs are made of types"))
    }
    fn methods(_: &mut Vec<py::MethodDef>) {}
    fn traverse(&self, visit: &mut Visit<'_>) {
        Program::traverse(self, visit);
    }
    fn repr(&self, _: &State) -> Result<Own> {
        py::text("<program>")
    }
}

struct Convert;
impl Function<State> for Convert {
    const NAME: &'static CStr = c"convert";
    const MODULE: &'static str = "oxwire";
    const DOC: &'static CStr = c"convert(obj, type, *, strict=True, from_attributes=False, dec_hook=None, \
        builtin_types=None, str_keys=False, codecs=None)\n--\n\n\
        Make of an object what a type says, as decoding would. Raises ValidationError, with `path`.";
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        let mut hooks = Hooks { max_depth: MAX_DEPTH, ..Hooks::default() };
        let (obj, mut kind) = match args.positional() {
            [obj] => (*obj, None),
            [obj, kind] => (*obj, Some(*kind)),
            _ => return Err(Builtin::Type.raise("convert() takes an object and a type")),
        };
        for (name, v) in args.named() {
            let name = name.word();
            match &*name {
                "type" if kind.is_none() => kind = Some(v),
                "strict" => hooks.lax = !flag(&name, v)?,
                "from_attributes" => hooks.attributes = flag(&name, v)?,
                "str_keys" => hooks.text_keys |= flag(&name, v)?,
                "dec_hook" | "codecs" | "_closed" => {
                    option(&mut hooks, &name, v)?;
                }
                "builtin_types" => {
                    let helpers = py::import(c"oxwire._scalars")?;
                    py::call_method1(helpers.as_ref(), c"check_builtin_types", v)?;
                }
                _ => return Err(unknown(&name)),
            }
        }
        hooks.text_keys |= hooks.lax;
        let Some(kind) = kind else {
            return Err(Builtin::Type.raise("convert() takes an object and a type"));
        };
        let Some(made) = program(state, kind, hooks.codecs.take())? else { return Ok(obj.own()) };
        let Some(p) = py::this_of(&state.env.programs, made.as_ref()) else { return Ok(obj.own()) };
        pairs::convert(&state.rooms, &state.env, &hooks, p, obj)
            .map_err(|fault| raise::decode(state, &fault, &[], raise::START, &None))
    }
}
