//! What was met: objects by their identity, and where they were written; and the shapes of dicts, by the identity of their keys.
//!
//! What may surprise: whatever is remembered is owned, since the address of an object that is gone may be that of another.

use alloc::vec::Vec;

use py::{Own, Ref};

/// Tables that grew larger are not kept from call to call.
const KEPT: usize = 1 << 13;

/// One object.
#[derive(Clone, Copy, Default)]
pub(crate) struct Entry {
    /// Zero if there is none.
    address: usize,
    /// Where its definition stands.
    pub(crate) at: u32,
    /// One more than its number, once it was referred to.
    pub(crate) number: u32,
}

/// Objects by address.
#[derive(Default)]
pub(crate) struct Memo {
    table: Vec<Entry>,
    /// All of them, in the order in which they were met.
    held: Vec<Own>,
}

impl Memo {
    /// The entry of an object that was met before; otherwise it is remembered as standing at `at`.
    #[inline(always)]
    pub(crate) fn meet(&mut self, o: Ref<'_>, at: usize) -> Option<&mut Entry> {
        if self.held.len() * 2 >= self.table.len() {
            self.grow();
        }
        let address = o.address();
        let i = self.find(address);
        let entry = self.table.get_mut(i)?;
        if entry.address == address {
            return Some(entry);
        }
        // Nothing behind four gigabytes is referred to.
        if let Ok(at) = u32::try_from(at) {
            *entry = Entry { address, at, number: 0 };
            self.held.push(o.own());
        }
        None
    }

    /// The place of an object, or where it belongs.
    #[inline(always)]
    fn find(&self, address: usize) -> usize {
        let mask = self.table.len().wrapping_sub(1);
        let mut i = hash(address as u64) as usize & mask;
        while self.table.get(i).is_some_and(|one| one.address != 0 && one.address != address) {
            i = (i + 1) & mask;
        }
        i
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let new = alloc::vec![Entry::default(); (self.table.len() * 4).max(64)];
        for entry in core::mem::replace(&mut self.table, new) {
            let i = self.find(entry.address);
            if entry.address != 0 {
                self.table[i] = entry;
            }
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        if self.table.len() > KEPT {
            *self = Memo::default();
        }
        // From the last to the first, so that nobody's place is looked for past one that is free again.
        while let Some(o) = self.held.pop() {
            let i = self.find(o.as_ref().address());
            self.table[i].address = 0;
            o.release();
        }
    }
}

#[inline(always)]
fn hash(v: u64) -> u64 {
    // The lowest bits of addresses are always alike; the highest of the product depend on all.
    (v >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20
}

/// The keys of dicts.
#[derive(Default)]
pub(crate) struct Shapes {
    /// Hashes of shapes, with their numbers and one more.
    table: Vec<(u64, u32)>,
    /// The addresses of all keys, and where those of each shape begin.
    keys: Vec<usize>,
    begins: Vec<usize>,
    /// Lists that hold the keys of each.
    held: Vec<Own>,
}

impl Shapes {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.begins.len()
    }

    /// The number of the shape that has exactly these keys.
    #[inline(never)]
    pub(crate) fn find(&self, keys: &[usize]) -> Option<usize> {
        let wanted = hash_of(keys);
        let mut i = wanted as usize;
        loop {
            match self.table.get(i & self.table.len().wrapping_sub(1)) {
                Some(&(hash, number)) if number != 0 => {
                    let number = number as usize;
                    let begin = self.begins.get(number - 1).copied().unwrap_or_default();
                    let end = self.begins.get(number).copied().unwrap_or(self.keys.len());
                    if hash == wanted && self.keys.get(begin..end) == Some(keys) {
                        return Some(number - 1);
                    }
                }
                _ => return None,
            }
            i += 1;
        }
    }

    /// Remembers a shape, and the list of its keys.
    pub(crate) fn define(&mut self, keys: &[usize], held: Own) {
        if self.begins.len() * 2 >= self.table.len() {
            let new = alloc::vec![(0, 0); (self.table.len() * 4).max(16)];
            for (hash, number) in core::mem::replace(&mut self.table, new) {
                self.put(hash, number);
            }
        }
        self.begins.push(self.keys.len());
        self.keys.extend_from_slice(keys);
        self.held.push(held);
        self.put(hash_of(keys), self.begins.len() as u32);
    }

    fn put(&mut self, hash: u64, number: u32) {
        if number == 0 {
            return;
        }
        let mask = self.table.len() - 1;
        let mut i = hash as usize & mask;
        while self.table[i].1 != 0 {
            i = (i + 1) & mask;
        }
        self.table[i] = (hash, number);
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        if !self.begins.is_empty() {
            self.table.fill((0, 0));
            self.table.truncate(KEPT);
            self.keys.clear();
            self.begins.clear();
            self.held.clear();
        }
    }
}

#[inline(never)]
fn hash_of(keys: &[usize]) -> u64 {
    let all = keys.iter().fold(keys.len() as u64, |h, &k| {
        (h.rotate_left(5) ^ (k as u64 >> 4)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    all >> 20
}
