//! Classes with fields: which, and their values.
//!
//! The policy: fields as the class declares them, in that order; class variables and init-only
//! arguments are none. What an instance holds beside its fields is left out. A field that an instance lacks
//! is an error, the one that asking for it raises: leaving it out would lose it silently. Some compatible
//! faces leave out private fields, whose names begin with an underscore.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ffi::CStr;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use super::entries::Gathered;
use crate::env::Env;
use py::{Attributes, DictKind, Held, Own, Ref, Result, StrRef, Type};

/// How the fields of a class are found.
pub(crate) struct Record {
    /// The names, interned.
    fields: Vec<Own>,
    /// The class itself, and not a base, was declared to have fields.
    pub(crate) own: bool,
    /// Not all fields stand in the `__dict__` of an instance: the class has slots, or a base has some.
    pub(crate) slots: bool,
    /// Of a model: the classes of all models that its fields may hold, and whether it keeps other fields.
    pub(crate) models: Vec<Own>,
    pub(crate) extra: bool,
    /// Those that are not private.
    public: Vec<Own>,
    /// The state of the class in which it was last looked at, and what was seen.
    state: AtomicU32,
    plain: AtomicBool,
}

/// An instance whose fields are written one after the other, each looked for when it is its turn.
pub(crate) struct Object {
    record: Arc<Record>,
    o: Own,
    public: bool,
    /// Where the map begins in what is written, and where its first entry: known when it is begun.
    pub(super) begins: usize,
    pub(super) entries: usize,
}

impl Object {
    /// The fields of an instance, or those that are not private.
    pub(crate) fn new(record: Arc<Record>, o: Own, public: bool) -> Object {
        Object { record, o, public, begins: 0, entries: 0 }
    }

    /// The instance.
    pub(super) fn instance(&self) -> Ref<'_> {
        self.o.as_ref()
    }

    fn names(&self) -> &[Own] {
        self.record.names(self.public)
    }

    /// How many fields there are.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.names().len()
    }

    /// The name of a field.
    #[inline(always)]
    pub(super) fn name(&self, i: usize) -> Option<Ref<'_>> {
        Some(self.names().get(i)?.as_ref())
    }

    /// The value of a field.
    #[inline(always)]
    pub(super) fn value(&self, name: Ref<'_>, i: usize) -> Result<Own> {
        self.record.value(self.o.as_ref(), name, i)
    }
}

impl Record {
    /// The fields of a dataclass.
    pub(crate) fn of_dataclass(class: Type<'_>) -> Result<Option<Arc<Record>>> {
        Record::told(class, c"dataclass", c"__dataclass_fields__")
    }

    /// The fields of an attrs class.
    pub(crate) fn of_attrs(class: Type<'_>) -> Result<Option<Arc<Record>>> {
        Record::told(class, c"attrs", c"__attrs_attrs__")
    }

    /// The fields of a model, if its instances are written as what they hold.
    pub(crate) fn of_model(class: Type<'_>) -> Result<Option<Arc<Record>>> {
        Record::told(class, c"plan", c"model_dump")
    }

    /// The fields as Python finds them, once for each class (`oxwire._models`).
    #[inline(never)]
    fn told(class: Type<'_>, how: &CStr, mark: &CStr) -> Result<Option<Arc<Record>>> {
        let plan =
            py::import(c"oxwire._models").and_then(|m| py::call_method1(m.as_ref(), how, class.as_ref()))?;
        let Some(plan) = plan.as_ref().as_any_tuple().map(|t| t.hold()) else { return Ok(None) };
        let (mut fields, mut models) = (Vec::new(), Vec::new());
        for (i, into) in [&mut fields, &mut models].into_iter().enumerate() {
            let Some(list) = plan.get(i).and_then(|l| l.as_any_list()).map(|l| l.hold()) else {
                return Ok(None);
            };
            let mut i = 0;
            while let Some(item) = list.get(i) {
                into.push(item.as_ref().own());
                i += 1;
            }
        }
        let extra = plan.get(2).is_some_and(|e| matches!(e.see_cold(), py::Seen::Bool(true)));
        let mut slots = class.defines(c"__slots__");
        class.mro(&mut |t| slots |= t.has_slots());
        let mut public = Vec::new();
        for f in &fields {
            if !f.as_ref().as_any_str().is_some_and(is_private) {
                public.push(f.clone());
            }
        }
        let (state, plain) = (AtomicU32::new(0), AtomicBool::new(false));
        let own = class.defines(mark);
        Ok(Some(Arc::new(Record { fields, own, slots, models, extra, public, state, plain })))
    }

    /// What an instance of a model holds, if that is just its fields, in order.
    pub(crate) fn of_model_instance(&self, env: &Env, o: &Own) -> Result<Option<Held<DictKind>>> {
        let Some(d) = o.as_ref().attr_or_none(&env.names.dict)? else { return Ok(None) };
        let Some(d) = d.as_ref().as_any_dict().map(|d| d.hold()) else { return Ok(None) };
        let mut place = 0;
        for f in &self.fields {
            if !d.next(&mut place).is_some_and(|(k, _)| f.as_ref().is(k.as_ref())) {
                return Ok(None);
            }
        }
        Ok((d.len() == self.fields.len()).then_some(d))
    }

