//! Objects out of anything, as their type says: the hot path of typed reading.
//!
//! ADVICE FOR HACKERS: as in `any`, what is read goes onto one stack, and the innermost open container is
//! the last of those that are open. Fields of a class are the exception: they go straight into the instance.
//! Each place has a plan; what one look at the plan settles is done here, and whatever it does not is
//! `judge`'s. Nothing is known of a path until something is wrong: then it is read off what is open. Frames
//! are filled where they stand and never moved: they are large.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::any::{Build, fault, push};
use super::judge::{Judge, Wrong, name_of, refused, unexpected};
use super::{Feed, Given, Hooks, Room, Trouble};
use crate::env::Env;
use crate::fault::{Fault, Path};
use model::{Array, Class, Items, Known, Map, Plan, Program, Record, Which, takes};
use py::{Flags, Fresh, Own, Ref};
use wire::{Code, Kind};

/// Nothing in particular of a container.
pub(super) const NOWHERE: usize = usize::MAX;

/// A key of a map of any keys.
const IN_KEY: usize = usize::MAX - 1;

/// What an open container is.
pub(crate) enum Shape<'p> {
    /// An array.
    Array(&'p Array),
    /// A map of any keys.
    Map(&'p Map),
    /// A record as a map.
    Record(&'p Record),
    /// A record as an array.
    Row(&'p Record),
}

/// A container that is open.
pub(crate) struct Frame<'p> {
    pub(super) shape: Shape<'p>,
    /// The instance, if its fields go straight into one.
    pub(super) fresh: Option<Fresh<'p, Class>>,
    /// What was expected where it stands.
    pub(super) plan: &'p Plan,
    pub(super) seq: u64,
    /// How high the stack was when it was opened.
    pub(super) base: usize,
    /// Which field, or which item, is being read.
    pub(super) at: usize,
    /// The field that is expected next, or how many items were begun.
    pub(super) next: usize,
}

/// A build of objects of a type.
pub struct Typed<'r, F> {
    pub(super) build: Build<'r, F>,
    pub(super) program: &'r Program,
    /// What is read is a key.
    pub(super) key: bool,
}

/// How many frames are kept from call to call.
const FRAMES: usize = 1024;

/// The room of frames that are gone, for frames of another program: none is left, so none is converted.
fn recycled<'a>(mut frames: Vec<Frame<'_>>) -> Vec<Frame<'a>> {
    frames.clear();
    frames.into_iter().map_while(|_| None).collect()
}

