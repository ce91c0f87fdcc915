//! The only door to user code.
//!
//! BE ADVISED: whatever is called here may change any container, free anything that is only
//! borrowed, raise, or come back in. What must outlive a call is owned before it.

use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::CStr;
use wire::say;

use crate::sys as ffi;

use crate::class::Compare;
use crate::object::{Own, Ref};
use crate::raised::{Builtin, Raised, Result};
use crate::types::Type;

/// Calls `f()`.
#[inline(never)]
pub fn call0(f: Ref<'_>) -> Result<Own> {
    call(f, &[])
}

/// Calls `f(a)`.
#[inline(never)]
pub fn call1(f: Ref<'_>, a: Ref<'_>) -> Result<Own> {
    let mut args = [core::ptr::null_mut(), a.ptr()];
    // SAFETY: both are alive, and there is room before the argument, as the bit says, where a method puts what it
    // belongs to; a new reference, or null with an exception set.
    unsafe {
        let n = 1 | 1 << (usize::BITS - 1);
        Own::take(ffi::PyObject_Vectorcall(f.ptr(), args.as_mut_ptr().add(1), n, core::ptr::null_mut()))
    }
}

/// Calls `f` with arguments by position.
pub fn call(f: Ref<'_>, args: &[Ref<'_>]) -> Result<Own> {
    // SAFETY: all are alive, and a `Ref` is one pointer; a new reference, or null with an exception set.
    unsafe {
        let (args, n) = (args.as_ptr().cast(), args.len());
        Own::take(ffi::PyObject_Vectorcall(f.ptr(), args, n, core::ptr::null_mut()))
    }
}

/// Calls `o.name()`.
pub fn call_method0(o: Ref<'_>, name: &CStr) -> Result<Own> {
    call0(o.attr_named(name)?.as_ref())
}

/// Calls `o.name()` by an interned name.
pub fn call_method(o: Ref<'_>, name: &Own) -> Result<Own> {
    call0(o.attr(name)?.as_ref())
}

/// Calls `o.name(a)`.
pub fn call_method1(o: Ref<'_>, name: &CStr, a: Ref<'_>) -> Result<Own> {
    call1(o.attr_named(name)?.as_ref(), a)
}

/// Makes an instance of `class` with one keyword beside the positional arguments.
pub fn instance(class: Ref<'_>, args: &Own, keywords: Option<&Own>) -> Result<Own> {
    let keywords = keywords.map_or(core::ptr::null_mut(), |k| k.ptr());
    // SAFETY: the arguments are a tuple, the keywords a dict or nothing; what is not, raises.
    unsafe { Own::take(ffi::PyObject_Call(class.ptr(), args.ptr(), keywords)) }
}

/// Makes an instance of a class by its `__new__` alone, without arguments.
pub fn new_object(class: Type<'_>) -> Result<Own> {
    let none = crate::list::tuple(&mut alloc::vec::Vec::new(), 0)?;
    // SAFETY: the class is alive, the arguments are a tuple; a new reference, or null with an exception set.
    unsafe {
        match (*class.ptr()).tp_new {
            Some(new) => Own::take(new(class.ptr(), none.ptr(), core::ptr::null_mut())),
            None => Err(Builtin::Type.raise(say!("The class makes no instances"))),
        }
    }
}

/// An instance of a class derived from `tuple` with the items of `stack` from `base`, which it takes, as `tuple.__new__` makes it.
pub fn tuple_of_class(class: Type<'_>, stack: &mut Vec<Own>, base: usize) -> Result<Own> {
    // SAFETY: the class is alive, and what is no tuple is not made as one. Each slot of the new instance is filled once; what was not
    // filled yet is null, and nobody but the collector sees it meanwhile.
    #[cfg(not(Py_3_14))]
    unsafe {
        if ffi::PyType_HasFeature(class.ptr(), ffi::Py_TPFLAGS_TUPLE_SUBCLASS) != 0
            && let Some(alloc) = (*class.ptr()).tp_alloc
        {
            let items = stack.drain(base..);
            let made = Own::take(alloc(class.ptr(), items.len() as isize))?;
            for (i, o) in items.enumerate() {
                ffi::PyTuple_SET_ITEM(made.ptr(), i as isize, o.into_ptr());
            }
            return Ok(made);
        }
    }
    // Later ones keep their hash as well.
    let items = crate::list::tuple(stack, base)?;
    // SAFETY: it lives as long as the interpreter.
    let tuple = unsafe { Ref::new((&raw mut ffi::PyTuple_Type).cast()) };
    call(tuple.attr_named(c"__new__")?.as_ref(), &[class.as_ref(), items.as_ref()])
}

/// Imports a module, whatever the builtins of the code that runs are: a program may have taken `__import__` away.
pub fn import(name: &CStr) -> Result<Own> {
    let null = core::ptr::null_mut();
    // With a name to be taken from it, which every module has, it is the module and not the package that it is in.
    let names = crate::list::tuple(&mut Vec::from([crate::str::text("__doc__")?]), 0)?;
    // SAFETY: the name ends with zero, the tuple is alive; a new reference, or null with an exception set.
    unsafe { Own::take(ffi::PyImport_ImportModuleLevel(name.as_ptr(), null, null, names.ptr(), 0)) }
}

