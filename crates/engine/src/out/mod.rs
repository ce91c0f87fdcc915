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
mod rules;
mod scalar;
mod seldom;
mod shaped;
mod simple;
mod sort;
mod structs;
mod walk;

use alloc::vec::Vec;

pub use rules::{Fields, Order, Passthrough, Policy, Quirks, Rules};
pub use simple::Simple;
pub use sort::{SortSet, sorts};
pub use walk::{Walk, Writing};

use model::{Class, Kept, Written};
use py::{BigInt, Own, Raised, Ref, StrRef};
use wire::time::{Date, DateTime, Duration, Instant, Time, TimeStyle};
use wire::{Big, Buf, Caps, Full, RENDERED, Sink, Str, Wrote};

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
    /// A key that is text, and what stands after it. False if the text has a surrogate.
    fn key(&mut self, s: StrRef<'_>, room: &mut Vec<u8>, often: bool) -> Result<bool, Full>
    where
        Self: Sized;
    /// What is written for every instance of a class, if it may be copied.
    fn written<'c>(&mut self, class: &'c Class) -> Option<&'c Written>
    where
        Self: Sized;
    /// Part of that.
    fn again(&mut self, kept: &Kept) -> Wrote
    where
        Self: Sized;
    /// A key of these, and its value with what stands after it.
    fn again_with_str(&mut self, key: &Kept, o: Ref<'_>, v: Str<'_>) -> Wrote
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
    /// See [`Sink::str_item`].
    fn str_item(&mut self, o: Ref<'_>, v: Str<'_>) -> Wrote
    where
        Self: Sized;
    /// See [`Sink::null_item`].
    fn null_item(&mut self) -> Wrote
    where
        Self: Sized;
    /// See [`Sink::i64_item`].
    fn i64_item(&mut self, o: Ref<'_>, v: i64) -> Wrote
    where
        Self: Sized;
    /// See [`Sink::bool_item`].
    fn bool_item(&mut self, v: bool) -> Wrote
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

/// Keys as they were written before, found by the key object, which is kept alive.
pub struct Rendered {
    places: Vec<Option<Place>>,
}

// A line of the processor's cache each: what is asked for and what is copied come together.
#[repr(align(64))]
struct Place {
    key: Own,
    text: [u8; RENDERED],
    len: u8,
}

const PLACES: usize = 1024;

impl Rendered {
    pub(crate) fn new() -> Rendered {
        Rendered { places: Vec::new() }
    }

    #[inline(always)]
    fn place(&mut self, s: StrRef<'_>) -> Option<&mut Option<Place>> {
        // Addresses of keys that were made together differ in few bits; a multiplication spreads them.
        let a = (s.as_ref().address() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.places.get_mut((a >> (64 - PLACES.ilog2())) as usize)
    }
}

/// Values into bytes of any format.
pub struct ToBytes<'r, S> {
    sink: S,
    rendered: Option<&'r mut Rendered>,
}

impl<'r, S: Sink> ToBytes<'r, S> {
    /// Writes to `sink`.
    pub fn new(sink: S, rendered: &'r mut Rendered) -> Self {
        let usable = S::CAPS.rendered_keys && sink.plain_keys();
        if usable && rendered.places.is_empty() {
            rendered.places.resize_with(PLACES, || None);
        }
        ToBytes { sink, rendered: usable.then_some(rendered) }
    }

    /// What was written.
    pub fn into_buf(self) -> Buf {
        self.sink.into_buf()
    }

    #[inline(never)]
    fn new_key(&mut self, s: StrRef<'_>, room: &mut Vec<u8>, often: bool) -> Result<bool, Full> {
        let mark = self.sink.mark();
        let Ok(text) = s.text(room) else { return Ok(false) };
        self.sink.text(text)?;
        self.sink.end_key()?;
        // Only what is exactly a str: an instance of a subclass would be kept alive with all that it holds, and
        // dropping it for another key would run its finalizer here, where the dict may not change.
        if often
            && s.as_ref().as_str().is_some()
            && let Some(rendered) = &mut self.rendered
            && let Some(place) = rendered.place(s)
        {
            let written = self.sink.since(mark);
            if written.len() <= RENDERED {
                let mut text = [0; RENDERED];
                text[..written.len()].copy_from_slice(written);
                *place = Some(Place { key: s.as_ref().own(), text, len: written.len() as u8 });
            }
        }
        Ok(true)
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
    // Of those that are met often, which are items, there is `i64_item`.
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
    fn key(&mut self, s: StrRef<'_>, room: &mut Vec<u8>, often: bool) -> Result<bool, Full> {
        if often
            && let Some(rendered) = &mut self.rendered
            && let Some(Some(place)) = rendered.place(s)
            && place.key.as_ref().is(s.as_ref())
        {
            self.sink.again(&place.text, place.len.into())?;
            return Ok(true);
        }
        self.new_key(s, room, often)
    }
    #[inline(always)]
    fn written<'c>(&mut self, class: &'c Class) -> Option<&'c Written> {
        self.rendered.as_ref()?;
        let place = class.written.get(S::CAPS.place)?;
        Some(match place.get() {
            Some(w) => w,
            None => place.set(structs::written(self, class)),
        })
    }
    #[inline(always)]
    fn again(&mut self, kept: &Kept) -> Wrote {
        self.sink.again(&kept.text, kept.len.into())
    }
    #[inline(always)]
    fn again_with_str(&mut self, key: &Kept, _: Ref<'_>, v: Str<'_>) -> Wrote {
        self.sink.again_with_str(&key.text, key.len.into(), v)
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
    fn str_item(&mut self, _: Ref<'_>, v: Str<'_>) -> Wrote {
        self.sink.str_item(v)
    }
    #[inline(always)]
    fn null_item(&mut self) -> Wrote {
        self.sink.null_item()
    }
    #[inline(always)]
    fn i64_item(&mut self, _: Ref<'_>, v: i64) -> Wrote {
        self.sink.i64_item(v)
    }
    #[inline(always)]
    fn bool_item(&mut self, v: bool) -> Wrote {
        self.sink.bool_item(v)
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
