//! How much a reader takes, and what it gives instead of more.

/// How much is allowed.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many values may be open at once.
    pub max_depth: usize,
    /// The longest integer, in bytes.
    pub max_int_bytes: usize,
    /// The most shapes.
    pub max_shapes: usize,
    /// The most types.
    pub max_types: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_depth: 1000, max_int_bytes: 65_536, max_shapes: 65_536, max_types: 4096 }
    }
}

/// What the reader gives instead of a value that it refuses: [`Reader::why`] has the reason. (It takes no room, so
/// that what is given comes back in registers.)
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refused;

/// What the reader gives.
pub(crate) type Result<T> = core::result::Result<T, Refused>;
