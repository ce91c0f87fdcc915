//! The edge: it names every format and decides nothing. Arguments become rules, limits and styles
//! (`args`, `pack_args`), a pair of format and engine does the work (`instances`), faults become
//! exceptions (`raise`).
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod archive;
mod args;
mod coder;
mod face;
mod functions;
mod instances;
mod keyword;
mod lines;
mod native;
mod orjson;
mod ormsgpack;
mod pack;
mod pack_args;
mod pack_stream;
mod raise;
mod raw;
mod state;
mod stream;
mod structs;
mod typing;

pub use state::State;
