//! Weak references: remembering a class without keeping it alive.

use crate::sys as ffi;

use crate::object::{Own, Ref};
use crate::raised::Result;

/// A weak reference.
pub struct Weak(Own);

impl Weak {
    /// A weak reference to an object that can have one.
    pub fn new(o: Ref<'_>) -> Result<Weak> {
        // SAFETY: the object is alive; a new reference, or null with an exception set.
        unsafe { Own::take(ffi::PyWeakref_NewRef(o.ptr(), core::ptr::null_mut())) }.map(Weak)
    }

    /// Whether it refers to `o`, which is alive.
    #[cfg(not(any(Py_3_14, Py_GIL_DISABLED)))]
    #[inline(always)]
    pub fn is(&self, o: Ref<'_>) -> bool {
        // SAFETY: it is a weak reference, since the API made it, and those have the object, or
        // `None` in its place when it is gone, right behind their header on these versions. Nothing
        // is read through the pointer.
        unsafe { (*self.0.ptr().cast::<ffi::PyWeakReference>()).wr_object == o.ptr() }
    }

    /// Whether it refers to `o`, which is alive.
    #[cfg(any(Py_3_14, Py_GIL_DISABLED))]
    #[inline]
    pub fn is(&self, o: Ref<'_>) -> bool {
        // SAFETY: it is a weak reference; on success the reference is ours to give back.
        unsafe {
            let mut p = core::ptr::null_mut();
            let got = ffi::PyWeakref_GetRef(self.0.ptr(), &mut p);
            if got == 1 {
                let same = p == o.ptr();
                ffi::Py_DECREF(p);
                same
            } else {
                false
            }
        }
    }
}
