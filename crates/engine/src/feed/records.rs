//! Records and arrays of every sort: keys that were not expected where they stand, tags, what is
//! missing, and what is made when all is there.
//!
//! What may surprise: which of several records a map is says its tag, wherever that stands among the
//! keys. If it stands first, as it does in what we write, nothing is read twice.

use alloc::string::String;
use alloc::vec::Vec;
use wire::say;

use super::judge::{MAKES, name_of, refused, text};
use super::levels::{Frame, NOWHERE, Shape};
use super::parts::{assemble, keep, unknown};
use super::typed::Typed;
use super::{Feed, Given, Hooks, Trouble};
use crate::env::Env;
use crate::feed::judge::{Sort, Wrong};
use model::{Array, Items, Makes, Map, Member, Plan, Record, Which, takes};
use py::{Flags, Int, Own, Ref, Seen, Word, Young};
use wire::{Code, Kind};

/// What stands in an array that is wrongly long.
#[cold]
pub(super) fn length(least: usize, most: Option<usize>, got: usize) -> Trouble {
    let (frame, least, most) = match most {
        Some(most) if most == least => (say!("Expected `array` of length {}, got {}"), most, got),
        Some(most) if got > most && least == 0 => {
            (say!("Expected `array` of at most length {}, got {}"), most, got)
        }
        Some(most) => (say!("Expected `array` of length {} to {}, got {}"), least, most),
        None => (say!("Expected `array` of at least length {}, got {}"), least, got),
    };
    Wrong::of(py::words(frame, &[least.into(), most.into(), got.into()]))
}

#[cold]
pub(super) fn missing(key: &Own) -> Trouble {
    Wrong::of(py::words(say!("Object missing required field `{}`"), &[Word::Name(key.as_ref())]))
}

/// An array of the items of `stack` from `base`, which it takes; `got` is how many there were.
#[inline(never)]
pub(super) fn end_array(stack: &mut Vec<Own>, a: &Array, base: usize, got: usize) -> Given<Own> {
    match a.items {
        Items::Fixed if got != a.plans.len() => {
            let n = a.plans.len();
            Err(length(n, Some(n), got))
        }
        Items::Tuple | Items::Fixed => Ok(py::tuple(stack, base)?),
        Items::Set | Items::FrozenSet => {
            let set = if a.items == Items::Set { py::new_set()? } else { py::new_frozenset()? };
            for item in stack.drain(base..) {
                py::add_member(&set, item.as_ref()).map_err(refused)?;
            }
            Ok(set)
        }
        _ => {
            let list = py::list_cold(stack, base)?;
            match &a.finish {
                Some(f) => py::call1(f.as_ref(), list.as_ref()).map_err(refused),
                None => Ok(list),
            }
        }
    }
}

#[inline(never)]
fn plain_text(env: &Env, key: Own) -> Given<Own> {
    if key.as_ref().class().flags() == Flags::Str {
        return Ok(env.help(c"exact", &[key.as_ref()])?);
    }
    Ok(key)
}

pub(super) fn is_set(o: Ref<'_>) -> bool {
    matches!(o.class().flags(), Flags::Set)
}

/// Which record a tag means.
pub(super) fn of_tag(tags: &Own, tag: &Own) -> Result<Option<usize>, Trouble> {
    // True is 1 as a key, and no tag.
    if !matches!(tag.as_ref().see(), Seen::Str(_) | Seen::Int(_)) {
        return Ok(None);
    }
    let found = py::dict_find(tags.as_ref(), tag.as_ref())?;
    Ok(found.as_ref().and_then(|i| place(i.as_ref())))
}

pub(super) fn place(o: Ref<'_>) -> Option<usize> {
    match o.as_int()?.get() {
        Int::I64(v) => usize::try_from(v).ok(),
        _ => None,
    }
}

