//! Values in that have all their parts.
//!
//! What may surprise: a dict or set is filled here only if nobody's code is needed for the hashes of its keys. One with any other
//! key waits as a whole, so that it keeps its order.

use native::Names;
use py::{Own, Ref, Seen};
use wire::Code;

use crate::calls;
use crate::feed::{Build, Frame, Given, How, Inside, Maker, Trouble, What};

/// Integers nearer to zero have hashes of their own.
const OWN_HASH: i64 = (1 << 61) - 2;
/// The code of a zone that has a name, and how many different ones there may be.
const ZONE: u8 = 5;
const MAX_ZONES: usize = 64;
/// What `Helper.finish` does with these.
const DICT: i64 = 1;
const SET: i64 = 2;
const FROZENSET: i64 = 3;

impl Build<'_, '_> {
    /// Finishes the innermost value that is open.
    #[inline(never)]
    pub(crate) fn close(&mut self) -> Given<()> {
        let room = &mut *self.room;
        let Some(f) = room.frames.last() else { return Ok(()) };
        self.at = f.at;
        let (what, base) = (f.what, f.base);
        let maker = match room.makers.get(f.of) {
            Some(Maker { straight: Some(maker), .. }) => Some(maker),
            _ => None,
        };
        // What is met often does not exist yet.
        let o = match (what, &f.object, maker) {
            (What::List, None, _) => py::list(&mut room.stack, base, room.young)?,
            (What::Shaped, None, _) => py::dict(&mut room.stack, base, room.young)?,
            (What::Record, None, Some(maker)) => maker.filled(&mut room.stack, base, room.young)?,
            _ => return self.close_seldom(),
        };
        drop(room.frames.pop());
        py::push(&mut room.stack, o);
        Ok(())
    }

    #[inline(never)]
    fn close_seldom(&mut self) -> Given<()> {
        let Some(f) = self.room.frames.pop() else { return Ok(()) };
        let o = match f.what {
            _ if matches!(f.inside, Inside::Names | Inside::Name) => return self.named(f),
            What::List | What::Shaped => {
                let list = f.what == What::List;
                let made = if list {
                    self.listed(f.base)?
                } else {
                    py::dict(&mut self.room.stack, f.base, self.room.young)?
                };
                let Some(o) = f.object else { return Err(Trouble) };
                py::call_method1(o.as_ref(), if list { c"extend" } else { c"update" }, made.as_ref())?;
                o
            }
            What::Tuple => match f.object {
                None => py::tuple(&mut self.room.stack, f.base)?,
                Some(t) => {
                    py::fill_tuple(&t, &mut self.room.stack, f.base);
                    self.finished(&t);
                    t
                }
            },
            What::Record => return self.close_object(f),
            What::Dict => return self.close_hashed(f, 2, DICT),
            What::Set => return self.close_hashed(f, 1, SET),
            What::Frozenset => return self.close_hashed(f, 1, FROZENSET),
            _ => {
                let value = self.room.stack.pop();
                match (f.object, f.with, value) {
                    (Some(o), Some(fill), Some(body)) => {
                        self.leave(fill, o.clone(), body, f.at)?;
                        return self.made(f.index, o);
                    }
                    (_, Some(raw), value) => {
                        let ext = f.what == What::Ext;
                        // How many bytes it took bounds what a body may say more than once.
                        let tag = if ext { f.of | (self.r.at() - f.at) << 8 } else { f.of };
                        let o = self.make(tag, &raw, value, f.at)?;
                        if ext && raw.as_ref().as_bytes() == Some(&[ZONE]) {
                            self.zone(&o)?;
                        }
                        return self.made(f.index, o);
                    }
                    _ => return Err(Trouble),
                }
            }
        };
        self.room.stack.push(o);
        Ok(())
    }

    /// Counts the zones, each of which may be a file: there is one object for each.
    #[cold]
    #[inline(never)]
    fn zone(&mut self, o: &Own) -> Given<()> {
        let zones = &mut self.room.zones;
        if !zones.iter().any(|one| one.as_ref().is(o.as_ref())) {
            zones.push(o.clone());
        }
        if zones.len() > MAX_ZONES { self.fault(Code::Limit, self.at) } else { Ok(()) }
    }

    /// A list of what stands on the stack from `base` on.
    pub(crate) fn listed(&mut self, base: usize) -> Given<Own> {
        Ok(py::list(&mut self.room.stack, base, self.room.young)?)
    }

    /// A tuple or frozenset that was open is no more.
    fn finished(&mut self, o: &Own) {
        self.room.open.retain(|one| !one.as_ref().is(o.as_ref()));
    }

    /// Remembers what did not exist before its parts.
    #[inline(never)]
    fn made(&mut self, index: usize, o: Own) -> Given<()> {
        if let Some(place) = self.room.shared.get_mut(index) {
            *place = Some(o.clone());
        }
        self.room.stack.push(o);
        Ok(())
    }

