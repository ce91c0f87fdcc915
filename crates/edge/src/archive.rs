//! What `oxwire._archive` reads its archive with: LZMA, as a Python may lack the module for it.
//!
//! The archive is four bytes that say whether it is whole (FNV-1a of what follows) and a stream of LZMA1 with `lc=3, lp=0, pb=0`
//! and no header (the LZMA specification by I. Pavlov). It can be read from its beginning to any place, since most imports need
//! only what stands there. What may surprise: all probabilities stand in one row, and a place beyond it reads as 0, as bytes beyond the
//! end do: whatever the input says it is read without a fault, and the sum says before whether it is right.

use alloc::vec;
use alloc::vec::Vec;
use core::ffi::CStr;

use py::{Args, Early, Own, Result};

use crate::functions::only;

/// Reads an archive as far as it is wanted.
pub(crate) struct Unpacked;
impl Early for Unpacked {
    const NAME: &'static CStr = c"oxwire._archive.unpacked";
    fn call(args: &Args<'_>) -> Result<Own> {
        let [data, most] = only::<2>("unpacked", args)?;
        // What is no small number is beyond every end.
        let most = most.as_int().and_then(|n| n.short()).unwrap_or(-1);
        py::bytes(&unpacked(data.as_bytes().unwrap_or_default(), most as usize))
    }
}

// Where the probabilities of what stand: what comes next, by state; lengths of new matches and of those from where the last was,
// each which third it is in and its bits; places, by length, by their first bits and by their last.
const FLAGS: usize = 0;
const LENGTH: usize = FLAGS + 12 * 8;
const LENGTH_AGAIN: usize = LENGTH + 2 + 8 + 8 + 256;
const SLOTS: usize = LENGTH_AGAIN + 2 + 8 + 8 + 256;
const NEAR: usize = SLOTS + 4 * 64;
const ALIGNED: usize = NEAR + 128;
const LITERALS: usize = ALIGNED + 16;
const ALL: usize = LITERALS + 8 * 0x300;

/// The first bytes of what is packed, about so many; nothing, if it is damaged.
fn unpacked(data: &[u8], most: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let Some((sum, bytes)) = data.split_first_chunk() else { return out };
    let found = bytes.iter().fold(0x811C_9DC5_u32, |sum, &b| (sum ^ u32::from(b)).wrapping_mul(0x0100_0193));
    if found != u32::from_le_bytes(*sum) {
        return out;
    }
    let mut bits = Bits { bytes, at: 0, range: !0, code: 0, chances: vec![0; ALL] };
    // The first byte is always 0.
    (0..5).for_each(|_| bits.shift());
    let (mut state, mut back) = (0, [1; 4]);
    while out.len() < most && bits.at <= bytes.len() {
        let flags = FLAGS + 8 * state;
        let like = out.get(out.len().wrapping_sub(back[0])).copied();
        if bits.bit(flags) == 0 {
            let before: u8 = out.last().copied().unwrap_or_default();
            let row = LITERALS + usize::from(before >> 5) * 0x300;
            // Behind a match: it is another byte than the one that would have been next.
            let (mut byte, mut other, mut apart) = (1, usize::from(like.unwrap_or_default()), 0);
            if state >= 7 {
                apart = 0x100;
            }
            while byte < 0x100 {
                other <<= 1;
                let want = other & apart;
                let bit = bits.bit(row + apart + want + byte);
                byte = byte << 1 | bit;
                apart &= if bit == 1 { want } else { !want };
            }
            out.push(byte as u8);
            state = if state < 10 { state.saturating_sub(3) } else { state - 6 };
            continue;
        }
        // Which of the last places it is, if it is one of them. That becomes the first.
        let (mut which, mut next, mut row) = (3, 7, LENGTH);
        if bits.bit(flags + 1) == 1 {
            (next, row) = (8, LENGTH_AGAIN);
            which = bits.bit(flags + 2);
            if which == 1 && bits.bit(flags + 3) == 1 {
                which = 2 + bits.bit(flags + 4);
            }
            if which == 0 && bits.bit(flags + 5) == 0 {
                next = 9;
            }
        }
        let length = if next == 9 { 1 } else { bits.length(row) };
        let mut place = back[which & 3];
        while which > 0 {
            back[which & 3] = back[(which - 1) & 3];
            which -= 1;
        }
        if next == 7 {
            place = bits.place(length);
        }
        back[0] = place;
        state = if state < 7 { next } else { 11.min(next + 3) };
        for _ in 0..length {
            // The end is a match from farther back than there is anything.
            let Some(&byte) = out.get(out.len().wrapping_sub(place)) else { return out };
            out.push(byte);
        }
    }
    out
}

/// A stream of bits, each coded by how likely it is.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
    range: u32,
    code: u32,
    /// How likely each is 0, of 2048, with that bit turned which is 1 at first.
    chances: Vec<u16>,
}

impl Bits<'_> {
    #[inline(never)]
    fn shift(&mut self) {
        self.code = self.code << 8 | u32::from(self.bytes.get(self.at).copied().unwrap_or_default());
        self.at += 1;
    }

    #[inline(never)]
    fn fill(&mut self) {
        if self.range < 1 << 24 {
            self.range <<= 8;
            self.shift();
        }
    }

    #[inline(never)]
    fn bit(&mut self, of: usize) -> usize {
        let Some(kept) = self.chances.get_mut(of) else { return 0 };
        let mut chance = *kept ^ 1 << 10;
        let bound = (self.range >> 11) * u32::from(chance);
        let bit = self.code >= bound;
        if bit {
            self.code -= bound;
            self.range -= bound;
            chance -= chance >> 5;
        } else {
            self.range = bound;
            chance += (2048 - chance) >> 5;
        }
        *kept = chance ^ 1 << 10;
        self.fill();
        usize::from(bit)
    }

    /// A number of so many bits, the highest first.
    #[inline(never)]
    fn number(&mut self, row: usize, bits: u32) -> usize {
        let mut found = 1;
        while found < 1 << bits {
            found = found << 1 | self.bit(row + found);
        }
        found - (1 << bits)
    }

    /// Added to a number: its last bits, the lowest first.
    #[inline(never)]
    fn last(&mut self, row: usize, bits: u32) -> usize {
        let (mut read, mut found) = (1, 0);
        for place in 0..bits {
            let bit = self.bit(row + read);
            read = read << 1 | bit;
            found |= bit << place;
        }
        found
    }

    #[inline(never)]
    fn length(&mut self, row: usize) -> usize {
        if self.bit(row) == 0 {
            2 + self.number(row + 2, 3)
        } else if self.bit(row + 1) == 0 {
            10 + self.number(row + 10, 3)
        } else {
            18 + self.number(row + 18, 8)
        }
    }

    /// How far back a match of a length is.
    fn place(&mut self, length: usize) -> usize {
        let slot = self.number(SLOTS + 64 * 3.min(length - 2), 6);
        if slot < 4 {
            return slot + 1;
        }
        let bits = (slot >> 1) as u32 - 1;
        let first = (2 | slot & 1) << bits;
        if slot < 14 {
            return first + self.last(NEAR + first - slot, bits) + 1;
        }
        let mut middle = 0;
        for _ in 4..bits {
            middle = middle << 1 | self.even();
        }
        first + (middle << 4) + self.last(ALIGNED, 4) + 1
    }

    /// A bit that is as likely 0 as 1.
    fn even(&mut self) -> usize {
        self.range >>= 1;
        let bit = self.code >= self.range;
        if bit {
            self.code -= self.range;
        }
        self.fill();
        usize::from(bit)
    }
}
