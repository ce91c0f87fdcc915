//! The vectors of vectors/msgpack against this crate alone. vectors/README.md explains their notation.
//!
//! What may surprise: what is left to whoever uses the crate is left out here too, or done by the test: the order of
//! keys, keys that stand twice, floats that do not fit, and what the bodies of our own application types say.

mod notation;

use std::fs;
use std::path::Path;
use std::thread::Builder;

use notation::{Json, Parser, octets};

use msgpack::{Floats, Limits, Reader, Skim, Style, Writer};
use wire::time::Instant;
use wire::{Buf, Code, Error, Input, Kind, Num, Result, Sink, Source, Str, Wrote};

// The notation.

#[derive(Clone, PartialEq, Eq, Debug)]
enum Value {
    Nil,
    Bool(bool),
    /// An integer of 64 bits, with or without sign.
    Int(i128),
    /// One beyond them: two's complement, low to high.
    Big(Vec<u8>),
    /// The bits of a float.
    Float(u64),
    Text(String),
    Bin(Vec<u8>),
    Array(Vec<Value>),
    Map(Vec<(Value, Value)>),
    Ext(i8, Vec<u8>),
    Time(i64, u32),
}

/// `-2**63-1` and decimal digits.
fn integer(json: &Json) -> Value {
    let Json::Text(text) = json else { return Value::Int(json.int().into()) };
    let (negative, power) = match text.split_once("2**") {
        Some((sign, power)) => (sign == "-", power),
        None => return small_or_big(text.parse::<i128>().unwrap()),
    };
    let (power, add) = power.split_at(power.find(['+', '-']).unwrap_or(power.len()));
    let power = power.parse::<usize>().unwrap();
    let add = if add.is_empty() { 0 } else { add.parse::<i128>().unwrap() };
    if power < 120 {
        return small_or_big(if negative { -(1 << power) } else { 1 << power } + add);
    }
    // Bits below the power are clear; above it stands the sign.
    let mut twos = vec![0; power / 8];
    twos.push(if negative { 0xff << (power % 8) } else { 1 << (power % 8) });
    twos.push(if negative { 0xff } else { 0 });
    let mut carry = add;
    for byte in &mut twos {
        carry += i128::from(*byte);
        *byte = carry as u8;
        carry >>= 8;
    }
    Value::Big(twos)
}

fn small_or_big(v: i128) -> Value {
    let fits = (i64::MIN.into()..=u64::MAX.into()).contains(&v);
    if fits { Value::Int(v) } else { Value::Big(v.to_le_bytes().into()) }
}

fn value(json: &Json) -> Value {
    let (tag, of) = match json {
        Json::Null => return Value::Nil,
        Json::Bool(v) => return Value::Bool(*v),
        Json::Int(v) => return Value::Int((*v).into()),
        Json::Text(text) => return Value::Text(text.clone()),
        Json::List(items) => return Value::Array(items.iter().map(value).collect()),
        Json::Object(members) => (members[0].0.as_str(), &members[0].1),
    };
    let part = |i: usize| &of.list()[i];
    let count = || part(1).int() as usize;
    match tag {
        "int" => integer(of),
        "f64" => Value::Float(u64::from_str_radix(of.text(), 16).unwrap()),
        "text" => Value::Text(part(0).text().repeat(count())),
        "bin" => Value::Bin(octets(of.text(), 0)),
        "array" => Value::Array(vec![value(part(0)); count()]),
        "nest" => (0..count()).fold(value(part(0)), |v, _| Value::Array(vec![v])),
        "nest-map" => (0..count()).fold(value(part(0)), |v, _| Value::Map(vec![(Value::Int(0), v)])),
        "map" => Value::Map(of.list().iter().map(|e| (value(&e.list()[0]), value(&e.list()[1]))).collect()),
        "count" => Value::Map((0..of.int().into()).map(|n| (Value::Int(n), Value::Nil)).collect()),
        "ext" => Value::Ext(part(0).int() as i8, octets(part(1).text(), 0)),
        "timestamp" => {
            let Value::Int(seconds) = integer(part(0)) else { panic!("seconds: {of:?}") };
            Value::Time(seconds as i64, count() as u32)
        }
        "typed" => {
            let (kind, dims) = (part(0).text(), part(1).list());
            let mut body = vec![kind.len() as u8];
            body.extend(kind.bytes());
            body.push(dims.len() as u8);
            dims.iter().for_each(|dim| body.extend(dim.int().to_be_bytes()));
            body.extend(octets(part(2).text(), 0));
            Value::Ext(43, body)
        }
        _ => panic!("no such tag: {tag}"),
    }
}

