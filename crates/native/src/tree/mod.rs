//! A whole message as a graph of Rust values: the reader that knows no Python, and a writer for it.
//!
//! What may surprise: values stand in one list and name each other by their place in it ([`Id`]), so that what is shared is
//! one value, and a cycle is no loop of pointers.

mod keys;
mod read;
mod write;

use alloc::vec::Vec;

use crate::Span;
use wire::time::{Date, Time};

pub use read::read;
pub use write::write;

/// The place of a value.
pub type Id = usize;

/// One value.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the specification has a line for each")]
pub enum Value {
    /// Begun, and of a type that nothing can be said of before its end.
    Open,
    None,
    Bool(bool),
    Utc,
    Int(i128),
    /// An integer beyond 64 bits: two's complement, low to high.
    Big(Vec<u8>),
    /// Floats by their bits.
    Float(u64),
    Complex(u64, u64),
    /// Text; surrogates have three bytes each.
    Str(Vec<u8>),
    Bytes(Vec<u8>),
    Bytearray(Vec<u8>),
    /// A buffer beside the message: which, how long, whether it is writable.
    Outside(usize, usize, bool),
    Sealed(Vec<u8>),
    Uuid([u8; 16]),
    Date(Date),
    /// With the second of two, and the zone.
    Time(Time, bool, Option<Id>),
    DateTime(Date, Time, bool, Option<Id>),
    Timedelta(Span),
    List(Vec<Id>),
    Tuple(Vec<Id>),
    Set(Vec<Id>),
    Frozenset(Vec<Id>),
    Dict(Vec<(Id, Id)>),
    /// The place of its type among those of the tree, and its values.
    Object(usize, Vec<Id>),
    Ext(u8, Id),
}

/// What class an object is of.
#[derive(Clone, PartialEq, Debug)]
pub struct Type {
    /// Record, member by name, member by value, carrier.
    pub kind: u8,
    /// The place of its name.
    pub name: Id,
    /// As it was registered.
    pub version: u64,
    /// The places of the names of its fields.
    pub fields: Vec<Id>,
}

/// A message.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tree {
    /// All values.
    pub values: Vec<Value>,
    /// All types, in order.
    pub types: Vec<Type>,
    /// The place of the outermost value.
    pub root: Id,
}
