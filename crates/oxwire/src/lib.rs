//! The edge: the extension module `oxwire._oxwire`. It names every format and decides nothing:
//! arguments become rules, limits and styles (`args`), a pair of format and engine does the work
//! (`instances`), faults become exceptions (`raise`).
//!
//! What may surprise: the one unsafe line here is the name of the entry point, which the
//! interpreter looks for.
#![deny(unsafe_code)]

mod args;
mod coder;
mod functions;
mod instances;
mod lines;
mod orjson;
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
