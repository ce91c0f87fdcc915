//! How instances are compared, as the interpreter asks.
//!
//! What may surprise: a class that has an `__eq__` of its own is asked by that for `!=` too, as `object` does.

use core::ffi::c_int;

use super::class::{Shape, instance};
use crate::class::Compare;
use crate::guard;
use crate::object::Own;
use crate::raised::Result;
use crate::scalar;
use crate::sys::{self as ffi, PyObject};

pub(super) unsafe extern "C" fn compare<S: Shape>(
    me: *mut PyObject,
    other: *mut PyObject,
    op: c_int,
) -> *mut PyObject {
    guard::object(|| {
        // SAFETY: the interpreter passes an instance and any object; of the same class, it is an instance too.
        unsafe {
            if op == ffi::Py_NE
                && let Some(own) = (*ffi::Py_TYPE(me)).tp_richcompare
                && own as usize != compare::<S> as *const () as usize
            {
                return unlike(Own::take(own(me, other, ffi::Py_EQ))?);
            }
            if ffi::Py_TYPE(me) != ffi::Py_TYPE(other) {
                return Ok(scalar::not_implemented());
            }
            let op = match op {
                ffi::Py_EQ => Compare::Equal,
                ffi::Py_NE => Compare::NotEqual,
                ffi::Py_LT => Compare::Less,
                ffi::Py_LE => Compare::LessEqual,
                ffi::Py_GT => Compare::Greater,
                _ => Compare::GreaterEqual,
            };
            let r = S::compare(instance::<S>(me)?, instance::<S>(other)?, op)?;
            Ok(r.unwrap_or_else(scalar::not_implemented))
        }
    })
}

/// What `!=` gives where this is what `==` gave.
#[cold]
fn unlike(equal: Own) -> Result<Own> {
    if equal.as_ref().is(scalar::not_implemented().as_ref()) {
        return Ok(equal);
    }
    Ok(scalar::bool(!equal.as_ref().truth()?))
}