impl<'r, F: Feed> Typed<'r, F> {
    pub(super) fn record(&self, i: usize) -> Given<&'r Record> {
        match self.program.records.get(i) {
            Some(r) => Ok(r),
            None => self.build.feed.refuse(Code::Forbidden),
        }
    }

    /// A key that is not the one that was expected: which field it is. Of an unknown one the value is
    /// passed over, and that of a tag looked at.
    #[inline(never)]
    pub(super) fn field(&mut self, r: &'r Record, cur: &mut Frame<'r>) -> Given<Option<usize>> {
        cur.strays = true;
        // A few fields that are not there are no reason to read the key.
        if let Some(known) = r.known.get(self.place()) {
            for i in cur.next.saturating_add(1)..cur.next.saturating_add(4).min(known.len()) {
                if let Some(k) = known.get(i)
                    && k.len != 0
                    && self.build.feed.again(&k.text, k.len)
                {
                    return Ok(Some(i));
                }
            }
        }
        let key = self.field_key()?;
        let found = match key.as_ref().see() {
            Seen::Str(_) => py::dict_find(r.places.as_ref(), key.as_ref())?,
            _ => None,
        };
        match found.as_ref().and_then(|i| place(i.as_ref())) {
            Some(i) if i < r.fields.len() => {
                let empty = self.build.env.programs.own().as_ref();
                let there = match &*cur.fresh {
                    Some(fresh) => fresh.has(i),
                    None => self.build.room.stack.get(cur.base + i).is_some_and(|o| !o.as_ref().is(empty)),
                };
                if there && self.build.hooks.unique_keys {
                    return self.build.feed.refuse(Code::DuplicateKey);
                }
                Ok(Some(i))
            }
            Some(i) if i == r.fields.len() => {
                cur.at = i;
                self.tag(r)?;
                Ok(None)
            }
            None if self.is_stray(&key, cur.plan)? => Err(Wrong::turn(Sort::Doubt, None)),
            beyond => {
                let (stack, unset) = (&mut *self.build.room.stack, self.build.env.programs.own());
                let kept = if beyond.is_none() {
                    unknown(stack, cur.base, r, key, unset, self.build.hooks)?
                } else {
                    None
                };
                if kept.is_none() {
                    self.pass()?;
                }
                Ok(kept)
            }
        }
    }

    /// Whether a key shows that a record may be another member of a union.
    #[inline(always)]
    fn is_stray(&self, key: &Own, plan: &Plan) -> Given<bool> {
        match &self.trying {
            Some(t) => super::choose::is_stray(t, self.program, self.build.level, plan, key),
            None => Ok(false),
        }
    }

    /// A key of any sort, and on to its value.
    #[inline(never)]
    pub(super) fn any_key(&mut self) -> Given<Own> {
        let (kind, h) = self.build.feed.key_head()?;
        let key = match kind {
            Kind::Str => self.shared(h)?,
            _ => self.build.odd_key(kind, h)?,
        };
        self.build.feed.value()?;
        Ok(key)
    }

    /// Reads a tag that can only be one.
    fn tag(&mut self, r: &Record) -> Given<()> {
        let Some((_, want)) = &r.tag else { return self.pass() };
        let got = self.any_tag()?;
        let same = matches!(got.as_ref().see(), Seen::Str(_) | Seen::Int(_))
            && py::equal(want.as_ref(), got.as_ref())?;
        if same { Ok(()) } else { Err(Wrong::of(tag_words(self.build.env, want.as_ref(), &got))) }
    }

    /// What stands where a tag should.
    pub(super) fn any_tag(&mut self) -> Given<Own> {
        let (kind, h) = self.head_cold()?;
        if matches!(kind, Kind::Map | Kind::Array) {
            self.build.feed.skip()?;
            return Ok(if kind == Kind::Map { py::new_dict()? } else { py::new_list()? });
        }
        // The same few come again and again, as keys do.
        if kind == Kind::Str { self.shared(h) } else { self.build.scalar_cold(kind, h) }
    }

    /// A key of a record, and on to its value. That of live objects may be text of a class of its own, which need not be
    /// found where its text is.
    #[inline(always)]
    pub(super) fn field_key(&mut self) -> Given<Own> {
        let key = self.any_key()?;
        if F::CAPS.forms { plain_text(self.build.env, key) } else { Ok(key) }
    }

    /// Text of which there are few sorts.
    #[inline(never)]
    pub(super) fn shared(&mut self, h: F::Head) -> Given<Own> {
        self.build.feed.key(h)
    }

    /// Which record a map is.
    #[inline(never)]
    pub(super) fn tagged_map(&mut self, m: &Map, tags: &Own, seq: &mut F::Seq) -> Given<&'r Record> {
        let Some(tag_field) = &m.tag_field else { return self.record(0) };
        let mark = self.build.feed.mark();
        let mut look = *seq;
        let mut first = true;
        while self.more(true, &mut look)? {
            let is = match m.known.get(self.place()) {
                Some(k) if first && k.len != 0 && self.build.feed.again(&k.text, k.len) => true,
                _ => {
                    let key = self.field_key()?;
                    key.as_ref().as_str().is_some() && py::equal(key.as_ref(), tag_field.as_ref())?
                }
            };
            if !is {
                if first {
                    self.build.feed.look();
                }
                self.pass()?;
                first = false;
                continue;
            }
            let tag = self.any_tag()?;
            let Some(i) = of_tag(tags, &tag)? else {
                let mut path = crate::fault::Path::below();
                path.field(&text(tag_field.as_ref()));
                return Err(no_record(self.build.env, tags, &tag, &path.done()));
            };
            if first {
                *seq = look;
            } else {
                self.build.feed.rewind(mark);
            }
            return self.record(i);
        }
        Err(missing(tag_field))
    }

    /// Which record an array is.
    #[inline(never)]
    pub(super) fn tagged_row(&mut self, tags: &Own, seq: &mut F::Seq) -> Given<&'r Record> {
        if !self.more(false, seq)? {
            return Err(length(1, None, 0));
        }
        let tag = self.any_tag()?;
        match of_tag(tags, &tag)? {
            Some(i) => self.record(i),
            None => Err(no_record(self.build.env, tags, &tag, "[0]")),
        }
    }

    /// The next item of a record that is an array: its plan, unless there is nothing to be read.
    #[inline(always)]
    pub(super) fn row_item(&mut self, r: &'r Record, cur: &mut Frame<'r>) -> Given<Option<&'r Plan>> {
        let i = cur.next;
        cur.next = i + 1;
        let before = usize::from(r.tag.is_some());
        if i < before {
            cur.at = r.fields.len();
            self.tag_item(r)?;
            return Ok(None);
        }
        match r.fields.get(i - before) {
            Some(f) => {
                cur.at = i - before;
                Ok(Some(self.program.plan(f.plan)))
            }
            None => {
                cur.at = NOWHERE;
                self.pass()?;
                Ok(None)
            }
        }
    }

    #[inline(never)]
    fn tag_item(&mut self, r: &Record) -> Given<()> {
        self.tag(r)
    }

    /// An object that is what is wanted already, or else the kind that it can be read as.
    #[inline(never)]
    pub(super) fn object(&mut self, plan: &'r Plan, kind: Kind) -> Given<Result<Own, Kind>> {
        if kind != Kind::Form && plan.takes & takes::ANY == 0 {
            return Ok(Err(kind));
        }
        let Some(o) = self.build.feed.object().cloned() else {
            return self.build.feed.refuse(Code::Forbidden);
        };
        let class = o.as_ref().class();
        // A generic class has a record for each of its types.
        let wanted = |r: &Record| r.class.as_ref().is(class.as_ref()) && self.is_wanted(plan, r);
        if plan.takes & takes::ANY != 0 || self.program.records.iter().any(wanted) {
            return self.judge.checked(plan, takes::ANY | takes::ARRAY | takes::MAP, o).map(Ok);
        }
        if plan.takes & takes::CUSTOM != 0 {
            return self.judge.scalar(plan, o).map(Ok);
        }
        if plan.takes & takes::RAW != 0 && self.build.hooks.notes.is_some() {
            // What would be kept as it is written: nothing can be wrong with it, and nothing is made of it.
            return Err(Wrong::turn(Sort::Noted, None));
        }
        let made = if plan.takes & takes::TRIES != 0 {
            self.judge.tried(plan, &o)?.ok()
        } else {
            self.judge.given(plan, &o)?
        };
        if let Some(made) = made {
            return Ok(Ok(made));
        }
        if plan.checks.iter().any(|c| c.op == MAKES && c.of & takes::ARRAY != 0) {
            let items = self.build.env.help(c"items", &[o.as_ref()])?;
            if !items.as_ref().is_none() {
                self.build.feed.put(items);
                return Ok(Err(Kind::Array));
            }
        }
        let map = plan.map.and_then(|i| self.program.maps.get(i));
        if map.is_some() || plan.choice(true).is_some() {
            let (mut as_map, has_items) = (py::none(), class.has_items());
            if has_items {
                as_map = self.build.env.help(c"mapping", &[o.as_ref()])?;
            }
            if as_map.as_ref().is_none()
                && (self.build.hooks.attributes
                    || has_items && self.build.env.help(c"has_items", &[o.as_ref()])?.as_ref().truth()?)
            {
                as_map = match (map, plan.choice(true)) {
                    (None, Some(c)) => self.all_attributes(c, o.as_ref())?,
                    (Some(map), _) => self.attributes(map, o.as_ref())?,
                    _ => as_map,
                };
            }
            if !as_map.as_ref().is_none() {
                self.build.feed.put(as_map);
                return Ok(Err(Kind::Map));
            }
        }
        if self.build.hooks.attributes
            && let Some(array) = plan.array.and_then(|i| self.program.arrays.get(i))
            && let Some(row) = self.row_of(array, o.as_ref())?
        {
            self.build.feed.put(row);
            return Ok(Err(Kind::Array));
        }
        self.judge.lax(plan, o).map(Ok)
    }

    /// Whether instances of a record may stand at a place.
    fn is_wanted(&self, plan: &Plan, r: &Record) -> bool {
        let map = plan.map.and_then(|i| self.program.maps.get(i)).map(|m| &m.record);
        let array = plan.array.and_then(|i| self.program.arrays.get(i)).map(|a| &a.record);
        let member = |m: &Member| self.is_wanted(self.program.plan(m.plan), r);
        let chosen = plan.choices.iter().flat_map(|c| &c.members).any(member);
        chosen
            || [map, array].into_iter().flatten().any(|which| {
                let i = match (which, &r.tag) {
                    (Which::One(i), _) => Some(*i),
                    (Which::Of(tags), Some((_, tag))) => of_tag(tags, tag).unwrap_or(None),
                    _ => None,
                };
                i.and_then(|i| self.program.records.get(i)).is_some_and(|other| core::ptr::eq(other, r))
            })
    }
}

