//! The output buffer: one comparison for each write, and storage that somebody else provides.
//!
//! What may surprise: the buffer does not know where its bytes live. A [`Store`] says how they
//! grow and how they are freed, so the same writer fills a `Vec` in a test and a Python `bytes`
//! in the engine, which is then handed out without a copy.
#![allow(unsafe_code)]

use alloc::vec::Vec;
use core::mem::ManuallyDrop;
use core::ptr;

use crate::error::{Full, Wrote};
use crate::scan;

/// How the storage of a [`Buf`] grows and ends.
pub struct Grow {
    /// Makes room for `want` bytes in all, keeping the first `len`, by way of [`Buf::rebase`];
    /// false if there is no memory.
    pub grow: unsafe fn(buf: &mut Buf, want: usize) -> bool,
    /// Frees the storage.
    pub free: unsafe fn(ptr: *mut u8, cap: usize),
}

/// A growable run of bytes.
pub struct Buf {
    ptr: *mut u8,
    len: usize,
    cap: usize,
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
    /// frees; `store.grow` must do as [`Grow`] says.
    pub unsafe fn from_raw(ptr: *mut u8, len: usize, cap: usize, store: &'static Grow) -> Buf {
        Buf { ptr, len, cap, store }
    }

    /// A buffer that grows as a `Vec` does, after what `v` holds.
    pub fn from_vec(v: Vec<u8>) -> Buf {
        let mut v = ManuallyDrop::new(v);
        Buf { ptr: v.as_mut_ptr(), len: v.len(), cap: v.capacity(), store: &VEC }
    }

    /// The bytes of a buffer made by [`Buf::from_vec`]; a copy for any other.
    pub fn into_vec(self) -> Vec<u8> {
        if !ptr::eq(self.store, &VEC) {
            return self.as_slice().to_vec();
        }
        let b = ManuallyDrop::new(self);
        // SAFETY: `VEC` storage is that of a `Vec`, and dropping was switched off.
        unsafe { Vec::from_raw_parts(b.ptr, b.len, b.cap) }
    }

    /// Pointer, length, capacity and store, which the caller now owns.
    pub fn into_raw(self) -> (*mut u8, usize, usize, &'static Grow) {
        let b = ManuallyDrop::new(self);
        (b.ptr, b.len, b.cap, b.store)
    }

    /// Where the bytes stand.
    pub fn as_ptr(&self) -> *mut u8 {
        self.ptr
    }

    /// Gives the buffer other storage.
    ///
    /// # Safety
    /// As for [`Buf::from_raw`]; the first `len` bytes must have been kept, and the old storage
    /// must have been freed or moved.
    pub unsafe fn rebase(&mut self, ptr: *mut u8, cap: usize, store: &'static Grow) {
        self.ptr = ptr;
        self.cap = cap;
        self.store = store;
    }

    /// How many bytes were written.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many bytes fit before the storage must grow.
    pub fn capacity(&self) -> usize {
        self.cap
    }

