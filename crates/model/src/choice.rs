//! Members of a union that are all objects, or all arrays, and how they are told apart: what
//! `oxwire._unions` found out, as tables.
//!
//! What may surprise: keys are numbers here, of which a member has a set of bits. Tags are found among the
//! keys like any other: a tag of a Struct, or a field that takes nothing but a few values.

use alloc::vec::Vec;

use crate::program::{Known, Table, rows};
use py::{Own, Result};

/// How many words hold the bits of all keys.
const WORDS: usize = 4;

/// No key, and no member.
pub const NOBODY: usize = usize::MAX;

/// How many keys are guessed at a place.
pub const GUESSES: usize = 4;

/// A set of keys.
pub type Keys = [u64; WORDS];

/// Puts into a set what a key stands for.
#[inline(always)]
pub fn note(keys: &mut Keys, bits: &[usize; WORDS]) {
    keys.iter_mut().zip(bits).for_each(|(word, bits)| *word |= *bits as u64);
}

/// One member.
pub struct Member {
    /// Its plan.
    pub plan: usize,
    /// It is tried when those that keys or lengths tell have failed.
    pub last: bool,
    /// It has a tag.
    pub tagged: bool,
    /// The keys that it knows.
    pub has: Keys,
    /// Those that must be there.
    pub needs: Keys,
    /// How many items an array must have.
    pub least: usize,
    /// For how many items of an array it has places.
    pub most: usize,
    /// What it does not know is refused.
    pub closed: bool,
}

/// What was seen of an object or an array.
#[derive(Default)]
pub struct Met {
    /// The keys that are known.
    pub keys: Keys,
    /// There are others.
    pub others: bool,
    /// How many items there are.
    pub items: usize,
}

impl Member {
    /// Whether it could be this one.
    pub fn fits(&self, met: &Met) -> bool {
        let inside = |a: &Keys, b: &Keys| a.iter().zip(b).all(|(a, b)| a & !b == 0);
        let known = !met.others && inside(&met.keys, &self.has) && met.items <= self.most;
        inside(&self.needs, &met.keys) && met.items >= self.least && (known || !self.closed)
    }

    /// How much of what was seen it knows.
    pub fn knows(&self, met: &Met) -> usize {
        let keys: u32 = self.has.iter().zip(&met.keys).map(|(a, b)| (a & b).count_ones()).sum();
        keys as usize + met.items.min(self.most)
    }
}

/// Several members.
pub struct Choice {
    /// Of maps, and not of arrays.
    pub map: bool,
    /// The members, in the order in which they are tried.
    pub members: Vec<Member>,
    /// The bits of those that are tried last.
    pub last: u64,
    /// For how many items any member has places.
    pub longest: usize,
    /// What they are called together.
    pub name: Own,
    /// The keys, with their numbers.
    pub keys: Own,
    /// The keys as each format spells them.
    pub known: Vec<Vec<Known>>,
    /// The only member that knows a key; and what it stands for: itself, and that one of several names is there.
    pub owners: Vec<[usize; 1 + WORDS]>,
    /// Which keys are likely to stand at a place: [`GUESSES`] for each.
    pub guesses: Vec<[usize; GUESSES]>,
    /// The members by their tags.
    pub tags: Option<Own>,
    /// The key of the tags; its number, by the way, is 0.
    pub tag_field: Own,
    /// What a user gave to be asked for the member.
    pub ask: Option<Own>,
    /// The plan of what is read to ask.
    pub asking: usize,
}

/// How many numbers say what a member is: its own, then the words of two sets of keys.
const ROW: usize = 6 + 2 * WORDS;

/// The numbers that some bytes are.
fn numbers(t: &Table<'_>, o: &Own, i: usize) -> Vec<usize> {
    let bytes = t.at(o, i);
    let bytes = bytes.as_ref().as_bytes().unwrap_or_default();
    bytes.as_chunks().0.iter().map(|b| u64::from_ne_bytes(*b) as usize).collect()
}

fn member(of: &[usize; ROW]) -> Member {
    let keys = |from: usize| core::array::from_fn(|i| of[from + i] as u64);
    Member {
        plan: of[0],
        last: of[1] != 0,
        tagged: of[2] != 0,
        least: of[3],
        most: of[4],
        closed: of[5] != 0,
        has: keys(6),
        needs: keys(6 + WORDS),
    }
}

/// A choice, out of what `oxwire._unions` gives.
pub(crate) fn new(t: &Table<'_>, o: &Own) -> Result<Choice> {
    let (keys, mut known) = (t.at(o, 2), t.unknown());
    for key in &mut rows(&keys)? {
        t.spell(&mut known, &key, 0, false);
    }
    let (mut members, mut last, mut longest) = (Vec::new(), 0, 0);
    for (i, row) in numbers(t, o, 0).as_chunks().0.iter().enumerate() {
        let one = member(row);
        last |= u64::from(one.last) << (i & 63);
        longest = longest.max(one.most);
        members.push(one);
    }
    Ok(Choice {
        map: t.number(o, 8) != 0,
        last,
        longest,
        members,
        name: t.at(o, 1),
        known,
        guesses: numbers(t, o, 3).as_chunks().0.to_vec(),
        tag_field: t.at(o, 4),
        tags: t.maybe(o, 5),
        ask: t.maybe(o, 6),
        asking: t.number(o, 9) as usize,
        owners: numbers(t, o, 7).as_chunks().0.to_vec(),
        keys,
    })
}
