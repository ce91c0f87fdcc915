//! Instances of our classes with fields.
//!
//! The policy: a field is written under its key, in the order of the class; one that is UNSET is left out,
//! and so is one that has its default, where the class says so. What may surprise: how many fields there
//! are must be known before the first is written, so whatever may leave one out gathers them first.

use super::Out;
use super::walk::{Cold, Frame, Go, Met, Open, Walk};
use crate::fault::{Stop, What};
use model::{Class, Flag, Written};
use py::{Instance, Raised, Ref, This};
use wire::Full;

impl<O: Out> Walk<'_, O> {
    /// Whether a value is an instance that is written as what it is, whatever its class.
    #[inline(always)]
    pub(super) fn is_plain_struct(&self, o: Ref<'_>) -> bool {
        self.env.structs.is_plain_instance(o) && self.rules.plain_structs()
    }

    /// Writes such an instance.
    #[inline(always)]
    pub(super) fn plain_struct(&mut self, o: Ref<'_>) -> Go {
        match self.env.structs.this(o) {
            Some(s) => self.fields(s.own(), 0, 0),
            None => Err(self.stop(What::Raised)),
        }
    }

    /// Any instance, which is to be begun.
    pub(super) fn begin_struct(&mut self, o: Ref<'_>) -> Result<Met, Stop> {
        match self.env.structs.this(o) {
            Some(s) => Ok(Met::Struct(s.own())),
            None => Err(self.stop(What::Raised)),
        }
    }

    /// Writes an instance from a field on.
    #[inline(never)]
    pub(super) fn fields(&mut self, s: Instance<Class>, mut next: isize, mut done: usize) -> Go {
        let class = s.this().shape();
        let array = class.is(Flag::ArrayLike);
        let written = self.out.written(class).unwrap_or_default();
        if next == 0 {
            if self.depth >= self.limit {
                return self.later(Met::Struct(s));
            }
            if self.gathers(s.this()) {
                let met = self.begin_gathered(s.this());
                s.release();
                return self.inside_other(met?);
            }
            if !self.out.caps().str_keys_only && !array {
                self.no_map_in_keys()?;
            }
            self.deeper()?;
            match written.last() {
                Some(w) if w.len != 0 => {
                    let wrote = self.out.again(w);
                    self.wrote(wrote)?;
                }
                _ => self.begin_fields(class, array)?,
            }
        }
        match self.each_field(s.this(), array, written, &mut next, &mut done) {
            Ok(()) => {
                s.release();
                self.depth -= 1;
                Ok(())
            }
            Err(Stop) => self.suspend(Frame { open: Open::Struct(s), next, n: 0, left: done }),
        }
    }

    #[inline(always)]
    fn each_field(
        &mut self,
        s: This<'_, Class>,
        array: bool,
        written: &[Written],
        next: &mut isize,
        done: &mut usize,
    ) -> Go {
        let class = s.shape();
        loop {
            let at = *next as usize;
            if at == class.fields.len() {
                let n = *done + usize::from(class.tag.is_some());
                let wrote = if array { self.out.end_array(n) } else { self.out.end_map(n) };
                return self.wrote(wrote);
            }
            *next += 1;
            let Some(v) = s.get(at) else { return Err(self.cold().unset(s, at)) };
            if !array {
                if v.as_ref().is(self.env.unset.as_ref()) {
                    // Where they were counted, it was there.
                    if self.out.caps().sized {
                        return Err(self.stop(What::Changed("struct")));
                    }
                    continue;
                }
                match written.get(at) {
                    Some(w) if w.len != 0 => {
                        let wrote = self.out.again(w);
                        self.wrote(wrote)?;
                    }
                    _ => self.field_key(class, at)?,
                }
            }
            *done += 1;
            match self.value::<true>(v.as_ref())? {
                Met::Ended => continue,
                met => self.inside(met)?,
            }
            let wrote = self.out.end_item();
            self.wrote(wrote)?;
        }
    }

    /// Whether the fields must be gathered first: what may be left out was not left out yet, and there is an
    /// order, or a count is to be said before.
    #[inline(always)]
    fn gathers(&self, s: This<'_, Class>) -> bool {
        let class = s.shape();
        if class.is(Flag::ArrayLike) {
            return false;
        }
        class.is_either(Flag::OmitDefaults, Flag::Shaped)
            || self.rules.gathers_fields()
            || self.out.caps().sized && !s.holds_all_but(self.env.unset.as_ref(), class.fields.len())
    }

    #[cold]
    #[inline(never)]
    fn begin_gathered(&mut self, s: This<'_, Class>) -> Result<Met, Stop> {
        let base = self.cold().gather_fields(s)?;
        self.begin_entries(base, self.rules.field_order())
    }

    /// Writes what stands before the fields, where that is not kept as it is written.
    #[inline(never)]
    fn begin_fields(&mut self, class: &Class, array: bool) -> Go {
        let n = class.fields.len() + usize::from(class.tag.is_some());
        let wrote = if array { self.out.begin_array(n) } else { self.out.begin_map(n) };
        self.wrote(wrote)?;
        let Some((key, tag)) = &class.tag else { return Ok(()) };
        if !array {
            self.struct_key(key.as_ref())?;
        }
        self.value_cold(tag.as_ref())?;
        let wrote = self.out.end_item();
        self.wrote(wrote)
    }

    /// Writes the key of a field that is not kept as it is written.
    #[inline(never)]
    fn field_key(&mut self, class: &Class, at: usize) -> Go {
        match class.fields.get(at) {
            Some(field) => self.struct_key(field.key.as_ref()),
            None => Ok(()),
        }
    }

    #[inline(never)]
    fn struct_key(&mut self, key: Ref<'_>) -> Go {
        let Some(key) = key.as_any_str() else { return Err(self.stop(What::KeyNotStr)) };
        match self.out.key(key, self.text, true) {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.surrogate(py::NotUtf8(0))),
            Err(Full) => Err(self.full()),
        }
    }
}

impl Cold<'_, '_> {
    /// A field was deleted.
    #[cold]
    pub(super) fn unset(&mut self, s: This<'_, Class>, i: usize) -> Stop {
        let name = s.shape().fields.get(i).map_or_else(py::none, |f| f.name.clone());
        let Raised = model::unset(name.as_ref());
        self.stop(What::Raised)
    }
}
