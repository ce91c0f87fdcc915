//! serde_json accepts and refuses the same documents and reads the same values, wherever both define them.
//!
//! Left out are its limit of depth, floats beyond 64 bits (it keeps their digits, we refuse them), and the
//! key by which it smuggles numbers through maps.
#![no_main]

use json::{Limits, Reader};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use tree::{DEPTH, Tree, read, with_input};
use wire::Code;

fn same(ours: &Tree, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Tree::Null, Value::Null) => true,
        (Tree::Bool(a), Value::Bool(b)) => a == b,
        (Tree::Text(a), Value::String(b)) => a == b,
        (Tree::Int(a), Value::Number(b)) => {
            // Only a zero has two spellings.
            let spelled = b.to_string();
            *a == spelled || (a == "0" && spelled == "-0")
        }
        (Tree::Float(a), Value::Number(b)) => b.to_string().parse::<f64>().is_ok_and(|b| b.to_bits() == *a),
        (Tree::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Tree::Map(a), Value::Object(b)) => {
            // Of a key that stands twice, the last value holds.
            let last = |key: &str| a.iter().rev().find(|(k, _)| k == key).map(|(_, v)| v);
            a.iter().all(|(k, _)| b.contains_key(k))
                && b.iter().all(|(k, v)| last(k).is_some_and(|ours| same(ours, v)))
        }
        _ => false,
    }
}

fuzz_target!(|data: &[u8]| {
    // An escape may hide the key, so the word alone is looked for.
    if data.windows(7).any(|w| w == b"private")
        || data.windows(2).any(|w| w == b"\\u") && data.contains(&b'$')
    {
        return;
    }
    let limits = Limits { max_depth: DEPTH, ..Limits::default() };
    let ours = with_input(data, |input| read(Reader::new(input, limits), DEPTH));
    let theirs = serde_json::from_slice::<Value>(data);
    match (&ours, &theirs) {
        (Ok(a), Ok(b)) => assert!(same(a, b), "{a:?} against {b:?}"),
        (Err(_), Err(_)) => {}
        (Err(fault), Ok(_)) => {
            assert!(matches!(fault.code, Code::FloatRange | Code::Depth), "only we refuse: {fault:?}")
        }
        (Ok(_), Err(error)) => {
            assert!(error.to_string().contains("recursion limit"), "only they refuse: {error}")
        }
    }
});
