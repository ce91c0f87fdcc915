//! Instances of our classes with fields.
//!
//! The policy: a field is written under its key, in the order of the class; one that is UNSET is left out,
//! and so is one that has its default, where the class says so. What may surprise: some formats must be told how
//! many fields there are before the first is written, so those that will be left out are counted first. What a
//! hook does meanwhile may make that wrong, which is found at the end.

use super::Out;
use super::seldom::Seldom;
use super::walk::{Cold, Frame, Go, Met, Open, Walk};
use crate::fault::{Stop, What};
use alloc::vec::Vec;
use model::{Class, Flag, Written};
use py::{Instance, Items, Own, Raised, Ref, This};
use wire::{Full, Kept, Wrote};

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
            Some(s) => self.fields(s.own(), 0, 0, 0),
            None => Err(self.stop(What::Raised)),
        }
    }

    /// Asks for the memory of instances that follow in a list, while one is written: what they hold is
    /// scattered, and waiting for it takes as long as writing it.
    #[inline(always)]
    pub(super) fn look_ahead(&self, list: Items<'_>, i: usize) {
        if let Some(item) = list.get(i + 4) {
            item.as_ref().prefetch();
        }
        if let Some(item) = list.get(i + 2)
            && self.env.structs.is_plain_instance(item.as_ref())
            && let Some(s) = self.env.structs.this(item.as_ref())
        {
            s.prefetch();
        }
    }

    /// Writes an instance from a field on. `left_out` says how many before it were left out, and `omitted` how
    /// many of all will be, where that must be known before the first.
    #[inline(never)]
    pub(super) fn fields(
        &mut self,
        s: Instance<Class>,
        mut next: isize,
        mut left_out: usize,
        mut omitted: usize,
    ) -> Go {
        let class = s.this().shape();
        let array = class.is(Flag::ArrayLike);
        let written = self.out.written(class);
        // What is kept as it is written is laid out so that a count does not matter, unless it is part of that.
        let counted = !array && (self.out.caps().sized || written.is_none());
        if next == 0 {
            if self.depth >= self.limit {
                return self.cold().later(Met::Struct(s));
            }
            if !array && (class.is(Flag::Shaped) || self.rules.gathers_fields()) {
                return self.seldom().gathered(s);
            }
            let unset = self.env.unset.as_ref();
            let n = class.fields.len();
            if counted && (class.is(Flag::OmitDefaults) || !s.this().holds_all_but(unset, n)) {
                omitted = self.cold().count_omitted(s.this())?;
            }
            if !self.out.caps().str_keys_only && !array {
                self.no_map_in_keys()?;
            }
            self.deeper()?;
            match written.and_then(|w| w.head.as_ref()) {
                Some(head) if omitted == 0 => {
                    let wrote = self.out.lead(head);
                    self.wrote(wrote)?;
                }
                _ => self.cold().begin_fields(class, n - omitted)?,
            }
        }
        let omit = class.is(Flag::OmitDefaults);
        let keys = written.filter(|_| !omit).map_or(&[][..], |w| &w.keys);
        match self.each_field(s.this(), array, keys, &mut next, &mut left_out) {
            Ok(()) if counted && left_out != omitted => Err(self.stop(What::Changed("struct"))),
            Ok(()) => {
                s.release();
                self.depth -= 1;
                Ok(())
            }
            Err(Stop) => {
                self.cold().suspend(Frame { open: Open::Struct(s), next, n: omitted, left: left_out })
            }
        }
    }

    #[inline(always)]
    fn each_field(
        &mut self,
        s: This<'_, Class>,
        array: bool,
        keys: &[Option<Kept>],
        next: &mut isize,
        left_out: &mut usize,
    ) -> Go {
        let class = s.shape();
        loop {
            let at = *next as usize;
            if at == class.fields.len() {
                let n = at - *left_out + usize::from(class.tag.is_some());
                let wrote = if array { self.out.end_array(n) } else { self.out.end_map(n) };
                return self.wrote(wrote);
            }
            *next += 1;
            let Some(v) = s.get(at) else { return Err(self.cold().unset(s, at)) };
            if let Some(Some(key)) = keys.get(at) {
                if v.as_ref().is(self.env.unset.as_ref()) {
                    *left_out += 1;
                    continue;
                }
                self.item_after(key, v.as_ref())?;
                continue;
            }
            if array {
                self.item_after((), v.as_ref())?;
                continue;
            }
            if !self.odd_key(class, at, v.as_ref())? {
                *left_out += 1;
                continue;
            }
            self.item(v.as_ref())?;
        }
    }

    /// Writes the key of a field that may be left out, or whose key is not kept; false if it is left out.
    #[inline(never)]
    fn odd_key(&mut self, class: &Class, at: usize, v: Ref<'_>) -> Result<bool, Stop> {
        let Some(field) = class.fields.get(at) else { return Ok(false) };
        if v.is(self.env.unset.as_ref()) || class.is(Flag::OmitDefaults) && field.default.is(v) {
            return Ok(false);
        }
        match self.out.written(class).and_then(|w| w.keys.get(at)) {
            Some(Some(key)) => {
                let wrote = self.out.lead(key);
                self.wrote(wrote)?;
            }
            _ => self.cold().field_key(&field.key)?,
        }
        Ok(true)
    }
}

