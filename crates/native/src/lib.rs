//! The native format: the grammar, both ways, in safe Rust. docs/wire/native.md is the specification.
//!
//! [`Reader`] says what comes next and takes it; it knows which references lead where and how many values a shape or a
//! type has, but builds nothing. [`Writer`] has a verb for each tag; whoever writes knows which objects are one. [`frames`] are
//! what files are made of. What may surprise: neither is a `wire::Source` or `wire::Sink`, because this format says more
//! than values: identity, shapes, types.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

#[cfg(feature = "tree")]
mod body;
pub mod frames;
mod head;
mod limits;
mod moment;
mod read;
mod skip;
pub mod tag;
#[cfg(feature = "tree")]
pub mod tree;
mod write;

pub use head::Head;
pub use limits::{Limits, Refused};
pub use moment::{Span, day, pack_day, pack_span, pack_time, span, time};
pub use read::{Names, Reader, TypeHead};
pub use tag::What;
pub use write::Writer;
