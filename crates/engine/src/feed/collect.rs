//! All that is wrong with a value: what `errors="all"` reads it for a second time.
//!
//! Reading goes on behind each fault. What is wrong is left out, and of whatever holds it nothing is made: its plan
//! is put away for one that no value passes, so no code of the user sees half a value. Each fault is found and worded as
//! it is when reading ends there.
//!
//! What may surprise: where a value begins is looked for from the beginning of the input, once for each
//! fault, so that nobody has to remember it who reads without one. No more than [`MOST`] are looked for.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::any::{fault, push};
use super::choose::{Reading, recover};
use super::judge::{Sort, Wrong};
use super::records::missing;
use super::typed::{Frame, IN_KEY, NOWHERE, Shape, Typed, with_path};
use super::{Feed, Given, Trouble};
use crate::fault::Fault;
use model::{Fallback, Record};
use py::{Own, Raised};

/// How many faults are noted.
const MOST: usize = 100;

/// What was found.
pub(super) struct Notes {
    /// Tuples: the words, the path and its parts, what is below it, where the value begins and ends, the exception behind it.
    found: Vec<Own>,
    /// What was found first of all.
    first: Box<Wrong>,
    /// Fields that are there and wrong, with the frames of their records.
    bad: Vec<(usize, usize)>,
}

impl<'r, F: Feed> Typed<'r, F> {
    /// The end of a reading that did not simply go well.
    #[cold]
    #[inline(never)]
    pub(super) fn end_of_all(&mut self, r: Given<Own>, open: &mut Vec<Frame<'r>>) -> Result<Own, Box<Fault>> {
        end_of_all(self, r, open)
    }
}

/// Begins the second reading.
#[cold]
pub(super) fn begin_again<'r>(r: Reading<'_, 'r>, first: Box<Wrong>, open: &mut Vec<Frame<'r>>) {
    open.clear();
    let parts = r.parts();
    parts.stack.clear();
    let trying = parts.trying.insert(Box::default());
    trying.notes = Some(Notes { found: Vec::new(), first, bad: Vec::new() });
    r.close(0);
    r.back(0, None);
}

/// What was read, or everything that is wrong with it.
fn end_of_all<'r>(
    r: Reading<'_, 'r>,
    read: Given<Own>,
    open: &mut Vec<Frame<'r>>,
) -> Result<Own, Box<Fault>> {
    if let Err(Trouble::Raised) = read {
        return read.map_err(fault);
    }
    let noting = r.parts().trying.as_ref().is_some_and(|t| t.notes.is_some());
    let read = match read {
        // What is no container has been noted by nobody.
        Err(Trouble::Wrong(w)) if r.parts().all && !noting => {
            begin_again(r, w.copied(), open);
            recover(r, Trouble::Wrong(w), open).map(|_| py::none())
        }
        read => read,
    };
    match r.parts().trying.take().and_then(|t| t.notes) {
        Some(mut notes) => match py::list(&mut notes.found, 0) {
            Ok(all) => Err(notes.first.fault(Some(all))),
            Err(r) => Err(fault(r.into())),
        },
        None => read.map_err(fault),
    }
}

/// Notes a fault, and goes on behind the value that it is of. Gives up if there is nothing more to be read.
#[cold]
pub(super) fn note_and_go_on<'r>(
    r: Reading<'_, 'r>,
    wrong: Box<Wrong>,
    below: &str,
    open: &mut Vec<Frame<'r>>,
) -> Given<Given<()>> {
    let program = r.parts().program;
    // Faults are found at the end of a container, or at something in it.
    let ended = match open.last() {
        Some(f) if f.at == NOWHERE && wrong.sort != Sort::Begin && wrong.sort != Sort::Member => {
            Some(open.len() - 1)
        }
        _ => None,
    };
    if ended.is_none() {
        // A value that is next may have blanks before it.
        r.start().ok();
    }
    let (start, end) = extent(r, open, ended)?;
    let noted = wrong.sort == Sort::Noted;
    let mut lost = Vec::new();
    if let Some(f) = ended.and_then(|i| open.get(i)) {
        if let (Shape::Record(record), true) = (&f.shape, noted || wrong.sort == Sort::Missing) {
            lost = lost_fields(r, record, f, open.len() - 1)?;
        }
        let spoiled = core::ptr::eq(f.plan, &program.spoiled);
        if lost.is_empty() && !noted && !spoiled {
            note(r, &wrong, below, open, start, end)?;
        }
        for words in lost {
            note(r, &with_path(Box::new(words), open), "", open, start, end)?;
        }
    } else {
        note(r, &wrong, below, open, start, end)?;
    }
    if let Some(f) = ended.and_then(|_| open.pop()) {
        r.parts().stack.truncate(f.base);
    }
    r.close(open.len());
    let level = open.len();
    let found = r.parts().trying.as_mut().and_then(|t| t.notes.as_mut());
    let (Some(cur), Some(notes)) = (open.last_mut(), found) else { return Err(Trouble::Wrong(wrong)) };
    if notes.found.len() >= MOST {
        return Err(Trouble::Wrong(wrong));
    }
    notes.bad.retain(|(frame, _)| *frame < level);
    cur.plan = &program.spoiled;
    let stack = r.parts().stack;
    match cur.shape {
        Shape::Array(_) => push(stack, py::none()),
        Shape::Map(_) => {
            if cur.at == IN_KEY {
                push(stack, py::none());
            }
            push(stack, py::none());
        }
        Shape::Record(_) | Shape::Row(_) => {
            if let Some(notes) = r.parts().trying.as_mut().and_then(|t| t.notes.as_mut()) {
                notes.bad.push((level - 1, cur.at));
            }
        }
    }
    Ok(Ok(()))
}

