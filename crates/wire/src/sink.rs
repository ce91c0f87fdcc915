//! A format being written: one verb for each thing that can be said.
//!
//! The defaults spell what a format has no form of its own for: a date is text, bytes are
//! base64 text, a short float is a float. A simple format implements only the verbs without a
//! body. Separators are verbs too (`end_item`), so that the caller's loop is the
//! same for formats with separators and for formats with counts.

use crate::base64;
use crate::time::{Date, DateTime, Duration, Instant, Time, TimeStyle};
use crate::{Buf, Caps, Lead, Signed, Str, Wrote, number};

/// A named shape, for formats that can say more than array and map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Form {
    /// An array that cannot change.
    Tuple,
    /// A collection without order or repeats.
    Set,
    /// A set that cannot change.
    FrozenSet,
    /// Fields of a registered class.
    Object,
    /// A member of a registered enumeration.
    Member,
}

/// A format being written.
///
/// Every verb may say that memory has run out ([`crate::Full`]); nothing else can fail here,
/// because what a format cannot say is never asked of it ([`Caps`]).
pub trait Sink {
    /// What this format can say.
    const CAPS: Caps;

    /// No value.
    fn null(&mut self) -> Wrote;
    /// True or false.
    fn bool(&mut self, v: bool) -> Wrote;
    /// An integer.
    fn i64(&mut self, v: i64) -> Wrote;
    /// An integer that may be above the signed range.
    fn u64(&mut self, v: u64) -> Wrote;
    /// A float; finite unless `CAPS.non_finite`.
    fn f64(&mut self, v: f64) -> Wrote;
    /// A float of 32 bits; finite unless `CAPS.non_finite`. Text formats write its own shortest form.
    fn f32(&mut self, v: f32) -> Wrote {
        self.f64(f64::from(v))
    }
    /// An integer of more than 64 bits, as decimal digits after an optional minus sign. Called only if `CAPS.big` is `Text`.
    fn big_text(&mut self, digits: &str) -> Wrote {
        self.text(Str::new(digits))
    }
    /// An integer of more than 64 bits, as little-endian two's complement. Called only if `CAPS.big` is `Bytes`.
    fn big_bytes(&mut self, twos: &[u8]) -> Wrote {
        self.bytes(twos)
    }
    /// A decimal number written as a number, digit for digit. Called only where numbers are text.
    fn number_text(&mut self, digits: &str) -> Wrote {
        self.text(Str::new(digits))
    }
    /// Text. It has been checked.
    fn str(&mut self, v: Str<'_>) -> Wrote;
    /// The same, where it need not be compiled in.
    #[inline(never)]
    fn text(&mut self, v: Str<'_>) -> Wrote {
        self.str(v)
    }
    /// A key that is an integer, where all keys are text: its digits. Elsewhere it is written as a value is.
    fn int_key(&mut self, v: i64) -> Wrote {
        let mut room = [0; 32];
        let n = number::write_i64(v, &mut room);
        self.text(Str::unchecked(room.get(..n).unwrap_or_default()))
    }
    /// Bytes; standard base64 with padding (RFC 4648, section 4) unless the format has a form for them.
    fn bytes(&mut self, v: &[u8]) -> Wrote {
        self.text(Str::new(&base64::text(v)))
    }

    /// Begins an array of exactly `len` items.
    fn begin_array(&mut self, len: usize) -> Wrote;
    /// After each item and each value of a map, the last one too.
    fn end_item(&mut self) -> Wrote;
    /// What stands before an item, alone.
    fn lead(&mut self, lead: impl Lead) -> Wrote;
    /// Text that is an item, or the value of an entry, with what stands before and after it: in one step, if that is faster.
    #[inline(always)]
    fn str_item(&mut self, lead: impl Lead, v: Str<'_>) -> Wrote {
        self.lead(lead)?;
        self.str(v)?;
        self.end_item()
    }
    /// An integer, as above. Meant for arrays, whose numbers have as many digits as chance has it.
    #[inline(always)]
    fn signed_item(&mut self, lead: impl Lead, v: Signed) -> Wrote {
        self.lead(lead)?;
        self.i64(v.get())?;
        self.end_item()
    }
    /// A truth value, as above, or none at all: in one, so that it need not be guessed which of the three is next.
    #[inline(always)]
    fn word_item(&mut self, lead: impl Lead, v: Option<bool>) -> Wrote {
        self.lead(lead)?;
        match v {
            Some(v) => self.bool(v)?,
            None => self.null()?,
        }
        self.end_item()
    }
    /// A float, as above.
    #[inline(always)]
    fn f64_item(&mut self, lead: impl Lead, v: f64) -> Wrote {
        self.lead(lead)?;
        self.f64(v)?;
        self.end_item()
    }
    /// An array without items, or a map, as above.
    #[inline(always)]
    fn empty_item(&mut self, lead: impl Lead, map: bool) -> Wrote {
        self.lead(lead)?;
        if map {
            self.begin_map(0)?;
            self.end_map(true)?;
        } else {
            self.begin_array(0)?;
            self.end_array(true)?;
        }
        self.end_item()
    }
    /// Integers that are items, as the bits of an `i64` each.
    #[inline(always)]
    fn i64_items(&mut self, bits: &[u64]) -> Wrote {
        bits.iter().try_for_each(|&bits| self.signed_item((), (bits as i64).into()))
    }
    /// Truth values that are items: all but 0 are true.
    #[inline(always)]
    fn bool_items(&mut self, bits: &[u64]) -> Wrote {
        bits.iter().try_for_each(|&bits| self.word_item((), Some(bits != 0)))
    }
    /// Floats that are items, by their bits.
    #[inline(always)]
    fn f64_items(&mut self, bits: &[u64]) -> Wrote {
        bits.iter().try_for_each(|&bits| self.f64_item((), f64::from_bits(bits)))
    }
    /// Floats of 32 bits that are items, by their bits, which are the low ones.
    #[inline(always)]
    fn f32_items(&mut self, bits: &[u64]) -> Wrote {
        bits.iter().try_for_each(|&bits| {
            self.f32(f32::from_bits(bits as u32))?;
            self.end_item()
        })
    }
    /// Ends the array; `empty` if it had no items.
    fn end_array(&mut self, empty: bool) -> Wrote;
    /// Begins a map of exactly `len` entries.
    fn begin_map(&mut self, len: usize) -> Wrote;
    /// After each key.
    fn end_key(&mut self) -> Wrote;
    /// Ends the map; `empty` if it had no entries.
    fn end_map(&mut self, empty: bool) -> Wrote;

    /// How moments are spelled as text.
    fn time_style(&self) -> TimeStyle {
        TimeStyle::default()
    }
    /// A date; RFC 3339 `full-date` text by default.
    fn date(&mut self, v: Date) -> Wrote {
        self.text(v.text(&mut [0; Date::TEXT]))
    }
    /// A date with a time; RFC 3339 `date-time` text by default.
    fn datetime(&mut self, v: DateTime) -> Wrote {
        let style = self.time_style();
        self.text(v.text(style, &mut [0; DateTime::TEXT]))
    }
    /// The same where it is met often, compiled into whoever asks.
    #[inline(always)]
    fn often_datetime(&mut self, v: DateTime) -> Wrote {
        self.datetime(v)
    }
    /// A time of day; RFC 3339 `full-time` or `partial-time` text by default.
    fn time(&mut self, v: Time) -> Wrote {
        let style = self.time_style();
        self.text(v.text(style, &mut [0; Time::TEXT]))
    }
    /// A moment that may be beyond the years of a calendar. Called only if `CAPS.time`.
    fn instant(&mut self, v: Instant) -> Wrote {
        match DateTime::from_unix(v.seconds, v.nanosecond) {
            Some(v) => self.datetime(v),
            None => self.null(),
        }
    }
    /// A span; ISO 8601 duration text by default.
    fn duration(&mut self, v: Duration) -> Wrote {
        self.text(v.text(&mut [0; Duration::ROOM]))
    }
    /// A UUID; RFC 9562 text by default.
    fn uuid(&mut self, v: [u8; 16]) -> Wrote {
        self.text(crate::uuid::text(v, &mut [0; crate::uuid::TEXT]))
    }

    /// An application type. Called only if `CAPS.ext`.
    fn ext(&mut self, code: i8, body: &[u8]) -> Wrote {
        let _ = code;
        self.bytes(body)
    }
    /// Begins a named shape of `len` items. Called only if `CAPS.forms`.
    fn form(&mut self, form: Form, len: usize) -> Wrote {
        let _ = form;
        self.begin_array(len)
    }
    /// Names the `n`th container that was begun. Called only if `CAPS.refs`.
    fn back_ref(&mut self, n: u32) -> Wrote {
        self.u64(u64::from(n))
    }
    /// Names the `n`th buffer beside the message. Called only if `CAPS.buffers`.
    fn out_of_band(&mut self, n: u32) -> Wrote {
        self.u64(u64::from(n))
    }
    /// A value that is already encoded in this format.
    fn raw(&mut self, encoded: &[u8]) -> Wrote;

    /// Whether what is written for a key depends on nothing but the key, so that it may be remembered.
    fn plain_keys(&self) -> bool {
        Self::CAPS.rendered_keys
    }
    /// Whether the last [`crate::Full`] means that something was longer than the format can say.
    fn too_long(&self) -> bool {
        false
    }
    /// How much has been written: a place for [`Sink::since`].
    fn mark(&self) -> usize;
    /// What has been written since a mark.
    fn since(&self, mark: usize) -> &[u8];
    /// Forgets what was written since a mark.
    fn forget(&mut self, mark: usize);
    /// The finished output, which nothing is written to any more.
    fn finish(&mut self) -> Buf;
}
