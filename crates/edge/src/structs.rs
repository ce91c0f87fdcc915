//! What `oxwire.structs` needs of the engine.

use core::ffi::CStr;

use crate::functions::exactly;
use crate::state::State;
use py::{Args, Building, Builtin, Function, Own, Result};

pub(crate) fn add(m: &Building<'_, State>) -> Result<()> {
    m.add_function::<ForceSetattr>(c"force_setattr")
}

struct ForceSetattr;
impl Function<State> for ForceSetattr {
    const NAME: &'static CStr = c"force_setattr";
    const MODULE: &'static str = "oxwire.structs";
    const DOC: &'static CStr = c"force_setattr(struct, name, value, /)\n--\n\n\
        Set a field of a struct, also of a frozen one. Raises TypeError for what is no struct, AttributeError for\n\
        a name that is no field.";
    fn call(state: &State, args: &Args<'_>) -> Result<Own> {
        let [s, name, value] = exactly("force_setattr", args)?;
        if name.as_any_str().is_none() {
            let class = name.class().tp_name();
            return Err(Builtin::Type.raise_words("attribute name must be string, not '{}'", &[class.into()]));
        }
        let Some(s) = state.env.structs.this(s) else {
            return Err(Builtin::Type.raise("`struct` must be a `oxwire.Struct`"));
        };
        model::force_set(s, name, value)?;
        Ok(py::none())
    }
}
