//! None, truth values, floats.

use crate::sys as ffi;

use crate::object::{Own, Ref};
use crate::raised::Result;

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

/// A `float`.
#[inline(always)]
pub fn float(v: f64) -> Result<Own> {
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Own::take(ffi::PyFloat_FromDouble(v)) }
}

/// `NotImplemented`.
pub fn not_implemented() -> Own {
    // SAFETY: it lives for ever.
    unsafe { Ref::new(ffi::Py_NotImplemented()) }.own_immortal()
}
