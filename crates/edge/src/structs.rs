//! What `oxwire.structs` needs of the engine.

use alloc::vec::Vec;
use core::ffi::CStr;
use wire::say;

use crate::args::{MAX_DEPTH, count};
use crate::functions::exactly;
use crate::raise;
use crate::state::State;
use crate::typing;
use engine::Hooks;
use model::Class;
use py::{Args, Builtin, Early, Function, Own, Ref, Result, This, doc};

pub(crate) fn add(all: &mut Vec<py::MethodDef>) {
    py::early::<ForceSetattr>(all);
    py::early::<AsDict>(all);
    py::early::<AsTuple>(all);
    py::early::<Replace>(all);
    py::function::<State, Validate>(all);
}

/// An argument as a struct.
fn this(s: Ref<'_>) -> Result<This<'_, Class>> {
    py::this_shaped(s).ok_or_else(|| Builtin::Type.raise(say!("`struct` must be a `oxwire.Struct`")))
}

struct Validate;
impl Function<State> for Validate {
    const NAME: &'static CStr = c"oxwire.structs.validate";
    const DOC: &'static CStr = doc!(c"validate(struct, /)\n--\n\n\
        Make the fields of a struct what their types say, as decoding would. Raises ValidationError, with `path`.");
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        let (s, one) = match *args.positional() {
            [s] => (s, None),
            // What is set is told by its place, and given back as it is to be.
            [s, i, v] => (s, Some((i, v))),
            _ => return Err(Builtin::Type.raise(say!("validate() takes a struct"))),
        };
        let me = this(s)?;
        let class = s.class().as_ref().own();
        let Some(program) = typing::fields(state, &class)? else { return Ok(py::none()) };
        let Some(p) = py::this_of(&state.env.programs, program.as_ref()) else { return Ok(py::none()) };
        let hooks = Hooks { max_depth: MAX_DEPTH, ..Hooks::default() };
        let fields = &me.shape().fields;
        let (from, to) = match &one {
            Some((i, _)) => (count("field", *i)?, 1),
            None => (0, fields.len()),
        };
        for (i, f) in fields.iter().enumerate().skip(from).take(to) {
            let Some(v) = one.map(|(_, v)| v.own()).or_else(|| me.value(i)) else { continue };
            match pairs::of_field(&state.rooms, &state.env, &hooks, p, i, v.as_ref()) {
                Ok(made) if one.is_some() => return Ok(made.unwrap_or(v)),
                Ok(Some(made)) => me.put(i, Some(made)),
                Ok(None) => {}
                Err(mut fault) => {
                    fault.within(&f.key.as_ref().as_any_str().map(|s| s.lossy()).unwrap_or_default());
                    return Err(raise::not_read(state, &fault, None, raise::Source::Object(s)));
                }
            }
        }
        Ok(py::none())
    }
}

struct ForceSetattr;
impl Early for ForceSetattr {
    const NAME: &'static CStr = c"oxwire.structs.force_setattr";
    const DOC: &'static CStr = doc!(c"force_setattr(struct, name, value, /)\n--\n\n\
        Set a field of a struct, also of a frozen one. Raises TypeError for what is no struct, AttributeError for\n\
        a name that is no field.");
    fn call(args: &Args<'_>) -> Result<Own> {
        let [s, name, value] = exactly("force_setattr", args)?;
        if name.as_any_str().is_none() {
            let class = name.class().tp_name();
            return Err(
                Builtin::Type.raise_words(say!("attribute name must be string, not '{}'"), &[class.into()])
            );
        }
        model::force_set(this(s)?, name, value)?;
        Ok(py::none())
    }
}

struct AsDict;
impl Early for AsDict {
    const NAME: &'static CStr = c"oxwire.structs.asdict";
    const DOC: &'static CStr = doc!(c"asdict(struct, /)\n--\n\nThe fields by name, in order.");
    fn call(args: &Args<'_>) -> Result<Own> {
        let [s] = exactly("asdict", args)?;
        model::as_dict(this(s)?)
    }
}

struct AsTuple;
impl Early for AsTuple {
    const NAME: &'static CStr = c"oxwire.structs.astuple";
    const DOC: &'static CStr = doc!(c"astuple(struct, /)\n--\n\nThe values of the fields, in order.");
    fn call(args: &Args<'_>) -> Result<Own> {
        let [s] = exactly("astuple", args)?;
        // Most classes are of the metaclass itself: seen here, that saves two calls of a function that does little else.
        model::as_tuple(py::this_shaped_at_sight(s).map_or_else(|| this(s), Ok)?)
    }
}

struct Replace;
impl Early for Replace {
    const NAME: &'static CStr = c"oxwire.structs.replace";
    const DOC: &'static CStr = doc!(c"replace(struct, /, **changes)\n--\n\nA copy with some fields changed.");
    fn call(args: &Args<'_>) -> Result<Own> {
        let [s] = exactly("replace", args)?;
        model::replaced(this(s)?, args)
    }
}
