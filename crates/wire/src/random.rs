//! Numbers for tests that want many: the same ones each time.

use alloc::string::String;

/// Xorshift, after Marsaglia.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn digits(&mut self, count: u64) -> String {
        (0..count).map(|_| char::from(b'0' + (self.next() % 10) as u8)).collect()
    }
}
