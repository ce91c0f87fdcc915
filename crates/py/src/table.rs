//! Walking the table of a dict ourselves.
//!
//! The interpreter's own function for it, `PyDict_Next`, is a call that asks again at every step
//! what sort of dict it has. Reading the table where it stands saves a tenth of the time of
//! writing. What is read is private to the interpreter, but frozen within a minor version: the
//! versions that are named here have it so, and on import each way is tried on dicts of every kind
//! (`trial`). If the two ways differ in anything, or the version is another, `PyDict_Next` does the
//! work.
//!
//! BE ADVISED: nothing is remembered from one step to the next but the place. Every step begins
//! at the dict and compares the place with the table that it has now, so whatever user code did
//! in between, no freed memory is read.

use core::sync::atomic::{AtomicBool, Ordering};

use crate::sys as ffi;
use crate::sys::PyObject;

/// Whether the table may be read. It holds no object, and every interpreter of a process comes to
/// the same answer.
static TRUSTED: AtomicBool = AtomicBool::new(false);

/// An entry, and how the table was asked.
pub(crate) type Entry = (*mut PyObject, *mut PyObject);

#[cfg(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64"))]
mod known {
    use super::*;

    /// The head of a dict object.
    #[repr(C)]
    pub(crate) struct Dict {
        head: PyObject,
        pub(crate) used: isize,
        pub(crate) version: u64,
        pub(crate) keys: *const Keys,
        pub(crate) values: *const u8,
    }

    /// The head of a table; the index and then the entries follow.
    #[repr(C)]
    pub(crate) struct Keys {
        pub(crate) refcount: isize,
        pub(crate) log2_size: u8,
        pub(crate) log2_index_bytes: u8,
        pub(crate) kind: u8,
        pub(crate) version: u32,
        pub(crate) usable: isize,
        pub(crate) entries: isize,
    }

    #[cfg(Py_3_13)]
    impl Keys {
        /// The key of an entry of a table of str alone; null beyond its end.
        ///
        /// # Safety
        /// The table must be alive, and of such a kind.
        #[inline(always)]
        pub(crate) unsafe fn unicode_key(&self, at: usize) -> *mut PyObject {
            // SAFETY: by contract; the entries stand behind the index, two words each.
            unsafe {
                if at >= self.entries as usize {
                    return core::ptr::null_mut();
                }
                let this: *const Keys = self;
                let first = this.add(1).cast::<u8>().add(1 << self.log2_index_bytes);
                *first.cast::<*mut PyObject>().add(2 * at)
            }
        }
    }

    /// Keys of any type, with their hashes.
    const GENERAL: u8 = 0;
    /// Keys that are all str.
    pub(crate) const UNICODE: u8 = 1;
    /// The same, shared by the instances of a class, which keep the values.
    #[cfg(Py_3_13)]
    pub(crate) const SPLIT: u8 = 2;

    /// The next entry of a table of str alone, or nothing at its end: what nearly every step meets. Outside, nothing if the
    /// entry was deleted.
    ///
    /// # Safety
    /// As below.
    #[inline(always)]
    pub(crate) unsafe fn quick(d: *mut PyObject, place: &mut isize) -> Option<Option<Entry>> {
        // SAFETY: as below. Only dicts without values of their own have a table of this kind.
        unsafe {
            let keys = (*d.cast::<Dict>()).keys;
            let (i, n) = (*place as usize, (*keys).entries as usize);
            if (*keys).kind != UNICODE {
                return None;
            }
            if i >= n {
                return Some(None);
            }
            let first = keys.add(1).cast::<u8>().add(1 << (*keys).log2_index_bytes);
            let [key, value] = *first.cast::<[*mut PyObject; 2]>().add(i);
            if value.is_null() {
                return None;
            }
            *place += 1;
            Some(Some((key, value)))
        }
    }

