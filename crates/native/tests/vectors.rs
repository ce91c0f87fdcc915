//! The vectors of vectors/native against this crate alone: what a message says, what is refused and where, what is written.
//!
//! What may surprise: values are compared as the text that the vectors have for them, which [`Speller`] makes.

#[path = "../../msgpack/tests/notation/mod.rs"]
mod notation;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::thread::Builder;

use native::tree::{Id, Tree, Value, read, write};
use native::{Limits, Reader};
use notation::{Json, Parser, octets};
use wire::time::{Date, Time};
use wire::{Code, Error, Input};

/// Each case, on a stack that has room for spelling what is deep.
fn each_case(f: fn(&str, &Json)) {
    let all = move || {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/native");
        let mut n = 0;
        for file in fs::read_dir(folder).unwrap() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            for case in Parser(&text).value().get("cases").unwrap().list() {
                f(case.get("name").unwrap().text(), case);
                n += 1;
            }
        }
        assert!(n >= 700, "{n}");
    };
    Builder::new().stack_size(1 << 26).spawn(all).unwrap().join().unwrap();
}

fn parse(message: &[u8]) -> Result<Tree, Error> {
    read(Input::new(&mut message.to_vec()), Limits::default())
}

fn skip(message: &[u8]) -> Result<usize, Error> {
    let mut owned = message.to_vec();
    let mut reader = Reader::new(Input::new(&mut owned), Limits::default());
    let all = reader.begin().and_then(|()| reader.skip()).and_then(|()| reader.end(false));
    all.map(|()| reader.at()).map_err(|_| reader.why().unwrap())
}

fn why(code: Code) -> &'static str {
    match code {
        Code::Eof => "eof",
        Code::Header => "header",
        Code::Marker => "tag",
        Code::NotShortest => "non-minimal",
        Code::NotUtf8 => "utf8",
        Code::KeyKind => "key",
        Code::DuplicateKey => "duplicate",
        Code::Reference => "reference",
        Code::Undefined => "undefined",
        Code::Body => "body",
        Code::Depth => "depth",
        Code::Limit => "limit",
        Code::Trailing => "trailing",
        other => panic!("{other:?}"),
    }
}

/// The text of a graph. What is met twice has a label where it is met first.
struct Speller<'a> {
    tree: &'a Tree,
    times: BTreeMap<Id, usize>,
    labels: BTreeMap<Id, usize>,
    out: String,
}

fn spell(tree: &Tree) -> String {
    let mut s = Speller { tree, times: BTreeMap::new(), labels: BTreeMap::new(), out: String::new() };
    s.count(tree.root);
    s.value(tree.root);
    s.out
}