impl Seldom<'_, '_> {
    /// Gathers the fields and writes them, because keys are to be put in an order, or not all is as it is stored.
    #[cold]
    #[inline(never)]
    fn gathered(&mut self, s: Instance<Class>) -> Go {
        let w = self.cold();
        let base = w.gather_fields(s.this())?;
        s.release();
        let order = w.rules.field_order();
        self.entries(base, order)
    }
}

impl Cold<'_, '_> {
    /// Any instance, which is to be begun.
    pub(super) fn instance(&mut self, o: Ref<'_>) -> Result<Instance<Class>, Stop> {
        match self.env.structs.this(o) {
            Some(s) => Ok(s.own()),
            None => Err(self.stop(What::Raised)),
        }
    }

    /// Writes what stands before so many fields, where that is not kept as it is written.
    #[inline(never)]
    fn begin_fields(&mut self, class: &Class, n: usize) -> Go {
        let n = n + usize::from(class.tag.is_some());
        let array = class.is(Flag::ArrayLike);
        let wrote = if array { self.out.begin_array(n) } else { self.out.begin_map(n) };
        self.wrote(wrote)?;
        let Some((key, tag)) = &class.tag else { return Ok(()) };
        if !array {
            self.field_key(key)?;
        }
        match tag.as_ref().as_int() {
            Some(i) => self.any_int(tag.as_ref(), i.get_cold())?,
            None => self.text(tag)?,
        };
        let wrote = self.out.end_item();
        self.wrote(wrote)
    }

    /// Writes a key.
    #[inline(never)]
    fn field_key(&mut self, key: &Own) -> Go {
        let Some(s) = key.as_ref().as_any_str() else { return Err(self.stop(What::KeyNotStr)) };
        let wrote = match s.text(self.text) {
            Ok(text) => self.out.spelled_key(key.as_ref(), text),
            Err(e) => return Err(self.surrogate(e)),
        };
        self.wrote(wrote)
    }

    /// How many fields will be left out.
    #[inline(never)]
    fn count_omitted(&mut self, s: This<'_, Class>) -> Result<usize, Stop> {
        let (class, mut n) = (s.shape(), 0);
        let omit = class.is(Flag::OmitDefaults);
        for (i, f) in class.fields.iter().enumerate() {
            let Some(v) = s.get(i) else { return Err(self.unset(s, i)) };
            let v = v.as_ref();
            n += usize::from(v.is(self.env.unset.as_ref()) || omit && f.default.is(v));
        }
        Ok(n)
    }

    /// A field was deleted.
    #[cold]
    pub(super) fn unset(&mut self, s: This<'_, Class>, i: usize) -> Stop {
        let name = s.shape().fields.get(i).map_or_else(py::none, |f| f.name.clone());
        let Raised = model::unset(name.as_ref());
        self.stop(What::Raised)
    }
}

/// What an output writes for every instance of a class.
#[cold]
#[inline(never)]
pub(super) fn written(out: &mut dyn Out, class: &Class) -> Written {
    let (mut keys, mark) = (Vec::new(), out.mark());
    let array = class.is(Flag::ArrayLike);
    for field in class.fields.iter().filter(|_| !array) {
        let wrote = word(out, &field.key, true);
        keys.push(kept(out, mark, wrote));
    }
    let n = class.fields.len() + usize::from(class.tag.is_some());
    let mut wrote = if array { out.begin_array(n) } else { out.begin_map(n) };
    if let Some((key, tag)) = &class.tag {
        if !array {
            wrote = wrote.and_then(|()| word(out, key, true));
        }
        wrote = wrote.and_then(|()| word(out, tag, false));
    }
    let head = kept(out, mark, wrote);
    Written { head, keys: keys.into() }
}

/// Writes a word that is a key, or the value of one.
fn word(out: &mut dyn Out, word: &Own, key: bool) -> Wrote {
    let mut room = Vec::new();
    // An integer may be more than is allowed, and is not kept.
    let s = word.as_ref().as_str().ok_or(Full)?;
    let text = s.text(&mut room).map_err(|_| Full)?;
    if key {
        return out.spelled_key(word.as_ref(), text);
    }
    out.text(word.as_ref(), text)?;
    out.end_item()
}

/// What was written since a mark, if that was all and is short. The output forgets it.
fn kept(out: &mut dyn Out, mark: usize, wrote: Wrote) -> Option<Kept> {
    let mut bytes = Vec::new();
    out.cut(mark, &mut bytes);
    wrote.ok().and_then(|()| Kept::new(&bytes))
}
