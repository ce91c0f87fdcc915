//! Arrays of numbers, read straight into a buffer: no object is made for a number.
//!
//! Every number is kept as one word; what becomes of the words is for the type to say, which is called with
//! a bytearray and a shape. So nothing here knows of any array library, and what grows is bounded by the input.
//! What may surprise: a number that is not of the right kind or range is looked at again as any value of its
//! own type is (the program has a plan for it), and that says what is wrong with it; so `strict` and the words
//! are those of single numbers. Only the innermost loop is compiled for speed, for each format.

use alloc::vec::Vec;
use wire::say;

use super::judge::{Judge, Wrong, name_of, refused, unexpected};
use super::records::length;
use super::typed::Typed;
use super::{Feed, Given, Trouble};
use crate::fault::Path;
use model::{Array, Plan, Program, takes};
use py::{Int, Own, Seen};
use wire::{Code, Kind, Num};

/// A length that is not known.
const OPEN: usize = usize::MAX;

/// What the numbers are, and what was read of them.
struct Numbers {
    /// How many bytes of a word the array keeps.
    size: usize,
    /// 0 for truth values, 1 for integers, 2 for unsigned ones, 3 for floats.
    sort: usize,
    /// The least integer, and the greatest that is no greater than any of 64 bits.
    ints: (i64, i64),
    /// The greatest float.
    top: f64,
    /// How long each dimension is, from outside in, as far as it is known.
    shape: Vec<usize>,
    /// How many dimensions there are, once that is known.
    depth: usize,
    /// The arrays around the innermost: where each goes on, and which item of it is being read.
    open: Vec<(u64, usize)>,
    words: Vec<u64>,
}

impl Numbers {
    /// What the plans of an array of numbers say: a size times 4 and a sort; the plan of an item, and that of such
    /// an array; then each length and one more, or 0 where it is open, if the number of dimensions is given.
    #[inline(never)]
    fn new(array: &Array) -> Numbers {
        let code = array.plans.first().copied().unwrap_or_default();
        let shape: Vec<usize> = array.plans.iter().skip(3).map(|n| n.wrapping_sub(1)).collect();
        let depth = if shape.is_empty() { OPEN } else { shape.len() };
        let (size, sort) = (code / 4, code % 4);
        let most = i64::MAX >> (64 - 8 * size.clamp(1, 8));
        let ints = match sort {
            1 => (-1 - most, most),
            // Eight bytes without a sign hold more than is said here.
            2 => (0, if size == 8 { most } else { 2 * most + 1 }),
            // No number is a truth value.
            _ => (0, -1),
        };
        // What is less than half a step beyond the greatest is rounded to it.
        let top = match size {
            2 => 65_519.999_999_999_99,
            4 => f64::from_bits(0x47ef_ffff_efff_ffff),
            _ => f64::INFINITY,
        };
        Numbers { size, sort, ints, top, shape, depth, open: Vec::new(), words: Vec::new() }
    }

    /// Puts a number down; false if it is not one that the array can hold.
    #[inline(always)]
    fn take(&mut self, num: Num<'_>) -> bool {
        let word = match num {
            Num::F64(v) if self.sort == 3 && !(v.abs() > self.top && v.is_finite()) => v.to_bits(),
            Num::I64(v) if self.sort == 3 && v.unsigned_abs() as f64 <= self.top => (v as f64).to_bits(),
            Num::I64(v) if self.sort != 3 && self.ints.0 <= v && v <= self.ints.1 => v as u64,
            Num::U64(v) if self.sort == 2 && self.size == 8 => v,
            _ => return false,
        };
        py::push(&mut self.words, word);
        true
    }

