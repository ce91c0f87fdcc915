//! Files: a head, then frames, each a message or something about the file.
//!
//! What may surprise: a file that is cut off has good messages before the cut. [`Frames::next`] gives them, and says at the
//! end whether the file was closed.

use alloc::vec::Vec;

use wire::{Code, Error, Result};

/// What a file begins with, before its version and flags.
pub const MAGIC: [u8; 8] = *b"\x89OXN\r\n\x1a\n";
/// Each frame ends with a check.
pub const CHECKED: u16 = 1;

const END: u8 = 0;
const MESSAGE: u8 = 1;
const PAD: u8 = 2;
/// Kinds from here on are passed over if they are not known.
const PASSED: u8 = 0x80;

/// A run of frames, being read.
#[derive(Clone, Copy, Debug)]
pub struct Frames<'d> {
    input: &'d [u8],
    at: usize,
    checked: bool,
    messages: u64,
    /// Whether the last frame was an end.
    pub closed: bool,
}

impl<'d> Frames<'d> {
    /// Stands behind the head of a file.
    pub fn new(input: &'d [u8]) -> Result<Self> {
        let wrong = |at| Err(Error { code: Code::Header, at });
        let Some((head, _)) = input.split_first_chunk::<12>() else { return wrong(0) };
        let [magic @ .., a, b, c, d] = *head;
        let flags = u16::from_le_bytes([c, d]);
        if magic != MAGIC {
            return wrong(0);
        }
        if u16::from_le_bytes([a, b]) != 1 || flags & 0xfe != 0 {
            return wrong(8);
        }
        Ok(Frames { at: 12, ..Self::bare(input, flags & CHECKED != 0) })
    }

    /// Stands at a first frame, without a head.
    pub fn bare(input: &'d [u8], checked: bool) -> Self {
        Frames { input, at: 0, checked, messages: 0, closed: false }
    }

    /// How much was read: up to here the frames are whole.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The next message and where it begins; nothing at the end.
    #[allow(clippy::should_implement_trait, reason = "a fault is the last that it gives")]
    pub fn next(&mut self) -> Result<Option<(usize, &'d [u8])>> {
        loop {
            let start = self.at;
            let Some(rest) = self.input.get(start..).filter(|rest| !rest.is_empty()) else { return Ok(None) };
            let eof = Error { code: Code::Eof, at: self.input.len() };
            let (kind, head, n) = head(rest, start)?.ok_or(eof)?;
            let check = if self.checked { 4 } else { 0 };
            let body = rest.get(head..).and_then(|body| body.get(..n)).ok_or(eof)?;
            let end = head + n;
            if self.checked {
                let said = rest.get(end..).and_then(|tail| tail.first_chunk()).ok_or(eof)?;
                if u32::from_le_bytes(*said) != crc32(&rest[..end]) {
                    return Err(Error { code: Code::Body, at: start });
                }
            }
            self.at = start + end + check;
            self.closed = kind == END;
            match kind {
                END => {
                    let (_, len, count) = head_of_end(body, start)?;
                    if len != body.len() || count != self.messages {
                        return Err(Error { code: Code::Body, at: start });
                    }
                }
                MESSAGE => {
                    self.messages += 1;
                    return Ok(Some((start + head, body)));
                }
                PAD if body.iter().any(|&b| b != 0) => return Err(Error { code: Code::Body, at: start }),
                PAD | PASSED.. => {}
                _ => return Err(Error { code: Code::Marker, at: start }),
            }
        }
    }
}

/// A kind, how long it and the length are, and the length; nothing if they are not all there.
fn head(frame: &[u8], at: usize) -> Result<Option<(u8, usize, usize)>> {
    let Some((&kind, rest)) = frame.split_first() else { return Ok(None) };
    let mut n = 0;
    for (index, &b) in rest.iter().take(9).enumerate() {
        n |= u64::from(b & 0x7f) << (7 * index);
        if b < 0x80 {
            if b == 0 && index > 0 {
                break;
            }
            return Ok(Some((kind, index + 2, usize::try_from(n).unwrap_or(usize::MAX))));
        }
    }
    if rest.len() < 9 && rest.iter().all(|&b| b >= 0x80) {
        return Ok(None);
    }
    Err(Error { code: Code::NotShortest, at })
}

