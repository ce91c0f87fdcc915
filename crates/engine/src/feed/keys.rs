//! Keys that were met before, so that a thousand maps share one set of keys.
//!
//! What may surprise: a key is found by a hash but recognised by its bytes, always. The hash is
//! ours, seeded at random for each process, and a collision costs only a new string.

use alloc::boxed::Box;
use wire::say;

use py::{Own, Result};
use wire::Str;
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

#[inline(always)]
fn word(b: &[u8], at: usize) -> u64 {
    match b.get(at..at + 8) {
        Some(w) => u64::from_le_bytes(w.try_into().unwrap_or_default()),
        None => 0,
    }
}

#[inline(always)]
fn half(b: &[u8], at: usize) -> u64 {
    match b.get(at..at + 4) {
        Some(w) => u64::from(u32::from_le_bytes(w.try_into().unwrap_or_default())),
        None => 0,
    }
}

#[inline(always)]
fn mix(a: u64, b: u64) -> u64 {
    let r = u128::from(a) * u128::from(b);
    r as u64 ^ (r >> 64) as u64
}

/// Two overlapping words, multiplied: enough for a table whose answers are checked.
#[inline(always)]
fn hash(b: &[u8], seed: u64) -> u64 {
    let n = b.len();
    let (x, y) = if n >= 8 {
        let mut x = word(b, 0);
        let mut i = 8;
        while i + 8 < n {
            x = mix(x ^ seed, word(b, i) ^ 0x9e37_79b9_7f4a_7c15);
            i += 8;
        }
        (x, word(b, n - 8))
    } else if n >= 4 {
        (half(b, 0), half(b, n - 4))
    } else if n > 0 {
        (u64::from(b[0]) | u64::from(b[n / 2]) << 8 | u64::from(b[n - 1]) << 16, 0)
    } else {
        (0, 0)
    };
    mix(x ^ seed ^ n as u64, y ^ 0xe703_7ed1_a0b4_28db)
}

/// Equality by two overlapping words where they suffice: no call for what is short.
#[inline(always)]
fn same(a: &[u8], b: &[u8]) -> bool {
    let n = a.len();
    if n != b.len() {
        return false;
    }
    match n {
        8..=16 => word(a, 0) == word(b, 0) && word(a, n - 8) == word(b, n - 8),
        4..=7 => half(a, 0) == half(b, 0) && half(a, n - 4) == half(b, n - 4),
        _ => a == b,
    }
}
