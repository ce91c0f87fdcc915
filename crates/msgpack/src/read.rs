//! Reading: a cursor over the bytes that takes all of the specification and nothing else, never
//! goes back and never recurses.
//!
//! What may surprise: a length is compared with what is left of the input before anything is made
//! of it, and each item of an array takes a byte at least. So no message can ask for more memory
//! than it is long, and whoever is told a length may rely on it.

use core::cell::Cell;

use alloc::boxed::Box;

use crate::marker::*;
use crate::skip::Skipping;
use crate::style::Limits;
use wire::time::Instant;
use wire::{Big, Caps, Code, Cursor, Error, Input, KNOWN, Kind, Num, Result, Source, Str};

/// A message being read.
pub struct Reader<'d> {
    pub(crate) c: Cursor<'d>,
    pub(crate) limits: Limits,
    /// Where to say how far the message went, if more may follow it.
    prefix: Option<&'d Cell<usize>>,
    pub(crate) skipping: Option<Box<Skipping>>,
}

/// How many items or entries of an open container are left.
#[derive(Clone, Copy, Debug)]
pub struct Left(pub(crate) u64);

impl From<u64> for Left {
    #[inline(always)]
    fn from(v: u64) -> Self {
        Left(v)
    }
}

impl From<Left> for u64 {
    #[inline(always)]
    fn from(v: Left) -> u64 {
        v.0
    }
}

impl<'d> Reader<'d> {
    /// Stands at the beginning of the input.
    pub fn new(input: Input<'d>, limits: Limits) -> Self {
        Reader { c: Cursor::new(input), limits, prefix: None, skipping: None }
    }

    /// The same, for a message that others may follow; at its end `prefix` holds how long it was.
    pub fn prefix(input: Input<'d>, limits: Limits, prefix: &'d Cell<usize>) -> Self {
        Reader { prefix: Some(prefix), ..Reader::new(input, limits) }
    }

    /// The input ends too early.
    #[cold]
    #[inline(never)]
    fn eof(&self) -> Error {
        Error { code: Code::Eof, at: self.c.offset() + self.c.left() }
    }

    /// A fault of the value whose head, of so many bytes, was just passed.
    #[cold]
    #[inline(never)]
    fn behind(&self, code: Code, head: usize) -> Error {
        Error { code, at: self.c.offset() - head }
    }

    #[inline(always)]
    fn chunk<const N: usize>(&mut self) -> Result<[u8; N]> {
        match self.c.take_chunk() {
            Some(chunk) => Ok(chunk),
            None => Err(self.eof()),
        }
    }

    /// A head of one byte and a length, which is given with the number of bytes.
    #[inline(always)]
    fn length(&mut self, h: u8, narrow: u8, least: usize) -> Result<(usize, usize)> {
        let [_, n] =
            if h == narrow { self.chunk()? } else { return self.long_length(h == narrow + 1, least) };
        if self.limits.strict && usize::from(n) < least {
            return Err(self.behind(Code::NotShortest, 2));
        }
        Ok((n.into(), 2))
    }

    /// The same of 16 bits or 32, where it need not be compiled in: what is that long is to be copied.
    #[inline(never)]
    fn long_length(&mut self, middle: bool, least: usize) -> Result<(usize, usize)> {
        self.wide_length(middle, least)
    }

    /// A length of 16 bits or 32. What has no form of 8 bits has one of fewer than 16 items.
    #[inline(always)]
    fn wide_length(&mut self, middle: bool, least: usize) -> Result<(usize, usize)> {
        let (n, head, long) = if middle {
            let [_, a, b] = self.chunk()?;
            let n = usize::from(u16::from_be_bytes([a, b]));
            (n, 3, if least == 16 { n >= 16 } else { n >= 0x100 })
        } else {
            let [_, n @ ..] = self.chunk::<5>()?;
            let n = u32::from_be_bytes(n) as usize;
            (n, 5, n >= 0x1_0000)
        };
        if self.limits.strict && !long {
            return Err(self.behind(Code::NotShortest, head));
        }
        Ok((n, head))
    }

