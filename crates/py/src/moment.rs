//! Moments: the classes of `datetime`, read without asking them to spell themselves.
//!
//! What may surprise: the fields are read first, and only then is a tzinfo asked for its offset,
//! because that is user code. And in an interpreter with a lock of its own, on versions whose C
//! classes cannot be there, `datetime` has classes written in Python: those are asked attribute by
//! attribute.

use alloc::boxed::Box;
use core::ffi::CStr;
use wire::say;

use crate::sys as ffi;
use wire::time::{Date, DateTime, Duration, Time, thousandth};

use crate::call::{call0, call1};
use crate::int::Int;
use crate::module::Given;
use crate::object::{Own, Ref};
use crate::raised::{Builtin, Result, clear};
use crate::slot::Slot;
use crate::types::Type;

/// The classes of `datetime` in this interpreter.
pub struct MomentTypes {
    datetime: Own,
    date: Own,
    time: Own,
    delta: Own,
    utc: Own,
    utcoffset: Own,
    /// The classes are those written in C, whose layout we know.
    known: bool,
    /// What these offer to C; null if they are others.
    api: *const ffi::PyDateTime_CAPI,
    /// The zone that was made last, and that which was asked last, of the class that has one offset for ever, and that: most
    /// moments of a document are of one zone. What was asked may have a name, which what is made has not.
    zone: Slot<(i32, Own)>,
    asked: Slot<(i32, Own)>,
}

// SAFETY: what is pointed at lives as long as the interpreter and never changes.
unsafe impl Send for MomentTypes {}
// SAFETY: as above.
unsafe impl Sync for MomentTypes {}

/// Which of them an object is an instance of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MomentKind {
    /// `datetime`.
    DateTime,
    /// `date`.
    Date,
    /// `time`.
    Time,
    /// `timedelta`.
    Delta,
}

/// A moment as the wire has it.
#[derive(Clone, Copy, Debug)]
pub enum Moment {
    /// A date with a time; and how many microseconds its offset is longer than the whole seconds that are given.
    DateTime(DateTime, i32),
    /// A date.
    Date(Date),
    /// A time of day.
    Time(Time),
    /// A span.
    Delta(Duration),
}

/// Year, month, day, hour, minute, second, microsecond, fold; or days, seconds, microseconds.
pub type Fields = [i32; 8];

impl MomentTypes {
    /// Takes them: whether they are those written in C, and the rest in the order of the fields.
    pub fn new(given: &mut Given) -> MomentTypes {
        let mut known = given.number() != 0;
        let all: [Own; 6] = core::array::from_fn(|_| given.take());
        for (class, size) in all.iter().zip(ffi::MOMENT_SIZES) {
            known &= class.as_ref().as_type().is_some_and(|t| t.basic_size() == size);
        }
        let mut api: *const ffi::PyDateTime_CAPI = core::ptr::null();
        if known {
            let module = crate::call::import(c"datetime");
            if let Ok(capsule) = module.and_then(|m| m.as_ref().attr_named(c"datetime_CAPI")) {
                // SAFETY: the name ends with zero; null with an exception set if it is no such capsule.
                let p =
                    unsafe { ffi::PyCapsule_GetPointer(capsule.ptr(), c"datetime.datetime_CAPI".as_ptr()) };
                api = p.cast_const().cast();
            }
            if api.is_null() {
                clear();
            }
        }
        let [datetime, date, time, delta, utc, utcoffset] = all;
        MomentTypes {
            datetime,
            date,
            time,
            delta,
            utc,
            utcoffset,
            known,
            api,
            zone: Slot::default(),
            asked: Slot::default(),
        }
    }

    /// A `datetime`. What is beyond a microsecond is left out; whoever minds asks before. The
    /// year must be one that a `datetime` has: ValueError otherwise.
    pub fn make_datetime(&self, v: DateTime) -> Result<Own> {
        self.make_of(MomentKind::DateTime, v)
    }