/// The count in an end: as it stands behind a kind.
fn head_of_end(body: &[u8], at: usize) -> Result<(u8, usize, u64)> {
    let mut framed = Vec::with_capacity(1 + body.len().min(9));
    framed.push(END);
    framed.extend_from_slice(body.get(..9).unwrap_or(body));
    match head(&framed, at)? {
        Some((kind, len, n)) => Ok((kind, len - 1, n as u64)),
        None => Err(Error { code: Code::Body, at }),
    }
}

/// Writes a frame behind what `out` holds.
fn frame(out: &mut Vec<u8>, kind: u8, body: &[u8], checked: bool) {
    let start = out.len();
    out.push(kind);
    put_varint(out, body.len() as u64);
    out.extend_from_slice(body);
    if checked {
        let check = crc32(&out[start..]);
        out.extend_from_slice(&check.to_le_bytes());
    }
}

fn put_varint(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Writes the head of a file.
pub fn put_head(out: &mut Vec<u8>, checked: bool) {
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&1u16.to_le_bytes());
    out.extend_from_slice(&u16::from(checked).to_le_bytes());
}

/// Writes a message as a frame.
pub fn put_message(out: &mut Vec<u8>, message: &[u8], checked: bool) {
    frame(out, MESSAGE, message, checked);
}

/// Writes the end of a file that has so many messages.
pub fn put_end(out: &mut Vec<u8>, messages: u64, checked: bool) {
    let mut body = Vec::new();
    put_varint(&mut body, messages);
    frame(out, END, &body, checked);
}

/// CRC-32 as zlib has it, four bits at a time: what few bytes need no table for.
pub fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 16] = {
        let mut table = [0; 16];
        let mut i = 0;
        while i < 16 {
            let mut v = i as u32;
            let mut bit = 0;
            while bit < 4 {
                v = if v & 1 == 1 { v >> 1 ^ 0xedb8_8320 } else { v >> 1 };
                bit += 1;
            }
            table[i] = v;
            i += 1;
        }
        table
    };
    !bytes.iter().fold(!0u32, |v, &b| {
        let v = TABLE[((v ^ u32::from(b)) & 15) as usize] ^ v >> 4;
        TABLE[((v ^ u32::from(b) >> 4) & 15) as usize] ^ v >> 4
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn file(checked: bool) -> Vec<u8> {
        let mut out = Vec::new();
        put_head(&mut out, checked);
        put_message(&mut out, b"\xb0\x58", checked);
        frame(&mut out, PAD, &[0; 5], checked);
        frame(&mut out, 0x90, b"who knows", checked);
        put_message(&mut out, &[0xb0; 300], checked);
        put_end(&mut out, 2, checked);
        put_message(&mut out, b"\xb0\x59", checked);
        put_end(&mut out, 3, checked);
        out
    }

    #[test]
    fn the_check_is_that_of_zlib() {
        assert_eq!(crc32(b""), 0);
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn messages_come_out_as_they_went_in() {
        for checked in [false, true] {
            let file = file(checked);
            let mut frames = Frames::new(&file).unwrap();
            let mut lengths = vec![];
            while let Some((at, message)) = frames.next().unwrap() {
                assert_eq!(&file[at..at + message.len()], message);
                lengths.push(message.len());
            }
            assert_eq!(lengths, [2, 300, 2]);
            assert!(frames.closed && frames.at() == file.len());
        }
    }

    #[test]
    fn a_cut_is_seen() {
        let file = file(true);
        for n in 12..file.len() {
            let mut frames = Frames::new(&file[..n]).unwrap();
            loop {
                match frames.next() {
                    Ok(Some(_)) => {}
                    Ok(None) => break assert!(!frames.closed || [n, 2].contains(&frames.at())),
                    Err(e) => break assert_eq!(e, Error { code: Code::Eof, at: n }),
                }
            }
        }
    }

    #[test]
    fn every_changed_byte_is_seen() {
        let good = file(true);
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            let read = || {
                let mut frames = Frames::new(&bad)?;
                while frames.next()?.is_some() {}
                Ok::<_, Error>(frames.closed)
            };
            // The highest byte of the flags says nothing.
            assert!(at == 11 || read() != Ok(true), "{at}");
        }
    }
}
