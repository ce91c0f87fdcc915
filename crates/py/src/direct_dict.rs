//! Dicts whose tables are made by hand: all entries at once, where the interpreter puts in one after the other.
//!
//! A table is one block of memory: a head, an index, and entries in the order in which they came. We have the
//! entries side by side already, so they are copied, and the index is filled by the interpreter's own
//! sequence of places. The dict itself is made by the interpreter, which counts it as any other for
//! the collector; only its table is changed for ours before anybody has seen it.
//!
//! What is written is private to the interpreter, but frozen within a minor version. So it is as with strings: on import
//! some are made both ways (`trial`), and only if all their bytes are the same is it ever done.
//!
//! BE ADVISED: no code of a user runs here. Keys are exactly str, whose hash and equality are the interpreter's
//! own, and two keys of the same hash leave the dict to the interpreter.

use alloc::vec::Vec;

use crate::object::Own;
use crate::young::Young;

#[cfg(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64"))]
mod known {
    use alloc::vec::Vec;
    use core::sync::atomic::{AtomicBool, Ordering};

    use super::Young;
    use crate::object::Own;
    use crate::raised::{Raised, Result, clear};
    use crate::sys as ffi;
    use crate::sys::PyObject;
    use crate::table::{Dict, Keys, UNICODE};

    static TRUSTED: AtomicBool = AtomicBool::new(false);

    /// Tables of more places are left to the interpreter.
    const MOST: u32 = 30;

    /// The places that a table for `n` entries has, as a power of two. A third of them stays empty.
    fn log2_size(n: usize) -> u32 {
        let mut log2 = 3;
        while room(log2) < n && log2 < MOST {
            log2 += 1;
        }
        log2
    }

    /// How many entries a table may have.
    fn room(log2: u32) -> usize {
        // A third by multiplication, which is as exact here: a compiler that looks for little code divides.
        (((2u64 << log2) * 0xaaaa_aaab) >> 33) as usize
    }

    /// The memory of tables, which the interpreter will free.
    unsafe fn ask(n: usize) -> *mut Keys {
        // SAFETY: any size may be asked for.
        #[cfg(Py_3_13)]
        return unsafe { ffi::PyMem_Malloc(n) }.cast();
        // SAFETY: as above.
        #[cfg(not(Py_3_13))]
        return unsafe { ffi::PyObject_Malloc(n) }.cast();
    }

    /// # Safety
    /// `keys` must come from `ask`.
    unsafe fn give_back(keys: *mut Keys) {
        // SAFETY: by contract.
        #[cfg(Py_3_13)]
        unsafe {
            ffi::PyMem_Free(keys.cast())
        };
        // SAFETY: by contract.
        #[cfg(not(Py_3_13))]
        unsafe {
            ffi::PyObject_Free(keys.cast())
        };
    }

    /// The hash of a key that is exactly a str.
    #[inline(always)]
    unsafe fn hash(key: *mut PyObject) -> Option<usize> {
        // SAFETY: by contract alive; a str keeps its hash, once it was asked for, and -1 before.
        unsafe {
            if ffi::Py_TYPE(key) != &raw mut ffi::PyUnicode_Type {
                return None;
            }
            let kept = (*key.cast::<ffi::PyASCIIObject>()).hash;
            Some(if kept != -1 { kept } else { ffi::PyObject_Hash(key) } as usize)
        }
    }

    /// Writes where each entry is, in the order of the interpreter's search. False if a key is no str, or two have the
    /// same hash.
    ///
    /// # Safety
    /// `index` must have `1 << log2` places, `pairs` `n` keys with their values; `n` must be fewer than the
    /// places, and no more than `T` can count.
    #[inline(always)]
    unsafe fn fill<T: Place>(index: *mut T, log2: u32, pairs: *const *mut PyObject, n: usize) -> bool {
        // SAFETY: by contract; the mask keeps each place within the index, and some place is empty.
        unsafe {
            index.write_bytes(0xff, 1 << log2);
            let mask = (1usize << log2) - 1;
            for entry in 0..n {
                let Some(hashed) = hash(*pairs.add(2 * entry)) else { return false };
                let (mut perturb, mut at) = (hashed, hashed & mask);
                while let Some(other) = (*index.add(at)).get() {
                    // It is a str, whose hash was asked for.
                    if (*(*pairs.add(2 * other)).cast::<ffi::PyASCIIObject>()).hash as usize == hashed {
                        return false;
                    }
                    perturb >>= 5;
                    at = (at * 5 + perturb + 1) & mask;
                }
                *index.add(at) = T::of(entry);
            }
        }
        true
    }

    /// A place of an index; all bits set if it is empty.
    trait Place: Copy {
        fn of(entry: usize) -> Self;
        fn get(self) -> Option<usize>;
    }

