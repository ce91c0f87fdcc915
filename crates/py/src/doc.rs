//! Docstrings, which are packed as messages are (`wire::say!`), but end with a zero, as the interpreter wants it.
//!
//! They are unpacked when what they are of is made, and live for ever then.

use alloc::vec::Vec;
use core::ffi::CStr;

/// A docstring as it is in the extension.
#[macro_export]
macro_rules! doc {
    ($text:literal) => {{
        const PACKED: [u8; $crate::packed_len($text.to_bytes_with_nul())] =
            $crate::packed($text.to_bytes_with_nul());
        const {
            match core::ffi::CStr::from_bytes_with_nul(&PACKED) {
                Ok(doc) => doc,
                Err(_) => unreachable!(),
            }
        }
    }};
}

/// A docstring as it was, with the zero that ends it.
pub(crate) fn unpacked(doc: &CStr) -> Vec<u8> {
    wire::unpacked(doc.to_bytes_with_nul()).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_texts_come_back() {
        let doc = doc!(c"encode(obj, /, *, sort=False)\n--\n\nWrite.");
        assert_eq!(unpacked(doc), b"encode(obj, /, *, sort=False)\n--\n\nWrite.\0");
        assert_eq!(unpacked(doc!(c"")), b"\0");
    }
}
