//! Objects out of anything: the hot path of untyped reading.
//!
//! ADVICE FOR HACKERS: what is read goes onto one stack of owned objects. When a container ends,
//! its items are the top of that stack, and how many they are is known, so a list is made at its
//! exact size and a dict from pairs that lie side by side. `run` keeps the innermost open
//! container in locals and the others in `open`; its two inner loops are the whole of the work,
//! and a container costs one round of the outer one.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::shapes::{At, LOST, ROOT, Shapes};
use super::{Feed, Given, Hooks, Trouble};
use crate::fault::{Fault, What};
use py::Own;
use wire::{Code, Error, Kind};

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
    /// Where the keys on the stack stood, if keys must be unique.
    pub(crate) key_places: &'r mut Vec<usize>,
    pub(crate) shapes: &'r mut Shapes,
}

/// A build of objects.
pub struct Build<'r, F> {
    feed: F,
    hooks: &'r Hooks,
    room: Room<'r>,
}

/// How much stack is kept from call to call.
const KEEP: usize = 16 * 1024;

impl<'r, F: Feed> Build<'r, F> {
    /// Reads one value, which must be all there is. `large` says that it may be of many containers.
    #[inline(always)]
    pub fn run(feed: F, hooks: &'r Hooks, room: Room<'r>, large: bool) -> Result<Own, Box<Fault>> {
        let mut b = Build { feed, hooks, room };
        // User code might want a collection; and a short input makes too few containers to matter.
        let pause = if large && hooks.float.is_none() { py::pause_gc() } else { None };
        let r = b.any().and_then(|o| {
            b.feed.end()?;
            Ok(o)
        });
        b.room.stack.clear();
        b.room.open.clear();
        b.room.key_places.clear();
        if b.room.stack.capacity() > KEEP {
            b.room.stack.shrink_to(KEEP);
        }
        drop(pause);
        r.map_err(fault)
    }

    fn any(&mut self) -> Given<Own> {
        self.room.shapes.tidy();
        let (kind, h) = self.feed.head()?;
        let mut cur = match kind {
            Kind::Map | Kind::Array => self.begin(kind, h, ROOT)?,
            _ => return self.scalar(kind, h),
        };
        'container: loop {
            let mut seq = F::Seq::from(cur.seq);
            let made = if cur.map {
                let mut guess = self.guess(&cur);
                loop {
                    if !self.feed.entry(&mut seq)? {
                        break self.end_map(cur.base)?;
                    }
                    if self.hooks.unique_keys {
                        self.room.key_places.push(self.feed.at());
                    }
                    let (known, len) = self.room.shapes.known(guess);
                    let key = if len != 0 && self.feed.again(known, len) {
                        cur.last = guess;
                        self.room.shapes.key(guess)
                    } else {
                        None
                    };
                    let key = match key {
                        Some(key) => key,
                        None => self.new_key(&mut cur, guess)?,
                    };
                    guess = self.room.shapes.next(cur.last);
                    push(self.room.stack, key);
                    let (kind, h) = self.feed.head()?;
                    if let Kind::Map | Kind::Array = kind {
                        cur.seq = seq.into();
                        let around = cur.last;
                        self.room.open.push(cur);
                        cur = self.begin(kind, h, around)?;
                        continue 'container;
                    }
                    let o = self.scalar(kind, h)?;
                    push(self.room.stack, o);
                }
            } else {
                loop {
                    if !self.feed.item(&mut seq)? {
                        break py::list(self.room.stack, cur.base)?;
                    }
                    let (kind, h) = self.feed.head()?;
                    if let Kind::Map | Kind::Array = kind {
                        cur.seq = seq.into();
                        let around = cur.around;
                        self.room.open.push(cur);
                        cur = self.begin(kind, h, around)?;
                        continue 'container;
                    }
                    let o = self.scalar(kind, h)?;
                    push(self.room.stack, o);
                }
            };
            match self.room.open.pop() {
                Some(outer) => cur = outer,
                None => return Ok(made),
            }
            push(self.room.stack, made);
        }
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
        let (kind, h) = self.feed.key_head()?;
        let key = if kind == Kind::Str { self.feed.key(h)? } else { self.odd_key(kind, h)? };
        self.feed.value()?;
        if guess == LOST {
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
    fn scalar(&mut self, kind: Kind, h: F::Head) -> Given<Own> {
        match kind {
            Kind::Str => self.feed.str(h),
            Kind::Number if F::CAPS.number_text && self.hooks.float.is_some() => self.hooked_number(h),
            Kind::Number => self.feed.number(h),
            Kind::Null => {
                self.feed.null(h)?;
                Ok(py::none())
            }
            Kind::Bool => Ok(py::bool(self.feed.bool(h)?)),
            Kind::Bytes if F::CAPS.bytes => self.feed.bytes(h),
            _ => self.feed.refuse(Code::Forbidden),
        }
    }

    #[cold]
    fn hooked_number(&mut self, h: F::Head) -> Given<Own> {
        match (self.feed.float_text(h)?, &self.hooks.float) {
            (Ok(text), Some(hook)) => Ok(py::call1(hook.as_ref(), text.as_ref())?),
            (Ok(o) | Err(o), _) => Ok(o),
        }
    }

    /// A key that is not text.
    #[cold]
    fn odd_key(&mut self, kind: Kind, h: F::Head) -> Given<Own> {
        if F::CAPS.str_keys_only || matches!(kind, Kind::Map | Kind::Array) {
            return self.feed.refuse(Code::Key);
        }
        self.scalar(kind, h)
    }

    #[inline(always)]
    fn end_map(&mut self, base: usize) -> Given<Own> {
        if self.hooks.unique_keys {
            self.check_keys(base)?;
        }
        Ok(py::dict(self.room.stack, base)?)
    }

    #[cold]
    #[inline(never)]
    fn check_keys(&mut self, base: usize) -> Given<()> {
        let n = (self.room.stack.len() - base) / 2;
        let first = self.room.key_places.len() - n;
        let seen = py::new_dict()?;
        for i in 0..n {
            let key = &self.room.stack[base + 2 * i];
            if seen.as_ref().contains(key.as_ref())? {
                return Err(Trouble::Wire(Error {
                    code: Code::DuplicateKey,
                    at: self.room.key_places[first + i],
                }));
            }
            let name = key.as_ref().as_any_str().map(|s| s.lossy()).unwrap_or_default();
            py::dict_set(&seen, &name, key)?;
        }
        self.room.key_places.truncate(first);
        Ok(())
    }
}

#[inline(always)]
fn push(stack: &mut Vec<Own>, o: Own) {
    if stack.len() == stack.capacity() {
        grow(stack);
    }
    stack.push(o);
}

/// A vector that grows by itself doubles. A large one here grows by a sixteenth: a pointer for each
/// value is several times its text already, and memory of that size is moved by its pages.
#[cold]
#[inline(never)]
fn grow(stack: &mut Vec<Own>) {
    let n = stack.capacity();
    stack.reserve_exact(if n < KEEP { n.max(64) } else { n / 16 });
}

#[cold]
fn fault(t: Trouble) -> Box<Fault> {
    Fault::new(
        match t {
            Trouble::Wire(e) => What::Wire(e),
            Trouble::Raised => What::Raised,
        },
        String::new(),
    )
}
