//! Objects that are no plain container or scalar, taken apart: by what is known of their class, or as the helper says.

use alloc::vec::Vec;

use py::{Exact, Int, MomentKind, Own, Ref};

use crate::out::{Go, MAX_SORTS, Open, Plan, Sort, Stop, Walk};

impl Walk<'_> {
    /// What a class is, remembered.
    fn sort(&mut self, o: Ref<'_>) -> Go<Sort> {
        let class = o.class();
        let known = self.room.sorts.iter().find(|(c, _)| c.as_ref().is(class.as_ref()));
        if let Some(&(_, sort)) = known {
            return Ok(sort);
        }
        let class = class.as_ref().own();
        let sort = if let Some(exact) = o.class().exact() {
            Sort::Exact(exact)
        } else if let Some(kind) =
            self.known.moments.kind(o.class()).filter(|_| self.known.moments.is_exact(o.class()))
        {
            Sort::Moment(kind)
        } else {
            self.plan(class.as_ref())?
        };
        if self.room.sorts.len() < MAX_SORTS {
            self.room.sorts.push((class, sort));
        } else if let Sort::Plan(_) = sort {
            return Ok(Sort::Asked);
        }
        Ok(sort)
    }

    /// Asks the helper how objects of a class are taken apart.
    #[cold]
    fn plan(&mut self, class: Ref<'_>) -> Go<Sort> {
        let said = py::call1(self.codec.plan.as_ref(), class)?;
        let Some(said) = said.as_ref().as_any_tuple().map(|t| t.hold()) else { return Ok(Sort::Asked) };
        let (Some(definition), Some(names)) = (said.get(0), said.get(1)) else { return Ok(Sort::Asked) };
        let attributes = names.as_any_tuple().map(|names| {
            let names = names.hold();
            (0..names.len()).filter_map(|i| names.get(i).map(Ref::own)).collect()
        });
        self.room.plans.push(Plan { definition: definition.own(), attributes });
        Ok(Sort::Plan(self.room.plans.len() - 1))
    }

    /// Writes an object of a class that is not among the most frequent.
    #[inline(never)]
    pub(crate) fn other(&mut self, o: Ref<'_>, own: bool) -> Go {
        if o.is(py::not_implemented().as_ref()) {
            return Ok(self.w.not_implemented()?);
        }
        if o.is(py::ellipsis().as_ref()) {
            return Ok(self.w.ellipsis()?);
        }
        if self.known.moments.is_utc(o) {
            return Ok(self.w.utc()?);
        }
        // From here on code of a user may run.
        let (unshared, held) = (o.is_unshared(), o.own());
        let o = held.as_ref();
        let sort = self.sort(o)?;
        if let Sort::Exact(Exact::Complex) = sort {
            let (re, im) = o.complex_parts();
            return Ok(self.w.complex(re, im)?);
        }
        if own && self.codec.memoize && !unshared && self.look_up(o)? {
            return Ok(());
        }
        match sort {
            Sort::Exact(exact) => self.exact(o, exact),
            Sort::Moment(kind) => self.moment(o, kind),
            Sort::Plan(plan) => self.planned(o, plan),
            Sort::Asked => self.asked(o),
        }
    }

    fn exact(&mut self, o: Ref<'_>, exact: Exact) -> Go {
        match exact {
            Exact::Bytes => self.w.bytes(o.as_bytes().unwrap_or_default())?,
            Exact::Set | Exact::FrozenSet => {
                let n = py::set_len(o);
                let members = py::list_of(o)?;
                let mut parts = Vec::with_capacity(n);
                if let Some(list) = members.as_ref().as_any_list().map(|l| l.hold()) {
                    parts.extend((0..list.len()).filter_map(|i| list.get(i).map(|o| o.as_ref().own())));
                }
                self.w.set(exact == Exact::FrozenSet, parts.len())?;
                return self.parts(parts, true);
            }
            _ => self.w.bytearray(&o.copy_bytes()?)?,
        }
        Ok(())
    }

    fn parts(&mut self, parts: Vec<Own>, own: bool) -> Go {
        let n = parts.len();
        self.open(Open::Parts(parts, own), n)
    }

    fn moment(&mut self, o: Ref<'_>, kind: MomentKind) -> Go {
        let own = o.own();
        if kind == MomentKind::Delta {
            let (days, seconds, micros) = self.known.moments.delta_parts(&own)?;
            let span = native::Span { days, seconds: seconds as u32, micros: micros as u32 };
            return Ok(self.w.timedelta(span)?);
        }
        let (date, time, fold, zone) = self.known.moments.whole(&own, kind)?;
        let day = date.map(native::pack_day);
        let time = time.map(|t| native::pack_time(t, fold));
        match (day, time) {
            (Some(day), Some(time)) => self.w.datetime(day, time, zone.is_some())?,
            (Some(day), None) => self.w.date(day)?,
            (None, time) => self.w.time(time.unwrap_or_default(), zone.is_some())?,
        }
        match zone {
            Some(zone) => self.parts(alloc::vec![zone], true),
            None => Ok(()),
        }
    }

    /// Writes an object by the plan of its class.
    fn planned(&mut self, o: Ref<'_>, plan: usize) -> Go {
        let Some(plan) = self.room.plans.get(plan) else { return self.asked(o) };
        let definition = plan.definition.clone();
        let mut parts = Vec::new();
        match &plan.attributes {
            None => {
                let Some(s) = self.known.structs.this(o) else { return self.asked(o) };
                for i in 0..s.shape().fields.len() {
                    match s.value(i) {
                        Some(v) => parts.push(v),
                        None => return self.asked(o),
                    }
                }
            }
            Some(names) => {
                parts.reserve(names.len());
                // Where they stand in the instance, in the order in which they are wanted, nobody needs to be asked.
                if let Some(held) = o.attributes().filter(|held| held.len() == names.len()) {
                    let wanted =
                        held.zip(names).map_while(|((k, v), name)| k.is(name.as_ref()).then(|| v.own()));
                    parts.extend(wanted);
                }
                if parts.len() != names.len() {
                    parts.clear();
                    for name in names {
                        parts.push(o.attr(name)?);
                    }
                }
            }
        }
        self.define_type(&definition)?;
        self.parts(parts, true)
    }

    /// Writes what the helper says that an object consists of.
    #[inline(never)]
    fn asked(&mut self, o: Ref<'_>) -> Go {
        let said = py::call1(self.codec.describe.as_ref(), o)?;
        let Some(said) = said.as_ref().as_any_tuple().map(|t| t.hold()) else { return Err(Stop::Raised) };
        let (Some(what), Some(body)) = (said.get(0), said.get(1)) else { return Err(Stop::Raised) };
        if let Some(code) = what.as_int().and_then(|v| v.short()) {
            return match u8::try_from(code) {
                Ok(0x13)
                    if body.is_bytes()
                        && body.as_bytes().is_some_and(|b| b.len() == 16)
                        && said.len() == 3 =>
                {
                    let id = body.as_bytes().and_then(|b| b.first_chunk().copied()).unwrap_or_default();
                    Ok(self.w.uuid(id)?)
                }
                Ok(code) => {
                    self.w.ext(code)?;
                    self.parts(alloc::vec![body.own()], false)
                }
                Err(_) => Err(Stop::Raised),
            };
        }
        self.define_type(&what.own())?;
        let parts = body.as_any_list().map(|l| l.hold());
        let parts = parts.map(|l| (0..l.len()).filter_map(|i| l.get(i).map(|o| o.as_ref().own())).collect());
        self.parts(parts.unwrap_or_default(), true)
    }

    /// Begins an object: names its type, or defines it.
    fn define_type(&mut self, definition: &Own) -> Go {
        // The last is the likeliest.
        let known = self.room.types.iter().rposition(|one| one.as_ref().is(definition.as_ref()));
        if let Some(number) = known {
            return Ok(self.w.record(number)?);
        }
        let Some(d) = definition.as_ref().as_any_tuple().map(|t| t.hold()) else { return Err(Stop::Raised) };
        let int = |i| match d.get(i).and_then(|o: Ref<'_>| o.as_int()).map(|v| v.get_cold()) {
            Some(Int::I64(v)) => usize::try_from(v).unwrap_or_default(),
            _ => 0,
        };
        let fields = d.get(3).and_then(Ref::as_any_tuple).map(|t| t.hold());
        let n = fields.as_ref().map_or(0, |f| f.len());
        self.w.type_head(int(0) as u8)?;
        match d.get(1) {
            Some(name) => self.value(name, true)?,
            None => return Err(Stop::Raised),
        }
        self.w.version(int(2), n)?;
        for i in 0..n {
            if let Some(field) = fields.as_ref().and_then(|f| f.get(i)) {
                self.value(field, true)?;
            }
        }
        self.room.types.push(definition.clone());
        Ok(())
    }
}
