//! Keywords: which one a name is, and what becomes of a value that goes where it is kept as it is.
//!
//! What may surprise: names are not compared with texts of their own, each of which would be a call, but looked for in
//! one text of them all ([`by_name`]); and most arms of such a table only say where the value goes ([`Target`]), so that
//! what is asked of it is compiled once.

use alloc::boxed::Box;

use crate::args::{count, flag, hook, unknown};
use crate::pack_args::ext_code;
use engine::{Hooks, Rules};
use py::{Args, Own, Ref, Result, Visit};

/// Goes where the arm of a name says. The names stand as Rust's names do, so `type` cannot be one of them.
macro_rules! by_name {
    ($name:expr; $($word:ident => $arm:expr,)* _ => $other:expr $(,)?) => {{
        #[allow(non_camel_case_types)]
        enum Name { $($word),* }
        match $crate::keyword::place(concat!($(stringify!($word), " "),*), $name) {
            $(at if at == Name::$word as usize => $arm,)*
            _ => $other,
        }
    }};
}
pub(crate) use by_name;

/// Which of these words it is, each of which is followed by a blank; a number beyond them if it is none.
#[inline(never)]
pub(crate) fn place(words: &str, name: &str) -> usize {
    each_word(words).position(|word| word == name).unwrap_or(usize::MAX)
}

/// Words each of which is followed by a blank, but for the last perhaps.
pub(crate) fn each_word(words: &str) -> impl Iterator<Item = &str> {
    let mut rest = words;
    core::iter::from_fn(move || first_word(&mut rest))
}

#[inline(never)]
fn first_word<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let end = rest.bytes().position(|b| b == b' ').unwrap_or(rest.len());
    let word = rest.get(..end).filter(|word| !word.is_empty());
    *rest = rest.get(end + 1..).unwrap_or_default();
    word
}

/// Where the value of a keyword goes.
pub(crate) enum Target<'a> {
    /// A truth value.
    Flag(&'a mut bool),
    /// Its opposite.
    Not(&'a mut bool),
    /// A number of things.
    Count(&'a mut usize),
    /// The same, or None for as many as there are.
    Limit(&'a mut usize),
    /// A function, or None.
    Hook(&'a mut Option<Own>),
    /// Nowhere: the arm has done all.
    Done,
    /// The code of an application type, and that of our own.
    Code(&'a mut Option<i8>, i8),
}

impl Target<'_> {
    /// Puts it there; true, since the keyword is known.
    #[inline(never)]
    pub(crate) fn take(self, name: &str, v: Ref<'_>) -> Result<bool> {
        match self {
            Target::Done => {}
            Target::Flag(to) => *to = flag(name, v)?,
            Target::Not(to) => *to = !flag(name, v)?,
            Target::Limit(to) if v.is_none() => *to = usize::MAX,
            Target::Count(to) | Target::Limit(to) => *to = count(name, v)?,
            Target::Hook(to) => *to = hook(name, v)?,
            Target::Code(to, own) => *to = ext_code(name, v, own)?,
        }
        Ok(true)
    }
}

/// What keywords ask for, or what holds without any.
pub(crate) enum Given<'a, T> {
    Plain(&'a T),
    Asked(Box<T>),
}

impl<T> core::ops::Deref for Given<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        match self {
            Given::Plain(plain) => plain,
            Given::Asked(asked) => asked,
        }
    }
}

/// Each argument by name, and then the one that `more` is; an exception for a name that is not `known`.
#[inline(never)]
pub(crate) fn each(
    args: &Args<'_>,
    more: Option<(&str, Ref<'_>)>,
    known: &mut dyn FnMut(&str, Ref<'_>) -> Result<bool>,
) -> Result<()> {
    for (name, v) in args.named() {
        let name = name.word();
        if !known(&name, v)? {
            return Err(unknown(&name));
        }
    }
    match more {
        Some((name, v)) => known(name, v).map(drop),
        None => Ok(()),
    }
}

/// Shows the collector what an encoder owns.
#[inline(never)]
pub(crate) fn show_rules(rules: &Rules, visit: &mut Visit<'_>) {
    rules.traverse(visit);
}

/// The same of a decoder.
#[inline(never)]
pub(crate) fn show_hooks(hooks: &Hooks, visit: &mut Visit<'_>) {
    hooks.objects().for_each(|o| visit.object(o));
}
