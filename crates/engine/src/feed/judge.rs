//! Whether a value is what its type says, and what becomes of it: all that is not settled by one look.
//!
//! What may surprise: this is compiled once for all formats, since it works on objects: a moment that is
//! spelled as text has been a `str` before it is a `datetime`. What is seldom met is done in Python
//! (`oxwire._scalars`).

use alloc::string::{String, ToString};
use core::ffi::CStr;
use wire::{Said, say};

use super::objects::plain;
use super::spelled::{float, integer};
use super::wrong::refused_step;
pub(super) use super::wrong::{Sort, Wrong, refused, text};
use super::{Feed, Hooks, Trouble};
use crate::env::Env;
use crate::fault::last_part;
use model::{Bounds, PATTERN, Plan, STEPS, takes};
use py::{Builtin, Compare, Flags, Own, Raised, Ref, Seen, StrRef, Word};
use wire::time::{Date, DateTime, Duration, Time, thousandth};
use wire::{pattern, uuid};

/// What messages call the type of a value.
pub(super) fn name_of(o: Ref<'_>, env: &Env) -> String {
    match o.see_cold() {
        Seen::Str(_) => "str",
        Seen::Int(_) => "int",
        Seen::Bool(_) => "bool",
        Seen::None => "null",
        Seen::Float(_) => "float",
        Seen::List(_) | Seen::Tuple(_) => "array",
        Seen::Dict(_) => "object",
        Seen::Other(_) if o.class().as_ref().is(env.spliced.ext().as_ref()) => "ext",
        Seen::Other(_) => match o.class().flags() {
            Flags::Int => "int",
            Flags::Str => "str",
            Flags::Float => "float",
            Flags::List | Flags::Tuple => "array",
            Flags::Set => "set",
            Flags::Bytes | Flags::ByteArray | Flags::MemoryView => "bytes",
            Flags::Dict | Flags::OddDict => "object",
            _ => {
                let name = o.class_name();
                return match last_part(&name) {
                    "timedelta" => "duration",
                    "Decimal" => "decimal",
                    "UUID" => "uuid",
                    last => last,
                }
                .to_string();
            }
        },
    }
    .to_string()
}

/// A value of another type than was expected.
#[cold]
#[inline(never)]
pub(super) fn unexpected(p: &Plan, got: &str) -> Trouble {
    Wrong::of(py::words(say!("Expected `{}`, got `{}`"), &[Word::Name(p.name.as_ref()), got.into()]))
}

/// Who judges.
#[derive(Clone, Copy)]
pub struct Judge<'a> {
    pub(super) env: &'a Env,
    pub(super) hooks: &'a Hooks,
    /// The format has bytes of its own, so they are not spelled as text.
    pub(super) bytes: bool,
    /// Values of another type may do, if a plan does not say so itself.
    pub(super) loose: bool,
    /// Keys of any type may be spelled as text.
    pub(super) text_keys: bool,
}

type Judged = Result<Own, Trouble>;

/// The question that is none: it is what the value becomes, by a call. In the place of words is what makes of an
/// object that is given what it should be, if it can without that.
pub(super) const MAKES: u8 = 11;

/// What text spells, and what to say if it does not: the first that a plan takes counts.
static TEXTS: [(u32, Said); 7] = [
    (takes::DATETIME, say!("Invalid RFC3339 encoded datetime")),
    (takes::DATE, say!("Invalid RFC3339 encoded date")),
    (takes::TIME, say!("Invalid RFC3339 encoded time")),
    (takes::TIMEDELTA, say!("Invalid ISO8601 duration")),
    (takes::UUID, say!("Invalid UUID")),
    (takes::DECIMAL, say!("Invalid decimal string")),
    (BYTES, say!("Invalid base64 encoded string")),
];

/// Those that some formats have a kind of their own for.
pub(super) const BYTES: u32 = takes::BYTES | takes::BYTEARRAY | takes::MEMORYVIEW;

/// What text may spell if another type will do.
const PLAINER: u32 = takes::INT | takes::FLOAT | takes::BOOL | takes::NONE;

