//! Eight bytes in an integer, for machines whose vectors we do not know; and the twin that the
//! other vectors are tested against.
#![allow(unsafe_code)]
#![cfg_attr(any(target_arch = "x86_64", target_arch = "aarch64"), allow(dead_code))]

use super::vector::Vector;

/// Eight bytes, the first lowest.
#[derive(Clone, Copy)]
pub(super) struct Word([u8; 8]);

impl Word {
    #[inline(always)]
    fn mask(self, f: impl Fn(u8) -> bool) -> u64 {
        self.0.iter().rev().fold(0, |m, &b| m << 1 | u64::from(f(b)))
    }
}

impl Vector for Word {
    const N: usize = 8;
    const BITS: u32 = 1;

    #[inline(always)]
    unsafe fn load(p: *const u8) -> Self {
        // SAFETY: by contract; an array of bytes needs no alignment.
        Word(unsafe { *p.cast() })
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut u8) {
        // SAFETY: by contract.
        unsafe { *p.cast() = self.0 };
    }
    #[inline(always)]
    fn special(self) -> u64 {
        if super::generic::word_special(u64::from_le_bytes(self.0)) == 0 {
            0
        } else {
            self.mask(super::special)
        }
    }
    #[inline(always)]
    fn high(self) -> u64 {
        if u64::from_le_bytes(self.0) & 0x8080_8080_8080_8080 == 0 { 0 } else { self.mask(|b| b >= 0x80) }
    }
    #[inline(always)]
    fn not_space(self) -> u64 {
        self.mask(|b| !matches!(b, b' ' | b'\n' | b'\r' | b'\t'))
    }
}
