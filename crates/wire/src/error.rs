//! Faults in the bytes: what, and where. Plain data; Python has the words (`python/oxwire/_raised.py`).
//!
//! Line and column are not kept: whoever shows the error finds them from the offset, so that
//! the good path never counts lines.

/// What is wrong with the input. Python knows each by its place here, so a new one is added there, too.
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

/// The output could not grow: there is no memory. Zero-sized, so that [`Wrote`] is one register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

/// What every verb of a [`crate::Sink`] gives.
pub type Wrote = core::result::Result<(), Full>;
