//! What stands before a value and is written with it in one step: nothing, or a key as it was written before.
//!
//! Why in one step: where the next byte goes is known only when the last was written, so each step waits for the one
//! before; and each asks whether there is room. An entry of a map asks once.
#![allow(unsafe_code)]

use core::ptr;

use super::digits::{DIGITS, digits};
use super::{Buf, QUOTED};
use crate::error::{Full, Wrote};
use crate::number;
use crate::signed::Signed;
use scan::MASKED;

/// The longest key, with its separators, that is worth remembering as written.
pub const RENDERED: usize = 40;

/// A few bytes, as a format writes them.
pub struct Kept {
    text: [u8; RENDERED],
    /// No more than there is room for.
    len: u8,
}

impl Kept {
    /// No bytes.
    pub const NOTHING: Kept = Kept { text: [0; RENDERED], len: 0 };

    /// A copy of these, if they are few.
    pub fn new(bytes: &[u8]) -> Option<Kept> {
        let mut text = [0; RENDERED];
        text.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(Kept { text, len: bytes.len() as u8 })
    }
}

/// What stands before a value: see above.
pub trait Lead: Copy {
    /// How many bytes it may write.
    const ROOM: usize;

    /// Writes it, and says where it ends.
    ///
    /// # Safety
    /// `at` must be writable for [`Lead::ROOM`] bytes, apart from it.
    unsafe fn put(self, at: *mut u8) -> *mut u8;
}

impl Lead for () {
    const ROOM: usize = 0;

    #[inline(always)]
    unsafe fn put(self, at: *mut u8) -> *mut u8 {
        at
    }
}

impl Lead for &Kept {
    const ROOM: usize = RENDERED;

    #[inline(always)]
    unsafe fn put(self, at: *mut u8) -> *mut u8 {
        // SAFETY: by contract. All bytes are copied, which is a few moves; no more than these count.
        unsafe {
            ptr::copy_nonoverlapping(self.text.as_ptr(), at, RENDERED);
            at.add(self.len.into())
        }
    }
}

impl Buf {
    /// Writes what stands before a value, and says where that goes: so many bytes fit there.
    #[inline(always)]
    fn led(&mut self, lead: impl Lead, room: usize) -> Result<*mut u8, Full> {
        fn most<L: Lead>(_: L) -> usize {
            L::ROOM
        }
        // No sum of a length of bytes and some constants is too large.
        self.reserve(most(lead).wrapping_add(room))?;
        // SAFETY: there is room for it at `at`, in storage that only we hold.
        Ok(unsafe { lead.put(self.at) })
    }

    /// What stands before a value, alone.
    #[inline(always)]
    pub fn put_lead(&mut self, lead: impl Lead) -> Wrote {
        self.at = self.led(lead, 0)?;
        Ok(())
    }

    /// As [`Buf::put_short`].
    #[inline(always)]
    pub fn put_short_after<const N: usize>(&mut self, lead: impl Lead, bytes: &[u8; N], len: usize) -> Wrote {
        assert!(len <= N);
        let at = self.led(lead, N)?;
        // SAFETY: there is room for `N` bytes at `at`, and no more than these count.
        unsafe {
            ptr::copy_nonoverlapping(bytes.as_ptr(), at, N);
            self.at = at.add(len);
        }
        Ok(())
    }

    /// As [`Buf::put_tagged`].
    #[inline(always)]
    pub fn put_tagged_after(&mut self, lead: impl Lead, tag: u8, word: u64, len: usize) -> Wrote {
        let at = self.led(lead, 9)?;
        // SAFETY: there is room for nine bytes at `at`, of which no more count.
        unsafe {
            *at = tag;
            at.add(1).cast::<[u8; 8]>().write(word.to_be_bytes());
            self.at = at.add(len.min(9));
        }
        Ok(())
    }

    /// As [`Buf::put_headed`], with a tag alone.
    #[inline(always)]
    pub fn put_text_after(&mut self, lead: impl Lead, tag: u8, bytes: &[u8]) -> Wrote {
        let at = self.led(lead, bytes.len() + 1 + MASKED)?;
        // SAFETY: there is room for the tag, and `MASKED` more than `bytes` at `at`, in storage that only we hold.
        unsafe {
            *at = tag;
            scan::copy_few(bytes, at.add(1));
            self.at = at.add(1 + bytes.len());
        }
        Ok(())
    }

    /// An integer in decimal digits, and a byte after it. Meant for arrays too, whose numbers have as many digits as chance
    /// has it.
    #[inline(always)]
    pub fn put_signed_and(&mut self, lead: impl Lead, v: Signed, b: u8) -> Wrote {
        let from = self.led(lead, DIGITS + 2)?;
        // SAFETY: there is room for a sign, `DIGITS` bytes and one more at `from`.
        unsafe {
            *from = b'-';
            let at = from.add(v.negative.into());
            let at = at.add(digits(v.magnitude, at));
            *at = b;
            self.at = at.add(1);
        }
        Ok(())
    }

    /// A finite float as the shortest text that gives it back, and a byte after it.
    #[inline(always)]
    pub fn put_f64_and(&mut self, lead: impl Lead, v: f64, b: u8) -> Wrote {
        let at = self.led(lead, size_of::<[u8; 32]>() + 1)?;
        // SAFETY: there is room for the array and a byte more, and it is written whole before it is used.
        unsafe {
            let room = at.cast::<[u8; 32]>();
            room.write([0; 32]);
            let n = number::write_f64(v, &mut *room).min(32);
            *at.add(n) = b;
            self.at = at.add(n + 1);
        }
        Ok(())
    }

    /// As [`Buf::put_quoted`], and a byte after that.
    #[inline(always)]
    pub fn put_quoted_and(&mut self, lead: impl Lead, bytes: &[u8], b: u8) -> Result<usize, Full> {
        let at = self.led(lead, bytes.len() + QUOTED)?;
        // SAFETY: there is room for the bytes and `QUOTED` more at `at`, in storage that only we hold.
        unsafe { Ok(self.quoted_from(at, bytes, [b'"', b])) }
    }
}
