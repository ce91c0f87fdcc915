//! The walk through Python objects: the hot path of writing.
//!
//! ADVICE FOR HACKERS: each sort of container has a loop of its own, which writes scalars where they are
//! met and calls the loop of whatever container it meets. So the loops call each other, but only
//! [`LEVELS`] deep: at the next container all of them give up what they were at, each as a [`Frame`], and
//! `to_end` goes on from there with an empty thread's stack. That, and what a fault's path is read off, is
//! all that frames are for; a document that is not deep needs none. A loop that is resumed begins where
//! its frame says. `Err(Stop)` means a fault, or with something in `later` that this is to be written first.
//!
//! Every container is held, and every step looks at its size again, because whatever is met on
//! the way may be user code. Nothing borrowed from a container is used after a call that could
//! run some: `other` owns its object first.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::entries::{Gathered, Key, Unsorted};
use super::record::Record;
use super::rules::{Order, Rules};
use super::sort::Classes;
use super::{Out, Rendered, simple};
use crate::env::Env;
use crate::fault::{Fault, Stop, What};
use model::Class;
use py::{DictKind, Held, Instance, Int, ListKind, NotUtf8, Ref, Seen, TupleKind};
use wire::Full;

/// What writing keeps from call to call.
pub struct Writing {
    pub(crate) text: Vec<u8>,
    frames: Vec<Frame>,
    pub(crate) classes: Classes,
    gathered: Gathered,
    rendered: Rendered,
    pub(super) simple: simple::Kept,
}

impl Default for Writing {
    fn default() -> Self {
        Writing {
            text: Vec::new(),
            frames: Vec::new(),
            classes: Classes::default(),
            gathered: Gathered::default(),
            rendered: Rendered::new(),
            simple: simple::Kept::default(),
        }
    }
}

/// The part of [`Writing`] that a walk needs.
pub struct Room<'r> {
    pub(crate) text: &'r mut Vec<u8>,
    pub(crate) classes: &'r mut Classes,
    gathered: &'r mut Gathered,
    frames: &'r mut Vec<Frame>,
}

impl Writing {
    /// The parts that an [`Out`] needs, and those that a walk needs.
    pub fn split(&mut self) -> (&mut Rendered, Room<'_>) {
        (
            &mut self.rendered,
            Room {
                text: &mut self.text,
                frames: &mut self.frames,
                classes: &mut self.classes,
                gathered: &mut self.gathered,
            },
        )
    }
}

/// A container that was left for another, to be written on later.
pub(super) struct Frame {
    pub(super) open: Open,
    /// The next index, or the place of the next entry.
    pub(super) next: isize,
    /// How many items there were; where entries that were gathered end.
    pub(super) n: usize,
    /// How many entries of a dict are left, or of an instance were written; where entries that were gathered
    /// begin.
    pub(super) left: usize,
}

/// A container that is being written.
pub(super) enum Open {
    List(Held<ListKind>),
    Tuple(Held<TupleKind>),
    Dict(Held<DictKind>),
    /// A dict whose keys are integers.
    Ints(Held<DictKind>),
    /// Entries that were gathered.
    Entries,
    /// An instance whose fields are written as they stand.
    Struct(Instance<Class>),
}

/// What became of a value that was met: it was written, or it is a container that was begun.
pub(crate) enum Met {
    Wrote,
    /// It was written, and so was what stands after it.
    Ended,
    List(Held<ListKind>),
    Tuple(Held<TupleKind>),
    Dict(Held<DictKind>),
    /// Entries that were gathered, from this one on.
    Entries(usize),
    /// An instance that is to be begun.
    Struct(Instance<Class>),
}

pub(crate) type Go = Result<(), Stop>;

/// A walk.
pub struct Walk<'r, O: ?Sized> {
    pub(crate) rules: &'r Rules,
    pub(crate) env: &'r Env,
    pub(crate) text: &'r mut Vec<u8>,
    pub(crate) classes: &'r mut Classes,
    pub(crate) gathered: &'r mut Gathered,
    /// How many containers are open.
    pub(crate) depth: usize,
    /// At which depth containers are left for later.
    pub(super) limit: usize,
    /// What is to be written first.
    later: Option<Met>,
    /// The containers that were left for it, of all walks one inside the other.
    pub(super) frames: &'r mut Vec<Frame>,
    /// How many walks are under way inside this one, and how many of these are of keys.
    pub(crate) inner: usize,
    pub(crate) in_keys: usize,
    /// How often the hook was asked for what stands in the place of the value at hand.
    pub(super) hooked: usize,
    /// The class of the model that is being written as what it holds.
    pub(super) model: Option<Arc<Record>>,
    /// Where what is wrong stands in the innermost of these walks.
    pub(super) inside: String,
    /// What is wrong is a key that stands in the path already.
    pub(super) placed: bool,
    pub(super) what: Option<Box<What>>,
    /// The last, so that a walk to any output can be had as one to `dyn Out`.
    pub(crate) out: O,
}

