//! Objects out of anything: the hot path of untyped reading.
//!
//! ADVICE FOR HACKERS: what is read goes onto one stack of owned objects. When a container ends,
//! its items are the top of that stack, and how many they are is known, so a list is made at its
//! exact size and a dict from pairs that lie side by side. `run` keeps the innermost open
//! container in locals and the others in `open`, its inner loop is the whole of the work, and
//! a container costs one round of the outer one.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::levels::Levels;
use super::shapes::{At, LOST, ROOT, Shapes};
use super::{Feed, Given, Hooks, Trouble, Why};
use crate::env::Env;
use crate::fault::{Fault, What};
use py::{Own, Ref, Young, push};
use wire::{Code, Kind};

/// A container that is open.
#[derive(Clone, Copy)]
pub(crate) struct Open {
    map: bool,
    /// How high the stack was when it was opened.
    base: usize,
    seq: u64,
    /// The key whose value it is, or is part of.
    around: At,
    /// The key that was met last in it.
    last: At,
}

/// What a build works on.
pub struct Room<'r> {
    pub(crate) stack: &'r mut Vec<Own>,
    pub(crate) open: &'r mut Vec<Open>,
    /// The same of reading by type, empty.
    pub(crate) levels: &'r mut Levels<'static>,
    /// Where the keys on the stack stood, if keys must be unique.
    pub(crate) key_places: &'r mut Vec<usize>,
    pub(crate) shapes: &'r mut Shapes,
    /// Where lists and dicts are made.
    pub(crate) young: Young,
}

impl Room<'_> {
    /// Lets go of what was read when a build ended early, and of what room is seldom needed.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.stack.clear();
        self.open.clear();
        self.key_places.clear();
        if self.stack.capacity() > KEEP {
            self.stack.shrink_to(KEEP);
        }
    }
}

/// A build of objects.
pub struct Build<'r, F> {
    pub(super) feed: F,
    pub(super) hooks: &'r Hooks,
    pub(super) env: &'r Env,
    pub(super) room: Room<'r>,
    /// The input as an object, if parts of it may be shared.
    pub(super) input: Option<Ref<'r>>,
    /// How many containers are open that `open` does not have.
    pub(super) level: usize,
    /// What is read is a key, or part of one.
    pub(super) in_key: bool,
    /// Containers become what they always do.
    pub(super) plain: bool,
}

/// Lists of so many items are filled where they stand, if it is known how many they are.
const LONG: usize = 32;

/// How much stack is kept from call to call.
const KEEP: usize = 16 * 1024;

impl<'r, F: Feed> Build<'r, F> {
    /// Reads one value, which must be all there is. `large` says that it may be of many containers.
    #[inline(always)]
    pub fn run(
        feed: F,
        hooks: &'r Hooks,
        env: &'r Env,
        room: Room<'r>,
        large: bool,
        input: Option<Ref<'r>>,
    ) -> Result<Own, Box<Fault>> {
        let mut b = Build { feed, hooks, env, room, input, level: 0, in_key: false, plain: hooks.plain() };
        // User code might want a collection; and a short input makes too few containers to matter.
        let pause = if large && !hooks.any() { py::pause_gc() } else { None };
        let r = b.any().and_then(|o| {
            b.feed.end()?;
            Ok(o)
        });
        b.room.clear();
        drop(pause);
        r.map_err(fault)
    }

