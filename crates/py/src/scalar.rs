//! None, truth values, floats, integers of a fixed width.

use crate::sys as ffi;

use crate::object::{Own, Ref};
use crate::raised::{Result, clear};

/// `None`.
#[inline(always)]
pub fn none() -> Own {
    // SAFETY: it lives for ever.
    unsafe { Ref::new(ffi::Py_None()) }.own()
}

/// `True` or `False`.
#[inline(always)]
pub fn bool(v: bool) -> Own {
    // SAFETY: they live for ever.
    unsafe { Ref::new(if v { ffi::Py_True() } else { ffi::Py_False() }) }.own()
}

/// `NotImplemented`.
pub fn not_implemented() -> Own {
    // SAFETY: it lives for ever.
    unsafe { Ref::new(ffi::Py_NotImplemented()) }.own()
}

/// A `float`.
#[inline(always)]
pub fn float(v: f64) -> Result<Own> {
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Own::take(ffi::PyFloat_FromDouble(v)) }
}

unsafe extern "C" {
    // As declared by every version before 3.13, which added an argument.
    #[cfg(not(Py_3_13))]
    fn _PyLong_AsByteArray(v: *mut ffi::PyObject, b: *mut u8, n: usize, little: i32, signed: i32) -> i32;
    #[cfg(Py_3_13)]
    fn _PyLong_AsByteArray(
        v: *mut ffi::PyObject,
        b: *mut u8,
        n: usize,
        little: i32,
        signed: i32,
        raise: i32,
    ) -> i32;
}

/// An `int` or an instance of a subclass, if it is not negative and has no more than 128 bits.
pub fn unsigned128(o: Ref<'_>) -> Option<u128> {
    let mut b = [0u8; 16];
    // SAFETY: the flag says that it has the layout of an int; the buffer has the length that is said.
    let failed = unsafe {
        if ffi::PyLong_Check(o.ptr()) == 0 {
            return None;
        }
        #[cfg(not(Py_3_13))]
        let r = _PyLong_AsByteArray(o.ptr(), b.as_mut_ptr(), b.len(), 1, 0);
        #[cfg(Py_3_13)]
        let r = _PyLong_AsByteArray(o.ptr(), b.as_mut_ptr(), b.len(), 1, 0, 1);
        r < 0
    };
    if failed {
        clear();
        return None;
    }
    Some(u128::from_le_bytes(b))
}
