//! Graphs of Python objects, out to the native format and in from it.
//!
//! What may surprise: this is no instance of the engine's loops. A format that keeps identity asks of every object whether it was
//! met before, and builds containers before what they hold; a format that does not would pay for both. docs/decisions/0020-graphs.md
//! has the reasons.
//!
//! What is met often is written and made here. Everything else (the standard library, registered classes) is known to a
//! *helper*, an object in Python (python/oxwire/_native.py), which is asked what an object consists of, and told to make one of
//! its parts.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod apart;
mod feed;
mod later;
mod memo;
mod objects;
mod out;
mod text;

use py::{MomentTypes, Own, Ref, Result, Slots};

use feed::Reading;
use out::Writing;

/// All that encoders and decoders are told, with what calls keep for the next.
pub struct Codec {
    /// `describe(object)`: what an object consists of.
    pub(crate) describe: Own,
    /// `plan(class)`: how objects of a class are taken apart, if that can be said of all.
    pub(crate) plan: Own,
    /// `leaf(code, body)`: a type of the standard library whose body is a leaf.
    pub(crate) leaf: Own,
    /// `open(code)`: an object of the standard library without its body; `None` if it can only be made of it.
    pub(crate) open: Own,
    /// `resolve(definition)`: how objects of a type are made.
    pub(crate) resolve: Own,
    /// `moment(date, time, fold, zone)`: what the interpreter's own functions for C do not make.
    pub(crate) moment: Own,
    /// `object.__new__`.
    pub(crate) new: Own,
    /// Whether what is one object is written once.
    pub memoize: bool,
    /// How deep values may nest.
    pub max_depth: usize,
    /// The longest integer, in bytes.
    pub max_int_bytes: usize,
    writing: Slots<Writing>,
    reading: Slots<Reading>,
}

impl Codec {
    /// A codec over a helper.
    pub fn new(helper: Ref<'_>, memoize: bool, max_depth: usize, max_int_bytes: usize) -> Result<Codec> {
        let method = |name| helper.attr_named(name);
        Ok(Codec {
            describe: method(c"describe")?,
            plan: method(c"plan")?,
            leaf: method(c"leaf")?,
            open: method(c"open")?,
            resolve: method(c"resolve")?,
            moment: method(c"moment")?,
            new: py::object_class().as_ref().attr_named(c"__new__")?,
            memoize,
            max_depth,
            max_int_bytes,
            writing: Slots::default(),
            reading: Slots::default(),
        })
    }

    /// What it owns that could be part of a cycle.
    pub fn objects(&self) -> impl Iterator<Item = &Own> {
        [&self.describe, &self.plan, &self.leaf, &self.open, &self.resolve, &self.moment].into_iter()
    }
}

/// What both directions know of one interpreter.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// The classes of `datetime`.
    pub moments: &'a MomentTypes,
    /// Classes with fields.
    pub structs: &'a model::Classes,
    /// Makes the places of keys unpredictable.
    pub seed: u64,
}

pub use feed::read;
pub use out::write;
