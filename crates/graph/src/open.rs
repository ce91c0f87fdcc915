//! Values in that are met less often than scalars: containers are opened, the others are made.
//!
//! What may surprise: a definition of a shape or a type is its container already. Its names are read as if they were its values,
//! and `close` then goes on to the values.

use alloc::vec::Vec;
use native::Head;

use py::{Own, Ref, Young};
use wire::Code;

use crate::calls;
use crate::feed::{Build, Frame, Given, How, Inside, What};

/// Definitions without the S bit have no index.
const UNSHARED: usize = usize::MAX;
/// A code of the standard library from which on objects exist before what fills them.
const FILLED: usize = 0x20;
/// About what a container takes in memory, each value in it, one of the standard library, and a number of a packed list.
const CONTAINER: usize = 256;
const VALUE: usize = 64;
const BODY: usize = 1024;
const NUMBER: usize = 40;
/// The tag of `bytes`; that of `bytearray` is the next.
const BYTES: usize = 0x0d;

impl Build<'_, '_> {
    /// Reads a value that is no scalar; nothing if it was opened instead. Of the one around it, `left` are still to come.
    #[inline(never)]
    pub(crate) fn other(&mut self, h: Head, left: usize) -> Given<Option<Own>> {
        let o = match h.what() {
            What::Bytes => py::bytes(self.r.bytes(h)?)?,
            What::Packed => {
                let (tuple, kind, items) = self.r.packed(h)?;
                self.unpack(tuple, kind, items)?
            }
            What::Buffer => {
                let (bytes, writable) = self.r.buffer(h)?;
                self.make(BYTES + usize::from(writable), &py::bytes(bytes)?, None, h.at())?
            }
            What::Wstr
            | What::Bytearray
            | What::Complex
            | What::Utc
            | What::Uuid
            | What::Date
            | What::Time
            | What::DateTime
            | What::Timedelta
            | What::Sealed => {
                let raw = py::bytes(self.r.raw(h)?)?;
                self.make(h.tag().into(), &raw, None, h.at())?
            }
            What::Outside => {
                let (index, n, writable) = self.r.outside(h)?;
                self.beside(index, n, writable, h)?
            }
            _ => {
                self.open(h, left)?;
                return Ok(None);
            }
        };
        Ok(Some(o))
    }

    /// A view of a buffer beside the message. Of what is no plain bytes the helper makes it, or says why not.
    #[inline(never)]
    fn beside(&mut self, index: usize, n: usize, writable: bool, h: Head) -> Given<Own> {
        if let Some(o) = self.given.as_ref().and_then(|given| given.get(index))
            && let Some((view, len, may)) = py::view_of(o.as_ref())?
            && len == n
            && (may || !writable)
        {
            return Ok(if may == writable { view } else { py::call_method0(view.as_ref(), c"toreadonly")? });
        }
        let said = [py::uint(index as u64)?, py::uint(n as u64)?, py::bool(writable)];
        let said = py::tuple(&mut said.into(), 0)?;
        self.make(h.tag().into(), &self.all_given()?, Some(said), h.at())
    }

    /// Opens what is met often and what nothing refers to: a list, a dict of a shape that is known, an object. Gives what
    /// is to be read in it.
    #[inline(never)]
    pub(crate) fn often(&mut self, h: Head, left: usize) -> Given<(usize, Inside)> {
        if let Some(around) = self.room.frames.last_mut() {
            around.left = left;
        }
        if self.room.frames.len() >= self.codec.max_depth {
            return self.fault(Code::Depth, h.at());
        }
        self.at = h.at();
        let (of, n) = match h.what() {
            What::List => (0, self.r.items(h)?),
            What::Shaped => self.r.shaped(h)?,
            _ => self.r.record(h)?,
        };
        self.take(CONTAINER + n * VALUE)?;
        let inside = if h.what() == What::Shaped { Inside::Keyed } else { Inside::Values };
        let base = self.room.stack.len();
        let frame = Frame {
            what: h.what(),
            inside,
            at: h.at(),
            base,
            left: n,
            index: UNSHARED,
            of,
            object: None,
            with: None,
        };
        py::push(&mut self.room.frames, frame);
        if h.what() == What::Record
            && self.room.makers.get(of).is_none_or(|m| m.straight.is_none())
            && let Some(mut f) = self.room.frames.pop()
        {
            self.exist(&mut f)?;
            self.room.frames.push(f);
        }
        Ok((n, inside))
    }

