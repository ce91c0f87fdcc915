//! Values with others in them: opened, defined, finished.
//!
//! BE ADVISED: the order of what is remembered for references is that of the tags. Whatever reads names or parts does so after its
//! own definition has its place.

use alloc::vec::Vec;

use native::{Head, Names, What};
use py::{Own, Raised, Ref};
use wire::{Code, Num};

use crate::feed::{Build, Frame, Given, How, Maker, Trouble, UNSHARED};
use crate::later::{self, Later};
use crate::text::name;

impl Build<'_, '_> {
    /// Opens a value that has parts. Of the one around it, `left` are still to come.
    #[inline(never)]
    pub(crate) fn open(&mut self, h: Head, left: usize) -> Given<()> {
        if let Some(around) = self.room.frames.last_mut() {
            around.left = left;
        }
        if self.room.frames.len() >= self.codec.max_depth {
            return self.fault(Code::Depth, h.at);
        }
        let index = if h.shared { self.r.definitions() - 1 } else { UNSHARED };
        let mut f = Frame {
            what: h.what,
            at: h.at,
            base: self.room.stack.len(),
            left: 0,
            index,
            object: None,
            of: 0,
            moment: 0,
            fill: None,
        };
        if h.shared {
            // The names in a definition may be shared too, and come after it.
            self.room.shared.push(None);
        }
        match h.what {
            What::Shaped => (f.of, f.left) = self.r.shaped(h)?,
            What::Shape => {
                let names = self.r.shape(h)?;
                let keys = self.names(names)?;
                f.of = self.room.shapes.len();
                self.room.shapes.push(keys);
                self.r.define_shape(names)?;
                f.left = names.0;
            }
            What::Record => (f.of, f.left) = self.r.record(h)?,
            What::Type => {
                f.of = self.room.makers.len();
                f.left = self.definition(h)?;
            }
            What::Dict => f.left = 2 * self.r.entries(h)?,
            What::TimeTz | What::DateTimeTz => (f.moment, f.left) = (self.r.moment(h)?, 1),
            What::Ext => {
                f.of = self.r.ext()?.into();
                if !self.r.bodily() {
                    return self.fault(Code::Body, h.at);
                }
                f.left = 1;
                if f.of >= 0x20 {
                    self.open_ext(&mut f)?;
                }
            }
            _ => f.left = self.r.items(h)?,
        }
        if h.shared || matches!(h.what, What::Record | What::Type) {
            self.exist(&mut f)?;
        }
        self.room.frames.push(f);
        Ok(())
    }

    /// Makes an object of the standard library that will be filled.
    fn open_ext(&mut self, f: &mut Frame) -> Given<()> {
        let code = py::int(f.of as i64)?;
        let said = py::call1(self.codec.open.as_ref(), code.as_ref())?;
        if let Some(said) = said.as_ref().as_any_tuple().map(|t| t.hold()) {
            f.object = said.get(0).map(Ref::own);
            f.fill = said.get(1).map(Ref::own);
        }
        Ok(())
    }

