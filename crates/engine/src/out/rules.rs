//! What objects mean, fixed before a walk begins.
//!
//! Most rules are a set: which sorts of values are written as what they are, and which go to the
//! hook. An option like "dataclasses go to the hook" is one member less, and costs nothing where
//! it is not used.

use alloc::boxed::Box;
use alloc::ffi::CString;
use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::CStr;

use super::sort::{Sort, SortSet};
use crate::{Fault, What};
use py::{MomentKind, Own, Ref, Type, Visit};
use wire::Error;

/// In which order the keys of a map are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// As they are stored.
    #[default]
    Stored,
    /// By the bytes of their UTF-8.
    Sorted,
    /// By the units of their UTF-16 (RFC 8785, section 3.2.3).
    Utf16,
    /// By the bytes that are written for them, whatever they are. Members of sets too.
    Encoded,
}

/// Classes that go to the hook although they could be written.
#[derive(Default)]
pub struct Passthrough(Vec<Own>);

impl Passthrough {
    /// Adds a class.
    pub fn add(&mut self, class: Own) {
        self.0.push(class);
    }

    /// Whether a class, or one that it inherits from, is among them.
    #[inline]
    pub(crate) fn has(&self, class: Type<'_>) -> bool {
        self.0.iter().any(|c| c.as_ref().as_type().is_some_and(|c| class.is_subtype(c)))
    }
}

/// What another library does differently, for its compatible face.
#[derive(Clone, Copy, Default)]
pub struct Quirks {
    /// Keys that are not text are refused.
    pub str_keys: bool,
    /// Keys that are spelled alike are all written.
    pub same_keys: bool,
    /// Dataclasses with a `__dict__` give what is in it.
    pub dataclass_dict: bool,
    /// Only classes that are decorated themselves are dataclasses.
    pub decorated_only: bool,
    /// A time with a tzinfo is refused.
    pub naive_times: bool,
    /// What a hook raises is kept as a cause.
    pub wrap_hook: bool,
    /// Whatever an array is, no other than plain layouts are written.
    pub plain_arrays: bool,
    /// Of keys that are not text, fewer classes are known; whatever bounds integers, bounds no keys.
    pub few_keys: bool,
    /// Subclasses of dict are walked as they are stored, whatever their methods say.
    pub stored_dicts: bool,
    /// What the hook gives is not given to the hook again.
    pub hook_once: bool,
    /// Integers beyond 64 bits go to the hook, but for keys.
    pub big_to_hook: bool,
    /// Models of a validation library are written as what they hold.
    pub model_dict: bool,
    /// Tuples go to the hook.
    pub tuple_to_hook: bool,
    /// Keys go to the hook as values do.
    pub hook_keys: bool,
    /// Instances of subclasses of what is built in are written as that, whatever else they are.
    pub by_base: bool,
    /// Instances of subclasses of bytes and bytearray, and text of subclasses of str as keys, are not
    /// written as what they are.
    pub exact: bool,
    /// Application types below zero are refused.
    pub positive_ext: bool,
    /// Keys with surrogates are refused, whatever becomes of other text.
    pub strict_keys: bool,
    /// How fields are written, whatever the order of keys.
    pub fields: Fields,
    /// The order of keys is for models alone: a dict that has entries is refused.
    pub no_sorted_dicts: bool,
    /// Of plain arrays, those of the other byte order are written too.
    pub swapped_arrays: bool,
    /// Moments of arrays are text in any case, and what stands for none is refused.
    pub text_moments: bool,
    /// Of records of these sorts private fields are left out.
    pub public: SortSet,
    /// Decimal numbers that are not finite are text like the others.
    pub text_decimals: bool,
    /// An object that the hook gives back cannot be written.
    pub hook_declines: bool,
}

/// How the fields of objects are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Fields {
    /// In the order of keys.
    #[default]
    AsKeys,
    /// As they are declared.
    Stored,
    /// The same as the first, but each is looked at: there is a [`Policy`].
    Gathered,
}

/// What is written of instances of classes with fields, whatever their class says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Policy {
    /// Fields that have their default are left out.
    pub omit_defaults: bool,
    /// Fields that are None are left out.
    pub omit_none: bool,
    /// The keys are the names of the attributes.
    pub by_name: bool,
}

