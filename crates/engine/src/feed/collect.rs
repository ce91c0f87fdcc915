//! All that is wrong with a value, for `errors="all"`: where live objects are read, reading goes on behind each fault.
//! Whatever was read of bytes is read once more for that, as objects, when something has been found to be wrong, so
//! readings that go well know nothing of it.
//!
//! What is wrong is left out, and of whatever holds it nothing is made, so no code of the user sees half a value. Each fault
//! is found and worded as it is when reading ends there.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::judge::{Sort, Wrong};
use super::levels::{Frame, IN_KEY, Levels, NOWHERE, Shape, with_path};
use super::records::missing;
use super::typed::Typed;
use super::{Feed, Given};
use model::{Fallback, Makes};
use py::push;

/// How many faults are noted.
const MOST: usize = 100;

impl<'r, F: Feed> Typed<'r, F> {
    /// Nothing is made of what something is wrong in.
    #[inline(never)]
    pub(super) fn may_end(&self, cur: &Frame<'r>) -> Given<()> {
        if cur.spoiled { Err(Wrong::turn(Sort::End, None)) } else { Ok(()) }
    }

    /// Notes a fault, and goes on behind the value that it is of. Gives up if there is nothing more to be read.
    #[cold]
    pub(super) fn note_and_go_on(&mut self, wrong: Box<Wrong>, levels: &mut Levels<'r>) -> Given<()> {
        if wrong.sort == Sort::End {
            self.note_end(wrong, levels)?;
        } else {
            self.note(&wrong, levels)?;
        }
        let notes = self.build.hooks.notes.as_ref().and_then(|n| n.as_ref().as_any_list());
        let full = notes.is_some_and(|n| n.hold().len() >= MOST);
        self.build.feed.close(levels.0.len());
        let Some(cur) = levels.0.last_mut().filter(|_| !full) else {
            return Err(Wrong::turn(Sort::Noted, None));
        };
        cur.spoiled = true;
        match (cur.shape, cur.at) {
            (_, NOWHERE) => {}
            (_, IN_KEY) => {
                push(self.build.room.stack, py::none());
                push(self.build.room.stack, py::none());
            }
            (Shape::Record(r) | Shape::Row(r), at) if at >= r.fields.len() => {}
            _ => self.store(cur, py::none(), false),
        }
        Ok(())
    }

    /// A fault that was found at the end of a container: all that is missing there, or that.
    fn note_end(&mut self, wrong: Box<Wrong>, levels: &mut Levels<'r>) -> Given<()> {
        let mut lost = Vec::new();
        if let Some(f) = levels.0.last()
            && let Shape::Record(r) = f.shape
            && r.makes != Makes::Parts
        {
            let unset = self.build.env.programs.own().as_ref();
            for (i, field) in r.fields.iter().enumerate() {
                let has = match (&*f.fresh, &r.maker) {
                    (Some(fresh), _) => fresh.has(i),
                    // It is whole: what was wrong is what its class says.
                    (None, Some(_)) => true,
                    (None, None) => {
                        self.build.room.stack.get(f.base + i).is_some_and(|o| !o.as_ref().is(unset))
                    }
                };
                if !has && !field.optional && matches!(field.default, Fallback::None) {
                    lost.push(missing(&field.key));
                }
            }
        }
        if lost.is_empty() {
            self.note(&wrong, levels)?;
        }
        for t in lost {
            let w = t.wrong()?;
            self.note(&with_path(w, levels, self.build.room.stack), levels)?;
        }
        if let Some(f) = levels.0.last() {
            self.build.room.stack.truncate(f.base);
        }
        levels.cut(levels.0.len().saturating_sub(1));
        Ok(())
    }

    /// Writes a fault down: the words, the path, the keys and indexes that lead there, and the exception behind it.
    fn note(&mut self, wrong: &Wrong, levels: &Levels<'_>) -> Given<()> {
        let Some(notes) = &self.build.hooks.notes else { return Ok(()) };
        if wrong.sort == Sort::Noted || wrong.sort == Sort::End && levels.0.last().is_some_and(|f| f.spoiled)
        {
            return Ok(());
        }
        let mut places = Vec::new();
        for (level, f) in levels.0.iter().enumerate() {
            if f.at != NOWHERE && f.at != IN_KEY {
                let keyed = matches!(f.shape, Shape::Record(_) | Shape::Map(_));
                places.push(match keyed {
                    true => self.build.feed.key_before(level, f.seq).unwrap_or_else(py::none),
                    false => py::int(f.seq as i64 - 1)?,
                });
            }
        }
        let mut row = Vec::from([
            py::text(wrong.words())?,
            py::text(&wrong.path)?,
            py::tuple(&mut places, 0)?,
            wrong.cause().unwrap_or_else(py::none),
        ]);
        py::call_method1(notes.as_ref(), c"append", py::tuple(&mut row, 0)?.as_ref())?;
        Ok(())
    }
}
