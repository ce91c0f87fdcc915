//! Objects that are no plain container or scalar, taken apart: by what is known of their class, or as the helper says.

use py::{Own, Ref};

use crate::calls;
use crate::out::{Go, Open, Stop, Walk};

/// As many classes are remembered from call to call.
const MAX_SORTS: usize = 256;
/// As many types may be defined in a message.
const MAX_TYPES: usize = 4096;
/// What a type definition begins with.
const TYPE: u8 = 0x0a;

impl Walk<'_> {
    /// What the helper says of all instances of a class, remembered: the bytes of a type definition and the names of the
    /// attributes (none for a class of ours, whose fields are in order), or whether they are atoms.
    fn sort(&mut self, o: Ref<'_>) -> Go<Own> {
        let class = o.class();
        let known = self.room.sorts.iter().find(|(c, _)| c.as_ref().is(class.as_ref()));
        if let Some((_, said)) = known {
            return Ok(said.clone());
        }
        let class = class.as_ref().own();
        let said = self.codec.ask(calls::PLAN, &[class.as_ref()])?;
        if self.room.sorts.len() < MAX_SORTS {
            self.room.sorts.push((class, said.clone()));
        }
        Ok(said)
    }

    /// Writes an object of a class that is not among the most frequent.
    #[inline(never)]
    pub(crate) fn other(&mut self, o: Ref<'_>, own: bool) -> Go {
        if o.is(self.known.moments.utc().as_ref()) {
            return Ok(self.w.utc()?);
        }
        if self.taken.is_some()
            && let Some((n, writable)) = o.as_pickle_buffer()
        {
            return self.beside(o, own, n, writable);
        }
        // From here on code of a user may run.
        let (unshared, held) = (o.is_unshared(), o.own());
        let o = held.as_ref();
        let bytes = o.is_bytes();
        let sort = if bytes { py::none() } else { self.sort(o)? };
        let plan = sort.as_ref().as_any_tuple().map(|t| t.hold());
        let atom = plan.is_none() && !sort.as_ref().is_none();
        if own && self.codec.memoize && !unshared && !atom && self.look_up(o)? {
            return Ok(());
        }
        if bytes {
            return Ok(self.w.bytes(o.as_bytes().unwrap_or_default())?);
        }
        let Some(plan) = plan else { return self.asked(o) };
        let Some(definition) = plan.get(0) else { return self.asked(o) };
        let (open, n) = match plan.get(1).and_then(|o| o.as_any_tuple()).map(|t| t.hold()) {
            Some(names) => {
                // What that means, the helper says. A third item of the plan is for classes where it means nothing.
                if plan.len() == 2 && o.has_others(&names) {
                    return self.asked(o);
                }
                let n = names.len();
                (Open::Object(held, names), n)
            }
            None => match self.known.structs.this(o) {
                Some(s) => (Open::Struct(s.own()), s.shape().fields.len()),
                None => return self.asked(o),
            },
        };
        self.begin(definition)?;
        if let Open::Struct(s) = &open {
            let class = s.this().as_ref().class().as_ref();
            let number = self.room.types.iter().rposition(|one| one.as_ref().is(definition));
            if let Some(number) = number.filter(|_| self.room.sorts.iter().any(|(c, _)| c.as_ref().is(class)))
            {
                self.room.last = (class.address(), number);
            }
        }
        self.open(open, n, true)
    }

    /// Writes where a buffer stands beside the message.
    #[inline(never)]
    fn beside(&mut self, o: Ref<'_>, own: bool, n: usize, writable: bool) -> Go {
        if own && self.codec.memoize && !o.is_unshared() && self.look_up(o)? {
            return Ok(());
        }
        let Some(taken) = &mut self.taken else { return Ok(()) };
        let index = taken.len();
        taken.push(o.own());
        Ok(self.w.outside(index, n, writable)?)
    }

    /// Writes an object of the class of ours of which one was written last.
    #[inline(never)]
    pub(crate) fn another(&mut self, o: Ref<'_>, own: bool) -> Go {
        if own && self.codec.memoize && !o.is_unshared() && self.look_up(o)? {
            return Ok(());
        }
        let Some(s) = self.known.structs.this(o) else { return Err(Stop::Object) };
        self.w.record(self.room.last.1)?;
        self.open(Open::Struct(s.own()), s.shape().fields.len(), true)
    }

    /// Writes what the helper says that an object begins with, and opens what follows.
    #[inline(never)]
    pub(crate) fn asked(&mut self, o: Ref<'_>) -> Go {
        let held = o.own();
        let said = self.codec.ask(calls::DESCRIBE, &[held.as_ref()])?;
        let Some(said) = said.as_ref().as_any_tuple().map(|t| t.hold()) else { return Err(Stop::Raised) };
        let Some(prefix) = said.get(0) else { return Err(Stop::Raised) };
        self.begin(prefix)?;
        if let Some(bytes) = said.get(1).and_then(Ref::as_bytes) {
            return Ok(self.w.raw(bytes)?);
        }
        match said.get(1).and_then(Ref::as_any_list).map(|l| l.row().hold()) {
            Some(parts) => {
                let n = parts.len();
                self.open(Open::Row(parts), n, said.len() == 2)
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
            // Readers take no more.
            if self.room.types.len() == MAX_TYPES {
                return Err(Stop::Types);
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
