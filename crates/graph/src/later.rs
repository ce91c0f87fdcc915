//! What waits until the graph stands: whatever hashes, compares or calls, and may so be code of a user.
//!
//! What may surprise: a dict with one key that waits is filled as a whole, so that it keeps its order.

use alloc::vec::Vec;

use engine::Fault;
use py::{Exact, Held, MomentTypes, Own, Raised, Ref, Seen, TupleKind};
use wire::{Code, Error};

use crate::feed::{Given, Trouble};

/// The heaviest key, in values.
const MAX_WEIGHT: usize = 10_000;
/// As many keys of one dict may have the same hash.
const MAX_EQUAL: usize = 64;
/// Integers nearer to zero have hashes of their own.
const OWN_HASH: i64 = (1 << 61) - 2;

/// Something to be done when all has been read.
pub(crate) enum Later {
    /// Fill a dict with keys and values in turn.
    Dict(Own, Vec<Own>, usize),
    /// Fill a set.
    Set(Own, Vec<Own>, usize),
    /// Fill a frozenset.
    Frozen(Own, Vec<Own>, usize),
    /// Call a function with an object, and with what it is to be filled with.
    Fill(Own, Own, Own),
    /// Call a function with an object.
    Call(Own, Own),
}

/// Does it.
pub(crate) fn finish(later: Later) -> Given<()> {
    match later {
        Later::Dict(d, entries, at) => fill_dict(&d, &entries, at).map_err(|t| hashed(t, at)),
        Later::Set(s, members, at) => fill_set(&s, &members, at).map_err(|t| hashed(t, at)),
        Later::Frozen(f, members, at) => {
            let s = py::new_set()?;
            fill_set(&s, &members, at).map_err(|t| hashed(t, at))?;
            Ok(py::fill_frozenset(&f, &s)?)
        }
        Later::Fill(f, o, with) => Ok(py::call(f.as_ref(), &[o.as_ref(), with.as_ref()]).map(drop)?),
        Later::Call(f, o) => Ok(py::call1(f.as_ref(), o.as_ref()).map(drop)?),
    }
}

/// What was raised for a key that cannot be one. Whatever else its code raises comes out as it is.
#[cold]
fn hashed(trouble: Trouble, at: usize) -> Trouble {
    match trouble {
        Trouble::Raised if py::pending(py::Builtin::Type) => {
            py::clear();
            Trouble::Wire(Error { code: Code::KeyKind, at })
        }
        trouble => trouble,
    }
}

fn twice(at: usize) -> Trouble {
    Trouble::Wire(Error { code: Code::DuplicateKey, at })
}

/// Puts keys and values into a dict.
pub(crate) fn fill_dict(d: &Own, entries: &[Own], at: usize) -> Given<()> {
    look_at_hashes(entries.iter().step_by(2), entries.len() / 2, at)?;
    let Some(held) = d.as_ref().as_any_dict().map(|d| d.hold()) else { return Err(Trouble::Raised) };
    let before = held.len();
    for pair in entries.chunks_exact(2) {
        py::dict_put(d, pair[0].as_ref(), pair[1].as_ref())?;
    }
    if held.len() - before.min(held.len()) != entries.len() / 2 { Err(twice(at)) } else { Ok(()) }
}

/// Puts members into a set.
pub(crate) fn fill_set(s: &Own, members: &[Own], at: usize) -> Given<()> {
    look_at_hashes(members.iter(), members.len(), at)?;
    for member in members {
        py::add_member(s, member.as_ref())?;
    }
    if py::set_len(s.as_ref()) != members.len() { Err(twice(at)) } else { Ok(()) }
}

/// Sees to it that not too many keys have the same hash: of text nobody can make such, of integers and what consists of
/// them anybody can.
fn look_at_hashes<'a>(keys: impl Iterator<Item = &'a Own>, n: usize, at: usize) -> Given<()> {
    if n <= MAX_EQUAL {
        return Ok(());
    }
    // How often each hash was met. Hashes as keys are hardly ever alike.
    let counts = py::new_dict()?;
    for key in keys {
        let key = key.as_ref();
        let own = match key.see() {
            Seen::Str(_) | Seen::None | Seen::Bool(_) => true,
            Seen::Int(v) => v.short().is_some_and(|v| v.abs() < OWN_HASH),
            _ => key.is_bytes(),
        };
        if own {
            continue;
        }
        let hash = py::int(key.hash()? as i64)?;
        let before = py::dict_find(counts.as_ref(), hash.as_ref())?;
        let n = before.and_then(|n| n.as_ref().as_int().and_then(|n| n.short())).unwrap_or_default() + 1;
        if n > MAX_EQUAL as i64 {
            return Err(Trouble::Wire(Error { code: Code::Limit, at }));
        }
        py::dict_put(&counts, hash.as_ref(), py::int(n)?.as_ref())?;
    }
    Ok(())
}

