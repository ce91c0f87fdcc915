//! Live objects as something to be read: what `convert` reads from.
//!
//! What may surprise: a container is copied into a list before it is walked, so whatever hooks do to it meanwhile is not
//! seen. Tuples, and lists where there are no hooks, are walked as they are, to where they ended when that began. Objects
//! that are neither scalars nor containers are of the kind `Form`; what becomes of them depends on what is wanted, so it is
//! the executor that asks ([`FromObjects::object`]).

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::judge::Judge;
use super::levels::{Frame, Levels, Shape};
use super::typed::Typed;
use super::{Build, Feed, Given, Hooks, Reading, Room};
use crate::env::{Env, helper};
use crate::fault::Fault;
use model::{Items, Plan, Program, Record, takes};
use py::{Flags, Held, Int, ItemsRoom, OldTexts, Own, Ref, RowKind, Seen, StrRef, push};
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
    /// The open containers, with how many items they had; keys and values of a map stand in turn.
    open: Vec<(Held<RowKind>, usize)>,
    /// How much was gone on.
    steps: usize,
    /// Lists are walked as they are.
    live: bool,
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
    /// Takes what stands next in an array of one type, or in a map, as far as it is plainly what it should be.
    #[inline(always)]
    pub(super) fn plain_run(&mut self, cur: &mut Frame<'r>, seq: &mut F::Seq) {
        let stack = &mut *self.build.room.stack;
        let plain = |plan: usize| self.program.plan(plan).plain;
        match cur.shape {
            Shape::Array(a) if a.items != Items::Fixed => {
                let takes = a.plans.first().map_or(0, |p| plain(*p));
                if takes != 0 {
                    cur.next += self.build.feed.plain_run(seq, self.build.env, &[takes], stack);
                }
            }
            Shape::Map(m) => {
                // Other keys are judged as keys are.
                let keys = plain(m.key) & (takes::STR | takes::INT);
                self.build.feed.plain_run(seq, self.build.env, &[keys, plain(m.value)], stack);
            }
            _ => {}
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
        self.open.push((row, n));
        Index(0)
    }

    fn begin_list(&mut self, list: Own) -> Given<Index> {
        match list.as_ref().as_any_list() {
            Some(list) => Ok(self.begin(list.row().hold())),
            None => self.refuse(Code::Forbidden),
        }
    }

    fn next(&mut self, s: &mut Index) -> Option<Own> {
        let (row, n) = self.open.last()?;
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
    fn plain_run(&mut self, s: &mut Index, env: &Env, takes: &[u32], stack: &mut Vec<Own>) -> usize {
        let Some((row, n)) = self.open.last() else { return 0 };
        let (room, from) = (&mut ItemsRoom::default(), s.0 as usize);
        let items = row.items(room);
        let mut i = from;
        'run: while !takes.is_empty() {
            let whole = stack.len();
            for takes in takes {
                match items.get(i) {
                    Some(o) if i < *n && plain(env, o.as_ref()) & takes != 0 => push(stack, o.as_ref().own()),
                    _ => {
                        i -= stack.len() - whole;
                        stack.truncate(whole);
                        break 'run;
                    }
                }
                i += 1;
            }
        }
        s.0 = i as u64;
        self.steps += i - from;
        i - from
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
        let row = match self.now.as_ref().see() {
            Seen::Tuple(t) => t.row(),
            Seen::List(l) if self.live => l.row(),
            _ => {
                let list = py::list_of(self.now.as_ref())?;
                return self.begin_list(list);
            }
        };
        Ok(self.begin(row.hold()))
    }
    fn item(&mut self, s: &mut Index) -> Given<bool> {
        Ok(self.more(s))
    }
    fn size_hint(&self, _: &Index) -> usize {
        0
    }
    fn map(&mut self, (): ()) -> Given<Index> {
        let items = match self.now.as_ref().see() {
            Seen::Dict(dict) => {
                let dict = dict.hold();
                let (mut place, mut items) = (0, Vec::with_capacity(2 * dict.len()));
                while let Some((k, v)) = dict.next(&mut place) {
                    push(&mut items, k.as_ref().own());
                    push(&mut items, v.as_ref().own());
                }
                py::list_cold(&mut items, 0)?
            }
            _ => py::call1(helper(c"pairs")?.as_ref(), self.now.as_ref())?,
        };
        self.begin_list(items)
    }
    fn entry(&mut self, s: &mut Index) -> Given<bool> {
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
    fn item_at(&self, level: usize, i: usize) -> Option<Own> {
        let (row, _) = self.open.get(level)?;
        Some(row.items(&mut ItemsRoom::default()).get(i)?.as_ref().own())
    }
}
