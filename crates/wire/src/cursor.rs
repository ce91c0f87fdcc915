//! The input, and a place in it.
//!
//! What may surprise: an [`Input`] is followed by a zero byte that is not part of it. The cursor
//! may therefore look at the byte where it stands without asking whether the input has ended; a
//! grammar in which zero has no meaning finds the end by itself.
//!
//! BE ADVISED: every method keeps `start <= at <= end` and nothing else makes the reads sound.
//! A method that moves the cursor past a byte must know that the byte is not the zero at `end`:
//! because it compared it with something that is not zero, or because it looked at `end`.
#![allow(unsafe_code)]

use alloc::vec::Vec;
use core::marker::PhantomData;

use crate::text::Str;

/// Bytes with a zero byte after them.
#[derive(Clone, Copy)]
pub struct Input<'d> {
    bytes: &'d [u8],
}

impl<'d> Input<'d> {
    /// Bytes that are known to be followed by a zero byte.
    ///
    /// # Safety
    /// The byte after `bytes` must be readable and zero, and stay so for `'d`, as must `bytes`.
    #[inline]
    pub unsafe fn terminated(bytes: &'d [u8]) -> Self {
        Input { bytes }
    }

    /// Takes what stands before the zero byte that `bytes` end with; nothing if they do not.
    #[inline]
    pub fn ended(bytes: &'d [u8]) -> Option<Self> {
        match bytes.split_last() {
            Some((0, bytes)) => Some(Input { bytes }),
            _ => None,
        }
    }

    /// Appends a zero byte to `owned`, and takes what stands before it.
    pub fn new(owned: &'d mut Vec<u8>) -> Self {
        owned.push(0);
        let owned: &'d [u8] = owned;
        Input { bytes: &owned[..owned.len() - 1] }
    }

    /// The bytes.
    pub fn bytes(&self) -> &'d [u8] {
        self.bytes
    }
}

/// A place in an [`Input`].
#[derive(Clone, Copy)]
pub struct Cursor<'d> {
    start: *const u8,
    at: *const u8,
    end: *const u8,
    input: PhantomData<&'d [u8]>,
}

/// How many bytes [`scan::starts_with`] looks at for a key of `len`.
#[inline(always)]
fn needed(len: usize) -> usize {
    if len <= scan::SHORT { scan::SHORT } else { scan::KNOWN }
}

impl<'d> Cursor<'d> {
    /// The beginning of the input.
    pub fn new(input: Input<'d>) -> Self {
        let r = input.bytes.as_ptr_range();
        Cursor { start: r.start, at: r.start, end: r.end, input: PhantomData }
    }

    /// How many bytes were passed.
    #[inline]
    pub fn offset(&self) -> usize {
        self.at as usize - self.start as usize
    }

    /// How many bytes are left.
    #[inline(always)]
    pub fn left(&self) -> usize {
        self.end as usize - self.at as usize
    }

    /// Whether nothing is left.
    #[inline(always)]
    pub fn at_end(&self) -> bool {
        self.at == self.end
    }

    /// The byte here; 0 at the end.
    #[inline(always)]
    pub fn peek(&self) -> u8 {
        // SAFETY: `at <= end`, and the byte at `end` may be read.
        unsafe { *self.at }
    }

    /// Passes the byte here if it is `B`.
    #[inline(always)]
    pub fn eat<const B: u8>(&mut self) -> bool {
        const { assert!(B != 0, "a zero might be the one after the end") };
        if self.peek() != B {
            return false;
        }
        // SAFETY: the byte is not the zero at `end`, so `at < end`.
        self.at = unsafe { self.at.add(1) };
        true
    }

    /// Passes and gives the byte here, if it is not zero.
    #[inline(always)]
    pub fn take_nonzero(&mut self) -> Option<u8> {
        let b = self.peek();
        if b == 0 {
            return None;
        }
        // SAFETY: the byte is not the zero at `end`, so `at < end`.
        self.at = unsafe { self.at.add(1) };
        Some(b)
    }

    /// Passes `n` bytes, or as many as are left.
    #[inline(always)]
    pub fn advance(&mut self, n: usize) {
        // SAFETY: no more than is left.
        self.at = unsafe { self.at.add(n.min(self.left())) };
    }