/// Fills what is missing of an instance, or refuses to.
#[inline(never)]
pub(super) fn fill(r: &Record, cur: &mut Frame<'_>, hooks: &Hooks) -> Given<()> {
    if matches!(cur.shape, Shape::Row(_)) {
        row_length(r, cur.next, hooks)?;
    }
    let Some(fresh) = &mut *cur.fresh else { return Ok(()) };
    for (i, f) in r.fields.iter().enumerate() {
        if fresh.has(i) {
            continue;
        }
        match f.default.make().map_err(refused)? {
            Some(v) => fresh.put_cold(i, v),
            None => return Err(missing(&f.key)),
        }
    }
    Ok(())
}

/// Whether a record that is an array has as many items as it may.
#[inline(never)]
fn row_length(r: &Record, got: usize, hooks: &Hooks) -> Given<()> {
    let before = usize::from(r.tag.is_some());
    let (least, most) = (r.required + before, r.fields.len() + before);
    let closed = hooks.unknown.forbids(r.forbid_unknown) || r.makes == Makes::Call;
    if got < least {
        return Err(length(least, (r.makes == Makes::Call).then_some(most), got));
    }
    if closed && got > most {
        let least = if r.makes == Makes::Call { least } else { 0 };
        return Err(length(least, Some(most), got));
    }
    Ok(())
}

