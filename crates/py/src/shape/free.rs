//! The end of an instance, and what the collector asks of it.
//!
//! What may surprise: instances that hold each other in a long chain are not freed one inside the
//! other, which would use up the stack: each waits in a list for its turn.

use core::ffi::{c_int, c_void};
use core::ptr::null_mut;

use crate::sys as ffi;
use crate::sys::PyObject;
use crate::{direct, direct_object};

use super::class::{Shape, carried, is_meta};
use super::{Layout, slot};
use crate::types::Type;

pub(super) unsafe extern "C" fn traverse<S: Shape>(
    me: *mut PyObject,
    visit: ffi::visitproc,
    arg: *mut c_void,
) -> c_int {
    // SAFETY: the collector passes an instance, whose class carries its slots; the class is owned.
    unsafe {
        let class = ffi::Py_TYPE(me);
        // What is not plain is visited by `type`'s own function, which calls this one for what it has not
        // visited: the slots of the first plain class. Twice would be too often.
        let mut owner = class;
        while let Some(c) = carried::<S>(owner) {
            if !c.layout.plain {
                owner = (*owner).tp_base;
                if is_meta(ffi::Py_TYPE(owner.cast())) {
                    continue;
                }
                break;
            }
            for &at in &c.layout.slots {
                let v = *slot(me, at);
                if !v.is_null() {
                    let stop = visit(v, arg);
                    if stop != 0 {
                        return stop;
                    }
                }
            }
            if c.layout.dict {
                let stop = visit_dict(me, visit, arg);
                if stop != 0 {
                    return stop;
                }
            }
            break;
        }
        visit(class.cast(), arg)
    }
}

pub(super) unsafe extern "C" fn clear<S: Shape>(me: *mut PyObject) -> c_int {
    // SAFETY: as above.
    unsafe {
        if let Some(c) = carried::<S>(ffi::Py_TYPE(me)) {
            for &at in &c.layout.slots {
                super::write(me, at, None);
            }
            clear_dict(me);
        }
    }
    0
}

/// For classes whose instances the collector may know.
pub(super) unsafe extern "C" fn dealloc_tracked<S: Shape>(me: *mut PyObject) {
    // SAFETY: the last reference is gone.
    unsafe { dealloc::<S>(me) }
}

/// For the others. It must be another function: the interpreter lets an instance change its class only
/// if both are freed by the same one.
pub(super) unsafe extern "C" fn dealloc_untracked<S: Shape>(me: *mut PyObject) {
    // SAFETY: the last reference is gone.
    unsafe { dealloc::<S>(me) };
    core::hint::black_box(());
}

/// # Safety
/// The last reference to an instance is gone.
#[inline(always)]
unsafe fn dealloc<S: Shape>(me: *mut PyObject) {
    let (mut next, mut waiting) = (me, null_mut());
    let by_hand = direct::frees_texts();
    loop {
        // SAFETY: by contract; what waits has no reference left either.
        unsafe {
            free::<S>(next, by_hand, &mut waiting);
            if waiting.is_null() {
                return;
            }
            next = waiting;
            waiting = unlink(next);
        }
    }
}

/// # Safety
/// The last reference to an instance is gone.
#[inline(always)]
unsafe fn free<S: Shape>(me: *mut PyObject, by_hand: bool, waiting: &mut *mut PyObject) {
    // SAFETY: by contract. A finalizer may bring the instance back. The collector must not meet what is
    // half gone, so it is untracked first. An instance owns its class, given back last.
    unsafe {
        let class = ffi::Py_TYPE(me);
        if !(*class).tp_finalize.is_null() && ffi::PyObject_CallFinalizerFromDealloc(me) < 0 {
            return;
        }
        let Some(c) = carried::<S>(class) else { return };
        let Layout { slots, gc, bare, spare, .. } = &c.layout;
        if *gc && !(*bare && direct_object::is_alone(me)) {
            ffi::PyObject_GC_UnTrack(me.cast());
        }
        if !*bare && (*class).tp_weaklistoffset != 0 {
            ffi::PyObject_ClearWeakRefs(me);
        }
        let texts = c.shape.texts();
        for &at in slots {
            let v = core::ptr::replace(slot(me, at), null_mut());
            if v.is_null() {
                continue;
            }
            // Most values are texts.
            if ffi::Py_TYPE(v) == &raw mut ffi::PyUnicode_Type {
                if !(by_hand && has_one_reference(v) && direct::free_text(v, texts)) {
                    ffi::Py_DECREF(v);
                }
            } else if is_last::<S>(v) {
                link(v, *waiting);
                *waiting = v;
            } else {
                ffi::Py_DECREF(v);
            }
        }
        if *bare {
            direct_object::free(me, spare, *gc);
        } else {
            clear_dict(me);
            if *gc {
                ffi::PyObject_GC_Del(me.cast());
            } else {
                ffi::PyObject_Free(me.cast());
            }
        }
        ffi::Py_DECREF(class.cast());
    }
}

