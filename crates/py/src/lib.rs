//! The fence: the only crate that speaks CPython's C API.
//!
//! Above it an object is a [`Ref`] (borrowed), an [`Own`] (owned, given back once) or, for a
//! container that is being walked, a [`Held`]; a raised exception is [`Raised`]. Its types make
//! the usual mistakes unsayable:
//!
//! - a scalar is read through what [`Ref::see`] gives, which fits its type;
//! - a container can be walked only when it is held, and every step looks at its size again, so
//!   that no user code can free what is being read;
//! - user code is reached through `call` only, and nothing borrowed survives it by accident,
//!   because what is walked is owned.
//!
//! Declarations stand in `sys`, reads of structs whose layout differs from version to version in
//! `layout` and `table`; everything else uses the public API. Functions
//! and classes are plain Rust for whoever declares them: the trampolines are in `module` and
//! `class`.
#![no_std]

extern crate alloc;

mod args;
mod array;
mod buffer;
mod bytes;
mod call;
mod class;
mod dict;
mod direct;
mod direct_dict;
mod direct_object;
mod doc;
mod graph;
mod guard;
mod instance;
mod int;
mod layout;
mod list;
mod module;
mod moment;
mod object;
mod pair;
mod raised;
mod scalar;
mod shape;
mod slot;
mod str;
mod sys;
// Where threads run side by side a dict is read by the interpreter only.
#[cfg(not(Py_GIL_DISABLED))]
mod table;
mod trial;
mod types;
mod weak;
mod words;
mod young;

pub use args::{Args, Named};
pub use array::{Array, Row};
pub use buffer::{Copied, Data, NotData, View, part, view_of};
pub use bytes::{
    Room, bytearray, bytearray_of, bytes, bytes_buf, bytes_buf_by_call, finish, finish_by_call,
    with_bytearray, write_bytearray,
};
pub use call::{
    call, call_method, call_method0, call_method1, call0, call1, compare, equal, hash_of_address, import,
    instance, iterate, list_of, new_object, next, repr, text_of, tuple_of_class,
};
pub use class::{
    Bytes, Class, Compare, Getter, Made, Method, generic, getter, method, new_instance, this_of,
};
pub use dict::{
    DictKind, dict, dict_copy, dict_find, dict_from, dict_get, dict_pop, dict_put, dict_set, new_dict,
};
pub use direct::{OldTexts, float_of_many, list};
pub use graph::{add_member, fill_frozenset, fill_tuple, new_frozenset, open_tuple, set_len, set_of};
pub use guard::{Memory, die};
pub use instance::Attributes;
pub use int::{BigInt, Int, IntRef, big_int, int, int_of_bytes, int128, uint, unsigned128};
pub use list::{
    Items, ItemsRoom, ListKind, NewList, RowKind, TupleKind, list_cold, new_list, new_set, push, tuple,
    tuple_of, tuple2,
};
pub use wire::{packed, packed_len};
/// A row of a class's table of methods: added by [`method`].
pub type MethodDef = crate::sys::PyMethodDef;
/// A row of a class's table of attributes: added by [`getter`].
pub type GetterDef = crate::sys::PyGetSetDef;
pub use module::{Building, Early, Function, Given, Module, Visit, early, function, init};
pub use moment::{Fields, Moment, MomentKind, MomentTypes};
pub use object::{Held, Item, Own, Ref, Seen};
pub use pair::Pair;
pub use raised::{
    Builtin, Raised, Result, chain, clear, is_ordinary, pending, raise, raise_object, set_cause, take_raised,
};
pub use scalar::{bool, float, none, not_implemented};
pub use shape::{
    Fresh, Instance, Maker, Meta, Place, Shape, ShapeMethod, ShapeQuery, Shaped, This, shape_method,
    shape_query, this_shaped, this_shaped_at_sight,
};
pub use slot::{Once, Slot, Slots, emptied};
pub use str::{NotUtf8, StrRef, ascii, encoded_with, intern, interned, str, str_from, str_with, text, wide};
pub use trial::ways;
pub use types::{Flags, Type, dict_class, list_class, object_class, set_class};
pub use weak::Weak;
pub use words::{Word, words};
pub use young::Young;

/// Collects garbage only as often as the interpreter would without us: see [`pause_gc`].
pub use module::{GcPause, pause_gc};
