//! The loops of a walk as what is seldom met sees them: without the format that they are compiled for.
//!
//! What may surprise: the code here is compiled once, and yet writes whole values inside of what it writes: it asks
//! the walk, whatever its format, to go on. Whatever else it needs of the walk it has from [`Cold`].

use super::Out;
use super::leaf::Leaf;
use super::rules::Order;
use super::walk::{Cold, Frame, Go, LEVELS, Met, Walk};
use crate::fault::{Stop, What};
use py::{DictKind, Held, Ref};

/// How many walks can be under way one inside the other.
const INNER: usize = 64;

/// What a walk of any format can be asked for.
pub(super) trait Loops<'r> {
    /// The walk itself, for whatever does not go on walking.
    fn cold(&mut self) -> &mut Cold<'r, '_>;
    /// Writes a scalar, or begins a container.
    fn value(&mut self, o: Ref<'_>) -> Result<Met, Stop>;
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

    fn value(&mut self, o: Ref<'_>) -> Result<Met, Stop> {
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
    /// Begins what came of an object.
    pub(super) fn begin(&mut self, leaf: Leaf) -> Result<Met, Stop> {
        let w = self.cold();
        match leaf {
            Leaf::Wrote => Ok(Met::Wrote),
            Leaf::Row(row) => w.begin_row(row).map(Met::Row),
            Leaf::Dict(d) if w.rules.order == Order::Stored => w.begun_map(d.len()).map(|()| Met::Dict(d)),
            Leaf::Dict(d) => self.begin_sorted(d),
            Leaf::Entries(base, order) => self.begin_entries(base, order),
            Leaf::Value(o) | Leaf::Again(o) => self.value(o.as_ref()),
            Leaf::Set(o) => self.sorted_set(&o),
            Leaf::Told(t) if w.out.caps().ext => self.told(&t),
            Leaf::Told(_) => Ok(Met::Wrote),
            Leaf::Struct(o) => w.begin_struct(o.as_ref()),
            Leaf::Model(record, o) => {
                if let Some(met) = self.plain_model(&record, &o)? {
                    return Ok(met);
                }
                // From here on every model dumps itself, so that this is not met again.
                let leaf = self.cold().resolve(None, o, true)?;
                self.begin(leaf)
            }
        }
    }

    /// Begins a dict whose keys are to be put in an order.
    pub(super) fn begin_sorted(&mut self, dict: Held<DictKind>) -> Result<Met, Stop> {
        let w = self.cold();
        w.no_map_in_keys()?;
        if w.rules.quirks.no_sorted_dicts && dict.len() != 0 {
            return Err(w.stop(What::KeyOrder));
        }
        let order = w.rules.order;
        let base = self.gather(&dict)?;
        self.begin_entries(base, order)
    }

    /// Begins a map of the entries from `base` on.
    #[inline(never)]
    pub(super) fn begin_entries(&mut self, base: usize, order: Order) -> Result<Met, Stop> {
        self.cold().no_map_in_keys()?;
        let order = self.encode_keys_for(base, order)?;
        self.cold().begin_map_of(base, order)
    }

    /// Writes one whole value, as a key or a member of a set is: what it needs is apart from what is
    /// being written around it. Only so many of them can stand one in the other.
    #[inline(never)]
    pub(super) fn whole(&mut self, o: Ref<'_>) -> Go {
        self.apart(&mut |w| w.value(o))
    }

    /// Writes what `begin` begins, to its end.
    #[inline(never)]
    pub(super) fn apart(&mut self, begin: &mut dyn FnMut(&mut Self) -> Result<Met, Stop>) -> Go {
        let w = self.cold();
        if w.aside.inner >= INNER {
            return Err(w.stop(What::Inner(INNER)));
        }
        w.aside.inner += 1;
        let hooked = core::mem::take(&mut w.aside.hooked);
        let (base, limit) = (w.frames.len(), w.limit);
        w.limit = w.depth + (LEVELS >> w.aside.inner.min(LEVELS)).max(1);
        let gone = match begin(self).and_then(|met| self.inside(met)) {
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
                w.limit = w.depth + LEVELS;
                gone = self.inside(met);
                continue;
            }
            if w.frames.len() <= base {
                return Ok(());
            }
            let Some(frame) = w.frames.pop() else { return Ok(()) };
            left = w.frames.len();
            w.limit = w.depth + LEVELS;
            let wrote = w.out.end_item();
            gone = match w.wrote(wrote) {
                Ok(()) => self.resume(frame),
                Err(Stop) => w.suspend(frame),
            };
        }
    }
}
