//! The walk through Python objects: the hot path of writing.
//!
//! ADVICE FOR HACKERS: `drive` keeps the innermost open container in a local and the others in
//! `parents`; scalars are written where they are met, and only a container that is met inside
//! another costs a round of the outer loop. Every container is held, and every step looks at its
//! size again, because whatever is met on the way may be user code. Nothing borrowed from a
//! container is used after a call that could run some: `other` owns its object first.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::entries::{Entries, Key};
use super::rules::{Order, Rules};
use super::sort::Classes;
use super::{Out, Rendered};
use crate::env::Env;
use crate::fault::{Fault, Path, Stop, What};
use py::{DictKind, Held, Int, ListKind, NotUtf8, Raised, Ref, Seen, TupleKind};
use wire::{Big, Full, Wrote};

/// What writing keeps from call to call.
pub struct Writing {
    pub(crate) text: Vec<u8>,
    pub(crate) parents: Vec<Frame>,
    pub(crate) classes: Classes,
    rendered: Rendered,
}

impl Default for Writing {
    fn default() -> Self {
        Writing { text: Vec::new(), parents: Vec::new(), classes: Classes::default(), rendered: Rendered::new() }
    }
}

/// The part of [`Writing`] that a walk needs.
pub struct Room<'r> {
    pub(crate) text: &'r mut Vec<u8>,
    pub(crate) parents: &'r mut Vec<Frame>,
    pub(crate) classes: &'r mut Classes,
}

impl Writing {
    /// The parts that an [`Out`] needs, and those that a walk needs.
    pub fn split(&mut self) -> (&mut Rendered, Room<'_>) {
        (
            &mut self.rendered,
            Room { text: &mut self.text, parents: &mut self.parents, classes: &mut self.classes },
        )
    }
}

/// A container that is being written.
pub(crate) enum Frame {
    /// A list, the next index, and how long it was.
    List(Held<ListKind>, usize, usize),
    /// A tuple and the next index.
    Tuple(Held<TupleKind>, usize),
    /// A dict, the next place, how many entries it had, and how many are left.
    Dict(Held<DictKind>, isize, usize, usize),
    /// Entries that were gathered.
    Entries(Box<Entries>),
}

pub(crate) type Go = Result<(), Stop>;
/// A value was written, or it is a container that was begun.
pub(crate) type Met = Result<Option<Frame>, Stop>;

/// A walk.
pub struct Walk<'r, O> {
    pub(crate) out: O,
    pub(crate) rules: &'r Rules,
    pub(crate) env: &'r Env,
    pub(crate) room: Room<'r>,
    what: Option<Box<What>>,
}

/// Text room above this is not kept from call to call.
const KEEP: usize = 64 * 1024;

impl<'r, O: Out> Walk<'r, O> {
    /// Writes `root`.
    #[inline(always)]
    pub fn run(out: O, rules: &'r Rules, env: &'r Env, room: Room<'r>, root: Ref<'_>) -> Result<O, Box<Fault>> {
        let mut w = Walk { out, rules, env, room, what: None };
        let failed = w.start(root);
        let r = match failed {
            None => Ok(w.out),
            Some(fault) => Err(fault),
        };
        w.room.parents.clear();
        if w.room.text.capacity() > KEEP {
            *w.room.text = Vec::new();
        }
        r
    }

    #[inline(always)]
    fn start(&mut self, root: Ref<'_>) -> Option<Box<Fault>> {
        match self.value(root) {
            Ok(None) => None,
            Ok(Some(mut cur)) => match self.drive(&mut cur) {
                Ok(()) => None,
                Err(Stop) => Some(self.fault(Some(&cur))),
            },
            Err(Stop) => Some(self.fault(None)),
        }
    }