    /// So many bytes, behind a head.
    #[inline(always)]
    fn body(&mut self, (n, head): (usize, usize), max: usize, code: Code) -> Result<&'d [u8]> {
        // What is short anyway is looked at when it is there, and what is long before it is waited for.
        if n > max && (head > 1 || self.c.left() >= n) {
            return Err(self.behind(code, head));
        }
        match self.c.take(n) {
            Some(body) => Ok(body),
            None => Err(self.eof()),
        }
    }

    /// What is no plain value: an application type, the byte that begins nothing, or no byte.
    #[inline(never)]
    fn other_head(&mut self, kind: Kind, h: u8) -> Result<(Kind, u8)> {
        if kind != Kind::Ext {
            return self.refuse(Code::Marker);
        }
        let at = match h {
            EXT_8 => 2,
            EXT_16 => 3,
            EXT_32 => 5,
            _ => 1,
        };
        let stamp = self.c.rest().get(at) == Some(&(TIMESTAMP as u8)) && !self.limits.time_as_ext;
        Ok((if stamp { Kind::Time } else { Kind::Ext }, h))
    }

    #[cold]
    #[inline(never)]
    fn check_shortest(&self, v: Num<'_>, head: usize) -> Result<()> {
        let shortest = match v {
            Num::I64(-32..128) => 1,
            Num::I64(v @ 0..) | Num::I64(v @ i64::MIN..0) => {
                let bits = if v < 0 { (((!v) as u64) << 1) | 1 } else { v as u64 };
                match bits {
                    0..0x100 => 2,
                    0x100..0x1_0000 => 3,
                    0x1_0000..0x1_0000_0000 => 5,
                    _ => 9,
                }
            }
            _ => 9,
        };
        // A number that is not negative has an unsigned form of the same length, which is the one to take.
        let signed = matches!(v, Num::I64(0..)) && (INT_8..=INT_64).contains(&self.taken(head));
        if head > shortest || signed { Err(self.behind(Code::NotShortest, head)) } else { Ok(()) }
    }

    /// The first of the bytes that were just passed.
    fn taken(&self, n: usize) -> u8 {
        self.c.since(self.c.offset() - n).first().copied().unwrap_or(0)
    }

    #[inline(always)]
    fn wide_number(&mut self, h: u8) -> Result<Num<'d>> {
        let (v, head) = match h {
            UINT_8 => {
                let [_, v] = self.chunk()?;
                (Num::I64(v.into()), 2)
            }
            UINT_16 => {
                let [_, a, b] = self.chunk()?;
                (Num::I64(u16::from_be_bytes([a, b]).into()), 3)
            }
            UINT_32 => {
                let [_, v @ ..] = self.chunk::<5>()?;
                (Num::I64(u32::from_be_bytes(v).into()), 5)
            }
            UINT_64 => {
                let [_, v @ ..] = self.chunk::<9>()?;
                let v = u64::from_be_bytes(v);
                (if v >> 63 == 0 { Num::I64(v as i64) } else { Num::U64(v) }, 9)
            }
            INT_8 => {
                let [_, v] = self.chunk()?;
                (Num::I64((v as i8).into()), 2)
            }
            INT_16 => {
                let [_, a, b] = self.chunk()?;
                (Num::I64(i16::from_be_bytes([a, b]).into()), 3)
            }
            INT_32 => {
                let [_, v @ ..] = self.chunk::<5>()?;
                (Num::I64(i32::from_be_bytes(v).into()), 5)
            }
            _ => {
                let [_, v @ ..] = self.chunk::<9>()?;
                (Num::I64(i64::from_be_bytes(v)), 9)
            }
        };
        if self.limits.strict {
            self.check_shortest(v, head)?;
        }
        Ok(v)
    }
}

