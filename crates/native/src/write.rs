//! Writing: a verb for each tag. Whoever writes knows which objects are one, and counts definitions of shapes and types.
//!
//! What may surprise: a value that was written is touched once more, when it is met again: [`Writer::share`] sets the S
//! bit of its tag. So what is never met again costs nothing, and nothing needs to be known beforehand.

use crate::tag::*;
use wire::{Buf, Wrote};

/// A message being written.
pub struct Writer {
    out: Buf,
    /// Where the header stands.
    start: usize,
    /// How many numbers were given to definitions.
    numbers: u32,
}

impl Writer {
    /// Writes a header after what `out` holds.
    pub fn new(mut out: Buf) -> Result<Self, wire::Full> {
        let start = out.len();
        out.push(0xb0)?;
        Ok(Writer { out, start, numbers: 0 })
    }

    /// Where the next value begins, as an offset from the header.
    #[inline(always)]
    pub fn at(&self) -> usize {
        self.out.len() - self.start
    }

    /// What is one byte.
    #[inline(never)]
    fn one(&mut self, byte: u8) -> Wrote {
        self.out.push(byte)
    }

    #[inline(never)]
    fn tagged(&mut self, tag: u8, n: usize) -> Wrote {
        if n < 128 {
            return self.out.put_short(&[tag, n as u8], 2);
        }
        self.one(tag)?;
        self.varint(n)
    }

    fn varint(&mut self, mut n: usize) -> Wrote {
        self.out.put_by::<10>(|room| {
            let mut len = 0;
            for b in room {
                *b = n as u8 | 0x80;
                n >>= 7;
                len += 1;
                if n == 0 {
                    *b &= 0x7f;
                    break;
                }
            }
            len
        })
    }

    /// A tag with a number in it, or behind another tag if it does not fit.
    #[inline(never)]
    fn fixed(&mut self, fix: u8, room: usize, tag: u8, n: usize) -> Wrote {
        if n < room { self.one(fix + n as u8) } else { self.tagged(tag, n) }
    }

    /// `None`.
    #[inline(always)]
    pub fn none(&mut self) -> Wrote {
        self.one(NONE)
    }

    /// True or false.
    #[inline(always)]
    pub fn bool(&mut self, v: bool) -> Wrote {
        self.one(FALSE + u8::from(v))
    }

    /// `datetime.timezone.utc`.
    pub fn utc(&mut self) -> Wrote {
        self.one(UTC)
    }

    /// An integer.
    #[inline(always)]
    pub fn i64(&mut self, v: i64) -> Wrote {
        if (-1..32).contains(&v) {
            return self.one(ZERO.wrapping_add(v as u8));
        }
        if v >= 0 { self.wide(POS, v as u64) } else { self.wide(NEG, !v as u64) }
    }

    /// An integer above the signed range.
    pub fn u64(&mut self, v: u64) -> Wrote {
        match i64::try_from(v) {
            Ok(v) => self.i64(v),
            Err(_) => self.wide(POS, v),
        }
    }

    #[inline(never)]
    fn wide(&mut self, first: u8, v: u64) -> Wrote {
        // How many bytes beyond the first it needs.
        let more = (63 - (v | 1).leading_zeros()) / 8;
        // Tables in a register each: which of `WIDTHS` it is, and how many bytes that is with the tag.
        let of = |table: u32| table >> (4 * more) & 15;
        self.out.put_tagged(first + of(0x5544_3210) as u8, v.swap_bytes(), of(0x9977_5432) as usize)
    }

    /// An integer beyond 64 bits, as the fewest bytes of two's complement, low to high.
    pub fn big(&mut self, twos: &[u8]) -> Wrote {
        self.tagged(BIGINT, twos.len())?;
        self.out.put(twos)
    }

    /// A float.
    #[inline(always)]
    pub fn f64(&mut self, v: f64) -> Wrote {
        self.out.put_tagged(FLOAT, v.to_bits().swap_bytes(), 9)
    }

    /// A complex number.
    pub fn complex(&mut self, re: f64, im: f64) -> Wrote {
        self.out.push(COMPLEX)?;
        self.out.put(&re.to_le_bytes())?;
        self.out.put(&im.to_le_bytes())
    }

    /// Text that is UTF-8.
    #[inline(always)]
    pub fn str(&mut self, text: &[u8]) -> Wrote {
        let n = text.len();
        if n < 32 {
            return self.out.put_headed(FIX_STR + n as u8, 0, 1, text);
        }
        self.sized(STR, text)
    }

    /// The same by calls, for text that is seldom met.
    #[inline(never)]
    pub fn seldom_str(&mut self, text: &[u8]) -> Wrote {
        self.fixed(FIX_STR, 32, STR, text.len())?;
        self.out.put(text)
    }

    /// Text with surrogates.
    pub fn wstr(&mut self, text: &[u8]) -> Wrote {
        self.sized(WSTR, text)
    }

    #[inline(never)]
    fn sized(&mut self, tag: u8, bytes: &[u8]) -> Wrote {
        self.tagged(tag, bytes.len())?;
        self.out.put(bytes)
    }

    /// `bytes`.
    pub fn bytes(&mut self, bytes: &[u8]) -> Wrote {
        self.sized(BYTES, bytes)
    }

    /// `bytearray`.
    pub fn bytearray(&mut self, bytes: &[u8]) -> Wrote {
        self.sized(BYTEARRAY, bytes)
    }

