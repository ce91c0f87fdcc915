//! Instances whose fields are not written just as they stand: some are left out, others stand in for several, and
//! what is computed or was kept comes after them.
//!
//! What may surprise: computing a field runs code of the user, which may do anything to the instance; so the instance
//! and each value that is given are owned.

use super::rules::Policy;
use super::walk::Cold;
use crate::env::Env;
use crate::fault::{Stop, What};
use model::{Class, Flag, Mark};
use py::{Own, Raised, Ref, Seen, This};

/// How many instances may be flattened into one another.
const DEEPEST: usize = 64;

impl From<Raised> for What {
    fn from(_: Raised) -> What {
        What::Raised
    }
}

impl Cold<'_, '_> {
    /// Gathers the entries that are written of an instance.
    #[inline(never)]
    pub(super) fn gather_fields(&mut self, s: This<'_, Class>) -> Result<usize, Stop> {
        let base = self.gathered.len();
        let gathered = &mut *self.gathered;
        match entries(self.env, self.rules.policy, s, &mut |key, v| gathered.push(key, v)) {
            Ok(()) => Ok(base),
            Err(what) => Err(self.stop(what)),
        }
    }
}

/// Gives the entries that are written of an instance, its tag first.
#[inline(never)]
pub(super) fn entries(
    env: &Env,
    policy: Policy,
    s: This<'_, Class>,
    put: &mut dyn FnMut(Own, Own),
) -> Result<(), What> {
    let class = s.shape();
    let mut giving = Giving { env, policy, put, met: None };
    // What holds any keys may hold those of fields.
    if class.is_either(Flag::Keep, Flag::Open) {
        giving.met = Some(py::new_dict()?);
    }
    giving.all_of(s, 0)
}

struct Giving<'a> {
    env: &'a Env,
    policy: Policy,
    put: &'a mut dyn FnMut(Own, Own),
    /// The keys so far, if two may be the same.
    met: Option<Own>,
}

impl Giving<'_> {
    fn give(&mut self, key: Own, v: Own) -> Result<(), What> {
        if let Some(met) = &self.met {
            if py::dict_find(met.as_ref(), key.as_ref())?.is_some() {
                return Err(What::SameKey(key.as_ref().as_any_str().map(|s| s.lossy()).unwrap_or_default()));
            }
            py::dict_put(met, key.as_ref(), key.as_ref())?;
        }
        (self.put)(key, v);
        Ok(())
    }

    /// Whether a value is not written, whatever the field.
    fn leaves_out(&self, v: Ref<'_>) -> bool {
        v.is(self.env.unset.as_ref()) || self.policy.omit_none && v.is_none()
    }

    /// Gives the entries of an instance that stands so deep in others that it is flattened into.
    fn all_of(&mut self, s: This<'_, Class>, depth: usize) -> Result<(), What> {
        let owned = s.own();
        let s = owned.this();
        let class = s.shape();
        if let Some((key, tag)) = &class.tag {
            self.give(key.clone(), tag.clone())?;
        }
        let by_name = self.policy.by_name;
        let omit = class.is(Flag::OmitDefaults) || self.policy.omit_defaults;
        let marked = class.more.is_some();
        for (i, f) in class.fields.iter().enumerate() {
            let marks = if marked { class.marks(i) } else { 0 };
            if marks & Mark::Exclude as u8 != 0 {
                continue;
            }
            let Some(v) = s.value(i) else { return Err(model::unset(f.name.as_ref()).into()) };
            if self.leaves_out(v.as_ref()) || omit && f.default.is(v.as_ref()) {
                continue;
            }
            if marks & Mark::Flatten as u8 != 0 {
                self.flatten(v.as_ref(), depth)?;
                continue;
            }
            self.give(if by_name { f.name.clone() } else { f.key.clone() }, v)?;
        }
        let Some(more) = &class.more else { return Ok(()) };
        let computed = more.computed();
        if let Some(computed) = computed.as_ref().as_any_dict().map(|d| d.hold()) {
            let mut place = 0;
            while let Some((name, key)) = computed.next_cold(&mut place) {
                let name = name.as_ref().own();
                let key = if by_name { name.clone() } else { key.as_ref().own() };
                let v = s.as_ref().attr(&name)?;
                if !self.leaves_out(v.as_ref()) {
                    self.give(key, v)?;
                }
            }
        }
        match class.kept_of(s)? {
            Some(kept) => self.items(kept.as_ref()),
            None => Ok(()),
        }
    }

    /// Gives what a field holds as entries of the instance that it is a field of.
    fn flatten(&mut self, v: Ref<'_>, depth: usize) -> Result<(), What> {
        match v.see_cold() {
            Seen::None => Ok(()),
            Seen::Dict(_) => self.items(v),
            _ => match self.env.structs.this(v) {
                Some(_) if depth == DEEPEST => Err(What::Depth(DEEPEST)),
                Some(s) => self.all_of(s, depth + 1),
                None => Err(What::Unsupported(v.class_name())),
            },
        }
    }

    /// Gives the entries of a dict, whose keys must be text.
    fn items(&mut self, d: Ref<'_>) -> Result<(), What> {
        let Some(d) = d.as_any_dict().map(|d| d.hold()) else { return Ok(()) };
        let mut place = 0;
        while let Some((k, v)) = d.next_cold(&mut place) {
            if k.as_ref().as_str().is_none() {
                return Err(What::KeyNotStr);
            }
            let (k, v) = (k.as_ref().own(), v.as_ref().own());
            if !self.leaves_out(v.as_ref()) {
                self.give(k, v)?;
            }
        }
        Ok(())
    }
}
