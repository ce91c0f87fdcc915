//! Instances whose fields are not written just as they stand: some are left out, others stand in for several, and
//! what is computed or was kept comes after them.
//!
//! What may surprise: computing a field runs code of the user, which may do anything to the instance; so the instance
//! and each value that was gathered are owned.

use super::walk::Cold;
use crate::fault::{Stop, What};
use model::{Class, Flag, Mark};
use py::{Own, Ref, Seen, This};

/// How many instances may be flattened into one another.
const DEEPEST: usize = 64;

impl Cold<'_, '_> {
    /// Gathers the entries that are written of an instance, which stands so deep in others that it is flattened into.
    #[inline(never)]
    pub(super) fn gather_fields(&mut self, s: This<'_, Class>, depth: usize) -> Result<usize, Stop> {
        let owned = s.own();
        let s = owned.this();
        let class = s.shape();
        let base = self.gathered.len();
        if let Some((key, tag)) = &class.tag {
            self.gathered.push(key.clone(), tag.clone());
        }
        let policy = self.rules.policy;
        let omit = class.is(Flag::OmitDefaults) || policy.omit_defaults;
        let marked = class.more.is_some();
        for (i, f) in class.fields.iter().enumerate() {
            let marks = if marked { class.marks(i) } else { 0 };
            if marks & Mark::Exclude as u8 != 0 {
                continue;
            }
            let Some(v) = s.value(i) else { return Err(self.unset(s, i)) };
            if self.leaves_out(v.as_ref()) || omit && f.default.is(v.as_ref()) {
                continue;
            }
            if marks & Mark::Flatten as u8 != 0 {
                self.flatten(v.as_ref(), depth)?;
                continue;
            }
            self.gathered.push(if policy.by_name { f.name.clone() } else { f.key.clone() }, v);
        }
        let Some(more) = &class.more else { return Ok(base) };
        if let Some(computed) = more.computed.as_ref().as_any_dict().map(|d| d.hold()) {
            let mut place = 0;
            while let Some((name, key)) = computed.next_cold(&mut place) {
                let name = name.as_ref().own();
                let key = if policy.by_name { name.clone() } else { key.as_ref().own() };
                let found = s.as_ref().attr(&name);
                let v = self.raised(found)?;
                if !self.leaves_out(v.as_ref()) {
                    self.gathered.push(key, v);
                }
            }
        }
        let kept = class.kept_of(s);
        if let Some(kept) = self.raised(kept)? {
            self.gather_text_keys(kept.as_ref())?;
        }
        // Whatever holds any keys may hold those of fields.
        if depth == 0
            && (more.open || class.is(Flag::Keep))
            && let Some(at) = self.gathered.same_key(base)
        {
            let key = self.gathered.lossy(at).unwrap_or_default();
            return Err(self.stop(What::SameKey(key)));
        }
        Ok(base)
    }

    /// Whether a value is not written, whatever the field.
    fn leaves_out(&self, v: Ref<'_>) -> bool {
        v.is(self.env.unset.as_ref()) || self.rules.policy.omit_none && v.is_none()
    }

    /// Gathers what a field holds as entries of the instance that it is a field of.
    fn flatten(&mut self, v: Ref<'_>, depth: usize) -> Result<(), Stop> {
        match v.see() {
            Seen::None => Ok(()),
            Seen::Dict(_) => self.gather_text_keys(v),
            _ => match self.env.structs.this(v) {
                Some(_) if depth == DEEPEST => Err(self.too_deep()),
                Some(s) => self.gather_fields(s, depth + 1).map(drop),
                None => Err(self.stop(What::Unsupported(v.class_name()))),
            },
        }
    }

    /// Gathers the entries of a dict, whose keys must be text.
    fn gather_text_keys(&mut self, d: Ref<'_>) -> Result<(), Stop> {
        let Some(d) = d.as_any_dict().map(|d| d.hold()) else { return Ok(()) };
        let mut place = 0;
        while let Some((k, v)) = d.next_cold(&mut place) {
            if k.as_ref().as_str().is_none() {
                return Err(self.stop(What::KeyNotStr));
            }
            if !self.leaves_out(v.as_ref()) {
                let (k, v): (Own, Own) = (k.as_ref().own(), v.as_ref().own());
                self.gathered.push(k, v);
            }
        }
        Ok(())
    }
}
