//! Objects out of anything, as their type says: the hot path of typed reading.
//!
//! ADVICE FOR HACKERS: as in `any`, what is read goes onto one stack, and the innermost open container is
//! the last of those that are open. Fields of a class are the exception: they go straight into the instance,
//! which is taken out of its frame at the end, so that nothing has to be given back when a frame goes.
//! Each place has a plan; what one look at the plan settles is done here, and whatever it does not is
//! `judge`'s. Nothing is known of a path until something is wrong. Frames are filled where they stand: they are large.

use alloc::boxed::Box;
use core::mem::ManuallyDrop;

use super::any::{Build, fault};
use super::choose::Trying;
use super::judge::{Judge, Sort, refused};
use super::levels::{Frame, IN_KEY, Levels, NOWHERE, Shape};
use super::records::{end_array, fill, is_set, made_of};
use super::{Feed, Given, Hooks, Room};
use crate::env::Env;
use crate::fault::Fault;
use model::{Items, Map, Plan, Program, Record, Which, takes};
use py::{Own, Ref, push};
use wire::{Code, Kind};

/// A value that is made, or begins.
pub(super) enum Value<F: Feed> {
    Made(Own),
    Begins(Kind, F::Head),
}

/// A container that begins, and what is expected there.
pub(super) type Begins<'r, F> = (&'r Plan, Kind, <F as Feed>::Head);

/// A build of objects of a type.
pub struct Typed<'r, F> {
    pub(super) build: Build<'r, F>,
    pub(super) judge: Judge<'r>,
    pub(super) program: &'r Program,
    /// What is read is a key.
    pub(super) key: bool,
    /// What is known of members of unions that may turn out to be others.
    pub(super) trying: Option<Box<Trying<'r>>>,
}

/// How many frames are kept from call to call.
const FRAMES: usize = 1024;

impl<'r, F: Feed> Typed<'r, F> {
    /// Reads one value, which must be all there is. `large` says that it may be of many containers.
    #[inline(always)]
    pub fn run(
        feed: F,
        hooks: &'r Hooks,
        env: &'r Env,
        room: Room<'r>,
        large: bool,
        input: Option<Ref<'r>>,
        program: &'r Program,
    ) -> Result<Own, Box<Fault>> {
        Self::run_at(feed, hooks, env, room, large, input, program, program.plan(program.root))
    }

    /// The same for one that stands at a place of the type.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "they are those of `run`, and a place")]
    pub(super) fn run_at(
        feed: F,
        hooks: &'r Hooks,
        env: &'r Env,
        room: Room<'r>,
        large: bool,
        input: Option<Ref<'r>>,
        program: &'r Program,
        plan: &'r Plan,
    ) -> Result<Own, Box<Fault>> {
        let mut levels = core::mem::take(room.levels).emptied();
        let build = Build { feed, hooks, env, room, input, level: 0, in_key: false, plain: hooks.plain() };
        let mut t =
            Typed { build, judge: Judge::of_feed::<F>(env, hooks), program, key: false, trying: None };
        let pause = if large && !hooks.any() && !program.calls { py::pause_gc() } else { None };
        let r = t.whole(plan, &mut levels);
        if levels.0.capacity() <= FRAMES {
            // Nothing is there meanwhile, and to drop that takes longer than it takes to see it.
            core::mem::forget(core::mem::replace(t.build.room.levels, levels.emptied()));
        }
        t.build.room.clear();
        drop(pause);
        r.map_err(fault)
    }

    pub(super) fn whole(&mut self, plan: &'r Plan, levels: &mut Levels<'r>) -> Given<Own> {
        let (mut kind, h) = match self.build.feed.container_head() {
            Some(begins) => begins,
            None => self.head_cold()?,
        };
        if F::CAPS.forms {
            match self.object(plan, kind)? {
                Ok(o) => return Ok(o),
                Err(known) => kind = known,
            }
            if let Some(o) = self.at_once(plan)? {
                return Ok(o);
            }
        }
        let o = if matches!(kind, Kind::Map | Kind::Array) && Self::opens(plan) {
            let (mut next, mut chosen) = (Some((plan, kind, h)), false);
            loop {
                match self.containers(next, chosen, levels) {
                    Ok(o) => break o,
                    Err(t) => next = self.recover(t, levels)?,
                }
                chosen = next.is_some();
            }
        } else {
            self.leaf(plan, kind, h)?
        };
        self.build.feed.end()?;
        Ok(o)
    }

