//! What a type says of values, as tables that are made once and then only read: a program.
//!
//! Annotations are read in Python (`oxwire._types`), which gives tuples; here they become what the engine
//! runs. Everything refers to everything else by index, so a type may contain itself.
//!
//! What may surprise: a plan knows nothing of formats, of `strict` or of hooks. One program serves all of
//! them, and any number of threads.

use alloc::vec::Vec;
use core::cell::Cell;
use wire::say;

use crate::check::{Bounds, Check, STEPS};
use crate::choice::{self, Choice};
use crate::class::{Class, Classes, Fallback};
use crate::members::Members;
use crate::takes;
use py::{Builtin, Int, Maker, Own, Ref, Result, Seen, Visit};
use wire::KNOWN;

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

/// What stands at one place of a document.
pub struct Plan {
    /// What it takes: bits of [`takes`].
    pub takes: u32,
    /// Those of them whose values need no second look.
    pub plain: u32,
    /// These, and those of which the type settles what they are, though more may be asked of them.
    pub exact: u32,
    /// The plan of an array, if one may stand here.
    pub array: Option<usize>,
    /// The same for a map.
    pub map: Option<usize>,
    /// What is expected, as messages say it.
    pub name: Own,
    /// Members by their values.
    pub values: Option<Own>,
    /// Those of them that are found at once, where that settles it.
    pub members: Members,
    /// What is asked for a member that is not among the values.
    pub missing: Option<Own>,
    /// What else is asked.
    pub checks: Vec<Check>,
    /// Of that, the bounds that one look settles, of each type.
    pub bounds: Vec<Bounds>,
    /// The type that the hook is called with, and the class that it must give.
    pub custom: Option<(Own, Own)>,
    /// What is tried of values that are no containers before all else; each takes what it takes by itself. Where functions
    /// of users come first, the plan of what these give.
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
    pub plans: Vec<usize>,
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
    pub known: Vec<Known>,
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
    /// By calling the class; or, if it stands in a tuple, as an instance of `tuple` is made.
    Call,
    /// Of several instances of classes with fields, one in the other, whose fields stand side by side.
    Parts,
}

/// An instance that is made of some of the values of a record.
pub struct Part {
    /// What makes it.
    pub maker: Maker<Class>,
    /// Which of the values are those of its fields.
    pub from: Vec<usize>,
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
    pub fields: Vec<RecordField>,
    /// How many may not be missing from the end of an array.
    pub required: usize,
    /// Where each key is among the fields; the tag stands behind the last.
    pub places: Own,
    /// The keys as each format spells them.
    pub known: Vec<Vec<Known>>,
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
    pub parts: Vec<Part>,
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
    pub plans: Vec<Plan>,
    /// The arrays.
    pub arrays: Vec<Array>,
    /// The maps.
    pub maps: Vec<Map>,
    /// The records.
    pub records: Vec<Record>,
    /// In which order their members are declared matters: how the type is shown, since Python does not tell
    /// such types apart.
    pub ordered: Option<Own>,
}

/// The table that a program is made of, while it is read.
pub(crate) struct Table<'a> {
    classes: &'a Classes,
    /// The formats' spellings of keys, each in its own place.
    spells: &'a [Spell],
    /// Something was not as it should be. That is looked at once, in the end: what reads has one way on from
    /// each item then, and not two.
    odd: Cell<bool>,
}

