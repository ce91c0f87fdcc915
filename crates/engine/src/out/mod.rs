//! Where values go.
//!
//! An [`Out`] hears what a [`Sink`] hears, each value with the object that it came from. Two will
//! stand here: bytes of any format, and live objects. The first is [`ToBytes`].

mod array;
mod entries;
mod inner;
mod key;
mod key_value;
mod leaf;
mod loops;
mod record;
mod rendered;
mod rules;
mod scalar;
mod seldom;
mod shaped;
mod simple;
mod sort;
mod structs;
mod walk;

use alloc::vec::Vec;

pub(crate) use rendered::Rendered;
use rendered::{Known, Led};
pub use rules::{Fields, Order, Passthrough, Policy, Quirks, Rules};
pub use simple::Simple;
pub use sort::{SortSet, sorts};
pub use walk::{Walk, Writing};

use model::{Class, Written};
use py::{BigInt, Raised, Ref, StrRef};
use wire::time::{Date, DateTime, Duration, Instant, Time, TimeStyle};
use wire::{Big, Buf, Caps, Full, Kept, Signed, Sink, Str, Wrote};

/// Where values go. The verbs are those of [`Sink`].
///
/// What is met often is compiled for each kind of output; what is seldom met speaks to any of them
/// through `dyn Out`, and is compiled once. The verbs that only the former use are not to be had there.
pub trait Out {
    /// What the other end can say. The same for every value of a type.
    fn caps(&self) -> &'static Caps;

