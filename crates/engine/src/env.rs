//! What the engine knows of one interpreter: the classes and names that it looks for.
//!
//! What may surprise: classes of modules that may never be imported (`uuid`, `decimal`, an array
//! library) are not here. They are recognised by name when one of their instances is met, and
//! checked against the module that is loaded by then.

use py::{MomentTypes, Own, Ref, Result, intern};

/// Bytes that go into the output as they are.
pub enum Splice<'a> {
    /// They claim to be one value, which is checked.
    Checked(&'a [u8]),
    /// They are taken on trust.
    Trusted(&'a [u8]),
    /// They are text with a surrogate.
    Surrogate,
    /// They are neither bytes nor text.
    Wrong,
}

/// The classes and names of one interpreter.
pub struct Env {
    pub(crate) moments: MomentTypes,
    pub(crate) enum_meta: Own,
    pub(crate) names: Names,
    /// The class of values that are already encoded.
    pub(crate) raw: Own,
    /// The class of fragments, which are so too, and are taken on trust.
    pub(crate) fragment: Own,
    /// What an instance of one of the two classes holds.
    pub(crate) splice: for<'a> fn(Ref<'a>, &'a mut alloc::vec::Vec<u8>) -> Splice<'a>,
}

/// Names that are asked for often.
pub(crate) struct Names {
    pub(crate) value: Own,
    pub(crate) int: Own,
    pub(crate) dict: Own,
}

impl Env {
    /// Imports and interns what every call needs.
    pub fn new(
        raw: Own,
        fragment: Own,
        splice: for<'a> fn(Ref<'a>, &'a mut alloc::vec::Vec<u8>) -> Splice<'a>,
    ) -> Result<Env> {
        Ok(Env {
            moments: MomentTypes::new()?,
            enum_meta: py::import(c"enum")?.as_ref().attr_named(c"EnumMeta")?,
            names: Names { value: intern("value")?, int: intern("int")?, dict: intern("__dict__")? },
            raw,
            fragment,
            splice,
        })
    }
}
