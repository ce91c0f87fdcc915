//! Strings and integers made by hand: memory is asked for and filled, without a call that asks what to make.
//!
//! The interpreter's own functions take as long for deciding what is to be made as for making it, and what
//! is read is made of little else. What is written is private to the interpreter, but frozen within a minor version.
//! So it is as with the tables of dicts: on import some are made both ways (`trial`), and only if they are
//! the same, byte for byte, is it ever done; other versions are asked for each object.
//!
//! What may surprise: memory comes from the interpreter's own allocator, so whatever traces or checks
//! memory sees these objects as any others, and they are freed as any others.

use crate::object::{Own, Ref};
use crate::raised::Result;
use crate::sys as ffi;
use crate::young::Young;
use alloc::vec::Vec;

#[cfg(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64"))]
pub(crate) mod known {
    use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

    use super::ffi;
    use crate::direct_object::Waiting;
    use crate::layout::Long;
    use crate::sys::PyObject;
    use crate::young::Young;
    use core::ptr::null_mut;

    static TRUSTED: AtomicBool = AtomicBool::new(false);

    /// Not interned, of one byte a character, compact, ASCII; and `ready`, where there is such a thing.
    const ASCII: u32 =
        if cfg!(Py_3_12) { 1 << 2 | 1 << 5 | 1 << 6 } else { 1 << 2 | 1 << 5 | 1 << 6 | 1 << 7 };

    #[inline(always)]
    pub(super) fn trusted() -> bool {
        TRUSTED.load(Ordering::Relaxed)
    }

    /// The memory of longer texts is not kept.
    const LENGTHS: usize = 64;

    /// The memory of texts that are gone, for those to come: for each length that of a few. So it is large enough, whatever
    /// the allocator gives for that.
    pub struct OldTexts([Waiting<128>; LENGTHS]);

    impl Default for OldTexts {
        fn default() -> Self {
            OldTexts(core::array::from_fn(|_| Waiting::default()))
        }
    }

    impl OldTexts {
        #[inline(always)]
        fn take(&self, n: usize) -> *mut PyObject {
            match self.0.get(n) {
                Some(waiting) => waiting.take().cast(),
                None => null_mut(),
            }
        }
    }

    /// A str with room for `n` ASCII characters, without the zero that must follow them; null if there is no
    /// memory for it.
    #[inline(always)]
    pub(crate) fn ascii(n: usize, old: Option<&OldTexts>) -> *mut PyObject {
        // SAFETY: there is room for the header, the characters and the zero, as there was in a text of that length; every
        // field of the header is filled. The type is static, so that its instances do not own it. No slice is so long
        // that this overflows.
        unsafe {
            let mut o = match old {
                Some(old) => old.take(n).cast::<ffi::PyASCIIObject>(),
                None => null_mut(),
            };
            if o.is_null() {
                o = ffi::PyObject_Malloc(size_of::<ffi::PyASCIIObject>() + n + 1).cast();
            }
            if !o.is_null() {
                o.write(ffi::PyASCIIObject {
                    ob_base: head(&raw mut ffi::PyUnicode_Type),
                    length: n as isize,
                    hash: -1,
                    state: ASCII,
                    #[cfg(not(Py_3_12))]
                    wstr: core::ptr::null_mut(),
                });
                *o.add(1).cast::<u8>().add(n) = 0;
            }
            o.cast()
        }
    }

    /// Whether texts may be freed by hand. Whoever traces references is to see them go.
    #[inline(always)]
    pub(super) fn frees_texts() -> bool {
        #[cfg(Py_3_13)]
        // SAFETY: it gives what was set, and asks for nothing.
        let traced = unsafe { ffi::PyRefTracer_GetTracer(&mut null_mut()) }.is_some();
        #[cfg(not(Py_3_13))]
        let traced = false;
        trusted() && !traced
    }

    /// # Safety
    /// As for [`super::free_text`].
    #[inline(always)]
    pub(super) unsafe fn free_text(o: *mut PyObject, old: &OldTexts) -> bool {
        // SAFETY: by contract; a str in this state, which the interpreter keeps nowhere else, is one block of
        // memory, as large as its length says.
        unsafe {
            let s = o.cast::<ffi::PyASCIIObject>();
            #[cfg(not(Py_3_12))]
            if !(*s).wstr.is_null() {
                return false;
            }
            if (*s).state & 0xff != ASCII {
                return false;
            }
            if let Some(waiting) = old.0.get((*s).length as usize)
                && waiting.keep(o.cast())
            {
                return true;
            }
            ffi::PyObject_Free(o.cast());
            true
        }
    }

