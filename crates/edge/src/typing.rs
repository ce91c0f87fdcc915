//! Types as keywords give them, and their programs, which are kept from call to call.

use crate::args::{MAX_DEPTH, choice, flag, policy};
use crate::coder;
use crate::face::Json;
use crate::functions::exactly;
use crate::keyword::{Target, by_name, each};
use crate::raise;
use crate::state::State;
use alloc::vec::Vec;
use core::ffi::CStr;
use engine::{Hooks, Policy, Simple, Unknown};
use model::Program;
use py::{Args, Builtin, Class, Function, Own, Ref, Result, Visit, doc};
use wire::say;

/// How many programs are kept at once.
const KEPT: usize = 256;

/// Lists them for the module.
pub(crate) fn add(all: &mut Vec<py::MethodDef>) {
    py::function::<State, Convert>(all);
    py::function::<State, ToBuiltins>(all);
}

/// One keyword that every typed reading has; false if it is none of them.
pub(crate) fn option(hooks: &mut Hooks, name: &str, v: Ref<'_>) -> Result<bool> {
    if name == "type" {
        // It becomes a program when all keywords are known.
        hooks.program = Some(v.own());
        return Ok(true);
    }
    let to = by_name!(name;
        by_name => Target::Flag(&mut hooks.by_name),
        dec_hook => Target::Hook(&mut hooks.custom),
        strict => Target::Not(&mut hooks.lax),
        _fault => Target::Hook(&mut hooks.fault),
        codecs => {
            hooks.codecs = (!v.is_none()).then(|| v.own());
            Target::Done
        },
        _narrow => {
            // As msgspec has it: no types that it has not.
            hooks.codecs = Some(py::bool(false));
            Target::Done
        },
        errors => {
            hooks.all = choice(name, v, "first all")? == 1;
            Target::Done
        },
        forbid_unknown_fields => {
            hooks.unknown = match v.is_none() {
                true => Unknown::AsClass,
                false if flag(name, v)? => Unknown::Forbid,
                false => Unknown::Ignore,
            };
            Target::Done
        },
        extra => {
            let which = choice(name, v, "None ignore forbid keep")?;
            hooks.unknown =
                [Unknown::AsClass, Unknown::Ignore, Unknown::Forbid, Unknown::Keep][which & 3];
            Target::Done
        },
        _ => return Ok(false),
    );
    to.take(name, v)
}

/// The program of a type, of which the names inside are the keys, or unknown keys are kept, if that was asked.
fn named(state: &State, hooks: &mut Hooks, kind: Ref<'_>) -> Result<Option<Own>> {
    let codecs = hooks.codecs.take();
    match i64::from(hooks.by_name) | i64::from(hooks.unknown == Unknown::Keep) << 1 {
        0 => program(state, kind, codecs),
        asked => program(state, py::tuple2(kind.own(), py::int(asked)?)?.as_ref(), codecs),
    }
}

/// The program of the type, to be made when all keywords are known; an exception for what has no meaning together
/// with a type.
pub(crate) fn finish(state: &State, hooks: &mut Hooks, raw: bool) -> Result<()> {
    if let Some(kind) = hooks.program.take() {
        hooks.program = named(state, hooks, kind.as_ref())?;
    }
    let containers = hooks.tuples || hooks.object.is_some() || hooks.pairs.is_some() || hooks.list.is_some();
    if hooks.program.is_some() && (raw || containers) {
        let words = if raw { "`raw`" } else { "hooks for containers, or `use_list=False`," };
        return Err(Builtin::Type.raise_words(say!("`type` and {} exclude each other"), &[words.into()]));
    }
    Ok(())
}

/// Whether the program of an equal type serves: to Python, `A | B` is `B | A`.
fn serves(state: &State, known: &Own, kind: Ref<'_>) -> bool {
    let ordered = py::this_of(&state.env.programs, known.as_ref()).and_then(|p| p.ordered.as_ref());
    ordered.is_none_or(|shown| shown.as_ref().as_any_str().is_some_and(|s| s.is(&kind.show())))
}

