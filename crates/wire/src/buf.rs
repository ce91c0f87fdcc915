//! The output buffer: one comparison for each write, and storage that somebody else provides.
//!
//! What may surprise: the buffer does not know where its bytes live. A [`Store`] says how they
//! grow and how they are freed, so the same writer fills a `Vec` in a test and a Python `bytes`
//! in the engine, which is then handed out without a copy.
#![allow(unsafe_code)]

mod digits;
mod lead;

use alloc::vec::Vec;
use core::mem::ManuallyDrop;
use core::ptr;

use crate::error::{Full, Wrote};
use crate::number;
use digits::{DIGITS, digits};
pub(crate) use digits::{PAIRS, put_digits};
pub use lead::{Kept, Lead, RENDERED};
use scan::MASKED;

/// How the storage of a [`Buf`] grows and ends.
pub struct Grow {
    /// Makes room for `want` bytes in all, keeping the first `len`, by way of [`Buf::rebase`];
    /// false if there is no memory.
    pub grow: unsafe fn(buf: &mut Buf, want: usize) -> bool,
    /// Frees the storage.
    pub free: unsafe fn(ptr: *mut u8, cap: usize),
}

/// A growable run of bytes.
///
/// Kept as three places, not as a place and two lengths: a write then needs one comparison of two
/// of them, and moves one. (These two stand first, where whoever holds a buffer is near them.) Whoever writes keeps `at` aside: for the compiler a byte might be part of it.
#[repr(C)]
pub struct Buf {
    /// Where the next byte goes.
    at: *mut u8,
    end: *mut u8,
    start: *mut u8,
    store: &'static Grow,
}

/// Below this capacity the buffer doubles; above it grows by half, so that the output and its
/// spare room stay within twice what was written.
const DOUBLE_BELOW: usize = 64 * 1024;

impl Buf {
    /// A buffer over storage that `store` governs.
    ///
    /// # Safety
    /// `ptr` must be writable for `cap` bytes, owned by the buffer, and be what `store.free`
    /// frees; `store.grow` must do as [`Grow`] says. Storage without room is not freed.
    pub unsafe fn from_raw(ptr: *mut u8, len: usize, cap: usize, store: &'static Grow) -> Buf {
        // SAFETY: by contract `ptr` is good for `cap` bytes, of which `len` were written.
        unsafe { Buf { start: ptr, at: ptr.add(len), end: ptr.add(cap), store } }
    }

    /// A buffer with no room, which can have none.
    const fn nowhere() -> Buf {
        let nowhere = ptr::NonNull::dangling().as_ptr();
        Buf { at: nowhere, end: nowhere, start: nowhere, store: &NOWHERE }
    }

    /// Takes the buffer, and leaves one that has no room.
    ///
    /// It is read field by field, as it was written: two of them at once, as the compiler copies it, would have to wait until both
    /// are in the cache, which is longer than a short message takes.
    #[inline(always)]
    pub fn take(&mut self) -> Buf {
        // SAFETY: the fields are alive, and go nowhere else: what they were is forgotten without being dropped.
        unsafe {
            let taken = Buf {
                at: (&raw const self.at).read_volatile(),
                end: (&raw const self.end).read_volatile(),
                start: (&raw const self.start).read_volatile(),
                store: (&raw const self.store).read_volatile(),
            };
            ptr::write(self, Buf::nowhere());
            taken
        }
    }

    /// Puts back what was taken.
    #[inline(always)]
    pub fn put_back(&mut self, taken: Buf) {
        debug_assert!(self.capacity() == 0, "it was not taken");
        core::mem::forget(core::mem::replace(self, taken));
    }

    #[cold]
    #[inline(never)]
    fn free(&mut self) {
        // SAFETY: the buffer owns its storage, and is about to be gone.
        unsafe { (self.store.free)(self.start, self.capacity()) }
    }

    /// A buffer that grows as a `Vec` does, after what `v` holds.
    pub fn from_vec(v: Vec<u8>) -> Buf {
        let mut v = ManuallyDrop::new(v);
        // SAFETY: the storage is that of a vector whose dropping was switched off.
        unsafe { Buf::from_raw(v.as_mut_ptr(), v.len(), v.capacity(), &VEC) }
    }

    /// The bytes of a buffer made by [`Buf::from_vec`]; a copy for any other.
    pub fn into_vec(self) -> Vec<u8> {
        if !ptr::eq(self.store, &VEC) {
            return self.as_slice().to_vec();
        }
        let b = ManuallyDrop::new(self);
        // SAFETY: `VEC` storage is that of a `Vec`, and dropping was switched off.
        unsafe { Vec::from_raw_parts(b.start, b.len(), b.capacity()) }
    }

