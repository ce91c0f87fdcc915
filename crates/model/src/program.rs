//! What a type says of values, as tables that are made once and then only read: a program.
//!
//! Annotations are read in Python (`oxwire._types`), which gives tuples; here they become what the engine
//! runs. Everything refers to everything else by index, so a type may contain itself.
//!
//! What may surprise: a plan knows nothing of formats, of `strict` or of hooks. One program serves all of
//! them, and any number of threads.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use wire::say;

use crate::choice::{self, Choice};
use crate::class::{Class, Classes, Fallback};
use py::{Builtin, Int, Maker, Own, Ref, Result, Seen, Visit};
use wire::KNOWN;

/// What a plan takes, as bits. They are those of `oxwire._types`.
pub mod takes {
    #![allow(missing_docs, reason = "the names are those of the types")]
    pub const ANY: u32 = 1;
    pub const NONE: u32 = 1 << 1;
    pub const BOOL: u32 = 1 << 2;
    pub const INT: u32 = 1 << 3;
    pub const FLOAT: u32 = 1 << 4;
    pub const STR: u32 = 1 << 5;
    pub const BYTES: u32 = 1 << 6;
    pub const BYTEARRAY: u32 = 1 << 7;
    pub const MEMORYVIEW: u32 = 1 << 8;
    pub const DATETIME: u32 = 1 << 9;
    pub const DATE: u32 = 1 << 10;
    pub const TIME: u32 = 1 << 11;
    pub const TIMEDELTA: u32 = 1 << 12;
    pub const UUID: u32 = 1 << 13;
    pub const DECIMAL: u32 = 1 << 14;
    pub const EXT: u32 = 1 << 15;
    pub const RAW: u32 = 1 << 16;
    pub const CUSTOM: u32 = 1 << 17;
    pub const VALUES_STR: u32 = 1 << 18;
    pub const VALUES_INT: u32 = 1 << 19;
    pub const ARRAY: u32 = 1 << 20;
    pub const MAP: u32 = 1 << 21;
    pub const TRUE: u32 = 1 << 22;
    pub const FALSE: u32 = 1 << 23;
    /// There is a list of tries.
    pub const TRIES: u32 = 1 << 25;
    /// What text can spell, but text.
    pub const SPELLED: u32 = DATETIME | DATE | TIME | TIMEDELTA | UUID | DECIMAL | VALUES_STR;
    /// Not of types: values of another type may not become one of these, or may, whatever the call says.
    pub const STRICT: u32 = 1 << 30;
    pub const LAX: u32 = 1 << 31;
    pub const NUMBERS: u32 = 1 << 24;
    /// What is taken whole where it is met.
    pub const WHOLE: u32 = RAW | NUMBERS;
}

/// A format's own spelling of a key with all that stands before the value; how long it is, or 0 for none.
pub type Spell = fn(&str, &mut [u8; KNOWN]) -> usize;

/// A key as a format spells it.
pub struct Known {
    /// The bytes, from the first on.
    pub text: [u8; KNOWN],
    /// How many they are; none if the key cannot be guessed.
    pub len: usize,
    /// The plan of the field.
    pub plan: usize,
}

/// From here on questions are functions of users: this one, which says whether a value is right, and the next, which
/// gives another.
pub const STEPS: u8 = 20;

/// What is asked of a value that is of the right type.
pub struct Check {
    /// Of which types it is asked, as bits of [`takes`].
    pub of: u32,
    /// Which question: see `oxwire._types`.
    pub op: u8,
    /// What the value is compared with, or what is called with it.
    pub operand: Own,
    /// What is said if the answer is no.
    pub words: Own,
}

/// What stands at one place of a document.
pub struct Plan {
    /// What it takes: bits of [`takes`].
    pub takes: u32,
    /// Those of them whose values need no second look.
    pub plain: u32,
    /// The plan of an array, if one may stand here.
    pub array: Option<usize>,
    /// The same for a map.
    pub map: Option<usize>,
    /// What is expected, as messages say it.
    pub name: Own,
    /// Members by their values.
    pub values: Option<Own>,
    /// What is asked for a member that is not among the values.
    pub missing: Option<Own>,
    /// What else is asked.
    pub checks: Box<[Check]>,
    /// The type that the hook is called with, and the class that it must give.
    pub custom: Option<(Own, Own)>,
    /// What is tried of values that are no containers before all else; each takes what it takes by itself.
    pub tries: Vec<Plan>,
    /// What is to be chosen from where several objects or several arrays may stand.
    pub choices: Vec<Choice>,
}