/// Those that are read where they lie, unless they must be objects first. Their bits have the order of the table.
pub(super) const IN_PLACE: u32 = takes::DATETIME | takes::DATE | takes::TIME | takes::TIMEDELTA | takes::UUID;

/// The lowest bit.
pub(super) fn first(bits: u32) -> u32 {
    bits & bits.wrapping_neg()
}

/// Another: the user is asked which member of a union the value is.
const ASK: u8 = 12;

impl<'a> Judge<'a> {
    pub(super) fn of_feed<F: Feed>(env: &'a Env, hooks: &'a Hooks) -> Judge<'a> {
        let bytes = if F::CAPS.forms { hooks.bytes } else { F::CAPS.bytes };
        let text_keys = F::CAPS.str_keys_only || hooks.text_keys;
        Judge { env, hooks, bytes, loose: hooks.lax, text_keys }
    }
}

impl Judge<'_> {
    /// A value that is no container, as its type wants it.
    #[inline(never)]
    pub(super) fn scalar(&self, p: &Plan, o: Own) -> Judged {
        let t = p.takes & !self.hooks.kept;
        if t & takes::ANY != 0 {
            return self.checked(p, takes::ANY, o);
        }
        if t & (takes::CUSTOM | takes::TRIES) != 0 {
            if t & takes::TRIES != 0 {
                return self.one_of(p, o);
            }
            return if o.as_ref().is_none() && t & takes::NONE != 0 { Ok(o) } else { self.custom(p, o) };
        }
        let (of, made) = match o.as_ref().see() {
            Seen::None => (t & takes::NONE, o),
            Seen::Bool(b) => match t & (takes::BOOL | if b { takes::TRUE } else { takes::FALSE }) {
                0 if t & (takes::TRUE | takes::FALSE) != 0 => return Err(no_member(&o)),
                of => (of, o),
            },
            Seen::Int(_) => return self.int(p, o),
            Seen::Float(_) if t & takes::FLOAT != 0 => (takes::FLOAT, o),
            Seen::Float(_) if t & takes::DECIMAL != 0 => (takes::DECIMAL, self.env.decimal(o.as_ref())?),
            Seen::Str(_) => return self.str(p, o),
            _ => return self.object(p, o),
        };
        if of == 0 { self.lax(p, made) } else { self.checked(p, of, made) }
    }

    /// A value of the type that the bit stands for: where that settles what it is, only what else is asked of it is asked.
    #[inline(never)]
    pub(super) fn of(&self, p: &Plan, bit: u32, o: Own) -> Judged {
        if p.exact & bit != 0 { self.checked(p, bit, o) } else { self.scalar(p, o) }
    }

    fn int(&self, p: &Plan, o: Own) -> Judged {
        let t = p.takes & !self.hooks.kept;
        if t & takes::VALUES_INT != 0 {
            match self.member(p, &o)? {
                Some(m) => return self.checked(p, takes::VALUES_INT, m),
                // It may be another number.
                None if t & (takes::INT | takes::FLOAT | takes::DECIMAL) == 0 => {
                    return Err(no_member(&o));
                }
                None => {}
            }
        }
        if t & takes::INT != 0 {
            return self.checked(p, takes::INT, o);
        }
        if t & takes::FLOAT != 0 {
            return self.checked(p, takes::FLOAT, self.help(c"number", o.as_ref()).map_err(refused)?);
        }
        if t & takes::DECIMAL != 0 {
            return self.checked(p, takes::DECIMAL, self.env.decimal(o.as_ref())?);
        }
        self.lax(p, o)
    }

    /// The member that a value stands for.
    fn member(&self, p: &Plan, o: &Own) -> Result<Option<Own>, Trouble> {
        if let Some(m) = p.members.get(o.as_ref()) {
            return Ok(Some(m.clone()));
        }
        if let Some(values) = &p.values
            && let Some(m) = py::dict_find(values.as_ref(), o.as_ref())?
        {
            return Ok(Some(m));
        }
        let Some(missing) = &p.missing else { return Ok(None) };
        match py::call1(missing.as_ref(), o.as_ref()) {
            Ok(m) => Ok(Some(m)),
            Err(_) if py::is_ordinary() => {
                py::clear();
                Ok(None)
            }
            Err(e) => Err(e.into()),
        }
    }

    fn str(&self, p: &Plan, o: Own) -> Judged {
        let t = p.takes & !self.hooks.kept;
        if t & takes::VALUES_STR != 0 {
            match self.member(p, &o)? {
                Some(m) => return self.checked(p, takes::VALUES_STR, m),
                None if t & takes::STR != 0 => {}
                None if self.is_lax(p) => {
                    return self.converted(p, &o, p.takes)?.ok_or_else(|| no_member(&o));
                }
                None => return Err(no_member(&o)),
            }
        }
        if t & takes::STR != 0 {
            return self.checked(p, takes::STR, o);
        }
        let spelled = if self.bytes { t & !BYTES } else { t };
        let Some(&(bits, words)) = TEXTS.iter().find(|(bits, _)| spelled & bits != 0) else {
            return self.lax(p, o);
        };
        let bit = first(spelled & bits);
        // To a Decimal `0` and `1` are numbers first.
        let first_of = if bit == takes::DECIMAL { PLAINER & !takes::BOOL } else { PLAINER };
        if self.gives_way(p, bit)
            && let Some(made) = self.converted(p, &o, t & first_of)?
        {
            return Ok(made);
        }
        // None of them has any other character.
        let text = o.as_ref().as_any_str().and_then(StrRef::ascii);
        let made = match bit {
            takes::DECIMAL => self.env.decimal(o.as_ref())?,
            _ => {
                if let Some(text) = text
                    && let Some(made) = self.spelled(p, bit, text)?
                {
                    return Ok(made);
                }
                py::none()
            }
        };
        if !made.as_ref().is_none() {
            return self.checked(p, bit, made);
        }
        const OTHERS: u32 = PLAINER | takes::DATETIME | takes::TIMEDELTA;
        let lax = self.is_lax(p) && t & OTHERS != 0;
        let made = if lax { self.converted(p, &o, p.takes)? } else { None };
        made.ok_or_else(|| Wrong::of(words.into()))
    }

    /// See [`Env::help`].
    fn help(&self, name: &CStr, o: Ref<'_>) -> Result<Own, Raised> {
        self.env.help(name, &[o])
    }

    /// What a text spells as the one that is asked for of [`IN_PLACE`], if it does, as its plan wants it.
    #[inline(never)]
    pub(super) fn spelled(&self, p: &Plan, bit: u32, text: &[u8]) -> Result<Option<Own>, Trouble> {
        let moments = &self.env.moments;
        let made = match bit {
            takes::DATETIME => match DateTime::parse(text).and_then(DateTime::rounded) {
                Some(v) if v.date.year > 0 => moments.make_datetime(v)?,
                _ => return Ok(None),
            },
            takes::DATE => match Date::parse(text) {
                Some(v) if v.year > 0 => moments.make_date(v)?,
                _ => return Ok(None),
            },
            takes::TIME => match Time::parse(text) {
                Some(time) if time.nanosecond - thousandth(time.nanosecond) * 1000 < 500 => {
                    moments.make_time(time)?
                }
                Some(time) => {
                    let date = Date { year: 1970, month: 1, day: 1 };
                    // There is no next day to be rounded into.
                    let round = DateTime { date, time }.rounded().filter(|v| v.date == date);
                    moments.make_time(round.map_or(time, |v| v.time))?
                }
                None => return Ok(None),
            },
            takes::TIMEDELTA => match Duration::parse(text) {
                Some(v) => {
                    let sign = if v.negative { -1 } else { 1 };
                    let (seconds, micros) = (v.seconds as i32, thousandth(v.nanosecond + 500) as i32);
                    // So many are refused by the class, and more would not be.
                    let days = v.days.min(1_000_000_000) as i32;
                    match moments.make_delta(sign * days, sign * seconds, sign * micros) {
                        Ok(o) => o,
                        Err(_) => {
                            py::clear();
                            return Err(Wrong::of(say!("Duration is out of range").into()));
                        }
                    }
                }
                None => return Ok(None),
            },
            _ if bit & BYTES != 0 => match self.env.base64(bit, text)? {
                none if none.as_ref().is_none() => return Ok(None),
                made => made,
            },
            takes::UUID => match uuid::parse(text) {
                Some(v) => self.env.uuid(v)?,
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        if p.checks.is_empty() { Ok(Some(made)) } else { self.checked(p, bit, made).map(Some) }
    }

    /// Bytes, moments, application types: what has no kind of its own in every format.
    fn object(&self, p: &Plan, o: Own) -> Judged {
        match self.given(p, &o)? {
            Some(made) => Ok(made),
            None => self.lax(p, o),
        }
    }

    /// The same, of objects that are one already.
    pub(super) fn given(&self, p: &Plan, o: &Own) -> Result<Option<Own>, Trouble> {
        let t = p.takes;
        // What would be made of it, it may be already.
        for c in p.checks.iter().filter(|c| c.op == MAKES) {
            let kept = py::call1(c.words.as_ref(), o.as_ref()).map_err(refused)?;
            if !kept.as_ref().is(py::not_implemented().as_ref()) {
                return self.asked(p, c.of, kept, true, false).map(Some);
            }
        }
        if t & (takes::UUID | takes::DECIMAL) != 0 {
            self.env.parts()?;
        }
        let exactly = t & self.env.kind(o.as_ref());
        if exactly != 0 || self.is_member(p, o)? {
            return self.checked(p, exactly, o.clone()).map(Some);
        }
        let bit = first(t & (takes::BYTES | takes::BYTEARRAY));
        if bit != 0 && (o.as_ref().is_bytes() || o.as_ref().is_byte_array()) {
            // A `bytearray` is never shared.
            let made = self.env.of_bytes(bit, &o.as_ref().copy_bytes()?)?;
            return self.checked(p, bit, made).map(Some);
        }
        let bit = match self.env.moments.kind(o.as_ref().class()) {
            Some(kind) => takes::moment(kind),
            None => 0,
        };
        if t & bit != 0 {
            return self.checked(p, bit, o.clone()).map(Some);
        }
        if t & !(takes::NONE | takes::BOOL | takes::ARRAY | takes::MAP) != 0 {
            let (kinds, values) = (py::int(t.into())?, p.values.clone().unwrap_or_else(py::none));
            let args = [o.as_ref(), kinds.as_ref(), values.as_ref()];
            let made = self.env.help(c"given", &args).map_err(refused)?;
            if let Some(pair) = made.as_ref().as_any_tuple() {
                let pair = pair.hold();
                let of = pair.get(0).and_then(Ref::as_int).map(|i| i.get());
                if let (Some(py::Int::I64(of)), Some(made)) = (of, pair.get(1)) {
                    return self.checked(p, of as u32, made.own()).map(Some);
                }
            }
        }
        Ok(None)
    }

    /// Whether an object is a member of an enumeration that its own value stands for.
    fn is_member(&self, p: &Plan, o: &Own) -> Result<bool, Trouble> {
        let meta = self.env.enum_meta.as_ref().as_type();
        if p.values.is_some()
            && meta.is_some_and(|meta| o.as_ref().class().metaclass().is_subtype(meta))
            && let Some(value) = o.as_ref().attr_or_none(&self.env.names.own_value)?
            && matches!(value.as_ref().see_cold(), Seen::Str(_) | Seen::Int(_))
            && let Some(member) = self.member(p, &value)?
        {
            return Ok(member.as_ref().is(o.as_ref()));
        }
        Ok(false)
    }

    /// Whether a number, a truth value or null that is spelled comes before what the bit stands for, since almost any text
    /// spells that.
    #[inline(never)]
    pub(super) fn gives_way(&self, p: &Plan, bit: u32) -> bool {
        bit & (BYTES | takes::DECIMAL | takes::UUID) != 0 && p.takes & PLAINER != 0 && self.is_lax(p)
    }

    /// Whether a value of another type may do.
    fn is_lax(&self, p: &Plan) -> bool {
        p.takes & takes::LAX != 0 || self.loose && p.takes & takes::STRICT == 0
    }

    /// A value of another type, where that may do.
    pub(super) fn lax(&self, p: &Plan, o: Own) -> Judged {
        if self.is_lax(p)
            && let Some(made) = self.converted(p, &o, p.takes)?
        {
            return Ok(made);
        }
        Err(unexpected(p, &name_of(o.as_ref(), self.env)))
    }

    /// The same, as one of some kinds, which the plan takes.
    fn converted(&self, p: &Plan, o: &Own, kinds: u32) -> Result<Option<Own>, Trouble> {
        let kinds = py::int(kinds.into())?;
        let made = self.env.help(c"lax", &[o.as_ref(), kinds.as_ref()]).map_err(refused)?;
        if made.as_ref().is(py::not_implemented().as_ref()) {
            return Ok(None);
        }
        let of = match made.as_ref().see_cold() {
            Seen::None => takes::NONE,
            Seen::Bool(_) => takes::BOOL,
            Seen::Int(_) => return self.int(p, made).map(Some),
            Seen::Float(_) => takes::FLOAT,
            _ => p.takes & (takes::DATETIME | takes::TIMEDELTA),
        };
        self.checked(p, of, made).map(Some)
    }

    /// A key, which some formats have only as text.
    #[inline(never)]
    pub(super) fn key(&self, p: &Plan, key: Own) -> Judged {
        let t = p.takes;
        let texts = t & (takes::STR | takes::ANY | takes::CUSTOM);
        if self.text_keys && texts == 0 && t & (takes::INT | takes::FLOAT | takes::VALUES_INT) != 0 {
            if t & takes::VALUES_STR != 0
                && let Some(m) = self.member(p, &key)?
            {
                return self.checked(p, takes::VALUES_STR, m);
            }
            let text = key.as_ref().as_str().and_then(StrRef::ascii).unwrap_or_default();
            if t & (takes::INT | takes::VALUES_INT) != 0
                && let Some(made) = integer(text)?
            {
                return self.int(p, made);
            }
            if t & takes::FLOAT != 0 {
                let v = float(text);
                if v.is_finite() {
                    return self.checked(p, takes::FLOAT, py::float(v)?);
                }
                // The names of what is not finite.
                if let Some(made) = self.converted(p, &key, takes::FLOAT)? {
                    return Ok(made);
                }
            }
        }
        self.scalar(p, key)
    }

    /// What the hook makes of a value of a type that is not ours.
    #[inline(never)]
    pub(super) fn custom(&self, p: &Plan, o: Own) -> Judged {
        let Some((kind, class)) = &p.custom else { return Ok(o) };
        if p.checks.first().is_some_and(|c| c.op == MAKES) {
            if let Some(made) = self.given(p, &o)? {
                return Ok(made);
            }
            return self.checked(p, takes::CUSTOM, o);
        }
        if class.as_ref().is_none() {
            // What comes before the value is read as its type.
            let o = self.asked(p, 0, o, false, false)?;
            if let Some(inner) = p.tries.first() {
                let bit = plain(self.env, o.as_ref());
                if inner.exact & bit != 0 {
                    match self.checked(inner, bit, o.clone()) {
                        Ok(o) => return Ok(o),
                        // What was raised, as by an interrupt, is not asked for again.
                        Err(e) => drop(e.wrong()?),
                    }
                }
            }
            // The rest is read by a call of its own, which also says what is wrong.
            return self.reread(kind, &o);
        }
        let made = match &self.hooks.custom {
            Some(hook) => py::call(hook.as_ref(), &[kind.as_ref(), o.as_ref()]).map_err(refused)?,
            None => o,
        };
        if self.env.help(c"is_a", &[made.as_ref(), class.as_ref()])?.as_ref().truth()? {
            return self.checked(p, takes::CUSTOM, made);
        }
        // What a hook has made is no longer of a format.
        let made = match &self.hooks.custom {
            Some(_) => made.as_ref().class().tp_name().into(),
            None => name_of(made.as_ref(), self.env),
        };
        Err(unexpected(p, &made))
    }

    /// What a function makes of a value, which may read it by a type: it is told how.
    #[inline(never)]
    fn reread(&self, f: &Own, o: &Own) -> Judged {
        let h = self.hooks;
        let all = h.all || h.notes.is_some();
        let flags = [h.lax, h.attributes, self.text_keys, self.bytes, h.by_name, all];
        let told = flags.iter().rev().fold(h.unknown as i64, |told, on| told << 1 | i64::from(*on));
        let (told, hook) = (py::int(told)?, h.custom.clone().unwrap_or_else(py::none));
        py::call(f.as_ref(), &[o.as_ref(), told.as_ref(), hook.as_ref()]).map_err(refused)
    }

    /// A value of which more is asked than its type, or which something else is made of.
    #[inline(never)]
    pub(super) fn checked(&self, p: &Plan, of: u32, o: Own) -> Judged {
        let settled = Bounds::settle(&p.bounds, of, o.as_ref());
        if settled == Some(true) || p.checks.is_empty() {
            return Ok(o);
        }
        self.asked(p, of, o, false, settled.is_some())
    }

    /// The same; `made` says that it has been made, so that only what is asked after that is asked, and `settled` that
    /// bounds need not be asked before a function of a user.
    #[inline(never)]
    fn asked(&self, p: &Plan, of: u32, mut o: Own, mut made: bool, mut settled: bool) -> Judged {
        for c in &p.checks {
            if c.of & of == 0 && c.of != of || settled && c.op < PATTERN {
                continue;
            }
            settled &= c.op <= PATTERN;
            if made || c.op == MAKES {
                if !made && of & takes::NUMBERS == 0 {
                    o = if c.table.is_empty() {
                        py::call1(c.operand.as_ref(), o.as_ref()).map_err(refused)?
                    } else {
                        self.reread(&c.operand, &o)?
                    };
                }
                made &= c.op != MAKES;
                continue;
            }
            if c.op >= STEPS {
                let made = py::call1(c.operand.as_ref(), o.as_ref()).map_err(refused_step)?;
                if c.op == STEPS + 1 {
                    o = made;
                } else if !made.as_ref().is_none() && !made.as_ref().truth()? {
                    let words = text(c.words.as_ref());
                    return Err(if c.op == STEPS {
                        Wrong::of(words)
                    } else {
                        refused(py::raise(Builtin::Value.class(), &words))
                    });
                }
                continue;
            }
            let (v, operand) = (o.as_ref(), c.operand.as_ref());
            let good = match c.op {
                0 => py::compare(v, operand, Compare::GreaterEqual)?.as_ref().truth()?,
                2 => py::compare(v, operand, Compare::LessEqual)?.as_ref().truth()?,
                4 => !py::call_method1(v, c"__mod__", operand)?.as_ref().truth()?,
                5 | 6 => {
                    let n = py::call_method0(v, c"__len__")?;
                    let op = if c.op == 5 { Compare::GreaterEqual } else { Compare::LessEqual };
                    py::compare(n.as_ref(), operand, op)?.as_ref().truth()?
                }
                PATTERN => {
                    match v.as_str().and_then(StrRef::ascii).and_then(|text| pattern::finds(&c.table, text)) {
                        Some(found) => found,
                        None => !py::call1(operand, v)?.as_ref().is_none(),
                    }
                }
                8 | 9 => {
                    let naive = match self.env.moments.tzinfo(v) {
                        Some(zone) => zone.is_none(),
                        None => v.attr(&self.env.names.tzinfo)?.as_ref().is_none(),
                    };
                    naive == (c.op == 9)
                }
                ASK => return Err(Wrong::turn(Sort::Ask, Some(o))),
                _ => py::call1(operand, v).map_err(refused)?.as_ref().truth()?,
            };
            if !good {
                return Err(Wrong::of(text(c.words.as_ref())));
            }
        }
        Ok(o)
    }
}

#[cold]
fn no_member(o: &Own) -> Trouble {
    Wrong::of(py::words(say!("Invalid enum value {}"), &[Word::Show(o.as_ref())]))
}