    /// The next entry; outside, nothing if the table is of a kind that is not read here.
    ///
    /// # Safety
    /// `d` must be a dict, and the thread must hold the interpreter's lock.
    #[inline(always)]
    pub(crate) unsafe fn next(d: *mut PyObject, place: &mut isize) -> Option<Option<Entry>> {
        // SAFETY: by contract a dict, whose table is live as long as no code runs that could
        // change it. The entries stand behind an index of that many bytes; places below
        // `entries` were written, and an entry without a value was deleted.
        unsafe {
            let dict = d.cast::<Dict>();
            if !(*dict).values.is_null() {
                return None;
            }
            let keys = (*dict).keys;
            let n = (*keys).entries;
            let first = keys.add(1).cast::<u8>().add(1 << (*keys).log2_index_bytes);
            let (words, skip) = match (*keys).kind {
                UNICODE => (2, 0),
                GENERAL => (3, 1),
                _ => return None,
            };
            let mut i = *place;
            while (0..n).contains(&i) {
                let entry = first.cast::<*mut PyObject>().offset(i * words + skip);
                i += 1;
                let value = *entry.add(1);
                if !value.is_null() {
                    *place = i;
                    return Some(Some((*entry, value)));
                }
            }
            *place = i;
            Some(None)
        }
    }
}

#[cfg(all(Py_3_13, not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64"))]
pub(crate) use known::SPLIT;
#[cfg(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64"))]
pub(crate) use known::{Dict, Keys, UNICODE};

#[cfg(not(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64")))]
mod known {
    use super::*;

    /// No layout is assumed here.
    ///
    /// # Safety
    /// None is asked for.
    pub(crate) unsafe fn quick(_: *mut PyObject, _: &mut isize) -> Option<Option<Entry>> {
        None
    }

    /// Nor here.
    ///
    /// # Safety
    /// None is asked for.
    pub(crate) unsafe fn next(_: *mut PyObject, _: &mut isize) -> Option<Option<Entry>> {
        None
    }
}

/// The entry at a place, and the place of the next.
///
/// # Safety
/// `d` must be a dict, and the thread must hold the interpreter's lock.
#[inline(always)]
pub(crate) unsafe fn next(d: *mut PyObject, place: &mut isize) -> Option<Entry> {
    if TRUSTED.load(Ordering::Relaxed)
        // SAFETY: by contract.
        && let Some(entry) = unsafe { known::quick(d, place) }
    {
        return entry;
    }
    // SAFETY: by contract.
    unsafe { odd_next(d, place) }
}

/// The same for tables of other kinds, and where entries were deleted.
///
/// # Safety
/// As above.
#[inline(never)]
unsafe fn odd_next(d: *mut PyObject, place: &mut isize) -> Option<Entry> {
    // SAFETY: by contract.
    unsafe { if TRUSTED.load(Ordering::Relaxed) { untried_next(d, place) } else { asked(d, place) } }
}

/// The same where the table may be read.
///
/// # Safety
/// As above.
#[inline(never)]
unsafe fn untried_next(d: *mut PyObject, place: &mut isize) -> Option<Entry> {
    // SAFETY: by contract.
    unsafe {
        match known::next(d, place) {
            Some(entry) => entry,
            None => asked(d, place),
        }
    }
}

/// As above, by the interpreter's own function.
///
/// # Safety
/// As above.
#[inline(never)]
pub(crate) unsafe fn asked(d: *mut PyObject, place: &mut isize) -> Option<Entry> {
    let (mut k, mut v) = (core::ptr::null_mut(), core::ptr::null_mut());
    // SAFETY: by contract; the call checks the place against the table.
    unsafe { (ffi::PyDict_Next(d, place, &mut k, &mut v) != 0).then_some((k, v)) }
}

/// Whether all ways lead through a dict alike.
///
/// # Safety
/// `d` must be a dict, and nothing change it meanwhile.
#[cfg(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64"))]
#[inline(never)]
pub(crate) unsafe fn agrees(d: *mut PyObject) -> bool {
    let (mut ours, mut theirs) = (0, 0);
    let flat = |entry: Option<Entry>| entry.unwrap_or((core::ptr::null_mut(), core::ptr::null_mut()));
    loop {
        let mut near = ours;
        // SAFETY: by contract.
        let (quick, a, b) = unsafe {
            (
                known::quick(d, &mut near).map(flat),
                flat(untried_next(d, &mut ours)),
                flat(asked(d, &mut theirs)),
            )
        };
        if quick.is_some_and(|quick| quick != b || (!b.0.is_null() && near != theirs)) || a != b {
            return false;
        }
        if a.0.is_null() {
            return true;
        }
        if ours != theirs {
            return false;
        }
    }
}

/// Whether the table is read from now on.
#[cfg(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64"))]
pub(crate) fn trust(really: bool) {
    TRUSTED.store(really, Ordering::Relaxed);
}
