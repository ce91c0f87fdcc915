//! What was read and is written, in any style, reads as the same value; and writing that again gives the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use msgpack::{Floats, Limits, Style};
use tree::DEPTH;
use tree::pack::{Value, read, write};

/// What a style does to a value.
fn changed(v: &Value, f: &impl Fn(&Value) -> Option<Value>) -> Value {
    if let Some(other) = f(v) {
        return other;
    }
    match v {
        Value::Array(items) => Value::Array(items.iter().map(|v| changed(v, f)).collect()),
        Value::Map(entries) => {
            Value::Map(entries.iter().map(|(k, v)| (changed(k, f), changed(v, f))).collect())
        }
        other => other.clone(),
    }
}

/// The entries of every map the other way round.
fn reversed(v: &Value) -> Value {
    match v {
        Value::Array(items) => Value::Array(items.iter().map(reversed).collect()),
        Value::Map(entries) => {
            Value::Map(entries.iter().rev().map(|(k, v)| (reversed(k), reversed(v))).collect())
        }
        other => other.clone(),
    }
}

/// Whether a key stands twice in some map, as a canonical writer sees it.
fn repeats(v: &Value, style: &Style) -> bool {
    match v {
        Value::Array(items) => items.iter().any(|v| repeats(v, style)),
        Value::Map(entries) => {
            let mut keys: Vec<_> = entries.iter().map(|(k, _)| write(k, style)).collect();
            keys.sort();
            keys.windows(2).any(|w| w[0] == w[1]) || entries.iter().any(|(_, v)| repeats(v, style))
        }
        _ => false,
    }
}

fn whole(bytes: &[u8], limits: Limits) -> Value {
    let (value, end) = read(bytes, limits).unwrap_or_else(|fault| panic!("{fault:?} in {bytes:02x?}"));
    assert_eq!(end, bytes.len());
    value
}

fuzz_target!(|data: &[u8]| {
    let limits = Limits { max_depth: DEPTH, ..Limits::default() };
    let strict = Limits { strict: true, ..limits };
    let Ok((value, end)) = read(data, limits) else { return };
    let data = &data[..end];

    let style = Style::default();
    let written = write(&value, &style);
    assert_eq!(whole(&written, strict), value, "in the shortest forms");
    assert!(written.len() <= data.len() || data.contains(&0xca), "no form is longer than it was");
    if read(data, strict).is_ok() && !data.contains(&0xca) {
        // But for floats of 32 bits there is one strict form.
        assert_eq!(written, data);
    }

    let style = Style { floats: Floats::Canonical, ..Style::default() };
    let once = write(&value, &style);
    let again = whole(&once, strict);
    assert_eq!(write(&again, &style), once, "canonical bytes are a fixed point");
    if !repeats(&value, &style) {
        assert_eq!(write(&reversed(&value), &style), once, "whatever the order was");
    }

    let style = Style { floats: Floats::Single, ..Style::default() };
    let once = write(&value, &style);
    let single = |v: &Value| match v {
        Value::Float(bits) if !f64::from_bits(*bits).is_nan() => {
            Some(Value::Float(f64::from(f64::from_bits(*bits) as f32).to_bits()))
        }
        // Which of its bits a NaN keeps is the processor's to say.
        Value::Float(_) => Some(Value::Float(f64::NAN.to_bits())),
        _ => None,
    };
    let again = whole(&once, strict);
    assert_eq!(changed(&again, &single), changed(&value, &single), "in 32 bits");
    assert_eq!(write(&again, &style), once);

    let style = Style { old: true, ..Style::default() };
    let once = write(&value, &style);
    let text = |v: &Value| match v {
        Value::Bytes(b) => Some(Value::Text(b.clone())),
        _ => None,
    };
    let again = whole(&once, Limits { any_text: true, ..limits });
    assert_eq!(again, changed(&value, &text), "in the old specification");
});
