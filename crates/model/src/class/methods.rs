//! What instances do: compare, hash, show themselves, be copied.
//!
//! What may surprise: every value is owned while it is worked with, since comparing and showing run
//! code that may change the instance.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ffi::CStr;
use wire::say;

use super::{Class, Flag, unset};
use py::{Args, Builtin, Compare, Int, Own, Raised, Ref, Result, ShapeMethod, ShapeQuery, This, Word, Young};

#[inline(always)]
fn value(me: This<'_, Class>, i: usize) -> Result<Own> {
    match me.get(i) {
        Some(v) => Ok(v.as_ref().own()),
        None => Err(missing(me, i)),
    }
}

#[cold]
#[inline(never)]
fn missing(me: This<'_, Class>, i: usize) -> Raised {
    let name = me.shape().fields.get(i).map_or_else(py::none, |f| f.name.clone());
    unset(name.as_ref())
}

/// An integer that can be compared without asking it.
#[inline(always)]
fn small(o: Ref<'_>) -> Option<i64> {
    match o.as_int()?.get() {
        Int::I64(v) => Some(v),
        _ => None,
    }
}

/// A text that can be compared without asking it.
#[inline(always)]
fn ascii(o: Ref<'_>) -> Option<&[u8]> {
    o.as_str()?.ascii()
}

/// Whether a comparison holds of two values that differ.
fn holds(op: Compare, found: Ordering) -> bool {
    match op {
        Compare::Equal => false,
        Compare::NotEqual => true,
        Compare::Less | Compare::LessEqual => found.is_lt(),
        Compare::Greater | Compare::GreaterEqual => found.is_gt(),
    }
}

#[inline]
pub(super) fn compare(a: This<'_, Class>, b: This<'_, Class>, op: Compare) -> Result<Option<Own>> {
    let class = a.shape();
    let equality = matches!(op, Compare::Equal | Compare::NotEqual);
    if !class.is(if equality { Flag::Eq } else { Flag::Order }) {
        return Ok(None);
    }
    let mut order = Ok(!matches!(op, Compare::NotEqual | Compare::Less | Compare::Greater));
    if !a.as_ref().is(b.as_ref()) {
        for i in 0..class.compared {
            let (Some(x), Some(y)) = (a.get(i), b.get(i)) else {
                return Err(missing(if a.get(i).is_none() { a } else { b }, i));
            };
            let (x, y) = (x.as_ref(), y.as_ref());
            if x.is(y) {
                continue;
            }
            if let (Some(x), Some(y)) = (small(x), small(y)) {
                if x != y {
                    return Ok(Some(py::bool(holds(op, x.cmp(&y)))));
                }
                continue;
            }
            if let (Some(x), Some(y)) = (ascii(x), ascii(y)) {
                if x != y {
                    return Ok(Some(py::bool(holds(op, x.cmp(y)))));
                }
                continue;
            }
            // Comparing what is plain runs nobody's code, which could change the instances.
            if x.is_atom() && y.is_atom() {
                if !py::equal(x, y)? {
                    order = Err((x.own(), y.own()));
                    break;
                }
                continue;
            }
            let (x, y) = (x.own(), y.own());
            if !py::equal(x.as_ref(), y.as_ref())? {
                order = Err((x, y));
                break;
            }
        }
    }
    Ok(Some(match order {
        Ok(v) => py::bool(v),
        Err(_) if equality => py::bool(op == Compare::NotEqual),
        // As tuples are: the first values that differ decide.
        Err((x, y)) => py::compare(x.as_ref(), y.as_ref(), op)?,
    }))
}

/// The hash of what need not be asked.
#[inline(always)]
fn plain_hash(o: Ref<'_>) -> Option<isize> {
    match o.as_int() {
        Some(i) => i.short().map(|v| if v == -1 { -2 } else { v as isize }),
        None => o.as_str()?.known_hash(),
    }
}

/// The hash of an instance that is equal to itself only, if it is: one that may change has none.
#[cold]
fn hash_without_values(me: This<'_, Class>) -> Result<isize> {
    if !me.shape().is(Flag::Eq) {
        return Ok(py::hash_of_address(me.as_ref()));
    }
    let class = me.as_ref().class().tp_name();
    Err(Builtin::Type.raise_words(say!("unhashable type: '{}'"), &[class.into()]))
}

