//! Dicts.

use alloc::vec::Vec;
use core::marker::PhantomData;

use crate::sys as ffi;

use crate::layout;
use crate::object::{Held, Item, Own, Ref};
use crate::raised::{Raised, Result};
#[cfg(not(Py_GIL_DISABLED))]
use crate::table;
use crate::young::Young;

/// The layout of a dict.
pub struct DictKind;

impl Held<DictKind> {
    /// How many entries there are now.
    #[inline(always)]
    pub fn len(&self) -> usize {
        // SAFETY: it has the layout of a dict.
        unsafe { layout::dict_len(self.0.ptr()) }
    }

    /// The entry at a place, and the place of the next. A place is good only while the dict keeps
    /// its size: whoever walks must compare it at each step. A stale place gives wrong entries or
    /// none, never a freed one.
    #[cfg(not(Py_GIL_DISABLED))]
    #[inline(always)]
    pub fn next(&self, place: &mut isize) -> Option<(Item<'_>, Item<'_>)> {
        // SAFETY: it has the layout of a dict, and this build has the interpreter's lock; key and
        // value are alive as long as the dict is not changed.
        unsafe {
            table::next(self.0.ptr(), place)
                .map(|(k, v)| (Item::borrowed(Ref::new(k)), Item::borrowed(Ref::new(v))))
        }
    }

    /// As above, taking references under the dict's lock.
    #[cfg(Py_GIL_DISABLED)]
    pub fn next(&self, place: &mut isize) -> Option<(Item<'_>, Item<'_>)> {
        let (mut k, mut v) = (core::ptr::null_mut(), core::ptr::null_mut());
        // SAFETY: the dict is alive; both entries are owned before the lock is given back.
        unsafe {
            crate::guard::locked(self.0.ptr(), || {
                let some = ffi::PyDict_Next(self.0.ptr(), place, &mut k, &mut v) != 0;
                some.then(|| (Item::owned(Ref::new(k).own()), Item::owned(Ref::new(v).own())))
            })
        }
    }

    /// A copy that nobody else has.
    pub fn copied(&self) -> Result<Held<DictKind>> {
        Ok(Held(dict_copy(self.0.as_ref())?, PhantomData))
    }

    /// The same, where it need not be compiled in.
    #[inline(never)]
    pub fn next_cold(&self, place: &mut isize) -> Option<(Item<'_>, Item<'_>)> {
        self.next(place)
    }
}

/// A dict of the pairs of `stack` from `base`, key before value, which it takes. Of equal keys
/// the first keeps its place and the last its value.
#[inline(always)]
pub fn dict(stack: &mut Vec<Own>, base: usize, young: Young) -> Result<Own> {
    match crate::direct_dict::dict(stack, base, young) {
        Some(d) => Ok(d),
        None => dict_of(stack, base),
    }
}

/// The same, one entry after the other.
#[inline(never)]
pub(crate) fn dict_of(stack: &mut Vec<Own>, base: usize) -> Result<Own> {
    // SAFETY: a new reference, or null with an exception set.
    let d = unsafe { Own::take(ffi::PyDict_New())? };
    for pair in stack.get(base..).unwrap_or_default().chunks_exact(2) {
        // SAFETY: all three are alive.
        if unsafe { ffi::PyDict_SetItem(d.ptr(), pair[0].ptr(), pair[1].ptr()) } != 0 {
            return Err(Raised);
        }
    }
    while stack.len() > base {
        stack.pop().into_iter().for_each(Own::release);
    }
    Ok(d)
}

/// An empty dict.
pub fn new_dict() -> Result<Own> {
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Own::take(ffi::PyDict_New()) }
}

/// Sets an entry of a dict that we made.
pub fn dict_set(d: &Own, key: &str, value: &Own) -> Result<()> {
    let key = crate::str::text(key)?;
    // SAFETY: all three are alive; a dict that is none raises.
    if unsafe { ffi::PyDict_SetItem(d.ptr(), key.ptr(), value.ptr()) } == 0 { Ok(()) } else { Err(Raised) }
}

/// The same with any key that can be one.
pub fn dict_put(d: &Own, key: Ref<'_>, value: Ref<'_>) -> Result<()> {
    // SAFETY: all three are alive; a dict that is none raises.
    if unsafe { ffi::PyDict_SetItem(d.ptr(), key.ptr(), value.ptr()) } == 0 { Ok(()) } else { Err(Raised) }
}

/// The value of a key, if it is there.
pub fn dict_get(d: Ref<'_>, key: &str) -> Result<Option<Own>> {
    dict_find(d, crate::str::text(key)?.as_ref())
}

/// Takes an entry out of a dict, if it is there.
pub fn dict_pop(d: &Own, key: &Own) -> Result<Option<Own>> {
    let Some(v) = dict_find(d.as_ref(), key.as_ref())? else { return Ok(None) };
    // SAFETY: both are alive.
    if unsafe { ffi::PyDict_DelItem(d.ptr(), key.ptr()) } == 0 { Ok(Some(v)) } else { Err(Raised) }
}

/// The value of a key of a dict, if it is there.
pub fn dict_find(d: Ref<'_>, key: Ref<'_>) -> Result<Option<Own>> {
    // SAFETY: both are alive; a borrowed reference, or null with or without an exception set.
    unsafe {
        let v = ffi::PyDict_GetItemWithError(d.ptr(), key.ptr());
        if !v.is_null() {
            return Ok(Some(Ref::new(v).own()));
        }
        if ffi::PyErr_Occurred().is_null() { Ok(None) } else { Err(Raised) }
    }
}

/// A plain dict of what any mapping gives, in the mapping's own order.
pub fn dict_from(mapping: Ref<'_>) -> Result<Own> {
    crate::call::call1(crate::types::dict_class().as_ref(), mapping)
}

/// A copy of a dict.
pub fn dict_copy(d: Ref<'_>) -> Result<Own> {
    // SAFETY: a new reference; what is not a dict raises.
    unsafe { Own::take(ffi::PyDict_Copy(d.ptr())) }
}