    /// Gathers that, and the other fields that a model keeps.
    pub(crate) fn gather_model(&self, o: &Own, d: &Held<DictKind>, all: &mut Gathered) -> Result<()> {
        let mut place = 0;
        while let Some((k, v)) = d.next_cold(&mut place) {
            all.push(k.as_ref().own(), v.as_ref().own());
        }
        if self.extra { gather_extra(o, all) } else { Ok(()) }
    }

    /// The value of a field, which stands at that place if the instance holds all of them itself, in their order.
    #[inline(never)]
    fn value(&self, o: Ref<'_>, name: Ref<'_>, i: usize) -> Result<Own> {
        match self.attributes(o).and_then(|attributes| attributes.at(i)) {
            Some((found, value)) if found.is(name) => Ok(value.own()),
            _ => o.attr(&name.own()),
        }
    }

    /// The attributes that an instance holds itself, if asking it for them would give these.
    #[inline(always)]
    fn attributes<'o>(&self, o: Ref<'o>) -> Option<Attributes<'o>> {
        let attributes = o.attributes()?;
        let state = o.class().state();
        if state != self.state.load(Relaxed) {
            self.look(o.class(), state);
        }
        self.plain.load(Relaxed).then_some(attributes)
    }

    #[cold]
    #[inline(never)]
    fn look(&self, class: Type<'_>, state: u32) {
        // A class that has no state yet is given one as soon as it is asked for anything.
        self.plain.store(state != 0 && class.reads_plainly(&self.fields), Relaxed);
        self.state.store(state, Relaxed);
    }

    /// As [`Record::gather`], but all that the `__dict__` of an instance holds, private names left
    /// out; false if it has none.
    pub(crate) fn gather_dict(&self, env: &Env, o: &Own, all: &mut Gathered) -> Result<bool> {
        if let Some(attributes) = self.attributes(o.as_ref()) {
            all.reserve(attributes.len());
            for (name, value) in attributes {
                if !name.as_any_str().is_some_and(is_private) {
                    all.push(name.own(), value.own());
                }
            }
            return Ok(true);
        }
        gather_dict(env, o, all)
    }

    /// The names of the fields, or of those that are not private.
    pub(super) fn names(&self, public: bool) -> &[Own] {
        if public { &self.public } else { &self.fields }
    }

    /// Gathers the values of an instance's fields, or of those that are not private; those that are UNSET are left out.
    pub(crate) fn gather(&self, env: &Env, o: &Own, public: bool, all: &mut Gathered) -> Result<()> {
        let fields = self.names(public);
        all.reserve(fields.len());
        for (i, name) in fields.iter().enumerate() {
            let v = self.value(o.as_ref(), name.as_ref(), i)?;
            if !v.as_ref().is(env.unset.as_ref()) {
                all.push(name.clone(), v);
            }
        }
        Ok(())
    }
}

/// Gathers what an instance holds in its `__dict__`, private names left out; false if it has none.
fn gather_dict(env: &Env, o: &Own, all: &mut Gathered) -> Result<bool> {
    let Some(d) = o.as_ref().attr_or_none(&env.names.dict)? else { return Ok(false) };
    let Some(d) = d.as_ref().as_any_dict() else { return Ok(false) };
    let d = d.hold();
    let mut place = 0;
    all.reserve(d.len());
    while let Some((k, v)) = d.next(&mut place) {
        if !k.as_ref().as_any_str().is_some_and(is_private) {
            all.push(k.as_ref().own(), v.as_ref().own());
        }
    }
    Ok(true)
}

/// Gathers what an instance of a model holds, private names left out, and the fields that it keeps
/// although the model has none of that name.
pub(crate) fn gather_held(env: &Env, o: &Own, all: &mut Gathered) -> Result<()> {
    gather_dict(env, o, all)?;
    gather_extra(o, all)
}

fn gather_extra(o: &Own, all: &mut Gathered) -> Result<()> {
    let extra = py::intern("__pydantic_extra__")?;
    let Some(extra) = o.as_ref().attr_or_none(&extra)? else { return Ok(()) };
    let Some(extra) = extra.as_ref().as_any_dict().map(|d| d.hold()) else { return Ok(()) };
    let mut place = 0;
    while let Some((k, v)) = extra.next_cold(&mut place) {
        if !k.as_ref().as_any_str().is_some_and(is_private) {
            all.push(k.as_ref().own(), v.as_ref().own());
        }
    }
    Ok(())
}

fn is_private(name: StrRef<'_>) -> bool {
    match name.ascii() {
        Some(s) => s.starts_with(b"_"),
        None => name.lossy().starts_with('_'),
    }
}
