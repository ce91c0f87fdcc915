//! Passing over values without building anything and without recursion.
//!
//! What may surprise: what is passed over may define shapes and types and be referred to later, so it is read as closely as if it
//! were wanted, but for what needs more than one value at a time: names, keys and members that stand twice, and the bodies of EXT.

use alloc::vec::Vec;

use crate::head::Head;
use crate::limits::Result;
use crate::read::Reader;
use crate::tag::What;
use wire::Code;

impl Reader<'_> {
    /// Passes over the next value.
    pub fn skip(&mut self) -> Result<()> {
        // How many values are left in each that is open.
        let mut open: Vec<usize> = Vec::new();
        loop {
            let h = self.head()?;
            if let Some(n) = self.inside(h, open.len())? {
                open.push(n);
            }
            loop {
                match open.last_mut() {
                    None => return Ok(()),
                    Some(0) => drop(open.pop()),
                    Some(left) => {
                        *left -= 1;
                        break;
                    }
                }
            }
        }
    }

    /// Takes a leaf, or what stands before the values of another; then how many these are.
    fn inside(&mut self, h: Head, depth: usize) -> Result<Option<usize>> {
        let n = match h.what() {
            What::Never | What::Int | What::None | What::Bool => return Ok(None),
            What::Utc => return Ok(None),
            What::Str => return self.skip_text(h).map(|()| None),
            What::Wstr => return self.wstr(h).map(|_| None),
            What::Number => return self.number(h).map(|_| None),
            What::Float => return self.float().map(|_| None),
            What::Complex => {
                self.float()?;
                return self.float().map(|_| None);
            }
            What::Packed => return self.packed(h).map(|_| None),
            What::Ref => return self.reference(h).map(|_| None),
            What::Bytes | What::Bytearray => return self.bytes(h).map(|_| None),
            What::Buffer => return self.buffer(h).map(|_| None),
            What::Outside => return self.outside(h).map(|_| None),
            What::Sealed => return self.sealed(h).map(|_| None),
            What::Uuid => return self.uuid().map(|_| None),
            What::Date | What::Time | What::DateTime => return self.moment(h).map(|_| None),
            What::Timedelta => return self.timedelta(h).map(|_| None),
            _ if depth >= self.limits.max_depth => return Err(self.fault(Code::Depth, h.at())),
            What::List | What::Tuple | What::Set | What::Frozenset => self.items(h)?,
            What::Dict => 2 * self.entries(h)?,
            What::Shape => {
                let names = self.shape(h)?;
                self.skip_names(names.0)?;
                self.define_shape(names)?;
                names.0
            }
            What::Shaped => self.shaped(h)?.1,
            What::Type => {
                let of = self.type_head(h)?;
                let name = self.name()?;
                match name.what() {
                    What::Str => self.skip_text(name)?,
                    What::Ref => drop(self.reference(name)?),
                    What::Int if name.small() >= 0 => {}
                    What::Number => drop(self.number(name)?),
                    _ => return Err(self.fault(Code::KeyKind, name.at())),
                }
                let (_, names) = self.version(h.at(), of.kind)?;
                self.skip_names(names.0)?;
                self.define_type(of.kind, names)?
            }
            What::Record => self.record(h)?.1,
            What::Ext => {
                self.ext()?;
                1
            }
            What::TimeTz | What::DateTimeTz => {
                self.moment(h)?;
                1
            }
        };
        Ok(Some(n))
    }

    fn skip_text(&mut self, h: Head) -> Result<()> {
        let text = self.str(h)?;
        text.utf8().map(|_| ()).map_err(|good| self.not_utf8(text.bytes().len(), good))
    }

    fn skip_names(&mut self, n: usize) -> Result<()> {
        for _ in 0..n {
            let name = self.name()?;
            match name.what() {
                What::Str => self.skip_text(name)?,
                What::Wstr => drop(self.wstr(name)?),
                What::Ref => drop(self.reference(name)?),
                _ => return Err(self.fault(Code::KeyKind, name.at())),
            }
        }
        Ok(())
    }
}
