//! Arrays of numbers, written straight from their memory: those of an array library, by the
//! array interface, and those of the standard library, by the buffer protocol.
//!
//! Numbers keep their own width: a float of 32 or 16 bits is written as the shortest text that
//! gives it back. Arrays of anything but numbers and moments are taken apart by their own
//! library first.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Out;
use super::leaf::Step;
use super::walk::{Go, Met, Walk};
use crate::fault::{Stop, What};
use py::{Array, Own, View};
use wire::time::{Date, DateTime, Duration, Time, days_from_civil};

/// The unit of a `datetime64` or `timedelta64`, and how many of it make one step.
#[derive(Clone, Copy)]
struct Unit {
    name: UnitName,
    count: i64,
}

#[derive(Clone, Copy, PartialEq)]
enum UnitName {
    Year,
    Month,
    /// A number of seconds.
    Seconds(i64),
    /// A second is so many.
    Parts(i64),
}

impl<O: Out> Walk<'_, O> {
    /// An array of an array library, or one of its scalars; nothing if it cannot be written.
    pub(crate) fn array(&mut self, o: &Own, scalar: bool) -> Result<Option<Step>, Stop> {
        if scalar && let Some(v) = o.as_ref().as_any_float() {
            return self.float(o, v).map(|f| Some(f.into()));
        }
        let a = Array::new(o.as_ref());
        let a = self.raised(a)?;
        if self.rules.quirks.plain_arrays && !scalar && !self.plain(&a, o)? {
            return Ok(None);
        }
        let go = match (a.kind, a.size) {
            (b'b', 1) => {
                self.nested(o, &a, |w, b: [u8; 1]| w.out.bool(b[0] != 0).map_err(|_| w.stop(What::Memory)))
            }
            (b'i', 1) => self.nested(o, &a, |w, b| w.signed(o, i8::from_ne_bytes(b).into())),
            (b'i', 2) => self.nested(o, &a, |w, b| w.signed(o, i16::from_ne_bytes(b).into())),
            (b'i', 4) => self.nested(o, &a, |w, b| w.signed(o, i32::from_ne_bytes(b).into())),
            (b'i', 8) => self.nested(o, &a, |w, b| w.signed(o, i64::from_ne_bytes(b))),
            (b'u', 1) => self.nested(o, &a, |w, b| w.unsigned(o, u8::from_ne_bytes(b).into())),
            (b'u', 2) => self.nested(o, &a, |w, b| w.unsigned(o, u16::from_ne_bytes(b).into())),
            (b'u', 4) => self.nested(o, &a, |w, b| w.unsigned(o, u32::from_ne_bytes(b).into())),
            (b'u', 8) => self.nested(o, &a, |w, b| w.unsigned(o, u64::from_ne_bytes(b))),
            (b'f', 2) => self.nested(o, &a, |w, b| w.single(o, half(u16::from_ne_bytes(b)))),
            (b'f', 4) => self.nested(o, &a, |w, b| w.single(o, f32::from_ne_bytes(b))),
            (b'f', 8) => self.nested(o, &a, |w, b| w.float(o, f64::from_ne_bytes(b)).map(drop)),
            (b'M', 8) => {
                let unit = self.unit(o)?;
                self.nested(o, &a, |w, b| w.datetime64(o, i64::from_ne_bytes(b), unit))
            }
            (b'm', 8) => {
                let unit = self.unit(o)?;
                self.nested(o, &a, |w, b| w.timedelta64(o, i64::from_ne_bytes(b), unit))
            }
            (b'U' | b'S' | b'O' | b'V', _) => {
                let plain = py::import(c"oxwire._arrays")
                    .and_then(|m| py::call_method1(m.as_ref(), c"plain", o.as_ref()));
                let plain = self.raised(plain)?;
                return Ok((!plain.as_ref().is(o.as_ref())).then_some(Step::Again(plain)));
            }
            _ => return Ok(None),
        };
        go.map(|()| Some(Step::Met(Met::Wrote)))
    }

    /// Whether an array is of the layouts that a compatible face writes; it may say why not.
    fn plain(&mut self, a: &Array, o: &Own) -> Result<bool, Stop> {
        let name = o.as_ref().class().tp_name() == "numpy.ndarray";
        let fault = if !name {
            None
        } else if a.swapped && a.kind != b'V' {
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
    fn nested<const N: usize>(&mut self, o: &Own, a: &Array, f: impl Fn(&mut Self, [u8; N]) -> Go) -> Go {
        let Some((&inner, outer)) = a.shape.split_last() else {
            return match a.item::<N>(&[]) {
                Some(b) => f(self, b),
                None => Err(self.stop(What::Unsupported(o.as_ref().class_name()))),
            };
        };
        self.room_for(a.shape.len())?;
        let mut place = alloc::vec![0usize; outer.len()];
        let mut level = 0;
        'down: loop {
            let mut empty = false;
            while level < outer.len() {
                let w = self.out.begin_array(outer[level]);
                self.wrote(w)?;
                if outer[level] == 0 {
                    let w = self.out.end_array(0);
                    self.wrote(w)?;
                    empty = true;
                    break;
                }
                level += 1;
            }
            if !empty {
                let w = self.out.begin_array(inner);
                self.wrote(w)?;
                a.row::<N, Stop>(&place, |b| {
                    f(self, b)?;
                    let w = self.out.end_item();
                    self.wrote(w)
                })?;
                let w = self.out.end_array(inner);
                self.wrote(w)?;
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
                let w = self.out.end_array(outer[level - 1]);
                self.wrote(w)?;
                level -= 1;
            }
        }
    }

    #[inline(always)]
    fn signed(&mut self, o: &Own, v: i64) -> Go {
        if v.unsigned_abs() > self.rules.max_int && !self.rules.quirks.plain_arrays {
            return Err(self.stop(What::IntRange(self.rules.int_bits)));
        }
        let w = self.out.i64(o.as_ref(), v);
        self.wrote(w)
    }

    #[inline(always)]
    fn unsigned(&mut self, o: &Own, v: u64) -> Go {
        if v > self.rules.max_int && !self.rules.quirks.plain_arrays {
            return Err(self.stop(What::IntRange(self.rules.int_bits)));
        }
        let w = self.out.u64(o.as_ref(), v);
        self.wrote(w)
    }

    #[inline(always)]
    fn single(&mut self, o: &Own, v: f32) -> Go {
        if !v.is_finite() && self.rules.finite {
            return Err(self.stop(What::NonFinite));
        }
        let w = self.out.f32(o.as_ref(), v);
        self.wrote(w)
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
        let digits = inside.len() - inside.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let count = inside[..digits].parse().unwrap_or(1);
        let (name, long) = match &inside[digits..] {
            "Y" => (UnitName::Year, "years"),
            "M" => (UnitName::Month, "months"),
            "W" => (UnitName::Seconds(7 * 86_400), "weeks"),
            "D" => (UnitName::Seconds(86_400), "days"),
            "h" => (UnitName::Seconds(3600), "hours"),
            "m" => (UnitName::Seconds(60), "minutes"),
            "s" => (UnitName::Seconds(1), "seconds"),
            "ms" => (UnitName::Parts(1_000), "milliseconds"),
            "us" => (UnitName::Parts(1_000_000), "microseconds"),
            "ns" => (UnitName::Parts(1_000_000_000), "nanoseconds"),
            "ps" => (UnitName::Parts(1_000_000_000_000), "picoseconds"),
            "fs" => (UnitName::Parts(1_000_000_000_000_000), "femtoseconds"),
            "as" => (UnitName::Parts(1_000_000_000_000_000_000), "attoseconds"),
            _ => return Ok(None),
        };
        if self.rules.quirks.plain_arrays && matches!(name, UnitName::Parts(n) if n > 1_000_000_000) {
            return Err(self.stop(What::Array(format!("unsupported numpy.datetime64 unit: {long}"))));
        }
        Ok(Some(Unit { name, count }))
    }

    fn datetime64(&mut self, o: &Own, v: i64, unit: Option<Unit>) -> Go {
        // The least integer is "not a time", as NaN is no number.
        if v == i64::MIN {
            let w = self.out.null();
            return self.wrote(w);
        }
        match unit.and_then(|u| moment(v, u)) {
            Some(mut t) => {
                if self.rules.quirks.plain_arrays {
                    t.time.nanosecond -= t.time.nanosecond % 1000;
                }
                let w = self.out.datetime(o.as_ref(), t);
                self.wrote(w)
            }
            None => {
                Err(self.stop(What::Array(format!("a datetime64 of {v} steps cannot be written exactly"))))
            }
        }
    }

    fn timedelta64(&mut self, o: &Own, v: i64, unit: Option<Unit>) -> Go {
        if v == i64::MIN {
            let w = self.out.null();
            return self.wrote(w);
        }
        let span = unit.and_then(|u| {
            let steps = i128::from(v) * i128::from(u.count);
            let nanos = match u.name {
                UnitName::Seconds(n) => steps * i128::from(n) * 1_000_000_000,
                UnitName::Parts(n) => exact(steps * 1_000_000_000, i128::from(n))?,
                UnitName::Year | UnitName::Month => return None,
            };
            let (negative, nanos) = (nanos < 0, nanos.unsigned_abs());
            let seconds = nanos / 1_000_000_000;
            Some(Duration {
                negative,
                days: (seconds / 86_400) as u64,
                seconds: (seconds % 86_400) as u32,
                nanosecond: (nanos % 1_000_000_000) as u32,
            })
        });
        match span {
            Some(d) => {
                let w = self.out.duration(o.as_ref(), d);
                self.wrote(w)
            }
            None => {
                Err(self.stop(What::Array(format!("a timedelta64 of {v} steps cannot be written exactly"))))
            }
        }
    }

    /// An `array.array`.
    pub(crate) fn numbers(&mut self, o: &Own) -> Result<Option<Step>, Stop> {
        let view = View::formatted(o.as_ref());
        let view = self.raised(view)?;
        let (format, size) = view.format();
        let (kind, bytes): (String, Vec<u8>) = (format.to_string(), view.to_vec());
        drop(view);
        let go = match (kind.as_str(), size) {
            ("b", 1) => self.row(&bytes, |w, b| w.signed(o, i8::from_ne_bytes(b).into())),
            ("h", 2) => self.row(&bytes, |w, b| w.signed(o, i16::from_ne_bytes(b).into())),
            ("i" | "l", 4) => self.row(&bytes, |w, b| w.signed(o, i32::from_ne_bytes(b).into())),
            ("q" | "l", 8) => self.row(&bytes, |w, b| w.signed(o, i64::from_ne_bytes(b))),
            ("B", 1) => self.row(&bytes, |w, b| w.unsigned(o, u8::from_ne_bytes(b).into())),
            ("H", 2) => self.row(&bytes, |w, b| w.unsigned(o, u16::from_ne_bytes(b).into())),
            ("I" | "L", 4) => self.row(&bytes, |w, b| w.unsigned(o, u32::from_ne_bytes(b).into())),
            ("Q" | "L", 8) => self.row(&bytes, |w, b| w.unsigned(o, u64::from_ne_bytes(b))),
            ("f", 4) => self.row(&bytes, |w, b| w.single(o, f32::from_ne_bytes(b))),
            ("d", 8) => self.row(&bytes, |w, b| w.float(o, f64::from_ne_bytes(b)).map(drop)),
            // Characters: as items.
            _ => {
                let l = py::list_of(o.as_ref());
                return Ok(Some(Step::Again(self.raised(l)?)));
            }
        };
        go.map(|()| Some(Step::Met(Met::Wrote)))
    }

    fn row<const N: usize>(&mut self, bytes: &[u8], f: impl Fn(&mut Self, [u8; N]) -> Go) -> Go {
        self.room_for(1)?;
        let (items, _) = bytes.as_chunks::<N>();
        let w = self.out.begin_array(items.len());
        self.wrote(w)?;
        for &item in items {
            f(self, item)?;
            let w = self.out.end_item();
            self.wrote(w)?;
        }
        let w = self.out.end_array(items.len());
        self.wrote(w)
    }
}

/// The quotient, if there is no remainder.
fn exact(a: i128, b: i128) -> Option<i128> {
    (a % b == 0).then_some(a / b)
}

/// The moment that lies so many steps after the beginning of 1970.
fn moment(v: i64, unit: Unit) -> Option<DateTime> {
    let steps = i128::from(v) * i128::from(unit.count);
    let nanos = match unit.name {
        UnitName::Year | UnitName::Month => {
            let months = if unit.name == UnitName::Year { steps * 12 } else { steps } + 1970 * 12;
            let year = i32::try_from(months.div_euclid(12)).ok().filter(|y| (0..=9999).contains(y))?;
            let date = Date { year, month: months.rem_euclid(12) as u8 + 1, day: 1 };
            i128::from(days_from_civil(date)) * 86_400 * 1_000_000_000
        }
        UnitName::Seconds(n) => steps * i128::from(n) * 1_000_000_000,
        UnitName::Parts(n) => exact(steps * 1_000_000_000, i128::from(n))?,
    };
    let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?;
    let t = DateTime::from_unix(seconds, nanos.rem_euclid(1_000_000_000) as u32)?;
    // It has no offset: nobody said where it is.
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
