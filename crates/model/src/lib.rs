//! What a type is: classes with fields, made at run time.
//!
//! What may surprise: nothing here reads or writes. A class only says which fields it has, what they
//! are called, and what stands in for a missing one; the engine does the rest.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod check;
mod choice;
mod class;
mod members;
mod program;
pub mod takes;

pub use check::{Bounds, Check, PATTERN, STEPS};
pub use choice::{Choice, GUESSES, Keys, Member, Met, NOBODY, note};
pub use class::{
    Class, Classes, FORMATS, Fallback, Field, Flag, Mark, More, Written, as_dict, as_tuple, first_class,
    force_set, old_texts, replaced, unset,
};
pub use members::Members;
pub use program::{Array, Items, Known, Makes, Map, Part, Plan, Program, Record, RecordField, Spell, Which};