    fn any(&mut self) -> Given<Own> {
        self.room.shapes.tidy();
        let (kind, h) = self.feed.head()?;
        let mut cur = match kind {
            Kind::Map | Kind::Array => {
                // Of each key it is wanted where it stands, if all must differ.
                let guess = self.hooks.guess && !self.hooks.unique_keys;
                self.begin(kind, h, if guess { ROOT } else { LOST })?
            }
            _ => return self.scalar_cold(kind, h),
        };
        self.level = 1;
        'container: loop {
            let mut seq = F::Seq::from(cur.seq);
            if F::CAPS.sized
                && !cur.map
                && self.room.stack.len() == cur.base
                && self.feed.size_hint(&seq) >= LONG
                && let Some(list) = self.long_list(&mut seq)?
            {
                match self.room.open.pop() {
                    Some(outer) => cur = outer,
                    None => return Ok(list),
                }
                push(self.room.stack, list);
                continue;
            }
            let mut guess = if cur.map { self.guess(&cur) } else { LOST };
            // One loop for both sorts of containers: what stands in them is read by the same code, which
            // is most of it.
            let made = loop {
                if cur.map {
                    let expected = self.room.shapes.expected(guess);
                    let key = match &expected.key {
                        Some(key)
                            if self.feed.entry_again(&mut seq, &expected.known, expected.len.into()) =>
                        {
                            cur.last = guess;
                            guess = expected.next;
                            key.clone()
                        }
                        _ if !self.feed.entry(&mut seq)? => break self.end_map(cur.base)?,
                        _ => {
                            let key = self.new_key(&mut cur, guess)?;
                            guess = self.room.shapes.next(cur.last);
                            key
                        }
                    };
                    push(self.room.stack, key);
                } else if !self.feed.item(&mut seq)? {
                    break self.end_array(cur.base)?;
                }
                // Most is text, which is seen before it is asked what else there may be.
                let o = match self.feed.next_text() {
                    Some(h) => self.feed.str(h, None)?,
                    None => match self.feed.head_here()? {
                        (kind @ (Kind::Map | Kind::Array), h) => {
                            cur.seq = seq.into();
                            let around = if cur.map { cur.last } else { cur.around };
                            push(self.room.open, cur);
                            cur = self.begin(kind, h, around)?;
                            continue 'container;
                        }
                        // It is long, or there would be no asking.
                        (Kind::Str, h) => self.feed.str_cold(h)?,
                        // Looked at here, it is a pointer or null; among the others it would be whether it is one, too.
                        (Kind::Number, h) => self.plain_number(h)?,
                        (kind, h) => self.other_scalar(kind, h)?,
                    },
                };
                push(self.room.stack, o);
            };
            match self.room.open.pop() {
                Some(outer) => cur = outer,
                None => return Ok(made),
            }
            push(self.room.stack, made);
        }
    }

    /// A long list of scalars, filled where it stands: room on the stack for so many would be made,
    /// and copied, for nothing. If it holds containers, what was read before the first goes onto the
    /// stack. Whoever calls knows that nothing of it was read yet.
    #[inline(never)]
    fn long_list(&mut self, seq: &mut F::Seq) -> Given<Option<Own>> {
        let (kind, _) = self.feed.head()?;
        if matches!(kind, Kind::Map | Kind::Array) || !self.plain {
            return Ok(None);
        }
        let n = self.feed.size_hint(seq);
        let mut list = py::NewList::new(n)?;
        for _ in 0..n {
            let (kind, h) = self.feed.head()?;
            if matches!(kind, Kind::Map | Kind::Array) {
                break;
            }
            self.feed.item(seq)?;
            let o = self.scalar(kind, h)?;
            list.push(o);
        }
        Ok(list.finish(self.room.stack))
    }

    /// The key that is expected next: the first, or the one after the last. (The root is nobody's
    /// last key, so it stands for none.)
    #[inline(always)]
    fn guess(&self, cur: &Open) -> At {
        if cur.last == ROOT { self.room.shapes.first(cur.around) } else { self.room.shapes.next(cur.last) }
    }

    /// A key that was not guessed: read, and learned for the next time.
    #[inline(always)]
    fn new_key(&mut self, cur: &mut Open, guess: At) -> Given<Own> {
        let mark = self.feed.mark();
        if self.hooks.unique_keys {
            self.room.key_places.push(self.feed.at());
        }
        // There may have been a blank before it, in text.
        let expected = self.room.shapes.expected(guess);
        if !F::CAPS.sized
            && let Some(key) = &expected.key
            && self.feed.again(&expected.known, expected.len.into())
        {
            cur.last = guess;
            return Ok(key.clone());
        }
        let (kind, h) = self.feed.key_head()?;
        let key = if kind == Kind::Str { self.feed.key(h)? } else { self.odd_key(kind, h)? };
        self.feed.value()?;
        // What a moment or an application type becomes is not for its bytes to say.
        if guess == LOST || !matches!(kind, Kind::Str | Kind::Number) {
            cur.last = LOST;
        } else {
            let (from, is_first) = if cur.last == ROOT { (cur.around, true) } else { (cur.last, false) };
            cur.last = self.room.shapes.learn(from, is_first, guess, &key, self.feed.since(mark));
        }
        Ok(key)
    }

    #[inline(always)]
    fn begin(&mut self, kind: Kind, h: F::Head, around: At) -> Given<Open> {
        if self.room.open.len() >= self.hooks.max_depth {
            return self.feed.refuse(Code::Depth);
        }
        let map = kind == Kind::Map;
        let seq = if map { self.feed.map(h)? } else { self.feed.array(h)? };
        Ok(Open { map, base: self.room.stack.len(), seq: seq.into(), around, last: ROOT })
    }

    #[inline(always)]
    pub(super) fn scalar(&mut self, kind: Kind, h: F::Head) -> Given<Own> {
        match kind {
            Kind::Str => self.feed.str(h, None),
            Kind::Number => self.plain_number(h),
            _ => self.other_scalar(kind, h),
        }
    }

    #[inline(always)]
    fn plain_number(&mut self, h: F::Head) -> Given<Own> {
        if F::CAPS.number_text && self.hooks.float.is_some() {
            return self.hooked_number(h);
        }
        self.feed.number(h)
    }

    #[inline(always)]
    fn other_scalar(&mut self, kind: Kind, h: F::Head) -> Given<Own> {
        match kind {
            Kind::Null => {
                self.feed.null(h)?;
                Ok(py::none())
            }
            Kind::Bool => Ok(py::bool(self.feed.bool(h)?)),
            Kind::Bytes if F::CAPS.bytes => self.feed.bytes(h),
            Kind::Time if F::CAPS.time => self.time(h),
            Kind::Ext if F::CAPS.ext => self.ext(h),
            _ => self.feed.refuse(Code::Forbidden),
        }
    }

    /// The same, where it need not be compiled in.
    #[inline(never)]
    pub(super) fn scalar_cold(&mut self, kind: Kind, h: F::Head) -> Given<Own> {
        match kind {
            Kind::Str => self.feed.str_cold(h),
            Kind::Number if F::CAPS.number_text && self.hooks.float.is_some() => self.hooked_number(h),
            Kind::Number => self.number(h, false),
            _ => self.other_scalar(kind, h),
        }
    }

    /// A number; with `float`, as such.
    #[inline(never)]
    pub(super) fn number(&mut self, h: F::Head, float: bool) -> Given<Own> {
        self.feed.number_as(h, float)
    }

    #[cold]
    fn hooked_number(&mut self, h: F::Head) -> Given<Own> {
        match (self.feed.float_text(h)?, &self.hooks.float) {
            (Ok(text), Some(hook)) => Ok(py::call1(hook.as_ref(), text.as_ref())?),
            (Ok(o) | Err(o), _) => Ok(o),
        }
    }

    #[inline(always)]
    fn end_array(&mut self, base: usize) -> Given<Own> {
        if self.plain {
            Ok(py::list(self.room.stack, base, self.room.young)?)
        } else {
            self.room.end_odd_array(self.hooks, base)
        }
    }

    #[inline(always)]
    fn end_map(&mut self, base: usize) -> Given<Own> {
        if self.plain {
            Ok(py::dict(self.room.stack, base, self.room.young)?)
        } else {
            self.room.end_odd_map(self.hooks, base)
        }
    }
}

#[cold]
pub(super) fn fault(t: Trouble) -> Box<Fault> {
    match t.why() {
        Why::Wire(e) => Fault::new(What::Wire(e), String::new()),
        Why::Raised => Fault::new(What::Raised, String::new()),
        Why::Wrong(w) => w.fault(),
    }
}
