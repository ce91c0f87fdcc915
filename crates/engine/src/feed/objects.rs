//! Live objects as something to be read: what `convert` reads from.
//!
//! What may surprise: a container is copied before it is walked, so whatever hooks do to it meanwhile is not seen. Tuples,
//! and lists and dicts where there are no hooks, are walked as they are. One whose items are all plainly what they should be
//! is not walked at all, but made at once ([`Typed::at_once`]). Objects that are neither scalars nor containers are of the
//! kind `Form`; what becomes of them depends on what is wanted, so it is the executor that asks ([`FromObjects::object`]).

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::judge::Judge;
use super::levels::{Frame, Levels};
use super::records::end_array;
use super::typed::Typed;
use super::{Build, Feed, Given, Hooks, Reading, Room};
use crate::env::{Env, helper};
use crate::fault::Fault;
use model::{Array, Bounds, Items, Map, Plan, Program, Record, Which, takes};
use py::{DictKind, Flags, Held, Int, ItemsRoom, OldTexts, Own, Ref, RowKind, Seen, StrRef, push};
use wire::time::Instant;
use wire::{Caps, Code, KNOWN, Kind};

/// Where in a container the next item stands.
#[derive(Clone, Copy)]
pub(crate) struct Index(u64);

impl From<u64> for Index {
    fn from(v: u64) -> Self {
        Index(v)
    }
}

impl From<Index> for u64 {
    fn from(v: Index) -> u64 {
        v.0
    }
}

/// Values out of live objects.
pub(crate) struct FromObjects {
    /// What is next.
    now: Own,
    /// The value of the key that is next.
    value: Own,
    open: Vec<Open>,
    /// How much was gone on.
    steps: usize,
    /// Lists and dicts are walked as they are.
    live: bool,
}

/// An open container.
enum Open {
    /// An array, with how many items it had; or a map that is no dict, whose keys and values stand in turn.
    Row(Held<RowKind>, usize),
    /// A dict.
    Dict(Held<DictKind>),
}

/// Makes what a program says of an object.
pub fn convert(
    env: &Env,
    hooks: &Hooks,
    reading: &mut Reading,
    program: &Program,
    o: Ref<'_>,
) -> Result<Own, Box<Fault>> {
    run(env, hooks, reading, program, program.plan(program.root), o)
}

#[inline(never)]
fn run(
    env: &Env,
    hooks: &Hooks,
    reading: &mut Reading,
    program: &Program,
    plan: &Plan,
    o: Ref<'_>,
) -> Result<Own, Box<Fault>> {
    let live = !hooks.any() && !program.calls;
    let feed = FromObjects::new(o.own(), live);
    let (_, room) = reading.split(false);
    Typed::run_at(feed, hooks, env, room, false, None, program, plan)
}

/// The same for a value that a program says so much of: it is of a tuple, and the value is to be one of its items.
/// Nothing if the value is that already, or stands for none.
pub fn of_field(
    env: &Env,
    hooks: &Hooks,
    reading: &mut Reading,
    program: &Program,
    i: usize,
    o: Ref<'_>,
) -> Result<Option<Own>, Box<Fault>> {
    let array = program.plan(program.root).array.and_then(|a| program.arrays.get(a));
    let Some(plan) = array.and_then(|a| a.plans.get(i)).map(|p| program.plan(*p)) else { return Ok(None) };
    if plan.plain & plain(env, o) != 0 || o.is(env.unset.as_ref()) {
        return Ok(None);
    }
    let made = run(env, hooks, reading, program, plan, o)?;
    Ok((!made.as_ref().is(o)).then_some(made))
}

