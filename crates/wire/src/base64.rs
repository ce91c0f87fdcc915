//! Bytes as text in standard base64 with padding (RFC 4648, section 4).
//!
//! The `base64` crate does the work, without its unsafe SIMD engines: it is well kept, and is as
//! strict as we want it (canonical padding, no bits left over in the last digit, no white space).

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use ::base64::Engine;
use ::base64::engine::general_purpose::STANDARD;

/// The text of some bytes.
pub fn text(bytes: &[u8]) -> String {
    // Not by `encode`, whose panic brings along how errors and vectors are printed: three kilobytes.
    let mut text = vec![0; bytes.len().div_ceil(3) * 4];
    match STANDARD.encode_slice(bytes, &mut text) {
        Ok(len) if len == text.len() => String::from_utf8(text).unwrap_or_default(),
        _ => String::new(),
    }
}

/// The bytes that a text spells; `None` unless it is just what [`text`] would have written.
pub fn parse(text: &[u8]) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_rfc_4648() {
        for (bytes, spelled) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(text(bytes.as_bytes()), spelled);
            assert_eq!(parse(spelled.as_bytes()).as_deref(), Some(bytes.as_bytes()));
        }
        assert_eq!(text(&[0xfb, 0xef, 0xff]), "++//");
    }

    #[test]
    fn reads_what_it_writes() {
        let bytes: Vec<u8> = (0..=255u8).cycle().take(1000).collect();
        for start in 0..3 {
            for end in start..300 {
                assert_eq!(parse(text(&bytes[start..end]).as_bytes()).as_deref(), Some(&bytes[start..end]));
            }
        }
        assert_eq!(parse(text(&bytes).as_bytes()), Some(bytes));
    }

    #[test]
    fn two_texts_never_spell_the_same_bytes() {
        // Every last group of four symbols over a small alphabet: what is read is written again the same.
        let symbols = b"ABQgwZ+/=-_ \n\0\x80";
        for &a in symbols {
            for &b in symbols {
                for &c in symbols {
                    for &d in symbols {
                        let group = [b'A', b'B', b'C', b'D', a, b, c, d];
                        if let Some(bytes) = parse(&group) {
                            assert_eq!(text(&bytes).as_bytes(), group);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn refuses_junk() {
        for bad in [
            "Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm8", "Z===", "====", "=", "Zm9v\n", " Zm9v", "Zm-_",
            "Zg==Zg==",
        ] {
            assert_eq!(parse(bad.as_bytes()), None, "{bad:?}");
        }
    }
}
