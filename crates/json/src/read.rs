//! Reading: a cursor over the text, strict (RFC 8259), that never goes back and never recurses.
//!
//! What may surprise: a zero byte stands after the input and has no meaning in the grammar, so
//! the end is found as "no such token" and told apart from a fault only when there is one.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::style::{Limits, NonFinite};
use wire::{
    Big, Buf, Caps, Code, Cursor, Error, Input, KNOWN, Kind, Num, NumText, Passed, Result, Source, Str,
};

/// A JSON text being read.
pub struct Reader<'d> {
    pub(crate) c: Cursor<'d>,
    pub(crate) limits: Limits,
    /// What begins with each byte.
    kinds: &'static [Kind; 256],
    pub(crate) escaped: Option<Box<Escaped>>,
    skipping: Option<Box<Skipping>>,
}

/// What begins a value with bytes that begin none, or have to be looked at.
const NO_VALUE: Kind = Kind::Ext;

/// What each byte begins; with `null` for numbers that are not finite a minus sign may begin one of two things.
static KINDS: [[Kind; 256]; 2] = [kinds(Kind::Number), kinds(NO_VALUE)];

const fn kinds(minus: Kind) -> [Kind; 256] {
    let mut kinds = [NO_VALUE; 256];
    let mut b = b'0';
    while b <= b'9' {
        kinds[b as usize] = Kind::Number;
        b += 1;
    }
    kinds[b'-' as usize] = minus;
    kinds[b'"' as usize] = Kind::Str;
    kinds[b'{' as usize] = Kind::Map;
    kinds[b'[' as usize] = Kind::Array;
    kinds[b't' as usize] = Kind::Bool;
    kinds[b'f' as usize] = Kind::Bool;
    kinds[b'n' as usize] = Kind::Null;
    kinds
}

/// What strings with escapes need, apart because most have none.
pub(crate) struct Escaped {
    /// The text of such a string.
    pub(crate) text: Buf,
    /// Where the last of them begins, after its quote, and where it ends.
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// What skipping needs, apart because most input has nothing to be skipped.
#[derive(Default)]
struct Skipping {
    /// What is open: true for a map.
    open: Vec<bool>,
    passed: Passed,
}

/// Whether an open container has begun: there was an item, or the first was looked for.
#[derive(Clone, Copy, Default, Debug)]
pub struct Begun(bool);

impl From<u64> for Begun {
    #[inline(always)]
    fn from(v: u64) -> Self {
        Begun(v != 0)
    }
}

impl From<Begun> for u64 {
    #[inline(always)]
    fn from(v: Begun) -> u64 {
        u64::from(v.0)
    }
}

impl<'d> Reader<'d> {
    /// Stands at the beginning of the input.
    pub fn new(input: Input<'d>, limits: Limits) -> Self {
        let kinds = &KINDS[usize::from(limits.non_finite == NonFinite::Null)];
        Reader { c: Cursor::new(input), limits, kinds, escaped: None, skipping: None }
    }

