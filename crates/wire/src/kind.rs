//! What a value is on the wire, before any of it is consumed, and what a number was.

/// The kind of the next value on the wire.
///
/// A format reports only the kinds that it can spell; the engine has one arm for each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// The absence of a value.
    Null,
    /// True or false.
    Bool,
    /// An integer or a float.
    Number,
    /// Text.
    Str,
    /// Bytes that are not text.
    Bytes,
    /// Values in order.
    Array,
    /// Keys with values.
    Map,
    /// A moment, a date, a time of day or a span, where the format has its own form for them.
    Time,
    /// An application type: a small code and a body.
    Ext,
    /// A value of a named shape: tuple, set, object and their kin.
    Form,
    /// Bytes that travel beside the message.
    Buffer,
    /// A value that was met before.
    Ref,
}

impl Kind {
    /// How many kinds there are: the length of a table with one arm for each.
    pub const COUNT: usize = 12;

    /// The word for this kind in an error message.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Bool => "bool",
            Kind::Number => "number",
            Kind::Str => "str",
            Kind::Bytes => "bytes",
            Kind::Array => "array",
            Kind::Map => "object",
            Kind::Time => "datetime",
            Kind::Ext => "ext",
            Kind::Form => "form",
            Kind::Buffer => "buffer",
            Kind::Ref => "reference",
        }
    }
}

/// A number as the wire had it. Nothing is rounded: what fits no machine integer stays text or bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Num<'a> {
    /// An integer of the signed 64-bit range.
    I64(i64),
    /// An integer above it, of the unsigned 64-bit range.
    U64(u64),
    /// A float.
    F64(f64),
    /// A larger integer, as an optional minus sign and decimal digits.
    Text(&'a str),
    /// A larger integer, as little-endian two's complement.
    Bytes(&'a [u8]),
}