/// Makes what the fields on the stack from `base` on are of; nothing if a key stands twice where that matters. `got` is
/// how many items there were, if it was an array.
#[inline(never)]
pub(super) fn made_of(
    stack: &mut Vec<Own>,
    base: usize,
    r: &Record,
    got: Option<usize>,
    unset: &Own,
    hooks: &Hooks,
) -> Given<Option<Own>> {
    if let Some(got) = got {
        row_length(r, got, hooks)?;
    }
    if !keep(stack, base, r, hooks.unique_keys)? {
        return Ok(None);
    }
    if r.makes == Makes::Parts {
        return assemble(stack, base, r, unset);
    }
    let values = stack.get_mut(base..).unwrap_or_default();
    for (f, v) in r.fields.iter().zip(&mut *values) {
        if v.as_ref().is(unset.as_ref()) && !f.optional {
            *v = f.default.make_cold().map_err(refused)?.ok_or_else(|| missing(&f.key))?;
        }
    }
    let call = |o: &Own, method: &Option<Own>| match method {
        Some(name) => o.as_ref().attr(name).and_then(|m| py::call0(m.as_ref())).map_err(refused).map(drop),
        None => Ok(()),
    };
    let o = match r.makes {
        Makes::Dict => {
            // The pairs stand behind the values.
            let end = stack.len();
            for (i, f) in (base..end).zip(&r.fields) {
                if let Some(v) = stack.get(i)
                    && !f.hidden
                    && !v.as_ref().is(unset.as_ref())
                {
                    let v = v.clone();
                    stack.extend([f.name.clone(), v]);
                }
            }
            let d = py::dict(stack, end, Young::default())?;
            if let Some((_, at)) = r.extra
                && let Some(kept) = stack.get(base + at)
                && !kept.as_ref().is(unset.as_ref())
            {
                py::call_method1(d.as_ref(), c"update", kept.as_ref())?;
            }
            return Ok(Some(d));
        }
        Makes::Call => {
            // A class that stands in a tuple only makes tuples.
            if let Some(row) = r.class.as_ref().as_any_tuple()
                && let Some(class) = row.hold().get(0).and_then(Ref::as_type)
            {
                return py::tuple_of_class(class, stack, base).map_err(refused).map(Some);
            }
            let args: Vec<Ref<'_>> = values.iter().map(Own::as_ref).collect();
            return py::call(r.class.as_ref(), &args).map_err(refused).map(Some);
        }
        _ => match r.class.as_ref().as_type() {
            Some(class) => py::new_object(class).map_err(refused)?,
            None => py::call0(r.class.as_ref()).map_err(refused)?,
        },
    };
    call(&o, &r.before)?;
    for (f, v) in r.fields.iter().zip(&*values) {
        // What is neither given nor has a default stays unset: what the class itself makes of it later.
        if !v.as_ref().is(unset.as_ref()) {
            o.as_ref().set_plainly(f.name.as_ref(), v.as_ref()).map_err(refused)?;
        }
    }
    if let Some(f) = &r.validate {
        py::call1(f.as_ref(), o.as_ref()).map_err(refused)?;
    }
    call(&o, &r.after)?;
    Ok(Some(o))
}

#[cold]
pub(super) fn no_record(env: &Env, tags: &Own, tag: &Own, below: &str) -> Trouble {
    // All tags are of one type.
    let Ok(keys) = py::list_of(tags.as_ref()) else { return py::Raised.into() };
    let keys = keys.as_ref().as_any_list().map(|l| l.hold());
    let words = match keys.as_ref().and_then(|k| k.get(0)) {
        Some(want) => tag_words(env, want.as_ref(), tag),
        None => String::new(),
    };
    Wrong::below(words, below)
}

fn tag_words(env: &Env, want: Ref<'_>, got: &Own) -> String {
    let text = want.as_any_str().is_some();
    match got.as_ref().see() {
        Seen::Str(_) if text => py::words(say!("Invalid value {}"), &[Word::Show(got.as_ref())]),
        Seen::Int(_) if !text => py::words(say!("Invalid value {}"), &[Word::Show(got.as_ref())]),
        _ => {
            let want = if text { "str" } else { "int" };
            py::words(say!("Expected `{}`, got `{}`"), &[want.into(), (&name_of(got.as_ref(), env)).into()])
        }
    }
}