    #[inline(always)]
    fn containers(
        &mut self,
        mut next: Option<Begins<'r, F>>,
        mut chosen: bool,
        levels: &mut Levels<'r>,
    ) -> Given<Own> {
        loop {
            while let Some((plan, kind, h)) = next {
                next = match self.begin(plan, kind, h, levels) {
                    Err(t) if chosen => return Err(t.of(Sort::Member)),
                    begun => begun?,
                };
                chosen = next.is_some();
            }
            let open = &mut levels.0;
            let Some(cur) = open.last_mut() else { return self.build.feed.refuse(Code::Forbidden) };
            next = self.inside(cur)?;
            if next.is_some() {
                continue;
            }
            let made = match self.end(cur) {
                Err(t) if F::CAPS.forms => return Err(t.of(Sort::End)),
                made => made?,
            };
            open.pop();
            self.build.level = open.len();
            match open.last_mut() {
                Some(outer) => self.store(outer, made, true),
                None => return Ok(made),
            }
        }
    }

    /// Reads what stands in a container, until it ends or another begins in it.
    #[inline(always)]
    fn inside(&mut self, cur: &mut Frame<'r>) -> Given<Option<Begins<'r, F>>> {
        let (record, items, fixed) = match cur.shape {
            _ if F::CAPS.forms => return self.others(cur),
            Shape::Record(r) => return self.usual(Some(r), true, 0, &[], cur),
            Shape::Row(r) if r.tag.is_none() => (Some(r), 0, &[][..]),
            Shape::Map(m) => return self.entries(m, cur),
            Shape::Array(a) if a.items == Items::Fixed && !a.plans.is_empty() => (None, 0, &a.plans[..]),
            Shape::Array(a) => (None, a.plans.first().copied().unwrap_or(0), &[][..]),
            Shape::Row(_) => return self.others(cur),
        };
        self.usual(record, false, items, fixed, cur)
    }

    /// What is met most: the fields of what has some, by their keys or in their order, and items, all of one
    /// type or each of its own. The loop is compiled twice, with keys and without.
    #[inline(always)]
    fn usual(
        &mut self,
        record: Option<&'r Record>,
        keyed: bool,
        items: usize,
        fixed: &'r [usize],
        cur: &mut Frame<'r>,
    ) -> Given<Option<Begins<'r, F>>> {
        let mut seq = F::Seq::from(cur.seq);
        let known = match record {
            Some(r) if keyed => r.known.get(self.place()).map_or(&[][..], |k| k),
            _ => &[],
        };
        loop {
            let i = cur.next;
            let plan = match (known.get(i), record) {
                // The next key is the one that is expected, and all stands as we write it.
                (Some(k), _) if k.len != 0 && self.build.feed.entry_again(&mut seq, &k.text, k.len) => {
                    (cur.at, cur.next) = (i, i + 1);
                    self.program.plan(k.plan)
                }
                (_, Some(r)) if keyed => {
                    cur.at = NOWHERE;
                    if !self.build.feed.entry(&mut seq)? {
                        return Ok(None);
                    }
                    match self.next_field(r, cur, &mut seq)? {
                        Some(plan) => plan,
                        None => return Ok(None),
                    }
                }
                (_, r) => {
                    cur.at = NOWHERE;
                    if !self.build.feed.item(&mut seq)? {
                        return Ok(None);
                    }
                    cur.next = i + 1;
                    let plan = match r {
                        Some(r) => r.fields.get(i).map(|f| f.plan),
                        None if fixed.is_empty() => Some(items),
                        None => fixed.get(i).copied(),
                    };
                    let Some(plan) = plan else {
                        self.pass()?;
                        continue;
                    };
                    cur.at = i;
                    self.program.plan(plan)
                }
            };
            match self.value(plan)? {
                Value::Made(o) => match &mut *cur.fresh {
                    Some(fresh) => fresh.put(cur.at, o),
                    None if record.is_none() => push(self.build.room.stack, o),
                    None => {
                        if let Some(place) = self.build.room.stack.get_mut(cur.base + cur.at) {
                            *place = o;
                        }
                    }
                },
                Value::Begins(kind, h) => {
                    cur.seq = seq.into();
                    return Ok(Some((plan, kind, h)));
                }
            }
        }
    }

