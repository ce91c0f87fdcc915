//! A document as a tree, read from any source and written to any sink: what the targets compare.
//!
//! What may surprise: reading and writing recurse here, which nothing that ships does, so the
//! targets keep `max_depth` at [`DEPTH`]. Floats are kept as bits, so that a negative zero and a
//! positive one differ and a NaN is equal to itself.

pub mod pack;

use wire::{Code, Error, Input, Kind, Num, Result, Sink, Source, Str, Wrote};

/// How deep the targets let containers nest.
pub const DEPTH: usize = 200;

/// A value with all that JSON can say.
#[derive(Clone, PartialEq, Debug)]
pub enum Tree {
    /// The absence of a value.
    Null,
    /// True or false.
    Bool(bool),
    /// An integer, as its digits.
    Int(String),
    /// A float, as its bits.
    Float(u64),
    /// Text.
    Text(String),
    /// Values in order.
    Array(Vec<Tree>),
    /// Entries in order, with repeats.
    Map(Vec<(String, Tree)>),
}

/// Reads one whole document.
pub fn read<S: Source>(mut from: S, max_depth: usize) -> Result<Tree> {
    let tree = value(&mut from, max_depth)?;
    from.end()?;
    Ok(tree)
}

/// Reads one value and says where it ended.
pub fn read_value<S: Source>(mut from: S, max_depth: usize) -> Result<(Tree, usize)> {
    let tree = value(&mut from, max_depth)?;
    let end = from.at();
    Ok((tree, end))
}

/// Passes over one value and says where it ended.
pub fn skip_value<S: Source>(mut from: S) -> Result<usize> {
    from.skip()?;
    Ok(from.at())
}

/// A copy of the bytes as an input.
pub fn with_input<R>(bytes: &[u8], f: impl FnOnce(Input<'_>) -> R) -> R {
    f(Input::new(&mut bytes.to_vec()))
}

fn text<S: Source>(from: &mut S, h: S::Head) -> Result<String> {
    let s = from.str(h)?;
    let len = s.bytes().len();
    match s.utf8() {
        Ok(text) => Ok(text.to_owned()),
        Err(good) => Err(from.not_utf8(len, good)),
    }
}

fn value<S: Source>(from: &mut S, room: usize) -> Result<Tree> {
    let (kind, h) = from.head()?;
    if matches!(kind, Kind::Array | Kind::Map) && room == 0 {
        return Err(Error { code: Code::Depth, at: from.at() });
    }
    Ok(match kind {
        Kind::Null => {
            from.null(h)?;
            Tree::Null
        }
        Kind::Bool => Tree::Bool(from.bool(h)?),
        Kind::Number => match from.number(h)? {
            Num::I64(v) => Tree::Int(v.to_string()),
            Num::U64(v) => Tree::Int(v.to_string()),
            Num::F64(v) => Tree::Float(v.to_bits()),
            Num::Text(digits) => Tree::Int(digits.to_owned()),
            Num::Bytes(_) => panic!("a text format gave bytes"),
        },
        Kind::Str => Tree::Text(text(from, h)?),
        Kind::Array => {
            let mut seq = from.array(h)?;
            let mut items = Vec::new();
            while from.item(&mut seq)? {
                items.push(value(from, room - 1)?);
            }
            Tree::Array(items)
        }
        Kind::Map => {
            let mut seq = from.map(h)?;
            let mut entries = Vec::new();
            while from.entry(&mut seq)? {
                let (_, h) = from.key()?;
                let key = text(from, h)?;
                from.value()?;
                entries.push((key, value(from, room - 1)?));
            }
            Tree::Map(entries)
        }
        other => panic!("a text format gave {other:?}"),
    })
}

/// Writes a tree.
pub fn write<S: Sink>(tree: &Tree, to: &mut S) -> Wrote {
    match tree {
        Tree::Null => to.null(),
        Tree::Bool(v) => to.bool(*v),
        Tree::Int(digits) => match (digits.parse::<i64>(), digits.parse::<u64>()) {
            (Ok(v), _) => to.i64(v),
            (_, Ok(v)) => to.u64(v),
            _ => to.big_text(digits),
        },
        Tree::Float(bits) => to.f64(f64::from_bits(*bits)),
        Tree::Text(v) => to.str(Str::new(v)),
        Tree::Array(items) => {
            to.begin_array(items.len())?;
            for item in items {
                write(item, to)?;
                to.end_item()?;
            }
            to.end_array(items.is_empty())
        }
        Tree::Map(entries) => {
            to.begin_map(entries.len())?;
            for (key, item) in entries {
                to.str(Str::new(key))?;
                to.end_key()?;
                write(item, to)?;
                to.end_item()?;
            }
            to.end_map(entries.is_empty())
        }
    }
}
