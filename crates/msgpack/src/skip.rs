//! Passing over values: checked as strictly as taking them would, without recursion.

use alloc::vec::Vec;

use crate::read::{Left, Reader};
use wire::{Code, Kind, Passed, Result, Source};

/// What this needs, apart because most input has nothing to be skipped.
#[derive(Default)]
pub(crate) struct Skipping {
    open: Vec<Skipped>,
    pub(crate) passed: Passed,
}

/// A container that is open.
struct Skipped {
    /// How many values are left: two for each entry of a map.
    left: u64,
    map: bool,
    /// It is a key, or part of one.
    key: bool,
}

impl Reader<'_> {
    /// Passes over a scalar, checking it.
    fn skip_scalar(&mut self, kind: Kind, h: u8) -> Result<()> {
        match kind {
            Kind::Str => {
                let any = self.limits.any_text;
                let s = self.str(h)?;
                let n = s.bytes().len();
                match s.utf8() {
                    Err(good) if !any => Err(self.not_utf8(n, good)),
                    _ => Ok(()),
                }
            }
            Kind::Number => self.number(h).map(drop),
            Kind::Bool => self.bool(h).map(drop),
            Kind::Bytes => self.bytes(h).map(drop),
            Kind::Time => self.time(h).map(drop),
            Kind::Ext => self.ext(h).map(drop),
            _ => self.null(h),
        }
    }

    /// Passes over a container, or opens it.
    fn begin(&mut self, kind: Kind, h: u8, key: bool, s: &mut Skipping) -> Result<()> {
        let at = self.c.offset();
        if let Some(end) = s.passed.end_of(at) {
            self.c.seek(end);
            return Ok(());
        }
        if s.open.len() >= self.limits.max_depth {
            return self.refuse(Code::Depth);
        }
        let map = kind == Kind::Map;
        if map && key {
            return self.refuse(Code::MapKey);
        }
        s.passed.begin(at);
        let Left(n) = if map { self.map(h)? } else { self.array(h)? };
        s.open.push(Skipped { left: if map { 2 * n } else { n }, map, key });
        Ok(())
    }

    /// Passes over a value.
    pub(crate) fn skip_value(&mut self) -> Result<()> {
        let mut skipping = self.skipping.take();
        let mut key = false;
        loop {
            let (kind, h) = self.head()?;
            match kind {
                Kind::Array | Kind::Map => self.begin(kind, h, key, skipping.get_or_insert_default())?,
                _ => self.skip_scalar(kind, h)?,
            }
            // On to the next value in what is open.
            loop {
                let Some(s) = &mut skipping else { return Ok(()) };
                let Some(top) = s.open.last_mut() else {
                    self.skipping = skipping;
                    return Ok(());
                };
                if top.left != 0 {
                    key = top.key || top.map && top.left.is_multiple_of(2);
                    top.left -= 1;
                    break;
                }
                s.open.pop();
                s.passed.end(self.c.offset());
            }
        }
    }
}
