//! The loops of the walk: one for each sort of container, from an item on to its end.
//!
//! What may surprise: each is in two functions. The inner one is compiled into the outer, which knows what
//! to do with the container whatever became of it.

use alloc::vec::Vec;

use super::Out;
use super::record::Object;
use super::rendered::Known;
use super::seldom::Seldom;
use super::walk::{Cold, Frame, Go, Met, Open, Walk};
use crate::fault::{Stop, What};
use py::{DictKind, Held, Items, ItemsRoom, NotUtf8, Ref, RowKind, Seen};
use wire::Full;

/// Lists of fewer items are not asked what they begin with.
const RUN: usize = 8;

impl<O: Out> Walk<'_, O> {
    /// Writes a list or a tuple.
    #[inline(never)]
    pub(super) fn row(&mut self, row: Held<RowKind>, mut next: isize, n: usize) -> Go {
        if self.is_deep() {
            return self.cold().later(Met::Row(row));
        }
        match self.items(row.items(&mut ItemsRoom::default()), &mut next, n) {
            Ok(()) => {
                row.release();
                self.depth -= 1;
                Ok(())
            }
            Err(Stop) => self.cold().suspend(Frame { open: Open::Row(row), next, n, left: 0 }),
        }
    }

    #[inline(always)]
    fn items(&mut self, list: Items<'_>, next: &mut isize, n: usize) -> Go {
        // Only where a number is its bits: as digits it takes so long that this does not matter.
        if *next == 0 && n >= RUN && self.out.caps().sized {
            self.run_of(list, next)?;
        }
        if list.get(*next as usize).is_some_and(|item| self.is_plain_struct(item.as_ref())) {
            self.structs(list, next, n)?;
        }
        loop {
            let i = *next as usize;
            if i == n {
                if list.len() != n {
                    return Err(self.stop(What::Changed("list")));
                }
                let wrote = self.out.end_array(n);
                return self.wrote(wrote);
            }
            let Some(item) = list.get(i) else { return Err(self.stop(What::Changed("list"))) };
            *next += 1;
            self.item_after((), item.as_ref())?;
        }
    }

    /// Writes the instances that a list goes on with, whose fields are written as they stand.
    #[inline(never)]
    fn structs(&mut self, list: Items<'_>, next: &mut isize, n: usize) -> Go {
        while let Some(item) = list.get(*next as usize)
            && (*next as usize) < n
            && self.env.structs.is_plain_instance(item.as_ref())
        {
            if n >= RUN {
                self.look_ahead(list, *next as usize);
            }
            *next += 1;
            self.plain_struct(item.as_ref())?;
            let wrote = self.out.end_item();
            self.wrote(wrote)?;
        }
        Ok(())
    }

    #[inline(never)]
    pub(super) fn dict(&mut self, dict: Held<DictKind>, mut next: isize, n: usize, mut left: usize) -> Go {
        if self.is_deep() {
            return self.cold().later(Met::Dict(dict));
        }
        match self.pairs(&dict, &mut next, n, &mut left) {
            Ok(true) => {
                dict.release();
                self.depth -= 1;
                Ok(())
            }
            Ok(false) => self.seldom().odd_dict(dict, n, left),
            Err(Stop) => self.cold().suspend(Frame { open: Open::Dict(dict), next, n, left }),
        }
    }

    /// Writes the entries of a dict whose keys are text, or what else is written as it stands; false if it
    /// met another key.
    #[inline(always)]
    fn pairs(
        &mut self,
        dict: &Held<DictKind>,
        next: &mut isize,
        n: usize,
        left: &mut usize,
    ) -> Result<bool, Stop> {
        let often = self.out.often(n);
        loop {
            if dict.len() != n {
                return Err(self.stop(What::Changed("dict")));
            }
            let Some((k, v)) = dict.next(next) else {
                if *left != 0 {
                    return Err(self.stop(What::Changed("dict")));
                }
                let wrote = self.out.end_map(n);
                self.wrote(wrote)?;
                return Ok(true);
            };
            if *left == 0 {
                return Err(self.stop(What::Changed("dict")));
            }
            *left -= 1;
            let known = if often { self.out.known(k.as_ref()) } else { None };
            let lead = match known {
                Some(known) => known,
                None if self.new_key(k.as_ref(), often)? => Known::WRITTEN,
                None => return Ok(false),
            };
            self.item_after(lead, v.as_ref())?;
        }
    }

    /// Writes a key that is text, or what else is written as it stands; false if it is another.
    #[inline(never)]
    fn new_key(&mut self, k: Ref<'_>, often: bool) -> Result<bool, Stop> {
        if let Some(key) = k.as_str() {
            if !often && let Some(text) = key.plain() {
                let wrote = self.out.spelled_key(k, text);
                return self.wrote(wrote).map(|()| true);
            }
            return match self.out.key(key, self.text, often) {
                Ok(false) if self.rules.key_errors().is_none() => Err(self.surrogate(NotUtf8(0))),
                Ok(wrote) => Ok(wrote),
                Err(Full) => Err(self.full()),
            };
        }
        if self.out.caps().str_keys_only || self.rules.quirks.str_keys {
            return Ok(false);
        }
        // As a value, it needs no more than it is. Short ones are below any limit.
        let wrote = match k.as_int().and_then(|key| key.short_signed()) {
            Some(key) => self.out.signed_item((), k, key),
            None => match self.plain_int(k) {
                Some(key) => self.out.i64(k, key),
                None => return Ok(false),
            },
        };
        self.wrote(wrote).map(|()| true)
    }

    /// Goes on with a container of another sort, to its end.
    #[inline(never)]
    pub(super) fn other_container(&mut self, mut frame: Frame) -> Go {
        let gone = match &frame.open {
            Open::Object(o) => self.object(o, &mut frame.next, &mut frame.n).map(|()| true),
            Open::Ints(dict) if self.out.caps().str_keys_only => {
                self.ints(dict, &mut frame.next, frame.n, &mut frame.left)
            }
            _ => self.entries(&mut frame.next, frame.n, frame.left).map(|()| true),
        };
        match (gone, frame.open) {
            (Err(Stop), open) => return self.cold().suspend(Frame { open, ..frame }),
            (Ok(false), Open::Ints(dict)) => return self.seldom().odd_dict(dict, frame.n, frame.left),
            (Ok(_), open) => drop(open),
        }
        self.depth -= 1;
        Ok(())
    }

    #[inline(always)]
    fn object(&mut self, o: &Object, next: &mut isize, unset: &mut usize) -> Go {
        let often = self.out.often(o.len());
        while *next as usize != o.len() {
            let i = *next as usize;
            let Some(name) = o.name(i) else { return Err(self.stop(What::KeyNotStr)) };
            *next += 1;
            let v = o.value(name, i);
            let v = self.raised(v)?;
            if v.as_ref().is(self.env.unset.as_ref()) {
                *unset += 1;
                continue;
            }
            let lead = match if often { self.out.known(name) } else { None } {
                Some(known) => known,
                None if self.new_key(name, often)? => Known::WRITTEN,
                None => return Err(self.stop(What::KeyNotStr)),
            };
            let gone = self.field_after(lead, v.as_ref());
            v.release();
            gone?;
        }
        let n = o.len() - *unset;
        if *unset > 0 && self.out.caps().sized {
            self.cold().shortened(o, n)?;
        }
        let wrote = self.out.end_map(n);
        self.wrote(wrote)
    }

    /// Writes the entries that were gathered for a map, from `base` to `end`.
    #[inline(always)]
    fn entries(&mut self, next: &mut isize, end: usize, base: usize) -> Go {
        while (*next as usize) < end {
            let at = *next as usize;
            *next += 1;
            self.entry_key(at)?;
            let Some(v) = self.gathered.take(at) else { return Err(self.stop(What::Memory)) };
            let gone = self.field_after(Known::WRITTEN, v.as_ref());
            v.release();
            gone?;
        }
        let wrote = self.out.end_map(end - base);
        self.wrote(wrote)?;
        self.gathered.close(base);
        Ok(())
    }

    /// Writes the entries of a dict whose keys are integers; false if it met another key.
    #[inline(always)]
    fn ints(
        &mut self,
        dict: &Held<DictKind>,
        next: &mut isize,
        n: usize,
        left: &mut usize,
    ) -> Result<bool, Stop> {
        loop {
            let entry = if dict.len() == n { dict.next(next) } else { None };
            let Some((k, v)) = entry else {
                if dict.len() != n || *left != 0 {
                    return Err(self.stop(What::Changed("dict")));
                }
                let wrote = self.out.end_map(n);
                return self.wrote(wrote).map(|()| true);
            };
            if *left == 0 {
                return Err(self.stop(What::Changed("dict")));
            }
            *left -= 1;
            let Some(key) = self.plain_int(k.as_ref()) else { return Ok(false) };
            let wrote = self.out.int_key(k.as_ref(), key);
            self.wrote(wrote)?;
            self.field_after(Known::WRITTEN, v.as_ref())?;
        }
    }

    /// Writes an item, or the value of an entry, and what stands after it.
    #[inline(never)]
    pub(super) fn item(&mut self, o: Ref<'_>) -> Go {
        if o.is_bytes() && self.rules.plain_bytes() {
            let wrote = self.out.bytes(o, o.as_bytes().unwrap_or_default());
            self.wrote(wrote)?;
        } else if let Some(kind) = self.env.moments.exact(o.class()) {
            self.moment(o, kind)?;
        } else if o.class().is_made() || matches!(o.see(), Seen::Other(_)) {
            self.other(o)?;
        } else {
            self.value_cold(o)?;
        }
        let wrote = self.out.end_item();
        self.wrote(wrote)
    }
}

