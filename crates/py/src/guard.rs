//! The last line: a panic must not cross into C.
//!
//! A panic is a bug of ours. It reaches Python as a SystemError, and the process goes on; what
//! was borrowed from module state is simply lost, because everything there is taken and put back.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3_ffi::PyObject;

use crate::object::Own;
use crate::raised::{Builtin, Raised, Result};

/// Runs `f` and gives what the C side wants: a reference, or null with an exception set.
#[inline(always)]
pub(crate) fn object(f: impl FnOnce() -> Result<Own>) -> *mut PyObject {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(Ok(o)) => o.into_ptr(),
        Ok(Err(Raised)) => core::ptr::null_mut(),
        Err(panic) => {
            panicked(panic);
            core::ptr::null_mut()
        }
    }
}

/// The same for slots that give a number, with `failed` for an exception.
#[inline(always)]
pub(crate) fn number<T>(failed: T, f: impl FnOnce() -> Result<T>) -> T {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(Ok(v)) => v,
        Ok(Err(Raised)) => failed,
        Err(panic) => {
            panicked(panic);
            failed
        }
    }
}

#[cold]
#[inline(never)]
fn panicked(panic: alloc::boxed::Box<dyn core::any::Any + Send>) {
    let what = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<alloc::string::String>().map(|s| s.as_str()))
        .unwrap_or("no message");
    Builtin::System.raise(&alloc::format!("oxwire: internal error, please report it: {what}"));
}
