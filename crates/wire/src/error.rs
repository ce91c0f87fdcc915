//! Faults in the bytes: what, and where. Plain data; the words stand here and nowhere else.
//!
//! Line and column are not kept: whoever shows the error finds them from the offset, so that
//! the good path never counts lines.

use core::fmt;

use crate::{Said, say};

/// What is wrong with the input.
///
/// As wide as a word, so that a result which holds it is moved word by word: a narrow store that a
/// wide load must wait for cost a sixth of the time of reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Code {
    /// The input holds no value at all.
    Empty,
    /// The input ends inside a value.
    Eof,
    /// A value was expected.
    Value,
    /// `null`, `true` or `false` was begun and not finished.
    Literal,
    /// `,` or `]` was expected.
    CommaOrBracket,
    /// `,` or `}` was expected.
    CommaOrBrace,
    /// A comma stands before the closing bracket or brace.
    TrailingComma,
    /// A key in double quotes was expected.
    Key,
    /// `:` was expected.
    Colon,
    /// A digit was expected.
    Digit,
    /// A digit was expected after the decimal point.
    FractionDigit,
    /// A digit was expected in the exponent.
    ExponentDigit,
    /// An integer part begins with a superfluous zero.
    LeadingZero,
    /// The number is beyond the range of a 64-bit float.
    FloatRange,
    /// The integer is beyond the range that was asked for.
    IntRange,
    /// The integer has more digits than were allowed.
    IntDigits,
    /// NaN or an infinity stands where numbers must be finite.
    NotFinite,
    /// A control character stands unescaped in a string.
    Control,
    /// A backslash is not followed by a valid escape.
    Escape,
    /// An escaped surrogate has no partner.
    Surrogate,
    /// The text is not UTF-8.
    NotUtf8,
    /// A byte order mark stands at the start.
    Bom,
    /// Something follows the value.
    Trailing,
    /// A key stands twice in one map.
    DuplicateKey,
    /// Containers nest deeper than was allowed.
    Depth,
    /// A length is greater than was allowed, or than the input can hold.
    Length,
    /// There is no memory for what the input asks.
    Memory,
    /// The first byte of a value has no meaning in the format.
    Marker,
    /// A form that the format forbids, or that was forbidden for this input.
    Forbidden,
    /// An array was expected.
    Array,
    /// A map stands where a key should, or in an array that is a key.
    MapKey,
    /// A key of a kind that was not allowed.
    KeyKind,
    /// A value is written in a longer form than it needs.
    NotShortest,
    /// A moment of a length that moments do not have, or with more nanoseconds than a second has.
    Timestamp,
    /// A moment that whoever reads has no value for.
    TimeRange,
    /// Text is longer than was allowed.
    LongStr,
    /// Bytes are longer than was allowed.
    LongBytes,
    /// An array has more items than was allowed.
    LongArray,
    /// A map has more entries than was allowed.
    LongMap,
    /// The body of an application type is longer than was allowed.
    LongExt,
    /// The body of an application type is not what its code says.
    ExtBody,
    /// The first byte of a message is not that of a version that is known.
    Header,
    /// A reference leads to nothing that can be referred to.
    Reference,
    /// A shape or a type that was not defined before.
    Undefined,
    /// Fields of a value say nothing that exists.
    Body,
    /// More than a limit of its own allows.
    Limit,
}

impl Code {
    /// What was expected, or what is wrong, as the middle of a sentence.
    pub const fn words(self) -> Said {
        match self {
            Code::Empty => say!("expected a value, but the input is empty"),
            Code::Eof => say!("unexpected end of input"),
            Code::Value => say!("expected a value"),
            Code::Literal => say!("expected `null`, `true` or `false`"),
            Code::CommaOrBracket => say!("expected `,` or `]`"),
            Code::CommaOrBrace => say!("expected `,` or `}`"),
            Code::TrailingComma => say!("expected a value after `,`: a trailing comma is not allowed"),
            Code::Key => say!("expected a key in double quotes"),
            Code::Colon => say!("expected `:` after the key"),
            Code::Digit => say!("expected a digit after the sign"),
            Code::FractionDigit => say!("expected a digit after the decimal point"),
            Code::ExponentDigit => say!("expected a digit in the exponent"),
            Code::LeadingZero => say!("a number may not begin with a superfluous zero"),
            Code::FloatRange => say!("the number is beyond the range of a 64-bit float"),
            Code::IntRange => say!("the integer is beyond the range set by `int_bits`"),
            Code::IntDigits => say!("the integer has more digits than `max_int_digits` allows"),
            Code::NotFinite => say!("NaN and infinities are not allowed unless `nan` says so"),
            Code::Control => say!("control characters must be escaped in a string"),
            Code::Escape => say!("invalid escape sequence in a string"),
            Code::Surrogate => say!("an escaped surrogate must be half of a pair"),
            Code::NotUtf8 => say!("the text is not valid UTF-8"),
            Code::Bom => say!("a byte order mark is not allowed"),
            Code::Trailing => say!("expected the end of the input after the value"),
            Code::DuplicateKey => say!("the key stands twice in one object"),
            Code::Depth => say!("containers nest deeper than `max_depth` allows"),
            Code::Length => say!("a length is beyond the limit, or beyond the input"),
            Code::Memory => say!("not enough memory for the value"),
            Code::Marker => say!("the byte begins no value"),
            Code::Forbidden => say!("the form is not allowed here"),
            Code::Array => say!("expected an array"),
            Code::MapKey => say!("a map cannot be a key, or part of one"),
            Code::KeyKind => say!("a key of this kind is not allowed"),
            Code::NotShortest => say!("the value has a shorter form, which `strict` demands"),
            Code::Timestamp => say!("a timestamp has 4, 8 or 12 bytes, and fewer nanoseconds than a second"),
            Code::TimeRange => {
                say!(
                    "the timestamp has parts of a microsecond or a year that a datetime cannot hold: `timestamp` chooses another type"
                )
            }
            Code::LongStr => say!("the text is longer than `max_str_len` allows"),
            Code::LongBytes => say!("the bytes are longer than `max_bin_len` allows"),
            Code::LongArray => say!("the array has more items than `max_array_len` allows"),
            Code::LongMap => say!("the map has more entries than `max_map_len` allows"),
            Code::LongExt => say!("the ext is longer than `max_ext_len` allows"),
            Code::ExtBody => say!("the ext does not hold what its code says"),
            Code::Header => say!("the message does not begin as one of a version that is known"),
            Code::Reference => say!("the reference leads to nothing that can be referred to"),
            Code::Undefined => say!("the shape or type was not defined before"),
            Code::Body => say!("the value says nothing that exists"),
            Code::Limit => say!("the value is beyond a limit"),
        }
    }
}

/// A fault in the input: what, and at which byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Error {
    /// What is wrong.
    pub code: Code,
    /// Offset of the offending byte from the start of the input.
    pub at: usize,
}

/// What a [`crate::Source`] gives: a value, or a fault in the input.
pub type Result<T> = core::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (byte {})", self.code.words().text(), self.at)
    }
}

/// The output could not grow: there is no memory. Zero-sized, so that [`Wrote`] is one register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

/// What every verb of a [`crate::Sink`] gives.
pub type Wrote = core::result::Result<(), Full>;