/// What objects mean.
pub struct Rules {
    /// Called with what is not written otherwise.
    pub hook: Option<Own>,
    /// The sorts that are written as what they are.
    pub sorts: SortSet,
    /// Classes that are not.
    pub passthrough: Passthrough,
    /// How many containers may nest.
    pub max_depth: usize,
    /// The order of keys.
    pub order: Order,
    /// NaN and infinities are errors.
    pub finite: bool,
    /// The greatest magnitude of a float, unless that is infinite: what is finite must be so.
    pub max_float: f64,
    /// The greatest magnitude of an integer.
    pub max_int: u64,
    /// How many bits that is, for messages.
    pub int_bits: u32,
    /// Integers beyond 64 bits are written.
    pub big_ints: bool,
    /// The codec error handler that is asked what to write for a surrogate.
    pub str_errors: Option<CString>,
    /// Arrays of an array library are written as this application type.
    pub array_ext: Option<i8>,
    /// The hook is a table: a tuple that it gives is an application type (see `Walk::told`).
    pub table: bool,
    /// A decimal number is written as a number.
    pub decimal_number: bool,
    /// Checks that bytes are one value of the format.
    pub check_raw: fn(&[u8]) -> Result<(), Error>,
    /// In which mode models of a validation library dump themselves. In the mode "python" they give what
    /// they hold, and so may be asked for that.
    pub model_mode: &'static CStr,
    /// What is written of instances, if [`Fields::Gathered`] says so.
    pub policy: Policy,
    /// What a compatible face does differently.
    pub quirks: Quirks,
    /// Called by the edge with the exception for a fault: gives the one that is raised.
    pub fault: Option<Own>,
    /// Codecs by their classes, until they are part of the hook.
    pub codecs: Option<Own>,
    /// Called with what is to be written: gives the part of it that is.
    pub part: Option<Own>,
}

impl Rules {
    /// Whether a value of this sort and class is written as what it is.
    #[inline]
    pub(crate) fn allows(&self, sort: Sort, o: Ref<'_>) -> bool {
        self.sorts.has(sort) && (self.passthrough.0.is_empty() || !self.passthrough.has(o.class()))
    }

    /// The codec error handler for keys that are text, if there is one for them.
    pub(crate) fn key_errors(&self) -> Option<&CString> {
        self.str_errors.as_ref().filter(|_| !self.quirks.strict_keys)
    }

    /// The order of the fields of an object.
    pub(crate) fn field_order(&self) -> Order {
        if self.quirks.fields == Fields::Stored { Order::Stored } else { self.order }
    }

    /// Whether the fields of an instance are gathered before they are written.
    #[inline(always)]
    pub(crate) fn gathers_fields(&self) -> bool {
        match self.quirks.fields {
            Fields::AsKeys => self.order != Order::Stored,
            Fields::Stored => false,
            Fields::Gathered => true,
        }
    }

    /// Whether exactly `bytes` are written as what they are, without a look at their class.
    #[inline(always)]
    pub(crate) fn plain_bytes(&self) -> bool {
        self.sorts.has(Sort::Bytes) && self.passthrough.0.is_empty()
    }

    /// The same for our classes with fields.
    #[inline(always)]
    pub(crate) fn plain_structs(&self) -> bool {
        self.sorts.has(Sort::Struct) && self.passthrough.0.is_empty()
    }

    /// The same for what is of a class of `datetime`.
    #[inline(always)]
    pub(crate) fn plain_moments(&self, kind: MomentKind) -> bool {
        let sort = match kind {
            MomentKind::DateTime => Sort::DateTime,
            MomentKind::Date => Sort::Date,
            MomentKind::Time => Sort::Time,
            MomentKind::Delta => Sort::Delta,
        };
        self.sorts.has(sort) && self.passthrough.0.is_empty()
    }

    /// The part of an object that is to be written, or all of it.
    #[inline(never)]
    pub fn part_of(&self, o: Ref<'_>) -> Result<Own, Box<Fault>> {
        match &self.part {
            None => Ok(o.own()),
            Some(part) => py::call1(part.as_ref(), o).map_err(|_| Fault::new(What::Raised, String::new())),
        }
    }

    /// Shows every object that the rules own to the collector.
    pub fn traverse(&self, visit: &mut Visit<'_>) {
        for own in [&self.hook, &self.fault, &self.part] {
            visit.maybe(own.as_ref());
        }
        for class in &self.passthrough.0 {
            visit.object(class);
        }
    }
}
