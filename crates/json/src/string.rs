//! Escapes, both ways (RFC 8259, section 7). The paths without escapes are in `read` and `write`.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::read::{Escaped, Reader};
use wire::scan::{Meanings, Spellings};
use wire::{Buf, Code, Error, Result, Str, Wrote};

impl Reader<'_> {
    /// The rest of a string that does not end where its plain beginning does: it has an escape,
    /// or a fault. The cursor stands at the stop; the string began at `start`, after its quote.
    #[cold]
    #[inline(never)]
    pub(crate) fn escaped(&mut self, start: usize) -> Result<Str<'_>> {
        let mut kept = self
            .escaped
            .take()
            .unwrap_or_else(|| Box::new(Escaped { text: Buf::from_vec(Vec::new()), from: 0, to: 0 }));
        let text = &mut kept.text;
        text.truncate(0);
        self.c.seek(start);
        loop {
            let rest = self.c.rest();
            // A part at a time, so that room for all of it is not much.
            let part = rest.get(..PART).unwrap_or(rest);
            let n = text.put_unspelled(part, &MEANINGS).map_err(|_| self.no_memory())?;
            self.c.advance(n);
            if let Some(&[b'\\', e]) = self.c.rest().first_chunk()
                && MEANINGS[usize::from(e)] != 0
            {
                text.push(MEANINGS[usize::from(e)]).map_err(|_| self.no_memory())?;
                self.c.advance(2);
                continue;
            }
            match self.c.peek() {
                b'"' => {
                    self.c.advance(1);
                    (kept.from, kept.to) = (start, self.c.offset());
                    return Ok(Str::unchecked(self.escaped.insert(kept).text.as_slice()));
                }
                b'\\' => {
                    let c = self.escape()?;
                    let mut utf8 = [0; 4];
                    let len = c.encode_utf8(&mut utf8).len();
                    text.put_short(&utf8, len).map_err(|_| self.no_memory())?;
                }
                _ if self.c.at_end() => return self.fail(Code::Eof),
                b if b < b' ' => return self.fail(Code::Control),
                // Near the end of a part.
                b => {
                    text.push(b).map_err(|_| self.no_memory())?;
                    self.c.advance(1);
                }
            }
        }
    }

    #[cold]
    fn no_memory(&self) -> Error {
        Error { code: Code::Memory, at: self.c.offset() }
    }

    /// One escape that is not of one letter, the cursor standing at its backslash.
    #[inline]
    fn escape(&mut self) -> Result<char> {
        let at = self.c.offset();
        self.c.advance(1);
        match self.c.peek() {
            b'u' => {
                self.c.advance(1);
                self.unicode(at)
            }
            _ if self.c.at_end() => self.fail(Code::Eof),
            _ => Err(Error { code: Code::Escape, at }),
        }
    }

    /// A `\u` escape and, for a high surrogate, the low one that must follow.
    fn unicode(&mut self, at: usize) -> Result<char> {
        let mut c = self.hex(at)?;
        if c & 0xfc00 == 0xd800 {
            if !self.c.eat_word(b"\\u") {
                return if self.c.at_end() {
                    self.fail(Code::Eof)
                } else {
                    Err(Error { code: Code::Surrogate, at })
                };
            }
            let low = self.hex(at)?;
            if low & 0xfc00 != 0xdc00 {
                return Err(Error { code: Code::Surrogate, at });
            }
            c = 0x1_0000 + ((c & 0x3ff) << 10 | low & 0x3ff);
        }
        char::from_u32(c).ok_or(Error { code: Code::Surrogate, at })
    }

    /// Four hexadecimal digits.
    fn hex(&mut self, at: usize) -> Result<u32> {
        let mut v = 0;
        for _ in 0..4 {
            let Some(d) = (self.c.peek() as char).to_digit(16) else {
                return if self.c.at_end() {
                    self.fail(Code::Eof)
                } else {
                    Err(Error { code: Code::Escape, at })
                };
            };
            v = v << 4 | d;
            self.c.advance(1);
        }
        Ok(v)
    }
}

/// How much of a string is copied at once.
const PART: usize = 512;

const HEX: &[u8; 16] = b"0123456789abcdef";

/// What a letter after a backslash stands for; 0 for those that stand for none by themselves.
static MEANINGS: Meanings = {
    let mut all = [0; 256];
    let letters = [
        (b'"', b'"'),
        (b'\\', b'\\'),
        (b'/', b'/'),
        (b'n', b'\n'),
        (b't', b'\t'),
        (b'r', b'\r'),
        (b'b', 8),
        (b'f', 12),
    ];
    let mut i = 0;
    while i < letters.len() {
        all[letters[i].0 as usize] = letters[i].1;
        i += 1;
    }
    all
};

/// How each byte of ASCII is spelled, with the number of bytes in the last place.
pub(crate) static SPELLINGS: Spellings = {
    let mut all = [[0; 8]; 128];
    let mut b = 0;
    while b < 128 {
        all[b] = if b < 0x20 {
            [b'\\', b'u', b'0', b'0', HEX[b >> 4], HEX[b & 15], 0, 6]
        } else {
            [b as u8, 0, 0, 0, 0, 0, 0, 1]
        };
        b += 1;
    }
    let short =
        [(b'"', b'"'), (b'\\', b'\\'), (b'\n', b'n'), (b'\r', b'r'), (b'\t', b't'), (8, b'b'), (12, b'f')];
    let mut i = 0;
    while i < short.len() {
        all[short[i].0 as usize] = [b'\\', short[i].1, 0, 0, 0, 0, 0, 2];
        i += 1;
    }
    all
};

/// Writes `\uXXXX`.
fn put_unit(out: &mut Buf, u: u16) -> Wrote {
    let d = |shift: u16| HEX[(u >> shift & 15) as usize];
    out.put(&[b'\\', b'u', d(12), d(8), d(4), d(0)])
}

/// Writes text with everything escaped that is not printable ASCII.
#[cold]
pub(crate) fn put_ascii(out: &mut Buf, text: &str) -> Wrote {
    let mut chars = text.chars();
    loop {
        let rest = chars.as_str();
        let n = rest.bytes().position(|b| b > 0x7f).unwrap_or(rest.len());
        let (plain, other) = rest.split_at_checked(n).unwrap_or((rest, ""));
        out.put_spelled(plain.as_bytes(), 0, &SPELLINGS)?;
        chars = other.chars();
        let Some(c) = chars.next() else { return Ok(()) };
        for u in c.encode_utf16(&mut [0; 2]) {
            put_unit(out, *u)?;
        }
    }
}
