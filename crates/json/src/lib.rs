//! JSON (RFC 8259): the grammar, both ways, in safe Rust.
//!
//! [`Reader`] is a [`wire::Source`], [`Writer`] a [`wire::Sink`]; [`reformat`] lays existing text
//! out again; [`Skim`] finds where a document ends in input that comes in pieces. What text looks
//! like is a [`Style`], what is allowed is a [`Limits`].
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod number;
mod read;
mod reformat;
mod skim;
mod string;
mod style;
mod write;

pub use read::{Reader, known_key};
pub use reformat::reformat;
pub use skim::Skim;
pub use style::{Limits, NonFinite, Style};
pub use write::Writer;
