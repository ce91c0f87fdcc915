//! Numbers between their bits and their decimal digits, for every text format.
//!
//! Floats are read correctly rounded and written with the fewest digits that read back the same.
//! Integers are written without a division for each digit, and those of any size are turned
//! into digits and back. Signs, points and white space of the input belong to the format's own
//! grammar: what comes in here are digits and values.

mod big;
mod digits;
mod exact;
mod float;
mod powers;
mod shortest;

pub use big::{big_to_text, repeats_sign, text_to_big};
pub(crate) use digits::{E8, E16, ZEROS, sixteen, swar};
pub use digits::{decimal, ecmascript, write_i64, write_u64};
pub use exact::float_text;
pub use float::float;
pub use shortest::{write_f32, write_f64};