/// Compares two objects.
pub fn compare(a: Ref<'_>, b: Ref<'_>, op: Compare) -> Result<Own> {
    let op = match op {
        Compare::Equal => ffi::Py_EQ,
        Compare::NotEqual => ffi::Py_NE,
        Compare::Less => ffi::Py_LT,
        Compare::LessEqual => ffi::Py_LE,
        Compare::Greater => ffi::Py_GT,
        Compare::GreaterEqual => ffi::Py_GE,
    };
    // SAFETY: both are alive; a new reference, or null with an exception set.
    unsafe { Own::take(ffi::PyObject_RichCompare(a.ptr(), b.ptr(), op)) }
}

/// Whether two objects are equal, as `==` says.
#[inline]
pub fn equal(a: Ref<'_>, b: Ref<'_>) -> Result<bool> {
    // SAFETY: both are alive; a new reference, or null with an exception set.
    let r = unsafe { Own::take(ffi::PyObject_RichCompare(a.ptr(), b.ptr(), ffi::Py_EQ))? };
    // SAFETY: comparing addresses.
    unsafe {
        match r.ptr() {
            p if p == ffi::Py_False() => Ok(false),
            p if p == ffi::Py_True() => Ok(true),
            _ => r.as_ref().truth(),
        }
    }
}

/// The hash of what is equal to nothing but itself. The lowest bits of addresses are always alike.
pub fn hash_of_address(o: Ref<'_>) -> isize {
    match (o.address() >> 4 | o.address() << (usize::BITS - 4)) as isize {
        -1 => -2,
        h => h,
    }
}

/// An iterator over `o`.
pub fn iterate(o: Ref<'_>) -> Result<Own> {
    // SAFETY: alive; a new reference, or null with an exception set.
    unsafe { Own::take(ffi::PyObject_GetIter(o.ptr())) }
}

/// The next item of an iterator; nothing at its end.
pub fn next(iterator: &Own) -> Result<Option<Own>> {
    // SAFETY: it is an iterator, since `iterate` gave it; null without an exception is the end.
    unsafe {
        match Own::take(ffi::PyIter_Next(iterator.ptr())) {
            Ok(o) => Ok(Some(o)),
            Err(Raised) if ffi::PyErr_Occurred().is_null() => Ok(None),
            Err(e) => Err(e),
        }
    }
}

/// A list of what an iterable gives.
pub fn list_of(o: Ref<'_>) -> Result<Own> {
    // SAFETY: alive; a new reference, or null with an exception set.
    unsafe { Own::take(ffi::PySequence_List(o.ptr())) }
}

/// `str(o)`.
pub fn text_of(o: Ref<'_>) -> Result<Own> {
    // SAFETY: alive; a new reference, or null with an exception set.
    unsafe { Own::take(ffi::PyObject_Str(o.ptr())) }
}

/// `repr(o)`.
pub fn repr(o: Ref<'_>) -> Result<Own> {
    // SAFETY: alive; a new reference, or null with an exception set.
    unsafe { Own::take(ffi::PyObject_Repr(o.ptr())) }
}

impl Ref<'_> {
    /// `repr(o)` as Rust's text, for messages; something simple if that raises. An exception that is set already stays:
    /// no code may run beside it, so it is taken away and set again.
    pub fn show(self) -> String {
        let before = crate::raised::take_raised();
        let shown = match repr(self) {
            Ok(s) => s.as_ref().as_any_str().map(|s| s.lossy()).unwrap_or_default(),
            Err(Raised) => {
                crate::raised::clear();
                crate::words(say!("<{}>"), &[crate::Word::Class(self)])
            }
        };
        if let Some(e) = before {
            crate::raised::raise_object(e.as_ref());
        }
        shown
    }

    /// Whether it is true, as `if` would ask.
    pub fn truth(self) -> Result<bool> {
        // SAFETY: alive.
        match unsafe { ffi::PyObject_IsTrue(self.ptr()) } {
            -1 => Err(Raised),
            v => Ok(v != 0),
        }
    }

    /// Its hash.
    pub fn hash(self) -> Result<isize> {
        // SAFETY: alive.
        match unsafe { ffi::PyObject_Hash(self.ptr()) } {
            -1 => Err(Raised),
            v => Ok(v),
        }
    }

    /// The same for what may hold more to be asked, where nobody else counts how deep that goes.
    pub fn hash_within(self) -> Result<isize> {
        // SAFETY: what was entered is left.
        unsafe {
            if ffi::Py_EnterRecursiveCall(c" while hashing a Struct".as_ptr()) != 0 {
                return Err(Raised);
            }
            let hash = self.hash();
            ffi::Py_LeaveRecursiveCall();
            hash
        }
    }

    /// Sets an attribute as `object` does, whatever the class says of that.
    pub fn set_plainly(self, name: Ref<'_>, value: Ref<'_>) -> Result<()> {
        // SAFETY: all are alive.
        match unsafe { ffi::PyObject_GenericSetAttr(self.ptr(), name.ptr(), value.ptr()) } {
            0 => Ok(()),
            _ => Err(Raised),
        }
    }

    /// Sets an attribute.
    pub fn set_attr(self, name: &CStr, value: &Own) -> Result<()> {
        // SAFETY: all are alive, the name ends with zero.
        match unsafe { ffi::PyObject_SetAttrString(self.ptr(), name.as_ptr(), value.ptr()) } {
            0 => Ok(()),
            _ => Err(Raised),
        }
    }
}