    /// Pointer, length, capacity and store, which the caller now owns.
    pub fn into_raw(self) -> (*mut u8, usize, usize, &'static Grow) {
        let b = ManuallyDrop::new(self);
        (b.start, b.len(), b.capacity(), b.store)
    }

    /// Where the bytes stand.
    pub fn as_ptr(&self) -> *mut u8 {
        self.start
    }

    /// Gives the buffer other storage.
    ///
    /// # Safety
    /// As for [`Buf::from_raw`]; the first `len` bytes must have been kept, and the old storage
    /// must have been freed or moved.
    pub unsafe fn rebase(&mut self, ptr: *mut u8, cap: usize, store: &'static Grow) {
        let len = self.len();
        self.start = ptr;
        // SAFETY: by contract `ptr` is good for `cap` bytes, and holds the first `len`.
        unsafe {
            self.at = ptr.add(len);
            self.end = ptr.add(cap);
        }
        self.store = store;
    }

    /// How many bytes were written.
    #[inline]
    pub fn len(&self) -> usize {
        self.at as usize - self.start as usize
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.at == self.start
    }

    /// How many bytes fit before the storage must grow.
    pub fn capacity(&self) -> usize {
        self.end as usize - self.start as usize
    }

    /// How many more bytes fit before that.
    #[inline(always)]
    fn spare(&self) -> usize {
        self.end as usize - self.at as usize
    }

    /// Counts `n` bytes as written.
    ///
    /// # Safety
    /// They must have been, from `at` on.
    #[inline(always)]
    unsafe fn wrote(&mut self, n: usize) {
        // SAFETY: by contract, so no further than `end`.
        self.at = unsafe { self.at.add(n) };
    }