    /// Passes and gives `n` bytes, if so many are left.
    #[inline(always)]
    pub fn take(&mut self, n: usize) -> Option<&'d [u8]> {
        if self.left() < n {
            return None;
        }
        // SAFETY: so many bytes are left, and they are part of the input, which lives for `'d`.
        unsafe {
            let taken = core::slice::from_raw_parts(self.at, n);
            self.at = self.at.add(n);
            Some(taken)
        }
    }

    /// The same for a number of bytes that is known beforehand.
    #[inline(always)]
    pub fn take_chunk<const N: usize>(&mut self) -> Option<[u8; N]> {
        if self.left() < N {
            return None;
        }
        // SAFETY: `N` bytes are left; an array of bytes needs no alignment.
        unsafe {
            let taken = *self.at.cast::<[u8; N]>();
            self.at = self.at.add(N);
            Some(taken)
        }
    }

    /// Goes to `offset`, or to the end if that lies beyond it.
    pub fn seek(&mut self, offset: usize) {
        self.at = self.start;
        self.advance(offset);
    }

    /// What is left.
    #[inline]
    pub fn rest(&self) -> &'d [u8] {
        // SAFETY: `at..end` is part of the input, which lives for `'d`.
        unsafe { core::slice::from_raw_parts(self.at, self.left()) }
    }

    /// What was passed since `offset`.
    #[inline]
    pub fn since(&self, offset: usize) -> &'d [u8] {
        let n = self.offset();
        let from = offset.min(n);
        // SAFETY: `start + from ..at` is part of the input.
        unsafe { core::slice::from_raw_parts(self.start.add(from), n - from) }
    }

    /// Passes `word` if it stands here.
    #[inline(always)]
    pub fn eat_word<const N: usize>(&mut self, word: &[u8; N]) -> bool {
        if self.left() < N {
            return false;
        }
        // SAFETY: `N` bytes are left; an array of bytes needs no alignment.
        let here = unsafe { &*self.at.cast::<[u8; N]>() };
        if here != word {
            return false;
        }
        // SAFETY: as above.
        self.at = unsafe { self.at.add(N) };
        true
    }

    /// Passes the first `len` bytes of `known` if they stand here.
    #[inline(always)]
    pub fn eat_known(&mut self, known: &[u8; scan::KNOWN], len: usize) -> bool {
        if len > scan::KNOWN {
            return false;
        }
        if self.left() < needed(len) {
            return self.eat_last_known(known, len);
        }
        // SAFETY: so many bytes are left.
        if !unsafe { scan::starts_with(self.at, known, len) } {
            return false;
        }
        // SAFETY: no more than is left.
        self.at = unsafe { self.at.add(len) };
        true
    }

    /// The same behind a byte `B`, which is passed too, if there `must` be one, and must not otherwise; and behind one blank, if there is one.
    #[inline(always)]
    pub fn eat_known_after<const B: u8>(
        &mut self,
        must: bool,
        known: &[u8; scan::KNOWN],
        len: usize,
    ) -> bool {
        if (self.peek() == B) != must || len > scan::KNOWN || self.left() < needed(len) + 2 {
            return false;
        }
        // SAFETY: so many bytes are left, and two more; and no more of them than `len` are passed.
        unsafe {
            let at = self.at.add(must.into());
            let at = at.add((*at == b' ').into());
            let same = scan::starts_with(at, known, len);
            if same {
                self.at = at.add(len);
            }
            same
        }
    }

    /// The same near the end of the input: all at once would be more than is left.
    #[inline(never)]
    fn eat_last_known(&mut self, known: &[u8; scan::KNOWN], len: usize) -> bool {
        let (here, known) = match (self.rest().get(..len), known.get(..len)) {
            (Some(here), Some(known)) => (here, known),
            _ => return false,
        };
        let word = |b: &[u8], at: usize| {
            let chunk = b.get(at..at + 8).and_then(|c| c.first_chunk::<8>());
            chunk.map_or(0, |c| u64::from_ne_bytes(*c))
        };
        let same = if len >= 8 {
            // The last word overlaps the one before.
            let mut at = 0;
            while at + 8 < len && word(here, at) == word(known, at) {
                at += 8;
            }
            at + 8 >= len && word(here, len - 8) == word(known, len - 8)
        } else {
            let mut at = 0;
            while at < len && here.get(at) == known.get(at) {
                at += 1;
            }
            at == len
        };
        if same {
            self.advance(len);
        }
        same
    }

    /// Passes white space (space, tab, line feed, carriage return) and gives the byte after it.
    #[inline(always)]
    pub fn skip_space(&mut self) -> u8 {
        let b = self.peek();
        if b > b' ' { b } else { self.skip_spaces() }
    }

    /// The same where there seldom is any.
    #[inline(always)]
    pub fn skip_rare_space(&mut self) -> u8 {
        let b = self.peek();
        if b > b' ' { b } else { self.skip_rare_spaces() }
    }

    #[inline(never)]
    fn skip_rare_spaces(&mut self) -> u8 {
        self.skip_spaces()
    }

    /// One blank is common after `:` and `,`; a line feed is followed by an indent.
    #[inline(always)]
    fn skip_spaces(&mut self) -> u8 {
        if self.peek() == b' ' {
            // SAFETY: the byte is not the zero at `end`.
            self.at = unsafe { self.at.add(1) };
            let b = self.peek();
            if b > b' ' {
                return b;
            }
        }
        // SAFETY: `at..end` is readable.
        let n = unsafe { scan::space(self.at, self.end) };
        // SAFETY: `space` counts no byte at or beyond `end`.
        self.at = unsafe { self.at.add(n) };
        self.peek()
    }

    /// Passes the bytes up to the first that ends or escapes JSON text (a control character, a
    /// double quote, a backslash, the end), and gives them.
    #[inline(always)]
    pub fn plain(&mut self) -> Str<'d> {
        // SAFETY: `start..end` is readable, and the cursor in it.
        let (n, ascii) = unsafe { scan::plain(self.start, self.at, self.end) };
        // SAFETY: `plain` counts no byte at or beyond `end`, and proves what it says of ASCII.
        unsafe {
            let s = Str::scanned(core::slice::from_raw_parts(self.at, n), ascii);
            self.at = self.at.add(n);
            s
        }
    }

    /// The next eight bytes as what digits among them are worth, if so many are left; and how many are digits before one is not.
    #[inline(always)]
    fn next_eight(&self) -> Option<(u64, usize)> {
        if self.left() < 8 {
            return None;
        }
        // SAFETY: eight bytes are left; the read needs no alignment.
        let eight = u64::from_le_bytes(unsafe { *self.at.cast::<[u8; 8]>() }) ^ ZEROS;
        Some((eight, leading_digits(eight)))
    }

    /// Passes decimal digits that are likely to be fewer than eight; gives their value, which wraps around. All are looked at together: where a
    /// loop ends cannot be foretold.
    #[inline(always)]
    pub fn short_digits(&mut self) -> u64 {
        if let Some((eight, n)) = self.next_eight()
            && n < 8
        {
            // SAFETY: more than these are left.
            self.at = unsafe { self.at.add(n) };
            // The others go, and zeros come before those that stay. In two steps, since none may stay.
            return digits_value(eight << (56 - 8 * n) << 8);
        }
        self.digits(0)
    }

    /// Passes an integer of one to seven digits, if one stands here and nothing that belongs to a number follows: its value,
    /// which no leading zero stands before.
    #[inline(always)]
    pub fn short_integer(&mut self) -> Option<u64> {
        let (eight, n) = self.next_eight()?;
        if n == 0 || n > 7 || n > 1 && eight as u8 == 0 {
            return None;
        }
        let next = (eight >> (8 * n)) as u8 ^ b'0';
        if next == b'.' || next | 0x20 == b'e' {
            return None;
        }
        // SAFETY: more than these are left.
        self.at = unsafe { self.at.add(n) };
        Some(digits_value(eight << (64 - 8 * n)))
    }

    /// Passes decimal digits, adding each to `value` as the next place, wrapping around; gives the new value.
    #[inline(never)]
    pub fn digits(&mut self, mut value: u64) -> u64 {
        while let Some((eight, n)) = self.next_eight() {
            // SAFETY: eight bytes are left, and no more than these are passed.
            unsafe {
                if n < 8 {
                    self.at = self.at.add(n);
                    let part = digits_value(eight << (56 - 8 * n) << 8);
                    return value.wrapping_mul(TENS[n]).wrapping_add(part);
                }
                // What is read next need not wait for how many they are.
                self.at = self.at.add(8);
            }
            value = value.wrapping_mul(TENS[8]).wrapping_add(digits_value(eight));
        }
        self.few_digits(value)
    }

    /// The same one by one, where they are few or it is near the end of the input. Gives the new value.
    #[inline(never)]
    pub fn few_digits(&mut self, mut value: u64) -> u64 {
        loop {
            let d = self.peek().wrapping_sub(b'0');
            if d > 9 {
                return value;
            }
            value = value.wrapping_mul(10).wrapping_add(u64::from(d));
            // SAFETY: a digit is not the zero at `end`.
            self.at = unsafe { self.at.add(1) };
        }
    }
}