    /// See [`Sink::null`].
    fn null(&mut self) -> Wrote;
    /// See [`Sink::bool`].
    fn bool(&mut self, v: bool) -> Wrote;
    /// See [`Sink::i64`].
    fn i64(&mut self, o: Ref<'_>, v: i64) -> Wrote;
    /// See [`Sink::u64`].
    fn u64(&mut self, o: Ref<'_>, v: u64) -> Wrote;
    /// An integer beyond 64 bits; an exception if it cannot be taken apart.
    fn big(&mut self, v: BigInt<'_>) -> Result<Wrote, Raised>;
    /// See [`Sink::f64`].
    fn f64(&mut self, o: Ref<'_>, v: f64) -> Wrote;
    /// See [`Sink::f32`].
    fn f32(&mut self, o: Ref<'_>, v: f32) -> Wrote;
    /// See [`Sink::number_text`].
    fn number_text(&mut self, o: Ref<'_>, digits: &str) -> Wrote;
    /// See [`Sink::str`].
    fn str(&mut self, o: Ref<'_>, v: Str<'_>) -> Wrote
    where
        Self: Sized;
    /// See [`Sink::text`].
    fn text(&mut self, o: Ref<'_>, v: Str<'_>) -> Wrote;
    /// See [`Sink::bytes`].
    fn bytes(&mut self, o: Ref<'_>, v: &[u8]) -> Wrote;
    /// Whether the keys of a map of so many are looked for among those that were written before.
    fn often(&self, n: usize) -> bool
    where
        Self: Sized;
    /// A key that was written before, if that is so.
    fn known(&self, key: Ref<'_>) -> Option<Known>
    where
        Self: Sized;
    /// A key that is text, and what stands after it. False if the text has a surrogate.
    fn key(&mut self, s: StrRef<'_>, room: &mut Vec<u8>, often: bool) -> Result<bool, Full>
    where
        Self: Sized;
    /// What is written for every instance of a class, if it may be copied.
    fn written<'c>(&mut self, class: &'c Class) -> Option<&'c Written>
    where
        Self: Sized;
    /// See [`Sink::int_key`]; and what stands after the key.
    fn int_key(&mut self, o: Ref<'_>, v: i64) -> Wrote
    where
        Self: Sized;
    /// A key that was spelled as text, and what stands after it.
    fn spelled_key(&mut self, o: Ref<'_>, v: Str<'_>) -> Wrote;
    /// See [`Sink::begin_array`].
    fn begin_array(&mut self, len: usize) -> Wrote;
    /// See [`Sink::end_item`].
    fn end_item(&mut self) -> Wrote;
    /// See [`Sink::lead`].
    fn lead(&mut self, lead: impl Led) -> Wrote
    where
        Self: Sized;
    /// See [`Sink::str_item`].
    fn str_item(&mut self, lead: impl Led, o: Ref<'_>, v: Str<'_>) -> Wrote
    where
        Self: Sized;
    /// See [`Sink::signed_item`].
    fn signed_item(&mut self, lead: impl Led, o: Ref<'_>, v: Signed) -> Wrote
    where
        Self: Sized;
    /// See [`Sink::word_item`].
    fn word_item(&mut self, lead: impl Led, v: Option<bool>) -> Wrote
    where
        Self: Sized;
    /// See [`Sink::f64_item`].
    fn f64_item(&mut self, lead: impl Led, o: Ref<'_>, v: f64) -> Wrote
    where
        Self: Sized;
    /// See [`Sink::empty_item`].
    fn empty_item(&mut self, lead: impl Led, map: bool) -> Wrote
    where
        Self: Sized;
    /// See [`Sink::i64_items`].
    fn i64_items(&mut self, o: Ref<'_>, bits: &[u64]) -> Wrote;
    /// See [`Sink::bool_items`].
    fn bool_items(&mut self, bits: &[u64]) -> Wrote;
    /// See [`Sink::f64_items`].
    fn f64_items(&mut self, o: Ref<'_>, bits: &[u64]) -> Wrote;
    /// See [`Sink::f32_items`].
    fn f32_items(&mut self, o: Ref<'_>, bits: &[u64]) -> Wrote;
    /// See [`Sink::end_array`].
    fn end_array(&mut self, len: usize) -> Wrote;
    /// See [`Sink::begin_map`].
    fn begin_map(&mut self, len: usize) -> Wrote;
    /// See [`Sink::end_key`].
    fn end_key(&mut self) -> Wrote;
    /// See [`Sink::end_map`].
    fn end_map(&mut self, len: usize) -> Wrote;
    /// See [`Sink::time_style`].
    fn time_style(&self) -> TimeStyle;
    /// See [`Sink::date`].
    fn date(&mut self, o: Ref<'_>, v: Date) -> Wrote;
    /// See [`Sink::datetime`].
    fn datetime(&mut self, o: Ref<'_>, v: DateTime) -> Wrote;
    /// See [`Sink::often_datetime`].
    fn often_datetime(&mut self, o: Ref<'_>, v: DateTime) -> Wrote
    where
        Self: Sized;
    /// See [`Sink::time`].
    fn time(&mut self, o: Ref<'_>, v: Time) -> Wrote;
    /// See [`Sink::duration`].
    fn duration(&mut self, o: Ref<'_>, v: Duration) -> Wrote;
    /// See [`Sink::uuid`].
    fn uuid(&mut self, o: Ref<'_>, v: [u8; 16]) -> Wrote;
    /// See [`Sink::instant`].
    fn instant(&mut self, o: Ref<'_>, v: Instant) -> Wrote;
    /// See [`Sink::ext`].
    fn ext(&mut self, o: Ref<'_>, code: i8, body: &[u8]) -> Wrote;
    /// See [`Sink::raw`].
    fn raw(&mut self, o: Ref<'_>, encoded: &[u8]) -> Wrote;
    /// See [`Sink::too_long`].
    fn too_long(&self) -> bool;
    /// See [`Sink::mark`].
    fn mark(&self) -> usize;
    /// Moves what was written since a mark to the end of `into`.
    fn cut(&mut self, mark: usize, into: &mut Vec<u8>);
}

/// Values into bytes of any format.
#[repr(C)]
pub struct ToBytes<'r, S> {
    sink: S,
    /// Keys may be written as they were before.
    plain_keys: bool,
    rendered: Rendered<'r>,
}

impl<'r, S: Sink> ToBytes<'r, S> {
    /// Writes to `sink`.
    pub fn new(sink: S, rendered: Rendered<'r>) -> Self {
        ToBytes { plain_keys: S::CAPS.rendered_keys && sink.plain_keys(), sink, rendered }
    }

    /// What was written: see [`Sink::finish`].
    #[inline(always)]
    pub fn finish(&mut self) -> Buf {
        self.sink.finish()
    }
}

impl<S: Sink> Out for ToBytes<'_, S> {
    #[inline(always)]
    fn caps(&self) -> &'static Caps {
        &S::CAPS
    }
    #[inline(always)]
    fn null(&mut self) -> Wrote {
        self.sink.null()
    }
    #[inline(always)]
    fn bool(&mut self, v: bool) -> Wrote {
        self.sink.bool(v)
    }
    // Of those that are met often, which are items, there is `signed_item`.
    #[inline(never)]
    fn i64(&mut self, _: Ref<'_>, v: i64) -> Wrote {
        self.sink.i64(v)
    }
    #[inline(always)]
    fn u64(&mut self, _: Ref<'_>, v: u64) -> Wrote {
        self.sink.u64(v)
    }
    #[cold]
    fn big(&mut self, v: BigInt<'_>) -> Result<Wrote, Raised> {
        Ok(match S::CAPS.big {
            Big::Bytes => self.sink.big_bytes(&v.bytes()?),
            _ => self.sink.big_text(&v.text()?),
        })
    }
    #[inline(always)]
    fn f64(&mut self, _: Ref<'_>, v: f64) -> Wrote {
        self.sink.f64(v)
    }
    #[inline]
    fn f32(&mut self, _: Ref<'_>, v: f32) -> Wrote {
        self.sink.f32(v)
    }
    fn number_text(&mut self, _: Ref<'_>, digits: &str) -> Wrote {
        self.sink.number_text(digits)
    }
    #[inline(always)]
    fn str(&mut self, _: Ref<'_>, v: Str<'_>) -> Wrote {
        self.sink.str(v)
    }
    fn text(&mut self, _: Ref<'_>, v: Str<'_>) -> Wrote {
        self.sink.text(v)
    }
    fn bytes(&mut self, _: Ref<'_>, v: &[u8]) -> Wrote {
        self.sink.bytes(v)
    }
    #[inline(always)]
    fn often(&self, n: usize) -> bool {
        // Large maps seldom share their keys with others.
        self.plain_keys && n <= 64
    }
    #[inline(always)]
    fn known(&self, key: Ref<'_>) -> Option<Known> {
        self.rendered.known(key)
    }
    #[inline(never)]
    fn key(&mut self, s: StrRef<'_>, room: &mut Vec<u8>, often: bool) -> Result<bool, Full> {
        let often = often && self.plain_keys;
        if often && let Some(known) = self.known(s.as_ref()) {
            self.lead(known)?;
            return Ok(true);
        }
        let mark = self.sink.mark();
        let Ok(text) = s.text(room) else { return Ok(false) };
        self.sink.text(text)?;
        self.sink.end_key()?;
        // Only what is exactly a str: an instance of a subclass would be kept alive with all that it holds, and
        // dropping it for another key would run its finalizer here, where the dict may not change.
        if often
            && s.as_ref().as_str().is_some()
            && self.rendered.wants(s.as_ref())
            && let Some(kept) = Kept::new(self.sink.since(mark))
        {
            self.rendered.keep(s.as_ref(), kept);
        }
        Ok(true)
    }
    #[inline(always)]
    fn written<'c>(&mut self, class: &'c Class) -> Option<&'c Written> {
        if !self.plain_keys {
            return None;
        }
        let place = class.written.get(S::CAPS.place)?;
        Some(match place.get() {
            Some(w) => w,
            None => place.set(structs::written(self, class)),
        })
    }
    #[inline(always)]
    fn int_key(&mut self, _: Ref<'_>, v: i64) -> Wrote {
        self.sink.int_key(v)?;
        self.sink.end_key()
    }
    #[inline]
    fn spelled_key(&mut self, _: Ref<'_>, v: Str<'_>) -> Wrote {
        self.sink.text(v)?;
        self.sink.end_key()
    }
    #[inline(always)]
    fn begin_array(&mut self, len: usize) -> Wrote {
        self.sink.begin_array(len)
    }
    #[inline(always)]
    fn end_item(&mut self) -> Wrote {
        self.sink.end_item()
    }
    #[inline(always)]
    fn lead(&mut self, lead: impl Led) -> Wrote {
        self.sink.lead(lead.of(&self.rendered))
    }
    #[inline(always)]
    fn str_item(&mut self, lead: impl Led, _: Ref<'_>, v: Str<'_>) -> Wrote {
        self.sink.str_item(lead.of(&self.rendered), v)
    }
    #[inline(always)]
    fn signed_item(&mut self, lead: impl Led, _: Ref<'_>, v: Signed) -> Wrote {
        self.sink.signed_item(lead.of(&self.rendered), v)
    }
    #[inline(always)]
    fn word_item(&mut self, lead: impl Led, v: Option<bool>) -> Wrote {
        self.sink.word_item(lead.of(&self.rendered), v)
    }
    #[inline(always)]
    fn f64_item(&mut self, lead: impl Led, _: Ref<'_>, v: f64) -> Wrote {
        self.sink.f64_item(lead.of(&self.rendered), v)
    }
    #[inline(always)]
    fn empty_item(&mut self, lead: impl Led, map: bool) -> Wrote {
        self.sink.empty_item(lead.of(&self.rendered), map)
    }
    fn i64_items(&mut self, _: Ref<'_>, bits: &[u64]) -> Wrote {
        self.sink.i64_items(bits)
    }
    fn bool_items(&mut self, bits: &[u64]) -> Wrote {
        self.sink.bool_items(bits)
    }
    #[inline(always)]
    fn f64_items(&mut self, _: Ref<'_>, bits: &[u64]) -> Wrote {
        self.sink.f64_items(bits)
    }
    #[inline(always)]
    fn f32_items(&mut self, _: Ref<'_>, bits: &[u64]) -> Wrote {
        self.sink.f32_items(bits)
    }
    #[inline(always)]
    fn end_array(&mut self, len: usize) -> Wrote {
        self.sink.end_array(len == 0)
    }
    #[inline(always)]
    fn begin_map(&mut self, len: usize) -> Wrote {
        self.sink.begin_map(len)
    }
    #[inline(always)]
    fn end_key(&mut self) -> Wrote {
        self.sink.end_key()
    }
    #[inline(always)]
    fn end_map(&mut self, len: usize) -> Wrote {
        self.sink.end_map(len == 0)
    }
    fn time_style(&self) -> TimeStyle {
        self.sink.time_style()
    }
    fn date(&mut self, _: Ref<'_>, v: Date) -> Wrote {
        self.sink.date(v)
    }
    #[inline(always)]
    fn often_datetime(&mut self, _: Ref<'_>, v: DateTime) -> Wrote {
        self.sink.often_datetime(v)
    }
    fn datetime(&mut self, _: Ref<'_>, v: DateTime) -> Wrote {
        self.sink.datetime(v)
    }
    fn time(&mut self, _: Ref<'_>, v: Time) -> Wrote {
        self.sink.time(v)
    }
    fn duration(&mut self, _: Ref<'_>, v: Duration) -> Wrote {
        self.sink.duration(v)
    }
    fn uuid(&mut self, _: Ref<'_>, v: [u8; 16]) -> Wrote {
        self.sink.uuid(v)
    }
    fn instant(&mut self, _: Ref<'_>, v: Instant) -> Wrote {
        self.sink.instant(v)
    }
    fn ext(&mut self, _: Ref<'_>, code: i8, body: &[u8]) -> Wrote {
        self.sink.ext(code, body)
    }
    fn raw(&mut self, _: Ref<'_>, encoded: &[u8]) -> Wrote {
        self.sink.raw(encoded)
    }
    fn too_long(&self) -> bool {
        self.sink.too_long()
    }
    fn mark(&self) -> usize {
        self.sink.mark()
    }
    fn cut(&mut self, mark: usize, into: &mut Vec<u8>) {
        into.extend_from_slice(self.sink.since(mark));
        self.sink.forget(mark);
    }
}
