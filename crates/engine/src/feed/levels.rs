//! Containers that are open while a type is read, and the path to what is wrong, which is read off them.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem::ManuallyDrop;
use wire::say;

use super::judge::{Wrong, text};
use crate::fault::Path;
use model::{Array, Class, Map, Plan, Record};
use py::{Fresh, Own};

/// Nothing in particular of a container.
pub(super) const NOWHERE: usize = usize::MAX;

/// A key of a map of any keys.
pub(super) const IN_KEY: usize = usize::MAX - 1;

/// What an open container is.
#[derive(Clone, Copy)]
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
    /// The instance, if its fields go straight into one. [`Levels`] gives back what is left here.
    pub(super) fresh: ManuallyDrop<Option<Fresh<'p, Class>>>,
    /// Some key was not the one that was expected.
    pub(super) strays: bool,
    /// Something in it is wrong, so nothing is made of it.
    pub(super) spoiled: bool,
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

/// All that is open.
#[derive(Default)]
pub(crate) struct Levels<'p>(pub(super) Vec<Frame<'p>>);

impl Levels<'_> {
    /// The room of it, for another program.
    #[inline(always)]
    pub(super) fn emptied<'a>(self) -> Levels<'a> {
        let mut emptied = ManuallyDrop::new(self);
        emptied.clear();
        Levels(py::emptied(core::mem::take(&mut emptied.0)))
    }

    #[inline(always)]
    fn clear(&mut self) {
        if !self.0.is_empty() {
            self.give_back();
        }
    }

    /// What was begun when something was wrong.
    #[cold]
    fn give_back(&mut self) {
        self.cut(0);
    }

    /// Leaves only so many open.
    #[cold]
    #[inline(never)]
    pub(super) fn cut(&mut self, open: usize) {
        while self.0.len() > open
            && let Some(mut f) = self.0.pop()
        {
            f.fresh.take();
        }
    }
}

impl Drop for Levels<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}

/// A fault with its path, which is read off what is open; the stack has the keys that no field has.
#[cold]
#[inline(never)]
pub(super) fn with_path(mut w: Box<Wrong>, open: &Levels<'_>, stack: &[Own]) -> Box<Wrong> {
    let mut path = Path::new();
    let mut in_key = false;
    for f in &open.0 {
        match (&f.shape, f.at) {
            (_, NOWHERE) => {}
            (Shape::Map(_), IN_KEY) => in_key = true,
            (Shape::Map(_), _) => path.other("..."),
            (Shape::Record(r), at) => match r.fields.get(at) {
                Some(f) => path.field(&text(f.key.as_ref())),
                None if at > r.fields.len() => {
                    let key = stack.get(f.base + at - 1);
                    path.field(&key.map(|k| text(k.as_ref())).unwrap_or_default());
                }
                None => {
                    let tag = r.tag.as_ref().map(|(key, _)| text(key.as_ref()));
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
        if in_key { (say!("key{}` in `{}"), extra, path) } else { (say!("{}{}"), path, extra) };
    w.path = py::words(frame, &[(&first).into(), (&last).into()]);
    w
}
