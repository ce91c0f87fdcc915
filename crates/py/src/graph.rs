//! What graphs need: objects that exist before what they hold, and whether an object can be met again.
//!
//! BE ADVISED: a tuple or frozenset that is filled here was seen by nobody but the collector and its future holders, and the one
//! who fills it has run no user code since it was made. That is what makes it right to change what cannot change.

use alloc::vec::Vec;
use wire::say;

use crate::object::{Own, Ref};
use crate::raised::{Builtin, Raised, Result};
use crate::sys as ffi;
use crate::types::Flags;

impl Ref<'_> {
    /// Whether there is only one reference to it, which is the one by which it was found. False says nothing.
    #[inline(always)]
    pub fn is_unshared(self) -> bool {
        // SAFETY: alive. Where counts are kept in one place, an object with a count of one has one reference.
        #[cfg(not(any(Py_3_14, Py_GIL_DISABLED)))]
        return unsafe { ffi::Py_refcount(self.ptr()) == 1 };
        #[cfg(any(Py_3_14, Py_GIL_DISABLED))]
        false
    }
}

/// A `frozenset` that is empty, and nobody else's.
pub fn new_frozenset() -> Result<Own> {
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Own::take(ffi::PyFrozenSet_New(core::ptr::null_mut())) }
}

/// A set of what another container has.
pub fn set_of(o: &Own) -> Result<Own> {
    // SAFETY: alive; a new reference, or null with an exception set.
    unsafe { Own::take(ffi::PySet_New(o.ptr())) }
}

/// A tuple of `n` times `None`, to be filled.
pub fn open_tuple(n: usize) -> Result<Own> {
    crate::list::tuple_of(n, |_| Ok(crate::scalar::none()))
}

/// Fills a tuple that was made open with the items of `stack` from `base`, which it takes.
pub fn fill_tuple(t: &Own, stack: &mut Vec<Own>, base: usize) {
    for (i, o) in stack.drain(base..).enumerate() {
        // SAFETY: it is a tuple; the index is within it, and what was there is given back.
        unsafe {
            if (i as isize) < ffi::PyTuple_GET_SIZE(t.ptr()) {
                let old = ffi::PyTuple_GET_ITEM(t.ptr(), i as isize);
                ffi::PyTuple_SET_ITEM(t.ptr(), i as isize, o.into_ptr());
                ffi::Py_DECREF(old);
            }
        }
    }
}

fn done(failed: i32) -> Result<()> {
    if failed == 0 { Ok(()) } else { Err(Raised) }
}

/// Adds a member to a set.
pub fn add_member(s: &Own, member: Ref<'_>) -> Result<()> {
    // SAFETY: both are alive; what is no set raises.
    done(unsafe { ffi::PySet_Add(s.ptr(), member.ptr()) })
}

/// How many members a set or frozenset has; none if it is something else.
pub fn set_len(s: Ref<'_>) -> usize {
    if s.class().flags() != Flags::Set {
        return 0;
    }
    // SAFETY: alive, and its layout is that of a set.
    unsafe { (*s.ptr().cast::<ffi::PySetObject>()).used as usize }
}

/// Gives a frozenset that was made empty the members of a set, by what `set` does for `|=`: both have the same layout, and
/// nobody has asked the frozenset for its hash.
pub fn fill_frozenset(f: &Own, members: &Own) -> Result<()> {
    /// Where `nb_inplace_or` stands among the functions of numbers.
    const INPLACE_OR: usize = 28;
    // SAFETY: what a static class has there, of the type that the manual gives it. It looks at the kind of its second
    // argument only. It gives a reference to its first.
    unsafe {
        let slot = ffi::in_table(ffi::PySet_Type.tp_as_number, INPLACE_OR);
        if slot.is_null() {
            return Err(Builtin::Type.raise(say!("sets cannot be filled in place here")));
        }
        type Binary = unsafe extern "C" fn(*mut ffi::PyObject, *mut ffi::PyObject) -> *mut ffi::PyObject;
        let fill: Binary = core::mem::transmute(slot);
        Own::take(fill(f.ptr(), members.ptr())).map(drop)
    }
}