#[inline]
pub(super) fn hash(me: This<'_, Class>) -> Result<isize> {
    let class = me.shape();
    if !(class.is(Flag::Eq) && class.is(Flag::Frozen)) {
        return hash_without_values(me);
    }
    if let Some(known) = me.get(class.hash_slot)
        && let Some(known) = small(known.as_ref())
    {
        return Ok(known as isize);
    }
    // The steps of xxHash, as the interpreter's own for tuples; the class counts as the first item.
    const ONE: u64 = 11_400_714_785_074_694_791;
    const TWO: u64 = 14_029_467_366_897_019_727;
    const FIVE: u64 = 2_870_177_450_012_600_261;
    let mut acc = FIVE;
    let mut lane = |h: isize| {
        acc = acc.wrapping_add((h as u64).wrapping_mul(TWO)).rotate_left(31).wrapping_mul(ONE);
    };
    lane(py::hash_of_address(me.as_ref().class().as_ref()));
    let all = class.fields.len();
    for (i, v) in me.slots(all).enumerate() {
        let v = v.ok_or_else(|| missing(me, i))?;
        let v = v.as_ref();
        lane(match plain_hash(v) {
            Some(h) => h,
            None if v.is_none() || v.as_float().is_some() => v.hash()?,
            // It is owned, since hashing it may run code that changes the instance.
            None => v.own().as_ref().hash_within()?,
        });
    }
    let n = all as u64 + 1;
    let h = match acc.wrapping_add(n ^ (FIVE ^ 3_527_539)) as isize {
        -1 => 1_546_275_796,
        h => h,
    };
    if class.is(Flag::CacheHash) {
        me.put(class.hash_slot, Some(py::int(h as i64)?));
    }
    Ok(h)
}

pub(super) fn repr(me: This<'_, Class>) -> Result<Own> {
    let class = me.shape();
    if class.is(Flag::Keep) {
        return class.asked_of(me, c"shown");
    }
    let mut text = String::with_capacity(32 * (class.fields.len() + 1));
    text.push_str(me.as_ref().class().tp_name());
    text.push('(');
    let mut comma = "";
    for (i, f) in class.fields.iter().enumerate() {
        let v = value(me, i)?;
        if class.is(Flag::ReprOmitDefaults) && f.default.is(v.as_ref()) {
            continue;
        }
        text.push_str(core::mem::replace(&mut comma, ", "));
        f.name.as_ref().push_text(&mut text);
        text.push('=');
        match small(v.as_ref()) {
            Some(v) => text.push_str(&wire::number::decimal(v.unsigned_abs(), v < 0)),
            None => py::repr(v.as_ref())?.as_ref().push_text(&mut text),
        }
    }
    text.push(')');
    py::text(&text)
}

/// What an instance holds beside its fields, if it can.
#[inline(always)]
fn dict_of(me: This<'_, Class>) -> Result<Option<Own>> {
    if !me.as_ref().class().has_dict() {
        return Ok(None);
    }
    let dict = me.as_ref().attr_named(c"__dict__")?;
    Ok(dict.as_ref().truth()?.then_some(dict))
}

/// Gives an instance what another holds beside its fields.
#[inline(always)]
fn share_dict(me: This<'_, Class>, new: &Own) -> Result<()> {
    if let Some(dict) = dict_of(me)? {
        py::call_method1(new.as_ref().attr_named(c"__dict__")?.as_ref(), c"update", dict.as_ref())?;
    }
    Ok(())
}

struct Copy;
impl ShapeQuery<Class> for Copy {
    const NAME: &'static CStr = c"__copy__";
    const DOC: &'static CStr =
        c"__copy__($self, /)\n--\n\nA copy that shares the values. `__post_init__` is not run.";
    fn call(me: This<'_, Class>) -> Result<Own> {
        for i in 0..me.shape().fields.len() {
            if me.get(i).is_none() {
                value(me, i)?;
            }
        }
        let new = me.copied()?;
        share_dict(me, &new)?;
        Ok(new)
    }
}