    /// The entries of a dict.
    #[inline(never)]
    fn entries(&mut self, m: &'r Map, cur: &mut Frame<'r>) -> Given<Option<Begins<'r, F>>> {
        let mut seq = F::Seq::from(cur.seq);
        let plan = self.program.plan(m.value);
        loop {
            cur.at = NOWHERE;
            if !self.build.feed.entry(&mut seq)? {
                return Ok(None);
            }
            self.map_key(m, cur)?;
            match self.value(plan)? {
                Value::Made(o) => push(self.build.room.stack, o),
                Value::Begins(kind, h) => {
                    cur.seq = seq.into();
                    return Ok(Some((plan, kind, h)));
                }
            }
        }
    }

    /// What stands in any other container.
    #[inline(never)]
    fn others(&mut self, cur: &mut Frame<'r>) -> Given<Option<Begins<'r, F>>> {
        let mut seq = F::Seq::from(cur.seq);
        let r = self.others_from(cur, &mut seq);
        if F::CAPS.forms || matches!(r, Ok(Some(_))) {
            // Whoever notes what is wrong goes on behind it.
            cur.seq = seq.into();
        }
        r
    }

    #[inline(always)]
    fn others_from(&mut self, cur: &mut Frame<'r>, seq: &mut F::Seq) -> Given<Option<Begins<'r, F>>> {
        let keyed = matches!(cur.shape, Shape::Record(_) | Shape::Map(_));
        loop {
            if F::CAPS.forms
                && let Shape::Record(r) = cur.shape
            {
                self.plain_fields(r, cur, seq);
            }
            let i = cur.next;
            cur.at = NOWHERE;
            if !self.more(keyed, seq)? {
                return Ok(None);
            }
            let plan = match cur.shape {
                Shape::Record(r) => match self.next_field(r, cur, seq)? {
                    Some(plan) => Some(plan),
                    None => return Ok(None),
                },
                Shape::Map(m) => {
                    self.map_key(m, cur)?;
                    Some(self.program.plan(m.value))
                }
                Shape::Row(r) => match self.row_item(r, cur)? {
                    Some(plan) => Some(plan),
                    None => continue,
                },
                Shape::Array(a) => {
                    (cur.at, cur.next) = (i, i + 1);
                    let i = if a.items == Items::Fixed { i } else { 0 };
                    a.plans.get(i).map(|p| self.program.plan(*p))
                }
            };
            let Some(plan) = plan else {
                self.pass()?;
                continue;
            };
            if F::CAPS.forms {
                let bit = self.build.feed.plain(self.build.env);
                if (plan.plain | plan.exact) & bit != 0
                    && let Some(o) = self.build.feed.object().cloned()
                {
                    let o = if plan.plain & bit != 0 { o } else { self.judge.of(plan, bit, o)? };
                    self.store(cur, o, false);
                    continue;
                }
                if let Some(o) = self.at_once(plan)? {
                    self.store(cur, o, false);
                    continue;
                }
            }
            let (kind, h) = self.head_cold()?;
            match self.no_text(plan, kind, h)? {
                Value::Made(o) => self.store(cur, o, false),
                Value::Begins(kind, h) => return Ok(Some((plan, kind, h))),
            }
        }
    }

    /// The plan of the field whose key stands next, though another was expected. Unknown ones are passed over; nothing at the end.
    #[inline(never)]
    fn next_field(
        &mut self,
        r: &'r Record,
        cur: &mut Frame<'r>,
        seq: &mut F::Seq,
    ) -> Given<Option<&'r Plan>> {
        let known = r.known.get(self.place()).and_then(|k| k.get(cur.next));
        loop {
            let found = match known {
                Some(k) if k.len != 0 && self.build.feed.again(&k.text, k.len) => Some(cur.next),
                _ if F::CAPS.forms && self.is_next(r, cur.next) => {
                    self.build.feed.value()?;
                    Some(cur.next)
                }
                _ => self.field(r, cur)?,
            };
            let plan = |i: usize| r.fields.get(i).map(|f| f.plan).or(r.extra.map(|(plan, _)| plan));
            if let Some(i) = found
                && let Some(plan) = plan(i)
            {
                (cur.at, cur.next) = (i, i + 1);
                return Ok(Some(self.program.plan(plan)));
            }
            cur.at = NOWHERE;
            if !self.more(true, seq)? {
                return Ok(None);
            }
        }
    }

    /// Whether something follows in a container, where that need not be compiled in.
    #[inline(never)]
    pub(super) fn more(&mut self, keyed: bool, seq: &mut F::Seq) -> Given<bool> {
        if keyed { self.build.feed.entry(seq) } else { self.build.feed.item(seq) }
    }

    /// What comes next, likewise.
    #[inline(never)]
    pub(super) fn head_cold(&mut self) -> Given<(Kind, F::Head)> {
        self.build.feed.head()
    }

    /// A value, or the beginning of one.
    #[inline(always)]
    fn value(&mut self, plan: &'r Plan) -> Given<Value<F>> {
        // Where numbers are text, how many digits there are is found with the digits.
        if F::CAPS.number_text
            && plan.exact & takes::INT != 0
            && let Some(o) = self.short_int(plan)?
        {
            return Ok(Value::Made(o));
        }
        let (kind, h) = match self.build.feed.text_head() {
            Some(h) if plan.plain & takes::STR != 0 => (Kind::Str, h),
            _ if plan.takes & (takes::ARRAY | takes::MAP) != 0
                && plan.takes & takes::RAW == 0
                && let Some((kind, h)) = self.build.feed.container_head() =>
            {
                return Ok(Value::Begins(kind, h));
            }
            _ => self.build.feed.head()?,
        };
        if kind == Kind::Str && plan.plain & takes::STR != 0 {
            return Ok(Value::Made(self.build.feed.str(h, Some(&self.build.env.texts))?));
        }
        if !F::CAPS.forms && kind == Kind::Number && plan.exact & (takes::INT | takes::FLOAT) != 0 {
            return Ok(Value::Made(self.number(plan, h)?));
        }
        self.no_text(plan, kind, h)
    }

    #[inline(always)]
    fn no_text(&mut self, plan: &'r Plan, kind: Kind, h: F::Head) -> Given<Value<F>> {
        let opens = !F::CAPS.forms || plan.takes & takes::ANY == 0;
        if opens && matches!(kind, Kind::Map | Kind::Array) && Self::opens(plan) {
            return Ok(Value::Begins(kind, h));
        }
        self.other(plan, kind, h)
    }

    /// Whether a container that stands here is opened, and not taken whole.
    #[inline(always)]
    pub(super) fn opens(plan: &Plan) -> bool {
        plan.takes & if F::CAPS.forms { takes::NUMBERS } else { takes::WHOLE } == 0
    }

    /// Whose spelling of keys is expected: nobody's, if it matters which keys there were.
    #[inline(always)]
    pub(super) fn place(&self) -> usize {
        if self.build.hooks.unique_keys { NOWHERE } else { F::CAPS.place }
    }

    /// Puts a value where it belongs. `fields` says that it is met often that this is a field.
    #[inline(always)]
    pub(super) fn store(&mut self, cur: &mut Frame<'r>, o: Own, fields: bool) {
        match &mut *cur.fresh {
            Some(fresh) if fields => fresh.put(cur.at, o),
            Some(fresh) => fresh.put_cold(cur.at, o),
            None => match cur.shape {
                Shape::Array(_) | Shape::Map(_) => push(self.build.room.stack, o),
                _ => {
                    if let Some(place) = self.build.room.stack.get_mut(cur.base + cur.at) {
                        *place = o;
                    }
                }
            },
        }
    }

    #[inline(always)]
    pub(super) fn number(&mut self, plan: &Plan, h: F::Head) -> Given<Own> {
        let o = self.build.number(h, plan.exact & takes::INT == 0)?;
        let bit = if o.as_ref().as_float().is_some() { takes::FLOAT } else { takes::INT };
        if !F::CAPS.forms && plan.plain & bit != 0 { Ok(o) } else { self.judge.of(plan, bit, o) }
    }

    /// Passes over a value.
    #[inline(never)]
    pub(super) fn pass(&mut self) -> Given<()> {
        self.build.feed.skip()
    }

    /// Opens a container; of one that may be one of several, what it is is given instead.
    #[inline(always)]
    fn begin(
        &mut self,
        plan: &'r Plan,
        kind: Kind,
        h: F::Head,
        levels: &mut Levels<'r>,
    ) -> Given<Option<Begins<'r, F>>> {
        let open = &mut levels.0;
        if open.len() >= self.build.hooks.max_depth {
            return self.too_deep();
        }
        self.build.level = open.len() + 1;
        let program = self.program;
        // What is of no type of ours is read as any value is, and looked at when it is whole.
        let how = if plan.takes & takes::CUSTOM != 0 { program.plan(0) } else { plan };
        let (seq, shape, next) = if kind == Kind::Map {
            let Some(map) = how.map.and_then(|i| program.maps.get(i)) else {
                return self.choose(plan, true, levels).map(Some);
            };
            let mut seq = self.build.feed.map(h)?;
            let shape = match &map.record {
                Which::None => Shape::Map(map),
                Which::One(i) => Shape::Record(self.record(*i)?),
                Which::Of(tags) => Shape::Record(self.tagged_map(map, tags, &mut seq)?),
            };
            (seq, shape, 0)
        } else {
            let Some(array) = how.array.and_then(|i| program.arrays.get(i)) else {
                return self.choose(plan, false, levels).map(Some);
            };
            // What has no order has no first item.
            let ordered = matches!(array.items, Items::Fixed | Items::Record | Items::Tagged);
            if F::CAPS.forms && ordered && self.build.feed.object().is_some_and(|o| is_set(o.as_ref())) {
                return Err(super::choose::wrong_kind(self, plan, false));
            }
            let mut seq = self.build.feed.array(h)?;
            match (&array.record, array.items) {
                (Which::One(i), Items::Record) => (seq, Shape::Row(self.record(*i)?), 0),
                (Which::Of(tags), _) => {
                    let record = self.tagged_row(tags, &mut seq)?;
                    (seq, Shape::Row(record), 1)
                }
                _ => (seq, Shape::Array(array), 0),
            }
        };
        let base = self.build.room.stack.len();
        let mut fresh = ManuallyDrop::new(None);
        if let Shape::Record(r) | Shape::Row(r) = shape {
            match &r.maker {
                Some(maker) => *fresh = Some(maker.fresh()?),
                // Room for the fields, with what nobody else has in it.
                None => {
                    for _ in 0..r.fields.len() {
                        push(self.build.room.stack, self.build.env.programs.own().clone());
                    }
                }
            }
        }
        let seq = seq.into();
        push(open, Frame { shape, fresh, strays: false, spoiled: false, plan, seq, base, at: NOWHERE, next });
        Ok(None)
    }

    /// Reads a key that is a key of any sort, onto the stack.
    #[inline(never)]
    fn map_key(&mut self, m: &Map, cur: &mut Frame<'r>) -> Given<()> {
        cur.at = IN_KEY;
        let mut key = self.any_key()?;
        let plan = self.program.plan(m.key);
        let text = key.as_ref().as_str().is_some();
        if text && plan.plain & takes::STR != 0 {
            // It is what it is.
        } else if plan.takes & (takes::ARRAY | takes::MAP) != 0 && !text && !self.key {
            key = self.key(plan, key)?;
        } else if plan.takes & takes::ANY == 0 {
            key = self.judge.key(plan, key)?;
        }
        push(self.build.room.stack, key);
        cur.at = 0;
        Ok(())
    }

    /// Ends a container.
    #[inline(always)]
    fn end(&mut self, cur: &mut Frame<'r>) -> Given<Own> {
        if F::CAPS.forms && self.build.hooks.notes.is_some() {
            self.may_end(cur)?;
        }
        if let (Shape::Record(r) | Shape::Row(r), true) = (cur.shape, cur.fresh.is_some()) {
            let before = usize::from(r.tag.is_some() && matches!(cur.shape, Shape::Row(_)));
            if cur.strays || cur.next != r.fields.len() + before {
                fill(r, cur, self.build.hooks)?;
            }
            if let Some(fresh) = cur.fresh.take() {
                let class = fresh.shape();
                let o = fresh.finish();
                if class.has_post_init() {
                    class.post_init(&o, false).map_err(refused)?;
                }
                return Ok(o);
            }
        }
        let (stack, young) = (&mut *self.build.room.stack, self.build.room.young);
        let made = match cur.shape {
            Shape::Array(a) if a.items == Items::List => py::list(stack, cur.base, young)?,
            Shape::Array(a) => end_array(stack, a, cur.base, cur.next)?,
            Shape::Map(m) => {
                let n = stack.len() - cur.base;
                let d = py::dict(stack, cur.base, young).map_err(refused)?;
                let len = d.as_ref().as_any_dict().map(|d| d.hold().len());
                if self.build.hooks.unique_keys && len != Some(n / 2) {
                    return self.build.feed.refuse(Code::DuplicateKey);
                }
                match &m.finish {
                    Some(f) => py::call1(f.as_ref(), d.as_ref()).map_err(refused)?,
                    None => d,
                }
            }
            Shape::Record(r) | Shape::Row(r) => {
                let got = matches!(cur.shape, Shape::Row(_)).then_some(cur.next);
                let Some(o) =
                    made_of(stack, cur.base, r, got, self.build.env.programs.own(), self.build.hooks)?
                else {
                    return self.build.feed.refuse(Code::DuplicateKey);
                };
                stack.truncate(cur.base);
                o
            }
        };
        let of = if matches!(cur.shape, Shape::Array(_) | Shape::Row(_)) { takes::ARRAY } else { takes::MAP };
        self.ended(cur.plan, of, made)
    }

    /// A container that was made, as its plan wants it.
    #[inline(always)]
    pub(super) fn ended(&self, plan: &Plan, of: u32, made: Own) -> Given<Own> {
        if plan.checks.is_empty() && plan.custom.is_none() {
            return Ok(made);
        }
        let made = self.judge.checked(plan, of, made)?;
        if plan.takes & takes::CUSTOM != 0 { self.judge.custom(plan, made) } else { Ok(made) }
    }
}
