//! Putting texts in the order of their bytes.
//!
//! Eight bytes of each text, which text it is, and whether it ends there, are one number; numbers are sorted. Only
//! texts that are the same so far are looked at again, with their next eight bytes. So texts are read in the order
//! in which they stand, each once, and the time grows with their bytes and with n log n, whoever made them.
//!
//! What may surprise: a sort of our own, for these numbers alone. The standard library's is ten times as large.

use alloc::vec::Vec;

/// Room that is worth keeping from one sort to the next, and the order that the last one found.
#[derive(Default)]
pub struct Sorter {
    places: Vec<Place>,
    /// Neighbours that are the same up to a depth: the first of them, how many they are, and the depth.
    same: Vec<(usize, usize, usize)>,
}

/// From the top: eight bytes of a text; how many those were, or [`MORE`]; which text it is.
type Place = u128;

/// The text goes on behind the eight bytes.
const MORE: u128 = 9;

/// So many bits are left to say which text it is.
const INDEX: u32 = 60;

/// So many places are put in order by shifting them.
const FEW: usize = 16;

impl Sorter {
    /// Forgets all texts.
    pub fn clear(&mut self) {
        self.places.clear();
    }

    /// Adds a text: its head and its length.
    #[inline(always)]
    pub fn add(&mut self, head: u64, len: usize) {
        let index = self.places.len();
        self.places.push(place(head, len, index));
    }

    /// Puts the texts in order, those that are the same in the order in which they were added. `head` is what their
    /// heads were made by: [`head`], or what makes another number of the first bytes, for another order.
    pub fn sort<'t>(&mut self, text: &dyn Fn(usize) -> &'t [u8], head: fn(&[u8]) -> u64) {
        let Sorter { places: all, same } = self;
        let mut next = Some((0, all.len(), 0));
        while let Some((first, count, depth)) = next {
            let Some(places) = all.get_mut(first..first + count) else { break };
            if depth != 0 {
                for one in places.iter_mut() {
                    let index = index(*one);
                    let rest = text(index).get(depth..).unwrap_or_default();
                    *one = place(head(rest), rest.len(), index);
                }
            }
            // Not by the method for it, which is two kilobytes.
            if places.windows(2).any(|pair| matches!(pair, [a, b] if a > b)) {
                sort(places, 2 * count.ilog2());
            }
            let mut run = 1;
            for (last, pair) in (first + 1..).zip(places.windows(2)) {
                let [a, b] = pair else { break };
                if a >> INDEX == b >> INDEX && a >> INDEX & 15 == MORE {
                    run += 1;
                } else if run > 1 {
                    same.push((last - run, run, depth + 8));
                    run = 1;
                }
            }
            if run > 1 {
                same.push((first + count - run, run, depth + 8));
            }
            next = same.pop();
        }
    }

    /// The indices of the texts in their order.
    pub fn indices(&self) -> impl Iterator<Item = usize> {
        self.places.iter().map(|&place| index(place))
    }

    /// Puts things in that order by swapping them, two at a time. It is forgotten then.
    pub fn apply(&mut self, mut swap: impl FnMut(usize, usize)) {
        // Each place says what belongs there. Cycle by cycle they change places.
        for start in 0..self.places.len() {
            let mut at = start;
            while let Some(place) = self.places.get_mut(at) {
                let from = index(core::mem::replace(place, at as Place));
                if from == start || from == at {
                    break;
                }
                swap(at, from);
                at = from;
            }
        }
    }
}

#[inline(always)]
fn place(head: u64, len: usize, index: usize) -> Place {
    Place::from(head) << 64 | (len as Place).min(MORE) << INDEX | index as Place
}

/// Which text it is.
fn index(place: Place) -> usize {
    (place & ((1 << INDEX) - 1)) as usize
}

/// A quicksort that turns to [`heapsort`] when its pivots are bad too often: `limit` times. It calls itself no
/// deeper than the number of places can be halved.
#[inline(never)]
fn sort(mut places: &mut [Place], mut limit: u32) {
    while places.len() > FEW {
        if limit == 0 {
            return heapsort(places);
        }
        limit -= 1;
        let (left, right) = partition(places);
        let less = if left.len() < right.len() {
            places = right;
            left
        } else {
            places = left;
            right
        };
        sort(less, limit);
    }
    for end in 1..places.len() {
        let (mut at, place) = (end, places[end]);
        while at > 0 && places[at - 1] > place {
            places[at] = places[at - 1];
            at -= 1;
        }
        places[at] = place;
    }
}