    fn open(&mut self, h: Head, left: usize) -> Given<()> {
        if let Some(around) = self.room.frames.last_mut() {
            around.left = left;
            if matches!(around.inside, Inside::Names | Inside::Name) {
                return self.fault(Code::KeyKind, h.at());
            }
        }
        if self.room.frames.len() >= self.codec.max_depth {
            return self.fault(Code::Depth, h.at());
        }
        self.at = h.at();
        let mut f = Frame {
            what: h.what(),
            inside: Inside::Values,
            at: h.at(),
            base: self.room.stack.len(),
            left: 1,
            index: UNSHARED,
            of: h.tag().into(),
            object: None,
            with: None,
        };
        if h.shared() {
            f.index = self.r.definitions() - 1;
            // Names in a definition may be shared too, and come after it.
            self.room.shared.push(None);
        }
        match h.what() {
            What::Shaped => {
                (f.of, f.left) = self.r.shaped(h)?;
                f.inside = Inside::Keyed;
            }
            What::Shape => {
                f.left = self.r.shape(h)?.0;
                f.inside = Inside::Names;
            }
            What::Record => (f.of, f.left) = self.r.record(h)?,
            What::Type => {
                f.of = self.r.type_head(h)?.kind.into();
                f.inside = Inside::Name;
            }
            What::Dict => f.left = 2 * self.r.entries(h)?,
            What::TimeTz | What::DateTimeTz => f.with = Some(py::bytes(self.r.raw(h)?)?),
            What::Ext => {
                let raw = self.r.raw(h)?;
                if !self.r.bodily() {
                    return self.fault(Code::Body, h.at());
                }
                self.take(BODY)?;
                f.with = Some(py::bytes(raw)?);
                let code = raw.first().copied().unwrap_or_default();
                if usize::from(code) >= FILLED {
                    let code = py::int(code.into())?;
                    let said = self.codec.ask(calls::OPEN, &[code.as_ref()])?;
                    if let Some(said) = said.as_ref().as_any_tuple().map(|t| t.hold()) {
                        f.object = said.get(0).map(Ref::own);
                        f.with = said.get(1).map(Ref::own);
                    }
                }
            }
            _ => f.left = self.r.items(h)?,
        }
        self.take(CONTAINER + f.left * VALUE)?;
        if h.shared() || h.what() == What::Record {
            self.exist(&mut f)?;
        }
        py::push(&mut self.room.frames, f);
        Ok(())
    }

    /// Lets an object exist before its parts, if its type can.
    #[inline(never)]
    pub(crate) fn exist(&mut self, f: &mut Frame) -> Given<()> {
        let object = match f.what {
            What::List => py::new_list()?,
            What::Dict | What::Shape | What::Shaped => py::new_dict()?,
            What::Set => py::new_set()?,
            What::Frozenset | What::Tuple => {
                let o = if f.what == What::Tuple { py::open_tuple(f.left)? } else { py::new_frozenset()? };
                self.room.open.push(o.clone());
                o
            }
            What::Record => {
                let Some(m) = self.room.makers.get(f.of) else { return self.fault(Code::Undefined, f.at) };
                // It can be made when all its values are there, as nothing refers to it.
                if m.straight.is_some() && f.index == UNSHARED {
                    return Ok(());
                }
                let class = m.part(1);
                match m.how {
                    How::Plain => self.codec.ask(calls::NEW, &[class.as_ref()])?,
                    How::Opened => py::call0(class.as_ref())?,
                    How::Struct => {
                        let class = class.as_ref().as_type();
                        match class.and_then(|class| self.known.structs.maker(class)) {
                            Some(maker) => maker.filled(&mut Vec::new(), 0, Young::default())?,
                            None => return self.fault(Code::Undefined, f.at),
                        }
                    }
                    How::AtOnce => return Ok(()),
                }
            }
            _ => match f.object.take() {
                Some(o) => o,
                None => return Ok(()),
            },
        };
        if let Some(place) = self.room.shared.get_mut(f.index) {
            *place = Some(object.clone());
        }
        f.object = Some(object);
        Ok(())
    }

    fn unpack(&mut self, tuple: bool, kind: u8, items: &[u8]) -> Given<Own> {
        let width = 1 << kind.min(3);
        self.take(items.len() / width * NUMBER)?;
        let base = self.room.stack.len();
        let stack = &mut self.room.stack;
        stack.reserve(items.len() / width);
        for item in items.chunks_exact(width) {
            let word = word(item);
            let o = if kind == 4 { py::float(f64::from_bits(word as u64)) } else { py::int(word) };
            py::push(stack, o?);
        }
        if tuple { Ok(py::tuple(stack, base)?) } else { self.listed(base) }
    }
}

/// The integer of one, two, four or eight bytes. Each is read as a whole: what is put together in memory is waited for.
#[inline(always)]
fn word(bytes: &[u8]) -> i64 {
    match *bytes {
        [a] => i64::from(a as i8),
        [a, b] => i64::from(i16::from_le_bytes([a, b])),
        [a, b, c, d] => i64::from(i32::from_le_bytes([a, b, c, d])),
        _ => bytes.first_chunk().map_or(0, |all| i64::from_le_bytes(*all)),
    }
}
