//! The engine: one walk from Python objects to anything that can be written, one build from
//! anything that can be read. It names no format: it asks what a format can say.
//!
//! - [`Walk`] goes through objects and says what it meets to an [`Out`]; [`ToBytes`] passes that
//!   on to a [`wire::Sink`].
//! - [`Build`] makes objects of what a [`Feed`] gives; [`FromBytes`] takes it from a
//!   [`wire::Source`].
//!
//! What may surprise: neither recurses. What is open is kept on a stack of our own, so how deep
//! data may nest does not depend on the thread's stack. And an error is only a mark ([`Stop`])
//! on its way out; what went wrong is kept aside ([`Fault`]), with the path, which is read off
//! the open containers when there is an error and costs nothing before.
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;

mod env;
mod fault;
mod feed;
mod out;

pub use env::{Env, Splice, Spliced};
pub use fault::{Cause, Fault, Stop, Told, What};
pub use feed::{
    Build, FromBytes, Hooks, Keys, Reading, Room, Texts, Times, Typed, Unknown, convert, of_field,
};
pub use out::{Fields, Order, Policy, sorts};
pub use out::{Out, Passthrough, Quirks, Rules, Simple, SortSet, ToBytes, Walk, Writing};