    /// A `date`.
    pub fn make_date(&self, date: Date) -> Result<Own> {
        // SAFETY: what is filled is what was allocated.
        unsafe {
            if (1..=9999).contains(&date.year)
                && let Some(o) = self.bare(&self.date, false)
            {
                let o = o?;
                ffi::fill_date(o.ptr(), date.year, date.month, date.day);
                return Ok(o);
            }
        }
        let fields = [date.year, date.month.into(), date.day.into(), 0, 0, 0, 0, 0];
        self.make(MomentKind::Date, &fields, crate::scalar::none().as_ref())
    }

    /// A `time`; the rest as for [`MomentTypes::make_datetime`].
    pub fn make_time(&self, time: Time) -> Result<Own> {
        let date = Date { year: 1, month: 1, day: 1 };
        self.make_of(MomentKind::Time, DateTime { date, time })
    }

    /// An instance of a class of these, allocated as the class does it, of which nothing is set yet; with room for a tzinfo
    /// if there is one. Nothing where that must be left to the class.
    ///
    /// # Safety
    /// The class must be one of those of this interpreter.
    #[inline(always)]
    unsafe fn bare(&self, class: &Own, zoned: bool) -> Option<Result<Own>> {
        if self.api.is_null() {
            return None;
        }
        // SAFETY: there is an API only of classes whose layout we know; a new reference, or null with an exception set.
        unsafe {
            let class = class.ptr().cast::<ffi::PyTypeObject>();
            Some(Own::take((*class).tp_alloc?(class, isize::from(zoned))))
        }
    }

    #[inline(always)]
    fn make_of(&self, kind: MomentKind, v: DateTime) -> Result<Own> {
        let DateTime { date, time } = v;
        let (zone, micros) = (self.zone(time.offset)?, thousandth(time.nanosecond));
        let clock = [time.hour, time.minute, time.second];
        let class = if kind == MomentKind::Time { &self.time } else { &self.datetime };
        // SAFETY: what is filled is what was allocated, with room for the tzinfo, which is given away. All that it has is set.
        unsafe {
            // What classes look at before they make an instance has been looked at by whoever read it, but for the years.
            if (1..=9999).contains(&date.year)
                && let Some(o) = self.bare(class, zone.is_some())
            {
                let o = o?;
                let zone = zone.map_or(core::ptr::null_mut(), Own::into_ptr);
                if kind == MomentKind::Time {
                    ffi::fill_time(o.ptr(), clock, micros, zone);
                } else {
                    ffi::fill_date(o.ptr(), date.year, date.month, date.day);
                    ffi::fill_datetime(o.ptr(), clock, micros, zone);
                }
                return Ok(o);
            }
        }
        let zone = zone.unwrap_or_else(crate::scalar::none);
        let [hour, minute, second] = clock.map(i32::from);
        let (month, day) = (date.month.into(), date.day.into());
        self.make(kind, &[date.year, month, day, hour, minute, second, micros as i32, 0], zone.as_ref())
    }

    /// A `timedelta`. OverflowError if it is beyond what one can hold.
    pub fn make_delta(&self, days: i32, seconds: i32, microseconds: i32) -> Result<Own> {
        // Only the days have a sign.
        let (mut day, mut second, mut micros) = (days, seconds, microseconds);
        if micros < 0 {
            (second, micros) = (second - 1, micros + 1_000_000);
        } else if micros >= 1_000_000 {
            (second, micros) = (second + 1, micros - 1_000_000);
        }
        if second < 0 {
            (day, second) = (day - 1, second + 86_400);
        } else if second >= 86_400 {
            (day, second) = (day + 1, second - 86_400);
        }
        let ordered = (0..86_400).contains(&second) && (0..1_000_000).contains(&micros);
        // SAFETY: what is filled is what was allocated, with what is in order and within bounds.
        unsafe {
            if ordered
                && day.unsigned_abs() <= 999_999_999
                && let Some(o) = self.bare(&self.delta, false)
            {
                let o = o?;
                ffi::fill_delta(o.ptr(), day, second, micros);
                return Ok(o);
            }
        }
        let fields = [days, seconds, microseconds, 0, 0, 0, 0, 0];
        self.make(MomentKind::Delta, &fields, crate::scalar::none().as_ref())
    }

