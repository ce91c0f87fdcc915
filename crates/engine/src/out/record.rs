//! Classes with fields: which, and their values.
//!
//! The policy: fields as the class declares them, in that order; class variables and init-only
//! arguments are none. A name that begins with an underscore is private and left out, as is what
//! an instance holds beside its fields. A field that an instance lacks is an error, the one that
//! asking for it raises: leaving it out would lose it silently.

use alloc::vec::Vec;

use super::entries::{Entries, Key};
use crate::env::Env;
use py::{Own, Ref, Result, StrRef, Type};

/// How the fields of a class are found.
pub(crate) struct Record {
    /// The names, interned.
    fields: Vec<Own>,
    /// The class itself, and not a base, was declared to have fields.
    pub(crate) own: bool,
    /// Not all fields stand in the `__dict__` of an instance: the class has slots, or a base has some.
    pub(crate) slots: bool,
}

impl Record {
    /// The fields of a dataclass.
    pub(crate) fn of_dataclass(class: Type<'_>) -> Result<Record> {
        let all = class.as_ref().attr_named(c"__dataclass_fields__")?;
        let kind = py::import(c"dataclasses")?.as_ref().attr_named(c"_FIELD")?;
        let mut fields = Vec::new();
        // A copy, so that nothing can change it meanwhile.
        let all = py::dict_from(all.as_ref())?;
        if let Some(all) = all.as_ref().as_any_dict() {
            let all = all.hold();
            let mut place = 0;
            let mut found = Vec::new();
            while let Some((name, field)) = all.next(&mut place) {
                found.push((name.as_ref().own(), field.as_ref().own()));
            }
            for (name, field) in found {
                if field.as_ref().attr_named(c"_field_type")?.as_ref().is(kind.as_ref()) {
                    push(&mut fields, name.as_ref())?;
                }
            }
        }
        Ok(Record::new(class, fields, class.defines(c"__dataclass_fields__")))
    }

    /// The fields of an attrs class.
    pub(crate) fn of_attrs(class: Type<'_>) -> Result<Record> {
        let all = class.as_ref().attr_named(c"__attrs_attrs__")?;
        let mut fields = Vec::new();
        let all = py::list_of(all.as_ref())?;
        if let Some(all) = all.as_ref().as_any_list() {
            let all = all.hold();
            let mut i = 0;
            while let Some(field) = all.get(i) {
                let name = field.as_ref().attr_named(c"name")?;
                push(&mut fields, name.as_ref())?;
                i += 1;
            }
        }
        Ok(Record::new(class, fields, class.defines(c"__attrs_attrs__")))
    }

    fn new(class: Type<'_>, fields: Vec<Own>, own: bool) -> Record {
        let mut slots = class.defines(c"__slots__");
        class.mro(|t| slots |= t.has_slots());
        Record { fields, own, slots }
    }

    /// The values of an instance's fields.
    pub(crate) fn entries(&self, o: &Own) -> Result<Entries> {
        let mut items = Vec::with_capacity(self.fields.len());
        for name in &self.fields {
            items.push((Key::Str(name.clone()), o.as_ref().attr(name)?));
        }
        Ok(Entries::new(items))
    }
}

/// What an instance holds in its `__dict__`, private names left out; nothing if it has none.
pub(crate) fn dict_entries(env: &Env, o: &Own) -> Result<Option<Entries>> {
    let Some(d) = o.as_ref().attr_or_none(&env.names.dict)? else { return Ok(None) };
    let Some(d) = d.as_ref().as_any_dict() else { return Ok(None) };
    let d = d.hold();
    let (mut place, mut items) = (0, Vec::with_capacity(d.len()));
    while let Some((k, v)) = d.next(&mut place) {
        if !k.as_ref().as_any_str().is_some_and(is_private) {
            items.push((Key::Str(k.as_ref().own()), v.as_ref().own()));
        }
    }
    Ok(Some(Entries::new(items)))
}

fn push(fields: &mut Vec<Own>, name: Ref<'_>) -> Result<()> {
    if let Some(s) = name.as_any_str()
        && !is_private(s)
    {
        fields.push(py::intern(&s.lossy())?);
    }
    Ok(())
}

fn is_private(name: StrRef<'_>) -> bool {
    match name.ascii() {
        Some(s) => s.starts_with(b"_"),
        None => name.lossy().starts_with('_'),
    }
}
