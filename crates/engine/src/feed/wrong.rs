//! What is wrong with a value, while it is read: the words, the exception behind them, and where.
//!
//! What may surprise: some are no faults, but turn the reading; [`Sort`] says so.

use alloc::boxed::Box;
use alloc::string::String;

use super::{Given, Trouble, Why};
use crate::env::helper;
use crate::fault::{Cause, Fault, What};
use py::{Builtin, Own, Raised, Ref};

/// A value that is not what its type says.
#[derive(Debug)]
pub struct Wrong {
    /// The words.
    words: String,
    /// The exception behind them.
    cause: Cause,
    /// Where, from the root on.
    pub(super) path: String,
    /// What is known of it besides.
    pub(super) sort: Sort,
}

/// What whoever goes on after a fault has to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    /// Nothing.
    Plain,
    /// It is of a container that has ended.
    End,
    /// It was found before a member of a union was open.
    Member,
    /// A key shows that it may be another member of the union.
    Doubt,
    /// It is none: a value is there, and the user is to be asked what it is.
    Ask,
    /// It is none: something in the container is wrong, and has been noted.
    Noted,
}

impl From<Box<Wrong>> for Trouble {
    fn from(w: Box<Wrong>) -> Trouble {
        Why::Wrong(w).into()
    }
}

impl Trouble {
    /// What is wrong with the value, if it is that.
    #[cold]
    #[inline(never)]
    pub(super) fn wrong(self) -> Given<Box<Wrong>> {
        match self.why() {
            Why::Wrong(w) => Ok(w),
            other => Err(other.into()),
        }
    }

    #[cold]
    pub(super) fn wrong_mut(&mut self) -> Option<&mut Wrong> {
        match self.0.as_deref_mut() {
            Some(Why::Wrong(w)) => Some(w),
            _ => None,
        }
    }

    /// A fault of a sort, if it is of none.
    #[cold]
    #[inline(never)]
    pub(super) fn of(mut self, sort: Sort) -> Trouble {
        if let Some(w) = self.wrong_mut()
            && w.sort == Sort::Plain
        {
            w.sort = sort;
        }
        self
    }
}

impl Wrong {
    #[inline(never)]
    fn boxed(words: String, cause: Option<Own>, path: String, sort: Sort) -> Trouble {
        Box::new(Wrong { words, cause: Cause(cause), path, sort }).into()
    }

    #[cold]
    pub(super) fn of(words: String) -> Trouble {
        Wrong::boxed(words, None, String::new(), Sort::Plain)
    }

    /// The same, at a place of the container that is about to be opened.
    #[cold]
    pub(super) fn below(words: String, below: &str) -> Trouble {
        Wrong::boxed(words, None, below.into(), Sort::Plain)
    }

    /// What is no fault, but turns the reading.
    #[cold]
    pub(super) fn turn(sort: Sort, o: Option<Own>) -> Trouble {
        Wrong::boxed("Object has keys of several members of a union".into(), o, String::new(), sort)
    }

    pub(super) fn words(&self) -> &str {
        &self.words
    }

    pub(super) fn cause(&self) -> Option<Own> {
        self.cause.0.clone()
    }

    pub(super) fn reword(&mut self, words: String) {
        self.words = words;
    }

    /// The value that the user is to be asked about.
    pub(super) fn value_to_ask(&mut self) -> Option<Own> {
        if self.sort == Sort::Ask { self.cause.0.take() } else { None }
    }

    /// The fault, with its path.
    pub(super) fn fault(self) -> Box<Fault> {
        Fault::new(What::Invalid(self.words, self.cause), self.path)
    }
}

/// What user code raised: what says that a value is wrong becomes our own, with the path; all else
/// comes out as it is.
#[cold]
pub(super) fn refused(e: Raised) -> Trouble {
    if !(py::pending(Builtin::Type) || py::pending(Builtin::Value)) {
        return e.into();
    }
    worded()
}

/// The same of a validator or a converter, which may also assert.
#[cold]
pub(super) fn refused_step(e: Raised) -> Trouble {
    if py::pending(Builtin::Assertion) { worded() } else { refused(e) }
}

/// What was raised, as our own. What says where it is, is that far below.
#[cold]
fn worded() -> Trouble {
    let Some(e) = py::take_raised() else { return Raised.into() };
    let said = helper(c"worded").and_then(|worded| py::call1(worded.as_ref(), e.as_ref()));
    let Ok(said) = said else { return Raised.into() };
    let said = said.as_ref().as_any_tuple().map(|t| t.hold());
    let part = |i| said.as_ref().and_then(|t| t.get(i)).map(text).unwrap_or_default();
    Wrong::boxed(part(0), Some(e), part(1), Sort::Plain)
}

pub(super) fn text(o: Ref<'_>) -> String {
    o.as_any_str().map(|s| s.lossy()).unwrap_or_default()
}