    /// Lets an object exist before its parts, if its type can.
    #[inline(never)]
    fn exist(&mut self, f: &mut Frame) -> Given<()> {
        let object = match f.what {
            What::List => py::new_list()?,
            What::Dict | What::Shape | What::Shaped => py::new_dict()?,
            What::Set => py::new_set()?,
            What::Frozenset => {
                let s = py::new_frozenset()?;
                self.room.open.push(s.clone());
                s
            }
            What::Tuple => {
                let t = py::open_tuple(f.left)?;
                self.room.open.push(t.clone());
                t
            }
            What::Record | What::Type => {
                let m = &self.room.makers[f.of];
                match m.how {
                    How::Plain => py::call1(self.codec.new.as_ref(), m.class.as_ref())?,
                    How::Opened => py::call0(m.class.as_ref())?,
                    How::Struct => {
                        let class = m.class.as_ref().as_type();
                        match class.and_then(|class| self.known.structs.maker(class)) {
                            Some(maker) => maker.fresh()?.finish(),
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

    /// Text that is the key of a shape, or a name in a type.
    fn name(&mut self) -> Given<(Own, usize)> {
        let h = self.r.name()?;
        let o = match h.what {
            What::Str | What::Wstr => {
                let o = name(&mut self.r, h, &mut self.room.decoded, &mut self.room.keys)?;
                if h.shared {
                    self.room.shared.push(Some(o.clone()));
                }
                o
            }
            What::Ref => {
                let n = self.r.numbered(h)?;
                self.other_reference(h, n)?
            }
            What::Int => py::int(h.small().into())?,
            What::Number => match self.r.number(h)? {
                Num::I64(v) => py::int(v)?,
                _ => return self.fault(Code::KeyKind, h.at),
            },
            _ => return self.fault(Code::KeyKind, h.at),
        };
        Ok((o, h.at))
    }

    fn names(&mut self, names: Names) -> Given<Vec<Own>> {
        let mut found = Vec::with_capacity(names.0);
        let seen = py::new_set()?;
        for _ in 0..names.0 {
            let (name, at) = self.name()?;
            if name.as_ref().as_str().is_none() {
                return self.fault(Code::KeyKind, at);
            }
            py::add_member(&seen, name.as_ref())?;
            found.push(name);
            if py::set_len(seen.as_ref()) != found.len() {
                return self.fault(Code::DuplicateKey, at);
            }
        }
        Ok(found)
    }

    /// A type definition: the helper says what is made of its objects.
    #[inline(never)]
    fn definition(&mut self, h: Head) -> Given<usize> {
        let head = self.r.type_head(h)?;
        let (name, at) = self.name()?;
        let code = |v: py::Int<'_>| matches!(v, py::Int::I64(0..0x8000_0000));
        if name.as_ref().as_int().is_some_and(|v| !code(v.get_cold())) {
            return self.fault(Code::KeyKind, at);
        }
        let (version, names) = self.r.version(h, head)?;
        let mut fields = self.names(names)?;
        let fields = py::tuple(&mut fields, 0)?;
        let mut parts = alloc::vec![py::int(head.kind.into())?, name, py::uint(version)?, fields];
        let definition = py::tuple(&mut parts, 0)?;
        let said = py::call1(self.codec.resolve.as_ref(), definition.as_ref())?;
        let maker = maker(said.as_ref()).ok_or(Raised);
        let Ok(maker) = maker else { return self.fault(Code::Undefined, h.at) };
        self.room.makers.push(maker);
        Ok(self.r.define_type(head, names)?)
    }

    /// Finishes the innermost value that is open.
    pub(crate) fn close(&mut self) -> Given<()> {
        let Some(f) = self.room.frames.pop() else { return Ok(()) };
        let o = match f.what {
            What::List => match f.object {
                None => py::list(&mut self.room.stack, f.base)?,
                Some(l) => {
                    let items = py::list(&mut self.room.stack, f.base)?;
                    py::extend_list(&l, &items)?;
                    l
                }
            },
            What::Tuple => match f.object {
                None => py::tuple(&mut self.room.stack, f.base)?,
                Some(t) => {
                    py::fill_tuple(&t, &mut self.room.stack, f.base);
                    self.room.open.retain(|one| !one.as_ref().is(t.as_ref()));
                    t
                }
            },
            What::Shape | What::Shaped => match f.object {
                None => py::dict(&mut self.room.stack, f.base)?,
                Some(d) => {
                    let entries = py::dict(&mut self.room.stack, f.base)?;
                    py::update_dict(&d, &entries)?;
                    d
                }
            },
            What::Record | What::Type => return self.close_object(f),
            _ => return self.close_other(f),
        };
        self.room.stack.push(o);
        Ok(())
    }

    /// Remembers what did not exist before its parts.
    fn made(&mut self, index: usize, o: Own) {
        if let Some(place) = self.room.shared.get_mut(index) {
            *place = Some(o.clone());
        }
        self.room.stack.push(o);
    }

    #[inline(never)]
    fn close_other(&mut self, f: Frame) -> Given<()> {
        match f.what {
            What::Dict | What::Set | What::Frozenset => self.close_hashed(f),
            What::Ext => {
                let Some(body) = self.room.stack.pop() else { return Err(Trouble::Raised) };
                match (f.object, f.fill) {
                    (Some(o), Some(fill)) => {
                        self.room.later.push(Later::Fill(fill, o.clone(), body));
                        self.made(f.index, o);
                    }
                    _ => {
                        let o = self.leaf(f.of, body)?;
                        self.made(f.index, o);
                    }
                }
                Ok(())
            }
            _ => {
                let zone = self.room.stack.pop();
                let o = self.moment(f.what, f.moment, zone, f.at)?;
                self.made(f.index, o);
                Ok(())
            }
        }
    }

    /// A dict, set or frozenset: at once if nobody's code is needed for its keys.
    fn close_hashed(&mut self, f: Frame) -> Given<()> {
        let step = if f.what == What::Dict { 2 } else { 1 };
        let parts: Vec<Own> = self.room.stack.drain(f.base..).collect();
        let mut plain = true;
        for key in parts.iter().step_by(step) {
            let keys = later::Keys {
                moments: self.known.moments,
                open: &self.room.open,
                waiting: &self.room.waiting,
                at: f.at,
            };
            plain &= keys.is_plain(key.as_ref())?;
        }
        if let (Some(o), What::Frozenset) = (&f.object, f.what) {
            self.room.open.retain(|one| !one.as_ref().is(o.as_ref()));
        }
        let o = match (f.object, f.what) {
            (Some(o), _) => o,
            (None, What::Dict) => py::new_dict()?,
            (None, What::Set) => py::new_set()?,
            (None, _) => py::new_frozenset()?,
        };
        let later = match f.what {
            What::Dict => Later::Dict(o.clone(), parts, f.at),
            What::Set => Later::Set(o.clone(), parts, f.at),
            _ => Later::Frozen(o.clone(), parts, f.at),
        };
        if plain {
            later::finish(later)?;
        } else {
            if let Later::Frozen(..) = later {
                self.room.waiting.push(o.clone());
            }
            self.room.later.push(later);
        }
        self.room.stack.push(o);
        Ok(())
    }

    /// An object of a registered class.
    #[inline(never)]
    fn close_object(&mut self, f: Frame) -> Given<()> {
        let m = &self.room.makers[f.of];
        let Some(o) = f.object else {
            let parts = py::list(&mut self.room.stack, f.base)?;
            let o = py::call1(m.class.as_ref(), parts.as_ref())?;
            self.made(f.index, o);
            return Ok(());
        };
        match m.how {
            How::Opened => {
                let parts = py::list(&mut self.room.stack, f.base)?;
                if let Some(finish) = &m.finish {
                    self.room.later.push(Later::Fill(finish.clone(), o.clone(), parts));
                }
            }
            How::Struct => {
                let Some(this) = self.known.structs.this(o.as_ref()) else { return Err(Trouble::Raised) };
                for (name, v) in m.names.iter().zip(self.room.stack.drain(f.base..)) {
                    let place = name.as_ref().and_then(|n| n.as_ref().as_int()).and_then(|n| n.short());
                    if let Some(place) = place {
                        this.put(place as usize, Some(v));
                    }
                }
            }
            _ => {
                for (name, v) in m.names.iter().zip(self.room.stack.get(f.base..).unwrap_or_default()) {
                    if let Some(name) = name {
                        o.as_ref().set_plainly(name.as_ref(), v.as_ref())?;
                    }
                }
                self.room.stack.drain(f.base..).for_each(Own::release);
            }
        }
        if m.how != How::Opened
            && let Some(finish) = &m.finish
        {
            self.room.later.push(Later::Call(finish.clone(), o.clone()));
        }
        self.room.stack.push(o);
        Ok(())
    }
}

/// What the helper said of a type: how, class, names, what to call at the end.
fn maker(said: Ref<'_>) -> Option<Maker> {
    let said = said.as_any_tuple()?.hold();
    let how = match said.get(0)?.as_int()?.short()? {
        0 => How::Plain,
        1 => How::AtOnce,
        2 => How::Opened,
        _ => How::Struct,
    };
    let names = said.get(2)?.as_any_tuple()?.hold();
    let name = |o: Ref<'_>| (!o.is_none()).then(|| o.own());
    let names = (0..names.len()).filter_map(|i| names.get(i).map(name)).collect();
    let finish = said.get(3).filter(|o| !o.is_none()).map(Ref::own);
    Some(Maker { how, class: said.get(1)?.own(), names, finish })
}