    /// What stands for an offset.
    #[inline(always)]
    fn zone(&self, offset: Option<i32>) -> Result<Option<Own>> {
        Ok(match offset {
            None => None,
            Some(0) => Some(self.utc.clone()),
            Some(s) => Some(self.zone_of(s)?),
        })
    }

    #[inline(never)]
    fn zone_of(&self, s: i32) -> Result<Own> {
        if let Some(kept) = self.zone.take() {
            let zone = kept.1.clone();
            if kept.0 == s {
                self.zone.put(kept);
                return Ok(zone);
            }
        }
        let delta = self.make_delta(0, s, 0)?;
        let zone = if self.api.is_null() {
            call1(self.utc.as_ref().class().as_ref(), delta.as_ref())?
        } else {
            // SAFETY: as for those of `make`; a zone without a name.
            unsafe { Own::take(((*self.api).zone)(delta.ptr(), core::ptr::null_mut()))? }
        };
        self.zone.put(Box::new((s, zone.clone())));
        Ok(zone)
    }

    /// The offset of the zone that was asked last, if this is that.
    #[inline(never)]
    fn kept_offset(&self, zone: Ref<'_>) -> Option<i32> {
        let kept = self.asked.take()?;
        let offset = zone.is(kept.1.as_ref()).then_some(kept.0);
        self.asked.put(kept);
        offset
    }

    /// A moment of such fields, as the classes themselves make it.
    #[inline(never)]
    fn make(&self, kind: MomentKind, fields: &Fields, zone: Ref<'_>) -> Result<Own> {
        let [a, b, c, hour, minute, second, micros, fold] = *fields;
        if !self.api.is_null() {
            // SAFETY: the table is that of the classes, which are alive, as is the tzinfo; a new reference, or null with an
            // exception set.
            return unsafe {
                let api = &*self.api;
                Own::take(match kind {
                    MomentKind::DateTime => {
                        let class = self.datetime.ptr().cast();
                        (api.datetime)(a, b, c, hour, minute, second, micros, zone.ptr(), fold, class)
                    }
                    MomentKind::Date => (api.date)(a, b, c, self.date.ptr().cast()),
                    MomentKind::Time => {
                        let class = self.time.ptr().cast();
                        (api.time)(hour, minute, second, micros, zone.ptr(), fold, class)
                    }
                    MomentKind::Delta => (api.delta)(a, b, c, 1, self.delta.ptr().cast()),
                })
            };
        }
        let (class, from, n) = match kind {
            MomentKind::DateTime => (&self.datetime, 0, 7),
            MomentKind::Date => (&self.date, 0, 3),
            MomentKind::Time => (&self.time, 3, 4),
            MomentKind::Delta => (&self.delta, 0, 3),
        };
        let zoned = matches!(kind, MomentKind::DateTime | MomentKind::Time);
        let args = crate::list::tuple_of(n + usize::from(zoned), |i| match fields.get(from + i) {
            Some(v) if i < n => crate::int::int((*v).into()),
            _ => Ok(zone.own()),
        })?;
        crate::call::instance(class.as_ref(), &args, None)
    }

    /// Which kind instances of a class are, if any.
    pub fn kind(&self, class: Type<'_>) -> Option<MomentKind> {
        self.exact(class).or_else(|| self.kind_of_sub(class))
    }

    #[inline(never)]
    fn kind_of_sub(&self, class: Type<'_>) -> Option<MomentKind> {
        if class.is_bare() {
            return None;
        }
        self.kind_by(|o| o.as_ref().as_type().is_some_and(|t| class.is_subtype(t)))
    }

    #[inline(always)]
    fn kind_by(&self, is: impl Fn(&Own) -> bool) -> Option<MomentKind> {
        // A datetime is a date too, so it comes first.
        if is(&self.datetime) {
            Some(MomentKind::DateTime)
        } else if is(&self.date) {
            Some(MomentKind::Date)
        } else if is(&self.time) {
            Some(MomentKind::Time)
        } else if is(&self.delta) {
            Some(MomentKind::Delta)
        } else {
            None
        }
    }

