//! Writing: compact by default, indented by a style.
//!
//! What may surprise: after each item stands a separator, and the end of a container takes the
//! last one back. So a loop over items has no first or last.

use crate::string;
use crate::style::{NonFinite, Style};
use wire::time::{Date, DateTime, Duration, Time, TimeStyle};
use wire::{Big, Buf, Caps, Lead, Signed, Sink, Str, Wrote, base64, number, uuid};

/// A JSON text being written.
///
/// What every value asks for stands first.
#[repr(C)]
pub struct Writer<'s> {
    /// The style is indented.
    pretty: bool,
    /// It is, or strings are ASCII.
    odd: bool,
    out: Buf,
    style: &'s Style,
    /// How many containers are open, where it is.
    level: usize,
}

impl<'s> Writer<'s> {
    /// Writes after what `out` holds.
    pub fn new(out: Buf, style: &'s Style) -> Self {
        let pretty = style.indent.is_some();
        Writer { out, style, pretty, odd: pretty || style.ascii, level: 0 }
    }

    #[cold]
    #[inline(never)]
    fn new_line(&mut self) -> Wrote {
        self.out.push(b'\n')?;
        let unit = self.style.indent.as_deref().unwrap_or_default();
        for _ in 0..self.level {
            self.out.put(unit)?;
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn begin_pretty(&mut self, bracket: u8, len: usize) -> Wrote {
        self.out.push(bracket)?;
        if len == 0 {
            return Ok(());
        }
        self.level += 1;
        self.new_line()
    }

    #[cold]
    #[inline(never)]
    fn end_pretty(&mut self, bracket: u8, empty: bool) -> Wrote {
        if !empty {
            // A comma, a line feed and the indent stand after the last item.
            let unit = self.style.indent.as_deref().unwrap_or_default().len();
            self.out.truncate(self.out.len() - (2 + unit * self.level));
            self.level -= 1;
            self.new_line()?;
        }
        self.out.push(bracket)
    }

    #[inline(always)]
    fn separate(&mut self) -> Wrote {
        self.out.push(b',')?;
        self.separated()
    }

    /// After a comma.
    #[inline(always)]
    fn separated(&mut self) -> Wrote {
        if self.pretty { self.new_line() } else { Ok(()) }
    }

    #[inline(always)]
    fn end(&mut self, bracket: u8, empty: bool) -> Wrote {
        if self.pretty {
            return self.end_pretty(bracket, empty);
        }
        if empty {
            return self.out.push(bracket);
        }
        self.out.set_last(bracket);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn not_finite(&mut self, nan: bool, negative: bool) -> Wrote {
        self.out.put(match self.style.non_finite {
            NonFinite::Literal if nan => b"NaN",
            NonFinite::Literal if negative => b"-Infinity",
            NonFinite::Literal => b"Infinity",
            _ => b"null",
        })
    }

    #[cold]
    #[inline(never)]
    fn ecmascript(&mut self, v: f64) -> Wrote {
        let mut text = [0; 32];
        let n = number::ecmascript(v, &mut text);
        self.out.put_short(&text, n)
    }

    #[cold]
    #[inline(never)]
    fn ascii(&mut self, v: Str<'_>) -> Wrote {
        self.out.push(b'"')?;
        string::put_ascii(&mut self.out, v.utf8().unwrap_or_default())?;
        self.out.push(b'"')
    }

    /// What is known to need no escapes, between quotes; `N` has room for these too.
    #[inline(always)]
    fn quoted<const N: usize>(&mut self, write: impl FnOnce(&mut [u8]) -> usize) -> Wrote {
        self.out.put_by::<N>(|room| {
            let Some((first, rest)) = room.split_first_mut() else { return 0 };
            *first = b'"';
            let n = write(rest);
            if let Some(last) = rest.get_mut(n) {
                *last = b'"';
            }
            n + 2
        })
    }

    /// A string where strings or separators are not as usual, and the separator.
    #[inline(never)]
    fn odd_str_item(&mut self, v: Str<'_>) -> Wrote {
        self.text(v)?;
        self.separate()
    }

    /// A float where floats are not as usual, and the separator.
    #[cold]
    #[inline(never)]
    fn odd_f64_item(&mut self, v: f64) -> Wrote {
        self.f64(v)?;
        self.separate()
    }

    /// As [`Writer::escaped`], and the separator.
    #[inline(never)]
    fn escaped_item(&mut self, text: &[u8], from: usize) -> Wrote {
        self.out.put_spelled(text, from, string::spellings)?;
        self.out.put_short(b"\",", 2)
    }

    /// The rest of a string of which something must be escaped, not before `from`, and the closing quote.
    #[inline(never)]
    fn escaped(&mut self, text: &[u8], from: usize) -> Wrote {
        self.out.put_spelled(text, from, string::spellings)?;
        self.out.push(b'"')
    }
}

impl Sink for Writer<'_> {
    const CAPS: Caps = Caps { rendered_keys: true, number_text: true, big: Big::Text, ..Caps::PLAIN };

    #[inline(never)]
    fn bytes(&mut self, v: &[u8]) -> Wrote {
        self.out.push(b'"')?;
        for (digits, n) in base64::pieces(v) {
            self.out.put_short(&digits, n)?;
        }
        self.out.push(b'"')
    }
    #[inline(always)]
    fn null(&mut self) -> Wrote {
        self.out.put(b"null")
    }
    #[inline(always)]
    fn bool(&mut self, v: bool) -> Wrote {
        // No branch on the value: in a run of truth values it would be guessed wrong every other time.
        let text: &[u8; 5] = if v { b"true " } else { b"false" };
        self.out.put_short(text, 5 - usize::from(v))
    }
    #[inline(always)]
    fn i64(&mut self, v: i64) -> Wrote {
        self.out.put_i64(v)
    }
    fn u64(&mut self, v: u64) -> Wrote {
        self.out.put_u64(v)
    }
    #[inline(always)]
    fn f64(&mut self, v: f64) -> Wrote {
        if !v.is_finite() {
            return self.not_finite(v.is_nan(), v < 0.0);
        }
        if self.style.ecmascript {
            return self.ecmascript(v);
        }
        self.out.put_f64(v)
    }
    #[inline]
    fn f32(&mut self, v: f32) -> Wrote {
        if !v.is_finite() {
            return self.not_finite(v.is_nan(), v < 0.0);
        }
        if self.style.ecmascript {
            return self.ecmascript(f64::from(v));
        }
        self.out.put_f32(v)
    }
    fn big_text(&mut self, digits: &str) -> Wrote {
        self.out.put(digits.as_bytes())
    }
    fn number_text(&mut self, digits: &str) -> Wrote {
        self.out.put(digits.as_bytes())
    }
    #[inline(always)]
    fn str(&mut self, v: Str<'_>) -> Wrote {
        if self.style.ascii {
            return self.ascii(v);
        }
        let bytes = v.bytes();
        let n = self.out.put_quoted(bytes)?;
        if n == bytes.len() { Ok(()) } else { self.escaped(bytes, n) }
    }

    #[inline(always)]
    fn int_key(&mut self, v: i64) -> Wrote {
        self.out.push(b'"')?;
        self.out.put_signed_and((), v.into(), b'"')
    }

    #[inline(always)]
    fn begin_array(&mut self, len: usize) -> Wrote {
        if self.pretty { self.begin_pretty(b'[', len) } else { self.out.push(b'[') }
    }
    #[inline(always)]
    fn end_item(&mut self) -> Wrote {
        self.separate()
    }
    #[inline(always)]
    fn lead(&mut self, lead: impl Lead) -> Wrote {
        self.out.put_lead(lead)
    }
    #[inline(always)]
    fn str_item(&mut self, lead: impl Lead, v: Str<'_>) -> Wrote {
        if self.odd {
            self.lead(lead)?;
            return self.odd_str_item(v);
        }
        let bytes = v.bytes();
        let n = self.out.put_quoted_and(lead, bytes, b',')?;
        if n == bytes.len() { Ok(()) } else { self.escaped_item(bytes, n) }
    }
    #[inline(always)]
    fn signed_item(&mut self, lead: impl Lead, v: Signed) -> Wrote {
        self.out.put_signed_and(lead, v, b',')?;
        self.separated()
    }
    #[inline(always)]
    fn word_item(&mut self, lead: impl Lead, v: Option<bool>) -> Wrote {
        static WORDS: [[u8; 8]; 3] = [*b"false,\0\0", *b"true,\0\0\0", *b"null,\0\0\0"];
        let which = v.map_or(2, usize::from);
        self.out.put_short_after(lead, &WORDS[which], 5 + usize::from(which == 0))?;
        self.separated()
    }
    #[inline(always)]
    fn f64_item(&mut self, lead: impl Lead, v: f64) -> Wrote {
        if !v.is_finite() || self.style.ecmascript {
            self.lead(lead)?;
            return self.odd_f64_item(v);
        }
        self.out.put_f64_and(lead, v, b',')?;
        self.separated()
    }
    #[inline(always)]
    fn empty_item(&mut self, lead: impl Lead, map: bool) -> Wrote {
        self.out.put_short_after(lead, if map { b"{},\0" } else { b"[],\0" }, 3)?;
        self.separated()
    }
    #[inline(always)]
    fn end_array(&mut self, empty: bool) -> Wrote {
        self.end(b']', empty)
    }
    #[inline(always)]
    fn begin_map(&mut self, len: usize) -> Wrote {
        if self.pretty { self.begin_pretty(b'{', len) } else { self.out.push(b'{') }
    }
    #[inline(always)]
    fn end_key(&mut self) -> Wrote {
        self.out.push(b':')?;
        if self.pretty { self.out.push(b' ') } else { Ok(()) }
    }
    #[inline(always)]
    fn end_map(&mut self, empty: bool) -> Wrote {
        self.end(b'}', empty)
    }

    fn time_style(&self) -> TimeStyle {
        self.style.time
    }
    fn date(&mut self, v: Date) -> Wrote {
        self.quoted::<{ Date::TEXT + 2 }>(|out| out.first_chunk_mut().map_or(0, |out| v.put(out)))
    }
    #[inline(always)]
    fn often_datetime(&mut self, v: DateTime) -> Wrote {
        let style = self.style.time;
        self.quoted::<{ DateTime::TEXT + 2 }>(|out| out.first_chunk_mut().map_or(0, |out| v.put(style, out)))
    }
    fn datetime(&mut self, v: DateTime) -> Wrote {
        let style = self.style.time;
        self.quoted::<{ DateTime::TEXT + 2 }>(|out| {
            out.first_chunk_mut().map_or(0, |out| v.write(style, out))
        })
    }
    fn time(&mut self, v: Time) -> Wrote {
        let style = self.style.time;
        self.quoted::<{ Time::TEXT + 2 }>(|out| out.first_chunk_mut().map_or(0, |out| v.put(style, out)))
    }
    fn duration(&mut self, v: Duration) -> Wrote {
        self.quoted::<{ Duration::ROOM + 2 }>(|out| out.first_chunk_mut().map_or(0, |out| v.write(out)))
    }
    fn uuid(&mut self, v: [u8; 16]) -> Wrote {
        self.quoted::<{ uuid::TEXT + 2 }>(|out| match out.first_chunk_mut() {
            Some(out) => uuid::text(v, out).bytes().len(),
            None => 0,
        })
    }
    fn raw(&mut self, encoded: &[u8]) -> Wrote {
        self.out.put(encoded)
    }
    fn plain_keys(&self) -> bool {
        !self.odd
    }
    #[inline(always)]
    fn mark(&self) -> usize {
        self.out.len()
    }
    #[inline(always)]
    fn since(&self, mark: usize) -> &[u8] {
        self.out.as_slice().get(mark..).unwrap_or_default()
    }
    fn forget(&mut self, mark: usize) {
        self.out.truncate(mark);
    }
    #[inline(always)]
    fn finish(&mut self) -> Buf {
        self.out.take()
    }
}