/// Calls with each case: its name, its mode and itself. On a stack of its own: some values nest a thousand deep.
fn each_case(f: fn(&str, &str, &Json)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/msgpack");
    let every = move || {
        let mut count = 0;
        for entry in fs::read_dir(folder).unwrap() {
            let text = fs::read_to_string(entry.unwrap().path()).unwrap();
            for case in Parser(&text).value().get("cases").unwrap().list() {
                let mode = case.get("mode").map_or("", Json::text);
                f(case.get("name").unwrap().text(), mode, case);
                count += 1;
            }
        }
        assert!(count >= 400);
    };
    let thread = Builder::new().stack_size(64 << 20).spawn(every).unwrap();
    assert!(thread.join().is_ok());
}

fn bytes_of(case: &Json, name: &str) -> Option<Vec<u8>> {
    case.get(name).map(|said| octets(said.text(), 0))
}

/// All bytes that are read as the value, and whether strict readers take them too.
fn forms(case: &Json) -> Vec<(Vec<u8>, bool)> {
    let mut found = vec![(bytes_of(case, "bytes").unwrap(), true)];
    for (name, strict) in [("also", false), ("also-strict", true)] {
        let listed = case.get(name).map_or(&[][..], Json::list);
        found.extend(listed.iter().map(|said| (octets(said.text(), 0), strict)));
    }
    found
}

// Writing.

fn written(v: &Value, style: &Style) -> Vec<u8> {
    let mut w = Writer::new(Buf::from_vec(Vec::new()), style);
    write(&mut w, v, style).unwrap();
    w.finish().into_vec()
}

fn write(w: &mut Writer<'_>, v: &Value, style: &Style) -> Wrote {
    match v {
        Value::Nil => w.null(),
        Value::Bool(v) => w.bool(*v),
        Value::Int(v) => match i64::try_from(*v) {
            Ok(v) => w.i64(v),
            Err(_) => w.u64(*v as u64),
        },
        Value::Big(twos) => w.big_bytes(twos),
        Value::Float(bits) => w.f64(f64::from_bits(*bits)),
        Value::Text(text) => w.str(Str::new(text)),
        Value::Bin(bytes) => w.bytes(bytes),
        Value::Ext(code, body) => w.ext(*code, body),
        Value::Time(seconds, nanosecond) => w.instant(Instant { seconds: *seconds, nanosecond: *nanosecond }),
        Value::Array(items) => {
            w.begin_array(items.len())?;
            for item in items {
                write(w, item, style)?;
                w.end_item()?;
            }
            w.end_array(items.is_empty())
        }
        Value::Map(entries) => {
            let mut entries: Vec<_> =
                entries.iter().map(|(key, of)| (written(key, style), written(of, style))).collect();
            if style.floats == Floats::Canonical {
                entries.sort();
            }
            w.begin_map(entries.len())?;
            for (key, of) in &entries {
                w.raw(key)?;
                w.end_key()?;
                w.raw(of)?;
                w.end_item()?;
            }
            w.end_map(entries.is_empty())
        }
    }
}

#[test]
fn values_are_written() {
    each_case(|name, mode, case| {
        let Some(bytes) = bytes_of(case, "bytes").filter(|_| case.get("why").is_none()) else { return };
        let v = value(case.get("value").unwrap());
        let floats = if mode == "float32" { Floats::Single } else { Floats::Double };
        let style = Style { floats, old: mode == "old-spec", big_int: 38, ..Style::default() };
        assert_eq!(written(&v, &style), bytes, "{name}");
        if !matches!(mode, "float32" | "old-spec") {
            let style = Style { floats: Floats::Canonical, ..style };
            assert_eq!(written(&v, &style), bytes_of(case, "canonical").unwrap_or(bytes), "{name}");
        }
    });
}

// Reading.