    /// Goes to an offset, to read another value of the same input.
    pub fn seek(&mut self, offset: usize) {
        self.c.seek(offset);
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn fail<T>(&self, code: Code) -> Result<T> {
        let at_end = self.c.at_end();
        Err(Error { code: if at_end { Code::Eof } else { code }, at: self.c.offset() })
    }

    /// What stands behind the document must be white space.
    #[inline(never)]
    fn trailing(&mut self) -> Result<()> {
        self.c.skip_rare_space();
        if self.c.at_end() { Ok(()) } else { self.refuse(Code::Trailing) }
    }

    /// No value begins here: why?
    #[cold]
    #[inline(never)]
    fn no_value(&mut self, b: u8) -> Result<Kind> {
        let at = self.c.offset();
        let before = self.c.since(0);
        if b == b'-' {
            let null = self.c.rest().get(1) == Some(&b'I');
            return Ok(if null { Kind::Null } else { Kind::Number });
        }
        if (b == b'N' || b == b'I') && self.limits.non_finite != NonFinite::Error {
            let null = self.limits.non_finite == NonFinite::Null;
            return Ok(if null { Kind::Null } else { Kind::Number });
        }
        let code = match before.iter().rfind(|b| !b" \t\n\r".contains(b)) {
            None if self.c.at_end() => Code::Empty,
            None if self.c.rest().starts_with(b"\xef\xbb\xbf") => Code::Bom,
            Some(b',') if b == b']' || b == b'}' => Code::TrailingComma,
            _ if b == b'N' || b == b'I' => Code::NotFinite,
            _ if self.c.at_end() => Code::Eof,
            _ => Code::Value,
        };
        Err(Error { code, at })
    }

    /// The cursor stands where one of `null`, `true`, `false` should, and it does not.
    #[cold]
    #[inline(never)]
    fn no_literal<T>(&mut self, word: &[u8]) -> Result<T> {
        let rest = self.c.rest();
        let cut = rest.len() < word.len() && word.starts_with(rest);
        let code = if cut { Code::Eof } else { Code::Literal };
        Err(Error { code, at: self.c.offset() + if cut { rest.len() } else { 0 } })
    }

    /// A null that stands for a number that is not finite.
    #[cold]
    #[inline(never)]
    fn spelled_null(&mut self, h: u8) -> Result<()> {
        match h {
            b'-' => {
                self.c.advance(1);
                if self.c.eat_word(b"Infinity") { Ok(()) } else { self.fail(Code::Digit) }
            }
            b'N' if self.c.eat_word(b"NaN") => Ok(()),
            b'I' if self.c.eat_word(b"Infinity") => Ok(()),
            _ => self.fail(Code::Value),
        }
    }

    /// Passes over a scalar, checking it.
    #[inline(never)]
    fn skip_scalar(&mut self, kind: Kind, h: u8) -> Result<()> {
        match kind {
            Kind::Str => {
                let s = self.str(h)?;
                let n = s.bytes().len();
                match s.utf8() {
                    Ok(_) => Ok(()),
                    Err(good) => Err(self.not_utf8(n, good)),
                }
            }
            Kind::Number => {
                // Most are short integers.
                let rest = self.c.rest();
                let n = rest.iter().take(17).take_while(|b| b.is_ascii_digit()).count();
                match rest.get(n) {
                    Some(b',' | b'}' | b']') if h != b'0' && n != 0 => {
                        self.c.advance(n);
                        Ok(())
                    }
                    _ => self.take_number_cold(h).map(drop),
                }
            }
            Kind::Bool => self.bool(h).map(drop),
            _ => self.null(h),
        }
    }

    /// Passes over a container that stands here.
    #[inline(never)]
    fn skip_container(&mut self) -> Result<()> {
        let mut skipping = self.skipping.take();
        let s = skipping.get_or_insert_default();
        let mut begun = Begun(true);
        loop {
            // For the first as for all others, since it is compiled in.
            let (kind, h) = self.head()?;
            match kind {
                Kind::Array | Kind::Map => {
                    let open = s.open.len();
                    self.begin(kind == Kind::Map, s)?;
                    begun = Begun(s.open.len() == open);
                }
                _ => self.skip_scalar(kind, h)?,
            }
            // On to the next value in what is open.
            loop {
                let Some(&map) = s.open.last() else {
                    self.skipping = skipping;
                    return Ok(());
                };
                if if map { self.entry(&mut begun)? } else { self.item(&mut begun)? } {
                    if map {
                        self.skip_scalar(Kind::Str, b'"')?;
                        self.value()?;
                    }
                    break;
                }
                s.open.pop();
                s.passed.end(self.c.offset());
                // Whatever holds a container has begun.
                begun = Begun(true);
            }
        }
    }

    /// Passes over a container, or opens it.
    fn begin(&mut self, map: bool, s: &mut Skipping) -> Result<()> {
        let at = self.c.offset();
        if let Some(end) = s.passed.end_of(at) {
            self.c.seek(end);
            return Ok(());
        }
        if s.open.len() >= self.limits.max_depth {
            return Err(Error { code: Code::Depth, at });
        }
        s.passed.begin(at);
        self.c.advance(1);
        s.open.push(map);
        Ok(())
    }
}

impl Source for Reader<'_> {
    const CAPS: Caps = Caps { number_text: true, big: Big::Text, ..Caps::PLAIN };
    type Head = u8;
    type Seq = Begun;

