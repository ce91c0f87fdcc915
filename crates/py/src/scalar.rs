//! None, truth values, floats.

use crate::sys as ffi;

use crate::object::{Own, Ref};

/// `None`.
#[inline(always)]
pub fn none() -> Own {
    // SAFETY: it lives for ever.
    unsafe { Ref::new(ffi::Py_None()) }.own_immortal()
}

/// `True` or `False`.
#[inline(always)]
pub fn bool(v: bool) -> Own {
    // SAFETY: they live for ever.
    unsafe { Ref::new(if v { ffi::Py_True() } else { ffi::Py_False() }) }.own_immortal()
}

/// `NotImplemented`.
pub fn not_implemented() -> Own {
    // SAFETY: it lives for ever.
    unsafe { Ref::new(ffi::Py_NotImplemented()) }.own_immortal()
}
