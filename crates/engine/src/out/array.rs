//! Arrays of numbers, written straight from their memory: those of an array library, by the
//! array interface, and those of the standard library, by the buffer protocol.
//!
//! Numbers keep their own width: a float of 32 or 16 bits is written as the shortest text that
//! gives it back. Arrays of anything but numbers and moments are taken apart by their own
//! library first.

use alloc::string::String;
use alloc::vec::Vec;
use wire::say;

use super::leaf::{Leaf, Step};
use super::walk::{Cold, Go};
use crate::fault::{Stop, What};
use py::{Array, Own, Row, View};
use wire::Wrote;
use wire::time::{Date, DateTime, Duration, Time, days_from_civil};

/// How many items are looked at together.
const SOME: usize = 64;

/// What the items of an array are. Their bits come as a `u64`, with zeros above them.
#[derive(Clone, Copy)]
enum Item {
    Bool,
    /// A signed integer, and how many bits stand above it.
    Signed(u32),
    Unsigned,
    Half,
    Single,
    Double,
    /// A `datetime64`.
    Moment(Option<Unit>),
    /// A `timedelta64`.
    Span(Option<Unit>),
}

/// The unit of a `datetime64` or `timedelta64`, and how many of it make one step.
#[derive(Clone, Copy)]
struct Unit {
    length: Length,
    count: i64,
    /// The word for many of it.
    name: &'static str,
}

#[derive(Clone, Copy, PartialEq)]
enum Length {
    Year,
    Month,
    /// A number of seconds.
    Seconds(i64),
    /// A second is so many.
    Parts(i64),
}

impl Cold<'_, '_> {
    /// An array of an array library, or one of its scalars; nothing if it cannot be written.
    pub(crate) fn array(&mut self, o: &Own, scalar: bool) -> Result<Option<Step>, Stop> {
        if scalar && let Some(v) = o.as_ref().as_any_float() {
            return self.float(o, v).map(|leaf| Some(Step::Leaf(leaf)));
        }
        if !scalar
            && self.out.caps().ext
            && let Some(code) = self.rules.array_ext
        {
            // Nothing comes of arrays that are not of numbers: these are taken apart.
            let body =
                py::import(c"oxwire._arrays").and_then(|m| py::call_method1(m.as_ref(), c"pack", o.as_ref()));
            let body = self.raised(body)?;
            if let Some(body) = body.as_ref().as_bytes() {
                let w = self.out.ext(o.as_ref(), code, body);
                self.wrote(w)?;
                return Ok(Some(Step::Leaf(Leaf::Wrote)));
            }
        }
        let a = self.look(o)?;
        if self.rules.quirks.plain_arrays && !scalar && !self.plain(&a, o)? {
            return Ok(None);
        }
        let item = match (a.kind, a.size) {
            (b'b', 1) => Item::Bool,
            (b'i', 1 | 2 | 4 | 8) => Item::Signed(64 - 8 * a.size as u32),
            (b'u', 1 | 2 | 4 | 8) => Item::Unsigned,
            (b'f', 2) => Item::Half,
            (b'f', 4) => Item::Single,
            (b'f', 8) => Item::Double,
            (b'M', 8) => Item::Moment(self.unit(o)?),
            _ if self.rules.quirks.plain_arrays => return Ok(None),
            (b'm', 8) => Item::Span(self.unit(o)?),
            (b'U' | b'S' | b'T' | b'O' | b'V', _) => {
                let plain = py::import(c"oxwire._arrays")
                    .and_then(|m| py::call_method1(m.as_ref(), c"plain", o.as_ref()));
                let plain = self.raised(plain)?;
                return Ok((!plain.as_ref().is(o.as_ref())).then_some(Step::Again(plain)));
            }
            _ => return Ok(None),
        };
        match item {
            // Asking for the unit may have run code of a subclass, so the array is looked at again.
            Item::Moment(_) | Item::Span(_) => {
                let a = self.look(o)?;
                self.nested(o, &a, item)?;
            }
            _ => self.nested(o, &a, item)?,
        }
        Ok(Some(Step::Leaf(Leaf::Wrote)))
    }

