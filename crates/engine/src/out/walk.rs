//! The walk through Python objects: the hot path of writing.
//!
//! ADVICE FOR HACKERS: `drive` works on the top of a stack of open containers; scalars are
//! written where they are met, and only a container that is met inside another costs a round of
//! the outer loop. Frames are never made and then moved onto the stack: a copy of what was just
//! written, word by word, waits for all the writes (a quarter of the time, when it was so). They
//! stand there blank, and are filled field by field; meeting a container gives a [`Met`] of two
//! words, and not a frame.
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
use model::{Class, Flag};
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

/// A place on the stack of open containers.
#[derive(Default)]
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
#[derive(Default)]
pub(super) enum Open {
    #[default]
    Nothing,
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
    List(Held<ListKind>),
    Tuple(Held<TupleKind>),
    Dict(Held<DictKind>),
    /// Entries that were gathered, from this one on.
    Entries(usize),
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
    /// How many walks are under way inside this one, and how many of these are of keys.
    pub(crate) inner: usize,
    pub(crate) in_keys: usize,
    /// How often the hook was asked for what stands in the place of the value at hand.
    pub(super) hooked: usize,
    /// The class of the model that is being written as what it holds.
    pub(super) model: Option<Arc<Record>>,
    /// Frames for the innermost of these walks.
    pub(super) spare: Vec<Frame>,
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

/// How many blank frames are kept from call to call.
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
            inner: 0,
            in_keys: 0,
            hooked: 0,
            model: None,
            spare: Vec::new(),
            inside: String::new(),
            placed: false,
            what: None,
        };
        let gone = match w.value_cold(root) {
            Ok(Met::Wrote) => Ok(()),
            Ok(met) => w.fill(frames, 0, met).and_then(|()| w.drive(frames)),
            Err(Stop) => Err(Stop),
        };
        let r = match gone {
            Ok(()) => Ok(()),
            Err(Stop) => {
                let fault = w.cold().fault(frames);
                frames.clear();
                Err(fault)
            }
        };
        if frames.len() > FRAMES {
            *frames = Vec::new();
        }
        if w.text.capacity() > KEEP {
            *w.text = Vec::new();
        }
        w.gathered.clear();
        r.map(|()| w.out)
    }

    pub(super) fn drive(&mut self, frames: &mut Vec<Frame>) -> Go {
        let mut top = 0;
        'container: loop {
            let Some(Frame { open, next, n: end, left }) = frames.get_mut(top) else {
                return Err(self.stop(What::Memory));
            };
            let n = *end;
            let met = match open {
                Open::List(list) => {
                    if *next == 0 && n >= RUN {
                        self.run_of(list, next)?;
                    }
                    let mut i = *next as usize;
                    loop {
                        if i == n {
                            if list.len() != n {
                                return Err(self.stop(What::Changed("list")));
                            }
                            let wrote = self.out.end_array(n);
                            self.wrote(wrote)?;
                            break Met::Wrote;
                        }
                        let Some(item) = list.get(i) else { return Err(self.stop(What::Changed("list"))) };
                        i += 1;
                        *next = i as isize;
                        match self.value(item.as_ref())? {
                            Met::Wrote => {}
                            met => break met,
                        }
                        let wrote = self.out.end_item();
                        self.wrote(wrote)?;
                    }
                }
                Open::Dict(dict) => loop {
                    if dict.len() != n {
                        return Err(self.stop(What::Changed("dict")));
                    }
                    let Some((k, v)) = dict.next(next) else {
                        if *left != 0 {
                            return Err(self.stop(What::Changed("dict")));
                        }
                        let wrote = self.out.end_map(n);
                        self.wrote(wrote)?;
                        break Met::Wrote;
                    };
                    if *left == 0 {
                        return Err(self.stop(What::Changed("dict")));
                    }
                    let odd = if let Some(key) = k.as_ref().as_str() {
                        *left -= 1;
                        // Large maps seldom share their keys with others.
                        match self.out.key(key, self.text, n <= 64) {
                            Ok(true) => false,
                            Ok(false) if self.rules.key_errors().is_none() => {
                                return Err(self.surrogate(NotUtf8(0)));
                            }
                            Ok(false) => {
                                *left += 1;
                                true
                            }
                            Err(Full) => return Err(self.full()),
                        }
                    } else if !self.out.caps().str_keys_only
                        && !self.rules.quirks.str_keys
                        && let Some(key) = self.plain_int(k.as_ref())
                    {
                        // As a value, it needs no more than it is.
                        *left -= 1;
                        let wrote = self.out.int_key(k.as_ref(), key);
                        self.wrote(wrote)?;
                        false
                    } else {
                        true
                    };
                    if odd {
                        let done = n - *left;
                        // A fault from here on is about a key, and no entry's.
                        *left = n;
                        if self.out.caps().str_keys_only && done == 0 && self.int_keys(dict) {
                            *next = 0;
                            if let Open::Dict(d) = core::mem::take(open) {
                                set(open, Open::Ints(d));
                            }
                            continue 'container;
                        }
                        let base = self.gather(dict)?;
                        *open = Open::Entries;
                        (*next, *end, *left) = ((base + done) as isize, self.gathered.len(), base);
                        continue 'container;
                    }
                    match self.value(v.as_ref())? {
                        Met::Wrote => {}
                        met => break met,
                    }
                    let wrote = self.out.end_entry();
                    self.wrote(wrote)?;
                },
                Open::Tuple(tuple) => loop {
                    let Some(item) = tuple.get(*next as usize) else {
                        let wrote = self.out.end_array(tuple.len());
                        self.wrote(wrote)?;
                        break Met::Wrote;
                    };
                    *next += 1;
                    match self.value_cold(item)? {
                        Met::Wrote => {}
                        met => break met,
                    }
                    let wrote = self.out.end_item();
                    self.wrote(wrote)?;
                },
                Open::Ints(dict) if self.out.caps().str_keys_only => self.ints(dict, next, n, left)?,
                Open::Struct(s) => self.fields(s.this(), next, left, false)?,
                Open::Entries => self.entries(next, n, *left)?,
                Open::Nothing | Open::Ints(_) => return Ok(()),
            };
            if !matches!(met, Met::Wrote) {
                top += 1;
                self.fill(frames, top, met)?;
                continue;
            }
            // The container is written; it was a value of the one around it.
            match core::mem::take(open) {
                Open::List(l) => l.release(),
                Open::Dict(d) => d.release(),
                other => let_go(other),
            }
            self.depth -= 1;
            if top == 0 {
                return Ok(());
            }
            top -= 1;
            let wrote = match frames.get(top).map(|f| &f.open) {
                Some(Open::List(_) | Open::Tuple(_)) => self.out.end_item(),
                Some(Open::Struct(s)) if s.this().shape().is(Flag::ArrayLike) => self.out.end_item(),
                _ => self.out.end_entry(),
            };
            self.wrote(wrote)?;
        }
    }

    /// Fills a frame with a container that was begun.
    #[inline(always)]
    pub(super) fn fill(&mut self, frames: &mut Vec<Frame>, at: usize, met: Met) -> Go {
        if frames.len() <= at && !grow(frames) {
            return Err(self.stop(What::Memory));
        }
        let Some(f) = frames.get_mut(at) else { return Err(self.stop(What::Memory)) };
        f.next = 0;
        match met {
            Met::List(l) => {
                f.n = l.len();
                set(&mut f.open, Open::List(l));
            }
            Met::Dict(d) => {
                f.n = d.len();
                f.left = f.n;
                set(&mut f.open, Open::Dict(d));
            }
            Met::Struct(s) => {
                f.left = 0;
                set(&mut f.open, Open::Struct(s));
            }
            Met::Tuple(t) => set(&mut f.open, Open::Tuple(t)),
            Met::Entries(base) => {
                (f.next, f.n, f.left) = (base as isize, self.gathered.len(), base);
                set(&mut f.open, Open::Entries);
            }
            Met::Wrote => {}
        }
        Ok(())
    }

    /// Writes the entries that were gathered for a map, from `base` to `end`, up to the next
    /// container. This loop and that of [`Walk::ints`] stand for themselves: compiled into the one
    /// above, they would take registers from it.
    #[inline(never)]
    fn entries(&mut self, next: &mut isize, end: usize, base: usize) -> Result<Met, Stop> {
        loop {
            let at = *next as usize;
            if at >= end {
                let wrote = self.out.end_map(end - base);
                self.wrote(wrote)?;
                self.gathered.close(base);
                return Ok(Met::Wrote);
            }
            *next += 1;
            self.entry_key(at)?;
            let Some(v) = self.gathered.take(at) else { return Err(self.stop(What::Memory)) };
            let met = self.value_cold(v.as_ref());
            v.release();
            match met? {
                Met::Wrote => {}
                met => return Ok(met),
            }
            let wrote = self.out.end_entry();
            self.wrote(wrote)?;
        }
    }

    /// Writes a scalar, or begins a container.
    #[inline(always)]
    pub(crate) fn value(&mut self, o: Ref<'_>) -> Result<Met, Stop> {
        let wrote = match o.see() {
            Seen::Str(s) => match s.text(self.text) {
                Ok(t) => self.out.str(o, t),
                Err(e) => return self.odd_text(&o.own(), e),
            },
            Seen::Int(i) => match i.get() {
                Int::I64(v) if v.unsigned_abs() <= self.rules.max_int => self.out.i64(o, v),
                other => return self.odd_int(o, other),
            },
            Seen::Bool(v) => self.out.bool(v),
            Seen::None => self.out.null(),
            Seen::Float(v) => {
                // So written, it is false of NaN.
                if !(v.abs() <= self.rules.max_float) {
                    self.cold().odd_float(v)?;
                }
                self.out.f64(o, v)
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
                self.out.bytes(o, b.as_bytes().unwrap_or_default())
            }
            Seen::Other(m) if self.out.caps().time && self.env.moments.is_datetime(m) => {
                return self.datetime(m);
            }
            Seen::Other(o) => return self.other(o),
        };
        self.wrote(wrote)?;
        Ok(Met::Wrote)
    }

    /// The same, where it need not be compiled in.
    #[inline(never)]
    pub(crate) fn value_cold(&mut self, o: Ref<'_>) -> Result<Met, Stop> {
        self.value(o)
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

/// Whether a value is written where it is met.
#[inline(always)]
pub(super) fn is_scalar(o: Ref<'_>) -> bool {
    matches!(o.see(), Seen::Str(_) | Seen::Int(_) | Seen::None | Seen::Float(_) | Seen::Bool(_))
}

/// Fills a blank frame. What it held was taken out when it ended, so there is nothing to drop,
/// which the compiler cannot know.
#[inline(always)]
fn set(open: &mut Open, new: Open) {
    core::mem::forget(core::mem::replace(open, new));
}

#[inline(never)]
fn let_go(open: Open) {
    drop(open);
}

/// More blank frames; false if there is no memory for them.
#[cold]
#[inline(never)]
fn grow(frames: &mut Vec<Frame>) -> bool {
    let more = frames.len().max(16);
    if frames.try_reserve_exact(more).is_err() {
        return false;
    }
    frames.resize_with(frames.len() + more, Frame::default);
    true
}