struct Replace;
impl ShapeMethod<Class> for Replace {
    const NAME: &'static CStr = c"__replace__";
    const DOC: &'static CStr =
        c"__replace__($self, /, **changes)\n--\n\nA copy with some fields changed. `__post_init__` is run.";
    fn call(me: This<'_, Class>, args: &Args<'_>) -> Result<Own> {
        if !args.positional().is_empty() {
            return Err(Builtin::Type.raise(say!("__replace__() takes no positional arguments")));
        }
        replaced(me, args)
    }
}

/// A copy with the fields changed that are given by name.
pub fn replaced(me: This<'_, Class>, args: &Args<'_>) -> Result<Own> {
    let class = me.shape();
    let mut new = me.fresh()?;
    let mut next = 0;
    let (names, values) = args.names();
    for (name, v) in names.iter().zip(values) {
        let Some(i) = class.index(*name, next) else {
            let (class, name) = (me.as_ref().class().tp_name(), Word::Name(*name));
            return Err(Builtin::Type.raise_words(say!("`{}` has no field '{}'"), &[class.into(), name]));
        };
        new.put_cold(i, v.own());
        next = i + 1;
    }
    // What was kept of unknown keys goes along.
    for i in 0..class.compared {
        if !new.has(i) {
            new.put(i, value(me, i)?);
        }
    }
    let new = new.finish();
    share_dict(me, &new)?;
    class.post_init(&new, true)?;
    Ok(new)
}

/// The fields by name.
pub fn as_dict(me: This<'_, Class>) -> Result<Own> {
    let fields = &me.shape().fields;
    let mut all = Vec::with_capacity(2 * fields.len());
    for (i, f) in fields.iter().enumerate() {
        all.push(f.name.clone());
        all.push(value(me, i)?);
    }
    py::dict(&mut all, 0, Young::default())
}

/// The values of the fields.
pub fn as_tuple(me: This<'_, Class>) -> Result<Own> {
    me.values(me.shape().fields.len())?.map_err(|i| missing(me, i))
}

struct Reduce;
impl ShapeQuery<Class> for Reduce {
    const NAME: &'static CStr = c"__reduce__";
    const DOC: &'static CStr = c"__reduce__($self, /)\n--\n\nFor pickle: the class is called again.";
    fn call(me: This<'_, Class>) -> Result<Own> {
        let class = me.shape();
        let own = me.as_ref().class().as_ref().own();
        let dict = dict_of(me)?;
        let all = class.fields.len();
        if class.more.is_some() {
            return class.asked_of(me, c"reduced");
        }
        let (maker, args) = if class.positional == all {
            (own, as_tuple(me)?)
        } else {
            (class.tools.rebuild.clone(), py::tuple2(own, as_dict(me)?)?)
        };
        match dict {
            None => py::tuple2(maker, args),
            Some(dict) => py::tuple(&mut vec![maker, args, dict], 0),
        }
    }
}

struct RichRepr;
impl ShapeQuery<Class> for RichRepr {
    const NAME: &'static CStr = c"__rich_repr__";
    const DOC: &'static CStr = c"__rich_repr__($self, /)\n--\n\nThe pairs that rich shows.";
    fn call(me: This<'_, Class>) -> Result<Own> {
        let class = me.shape();
        if class.is(Flag::Keep) {
            return class.asked_of(me, c"pairs");
        }
        let mut pairs = py::NewList::new(class.fields.len())?;
        for (i, f) in class.fields.iter().enumerate() {
            let v = value(me, i)?;
            if !(class.is(Flag::ReprOmitDefaults) && f.default.is(v.as_ref())) {
                pairs.push(py::tuple2(f.name.clone(), v)?);
            }
        }
        let mut fewer = Vec::new();
        match pairs.finish(&mut fewer) {
            Some(pairs) => Ok(pairs),
            None => py::list_cold(&mut fewer, 0),
        }
    }
}

pub(super) fn add(all: &mut Vec<py::MethodDef>) {
    py::shape_query::<Class, Copy>(all);
    py::shape_method::<Class, Replace>(all);
    py::shape_query::<Class, Reduce>(all);
    py::shape_query::<Class, RichRepr>(all);
}
