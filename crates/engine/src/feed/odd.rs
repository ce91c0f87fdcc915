//! What is seldom met while objects are built: keys that are no text, moments, application types,
//! and containers that do not become what they usually do.
//!
//! What may surprise: whatever calls user code here works with values that the stack no longer
//! has, or has still whole; a hook that comes back in reads with another stack.

use alloc::vec::Vec;
use wire::say;

use super::any::{Build, Room};
use super::hooks::{Hooks, Keys, Times};
use super::{Feed, Given};
use py::push;
use py::{Builtin, Own};
use wire::number::repeats_sign;
use wire::time::{DateTime, Instant, thousandth};
use wire::{Code, Error, Kind};

const NANOS: i128 = 1_000_000_000;

impl<F: Feed> Build<'_, F> {
    /// A key that is not text.
    #[inline(never)]
    pub(super) fn odd_key(&mut self, kind: Kind, h: F::Head) -> Given<Own> {
        if F::CAPS.str_keys_only {
            return self.feed.refuse(Code::Key);
        }
        match self.hooks.keys {
            Keys::Text if kind == Kind::Bytes => {}
            Keys::Plain if kind != Kind::Ext => {}
            Keys::Any => {}
            _ => return self.feed.refuse(Code::KeyKind),
        }
        self.in_key = true;
        let key = match kind {
            Kind::Map => self.feed.refuse(Code::MapKey),
            Kind::Array => self.array_key(h),
            _ => self.scalar_cold(kind, h),
        };
        (self.in_key, self.level) = (false, 1);
        key
    }

    /// An array as a key, or part of one: a tuple, since it must not change.
    #[inline(never)]
    fn array_key(&mut self, h: F::Head) -> Given<Own> {
        let mut outer: Vec<(usize, F::Seq)> = Vec::new();
        let mut base = self.room.stack.len();
        let mut seq = self.open_key(h, 0)?;
        loop {
            if self.feed.item(&mut seq)? {
                let (kind, h) = self.feed.head()?;
                match kind {
                    Kind::Map => return self.feed.refuse(Code::MapKey),
                    Kind::Ext if self.hooks.keys == Keys::Plain => return self.feed.refuse(Code::KeyKind),
                    Kind::Array => {
                        let inner = self.open_key(h, outer.len() + 1)?;
                        outer.push((base, seq));
                        (base, seq) = (self.room.stack.len(), inner);
                    }
                    _ => {
                        self.level = outer.len() + 2;
                        let o = self.scalar_cold(kind, h)?;
                        push(self.room.stack, o);
                    }
                }
                continue;
            }
            let tuple = py::tuple(self.room.stack, base)?;
            match outer.pop() {
                None => return Ok(tuple),
                Some(around) => {
                    (base, seq) = around;
                    push(self.room.stack, tuple);
                }
            }
        }
    }

    fn open_key(&mut self, h: F::Head, level: usize) -> Given<F::Seq> {
        // The map around it was counted when it was opened, though it stands outside of `open`.
        if self.room.open.len() + 1 + level >= self.hooks.max_depth {
            return self.feed.refuse(Code::Depth);
        }
        self.feed.array(h)
    }

    /// A moment.
    #[inline(never)]
    pub(super) fn time(&mut self, h: F::Head) -> Given<Own> {
        let at = self.feed.at();
        let v = self.feed.time(h)?;
        let Instant { seconds, nanosecond } = v;
        Ok(match &self.hooks.times {
            Times::Object(make) => {
                let (seconds, nanos) = (py::int(seconds)?, py::int(nanosecond.into())?);
                py::call(make.as_ref(), &[seconds.as_ref(), nanos.as_ref()])?
            }
            Times::Float => py::float(seconds as f64 + f64::from(nanosecond) / 1e9)?,
            Times::Nanoseconds => {
                let all = i128::from(seconds) * NANOS + i128::from(nanosecond);
                match i64::try_from(all) {
                    Ok(v) => py::int(v)?,
                    Err(_) => py::int_of_bytes(&all.to_be_bytes())?,
                }
            }
            times => {
                let exact = matches!(times, Times::Cut) || thousandth(nanosecond) * 1000 == nanosecond;
                match DateTime::from_unix(seconds, nanosecond) {
                    Some(v) if exact && (1..=9999).contains(&v.date.year) => {
                        self.env.moments.make_datetime(v)?
                    }
                    _ => return Err(Error { code: Code::TimeRange, at }.into()),
                }
            }
        })
    }

    /// An application type.
    #[inline(never)]
    pub(super) fn ext(&mut self, h: F::Head) -> Given<Own> {
        let start = self.feed.at();
        let (code, body) = self.feed.ext(h)?;
        if self.hooks.big_int == Some(code) {
            let small = body.len() <= 8 || body.len() == 9 && body.first() == Some(&0);
            if body.is_empty() || self.hooks.strict && (small || repeats_sign(body)) {
                let code = if body.is_empty() { Code::ExtBody } else { Code::NotShortest };
                return Err(Error { code, at: start }.into());
            }
            return Ok(py::int_of_bytes(body)?);
        }
        let n = body.len();
        if self.hooks.array == Some(code) {
            let body = match self.input {
                Some(input) => {
                    let end = self.feed.at();
                    py::part(input, end - n, end)?
                }
                None => py::bytes(body)?,
            };
            let module = py::import(c"oxwire._arrays")?;
            let made = py::call_method1(module.as_ref(), c"unpack", body.as_ref())?;
            if made.as_ref().is_none() {
                return Err(Error { code: Code::ExtBody, at: start }.into());
            }
            return Ok(made);
        }
        let body = py::bytes(body)?;
        let hook = self.hooks.ext.as_ref().or(self.hooks.ext_class.as_ref());
        let Some(hook) = hook else {
            return Err(Builtin::Value.raise(say!("there is no `ext_hook`")).into());
        };
        let code = py::int(code.into())?;
        let open = self.room.open.len() + self.level;
        let left = self.hooks.max_depth.saturating_sub(open).min(u32::MAX as usize) as i64;
        let place = py::int(left * 2 + i64::from(self.in_key))?;
        let args = [code.as_ref(), body.as_ref(), place.as_ref()];
        let made = py::call(hook.as_ref(), &args[..2 + usize::from(self.hooks.table)])?;
        if self.hooks.table && made.as_ref().is(hook.as_ref()) {
            return Err(Error { code: Code::ExtBody, at: start }.into());
        }
        Ok(made)
    }
}