/// What an array becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Items {
    /// A list.
    List,
    /// A tuple.
    Tuple,
    /// A set.
    Set,
    /// A set that cannot change.
    FrozenSet,
    /// A tuple with a plan for each item.
    Fixed,
    /// A record whose fields stand in order.
    Record,
    /// One of several records, told by the first item.
    Tagged,
    /// What a function makes of numbers: see `engine::feed::numbers`.
    Numbers,
}

/// What an array holds and becomes.
pub struct Array {
    /// What it becomes.
    pub items: Items,
    /// The plan of the items, or those of all items.
    pub plans: Box<[usize]>,
    /// The record, or the dict of tags and records.
    pub record: Which,
    /// What makes it of numbers.
    pub finish: Option<Own>,
}

/// Which record is meant.
pub enum Which {
    /// None.
    None,
    /// This one.
    One(usize),
    /// The one that this dict has for the tag.
    Of(Own),
}

/// What a map holds and becomes.
pub struct Map {
    /// The plan of the keys.
    pub key: usize,
    /// The plan of the values.
    pub value: usize,
    /// The record, if it is one.
    pub record: Which,
    /// The key of the tag, if the tag says which record it is.
    pub tag_field: Option<Own>,
    /// That key as each format spells it.
    pub known: Box<[Known]>,
    /// What makes it of a dict.
    pub finish: Option<Own>,
}

/// How the instances of a record are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Makes {
    /// As instances of a class with fields.
    Struct,
    /// By `__new__` and by setting attributes.
    Object,
    /// As a dict.
    Dict,
    /// By calling the class.
    Call,
    /// Of several instances of classes with fields, one in the other, whose fields stand side by side.
    Parts,
}

/// An instance that is made of some of the values of a record.
pub struct Part {
    /// What makes it.
    pub maker: Maker<Class>,
    /// Which of the values are those of its fields.
    pub from: Box<[usize]>,
    /// Among which it stands itself, for a later one; there is no such place for the last.
    pub into: usize,
}

/// A field of a record.
pub struct RecordField {
    /// The key.
    pub key: Own,
    /// The attribute.
    pub name: Own,
    /// The plan of its values.
    pub plan: usize,
    /// What stands in for a missing value.
    pub default: Fallback,
    /// It may be missing altogether.
    pub optional: bool,
    /// No key is its.
    pub hidden: bool,
}

/// Named values that belong together.
pub struct Record {
    /// The class.
    pub class: Own,
    /// How instances are made.
    pub makes: Makes,
    /// What makes an instance of a class with fields.
    pub maker: Option<Maker<Class>>,
    /// The fields.
    pub fields: Box<[RecordField]>,
    /// How many may not be missing from the end of an array.
    pub required: usize,
    /// Where each key is among the fields; the tag stands behind the last.
    pub places: Own,
    /// The keys as each format spells them.
    pub known: Box<[Box<[Known]>]>,
    /// The key of the tag, and the tag.
    pub tag: Option<(Own, Own)>,
    /// Unknown keys are refused.
    pub forbid_unknown: bool,
    /// Methods that are called before and after the attributes are set, and what is called in between.
    pub before: Option<Own>,
    /// The same, after.
    pub after: Option<Own>,
    /// What is called with the instance before that.
    pub validate: Option<Own>,
    /// The instances that it becomes; those that others hold stand before these.
    pub parts: Box<[Part]>,
    /// The plan of the values of unknown keys, and the field that they become; nothing if they are not kept.
    pub extra: Option<(usize, usize)>,
}

/// A type.
pub struct Program {
    /// The plan of the whole.
    pub root: usize,
    /// Functions of users are called while values are made.
    pub calls: bool,
    /// The plans; the first is that of any value.
    pub plans: Box<[Plan]>,
    /// The arrays.
    pub arrays: Box<[Array]>,
    /// The maps.
    pub maps: Box<[Map]>,
    /// The records.
    pub records: Box<[Record]>,
    /// In which order their members are declared matters: how the type is shown, since Python does not tell
    /// such types apart.
    pub ordered: Option<Own>,
}

