//! Arrays of numbers, written straight from their memory: those of an array library, by the
//! array interface, and those of the standard library, by the buffer protocol.
//!
//! Numbers keep their own width: a float of 32 or 16 bits is written as the shortest text that
//! gives it back. Arrays of anything but numbers and moments are taken apart by their own
//! library first.

use alloc::string::String;
use core::ffi::CStr;
use wire::say;

use super::leaf::Leaf;
use super::walk::{Cold, Go};
use crate::fault::{Stop, What};
use py::{Array, Int, Own, Ref, Row};
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

impl Item {
    /// What an array library calls by a letter and a number of bytes, of what is a number.
    #[inline(never)]
    fn of(kind: u8, size: usize) -> Option<Item> {
        Some(match (kind, size) {
            (b'b', 1) => Item::Bool,
            (b'i', 1 | 2 | 4 | 8) => Item::Signed(64 - 8 * size as u32),
            (b'u', 1 | 2 | 4 | 8) => Item::Unsigned,
            (b'f', 2) => Item::Half,
            (b'f', 4) => Item::Single,
            (b'f', 8) => Item::Double,
            _ => return None,
        })
    }
}

/// A step of a `datetime64` or `timedelta64`: how many of its unit it is, and how many nanoseconds that is, as a
/// fraction; one that is over 0 is so many months.
#[derive(Clone, Copy)]
struct Unit {
    count: i64,
    over: i64,
    under: i64,
}

