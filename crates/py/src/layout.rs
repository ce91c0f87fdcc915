//! Every read of a CPython struct that the headers do not offer as a function, per version.
//!
//! What is read here is part of each minor version's frozen binary interface; a version that is
//! not named takes the slow official call. `tests` of the Python package compare both on a
//! corpus on every interpreter.

use core::sync::atomic::{AtomicIsize, Ordering};

use crate::sys as ffi;
use crate::sys::PyObject;
use wire::Signed;

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

/// The hash, or -1 if nobody has asked for it.
///
/// # Safety
/// `p` must be a str.
#[inline(always)]
pub(crate) unsafe fn str_hash(p: *mut PyObject) -> ffi::Py_hash_t {
    // SAFETY: by contract. Another thread may be writing it just now, to the one value that it can have.
    unsafe { AtomicIsize::from_ptr(&raw mut (*p.cast::<ffi::PyASCIIObject>()).hash).load(Ordering::Relaxed) }
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

/// An int as it is laid out: its digits, of 30 bits each, stand behind what says how many.
#[cfg(all(Py_3_12, not(Py_GIL_DISABLED)))]
#[repr(C)]
pub(crate) struct Long {
    pub(crate) head: PyObject,
    /// The sign (0, 1 for zero, 2) in the two low bits, a reserved bit, and the number of digits.
    pub(crate) tag: usize,
    pub(crate) digits: [u32; 1],
}

#[cfg(not(Py_3_12))]
#[repr(C)]
pub(crate) struct Long {
    /// The size holds the sign and the number of digits; zero has none.
    pub(crate) head: ffi::PyVarObject,
    pub(crate) digits: [u32; 1],
}

/// The magnitude of an int of one digit (below 2**30), and whether it is negative.
///
/// # Safety
/// `p` must be an int.
#[cfg(all(Py_3_12, not(Py_GIL_DISABLED)))]
#[inline(always)]
pub(crate) unsafe fn small_int(p: *mut PyObject) -> Option<Signed> {
    // SAFETY: by contract. There is always room for one digit.
    unsafe {
        let l = p.cast::<Long>();
        let tag = (*l).tag;
        (tag < 2 << 3).then(|| Signed::new((*l).digits[0].into(), tag & 2 != 0))
    }
}

/// The same as above.
///
/// # Safety
/// `p` must be an int.
#[cfg(not(Py_3_12))]
#[inline(always)]
pub(crate) unsafe fn small_int(p: *mut PyObject) -> Option<Signed> {
    // SAFETY: by contract.
    unsafe {
        let l = p.cast::<Long>();
        let digit = (*l).digits[0].into();
        match (*l).head.ob_size {
            0 => Some(Signed::new(0, false)),
            1 => Some(Signed::new(digit, false)),
            -1 => Some(Signed::new(digit, true)),
            _ => None,
        }
    }
}

/// The same of an int of two or three digits, below 2**64.
///
/// # Safety
/// `p` must be an int.
#[cfg(not(Py_GIL_DISABLED))]
#[inline(always)]
pub(crate) unsafe fn long_int(p: *mut PyObject) -> Option<Signed> {
    // SAFETY: by contract; digits are read only where the number of them says that they are there.
    unsafe {
        let (n, negative) = digits(p);
        let low = match n {
            2 => low_digits(p),
            3 if third_digit(p) < 1 << 4 => third_digit(p) << 60 | low_digits(p),
            _ => return None,
        };
        Some(Signed::new(low, negative))
    }
}

/// How many digits an int has, and whether it is negative.
///
/// # Safety
/// `p` must be an int.
#[cfg(not(Py_GIL_DISABLED))]
#[inline(always)]
unsafe fn digits(p: *mut PyObject) -> (usize, bool) {
    // SAFETY: by contract.
    unsafe {
        let l = p.cast::<Long>();
        #[cfg(Py_3_12)]
        return ((*l).tag >> 3, (*l).tag & 3 == 2);
        #[cfg(not(Py_3_12))]
        ((*l).head.ob_size.unsigned_abs(), (*l).head.ob_size < 0)
    }
}

/// The two lowest digits of an int.
///
/// # Safety
/// `p` must be an int of two digits or more.
#[cfg(not(Py_GIL_DISABLED))]
#[inline(always)]
unsafe fn low_digits(p: *mut PyObject) -> u64 {
    // SAFETY: by contract; digits stand side by side.
    let [low, high] = unsafe { *(&raw const (*p.cast::<Long>()).digits).cast::<[u32; 2]>() };
    u64::from(high) << 30 | u64::from(low)
}

/// The third digit of an int.
///
/// # Safety
/// `p` must be an int of three digits or more.
#[cfg(not(Py_GIL_DISABLED))]
#[inline(always)]
unsafe fn third_digit(p: *mut PyObject) -> u64 {
    // SAFETY: as above.
    unsafe { (*(&raw const (*p.cast::<Long>()).digits).cast::<u32>().add(2)).into() }
}

/// An int that is not negative and has no more than 128 bits.
///
/// # Safety
/// `p` must be an int.
#[cfg(not(Py_GIL_DISABLED))]
pub(crate) unsafe fn int128(p: *mut PyObject) -> Option<u128> {
    // SAFETY: by contract; no more digits are read than it has.
    unsafe {
        let (n, negative) = digits(p);
        if negative || n > 5 {
            return None;
        }
        let first = (&raw const (*p.cast::<Long>()).digits).cast::<u32>();
        let digit = |i: usize| if i < n { u64::from(*first.add(i)) } else { 0 };
        let (low, high) = (digit(0) | digit(1) << 30 | digit(2) << 60, digit(2) >> 4 | digit(3) << 26);
        (digit(4) < 1 << 8).then(|| u128::from(high | digit(4) << 56) << 64 | u128::from(low))
    }
}

/// Writes the digits of an int.
///
/// # Safety
/// It must be one that was just made, of so many digits, which are all that the number has.
#[cfg(all(not(Py_GIL_DISABLED), not(Py_3_14)))]
#[inline(always)]
pub(crate) unsafe fn fill_int128(p: *mut PyObject, mut v: u128, n: usize) {
    // SAFETY: by contract.
    unsafe {
        let first = (&raw mut (*p.cast::<Long>()).digits).cast::<u32>();
        for i in 0..n {
            first.add(i).write(v as u32 & 0x3fff_ffff);
            v >>= 30;
        }
    }
}

/// No layout is assumed here, and below.
///
/// # Safety
/// `p` must be an int.
#[cfg(all(Py_3_12, Py_GIL_DISABLED))]
#[inline(always)]
pub(crate) unsafe fn small_int(_: *mut PyObject) -> Option<Signed> {
    None
}

/// # Safety
/// `p` must be an int.
#[cfg(Py_GIL_DISABLED)]
#[inline(always)]
pub(crate) unsafe fn long_int(_: *mut PyObject) -> Option<Signed> {
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
