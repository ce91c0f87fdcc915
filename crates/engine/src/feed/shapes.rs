//! Which key comes next: maps of one kind are written with the same keys in the same order.
//!
//! Every key that was met is a node; a node remembers which came after it, and which came first
//! in the maps that were its value. So at each key there is one guess, which the input confirms
//! or not by one comparison of bytes: no search for the end of the key, no hash, no table.
//!
//! What may surprise: nothing is believed. A guess is taken only if the input has exactly the
//! bytes that gave this key before. A wrong guess costs that comparison, and then the key is read
//! as any other. Where too many different keys have stood in one place (a map that is keyed by
//! data), no guess is made there any more, and the whole is bounded in size.

use alloc::vec::Vec;

use py::Own;
use wire::KNOWN;

/// Longer than whatever stands in the input.
const LENGTHY: u8 = u8::MAX;

/// A node, by number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct At(u32);

/// No guess, and nothing is to be learned either.
pub(crate) const LOST: At = At(0);
/// What stands around the whole document.
pub(crate) const ROOT: At = At(1);

/// How many keys may take turns in one place.
const TURNS: usize = 8;
/// How many nodes there may be.
const NODES: usize = 4096;

pub(crate) struct Node {
    /// The key as it was written, with what leads from it to its value.
    pub(crate) known: [u8; KNOWN],
    /// How much of that; [`LENGTHY`] if it is too long to be compared.
    pub(crate) len: u8,
    pub(crate) key: Option<Own>,
    /// The key that came next the last time.
    pub(crate) next: At,
    /// The key that came first in a map that was this key's value.
    inner: At,
    /// Another key that has stood in the place of this one; they form a ring.
    turn: At,
}

/// All nodes.
pub(crate) struct Shapes {
    nodes: Vec<Node>,
}

impl Default for Shapes {
    fn default() -> Self {
        let mut s = Shapes { nodes: Vec::new() };
        s.restart();
        s
    }
}

impl Shapes {
    fn restart(&mut self) {
        self.nodes.clear();
        // LOST and ROOT. Neither is ever guessed.
        for at in [LOST, ROOT] {
            self.nodes.push(Node {
                known: [0; KNOWN],
                len: LENGTHY,
                key: None,
                next: UNKNOWN,
                inner: UNKNOWN,
                turn: at,
            });
        }
        self.nodes[0].next = LOST;
        self.nodes[0].inner = LOST;
    }

    /// Makes room when all is taken: what is met now matters more than what was met once.
    pub(crate) fn tidy(&mut self) {
        if self.nodes.len() >= NODES {
            self.restart();
        }
    }

    /// The guess for the first key of a map that is the value of `around`.
    #[inline(always)]
    pub(crate) fn first(&self, around: At) -> At {
        self.expected(around).inner
    }

    /// The guess for the key after `at`.
    #[inline(always)]
    pub(crate) fn next(&self, at: At) -> At {
        self.expected(at).next
    }

    /// All of a guess.
    #[inline(always)]
    pub(crate) fn expected(&self, at: At) -> &Node {
        // A number is only given out with its node, and all nodes go together.
        self.nodes.get(at.0 as usize).unwrap_or(&self.nodes[0])
    }

    /// Learns that `key`, written so, stood where `guess` was expected: first in a map that is the
    /// value of `from` if `is_first`, after `from` otherwise. Gives the key's node.
    #[inline(never)]
    pub(crate) fn learn(&mut self, from: At, is_first: bool, guess: At, key: &Own, written: &[u8]) -> At {
        if from == LOST || guess == LOST {
            return LOST;
        }
        let mut turns = 0;
        let mut at = guess;
        while at != UNKNOWN {
            let n = self.expected(at);
            // Keys that are no text are new objects each time.
            let same = n.known.get(..n.len.into()) == Some(written);
            if same || n.key.as_ref().is_some_and(|k| k.as_ref().is(key.as_ref())) {
                self.expect(from, is_first, at);
                return at;
            }
            turns += 1;
            at = n.turn;
            if at == guess {
                break;
            }
        }
        if turns >= TURNS || self.nodes.len() >= NODES {
            self.expect(from, is_first, LOST);
            return LOST;
        }
        let new = At(self.nodes.len() as u32);
        let mut known = [0; KNOWN];
        let mut len = LENGTHY;
        if let Some(room) = known.get_mut(..written.len()) {
            room.copy_from_slice(written);
            len = written.len() as u8;
        }
        let turn = match self.nodes.get_mut(guess.0 as usize) {
            Some(g) if guess != UNKNOWN => core::mem::replace(&mut g.turn, new),
            _ => new,
        };
        self.nodes.push(Node { known, len, key: Some(key.clone()), next: UNKNOWN, inner: UNKNOWN, turn });
        self.expect(from, is_first, new);
        new
    }

    fn expect(&mut self, from: At, is_first: bool, guess: At) {
        if let Some(n) = self.nodes.get_mut(from.0 as usize) {
            *(if is_first { &mut n.inner } else { &mut n.next }) = guess;
        }
    }
}

/// Nothing was met there yet. It stands for the root's number, which is never a guess.
const UNKNOWN: At = ROOT;
