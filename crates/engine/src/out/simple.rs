//! Objects as the values that every serializer knows: what `to_builtins` gives.
//!
//! The items of an open container stand on one stack, those of the innermost last, and what becomes of each takes its
//! place; at the end the container is made of them. What may surprise: they are taken out of the container when it is
//! begun, so nothing that user code does to it meanwhile is seen.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use wire::say;

use super::key_value::shown;
use super::leaf::CHAIN;
use super::record::Record;
use super::rules::Policy;
use super::shaped::entries;
use super::sort::{Classes, Known, Sort, member_value};
use super::walk::Writing;
use crate::env::Env;
use crate::fault::{Cause, Fault, Path, What, last_part};
use model::{Class, Flag};
use py::{Own, Raised, Ref, Result, Seen, This, Young};
use wire::time::{Duration, TimeStyle};

/// How simple values are made.
pub struct Simple<'a> {
    /// Keys become text.
    pub text_keys: bool,
    /// Classes whose instances stay as they are.
    pub kept: Vec<Own>,
    /// What gives another object for one that is not known.
    pub hook: Option<Own>,
    /// The same for those that have a codec: gives the object itself if it has none.
    pub codecs: Option<Own>,
    /// Sets and dicts are put in order.
    pub sort: bool,
    /// Fields too.
    pub sort_fields: bool,
    /// As another library has it: texts are its own, and private fields of attrs classes are left out.
    pub foreign: bool,
    /// What is left out of instances.
    pub policy: Policy,
    /// Writes a value as JSON: what is no simple value is spelled as there.
    pub text: &'a dyn Fn(Ref<'_>) -> Result<Own>,
}

/// How deep containers may nest. Nobody can compare or show what nests deeper.
const DEPTH: usize = 1000;
/// How deep keys may stand in keys.
const KEYS: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    List,
    Tuple,
    Set,
    /// A dict; keys and values stand in turn.
    Dict,
    /// What has fields.
    Fields,
}

/// An open container.
struct Frame {
    kind: Kind,
    /// Where its items begin, and the first that has an index: a tag has none.
    base: usize,
    first: usize,
    /// The value at hand, and how far the next is from it: a key stands before it in a map.
    next: usize,
    step: usize,
    /// A key was not text.
    spelled: bool,
}

/// What is kept from call to call: two stacks, empty.
#[derive(Default)]
pub(super) struct Kept {
    items: Vec<Own>,
    frames: Vec<Frame>,
}

/// How large stacks may be to be kept.
const KEEP: usize = 4096;

struct Making<'r> {
    by: &'r Simple<'r>,
    env: &'r Env,
    classes: &'r mut Classes,
    items: Vec<Own>,
    frames: Vec<Frame>,
    /// How many keys this stands in.
    level: usize,
    what: What,
}

impl Simple<'_> {
    /// Makes simple values of an object.
    pub fn make(
        &self,
        env: &Env,
        writing: &mut Writing,
        o: Ref<'_>,
    ) -> core::result::Result<Own, Box<Fault>> {
        let Kept { items, frames } = core::mem::take(&mut writing.simple);
        let classes = &mut writing.classes;
        let mut m = Making { by: self, env, classes, items, frames, level: 0, what: What::Raised };
        match m.run(o.own()) {
            // At its end both stacks are empty.
            Ok(made) => {
                if m.items.capacity() <= KEEP {
                    writing.simple = Kept { items: m.items, frames: m.frames };
                }
                Ok(made)
            }
            Err(Raised) => {
                let path = m.path();
                Err(Fault::new(m.what, path))
            }
        }
    }

    fn keeps(&self, o: Ref<'_>) -> bool {
        self.kept.iter().any(|c| c.as_ref().is(o.class().as_ref()))
    }
}

/// Whether it is simple already.
#[inline(always)]
fn is_plain(o: Ref<'_>) -> bool {
    matches!(o.see(), Seen::None | Seen::Bool(_) | Seen::Int(_) | Seen::Float(_) | Seen::Str(_))
}

