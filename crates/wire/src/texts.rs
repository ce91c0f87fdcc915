//! Short texts in tables: where one belongs, and whether it is the one that stands there.
//!
//! What may surprise: the hash is quick and not strong. Whoever uses it bounds what a collision costs.

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
pub fn hash(b: &[u8], seed: u64) -> u64 {
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
pub fn same(a: &[u8], b: &[u8]) -> bool {
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