impl Cold<'_, '_> {
    /// An array of an array library, or one of its scalars; nothing if it cannot be written.
    pub(crate) fn array(&mut self, o: &Own, scalar: bool) -> Result<Option<Leaf>, Stop> {
        if scalar && let Some(v) = o.as_ref().as_any_float() {
            return self.float(o, v).map(Some);
        }
        if !scalar
            && self.out.caps().ext
            && let Some(code) = self.rules.array_ext
        {
            // Nothing comes of arrays that are not of numbers: these are taken apart.
            let body = helper(c"pack", o);
            let body = self.raised(body)?;
            if let Some(body) = body.as_ref().as_bytes() {
                let w = self.out.ext(o.as_ref(), code, body);
                self.wrote(w)?;
                return Ok(Some(Leaf::Wrote));
            }
        }
        let a = self.look(o)?;
        if self.rules.quirks.plain_arrays && !scalar && !self.plain(&a, o)? {
            return Ok(None);
        }
        let item = match (a.kind, a.size) {
            (b'M', 8) => Item::Moment(self.unit(o)?.0),
            (kind, size) if let Some(item) = Item::of(kind, size) => item,
            _ if self.rules.quirks.plain_arrays => return Ok(None),
            (b'm', 8) => Item::Span(self.unit(o)?.0),
            (b'U' | b'S' | b'T' | b'O' | b'V', _) => {
                let plain = helper(c"plain", o);
                let plain = self.raised(plain)?;
                return Ok((!plain.as_ref().is(o.as_ref())).then_some(Leaf::Again(plain)));
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
        Ok(Some(Leaf::Wrote))
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
        } else if !a.is_plain || a.shape.is_empty() && self.rules.quirks.swapped_arrays {
            Some("numpy array is not C contiguous; use ndarray.tolist() in default")
        } else if a.swapped && a.kind != b'V' && !self.rules.quirks.swapped_arrays {
            return Err(self.stop(What::Array("numpy array is not native-endianness".into())));
        } else if a.shape.is_empty()
            || !matches!((a.kind, a.size), (b'b' | b'i' | b'u', 1..=8) | (b'f', 2..=8) | (b'M', 8))
        {
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

    /// What the dtype says of its unit, and the word for many of it.
    #[inline(never)]
    fn unit(&mut self, o: &Own) -> Result<(Option<Unit>, String), Stop> {
        let told = helper(c"unit", o);
        let told = self.raised(told)?;
        let Some(told) = told.as_ref().as_any_tuple().map(|t| t.hold()) else {
            return Ok((None, "steps".into()));
        };
        let number = |i| match told.get(i).and_then(Ref::as_any_int).map(|v| v.get_cold()) {
            Some(Int::I64(v)) => v,
            _ => 0,
        };
        let name = told.get(3).and_then(Ref::as_any_str).map(|s| s.lossy()).unwrap_or_default();
        let unit = Unit { count: number(0), over: number(1), under: number(2) };
        if self.rules.quirks.plain_arrays && unit.under > 1 {
            return Err(self.stop(What::Array(py::words(
                say!("unsupported numpy.datetime64 unit: {}"),
                &[(&name).into()],
            ))));
        }
        Ok((Some(unit), name))
    }

    /// A number of steps that no moment or span stands for.
    #[cold]
    #[inline(never)]
    fn inexact(&mut self, o: &Own, class: &str, v: i64) -> Go {
        let (_, name) = self.unit(o)?;
        Err(self.stop(What::Array(py::words(
            say!("unrepresentable numpy.{}: {} {}"),
            &[class.into(), (&wire::number::decimal(v.unsigned_abs(), v < 0)).into(), (&name).into()],
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
            None => self.inexact(o, "datetime64", v),
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
            None => self.inexact(o, "timedelta64", v),
        }
    }

    /// An `array.array`.
    pub(crate) fn numbers(&mut self, o: &Own) -> Result<Option<Leaf>, Stop> {
        let told = helper(c"numbers", o);
        let told = self.raised(told)?;
        let Some([kind, size, bytes @ ..]) = told.as_ref().as_bytes() else {
            // Characters: as items.
            return Ok(Some(Leaf::Again(told)));
        };
        let size = usize::from(*size);
        let Some(item) = Item::of(*kind, size) else { return Ok(None) };
        self.room_for(1)?;
        let n = bytes.len() / size;
        self.begin(n)?;
        self.items(o, Row::of(bytes, size), item, true, &mut [0; SOME])?;
        self.end(n)?;
        Ok(Some(Leaf::Wrote))
    }
}

const BILLION: u64 = 1_000_000_000;

/// So many steps in nanoseconds, whatever their sign, if they are a whole number of them; years and months are not.
fn nanoseconds(v: i64, unit: Unit) -> Option<u128> {
    let steps = u128::from(v.unsigned_abs()) * unit.count as u128;
    let (nanos, rest) = divided(steps.checked_mul(unit.over as u128)?, unit.under as u64);
    (rest == 0).then_some(nanos)
}

/// A quotient and what is left. The compiler would call a library for it that nothing else needs.
fn divided(n: u128, by: u64) -> (u128, u64) {
    match u64::try_from(n) {
        Ok(n) => ((n / by).into(), n % by),
        Err(_) => divided_cold(n, by),
    }
}

#[cold]
#[inline(never)]
fn divided_cold(mut n: u128, by: u64) -> (u128, u64) {
    // Bit by bit: as those of the number go out above, those of the quotient come in below.
    let mut rest = 0;
    for _ in 0..u128::BITS {
        rest = rest << 1 | n >> 127;
        n <<= 1;
        if rest >= u128::from(by) {
            rest -= u128::from(by);
            n |= 1;
        }
    }
    (n, rest as u64)
}

/// The span of so many steps.
fn span(v: i64, unit: Unit) -> Option<Duration> {
    if unit.under == 0 {
        return None;
    }
    let (days, rest) = divided(nanoseconds(v, unit)?, 86_400 * BILLION);
    Some(Duration {
        negative: v < 0,
        days: u64::try_from(days).ok()?,
        seconds: (rest / BILLION) as u32,
        nanosecond: (rest % BILLION) as u32,
    })
}

/// The moment that lies so many steps after the beginning of 1970.
fn moment(v: i64, unit: Unit) -> Option<DateTime> {
    if unit.under == 0 {
        let months = v.checked_mul(unit.count)?.checked_mul(unit.over)?.checked_add(1970 * 12)?;
        let year = i32::try_from(months.div_euclid(12)).ok().filter(|y| (0..=9999).contains(y))?;
        let date = Date { year, month: months.rem_euclid(12) as u8 + 1, day: 1 };
        return naive(days_from_civil(date) * 86_400, 0);
    }
    let (seconds, rest) = divided(nanoseconds(v, unit)?, BILLION);
    let seconds = i64::try_from(seconds).ok()?;
    match (v < 0, rest as u32) {
        (false, rest) => naive(seconds, rest),
        (true, 0) => naive(-seconds, 0),
        (true, rest) => naive(-seconds - 1, BILLION as u32 - rest),
    }
}

/// A moment without an offset: nobody said where it is.
fn naive(seconds: i64, nanosecond: u32) -> Option<DateTime> {
    let t = DateTime::from_unix(seconds, nanosecond)?;
    Some(DateTime { time: Time { offset: None, ..t.time }, ..t })
}

/// What is seldom met is done in Python.
#[inline(never)]
fn helper(name: &CStr, o: &Own) -> py::Result<Own> {
    py::import(c"oxwire._arrays").and_then(|m| py::call_method1(m.as_ref(), name, o.as_ref()))
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