/// What an object of the standard library, or of an array library, is without its class.
#[cold]
fn spelled(o: &Own) -> Result<Own> {
    let module = py::import(c"oxwire._codecs")?;
    py::call_method1(module.as_ref(), c"simple", o.as_ref())
}

/// The fields of a class that others know as one that has some.
fn record(known: &Known, o: &Own) -> Result<Option<Arc<Record>>> {
    if matches!(known.sort, Sort::Dataclass | Sort::Attrs) {
        return Ok(known.record.clone());
    }
    // It may be something else, too.
    let class = o.as_ref().class();
    if class.has_own(c"__dataclass_fields__") {
        Record::of_dataclass(class)
    } else if class.has_own(c"__attrs_attrs__") {
        Record::of_attrs(class)
    } else {
        Ok(None)
    }
}

impl Making<'_> {
    fn run(&mut self, root: Own) -> Result<Own> {
        if let Some(made) = self.value(root)? {
            return Ok(made);
        }
        loop {
            let Some(f) = self.frames.last_mut() else { return Err(Raised) };
            let text_keys = self.by.text_keys;
            let mut odd = None;
            while let Some(o) = self.items.get(f.next) {
                let key = if f.step > 1 { self.items.get(f.next - 1) } else { None };
                let key =
                    key.filter(|k| !(k.as_ref().as_str().is_some() || !text_keys && is_plain(k.as_ref())));
                if !is_plain(o.as_ref()) || key.is_some() {
                    odd = Some((o.clone(), key.cloned()));
                    break;
                }
                f.next += f.step;
            }
            let at = f.next;
            let made = match odd {
                Some((o, key)) => {
                    if let Some(key) = key {
                        f.spelled = true;
                        let key = self.key(key)?;
                        self.put(at - 1, key);
                    }
                    self.value(o)?
                }
                None => {
                    let made = self.end()?;
                    self.frames.pop();
                    if self.frames.is_empty() {
                        return Ok(made);
                    }
                    Some(made)
                }
            };
            if let (Some(made), Some(f)) = (made, self.frames.last_mut()) {
                let at = f.next;
                f.next += f.step;
                self.put(at, made);
            }
        }
    }

    fn put(&mut self, at: usize, o: Own) {
        if let Some(place) = self.items.get_mut(at) {
            *place = o;
        }
    }

    /// What an object becomes; nothing if it is a container that was begun.
    fn value(&mut self, mut o: Own) -> Result<Option<Own>> {
        for _ in 0..CHAIN {
            match o.as_ref().see() {
                Seen::None | Seen::Bool(_) | Seen::Int(_) | Seen::Float(_) | Seen::Str(_) => {
                    return Ok(Some(o));
                }
                _ if self.by.keeps(o.as_ref()) => return Ok(Some(o)),
                Seen::List(_) => {
                    self.begin(Kind::List)?;
                    return self.push(&o).map(|()| None);
                }
                Seen::Tuple(tuple) => {
                    self.begin(Kind::Tuple)?;
                    let tuple = tuple.hold();
                    self.items.extend((0..tuple.len()).filter_map(|i| tuple.get(i).map(Ref::own)));
                    return Ok(None);
                }
                Seen::Dict(dict) => {
                    self.begin(Kind::Dict)?;
                    let dict = dict.hold();
                    self.items.reserve(2 * dict.len());
                    let mut place = 0;
                    while let Some((k, v)) = dict.next(&mut place) {
                        py::push(&mut self.items, k.as_ref().own());
                        py::push(&mut self.items, v.as_ref().own());
                    }
                    return Ok(None);
                }
                _ => {}
            }
            if let Some(codecs) = &self.by.codecs {
                let made = py::call1(codecs.as_ref(), o.as_ref())?;
                if !made.as_ref().is(o.as_ref()) {
                    o = made;
                    continue;
                }
            }
            if let Some(s) = self.env.structs.this(o.as_ref()) {
                return self.fields(s).map(|()| None);
            }
            if let Some(made) = self.plain_text(o.as_ref()) {
                return made.map(Some);
            }
            let known = self.classes.of(self.env, &o)?;
            match known.sort {
                Sort::Uuid => self.env.meet_uuid(o.as_ref().class().as_ref())?,
                Sort::Decimal => self.env.meet_decimal(o.as_ref().class()),
                _ => {}
            }
            o = match known.sort {
                Sort::Enum | Sort::OddEnum => member_value(self.env, known.sort, o.as_ref())?,
                Sort::Set => return self.items_of(Kind::Set, &o),
                Sort::TupleSub => return self.items_of(Kind::Tuple, &o),
                Sort::ListSub => return self.items_of(Kind::List, &o),
                Sort::DictSub | Sort::OddDict => {
                    self.begin(Kind::Dict)?;
                    let pairs = self.env.help(c"pairs", &[o.as_ref()])?;
                    return self.push(&pairs).map(|()| None);
                }
                sort if self.is_spelled(sort, &o) => return self.text(&o).map(Some),
                Sort::Raw => return Err(self.unknown(&o)),
                _ => {
                    if let Some(record) = record(&known, &o)? {
                        return self.attributes(&record, &o).map(|()| None);
                    }
                    let made = if self.by.foreign { py::not_implemented() } else { spelled(&o)? };
                    match &self.by.hook {
                        _ if !made.as_ref().is(py::not_implemented().as_ref()) => made,
                        Some(hook) => py::call1(hook.as_ref(), o.as_ref())?,
                        None => return Err(self.unknown(&o)),
                    }
                }
            };
        }
        Err(self.too_deep())
    }

    /// Whether it is text in JSON, and exactly of a class that is.
    fn is_spelled(&self, sort: Sort, o: &Own) -> bool {
        match sort {
            Sort::Bytes | Sort::ByteArray | Sort::MemoryView => o.as_ref().is_plain_data(),
            Sort::Delta => self.env.moments.exact(o.as_ref().class()).is_some(),
            Sort::Decimal => last_part(o.as_ref().class().tp_name()) == "Decimal",
            _ => matches!(sort, Sort::DateTime | Sort::Date | Sort::Time | Sort::Uuid),
        }
    }

    /// The same, of what has a class that needs no second look.
    #[inline(never)]
    fn plain_text(&self, o: Ref<'_>) -> Option<Result<Own>> {
        let (moments, mut room) = (&self.env.moments, [0; Duration::ROOM]);
        let style = TimeStyle { utc_z: self.by.foreign, ..TimeStyle::default() };
        let text = if let Some(v) = moments.plain_datetime(o) {
            v.text(style, room.first_chunk_mut()?)
        } else if let Some(v) = moments.plain_date(o) {
            v.text(room.first_chunk_mut()?)
        } else if let Some(v) = moments.plain_time(o) {
            v.text(style, room.first_chunk_mut()?)
        } else if let Some(v) = moments.plain_delta(o) {
            v.text(&mut room)
        } else if let Some(v) = self.env.plain_uuid(o) {
            wire::uuid::text(v.to_be_bytes(), room.first_chunk_mut()?)
        } else if self.env.is_decimal(o) {
            let text = py::text_of(o);
            // Those that are no numbers begin with letters.
            let number = |text: &Own| {
                let mut all = text.as_ref().as_str()?.ascii()?.iter();
                all.find(|b| **b != b'-').map(u8::is_ascii_digit)
            };
            return match text {
                Ok(text) if number(&text) == Some(true) => Some(Ok(text)),
                Ok(_) => None,
                Err(e) => Some(Err(e)),
            };
        } else {
            return None;
        };
        py::ascii(&text, None)
    }

    /// The text of a value in JSON, without quotes.
    fn text(&self, o: &Own) -> Result<Own> {
        if let Some(made) = self.plain_text(o.as_ref()) {
            return made;
        }
        if let Some(bytes) = o.as_ref().as_bytes() {
            return py::text(&wire::base64::text(bytes));
        }
        let spelled = (self.by.text)(o.as_ref())?;
        let spelled = spelled.as_ref().as_bytes().unwrap_or_default();
        py::str_from(spelled.get(1..spelled.len().saturating_sub(1)).unwrap_or_default())
    }

    fn begin(&mut self, kind: Kind) -> Result<()> {
        if self.frames.len() >= DEPTH {
            return Err(self.too_deep());
        }
        let (base, step) = (self.items.len(), if matches!(kind, Kind::Dict | Kind::Fields) { 2 } else { 1 });
        self.frames.push(Frame { kind, base, first: base, next: base + step - 1, step, spelled: false });
        Ok(())
    }

    /// Begins a container of whatever an iterable gives.
    fn items_of(&mut self, kind: Kind, o: &Own) -> Result<Option<Own>> {
        self.begin(kind)?;
        let list = py::list_of(o.as_ref())?;
        self.push(&list).map(|()| None)
    }

    fn push(&mut self, list: &Own) -> Result<()> {
        let Some(list) = list.as_ref().as_any_list().map(|l| l.hold()) else { return Ok(()) };
        self.items.reserve(list.len());
        let mut i = 0;
        while let Some(item) = list.get(i) {
            py::push(&mut self.items, item.as_ref().own());
            i += 1;
        }
        Ok(())
    }

    /// Begins an instance of one of our classes.
    fn fields(&mut self, s: This<'_, Class>) -> Result<()> {
        let class = s.shape();
        if !class.is(Flag::ArrayLike) {
            self.begin(Kind::Fields)?;
            let items = &mut self.items;
            let put = &mut |key, v| {
                py::push(items, key);
                py::push(items, v);
            };
            return entries(self.env, self.by.policy, s, put).map_err(|what| {
                self.what = what;
                Raised
            });
        }
        self.begin(Kind::List)?;
        if let Some((_, tag)) = &class.tag {
            self.items.push(tag.clone());
            if let Some(f) = self.frames.last_mut() {
                f.first += 1;
            }
        }
        for (i, field) in class.fields.iter().enumerate() {
            let Some(v) = s.value(i) else { return Err(model::unset(field.name.as_ref())) };
            py::push(&mut self.items, v);
        }
        Ok(())
    }

    /// Begins an instance of such a class; a field that it lacks is left out.
    fn attributes(&mut self, record: &Record, o: &Own) -> Result<()> {
        self.begin(Kind::Fields)?;
        let public = self.by.foreign && !o.as_ref().class().has_own(c"__dataclass_fields__");
        for name in record.names(public) {
            match o.as_ref().attr_or_none(name)? {
                Some(v) if !v.as_ref().is(self.env.unset.as_ref()) => self.items.extend([name.clone(), v]),
                _ => {}
            }
        }
        Ok(())
    }

    /// A key as a key of what is made.
    #[cold]
    #[inline(never)]
    fn key(&mut self, given: Own) -> Result<Own> {
        let sort = self.classes.of(self.env, &given)?.sort;
        let key =
            if sort == Sort::Enum { member_value(self.env, sort, given.as_ref())? } else { given.clone() };
        if key.as_ref().as_str().is_some() {
            return Ok(key);
        }
        let key = if self.is_spelled(sort, &key) {
            key
        } else {
            self.env.help(c"simple_key", &[key.as_ref(), py::bool(self.by.text_keys).as_ref()])?
        };
        let key = self.whole(key)?;
        match key.as_ref().see() {
            Seen::Str(_) => Ok(key),
            Seen::List(_) | Seen::Dict(_) => Err(self.no_key(&given)),
            _ if self.by.text_keys => Err(self.no_key(&given)),
            _ => Ok(key),
        }
    }

    /// A value by itself.
    fn whole(&mut self, o: Own) -> Result<Own> {
        if self.level >= KEYS {
            return Err(self.too_deep());
        }
        let (env, by, level) = (self.env, self.by, self.level + 1);
        let (items, frames, what) = (Vec::new(), Vec::new(), What::Raised);
        let mut inner = Making { by, env, classes: &mut *self.classes, items, frames, level, what };
        let made = inner.run(o);
        self.what = inner.what;
        made
    }

    /// The container that is open, of its items.
    fn end(&mut self) -> Result<Own> {
        let Some(&Frame { kind, base, spelled, .. }) = self.frames.last() else { return Err(Raised) };
        let sort = if kind == Kind::Fields { self.by.sort_fields } else { self.by.sort };
        match kind {
            Kind::Fields | Kind::Dict if sort => self.end_odd(base, true),
            Kind::Fields | Kind::Dict if spelled => match self.distinct(base)? {
                Some(made) => Ok(made),
                None => self.end_odd(base, false),
            },
            Kind::Fields | Kind::Dict => py::dict(&mut self.items, base, Young::default()),
            Kind::Tuple => py::tuple(&mut self.items, base),
            Kind::List | Kind::Set => {
                let list = py::list_cold(&mut self.items, base)?;
                if kind == Kind::Set && sort {
                    py::call_method0(list.as_ref(), c"sort")?;
                }
                Ok(list)
            }
        }
    }

    /// The same of a dict whose keys may be alike; nothing if they are.
    #[inline(never)]
    fn distinct(&mut self, base: usize) -> Result<Option<Own>> {
        let made = py::new_dict()?;
        let pairs = self.items.get(base..).unwrap_or_default();
        for [key, value] in pairs.as_chunks().0 {
            py::dict_put(&made, key.as_ref(), value.as_ref())?;
        }
        let whole = made.as_ref().as_any_dict().is_some_and(|d| 2 * d.hold().len() == pairs.len());
        if whole {
            self.items.truncate(base);
        }
        Ok(whole.then_some(made))
    }

    /// The same of a dict whose keys are alike, or to be sorted.
    #[cold]
    #[inline(never)]
    fn end_odd(&mut self, base: usize, sort: bool) -> Result<Own> {
        let items = py::list_cold(&mut self.items, base)?;
        let made = self.env.help(c"simple_dict", &[items.as_ref(), py::bool(sort).as_ref()])?;
        match made.as_ref().as_any_str() {
            Some(words) => Err(self.refuse(words.lossy())),
            None => Ok(made),
        }
    }

    // What is wrong: an exception, unless it is said here what.

    #[cold]
    fn stop(&mut self, what: What) -> Raised {
        self.what = what;
        Raised
    }

    #[cold]
    fn refuse(&mut self, words: String) -> Raised {
        self.stop(What::Invalid(words, Cause(None)))
    }

    #[cold]
    fn too_deep(&mut self) -> Raised {
        self.frames.clear();
        self.refuse("Containers nest too deep, or contain themselves".into())
    }

    #[cold]
    fn no_key(&mut self, key: &Own) -> Raised {
        self.stop(What::Key(key.as_ref().class().names().1, shown(key.as_ref())))
    }

    #[cold]
    fn unknown(&mut self, o: &Own) -> Raised {
        let (module, name) = o.as_ref().class().names();
        let class = py::words(say!("{}.{}"), &[(&module).into(), (&name).into()]);
        self.stop(What::Unsupported(class))
    }

    #[cold]
    fn path(&self) -> String {
        let mut path = Path::new();
        for (i, f) in self.frames.iter().enumerate() {
            // At its end it is the container itself that is wrong.
            let end = self.frames.get(i + 1).map_or(self.items.len(), |inner| inner.base);
            if f.next >= end {
                continue;
            }
            let key = self.items.get(f.next.wrapping_sub(1)).filter(|_| f.step > 1);
            match key.map(|key| (key, key.as_ref().as_any_str())) {
                None => path.index(f.next.saturating_sub(f.first)),
                Some((_, Some(key))) if f.kind == Kind::Fields => path.field(&key.lossy()),
                Some((_, Some(key))) => path.key(&key.lossy()),
                Some((key, None)) => path.other(&shown(key.as_ref())),
            }
        }
        path.done()
    }
}