    fn look(&mut self, o: &Own) -> Result<Array, Stop> {
        let a = Array::new(o.as_ref());
        self.raised(a)
    }

    /// Whether an array is of the layouts that a compatible face writes; it may say why not.
    fn plain(&mut self, a: &Array, o: &Own) -> Result<bool, Stop> {
        let name = o.as_ref().class().tp_name() == "numpy.ndarray";
        let fault = if !name {
            None
        } else if a.swapped && a.kind != b'V' && !self.rules.quirks.swapped_arrays {
            return Err(self.stop(What::Array("numpy array is not native-endianness".into())));
        } else if !a.is_plain() || a.shape.is_empty() {
            Some("numpy array is not C contiguous; use ndarray.tolist() in default")
        } else if !matches!((a.kind, a.size), (b'b' | b'i' | b'u', 1..=8) | (b'f', 2..=8) | (b'M', 8)) {
            Some("unsupported datatype in numpy array")
        } else {
            return Ok(true);
        };
        match fault {
            Some(why) if self.rules.hook.is_none() => Err(self.stop(What::Array(why.into()))),
            _ => Ok(false),
        }
    }

    /// Writes every item, with an array around each row, around those, and so on.
    #[inline(never)]
    fn nested(&mut self, o: &Own, a: &Array, item: Item) -> Go {
        self.room_for(a.shape.len())?;
        let some = &mut [0; SOME];
        let (inner, outer) = match a.shape.split_last() {
            Some((&inner, outer)) => (inner, outer),
            None => return self.items(o, a.row(&[]), item, false, some),
        };
        let mut place = alloc::vec![0usize; outer.len()];
        let mut level = 0;
        'down: loop {
            let mut empty = false;
            while level < outer.len() {
                self.begin(outer[level])?;
                if outer[level] == 0 {
                    self.end(0)?;
                    empty = true;
                    break;
                }
                level += 1;
            }
            if !empty {
                self.begin(inner)?;
                self.items(o, a.row(&place), item, true, some)?;
                self.end(inner)?;
            }
            // A whole value was written at this level: on to the next, or up.
            loop {
                if level == 0 {
                    return Ok(());
                }
                let w = self.out.end_item();
                self.wrote(w)?;
                place[level - 1] += 1;
                if place[level - 1] < outer[level - 1] {
                    continue 'down;
                }
                place[level - 1] = 0;
                self.end(outer[level - 1])?;
                level -= 1;
            }
        }
    }

    fn begin(&mut self, len: usize) -> Go {
        let w = self.out.begin_array(len);
        self.wrote(w)
    }

    fn end(&mut self, len: usize) -> Go {
        let w = self.out.end_array(len);
        self.wrote(w)
    }

    /// Writes the items of a row, as items of an array or each for itself. None: the array is not
    /// what it said it was.
    #[inline(never)]
    fn items(&mut self, o: &Own, row: Option<Row<'_>>, item: Item, listed: bool, some: &mut [u64]) -> Go {
        let Some(row) = row else {
            return Err(self.stop(What::Array("the array changed while it was being encoded".into())));
        };
        let mut at = 0;
        loop {
            let n = row.load(at, some);
            if n == 0 {
                return Ok(());
            }
            at += n;
            let some = some.get_mut(..n).unwrap_or_default();
            if let Item::Signed(above) = item {
                some.iter_mut().for_each(|bits| *bits = ((*bits << above) as i64 >> above) as u64);
            }
            self.some_items(o, some, item, listed)?;
            if at >= row.len() {
                return Ok(());
            }
        }
    }

    /// Writes some items, whose bits these are: what they are is asked once, not for each.
    #[inline(never)]
    fn some_items(&mut self, o: &Own, all: &[u64], item: Item, listed: bool) -> Go {
        // Here, where options do not change what an integer is, the limit is that of its width.
        let max = if self.rules.quirks.plain_arrays { u64::MAX } else { self.rules.max_int };
        let r = o.as_ref();
        match item {
            Item::Bool if listed => {
                let w = self.out.bool_items(all);
                self.wrote(w)
            }
            Item::Bool => self.each(all, listed, |w, bits| w.out.bool(bits != 0)),
            Item::Signed(_) | Item::Unsigned => {
                let signed = matches!(item, Item::Signed(_));
                let magnitude = |bits| if signed { (bits as i64).unsigned_abs() } else { bits };
                if all.iter().any(|&bits| magnitude(bits) > max) {
                    return Err(self.stop(What::IntRange(self.rules.int_bits)));
                }
                if !listed || !signed && all.iter().any(|&bits| (bits as i64) < 0) {
                    return self.each(all, listed, |w, bits| match bits as i64 {
                        v if signed || v >= 0 => w.out.i64(r, v),
                        _ => w.out.u64(r, bits),
                    });
                }
                let w = self.out.i64_items(r, all);
                self.wrote(w)
            }
            Item::Half | Item::Single => {
                let v = |bits: u64| match item {
                    Item::Half => half(bits as u16),
                    _ => f32::from_bits(bits as u32),
                };
                if self.rules.finite && !all.iter().all(|&bits| v(bits).is_finite()) {
                    return Err(self.stop(What::NonFinite));
                }
                if listed && matches!(item, Item::Single) {
                    let w = self.out.f32_items(r, all);
                    return self.wrote(w);
                }
                self.each(all, listed, |w, bits| w.out.f32(r, v(bits)))
            }
            Item::Double => {
                // So written, it is false of NaN. Together first: that is done many at a time.
                let odd = |&bits: &u64| !(f64::from_bits(bits).abs() <= self.rules.max_float);
                if all.iter().fold(false, |any, bits| any | odd(bits)) {
                    for &bits in all.iter().filter(|&bits| odd(bits)) {
                        self.odd_float(f64::from_bits(bits))?;
                    }
                }
                if listed {
                    let w = self.out.f64_items(r, all);
                    return self.wrote(w);
                }
                self.each(all, listed, |w, bits| w.out.f64(r, f64::from_bits(bits)))
            }
            Item::Moment(unit) => self.each_slow(all, listed, |w, bits| w.datetime64(o, bits as i64, unit)),
            Item::Span(unit) => self.each_slow(all, listed, |w, bits| w.timedelta64(o, bits as i64, unit)),
        }
    }

    #[inline(always)]
    fn each(&mut self, all: &[u64], listed: bool, one: impl Fn(&mut Self, u64) -> Wrote) -> Go {
        for &bits in all {
            let mut w = one(self, bits);
            if listed {
                w = w.and_then(|()| self.out.end_item());
            }
            self.wrote(w)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn each_slow(&mut self, all: &[u64], listed: bool, one: impl Fn(&mut Self, u64) -> Go) -> Go {
        for &bits in all {
            one(self, bits)?;
            if listed {
                let w = self.out.end_item();
                self.wrote(w)?;
            }
        }
        Ok(())
    }

    /// What the dtype says of its unit: `<M8[25us]`.
    fn unit(&mut self, o: &Own) -> Result<Option<Unit>, Stop> {
        let text = o
            .as_ref()
            .attr_named(c"dtype")
            .and_then(|d| d.as_ref().attr_named(c"str"))
            .map(|s| s.as_ref().as_any_str().map(|s| s.lossy()).unwrap_or_default());
        let text: String = self.raised(text)?;
        let Some(inside) = text.split_once('[').and_then(|(_, t)| t.strip_suffix(']')) else {
            return Ok(None);
        };
        let letters = inside.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = inside.strip_suffix(letters).unwrap_or_default();
        let (length, name) = match letters {
            "Y" => (Length::Year, "years"),
            "M" => (Length::Month, "months"),
            "W" => (Length::Seconds(7 * 86_400), "weeks"),
            "D" => (Length::Seconds(86_400), "days"),
            "h" => (Length::Seconds(3600), "hours"),
            "m" => (Length::Seconds(60), "minutes"),
            "s" => (Length::Seconds(1), "seconds"),
            "ms" => (Length::Parts(1_000), "milliseconds"),
            "us" => (Length::Parts(1_000_000), "microseconds"),
            "ns" => (Length::Parts(1_000_000_000), "nanoseconds"),
            "ps" => (Length::Parts(1_000_000_000_000), "picoseconds"),
            "fs" => (Length::Parts(1_000_000_000_000_000), "femtoseconds"),
            "as" => (Length::Parts(1_000_000_000_000_000_000), "attoseconds"),
            _ => return Ok(None),
        };
        if self.rules.quirks.plain_arrays && matches!(length, Length::Parts(n) if n > 1_000_000_000) {
            return Err(self.stop(What::Array(py::words(
                say!("unsupported numpy.datetime64 unit: {}"),
                &[name.into()],
            ))));
        }
        let count = if digits.is_empty() { Some(1) } else { digits.parse().ok() };
        Ok(count.map(|count| Unit { length, count, name }))
    }

    /// A number of steps that no moment or span stands for.
    #[cold]
    #[inline(never)]
    fn inexact(&mut self, class: &str, v: i64, unit: Option<Unit>) -> Go {
        let name = unit.map_or("steps", |u| u.name);
        Err(self.stop(What::Array(py::words(
            say!("unrepresentable numpy.{}: {} {}"),
            &[class.into(), (&wire::number::decimal(v.unsigned_abs(), v < 0)).into(), name.into()],
        ))))
    }

    #[inline(never)]
    fn datetime64(&mut self, o: &Own, v: i64, unit: Option<Unit>) -> Go {
        // The least integer is "not a time", as NaN is no number.
        let text = self.rules.quirks.text_moments;
        if v == i64::MIN && text {
            return Err(self.stop(What::Array("unrepresentable numpy.datetime64: NaT".into())));
        }
        if v == i64::MIN {
            let w = self.out.null();
            return self.wrote(w);
        }
        match unit.and_then(|u| moment(v, u)) {
            Some(mut t) => {
                if self.rules.quirks.plain_arrays {
                    t.time.nanosecond -= t.time.nanosecond % 1000;
                }
                if text {
                    let style = self.out.time_style();
                    let w = self.out.text(o.as_ref(), t.text(style, &mut [0; DateTime::TEXT]));
                    return self.wrote(w);
                }
                let w = self.out.datetime(o.as_ref(), t);
                self.wrote(w)
            }
            None => self.inexact("datetime64", v, unit),
        }
    }

    #[inline(never)]
    fn timedelta64(&mut self, o: &Own, v: i64, unit: Option<Unit>) -> Go {
        if v == i64::MIN {
            let w = self.out.null();
            return self.wrote(w);
        }
        match unit.and_then(|u| span(v, u)) {
            Some(d) => {
                let w = self.out.duration(o.as_ref(), d);
                self.wrote(w)
            }
            None => self.inexact("timedelta64", v, unit),
        }
    }

    /// An `array.array`.
    pub(crate) fn numbers(&mut self, o: &Own) -> Result<Option<Step>, Stop> {
        let view = View::formatted(o.as_ref());
        let view = self.raised(view)?;
        let (format, size) = view.format();
        let item = match (format, size) {
            ("b" | "h" | "i" | "l" | "q", 1 | 2 | 4 | 8) => Some(Item::Signed(64 - 8 * size as u32)),
            ("B" | "H" | "I" | "L" | "Q", 1 | 2 | 4 | 8) => Some(Item::Unsigned),
            ("f", 4) => Some(Item::Single),
            ("d", 8) => Some(Item::Double),
            _ => None,
        };
        let bytes = view.to_vec();
        let bytes: Vec<u8> = self.raised(bytes)?;
        drop(view);
        let Some(item) = item else {
            // Characters: as items.
            let l = py::list_of(o.as_ref());
            return Ok(Some(Step::Again(self.raised(l)?)));
        };
        self.room_for(1)?;
        let n = bytes.len() / size;
        self.begin(n)?;
        self.items(o, Row::of(&bytes, size), item, true, &mut [0; SOME])?;
        self.end(n)?;
        Ok(Some(Step::Leaf(Leaf::Wrote)))
    }
}

const BILLION: i128 = 1_000_000_000;

/// So many steps in nanoseconds, if they are a whole number of them; years and months are not.
fn nanoseconds(v: i64, unit: Unit) -> Option<i128> {
    let steps = i128::from(v) * i128::from(unit.count);
    match unit.length {
        Length::Year | Length::Month => None,
        Length::Seconds(n) => steps.checked_mul(i128::from(n))?.checked_mul(BILLION),
        Length::Parts(n) => {
            let (all, n) = (steps.checked_mul(BILLION)?, i128::from(n));
            (all % n == 0).then_some(all / n)
        }
    }
}

/// The span of so many steps.
fn span(v: i64, unit: Unit) -> Option<Duration> {
    let nanos = nanoseconds(v, unit)?;
    let (seconds, rest) = (nanos.unsigned_abs() / BILLION as u128, nanos.unsigned_abs() % BILLION as u128);
    Some(Duration {
        negative: nanos < 0,
        days: u64::try_from(seconds / 86_400).ok()?,
        seconds: (seconds % 86_400) as u32,
        nanosecond: rest as u32,
    })
}

/// The moment that lies so many steps after the beginning of 1970.
fn moment(v: i64, unit: Unit) -> Option<DateTime> {
    let nanos = match unit.length {
        // Nearly all there are, without a wide division.
        Length::Parts(n) if n <= 1_000_000_000 && unit.count == 1 => {
            return naive(v.div_euclid(n), (v.rem_euclid(n) * (1_000_000_000 / n)) as u32);
        }
        Length::Seconds(n) if unit.count == 1 => return naive(v.checked_mul(n)?, 0),
        Length::Year | Length::Month => {
            let per = if unit.length == Length::Year { 12 } else { 1 };
            let months = i128::from(v).checked_mul(i128::from(unit.count) * per)? + 1970 * 12;
            let year = i32::try_from(months.div_euclid(12)).ok().filter(|y| (0..=9999).contains(y))?;
            let date = Date { year, month: months.rem_euclid(12) as u8 + 1, day: 1 };
            i128::from(days_from_civil(date)) * 86_400 * BILLION
        }
        _ => nanoseconds(v, unit)?,
    };
    let seconds = i64::try_from(nanos.div_euclid(BILLION)).ok()?;
    naive(seconds, nanos.rem_euclid(BILLION) as u32)
}

/// A moment without an offset: nobody said where it is.
fn naive(seconds: i64, nanosecond: u32) -> Option<DateTime> {
    let t = DateTime::from_unix(seconds, nanosecond)?;
    Some(DateTime { time: Time { offset: None, ..t.time }, ..t })
}

/// A float of 16 bits (IEEE 754 binary16), widened.
fn half(h: u16) -> f32 {
    let sign = u32::from(h >> 15) << 31;
    let exponent = u32::from(h >> 10 & 0x1f);
    let fraction = u32::from(h & 0x3ff);
    let magnitude = match (exponent, fraction) {
        (0x1f, 0) => 0x7f80_0000,
        (0x1f, _) => 0x7fc0_0000,
        // Below the least exponent the fraction counts in steps of 2**-24.
        (0, _) => return f32::from_bits((fraction as f32 / 16_777_216.0).to_bits() | sign),
        _ => (exponent + 112) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}
