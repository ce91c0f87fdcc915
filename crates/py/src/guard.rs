//! Where Rust meets C: results become what the interpreter expects, memory comes from it, and a
//! panic ends the process with the interpreter's own report.
//!
//! A panic would be a bug of ours. Turning it into an exception needs the standard library, whose
//! share of the package would be greater than all else (docs/decisions/0003-panics.md says by
//! how much). So the code is written such that it does not panic, and fuzzed.

use core::alloc::{GlobalAlloc, Layout};
use core::panic::PanicInfo;
use wire::say;

use crate::object::Own;
use crate::raised::{Raised, Result};
use crate::sys as ffi;
use crate::sys::PyObject;

/// Runs `f` and gives what the C side wants: a reference, or null with an exception set.
#[inline(always)]
pub(crate) fn object(f: impl FnOnce() -> Result<Own>) -> *mut PyObject {
    match f() {
        Ok(o) => o.into_ptr(),
        Err(Raised) => core::ptr::null_mut(),
    }
}

/// The same for slots that give a number, with `failed` for an exception.
#[inline(always)]
pub(crate) fn number<T>(failed: T, f: impl FnOnce() -> Result<T>) -> T {
    match f() {
        Ok(v) => v,
        Err(Raised) => failed,
    }
}

/// Runs `f` while no other thread does so for the same object.
///
/// # Safety
/// `o` must be alive.
#[inline(always)]
pub(crate) unsafe fn locked<T>(o: *mut PyObject, f: impl FnOnce() -> T) -> T {
    #[cfg(not(Py_GIL_DISABLED))]
    {
        let _ = o;
        f()
    }
    #[cfg(Py_GIL_DISABLED)]
    {
        let mut section = core::mem::MaybeUninit::uninit();
        // SAFETY: by contract; the section is begun and ended around the call, which does not unwind.
        unsafe {
            ffi::PyCriticalSection_Begin(section.as_mut_ptr(), o);
            let r = f();
            ffi::PyCriticalSection_End(section.as_mut_ptr());
            r
        }
    }
}

/// Ends the process with the interpreter's report. Only a build for debugging says where the bug is: each place that
/// could panic would bring a record of where it is, and be longer for handing it on, 7 kB in all.
pub fn die(panic: &PanicInfo<'_>) -> ! {
    let mut text = alloc::string::String::from("oxwire: internal error, please report it");
    if cfg!(debug_assertions)
        && let Some(at) = panic.location()
    {
        let (line, column) = (at.line() as usize, at.column() as usize);
        text.push_str(&crate::words(
            say!(": panicked at {}:{}:{}"),
            &[at.file().into(), line.into(), column.into()],
        ));
    }
    text.push('\0');
    // SAFETY: the text ends with zero.
    unsafe { ffi::Py_FatalError(text.as_ptr().cast()) }
}

/// Memory of the interpreter's raw domain, which needs no lock and follows `malloc`; so a debug
/// allocator sees ours too.
pub struct Memory;

/// What `malloc` aligns to.
const ALIGN: usize = 16;

// SAFETY: the functions follow `malloc`; what needs more alignment gets a larger block, with the
// block's own address kept right before what is handed out.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, l: Layout) -> *mut u8 {
        // A block that grows from nothing is a new one, and one function of the interpreter's less is linked.
        // SAFETY: by contract of the trait.
        unsafe {
            let block = |size| ffi::PyMem_RawRealloc(core::ptr::null_mut(), size).cast::<u8>();
            if l.align() <= ALIGN {
                return block(l.size());
            }
            let block = block(l.size() + l.align() + size_of::<*mut u8>());
            if block.is_null() {
                return block;
            }
            let first = block.add(size_of::<*mut u8>());
            let p = first.add(first.align_offset(l.align()));
            p.cast::<*mut u8>().sub(1).write_unaligned(block);
            p
        }
    }
    unsafe fn dealloc(&self, p: *mut u8, l: Layout) {
        // SAFETY: by contract of the trait; see above for what stands before an aligned block.
        unsafe {
            let block = if l.align() <= ALIGN { p } else { p.cast::<*mut u8>().sub(1).read_unaligned() };
            ffi::PyMem_RawFree(block.cast());
        }
    }
    unsafe fn realloc(&self, p: *mut u8, l: Layout, n: usize) -> *mut u8 {
        // SAFETY: by contract of the trait.
        unsafe {
            if l.align() <= ALIGN {
                return ffi::PyMem_RawRealloc(p.cast(), n).cast();
            }
            let new = self.alloc(Layout::from_size_align_unchecked(n, l.align()));
            if !new.is_null() {
                core::ptr::copy_nonoverlapping(p, new, l.size().min(n));
                self.dealloc(p, l);
            }
            new
        }
    }
}