/// Whether an object is such an instance, and this reference its last; then nobody else can see it any
/// more, but by a weak reference. What has a finalizer is left to it.
///
/// # Safety
/// `v` must be alive, and its reference the caller's to give up.
#[cfg(not(any(Py_3_14, Py_GIL_DISABLED)))]
#[inline(always)]
unsafe fn is_last<S: Shape>(v: *mut PyObject) -> bool {
    // SAFETY: by contract.
    unsafe {
        if !has_one_reference(v) {
            return false;
        }
        let class = ffi::Py_TYPE(v);
        let dealloc = (*class).tp_dealloc.map(|f| f as usize);
        (*class).tp_finalize.is_null()
            && (dealloc == Some(dealloc_tracked::<S> as *const () as usize)
                || dealloc == Some(dealloc_untracked::<S> as *const () as usize))
    }
}

/// # Safety
/// `v` must be alive.
#[cfg(not(any(Py_3_14, Py_GIL_DISABLED)))]
#[inline(always)]
unsafe fn has_one_reference(v: *mut PyObject) -> bool {
    // SAFETY: by contract.
    unsafe { (*v).ob_refcnt == 1 }
}

/// Where nobody counts references any more, the count says which instance waits next. Weak references are cleared
/// before that, since they would take the count for one; clearing them may call anything.
///
/// # Safety
/// `v` must be what [`is_last`] says, which is untracked here, so that the collector does not see the count.
#[cfg(not(any(Py_3_14, Py_GIL_DISABLED)))]
unsafe fn link(v: *mut PyObject, next: *mut PyObject) {
    // SAFETY: by contract.
    unsafe {
        if (*ffi::Py_TYPE(v)).tp_flags & ffi::Py_TPFLAGS_HAVE_GC != 0 {
            ffi::PyObject_GC_UnTrack(v.cast());
        }
        if (*ffi::Py_TYPE(v)).tp_weaklistoffset != 0 {
            (*v).ob_refcnt = 0;
            ffi::PyObject_ClearWeakRefs(v);
        }
        (*v).ob_refcnt = next as isize;
    }
}

/// # Safety
/// `v` must have been linked.
#[cfg(not(any(Py_3_14, Py_GIL_DISABLED)))]
unsafe fn unlink(v: *mut PyObject) -> *mut PyObject {
    // SAFETY: by contract; no reference is left.
    unsafe { core::mem::replace(&mut (*v).ob_refcnt, 0) as *mut PyObject }
}

/// Later versions bound the depth themselves, so nothing ever waits.
#[cfg(any(Py_3_14, Py_GIL_DISABLED))]
unsafe fn is_last<S: Shape>(_: *mut PyObject) -> bool {
    false
}
#[cfg(any(Py_3_14, Py_GIL_DISABLED))]
unsafe fn has_one_reference(_: *mut PyObject) -> bool {
    false
}
#[cfg(any(Py_3_14, Py_GIL_DISABLED))]
unsafe fn link(_: *mut PyObject, _: *mut PyObject) {}
#[cfg(any(Py_3_14, Py_GIL_DISABLED))]
unsafe fn unlink(_: *mut PyObject) -> *mut PyObject {
    null_mut()
}

/// Whether the functions above know of the `__dict__` of a class's instances, as the one version does whose way of keeping it
/// was looked at: before the instance, and apart from it.
#[cfg(all(Py_3_13, not(any(Py_3_14, Py_GIL_DISABLED))))]
pub(super) fn keeps_dict(class: Type<'_>) -> bool {
    // SAFETY: reading a field of a type.
    let flags = unsafe { (*class.ptr()).tp_flags };
    flags & (ffi::Py_TPFLAGS_MANAGED_DICT | ffi::Py_TPFLAGS_INLINE_VALUES) == ffi::Py_TPFLAGS_MANAGED_DICT
}

/// # Safety
/// `me` must be an instance of a class with such a `__dict__`.
#[cfg(all(Py_3_13, not(any(Py_3_14, Py_GIL_DISABLED))))]
unsafe fn visit_dict(me: *mut PyObject, visit: ffi::visitproc, arg: *mut c_void) -> c_int {
    // SAFETY: by contract.
    unsafe { ffi::PyObject_VisitManagedDict(me, visit, arg) }
}

/// Gives the `__dict__` back, if there is one. That of a class which inherits from one with a `__dict__`, and is not plain,
/// is left to this as well.
///
/// # Safety
/// `me` must be an instance.
#[cfg(all(Py_3_13, not(any(Py_3_14, Py_GIL_DISABLED))))]
#[inline(always)]
unsafe fn clear_dict(me: *mut PyObject) {
    // SAFETY: by contract; without a dict nothing happens.
    unsafe {
        if (*ffi::Py_TYPE(me)).tp_flags & ffi::Py_TPFLAGS_MANAGED_DICT != 0 {
            ffi::PyObject_ClearManagedDict(me);
        }
    }
}

/// Everywhere else it is left to `type`.
#[cfg(not(all(Py_3_13, not(any(Py_3_14, Py_GIL_DISABLED)))))]
pub(super) fn keeps_dict(_: Type<'_>) -> bool {
    false
}
#[cfg(not(all(Py_3_13, not(any(Py_3_14, Py_GIL_DISABLED)))))]
unsafe fn visit_dict(_: *mut PyObject, _: ffi::visitproc, _: *mut c_void) -> c_int {
    0
}
#[cfg(not(all(Py_3_13, not(any(Py_3_14, Py_GIL_DISABLED)))))]
unsafe fn clear_dict(_: *mut PyObject) {}