    /// Which of the classes themselves it is, and no subclass.
    #[inline(always)]
    pub fn exact(&self, class: Type<'_>) -> Option<MomentKind> {
        self.kind_by(|o| class.as_ref().is(o.as_ref()))
    }

    /// Whether it is exactly a `datetime`.
    #[inline(always)]
    pub fn is_datetime(&self, o: Ref<'_>) -> bool {
        o.class().as_ref().is(self.datetime.as_ref())
    }

    /// The tzinfo, or None, of what is exactly a `datetime` or a `time` and need not be asked for it.
    pub fn tzinfo<'o>(&self, o: Ref<'o>) -> Option<Ref<'o>> {
        if !self.known {
            return None;
        }
        // SAFETY: it has the layout of that class.
        unsafe {
            match self.exact(o.class())? {
                MomentKind::DateTime => Some(Ref::new(ffi::PyDateTime_DATE_GET_TZINFO(o.ptr()))),
                MomentKind::Time => Some(Ref::new(ffi::PyDateTime_TIME_GET_TZINFO(o.ptr()))),
                _ => None,
            }
        }
    }

    /// Reads a `datetime`, if it is exactly that and its offset need not be asked for. Compiled into
    /// whoever asks: a moment that is copied as a whole waits until each of its fields is written.
    #[inline(always)]
    pub fn plain_datetime(&self, o: Ref<'_>) -> Option<DateTime> {
        if !self.known || !self.is_datetime(o) {
            return None;
        }
        // SAFETY: it has the layout of that class. The tzinfo is only compared.
        unsafe {
            let tzinfo = Ref::new(ffi::PyDateTime_DATE_GET_TZINFO(o.ptr()));
            let offset = match tzinfo.is_none() {
                true => None,
                false if tzinfo.is(self.utc.as_ref()) => Some(0),
                false => Some(self.kept_offset(tzinfo)?),
            };
            let time = clock(ffi::date_bytes(o.ptr()).add(4));
            Some(DateTime { date: Self::date(o), time: Time { offset, ..time } })
        }
    }

    /// Reads a `date`, if it is exactly that.
    #[inline(always)]
    pub fn plain_date(&self, o: Ref<'_>) -> Option<Date> {
        let plain = self.known && o.class().as_ref().is(self.date.as_ref());
        // SAFETY: it has the layout of that class.
        plain.then(|| unsafe { Self::date(o) })
    }

    /// Reads a `time`, if it is exactly that and has no tzinfo.
    #[inline(always)]
    pub fn plain_time(&self, o: Ref<'_>) -> Option<Time> {
        if !self.known || !o.class().as_ref().is(self.time.as_ref()) {
            return None;
        }
        // SAFETY: it has the layout of that class. The tzinfo is only compared.
        unsafe {
            if !Ref::new(ffi::PyDateTime_TIME_GET_TZINFO(o.ptr())).is_none() {
                return None;
            }
            Some(clock(ffi::time_bytes(o.ptr())))
        }
    }

    /// Reads a `timedelta`, if it is exactly that.
    #[inline(always)]
    pub fn plain_delta(&self, o: Ref<'_>) -> Option<Duration> {
        if !self.known || !o.class().as_ref().is(self.delta.as_ref()) {
            return None;
        }
        // SAFETY: it has the layout of that class.
        let (days, seconds, micros) = unsafe { ffi::delta_parts(o.ptr()) };
        Some(duration(days, seconds, micros))
    }

    /// Reads an instance of a class of that kind.
    #[inline(never)]
    pub fn read(&self, o: &Own, kind: MomentKind) -> Result<Moment> {
        if self.kind(o.as_ref().class()) != Some(kind) {
            return Err(Builtin::Type.raise(say!("not a datetime")));
        }
        if !self.known {
            return self.ask(o, kind);
        }
        let p = o.ptr();
        // SAFETY: the checks above say that it has the layout of that class. The tzinfo is only
        // compared before the moment is asked, and the fields are copies by then.
        unsafe {
            Ok(match kind {
                MomentKind::DateTime => {
                    let date = Self::date(o.as_ref());
                    let time = clock(ffi::date_bytes(p).add(4));
                    let (offset, rest) = self.offset(o, Ref::new(ffi::PyDateTime_DATE_GET_TZINFO(p)))?;
                    Moment::DateTime(DateTime { date, time: Time { offset, ..time } }, rest)
                }
                MomentKind::Date => Moment::Date(Self::date(o.as_ref())),
                MomentKind::Time => {
                    let time = clock(ffi::time_bytes(p));
                    let (offset, _) = self.offset(o, Ref::new(ffi::PyDateTime_TIME_GET_TZINFO(p)))?;
                    Moment::Time(Time { offset, ..time })
                }
                MomentKind::Delta => {
                    let (days, seconds, micros) = self.parts(o)?;
                    Moment::Delta(duration(days, seconds, micros))
                }
            })
        }
    }

    /// A moment of such fields; nothing, and no exception, if there is none, or where the classes are written in Python.
    pub fn of_fields(&self, kind: MomentKind, fields: &Fields, zone: Ref<'_>) -> Option<Own> {
        let ordered = (0..86_400).contains(&fields[1]) && fields[2] < 1_000_000;
        if self.api.is_null() || kind == MomentKind::Delta && !ordered {
            return None;
        }
        let made = self.make(kind, fields, zone);
        if made.is_err() {
            clear();
        }
        made.ok()
    }

    /// `timezone.utc`.
    pub fn utc(&self) -> &Own {
        &self.utc
    }

    /// Reads an instance of a class that is written in Python.
    #[cold]
    fn ask(&self, o: &Own, kind: MomentKind) -> Result<Moment> {
        let number = |name: &CStr, least: i32, most: i32| field(o, name, least, most);
        let date = || -> Result<Date> {
            Ok(Date {
                year: number(c"year", 1, 9999)?,
                month: number(c"month", 1, 12)? as u8,
                day: number(c"day", 1, 31)? as u8,
            })
        };
        let time = || -> Result<(Time, i32)> {
            let (offset, rest) = self.offset(o, o.as_ref().attr_named(c"tzinfo")?.as_ref())?;
            let time = Time {
                hour: number(c"hour", 0, 23)? as u8,
                minute: number(c"minute", 0, 59)? as u8,
                second: number(c"second", 0, 59)? as u8,
                nanosecond: number(c"microsecond", 0, 999_999)? as u32 * 1000,
                offset,
            };
            Ok((time, rest))
        };
        Ok(match kind {
            MomentKind::DateTime => {
                let (date, (time, rest)) = (date()?, time()?);
                Moment::DateTime(DateTime { date, time }, rest)
            }
            MomentKind::Date => Moment::Date(date()?),
            MomentKind::Time => Moment::Time(time()?.0),
            MomentKind::Delta => {
                let (days, seconds, micros) = self.parts(o)?;
                Moment::Delta(duration(days, seconds, micros))
            }
        })
    }

    /// # Safety
    /// `o` must be an instance of `date`.
    #[inline(always)]
    unsafe fn date(o: Ref<'_>) -> Date {
        // SAFETY: by contract; a date has four bytes.
        unsafe {
            let b = ffi::date_bytes(o.ptr());
            Date { year: i32::from(*b) << 8 | i32::from(*b.add(1)), month: *b.add(2), day: *b.add(3) }
        }
    }

    /// Days, seconds and microseconds of a timedelta; only the days have a sign.
    fn parts(&self, o: &Own) -> Result<(i32, i32, i32)> {
        if self.known && self.kind(o.as_ref().class()) == Some(MomentKind::Delta) {
            // SAFETY: it is a timedelta, of a class whose layout we know.
            return Ok(unsafe { ffi::delta_parts(o.ptr()) });
        }
        Ok((
            field(o, c"days", -999_999_999, 999_999_999)?,
            field(o, c"seconds", 0, 86_399)?,
            field(o, c"microseconds", 0, 999_999)?,
        ))
    }

    /// The offset of a moment in seconds east of UTC, and the microseconds beyond.
    #[inline(always)]
    fn offset(&self, o: &Own, tzinfo: Ref<'_>) -> Result<(Option<i32>, i32)> {
        if tzinfo.is_none() {
            Ok((None, 0))
        } else if tzinfo.is(self.utc.as_ref()) {
            Ok((Some(0), 0))
        } else {
            self.ask_offset(o, tzinfo)
        }
    }

    /// The offset as the moment's own `utcoffset` says, which asks the tzinfo, if the class has no other.
    #[inline(never)]
    fn ask_offset(&self, o: &Own, tzinfo: Ref<'_>) -> Result<(Option<i32>, i32)> {
        let none = crate::scalar::none();
        let offset = match self.exact(o.as_ref().class()) {
            Some(kind) => {
                let of = if kind == MomentKind::Time { &none } else { o };
                call1(tzinfo.attr(&self.utcoffset)?.as_ref(), of.as_ref())?
            }
            None => call0(o.as_ref().attr(&self.utcoffset)?.as_ref())?,
        };
        if offset.as_ref().is_none() {
            return Ok((None, 0));
        }
        if self.kind(offset.as_ref().class()) != Some(MomentKind::Delta) {
            return Err(Builtin::Type.raise(say!("`utcoffset` must give a timedelta or None")));
        }
        let (days, seconds, micros) = self.parts(&offset)?;
        // The interpreter's own classes allow less than a day either way.
        if days > 0 || (days, seconds, micros) <= (-1, 0, 0) {
            return Err(Builtin::Value.raise(say!("`utcoffset` must give less than a day")));
        }
        // Rounded to the second as to the minute later: half up.
        let up = micros >= 500_000;
        if micros == 0 && tzinfo.class().as_ref().is(self.utc.as_ref().class().as_ref()) {
            self.asked.put(Box::new((days * 86_400 + seconds, tzinfo.own())));
        }
        Ok((Some(days * 86_400 + seconds + i32::from(up)), if up { micros - 1_000_000 } else { micros }))
    }
}