/// A walk as it is for whatever is seldom met.
pub(crate) type Cold<'r, 'o> = Walk<'r, dyn Out + 'o>;

/// Lists of fewer items are not asked what they begin with.
const RUN: usize = 8;

/// How deep the loops call each other. Walks inside of others have the less the more they are.
const LEVELS: usize = 8;

/// Room for more frames is not kept from call to call.
const FRAMES: usize = 1024;

/// Text room above this is not kept from call to call.
const KEEP: usize = 64 * 1024;

impl<'r, O: Out> Walk<'r, O> {
    /// Writes `root`.
    #[inline(always)]
    pub fn run(
        out: O,
        rules: &'r Rules,
        env: &'r Env,
        room: Room<'r>,
        root: Ref<'_>,
    ) -> Result<O, Box<Fault>> {
        let Room { text, classes, gathered, frames } = room;
        let mut w = Walk {
            out,
            rules,
            env,
            text,
            classes,
            gathered,
            depth: 0,
            limit: 0,
            later: None,
            frames,
            inner: 0,
            in_keys: 0,
            hooked: 0,
            model: None,
            inside: String::new(),
            placed: false,
            what: None,
        };
        let r = match w.to_end(|w| w.value_cold(root)) {
            Ok(()) => Ok(()),
            Err(Stop) => {
                let fault = w.cold().fault();
                w.frames.clear();
                Err(fault)
            }
        };
        if w.frames.capacity() > FRAMES {
            *w.frames = Vec::new();
        }
        if w.text.capacity() > KEEP {
            *w.text = Vec::new();
        }
        w.gathered.clear();
        r.map(|()| w.out)
    }

    /// Writes what `begin` begins, to its end.
    #[inline(always)]
    pub(super) fn to_end(&mut self, begin: impl FnOnce(&mut Self) -> Result<Met, Stop>) -> Go {
        let base = self.frames.len();
        self.limit = self.depth + (LEVELS >> self.inner.min(LEVELS)).max(1);
        let gone = begin(self).and_then(|met| self.inside(met));
        if gone.is_ok() { Ok(()) } else { self.go_on(base) }
    }

    /// Writes what was left for later, and then what it was left for: the containers from `base` on. If
    /// something stops that, they stand there as they were found.
    #[cold]
    #[inline(never)]
    fn go_on(&mut self, base: usize) -> Go {
        // From here on they stand as they were left, the innermost first.
        let mut left = base;
        let mut gone = Err(Stop);
        loop {
            if gone.is_err() {
                if let Some(frames) = self.frames.get_mut(left..) {
                    frames.reverse();
                }
                let Some(met) = self.later.take() else { return Err(Stop) };
                left = self.frames.len();
                self.limit = self.depth + LEVELS;
                gone = self.inside(met);
                continue;
            }
            if self.frames.len() <= base {
                return Ok(());
            }
            let Some(frame) = self.frames.pop() else { return Ok(()) };
            left = self.frames.len();
            self.limit = self.depth + LEVELS;
            let wrote = self.out.end_item();
            gone = match self.wrote(wrote) {
                Ok(()) => self.resume(frame),
                Err(Stop) => self.suspend(frame),
            };
        }
    }

    /// Goes on with a container that was left.
    fn resume(&mut self, Frame { open, next, n, left }: Frame) -> Go {
        match open {
            Open::List(l) => self.list(l, next, n),
            Open::Tuple(t) => self.tuple(t, next),
            Open::Dict(d) => self.dict(d, next, n, left),
            Open::Ints(d) => self.ints(d, next, n, left),
            Open::Entries => self.entries(next, n, left),
            Open::Struct(s) => self.fields(s, next, left),
        }
    }

    /// Leaves a container, because of what is in it.
    #[cold]
    #[inline(never)]
    pub(super) fn suspend(&mut self, frame: Frame) -> Go {
        if self.frames.try_reserve(1).is_ok() {
            self.frames.push(frame);
        } else {
            self.later = None;
            self.what = None;
            return Err(self.stop(What::Memory));
        }
        Err(Stop)
    }