impl Cold<'_, '_> {
    /// Says of a map that is written that it has fewer entries than it was begun with.
    #[cold]
    #[inline(never)]
    fn shortened(&mut self, o: &Object, n: usize) -> Go {
        let (mut entries, mut head) = (Vec::new(), Vec::new());
        self.out.cut(o.entries, &mut entries);
        self.out.cut(o.begins, &mut head);
        let wrote = self.out.begin_map(n);
        self.wrote(wrote)?;
        let wrote = self.out.raw(o.instance(), &entries);
        self.wrote(wrote)
    }
}

impl Seldom<'_, '_> {
    /// Writes a dict with keys that are not written as they stand, from the first of these on.
    #[cold]
    #[inline(never)]
    fn odd_dict(&mut self, dict: Held<DictKind>, n: usize, left: usize) -> Go {
        let done = n - left - 1;
        let w = self.cold();
        // Integers that differ are spelled differently, and need no more than their digits. If another key follows, all
        // are looked at again.
        if w.out.caps().str_keys_only
            && done == 0
            && !w.rules.quirks.str_keys
            && dict.next_cold(&mut 0).is_some_and(|(k, _)| w.plain_int(k.as_ref()).is_some())
        {
            return self.resume(Frame { open: Open::Ints(dict), next: 0, n, left: n });
        }
        match self.gather(&dict) {
            Ok(base) => {
                drop(dict);
                let next = (base + done) as isize;
                let n = self.cold().gathered.len();
                self.resume(Frame { open: Open::Entries, next, n, left: base })
            }
            // It is about a key, and no entry's.
            Err(Stop) => self.cold().suspend(Frame { open: Open::Dict(dict), next: 0, n, left: n }),
        }
    }
}
