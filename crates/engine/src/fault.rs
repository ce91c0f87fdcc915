//! What went wrong with a value, where, and the words for it.
//!
//! What may surprise: the words here are ours. A compatible face for another library words the
//! same faults in its own way, which is why they are data until the edge.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use wire::{Said, say};

use py::Own;
use py::Word;
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

    /// The words, without the path.
    pub fn words(&self) -> String {
        const NO: Word<'_> = Word::Count(0);
        let key;
        let (frame, word): (Said, Word<'_>) = match &self.what {
            What::Raised => (say!("an exception was raised"), NO),
            What::Memory => (say!("not enough memory"), NO),
            What::Wire(e) => (say!("{}"), e.code.words().into()),
            What::Unsupported(class) => (say!("Cannot encode an object of type `{}`"), class.into()),
            What::HookRaised(class) => {
                (say!("Cannot encode an object of type `{}`: the hook raised"), class.into())
            }
            What::Chain => (say!("Hooks and enums lead from value to value without an end"), NO),
            What::Depth(n) => {
                (say!("Containers nest deeper than `max_depth` ({}), or contain themselves"), (*n).into())
            }
            What::Inner(n) => (say!("Keys or sorted sets nest deeper than {}"), (*n).into()),
            What::IntRange(bits) => {
                (say!("Integer is beyond the range of {} bits"), Word::Count(u64::from(*bits)))
            }
            What::NonFinite => (say!("NaN and infinities cannot be encoded unless `nan` says how"), NO),
            What::Surrogate(at) => {
                (say!("Text has a surrogate at character {}, which UTF-8 cannot spell"), (*at).into())
            }
            What::Key(class, _) => (say!("A key cannot be of type `{}`"), class.into()),
            What::KeyNotStr => (say!("A key must be a `str`"), NO),
            What::KeyOrder => (say!("Keys of any type cannot be sorted"), NO),
            What::KeyRange => (say!("An integer key is beyond the range of 64 bits"), NO),
            What::SameKey(k) => {
                key = quoted(k);
                (say!("Two keys are both spelled {}"), (&key).into())
            }
            What::Changed(what) => (say!("The {} changed size while it was being encoded"), (*what).into()),
            What::Raw(e) => {
                let words = [e.code.words().into(), e.at.into()];
                return py::words(say!("Raw does not hold one valid value: {} (byte {})"), &words);
            }
            What::Fragment => (say!("A fragment's content must be bytes or str"), NO),
            What::Array(why) => (say!("{}"), why.into()),
            What::FloatRange => (say!("Float is beyond the range of 32 bits"), NO),
            What::Length => (say!("The value is longer than the format can say"), NO),
            What::Ext => (say!("An Ext needs a code from -128 to 127 and bytes"), NO),
            What::Invalid(words, _) => (say!("{}"), words.into()),
            What::Undeclared => (say!("The model holds another than it declares"), NO),
            What::TimeRange => (say!("The moment is beyond what the format can say"), NO),
            What::TimeWithZone => (say!("A time with tzinfo cannot be encoded"), NO),
        };
        py::words(frame, &[word])
    }
}

/// What stands behind the last dot. (The core library searches by pieces from both ends.)
pub(crate) fn last_part(name: &str) -> &str {
    let from = name.bytes().rposition(|b| b == b'.').map_or(0, |dot| dot + 1);
    name.get(from..).unwrap_or(name)
}

/// A text in double quotes, with what would break a line escaped. (The standard library's way would bring
/// tables of all that can be printed along.)
pub fn quoted(text: &str) -> String {
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