    #[inline(always)]
    fn head(&mut self) -> Result<(Kind, u8)> {
        self.c.skip_space();
        self.head_here()
    }

    #[inline(always)]
    fn head_here(&mut self) -> Result<(Kind, u8)> {
        let b = self.c.peek();
        let kind = self.kinds[usize::from(b)];
        if kind == NO_VALUE {
            return Ok((self.no_value(b)?, b));
        }
        Ok((kind, b))
    }

    #[inline(always)]
    fn text_head(&self) -> Option<u8> {
        (self.c.peek() == b'"').then_some(b'"')
    }

    #[inline(always)]
    fn next_text(&mut self) -> Option<u8> {
        (self.c.skip_space() == b'"').then_some(b'"')
    }

    #[inline(always)]
    fn container_head(&self) -> Option<(Kind, u8)> {
        match self.c.peek() {
            b'[' => Some((Kind::Array, b'[')),
            b'{' => Some((Kind::Map, b'{')),
            _ => None,
        }
    }

    #[inline(always)]
    fn null(&mut self, h: u8) -> Result<()> {
        if h != b'n' {
            return self.spelled_null(h);
        }
        if self.c.eat_word(b"null") { Ok(()) } else { self.no_literal(b"null") }
    }

    #[inline(always)]
    fn bool(&mut self, h: u8) -> Result<bool> {
        if h == b't' {
            if self.c.eat_word(b"true") { Ok(true) } else { self.no_literal(b"true") }
        } else if self.c.eat_word(b"false") {
            Ok(false)
        } else {
            self.no_literal(b"false")
        }
    }

    #[inline(always)]
    fn number(&mut self, h: u8) -> Result<Num<'_>> {
        self.take_number(h)
    }

    #[inline(always)]
    fn short_int(&mut self) -> Option<i64> {
        // The least limit there is has more digits.
        self.c.short_integer().map(|v| v as i64)
    }

