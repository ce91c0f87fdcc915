//! Escapes, both ways (RFC 8259, section 7). The paths without escapes are in `read` and `write`.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU8, AtomicU64, Ordering};

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
        let meanings = meanings();
        loop {
            let rest = self.c.rest();
            // A part at a time, so that room for all of it is not much.
            let part = rest.get(..PART).unwrap_or(rest);
            let n = text.put_unspelled(part, meanings).map_err(|_| self.no_memory())?;
            self.c.advance(n);
            if let Some(&[b'\\', e]) = self.c.rest().first_chunk()
                && let meaning = meanings[usize::from(e)].load(Ordering::Relaxed)
                && meaning != 0
            {
                text.push(meaning).map_err(|_| self.no_memory())?;
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

/// The hexadecimal digit of the lowest four bits.
fn digit(v: u8) -> u8 {
    b"0123456789abcdef"[usize::from(v & 15)]
}

/// What letters after a backslash stand for, where they stand for something by themselves.
static LETTERS: [(u8, u8); 8] = [
    (b'"', b'"'),
    (b'\\', b'\\'),
    (b'n', b'\n'),
    (b't', b'\t'),
    (b'r', b'\r'),
    (b'b', 8),
    (b'f', 12),
    (b'/', b'/'),
];

/// The same by letter, and how each byte is spelled. Both are empty at first, so that they are no part of the binary, and
/// are made when they are first wanted. Threads that make them at the same time make the same.
static MEANINGS: Meanings = [const { AtomicU8::new(0) }; 256];
static SPELLINGS: Spellings = [const { AtomicU64::new(0) }; 256];

fn meanings() -> &'static Meanings {
    spellings();
    &MEANINGS
}

#[inline(always)]
pub(crate) fn spellings() -> &'static Spellings {
    // The last is made last: who sees it sees all else.
    if SPELLINGS[255].load(Ordering::Acquire) == 0 {
        make();
    }
    &SPELLINGS
}

#[cold]
#[inline(never)]
fn make() {
    for &(letter, meaning) in &LETTERS {
        MEANINGS[usize::from(letter)].store(meaning, Ordering::Relaxed);
    }
    for (b, spelling) in (0..).zip(&SPELLINGS) {
        // A slash may be escaped, but is not.
        let short = LETTERS.iter().find(|(_, meaning)| *meaning == b && b != b'/');
        let spelled = match short {
            Some((letter, _)) => [b'\\', *letter, 0, 0, 0, 0, 0, 2],
            None if b < 0x20 => [b'\\', b'u', b'0', b'0', b'0' + (b >> 4), digit(b), 0, 6],
            None => [b, 0, 0, 0, 0, 0, 0, 1],
        };
        spelling.store(u64::from_le_bytes(spelled), Ordering::Release);
    }
}

/// Writes `\uXXXX`.
fn put_unit(out: &mut Buf, u: u16) -> Wrote {
    let d = |shift: u16| digit((u >> shift) as u8);
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
        out.put_spelled(plain.as_bytes(), 0, spellings)?;
        chars = other.chars();
        let Some(c) = chars.next() else { return Ok(()) };
        for u in c.encode_utf16(&mut [0; 2]) {
            put_unit(out, *u)?;
        }
    }
}