/// What tells whether keys can be hashed at once.
pub(crate) struct Keys<'a> {
    pub(crate) moments: &'a MomentTypes,
    /// Tuples and frozensets that are not finished, of which no key may hold any.
    pub(crate) open: &'a [Own],
    /// Frozensets that are to be filled later.
    pub(crate) waiting: &'a [Own],
    /// Where the container stands.
    pub(crate) at: usize,
}

impl Keys<'_> {
    /// Whether a key consists of built-in leaves, tuples and frozensets, so that nobody's code is needed for its hash.
    #[inline]
    pub(crate) fn is_plain(&self, key: Ref<'_>) -> Given<bool> {
        if key.as_str().is_some() || key.as_int().is_some() { Ok(true) } else { self.look(key) }
    }

    #[inline(never)]
    fn look(&self, key: Ref<'_>) -> Given<bool> {
        let fault = |code| Err(Trouble::Wire(Error { code, at: self.at }));
        let among = |some: &[Own], o: Ref<'_>| some.iter().any(|one| one.as_ref().is(o));
        let (mut weight, mut plain) = (0, true);
        let mut left: Vec<Own> = alloc::vec![key.own()];
        while let Some(o) = left.pop() {
            weight += 1;
            if weight > MAX_WEIGHT {
                return fault(Code::Limit);
            }
            let o = o.as_ref();
            if among(self.open, o) {
                return fault(Code::Reference);
            }
            match o.see() {
                Seen::Other(o) => match o.class().exact() {
                    Some(Exact::Bytes | Exact::Complex) => {}
                    Some(Exact::FrozenSet) if among(self.waiting, o) => plain = false,
                    Some(Exact::FrozenSet) => items(o, &mut left)?,
                    Some(_) => return fault(Code::KeyKind),
                    None => plain &= self.moments.is_exact(o.class()) && !self.moments.is_aware(o),
                },
                Seen::List(_) | Seen::Dict(_) => return fault(Code::KeyKind),
                Seen::Tuple(t) => {
                    let t: Held<TupleKind> = t.hold();
                    left.extend((0..t.len()).filter_map(|i| t.get(i).map(Ref::own)));
                }
                _ => {}
            }
        }
        Ok(plain)
    }
}

/// Sees to it that a tuple or frozenset does not hold itself by way of tuples and frozensets: its hash would not end.
#[cold]
pub(crate) fn check_cycle(o: &Own, at: usize) -> Given<()> {
    let (seen, mut n) = (py::new_set()?, 0);
    let mut left: Vec<Own> = Vec::new();
    let mut next = o.clone();
    loop {
        match next.as_ref().see() {
            Seen::Tuple(t) => {
                let t = t.hold();
                left.extend((0..t.len()).filter_map(|i| t.get(i).map(Ref::own)));
            }
            Seen::Other(s) if s.class().exact() == Some(Exact::FrozenSet) => items(s, &mut left)?,
            _ => {}
        }
        next = loop {
            let Some(one) = left.pop() else { return Ok(()) };
            if one.as_ref().is(o.as_ref()) {
                return Err(Trouble::Wire(Error { code: Code::Reference, at }));
            }
            py::add_member(&seen, py::uint(one.as_ref().address() as u64)?.as_ref())?;
            if py::set_len(seen.as_ref()) > n {
                n += 1;
                break one;
            }
        };
    }
}

fn items(o: Ref<'_>, into: &mut Vec<Own>) -> Result<(), Raised> {
    let all = py::list_of(o)?;
    if let Some(l) = all.as_ref().as_any_list().map(|l| l.hold()) {
        into.extend((0..l.len()).filter_map(|i| l.get(i).map(|o| o.as_ref().own())));
    }
    Ok(())
}

/// What makes a fault of it.
pub(crate) fn fault(trouble: Trouble) -> alloc::boxed::Box<Fault> {
    let what = match trouble {
        Trouble::Wire(e) => engine::What::Wire(e),
        Trouble::Raised => engine::What::Raised,
    };
    Fault::new(what, alloc::string::String::new())
}