impl Speller<'_> {
    fn count(&mut self, id: Id) {
        let times = self.times.entry(id).or_default();
        *times += 1;
        if *times > 1 {
            return;
        }
        match &self.tree.values[id] {
            Value::List(parts) | Value::Tuple(parts) | Value::Set(parts) | Value::Frozenset(parts) => {
                parts.iter().for_each(|&part| self.count(part));
            }
            Value::Object(_, parts) => parts.iter().for_each(|&part| self.count(part)),
            Value::Dict(entries) => entries.iter().for_each(|&(k, v)| {
                self.count(k);
                self.count(v);
            }),
            Value::Ext(_, part) | Value::Time(.., Some(part)) | Value::DateTime(.., Some(part)) => {
                self.count(*part);
            }
            _ => {}
        }
    }

    /// Whether it can be told from an equal one.
    fn has_identity(&self, id: Id) -> bool {
        match &self.tree.values[id] {
            Value::List(_) | Value::Dict(_) | Value::Set(_) | Value::Frozenset(_) | Value::Bytearray(_) => {
                true
            }
            Value::Tuple(parts) => !parts.is_empty(),
            Value::Ext(code, _) => *code >= 0x10,
            Value::Object(of, _) => matches!(self.tree.types[*of].kind, 0 | 3),
            _ => false,
        }
    }

    fn value(&mut self, id: Id) {
        if let Some(label) = self.labels.get(&id) {
            write!(self.out, "*{label}").unwrap();
            return;
        }
        if self.times.get(&id) > Some(&1) && self.has_identity(id) {
            let label = self.labels.len();
            self.labels.insert(id, label);
            write!(self.out, "&{label} ").unwrap();
        }
        self.plain(id);
    }

    fn several(&mut self, open: &str, parts: &[Id], close: &str) {
        self.out += open;
        let from = self.out.len();
        let mut spelled = Vec::new();
        for &part in parts {
            let from = self.out.len();
            self.value(part);
            spelled.push(self.out.split_off(from));
        }
        assert_eq!(self.out.len(), from);
        if spelled.len() > 16 && spelled.iter().all(|one| *one == spelled[0]) {
            write!(self.out, "{} *{}", spelled[0], spelled.len()).unwrap();
        } else {
            self.out += &spelled.join(", ");
        }
        self.out += close;
    }

    fn plain(&mut self, id: Id) {
        let tree = self.tree;
        let text = match &tree.values[id] {
            Value::Open => "open".into(),
            Value::None => "None".into(),
            Value::Bool(v) => if *v { "True" } else { "False" }.into(),
            Value::Utc => "UTC".into(),
            Value::Int(v) => v.to_string(),
            Value::Big(twos) => big(twos),
            Value::Float(bits) => format!("float({bits:016x})"),
            Value::Complex(re, im) => format!("complex({re:016x}, {im:016x})"),
            Value::Str(s) => text(s),
            Value::Bytes(b) => format!("bytes({})", hex(b)),
            Value::Bytearray(b) => format!("bytearray({})", hex(b)),
            Value::Outside(index, n, writable) => {
                format!("outside({index}, {n}, {})", if *writable { 'w' } else { 'r' })
            }
            Value::Sealed(message) => format!("sealed({})", hex(message)),
            Value::Uuid(v) => format!("uuid({})", hex(v)),
            Value::Date(d) => format!("date({})", date(d)),
            Value::Time(t, fold, zone) => return self.zoned(&format!("time({}", time(t, *fold)), *zone),
            Value::DateTime(d, t, fold, zone) => {
                return self.zoned(&format!("datetime({} {}", date(d), time(t, *fold)), *zone);
            }
            Value::Timedelta(s) => format!("timedelta({}, {}, {})", s.days, s.seconds, s.micros),
            Value::List(parts) => return self.several("[", parts, "]"),
            Value::Tuple(parts) => {
                return self.several("(", parts, if parts.len() == 1 { ",)" } else { ")" });
            }
            Value::Set(parts) => return self.several("set(", parts, ")"),
            Value::Frozenset(parts) => return self.several("frozenset(", parts, ")"),
            Value::Dict(entries) => return self.dict(entries),
            Value::Object(of, values) => return self.object(*of, values),
            Value::Ext(code, body) => {
                write!(self.out, "{}(", EXTS[usize::from(*code)]).unwrap();
                self.value(*body);
                ")".into()
            }
        };
        self.out += &text;
    }

    fn zoned(&mut self, text: &str, zone: Option<Id>) {
        self.out += text;
        if let Some(zone) = zone {
            self.out.push(' ');
            self.value(zone);
        }
        self.out.push(')');
    }

    fn dict(&mut self, entries: &[(Id, Id)]) {
        self.out.push('{');
        for (n, &(k, v)) in entries.iter().enumerate() {
            self.out += if n > 0 { ", " } else { "" };
            self.value(k);
            self.out += ": ";
            self.value(v);
        }
        self.out.push('}');
    }

    fn object(&mut self, of: usize, values: &[Id]) {
        let t = &self.tree.types[of];
        let kind = ["record", "member", "member", "carrier"][usize::from(t.kind)];
        write!(self.out, "{kind} ").unwrap();
        self.plain(t.name);
        write!(self.out, " v{}", t.version).unwrap();
        let mut values = values;
        if matches!(t.kind, 1 | 2) {
            self.out += if t.kind == 1 { " name " } else { " value " };
            return self.value(values[0]);
        }
        if t.kind == 3 {
            self.out.push(' ');
            self.value(values[0]);
            values = &values[1..];
        }
        self.out.push(' ');
        let fields: Vec<_> = t.fields.iter().copied().zip(values.iter().copied()).collect();
        self.dict(&fields);
    }
}

const EXTS: [&str; 40] = [
    "",
    "Decimal",
    "Fraction",
    "SafeUUID",
    "timezone",
    "ZoneInfo",
    "PurePosixPath",
    "PureWindowsPath",
    "PosixPath",
    "WindowsPath",
    "IPv4Address",
    "IPv6Address",
    "IPv4Network",
    "IPv6Network",
    "IPv4Interface",
    "IPv6Interface",
    "range",
    "slice",
    "memoryview",
    "array",
    "ndarray",
    "scalar",
    "pattern",
    "builtin",
    "registered",
    "opaque",
    "",
    "",
    "",
    "",
    "",
    "",
    "deque",
    "OrderedDict",
    "defaultdict",
    "Counter",
    "ChainMap",
    "SimpleNamespace",
    "MappingProxyType",
    "frozendict",
];

fn date(d: &Date) -> String {
    format!("{:04}-{:02}-{:02}", d.year, d.month, d.day)
}

fn time(t: &Time, fold: bool) -> String {
    let fold = if fold { " fold" } else { "" };
    format!("{:02}:{:02}:{:02}.{:06}{fold}", t.hour, t.minute, t.second, t.nanosecond / 1000)
}

fn hex(bytes: &[u8]) -> String {
    match bytes {
        [first, ..] if bytes.len() > 40 && bytes.iter().all(|b| b == first) => {
            format!("{first:02x}*{}", bytes.len())
        }
        _ => bytes.iter().map(|b| format!("{b:02x}")).collect(),
    }
}