    fn drive(&mut self, cur: &mut Frame) -> Go {
        'container: loop {
            match cur {
                Frame::List(list, i, n) => loop {
                    if *i == *n {
                        if list.len() != *n {
                            return Err(self.stop(What::Changed("list")));
                        }
                        let wrote = self.out.end_array(*n);
                        self.wrote(wrote)?;
                        break;
                    }
                    let Some(item) = list.get(*i) else { return Err(self.stop(What::Changed("list"))) };
                    *i += 1;
                    if let Some(child) = self.value(item.as_ref())? {
                        drop(item);
                        self.room.parents.push(core::mem::replace(cur, child));
                        continue 'container;
                    }
                    let wrote = self.out.end_item();
                    self.wrote(wrote)?;
                },
                Frame::Dict(dict, place, n, left) => loop {
                    if dict.len() != *n {
                        return Err(self.stop(What::Changed("dict")));
                    }
                    let Some((k, v)) = dict.next(place) else {
                        if *left != 0 {
                            return Err(self.stop(What::Changed("dict")));
                        }
                        let wrote = self.out.end_map(*n);
                        self.wrote(wrote)?;
                        break;
                    };
                    if *left == 0 {
                        return Err(self.stop(What::Changed("dict")));
                    }
                    let Some(key) = k.as_ref().as_str() else {
                        let done = *n - *left;
                        drop((k, v));
                        let entries = self.odd_entries(dict, done)?;
                        *cur = Frame::Entries(Box::new(entries));
                        continue 'container;
                    };
                    *left -= 1;
                    // Large maps seldom share their keys with others.
                    match self.out.key(key, self.room.text, *n <= 64) {
                        Ok(true) => {}
                        Ok(false) => return Err(self.surrogate(NotUtf8(0))),
                        Err(Full) => return Err(self.stop(What::Memory)),
                    }
                    if let Some(child) = self.value(v.as_ref())? {
                        drop((k, v));
                        self.room.parents.push(core::mem::replace(cur, child));
                        continue 'container;
                    }
                    let wrote = self.out.end_entry();
                    self.wrote(wrote)?;
                },
                Frame::Tuple(tuple, i) => loop {
                    let Some(item) = tuple.get(*i) else {
                        let wrote = self.out.end_array(tuple.len());
                        self.wrote(wrote)?;
                        break;
                    };
                    *i += 1;
                    if let Some(child) = self.value_cold(item)? {
                        self.room.parents.push(core::mem::replace(cur, child));
                        continue 'container;
                    }
                    let wrote = self.out.end_item();
                    self.wrote(wrote)?;
                },
                Frame::Entries(entries) => loop {
                    let Some((key, v)) = entries.items.get(entries.done) else {
                        let wrote = self.out.end_map(entries.items.len());
                        self.wrote(wrote)?;
                        break;
                    };
                    entries.done += 1;
                    self.entry_key(key)?;
                    if let Some(child) = self.value_cold(v.as_ref())? {
                        self.room.parents.push(core::mem::replace(cur, child));
                        continue 'container;
                    }
                    let wrote = self.out.end_entry();
                    self.wrote(wrote)?;
                },
            }
            // The container is written; it was a value of the one around it.
            let Some(outer) = self.room.parents.pop() else { return Ok(()) };
            *cur = outer;
            let wrote = match cur {
                Frame::List(..) | Frame::Tuple(..) => self.out.end_item(),
                Frame::Dict(..) | Frame::Entries(..) => self.out.end_entry(),
            };
            self.wrote(wrote)?;
        }
    }

    /// Writes a scalar, or begins a container.
    #[inline(always)]
    pub(crate) fn value(&mut self, o: Ref<'_>) -> Met {
        let wrote = match o.see() {
            Seen::Str(s) => match s.text(self.room.text) {
                Ok(t) => self.out.str(o, t),
                Err(e) => return Err(self.surrogate(e)),
            },
            Seen::Int(i) => match i.get() {
                Int::I64(v) if v.unsigned_abs() <= self.rules.max_int => self.out.i64(o, v),
                other => return self.odd_int(o, other),
            },
            Seen::Bool(v) => self.out.bool(v),
            Seen::None => self.out.null(),
            Seen::Float(v) => {
                if !v.is_finite() && self.rules.finite {
                    return Err(self.stop(What::NonFinite));
                }
                self.out.f64(o, v)
            }
            Seen::List(l) => return self.begin_list(l.hold()),
            Seen::Dict(d) => return self.begin_dict(d.hold()),
            Seen::Tuple(t) => return self.begin_tuple(t.hold()),
            Seen::Other(o) => return self.other(o.own()),
        };
        self.wrote(wrote)?;
        Ok(None)
    }

    /// The same, where it need not be compiled in.
    #[inline(never)]
    pub(crate) fn value_cold(&mut self, o: Ref<'_>) -> Met {
        self.value(o)
    }

    #[inline(always)]
    pub(crate) fn begin_list(&mut self, list: Held<ListKind>) -> Met {
        self.deeper()?;
        let n = list.len();
        let wrote = self.out.begin_array(n);
        self.wrote(wrote)?;
        Ok(Some(Frame::List(list, 0, n)))
    }

    pub(crate) fn begin_tuple(&mut self, tuple: Held<TupleKind>) -> Met {
        self.deeper()?;
        let wrote = self.out.begin_array(tuple.len());
        self.wrote(wrote)?;
        Ok(Some(Frame::Tuple(tuple, 0)))
    }

    #[inline(always)]
    pub(crate) fn begin_dict(&mut self, dict: Held<DictKind>) -> Met {
        if self.rules.order != Order::Stored {
            return self.begin_sorted(dict);
        }
        self.deeper()?;
        let n = dict.len();
        let wrote = self.out.begin_map(n);
        self.wrote(wrote)?;
        Ok(Some(Frame::Dict(dict, 0, n, n)))
    }

    #[cold]
    #[inline(never)]
    fn begin_sorted(&mut self, dict: Held<DictKind>) -> Met {
        let entries = self.odd_entries(&dict, 0)?;
        self.begin_entries(entries)
    }

    pub(crate) fn begin_entries(&mut self, mut entries: Entries) -> Met {
        if self.rules.order != Order::Stored
            && let Err((_, e)) = entries.sort(self.rules.order)
        {
            return Err(self.surrogate(e));
        }
        self.begin_unsorted(entries)
    }

    pub(crate) fn begin_unsorted(&mut self, entries: Entries) -> Met {
        self.deeper()?;
        let wrote = self.out.begin_map(entries.items.len());
        self.wrote(wrote)?;
        Ok(Some(Frame::Entries(Box::new(entries))))
    }

    #[inline(always)]
    fn deeper(&mut self) -> Go {
        if self.depth() > self.rules.max_depth { Err(self.stop(What::Depth(self.rules.max_depth))) } else { Ok(()) }
    }

    /// How deep a container lies that is begun now: those on the stack, the current one, itself.
    #[inline(always)]
    fn depth(&self) -> usize {
        self.room.parents.len() + 1
    }

    /// Room for so many more levels inside the value that is met now.
    pub(crate) fn room_for(&mut self, levels: usize) -> Go {
        if self.depth() + levels > self.rules.max_depth + 1 {
            return Err(self.stop(What::Depth(self.rules.max_depth)));
        }
        Ok(())
    }

    fn entry_key(&mut self, key: &Key) -> Go {
        let wrote = match key {
            Key::Text(o, s) => self.out.spelled_key(o.as_ref(), wire::Str::new(s)),
            Key::Str(o) => match o.as_ref().as_any_str() {
                Some(s) => match self.out.key(s, self.room.text, true) {
                    Ok(true) => Ok(()),
                    Ok(false) => return Err(self.surrogate(NotUtf8(0))),
                    Err(Full) => Err(Full),
                },
                None => return Err(self.stop(What::KeyNotStr)),
            },
        };
        self.wrote(wrote)
    }

    /// An int that is not plainly allowed.
    #[cold]
    #[inline(never)]
    pub(crate) fn odd_int(&mut self, o: Ref<'_>, v: Int<'_>) -> Met {
        let wrote = match v {
            Int::I64(v) if v.unsigned_abs() <= self.rules.max_int => self.out.i64(o, v),
            Int::U64(v) if v <= self.rules.max_int => self.out.u64(o, v),
            Int::Big(b) if self.rules.big_ints && O::CAPS.big != Big::No => {
                let wrote = self.out.big(b);
                self.raised(wrote)?
            }
            _ => return Err(self.stop(What::IntRange(self.rules.int_bits))),
        };
        self.wrote(wrote)?;
        Ok(None)
    }

    #[inline(always)]
    pub(crate) fn wrote(&mut self, w: Wrote) -> Go {
        match w {
            Ok(()) => Ok(()),
            Err(Full) => Err(self.stop(What::Memory)),
        }
    }

    pub(crate) fn raised<T>(&mut self, r: Result<T, Raised>) -> Result<T, Stop> {
        r.map_err(|Raised| self.stop(What::Raised))
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn stop(&mut self, what: What) -> Stop {
        self.what = Some(Box::new(what));
        Stop
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn surrogate(&mut self, e: NotUtf8) -> Stop {
        self.stop(What::Surrogate(e.0))
    }

    /// The fault, with the path that the open containers stand for.
    #[cold]
    #[inline(never)]
    fn fault(&mut self, cur: Option<&Frame>) -> Box<Fault> {
        let what = self.what.take().map_or(What::Raised, |w| *w);
        if what == What::Raised {
            return Fault::new(what, alloc::string::String::new());
        }
        let mut path = Path::new();
        for frame in self.room.parents.iter().chain(cur) {
            match frame {
                Frame::List(_, i, _) | Frame::Tuple(_, i) => path.index(i.saturating_sub(1)),
                Frame::Entries(e) => {
                    if let Some((key, _)) = e.items.get(e.done.saturating_sub(1)) {
                        path.key(&key.lossy());
                    }
                }
                Frame::Dict(dict, _, n, left) => {
                    // The dict is walked again to where it was; it may have changed since.
                    let (mut place, mut key) = (0, None);
                    for _ in 0..*n - *left {
                        key = dict.next(&mut place).map(|(k, _)| k.as_ref().own());
                    }
                    match key.as_ref().and_then(|k| k.as_ref().as_any_str()) {
                        Some(s) => path.key(&s.lossy()),
                        None => path.other("..."),
                    }
                }
            }
        }
        Fault::new(what, path.done())
    }
}
