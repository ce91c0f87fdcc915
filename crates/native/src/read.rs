//! Reading: a cursor that says what comes next and takes it, checks all that needs no objects, and never recurses.
//!
//! What may surprise: the state of references is kept here, and what they refer to is not. A definition with the S bit has
//! an *index*, its place among those of the message; [`Reader::reference`] gives the index that a reference means, and whoever builds
//! keeps an object for each. A count is compared with what is left of the input before it is given, so it is no reason to
//! distrust it.

use alloc::vec::Vec;

use crate::head::Head;
use crate::limits::{Limits, Refused, Result};
use crate::tag::*;
use wire::{Code, Cursor, Error, Input, Num, Str};

/// How many names follow, each a value of text or a reference to one: [`Reader::name`] takes them.
#[derive(Clone, Copy, Debug)]
pub struct Names(pub usize);

/// The beginning of a type definition. Its name stands next, then [`Reader::version`], then names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeHead {
    /// Record, member by name, member by value, carrier.
    pub kind: u8,
}

/// A definition with the S bit.
#[derive(Clone, Copy, Debug)]
struct Definition {
    at: usize,
    numbered: bool,
}

/// A message being read.
pub struct Reader<'d> {
    pub(crate) c: Cursor<'d>,
    pub(crate) limits: Limits,
    definitions: Vec<Definition>,
    /// The definitions that have numbers, by their index.
    numbers: Vec<usize>,
    /// How many values each shape has, and each type.
    shapes: Vec<usize>,
    types: Vec<usize>,
    outside: usize,
    /// Whether the header says that there are buffers beside the message.
    beside: bool,
    /// Why it refused.
    why: Option<Error>,
}

impl<'d> Reader<'d> {
    /// Stands before the header: [`Reader::begin`] is to be called first.
    pub fn new(input: Input<'d>, limits: Limits) -> Self {
        Reader {
            c: Cursor::new(input),
            limits,
            definitions: Vec::new(),
            numbers: Vec::new(),
            shapes: Vec::new(),
            types: Vec::new(),
            outside: 0,
            beside: false,
            why: None,
        }
    }

    /// Passes the header, if it is one of this version.
    pub fn begin(&mut self) -> Result<()> {
        let header = self.byte()?;
        self.beside = header & 1 == 1;
        if header & 0xfe == 0xb0 { Ok(()) } else { Err(self.fault(Code::Header, 0)) }
    }

    /// Why it refused, if it did.
    pub fn why(&self) -> Option<Error> {
        self.why
    }

    /// What comes next.
    #[inline(always)]
    pub fn head(&mut self) -> Result<Head> {
        let at = self.c.offset();
        let Some(tag) = self.c.take_nonzero() else { return self.no_head(at) };
        let h = Head::new(tag, at);
        if h.what() == What::Never {
            return self.no_head(at);
        }
        if h.shared() {
            self.definitions.push(Definition { at, numbered: false });
        }
        Ok(h)
    }

    #[cold]
    #[inline(never)]
    fn no_head(&mut self, at: usize) -> Result<Head> {
        if at == self.c.offset() && self.c.at_end() {
            Err(self.eof())
        } else {
            Err(self.fault(Code::Marker, at))
        }
    }

    /// How many definitions with the S bit there were: one more than the index of the last.
    pub fn definitions(&self) -> usize {
        self.definitions.len()
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn eof(&mut self) -> Refused {
        self.fault(Code::Eof, self.c.offset() + self.c.left())
    }

    /// Refuses the message.
    #[cold]
    #[inline(never)]
    pub fn fault(&mut self, code: Code, at: usize) -> Refused {
        self.why = Some(Error { code, at });
        Refused
    }

    #[inline(always)]
    fn chunk<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.c.take_chunk().ok_or_else(|| self.eof())
    }

    /// The next byte.
    #[inline(never)]
    fn byte(&mut self) -> Result<u8> {
        let [b] = self.chunk()?;
        Ok(b)
    }