impl Source for Reader<'_> {
    const CAPS: Caps = Caps {
        str_keys_only: false,
        bytes: true,
        non_finite: true,
        time: true,
        ext: true,
        sized: true,
        big: Big::Bytes,
        place: 1,
        ..Caps::PLAIN
    };
    type Head = u8;
    type Seq = Left;

    #[inline(always)]
    fn head(&mut self) -> Result<(Kind, u8)> {
        let h = self.c.peek();
        let kind = KINDS[usize::from(h)];
        if self.c.at_end() {
            return Err(self.eof());
        }
        if kind as u8 >= Kind::Ext as u8 {
            return self.other_head(kind, h);
        }
        Ok((kind, h))
    }

    #[inline(always)]
    fn text_head(&self) -> Option<u8> {
        let h = self.c.peek();
        (FIX_STR..NIL).contains(&h).then_some(h)
    }

    #[inline(always)]
    fn null(&mut self, _: u8) -> Result<()> {
        self.c.advance(1);
        Ok(())
    }

    #[inline(always)]
    fn bool(&mut self, h: u8) -> Result<bool> {
        self.c.advance(1);
        Ok(h == TRUE)
    }

    #[inline(always)]
    fn number(&mut self, h: u8) -> Result<Num<'_>> {
        if !(FIX_MAP..NEGATIVE).contains(&h) {
            self.c.advance(1);
            return Ok(Num::I64((h as i8).into()));
        }
        match h {
            FLOAT_64 => {
                let [_, v @ ..] = self.chunk::<9>()?;
                Ok(Num::F64(f64::from_be_bytes(v)))
            }
            FLOAT_32 => {
                let [_, v @ ..] = self.chunk::<5>()?;
                Ok(Num::F64(widen(f32::from_be_bytes(v))))
            }
            _ => self.wide_number(h),
        }
    }

    #[inline(always)]
    fn str(&mut self, h: u8) -> Result<Str<'_>> {
        let n = if h < NIL {
            self.c.advance(1);
            (usize::from(h & 0x1f), 1)
        } else {
            self.length(h, STR_8, 32)?
        };
        Ok(Str::unchecked(self.body(n, self.limits.max_str, Code::LongStr)?))
    }

    #[inline(always)]
    fn bytes(&mut self, h: u8) -> Result<&[u8]> {
        let n = self.length(h, BIN_8, 0)?;
        self.body(n, self.limits.max_bin, Code::LongBytes)
    }

    #[inline(always)]
    fn array(&mut self, h: u8) -> Result<Left> {
        let (n, head) = if h < NIL {
            self.c.advance(1);
            (usize::from(h & 0x0f), 1)
        } else {
            self.wide_length(h == ARRAY_16, 16)?
        };
        if n > self.limits.max_array {
            return Err(self.behind(Code::LongArray, head));
        }
        if n > self.c.left() {
            return Err(self.eof());
        }
        Ok(Left(n as u64))
    }

    #[inline(always)]
    fn item(&mut self, s: &mut Left) -> Result<bool> {
        let more = s.0 != 0;
        s.0 = s.0.wrapping_sub(1);
        Ok(more)
    }

    #[inline(always)]
    fn map(&mut self, h: u8) -> Result<Left> {
        let (n, head) = if h < NIL {
            self.c.advance(1);
            (usize::from(h & 0x0f), 1)
        } else {
            self.wide_length(h == MAP_16, 16)?
        };
        if n > self.limits.max_map {
            return Err(self.behind(Code::LongMap, head));
        }
        if n > self.c.left() / 2 {
            return Err(self.eof());
        }
        Ok(Left(n as u64))
    }

    #[inline(always)]
    fn entry(&mut self, s: &mut Left) -> Result<bool> {
        self.item(s)
    }

    #[inline(always)]
    fn value(&mut self) -> Result<()> {
        Ok(())
    }

    #[inline(always)]
    fn mark(&self) -> usize {
        self.c.offset()
    }
    #[inline]
    fn since(&self, mark: usize) -> &[u8] {
        self.c.since(mark)
    }
    fn look(&mut self) {
        self.skipping.get_or_insert_default().passed.look(self.c.offset());
    }
    fn rewind(&mut self, mark: usize) {
        if let Some(s) = &mut self.skipping {
            s.passed.looked(self.c.offset());
        }
        self.c.seek(mark);
    }
    #[inline(always)]
    fn again(&mut self, known: &[u8; KNOWN], len: usize) -> bool {
        self.c.eat_known(known, len)
    }
    #[inline(always)]
    fn entry_again(&mut self, s: &mut Left, known: &[u8; KNOWN], len: usize) -> bool {
        let again = s.0 != 0 && self.c.eat_known(known, len);
        s.0 = s.0.wrapping_sub(again.into());
        again
    }
    #[inline(always)]
    fn size_hint(&self, s: &Left) -> usize {
        s.0 as usize
    }

    fn skip(&mut self) -> Result<()> {
        self.skip_value()
    }

    fn ext(&mut self, h: u8) -> Result<(i8, &[u8])> {
        let n = match h {
            FIX_EXT_1..=FIX_EXT_16 => {
                self.c.advance(1);
                (1 << (h - FIX_EXT_1), 1)
            }
            _ => self.length(h, EXT_8, 0)?,
        };
        if self.limits.strict && n.1 > 1 && matches!(n.0, 1 | 2 | 4 | 8 | 16) {
            return Err(self.behind(Code::NotShortest, n.1));
        }
        if n.0 > self.limits.max_ext {
            return Err(self.behind(Code::LongExt, n.1));
        }
        let [code] = self.chunk()?;
        let body = self.body(n, usize::MAX, Code::LongExt)?;
        Ok((code as i8, body))
    }

    fn time(&mut self, h: u8) -> Result<Instant> {
        let at = self.c.offset();
        let strict = self.limits.strict;
        let (_, body) = self.ext(h)?;
        let word = |from: usize| body.get(from..).and_then(|b| b.first_chunk::<8>()).copied();
        let (seconds, nanosecond, shortest) = match (body.len(), body.first_chunk::<4>(), word(0), word(4)) {
            (4, Some(s), ..) => (i64::from(u32::from_be_bytes(*s)), 0, true),
            (8, _, Some(both), _) => {
                let both = u64::from_be_bytes(both);
                let (s, nanos) = (both & ((1 << 34) - 1), (both >> 34) as u32);
                (s as i64, nanos, nanos != 0 || s >> 32 != 0)
            }
            (12, Some(nanos), _, Some(s)) => {
                let s = i64::from_be_bytes(s);
                (s, u32::from_be_bytes(*nanos), s < 0 || s >> 34 != 0)
            }
            _ => return Err(Error { code: Code::Timestamp, at }),
        };
        if nanosecond > 999_999_999 {
            return Err(Error { code: Code::Timestamp, at });
        }
        if strict && !shortest {
            return Err(Error { code: Code::NotShortest, at });
        }
        Ok(Instant { seconds, nanosecond })
    }

    fn end(&mut self) -> Result<()> {
        if let Some(prefix) = self.prefix {
            prefix.set(self.c.offset());
            return Ok(());
        }
        if self.c.at_end() { Ok(()) } else { self.refuse(Code::Trailing) }
    }

    fn at(&self) -> usize {
        self.c.offset()
    }
}