/// Code points, surrogates too.
fn points(mut bytes: &[u8]) -> Vec<u32> {
    let mut found = Vec::new();
    while let [first, rest @ ..] = bytes {
        let more = match first {
            0..0x80 => 0,
            0xc0..0xe0 => 1,
            0xe0..0xf0 => 2,
            _ => 3,
        };
        let lead = u32::from(*first) & (0xff >> (more + 1));
        let point = rest[..more].iter().fold(lead, |v, b| v << 6 | u32::from(b & 0x3f));
        found.push(if more == 0 { u32::from(*first) } else { point });
        bytes = &rest[more..];
    }
    found
}

fn text(bytes: &[u8]) -> String {
    let points = points(bytes);
    let one = |p: u32| match char::from_u32(p) {
        Some(c @ ('"' | '\\')) => format!("\\{c}"),
        Some(c @ ' '..='~') => c.into(),
        _ => format!("\\u{{{p:x}}}"),
    };
    if points.len() > 40 && points.iter().all(|p| *p == points[0]) {
        return format!("\"{}\"*{}", one(points[0]), points.len());
    }
    format!("\"{}\"", points.into_iter().map(one).collect::<String>())
}

/// Hexadecimal digits with a sign.
fn big(twos: &[u8]) -> String {
    let negative = twos.last().is_some_and(|&b| b >= 0x80);
    let mut carry = u16::from(negative);
    let mut digits = String::new();
    for &b in twos {
        let v = u16::from(if negative { !b } else { b }) + carry;
        carry = v >> 8;
        digits.insert_str(0, &format!("{:02x}", v as u8));
    }
    let digits = digits.trim_start_matches('0');
    format!("{}0x{digits}", if negative { "-" } else { "" })
}

#[test]
fn every_case_is_read_or_refused() {
    each_case(|name, case| {
        let message = octets(case.get("bytes").unwrap().text(), 0);
        let got = parse(&message);
        match case.get("value") {
            Some(value) => assert_eq!(got.as_ref().map(spell), Ok(value.text().to_owned()), "{name}"),
            None => {
                let got = got.map(|tree| spell(&tree)).map_err(|e| (why(e.code), e.at as i64));
                let wanted = (case.get("why").unwrap().text(), case.get("offset").unwrap().int());
                assert_eq!(got, Err(wanted), "{name}");
            }
        }
    });
}

#[test]
fn every_case_is_written() {
    each_case(|name, case| {
        let message = octets(case.get("bytes").unwrap().text(), 0);
        if let (Ok(tree), None) = (parse(&message), case.get("way")) {
            assert_eq!(hex(&write(&tree).unwrap()), hex(&message), "{name}");
        }
    });
}

#[test]
fn what_is_written_is_what_was_read() {
    each_case(|name, case| {
        if let Ok(tree) = parse(&octets(case.get("bytes").unwrap().text(), 0)) {
            let again = parse(&write(&tree).unwrap()).unwrap();
            assert_eq!(spell(&again), spell(&tree), "{name}");
        }
    });
}

#[test]
fn skipping_and_reading_agree() {
    // What a skipper leaves to others: what stands twice, what can be a key, bodies, and weights.
    const LEFT: [&str; 6] = ["key", "duplicate", "body", "limit", "reference", "tag"];
    each_case(|name, case| {
        let message = octets(case.get("bytes").unwrap().text(), 0);
        match (parse(&message), skip(&message)) {
            (Ok(_), n) => assert_eq!(n, Ok(message.len()), "{name}"),
            (Err(e), Ok(_)) => assert!(LEFT.contains(&why(e.code)), "{name}: {e:?}"),
            (Err(a), Err(b)) => assert_eq!(a, b, "{name}"),
        }
    });
}

#[test]
fn every_cut_is_refused() {
    each_case(|name, case| {
        let message = octets(case.get("bytes").unwrap().text(), 0);
        if parse(&message).is_ok() {
            for n in 0..message.len().min(60) {
                let got = parse(&message[..n]).map(|tree| spell(&tree));
                assert_eq!(got, Err(Error { code: Code::Eof, at: n }), "{name}, {n}");
            }
        }
    });
}

#[test]
fn every_changed_byte_gives_a_value_or_a_fault() {
    each_case(|_, case| {
        let message = octets(case.get("bytes").unwrap().text(), 0);
        // The long ones are long by repetition.
        for at in 0..if message.len() < 300 { message.len().min(40) } else { 0 } {
            let mut bad = message.clone();
            for byte in 0..=255 {
                bad[at] = byte;
                match parse(&bad) {
                    Ok(tree) => {
                        write(&tree).unwrap();
                        assert_eq!(skip(&bad), Ok(bad.len()));
                    }
                    Err(e) => assert!(e.at <= bad.len()),
                }
            }
        }
    });
}