    /// The names of a definition are there, or the name of a type: goes on to what follows.
    #[inline(never)]
    fn named(&mut self, mut f: Frame) -> Given<()> {
        if f.inside == Inside::Name {
            let (version, names) = self.r.version(f.at, f.of as u8)?;
            self.room.stack.push(py::uint(version)?);
            f.left = names.0;
            f.inside = Inside::Names;
            self.room.frames.push(f);
            return Ok(());
        }
        let shape = f.what == What::Shape;
        // Of a type, its name and version come first. Whatever is no text could have a hash that is somebody's code.
        let names = self.room.stack.get(f.base + if shape { 0 } else { 2 }..).unwrap_or_default();
        let n = names.len();
        if names.iter().any(|name| name.as_ref().as_str().is_none()) {
            return self.fault(Code::KeyKind, f.at);
        }
        if shape {
            // Where all hashes fall into places of their own, no name is another; a set is asked about the others.
            let mut taken = [0_u64; 8];
            let mut apart = true;
            for name in names {
                let hash = name.as_ref().hash()? as usize;
                let (place, bit) = (&mut taken[hash >> 6 & 7], 1 << (hash & 63));
                apart &= *place & bit == 0;
                *place |= bit;
            }
            let names = py::tuple(&mut self.room.stack, f.base)?;
            if !apart && py::set_len(py::set_of(&names)?.as_ref()) != n {
                return self.fault(Code::DuplicateKey, f.at);
            }
            self.r.define_shape(Names(n))?;
            f.of = self.room.shapes.len();
            self.room.shapes.extend(names.as_ref().as_any_tuple().map(|names| names.hold()));
            (f.what, f.inside, f.left) = (What::Shaped, Inside::Keyed, n);
        } else {
            let definition = py::tuple(&mut self.room.stack, f.base)?;
            let kind = py::uint(f.of as u64)?;
            let said = self.codec.ask(calls::RESOLVE, &[kind.as_ref(), definition.as_ref()])?;
            let Some(said) = said.as_ref().as_any_tuple() else { return Err(Trouble) };
            let maker = Maker::new(said.hold(), self.known.structs);
            f.left = self.r.define_type(f.of as u8, Names(n))?;
            f.of = self.room.makers.len();
            self.room.makers.push(maker);
            (f.what, f.inside) = (What::Record, Inside::Values);
            self.exist(&mut f)?;
        }
        self.room.frames.push(f);
        Ok(())
    }

    /// A dict, set or frozenset: at once if nobody's code is needed for its keys.
    #[inline(never)]
    fn close_hashed(&mut self, f: Frame, step: usize, what: i64) -> Given<()> {
        let parts = self.room.stack.get(f.base..).unwrap_or_default();
        // Of text and bytes nobody can make such that have the same hash.
        let plain = parts.iter().step_by(step).all(|key| match key.as_ref().see() {
            Seen::Str(_) | Seen::None | Seen::Bool(_) => true,
            Seen::Int(v) => v.short().is_some_and(|v| v.abs() < OWN_HASH),
            _ => key.as_ref().is_bytes(),
        });
        // Of fewer entries the interpreter makes the table as fast.
        if what == DICT && plain && f.object.is_none() && parts.len() > 10 {
            let n = parts.len() / step;
            let o = py::dict(&mut self.room.stack, f.base, self.room.young)?;
            if o.as_ref().as_any_dict().map(|d| d.hold().len()) != Some(n) {
                return self.fault(Code::DuplicateKey, f.at);
            }
            return self.made(f.index, o);
        }
        let at_once = plain && (what != FROZENSET || f.object.is_none());
        let o = match f.object {
            Some(o) => o,
            None if what == DICT => py::new_dict()?,
            None if what == SET => py::new_set()?,
            None => py::new_frozenset()?,
        };
        if at_once {
            let n = parts.len() / step;
            for part in parts.chunks_exact(step) {
                match part {
                    [key, value] => py::dict_put(&o, key.as_ref(), value.as_ref())?,
                    [key] => py::add_member(&o, key.as_ref())?,
                    _ => {}
                }
            }
            let held = o.as_ref().as_any_dict().map(|d| d.hold().len());
            if held.unwrap_or_else(|| py::set_len(o.as_ref())) != n {
                return self.fault(Code::DuplicateKey, f.at);
            }
            self.room.stack.truncate(f.base);
        } else {
            let parts = self.listed(f.base)?;
            self.leave(py::int(what)?, o.clone(), parts, f.at)?;
        }
        self.finished(&o);
        // A frozenset that nobody refers to did not exist before.
        self.made(f.index, o)
    }

    /// An object of a registered class.
    #[inline(never)]
    fn close_object(&mut self, f: Frame) -> Given<()> {
        let room = &mut *self.room;
        let Some(m) = room.makers.get(f.of) else { return self.fault(Code::Undefined, f.at) };
        let parts = match m.how {
            How::AtOnce | How::Opened => self.listed(f.base)?,
            How::Plain | How::Struct => py::none(),
        };
        let room = &mut *self.room;
        let Some(m) = room.makers.get(f.of) else { return Ok(()) };
        let finish = m.part(3);
        let o = match f.object {
            Some(o) => o,
            None => py::call1(m.part(1).as_ref(), parts.as_ref())?,
        };
        if let Some(names) = m.said.get(2).and_then(Ref::as_any_tuple).map(|t| t.hold()) {
            let this = self.known.structs.this(o.as_ref());
            for (i, v) in room.stack.get(f.base..).unwrap_or_default().iter().enumerate() {
                let Some(name) = names.get(i).filter(|name| !name.is_none()) else { continue };
                match (&this, name.as_int().and_then(|n| n.short())) {
                    (Some(this), Some(place)) => this.put(place as usize, Some(v.clone())),
                    _ => o.as_ref().set_plainly(name, v.as_ref())?,
                }
            }
            room.stack.truncate(f.base);
        }
        if !finish.as_ref().is_none() {
            self.leave(finish, o.clone(), parts, f.at)?;
        }
        self.made(f.index, o)
    }
}