    /// Puts down an object that has been judged, where the last of `open` says.
    #[cold]
    #[inline(never)]
    fn put(&mut self, judge: &Judge<'_>, plan: &Plan, o: &Own) -> Given<()> {
        let r = o.as_ref();
        if self.depth == OPEN {
            self.depth = self.open.len();
        }
        let num = match (r.as_any_float(), r.see()) {
            (Some(v), _) => Num::F64(v),
            (_, Seen::Bool(v)) if self.sort == 0 => {
                self.words.push(v.into());
                return Ok(());
            }
            _ => match r.as_any_int().map(|i| i.get_cold()) {
                Some(Int::U64(v)) if self.sort == 3 => Num::F64(v as f64),
                Some(Int::U64(v)) => Num::U64(v),
                Some(Int::I64(v)) => Num::I64(v),
                _ => Num::Bytes(&[]),
            },
        };
        if self.take(num) { Ok(()) } else { Err(unexpected(plan, &name_of(r, judge.env))) }
    }

    /// The innermost array ends with so many items: where the one around it goes on, and which item that was.
    #[inline(never)]
    fn end(&mut self, len: usize) -> Given<Option<(u64, usize)>> {
        let level = self.open.len();
        if self.depth == OPEN {
            self.depth = level + 1;
        }
        if self.shape.len() <= level {
            self.shape.resize(level + 1, OPEN);
        }
        match self.shape.get_mut(level) {
            Some(known) if *known == OPEN => *known = len,
            Some(known) if *known != len => return Err(length(*known, Some(*known), len)),
            _ => {}
        }
        Ok(self.open.pop())
    }

    /// What the type makes of it.
    fn finish(self, judge: &Judge<'_>, plan: &Plan, array: &Array) -> Given<Own> {
        let data = py::bytearray_of(&self.words, self.size, self.sort == 3)?;
        let mut shape = Vec::with_capacity(self.shape.len());
        for n in self.shape {
            shape.push(py::int(if n == OPEN { 0 } else { n as i64 })?);
        }
        let shape = py::tuple(&mut shape, 0)?;
        let Some(f) = &array.finish else { return Ok(data) };
        let made = py::call(f.as_ref(), &[data.as_ref(), shape.as_ref()]).map_err(refused)?;
        judge.checked(plan, takes::NUMBERS, made)
    }

    /// What is wrong, and where.
    #[cold]
    fn placed(&self, mut t: Trouble, root: bool) -> Trouble {
        if let Some(w) = t.wrong_mut() {
            let mut path = if root { Path::new() } else { Path::below() };
            self.open.iter().for_each(|(_, i)| path.index(*i));
            w.path.insert_str(0, &path.done());
        }
        t
    }
}

/// What ends a stretch of numbers.
enum Next {
    /// The array.
    End,
    /// An array, which has been opened.
    Array(u64),
    /// A map.
    Map,
    /// Another value, or a number that does not fit.
    Value(Own),
}

/// What the loop over all arrays needs of a format, so that it is compiled once.
trait Run<'r> {
    /// Reads numbers, if they are expected `here`, until something else comes.
    fn run(
        &mut self,
        n: &mut Numbers,
        item: &'r Plan,
        here: bool,
        seq: &mut u64,
        i: &mut usize,
    ) -> Given<Next>;
}

/// Reads an array of numbers that is open, and whatever arrays stand in it. If something is wrong, `n.open` says
/// where.
fn numbers<'r>(
    of: &mut dyn Run<'r>,
    judge: &Judge<'_>,
    n: &mut Numbers,
    row: &Plan,
    item: &'r Plan,
    mut seq: u64,
) -> Given<()> {
    let mut i = 0;
    loop {
        let level = n.open.len() + 1;
        let next = of.run(n, item, n.depth == level || n.depth == OPEN, &mut seq, &mut i)?;
        if n.depth == OPEN && i > 0 {
            n.depth = level;
        }
        if let Next::End = next {
            match n.end(i)? {
                Some((outer, at)) => (seq, i) = (outer, at + 1),
                None => return Ok(()),
            }
            continue;
        }
        n.open.push((seq, i));
        let outer = n.depth > level;
        let plan = if outer && n.depth < OPEN { row } else { item };
        match next {
            Next::Array(inner) if outer => (seq, i) = (inner, 0),
            Next::Value(o) => {
                let o = judge.scalar(plan, o)?;
                n.put(judge, plan, &o)?;
                n.open.pop();
                i += 1;
            }
            Next::Map => return Err(unexpected(plan, "object")),
            _ => return Err(unexpected(plan, "array")),
        }
    }
}