/// Eight zeros as text.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The powers of ten by which the places before some digits are multiplied.
static TENS: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// How many of eight bytes, the first being the lowest, are below ten before one is not.
#[inline(always)]
const fn leading_digits(v: u64) -> usize {
    // Adding 6 to what is above 9 carries into the high half. What it carries beyond that reaches only bytes after it.
    let other = (v.wrapping_add(0x0606_0606_0606_0606) | v) & 0xf0f0_f0f0_f0f0_f0f0;
    (other.trailing_zeros() / 8) as usize
}

/// The value of eight digits, the first byte being the highest place: pairs, then fours, then all eight.
#[inline(always)]
const fn digits_value(v: u64) -> u64 {
    let v = v.wrapping_mul(10).wrapping_add(v >> 8);
    let low = (v & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((v >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    low.wrapping_add(high) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_eight_at_a_time_are_digits_one_at_a_time() {
        for n in 0..30 {
            for behind in ["", "x", ":", "/", ".5", "x12345678", ",,,,,,,,,,,,", "\u{ff}\u{ff}\u{ff}\u{ff}"] {
                for first in [0, 1, 9] {
                    let digits: Vec<u8> = (0..n).map(|i| b'0' + ((first + 7 * i) % 10) as u8).collect();
                    let wanted =
                        digits.iter().fold(5u64, |v, d| v.wrapping_mul(10).wrapping_add(u64::from(d - b'0')));
                    let mut text = [&digits, behind.as_bytes()].concat();
                    let mut c = Cursor::new(Input::new(&mut text));
                    assert_eq!((c.digits(5), c.offset()), (wanted, n), "{behind}");
                    let mut c = Cursor::new(Input::new(&mut text));
                    let places = 10u64.wrapping_pow(n as u32).wrapping_mul(5);
                    assert_eq!((c.short_digits(), c.offset()), (wanted.wrapping_sub(places), n), "{behind}");
                }
            }
        }
    }

    #[test]
    fn every_byte_pattern_is_judged_rightly() {
        for at in 0..8 {
            for b in 0..=255u8 {
                for after in [b'0', b'9', 0xff] {
                    let mut bytes = [after; 8];
                    bytes[..at].fill(b'7');
                    bytes[at] = b;
                    let wanted = bytes.iter().position(|b| !b.is_ascii_digit()).unwrap_or(8);
                    assert_eq!(leading_digits(u64::from_le_bytes(bytes) ^ ZEROS), wanted, "{bytes:?}");
                }
            }
        }
    }

    #[test]
    fn space_of_any_length() {
        for n in 0..100 {
            let mut v: Vec<u8> = b" \n\t\r".iter().copied().cycle().take(n).collect();
            v.push(b'x');
            let mut c = Cursor::new(Input::new(&mut v));
            assert_eq!(c.skip_space(), b'x');
            assert_eq!(c.offset(), n);
            let mut v: Vec<u8> = b"\n  ".iter().copied().cycle().take(n).collect();
            let mut c = Cursor::new(Input::new(&mut v));
            assert_eq!(c.skip_space(), 0);
            assert!(c.at_end());
        }
    }

    #[test]
    fn plain_runs() {
        for n in 0..140usize {
            for (stop, wide) in [(b'"', false), (b'\\', true), (0x1f, false), (0, true)] {
                let mut v = alloc::vec![b'a'; n];
                if wide && n > 0 {
                    v[n - 1] = 0xc3;
                }
                v.push(stop);
                v.push(0xff);
                let mut c = Cursor::new(Input::new(&mut v));
                let s = c.plain();
                assert_eq!((s.bytes().len(), s.is_ascii()), (n, !(wide && n > 0)), "{n} {stop}");
            }
        }
    }
}