    /// The zero that the interpreter keeps, if the small integers stand side by side around it.
    static ZERO: AtomicPtr<Long> = AtomicPtr::new(null_mut());

    /// The least and the greatest of those that it keeps.
    pub(crate) const KEPT: (i64, i64) = (-5, 256);

    /// One of the small integers, borrowed; null if they are not known to stand so.
    #[inline(always)]
    pub(super) fn small(v: i64) -> *mut PyObject {
        let zero = ZERO.load(Ordering::Relaxed);
        if zero.is_null() { null_mut() } else { zero.wrapping_offset(v as isize).cast() }
    }

    /// Looks where they stand.
    pub(crate) fn find_small() {
        // SAFETY: they live for ever, on these versions for all interpreters.
        let at = |v| unsafe {
            let o = ffi::PyLong_FromLongLong(v);
            ffi::Py_DECREF(o);
            o.cast::<Long>()
        };
        let zero = at(0);
        let side_by_side = (KEPT.0..=KEPT.1).all(|v| at(v) == zero.wrapping_offset(v as isize));
        ZERO.store(if side_by_side { zero } else { null_mut() }, Ordering::Relaxed);
    }

    /// An int of one or two digits that is none of those which the interpreter keeps; null if there is
    /// no memory for it.
    #[inline(always)]
    pub(crate) fn int(v: i64) -> *mut PyObject {
        let size = v.unsigned_abs();
        let n = if size >> 30 == 0 { 1 } else { 2 };
        // SAFETY: there is room for the header and `n` digits; all are filled.
        unsafe {
            let o = ffi::PyObject_Malloc(core::mem::offset_of!(Long, digits) + 4 * n).cast::<Long>();
            if !o.is_null() {
                #[cfg(Py_3_12)]
                {
                    (&raw mut (*o).head).write(head(&raw mut ffi::PyLong_Type));
                    (*o).tag = n << 3 | if v < 0 { 2 } else { 0 };
                }
                #[cfg(not(Py_3_12))]
                (&raw mut (*o).head).write(ffi::PyVarObject {
                    ob_base: head(&raw mut ffi::PyLong_Type),
                    ob_size: if v < 0 { -(n as isize) } else { n as isize },
                });
                let digits = (&raw mut (*o).digits).cast::<u32>();
                *digits = size as u32 & ((1 << 30) - 1);
                if n == 2 {
                    *digits.add(1) = (size >> 30) as u32;
                }
            }
            o.cast()
        }
    }

    /// A float; null if there is no memory for it.
    #[inline(always)]
    pub(crate) fn float(v: f64) -> *mut PyObject {
        // SAFETY: there is room for the header and the value; both are filled.
        unsafe {
            let o = ffi::PyObject_Malloc(size_of::<Float>()).cast::<Float>();
            if !o.is_null() {
                o.write(Float { head: head(&raw mut ffi::PyFloat_Type), v });
            }
            o.cast()
        }
    }

    /// A float as it is laid out.
    #[repr(C)]
    pub(crate) struct Float {
        head: PyObject,
        v: f64,
    }

    /// A list with room for `n` items, which are the caller's to fill at once: it is tracked if the interpreter was asked for an empty one.
    /// Null if there is no memory for them.
    #[inline(always)]
    pub(crate) fn list(n: usize, young: Young) -> *mut PyObject {
        // SAFETY: there is room for its fields, and all are filled. Memory for items will be given back in the same way; an
        // empty list has none.
        unsafe {
            let mut items: *mut core::ffi::c_void = null_mut();
            if n != 0 {
                let Some(size) = n.checked_mul(size_of::<*mut PyObject>()) else { return null_mut() };
                items = ffi::PyMem_Malloc(size);
                if items.is_null() {
                    return null_mut();
                }
            }
            let o = if young.asks() {
                ffi::PyList_New(0)
            } else {
                young.make(&raw mut ffi::PyList_Type, size_of::<ffi::PyListObject>())
            };
            let o = o.cast::<ffi::PyListObject>();
            if o.is_null() {
                ffi::PyMem_Free(items);
                return null_mut();
            }
            (*o).ob_base.ob_size = n as isize;
            (*o).ob_item = items.cast();
            (*o).allocated = n as isize;
            o.cast()
        }
    }

    /// Whether they are made so from now on.
    pub(crate) fn trust(really: bool) {
        TRUSTED.store(really, Ordering::Relaxed);
        find_small();
    }

    #[inline(always)]
    fn head(class: *mut ffi::PyTypeObject) -> PyObject {
        PyObject { ob_refcnt: 1, ob_type: class }
    }
}

