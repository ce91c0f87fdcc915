//! What went wrong with a value, and where.
//!
//! What may surprise: there are no words here. A fault is data, which goes to Python as such
//! (`python/oxwire/_raised.py`): each face words it in its own way.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use wire::say;

use py::Own;
use wire::Error;

/// Work stopped; why is kept by the worker. Zero-sized: a result with it is one pointer.
#[derive(Debug, Clone, Copy)]
pub struct Stop;

/// What went wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A Python exception is set; it comes out as it is.
    Raised,
    /// There is no memory for the output.
    Memory,
    /// The input is malformed.
    Wire(Error),
    /// Values of this class cannot be written, and there is no hook, or it may not be asked.
    Unsupported(String),
    /// The hook raised while it was asked for a value of this class.
    HookRaised(String),
    /// Hooks and enums led from value to value without an end.
    Chain,
    /// Containers nest deeper than was allowed; perhaps they contain themselves.
    Depth(usize),
    /// Keys, or sets that are put in order, stand one in the other deeper than this.
    Inner(usize),
    /// An integer is beyond this many bits.
    IntRange(u32),
    /// NaN or an infinity, where it is refused.
    NonFinite,
    /// Text with a surrogate, at this character.
    Surrogate(usize),
    /// A key that cannot be one: its class, and what shows it.
    Key(String, String),
    /// A key that must be text and is not.
    KeyNotStr,
    /// Keys that were to be sorted and cannot be.
    KeyOrder,
    /// An integer key beyond 64 bits, where that is refused.
    KeyRange,
    /// Two keys of a dict are spelled alike.
    SameKey(String),
    /// A container changed its size while it was being written.
    Changed(&'static str),
    /// What claims to be encoded already is not.
    Raw(Error),
    /// The content of a fragment is neither bytes nor text.
    Fragment,
    /// An array whose items cannot be written: what is wrong with it.
    Array(String),
    /// A time of day with a tzinfo, where that is refused.
    TimeWithZone,
    /// A finite float is beyond the range that was asked for.
    FloatRange,
    /// Something is longer than the format can say.
    Length,
    /// An application type whose code or body is none.
    Ext,
    /// A moment that the format cannot say.
    TimeRange,
    /// The value is not what its type says: the words, and the exception behind them.
    Invalid(String, Cause),
    /// A model holds another than it declares. Nobody sees this: it is written in another way then.
    Undeclared,
}

/// The exception behind a fault, if there is one.
#[derive(Clone, Default)]
pub struct Cause(pub Option<Own>);

impl core::fmt::Debug for Cause {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Cause")
    }
}

impl PartialEq for Cause {
    fn eq(&self, other: &Cause) -> bool {
        self.0.is_some() == other.0.is_some()
    }
}

/// What went wrong, and the path of the value.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// What went wrong.
    pub what: What,
    /// Where: `$` is the root, as in `$.users[3].born`.
    pub path: String,
}

impl Fault {
    /// A fault at a path.
    pub fn new(what: What, path: String) -> Box<Fault> {
        Box::new(Fault { what, path })
    }

    /// What was the root stands at an index.
    #[cold]
    pub fn below(&mut self, i: usize) {
        self.put_before(&py::words(say!("[{}]"), &[i.into()]));
    }

    /// What was the root is a field.
    #[cold]
    pub fn within(&mut self, name: &str) {
        let mut path = Path::below();
        path.field(name);
        self.put_before(&path.done());
    }

    fn put_before(&mut self, part: &str) {
        // The root need not come first: "key` in `$".
        let root = self.path.bytes().position(|b| b == b'$');
        let parts = root.and_then(|at| self.path.split_at_checked(at + 1));
        let (to, from) = parts.unwrap_or(("$", ""));
        self.path = py::words(say!("{}{}{}"), &[to.into(), part.into(), from.into()]);
    }

    /// What Python makes words of.
    pub fn told(&self) -> Told<'_> {
        let told = |what, text, number| Told { what, text, number, code: 0 };
        let plain = |what| told(what, "", 0);
        match &self.what {
            What::Raised => plain(0),
            What::Memory => plain(1),
            What::Wire(e) => Told { code: e.code as usize, ..plain(2) },
            What::Unsupported(class) => told(3, class, 0),
            What::HookRaised(class) => told(4, class, 0),
            What::Chain => plain(5),
            What::Depth(n) => told(6, "", *n),
            What::Inner(n) => told(7, "", *n),
            What::IntRange(bits) => told(8, "", *bits as usize),
            What::NonFinite => plain(9),
            What::Surrogate(at) => told(10, "", *at),
            What::Key(class, _) => told(11, class, 0),
            What::KeyNotStr => plain(12),
            What::KeyOrder => plain(13),
            What::KeyRange => plain(14),
            What::SameKey(k) => told(15, k, 0),
            What::Changed(what) => told(16, what, 0),
            What::Raw(e) => Told { code: e.code as usize, ..told(17, "", e.at) },
            What::Fragment => plain(18),
            What::Array(why) => told(19, why, 0),
            What::TimeWithZone => plain(20),
            What::FloatRange => plain(21),
            What::Length => plain(22),
            What::Ext => plain(23),
            What::TimeRange => plain(24),
            What::Invalid(words, _) => told(25, words, 0),
            What::Undeclared => plain(26),
        }
    }
}

/// A fault for Python, which has the words for each.
pub struct Told<'a> {
    /// The number of its [`What`], from 0 on in the order that they are declared in.
    pub what: usize,
    /// The text that goes with it; empty if there is none.
    pub text: &'a str,
    /// The number that goes with it.
    pub number: usize,
    /// The number of what is wrong in bytes, as [`wire::Code`] has it.
    pub code: usize,
}

/// What stands behind the last dot. (The core library searches by pieces from both ends.)
pub(crate) fn last_part(name: &str) -> &str {
    let from = name.bytes().rposition(|b| b == b'.').map_or(0, |dot| dot + 1);
    name.get(from..).unwrap_or(name)
}

/// A text in double quotes, with what would break a line escaped. (The standard library's way would bring
/// tables of all that can be printed along.)
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' || c == '\u{7f}' => {
                let digit = |v| char::from_digit(v, 16).unwrap_or_default();
                out.push_str("\\u{");
                if c > '\u{f}' {
                    out.push(digit(u32::from(c) >> 4));
                }
                out.extend([digit(u32::from(c) & 15), '}']);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A path being spelled, from the root on.
pub(crate) struct Path(String);

impl Path {
    pub(crate) fn new() -> Path {
        Path("$".to_string())
    }

    /// A path from some value on.
    pub(crate) fn below() -> Path {
        Path(String::new())
    }

    pub(crate) fn index(&mut self, i: usize) {
        self.0.push_str(&py::words(say!("[{}]"), &[i.into()]));
    }

    /// A key: after a dot where it is a name, quoted in brackets otherwise.
    pub(crate) fn key(&mut self, key: &str) {
        let name = !key.is_empty()
            && !key.starts_with(|c: char| c.is_ascii_digit())
            && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80);
        if name {
            self.0.push('.');
            self.0.push_str(key);
        } else {
            self.0.push_str(&py::words(say!("[{}]"), &[(&quoted(key)).into()]));
        }
    }

    /// A field of a type, whose name is its own affair.
    #[inline(never)]
    pub(crate) fn field(&mut self, key: &str) {
        self.0.push('.');
        self.0.push_str(key);
    }

    /// A key that is not text.
    pub(crate) fn other(&mut self, key: &str) {
        self.0.push_str(&py::words(say!("[{}]"), &[key.into()]));
    }

    pub(crate) fn done(self) -> String {
        self.0
    }
}
