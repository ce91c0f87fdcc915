//! What went wrong with a value, where, and the words for it.
//!
//! What may surprise: the words here are ours. A compatible face for another library words the
//! same faults in its own way, which is why they are data until the edge.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};

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
    /// A model holds another than it declares. Nobody sees this: it is written in another way then.
    Undeclared,
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

    /// The words, without the path.
    pub fn words(&self) -> String {
        match &self.what {
            What::Raised => "an exception was raised".into(),
            What::Memory => "not enough memory".into(),
            What::Wire(e) => e.code.words().into(),
            What::Unsupported(class) => format!("Cannot encode an object of type `{class}`"),
            What::HookRaised(class) => format!("Cannot encode an object of type `{class}`: the hook raised"),
            What::Chain => "Hooks and enums lead from value to value without an end".into(),
            What::Depth(n) => format!("Containers nest deeper than `max_depth` ({n}), or contain themselves"),
            What::Inner(n) => format!("Keys or sorted sets nest deeper than {n}"),
            What::IntRange(bits) => format!("Integer is beyond the range of {bits} bits"),
            What::NonFinite => "NaN and infinities cannot be encoded unless `nan` says how".into(),
            What::Surrogate(at) => {
                format!("Text has a surrogate at character {at}, which UTF-8 cannot spell")
            }
            What::Key(class, _) => format!("A key cannot be of type `{class}`"),
            What::KeyNotStr => "A key must be a `str`".into(),
            What::KeyOrder => "Keys of any type cannot be sorted".into(),
            What::KeyRange => "An integer key is beyond the range of 64 bits".into(),
            What::SameKey(key) => format!("Two keys are both spelled {}", quoted(key)),
            What::Changed(what) => format!("The {what} changed size while it was being encoded"),
            What::Raw(e) => format!("Raw does not hold one valid value: {} (byte {})", e.code.words(), e.at),
            What::Fragment => "A fragment's content must be bytes or str".into(),
            What::Array(why) => why.clone(),
            What::FloatRange => "Float is beyond the range of 32 bits".into(),
            What::Length => "The value is longer than the format can say".into(),
            What::Ext => "An Ext needs a code from -128 to 127 and bytes".into(),
            What::Undeclared => "The model holds another than it declares".into(),
            What::TimeRange => "The moment is beyond what the format can say".into(),
            What::TimeWithZone => "A time with tzinfo cannot be encoded".into(),
        }
    }
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
            c if c < ' ' || c == '\u{7f}' => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
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
        self.0.push_str(&format!("[{i}]"));
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
            self.0.push_str(&format!("[{}]", quoted(key)));
        }
    }

    /// A key that is not text.
    pub(crate) fn other(&mut self, key: &str) {
        self.0.push_str(&format!("[{key}]"));
    }

    pub(crate) fn done(self) -> String {
        self.0
    }
}