fn is_set(o: Ref<'_>) -> bool {
    matches!(o.class().flags(), Flags::Set)
}

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
        let mut frames = recycled(core::mem::take(room.frames));
        let build = Build { feed, hooks, env, room, input, level: 0, in_key: false };
        let mut t = Typed { build, program, key: false };
        let pause = if large && !hooks.any() && !program.calls { py::pause_gc() } else { None };
        let r = t.whole(program.plan(program.root), &mut frames);
        if frames.capacity() <= FRAMES {
            *t.build.room.frames = recycled(frames);
        }
        t.build.room.clear();
        drop(pause);
        r.map_err(fault)
    }

    /// Who judges what is read.
    #[inline(always)]
    pub(super) fn judge(&self) -> Judge<'r> {
        Judge { env: self.build.env, hooks: self.build.hooks, bytes: F::CAPS.bytes }
    }

    pub(super) fn whole(&mut self, plan: &'r Plan, open: &mut Vec<Frame<'r>>) -> Given<Own> {
        let (mut kind, h) = self.build.feed.head()?;
        if F::CAPS.forms {
            match self.object(plan, kind)? {
                Ok(o) => return Ok(o),
                Err(known) => kind = known,
            }
        }
        let o = if matches!(kind, Kind::Map | Kind::Array) && Self::opens(plan) {
            self.begin(plan, kind, h, open)
                .and_then(|()| self.containers(open))
                .map_err(|t| self.with_path(t, open))?
        } else {
            self.leaf(plan, kind, h)?
        };
        self.build.feed.end()?;
        Ok(o)
    }

    fn containers(&mut self, open: &mut Vec<Frame<'r>>) -> Given<Own> {
        loop {
            self.build.level = open.len();
            let Some(cur) = open.last_mut() else { return self.build.feed.refuse(Code::Forbidden) };
            if let Some((plan, kind, h)) = self.inside(cur)? {
                self.begin(plan, kind, h, open)?;
                continue;
            }
            let made = self.end(cur)?;
            open.truncate(open.len() - 1);
            match open.last_mut() {
                Some(outer) => self.store(outer, made),
                None => return Ok(made),
            }
        }
    }

    /// Reads what stands in a container, until it ends or another begins in it.
    #[inline(always)]
    fn inside(&mut self, cur: &mut Frame<'r>) -> Given<Option<(&'r Plan, Kind, F::Head)>> {
        let mut seq = F::Seq::from(cur.seq);
        let program = self.program;
        let known: &'r [Known] = match cur.shape {
            Shape::Record(r) => r.known.get(self.place()).map_or(&[], |k| k),
            _ => &[],
        };
        loop {
            cur.at = NOWHERE;
            let more = match cur.shape {
                Shape::Record(_) | Shape::Map(_) => self.build.feed.entry(&mut seq)?,
                Shape::Array(_) | Shape::Row(_) => self.build.feed.item(&mut seq)?,
            };
            if !more {
                return Ok(None);
            }
            let i = cur.next;
            let plan: Option<&'r Plan> = match cur.shape {
                Shape::Record(r) => match known.get(i) {
                    Some(k) if k.len != 0 && self.build.feed.again(&k.text, k.len) => {
                        (cur.at, cur.next) = (i, i + 1);
                        Some(program.plan(k.plan))
                    }
                    _ => match self.field(r, cur)? {
                        Some(i) => {
                            (cur.at, cur.next) = (i, i + 1);
                            r.fields.get(i).map(|f| program.plan(f.plan))
                        }
                        None => continue,
                    },
                },
                Shape::Array(a) => {
                    (cur.at, cur.next) = (i, i + 1);
                    let i = if a.items == Items::Fixed { i } else { 0 };
                    a.plans.get(i).map(|p| program.plan(*p))
                }
                Shape::Map(m) => {
                    self.map_key(m, cur)?;
                    Some(program.plan(m.value))
                }
                Shape::Row(r) => match self.row_item(r, cur)? {
                    Some(p) => Some(p),
                    None => continue,
                },
            };
            let Some(plan) = plan else {
                self.pass()?;
                continue;
            };
            let (mut kind, h) = match self.build.feed.text_head() {
                Some(h) if plan.plain & takes::STR != 0 => (Kind::Str, h),
                _ => self.build.feed.head()?,
            };
            if F::CAPS.forms {
                match self.object(plan, kind)? {
                    Ok(o) => {
                        self.store(cur, o);
                        continue;
                    }
                    Err(known) => kind = known,
                }
            }
            let o = match kind {
                Kind::Str if plan.plain & takes::STR != 0 => self.build.feed.str(h)?,
                Kind::Number if plan.plain & (takes::INT | takes::FLOAT) != 0 => self.number(plan, h)?,
                Kind::Map | Kind::Array if Self::opens(plan) => {
                    cur.seq = seq.into();
                    return Ok(Some((plan, kind, h)));
                }
                _ => self.leaf(plan, kind, h)?,
            };
            self.store(cur, o);
        }
    }

    /// Whether a container that stands here is opened, and not taken whole.
    #[inline(always)]
    fn opens(plan: &Plan) -> bool {
        plan.takes & if F::CAPS.forms { takes::NUMBERS } else { takes::WHOLE } == 0
    }

    /// Whose spelling of keys is expected: nobody's, if it matters which keys there were.
    #[inline(always)]
    pub(super) fn place(&self) -> usize {
        if self.build.hooks.unique_keys { NOWHERE } else { F::CAPS.place }
    }

    /// Puts a value where it belongs.
    #[inline(always)]
    fn store(&mut self, cur: &mut Frame<'r>, o: Own) {
        match &mut cur.fresh {
            Some(fresh) => fresh.put(cur.at, o),
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
    fn number(&mut self, plan: &Plan, h: F::Head) -> Given<Own> {
        let o = self.build.feed.number_as(h, plan.plain & takes::INT == 0)?;
        let bit = if o.as_ref().as_float().is_some() { takes::FLOAT } else { takes::INT };
        if plan.plain & bit != 0 { Ok(o) } else { self.judge().scalar(plan, o) }
    }

    /// A value that is no container, and not settled yet.
    #[inline(never)]
    fn leaf(&mut self, plan: &'r Plan, kind: Kind, h: F::Head) -> Given<Own> {
        let t = plan.takes;
        if t & takes::ANY == 0 {
            if t & takes::WHOLE != 0
                && let Some(o) = self.taken_whole(plan, kind, h)?
            {
                return Ok(o);
            }
            let o = match kind {
                Kind::Number if F::CAPS.number_text && t & takes::DECIMAL != 0 => {
                    match self.build.feed.float_text(h)? {
                        Ok(text) if t & (takes::INT | takes::FLOAT) != 0 => {
                            super::judge::helper_of(c"number", &[text.as_ref()]).map_err(refused)?
                        }
                        Ok(o) | Err(o) => o,
                    }
                }
                Kind::Ext if F::CAPS.ext && t & takes::EXT != 0 => {
                    let (code, body) = self.build.feed.ext(h)?;
                    let (code, body) = (py::int(code.into())?, py::bytes(body)?);
                    py::call(self.build.env.spliced.ext().as_ref(), &[code.as_ref(), body.as_ref()])?
                }
                _ => self.build.scalar_cold(kind, h)?,
            };
            return self.judge().scalar(plan, o);
        }
        self.build.scalar_cold(kind, h)
    }

    /// Passes over a value.
    #[inline(never)]
    pub(super) fn pass(&mut self) -> Given<()> {
        self.build.feed.skip()
    }

    /// Opens a container.
    #[inline(never)]
    fn begin(&mut self, plan: &'r Plan, kind: Kind, h: F::Head, open: &mut Vec<Frame<'r>>) -> Given<()> {
        if open.len() >= self.build.hooks.max_depth {
            return self.too_deep();
        }
        self.build.level = open.len() + 1;
        let program = self.program;
        // What is of no type of ours is read as any value is, and looked at when it is whole.
        let how = if plan.takes & takes::CUSTOM != 0 { program.plan(0) } else { plan };
        let (seq, shape, next) = if kind == Kind::Map {
            let Some(map) = how.map.and_then(|i| program.maps.get(i)) else {
                return Err(self.wrong_kind(plan, "object"));
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
                return Err(self.wrong_kind(plan, "array"));
            };
            // What has no order has no first item.
            let ordered = matches!(array.items, Items::Fixed | Items::Record | Items::Tagged);
            if F::CAPS.forms && ordered && self.build.feed.object().is_some_and(|o| is_set(o.as_ref())) {
                return Err(self.wrong_kind(plan, "array"));
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
        let mut fresh = None;
        if let Shape::Record(r) | Shape::Row(r) = shape {
            match &r.maker {
                Some(maker) => fresh = Some(maker.fresh()?),
                // Room for the fields, with what nobody else has in it.
                None => {
                    for _ in 0..r.fields.len() {
                        push(self.build.room.stack, self.build.env.programs.own().clone());
                    }
                }
            }
        }
        push(open, Frame { shape, fresh, plan, seq: seq.into(), base, at: NOWHERE, next });
        Ok(())
    }

    #[cold]
    #[inline(never)]
    pub(super) fn too_deep<T>(&self) -> Given<T> {
        if F::CAPS.forms {
            return Err(Wrong::of("Containers nest too deep, or contain themselves".into()));
        }
        self.build.feed.refuse(Code::Depth)
    }

    #[cold]
    fn wrong_kind(&self, plan: &Plan, kind: &str) -> Trouble {
        match self.build.feed.object() {
            Some(o) if F::CAPS.forms => unexpected(plan, &name_of(o.as_ref(), self.build.env)),
            _ => unexpected(plan, kind),
        }
    }

    pub(super) fn record(&self, i: usize) -> Given<&'r Record> {
        match self.program.records.get(i) {
            Some(r) => Ok(r),
            None => self.build.feed.refuse(Code::Forbidden),
        }
    }

    /// Reads a key that is a key of any sort, onto the stack.
    #[inline(never)]
    fn map_key(&mut self, m: &Map, cur: &mut Frame<'r>) -> Given<()> {
        cur.at = IN_KEY;
        let mut key = self.any_key()?;
        let plan = self.program.plan(m.key);
        let text = key.as_ref().as_str().is_some();
        if plan.takes & (takes::ARRAY | takes::MAP) != 0 && !text && !self.key {
            key = self.key(plan, key)?;
        } else if plan.takes & takes::ANY == 0 && !(plan.plain & takes::STR != 0 && text) {
            key = self.judge().key(plan, key, F::CAPS.str_keys_only || self.build.hooks.text_keys)?;
        }
        push(self.build.room.stack, key);
        cur.at = 0;
        Ok(())
    }

    /// Ends a container.
    #[inline(always)]
    fn end(&mut self, cur: &mut Frame<'r>) -> Given<Own> {
        cur.at = NOWHERE;
        if let (Shape::Record(r) | Shape::Row(r), Some(fresh)) = (&cur.shape, &mut cur.fresh) {
            let mut missing = false;
            for i in 0..r.fields.len() {
                missing |= !fresh.has(i);
            }
            let whole = r.fields.len() + usize::from(r.tag.is_some());
            if missing || matches!(cur.shape, Shape::Row(_)) && cur.next != whole {
                self.fill(r, cur)?;
            }
            if let Some(fresh) = cur.fresh.take() {
                let class = fresh.shape();
                let o = fresh.finish();
                if class.has_post_init() {
                    class.post_init(&o).map_err(refused)?;
                }
                return Ok(o);
            }
        }
        let stack = &mut *self.build.room.stack;
        let made = match cur.shape {
            Shape::Array(a) if a.items == Items::List => py::list(stack, cur.base)?,
            Shape::Array(a) => super::records::end_array(stack, a, cur)?,
            Shape::Map(m) => {
                let n = stack.len() - cur.base;
                let d = py::dict(stack, cur.base).map_err(refused)?;
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
                let o = self.end_record(r, cur)?;
                self.build.room.stack.truncate(cur.base);
                o
            }
        };
        if cur.plan.checks.is_empty() && cur.plan.custom.is_none() {
            return Ok(made);
        }
        let of = if matches!(cur.shape, Shape::Array(_) | Shape::Row(_)) { takes::ARRAY } else { takes::MAP };
        let made = self.judge().checked(cur.plan, of, made)?;
        if cur.plan.takes & takes::CUSTOM != 0 { self.judge().custom(cur.plan, made) } else { Ok(made) }
    }

    /// A fault with its path, which is read off what is open.
    #[cold]
    #[inline(never)]
    fn with_path(&self, t: Trouble, open: &[Frame<'r>]) -> Trouble {
        let Trouble::Wrong(mut w) = t else { return t };
        let mut path = Path::new();
        let mut in_key = false;
        for f in open {
            match (&f.shape, f.at) {
                (_, NOWHERE) => {}
                (Shape::Map(_), IN_KEY) => in_key = true,
                (Shape::Map(_), _) => path.other("..."),
                (Shape::Record(r), at) => match r.fields.get(at) {
                    Some(f) => path.field(&super::judge::text(f.key.as_ref())),
                    None => {
                        let tag = r.tag.as_ref().map(|(key, _)| super::judge::text(key.as_ref()));
                        path.field(&tag.unwrap_or_default());
                    }
                },
                (Shape::Row(r), at) if r.tag.is_some() => {
                    path.index(if at < r.fields.len() { at + 1 } else { 0 });
                }
                (_, at) => path.index(at),
            }
        }
        let extra = core::mem::take(&mut w.path);
        let path = path.done();
        let (frame, first, last) =
            if in_key { ("key{}` in `{}", extra, path) } else { ("{}{}", path, extra) };
        w.path = py::words(frame, &[(&first).into(), (&last).into()]);
        Trouble::Wrong(w)
    }

    /// The value is not what its type says, at a place of the container that is about to be opened.
    #[cold]
    pub(super) fn wrong_below<T>(&self, words: alloc::string::String, below: &str) -> Given<T> {
        let t = Wrong::of(words);
        let Trouble::Wrong(mut w) = t else { return Err(t) };
        w.path.push_str(below);
        Err(Trouble::Wrong(w))
    }
}