impl<'r, F: Feed> Typed<'r, F> {
    /// A container whose items are all plainly what they should be; nothing if one is not, or more is to be asked. What may
    /// change is copied before it is looked at.
    #[inline(never)]
    pub(super) fn at_once(&mut self, plan: &'r Plan) -> Given<Option<Own>> {
        let (b, program) = (&mut self.build, self.program);
        let Some(o) = b.feed.object() else { return Ok(None) };
        if plan.takes & (takes::ANY | takes::CUSTOM | takes::WHOLE) != 0 || b.level >= b.hooks.max_depth {
            return Ok(None);
        }
        let expect = |p: usize| {
            let plan = program.plan(p);
            Plainly { plan, takes: plan.plain | plan.exact, class: 0 }
        };
        let (of, made) = match o.as_ref().see() {
            Seen::Dict(dict) => {
                let map = plan.map.and_then(|i| program.maps.get(i));
                let Some(Map { key, value, record: Which::None, finish: None, .. }) = map else {
                    return Ok(None);
                };
                let (mut keys, mut values) = (expect(*key), expect(*value));
                // Other keys are judged as keys are.
                keys.takes &= takes::STR | takes::INT;
                if keys.takes == 0 || values.takes == 0 {
                    return Ok(None);
                }
                let (dict, mut place) = (dict.hold().copied()?, 0);
                while let Some((k, v)) = dict.next_cold(&mut place) {
                    if !keys.is(b.env, k.as_ref()) || !values.is(b.env, v.as_ref()) {
                        return Ok(None);
                    }
                }
                (takes::MAP, dict.into_own())
            }
            seen @ (Seen::List(_) | Seen::Tuple(_)) => {
                let array = plan.array.and_then(|i| program.arrays.get(i));
                let Some(a @ Array { record: Which::None, finish: None, .. }) = array else {
                    return Ok(None);
                };
                let fixed = a.items == Items::Fixed;
                let mut items = expect(a.plans.first().copied().unwrap_or(0));
                if !fixed && items.takes == 0 {
                    return Ok(None);
                }
                let (held, same) = match seen {
                    Seen::Tuple(t) => (t.row().hold(), Items::Tuple),
                    Seen::List(list) => (list.hold().copied()?, Items::List),
                    _ => return Ok(None),
                };
                let (room, stack) = (&mut ItemsRoom::default(), &mut *b.room.stack);
                let (row, base, mut i) = (held.items(room), stack.len(), 0);
                let bad = loop {
                    let Some(o) = row.get(i) else { break fixed && i != a.plans.len() };
                    if fixed {
                        items = expect(a.plans.get(i).copied().unwrap_or(0));
                    }
                    // Most are of the class of the one before.
                    if o.as_ref().class().address() != items.class && !items.is(b.env, o.as_ref()) {
                        break true;
                    }
                    if a.items != same {
                        push(stack, o.as_ref().own());
                    }
                    i += 1;
                };
                if bad {
                    stack.truncate(base);
                    return Ok(None);
                }
                let made = if a.items == same { held.into_own() } else { end_array(stack, a, base, i)? };
                (takes::ARRAY, made)
            }
            _ => return Ok(None),
        };
        self.ended(plan, of, made).map(Some)
    }

    /// Takes fields that stand in their order, and are plainly what they should be.
    #[inline(always)]
    pub(super) fn plain_fields(&mut self, r: &'r Record, cur: &mut Frame<'r>, seq: &mut F::Seq) {
        let b = &mut self.build;
        while let Some(f) = r.fields.get(cur.next)
            && !f.hidden
            && !b.hooks.unique_keys
            && let Some(o) = b.feed.plain_value(seq, b.env, &f.key, self.program.plan(f.plan).plain)
        {
            cur.at = cur.next;
            cur.next += 1;
            match &mut *cur.fresh {
                Some(fresh) => fresh.put_cold(cur.at, o),
                None => {
                    if let Some(place) = b.room.stack.get_mut(cur.base + cur.at) {
                        *place = o;
                    }
                }
            }
        }
    }

    /// Whether a key is, as an object, that of the field that is expected.
    #[inline(always)]
    pub(super) fn is_next(&self, r: &Record, next: usize) -> bool {
        let (field, key) = (r.fields.get(next), self.build.feed.object());
        !self.build.hooks.unique_keys
            && field.zip(key).is_some_and(|(f, key)| !f.hidden && f.key.as_ref().is(key.as_ref()))
    }

    /// A key where containers may be keys: it is read as objects are. Keys in keys are not, so this ends.
    #[inline(never)]
    pub(super) fn key(&mut self, plan: &Plan, o: Own) -> Given<Own> {
        let feed = FromObjects::new(o, false);
        let (b, stack, levels) = (&mut self.build, &mut Vec::new(), &mut Levels::default());
        let (open, key_places, shapes) = (&mut *b.room.open, &mut *b.room.key_places, &mut *b.room.shapes);
        let room = Room { stack, levels, open, key_places, shapes, young: b.room.young };
        let build = Build {
            feed,
            hooks: b.hooks,
            env: b.env,
            room,
            input: None,
            level: 0,
            in_key: false,
            // The odd way makes of plain ones what they always become, and is one call.
            plain: false,
        };
        let mut t = Typed { build, judge: self.judge, program: self.program, key: true, trying: None };
        t.whole(plan, &mut Levels::default()).map_err(|mut t| {
            if let Some(w) = t.wrong_mut() {
                // The root is the key.
                w.path = w.path.trim_start_matches('$').into();
            }
            t
        })
    }
}