/// What is not as it should be here was made by ourselves.
#[cold]
pub(crate) fn odd() -> py::Raised {
    Builtin::System.raise(say!("oxwire: the program of a type is damaged"))
}

pub(crate) fn at(o: &Own, i: usize) -> Result<Own> {
    let tuple = o.as_ref().as_any_tuple().ok_or_else(odd)?.hold();
    tuple.get(i).map(Ref::own).ok_or_else(odd)
}

fn whole(o: &Own) -> Result<i64> {
    match o.as_ref().see_cold() {
        Seen::Int(v) => match v.get_cold() {
            Int::I64(v) => Ok(v),
            _ => Err(odd()),
        },
        Seen::Bool(v) => Ok(v.into()),
        _ => Err(odd()),
    }
}

pub(crate) fn number(o: &Own, i: usize) -> Result<i64> {
    whole(&at(o, i)?)
}

fn index(o: &Own, i: usize) -> Result<Option<usize>> {
    Ok(usize::try_from(number(o, i)?).ok())
}

pub(crate) fn maybe(o: &Own, i: usize) -> Result<Option<Own>> {
    let v = at(o, i)?;
    Ok((!v.as_ref().is_none()).then_some(v))
}

/// Shows each item of a sequence.
#[inline(never)]
pub(crate) fn each(o: &Own, take: &mut dyn FnMut(&Own) -> Result<()>) -> Result<()> {
    let list = py::list_of(o.as_ref())?;
    let list = list.as_ref().as_any_list().ok_or_else(odd)?.hold();
    let mut i = 0;
    while let Some(v) = list.get(i) {
        take(&v.as_ref().own())?;
        i += 1;
    }
    Ok(())
}

/// What each item of a sequence becomes.
fn all<T>(o: &Own, make: &mut dyn FnMut(&Own) -> Result<T>) -> Result<Vec<T>> {
    let mut made = Vec::new();
    each(o, &mut |o| {
        made.push(make(o)?);
        Ok(())
    })?;
    Ok(made)
}

fn check(c: &Own) -> Result<Check> {
    Ok(Check { of: number(c, 0)? as u32, op: number(c, 1)? as u8, operand: at(c, 2)?, words: at(c, 3)? })
}

fn plan(spells: &[Spell], o: &Own) -> Result<Plan> {
    let mut takes = number(o, 0)? as u32;
    let checks = match maybe(o, 6)? {
        None => Vec::new(),
        Some(c) => all(&c, &mut check)?,
    };
    let mut plain =
        takes & (takes::NONE | takes::BOOL | takes::INT | takes::FLOAT | takes::STR | takes::BYTES);
    // A member goes before any other value of its type.
    for (values, all) in [(takes::VALUES_STR, takes::STR), (takes::VALUES_INT, takes::INT)] {
        if takes & values != 0 {
            plain &= !all;
        }
    }
    for c in &checks {
        plain &= !c.of;
    }
    let (mut tries, mut choices) = (Vec::new(), Vec::new());
    if o.as_ref().as_any_tuple().is_some_and(|t| t.hold().len() > 8) {
        tries = all(&at(o, 8)?, &mut |t| plan(spells, t))?;
        choices = all(&at(o, 9)?, &mut |c| choice::new(spells, c))?;
    }
    if !tries.is_empty() {
        takes |= takes::TRIES;
        plain = tries.iter().fold(0, |plain, t| plain | t.plain);
        // What is a value of several members needs a look at all of them.
        if takes & (takes::SPELLED) != 0 {
            plain &= !takes::STR;
        }
        if takes & takes::VALUES_INT != 0 || takes & takes::INT != plain & takes::INT {
            plain &= !(takes::INT | takes::FLOAT);
        }
    }
    let custom = match maybe(o, 7)? {
        Some(c) => Some((at(&c, 0)?, at(&c, 1)?)),
        None => None,
    };
    Ok(Plan {
        takes,
        plain,
        array: index(o, 2)?,
        map: index(o, 3)?,
        name: at(o, 1)?,
        values: maybe(o, 4)?,
        missing: maybe(o, 5)?,
        checks: checks.into(),
        custom,
        tries,
        choices,
    })
}

