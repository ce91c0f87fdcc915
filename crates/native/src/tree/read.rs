//! Reading a message as a tree: all that docs/wire/native.md asks of a reader that has no objects.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::keys::Keys;
use super::{Id, Tree, Type, Value};
use crate::body;
use crate::head::Head;
use crate::limits::{Limits, Refused};
use crate::read::{Names, Reader};
use crate::tag::What;
use wire::{Code, Error, Input, Num};

/// Why it stopped: a fault that was found here; nothing if the reader has found one.
struct Stop(Option<Error>);

impl From<Refused> for Stop {
    fn from(_: Refused) -> Stop {
        Stop(None)
    }
}

impl From<Error> for Stop {
    fn from(e: Error) -> Stop {
        Stop(Some(e))
    }
}

type Result<T> = core::result::Result<T, Stop>;

/// A value with others in it, that is not finished.
struct Frame {
    id: Id,
    head: Head,
    /// How many values are still to come, and those that came.
    left: usize,
    parts: Vec<Id>,
    /// Which shape or type it has; the code of an EXT; the moment before a zone.
    of: usize,
    moment: u64,
    /// Keys and members so far, each as the number that equal ones share.
    seen: BTreeSet<usize>,
}

struct Build<'d> {
    reader: Reader<'d>,
    tree: Tree,
    /// Whether each value is finished.
    done: Vec<bool>,
    open: Vec<Frame>,
    /// What definitions with the S bit are, by index.
    shared: Vec<Id>,
    shapes: Vec<Vec<Id>>,
    keys: Keys,
    /// Tuples and frozensets that were referred to before they were finished, and where.
    early: Vec<(Id, usize)>,
    max_depth: usize,
}

/// Reads one message.
pub fn read(input: Input<'_>, limits: Limits) -> wire::Result<Tree> {
    let mut b = Build {
        reader: Reader::new(input, limits),
        tree: Tree::default(),
        done: Vec::new(),
        open: Vec::new(),
        shared: Vec::new(),
        shapes: Vec::new(),
        keys: Keys::default(),
        early: Vec::new(),
        max_depth: limits.max_depth,
    };
    match b.all() {
        Ok(()) => Ok(b.tree),
        // One of both has said why.
        Err(Stop(why)) => Err(why.or(b.reader.why()).unwrap_or(Error { code: Code::Empty, at: 0 })),
    }
}

fn fault<T>(code: Code, at: usize) -> Result<T> {
    Err(Error { code, at }.into())
}

