//! Objects that are no plain container or scalar, taken apart: by what is known of their class, or as the helper says.

use py::{Held, Own, Ref, TupleKind};

use crate::calls;
use crate::out::{Go, Open, Stop, Walk};

/// As many classes are remembered from call to call.
const MAX_SORTS: usize = 256;
/// What a type definition begins with.
const TYPE: u8 = 0x0a;

/// What instances of a class are.
#[derive(Clone, Copy)]
pub(crate) enum Sort {
    /// By the plan of that number.
    Plan(usize),
    /// Whatever the helper says of each.
    Asked,
    /// The same, and they are never referred to.
    Atom,
}

/// How objects of a class are taken apart.
pub(crate) struct Plan {
    /// The bytes of the type definition.
    definition: Own,
    /// The names of the attributes. None for an instance of a class of ours, whose fields are in order.
    pub(crate) attributes: Option<Held<TupleKind>>,
}

impl Walk<'_> {
    /// What a class is, remembered.
    fn sort(&mut self, o: Ref<'_>) -> Go<Sort> {
        let class = o.class();
        let known = self.room.sorts.iter().find(|(c, _)| c.as_ref().is(class.as_ref()));
        if let Some(&(_, sort)) = known {
            return Ok(sort);
        }
        if self.room.sorts.len() >= MAX_SORTS {
            return Ok(Sort::Asked);
        }
        let class = class.as_ref().own();
        let said = self.codec.ask(calls::PLAN, &[class.as_ref()])?;
        let sort = match said.as_ref().as_any_tuple().map(|t| t.hold()) {
            Some(t) => {
                let (Some(definition), Some(names)) = (t.get(0), t.get(1)) else { return Err(Stop::Raised) };
                let attributes = names.as_any_tuple().map(|names| names.hold());
                self.room.plans.push(Plan { definition: definition.own(), attributes });
                Sort::Plan(self.room.plans.len() - 1)
            }
            None if said.as_ref().is_none() => Sort::Asked,
            None => Sort::Atom,
        };
        self.room.sorts.push((class, sort));
        Ok(sort)
    }

    /// Writes an object of a class that is not among the most frequent.
    #[inline(never)]
    pub(crate) fn other(&mut self, o: Ref<'_>, own: bool) -> Go {
        if o.is(self.known.utc.as_ref()) {
            return Ok(self.w.utc()?);
        }
        // From here on code of a user may run.
        let (unshared, held) = (o.is_unshared(), o.own());
        let o = held.as_ref();
        let bytes = o.is_bytes();
        let sort = if bytes { Sort::Asked } else { self.sort(o)? };
        let may_return = own && self.codec.memoize && !unshared && !matches!(sort, Sort::Atom);
        if may_return && self.look_up(o)? {
            return Ok(());
        }
        if bytes {
            return Ok(self.w.bytes(o.as_bytes().unwrap_or_default())?);
        }
        let Sort::Plan(number) = sort else { return self.asked(o) };
        let Some(plan) = self.room.plans.get(number) else { return self.asked(o) };
        let definition = plan.definition.clone();
        if let Some(names) = &plan.attributes {
            let n = names.len();
            self.begin(definition.as_ref())?;
            return self.open(Open::Object(held, number), n, true);
        }
        let Some(n) = self.known.structs.this(o).map(|s| s.shape().fields.len()) else {
            return self.asked(o);
        };
        self.begin(definition.as_ref())?;
        self.open(Open::Struct(held), n, true)
    }

    /// Writes what the helper says that an object begins with, and opens what follows.
    #[inline(never)]
    pub(crate) fn asked(&mut self, o: Ref<'_>) -> Go {
        let held = o.own();
        let said = self.codec.ask(calls::DESCRIBE, &[held.as_ref()])?;
        let Some(said) = said.as_ref().as_any_tuple().map(|t| t.hold()) else { return Err(Stop::Raised) };
        let Some(prefix) = said.get(0) else { return Err(Stop::Raised) };
        self.begin(prefix)?;
        match said.get(1).and_then(Ref::as_any_list).map(|l| l.hold()) {
            Some(parts) => {
                let n = parts.len();
                self.open(Open::List(parts), n, said.len() == 2)
            }
            None => Ok(()),
        }
    }

    /// Writes what an object begins with; if that defines a type that was defined, its number.
    fn begin(&mut self, prefix: Ref<'_>) -> Go {
        let bytes = prefix.as_bytes().unwrap_or_default();
        if bytes.first() == Some(&TYPE) {
            // The last is the likeliest.
            if let Some(number) = self.room.types.iter().rposition(|one| one.as_ref().is(prefix)) {
                return Ok(self.w.record(number)?);
            }
            self.room.types.push(prefix.own());
        }
        Ok(self.w.raw(bytes)?)
    }

    /// What is raised for an instance that lacks a field.
    #[cold]
    #[inline(never)]
    pub(crate) fn lacks(&mut self, o: Ref<'_>) -> Go {
        self.codec.ask(calls::DESCRIBE, &[o])?;
        Err(Stop::Object)
    }
}
