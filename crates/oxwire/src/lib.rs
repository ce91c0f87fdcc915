//! The extension module `oxwire._oxwire`: what the interpreter and the linker look for, and nothing
//! else. All that it does is in `edge`.
//!
//! What may surprise: this is a crate of its own because the one that is linked decides how hard the
//! linker's compiler tries, and that must not depend on how the edge is compiled
//! (docs/decisions/0012-size.md).
#![no_std]
#![deny(unsafe_code)]

use core::ffi::c_void;

/// What the interpreter calls when the module is imported.
#[allow(unsafe_code)]
// SAFETY: no other symbol of the extension has this name.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub extern "C" fn PyInit__oxwire() -> *mut c_void {
    py::init::<edge::State>()
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
