//! Where does a message end, in input that comes in pieces?
//!
//! This adds up heads and lengths and checks nothing else: whoever gets the message reads it, and
//! finds its faults. Only a byte that begins nothing, and a length beyond the limits, are faults
//! here too, because what stands behind them might be waited for in vain.

use crate::marker::*;
use crate::style::Limits;
use wire::{Code, Error, Result};

/// A search for the end of a message, which goes on where it stopped: no byte is looked at twice.
#[derive(Clone, Copy, Debug)]
pub struct Skim {
    /// How far it came, from the beginning of the message. Perhaps beyond what there is.
    at: usize,
    /// How many values are still to come.
    left: u64,
}

impl Default for Skim {
    fn default() -> Self {
        Skim { at: 0, left: 1 }
    }
}

impl Skim {
    /// Goes on in a message of which so much is there by now; its length, if all of it is.
    pub fn look(&mut self, message: &[u8], limits: &Limits) -> Result<Option<usize>> {
        while self.left > 0 {
            let Some((head, tail)) = message.get(self.at..).and_then(|rest| rest.split_first()) else {
                return Ok(None);
            };
            let (size, values) = match *head {
                0..FIX_MAP | NEGATIVE.. | NIL | FALSE | TRUE => (0, 0),
                b @ FIX_MAP..FIX_ARRAY => (0, 2 * u64::from(b & 0x0f)),
                b @ FIX_ARRAY..FIX_STR => (0, u64::from(b & 0x0f)),
                b @ FIX_STR..NIL => (usize::from(b & 0x1f), 0),
                NEVER => return Err(Error { code: Code::Marker, at: self.at }),
                UINT_8 | INT_8 => (1, 0),
                UINT_16 | INT_16 | FIX_EXT_1 => (2, 0),
                FIX_EXT_2 => (3, 0),
                UINT_32 | INT_32 | FLOAT_32 => (4, 0),
                FIX_EXT_4 => (5, 0),
                UINT_64 | INT_64 | FLOAT_64 => (8, 0),
                FIX_EXT_8 => (9, 0),
                FIX_EXT_16 => (17, 0),
                b => {
                    let Some((n, digits)) = length(b, tail) else { return Ok(None) };
                    let (max, code) = match b {
                        STR_8..=STR_32 => (limits.max_str, Code::LongStr),
                        BIN_8..=BIN_32 => (limits.max_bin, Code::LongBytes),
                        EXT_8..=EXT_32 => (limits.max_ext, Code::LongExt),
                        ARRAY_16 | ARRAY_32 => (limits.max_array, Code::LongArray),
                        _ => (limits.max_map, Code::LongMap),
                    };
                    if n > max {
                        return Err(Error { code, at: self.at });
                    }
                    match b {
                        ARRAY_16 | ARRAY_32 => (digits, n as u64),
                        MAP_16 | MAP_32 => (digits, 2 * n as u64),
                        EXT_8..=EXT_32 => (digits.saturating_add(1).saturating_add(n), 0),
                        _ => (digits.saturating_add(n), 0),
                    }
                }
            };
            self.at = self.at.saturating_add(1).saturating_add(size);
            self.left = (self.left - 1).saturating_add(values);
        }
        // A body may reach beyond what there is.
        Ok((self.at <= message.len()).then_some(self.at))
    }

    /// The head of an array or map: how many items or entries it has, and how long the head is.
    /// Nothing if the head is not all there; an error if none stands there.
    pub fn header(input: &[u8], map: bool) -> Result<Option<(usize, usize)>> {
        let Some((head, tail)) = input.split_first() else { return Ok(None) };
        match *head {
            b @ FIX_MAP..FIX_ARRAY if map => Ok(Some((usize::from(b & 0x0f), 1))),
            b @ FIX_ARRAY..FIX_STR if !map => Ok(Some((usize::from(b & 0x0f), 1))),
            b @ (MAP_16 | MAP_32) if map => Ok(length(b, tail).map(|(n, digits)| (n, 1 + digits))),
            b @ (ARRAY_16 | ARRAY_32) if !map => Ok(length(b, tail).map(|(n, digits)| (n, 1 + digits))),
            _ => Err(Error { code: Code::Forbidden, at: 0 }),
        }
    }
}

/// The length that stands behind a head, and in how many bytes.
fn length(head: u8, tail: &[u8]) -> Option<(usize, usize)> {
    match head {
        BIN_8 | EXT_8 | STR_8 => tail.first().map(|&n| (n.into(), 1)),
        BIN_16 | EXT_16 | STR_16 | ARRAY_16 | MAP_16 => {
            tail.first_chunk().map(|n| (u16::from_be_bytes(*n).into(), 2))
        }
        _ => tail.first_chunk().map(|n| (u32::from_be_bytes(*n) as usize, 4)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_split_finds_the_same_end() {
        let message = b"\x87\xa1a\x92\x01\xcd\x01\x02\xcf12345678\xc4\x03xyz\xc0\xd9\x02hi\xc7\x03\x05abc\
            \xd6\xff1234\xcb12345678\xdc\x00\x02\x90\x80\xe0\x81\xc3\xda\x00\x01q\x7f\xd5\x01ab";
        for n in 0..message.len() {
            let mut s = Skim::default();
            assert_eq!(s.look(&message[..n], &Limits::default()), Ok(None), "{n}");
            assert_eq!(s.look(message, &Limits::default()), Ok(Some(message.len())), "{n}");
        }
        let mut s = Skim::default();
        for n in 0..message.len() {
            assert_eq!(s.look(&message[..n], &Limits::default()), Ok(None));
        }
        assert_eq!(s.look(message, &Limits::default()), Ok(Some(message.len())));
    }

    #[test]
    fn what_cannot_end_is_said_at_once() {
        let limits = Limits { max_str: 5, ..Limits::default() };
        let look = |m: &[u8]| Skim::default().look(m, &limits);
        assert_eq!(look(b"\x92\x01\xc1"), Err(Error { code: Code::Marker, at: 2 }));
        assert_eq!(look(b"\x91\xdb\xff\xff\xff\xff"), Err(Error { code: Code::LongStr, at: 1 }));
        assert_eq!(look(b"\xdf\xff\xff\xff\xff"), Ok(None));
    }
}
