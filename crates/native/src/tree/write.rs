//! Writing a tree as the specification advises.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::{Id, Tree, Value};
use crate::Writer;
use wire::Buf;

/// What is still to be written, the last first.
enum Step {
    Value(Id),
    Version(u64, usize),
}

/// Writes a message as the specification advises: what is one value is written once, shapes, packed numbers.
pub fn write(tree: &Tree) -> core::result::Result<Vec<u8>, wire::Full> {
    let mut w = Writer::new(Buf::from_vec(Vec::new()))?;
    // Where each value was written, and its number if it has one.
    let mut met: Vec<Option<(usize, Option<u32>)>> = alloc::vec![None; tree.values.len()];
    let mut shapes: BTreeMap<Vec<&[u8]>, usize> = BTreeMap::new();
    let mut types = alloc::vec![None; tree.types.len()];
    let mut defined = 0;
    let mut steps = alloc::vec![Step::Value(tree.root)];
    while let Some(step) = steps.pop() {
        let id = match step {
            Step::Value(id) => id,
            Step::Version(version, fields) => {
                w.version(version as usize, fields)?;
                continue;
            }
        };
        match met[id] {
            Some((_, Some(number))) => {
                w.reference(number)?;
                continue;
            }
            Some((at, None)) => {
                met[id] = Some((at, Some(w.share(at)?)));
                continue;
            }
            None => {}
        }
        if !is_atom(&tree.values[id]) {
            met[id] = Some((w.at(), None));
        }
        let mut then = |parts: &[Id]| steps.extend(parts.iter().rev().map(|&part| Step::Value(part)));
        match &tree.values[id] {
            Value::Open | Value::None => w.none()?,
            Value::Bool(v) => w.bool(*v)?,
            Value::Utc => w.utc()?,
            Value::Int(v) => match i64::try_from(*v) {
                Ok(v) => w.i64(v)?,
                Err(_) => w.u64(*v as u64)?,
            },
            Value::Big(twos) => w.big(twos)?,
            Value::Float(bits) => w.f64(f64::from_bits(*bits))?,
            Value::Complex(re, im) => w.complex(f64::from_bits(*re), f64::from_bits(*im))?,
            Value::Str(text) => match core::str::from_utf8(text) {
                Ok(_) => w.str(text)?,
                Err(_) => w.wstr(text)?,
            },
            Value::Bytes(b) => w.bytes(b)?,
            Value::Bytearray(b) => w.bytearray(b)?,
            Value::Outside(index, n, writable) => w.outside(*index, *n, *writable)?,
            Value::Sealed(message) => w.sealed(message)?,
            Value::Uuid(v) => w.uuid(*v)?,
            Value::Date(d) => w.date(crate::pack_day(*d))?,
            Value::Time(t, fold, zone) => {
                w.time(crate::pack_time(*t, *fold), zone.is_some())?;
                then(zone.as_slice());
            }
            Value::DateTime(d, t, fold, zone) => {
                w.datetime(crate::pack_day(*d), crate::pack_time(*t, *fold), zone.is_some())?;
                then(zone.as_slice());
            }
            Value::Timedelta(span) => w.timedelta(*span)?,
            Value::List(parts) | Value::Tuple(parts) => {
                let tuple = matches!(&tree.values[id], Value::Tuple(_));
                if !packed(&mut w, tree, parts, tuple)? {
                    if tuple {
                        w.tuple(parts.len())?
                    } else {
                        w.list(parts.len())?
                    }
                    then(parts);
                }
            }
            Value::Set(parts) | Value::Frozenset(parts) => {
                w.set(matches!(&tree.values[id], Value::Frozenset(_)), parts.len())?;
                then(parts);
            }
            Value::Dict(entries) => {
                let (keys, values): (Vec<Id>, Vec<Id>) = entries.iter().copied().unzip();
                match texts(tree, &keys) {
                    Some(texts) => match shapes.get(&texts) {
                        Some(&shape) => w.shaped(shape)?,
                        None => {
                            shapes.insert(texts, shapes.len());
                            w.shape(keys.len())?;
                            steps.extend(values.iter().rev().map(|&part| Step::Value(part)));
                            steps.extend(keys.iter().rev().map(|&part| Step::Value(part)));
                            continue;
                        }
                    },
                    None => {
                        w.dict(keys.len())?;
                        steps.extend(
                            entries.iter().rev().flat_map(|&(k, v)| [Step::Value(v), Step::Value(k)]),
                        );
                        continue;
                    }
                }
                steps.extend(values.iter().rev().map(|&part| Step::Value(part)));
            }
            Value::Object(of, values) => {
                let mut then = |parts: &[Id]| steps.extend(parts.iter().rev().map(|&part| Step::Value(part)));
                then(values);
                if let Some(number) = types[*of] {
                    w.record(number)?;
                } else {
                    types[*of] = Some(defined);
                    defined += 1;
                    let t = &tree.types[*of];
                    w.type_head(t.kind)?;
                    then(&t.fields);
                    steps.push(Step::Version(t.version, t.fields.len()));
                    steps.push(Step::Value(t.name));
                }
            }
            Value::Ext(code, body) => {
                w.ext(*code)?;
                then(&[*body]);
            }
        }
    }
    Ok(w.into_buf().into_vec())
}

/// Whether a value is written as often as it is met.
fn is_atom(v: &Value) -> bool {
    matches!(
        v,
        Value::None
            | Value::Bool(_)
            | Value::Utc
            | Value::Int(_)
            | Value::Big(_)
            | Value::Float(_)
            | Value::Complex(..)
    )
}

/// The keys of a dict that has a shape.
fn texts<'a>(tree: &'a Tree, keys: &[Id]) -> Option<Vec<&'a [u8]>> {
    let text = |&id: &Id| match &tree.values[id] {
        Value::Str(text) => Some(text.as_slice()),
        _ => None,
    };
    if (1..=64).contains(&keys.len()) { keys.iter().map(text).collect() } else { None }
}

/// Writes a list or tuple in the packed form, if it is of four numbers or more of one kind.
fn packed(w: &mut Writer, tree: &Tree, parts: &[Id], tuple: bool) -> core::result::Result<bool, wire::Full> {
    if parts.len() < 4 {
        return Ok(false);
    }
    let ints: Option<Vec<i64>> = parts
        .iter()
        .map(|&id| match tree.values[id] {
            Value::Int(v) => i64::try_from(v).ok(),
            _ => None,
        })
        .collect();
    if let Some(ints) = ints {
        let widest = ints.iter().map(|v| (v ^ v >> 63).leading_zeros()).min().unwrap_or_default();
        let kind = match 65 - widest {
            0..=8 => 0,
            9..=16 => 1,
            17..=32 => 2,
            _ => 3,
        };
        w.packed(tuple, kind, ints.len())?;
        ints.iter().try_for_each(|v| w.raw(&v.to_le_bytes()[..1 << kind]))?;
        return Ok(true);
    }
    let floats: Option<Vec<u64>> = parts
        .iter()
        .map(|&id| match tree.values[id] {
            Value::Float(bits) => Some(bits),
            _ => None,
        })
        .collect();
    let Some(floats) = floats else { return Ok(false) };
    w.packed(tuple, 4, floats.len())?;
    floats.iter().try_for_each(|bits| w.raw(&bits.to_le_bytes()))?;
    Ok(true)
}
