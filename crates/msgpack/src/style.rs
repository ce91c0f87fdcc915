//! The options: how values are written, and how much is allowed in what is read. Fixed before
//! work begins.

use wire::time::TimeStyle;

/// In how many bits floats are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Floats {
    /// In 64, but for those that are of 32 bits where they come from.
    #[default]
    Double,
    /// In 32, rounded. Whoever writes must refuse what is beyond their range.
    Single,
    /// In 32 where that is exact; zero and NaN in one form each.
    Canonical,
}

/// How values are written.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Floats.
    pub floats: Floats,
    /// Moments that know their offset are timestamps (ext -1); otherwise all moments are text.
    pub timestamps: bool,
    /// Bytes in the forms of text, of which the one for 32 to 255 bytes is not used: the old
    /// specification.
    pub old: bool,
    /// The application type of integers beyond 64 bits. Whoever writes must refuse them if they
    /// are not wanted.
    pub big_int: i8,
    /// Moments as text.
    pub time: TimeStyle,
}

impl Default for Style {
    fn default() -> Self {
        Style { floats: Floats::Double, timestamps: true, old: false, big_int: 0, time: TimeStyle::default() }
    }
}

/// How much is allowed in the input.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many containers may nest, where values are skipped.
    pub max_depth: usize,
    /// The longest text, in bytes.
    pub max_str: usize,
    /// The longest bytes.
    pub max_bin: usize,
    /// The most items of an array.
    pub max_array: usize,
    /// The most entries of a map.
    pub max_map: usize,
    /// The longest body of an application type, in bytes.
    pub max_ext: usize,
    /// Refuse whatever has a shorter form.
    pub strict: bool,
    /// Timestamps (ext -1) are application types like any other.
    pub time_as_ext: bool,
    /// Text need not be UTF-8, where values are skipped.
    pub any_text: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_depth: 1000,
            max_str: usize::MAX,
            max_bin: usize::MAX,
            max_array: usize::MAX,
            max_map: usize::MAX,
            max_ext: usize::MAX,
            strict: false,
            time_as_ext: false,
            any_text: false,
        }
    }
}
