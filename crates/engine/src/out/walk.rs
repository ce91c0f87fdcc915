//! The walk through Python objects: the hot path of writing.
//!
//! ADVICE FOR HACKERS: each sort of container has a loop of its own, which writes scalars where they are
//! met and calls the loop of whatever container it meets. So the loops call each other, but only
//! [`LEVELS`] deep: at the next container all of them give up what they were at, each as a [`Frame`], and
//! `go_on` goes on from there with an empty thread's stack. That, and what a fault's path is read off, is
//! all that frames are for; a document that is not deep needs none. A loop that is resumed begins where
//! its frame says. `Err(Stop)` means a fault, or with something in `later` that this is to be written first.
//!
//! Every container is held, and every step looks at its size again, because whatever is met on
//! the way may be user code. Nothing borrowed from a container is used after a call that could
//! run some: what a class is asked is asked of an object that is owned ([`Classes::of`]), and hooks, zones and iterators too.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem::ManuallyDrop;

use super::entries::{Gathered, Key, Unsorted};
use super::record::{Object, Record};
use super::rendered::{self, Led, Places};
use super::rules::{Order, Rules};
use super::sort::Classes;
use super::{Out, Rendered, simple};
use crate::env::Env;
use crate::fault::{Fault, Stop, What};
use model::Class;
use py::{DictKind, Held, Instance, Int, NotUtf8, Ref, RowKind, Seen};
use wire::Full;

/// What writing keeps from call to call.
pub struct Writing {
    pub(crate) text: Vec<u8>,
    frames: Vec<Frame>,
    pub(crate) classes: Classes,
    gathered: Gathered,
    rendered: Box<Places>,
    pub(super) simple: simple::Kept,
}

