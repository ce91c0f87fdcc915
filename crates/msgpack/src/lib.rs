//! MessagePack: the grammar, both ways, in safe Rust.
//!
//! [`Reader`] is a [`wire::Source`], [`Writer`] a [`wire::Sink`]; [`Skim`] finds where a message
//! ends in input that comes in pieces. How values are written is a [`Style`], what is allowed is
//! a [`Limits`]. The specification is spec.md of the MessagePack project, of 2017; "the old
//! specification" is that from before 2013, which had one form for text and bytes.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod marker;
mod read;
mod skim;
mod skip;
mod style;
mod write;

pub use marker::known_key;
pub use read::Reader;
pub use skim::Skim;
pub use style::{Floats, Limits, Style};
pub use write::Writer;
