//! Containers made by hand: memory is asked for and filled, counted for the collector, and put where it looks for them.
//!
//! The collector keeps what it has not looked through yet, the youngest generation, in a list that goes round, and
//! counts what was made since it last looked. Asking it to make a container is three calls that each find out which thread
//! this is; with both at hand it is a few stores.
//!
//! What may surprise: all is as if the interpreter had made it, the count too, but that no collection begins here. It begins with
//! the next container that the interpreter makes. For a program that has only ours it makes one of [`EACH`].
//!
//! BE ADVISED: a generation is an interpreter's own, so a [`Young`] must be used in the interpreter that it was asked in.

use crate::sys as ffi;

#[cfg(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64"))]
mod known {
    use core::mem::size_of;
    use core::ptr::null_mut;
    use core::sync::atomic::{AtomicBool, Ordering};

    use super::ffi;
    use crate::object::Own;
    use crate::sys::{PyObject, PyTypeObject};

    static TRUSTED: AtomicBool = AtomicBool::new(false);

    /// How often the interpreter is asked, which looks whether a collection is due: each time the count is one less than a
    /// multiple of this. A count that grows comes by there.
    const EACH: u32 = 32;

    /// What stands before a container: its neighbours.
    #[repr(C)]
    struct Head {
        next: *mut Head,
        /// Two low bits are the collector's own, and zero of what is new.
        before: *mut Head,
    }

    /// A generation: the head of its list, and how many were made.
    #[repr(C)]
    struct Generation {
        head: Head,
        threshold: u32,
        count: u32,
    }

    /// The youngest generation of an interpreter, or nothing.
    #[derive(Clone, Copy)]
    pub struct Young(*mut Generation);

    impl Default for Young {
        fn default() -> Self {
            Young(null_mut())
        }
    }

    impl Young {
        /// That of this interpreter, if it is trusted.
        pub fn found() -> Young {
            if TRUSTED.load(Ordering::Relaxed) { Young::untried() } else { Young::default() }
        }

        /// The same without trust.
        fn untried() -> Young {
            // SAFETY: a list that was just made is the last of the youngest generation, so the head of that comes after it;
            // which is so if it is the last before the head.
            unsafe {
                let Ok(list) = Own::take(ffi::PyList_New(0)) else {
                    crate::raised::clear();
                    return Young::default();
                };
                let head = list.ptr().cast::<Head>().sub(1);
                let first = (*head).next;
                if first.is_null() || (*first).before != head {
                    return Young::default();
                }
                Young(first.cast())
            }
        }

        /// None, unless many are made: the interpreter keeps the memory of the last few for the next.
        #[inline(always)]
        pub fn for_many(self, many: bool) -> Young {
            if many { self } else { Young::default() }
        }

        /// Whether the interpreter is to be asked for the next.
        #[inline(always)]
        pub(crate) fn asks(self) -> bool {
            // SAFETY: a generation lives as long as its interpreter.
            self.0.is_null() || unsafe { (*self.0).count % EACH == EACH - 1 }
        }

        /// A container of a static type, which is not tracked and whose fields hold anything; null if there is no memory for it.
        ///
        /// # Safety
        /// `size` must be that of its instances, which the collector must know; and [`Young::asks`] have said no.
        #[inline(always)]
        pub(crate) unsafe fn make(self, class: *mut PyTypeObject, size: usize) -> *mut PyObject {
            // SAFETY: by contract, and as above. There is room for the head and the object.
            unsafe {
                let head = ffi::PyObject_Malloc(size_of::<Head>() + size).cast::<Head>();
                if head.is_null() {
                    return null_mut();
                }
                (*self.0).count += 1;
                head.write(Head { next: null_mut(), before: null_mut() });
                let o = head.add(1).cast::<PyObject>();
                o.write(PyObject { ob_refcnt: 1, ob_type: class });
                o
            }
        }

        /// Shows any object to the collector, which does not know it yet.
        ///
        /// # Safety
        /// It must be whole, of a class that is collected, and known to nobody.
        #[inline(always)]
        pub(crate) unsafe fn show(self, o: *mut PyObject) {
            // SAFETY: by contract.
            unsafe {
                if self.0.is_null() {
                    ffi::PyObject_GC_Track(o.cast());
                } else {
                    self.track(o);
                }
            }
        }

        /// Shows it to the collector.
        ///
        /// # Safety
        /// It must be in none of the collector's lists, and whole; there must be a generation.
        #[inline(always)]
        pub(crate) unsafe fn track(self, o: *mut PyObject) {
            // SAFETY: by contract it is in no list yet; the last of this one is alive, and the low bits of a head are zero.
            unsafe {
                let (head, all) = (o.cast::<Head>().sub(1), &raw mut (*self.0).head);
                let last = (*all).before;
                (*last).next = head;
                (*head).before = last;
                (*head).next = all;
                (*all).before = head;
            }
        }
    }

    /// The youngest generation, if one that is made is counted where it should be. To be called while no collection can begin.
    pub(crate) fn tried() -> Option<Young> {
        let young = Young::untried();
        if young.0.is_null() {
            return None;
        }
        // SAFETY: what stands before objects and in front of a list is known by now to be readable; sets are made one by one.
        unsafe {
            let count = || (&raw const (*young.0).count).read_volatile();
            let before = count();
            let set = Own::take(ffi::PySet_New(null_mut())).ok()?;
            let made = count();
            drop(set);
            (made == before + 1 && count() == before).then_some(young)
        }
    }

    /// Whether they are made so from now on.
    pub(crate) fn trust(really: bool) {
        TRUSTED.store(really, Ordering::Relaxed);
    }
}

#[cfg(not(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64")))]
mod known {
    use super::ffi;

    /// No layout is assumed on these versions.
    #[derive(Clone, Copy, Default)]
    pub struct Young;

    impl Young {
        /// Nothing.
        pub fn found() -> Young {
            Young
        }
        /// The same.
        pub fn for_many(self, _: bool) -> Young {
            self
        }
        pub(crate) fn asks(self) -> bool {
            true
        }
        pub(crate) unsafe fn track(self, _: *mut ffi::PyObject) {}
        pub(crate) unsafe fn show(self, o: *mut ffi::PyObject) {
            // SAFETY: it is whole, and of a class that is collected.
            unsafe { ffi::PyObject_GC_Track(o.cast()) };
        }
    }
}

pub use known::Young;
#[cfg(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64"))]
pub(crate) use known::{tried, trust};
