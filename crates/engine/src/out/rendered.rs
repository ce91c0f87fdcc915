//! Keys as they were written before, found by the key object, which is kept alive.
//!
//! Each may stand in one of two places, which have nothing to do with each other, and moves to its other one for a key
//! that comes. With one place, two keys that are met in turn would drive each other out, which is as likely as two
//! birthdays on a day; with two side by side, three would, which with a hundred keys is still more likely than not.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem;

use py::{Own, Ref};
use wire::{Kept, Lead};

/// Such keys, each in one of the two places that its address has.
pub struct Rendered<'r>(&'r mut Places);

/// Where they stand.
pub(super) type Places = [Place; PLACES + 1];

// A line of the processor's cache each: what is asked for and what is copied come together.
#[repr(align(64))]
pub(super) struct Place {
    key: Option<Own>,
    kept: Kept,
    /// Where the key was that would last have come here.
    seen: usize,
}

const PLACES: usize = 1024;

/// How many keys are moved for one that comes.
const MOVES: usize = 4;

/// A key that was written before, by its place.
#[derive(Clone, Copy)]
pub struct Known(usize);

impl Known {
    /// No key: it stands there already.
    pub(super) const WRITTEN: Known = Known(PLACES);
}

/// No keys.
pub(super) fn places() -> Box<Places> {
    // One more, which no key has.
    let places: Vec<Place> =
        (0..=PLACES).map(|_| Place { key: None, kept: Kept::NOTHING, seen: 0 }).collect();
    match places.into_boxed_slice().try_into() {
        Ok(places) => places,
        // There are as many as were made.
        Err(_) => unreachable!(),
    }
}

impl<'r> Rendered<'r> {
    pub(super) fn new(places: &'r mut Places) -> Self {
        Rendered(places)
    }

    #[inline(always)]
    fn places(key: Ref<'_>) -> [usize; 2] {
        // Addresses of keys that were made together differ in few bits; a multiplication spreads them.
        let a = (key.address() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bits = PLACES.ilog2();
        [(a >> (64 - bits)) as usize, (a >> (64 - 2 * bits)) as usize % PLACES]
    }

    #[inline(always)]
    pub(super) fn known(&self, key: Ref<'_>) -> Option<Known> {
        let [first, second] = Rendered::places(key);
        if self.is_at(key, first) {
            return Some(Known(first));
        }
        self.is_at(key, second).then_some(Known(second))
    }

    #[inline(always)]
    fn is_at(&self, key: Ref<'_>, at: usize) -> bool {
        self.0[at].key.as_ref().map_or(0, |there| there.as_ref().address()) == key.address()
    }

    /// Whether a key is to be kept: not at first, as many a key never comes again.
    pub(super) fn wants(&mut self, key: Ref<'_>) -> bool {
        let [at, _] = Rendered::places(key);
        mem::replace(&mut self.0[at].seen, key.address()) == key.address()
    }

    pub(super) fn keep(&mut self, key: Ref<'_>, kept: Kept) {
        let [mut at, _] = Rendered::places(key);
        let mut place = Place { key: Some(key.own()), kept, seen: key.address() };
        // What stood there goes to its other place, and what stood there likewise, until that was empty, or it is enough.
        for _ in 0..MOVES {
            mem::swap(&mut self.0[at], &mut place);
            let Some(key) = &place.key else { return };
            let [first, second] = Rendered::places(key.as_ref());
            at = if first == at { second } else { first };
        }
    }
}

/// What stands before a value, perhaps among what was written before.
pub trait Led: Copy {
    /// What is written.
    type Lead<'a>: Lead
    where
        Self: 'a;

    /// Looks it up.
    fn of<'a>(self, rendered: &'a Rendered<'_>) -> Self::Lead<'a>
    where
        Self: 'a;
}

impl Led for () {
    type Lead<'a> = ();

    #[inline(always)]
    fn of<'a>(self, _: &'a Rendered<'_>)
    where
        Self: 'a,
    {
    }
}

impl<'k> Led for &'k Kept {
    type Lead<'a>
        = &'k Kept
    where
        Self: 'a;

    #[inline(always)]
    fn of<'a>(self, _: &'a Rendered<'_>) -> &'k Kept
    where
        Self: 'a,
    {
        self
    }
}

impl Led for Known {
    type Lead<'a> = &'a Kept;

    #[inline(always)]
    fn of<'a>(self, rendered: &'a Rendered<'_>) -> &'a Kept
    where
        Self: 'a,
    {
        &rendered.0[self.0.min(PLACES)].kept
    }
}
