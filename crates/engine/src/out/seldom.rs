//! The loops of a walk as what is seldom met sees them: without the format that they are compiled for.
//!
//! What may surprise: the code here is compiled once, and yet writes whole values inside of what it writes: it asks
//! the walk, whatever its format, to go on. Whatever else it needs of the walk it has from [`Cold`].

use super::Out;
use super::leaf::Leaf;
use super::rules::Order;
use super::walk::{Cold, Frame, Go, Met, Walk};
use crate::fault::{Stop, What};
use py::{DictKind, Held, Ref};

/// How many walks can be under way one inside the other.
const INNER: usize = 64;

/// What a walk of any format can be asked for.
pub(super) trait Loops<'r> {
    /// The walk itself, for whatever does not go on walking.
    fn cold(&mut self) -> &mut Cold<'r, '_>;
    /// Writes a value, whatever it is.
    fn value(&mut self, o: Ref<'_>) -> Go;
    /// Writes a container that was begun.
    fn inside(&mut self, met: Met) -> Go;
    /// Goes on with a container that was left.
    fn resume(&mut self, frame: Frame) -> Go;
}

/// A walk that can be asked to go on, for what is seldom met.
pub(super) type Seldom<'r, 'o> = dyn Loops<'r> + 'o;

impl<'r, O: Out> Loops<'r> for Walk<'r, O> {
    fn cold(&mut self) -> &mut Cold<'r, '_> {
        self
    }

    fn value(&mut self, o: Ref<'_>) -> Go {
        self.value_cold(o)
    }

    fn inside(&mut self, met: Met) -> Go {
        self.inside_cold(met)
    }

    fn resume(&mut self, frame: Frame) -> Go {
        self.resume(frame)
    }
}

impl<'r, O: Out> Walk<'r, O> {
    /// The walk for whatever is seldom met, and does not go on walking.
    pub(crate) fn cold<'s>(&'s mut self) -> &'s mut Cold<'r, 's>
    where
        O: 's,
    {
        self
    }

    /// The walk for whatever is seldom met.
    #[inline(always)]
    pub(super) fn seldom<'s>(&'s mut self) -> &'s mut Seldom<'r, 's>
    where
        O: 's,
    {
        self
    }
}

impl Seldom<'_, '_> {
    /// Writes what came of an object. Hooks that gave it are not counted any more when that is done, nor inside of it.
    pub(super) fn place(&mut self, leaf: Leaf) -> Go {
        let w = self.cold();
        match leaf {
            Leaf::Wrote => {}
            Leaf::Row(row) => {
                let row = w.begin_row(row)?;
                return self.inside(Met::Row(row));
            }
            Leaf::Dict(d) if w.rules.order == Order::Stored => {
                w.begun_map(d.len())?;
                return self.inside(Met::Dict(d));
            }
            Leaf::Dict(d) => return self.sorted(d),
            Leaf::Entries(base, order) => return self.entries(base, order),
            Leaf::Value(o) | Leaf::Again(o) => self.value(o.as_ref())?,
            Leaf::Set(o) => self.sorted_set(&o)?,
            Leaf::Told(t) if w.out.caps().ext => self.told(&t)?,
            Leaf::Told(_) => {}
            Leaf::Struct(o) => {
                let s = w.instance(o.as_ref())?;
                drop(o);
                return self.inside(Met::Struct(s));
            }
            Leaf::Model(record, o) => {
                if !self.plain_model(&record, &o)? {
                    // From here on every model dumps itself, so that this is not met again.
                    let leaf = self.cold().resolve(None, o, true)?;
                    self.place(leaf)?;
                }
            }
        }
        self.cold().aside.hooked = 0;
        Ok(())
    }

    /// Writes a dict whose keys are to be put in an order.
    pub(super) fn sorted(&mut self, dict: Held<DictKind>) -> Go {
        let w = self.cold();
        w.no_map_in_keys()?;
        if w.rules.quirks.no_sorted_dicts && dict.len() != 0 {
            return Err(w.stop(What::KeyOrder));
        }
        let order = w.rules.order;
        let base = self.gather(&dict)?;
        drop(dict);
        self.entries(base, order)
    }

    /// Writes a map of the entries from `base` on.
    #[inline(never)]
    pub(super) fn entries(&mut self, base: usize, order: Order) -> Go {
        self.cold().no_map_in_keys()?;
        let order = self.encode_keys_for(base, order)?;
        self.cold().begin_map_of(base, order)?;
        self.inside(Met::Entries(base))
    }

    /// Writes one whole value, as a key or a member of a set is: what it needs is apart from what is
    /// being written around it. Only so many of them can stand one in the other.
    #[inline(never)]
    pub(super) fn whole(&mut self, o: Ref<'_>) -> Go {
        self.apart(&mut |w| w.value(o))
    }

    /// Writes what `write` writes, to its end.
    #[inline(never)]
    pub(super) fn apart(&mut self, write: &mut dyn FnMut(&mut Self) -> Go) -> Go {
        let w = self.cold();
        if w.aside.inner >= INNER {
            return Err(w.stop(What::Inner(INNER)));
        }
        w.aside.inner += 1;
        let hooked = core::mem::take(&mut w.aside.hooked);
        let (base, limit) = (w.frames.len(), w.limit);
        w.take_levels();
        let gone = match write(self) {
            Ok(()) => Ok(()),
            Err(Stop) => self.go_on(base),
        };
        let w = self.cold();
        w.limit = limit;
        if gone.is_err() {
            return Err(w.stopped_inside(base));
        }
        w.aside.hooked = hooked;
        w.aside.inner -= 1;
        Ok(())
    }

    /// Writes what was left for later, and then what it was left for: the containers from `base` on. If
    /// something stops that, they stand there as they were found.
    #[cold]
    #[inline(never)]
    pub(super) fn go_on(&mut self, base: usize) -> Go {
        // From here on they stand as they were left, the innermost first.
        let mut left = base;
        let mut gone = Err(Stop);
        loop {
            let w = self.cold();
            if gone.is_err() {
                if let Some(frames) = w.frames.get_mut(left..) {
                    frames.reverse();
                }
                let Some(met) = w.aside.later.take() else { return Err(Stop) };
                left = w.frames.len();
                w.take_levels();
                gone = self.inside(met);
                continue;
            }
            if w.frames.len() <= base {
                return Ok(());
            }
            let Some(frame) = w.frames.pop() else { return Ok(()) };
            left = w.frames.len();
            w.take_levels();
            let wrote = w.out.end_item();
            gone = match w.wrote(wrote) {
                Ok(()) => self.resume(frame),
                Err(Stop) => w.suspend(frame),
            };
        }
    }
}
