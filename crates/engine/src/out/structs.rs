//! Instances of our classes with fields.
//!
//! The policy: a field is written under its key, in the order of the class; one that is UNSET is left out,
//! and so is one that has its default, where the class says so. What may surprise: how many fields there
//! are must be known before the first is written, so whatever may leave one out gathers them first.

use super::Out;
use super::walk::{Cold, Frame, Go, Met, Open, Walk, is_scalar};
use crate::fault::{Stop, What};
use model::{Class, Flag};
use py::{Raised, Ref, This};
use wire::Full;

impl<O: Out> Walk<'_, O> {
    /// Begins an instance.
    #[inline(never)]
    pub(crate) fn begin_struct(&mut self, o: Ref<'_>) -> Result<Met, Stop> {
        let Some(s) = self.env.structs.this(o) else { return Err(self.stop(What::Raised)) };
        let class = s.shape();
        if class.is(Flag::ArrayLike) {
            let n = class.fields.len() + usize::from(class.tag.is_some());
            self.deeper()?;
            let wrote = self.out.begin_array(n);
            self.wrote(wrote)?;
            if let Some((_, tag)) = &class.tag {
                self.value_cold(tag.as_ref())?;
                let wrote = self.out.end_item();
                self.wrote(wrote)?;
            }
            let scalars = (0..class.fields.len()).all(|i| s.get(i).is_some_and(|v| is_scalar(v.as_ref())));
            return self.begun_struct(s, scalars);
        }
        let unset = self.env.unset.as_ref();
        let (mut odd, mut scalars) = (false, true);
        for i in 0..class.fields.len() {
            match s.get(i) {
                Some(v) if is_scalar(v.as_ref()) => {}
                value => {
                    scalars = false;
                    odd |= value.is_none_or(|v| v.as_ref().is(unset));
                }
            }
        }
        if class.is_either(Flag::OmitDefaults, Flag::Shaped)
            || self.rules.gathers_fields()
            || (self.out.caps().sized && odd)
        {
            let base = self.cold().gather_fields(s)?;
            return self.begin_entries(base, self.rules.field_order());
        }
        if !self.out.caps().str_keys_only {
            self.no_map_in_keys()?;
        }
        self.deeper()?;
        let wrote = self.out.begin_map(class.fields.len() + usize::from(class.tag.is_some()));
        self.wrote(wrote)?;
        if let Some((key, tag)) = &class.tag {
            self.field_key(key.as_ref())?;
            self.value_cold(tag.as_ref())?;
            let wrote = self.out.end_entry();
            self.wrote(wrote)?;
        }
        self.begun_struct(s, scalars)
    }

    /// An instance that was begun. One of scalars alone is written where it stands, without a frame.
    #[inline(always)]
    fn begun_struct(&mut self, s: This<'_, Class>, scalars: bool) -> Result<Met, Stop> {
        let s = s.own();
        if !scalars {
            return Ok(Met::Struct(s));
        }
        let (mut next, mut done) = (0, 0);
        match self.fields(s.this(), &mut next, &mut done, true) {
            Ok(met) => {
                self.depth -= 1;
                Ok(met)
            }
            Err(Stop) => {
                let frame = Frame { open: Open::Struct(s), next, n: 0, left: done };
                let below = self.cold().path(&[frame], false);
                self.inside.insert_str(0, &below);
                Err(Stop)
            }
        }
    }

    /// Writes the key of a field that is not kept as it is written.
    #[inline(never)]
    fn field_key(&mut self, key: Ref<'_>) -> Go {
        let Some(key) = key.as_any_str() else { return Err(self.stop(What::KeyNotStr)) };
        match self.out.key(key, self.text, true) {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.surrogate(py::NotUtf8(0))),
            Err(Full) => Err(self.full()),
        }
    }

    /// Writes the fields of an instance up to the next container, or, if they are `scalars`, all of them. This loop
    /// stands for itself, as the other small ones do.
    #[inline(never)]
    pub(super) fn fields(
        &mut self,
        s: This<'_, Class>,
        next: &mut isize,
        done: &mut usize,
        scalars: bool,
    ) -> Result<Met, Stop> {
        let class = s.shape();
        let array = class.is(Flag::ArrayLike);
        let written = if array { None } else { self.out.written(class) };
        loop {
            let at = *next as usize;
            let Some(field) = class.fields.get(at) else {
                let n = *done + usize::from(class.tag.is_some());
                let wrote = if array { self.out.end_array(n) } else { self.out.end_map(n) };
                self.wrote(wrote)?;
                return Ok(Met::Wrote);
            };
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
                match written.and_then(|w| w.get(at)) {
                    Some(w) if w.len != 0 => {
                        let wrote = self.out.again(w);
                        self.wrote(wrote)?;
                    }
                    _ => self.field_key(field.key.as_ref())?,
                }
            }
            *done += 1;
            match self.value(v.as_ref())? {
                Met::Wrote => {}
                // What a hook gives for a scalar may be a container.
                met if scalars => self.apart(|_| Ok(met))?,
                met => return Ok(met),
            }
            let wrote = if array { self.out.end_item() } else { self.out.end_entry() };
            self.wrote(wrote)?;
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