    fn number_text(&mut self, h: u8) -> Result<NumText<'_>> {
        self.take_number_text(h)
    }

    #[inline(always)]
    fn str(&mut self, _: u8) -> Result<Str<'_>> {
        self.c.eat::<b'"'>();
        let start = self.c.offset();
        let s = self.c.plain();
        if self.c.eat::<b'"'>() { Ok(s) } else { Ok(self.escaped(start)?) }
    }

    #[inline(always)]
    fn array(&mut self, _: u8) -> Result<Begun> {
        self.c.eat::<b'['>();
        Ok(Begun(false))
    }

    #[inline(always)]
    fn item(&mut self, s: &mut Begun) -> Result<bool> {
        if s.0 && self.c.eat::<b','>() {
            return Ok(true);
        }
        let b = self.c.skip_rare_space();
        if !s.0 {
            s.0 = true;
            return Ok(!self.c.eat::<b']'>());
        }
        if b == b',' {
            self.c.eat::<b','>();
            return Ok(true);
        }
        if self.c.eat::<b']'>() { Ok(false) } else { self.fail(Code::CommaOrBracket) }
    }

    #[inline(always)]
    fn map(&mut self, _: u8) -> Result<Begun> {
        self.c.eat::<b'{'>();
        Ok(Begun(false))
    }

    #[inline(always)]
    fn entry(&mut self, s: &mut Begun) -> Result<bool> {
        let mut b = self.c.skip_rare_space();
        let comma = s.0;
        if s.0 {
            if b != b',' {
                return if self.c.eat::<b'}'>() { Ok(false) } else { self.fail(Code::CommaOrBrace) };
            }
            self.c.eat::<b','>();
            b = self.c.skip_space();
        }
        s.0 = true;
        if b == b'"' {
            return Ok(true);
        }
        if b == b'}' && !comma {
            self.c.eat::<b'}'>();
            return Ok(false);
        }
        self.fail(if b == b'}' { Code::TrailingComma } else { Code::Key })
    }

    #[inline(always)]
    fn key(&mut self) -> Result<(Kind, u8)> {
        Ok((Kind::Str, b'"'))
    }

    #[inline(always)]
    fn value(&mut self) -> Result<()> {
        if self.c.eat::<b':'>() {
            return Ok(());
        }
        self.c.skip_rare_space();
        if self.c.eat::<b':'>() { Ok(()) } else { self.fail(Code::Colon) }
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
    fn entry_again(&mut self, s: &mut Begun, known: &[u8; KNOWN], len: usize) -> bool {
        // What is first stands behind nothing.
        let again = self.c.eat_known_after::<b','>(s.0, known, len);
        s.0 |= again;
        again
    }

    fn skip(&mut self) -> Result<()> {
        let (kind, h) = self.head()?;
        if matches!(kind, Kind::Array | Kind::Map) {
            return self.skip_container();
        }
        self.skip_scalar(kind, h)
    }

    #[inline(always)]
    fn end(&mut self) -> Result<()> {
        if self.c.at_end() { Ok(()) } else { self.trailing() }
    }

    fn at(&self) -> usize {
        self.c.offset()
    }

    fn not_utf8(&self, len: usize, good: usize) -> Error {
        // The closing quote was passed too.
        let end = self.c.offset();
        let (from, to) = self.escaped.as_ref().map_or((0, 0), |e| (e.from, e.to));
        if end != to {
            return Error { code: Code::NotUtf8, at: end.saturating_sub(1 + len - good) };
        }
        // Escapes are ASCII: the text as it is written goes wrong where its meaning does.
        let written = self.c.since(from);
        let good = core::str::from_utf8(written).map_or_else(|e| e.valid_up_to(), str::len);
        Error { code: Code::NotUtf8, at: from + good }
    }
}

/// A key as it is read with its colon, for whoever expects it. How long that is, or 0 if it is too long
/// or has an escape.
pub fn known_key(key: &str, text: &mut [u8; KNOWN]) -> usize {
    if key.bytes().any(|b| b < b' ' || b == b'"' || b == b'\\') {
        return 0;
    }
    wire::known(text, &[b"\"", key.as_bytes(), b"\":"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_passed_over_is_not_looked_through_again() {
        let (open, close, levels) = (r#"{"key":"#, r#","z":[[],{}]}"#, 500);
        let mut text = [open.repeat(levels), "[1]".into(), close.repeat(levels)].concat().into_bytes();
        let mut r = Reader::new(Input::new(&mut text), Limits::default());
        r.look();
        assert_eq!(r.skip(), Ok(()));
        r.rewind(0);
        // Whoever goes into a container now fails.
        r.limits.max_depth = 0;
        for level in (5..levels).rev() {
            let (_, h) = r.head().unwrap();
            let mut seq = r.map(h).unwrap();
            assert_eq!(r.entry(&mut seq), Ok(true));
            assert!(r.str(b'"').is_ok() && r.value().is_ok());
            let inside = r.mark();
            assert_eq!(r.skip(), Ok(()), "{level}");
            assert_eq!(r.entry(&mut seq), Ok(true));
            r.rewind(inside);
        }
        r.seek(0);
        assert_eq!(r.skip(), Ok(()));
        assert_eq!(r.end(), Ok(()));
    }
}