impl Table<'_> {
    /// What each item of a sequence becomes.
    #[inline(never)]
    fn all<T>(&self, o: &Own, make: fn(&Self, &Own) -> Result<T>) -> Result<Vec<T>> {
        let mut made = Vec::new();
        for row in &mut rows(o)? {
            made.push(make(self, &row)?);
        }
        Ok(made)
    }

    /// An item of a row; none if it has no such item.
    #[inline(never)]
    pub(crate) fn at(&self, row: &Own, i: usize) -> Own {
        item(row, i).unwrap_or_else(|| {
            self.odd.set(true);
            py::none()
        })
    }

    /// A number.
    #[inline(never)]
    pub(crate) fn whole(&self, o: &Own) -> i64 {
        match o.as_ref().see_cold() {
            Seen::Int(v) if let Int::I64(v) = v.get_cold() => v,
            Seen::Bool(v) => v.into(),
            _ => {
                self.odd.set(true);
                0
            }
        }
    }

    #[inline(never)]
    pub(crate) fn number(&self, row: &Own, i: usize) -> i64 {
        self.whole(&self.at(row, i))
    }

    /// An index, if it is one.
    fn index(&self, row: &Own, i: usize) -> Option<usize> {
        usize::try_from(self.number(row, i)).ok()
    }

    #[inline(never)]
    pub(crate) fn maybe(&self, row: &Own, i: usize) -> Option<Own> {
        let v = self.at(row, i);
        (!v.as_ref().is_none()).then_some(v)
    }

    /// Spells a key in each format.
    #[inline(never)]
    pub(crate) fn spell(&self, known: &mut [Vec<Known>], key: &Own, plan: usize, hidden: bool) {
        let key = key.as_ref().as_any_str().map(|s| s.lossy()).unwrap_or_default();
        for (spell, known) in self.spells.iter().zip(known) {
            let mut text = [0; KNOWN];
            let len = if hidden { 0 } else { spell(&key, &mut text) };
            known.push(Known { text, len, plan });
        }
    }

    /// Room for the keys of each format.
    pub(crate) fn unknown(&self) -> Vec<Vec<Known>> {
        self.spells.iter().map(|_| Vec::new()).collect()
    }

    fn check(&self, c: &Own) -> Result<Check> {
        let (of, op) = (self.number(c, 0) as u32, self.number(c, 1) as u8);
        // Most rows have no such item.
        let table = item(c, 4).map_or(Ok(Vec::new()), |table| table.as_ref().copy_bytes())?;
        Ok(Check { of, op, operand: self.at(c, 2), words: self.at(c, 3), table })
    }

    #[inline(never)]
    fn plan(&self, o: &Own) -> Result<Plan> {
        let mut p = Plan {
            takes: self.number(o, 0) as u32,
            plain: 0,
            exact: 0,
            array: self.index(o, 2),
            map: self.index(o, 3),
            name: self.at(o, 1),
            values: self.maybe(o, 4),
            members: Members::default(),
            missing: self.maybe(o, 5),
            checks: Vec::new(),
            bounds: Vec::new(),
            custom: self.maybe(o, 7).map(|c| (self.at(&c, 0), self.at(&c, 1))),
            tries: Vec::new(),
            choices: Vec::new(),
        };
        if let Some(checks) = self.maybe(o, 6) {
            p.checks = self.all(&checks, Table::check)?;
            // Where several are for one type, the first is looked for, which is as the others.
            p.bounds = p.checks.iter().map(|c| Bounds::new(&p.checks, c.of)).collect();
        }
        let takes = p.takes;
        if let Some(values) = &p.values
            && takes & takes::BESIDE_MEMBERS == takes
            && p.checks.is_empty()
        {
            p.members = Members::new(values)?;
        }
        p.plain = p.checks.iter().fold(takes::certain(takes), |plain, c| plain & !c.of);
        let odd = takes & (takes::ANY | takes::CUSTOM | takes::WHOLE);
        p.exact = if odd != 0 { p.plain } else { takes::certain(takes) };
        if odd == takes::ANY && p.checks.is_empty() {
            // Its numbers may be the user's to make.
            p.exact = takes::NONE | takes::BOOL | takes::STR;
            p.plain = p.exact | takes::INT | takes::FLOAT;
        }
        // Most rows have no such items.
        let Some(tries) = item(o, 8) else { return Ok(p) };
        p.tries = self.all(&tries, Table::plan)?;
        p.choices = self.all(&self.at(o, 9), choice::new)?;
        if !p.tries.is_empty() && takes & takes::CUSTOM == 0 {
            p.takes |= takes::TRIES;
            p.members = Members::default();
            p.plain = p.tries.iter().fold(0, |plain, t| plain | t.plain) & takes::certain(takes);
            // What is a value of several members needs a look at all of them.
            if takes & (takes::SPELLED) != 0 {
                p.plain &= !takes::STR;
            }
            if takes & takes::INT != p.plain & takes::INT {
                p.plain &= !(takes::INT | takes::FLOAT);
            }
            p.exact = p.plain;
        }
        Ok(p)
    }

    fn which(&self, o: &Own, i: usize) -> Which {
        match self.maybe(o, i) {
            None => Which::None,
            Some(v) if v.as_ref().as_any_dict().is_some() => Which::Of(v),
            Some(v) => usize::try_from(self.whole(&v)).map_or(Which::None, Which::One),
        }
    }

    fn array(&self, o: &Own) -> Result<Array> {
        let items = match self.number(o, 0) {
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
            plans: self.numbers(&self.at(o, 1))?,
            record: self.which(o, 2),
            finish: self.maybe(o, 3),
        })
    }

    #[inline(never)]
    fn numbers(&self, o: &Own) -> Result<Vec<usize>> {
        self.all(o, |t, v| Ok(t.whole(v) as usize))
    }

    fn map(&self, o: &Own) -> Result<Map> {
        let (tag_field, mut known, mut first) = (self.maybe(o, 4), self.unknown(), Vec::new());
        if let Some(key) = &tag_field {
            self.spell(&mut known, key, 0, false);
        }
        for of_format in &mut known {
            first.extend(of_format.pop());
        }
        Ok(Map {
            key: self.index(o, 1).unwrap_or(0),
            value: self.index(o, 2).unwrap_or(0),
            record: self.which(o, 3),
            known: first,
            tag_field,
            finish: self.maybe(o, 5),
        })
    }

    #[inline(never)]
    fn record(&self, o: &Own) -> Result<Record> {
        let class = self.at(o, 0);
        let makes = match self.number(o, 1) {
            0 => Makes::Struct,
            1 => Makes::Object,
            2 => Makes::Dict,
            4 => Makes::Parts,
            _ => Makes::Call,
        };
        let mut r = Record {
            maker: match class.as_ref().as_type() {
                Some(_) if makes == Makes::Struct => Some(self.maker(&class)?),
                _ => None,
            },
            class,
            makes,
            fields: Vec::new(),
            required: 0,
            places: py::new_dict()?,
            known: self.unknown(),
            tag: self.maybe(o, 4).map(|t| (self.at(&t, 0), self.at(&t, 1))),
            forbid_unknown: self.number(o, 5) != 0,
            before: None,
            after: None,
            validate: None,
            parts: Vec::new(),
            extra: None,
        };
        let mut i = 0;
        let put = |key: &Own, i: usize| py::dict_put(&r.places, key.as_ref(), py::int(i as i64)?.as_ref());
        for f in &mut rows(&self.at(o, 3))? {
            let f = &f;
            let state = self.number(f, 3);
            let (state, hidden) = (state & 3, state & 4 != 0);
            let default = match (&r.maker, state) {
                (Some(m), _) => m.shape().fields.get(i).ok_or_else(odd)?.default.clone(),
                (None, 1) => Fallback::Value(self.at(f, 4)),
                (None, 2) => Fallback::of_factory(self.at(f, 4)),
                _ => Fallback::None,
            };
            let (key, name, plan) = (self.at(f, 0), self.at(f, 1), self.number(f, 2) as usize);
            if !hidden {
                put(&key, i)?;
            }
            self.spell(&mut r.known, &key, plan, hidden);
            i += 1;
            if let Fallback::None = default {
                r.required = i;
            }
            r.fields.push(RecordField { key, name, plan, default, optional: state == 3, hidden });
        }
        if let Some((key, _)) = &r.tag {
            put(key, i)?;
        }
        // Most rows have no such item.
        if let Some(more) = item(o, 7) {
            py::call_method1(r.places.as_ref(), c"update", self.at(&more, 0).as_ref())?;
            r.parts = self.all(&self.at(&more, 1), Table::part)?;
            let kept = self.maybe(&more, 2);
            r.extra = kept.map(|kept| (self.number(&kept, 0) as usize, self.number(&kept, 1) as usize));
        }
        if let Some(p) = self.maybe(o, 6) {
            (r.before, r.after, r.validate) = (self.maybe(&p, 0), self.maybe(&p, 1), self.maybe(&p, 2));
        }
        Ok(r)
    }

    #[inline(never)]
    fn maker(&self, class: &Own) -> Result<Maker<Class>> {
        class.as_ref().as_type().and_then(|c| self.classes.maker(c)).ok_or_else(odd)
    }

    fn part(&self, o: &Own) -> Result<Part> {
        let from = self.numbers(&self.at(o, 1))?;
        Ok(Part { maker: self.maker(&self.at(o, 0))?, from, into: self.index(o, 2).unwrap_or(usize::MAX) })
    }
}

