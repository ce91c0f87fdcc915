//! A message of MessagePack as a tree: what the targets for that format compare.
//!
//! What may surprise: text is kept as bytes, since it need not be UTF-8 where that is allowed; and
//! it is here that maps in keys are refused, as the engine does it, since a reader alone sees no
//! difference between a key and a value.

use msgpack::{Floats, Limits, Reader, Style, Writer};
use wire::time::Instant;
use wire::{Buf, Code, Error, Kind, Num, Result, Sink, Source, Str, Wrote};

/// A value with all that MessagePack can say.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// The absence of a value.
    Nil,
    /// True or false.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A float, as its bits.
    Float(u64),
    /// Text.
    Text(Vec<u8>),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Values in order.
    Array(Vec<Value>),
    /// Entries in order, with repeats.
    Map(Vec<(Value, Value)>),
    /// A moment.
    Time(i64, u32),
    /// An application type.
    Ext(i8, Vec<u8>),
}

/// Reads one value, and says where it ended.
pub fn read(bytes: &[u8], limits: Limits) -> Result<(Value, usize)> {
    crate::with_input(bytes, |input| {
        let mut from = Reader::new(input, limits);
        let value = value(&mut from, &limits, limits.max_depth, false)?;
        Ok((value, from.at()))
    })
}

/// Passes over one value, and says where it ended.
pub fn skip(bytes: &[u8], limits: Limits) -> Result<usize> {
    crate::with_input(bytes, |input| crate::skip_value(Reader::new(input, limits)))
}

fn value(from: &mut Reader<'_>, limits: &Limits, room: usize, key: bool) -> Result<Value> {
    let (kind, h) = from.head()?;
    if matches!(kind, Kind::Array | Kind::Map) && room == 0 {
        return Err(Error { code: Code::Depth, at: from.at() });
    }
    Ok(match kind {
        Kind::Null => {
            from.null(h)?;
            Value::Nil
        }
        Kind::Bool => Value::Bool(from.bool(h)?),
        Kind::Number => match from.number(h)? {
            Num::I64(v) => Value::Int(v.into()),
            Num::U64(v) => Value::Int(v.into()),
            Num::F64(v) => Value::Float(v.to_bits()),
            other => panic!("a format of machine numbers gave {other:?}"),
        },
        Kind::Str => {
            let s = from.str(h)?;
            let (text, good) = (s.bytes().to_vec(), s.utf8().err());
            match good {
                Some(good) if !limits.any_text => return Err(from.not_utf8(text.len(), good)),
                _ => Value::Text(text),
            }
        }
        Kind::Bytes => Value::Bytes(from.bytes(h)?.to_vec()),
        Kind::Array => {
            let mut seq = from.array(h)?;
            let mut items = Vec::new();
            while from.item(&mut seq)? {
                items.push(value(from, limits, room - 1, key)?);
            }
            Value::Array(items)
        }
        Kind::Map if key => return from.refuse(Code::MapKey),
        Kind::Map => {
            let mut seq = from.map(h)?;
            let mut entries = Vec::new();
            while from.entry(&mut seq)? {
                let key = value(from, limits, room - 1, true)?;
                from.value()?;
                entries.push((key, value(from, limits, room - 1, false)?));
            }
            Value::Map(entries)
        }
        Kind::Time => {
            let v = from.time(h)?;
            Value::Time(v.seconds, v.nanosecond)
        }
        Kind::Ext => {
            let (code, body) = from.ext(h)?;
            Value::Ext(code, body.to_vec())
        }
        other => panic!("a head gave {other:?}"),
    })
}

/// Writes a value; with canonical floats also its maps in order.
pub fn write(value: &Value, style: &Style) -> Vec<u8> {
    let mut to = Writer::new(Buf::from_vec(Vec::new()), style);
    put(value, style, &mut to).expect("there is memory");
    to.finish().into_vec()
}

fn put(value: &Value, style: &Style, to: &mut Writer<'_>) -> Wrote {
    match value {
        Value::Nil => to.null(),
        Value::Bool(v) => to.bool(*v),
        Value::Int(v) => match i64::try_from(*v) {
            Ok(v) => to.i64(v),
            Err(_) => to.u64(u64::try_from(*v).expect("64 bits")),
        },
        Value::Float(bits) => to.f64(f64::from_bits(*bits)),
        Value::Text(v) => to.str(Str::unchecked(v)),
        Value::Bytes(v) => to.bytes(v),
        Value::Array(items) => {
            to.begin_array(items.len())?;
            for item in items {
                put(item, style, to)?;
                to.end_item()?;
            }
            to.end_array(items.is_empty())
        }
        Value::Map(entries) => {
            to.begin_map(entries.len())?;
            let mut encoded: Vec<_> = entries.iter().map(|(k, v)| (write(k, style), v)).collect();
            if style.floats == Floats::Canonical {
                encoded.sort_by(|(a, _), (b, _)| a.cmp(b));
            }
            for (key, item) in encoded {
                to.raw(&key)?;
                to.end_key()?;
                put(item, style, to)?;
                to.end_item()?;
            }
            to.end_map(entries.is_empty())
        }
        Value::Time(seconds, nanosecond) => {
            to.instant(Instant { seconds: *seconds, nanosecond: *nanosecond })
        }
        Value::Ext(code, body) => to.ext(*code, body),
    }
}
