//! Single values of a type, where neither one look at the plan says what becomes of them nor a format has an object for them.
//!
//! What may surprise: text that spells a moment or an identifier is read where it lies, and is a `str` only if that fails,
//! for then the user's hooks, or the words of the fault, need it. What else it may be is the judge's, once it is an object.

use super::judge::{BYTES, IN_PLACE, first, refused};
use super::typed::{Typed, Value};
use super::{Feed, Given};
use model::{Plan, takes};
use py::Own;
use wire::Kind;

impl<'r, F: Feed> Typed<'r, F> {
    /// An integer, if a short one stands here.
    #[inline(never)]
    pub(super) fn short_int(&mut self, plan: &Plan) -> Given<Option<Own>> {
        let Some(v) = self.build.feed.short_int() else { return Ok(None) };
        let o = py::int(v)?;
        if plan.plain & takes::INT != 0 { Ok(Some(o)) } else { self.judge.of(plan, takes::INT, o).map(Some) }
    }

    /// What is most likely no text, and no container.
    #[inline(never)]
    pub(super) fn other(&mut self, plan: &'r Plan, mut kind: Kind, h: F::Head) -> Given<Value<F>> {
        if F::CAPS.forms {
            match self.object(plan, kind)? {
                Ok(o) => return Ok(Value::Made(o)),
                Err(known) => kind = known,
            }
            if matches!(kind, Kind::Map | Kind::Array) && Self::opens(plan) {
                return Ok(Value::Begins(kind, h));
            }
        }
        if !F::CAPS.forms && plan.members.are_known() {
            match kind {
                Kind::Str => {
                    if let Some(m) = self.build.feed.stands_for(h, &plan.members)? {
                        return Ok(Value::Made(m));
                    }
                }
                Kind::Number => {
                    let o = self.build.scalar_cold(kind, h)?;
                    return Ok(Value::Made(match plan.members.get(o.as_ref()) {
                        Some(m) => m.clone(),
                        None => self.judge.scalar(plan, o)?,
                    }));
                }
                _ => {}
            }
        }
        let bit = match kind {
            Kind::Null if !F::CAPS.forms && plan.plain & takes::NONE != 0 => {
                self.build.feed.null(h)?;
                return Ok(Value::Made(py::none()));
            }
            Kind::Bool if !F::CAPS.forms && plan.plain & takes::BOOL != 0 => {
                return Ok(Value::Made(py::bool(self.build.feed.bool(h)?)));
            }
            Kind::Str => takes::STR,
            Kind::Bool => takes::BOOL,
            Kind::Bytes if F::CAPS.bytes => takes::BYTES,
            _ => 0,
        };
        Ok(Value::Made(if plan.exact & bit != 0 {
            let o = self.build.scalar_cold(kind, h)?;
            if !F::CAPS.forms && plan.plain & bit != 0 { o } else { self.judge.of(plan, bit, o)? }
        } else if kind == Kind::Number && plan.exact & (takes::INT | takes::FLOAT) != 0 {
            self.number(plan, h)?
        } else {
            self.leaf(plan, kind, h)?
        }))
    }

    /// A value that is no container, and not settled yet.
    #[inline(never)]
    pub(super) fn leaf(&mut self, plan: &'r Plan, kind: Kind, h: F::Head) -> Given<Own> {
        let t = plan.takes;
        if kind == Kind::Time
            && t & takes::DATETIME != 0
            && t & (takes::AMBIGUOUS | takes::ANY | takes::CUSTOM | takes::WHOLE) == 0
            && plan.checks.is_empty()
        {
            let o = self.build.scalar_cold(kind, h)?;
            // It may be made something else, or there is none such.
            let as_it_is = self.build.env.moments.is_datetime(o.as_ref());
            return if as_it_is { Ok(o) } else { self.judge.scalar(plan, o) };
        }
        if kind == Kind::Str && t & (takes::AMBIGUOUS | takes::ANY) == 0 {
            let t = t & !self.build.hooks.kept;
            let bit = match first(t & IN_PLACE) {
                0 if !F::CAPS.bytes && !F::CAPS.forms => first(t & BYTES),
                bit => bit,
            };
            if bit != 0
                && !self.judge.gives_way(plan, bit)
                && let Some(made) = self.build.feed.spelled(h, &self.judge, plan, bit)?
            {
                return Ok(made);
            }
        }
        self.other_leaf(plan, kind, h)
    }

    #[inline(never)]
    fn other_leaf(&mut self, plan: &'r Plan, kind: Kind, h: F::Head) -> Given<Own> {
        let t = plan.takes;
        if t & takes::ANY != 0 {
            let o = self.build.scalar_cold(kind, h)?;
            return if plan.checks.is_empty() { Ok(o) } else { self.judge.scalar(plan, o) };
        }
        if t & takes::WHOLE != 0
            && let Some(o) = self.taken_whole(plan, kind, h)?
        {
            return Ok(o);
        }
        let o = match kind {
            Kind::Number if F::CAPS.number_text && t & takes::DECIMAL != 0 => {
                match self.build.feed.float_text(h)? {
                    Ok(text) if t & takes::TRIES != 0 => self.build.env.decimal(text.as_ref())?,
                    Ok(text) if t & takes::FLOAT != 0 => {
                        self.build.env.help(c"number", &[text.as_ref()]).map_err(refused)?
                    }
                    Ok(o) | Err(o) => o,
                }
            }
            Kind::Ext if F::CAPS.ext && t & takes::EXT != 0 => {
                let (code, body) = self.build.feed.ext(h)?;
                let (code, body) = (py::int(code.into())?, py::bytes(body)?);
                py::call(self.build.env.spliced.ext().as_ref(), &[code.as_ref(), body.as_ref()])?
            }
            Kind::Str if !F::CAPS.forms && t & takes::VALUES_STR != 0 => self.shared(h)?,
            _ => self.build.scalar_cold(kind, h)?,
        };
        self.judge.scalar(plan, o)
    }
}