fn which(o: &Own, i: usize) -> Result<Which> {
    Ok(match maybe(o, i)? {
        None => Which::None,
        Some(v) if v.as_ref().as_any_dict().is_some() => Which::Of(v),
        Some(_) => index(o, i)?.map_or(Which::None, Which::One),
    })
}

fn array(o: &Own) -> Result<Array> {
    let items = match number(o, 0)? {
        0 => Items::List,
        1 => Items::Tuple,
        2 => Items::Set,
        3 => Items::FrozenSet,
        4 => Items::Fixed,
        5 => Items::Record,
        6 => Items::Tagged,
        _ => Items::Numbers,
    };
    Ok(Array {
        items,
        plans: all(&at(o, 1)?, &mut |p| Ok(whole(p)? as usize))?.into(),
        record: which(o, 2)?,
        finish: maybe(o, 3)?,
    })
}

fn map(spells: &[Spell], o: &Own) -> Result<Map> {
    let tag_field = maybe(o, 4)?;
    Ok(Map {
        key: index(o, 1)?.unwrap_or(0),
        value: index(o, 2)?.unwrap_or(0),
        record: which(o, 3)?,
        known: tag_field.iter().flat_map(|key| spells.iter().map(|s| known(*s, key, 0))).collect(),
        tag_field,
        finish: maybe(o, 5)?,
    })
}

#[inline(never)]
pub(crate) fn known(spell: Spell, key: &Own, plan: usize) -> Known {
    let mut written = [0; KNOWN];
    let len = spell(&text(key), &mut written);
    Known { text: written, len, plan }
}

fn text(o: &Own) -> String {
    o.as_ref().as_any_str().map(|s| s.lossy()).unwrap_or_default()
}

fn record(classes: &Classes, spells: &[Spell], o: &Own) -> Result<Record> {
    let class = at(o, 0)?;
    let makes = match number(o, 1)? {
        0 => Makes::Struct,
        1 => Makes::Object,
        2 => Makes::Dict,
        4 => Makes::Parts,
        _ => Makes::Call,
    };
    let maker = match class.as_ref().as_type() {
        Some(c) if makes == Makes::Struct => Some(classes.maker(c).ok_or_else(odd)?),
        _ => None,
    };
    let places = py::new_dict()?;
    let put = |key: &Own, i: usize| py::dict_put(&places, key.as_ref(), py::int(i as i64)?.as_ref());
    let mut fields: Vec<RecordField> = Vec::new();
    each(&at(o, 3)?, &mut |f| {
        let i = fields.len();
        let state = number(f, 3)?;
        let (state, hidden) = (state & 3, state & 4 != 0);
        let default = match (&maker, state) {
            (Some(m), _) => m.shape().fields.get(i).ok_or_else(odd)?.default.clone(),
            (None, 1) => Fallback::Value(at(f, 4)?),
            (None, 2) => Fallback::of_factory(at(f, 4)?),
            _ => Fallback::None,
        };
        let (key, name, plan) = (at(f, 0)?, at(f, 1)?, index(f, 2)?.ok_or_else(odd)?);
        if !hidden {
            put(&key, i)?;
        }
        fields.push(RecordField { key, name, plan, default, optional: state == 3, hidden });
        Ok(())
    })?;
    let tag = match maybe(o, 4)? {
        Some(t) => {
            let key = at(&t, 0)?;
            put(&key, fields.len())?;
            Some((key, at(&t, 1)?))
        }
        None => None,
    };
    let (mut parts, mut extra) = (Vec::new(), None);
    // Most rows have no such item.
    let more = o.as_ref().as_any_tuple().and_then(|row| row.hold().get(7).map(Ref::own));
    if let Some(more) = more {
        py::call_method1(places.as_ref(), c"update", at(&more, 0)?.as_ref())?;
        parts = all(&at(&more, 1)?, &mut |p| part(classes, p))?;
        if let Some(kept) = maybe(&more, 2)? {
            extra = Some((number(&kept, 0)? as usize, number(&kept, 1)? as usize));
        }
    }
    let spelled = |spell: &Spell, f: &RecordField| {
        let mut known = known(*spell, &f.key, f.plan);
        if f.hidden {
            known.len = 0;
        }
        known
    };
    let of_all = |spell: &Spell| fields.iter().map(|f| spelled(spell, f)).collect();
    let known = spells.iter().map(of_all).collect();
    let (before, after, validate) = match maybe(o, 6)? {
        Some(p) => (maybe(&p, 0)?, maybe(&p, 1)?, maybe(&p, 2)?),
        None => (None, None, None),
    };
    let required = fields.iter().rposition(|f| matches!(f.default, Fallback::None)).map_or(0, |i| i + 1);
    Ok(Record {
        class,
        makes,
        maker,
        fields: fields.into(),
        required,
        places,
        known,
        tag,
        forbid_unknown: number(o, 5)? != 0,
        before,
        after,
        validate,
        parts: parts.into(),
        extra,
    })
}

