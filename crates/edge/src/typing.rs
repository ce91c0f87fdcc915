//! Types as keywords give them, and their programs, which are kept from call to call.

use crate::args::{MAX_DEPTH, choice, flag, hook, unknown};
use crate::raise;
use crate::state::State;
use alloc::vec::Vec;
use core::ffi::CStr;
use engine::{Hooks, What};
use model::Program;
use py::{Args, Building, Builtin, Class, Function, Own, Ref, Result, Visit};

/// How many programs are kept at once.
const KEPT: usize = 256;

/// Puts the functions into the module.
pub(crate) fn add(m: &Building<'_, State>) -> Result<()> {
    m.add_function::<Convert<false>>(c"convert")?;
    m.add_function::<Convert<true>>(c"convert_narrow")
}

/// One keyword that every typed reading has; false if it is none of them.
pub(crate) fn option(state: &State, hooks: &mut Hooks, name: &str, v: Ref<'_>) -> Result<bool> {
    match name {
        "type" => hooks.program = program(state, v)?,
        "dec_hook" => hooks.custom = hook(name, v)?,
        "strict" => hooks.lax = !flag(name, v)?,
        "_fault" => hooks.fault = hook(name, v)?,
        "_narrow" => narrow(state, v)?,
        "errors" => hooks.all = all_errors(name, v)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Whether all that is wrong is to be told.
fn all_errors(name: &str, v: Ref<'_>) -> Result<bool> {
    Ok(choice(name, v, &[Some("first"), Some("all")])? == 1)
}

/// What has no meaning together with a type.
pub(crate) fn check(hooks: &Hooks, raw: bool) -> Result<()> {
    let containers = hooks.tuples || hooks.object.is_some() || hooks.pairs.is_some() || hooks.list.is_some();
    if hooks.program.is_some() && (raw || containers) {
        let words = if raw { "`raw`" } else { "hooks for containers, or `use_list=False`," };
        return Err(Builtin::Type.raise_words("`type` and {} exclude each other", &[words.into()]));
    }
    Ok(())
}

/// Refuses a type that msgspec refuses.
#[cold]
fn narrow(state: &State, kind: Ref<'_>) -> Result<()> {
    match program(state, kind)? {
        Some(made) => narrow_made(state, &made, kind),
        None => Ok(()),
    }
}

fn narrow_made(state: &State, made: &Own, kind: Ref<'_>) -> Result<()> {
    if py::this_of(&state.env.programs, made.as_ref()).is_some_and(|p| p.wide) {
        let types = py::import(c"oxwire._types")?;
        py::call_method1(types.as_ref(), c"narrow", kind)?;
    }
    Ok(())
}

/// Whether the program of an equal type serves: to Python, `A | B` is `B | A`.
fn serves(state: &State, known: &Own, kind: Ref<'_>) -> Result<bool> {
    let ordered = py::this_of(&state.env.programs, known.as_ref()).and_then(|p| p.ordered.as_ref());
    match ordered {
        None => Ok(true),
        Some(shown) => Ok(shown.as_ref().as_any_str().is_some_and(|s| s.is(&kind.show()))),
    }
}

/// The program of a type; nothing, if any value is of it.
fn program(state: &State, kind: Ref<'_>) -> Result<Option<Own>> {
    let known = match py::dict_find(state.types.as_ref(), kind) {
        Ok(found) => found,
        Err(_) if py::is_ordinary() => {
            // What has no hash is looked through each time.
            py::clear();
            return make(state, kind);
        }
        Err(e) => return Err(e),
    };
    if let Some(p) = known
        && serves(state, &p, kind)?
    {
        return Ok((!p.as_ref().is_none()).then_some(p));
    }
    let made = make(state, kind)?;
    if state.types.as_ref().as_any_dict().is_some_and(|d| d.hold().len() >= KEPT) {
        py::call_method0(state.types.as_ref(), c"clear")?;
    }
    py::dict_put(&state.types, kind, made.clone().unwrap_or_else(py::none).as_ref())?;
    Ok(made)
}

fn make(state: &State, kind: Ref<'_>) -> Result<Option<Own>> {
    let types = py::import(c"oxwire._types")?;
    let tables = py::call_method1(types.as_ref(), c"program", kind)?;
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

/// `NARROW` is that of msgspec, which refuses some types.
struct Convert<const NARROW: bool>;
impl<const NARROW: bool> Function<State> for Convert<NARROW> {
    const NAME: &'static CStr = c"convert";
    const MODULE: &'static str = "oxwire";
    const DOC: &'static CStr = c"convert(obj, type, *, strict=True, from_attributes=False, dec_hook=None, \
        builtin_types=None, str_keys=False, errors=\"first\")\n--\n\n\
        Make of an object what a type says, as decoding would. Raises ValidationError, with `path`.";
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        convert(state, args, NARROW)
    }
}

#[inline(never)]
fn convert(state: &State, args: &Args<'_>, is_narrow: bool) -> Result<Own> {
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
            "dec_hook" => hooks.custom = hook(&name, v)?,
            "errors" => hooks.all = all_errors(&name, v)?,
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
    let Some(made) = program(state, kind)? else { return Ok(obj.own()) };
    if is_narrow {
        narrow_made(state, &made, kind)?;
    }
    let Some(p) = py::this_of(&state.env.programs, made.as_ref()) else { return Ok(obj.own()) };
    pairs::convert(&state.rooms, &state.env, &hooks, p, obj).map_err(|fault| match fault.what {
        What::Invalid(..) => raise::invalid(state, &fault, raise::Source::Object(obj)),
        _ => raise::decode(state, &fault, &[], raise::START, &None),
    })
}
