//! Instances made by hand: memory is asked for and filled, as the interpreter does for objects that its collector may
//! know, without asking what the class is.
//!
//! What may surprise: objects that are made so do not bring the next collection nearer, since what was just read holds
//! no garbage; but every [`EACH`]th is made by the interpreter, so that the collector comes in proportion
//! even to a program that does nothing but make cycles of them.
//!
//! BE ADVISED: the interpreter takes one from the count that leads to a collection for each object that it frees. If it
//! freed ours, whose making it has not counted, a program that reads and drops would keep the
//! count at nothing, and no garbage of any sort would ever be collected. So as many objects as were not counted are freed
//! here, and only the others there. Which is which does not matter: the sums do. Lists and dicts, which the interpreter
//! frees, are made in another way (`young`).
//!
//! The memory of the last few instances of a class waits for the next, as that of lists and dicts does.

use crate::sys as ffi;
use crate::sys::{PyObject, PyTypeObject};

#[cfg(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64"))]
mod known {
    use core::ptr::null_mut;
    use core::sync::atomic::{AtomicBool, AtomicIsize, AtomicPtr, AtomicUsize, Ordering};

    use super::*;

    static TRUSTED: AtomicBool = AtomicBool::new(false);

    /// How many living objects the interpreter has not counted. Threads of several interpreters may lose a step:
    /// it is a measure, and no more hangs on it than when a collection begins.
    static UNCOUNTED: AtomicIsize = AtomicIsize::new(0);

    /// How many were asked for; one of so many is made by the interpreter.
    static TURN: AtomicUsize = AtomicUsize::new(0);
    const EACH: usize = 32;

    /// The memory of objects that are gone, for those to come, but no more than of so many: each block says where the next
    /// is.
    #[derive(Default)]
    pub(crate) struct Waiting<const KEPT: usize> {
        first: AtomicPtr<Block>,
        n: AtomicUsize,
    }

    /// What the collector knows of an object, which stands before it: its neighbours in a list, or nothing.
    #[repr(C)]
    pub(crate) struct Block {
        next: *mut Block,
        before: *mut Block,
    }

    impl<const KEPT: usize> Waiting<KEPT> {
        /// Memory that waits, or null.
        #[inline(always)]
        pub(crate) fn take(&self) -> *mut Block {
            let first = self.first.load(Ordering::Relaxed);
            if !first.is_null() {
                // SAFETY: it is ours until it is given back, and was written when it came here.
                self.first.store(unsafe { (*first).next }, Ordering::Relaxed);
                self.n.store(self.n.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
            }
            first
        }

        /// Keeps memory; false if enough waits.
        ///
        /// # Safety
        /// It must come from the interpreter's allocator, be known to nobody else, and have the size of what else waits here,
        /// which is at least that of two words.
        #[inline(always)]
        pub(crate) unsafe fn keep(&self, block: *mut Block) -> bool {
            let n = self.n.load(Ordering::Relaxed);
            if n >= KEPT {
                return false;
            }
            // SAFETY: by contract nobody else knows the block any more.
            unsafe { (*block).next = self.first.load(Ordering::Relaxed) };
            self.first.store(block, Ordering::Relaxed);
            self.n.store(n + 1, Ordering::Relaxed);
            true
        }
    }

    impl<const KEPT: usize> Drop for Waiting<KEPT> {
        fn drop(&mut self) {
            loop {
                let block = self.take();
                if block.is_null() {
                    return;
                }
                // SAFETY: whoever kept it goes, so nobody else takes; what is taken is given back once.
                unsafe { ffi::PyObject_Free(block.cast()) };
            }
        }
    }

    /// # Safety
    /// As for [`super::new`].
    #[inline(always)]
    pub(super) unsafe fn new(class: *mut PyTypeObject, spare: &Spare, gc: bool) -> *mut PyObject {
        // SAFETY: by contract.
        unsafe {
            let o = again(class, spare, gc);
            if o.is_null() && gc { another(class) } else { o }
        }
    }

    /// # Safety
    /// As for [`super::new`].
    #[inline(always)]
    pub(super) unsafe fn again(class: *mut PyTypeObject, spare: &Spare, gc: bool) -> *mut PyObject {
        let block = spare.take();
        // SAFETY: by contract; what waits has the size of instances of the class, and there is nothing there unless
        // making them so is trusted.
        if block.is_null() { null_mut() } else { unsafe { fill(block, class, gc) } }
    }