/// A float of 32 bits in 64. The processor would make every NaN a quiet one; the bits are kept.
#[inline(always)]
fn widen(v: f32) -> f64 {
    if v.is_nan() {
        let bits = u64::from(v.to_bits());
        return f64::from_bits((bits >> 31) << 63 | 0x7ff << 52 | (bits & 0x7f_ffff) << 29);
    }
    f64::from(v)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<T>(bytes: &[u8], limits: Limits, f: impl FnOnce(&mut Reader<'_>) -> T) -> T {
        let mut copy = bytes.to_vec();
        f(&mut Reader::new(Input::new(&mut copy), limits))
    }

    fn skipped(bytes: &[u8], limits: Limits) -> Result<()> {
        with(bytes, limits, |r| {
            r.skip()?;
            r.end()
        })
    }

    #[test]
    fn every_first_byte_is_something() {
        for b in 0..=255u8 {
            let r = with(&[b], Limits::default(), |r| r.head());
            if b == 0xc1 {
                assert_eq!(r, Err(Error { code: Code::Marker, at: 0 }));
            } else {
                assert_eq!(r.map(|(_, h)| h), Ok(b));
            }
        }
        assert_eq!(with(&[], Limits::default(), |r| r.head()), Err(Error { code: Code::Eof, at: 0 }));
    }

    #[test]
    fn what_is_cut_ends_too_early() {
        let message = b"\x87\xa1a\x92\x01\xcd\x01\x02\xcf12345678\xc4\x03xyz\xc0\xd9\x02hi\xc7\x03\x05abc\
            \xd6\xff1234\xcb12345678\xdc\x00\x02\x90\x80\xe0\x81\xc3\xda\x00\x01q\x7f\xd5\x01ab";
        assert_eq!(skipped(message, Limits::default()), Ok(()));
        for n in 0..message.len() {
            let e = Err(Error { code: Code::Eof, at: n });
            assert_eq!(skipped(&message[..n], Limits::default()), e, "{n}");
        }
    }

    #[test]
    fn what_was_passed_over_is_not_looked_through_again() {
        // A map of a key that is an array, a value that is such a map, and one more entry.
        let (open, close, levels) = (&b"\x82\x91\xa3key"[..], &b"\xa1z\x92\x90\x80"[..], 500);
        let message = [&open.repeat(levels)[..], b"\x91\x01", &close.repeat(levels)].concat();
        with(&message, Limits::default(), |r| {
            r.look();
            assert_eq!(r.skip(), Ok(()));
            r.rewind(0);
            // Whoever goes into a container now fails.
            r.limits.max_depth = 0;
            for level in (10..levels).rev() {
                let (_, h) = r.head().unwrap();
                let mut seq = r.map(h).unwrap();
                assert_eq!(r.entry(&mut seq), Ok(true));
                r.c.advance(open.len() - 1);
                let inside = r.mark();
                assert_eq!(r.skip(), Ok(()), "{level}");
                let around = (open.len() + close.len()) * (levels - level);
                assert_eq!(r.since(inside).len(), message.len() - around);
                r.rewind(inside);
            }
        });
    }

    #[test]
    fn lengths_are_compared_with_what_is_left() {
        for claim in [&b"\xdd\xff\xff\xff\xff\xc0"[..], b"\xdf\xff\xff\xff\xff\xc0", b"\xdb\xff\xff\xff\xff"]
        {
            assert_eq!(skipped(claim, Limits::default()).map_err(|e| e.code), Err(Code::Eof));
        }
    }

    #[test]
    fn keys_are_no_maps() {
        for bad in [&b"\x81\x80\xc0"[..], b"\x81\x91\x80\xc0", b"\x81\x91\x91\x80\xc0"] {
            assert_eq!(skipped(bad, Limits::default()).map_err(|e| e.code), Err(Code::MapKey));
        }
        assert_eq!(skipped(b"\x81\x91\x91\x01\x80", Limits::default()), Ok(()));
    }

    #[test]
    fn strict_takes_the_shortest_form_only() {
        let strict = Limits { strict: true, ..Limits::default() };
        for long in [
            &b"\xcc\x7f"[..],
            b"\xcd\x00\xff",
            b"\xce\x00\x00\xff\xff",
            b"\xcf\x00\x00\x00\x00\xff\xff\xff\xff",
            b"\xd0\xe0",
            b"\xd0\x05",
            b"\xd1\xff\x80",
            b"\xd1\x7f\xff",
            b"\xd2\xff\xff\x80\x00",
            b"\xd3\xff\xff\xff\xff\x80\x00\x00\x00",
            b"\xd9\x00",
            b"\xda\x00\x01a",
            b"\xdb\x00\x00\x00\x00",
            b"\xc5\x00\x00",
            b"\xdc\x00\x00",
            b"\xde\x00\x00",
            b"\xc7\x01\x05a",
            b"\xc8\x00\x03\x05abc",
            b"\xd7\xff\x00\x00\x00\x00\x00\x00\x00\x01",
            b"\xc7\x0c\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01",
        ] {
            assert_eq!(skipped(long, Limits::default()), Ok(()), "{long:?}");
            let e = Err(Error { code: Code::NotShortest, at: 0 });
            assert_eq!(skipped(long, strict), e, "{long:?}");
        }
        for good in [&b"\xcc\x80"[..], b"\xd0\xdf", b"\xd1\xff\x7f", b"\xc4\x00", b"\xc7\x00\x05"] {
            assert_eq!(skipped(good, strict), Ok(()), "{good:?}");
        }
    }

    #[test]
    fn a_nan_keeps_its_bits() {
        for bits in [0x7f80_0001u32, 0xffc1_2345, 0x7fff_ffff] {
            let v = widen(f32::from_bits(bits)).to_bits();
            assert_eq!(v >> 29 & 0x7f_ffff, u64::from(bits & 0x7f_ffff));
            assert_eq!(v >> 63, u64::from(bits >> 31));
        }
    }
}