/// What the items of a container should plainly be, or be by one look at their bounds.
struct Plainly<'p> {
    plan: &'p Plan,
    takes: u32,
    /// The class of the last one that was that.
    class: usize,
}

impl Plainly<'_> {
    #[inline(never)]
    fn is(&mut self, env: &Env, o: Ref<'_>) -> bool {
        let class = o.class().address();
        if class == self.class {
            return true;
        }
        let bit = plain(env, o) & self.takes;
        if self.plan.plain & bit != 0 {
            self.class = class;
            return true;
        }
        bit != 0 && Bounds::settle(&self.plan.bounds, bit, o) == Some(true)
    }
}

/// The kind of an object.
fn kind(o: Ref<'_>) -> Kind {
    match o.see() {
        Seen::None => Kind::Null,
        Seen::Bool(_) => Kind::Bool,
        Seen::Int(_) | Seen::Float(_) => Kind::Number,
        Seen::Str(_) => Kind::Str,
        Seen::List(_) | Seen::Tuple(_) => Kind::Array,
        Seen::Dict(_) => Kind::Map,
        Seen::Other(o) => match o.class().flags() {
            Flags::List | Flags::Tuple | Flags::Set => Kind::Array,
            Flags::Dict => Kind::Map,
            _ => Kind::Form,
        },
    }
}

impl FromObjects {
    fn new(now: Own, live: bool) -> FromObjects {
        FromObjects { now, value: py::none(), open: Vec::new(), steps: 0, live }
    }

    fn begin(&mut self, row: Held<RowKind>) -> Index {
        let n = row.len();
        push(&mut self.open, Open::Row(row, n));
        Index(0)
    }

    fn begin_list(&mut self, list: Own) -> Given<Index> {
        match list.as_ref().as_any_list() {
            Some(list) => Ok(self.begin(list.row().hold())),
            None => self.refuse(Code::Forbidden),
        }
    }

    fn next(&mut self, s: &mut Index) -> Option<Own> {
        let Open::Row(row, n) = self.open.last()? else { return None };
        let i = s.0 as usize;
        let item =
            if i < *n { row.items(&mut ItemsRoom::default()).get(i)?.as_ref().own() } else { return None };
        s.0 += 1;
        self.steps += 1;
        Some(item)
    }

    fn more(&mut self, s: &mut Index) -> bool {
        match self.next(s) {
            Some(o) => self.now = o,
            None => {
                self.open.pop();
                return false;
            }
        }
        true
    }
}

/// What an object is plainly, of those that need no second look.
#[inline(never)]
pub(super) fn plain(env: &Env, o: Ref<'_>) -> u32 {
    match o.see() {
        Seen::None => takes::NONE,
        Seen::Bool(_) => takes::BOOL,
        Seen::Int(_) => takes::INT,
        Seen::Float(_) => takes::FLOAT,
        Seen::Str(_) => takes::STR,
        Seen::Other(o) => env.kind(o),
        _ => 0,
    }
}

impl Feed for FromObjects {
    const CAPS: Caps = Caps { str_keys_only: false, forms: true, place: usize::MAX, ..Caps::PLAIN };
    type Head = ();
    type Seq = Index;