/// The fields that a record must have and has not.
fn lost_fields(r: Reading<'_, '_>, record: &Record, f: &Frame<'_>, frame: usize) -> Given<Vec<Wrong>> {
    let unset = r.parts().judge.env.programs.own().clone();
    let mut lost = Vec::new();
    for (i, field) in record.fields.iter().enumerate() {
        let has = match &f.fresh {
            Some(fresh) => fresh.has(i),
            None => r.parts().stack.get(f.base + i).is_some_and(|o| !o.as_ref().is(unset.as_ref())),
        };
        let notes = r.parts().trying.as_ref().and_then(|t| t.notes.as_ref());
        let bad = notes.is_some_and(|n| n.bad.contains(&(frame, i)));
        if !has && !bad && !field.optional && matches!(field.default, Fallback::None) {
            match missing(&field.key) {
                Trouble::Wrong(w) => lost.push(*w),
                t => return Err(t),
            }
        }
    }
    Ok(lost)
}

/// Where the value begins and ends that a fault is of, which is passed over: something in the innermost container, or that
/// if it has `ended`. Nowhere, for live objects.
fn extent<'r>(r: Reading<'_, 'r>, open: &[Frame<'r>], ended: Option<usize>) -> Given<(usize, usize)> {
    let (came, object) = r.here();
    if object.is_some() {
        return Ok((0, 0));
    }
    r.back(0, None);
    for f in open.get(..ended.unwrap_or(open.len())).unwrap_or_default() {
        let (map, mut seq) = r.open()?;
        let item = match f.shape {
            Shape::Row(record) if record.tag.is_some() => f.at.wrapping_add(1) % (record.fields.len() + 1),
            _ => f.at,
        };
        // Of the values of a map it is the last that begins before the place where reading stood: between two is a key.
        let (mut i, mut found) = (0, None);
        while r.step(map, &mut seq)? {
            if map {
                r.any_key()?;
            }
            let at = r.start()?;
            if map && at > came {
                break;
            }
            found = Some(at);
            if !map && i == item {
                break;
            }
            r.pass(false)?;
            i += 1;
        }
        r.back(found.unwrap_or(came), None);
    }
    let start = r.start()?;
    r.pass(false)?;
    Ok((start, r.here().0))
}

/// Writes a fault down.
fn note(
    r: Reading<'_, '_>,
    wrong: &Wrong,
    below: &str,
    open: &[Frame<'_>],
    start: usize,
    end: usize,
) -> Given<()> {
    let place = |open: &[Frame<'_>], stack: &[Own]| -> Result<Own, Raised> {
        let mut parts = Vec::new();
        for (i, f) in open.iter().enumerate() {
            let name = match (&f.shape, f.at) {
                (_, NOWHERE | IN_KEY) => continue,
                (Shape::Map(_), _) => {
                    let top = open.get(i + 1).map_or(stack.len(), |inner| inner.base);
                    stack.get(top.wrapping_sub(1)).cloned().unwrap_or_else(py::none)
                }
                (Shape::Record(r), at) => match (r.fields.get(at), &r.tag) {
                    (Some(f), _) => f.key.clone(),
                    (None, Some((key, _))) => key.clone(),
                    _ => continue,
                },
                (Shape::Row(r), at) if r.tag.is_some() => py::int(((at + 1) % (r.fields.len() + 1)) as i64)?,
                (_, at) => py::int(at as i64)?,
            };
            parts.push(name);
        }
        py::tuple(&mut parts, 0)
    };
    let parts = place(open, r.parts().stack)?;
    let mut row = Vec::from([
        py::text(wrong.words())?,
        py::text(&wrong.path)?,
        parts,
        py::text(below)?,
        py::int(start as i64)?,
        py::int(end as i64)?,
        wrong.cause().unwrap_or_else(py::none),
    ]);
    let row = py::tuple(&mut row, 0)?;
    if let Some(notes) = r.parts().trying.as_mut().and_then(|t| t.notes.as_mut())
        && notes.found.len() < MOST
    {
        notes.found.push(row);
    }
    Ok(())
}