    /// What was written.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: the first `len` bytes were written.
        unsafe { core::slice::from_raw_parts(self.start, self.len()) }
    }

    /// Makes sure of room for `n` more bytes.
    #[inline(always)]
    pub fn reserve(&mut self, n: usize) -> Wrote {
        if self.spare() < n { self.enlarge(n) } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    fn enlarge(&mut self, n: usize) -> Wrote {
        let cap = self.capacity();
        let step = if cap < DOUBLE_BELOW { cap } else { cap / 2 };
        let need = self.len().checked_add(n).ok_or(Full)?;
        let want = need.max(cap.saturating_add(step)).max(64);
        if want > isize::MAX as usize {
            return Err(Full);
        }
        // SAFETY: the function came with this storage.
        if unsafe { (self.store.grow)(self, want) } && self.spare() >= n { Ok(()) } else { Err(Full) }
    }

    /// Appends one byte.
    #[inline(always)]
    pub fn push(&mut self, b: u8) -> Wrote {
        self.reserve(1)?;
        // SAFETY: there is room for one byte at `at`.
        unsafe {
            let at = self.at;
            *at = b;
            self.at = at.add(1);
        }
        Ok(())
    }

    /// Appends `bytes`.
    #[inline(always)]
    pub fn put(&mut self, bytes: &[u8]) -> Wrote {
        self.reserve(bytes.len())?;
        // SAFETY: there is room for `bytes.len()` bytes at `at`, in storage that only we hold.
        unsafe {
            ptr::copy_nonoverlapping(bytes.as_ptr(), self.at, bytes.len());
            self.wrote(bytes.len());
        }
        Ok(())
    }

    /// Appends a byte and the first bytes of a word, the highest first: `len` of these nine in all.
    /// What binary formats begin a value with, in one step.
    #[inline(always)]
    pub fn put_tagged(&mut self, tag: u8, word: u64, len: usize) -> Wrote {
        self.reserve(9)?;
        // SAFETY: there is room for nine bytes at `at`, of which no more count.
        unsafe {
            let at = self.at;
            *at = tag;
            at.add(1).cast::<[u8; 8]>().write(word.to_be_bytes());
            self.at = at.add(len.min(9));
        }
        Ok(())
    }

    /// Appends the first bytes of two words, the highest first: `len` of these sixteen in all.
    #[inline(always)]
    pub fn put_words(&mut self, [first, second]: [u64; 2], len: usize) -> Wrote {
        self.reserve(16)?;
        // SAFETY: there is room for sixteen bytes at `at`, of which no more count.
        unsafe {
            let at = self.at.cast::<[u8; 8]>();
            at.write(first.to_be_bytes());
            at.add(1).write(second.to_be_bytes());
            self.at = self.at.add(len.min(16));
        }
        Ok(())
    }

    /// Many words of the same tag, of which the lowest `N` bytes count.
    #[inline(always)]
    pub fn put_all_tagged<const N: usize>(&mut self, tag: u8, words: &[u64]) -> Wrote {
        const { assert!(N <= 8) };
        self.reserve(words.len().saturating_mul(1 + N).saturating_add(8))?;
        let mut at = self.at;
        for &word in words {
            // SAFETY: there is room for `1 + N` bytes for each word, and for eight more behind them.
            unsafe {
                *at = tag;
                at.add(1).cast::<[u8; 8]>().write((word << (64 - 8 * N)).to_be_bytes());
                at = at.add(1 + N);
            }
        }
        self.at = at;
        Ok(())
    }

    /// A tag and a head with `bytes` after it. Few bytes, as most keys and texts have, are copied without
    /// a call.
    #[inline(always)]
    pub fn put_headed(&mut self, tag: u8, word: u32, len: usize, bytes: &[u8]) -> Wrote {
        let n = bytes.len();
        let len = len.min(5);
        self.reserve(n.saturating_add(8 + MASKED))?;
        // SAFETY: there is room for eight bytes more than `bytes` at `at`, and for `MASKED`, in storage that
        // only we hold; the head is of five bytes at most.
        unsafe {
            let at = self.at;
            *at = tag;
            at.add(1).cast::<[u8; 4]>().write(word.to_be_bytes());
            scan::copy_few(bytes, at.add(len));
            self.at = at.add(len + n);
        }
        Ok(())
    }

    /// Appends the first `len` of `N` bytes, by copying all `N`: a copy of fixed size is a few
    /// moves, where one of unknown size is a call.
    #[inline(always)]
    pub fn put_short<const N: usize>(&mut self, bytes: &[u8; N], len: usize) -> Wrote {
        assert!(len <= N);
        self.reserve(N)?;
        // SAFETY: there is room for `N` bytes at `at`, and no more than these count.
        unsafe {
            ptr::copy_nonoverlapping(bytes.as_ptr(), self.at, N);
            self.wrote(len);
        }
        Ok(())
    }

    /// Appends what `write` puts at the front of `N` bytes, which are zero at first; it says how
    /// many count. It writes where the bytes belong: copying them from elsewhere would wait for
    /// the writes.
    #[inline(always)]
    pub fn put_by<const N: usize>(&mut self, write: impl FnOnce(&mut [u8; N]) -> usize) -> Wrote {
        self.reserve(N)?;
        // SAFETY: there is room for `N` bytes at `at`, in storage that only we hold, and they are
        // written before there is a reference to them. No more than these count.
        unsafe {
            let room = self.at.cast::<[u8; N]>();
            room.write([0; N]);
            let n = write(&mut *room).min(N);
            self.wrote(n);
        }
        Ok(())
    }

    /// Appends an integer in decimal digits.
    #[inline(always)]
    pub fn put_u64(&mut self, v: u64) -> Wrote {
        self.reserve(DIGITS)?;
        // SAFETY: there is room for `DIGITS` bytes at `at`.
        unsafe { self.wrote(digits(v, self.at)) };
        Ok(())
    }

    /// Appends an integer in decimal digits, after a minus sign if it is negative.
    #[inline(always)]
    pub fn put_i64(&mut self, v: i64) -> Wrote {
        self.reserve(DIGITS + 1)?;
        // SAFETY: there is room for a sign and `DIGITS` bytes at `at`. The sign is written in any
        // case, and counts only where it is wanted.
        unsafe {
            let at = self.at;
            *at = b'-';
            let sign = usize::from(v < 0);
            let n = digits(v.unsigned_abs(), at.add(sign));
            self.at = at.add(sign + n);
        }
        Ok(())
    }

    /// Appends the shortest text that gives a finite float back.
    #[inline(always)]
    pub fn put_f64(&mut self, v: f64) -> Wrote {
        self.put_float(|out| number::write_f64(v, out))
    }

    /// The same for a float of 32 bits.
    #[inline(always)]
    pub fn put_f32(&mut self, v: f32) -> Wrote {
        self.put_float(|out| number::write_f32(v, out))
    }

    #[inline(always)]
    fn put_float(&mut self, write: impl FnOnce(&mut [u8; 32]) -> usize) -> Wrote {
        self.reserve(size_of::<[u8; 32]>())?;
        // SAFETY: there is room for the array, and it is written whole before it is used.
        unsafe {
            let room = self.at.cast::<[u8; 32]>();
            room.write([0; 32]);
            self.wrote(write(&mut *room).min(32));
        }
        Ok(())
    }

    /// Appends a double quote, then the bytes and another quote if JSON text must escape none of them (no
    /// control character, no double quote, no backslash), else some of those before the first, and says how
    /// many. One step, so that the length changes once: each change waits for the one before.
    #[inline(always)]
    pub fn put_quoted(&mut self, bytes: &[u8]) -> Result<usize, Full> {
        self.reserve(bytes.len() + QUOTED)?;
        // SAFETY: there is room for the bytes and `QUOTED` more at `at`, in storage that only we hold.
        unsafe { Ok(self.quoted_from(self.at, bytes, [b'"'])) }
    }

    /// Writes a quote, the bytes, if none must be escaped, and what is last; else some of those before the first.
    ///
    /// # Safety
    /// `at` must be writable for the bytes and `QUOTED` more, and all before it must have been written.
    #[inline(always)]
    unsafe fn quoted_from<const N: usize>(&mut self, at: *mut u8, bytes: &[u8], last: [u8; N]) -> usize {
        const { assert!(1 + N + scan::SPARE <= QUOTED) };
        // SAFETY: by contract.
        unsafe {
            *at = b'"';
            let n = scan::copy_plain(bytes, at.add(1));
            if n == bytes.len() {
                let end = at.add(1 + bytes.len());
                end.cast::<[u8; N]>().write(last);
                self.at = end.add(N);
            } else {
                self.stopped(at.add(1 + n));
            }
            n
        }
    }

    /// Writing goes on somewhere before the end of what was to be written. A call, because the compiler would
    /// choose between the two places without a branch, and then whatever is written next waits until the
    /// bytes were looked at.
    #[cold]
    #[inline(never)]
    fn stopped(&mut self, at: *mut u8) {
        self.at = at;
    }

    /// Appends the bytes from a place on as a table spells them ([`scan::spell`]). It is asked for here, since it may be made only now,
    /// and who asks before a call keeps what is to be passed meanwhile.
    #[inline(never)]
    pub fn put_spelled<'t>(
        &mut self,
        mut bytes: &[u8],
        mut from: usize,
        table: impl FnOnce() -> &'t scan::Spellings,
    ) -> Wrote {
        let table = table();
        while from < bytes.len() {
            // So many at a time, that room for the worst of them is not much.
            let (part, rest) = bytes.split_at(bytes.len().min(from + 512));
            self.reserve((part.len() - from) * 7 + scan::SPARE + 8)?;
            // SAFETY: so much room was made.
            unsafe { self.at = scan::spell(part, from, self.at, table) };
            (bytes, from) = (rest, 0);
        }
        Ok(())
    }

    /// Appends what bytes stand for, as far as [`scan::unspell`] goes, and says how many it went over.
    #[inline]
    pub fn put_unspelled(&mut self, bytes: &[u8], meanings: &scan::Meanings) -> Result<usize, Full> {
        self.reserve(bytes.len() + scan::SPARE)?;
        // SAFETY: so much room was made.
        unsafe {
            let (n, at) = scan::unspell(bytes, self.at, meanings);
            self.at = at;
            Ok(n)
        }
    }

    /// Replaces the last byte written.
    #[inline(always)]
    pub fn set_last(&mut self, b: u8) {
        assert!(!self.is_empty());
        // SAFETY: the byte before `at` was written.
        unsafe { *self.at.sub(1) = b };
    }

    /// Sets bits of a byte that was written.
    #[inline]
    pub fn set_bits(&mut self, at: usize, bits: u8) {
        assert!(at < self.len());
        // SAFETY: the byte was written.
        unsafe { *self.start.add(at) |= bits };
    }

    /// Forgets what was written after the first `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        // SAFETY: no further than what was written.
        self.at = unsafe { self.start.add(self.len().min(len)) };
    }
}