    /// So many bytes.
    #[inline(never)]
    fn some(&mut self, n: usize) -> Result<&'d [u8]> {
        self.take(n)
    }

    #[inline(always)]
    fn take(&mut self, n: usize) -> Result<&'d [u8]> {
        self.c.take(n).ok_or_else(|| self.eof())
    }

    /// A varint of the value that began at `at`, which has a shorter form if it is below `least`.
    #[inline(never)]
    fn varint(&mut self, at: usize, least: usize) -> Result<usize> {
        let [b] = self.chunk()?;
        let v = if b < 0x80 { usize::from(b) } else { self.long_varint(at, b)? };
        if v < least {
            return Err(self.fault(Code::NotShortest, at));
        }
        Ok(v)
    }

    #[inline(never)]
    fn long_varint(&mut self, at: usize, first: u8) -> Result<usize> {
        let mut v = u64::from(first & 0x7f);
        for shift in 1..9 {
            let b = self.byte()?;
            v |= u64::from(b & 0x7f) << (7 * shift);
            if b < 0x80 {
                if b == 0 {
                    break;
                }
                // What is beyond the range of a length here is beyond the input too.
                return Ok(usize::try_from(v).unwrap_or(usize::MAX));
            }
        }
        Err(self.fault(Code::NotShortest, at))
    }

    /// A count, of which each takes so many bytes at least.
    #[inline(never)]
    fn counted(&mut self, n: usize, each: usize) -> Result<usize> {
        if n > self.c.left() / each { Err(self.eof()) } else { Ok(n) }
    }

    /// How many items a list, tuple, set or frozenset has.
    #[inline(never)]
    pub fn items(&mut self, h: Head) -> Result<usize> {
        let n = match h.tag() {
            LIST => self.varint(h.at(), 8)?,
            TUPLE => self.varint(h.at(), 4)?,
            FIX_LIST..FIX_TUPLE => usize::from(h.tag() & 7),
            FIX_TUPLE..FIX_RECORD => usize::from(h.tag() & 3),
            _ => self.varint(h.at(), 0)?,
        };
        self.counted(n, 1)
    }

    /// How many entries a dict with keys in it has.
    pub fn entries(&mut self, h: Head) -> Result<usize> {
        let n = self.varint(h.at(), 0)?;
        self.counted(n, 2)
    }

    /// Text, which may still be unchecked: [`Reader::not_utf8`] is the fault then.
    #[inline(always)]
    pub fn str(&mut self, h: Head) -> Result<Str<'d>> {
        let n = if h.tag() >= FIX_STR { usize::from(h.tag() - FIX_STR) } else { self.varint(h.at(), 32)? };
        Ok(Str::unchecked(self.take(n)?))
    }

    /// The fault of text of so many bytes, just taken, of which only the first `good` are UTF-8.
    #[cold]
    pub fn not_utf8(&mut self, len: usize, good: usize) -> Refused {
        self.fault(Code::NotUtf8, self.c.offset() - (len - good))
    }

    /// Text with surrogates, checked.
    #[cold]
    #[inline(never)]
    pub fn wstr(&mut self, h: Head) -> Result<&'d [u8]> {
        let n = self.varint(h.at(), 0)?;
        let text = self.some(n)?;
        let (mut good, mut found) = (0, false);
        while let Some(rest) = text.get(good..).filter(|rest| !rest.is_empty()) {
            match (core::str::from_utf8(rest), rest) {
                (Ok(_), _) => break,
                (Err(e), _) if e.valid_up_to() > 0 => good += e.valid_up_to(),
                (_, [0xed, 0xa0..=0xbf, 0x80..=0xbf, ..]) => {
                    found = true;
                    good += 3;
                }
                _ => return Err(self.not_utf8(n, good)),
            }
        }
        if found { Ok(text) } else { Err(self.fault(Code::NotShortest, h.at())) }
    }

    /// The bytes of `bytes`, `bytearray`.
    pub fn bytes(&mut self, h: Head) -> Result<&'d [u8]> {
        self.raw(h)
    }

    /// Whatever stands between the tag and the value inside, if there is one, of a value that is seldom met: unchecked, but for
    /// its length.
    #[inline(never)]
    pub fn raw(&mut self, h: Head) -> Result<&'d [u8]> {
        let n = match h.tag() {
            UTC => 0,
            EXT => 1,
            DATE => 3,
            TIME | TIME_TZ => 5,
            DATETIME | DATETIME_TZ => 8,
            TIMEDELTA => 9,
            COMPLEX | UUID => 16,
            _ => self.varint(h.at(), if h.tag() == SEALED { 2 } else { 0 })?,
        };
        self.some(n)
    }

    /// An aligned buffer, and whether it is writable.
    pub fn buffer(&mut self, h: Head) -> Result<(&'d [u8], bool)> {
        let writable = self.access(h)?;
        let n = self.varint(h.at(), 0)?;
        let padding = self.c.offset().wrapping_neg() % 64;
        if self.some(padding)?.iter().any(|&b| b != 0) {
            return Err(self.fault(Code::Body, h.at()));
        }
        Ok((self.some(n)?, writable))
    }

    /// A buffer beside the message: which, how long, whether it is writable.
    pub fn outside(&mut self, h: Head) -> Result<(usize, usize, bool)> {
        let writable = self.access(h)?;
        let (n, index) = (self.varint(h.at(), 0)?, self.varint(h.at(), 0)?);
        if index > self.outside {
            return Err(self.fault(Code::Body, h.at()));
        }
        self.outside = self.outside.max(index + 1);
        Ok((index, n, writable))
    }

    /// How many buffers beside the message were met.
    pub fn beside(&self) -> usize {
        self.outside
    }

    fn access(&mut self, h: Head) -> Result<bool> {
        match self.byte()? {
            b @ 0..=1 => Ok(b == 1),
            _ => Err(self.fault(Code::Body, h.at())),
        }
    }

    /// A message in this one, whose header is good.
    pub fn sealed(&mut self, h: Head) -> Result<&'d [u8]> {
        let n = self.varint(h.at(), 2)?;
        let message = self.some(n)?;
        if message.first() == Some(&0xb0) { Ok(message) } else { Err(self.fault(Code::Header, h.at())) }
    }

    /// A float, as its bits are.
    #[inline(always)]
    pub fn float(&mut self) -> Result<f64> {
        Ok(f64::from_le_bytes(self.chunk()?))
    }

    /// An integer in bytes of its own.
    #[inline(never)]
    pub fn number(&mut self, h: Head) -> Result<Num<'d>> {
        if h.tag() == BIGINT {
            return self.big(h);
        }
        let index = usize::from(if h.tag() < NEG { h.tag() - POS } else { h.tag() - NEG });
        let width = usize::from(WIDTHS[index]);
        let v = match self.c.rest().first_chunk() {
            Some(eight) => {
                self.c.advance(width);
                u64::from_le_bytes(*eight) & (u64::MAX >> (64 - 8 * width))
            }
            None => {
                let bytes = self.some(width)?;
                bytes.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b))
            }
        };
        let least = match index {
            0 => 1 + 31 * u64::from(h.tag() < NEG),
            _ => 1 << (8 * WIDTHS[index - 1]),
        };
        let negative = h.tag() >= NEG;
        if v < least || negative && v >> 63 == 1 {
            return Err(self.fault(Code::NotShortest, h.at()));
        }
        Ok(match (negative, i64::try_from(v)) {
            (true, _) => Num::I64(!(v as i64)),
            (false, Ok(v)) => Num::I64(v),
            (false, Err(_)) => Num::U64(v),
        })
    }

    #[cold]
    #[inline(never)]
    fn big(&mut self, h: Head) -> Result<Num<'d>> {
        let n = self.varint(h.at(), 9)?;
        if n > self.limits.max_int_bytes {
            return Err(self.fault(Code::Limit, h.at()));
        }
        let twos = self.some(n)?;
        let spare = match twos {
            // What nine bytes hold and eight do not; the ninth is 0 for what 64 bits without sign hold.
            [.., 0] if n == 9 => true,
            [.., b, 0] => *b < 0x80,
            [.., b, 0xff] => *b >= 0x80,
            _ => false,
        };
        if spare { Err(self.fault(Code::NotShortest, h.at())) } else { Ok(Num::Bytes(twos)) }
    }

    /// A list or tuple of numbers: whether it is a tuple, what each item is (0 to 3 for integers of 1, 2, 4, 8 bytes;
    /// 4 for floats), the bytes of all.
    pub fn packed(&mut self, h: Head) -> Result<(bool, u8, &'d [u8])> {
        let element = self.byte()?;
        let kind = element & 7;
        if element > 15 || kind > 4 {
            return Err(self.fault(Code::Body, h.at()));
        }
        let width = 1 << kind.min(3);
        let n = self.varint(h.at(), 1)?;
        let n = self.counted(n, width)?;
        let items = self.some(n * width)?;
        if (1..4).contains(&kind) && !needs_width(items, width) {
            return Err(self.fault(Code::NotShortest, h.at()));
        }
        Ok((element & 8 != 0, kind, items))
    }

    /// The 16 bytes of a UUID.
    pub fn uuid(&mut self) -> Result<[u8; 16]> {
        self.chunk()
    }

    /// The fields of a date, time or datetime as a number that has been checked: see [`crate::day`], [`crate::time`].
    pub fn moment(&mut self, h: Head) -> Result<u64> {
        let v = match h.what() {
            What::Date => self.little::<3>()?,
            What::Time | What::TimeTz => self.little::<5>()?,
            _ => self.little::<8>()?,
        };
        let exists = match h.what() {
            What::Date => crate::day(v).is_some(),
            What::Time | What::TimeTz => crate::time(v).is_some(),
            _ => crate::day(v >> 38).is_some() && crate::time(v & ((1 << 38) - 1)).is_some(),
        };
        if exists { Ok(v) } else { Err(self.fault(Code::Body, h.at())) }
    }

    fn little<const N: usize>(&mut self) -> Result<u64> {
        let bytes: [u8; N] = self.chunk()?;
        Ok(bytes.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b)))
    }

    /// A timedelta.
    pub fn timedelta(&mut self, h: Head) -> Result<crate::Span> {
        let bytes = self.chunk()?;
        crate::span(bytes).ok_or_else(|| self.fault(Code::Body, h.at()))
    }

    /// The code of a type of the standard library. Its body stands next.
    pub fn ext(&mut self) -> Result<u8> {
        self.byte()
    }

    /// Whether what stands here may be the body of an EXT: neither shared nor a reference.
    pub fn bodily(&self) -> bool {
        let tag = self.c.peek();
        !(SHARED..MORE_REF).contains(&tag) && WHATS[usize::from(tag)] != What::Ref
    }

    /// The index of the definition that a reference means.
    pub fn reference(&mut self, h: Head) -> Result<usize> {
        match self.numbered(h)? {
            Some(n) => self.numbers.get(n).copied().ok_or_else(|| self.fault(Code::Reference, h.at())),
            None => self.new_reference(h),
        }
    }

    /// The number that a further reference says, which may not have been given; nothing for a first one, of which
    /// [`Reader::new_reference`] gives the index. For whoever keeps what is numbered by number.
    #[inline(always)]
    pub fn numbered(&mut self, h: Head) -> Result<Option<usize>> {
        match h.byte() {
            tag @ FIX_REF.. => {
                let far = if tag < SHARED { FIX_REF } else { FIX_REF + (MORE_REF - SHARED) };
                Ok(Some(usize::from(tag - far)))
            }
            NEWREF => Ok(None),
            _ => {
                let [b] = self.chunk()?;
                // Of one byte, as most are.
                if (FIX_REFS..SHARED).contains(&b) {
                    Ok(Some(b.into()))
                } else {
                    self.long_number(h.at(), b).map(Some)
                }
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn long_number(&mut self, at: usize, first: u8) -> Result<usize> {
        if first < FIX_REFS { Err(self.fault(Code::NotShortest, at)) } else { self.long_varint(at, first) }
    }

    /// The index of the definition that a first reference means, which has the next number.
    #[inline(never)]
    pub fn new_reference(&mut self, h: Head) -> Result<usize> {
        let distance = self.varint(h.at(), 1)?;
        let to = h.at().checked_sub(distance).unwrap_or(usize::MAX);
        let index = self.definitions.binary_search_by_key(&to, |one| one.at).unwrap_or(usize::MAX);
        match self.definitions.get_mut(index).filter(|one| !one.numbered) {
            Some(one) => one.numbered = true,
            None => return Err(self.fault(Code::Reference, h.at())),
        }
        self.numbers.push(index);
        Ok(index)
    }

    /// The keys of a new shape. They are to be taken, then [`Reader::define_shape`] is to be called.
    pub fn shape(&mut self, h: Head) -> Result<Names> {
        let n = self.varint(h.at(), 1)?;
        let n = self.counted(n, 1)?;
        if self.shapes.len() >= self.limits.max_shapes {
            return Err(self.fault(Code::Limit, h.at()));
        }
        Ok(Names(n))
    }

    /// The shape is known from here on; its values stand next.
    pub fn define_shape(&mut self, names: Names) -> Result<()> {
        self.counted(names.0, 1)?;
        self.shapes.push(names.0);
        Ok(())
    }

    /// Which shape a dict has, and how many values.
    pub fn shaped(&mut self, h: Head) -> Result<(usize, usize)> {
        self.defined(h, true)
    }

    /// The head of the next name. Whoever takes it sees to it that it is text, and not a second time the same.
    #[inline(never)]
    pub fn name(&mut self) -> Result<Head> {
        self.head()
    }

    /// Begins a type definition.
    pub fn type_head(&mut self, h: Head) -> Result<TypeHead> {
        if self.types.len() >= self.limits.max_types {
            return Err(self.fault(Code::Limit, h.at()));
        }
        match self.byte()? {
            kind @ 0..=3 => Ok(TypeHead { kind }),
            _ => Err(self.fault(Code::Body, h.at())),
        }
    }

    /// The version of a type, behind its name, and how many fields follow.
    pub fn version(&mut self, at: usize, kind: u8) -> Result<(u64, Names)> {
        let version = self.varint(at, 0)?;
        let n = self.varint(at, 0)?;
        let n = self.counted(n, 1)?;
        if n > 0 && matches!(kind, 1 | 2) {
            return Err(self.fault(Code::Body, at));
        }
        Ok((version as u64, Names(n)))
    }

    /// The type is known from here on; how many values the first object of it has, which stand next.
    pub fn define_type(&mut self, kind: u8, names: Names) -> Result<usize> {
        let n = names.0 + usize::from(kind > 0);
        self.types.push(n);
        self.counted(n, 1)
    }

    /// Which type an object has, and how many values.
    pub fn record(&mut self, h: Head) -> Result<(usize, usize)> {
        self.defined(h, false)
    }

    /// A shape or a type that was defined before.
    #[inline(never)]
    fn defined(&mut self, h: Head, shape: bool) -> Result<(usize, usize)> {
        let (tag, room) = if shape { (SHAPED, 8) } else { (RECORD, 4) };
        let index =
            if h.tag() == tag { self.varint(h.at(), room)? } else { usize::from(h.tag()) & (room - 1) };
        let all = if shape { &self.shapes } else { &self.types };
        match all.get(index).copied() {
            Some(n) => Ok((index, self.counted(n, 1)?)),
            None => Err(self.fault(Code::Undefined, h.at())),
        }
    }

    /// The offset of the next value.
    pub fn at(&self) -> usize {
        self.c.offset()
    }

    /// Checks that the header was right, and unless a prefix is wanted, that nothing follows.
    pub fn end(&mut self, prefix: bool) -> Result<()> {
        if !prefix && !self.c.at_end() {
            return Err(self.fault(Code::Trailing, self.c.offset()));
        }
        if self.beside != (self.outside > 0) {
            return Err(self.fault(Code::Header, 0));
        }
        Ok(())
    }
}

/// Whether one of the items does not fit half the width.
fn needs_width(items: &[u8], width: usize) -> bool {
    let half = width / 2;
    items.chunks_exact(width).any(|item| {
        let (low, high) = item.split_at(half);
        let sign = if low.last().is_some_and(|&b| b >= 0x80) { 0xff } else { 0 };
        high.iter().any(|&b| b != sign)
    })
}