impl Build<'_> {
    fn all(&mut self) -> Result<()> {
        self.reader.begin()?;
        self.tree.root = self.run()?;
        self.reader.end(false)?;
        for &(id, at) in &self.early {
            if !self.keys.known(&self.tree, &self.done, id) {
                return fault(Code::Reference, at);
            }
        }
        Ok(())
    }

    fn run(&mut self) -> Result<Id> {
        // The value that was just finished, and where it stands.
        let mut done = None;
        loop {
            if let Some((id, at)) = done {
                match self.open.last_mut() {
                    None => return Ok(id),
                    Some(frame) => {
                        frame.left -= 1;
                        frame.parts.push(id);
                    }
                }
                self.check_part(id, at)?;
            }
            done = match self.open.last() {
                Some(frame) if frame.left == 0 => self.close()?,
                _ => {
                    let h = self.reader.head()?;
                    self.value(h)?
                }
            };
        }
    }

    /// Looks at a value that has just become a part of another.
    fn check_part(&mut self, id: Id, at: usize) -> Result<()> {
        let Some(frame) = self.open.last_mut() else { return Ok(()) };
        match frame.head.what() {
            What::Set | What::Frozenset => {}
            What::Dict if frame.parts.len() % 2 == 1 => {}
            What::Type | What::Record => {
                let by_name = self.tree.types[frame.of].kind == 1;
                let text = matches!(self.tree.values[id], Value::Str(_));
                return if by_name && !text { fault(Code::Body, at) } else { Ok(()) };
            }
            _ => return Ok(()),
        }
        let class = self.keys.class(&self.tree, &self.done, id, at)?;
        if frame.seen.insert(class) { Ok(()) } else { fault(Code::DuplicateKey, at) }
    }

    fn place(&mut self, h: Head, value: Value) -> Id {
        let id = self.tree.values.len();
        self.tree.values.push(value);
        self.done.push(false);
        if h.shared() {
            self.shared.push(id);
        }
        id
    }

    /// Takes the next value if it has no parts; opens it otherwise.
    fn value(&mut self, h: Head) -> Result<Option<(Id, usize)>> {
        if h.what() == What::Ref {
            let id = self.shared[self.reader.reference(h)?];
            if !self.done[id] && matches!(self.tree.values[id], Value::Tuple(_) | Value::Frozenset(_)) {
                self.early.push((id, h.at()));
            }
            return Ok(Some((id, h.at())));
        }
        let empty = match h.what() {
            What::List => Value::List(Vec::new()),
            What::Tuple => Value::Tuple(Vec::new()),
            What::Set => Value::Set(Vec::new()),
            What::Frozenset => Value::Frozenset(Vec::new()),
            What::Dict | What::Shape | What::Shaped => Value::Dict(Vec::new()),
            _ => Value::Open,
        };
        let id = self.place(h, empty);
        if let Some(value) = self.leaf(h)? {
            self.tree.values[id] = value;
            self.done[id] = true;
            return Ok(Some((id, h.at())));
        }
        if self.open.len() >= self.max_depth {
            return fault(Code::Depth, h.at());
        }
        let (mut of, mut moment) = (0, 0);
        let left = match h.what() {
            What::Dict => 2 * self.reader.entries(h)?,
            What::Shape => {
                let names = self.reader.shape(h)?;
                let keys = self.names(names)?;
                of = self.shapes.len();
                self.shapes.push(keys);
                self.reader.define_shape(names)?;
                names.0
            }
            What::Type => {
                of = self.tree.types.len();
                self.definition(h)?
            }
            What::Shaped | What::Record => {
                let (index, n) =
                    if h.what() == What::Shaped { self.reader.shaped(h)? } else { self.reader.record(h)? };
                of = index;
                n
            }
            What::Ext => {
                of = self.reader.ext()?.into();
                if !body::known(of as u8) {
                    return fault(Code::Marker, h.at());
                }
                if !self.reader.bodily() {
                    return fault(Code::Body, h.at());
                }
                1
            }
            What::TimeTz | What::DateTimeTz => {
                moment = self.reader.moment(h)?;
                1
            }
            _ => self.reader.items(h)?,
        };
        let parts = Vec::with_capacity(left);
        self.open.push(Frame { id, head: h, left, parts, of, moment, seen: BTreeSet::new() });
        Ok(None)
    }

    fn leaf(&mut self, h: Head) -> Result<Option<Value>> {
        let r = &mut self.reader;
        Ok(Some(match h.what() {
            What::None => Value::None,
            What::Bool => Value::Bool(h.bool()),
            What::Utc => Value::Utc,
            What::Int => Value::Int(h.small().into()),
            What::Number => match r.number(h)? {
                Num::I64(v) => Value::Int(v.into()),
                Num::U64(v) => Value::Int(v.into()),
                Num::Bytes(twos) => Value::Big(twos.to_vec()),
                Num::F64(_) | Num::Text(_) => return fault(Code::Marker, h.at()),
            },
            What::Float => Value::Float(r.float()?.to_bits()),
            What::Complex => Value::Complex(r.float()?.to_bits(), r.float()?.to_bits()),
            What::Str => {
                let text = r.str(h)?;
                let (n, text) = (text.bytes().len(), text.utf8());
                Value::Str(text.map_err(|good| r.not_utf8(n, good))?.into())
            }
            What::Wstr => Value::Str(r.wstr(h)?.to_vec()),
            What::Bytes => Value::Bytes(r.bytes(h)?.to_vec()),
            What::Bytearray => Value::Bytearray(r.bytes(h)?.to_vec()),
            What::Buffer => match r.buffer(h)? {
                (bytes, false) => Value::Bytes(bytes.to_vec()),
                (bytes, true) => Value::Bytearray(bytes.to_vec()),
            },
            What::Outside => {
                let (index, n, writable) = r.outside(h)?;
                Value::Outside(index, n, writable)
            }
            What::Sealed => Value::Sealed(r.sealed(h)?.to_vec()),
            What::Uuid => Value::Uuid(r.uuid()?),
            What::Date => match crate::day(r.moment(h)?) {
                Some(day) => Value::Date(day),
                None => return fault(Code::Body, h.at()),
            },
            What::Time | What::DateTime => {
                let v = r.moment(h)?;
                moment(h, v, None)?
            }
            What::Timedelta => Value::Timedelta(r.timedelta(h)?),
            What::Packed => {
                let (tuple, kind, items) = r.packed(h)?;
                let width = 1 << kind.min(3);
                let items = items.chunks_exact(width).map(|item| {
                    let mut v = [if item.last() >= Some(&0x80) { 0xff } else { 0 }; 8];
                    v[..width].copy_from_slice(item);
                    let number = if kind == 4 {
                        Value::Float(u64::from_le_bytes(v))
                    } else {
                        Value::Int(i64::from_le_bytes(v).into())
                    };
                    self.tree.values.push(number);
                    self.done.push(true);
                    self.tree.values.len() - 1
                });
                let items = items.collect();
                if tuple { Value::Tuple(items) } else { Value::List(items) }
            }
            _ => return Ok(None),
        }))
    }

    /// The keys of a shape, the fields of a type.
    fn names(&mut self, names: Names) -> Result<Vec<Id>> {
        let mut found = Vec::with_capacity(names.0);
        let mut seen = BTreeSet::new();
        for _ in 0..names.0 {
            let (id, at) = self.name()?;
            match &self.tree.values[id] {
                Value::Str(name) if seen.insert(name.clone()) => found.push(id),
                Value::Str(_) => return fault(Code::DuplicateKey, at),
                _ => return fault(Code::KeyKind, at),
            }
        }
        Ok(found)
    }

    fn name(&mut self) -> Result<(Id, usize)> {
        let h = self.reader.name()?;
        match self.value(h)? {
            Some(name) => Ok(name),
            None => fault(Code::KeyKind, h.at()),
        }
    }

    fn definition(&mut self, h: Head) -> Result<usize> {
        let head = self.reader.type_head(h)?;
        let (name, at) = self.name()?;
        if !matches!(self.tree.values[name], Value::Str(_) | Value::Int(0..0x8000_0000)) {
            return fault(Code::KeyKind, at);
        }
        let (version, names) = self.reader.version(h.at(), head.kind)?;
        let fields = self.names(names)?;
        self.tree.types.push(Type { kind: head.kind, name, version, fields });
        Ok(self.reader.define_type(head.kind, names)?)
    }

    /// Makes the innermost value that is open of its parts.
    fn close(&mut self) -> Result<Option<(Id, usize)>> {
        let Some(frame) = self.open.pop() else { return Ok(None) };
        let (h, parts) = (frame.head, frame.parts);
        let value = match h.what() {
            What::Tuple => Value::Tuple(parts),
            What::Set => Value::Set(parts),
            What::Frozenset => Value::Frozenset(parts),
            What::Dict => Value::Dict(parts.chunks_exact(2).map(|kv| (kv[0], kv[1])).collect()),
            What::Shape | What::Shaped => {
                Value::Dict(self.shapes[frame.of].iter().copied().zip(parts).collect())
            }
            What::Type | What::Record => Value::Object(frame.of, parts),
            What::Ext => {
                if !body::fits(&self.tree, frame.of as u8, parts[0]) {
                    return fault(Code::Body, h.at());
                }
                Value::Ext(frame.of as u8, parts[0])
            }
            What::TimeTz | What::DateTimeTz => {
                if !self.done[parts[0]] {
                    return fault(Code::Reference, h.at());
                }
                moment(h, frame.moment, Some(parts[0]))?
            }
            _ => Value::List(parts),
        };
        self.tree.values[frame.id] = value;
        self.done[frame.id] = true;
        Ok(Some((frame.id, h.at())))
    }
}

/// A time or a datetime, whose fields were checked.
fn moment(h: Head, v: u64, zone: Option<Id>) -> Result<Value> {
    let date =
        if matches!(h.what(), What::DateTime | What::DateTimeTz) { Some(crate::day(v >> 38)) } else { None };
    match (date, crate::time(v & ((1 << 38) - 1))) {
        (None, Some((time, fold))) => Ok(Value::Time(time, fold, zone)),
        (Some(Some(date)), Some((time, fold))) => Ok(Value::DateTime(date, time, fold, zone)),
        _ => fault(Code::Body, h.at()),
    }
}