#[cfg(not(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64")))]
mod known {
    use super::ffi;
    use core::ptr::null_mut;

    /// On these versions no layout is assumed, and nothing is kept.
    #[derive(Default)]
    pub struct OldTexts;

    pub(super) fn trusted() -> bool {
        false
    }
    pub(crate) const KEPT: (i64, i64) = (-5, 256);
    pub(super) fn small(_: i64) -> *mut ffi::PyObject {
        null_mut()
    }
    pub(super) fn ascii(_: usize, _: Option<&OldTexts>) -> *mut ffi::PyObject {
        null_mut()
    }
    pub(super) fn int(_: i64) -> *mut ffi::PyObject {
        null_mut()
    }
    pub(super) fn float(_: f64) -> *mut ffi::PyObject {
        null_mut()
    }
    pub(super) fn list(_: usize, _: crate::young::Young) -> *mut ffi::PyObject {
        null_mut()
    }
    pub(super) fn frees_texts() -> bool {
        false
    }
    pub(super) unsafe fn free_text(_: *mut ffi::PyObject, _: &OldTexts) -> bool {
        false
    }
}

pub use known::OldTexts;
#[cfg(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64"))]
pub(crate) use known::trust;

/// A str with room for `n` ASCII characters, in the memory of one that is gone if some waits.
///
/// # Safety
/// The characters must be written before anybody sees it.
#[inline(always)]
pub(crate) unsafe fn ascii(n: usize, old: Option<&OldTexts>) -> Result<Own> {
    if known::trusted() {
        let o = known::ascii(n, old);
        if !o.is_null() {
            // SAFETY: a new object, whose reference is ours.
            return unsafe { Own::take(o) };
        }
    }
    // It raises what there is to raise, too.
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Own::take(ffi::PyUnicode_New(n as isize, 127)) }
}

/// An `int`.
#[inline(never)]
pub fn int(v: i64) -> Result<Own> {
    if known::trusted() && v.unsigned_abs() >> 60 == 0 {
        let o = if (known::KEPT.0..=known::KEPT.1).contains(&v) {
            let o = known::small(v);
            if !o.is_null() {
                // SAFETY: it lives for ever.
                return Ok(unsafe { Ref::new(o) }.own());
            }
            o
        } else {
            known::int(v)
        };
        if !o.is_null() {
            // SAFETY: as above.
            return unsafe { Own::take(o) };
        }
    }
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Own::take(ffi::PyLong_FromLongLong(v)) }
}

/// A `float`, and whether it may be one of many: the interpreter keeps the memory of the last few for the next.
#[inline(never)]
pub fn float_of_many(v: f64, many: bool) -> Result<Own> {
    if many && known::trusted() {
        let o = known::float(v);
        if !o.is_null() {
            // SAFETY: as above.
            return unsafe { Own::take(o) };
        }
    }
    crate::scalar::float(v)
}

/// A list of the items of `stack` from `base`, which it takes.
#[inline(never)]
pub fn list(stack: &mut Vec<Own>, base: usize, young: Young) -> Result<Own> {
    let n = stack.len().saturating_sub(base);
    // SAFETY: a new list of length `n` has room for `n` pointers, which are nobody else's; an
    // `Own` is one pointer; shortening the stack gives the references away, once.
    unsafe {
        let mut made = core::ptr::null_mut();
        let mut by_hand = false;
        if known::trusted() {
            by_hand = !young.asks();
            made = known::list(n, young);
            if made.is_null() {
                // Whether there is memory for it is asked again.
                crate::raised::clear();
                by_hand = false;
            }
        }
        let l = Own::take(if made.is_null() { ffi::PyList_New(n as isize) } else { made })?;
        if n != 0 {
            let items = (*l.ptr().cast::<ffi::PyListObject>()).ob_item;
            core::ptr::copy_nonoverlapping(stack.as_ptr().add(base).cast(), items, n);
            stack.set_len(base);
        }
        if by_hand {
            young.track(made);
        }
        Ok(l)
    }
}

/// Whether [`free_text`] may be asked just now.
#[inline(always)]
pub(crate) fn frees_texts() -> bool {
    known::frees_texts()
}

/// Frees a text that is plain ASCII, without asking what there is to be done for texts of other sorts, or keeps its memory;
/// false if it is one of those.
///
/// # Safety
/// `o` must be exactly a str, and the caller own its only reference, which is given back.
#[inline(always)]
pub(crate) unsafe fn free_text(o: *mut ffi::PyObject, old: &OldTexts) -> bool {
    // SAFETY: by contract.
    unsafe { known::free_text(o, old) }
}
