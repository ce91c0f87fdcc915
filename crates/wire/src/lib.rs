//! The seam between a format's grammar and everything else.
//!
//! A format implements [`Sink`] to be written and [`Source`] to be read; [`Caps`] says what it
//! can say. Output goes to a [`Buf`], input is a [`Cursor`], text is a [`Str`]. Beside the seam
//! stand the values that every format spells: numbers, moments, UUIDs, base64; and the order of texts.
//!
//! Nothing here knows of Python, and nothing here knows of any one format.
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod buf;
mod caps;
mod cursor;
mod error;
mod kind;
pub mod number;
pub mod order;
mod passed;
pub mod pattern;
#[cfg(test)]
mod random;
mod said;
mod signed;
mod sink;
mod source;
mod text;
pub mod texts;
pub mod time;
pub mod uuid;

pub use buf::{Buf, Grow, Kept, Lead, NOWHERE, RENDERED};
pub use caps::{Big, Caps};
pub use cursor::{Cursor, Input};
pub use error::{Code, Error, Full, Result, Wrote};
pub use kind::{Kind, Num};
pub use passed::Passed;
pub use said::{Said, packed, packed_len, unpacked};
pub use scan::{self, KNOWN, base64, transcode};
pub use signed::Signed;
pub use sink::{Form, Sink};
pub use source::{NumText, Source, known};
pub use text::Str;
