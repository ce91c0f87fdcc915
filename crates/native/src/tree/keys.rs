//! Keys and members: which are equal, which can be none, which are too heavy.
//!
//! What may surprise: equal values get the same number and are compared as numbers, so that a key in which one part stands a
//! thousand times is not looked at a thousand times. Nothing here recurses: by references, a key may be deeper than the message.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::{Id, Tree, Value};
use wire::{Code, Error, Result};

/// The heaviest key or member.
const MAX_WEIGHT: usize = 10_000;

/// What a value is for whoever compares it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    /// Integers, truth values, and floats that are whole, as two's complement without spare bytes.
    Whole(Vec<u8>),
    Float(u64),
    Text(Vec<u8>),
    Bytes(Vec<u8>),
    None,
    Tuple(Vec<usize>),
    Frozenset(Vec<usize>),
    /// Equal to nothing but itself.
    Itself(Id),
}

#[derive(Clone, Copy)]
struct Judged {
    weight: usize,
    /// The number of its form, if it can be a key.
    class: Option<usize>,
}

/// What is known of values.
#[derive(Default)]
pub(crate) struct Keys {
    classes: BTreeMap<Form, usize>,
    judged: BTreeMap<Id, Judged>,
}

impl Keys {
    /// The number that a key at `at` shares with those that are equal to it.
    pub(crate) fn class(&mut self, tree: &Tree, done: &[bool], id: Id, at: usize) -> Result<usize> {
        let fault = |code| Error { code, at };
        let j = self.judge(tree, done, id).ok_or(fault(Code::Reference))?;
        if j.weight > MAX_WEIGHT {
            return Err(fault(Code::Limit));
        }
        j.class.ok_or(fault(Code::KeyKind))
    }

    /// What is to be said of a value; nothing if it contains itself, or what is not finished, by way of tuples and
    /// frozensets.
    pub(crate) fn known(&mut self, tree: &Tree, done: &[bool], id: Id) -> bool {
        self.judge(tree, done, id).is_some()
    }

    fn judge(&mut self, tree: &Tree, done: &[bool], id: Id) -> Option<Judged> {
        // Each with how many of its parts were judged.
        let mut open = vec![(id, 0)];
        while let Some(&mut (top, ref mut next)) = open.last_mut() {
            let parts: &[Id] = match &tree.values[top] {
                Value::Tuple(parts) | Value::Frozenset(parts) => {
                    if !done[top] {
                        return None;
                    }
                    parts
                }
                _ => &[],
            };
            if let Some(&part) = parts.get(*next) {
                *next += 1;
                if !self.judged.contains_key(&part) {
                    if open.iter().any(|&(id, _)| id == part) {
                        return None;
                    }
                    open.push((part, 0));
                }
                continue;
            }
            let parts: Option<Vec<Judged>> = parts.iter().map(|p| self.judged.get(p).copied()).collect();
            let parts = parts?;
            let weight = parts.iter().fold(1usize, |all, p| all.saturating_add(p.weight));
            let classes: Option<Vec<usize>> = parts.iter().map(|p| p.class).collect();
            let class = classes.and_then(|parts| self.number(tree, top, parts));
            self.judged.insert(top, Judged { weight, class });
            open.pop();
        }
        self.judged.get(&id).copied()
    }

    fn number(&mut self, tree: &Tree, id: Id, mut parts: Vec<usize>) -> Option<usize> {
        let form = match &tree.values[id] {
            Value::List(_) | Value::Dict(_) | Value::Set(_) | Value::Bytearray(_) => return None,
            Value::Int(v) => Form::Whole(least(v.to_le_bytes().to_vec())),
            Value::Bool(v) => Form::Whole(vec![(*v).into()]),
            Value::Big(v) => Form::Whole(least(v.clone())),
            Value::Float(bits) => float(*bits, id),
            Value::Str(s) => Form::Text(s.clone()),
            Value::Bytes(b) => Form::Bytes(b.clone()),
            Value::None => Form::None,
            Value::Tuple(_) => Form::Tuple(parts),
            Value::Frozenset(_) => {
                parts.sort_unstable();
                Form::Frozenset(parts)
            }
            _ => Form::Itself(id),
        };
        let n = self.classes.len();
        Some(*self.classes.entry(form).or_insert(n))
    }
}

/// Two's complement without the bytes that repeat the sign.
fn least(mut v: Vec<u8>) -> Vec<u8> {
    while let [.., b, last] = v[..]
        && last == if b < 0x80 { 0 } else { 0xff }
    {
        v.pop();
    }
    v
}

fn float(bits: u64, id: Id) -> Form {
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as usize, bits & ((1 << 52) - 1));
    if bits << 1 == 0 {
        return Form::Whole(vec![0]);
    }
    if exponent == 0x7ff {
        return if fraction != 0 { Form::Itself(id) } else { Form::Float(bits) };
    }
    // The value is the mantissa times two to the power of the exponent less 1075.
    let mantissa = fraction | 1 << 52;
    let zeros = mantissa.trailing_zeros() as usize;
    if exponent == 0 || exponent + zeros < 1075 {
        return Form::Float(bits);
    }
    let (mut v, shift) = match exponent.checked_sub(1075) {
        Some(shift) => (i128::from(mantissa) << (shift % 8), shift / 8),
        None => (i128::from(mantissa >> (1075 - exponent)), 0),
    };
    if bits >> 63 == 1 {
        v = -v;
    }
    let mut whole = vec![0; shift];
    whole.extend_from_slice(&v.to_le_bytes());
    Form::Whole(least(whole))
}
