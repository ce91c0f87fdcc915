//! Instances that are given another class.
//!
//! What may surprise: a class that an instance had is never freed. What an instance is, is looked at once where it is written, shown
//! or compared, and code of others that runs meanwhile may give it another class: then nothing keeps alive the one that is in use.

use alloc::vec::Vec;
use core::ffi::{c_int, c_void};

use crate::object::Ref;
use crate::sys as ffi;
use crate::sys::PyObject;

/// Adds the attribute `__class__`: that of `object`, but for this.
pub(super) fn add(all: &mut Vec<ffi::PyGetSetDef>) {
    let ffi::PyGetSetDef { name, get, .. } = *of_object();
    all.push(ffi::PyGetSetDef { name, get, set: Some(set), ..ffi::PyGetSetDef::END });
}

/// The row of `object`, whose table has no other.
#[inline(always)]
fn of_object() -> &'static ffi::PyGetSetDef {
    // SAFETY: `object` lives for ever, and its table, which is a static of the interpreter with a row and an end.
    unsafe { &*ffi::PyBaseObject_Type.tp_getset }
}

unsafe extern "C" fn set(me: *mut PyObject, class: *mut PyObject, closure: *mut c_void) -> c_int {
    let Some(set) = of_object().set else { return -1 };
    // SAFETY: the interpreter passes an instance, which has a class, and what is to be its class.
    unsafe {
        // Also if it refuses: a class that stays is nothing that one sees.
        core::mem::forget(Ref::new(ffi::Py_TYPE(me).cast()).own());
        set(me, class, closure)
    }
}