impl Default for Writing {
    fn default() -> Self {
        Writing {
            text: Vec::new(),
            frames: Vec::new(),
            classes: Classes::default(),
            gathered: Gathered::default(),
            rendered: rendered::places(),
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
    pub fn split(&mut self) -> (Rendered<'_>, Room<'_>) {
        (
            Rendered::new(&mut self.rendered),
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
    /// How many items there were; where entries that were gathered end; how many fields are left out.
    pub(super) n: usize,
    /// How many entries of a dict are left, or of an instance were left out; where entries that were gathered
    /// begin.
    pub(super) left: usize,
}

/// A container that is being written.
pub(super) enum Open {
    /// A list or a tuple.
    Row(Held<RowKind>),
    Dict(Held<DictKind>),
    /// A dict whose keys are integers.
    Ints(Held<DictKind>),
    /// Entries that were gathered.
    Entries,
    /// An instance whose fields are written as they stand.
    Struct(Instance<Class>),
    /// The same of a class that is not ours.
    Object(Object),
}

/// A container that was begun.
pub(crate) enum Met {
    /// A list or a tuple.
    Row(Held<RowKind>),
    Dict(Held<DictKind>),
    /// Entries that were gathered, from this one on.
    Entries(usize),
    /// An instance that is to be begun.
    Struct(Instance<Class>),
    /// The same of a class that is not ours.
    Object(Object),
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
    /// The containers that were left for it, of all walks one inside the other.
    pub(super) frames: &'r mut Vec<Frame>,
    /// How many walks under way inside this one are of keys.
    pub(crate) in_keys: usize,
    /// What is seldom wanted.
    pub(crate) aside: &'r mut Aside,
    /// The last, so that a walk to any output can be had as one to `dyn Out`.
    pub(crate) out: O,
}

/// What a walk seldom wants. It stands aside so that what is wanted for every value, the place in the buffer above all,
/// is within 127 bytes of the walk: code for that is shorter, and processors that keep what was just written for whoever
/// reads it next look for no more than that.
#[derive(Default)]
pub(crate) struct Aside {
    /// What is to be written first.
    pub(super) later: Option<Met>,
    /// How many walks are under way inside this one.
    pub(crate) inner: usize,
    /// How often the hook was asked for what stands in the place of the value at hand.
    pub(super) hooked: usize,
    /// The class of the model that is being written as what it holds.
    pub(super) model: Option<Arc<Record>>,
    /// Where what is wrong stands in the innermost of these walks.
    pub(super) inside: String,
    /// What is wrong is a key that stands in the path already.
    pub(super) placed: bool,
    pub(super) what: Option<Box<What>>,
}

impl Aside {
    /// Whether anything is to be let go of, which is seldom so: to ask costs less than to call what does it.
    #[inline(always)]
    fn holds(&self) -> bool {
        self.later.is_some() || self.model.is_some() || self.what.is_some() || self.inside.capacity() != 0
    }
}

/// A walk as it is for whatever is seldom met.
pub(crate) type Cold<'r, 'o> = Walk<'r, dyn Out + 'o>;

/// How deep the loops call each other. Walks inside of others have the less the more they are.
const LEVELS: usize = 8;

/// Room for more frames is not kept from call to call.
const FRAMES: usize = 1024;

/// Text room above this is not kept from call to call.
const KEEP: usize = 64 * 1024;

impl<'r, O: Out> Walk<'r, O> {
    /// Writes `root`. When all is written, `done` takes it out.
    #[inline(always)]
    pub fn run(
        out: O,
        rules: &'r Rules,
        env: &'r Env,
        room: Room<'r>,
        root: Ref<'_>,
        done: impl FnOnce(&mut O),
    ) -> Result<(), Box<Fault>> {
        let Room { text, classes, gathered, frames } = room;
        let mut aside = ManuallyDrop::new(Aside::default());
        let mut w = Walk {
            out,
            rules,
            env,
            text,
            classes,
            gathered,
            depth: 0,
            limit: 0,
            frames,
            in_keys: 0,
            aside: &mut aside,
        };
        w.limit = LEVELS;
        let mut gone = match w.is_plain_struct(root) {
            true => w.plain_struct(root),
            false => w.value_cold(root),
        };
        if gone.is_err() {
            gone = w.seldom().go_on(0);
        }
        let r = match gone {
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
        if w.aside.holds() {
            *w.aside = Aside::default();
        }
        r.map(|()| done(&mut w.out))
    }

    /// Goes on with a container that was left.
    #[inline(never)]
    pub(super) fn resume(&mut self, Frame { open, next, n, left }: Frame) -> Go {
        match open {
            Open::Row(row) => self.row(row, next, n),
            Open::Dict(d) => self.dict(d, next, n, left),
            Open::Struct(s) => self.fields(s, next, left, n),
            open => self.other_container(Frame { open, next, n, left }),
        }
    }

    /// Whether the next container is to be left for later.
    #[inline(always)]
    pub(super) fn is_deep(&self) -> bool {
        self.depth > self.limit
    }

    /// Writes a container that was begun. What stands in it is not what a hook gave for it.
    #[inline(never)]
    pub(super) fn inside_cold(&mut self, met: Met) -> Go {
        self.aside.hooked = 0;
        match met {
            Met::Row(row) => {
                let n = row.len();
                self.row(row, 0, n)
            }
            Met::Dict(d) => {
                let n = d.len();
                self.dict(d, 0, n, n)
            }
            Met::Struct(s) => self.fields(s, 0, 0, 0),
            Met::Entries(_) | Met::Object(_) if self.is_deep() => self.cold().later(met),
            Met::Object(o) => self.other_container(Frame { open: Open::Object(o), next: 0, n: 0, left: 0 }),
            Met::Entries(base) => {
                let n = self.gathered.len();
                self.other_container(Frame { open: Open::Entries, next: base as isize, n, left: base })
            }
        }
    }

    /// Writes an item, or the value of an entry, with what stands before and after it: what is met most in place, and
    /// the rest by a call.
    #[inline(always)]
    pub(super) fn item_after(&mut self, lead: impl Led, o: Ref<'_>) -> Go {
        let wrote = match o.see() {
            Seen::Str(s) => match s.plain() {
                Some(t) => self.out.str_item(lead, o, t),
                None => return self.rest_after(lead, o),
            },
            Seen::Int(i) => {
                // Short ones are below any limit.
                let v = match i.short_signed() {
                    Some(v) => v,
                    None => match i.signed() {
                        Some(v) if v.magnitude <= self.rules.max_int => v,
                        _ => return self.rest_after(lead, o),
                    },
                };
                self.out.signed_item(lead, o, v)
            }
            Seen::None | Seen::Bool(_) => self.out.word_item(lead, o.word()),
            Seen::Float(v) if v.abs() <= self.rules.max_float => self.out.f64_item(lead, o, v),
            Seen::List(l) if l.is_empty() => {
                self.room_for(1)?;
                self.out.empty_item(lead, false)
            }
            // As a key of a map, it is what is asked further on.
            Seen::Dict(d) if d.is_empty() && self.in_keys == 0 => {
                self.room_for(1)?;
                self.out.empty_item(lead, true)
            }
            Seen::Dict(d) if !d.is_empty() && self.rules.order == Order::Stored => {
                let wrote = self.out.lead(lead);
                self.wrote(wrote)?;
                let d = self.begin_dict(d.hold())?;
                let n = d.len();
                self.dict(d, 0, n, n)?;
                self.out.end_item()
            }
            seen => {
                let row = match seen {
                    Seen::List(l) => l.row(),
                    Seen::Tuple(t) if !self.rules.quirks.tuple_to_hook => t.row(),
                    _ => return self.rest_after(lead, o),
                };
                let wrote = self.out.lead(lead);
                self.wrote(wrote)?;
                let row = self.begin_row(row.hold())?;
                let n = row.len();
                self.row(row, 0, n)?;
                self.out.end_item()
            }
        };
        self.wrote(wrote)
    }

    /// The same for fields of objects, which are met less: only texts and short integers are written in place.
    #[inline(never)]
    pub(super) fn field_after(&mut self, lead: impl Led, o: Ref<'_>) -> Go {
        let wrote = match o.see() {
            Seen::Str(s) => match s.plain() {
                Some(t) => self.out.str_item(lead, o, t),
                None => return self.rest_after(lead, o),
            },
            Seen::Int(i) => match i.short_signed() {
                Some(v) => self.out.signed_item(lead, o, v),
                None => return self.rest_after(lead, o),
            },
            _ => return self.rest_after(lead, o),
        };
        self.wrote(wrote)
    }

    /// The same for what is written by a call.
    #[inline(never)]
    pub(super) fn rest_after(&mut self, lead: impl Led, o: Ref<'_>) -> Go {
        let wrote = self.out.lead(lead);
        self.wrote(wrote)?;
        self.item(o)
    }

    /// Writes a value, whatever it is.
    #[inline(never)]
    pub(crate) fn value_cold(&mut self, o: Ref<'_>) -> Go {
        let wrote = match o.see() {
            Seen::Str(s) => match s.text(self.text) {
                Ok(t) => self.out.text(o, t),
                Err(e) => return self.cold().surrogates(&o.own(), e).map(|_| ()),
            },
            Seen::Int(i) => match i.get_cold() {
                Int::I64(v) if v.unsigned_abs() <= self.rules.max_int => self.out.i64(o, v),
                other => return self.seldom().odd_int(o, other),
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
            Seen::List(l) => return self.whole_row(l.row().hold()),
            Seen::Dict(d) if d.is_empty() => return self.cold().empty_dict(),
            Seen::Dict(d) if self.rules.order == Order::Stored => {
                let d = self.begin_dict(d.hold())?;
                return self.inside_cold(Met::Dict(d));
            }
            Seen::Dict(d) => return self.seldom().sorted(d.hold()),
            Seen::Tuple(_) | Seen::Other(_) => return self.rest(o),
        };
        self.wrote(wrote)
    }

    /// The same for what is met less.
    #[inline(never)]
    fn rest(&mut self, o: Ref<'_>) -> Go {
        match o.see() {
            Seen::Tuple(_)
                if self.rules.quirks.tuple_to_hook && (self.in_keys == 0 || self.rules.quirks.hook_keys) =>
            {
                self.seldom().odd_tuple(o.own())
            }
            Seen::Tuple(t) => self.whole_row(t.row().hold()),
            _ => match self.env.moments.exact(o.class()) {
                Some(kind) => self.moment(o, kind),
                None => self.other(o),
            },
        }
    }

    /// A list that need not be held, because nothing is taken from it.
    #[inline(always)]
    fn empty_list(&mut self) -> Go {
        self.room_for(1)?;
        let wrote = self.out.begin_array(0).and_then(|()| self.out.end_array(0));
        self.wrote(wrote)
    }

    /// Begins a list or a tuple, and writes it.
    #[inline(never)]
    fn whole_row(&mut self, row: Held<RowKind>) -> Go {
        let row = self.begin_row(row)?;
        self.inside_cold(Met::Row(row))
    }

    #[inline(always)]
    pub(super) fn entry_key(&mut self, at: usize) -> Go {
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
                    let wrote = self.seldom().plain_key(&key);
                    self.aside.placed |= wrote.is_err();
                    return wrote;
                }
            },
        };
        self.wrote(wrote)
    }
}

impl<O: Out + ?Sized> Walk<'_, O> {
    #[inline(always)]
    pub(crate) fn begin_row(&mut self, row: Held<RowKind>) -> Result<Held<RowKind>, Stop> {
        self.deeper()?;
        let wrote = self.out.begin_array(row.len());
        self.wrote(wrote)?;
        Ok(row)
    }

    #[inline(always)]
    pub(super) fn begin_dict(&mut self, dict: Held<DictKind>) -> Result<Held<DictKind>, Stop> {
        if !self.out.caps().str_keys_only {
            self.no_map_in_keys()?;
        }
        self.deeper()?;
        let wrote = self.out.begin_map(dict.len());
        self.wrote(wrote)?;
        Ok(dict)
    }
}

impl Cold<'_, '_> {
    /// From here on so many levels are written by loops that call each other: the fewer, the more walks are under way.
    #[inline(never)]
    pub(super) fn take_levels(&mut self) {
        self.limit = self.depth + (LEVELS >> self.aside.inner.min(LEVELS)).max(1);
    }

    /// Leaves a container, because of what is in it.
    #[cold]
    #[inline(never)]
    pub(super) fn suspend(&mut self, frame: Frame) -> Go {
        if !push(self.frames, frame) {
            self.aside.later = None;
            return Err(self.stop(What::Memory));
        }
        Err(Stop)
    }

    /// Leaves a container that was begun for later.
    #[cold]
    #[inline(never)]
    pub(super) fn later(&mut self, met: Met) -> Go {
        self.aside.later = Some(met);
        Err(Stop)
    }

    /// Begins a map of the entries from `base` on, which are to stand in this order.
    #[inline(never)]
    pub(super) fn begin_map_of(&mut self, base: usize, order: Order) -> Go {
        if order != Order::Stored {
            match self.gathered.sort(base, order) {
                Ok(()) => {}
                Err(Unsorted::Surrogate(e)) => return Err(self.surrogate(e)),
                Err(Unsorted::Full) => return Err(self.stop(What::Memory)),
            }
        }
        self.begun_map(self.gathered.len() - base)
    }

    /// Begins a map of so many entries.
    #[inline(never)]
    pub(super) fn begun_map(&mut self, n: usize) -> Go {
        self.no_map_in_keys()?;
        self.deeper()?;
        let wrote = self.out.begin_map(n);
        self.wrote(wrote)
    }
}

/// False if there is no memory for it.
#[inline(never)]
fn push(frames: &mut Vec<Frame>, frame: Frame) -> bool {
    let room = frames.try_reserve(1).is_ok();
    if room {
        frames.push(frame);
    }
    room
}