    /// Leaves a container that was begun for later.
    #[cold]
    #[inline(never)]
    pub(super) fn later(&mut self, met: Met) -> Go {
        self.later = Some(met);
        Err(Stop)
    }

    /// Whether the next container is to be left for later.
    #[inline(always)]
    pub(super) fn is_deep(&self) -> bool {
        self.depth > self.limit
    }

    /// Writes a container that was begun.
    #[inline(always)]
    pub(super) fn inside(&mut self, met: Met) -> Go {
        match met {
            Met::List(l) => {
                let n = l.len();
                self.list(l, 0, n)
            }
            Met::Dict(d) => {
                let n = d.len();
                self.dict(d, 0, n, n)
            }
            Met::Wrote | Met::Ended => Ok(()),
            met => self.inside_other(met),
        }
    }

    #[inline(never)]
    pub(super) fn inside_other(&mut self, met: Met) -> Go {
        match met {
            Met::Struct(s) => self.fields(s, 0, 0),
            Met::Tuple(t) => self.tuple(t, 0),
            Met::Entries(base) => self.entries(base as isize, self.gathered.len(), base),
            _ => Ok(()),
        }
    }

    #[inline(never)]
    fn list(&mut self, list: Held<ListKind>, mut next: isize, n: usize) -> Go {
        if self.is_deep() {
            return self.later(Met::List(list));
        }
        match self.items(&list, &mut next, n) {
            Ok(()) => {
                list.release();
                self.depth -= 1;
                Ok(())
            }
            Err(Stop) => self.suspend(Frame { open: Open::List(list), next, n, left: 0 }),
        }
    }

    #[inline(always)]
    fn items(&mut self, list: &Held<ListKind>, next: &mut isize, n: usize) -> Go {
        if *next == 0 && n >= RUN {
            self.run_of(list, next)?;
        }
        let structs = list.get(*next as usize).is_some_and(|item| self.is_plain_struct(item.as_ref()));
        loop {
            let i = *next as usize;
            if i == n {
                if list.len() != n {
                    return Err(self.stop(What::Changed("list")));
                }
                let wrote = self.out.end_array(n);
                return self.wrote(wrote);
            }
            let Some(item) = list.get(i) else { return Err(self.stop(What::Changed("list"))) };
            *next += 1;
            if structs && self.env.structs.is_plain_instance(item.as_ref()) {
                self.plain_struct(item.as_ref())?;
            } else {
                match self.value::<true>(item.as_ref())? {
                    Met::Ended => continue,
                    met => self.inside(met)?,
                }
            }
            let wrote = self.out.end_item();
            self.wrote(wrote)?;
        }
    }

    #[inline(never)]
    fn dict(&mut self, dict: Held<DictKind>, mut next: isize, n: usize, mut left: usize) -> Go {
        if self.is_deep() {
            return self.later(Met::Dict(dict));
        }
        match self.pairs(&dict, &mut next, n, &mut left) {
            Ok(true) => {
                dict.release();
                self.depth -= 1;
                Ok(())
            }
            Ok(false) => self.odd_dict(dict, n, left),
            Err(Stop) => self.suspend(Frame { open: Open::Dict(dict), next, n, left }),
        }
    }

    /// Writes the entries of a dict whose keys are text, or what else is written as it stands; false if it
    /// met another key.
    #[inline(always)]
    fn pairs(
        &mut self,
        dict: &Held<DictKind>,
        next: &mut isize,
        n: usize,
        left: &mut usize,
    ) -> Result<bool, Stop> {
        loop {
            if dict.len() != n {
                return Err(self.stop(What::Changed("dict")));
            }
            let Some((k, v)) = dict.next(next) else {
                if *left != 0 {
                    return Err(self.stop(What::Changed("dict")));
                }
                let wrote = self.out.end_map(n);
                self.wrote(wrote)?;
                return Ok(true);
            };
            if *left == 0 {
                return Err(self.stop(What::Changed("dict")));
            }
            *left -= 1;
            if let Some(key) = k.as_ref().as_str() {
                // Large maps seldom share their keys with others.
                match self.out.key(key, self.text, n <= 64) {
                    Ok(true) => {}
                    Ok(false) if self.rules.key_errors().is_none() => {
                        return Err(self.surrogate(NotUtf8(0)));
                    }
                    Ok(false) => return Ok(false),
                    Err(Full) => return Err(self.full()),
                }
            } else if !self.out.caps().str_keys_only
                && !self.rules.quirks.str_keys
                && let Some(key) = self.plain_int(k.as_ref())
            {
                // As a value, it needs no more than it is.
                let wrote = self.out.int_key(k.as_ref(), key);
                self.wrote(wrote)?;
            } else {
                return Ok(false);
            }
            match self.value::<true>(v.as_ref())? {
                Met::Ended => continue,
                met => self.inside(met)?,
            }
            let wrote = self.out.end_item();
            self.wrote(wrote)?;
        }
    }

