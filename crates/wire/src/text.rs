//! Text on its way between a format and whoever uses it, with what is known of its bytes.
//!
//! What may surprise: text that is not ASCII may be *unchecked*. Whoever turns it into another
//! encoding must look at every byte anyhow, so checking it here as well would read it twice.
//! [`Str::utf8`] checks on demand.
#![allow(unsafe_code)]

/// What is known of the bytes of a [`Str`]. As wide as a word, for the reason that `Code` is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
enum Class {
    /// Every byte is below 0x80.
    Ascii,
    /// Valid UTF-8.
    Utf8,
    /// Nothing is known yet.
    Unchecked,
}

/// Text, and what is known of it. The fields are private: a wrong claim would be unsound.
#[derive(Clone, Copy, Debug)]
pub struct Str<'a> {
    bytes: &'a [u8],
    class: Class,
}

impl<'a> Str<'a> {
    /// Text that Rust already knows to be UTF-8.
    #[inline]
    pub fn new(text: &'a str) -> Self {
        let class = if text.is_ascii() { Class::Ascii } else { Class::Utf8 };
        Str { bytes: text.as_bytes(), class }
    }

    /// Bytes of which nothing is known.
    #[inline]
    pub fn unchecked(bytes: &'a [u8]) -> Self {
        Str { bytes, class: if is_ascii(bytes) { Class::Ascii } else { Class::Unchecked } }
    }

    /// Bytes of which nothing is known but whether they are all ASCII, which the maker proved.
    ///
    /// # Safety
    /// If `ascii`, every byte must be below 0x80.
    #[inline]
    pub unsafe fn scanned(bytes: &'a [u8], ascii: bool) -> Self {
        debug_assert!(!ascii || bytes.is_ascii());
        Str { bytes, class: if ascii { Class::Ascii } else { Class::Unchecked } }
    }

    /// Bytes that somebody else has proved to be UTF-8.
    ///
    /// # Safety
    /// `bytes` must be valid UTF-8, and all below 0x80 if `ascii`.
    #[inline]
    pub unsafe fn proved(bytes: &'a [u8], ascii: bool) -> Self {
        debug_assert!(core::str::from_utf8(bytes).is_ok());
        debug_assert!(!ascii || bytes.is_ascii());
        Str { bytes, class: if ascii { Class::Ascii } else { Class::Utf8 } }
    }

    /// Whether it is known to be ASCII. False does not mean that it is not.
    #[inline]
    pub fn is_ascii(&self) -> bool {
        self.class == Class::Ascii
    }

    /// Whether it is known to be UTF-8.
    #[inline]
    pub fn is_checked(&self) -> bool {
        self.class != Class::Unchecked
    }

    /// The bytes, checked or not.
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The text, checked if it was not yet; or how many leading bytes are valid UTF-8.
    #[inline]
    pub fn utf8(&self) -> Result<&'a str, usize> {
        if self.is_checked() {
            // SAFETY: the class says that the bytes are valid UTF-8, and only a proof sets it.
            return Ok(unsafe { core::str::from_utf8_unchecked(self.bytes) });
        }
        core::str::from_utf8(self.bytes).map_err(|e| e.valid_up_to())
    }
}

/// Whether every byte is below 0x80. Most text is short: two words that may overlap, where the
/// general way would ask about alignment first.
#[inline(always)]
fn is_ascii(bytes: &[u8]) -> bool {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let n = bytes.len();
    if n > 32 {
        return if n > 256 { scan::long_ascii(bytes) } else { scan::ascii(bytes) };
    }
    let word = |at: usize| {
        let chunk = bytes.get(at..at + 8).and_then(|c| c.first_chunk::<8>());
        chunk.map_or(0, |c| u64::from_ne_bytes(*c))
    };
    if n >= 16 {
        return (word(0) | word(8) | word(n - 16) | word(n - 8)) & HIGH == 0;
    }
    if n >= 8 {
        return (word(0) | word(n - 8)) & HIGH == 0;
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        return (u32::from_ne_bytes(*first) | u32::from_ne_bytes(*last)) & HIGH as u32 == 0;
    }
    bytes.iter().fold(0, |all, b| all | b) < 0x80
}

#[cfg(test)]
mod tests {
    use super::is_ascii;

    #[test]
    fn one_high_byte_anywhere_is_seen() {
        for n in (0..80usize).chain([300, 1000]) {
            let mut text = alloc::vec![b'a'; n];
            assert!(is_ascii(&text));
            for at in 0..n {
                text[at] = 0x80;
                assert!(!is_ascii(&text), "{n} {at}");
                text[at] = b'a';
            }
        }
    }
}
