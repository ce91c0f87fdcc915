//! Keys that were met before, so that a thousand maps share one set of keys.
//!
//! What may surprise: a key is found by a hash but recognised by its bytes, always. The hash is
//! ours, seeded at random for each process, and a collision costs only a new string.

use alloc::boxed::Box;
use wire::say;

use py::{Own, Result};
use wire::Str;
use wire::texts::{hash, same};
use wire::transcode::Decoded;

/// A table with one place for each hash. The last key to come keeps the place.
pub(crate) struct KeyCache {
    seed: u64,
    places: Box<[Option<Own>; PLACES]>,
}

const PLACES: usize = 2048;

/// Longer keys are seldom keys of many maps.
const LONGEST: usize = 64;

impl Default for KeyCache {
    fn default() -> Self {
        KeyCache::new(0)
    }
}

impl KeyCache {
    pub(crate) fn new(seed: u64) -> Self {
        KeyCache { seed, places: Box::new([const { None }; PLACES]) }
    }

    /// Whether a key may be looked for here.
    #[inline(always)]
    pub(crate) fn suits(s: &Str<'_>) -> bool {
        s.is_ascii() && s.bytes().len() <= LONGEST
    }

    /// The key, old or new.
    #[inline(always)]
    pub(crate) fn get(&mut self, s: Str<'_>, room: &mut Decoded) -> Result<Own> {
        let bytes = s.bytes();
        let place = &mut self.places[hash(bytes, self.seed) as usize % PLACES];
        if let Some(key) = place
            && let Some(k) = key.as_ref().as_str()
            && let Some(old) = k.ascii()
            && same(old, bytes)
        {
            return Ok(key.clone());
        }
        Self::fill(place, s, room)
    }

    #[inline(never)]
    fn fill(place: &mut Option<Own>, s: Str<'_>, room: &mut Decoded) -> Result<Own> {
        match py::str(s, room) {
            Ok(key) => {
                let key = key?;
                *place = Some(key.clone());
                Ok(key)
            }
            // The text is ASCII.
            Err(_) => Err(py::Builtin::Runtime.raise(say!("a key is not text"))),
        }
    }
}
