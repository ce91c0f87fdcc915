//! Which bodies an EXT may have, by its code.

use crate::tree::{Id, Tree, Value};

/// Whether there is such a type.
pub(crate) fn known(code: u8) -> bool {
    matches!(code, 1..=0x19 | 0x20..=0x27)
}

const DAY: i128 = 86_400_000_000;

/// Whether the value at `id` is a body for a known code.
pub(crate) fn fits(t: &Tree, code: u8, id: Id) -> bool {
    let int = |id: Id| match t.values[id] {
        Value::Int(v) => Some(v),
        _ => None,
    };
    let number = |id: Id| matches!(t.values[id], Value::Int(_) | Value::Big(_));
    let text = |id: Id| matches!(t.values[id], Value::Str(_));
    let bytes = |id: Id| matches!(t.values[id], Value::Bytes(_) | Value::Bytearray(_) | Value::Outside(..));
    let list = |id: Id| matches!(t.values[id], Value::List(_));
    let dict = |id: Id| matches!(t.values[id], Value::Dict(_));
    let east = |id: Id| int(id).is_some_and(|v| v.abs() < DAY);
    let parts: &[Id] = match &t.values[id] {
        Value::Tuple(parts) => parts,
        _ => &[],
    };
    let tuple = matches!(t.values[id], Value::Tuple(_));
    match (code, parts) {
        (0x01, _) => matches!(&t.values[id], Value::Str(s) if decimal(s)),
        (0x02, &[a, b]) => fraction(t, a, b),
        (0x03, &[a, b]) => {
            matches!(&t.values[a], Value::Bytes(b) | Value::Bytearray(b) if b.len() == 16)
                && matches!(int(b), Some(0 | -1))
        }
        (0x04, &[a, b]) => east(a) && text(b),
        (0x04, _) => east(id) && int(id) != Some(0),
        (0x05..=0x0f, _) => text(id),
        (0x10, &[a, b, c]) => number(a) && number(b) && number(c) && int(c) != Some(0),
        (0x11, parts) => parts.len() == 3,
        (0x12, &[a, b, c]) => text(a) && shape(t, b) && bytes(c),
        (0x12, _) => bytes(id),
        (0x13, &[a, b, c]) => text(a) && number(b) && bytes(c),
        (0x14, &[a, b, c]) => dtype(t, a) && shape(t, b) && bytes(c),
        (0x14, &[a, b, c, d]) => dtype(t, a) && shape(t, b) && bytes(c) && t.values[d] == Value::Bool(true),
        (0x15, &[a, b]) => dtype(t, a) && bytes(b),
        (0x16, &[a, b]) => (text(a) || matches!(t.values[a], Value::Bytes(_))) && number(b),
        (0x17, _) => matches!(int(id), Some(0..=15)),
        (0x18, _) => text(id) || int(id).is_some_and(|v| (0..1 << 31).contains(&v)),
        (0x19, &[a, b]) => text(a) && bytes(b),
        (0x20, &[a, b]) if tuple => match &t.values[b] {
            Value::List(items) => int(a).is_some_and(|max| items.len() as i128 <= max),
            _ => false,
        },
        (0x20 | 0x24, _) => list(id),
        (0x22, &[a, b]) => {
            let class = match t.values[a] {
                Value::None | Value::Ext(0x18, _) => true,
                Value::Ext(0x17, which) => matches!(int(which), Some(..=13)),
                _ => false,
            };
            class && dict(b)
        }
        (0x25, _) => match &t.values[id] {
            Value::Dict(entries) => entries.iter().all(|&(k, _)| text(k)),
            _ => false,
        },
        (0x21 | 0x23 | 0x26 | 0x27, _) => dict(id),
        _ => false,
    }
}

/// Whether it is what `str()` gives of a Decimal.
fn decimal(s: &[u8]) -> bool {
    let s = s.strip_prefix(b"-").unwrap_or(s);
    let digits = |s: &[u8]| s.iter().all(u8::is_ascii_digit);
    let plain = |s: &[u8]| digits(s) && !s.is_empty() && (s.len() == 1 || s[0] != b'0');
    if s == b"Infinity" {
        return true;
    }
    if let Some(payload) = s.strip_prefix(b"NaN").or_else(|| s.strip_prefix(b"sNaN")) {
        return payload.is_empty() || plain(payload) && payload != b"0";
    }
    let at = s.iter().position(|&b| b == b'E').unwrap_or(s.len());
    let (mantissa, exponent) = s.split_at(at);
    let (whole, part) = match mantissa.iter().position(|&b| b == b'.') {
        Some(point) => (&mantissa[..point], Some(&mantissa[point + 1..])),
        None => (mantissa, None),
    };
    if !plain(whole) || part.is_some_and(|p| p.is_empty() || !digits(p)) {
        return false;
    }
    let [b'E', sign @ (b'+' | b'-'), power @ ..] = exponent else {
        // Without an exponent there are at most six zeros behind the point before the first digit.
        let small = part.unwrap_or_default();
        let zeros = small.iter().take_while(|&&b| b == b'0').count();
        return exponent.is_empty()
            && !(whole == b"0" && zeros > 6 || whole == b"0" && small.len() > 6 && zeros == small.len());
    };
    if !plain(power) || power.len() > 19 || power == b"0" && part.is_none() {
        return false;
    }
    let power = power.iter().fold(0i128, |v, b| 10 * v + i128::from(b - b'0'));
    let power = if *sign == b'-' { -power } else { power };
    let last = power - part.map_or(0, |p| p.len() as i128);
    // One digit before the point, and a power for which there is no plain spelling.
    whole.len() == 1 && (part.is_none() || whole != b"0") && (last > 0 || power < -6)
}

/// Whether it is in lowest terms. Of the numbers beyond 64 bits only what can be said without dividing them.
fn fraction(t: &Tree, a: Id, b: Id) -> bool {
    match (&t.values[a], &t.values[b]) {
        (Value::Int(a), Value::Int(b)) => {
            let (mut x, mut y) = (a.unsigned_abs(), b.unsigned_abs());
            while y != 0 {
                (x, y) = (y, x % y);
            }
            *b > 0 && x == 1
        }
        (Value::Big(_), Value::Int(b)) => *b > 0,
        (Value::Int(_) | Value::Big(_), Value::Big(b)) => b.last().is_some_and(|&b| b < 0x80),
        _ => false,
    }
}

fn shape(t: &Tree, id: Id) -> bool {
    match &t.values[id] {
        Value::Tuple(parts) => parts.iter().all(|&n| matches!(t.values[n], Value::Int(v) if v >= 0)),
        _ => false,
    }
}

/// Structures in structures are as deep as the message is at most, of which few are dtypes.
fn dtype(t: &Tree, id: Id) -> bool {
    let field = |id: &Id| match &t.values[*id] {
        Value::Tuple(parts) => match parts[..] {
            [name, of] => matches!(t.values[name], Value::Str(_)) && dtype(t, of),
            [name, of, dims] => matches!(t.values[name], Value::Str(_)) && dtype(t, of) && shape(t, dims),
            _ => false,
        },
        _ => false,
    };
    match &t.values[id] {
        Value::Str(_) => true,
        Value::List(fields) => fields.iter().all(field),
        _ => false,
    }
}