fn with<T>(bytes: &[u8], limits: Limits, f: impl FnOnce(&mut Reader<'_>) -> T) -> T {
    let mut copy = bytes.to_vec();
    f(&mut Reader::new(Input::new(&mut copy), limits))
}

/// One value. If `old`, text is bytes.
fn read(r: &mut Reader<'_>, old: bool) -> Result<Value> {
    let (kind, h) = r.head()?;
    Ok(match kind {
        Kind::Null => {
            r.null(h)?;
            Value::Nil
        }
        Kind::Bool => Value::Bool(r.bool(h)?),
        Kind::Number => match r.number(h)? {
            Num::I64(v) => Value::Int(v.into()),
            Num::U64(v) => Value::Int(v.into()),
            Num::F64(v) => Value::Float(v.to_bits()),
            other => panic!("{other:?}"),
        },
        Kind::Str => {
            let bytes = r.str(h)?.bytes().to_vec();
            if old { Value::Bin(bytes) } else { Value::Text(String::from_utf8(bytes).unwrap()) }
        }
        Kind::Bytes => Value::Bin(r.bytes(h)?.to_vec()),
        Kind::Array => {
            let mut left = r.array(h)?;
            let mut items = Vec::new();
            while r.item(&mut left)? {
                items.push(read(r, old)?);
            }
            Value::Array(items)
        }
        Kind::Map => {
            let mut left = r.map(h)?;
            let mut entries = Vec::new();
            while r.entry(&mut left)? {
                let key = read(r, old)?;
                r.value()?;
                entries.push((key, read(r, old)?));
            }
            Value::Map(entries)
        }
        Kind::Time => {
            let moment = r.time(h)?;
            Value::Time(moment.seconds, moment.nanosecond)
        }
        Kind::Ext => {
            let (code, body) = r.ext(h)?;
            Value::Ext(code, body.to_vec())
        }
        other => panic!("{other:?}"),
    })
}

/// Passes over a whole message, which checks it.
fn check(bytes: &[u8], limits: Limits) -> Result<()> {
    with(bytes, limits, |r| {
        r.skip()?;
        r.end()
    })
}

fn strict() -> Limits {
    Limits { strict: true, ..Limits::default() }
}

#[test]
fn bytes_are_read() {
    each_case(|name, mode, case| {
        if case.get("why").is_some() || case.get("way").is_some() {
            return;
        }
        let old = mode == "old-spec";
        let wanted = value(case.get("value").unwrap());
        for (form, taken) in forms(case) {
            let limits = Limits { any_text: old, ..Limits::default() };
            assert_eq!(check(&form, limits), Ok(()), "{name}: {form:02x?}");
            let got = with(&form, limits, |r| read(r, old)).unwrap();
            // Keys that stand twice, and the bodies of ext 38, are for others to look at.
            let twice =
                matches!((&got, &wanted), (Value::Map(got), Value::Map(one)) if got.len() > one.len());
            if mode != "big-int" && !twice {
                assert!(got == wanted, "{name}: {form:02x?}");
                assert!(old || check(&form, strict()).is_ok() == taken, "{name}, strict: {form:02x?}");
            }
            for n in (0..form.len()).filter(|&n| n < 40 || n + 1 == form.len()) {
                let cut = Err(Error { code: Code::Eof, at: n });
                assert_eq!(check(&form[..n], limits), cut, "{name}: {:02x?}", &form[..n]);
                let mut skim = Skim::default();
                assert_eq!(skim.look(&form[..n], &limits), Ok(None), "{name}: {:02x?}", &form[..n]);
                assert_eq!(skim.look(&form, &limits), Ok(Some(form.len())), "{name}: {form:02x?} at {n}");
            }
        }
    });
}

#[test]
fn bytes_are_refused() {
    each_case(|name, mode, case| {
        let (Some(why), Some(bytes)) = (case.get("why"), bytes_of(case, "bytes")) else { return };
        let code = match why.text() {
            "eof" => Code::Eof,
            "marker" => Code::Marker,
            "utf8" => Code::NotUtf8,
            "trailing" => Code::Trailing,
            "key" => Code::MapKey,
            "timestamp" => Code::Timestamp,
            "depth" => Code::Depth,
            "non-minimal" => Code::NotShortest,
            "duplicate-key" | "body" => {
                return assert_eq!(check(&bytes, Limits::default()), Ok(()), "{name}");
            }
            other => panic!("no such reason: {other}"),
        };
        let fault = Err(Error { code, at: case.get("offset").unwrap().int() as usize });
        if mode == "always" {
            assert_eq!(check(&bytes, Limits::default()), fault, "{name}");
            assert!(check(&bytes, strict()).is_err(), "{name}");
        } else {
            assert_eq!(check(&bytes, Limits::default()), Ok(()), "{name}");
            assert_eq!(check(&bytes, strict()), fault, "{name}");
        }
    });
}
