//! Exceptions: that one is set, and setting one.

use crate::sys as ffi;

use crate::object::{Own, Ref};
use crate::str::text;
use wire::Said;

/// A Python exception is set on this thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raised;

/// A value, or a Python exception.
pub type Result<T> = core::result::Result<T, Raised>;

/// The built-in exceptions that we raise or look for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Builtin {
    /// `Exception`.
    Exception,
    /// `TypeError`.
    Type,
    /// `ValueError`.
    Value,
    /// `RuntimeError`.
    Runtime,
    /// `MemoryError`.
    Memory,
    /// `BufferError`.
    Buffer,
    /// `AttributeError`.
    Attribute,
    /// `EOFError`.
    Eof,
    /// `AssertionError`.
    Assertion,
}

impl Builtin {
    /// The class.
    pub fn class(self) -> Ref<'static> {
        // SAFETY: built-in exceptions live for ever.
        unsafe {
            Ref::new(match self {
                Builtin::Exception => ffi::PyExc_Exception,
                Builtin::Type => ffi::PyExc_TypeError,
                Builtin::Value => ffi::PyExc_ValueError,
                Builtin::Runtime => ffi::PyExc_RuntimeError,
                Builtin::Memory => ffi::PyExc_MemoryError,
                Builtin::Buffer => ffi::PyExc_BufferError,
                Builtin::Attribute => ffi::PyExc_AttributeError,
                Builtin::Eof => ffi::PyExc_EOFError,
                Builtin::Assertion => ffi::PyExc_AssertionError,
            })
        }
    }

    /// Raises it.
    #[cold]
    #[inline(never)]
    pub fn raise(self, message: Said) -> Raised {
        raise(self.class(), &message.text())
    }
}

/// Raises an exception of `class` with a message.
#[cold]
pub fn raise(class: Ref<'_>, message: &str) -> Raised {
    if let Ok(message) = text(message) {
        // SAFETY: both objects are alive.
        unsafe { ffi::PyErr_SetObject(class.ptr(), message.ptr()) };
    }
    Raised
}

/// Raises an exception that was made before.
#[cold]
pub fn raise_object(exception: Ref<'_>) -> Raised {
    // SAFETY: both objects are alive.
    unsafe { ffi::PyErr_SetObject(exception.class().ptr().cast(), exception.ptr()) };
    Raised
}

/// Forgets the exception that is set.
pub fn clear() {
    drop(take_raised());
}

/// Whether the exception that is set is of a built-in class.
pub fn pending(class: Builtin) -> bool {
    // SAFETY: the thread is attached; what is given is the class of the exception that is set, or null.
    unsafe {
        let raised: *mut ffi::PyTypeObject = ffi::PyErr_Occurred().cast();
        !raised.is_null() && ffi::PyType_IsSubtype(raised, class.class().ptr().cast()) != 0
    }
}

/// Whether the exception that is set is an `Exception`, not one that ends the program.
pub fn is_ordinary() -> bool {
    pending(Builtin::Exception)
}

/// Takes the exception that is set.
pub fn take_raised() -> Option<Own> {
    #[cfg(Py_3_12)]
    // SAFETY: the API gives the exception away, or null if there is none.
    unsafe {
        Own::take(ffi::PyErr_GetRaisedException()).ok()
    }
    #[cfg(not(Py_3_12))]
    // SAFETY: the three references are given to us, and each is given back once.
    unsafe {
        let (mut t, mut v, mut tb) = (core::ptr::null_mut(), core::ptr::null_mut(), core::ptr::null_mut());
        ffi::PyErr_Fetch(&mut t, &mut v, &mut tb);
        ffi::PyErr_NormalizeException(&mut t, &mut v, &mut tb);
        if !tb.is_null() {
            ffi::PyException_SetTraceback(v, tb);
        }
        ffi::Py_XDECREF(t);
        ffi::Py_XDECREF(tb);
        Own::take(v).ok()
    }
}

/// Makes `cause` the cause of `exception`.
pub fn set_cause(exception: Ref<'_>, cause: Own) {
    // SAFETY: the cause is given away; the exception is one.
    unsafe { ffi::PyException_SetCause(exception.ptr(), cause.into_ptr()) };
}

/// Raises `exception` with whatever is set now as its cause.
#[cold]
pub fn chain(exception: Ref<'_>) -> Raised {
    if let Some(cause) = take_raised() {
        set_cause(exception, cause);
    }
    raise_object(exception)
}