/// What is not as it should be here was made by ourselves.
#[cold]
fn odd() -> py::Raised {
    Builtin::Runtime.raise(say!("oxwire: the program of a type is damaged"))
}

/// An item of a row, if the row has it.
#[inline(never)]
fn item(row: &Own, i: usize) -> Option<Own> {
    row.as_ref().as_any_tuple()?.hold().get(i).map(Ref::own)
}

/// The items of a sequence, one after the other.
pub(crate) struct Rows {
    list: Own,
    next: usize,
}

#[inline(never)]
pub(crate) fn rows(o: &Own) -> Result<Rows> {
    Ok(Rows { list: py::list_of(o.as_ref())?, next: 0 })
}

impl Iterator for Rows {
    type Item = Own;

    #[inline(never)]
    fn next(&mut self) -> Option<Own> {
        let row = self.list.as_ref().as_any_list()?.hold().get(self.next)?.as_ref().own();
        self.next += 1;
        Some(row)
    }
}

impl Plan {
    fn traverse(&self, visit: &mut Visit<'_>) {
        visit.maybe(self.values.as_ref());
        self.members.traverse(visit);
        visit.maybe(self.missing.as_ref());
        if let Some((kind, class)) = &self.custom {
            visit.object(kind);
            visit.object(class);
        }
        for c in &self.checks {
            visit.object(&c.operand);
            visit.object(&c.words);
        }
        self.choices.iter().for_each(|c| visit.maybe(c.ask.as_ref()));
    }