impl Room<'_> {
    /// Ends an array that need not become a list.
    #[inline(never)]
    pub(super) fn end_odd_array(&mut self, hooks: &Hooks, base: usize) -> Given<Own> {
        let made = if hooks.tuples { py::tuple(self.stack, base)? } else { py::list_cold(self.stack, base)? };
        match &hooks.list {
            Some(hook) => Ok(py::call1(hook.as_ref(), made.as_ref())?),
            None => Ok(made),
        }
    }

    /// Ends a map that need not become a dict, or whose keys must be unique.
    #[inline(never)]
    pub(super) fn end_odd_map(&mut self, hooks: &Hooks, base: usize) -> Given<Own> {
        if hooks.unique_keys {
            self.check_keys(base)?;
        }
        if let Some(hook) = &hooks.pairs {
            let mut items = self.stack.split_off(base);
            let mut pairs = Vec::with_capacity(items.len() / 2);
            let mut pair = Vec::with_capacity(2);
            for o in items.drain(..) {
                pair.push(o);
                if pair.len() == 2 {
                    pairs.push(py::tuple(&mut pair, 0)?);
                }
            }
            let pairs = py::list_cold(&mut pairs, 0)?;
            return Ok(py::call1(hook.as_ref(), pairs.as_ref())?);
        }
        let made = py::dict(self.stack, base, self.young)?;
        match &hooks.object {
            Some(hook) => Ok(py::call1(hook.as_ref(), made.as_ref())?),
            None => Ok(made),
        }
    }

    #[inline(never)]
    fn check_keys(&mut self, base: usize) -> Given<()> {
        let n = (self.stack.len() - base) / 2;
        let first = self.key_places.len() - n;
        let seen = py::new_dict()?;
        for i in 0..n {
            let key = &self.stack[base + 2 * i];
            // Not a number is no number's equal, but as a key it is the same; this is never read as one.
            let nan = key.as_ref().as_float().is_some_and(f64::is_nan).then(py::not_implemented);
            let key = nan.as_ref().unwrap_or(key);
            if py::dict_find(seen.as_ref(), key.as_ref())?.is_some() {
                let at = self.key_places[first + i];
                return Err(Error { code: Code::DuplicateKey, at }.into());
            }
            py::dict_put(&seen, key.as_ref(), key.as_ref())?;
        }
        self.key_places.truncate(first);
        Ok(())
    }
}
