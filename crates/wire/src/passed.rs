//! Where containers end that were passed over, for whoever has to pass over them again.
//!
//! A record that is told by its tag is looked at twice if the tag stands behind other fields: once for
//! the tag, once to be read. Such records nest, so without this what stands in the innermost would be
//! passed over once for each that is around it. While a look for a tag goes on, the ends of all containers
//! are noted; whoever passes over one of them afterwards jumps. So each byte is passed over once by the
//! outermost look, once by that of the record in which it stands itself, and then read.
//!
//! What may surprise: short containers are not noted. They cannot nest often enough to matter, and
//! they are most.

use alloc::vec::Vec;

/// Containers of fewer bytes are passed over again.
const SHORT: usize = 64;

/// Notes are being taken.
const NOTING: usize = usize::MAX;

/// What was passed over in one input.
#[derive(Default)]
pub struct Passed {
    /// The start and the end of each container, in the order of the starts. One that is still open has the
    /// place of the one around it for an end.
    ends: Vec<(usize, usize)>,
    /// The innermost open one.
    open: usize,
    /// What begins before this was noted, if it is long.
    until: usize,
}

impl Passed {
    /// A look begins at an offset. In what was noted already it needs no notes of its own.
    pub fn look(&mut self, at: usize) {
        if at >= self.until {
            self.ends.clear();
            self.until = NOTING;
        }
    }

    /// The look ends at an offset.
    pub fn looked(&mut self, at: usize) {
        if self.until == NOTING {
            self.until = at;
        }
    }

    /// A container that begins at an offset is about to be passed over.
    #[inline]
    pub fn begin(&mut self, at: usize) {
        if self.until == NOTING {
            self.note(at);
        }
    }

    #[inline(never)]
    fn note(&mut self, at: usize) {
        let around = core::mem::replace(&mut self.open, self.ends.len());
        self.ends.push((at, around));
    }

    /// The container that was begun last ends at an offset.
    #[inline]
    pub fn end(&mut self, at: usize) {
        if self.until == NOTING {
            self.note_end(at);
        }
    }

    #[inline(never)]
    fn note_end(&mut self, at: usize) {
        let i = self.open;
        if let Some((start, end)) = self.ends.get_mut(i) {
            self.open = core::mem::replace(end, at);
            if at - *start < SHORT {
                // What stands in it is shorter still, so it is the last.
                self.ends.truncate(i);
            }
        }
    }

    /// Where the container ends that begins at an offset, if that was noted.
    #[inline]
    pub fn end_of(&self, at: usize) -> Option<usize> {
        if at < self.until { self.find(at) } else { None }
    }

    #[inline(never)]
    fn find(&self, at: usize) -> Option<usize> {
        let i = self.ends.binary_search_by_key(&at, |&(start, _)| start).ok()?;
        self.ends.get(i).map(|&(_, end)| end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_long_ones_are_kept() {
        let mut p = Passed::default();
        p.begin(0);
        p.end(100);
        assert_eq!(p.end_of(0), None, "nobody looks");
        p.look(10);
        p.begin(10);
        p.begin(12);
        p.begin(14);
        p.end(20);
        p.end(76);
        p.begin(80);
        p.end(143);
        p.end(200);
        p.begin(200);
        p.end(300);
        p.looked(310);
        let ends = [10, 12, 14, 80, 200].map(|at| p.end_of(at));
        assert_eq!(ends, [Some(200), Some(76), None, None, Some(300)]);
    }

    #[test]
    fn a_look_within_another_takes_no_notes_and_one_behind_it_takes_new_ones() {
        let mut p = Passed::default();
        p.look(0);
        p.begin(0);
        p.end(100);
        p.looked(110);
        p.look(50);
        p.begin(50);
        p.end(120);
        p.looked(120);
        assert_eq!([p.end_of(0), p.end_of(50)], [Some(100), None]);
        p.look(110);
        p.begin(110);
        p.end(200);
        p.looked(200);
        assert_eq!([p.end_of(0), p.end_of(110)], [None, Some(200)]);
    }
}