/// The same, from the plan to the value.
#[inline(never)]
fn whole<'r>(
    of: &mut dyn Run<'r>,
    program: &'r Program,
    judge: &Judge<'_>,
    plan: &Plan,
    root: bool,
    seq: u64,
) -> Given<Own> {
    let array = plan.array.and_then(|i| program.arrays.get(i)).unwrap_or(&program.arrays[0]);
    let plan_at = |i| program.plan(array.plans.get(i).copied().unwrap_or(0));
    let mut n = Numbers::new(array);
    match numbers(of, judge, &mut n, plan_at(2), plan_at(1), seq) {
        Ok(()) => n.finish(judge, plan, array),
        Err(t) => Err(n.placed(t, root)),
    }
}

impl<'r, F: Feed> Run<'r> for Typed<'r, F> {
    fn run(
        &mut self,
        n: &mut Numbers,
        item: &'r Plan,
        here: bool,
        seq: &mut u64,
        i: &mut usize,
    ) -> Given<Next> {
        let mut place = F::Seq::from(*seq);
        let (kind, h) = loop {
            let more = self.build.feed.item(&mut place)?;
            *seq = place.into();
            if !more {
                return Ok(Next::End);
            }
            let (kind, h) = self.build.feed.head()?;
            if kind != Kind::Number || !here || F::CAPS.forms {
                break (kind, h);
            }
            let num = self.build.feed.num(h)?;
            if !n.take(num) {
                return Ok(Next::Value(object_of(num)?));
            }
            *i += 1;
        };
        Ok(match kind {
            Kind::Array => Next::Array(self.open_numbers(h, n.open.len() + 1)?),
            Kind::Map => Next::Map,
            Kind::Form => match self.object(item, kind)? {
                Ok(o) => Next::Value(o),
                Err(_) => Next::Map,
            },
            _ => Next::Value(self.build.scalar_cold(kind, h)?),
        })
    }
}

impl<'r, F: Feed> Typed<'r, F> {
    #[cold]
    #[inline(never)]
    pub(super) fn too_deep<T>(&self) -> Given<T> {
        if F::CAPS.forms {
            return Err(Wrong::of(say!("Containers nest too deep, or contain themselves").into()));
        }
        self.build.feed.refuse(Code::Depth)
    }

    /// Opens an array; `level` others are open around it.
    #[cold]
    #[inline(never)]
    fn open_numbers(&mut self, h: F::Head, level: usize) -> Given<u64> {
        // The outermost counts as a container, too.
        if self.build.level + level >= self.build.hooks.max_depth {
            return self.too_deep();
        }
        self.build.feed.array(h).map(F::Seq::into)
    }

    /// What is taken whole: a value that stays as it is written, or an array of numbers; nothing if it is
    /// another value, which is looked at as any is.
    #[cold]
    #[inline(never)]
    pub(super) fn taken_whole(&mut self, plan: &'r Plan, kind: Kind, h: F::Head) -> Given<Option<Own>> {
        if plan.takes & takes::RAW != 0 && !F::CAPS.forms {
            let raw = py::bytes(self.build.feed.raw()?)?;
            return Ok(Some(py::call1(self.build.env.spliced.raw().as_ref(), raw.as_ref())?));
        }
        match kind {
            Kind::Array => {
                let seq = self.open_numbers(h, 0)?;
                let (program, judge, root) = (self.program, self.judge, self.build.level == 0);
                whole(self, program, &judge, plan, root, seq).map(Some)
            }
            Kind::Map => Err(unexpected(plan, "object")),
            _ => Ok(None),
        }
    }
}

#[cold]
#[inline(never)]
fn object_of(num: Num<'_>) -> py::Result<Own> {
    match num {
        Num::I64(v) => py::int(v),
        Num::U64(v) => py::uint(v),
        Num::F64(v) => py::float(v),
        Num::Text(s) => py::big_int(s),
        Num::Bytes(b) => py::bytes(b),
    }
}
