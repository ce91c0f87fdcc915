//! Every read of a CPython struct that the headers do not offer as a function, per version.
//!
//! What is read here is part of each minor version's frozen binary interface; a version that is
//! not named takes the slow official call. `tests` of the Python package compare both on a
//! corpus on every interpreter.

use crate::sys as ffi;
use crate::sys::PyObject;

/// A str that keeps ASCII right behind its header: its bytes, which a zero follows.
///
/// # Safety
/// `p` must be a str that stays alive for `'a`.
#[inline(always)]
pub(crate) unsafe fn ascii<'a>(p: *mut PyObject) -> Option<&'a [u8]> {
    // SAFETY: by contract; a compact ASCII str has `length` bytes after the shorter header.
    unsafe {
        let o = p.cast::<ffi::PyASCIIObject>();
        if !is_compact_ascii(p) {
            return None;
        }
        Some(core::slice::from_raw_parts(o.add(1).cast::<u8>(), (*o).length as usize))
    }
}

#[cfg(not(Py_3_14))]
#[inline(always)]
unsafe fn is_compact_ascii(p: *mut PyObject) -> bool {
    // `compact` is bit 5 and `ascii` bit 6 on every version before 3.14.
    const BOTH: u32 = 1 << 5 | 1 << 6;
    // SAFETY: by contract of the caller, a str.
    unsafe { (*p.cast::<ffi::PyASCIIObject>()).state & BOTH == BOTH }
}

#[cfg(Py_3_14)]
#[inline(always)]
unsafe fn is_compact_ascii(p: *mut PyObject) -> bool {
    // SAFETY: by contract of the caller, a str. The bits have moved and may move again, so the
    // characters are looked at; only exact strs keep them behind the header.
    unsafe {
        ffi::Py_TYPE(p) == &raw mut ffi::PyUnicode_Type
            && ffi::PyUnicode_KIND(p) == ffi::PyUnicode_1BYTE_KIND
            && {
                let data = ffi::PyUnicode_DATA(p).cast::<u8>();
                core::slice::from_raw_parts(data, ffi::PyUnicode_GET_LENGTH(p) as usize).is_ascii()
            }
    }
}

/// Where the characters of a new, empty-handed str go.
///
/// # Safety
/// `p` must be a str that `PyUnicode_New` has just made.
#[inline(always)]
pub(crate) unsafe fn new_ascii_data(p: *mut PyObject) -> *mut u8 {
    // SAFETY: by contract; compact ASCII data follows the shorter header.
    unsafe { p.cast::<ffi::PyASCIIObject>().add(1).cast() }
}

/// The same for a str that was made for wider characters.
///
/// # Safety
/// As above, made for characters beyond ASCII.
#[inline(always)]
pub(crate) unsafe fn new_wide_data(p: *mut PyObject) -> *mut u8 {
    // SAFETY: by contract; compact data follows the longer header.
    unsafe { p.cast::<ffi::PyCompactUnicodeObject>().add(1).cast() }
}

/// The value of an int of one digit (below 2**30 in magnitude).
///
/// # Safety
/// `p` must be an int.
#[cfg(all(Py_3_12, not(Py_GIL_DISABLED)))]
#[inline(always)]
pub(crate) unsafe fn small_int(p: *mut PyObject) -> Option<i64> {
    #[repr(C)]
    struct Long {
        head: PyObject,
        tag: usize,
        digit: u32,
    }
    // SAFETY: by contract. The tag holds the sign (0, 1 for zero, 2) in its two low bits, a
    // reserved bit, and the number of digits above.
    unsafe {
        let l = p.cast::<Long>();
        let tag = (*l).tag;
        (tag < 2 << 3).then(|| (1 - (tag & 3) as i64) * i64::from((*l).digit))
    }
}

/// The value of an int of one digit (below 2**30 in magnitude).
///
/// # Safety
/// `p` must be an int.
#[cfg(not(Py_3_12))]
#[inline(always)]
pub(crate) unsafe fn small_int(p: *mut PyObject) -> Option<i64> {
    #[repr(C)]
    struct Long {
        head: ffi::PyVarObject,
        digit: u32,
    }
    // SAFETY: by contract. The size holds the sign and the number of digits; zero has none.
    unsafe {
        let l = p.cast::<Long>();
        match (*l).head.ob_size {
            0 => Some(0),
            1 => Some(i64::from((*l).digit)),
            -1 => Some(-i64::from((*l).digit)),
            _ => None,
        }
    }
}

/// No layout is assumed here.
///
/// # Safety
/// `p` must be an int.
#[cfg(all(Py_3_12, Py_GIL_DISABLED))]
#[inline(always)]
pub(crate) unsafe fn small_int(_: *mut PyObject) -> Option<i64> {
    None
}

/// How many entries a dict has.
///
/// # Safety
/// `p` must be a dict.
#[inline(always)]
pub(crate) unsafe fn dict_len(p: *mut PyObject) -> usize {
    // SAFETY: by contract.
    #[cfg(not(Py_GIL_DISABLED))]
    unsafe {
        (*p.cast::<ffi::PyDictObject>()).ma_used as usize
    }
    // SAFETY: by contract.
    #[cfg(Py_GIL_DISABLED)]
    unsafe {
        ffi::PyDict_Size(p) as usize
    }
}