impl Drop for Buf {
    #[inline(always)]
    fn drop(&mut self) {
        // Without room there is no storage.
        if self.capacity() != 0 {
            self.free();
        }
    }
}

/// Room for quotes around bytes, and for what is written beyond them.
const QUOTED: usize = scan::SPARE + 3;

static VEC: Grow = Grow { grow: grow_vec, free: free_vec };
/// What has no storage, such as what is left when it could not grow, and is gone.
pub static NOWHERE: Grow = Grow { grow: never, free: free_nothing };

/// # Safety
/// None is asked for.
unsafe fn never(_: &mut Buf, _: usize) -> bool {
    false
}

/// # Safety
/// None is asked for.
unsafe fn free_nothing(_: *mut u8, _: usize) {}

/// # Safety
/// The storage must be that of a `Vec`.
unsafe fn grow_vec(buf: &mut Buf, want: usize) -> bool {
    // SAFETY: by contract; the vector is put back, or emptied, before anyone looks.
    let mut v = unsafe { Vec::from_raw_parts(buf.start, buf.len(), buf.capacity()) };
    let ok = v.try_reserve_exact(want - v.len()).is_ok();
    let mut v = ManuallyDrop::new(v);
    // SAFETY: pointer and capacity are those of the vector, whose dropping was switched off.
    unsafe { buf.rebase(v.as_mut_ptr(), v.capacity(), &VEC) };
    ok
}

/// # Safety
/// The storage must be that of a `Vec`.
unsafe fn free_vec(ptr: *mut u8, cap: usize) {
    // SAFETY: by contract.
    drop(unsafe { Vec::from_raw_parts(ptr, 0, cap) });
}

#[cfg(test)]
#[path = "buf_tests.rs"]
mod tests;
