//! Escapes, both ways (RFC 8259, section 7). The paths without escapes are in `read` and `write`.

use crate::read::Reader;
use wire::{Buf, Code, Error, Result, Str, Wrote};

impl Reader<'_> {
    /// The rest of a string that does not end where its plain beginning does: it has an escape,
    /// or a fault. The cursor stands at the stop; the string began at `start`, after its quote.
    #[cold]
    #[inline(never)]
    pub(crate) fn escaped(&mut self, start: usize) -> Result<Str<'_>> {
        self.text.clear();
        self.c.seek(start);
        loop {
            self.text.extend_from_slice(self.c.plain().bytes());
            match self.c.peek() {
                b'"' => {
                    self.c.advance(1);
                    self.escaped = (start, self.c.offset());
                    return Ok(Str::unchecked(&self.text));
                }
                b'\\' => {
                    let c = self.escape()?;
                    if c.is_ascii() {
                        self.text.push(c as u8);
                    } else {
                        self.text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                }
                _ if self.c.at_end() => return self.fail(Code::Eof),
                _ => return self.fail(Code::Control),
            }
        }
    }

    /// One escape, the cursor standing at its backslash.
    #[inline]
    fn escape(&mut self) -> Result<char> {
        let at = self.c.offset();
        self.c.advance(1);
        let plain = match self.c.peek() {
            b @ (b'"' | b'\\' | b'/') => b as char,
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                self.c.advance(1);
                return self.unicode(at);
            }
            _ if self.c.at_end() => return self.fail(Code::Eof),
            _ => return Err(Error { code: Code::Escape, at }),
        };
        self.c.advance(1);
        Ok(plain)
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

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Writes the escape of one byte that must have one.
#[inline(never)]
pub(crate) fn put_escape(out: &mut Buf, b: u8) -> Wrote {
    let short = match b {
        b'"' => b'"',
        b'\\' => b'\\',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        8 => b'b',
        12 => b'f',
        _ => return put_unit(out, u16::from(b)),
    };
    out.put(&[b'\\', short])
}

/// Writes `\uXXXX`.
fn put_unit(out: &mut Buf, u: u16) -> Wrote {
    let d = |shift: u16| HEX[(u >> shift & 15) as usize];
    out.put(&[b'\\', b'u', d(12), d(8), d(4), d(0)])
}

/// Writes text with everything escaped that is not printable ASCII.
#[cold]
pub(crate) fn put_ascii(out: &mut Buf, text: &str) -> Wrote {
    for c in text.chars() {
        match c {
            '"' | '\\' | '\0'..='\u{1f}' => put_escape(out, c as u8)?,
            ' '..='\u{7f}' => out.push(c as u8)?,
            _ => {
                for u in c.encode_utf16(&mut [0; 2]) {
                    put_unit(out, *u)?;
                }
            }
        }
    }
    Ok(())
}
