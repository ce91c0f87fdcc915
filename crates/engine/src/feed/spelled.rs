//! Numbers that text spells as JSON writes numbers: keys that are numbers, where a format has keys of text only.
//!
//! What may surprise: text that is long enough to take time, or that spells a number in another way, is no number here;
//! other spellings are asked of Python, and only where `strict` is off.

use py::{Own, Raised};

/// The integer that a text spells as a number is written, if it is not so long that it would take time.
pub(super) fn integer(text: &[u8]) -> Result<Option<Own>, Raised> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if digits.is_empty() || digits.len() > 4300 || digits.len() > 1 && digits[0] == b'0' {
        return Ok(None);
    }
    let mut v = 0i64;
    for b in digits {
        if !b.is_ascii_digit() {
            return Ok(None);
        }
        v = v.wrapping_mul(10).wrapping_add(i64::from(b - b'0'));
    }
    if digits.len() > 18 {
        return py::big_int(core::str::from_utf8(text).unwrap_or_default()).map(Some);
    }
    py::int(if digits.len() < text.len() { -v } else { v }).map(Some)
}

/// The float that a text spells as a number is written; one that is not finite if it spells none.
pub(super) fn float(text: &[u8]) -> f64 {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let zero = digits.len() > 1 && digits[0] == b'0' && digits[1].is_ascii_digit();
    let point = digits.iter().position(|&b| b == b'.');
    if zero || point.is_some_and(|at| !digits.get(at + 1).is_some_and(u8::is_ascii_digit)) {
        return f64::NAN;
    }
    wire::number::float_text(core::str::from_utf8(text).unwrap_or_default())
}
