//! rmpv accepts and refuses the same messages and reads the same values, wherever both define them.
//!
//! Left out are its limit of depth; maps as keys, which it has; and the byte c1, which it reads as nil. Timestamps are application
//! types to it, and text that is not UTF-8 is kept.
#![no_main]

use libfuzzer_sys::fuzz_target;
use msgpack::Limits;
use tree::DEPTH;
use tree::pack::{Value, read};
use wire::Code;

fn same(ours: &Value, theirs: &rmpv::Value) -> bool {
    use rmpv::Value as Theirs;
    match (ours, theirs) {
        (Value::Nil, Theirs::Nil) => true,
        (Value::Bool(a), Theirs::Boolean(b)) => a == b,
        (Value::Int(a), Theirs::Integer(b)) => {
            Ok(*a) == b.as_i64().map(i128::from).or(b.as_u64().map(i128::from)).ok_or(())
        }
        (Value::Float(a), Theirs::F64(b)) => *a == b.to_bits(),
        (Value::Float(a), Theirs::F32(b)) => {
            // Widening makes every NaN a quiet one; we keep the bits.
            *a == f64::from(*b).to_bits() || f64::from_bits(*a).is_nan() && b.is_nan()
        }
        (Value::Text(a), Theirs::String(b)) => a == b.as_bytes(),
        (Value::Bytes(a), Theirs::Binary(b)) => a == b,
        (Value::Array(a), Theirs::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Map(a), Theirs::Map(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(&a.0, &b.0) && same(&a.1, &b.1))
        }
        (Value::Ext(code, a), Theirs::Ext(kind, b)) => code == kind && a == b,
        _ => false,
    }
}

fuzz_target!(|data: &[u8]| {
    let limits = Limits { max_depth: DEPTH, any_text: true, time_as_ext: true, ..Limits::default() };
    let ours = read(data, limits);
    let mut rest = data;
    let theirs = rmpv::decode::read_value(&mut rest);
    match (&ours, &theirs) {
        (Ok((a, end)), Ok(b)) => {
            assert_eq!(*end, data.len() - rest.len(), "where it ends");
            assert!(same(a, b), "{a:?} against {b:?}");
        }
        (Err(_), Err(_)) => {}
        (Err(fault), Ok(_)) => {
            assert!(
                matches!(fault.code, Code::Marker | Code::MapKey | Code::Depth),
                "only we refuse: {fault:?}"
            )
        }
        (Ok(_), Err(error)) => panic!("only they refuse: {error}"),
    }
});
