//! Places where something is kept between calls, to be taken and put back.
//!
//! Whoever takes has it alone; whoever finds the place empty, because a call is under way
//! further down the stack or on another thread, makes a fresh one. So every call can be
//! re-entered, no lock is held while user code runs, and nothing waits.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem::ManuallyDrop;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

/// One place.
pub struct Slot<T>(AtomicPtr<T>);

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Slot(AtomicPtr::new(null_mut()))
    }
}

impl<T> Slot<T> {
    /// Exchanges the pointer. The interpreter's lock, where there is one, keeps all others out; a
    /// locked instruction would cost a small message a tenth of its time.
    #[inline(always)]
    fn swap(&self, new: *mut T) -> *mut T {
        #[cfg(not(Py_GIL_DISABLED))]
        {
            let old = self.0.load(Ordering::Relaxed);
            self.0.store(new, Ordering::Relaxed);
            old
        }
        #[cfg(Py_GIL_DISABLED)]
        self.0.swap(new, Ordering::AcqRel)
    }

    /// A place with something in it.
    pub fn new(v: T) -> Self {
        Slot(AtomicPtr::new(Box::into_raw(Box::new(v))))
    }

    /// Takes what is there.
    #[inline(always)]
    pub fn take(&self) -> Option<Box<T>> {
        let p = self.swap(null_mut());
        // SAFETY: only `put` and `new` store pointers, each from a box, and a swap hands each out once.
        (!p.is_null()).then(|| unsafe { Box::from_raw(p) })
    }

    /// Puts something back; what was put meanwhile by another is dropped.
    #[inline(always)]
    pub fn put(&self, v: Box<T>) {
        let old = self.swap(Box::into_raw(v));
        if !old.is_null() {
            drop(Slot(AtomicPtr::new(old)));
        }
    }
}

/// Something that is made once and then stays.
pub struct Once<T>(AtomicPtr<T>);

impl<T> Default for Once<T> {
    fn default() -> Self {
        Once(AtomicPtr::new(null_mut()))
    }
}

impl<T> Once<T> {
    /// What was made, if it was.
    #[inline(always)]
    pub fn get(&self) -> Option<&T> {
        // SAFETY: null, or from a box that goes with this value and not before.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    /// Gives what was made; if nothing was, `v`, which stays. Of two at once, one is dropped.
    pub fn set(&self, v: T) -> &T {
        let new = Box::into_raw(Box::new(v));
        match self.0.compare_exchange(null_mut(), new, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: as above.
            Ok(_) => unsafe { &*new },
            // SAFETY: as above; nobody has seen the new one.
            Err(old) => unsafe {
                drop(Box::from_raw(new));
                &*old
            },
        }
    }
}

impl<T> Drop for Once<T> {
    fn drop(&mut self) {
        let p = *self.0.get_mut();
        if !p.is_null() {
            // SAFETY: only `set` stores a pointer, from a box, and nobody can look any more.
            drop(unsafe { Box::from_raw(p) });
        }
    }
}

impl<T> Drop for Slot<T> {
    #[inline(never)]
    fn drop(&mut self) {
        self.take();
    }
}

/// The room of a vector for values of another type: what was in it is dropped. For values that borrow from a call,
/// whose room outlives it.
#[inline(always)]
pub fn emptied<A, B>(mut v: Vec<A>) -> Vec<B> {
    const {
        assert!(size_of::<A>() == size_of::<B>());
        assert!(align_of::<A>() == align_of::<B>());
    }
    v.clear();
    let mut v = ManuallyDrop::new(v);
    // SAFETY: the memory was asked for by a vector of as many values of the same size and alignment; there is none in
    // it now, and it is given on once.
    unsafe { Vec::from_raw_parts(v.as_mut_ptr().cast(), 0, v.capacity()) }
}

/// A few places for the same, for several threads.
pub struct Slots<T>([Slot<T>; 4]);

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Slots(core::array::from_fn(|_| Slot::default()))
    }
}

impl<T> Slots<T> {
    /// Takes one, or makes one.
    #[inline(always)]
    pub fn take(&self, make: impl FnOnce() -> T) -> Box<T> {
        match self.0.iter().find_map(Slot::take) {
            Some(v) => v,
            None => Box::new(make()),
        }
    }

    /// Puts one back where there is a place.
    #[inline(always)]
    pub fn put(&self, v: Box<T>) {
        let p = Box::into_raw(v);
        for s in &self.0 {
            #[cfg(not(Py_GIL_DISABLED))]
            let free = s.0.load(Ordering::Relaxed).is_null() && s.swap(p).is_null();
            #[cfg(Py_GIL_DISABLED)]
            let free = s.0.compare_exchange(null_mut(), p, Ordering::AcqRel, Ordering::Relaxed).is_ok();
            if free {
                return;
            }
        }
        // SAFETY: the pointer came from a box and found no place.
        drop(unsafe { Box::from_raw(p) });
    }
}