    /// Writes a dict with keys that are not written as they stand, from the first of these on.
    #[cold]
    #[inline(never)]
    fn odd_dict(&mut self, dict: Held<DictKind>, n: usize, left: usize) -> Go {
        let done = n - left - 1;
        if self.out.caps().str_keys_only && done == 0 && self.int_keys(&dict) {
            return self.ints(dict, 0, n, n);
        }
        match self.gather(&dict) {
            Ok(base) => {
                drop(dict);
                self.entries((base + done) as isize, self.gathered.len(), base)
            }
            // It is about a key, and no entry's.
            Err(Stop) => self.suspend(Frame { open: Open::Dict(dict), next: 0, n, left: n }),
        }
    }

    #[inline(never)]
    fn tuple(&mut self, tuple: Held<TupleKind>, mut next: isize) -> Go {
        if self.is_deep() {
            return self.later(Met::Tuple(tuple));
        }
        let mut items = || {
            while let Some(item) = tuple.get(next as usize) {
                next += 1;
                let met = self.value_cold(item)?;
                self.inside(met)?;
                let wrote = self.out.end_item();
                self.wrote(wrote)?;
            }
            let wrote = self.out.end_array(tuple.len());
            self.wrote(wrote)
        };
        match items() {
            Ok(()) => {
                tuple.release();
                self.depth -= 1;
                Ok(())
            }
            Err(Stop) => self.suspend(Frame { open: Open::Tuple(tuple), next, n: 0, left: 0 }),
        }
    }

    /// Writes the entries that were gathered for a map, from `base` to `end`.
    #[inline(never)]
    fn entries(&mut self, mut next: isize, end: usize, base: usize) -> Go {
        if self.is_deep() {
            return self.later(Met::Entries(base));
        }
        let mut entries = || {
            while (next as usize) < end {
                let at = next as usize;
                next += 1;
                self.entry_key(at)?;
                let Some(v) = self.gathered.take(at) else { return Err(self.stop(What::Memory)) };
                let met = self.value_cold(v.as_ref());
                v.release();
                let met = met?;
                self.inside(met)?;
                let wrote = self.out.end_item();
                self.wrote(wrote)?;
            }
            let wrote = self.out.end_map(end - base);
            self.wrote(wrote)
        };
        match entries() {
            Ok(()) => {
                self.gathered.close(base);
                self.depth -= 1;
                Ok(())
            }
            Err(Stop) => self.suspend(Frame { open: Open::Entries, next, n: end, left: base }),
        }
    }

    /// Writes a scalar, or begins a container. If it is an `ITEM`, or the value of an entry, what stands after
    /// it may be written with it.
    #[inline(always)]
    pub(crate) fn value<const ITEM: bool>(&mut self, o: Ref<'_>) -> Result<Met, Stop> {
        let wrote = match o.see() {
            Seen::Str(s) => match s.text(self.text) {
                Ok(t) if ITEM => self.out.str_item(o, t),
                Ok(t) => self.out.str(o, t),
                Err(e) => return self.odd_text(&o.own(), e),
            },
            Seen::Int(i) => match i.get() {
                Int::I64(v) if v.unsigned_abs() <= self.rules.max_int => {
                    if ITEM {
                        self.out.i64_item(o, v)
                    } else {
                        self.out.i64(o, v)
                    }
                }
                other => return self.odd_int(o, other),
            },
            Seen::Bool(v) if ITEM => self.out.bool_item(v),
            Seen::Bool(v) => self.out.bool(v),
            Seen::None if ITEM => self.out.null_item(),
            Seen::None => self.out.null(),
            Seen::Float(v) => {
                // So written, it is false of NaN.
                if !(v.abs() <= self.rules.max_float) {
                    self.cold().odd_float(v)?;
                }
                let wrote = self.out.f64(o, v);
                if ITEM { wrote.and_then(|()| self.out.end_item()) } else { wrote }
            }
            Seen::List(l) if l.is_empty() => return self.empty_list(),
            Seen::List(l) => return self.begin_list(l.hold()),
            Seen::Dict(d) => return self.begin_dict(d.hold()),
            Seen::Tuple(_)
                if self.rules.quirks.tuple_to_hook && (self.in_keys == 0 || self.rules.quirks.hook_keys) =>
            {
                return self.odd_tuple(o.own());
            }
            Seen::Tuple(t) => return self.begin_tuple(t.hold()),
            Seen::Other(b) if self.out.caps().bytes && b.is_bytes() && self.rules.plain_bytes() => {
                let wrote = self.out.bytes(o, b.as_bytes().unwrap_or_default());
                if ITEM { wrote.and_then(|()| self.out.end_item()) } else { wrote }
            }
            Seen::Other(m) if self.out.caps().time && self.env.moments.is_datetime(m) => {
                return self.datetime(m);
            }
            Seen::Other(o) => return self.other(o),
        };
        self.wrote(wrote)?;
        Ok(if ITEM { Met::Ended } else { Met::Wrote })
    }

