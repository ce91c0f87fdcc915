//! What a format can say. The engine asks these constants, never a format's name, so that a
//! branch on them disappears when an instance is compiled.

/// How a format spells integers that need more than 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Big {
    /// It cannot.
    No,
    /// As decimal digits: [`crate::Sink::big_text`], [`crate::Num::Text`].
    Text,
    /// As little-endian two's complement: [`crate::Sink::big_bytes`], [`crate::Num::Bytes`].
    Bytes,
}

/// The abilities of one format.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    /// Keys of maps can only be text.
    pub str_keys_only: bool,
    /// Bytes have a form of their own; otherwise they are spelled as base64 text.
    pub bytes: bool,
    /// NaN and the infinities can be written as floats.
    pub non_finite: bool,
    /// Moments have a form of their own; otherwise they are spelled as RFC 3339 text.
    pub time: bool,
    /// Application types: [`crate::Sink::ext`].
    pub ext: bool,
    /// Named shapes: [`crate::Sink::form`].
    pub forms: bool,
    /// Values met before are written once: [`crate::Sink::back_ref`].
    pub refs: bool,
    /// Bytes may travel beside the message: [`crate::Sink::out_of_band`].
    pub buffers: bool,
    /// A number can be taken as the text that was written: [`crate::Source::number_text`].
    pub number_text: bool,
    /// How many items a container has is known when it is opened: [`crate::Source::size_hint`].
    pub sized: bool,
    /// Writing a key again is dearer than copying what was written for it before.
    pub rendered_keys: bool,
    /// Which of the places for what is kept for each format is its own.
    pub place: usize,
    /// Integers beyond 64 bits.
    pub big: Big,
}

impl Caps {
    /// A format that can say only what every format can.
    pub const PLAIN: Caps = Caps {
        str_keys_only: true,
        bytes: false,
        non_finite: false,
        time: false,
        ext: false,
        forms: false,
        refs: false,
        buffers: false,
        number_text: false,
        sized: false,
        rendered_keys: false,
        place: 0,
        big: Big::No,
    };
}