fn part(classes: &Classes, o: &Own) -> Result<Part> {
    let class = at(o, 0)?;
    let maker = class.as_ref().as_type().and_then(|c| classes.maker(c)).ok_or_else(odd)?;
    let from = all(&at(o, 1)?, &mut |i| Ok(whole(i)? as usize))?.into();
    Ok(Part { maker, from, into: index(o, 2)?.unwrap_or(usize::MAX) })
}

impl Plan {
    /// What is to be chosen from if a map, or an array, stands here.
    pub fn choice(&self, map: bool) -> Option<&Choice> {
        self.choices.iter().find(|c| c.map == map)
    }
}

impl Program {
    /// The program of a type, out of what `oxwire._types.program` gives. `spells` are the formats'
    /// spellings of keys, each in its own place.
    pub fn new(classes: &Classes, spells: &[Spell], o: &Own) -> Result<Program> {
        let ordered = o.as_ref().as_any_tuple().and_then(|t| t.hold().get(5).map(Ref::own));
        let mut p = Program {
            ordered: match ordered {
                Some(o) if o.as_ref().truth()? => Some(o),
                _ => None,
            },
            calls: false,
            root: index(o, 0)?.ok_or_else(odd)?,
            plans: all(&at(o, 1)?, &mut |o| plan(spells, o))?.into(),
            arrays: all(&at(o, 2)?, &mut array)?.into(),
            maps: all(&at(o, 3)?, &mut |o| map(spells, o))?.into(),
            records: all(&at(o, 4)?, &mut |o| record(classes, spells, o))?.into(),
        };
        let post = |r: &Record| r.maker.as_ref().is_some_and(|m| m.shape().has_post_init());
        let own =
            |r: &Record| r.makes != Makes::Struct || post(r) || r.fields.iter().any(|f| f.default.calls());
        let asks = |p: &Plan| p.checks.iter().any(|c| c.op >= STEPS) || p.custom.is_some();
        p.calls = p.records.iter().any(own) || p.plans.iter().any(asks);
        Ok(p)
    }

    /// The plan at an index; of one that does not exist, that of any value.
    #[inline(always)]
    pub fn plan(&self, i: usize) -> &Plan {
        self.plans.get(i).unwrap_or(&self.plans[0])
    }

    /// Shows what could be part of a cycle to the collector: classes, and whatever belongs to users.
    pub fn traverse(&self, visit: &mut Visit<'_>) {
        for p in self.plans.iter().flat_map(|p| p.tries.iter().chain([p])) {
            let (a, b) = p.custom.as_ref().map(|(a, b)| (a, b)).unzip();
            [&p.values, &p.missing].into_iter().flatten().chain(a).chain(b).for_each(|o| visit.object(o));
            p.checks.iter().flat_map(|c| [&c.operand, &c.words]).for_each(|o| visit.object(o));
            p.choices.iter().filter_map(|c| c.ask.as_ref()).for_each(|o| visit.object(o));
        }
        let finish = self.arrays.iter().map(|a| &a.finish).chain(self.maps.iter().map(|m| &m.finish));
        finish.flatten().for_each(|o| visit.object(o));
        for r in &self.records {
            visit.object(&r.class);
            r.maker.iter().chain(r.parts.iter().map(|p| &p.maker)).for_each(|m| visit.object(m.class()));
            r.validate.iter().for_each(|o| visit.object(o));
            r.fields.iter().filter_map(|f| f.default.object()).for_each(|o| visit.object(o));
        }
    }
}