    /// The same, where it need not be compiled in.
    #[inline(never)]
    pub(crate) fn value_cold(&mut self, o: Ref<'_>) -> Result<Met, Stop> {
        self.value::<false>(o)
    }

    #[inline(always)]
    pub(crate) fn begin_list(&mut self, list: Held<ListKind>) -> Result<Met, Stop> {
        self.deeper()?;
        let wrote = self.out.begin_array(list.len());
        self.wrote(wrote)?;
        Ok(Met::List(list))
    }

    /// A list that need not be held, because nothing is taken from it.
    #[inline(always)]
    fn empty_list(&mut self) -> Result<Met, Stop> {
        self.room_for(1)?;
        let wrote = self.out.begin_array(0).and_then(|()| self.out.end_array(0));
        self.wrote(wrote)?;
        Ok(Met::Wrote)
    }

    pub(crate) fn begin_tuple(&mut self, tuple: Held<TupleKind>) -> Result<Met, Stop> {
        self.deeper()?;
        let wrote = self.out.begin_array(tuple.len());
        self.wrote(wrote)?;
        Ok(Met::Tuple(tuple))
    }

    #[inline(always)]
    pub(crate) fn begin_dict(&mut self, dict: Held<DictKind>) -> Result<Met, Stop> {
        if self.rules.order != Order::Stored {
            return self.begin_sorted(dict);
        }
        if !self.out.caps().str_keys_only {
            self.no_map_in_keys()?;
        }
        self.deeper()?;
        let wrote = self.out.begin_map(dict.len());
        self.wrote(wrote)?;
        Ok(Met::Dict(dict))
    }

    #[cold]
    #[inline(never)]
    fn begin_sorted(&mut self, dict: Held<DictKind>) -> Result<Met, Stop> {
        self.no_map_in_keys()?;
        if self.rules.quirks.no_sorted_dicts && dict.len() != 0 {
            return Err(self.stop(What::KeyOrder));
        }
        let base = self.gather(&dict)?;
        self.begin_entries(base, self.rules.order)
    }

    /// Begins a map of the entries from `base` on.
    #[inline(never)]
    pub(crate) fn begin_entries(&mut self, base: usize, order: Order) -> Result<Met, Stop> {
        self.no_map_in_keys()?;
        let order = self.encode_keys_for(base, order)?;
        if order != Order::Stored {
            match self.gathered.sort(base, order) {
                Ok(()) => {}
                Err(Unsorted::Surrogate(e)) => return Err(self.surrogate(e)),
                Err(Unsorted::Full) => return Err(self.stop(What::Memory)),
            }
        }
        self.deeper()?;
        let wrote = self.out.begin_map(self.gathered.len() - base);
        self.wrote(wrote)?;
        Ok(Met::Entries(base))
    }

    #[inline(always)]
    fn entry_key(&mut self, at: usize) -> Go {
        let wrote = match self.gathered.key(at) {
            None => Ok(()),
            Some(Key::Text(o, s)) => self.out.spelled_key(o.as_ref(), s),
            Some(Key::Encoded(o, b)) => self.out.raw(o.as_ref(), b).and_then(|()| self.out.end_key()),
            Some(Key::Plain(o)) => match o.as_ref().as_any_str() {
                Some(s) => match self.out.key(s, self.text, true) {
                    Ok(true) => Ok(()),
                    Ok(false) => return Err(self.surrogate(NotUtf8(0))),
                    Err(Full) => Err(Full),
                },
                None if self.out.caps().str_keys_only => return Err(self.stop(What::KeyNotStr)),
                None => {
                    let key = o.clone();
                    let wrote = self.plain_key(&key);
                    self.placed |= wrote.is_err();
                    return wrote;
                }
            },
        };
        self.wrote(wrote)
    }
}
