//! What was met: objects by their identity, and where they were written; and the shapes of dicts, by the identity of their keys.
//!
//! What may surprise: whatever is remembered is owned, since the address of an object that is gone may be that of another.

use alloc::vec::Vec;

use py::{Own, Ref};

/// Tables that grew larger are not kept from call to call.
const KEPT: usize = 1 << 14;

/// How many shapes are guessed.
const GUESSES: usize = 32;

/// One object.
#[derive(Clone, Copy, Default)]
pub(crate) struct Entry {
    /// Zero if there is none.
    address: usize,
    /// Where its definition stands; where the keys of a shape begin.
    pub(crate) at: u32,
    /// One more than its number, once it was referred to; the number of a shape.
    pub(crate) number: u32,
}

/// Objects by address, and shapes by their hash, which is no address.
#[derive(Default)]
pub(crate) struct Memo {
    table: Vec<Entry>,
    /// The places that are taken.
    filled: Vec<u32>,
    held: Vec<Own>,
    /// Of all shapes the number, how many keys it has, and the addresses of these; and how many shapes there are.
    keys: Vec<usize>,
    pub(crate) shapes: usize,
    /// Where among these the shape was that was met last, by its first key and their number. What is stale is found by what
    /// stands there.
    guesses: [u32; GUESSES],
}

impl Memo {
    /// The entry of an object that was met before; otherwise it is remembered as standing at `at`.
    #[inline(always)]
    pub(crate) fn meet(&mut self, o: Ref<'_>, at: usize) -> Option<&mut Entry> {
        let i = self.find(o.address());
        if self.table.get(i).is_some_and(|one| one.address != 0) {
            return self.table.get_mut(i);
        }
        // Nothing behind four gigabytes is referred to.
        if let Ok(at) = u32::try_from(at) {
            self.fill(i, o.address(), at, 0);
            self.hold(o);
        }
        None
    }

    /// The number of the shape with these keys, behind how many there are, and their hash.
    pub(crate) fn shape(&mut self, hash: usize, keys: &[usize]) -> Option<usize> {
        let i = self.place(hash);
        let one = self.table.get(i).filter(|one| one.address != 0)?;
        let known = self.keys.get(one.at as usize..)?.get(..keys.len())?;
        if known != keys {
            return None;
        }
        if let [n, first, ..] = *keys {
            self.guesses[slot(first, n)] = one.at;
        }
        Some(one.number as usize)
    }

    /// The number and the keys of the shape that was met last with so many keys and this one as the first.
    #[inline(always)]
    pub(crate) fn guess(&self, first: usize, n: usize) -> Option<(usize, &[usize])> {
        // One that is stale may be behind a number: then what follows is no address.
        let at = self.guesses[slot(first, n)] as usize;
        match self.keys.get(at.wrapping_sub(1)..)? {
            [number, m, keys @ ..] if *m == n => Some((*number, keys.get(..n)?)),
            _ => None,
        }
    }

    /// Remembers a shape of so many keys, which are to be added. Of two with the same hash, the later counts. Gives where the
    /// keys will be held.
    pub(crate) fn define(&mut self, hash: usize, n: usize) -> usize {
        let i = self.place(hash);
        self.keys.push(self.shapes);
        self.fill(i, hash, self.keys.len() as u32, self.shapes as u32);
        self.shapes += 1;
        self.keys.push(n);
        self.held.len()
    }

    /// Adds a key to the shape that was remembered last.
    pub(crate) fn add_key(&mut self, o: Ref<'_>) {
        self.keys.push(o.address());
        self.hold(o);
    }

    /// Keeps an object alive.
    pub(crate) fn hold(&mut self, o: Ref<'_>) {
        py::push(&mut self.held, o.own());
    }

    /// What is held, by its place.
    pub(crate) fn held(&self, i: usize) -> Option<Own> {
        self.held.get(i).cloned()
    }

    #[inline(never)]
    fn place(&mut self, hash: usize) -> usize {
        self.find(hash)
    }

    /// Fills a place. An entry that is put together before is copied as a whole, and waits for its parts.
    fn fill(&mut self, i: usize, address: usize, at: u32, number: u32) {
        if let Some(place) = self.table.get_mut(i) {
            *place = Entry { address, at, number };
            py::push(&mut self.filled, i as u32);
        }
    }

    /// The place of an object, or where it belongs.
    #[inline(always)]
    fn find(&mut self, address: usize) -> usize {
        if self.filled.len() * 2 >= self.table.len() {
            self.grow();
        }
        let mask = self.table.len().wrapping_sub(1);
        // The lowest bits of addresses are always alike; the highest of the product depend on all.
        let mut i = ((address as u64 >> 4).wrapping_mul(SPREAD) >> 20) as usize & mask;
        while self.table.get(i).is_some_and(|one| one.address != 0 && one.address != address) {
            i = (i + 1) & mask;
        }
        i
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let new = alloc::vec![Entry::default(); (self.table.len() * 4).max(64)];
        self.filled.clear();
        for entry in core::mem::replace(&mut self.table, new) {
            if entry.address != 0 {
                let i = self.place(entry.address);
                self.fill(i, entry.address, entry.at, entry.number);
            }
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        if self.table.len() > KEPT {
            self.table = Vec::new();
            self.filled.clear();
        }
        for i in self.filled.drain(..) {
            if let Some(place) = self.table.get_mut(i as usize) {
                place.address = 0;
            }
        }
        self.held.clear();
        self.keys.clear();
        self.shapes = 0;
    }
}

/// Where the guess is for so many keys and this one as the first.
#[inline(always)]
fn slot(first: usize, n: usize) -> usize {
    (first >> 4 ^ n) % GUESSES
}

const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// What tells shapes apart: odd, as no address of an object is.
#[inline(never)]
pub(crate) fn hash_of(keys: &[usize]) -> usize {
    let all = keys
        .iter()
        .fold(keys.len() as u64, |h, &k| (h.rotate_left(5) ^ (k as u64 >> 4)).wrapping_mul(SPREAD));
    all as usize | 1
}