/// What is less than a pivot, and what is greater. No two places are the same.
#[inline(never)]
fn partition(places: &mut [Place]) -> (&mut [Place], &mut [Place]) {
    let (len, last) = (places.len(), places.len() - 1);
    // The middle one of three.
    let (a, b, c) = (places[0], places[len / 2], places[last]);
    let middle = if (a < b) == (b < c) {
        len / 2
    } else if (a < b) == (c < a) {
        0
    } else {
        last
    };
    places.swap(middle, last);
    let pivot = places[last];
    // Without a branch that depends on what is compared: nobody could foretell it.
    let mut less = 0;
    for at in 0..last {
        let place = places[at];
        places.swap(at, less);
        less += usize::from(place < pivot);
    }
    places.swap(less, last);
    let (left, right) = places.split_at_mut(less);
    (left, right.get_mut(1..).unwrap_or_default())
}

/// Never more than n log n.
#[cold]
fn heapsort(places: &mut [Place]) {
    for step in (0..places.len() + places.len() / 2).rev() {
        // First a heap is made, from its middle to its root. Then the greatest goes to the end, again and again.
        let (mut at, len) = if let Some(root) = step.checked_sub(places.len()) {
            (root, places.len())
        } else {
            places.swap(0, step);
            (0, step)
        };
        let Some(heap) = places.get_mut(..len) else { return };
        loop {
            let mut child = 2 * at + 1;
            if child + 1 < heap.len() && heap[child] < heap[child + 1] {
                child += 1;
            }
            if child >= heap.len() || heap[at] > heap[child] {
                break;
            }
            heap.swap(at, child);
            at = child;
        }
    }
}

/// The first bytes as a number that orders as they do, zeros for what is missing.
#[inline(always)]
pub fn head(bytes: &[u8]) -> u64 {
    if let Some(first) = bytes.first_chunk() {
        return u64::from_be_bytes(*first);
    }
    match (bytes.first_chunk(), bytes.last_chunk()) {
        // The two overlap, and agree where they do.
        (Some(first), Some(last)) => {
            let (first, last) = (u32::from_be_bytes(*first), u32::from_be_bytes(*last));
            u64::from(first) << 32 | u64::from(last) << (64 - 8 * bytes.len())
        }
        _ => bytes.iter().rev().fold(0, |head, &b| (head | u64::from(b) << 56) >> 8) << 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_the_first_bytes() {
        for n in 0..12 {
            let bytes = &b"\x01\xf2c\xe4e\x06ghijkl"[..n];
            let mut want = [0; 8];
            want[..n.min(8)].copy_from_slice(&bytes[..n.min(8)]);
            assert_eq!(head(bytes), u64::from_be_bytes(want), "{n}");
        }
    }

    /// Sorts texts, and checks that against the standard library.
    fn check(texts: &mut [Vec<u8>]) {
        let mut sorter = Sorter::default();
        texts.iter().for_each(|text| sorter.add(head(text), text.len()));
        sorter.sort(&|i| &texts[i], head);
        let mut right: Vec<usize> = (0..texts.len()).collect();
        right.sort_by(|&a, &b| texts[a].cmp(&texts[b]));
        assert!(sorter.indices().eq(right), "{texts:?}");
        sorter.apply(|a, b| texts.swap(a, b));
        assert!(texts.is_sorted(), "{texts:?}");
    }

    #[test]
    fn against_the_standard_library() {
        let mut random = 0x2545_f491_4f6c_dd1du64;
        let mut next = move || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random as usize
        };
        for count in (0..70).chain([127, 128, 129, 1000]) {
            for shape in 0..12 {
                let mut texts: Vec<Vec<u8>> = (0..count)
                    .map(|i| match shape {
                        // All the same; in order; the other way round; up and down; each one longer; and of few letters.
                        0 => b"the same text".to_vec(),
                        1 => std::format!("{i:020}").into_bytes(),
                        2 => std::format!("{:020}", count - i).into_bytes(),
                        3 => std::format!("{:020}", if i % 2 == 0 { i } else { count - i }).into_bytes(),
                        4 => alloc::vec![0; next() % 60],
                        _ => (0..next() % (3 * shape)).map(|_| (next() % (shape - 3)) as u8).collect(),
                    })
                    .collect();
                check(&mut texts);
            }
        }
    }

    #[test]
    fn each_text_is_read_once() {
        // Texts that differ at their ends only, each other's beginnings, and by one in every eight bytes.
        for shape in 0..3 {
            let texts: Vec<Vec<u8>> = (0..500usize)
                .map(|i| match shape {
                    0 => std::format!("{}{}", "x".repeat(5000), i * 7919 % 500).into_bytes(),
                    1 => alloc::vec![b'x'; 8 * (i * 7919 % 500)],
                    _ => std::format!("{}y", "xxxxxxxx".repeat(i * 7919 % 500)).into_bytes(),
                })
                .collect();
            let bytes: usize = texts.iter().map(|text| text.len()).sum();
            let looks = core::cell::Cell::new(0);
            let look = |i: usize| {
                looks.set(looks.get() + 1);
                texts[i].as_slice()
            };
            let mut sorter = Sorter::default();
            texts.iter().for_each(|text| sorter.add(head(text), text.len()));
            sorter.sort(&look, head);
            assert!(looks.get() <= bytes / 8, "{shape}");
        }
    }
}
