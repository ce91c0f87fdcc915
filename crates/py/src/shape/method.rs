//! Methods of the instances of such classes.
//!
//! What may surprise: what the interpreter calls only says which function is meant; the rest is compiled once.

use alloc::vec::Vec;
use core::ffi::CStr;

use super::This;
use super::class::{Shape, instance};
use crate::args::Args;
use crate::class::add_method;
use crate::guard;
use crate::object::Own;
use crate::raised::Result;
use crate::sys as ffi;
use crate::sys::PyObject;

/// A method of instances.
pub trait ShapeMethod<S> {
    /// Its name.
    const NAME: &'static CStr;
    /// The docstring.
    const DOC: &'static CStr;
    /// The call.
    fn call(me: This<'_, S>, args: &Args<'_>) -> Result<Own>;
}

/// Adds a method, for [`Shape::methods`].
pub fn shape_method<S: Shape, F: ShapeMethod<S>>(add: &mut Vec<ffi::PyMethodDef>) {
    add_method(add, F::NAME.as_ptr(), call_method::<S, F>, F::DOC.as_ptr());
}

unsafe extern "C" fn call_method<S: Shape, F: ShapeMethod<S>>(
    me: *mut PyObject,
    args: *const *mut PyObject,
    n: isize,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: as the interpreter calls this.
    unsafe { call_by(F::call, me, args, n, names) }
}

/// What all methods do.
///
/// # Safety
/// It must be what the interpreter passes to a method of such a class.
#[inline(never)]
unsafe fn call_by<S: Shape>(
    f: fn(This<'_, S>, &Args<'_>) -> Result<Own>,
    me: *mut PyObject,
    args: *const *mut PyObject,
    n: isize,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: by contract an instance, and arguments of the protocol that was declared.
    guard::object(|| unsafe { f(instance::<S>(me)?, &Args::fast(args, n as usize, names)) })
}