    /// What was written.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: the first `len` bytes were written.
        unsafe { core::slice::from_raw_parts(self.ptr, self.len) }
    }

    /// Makes sure of room for `n` more bytes.
    #[inline(always)]
    pub fn reserve(&mut self, n: usize) -> Wrote {
        if self.cap - self.len < n { self.enlarge(n) } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    fn enlarge(&mut self, n: usize) -> Wrote {
        let step = if self.cap < DOUBLE_BELOW { self.cap } else { self.cap / 2 };
        let need = self.len.checked_add(n).ok_or(Full)?;
        let want = need.max(self.cap.saturating_add(step)).max(64);
        if want > isize::MAX as usize {
            return Err(Full);
        }
        // SAFETY: the function came with this storage.
        if unsafe { (self.store.grow)(self, want) } && self.cap - self.len >= n { Ok(()) } else { Err(Full) }
    }

    /// Appends one byte.
    #[inline(always)]
    pub fn push(&mut self, b: u8) -> Wrote {
        self.reserve(1)?;
        // SAFETY: there is room for one byte after `len`.
        unsafe { *self.ptr.add(self.len) = b };
        self.len += 1;
        Ok(())
    }

    /// Appends `bytes`.
    #[inline(always)]
    pub fn put(&mut self, bytes: &[u8]) -> Wrote {
        self.reserve(bytes.len())?;
        // SAFETY: there is room for `bytes.len()` bytes after `len`, in storage that only we hold.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.ptr.add(self.len), bytes.len()) };
        self.len += bytes.len();
        Ok(())
    }

    /// Appends the first `len` of `N` bytes, by copying all `N`: a copy of fixed size is a few
    /// moves, where one of unknown size is a call.
    #[inline(always)]
    pub fn put_short<const N: usize>(&mut self, bytes: &[u8; N], len: usize) -> Wrote {
        assert!(len <= N);
        self.reserve(N)?;
        // SAFETY: there is room for `N` bytes after `len`.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.ptr.add(self.len), N) };
        self.len += len;
        Ok(())
    }

    /// Appends the bytes up to the first that JSON text must escape (a control character, a
    /// double quote, a backslash), and says how many they are.
    #[inline(always)]
    pub fn put_plain(&mut self, bytes: &[u8]) -> Result<usize, Full> {
        self.reserve(bytes.len() + scan::SPARE)?;
        // SAFETY: there is room for the bytes and `SPARE` more after `len`, in storage that only
        // we hold.
        let n = unsafe { scan::copy_plain(bytes, self.ptr.add(self.len)) };
        self.len += n;
        Ok(n)
    }

    /// Replaces the last byte written.
    #[inline(always)]
    pub fn set_last(&mut self, b: u8) {
        assert!(self.len > 0);
        // SAFETY: the byte before `len` was written.
        unsafe { *self.ptr.add(self.len - 1) = b };
    }

    /// Forgets what was written after the first `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }
}

impl Drop for Buf {
    fn drop(&mut self) {
        // SAFETY: the buffer owns its storage.
        unsafe { (self.store.free)(self.ptr, self.cap) }
    }
}

static VEC: Grow = Grow { grow: grow_vec, free: free_vec };

/// # Safety
/// The storage must be that of a `Vec`.
unsafe fn grow_vec(buf: &mut Buf, want: usize) -> bool {
    // SAFETY: by contract; the vector is put back, or emptied, before anyone looks.
    let mut v = unsafe { Vec::from_raw_parts(buf.ptr, buf.len, buf.cap) };
    let ok = v.try_reserve_exact(want - buf.len).is_ok();
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
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn grows_and_keeps() {
        let mut b = Buf::from_vec(Vec::new());
        let mut want = vec![];
        for i in 0..5000u32 {
            b.put(&i.to_le_bytes()).unwrap();
            want.extend_from_slice(&i.to_le_bytes());
            b.push(i as u8).unwrap();
            want.push(i as u8);
            b.put_short(&[1, 2, 3, 4, 5, 6, 7, 8], 3).unwrap();
            want.extend_from_slice(&[1, 2, 3]);
        }
        b.set_last(9);
        *want.last_mut().unwrap() = 9;
        assert_eq!(b.into_vec(), want);
    }

    #[test]
    fn plain_stops_where_it_must() {
        for n in 0..140usize {
            let text = vec![b'x'; n];
            let mut b = Buf::from_vec(Vec::new());
            assert_eq!(b.put_plain(&text), Ok(n));
            assert_eq!(b.as_slice(), &text[..]);
            for at in 0..n {
                for stop in [b'"', b'\\', 0, 0x1f] {
                    let mut text = text.clone();
                    text[at] = stop;
                    let mut b = Buf::from_vec(Vec::new());
                    assert_eq!(b.put_plain(&text), Ok(at), "{n} {at} {stop}");
                    assert_eq!(b.as_slice(), &text[..at]);
                }
            }
        }
    }

    #[test]
    fn an_impossible_size_is_refused() {
        let mut b = Buf::from_vec(vec![1]);
        assert_eq!(b.reserve(usize::MAX), Err(Full));
        assert_eq!(b.reserve(isize::MAX as usize), Err(Full));
        assert_eq!(b.as_slice(), &[1]);
    }
}