    /// What is to be chosen from if a map, or an array, stands here.
    pub fn choice(&self, map: bool) -> Option<&Choice> {
        self.choices.iter().find(|c| c.map == map)
    }
}

impl Program {
    /// The program of a type, out of what `oxwire._types.program` gives. `spells` are the formats'
    /// spellings of keys, each in its own place.
    #[inline(never)]
    pub fn new(classes: &Classes, spells: &[Spell], o: &Own) -> Result<Program> {
        let t = Table { classes, spells, odd: Cell::new(false) };
        let mut p = Program {
            ordered: item(o, 5),
            calls: false,
            root: t.number(o, 0) as usize,
            plans: t.all(&t.at(o, 1), Table::plan)?,
            arrays: t.all(&t.at(o, 2), Table::array)?,
            maps: t.all(&t.at(o, 3), Table::map)?,
            records: t.all(&t.at(o, 4), Table::record)?,
        };
        if t.odd.get() || p.plans.is_empty() || p.arrays.is_empty() {
            return Err(odd());
        }
        let post = |r: &Record| r.maker.as_ref().is_some_and(|m| m.shape().has_post_init());
        let own = |r: &Record| {
            !matches!(r.makes, Makes::Struct | Makes::Dict)
                || post(r)
                || r.fields.iter().any(|f| f.default.calls())
        };
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
        for p in &self.plans {
            p.traverse(visit);
            p.tries.iter().for_each(|p| p.traverse(visit));
        }
        self.arrays.iter().for_each(|a| visit.maybe(a.finish.as_ref()));
        self.maps.iter().for_each(|m| visit.maybe(m.finish.as_ref()));
        for r in &self.records {
            visit.object(&r.class);
            visit.maybe(r.maker.as_ref().map(Maker::class));
            r.parts.iter().for_each(|p| visit.object(p.maker.class()));
            visit.maybe(r.validate.as_ref());
            r.fields.iter().for_each(|f| visit.maybe(f.default.object()));
        }
    }
}