/// A number that an object written in Python has under a name, within bounds.
fn field(o: &Own, name: &CStr, least: i32, most: i32) -> Result<i32> {
    let v = o.as_ref().attr_named(name)?;
    let v = match v.as_ref().as_any_int().map(|i| i.get()) {
        Some(Int::I64(v)) => i32::try_from(v).ok().filter(|v| (least..=most).contains(v)),
        _ => None,
    };
    v.ok_or_else(|| Builtin::Value.raise(say!("a datetime has a field that is none of a datetime")))
}

/// A timedelta keeps its sign in its days: of one that points to the past, the rest is counted from the other end.
#[inline(always)]
fn duration(days: i32, mut seconds: i32, mut micros: i32) -> Duration {
    let (negative, mut days) = (days < 0, days.unsigned_abs());
    if negative {
        if micros != 0 {
            (seconds, micros) = (seconds + 1, 1_000_000 - micros);
        }
        if seconds != 0 {
            (days, seconds) = (days - 1, 86_400 - seconds);
        }
    }
    Duration { negative, days: days.into(), seconds: seconds as u32, nanosecond: micros as u32 * 1000 }
}

/// Hour, minute, second and microsecond, as the classes keep them: one byte each, and three.
///
/// # Safety
/// Six bytes at `b` must be those of a time of day.
#[inline(always)]
unsafe fn clock(b: *const u8) -> Time {
    // SAFETY: by contract.
    let [hour, minute, second, high, middle, low] = unsafe { *b.cast::<[u8; 6]>() };
    // What was pickled is believed by the classes, so the bytes may hold more than a second has.
    let micros = u32::from(high) << 16 | u32::from(middle) << 8 | u32::from(low);
    Time { hour, minute, second, nanosecond: micros.min(999_999) * 1000, offset: None }
}
