//! NEON, which every aarch64 machine that we build for has.
//!
//! NEON has no instruction that gathers one bit of each byte; narrowing each pair of bytes by a
//! shift gives four bits for each byte instead, which serves as well.
#![allow(unsafe_code)]

use core::arch::aarch64::*;

use super::vector::Vector;

/// Sixteen bytes.
#[derive(Clone, Copy)]
pub(super) struct Neon(uint8x16_t);

impl Neon {
    /// Four bits for each byte of a comparison, whose bytes are all ones or all zeros.
    #[inline(always)]
    fn mask(all: uint8x16_t) -> u64 {
        // SAFETY: NEON is part of the target; registers only.
        unsafe {
            let halves = vshrn_n_u16::<4>(vreinterpretq_u16_u8(all));
            vget_lane_u64::<0>(vreinterpret_u64_u8(halves))
        }
    }
}

impl Vector for Neon {
    const N: usize = 16;
    const BITS: u32 = 4;

    #[inline(always)]
    unsafe fn load(p: *const u8) -> Self {
        // SAFETY: by contract.
        Neon(unsafe { vld1q_u8(p) })
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut u8) {
        // SAFETY: by contract.
        unsafe { vst1q_u8(p, self.0) };
    }
    #[inline(always)]
    fn special(self) -> u64 {
        // SAFETY: NEON is part of the target; registers only.
        Self::mask(unsafe {
            let quote = vceqq_u8(self.0, vdupq_n_u8(b'"'));
            let slash = vceqq_u8(self.0, vdupq_n_u8(b'\\'));
            let control = vcltq_u8(self.0, vdupq_n_u8(0x20));
            vorrq_u8(vorrq_u8(quote, slash), control)
        })
    }
    #[inline(always)]
    fn high(self) -> u64 {
        // SAFETY: as above.
        Self::mask(unsafe { vcgeq_u8(self.0, vdupq_n_u8(0x80)) })
    }
    #[inline(always)]
    fn not_space(self) -> u64 {
        // SAFETY: as above.
        Self::mask(unsafe {
            let blank = vceqq_u8(self.0, vdupq_n_u8(b' '));
            let feed = vceqq_u8(self.0, vdupq_n_u8(b'\n'));
            let back = vceqq_u8(self.0, vdupq_n_u8(b'\r'));
            let tab = vceqq_u8(self.0, vdupq_n_u8(b'\t'));
            vmvnq_u8(vorrq_u8(vorrq_u8(blank, feed), vorrq_u8(back, tab)))
        })
    }
}