    macro_rules! place {
        ($($t:ty)*) => {$(
            impl Place for $t {
                #[inline(always)]
                fn of(entry: usize) -> Self {
                    entry as $t
                }
                #[inline(always)]
                fn get(self) -> Option<usize> {
                    (self != <$t>::MAX).then_some(self as usize)
                }
            }
        )*};
    }
    place!(u8 u16 u32);

    /// A dict of pairs, which it takes if there is one.
    #[inline(never)]
    pub(super) fn dict(stack: &mut Vec<Own>, base: usize, young: Young) -> Option<Own> {
        if TRUSTED.load(Ordering::Relaxed) { untried(stack, base, young) } else { None }
    }

    /// A dict that has no table of its own, and whether it was made by hand.
    ///
    /// Before 3.13 each dict has a number that no other has or had.
    #[inline(always)]
    fn new(young: Young) -> Result<(Own, bool)> {
        // SAFETY: there is room for its fields, which are filled here, but for the table and how many there are in it: by whoever
        // has asked. Otherwise a new reference, or null with an exception set.
        unsafe {
            #[cfg(Py_3_13)]
            if !young.asks() {
                let o = young.make(&raw mut ffi::PyDict_Type, size_of::<Dict>()).cast::<Dict>();
                if !o.is_null() {
                    (*o).version = 0;
                    (*o).values = core::ptr::null();
                    return Own::take(o.cast()).map(|o| (o, true));
                }
            }
            let _ = young;
            Own::take(ffi::PyDict_New()).map(|o| (o, false))
        }
    }

    pub(crate) fn untried(stack: &mut Vec<Own>, base: usize, young: Young) -> Option<Own> {
        let pairs = stack.get(base..)?;
        let n = pairs.len() / 2;
        let log2 = log2_size(n);
        if n == 0 || room(log2) < n {
            return None;
        }
        let wide = if log2 < 8 { 0 } else { 1 + u32::from(log2 >= 16) };
        // `Own` is a pointer to an object, and nothing else.
        let pairs = pairs.as_ptr().cast::<*mut PyObject>();
        // Maps whose keys are no text are seen by their first.
        // SAFETY: there is one pair at least, and it is alive.
        unsafe { hash(*pairs)? };
        // SAFETY: the block has room for the head, an index of so many bytes and as many entries as there is room for; all
        // is filled before the dict gets it. What the dict had, the table of all empty dicts, is
        // given back. From then on the dict owns what the stack has owned.
        unsafe {
            let size = size_of::<Keys>() + (1 << (log2 + wide)) + 16 * room(log2);
            let keys = ask(size);
            if keys.is_null() {
                return None;
            }
            let index = keys.add(1).cast::<u8>();
            let filled = match wide {
                0 => fill::<u8>(index, log2, pairs, n),
                1 => fill::<u16>(index.cast(), log2, pairs, n),
                _ => fill::<u32>(index.cast(), log2, pairs, n),
            };
            let made = if filled { new(young) } else { Err(Raised) };
            let Ok(made) = made else {
                // Whether there is memory for the dict is asked again.
                clear();
                give_back(keys);
                return None;
            };
            keys.write(Keys {
                refcount: 1,
                log2_size: log2 as u8,
                log2_index_bytes: (log2 + wide) as u8,
                kind: UNICODE,
                version: 0,
                usable: (room(log2) - n) as isize,
                entries: n as isize,
            });
            let entries = index.add(1 << (log2 + wide)).cast::<*mut PyObject>();
            entries.copy_from_nonoverlapping(pairs, 2 * n);
            entries.add(2 * n).write_bytes(0, 2 * (room(log2) - n));
            let (made, by_hand) = made;
            let dict = made.ptr().cast::<Dict>();
            #[cfg(not(Py_3_12))]
            {
                (*(*dict).keys.cast_mut()).refcount -= 1;
            }
            (*dict).keys = keys;
            (*dict).used = n as isize;
            // As the interpreter does, a dict that holds nothing that could be part of a cycle is not tracked.
            if (0..n).any(|i| crate::shape::may_cycle(*pairs.add(2 * i + 1))) {
                if by_hand {
                    young.track(dict.cast());
                } else {
                    ffi::PyObject_GC_Track(dict.cast());
                }
            }
            // Each pair was moved. One without a value, which there never is, would be lost.
            stack.set_len(base);
            Some(made)
        }
    }

    /// Whether they are made so from now on.
    pub(crate) fn trust(really: bool) {
        TRUSTED.store(really, Ordering::Relaxed);
    }
}

#[cfg(not(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64")))]
mod known {
    use super::*;

    /// No layout is assumed here.
    pub(super) fn dict(_: &mut Vec<Own>, _: usize, _: Young) -> Option<Own> {
        None
    }
}

#[cfg(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64"))]
pub(crate) use known::{trust, untried};

/// A dict of the pairs of `stack` from `base`, key before value, which it takes; nothing if that is left to the
/// interpreter.
#[inline(always)]
pub(crate) fn dict(stack: &mut Vec<Own>, base: usize, young: Young) -> Option<Own> {
    known::dict(stack, base, young)
}
