//! Messages: a frame with `{}` where words go in.
//!
//! Not `format!`: each use of that is an array of values with a function for each, a text to be freed, and
//! the core library's printing behind them; all that for texts which are made when something went wrong.

use alloc::string::String;

use crate::object::Ref;
use crate::raised::{Builtin, Raised, raise};
use wire::Said;

/// What goes into a message.
#[derive(Clone, Copy)]
pub enum Word<'a> {
    /// A text as it is.
    Text(&'a str),
    /// A text as it is in the extension.
    Said(Said),
    /// A number.
    Count(u64),
    /// The name of an object's class: see [`Ref::class_name`].
    Class(Ref<'a>),
    /// An object's `repr`: see [`Ref::show`].
    Show(Ref<'a>),
    /// The text that an object is; its `repr` if it is none.
    Name(Ref<'a>),
}

impl<'a> From<&'a str> for Word<'a> {
    #[inline(always)]
    fn from(text: &'a str) -> Self {
        Word::Text(text)
    }
}

impl<'a> From<&'a String> for Word<'a> {
    #[inline(always)]
    fn from(text: &'a String) -> Self {
        Word::Text(text)
    }
}

impl From<Said> for Word<'_> {
    #[inline(always)]
    fn from(text: Said) -> Self {
        Word::Said(text)
    }
}

impl From<usize> for Word<'_> {
    #[inline(always)]
    fn from(n: usize) -> Self {
        Word::Count(n as u64)
    }
}

impl Word<'_> {
    fn push(self, to: &mut String) {
        match self {
            Word::Text(text) => to.push_str(text),
            Word::Said(text) => to.push_str(&text.text()),
            Word::Count(n) => to.push_str(&wire::number::decimal(n, false)),
            Word::Class(o) => to.push_str(&o.class_name()),
            Word::Name(o) if o.as_any_str().is_some() => o.push_text(to),
            Word::Name(o) | Word::Show(o) => to.push_str(&o.show()),
        }
    }
}

/// The frame with each `{}` replaced by the next of the words, in which braces mean nothing.
#[cold]
#[inline(never)]
pub fn words(frame: Said, words: &[Word<'_>]) -> String {
    let frame = frame.text();
    let (mut text, mut words, mut frame) = (String::new(), words.iter(), frame.chars());
    while let Some(c) = frame.next() {
        if c != '{' {
            text.push(c);
        } else if let (Some('}'), Some(word)) = (frame.next(), words.next()) {
            word.push(&mut text);
        }
    }
    text
}

impl Builtin {
    /// Raises it with what [`words`] makes of a frame.
    #[cold]
    #[inline(never)]
    pub fn raise_words(self, frame: Said, with: &[Word<'_>]) -> Raised {
        raise(self.class(), &words(frame, with))
    }
}