    fn head(&mut self) -> Given<(Kind, ())> {
        Ok((kind(self.now.as_ref()), ()))
    }
    fn null(&mut self, (): ()) -> Given<()> {
        Ok(())
    }
    fn plain(&self, env: &Env) -> u32 {
        plain(env, self.now.as_ref())
    }
    fn plain_value(&mut self, s: &mut Index, env: &Env, key: &Own, takes: u32) -> Option<Own> {
        let Open::Dict(dict) = self.open.last()? else { return None };
        let mut place = s.0 as isize;
        let (k, v) = dict.next_cold(&mut place)?;
        if !k.as_ref().is(key.as_ref()) || plain(env, v.as_ref()) & takes == 0 {
            return None;
        }
        s.0 = place as u64;
        self.steps += 2;
        Some(v.as_ref().own())
    }
    fn bool(&mut self, (): ()) -> Given<bool> {
        Ok(self.now.as_ref().truth()?)
    }
    fn number(&mut self, (): ()) -> Given<Own> {
        Ok(self.now.clone())
    }
    fn float_text(&mut self, (): ()) -> Given<Result<Own, Own>> {
        Ok(Err(self.now.clone()))
    }
    fn number_as(&mut self, (): (), float: bool) -> Given<Own> {
        if float
            && let Seen::Int(i) = self.now.as_ref().see()
            && let Int::I64(v) = i.get()
        {
            return Ok(py::float(v as f64)?);
        }
        Ok(self.now.clone())
    }
    fn str(&mut self, (): (), _: Option<&OldTexts>) -> Given<Own> {
        Ok(self.now.clone())
    }
    fn spelled(&mut self, (): (), judge: &Judge<'_>, plan: &Plan, bit: u32) -> Given<Option<Own>> {
        let text = self.now.as_ref().as_str().and_then(StrRef::ascii).unwrap_or_default();
        judge.spelled(plan, bit, text)
    }
    fn bytes(&mut self, (): ()) -> Given<Own> {
        Ok(self.now.clone())
    }
    fn time(&mut self, (): ()) -> Given<Instant> {
        self.refuse(Code::Forbidden)
    }
    fn ext(&mut self, (): ()) -> Given<(i8, &[u8])> {
        self.refuse(Code::Forbidden)
    }
    fn array(&mut self, (): ()) -> Given<Index> {
        let o = self.now.as_ref();
        let row = match (o.as_any_tuple(), o.see()) {
            (Some(t), _) => t.row().hold(),
            (None, Seen::List(l)) if self.live => l.row().hold(),
            _ => return self.begin_list(py::list_of(o)?),
        };
        Ok(self.begin(row))
    }
    fn item(&mut self, s: &mut Index) -> Given<bool> {
        Ok(self.more(s))
    }
    fn size_hint(&self, _: &Index) -> usize {
        0
    }
    fn map(&mut self, (): ()) -> Given<Index> {
        let Seen::Dict(dict) = self.now.as_ref().see() else {
            let pairs = py::call1(helper(c"pairs")?.as_ref(), self.now.as_ref())?;
            return self.begin_list(pairs);
        };
        let dict = dict.hold();
        push(&mut self.open, Open::Dict(if self.live { dict } else { dict.copied()? }));
        Ok(Index(0))
    }
    fn entry(&mut self, s: &mut Index) -> Given<bool> {
        if let Some(Open::Dict(dict)) = self.open.last() {
            let mut place = s.0 as isize;
            let Some((k, v)) = dict.next_cold(&mut place) else {
                self.open.pop();
                return Ok(false);
            };
            (self.now, self.value) = (k.as_ref().own(), v.as_ref().own());
            s.0 = place as u64;
            self.steps += 2;
            return Ok(true);
        }
        let more = self.more(s);
        if more && let Some(v) = self.next(s) {
            self.value = v;
        }
        Ok(more)
    }
    fn key_head(&mut self) -> Given<(Kind, ())> {
        // Whatever a key is, it is one already.
        Ok((Kind::Str, ()))
    }
    fn key(&mut self, (): ()) -> Given<Own> {
        Ok(self.now.clone())
    }
    fn mark(&self) -> usize {
        self.steps
    }
    fn since(&self, _: usize) -> &[u8] {
        &[]
    }
    fn again(&mut self, _: &[u8; KNOWN], _: usize) -> bool {
        false
    }
    fn look(&mut self) {}
    fn rewind(&mut self, _: usize) {
        // Places in containers are all that was gone on, and those are kept by whoever goes back.
    }
    fn skip(&mut self) -> Given<()> {
        Ok(())
    }
    fn raw(&mut self) -> Given<&[u8]> {
        self.refuse(Code::Forbidden)
    }
    fn value(&mut self) -> Given<()> {
        self.now = core::mem::replace(&mut self.value, py::none());
        Ok(())
    }
    fn end(&mut self) -> Given<()> {
        Ok(())
    }
    fn at(&self) -> usize {
        0
    }
    fn object(&self) -> Option<&Own> {
        Some(&self.now)
    }
    fn put(&mut self, o: Own) {
        self.now = o;
    }
    fn close(&mut self, open: usize) {
        self.open.truncate(open);
    }
    fn key_before(&self, level: usize, seq: u64) -> Option<Own> {
        match self.open.get(level)? {
            Open::Row(row, _) => {
                Some(row.items(&mut ItemsRoom::default()).get((seq as usize).wrapping_sub(2))?.as_ref().own())
            }
            Open::Dict(dict) => {
                let mut place = 0;
                while let Some((k, _)) = dict.next_cold(&mut place) {
                    if place as u64 == seq {
                        return Some(k.as_ref().own());
                    }
                }
                None
            }
        }
    }
}
