//! The edge: the extension module `oxwire._oxwire`. It names every format and decides nothing:
//! arguments become rules, limits and styles (`args`), a pair of format and engine does the work
//! (`instances`), faults become exceptions (`raise`).
//!
//! What may surprise: the only unsafe lines here are names that the interpreter or the linker looks
//! for.
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;

mod args;
mod coder;
mod face;
mod functions;
mod instances;
mod lines;
mod orjson;
mod pack;
mod pack_args;
mod pack_stream;
mod raise;
mod raw;
mod state;
mod stream;

use core::ffi::c_void;

/// What the interpreter calls when the module is imported.
#[allow(unsafe_code)]
// SAFETY: no other symbol of the extension has this name.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub extern "C" fn PyInit__oxwire() -> *mut c_void {
    py::init::<state::State>()
}

/// Memory comes from the interpreter.
#[global_allocator]
static MEMORY: py::Memory = py::Memory;

/// A panic is a bug, and ends the process with the interpreter's report.
#[cfg(not(test))]
#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    py::die(info)
}

/// What the compiled core library names as the function that would unwind through it. With
/// `panic = "abort"` nothing calls it; the linker only wants to find it.
#[cfg(all(not(test), not(target_env = "msvc")))]
#[allow(unsafe_code)]
// SAFETY: every other Rust library has its own, which is not visible outside it.
#[unsafe(no_mangle)]
pub extern "C" fn rust_eh_personality() {}

// The same library names `_Unwind_Resume`, which the C compiler's runtime has; on Linux that is
// a library of its own.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
#[link(name = "gcc_s")]
unsafe extern "C" {}
