//! Objects that are read as records, by their attributes: `convert` with `from_attributes`, and objects with items by name.
//!
//! What may surprise: nothing is read here. What an object has is put into a dict or a tuple, which is then read as any other, so
//! what is wrong with it is said in the same words.

use alloc::vec::Vec;

use super::judge::refused;
use super::records::{missing, of_tag, place};
use super::typed::Typed;
use super::{Feed, Given};
use model::{Array, Choice, Map, Record, Which};
use py::{Flags, Own, Ref};

impl<F: Feed> Typed<'_, F> {
    /// The attributes of an object that a record wants, as the items of the array that stands for it; nothing if no
    /// record is wanted.
    #[cold]
    pub(super) fn row_of(&self, array: &Array, o: Ref<'_>) -> Given<Option<Own>> {
        let mut i = match &array.record {
            Which::None => return Ok(None),
            Which::One(i) => *i,
            // Their tags have one name.
            Which::Of(tags) => match tags
                .as_ref()
                .as_any_dict()
                .and_then(|tags| tags.hold().next_cold(&mut 0).and_then(|(_, i)| place(i.as_ref())))
            {
                Some(i) => i,
                None => return Ok(None),
            },
        };
        let mut items = Vec::new();
        if let Some((key, tag)) = &self.record(i)?.tag {
            let Some(given) = self
                .attribute(o, key)?
                .or_else(|| matches!(array.record, Which::One(_)).then(|| tag.clone()))
            else {
                return Err(missing(key));
            };
            if let Which::Of(tags) = &array.record {
                let found = of_tag(tags, &given)?;
                // One that is none stands alone: what is wrong with it is said by whoever reads it.
                let Some(found) = found else { return Ok(Some(py::tuple(&mut [given].into(), 0)?)) };
                i = found;
            }
            items.push(given);
        }
        for f in self.record(i)?.fields.iter().filter(|f| !f.hidden) {
            let given = match self.attribute(o, &f.name)? {
                None => f.default.make_cold().map_err(refused)?,
                given => given,
            };
            items.push(given.ok_or_else(|| missing(&f.key))?);
        }
        Ok(Some(py::tuple(&mut items, 0)?))
    }

    /// An attribute of an object, or else its item of that name.
    #[inline(never)]
    fn attribute(&self, o: Ref<'_>, name: &Own) -> Given<Option<Own>> {
        if self.build.hooks.attributes
            && let Some(v) = o.attr_or_none(name)?
        {
            return Ok(Some(v));
        }
        let v = self.build.env.help(c"item", &[o, name.as_ref()])?;
        Ok((!v.as_ref().is(py::not_implemented().as_ref())).then_some(v))
    }

    /// The attributes of an object that a record wants, as a dict; None if no record is wanted.
    pub(super) fn attributes(&self, map: &Map, o: Ref<'_>) -> Given<Own> {
        let as_map = py::new_dict()?;
        let i = match (&map.record, &map.tag_field) {
            (Which::One(i), _) => Some(*i),
            (Which::Of(tags), Some(key)) => match self.attribute(o, key)? {
                Some(tag) => {
                    py::dict_put(&as_map, key.as_ref(), tag.as_ref())?;
                    of_tag(tags, &tag)?
                }
                None => None,
            },
            _ => return Ok(py::none()),
        };
        if let Some(i) = i {
            self.put_attributes(i, &as_map, o)?;
        }
        Ok(as_map)
    }

    /// Those that any member knows.
    #[cold]
    pub(super) fn all_attributes(&self, c: &Choice, o: Ref<'_>) -> Given<Own> {
        let as_map = py::new_dict()?;
        for m in &c.members {
            let map = self.program.plan(m.plan).map.and_then(|i| self.program.maps.get(i));
            if let Some(Which::One(i)) = map.map(|m| &m.record) {
                self.put_attributes(*i, &as_map, o)?;
            }
        }
        Ok(as_map)
    }

    fn put_attributes(&self, i: usize, as_map: &Own, o: Ref<'_>) -> Given<()> {
        let r = self.record(i)?;
        if let Some((key, _)) = &r.tag
            && let Some(tag) = self.attribute(o, key)?
        {
            py::dict_put(as_map, key.as_ref(), tag.as_ref())?;
        }
        self.put_fields(r, r.parts.last().map(|part| &part.from[..]), as_map, o)
    }

    /// Those of some fields, or of all. What stands beside them may be in objects of its own.
    fn put_fields(&self, r: &Record, of: Option<&[usize]>, as_map: &Own, o: Ref<'_>) -> Given<()> {
        for nth in 0..of.map_or(r.fields.len(), <[usize]>::len) {
            let i = of.and_then(|of| of.get(nth)).map_or(nth, |i| *i);
            let Some(f) = r.fields.get(i) else { continue };
            let v = self.attribute(o, &f.name)?;
            let inner = v.as_ref().map_or(o, Own::as_ref);
            if let Some(part) = r.parts.iter().find(|part| part.into == i) {
                self.put_fields(r, Some(&part.from), as_map, inner)?;
            } else if !f.hidden && v.is_some() {
                py::dict_put(as_map, f.key.as_ref(), inner)?;
            } else if r.extra.is_some_and(|(_, at)| at == i) && inner.class().flags() == Flags::Dict {
                py::call_method1(as_map.as_ref(), c"update", inner)?;
            }
        }
        Ok(())
    }
}