/// The program of a type; nothing, if any value is of it. `codecs` are by their types, or false for none, not even our own.
fn program(state: &State, kind: Ref<'_>, codecs: Option<Own>) -> Result<Option<Own>> {
    if py::this_of(&state.env.programs, kind).is_some() {
        return Ok(Some(kind.own()));
    }
    let key = match &codecs {
        Some(codecs) => py::tuple2(codecs.clone(), kind.own())?,
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
    if let Some(p) = known
        && serves(state, &p, kind)
    {
        return Ok((!p.as_ref().is_none()).then_some(p));
    }
    let made = make(state, kind, codecs.as_ref())?;
    if state.types.as_ref().as_any_dict().is_some_and(|d| d.hold().len() >= KEPT) {
        py::call_method0(state.types.as_ref(), c"clear")?;
    }
    py::dict_put(&state.types, key.as_ref(), made.clone().unwrap_or_else(py::none).as_ref())?;
    Ok(made)
}

/// The program of the values of a class's fields.
pub(crate) fn fields(state: &State, class: &Own) -> Result<Option<Own>> {
    // No type is such a tuple.
    program(state, py::tuple2(class.clone(), py::none())?.as_ref(), None)
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
    const DOC: &'static CStr = doc!(c"What a type says of values.");

    fn new(_: &State, _: &Args<'_>) -> Result<Self> {
        Err(Builtin::Type.raise(say!("Programs are made of types")))
    }
    fn methods(_: &mut Vec<py::MethodDef>) {}
    fn traverse(&self, visit: &mut Visit<'_>) {
        Program::traverse(self, visit);
    }
    fn repr(&self) -> Result<Own> {
        py::text("<program>")
    }
}

struct Convert;
impl Function<State> for Convert {
    const NAME: &'static CStr = c"oxwire.convert";
    const DOC: &'static CStr = doc!(
        c"convert(obj, type, *, strict=True, from_attributes=False, dec_hook=None, \
        builtin_types=None, str_keys=False, forbid_unknown_fields=None, extra=None, by_name=False, errors=\"first\", codecs=None)\n--\n\n\
        Make of an object what a type says, as decoding would. Raises ValidationError, with `path`."
    );
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        let mut hooks = Hooks { max_depth: MAX_DEPTH, ..Hooks::default() };
        let (obj, mut kind) = match args.positional() {
            [obj] => (*obj, None),
            [obj, kind] => (*obj, Some(kind.own())),
            _ => return Err(Builtin::Type.raise(say!("convert() takes an object and a type"))),
        };
        each(args, None, &mut |name, v| match name {
            "type" if kind.is_none() => {
                kind = Some(v.own());
                Ok(true)
            }
            // All that is wrong is looked for: where it goes, and whether bytes need not be spelled as text.
            "_found" => {
                hooks.notes = Some(v.own());
                Ok(true)
            }
            "_bytes" => {
                hooks.bytes = v.truth()?;
                Ok(true)
            }
            "builtin_types" => {
                let helpers = py::import(c"oxwire._scalars")?;
                let kept = py::call_method1(helpers.as_ref(), c"kept_types", v)?;
                hooks.kept = crate::args::count("builtin_types", kept.as_ref())? as u32;
                Ok(true)
            }
            "from_attributes" => Target::Flag(&mut hooks.attributes).take(name, v),
            "str_keys" => Target::Flag(&mut hooks.text_keys).take(name, v),
            _ => option(&mut hooks, name, v),
        })?;
        if hooks.lax {
            hooks.text_keys = true;
            hooks.kept = 0;
        }
        let Some(kind) = kind else {
            return Err(Builtin::Type.raise(say!("convert() takes an object and a type")));
        };
        let Some(made) = named(state, &mut hooks, kind.as_ref())? else { return Ok(obj.own()) };
        let Some(p) = py::this_of(&state.env.programs, made.as_ref()) else { return Ok(obj.own()) };
        pairs::convert(&state.rooms, &state.env, &hooks, p, obj).map_err(|fault| {
            hooks.program = Some(made.clone());
            raise::not_read(state, &fault, Some(&hooks), raise::Source::Object(obj))
        })
    }
}

struct ToBuiltins;
impl Function<State> for ToBuiltins {
    const NAME: &'static CStr = c"oxwire.to_builtins";
    const DOC: &'static CStr = doc!(c"to_builtins(obj, /, *, str_keys=False, builtin_types=None, enc_hook=None, order=None, omit_defaults=False, omit_none=False, by_name=False, codecs=None)\n--\n\n\
        Make of an object dicts, lists, tuples and scalars that any serializer knows; moments and their like become text.\n\
        Raises EncodeError, with `path`.");
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        let [obj] = exactly("to_builtins", args)?;
        let (mut text_keys, mut kept, mut hooked, mut order, mut text) = (false, Vec::new(), None, 0, None);
        let (mut written, mut codecs) = (Policy::default(), None);
        each(args, None, &mut |name, v| {
            let to = by_name!(name;
                str_keys => {
                    text_keys = v.truth()?;
                    Target::Done
                },
                builtin_types => {
                    if !v.is_none() {
                        kept = classes(v)?;
                    }
                    Target::Done
                },
                enc_hook => Target::Hook(&mut hooked),
                order => {
                    order = choice(name, v, "None deterministic sorted")?;
                    Target::Done
                },
                codecs => {
                    if !v.is_none() {
                        let module = py::import(c"oxwire._codecs")?;
                        codecs = Some(py::call_method1(module.as_ref(), c"hook", v)?);
                    }
                    Target::Done
                },
                // The face of another library spells some values in its own way.
                _text => Target::Hook(&mut text),
                _ => return policy(&mut written, name, v),
            );
            to.take(name, v)
        })?;
        let json = |o: Ref<'_>| match &text {
            None => coder::encode::<Json>(state, &state.encoding, o),
            Some(write) => py::call1(write.as_ref(), o),
        };
        let simple = Simple {
            text_keys,
            kept,
            hook: hooked,
            codecs,
            sort: order > 0,
            sort_fields: order > 1,
            foreign: text.is_some(),
            policy: written,
            text: &json,
        };
        pairs::to_builtins(&state.rooms, &state.env, &simple, obj)
            .map_err(|fault| raise::encode(state, &fault, &None))
    }
}

/// The classes that an iterable gives.
fn classes(types: Ref<'_>) -> Result<Vec<Own>> {
    let list = py::list_of(types)?;
    let (mut all, mut i) = (Vec::new(), 0);
    if let Some(list) = list.as_ref().as_any_list().map(|l| l.hold()) {
        while let Some(one) = list.get(i) {
            if one.as_ref().as_type().is_none() {
                return Err(Builtin::Type.raise(say!("builtin_types must be an iterable of types")));
            }
            all.push(one.as_ref().own());
            i += 1;
        }
    }
    Ok(all)
}
