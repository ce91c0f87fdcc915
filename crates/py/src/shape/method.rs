//! Methods of instances, as the interpreter is told of them.
//!
//! What may surprise: those without arguments are a sort of their own, which the interpreter calls with none; it refuses any
//! that are given.

use alloc::vec::Vec;
use core::ffi::CStr;

use super::class::instance;
use super::{Shape, This};
use crate::args::Args;
use crate::class::add_method;
use crate::guard;
use crate::object::Own;
use crate::raised::Result;
use crate::sys::{self as ffi, PyObject};

/// A method of instances.
pub trait ShapeMethod<S> {
    /// Its name.
    const NAME: &'static CStr;
    /// The docstring.
    const DOC: &'static CStr;
    /// The call.
    fn call(me: This<'_, S>, args: &Args<'_>) -> Result<Own>;
}

/// A method of instances that takes no arguments.
pub trait ShapeQuery<S> {
    /// Its name.
    const NAME: &'static CStr;
    /// The docstring.
    const DOC: &'static CStr;
    /// The call.
    fn call(me: This<'_, S>) -> Result<Own>;
}

/// Adds a method, for [`Shape::methods`].
pub fn shape_method<S: Shape, F: ShapeMethod<S>>(add: &mut Vec<ffi::PyMethodDef>) {
    add_method(add, F::NAME.as_ptr(), call_method::<S, F>, F::DOC.as_ptr());
}

/// Adds a method without arguments.
pub fn shape_query<S: Shape, F: ShapeQuery<S>>(add: &mut Vec<ffi::PyMethodDef>) {
    type Unary = unsafe extern "C" fn(*mut PyObject, *mut PyObject) -> *mut PyObject;
    let call: Unary = call_query::<S, F>;
    // SAFETY: the flags that are set say that it is a function of two arguments.
    let call = unsafe { core::mem::transmute::<Unary, ffi::fastcall>(call) };
    add_method(add, F::NAME.as_ptr(), call, F::DOC.as_ptr());
    if let Some(added) = add.last_mut() {
        added.ml_flags = ffi::METH_NOARGS;
    }
}

unsafe extern "C" fn call_method<S: Shape, F: ShapeMethod<S>>(
    me: *mut PyObject,
    args: *const *mut PyObject,
    n: isize,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: the interpreter passes an instance, and arguments of the protocol that was declared.
    guard::object(|| unsafe { F::call(instance::<S>(me)?, &Args::fast(args, n as usize, names)) })
}

unsafe extern "C" fn call_query<S: Shape, F: ShapeQuery<S>>(
    me: *mut PyObject,
    _: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: the interpreter passes an instance.
    guard::object(|| unsafe { F::call(instance::<S>(me)?) })
}