    /// Begins a list.
    pub fn list(&mut self, n: usize) -> Wrote {
        self.fixed(FIX_LIST, 8, LIST, n)
    }

    /// Begins a tuple.
    pub fn tuple(&mut self, n: usize) -> Wrote {
        self.fixed(FIX_TUPLE, 4, TUPLE, n)
    }

    /// Begins a dict whose keys stand before their values.
    pub fn dict(&mut self, n: usize) -> Wrote {
        self.tagged(DICT, n)
    }

    /// Begins a set or frozenset.
    pub fn set(&mut self, frozen: bool, n: usize) -> Wrote {
        self.tagged(SET + u8::from(frozen), n)
    }

    /// Begins a dict that defines its shape: `n` keys follow, then as many values.
    pub fn shape(&mut self, n: usize) -> Wrote {
        self.tagged(SHAPE, n)
    }

    /// Begins a dict of a shape: its values follow.
    pub fn shaped(&mut self, shape: usize) -> Wrote {
        self.fixed(FIX_SHAPED, 8, SHAPED, shape)
    }

    /// Begins a type definition; its name follows.
    pub fn type_head(&mut self, kind: u8) -> Wrote {
        self.out.put(&[TYPE, kind])
    }

    /// The version of a type, and how many fields follow, as text each.
    pub fn version(&mut self, version: usize, fields: usize) -> Wrote {
        self.varint(version)?;
        self.varint(fields)
    }

    /// Begins an object of a type: its values follow.
    pub fn record(&mut self, of: usize) -> Wrote {
        self.fixed(FIX_RECORD, 4, RECORD, of)
    }

    /// Begins `n` numbers without tags: 0 to 3 for integers of 1, 2, 4, 8 bytes, 4 for floats. [`Writer::raw`] writes them.
    pub fn packed(&mut self, tuple: bool, kind: u8, n: usize) -> Wrote {
        self.out.put_short(&[PACKED, kind | u8::from(tuple) << 3], 2)?;
        self.varint(n)
    }

    /// Bytes as they are, of something that was begun.
    #[inline(always)]
    pub fn raw(&mut self, bytes: &[u8]) -> Wrote {
        self.out.put(bytes)
    }

    /// The first bytes of some, of something that was begun.
    #[inline(always)]
    pub fn low(&mut self, bytes: &[u8; 8], n: usize) -> Wrote {
        self.out.put_short(bytes, n)
    }

    /// A buffer, aligned.
    pub fn buffer(&mut self, bytes: &[u8], writable: bool) -> Wrote {
        self.out.put(&[BUFFER, writable.into()])?;
        self.varint(bytes.len())?;
        let padding = self.at().wrapping_neg() % 64;
        self.out.put_short(&[0; 64], padding)?;
        self.out.put(bytes)
    }

    /// The buffer at a place beside the message.
    pub fn outside(&mut self, index: usize, n: usize, writable: bool) -> Wrote {
        self.patch(0, 1);
        self.out.put(&[OUTSIDE, writable.into()])?;
        self.varint(n)?;
        self.varint(index)
    }

    /// A whole message.
    pub fn sealed(&mut self, message: &[u8]) -> Wrote {
        self.sized(SEALED, message)
    }

    /// Begins a type of the standard library; its body follows.
    pub fn ext(&mut self, code: u8) -> Wrote {
        self.out.put(&[EXT, code])
    }

    /// A UUID.
    pub fn uuid(&mut self, v: [u8; 16]) -> Wrote {
        self.out.push(UUID)?;
        self.out.put(&v)
    }

    /// A date: see [`crate::pack_day`].
    pub fn date(&mut self, day: u64) -> Wrote {
        self.out.put_tagged(DATE, day.swap_bytes(), 4)
    }

    /// A time of day: see [`crate::pack_time`]. If it has a zone, that follows.
    pub fn time(&mut self, time: u64, zone: bool) -> Wrote {
        self.out.put_tagged(TIME + u8::from(zone), time.swap_bytes(), 6)
    }

    /// A date with a time. If it has a zone, that follows.
    pub fn datetime(&mut self, day: u64, time: u64, zone: bool) -> Wrote {
        self.out.put_tagged(DATETIME + u8::from(zone), (day << 38 | time).swap_bytes(), 9)
    }

    /// A timedelta.
    pub fn timedelta(&mut self, v: crate::Span) -> Wrote {
        self.out.push(TIMEDELTA)?;
        self.out.put(&crate::pack_span(v))
    }

    fn patch(&mut self, at: usize, bits: u8) {
        self.out.set_bits(self.start + at, bits);
    }

    /// A first reference to the value that began at `to`. Gives the number for all further ones.
    pub fn share(&mut self, to: usize) -> Result<u32, wire::Full> {
        self.patch(to, SHARED);
        let distance = self.at() - to;
        self.tagged(NEWREF, distance)?;
        self.numbers += 1;
        Ok(self.numbers - 1)
    }

    /// A further reference.
    #[inline]
    pub fn reference(&mut self, number: u32) -> Wrote {
        if number < FIX_REFS.into() {
            let tag = FIX_REF + number as u8;
            return self.out.push(if tag < SHARED { tag } else { tag + (MORE_REF - SHARED) });
        }
        self.tagged(REF, number as usize)
    }

    /// The finished output.
    pub fn into_buf(self) -> Buf {
        self.out
    }
}