    /// # Safety
    /// As for [`super::new`].
    #[inline(never)]
    unsafe fn another(class: *mut PyTypeObject) -> *mut PyObject {
        if !TRUSTED.load(Ordering::Relaxed) {
            return null_mut();
        }
        let turn = TURN.load(Ordering::Relaxed).wrapping_add(1);
        TURN.store(turn, Ordering::Relaxed);
        if turn.is_multiple_of(EACH) {
            return null_mut();
        }
        // SAFETY: by contract.
        let o = unsafe { untried(class) };
        if !o.is_null() {
            UNCOUNTED.store(UNCOUNTED.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
        o
    }

    /// # Safety
    /// As for [`super::new`].
    pub(crate) unsafe fn untried(class: *mut PyTypeObject) -> *mut PyObject {
        // SAFETY: there is room for the head and the instance.
        unsafe {
            let block = ffi::PyObject_Malloc(size_of::<Block>() + (*class).tp_basicsize as usize);
            if block.is_null() { null_mut() } else { fill(block.cast(), class, true) }
        }
    }

    /// # Safety
    /// The block must have room for an instance, and its head if there is one.
    #[inline(always)]
    unsafe fn fill(block: *mut Block, class: *mut PyTypeObject, gc: bool) -> *mut PyObject {
        // SAFETY: by contract. An instance owns its class.
        unsafe {
            block.write(Block { next: null_mut(), before: null_mut() });
            let o = block.add(gc.into()).cast::<PyObject>();
            ffi::Py_INCREF(class.cast());
            o.write(PyObject { ob_refcnt: 1, ob_type: class });
            o
        }
    }

    /// # Safety
    /// As for [`super::free`].
    #[inline(always)]
    pub(super) unsafe fn free(o: *mut PyObject, spare: &Spare, gc: bool) {
        // SAFETY: by contract; memory of the interpreter's making is laid out as ours, which was tried. An instance alone is
        // as large as a block at least.
        unsafe {
            let block = o.cast::<Block>().sub(gc.into());
            if TRUSTED.load(Ordering::Relaxed) && spare.keep(block) {
                return;
            }
            if gc { let_go(o) } else { ffi::PyObject_Free(o.cast()) }
        }
    }

    /// # Safety
    /// As for [`super::is_alone`].
    #[inline(always)]
    pub(super) unsafe fn is_alone(o: *mut PyObject) -> bool {
        // SAFETY: by contract there is a head before it.
        TRUSTED.load(Ordering::Relaxed) && unsafe { (*o.cast::<Block>().sub(1)).next.is_null() }
    }

    /// # Safety
    /// As for [`super::free`].
    #[inline(never)]
    unsafe fn let_go(o: *mut PyObject) {
        let uncounted = UNCOUNTED.load(Ordering::Relaxed);
        // SAFETY: by contract; as above.
        unsafe {
            if uncounted > 0 {
                UNCOUNTED.store(uncounted - 1, Ordering::Relaxed);
                ffi::PyObject_Free(o.cast::<Block>().sub(1).cast());
            } else {
                ffi::PyObject_GC_Del(o.cast());
            }
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

    /// On these versions no layout is assumed, and nothing is kept.
    #[derive(Default)]
    pub(crate) struct Waiting<const KEPT: usize>;

    pub(super) unsafe fn new(_: *mut PyTypeObject, _: &Spare, _: bool) -> *mut PyObject {
        core::ptr::null_mut()
    }
    pub(super) unsafe fn again(_: *mut PyTypeObject, _: &Spare, _: bool) -> *mut PyObject {
        core::ptr::null_mut()
    }
    pub(super) unsafe fn is_alone(_: *mut PyObject) -> bool {
        false
    }
    pub(super) unsafe fn free(o: *mut PyObject, _: &Spare, gc: bool) {
        // SAFETY: by contract.
        unsafe { if gc { ffi::PyObject_GC_Del(o.cast()) } else { ffi::PyObject_Free(o.cast()) } };
    }
}

/// A new instance that is not tracked and whose slots hold anything; null with or without an exception set if the interpreter
/// is to be asked.
///
/// # Safety
/// The class must be made at run time, and its instances have nothing before them but what the collector needs, if `gc`
/// says that they are collected; `spare` must be its own.
#[inline(always)]
pub(crate) unsafe fn new(class: *mut PyTypeObject, spare: &Spare, gc: bool) -> *mut PyObject {
    // SAFETY: by contract.
    unsafe { known::new(class, spare, gc) }
}

/// The same in memory that waits for one, or null.
///
/// # Safety
/// As above.
#[inline(always)]
pub(crate) unsafe fn again(class: *mut PyTypeObject, spare: &Spare, gc: bool) -> *mut PyObject {
    // SAFETY: by contract.
    unsafe { known::again(class, spare, gc) }
}

/// Whether an instance is known not to be tracked.
///
/// # Safety
/// The instance must be alive or just gone, the class as for [`new`].
#[inline(always)]
pub(crate) unsafe fn is_alone(o: *mut PyObject) -> bool {
    // SAFETY: by contract.
    unsafe { known::is_alone(o) }
}

/// Gives back the memory of an instance that is not tracked.
///
/// # Safety
/// The last reference must be gone; the class as for [`new`].
#[inline(always)]
pub(crate) unsafe fn free(o: *mut PyObject, spare: &Spare, gc: bool) {
    // SAFETY: by contract.
    unsafe { known::free(o, spare, gc) }
}

/// The memory of the last few instances of a class.
pub(crate) type Spare = Waiting<16>;
pub(crate) use known::Waiting;
#[cfg(all(not(Py_3_14), not(Py_GIL_DISABLED), target_pointer_width = "64"))]
pub(crate) use known::{trust, untried};
