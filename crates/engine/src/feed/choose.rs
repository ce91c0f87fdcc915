//! Which member of a union an object or an array is, where neither its kind nor the tag of a Struct says it.
//!
//! Keys are looked at until one is met that only one member knows; where there is none, all that a member
//! needs must be there, and of those the one that knows the most is taken. What is left are tries: the
//! value is read as one member after the other, and what failed is forgotten.
//!
//! What may surprise: a member that was taken because of one key is in doubt. When it fails, or a key is met
//! that others know, all keys are looked at. So the order of keys does not matter, and whoever is told by its
//! first key is read but once. What goes well costs nothing but its entry in a list, which stays there until the next is
//! written over it; that an entry is of a container that is open, its plan says, which is a member's alone. How much
//! may be read again is bounded ([`Trying::may`]): unions in unions would double it at each level otherwise.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use wire::say;

use super::judge::{Judge, Sort, Wrong, name_of, refused, unexpected};
use super::levels::{Levels, with_path};
use super::records::{is_set, missing, no_record, of_tag, place};
use super::typed::{Begins, Typed};
use super::{Feed, Given, Trouble};
use model::{Choice, Known, Met, NOBODY, Plan, Program, note, takes};
use py::{Own, Seen, Word};
use wire::Kind;

/// Bits of [`Entry::state`]: the members that are still to be tried; above them which is being read, and whether
/// that is in doubt, or the value is being read for the user to choose by.
const MEMBERS: u32 = 50;
const NOW: u32 = 50;
const DOUBT: u64 = 1 << 62;
const ASK: u64 = 1 << 63;
/// This much may be read again in any case (bytes, or objects), and this often the whole.
const FREE: usize = 1 << 16;
const TIMES: usize = 16;

/// A member that may turn out to be another.
struct Entry<'r> {
    /// Where its container stands among those that are open.
    frame: usize,
    choice: &'r Choice,
    state: u64,
    /// How high the stack was, and where the value begins.
    base: usize,
    mark: usize,
    object: Option<Own>,
    /// What was wrong with the first member that was tried.
    failed: Option<Box<Wrong>>,
}

/// What is known of members that may turn out to be others.
#[derive(Default)]
pub(crate) struct Trying<'r> {
    entries: Vec<Entry<'r>>,
    /// How much was read again.
    again: usize,
}

/// What was decided.
struct Chosen {
    first: usize,
    /// Bits of members that may be tried if the first fails.
    rest: u64,
    doubt: bool,
}

impl Chosen {
    fn only(first: usize) -> Chosen {
        Chosen { first, rest: 0, doubt: false }
    }

    fn state(&self) -> u64 {
        let now = (self.first.min(63) as u64) << NOW & (DOUBT - 1);
        self.rest | now | if self.doubt { DOUBT } else { 0 }
    }
}

/// The members that what was seen leaves, but for those with a tag if `told` says that it is none of theirs.
#[inline(never)]
fn best(c: &Choice, met: &Met, told: bool) -> Option<Chosen> {
    let (mut mask, mut top) = (0u64, 0);
    let mut nearest = (0, 0);
    for (i, m) in c.members.iter().enumerate().take(MEMBERS as usize) {
        if m.last {
            continue;
        }
        let n = m.knows(met);
        if !m.tagged && n > nearest.0 {
            nearest = (n, i);
        }
        if m.tagged && told || !m.fits(met) || mask != 0 && n < top {
            continue;
        }
        if n > top {
            mask = 0;
        }
        (mask, top) = (mask | 1 << i, n);
    }
    mask |= c.last;
    if mask == 0 {
        // What comes nearest can say best what is wrong.
        return (nearest.0 != 0).then(|| Chosen::only(nearest.1));
    }
    Some(Chosen { first: mask.trailing_zeros() as usize, rest: mask & (mask - 1), doubt: false })
}

/// What a choice has to do with of a reading.
pub(crate) struct Parts<'a, 'r> {
    pub(super) judge: Judge<'r>,
    pub(super) program: &'r Program,
    pub(super) trying: &'a mut Option<Box<Trying<'r>>>,
    pub(super) stack: &'a mut Vec<Own>,
}

/// What a choice asks of a reading, whatever that reads from. So choices are compiled once.
pub(crate) trait Look<'r> {
    fn parts(&mut self) -> Parts<'_, 'r>;
    /// Which spelling of keys is expected.
    fn spelling(&self) -> usize;
    /// Where the reading stands, and what is next, if that is an object.
    fn here(&self) -> (usize, Option<Own>);
    /// Goes back to such a place, where so many containers were open.
    fn back(&mut self, open: usize, mark: usize, object: Option<Own>);
    /// Opens the container that is next: whether it is a map, and what is remembered of it.
    fn open(&mut self) -> Given<(bool, u64)>;
    /// Whether it has more.
    fn step(&mut self, map: bool, seq: &mut u64) -> Given<bool>;
    /// Takes a key if it is this one.
    fn is_key(&mut self, known: &Known) -> bool;
    fn any_key(&mut self) -> Given<Own>;
    fn any_tag(&mut self) -> Given<Own>;
    /// Passes over a value; the first of those that will be passed over again.
    fn pass(&mut self, first: bool) -> Given<()>;
}

impl<'r, F: Feed> Look<'r> for Typed<'r, F> {
    fn parts(&mut self) -> Parts<'_, 'r> {
        let (judge, program) = (self.judge, self.program);
        Parts { judge, program, trying: &mut self.trying, stack: self.build.room.stack }
    }
    fn spelling(&self) -> usize {
        self.place()
    }
    fn here(&self) -> (usize, Option<Own>) {
        (self.build.feed.mark(), self.build.feed.object().cloned())
    }
    fn back(&mut self, open: usize, mark: usize, object: Option<Own>) {
        self.build.feed.rewind(mark);
        if F::CAPS.forms {
            self.build.feed.close(open);
            if let Some(o) = object {
                self.build.feed.put(o);
            }
        }
    }
    fn open(&mut self) -> Given<(bool, u64)> {
        let (kind, h) = self.head_cold()?;
        let map = kind == Kind::Map;
        let seq = if map { self.build.feed.map(h)? } else { self.build.feed.array(h)? };
        Ok((map, seq.into()))
    }
    fn step(&mut self, map: bool, seq: &mut u64) -> Given<bool> {
        let mut s = F::Seq::from(*seq);
        let more = if map { self.build.feed.entry(&mut s) } else { self.build.feed.item(&mut s) };
        *seq = s.into();
        more
    }
    fn is_key(&mut self, known: &Known) -> bool {
        self.build.feed.again(&known.text, known.len)
    }
    fn any_key(&mut self) -> Given<Own> {
        self.field_key()
    }
    fn any_tag(&mut self) -> Given<Own> {
        Typed::any_tag(self)
    }
    fn pass(&mut self, first: bool) -> Given<()> {
        if first {
            self.build.feed.look();
        }
        Typed::pass(self)
    }
}

impl<'r, F: Feed> Typed<'r, F> {
    /// What a container is that no plan of its own is for: one of several members, or nothing that may stand here.
    #[inline(never)]
    pub(super) fn choose(&mut self, plan: &'r Plan, map: bool, levels: &Levels<'r>) -> Given<Begins<'r, F>> {
        let plan = choose(self, plan, map, levels.0.len())?;
        let (kind, h) = self.head_cold()?;
        Ok((plan, kind, h))
    }

    /// What is to be done about a fault: another member begins, or reading goes on behind it where all faults are
    /// noted.
    #[cold]
    #[inline(never)]
    pub(super) fn recover(&mut self, t: Trouble, levels: &mut Levels<'r>) -> Given<Option<Begins<'r, F>>> {
        match recover(self, t.wrong()?, levels)? {
            Ok(plan) => {
                let (kind, h) = self.head_cold()?;
                Ok(Some((plan, kind, h)))
            }
            Err(wrong) if F::CAPS.forms && self.build.hooks.notes.is_some() && !self.key => {
                self.note_and_go_on(wrong, levels).map(|()| None)
            }
            Err(wrong) => Err(wrong.into()),
        }
    }
}

/// Whether a key that a record of some plan has not makes it doubtful that it is this one.
#[cold]
pub(super) fn is_stray(
    trying: &Trying<'_>,
    program: &Program,
    level: usize,
    plan: &Plan,
    key: &Own,
) -> Given<bool> {
    match trying.entries.iter().rev().find(|e| e.frame < level) {
        Some(e) if e.frame + 1 == level && e.state & DOUBT != 0 && is_member(e.choice, plan, program) => {
            Ok(number_of(e.choice, key)? != NOBODY)
        }
        _ => Ok(false),
    }
}

/// A reading, whatever it reads from.
pub(super) type Reading<'a, 'r> = &'a mut (dyn Look<'r> + 'a);

#[inline(never)]
fn choose<'r>(r: Reading<'_, 'r>, plan: &'r Plan, map: bool, frame: usize) -> Given<&'r Plan> {
    let (mark, object) = r.here();
    let Some(choice) = plan.choice(map) else { return Err(wrong_kind(r, plan, map)) };
    let (first, state) = match (&choice.ask, &object) {
        (None, _) => {
            let chosen = decide(r, choice, false)?;
            (chosen.first, chosen.state())
        }
        (Some(ask), Some(o)) => (named(ask, o)?, 0),
        (Some(_), None) => (NOBODY, ASK),
    };
    r.back(frame, mark, object.clone());
    let parts = r.parts();
    if let Some(t) = parts.trying {
        while t.entries.last().is_some_and(|e| e.frame >= frame) {
            t.entries.pop();
        }
    }
    if state & (ASK | DOUBT | ((1 << MEMBERS) - 1)) != 0 {
        let base = parts.stack.len();
        let t = parts.trying.get_or_insert_default();
        t.entries.push(Entry { frame, choice, state, base, mark, object, failed: None });
    }
    Ok(member(parts.program, choice, first))
}

/// The plan of a member, or of what is read to ask the user.
fn member<'r>(p: &'r Program, c: &Choice, member: usize) -> &'r Plan {
    p.plan(c.members.get(member).map_or(c.asking, |m| m.plan))
}

/// Whether a plan is that of a member of a choice. Such plans are of nothing else.
fn is_member(c: &Choice, plan: &Plan, program: &Program) -> bool {
    let is = |i: usize| core::ptr::eq(program.plan(i), plan);
    c.members.iter().any(|m| is(m.plan)) || c.ask.is_some() && is(c.asking)
}

/// What is wrong with a container where none may stand.
#[cold]
pub(super) fn wrong_kind<'r>(r: Reading<'_, 'r>, plan: &Plan, map: bool) -> Trouble {
    match r.here().1 {
        Some(o) => unexpected(plan, &name_of(o.as_ref(), r.parts().judge.env)),
        None => unexpected(plan, if map { "object" } else { "array" }),
    }
}

/// Which member the container is that is next. If `full`, no key is believed alone.
fn decide<'r>(r: Reading<'_, 'r>, c: &'r Choice, full: bool) -> Given<Chosen> {
    let mut met = Met::default();
    let mut tag = None;
    let known = c.known.get(r.spelling()).map_or(&[][..], |k| k);
    let (map, mut seq) = r.open()?;
    let mut i = 0;
    // What has no order has no first item.
    let end = if map { usize::MAX } else { c.longest.wrapping_add(1) };
    let end = if !map && r.here().1.is_some_and(|o| is_set(o.as_ref())) { 0 } else { end };
    while i != end && r.step(map, &mut seq)? {
        let mut key = NOBODY;
        if map {
            key = number_of_next(r, c, known, i)?;
            if key == NOBODY {
                met.others = true;
            } else {
                if let Some(&[owner, ref bits @ ..]) = c.owners.get(key) {
                    note(&mut met.keys, bits);
                    if owner != NOBODY && !full && c.tags.is_none() {
                        return Ok(Chosen { first: owner, rest: c.last, doubt: true });
                    }
                }
            }
        }
        i += 1;
        match &c.tags {
            Some(tags) if if map { key == 0 } else { i == 1 } => {
                let found = r.any_tag()?;
                if let Some(m) = of_tag(tags, &found)? {
                    return Ok(Chosen::only(m));
                }
                tag = Some(found);
            }
            _ => r.pass(i == 1)?,
        }
    }
    if !map {
        met.items = i;
    }
    best(c, &met, tag.is_some()).map_or_else(|| Err(nobody(&r.parts().judge, c, map, tag)), Ok)
}

/// What is wrong if it is no member.
#[cold]
fn nobody(judge: &Judge<'_>, c: &Choice, map: bool, tag: Option<Own>) -> Trouble {
    match (&c.tags, tag) {
        (Some(tags), Some(tag)) => {
            let mut path = crate::fault::Path::below();
            match c.tag_field.as_ref().as_any_str() {
                Some(key) => path.field(&key.lossy()),
                None => path.index(0),
            }
            no_record(judge.env, tags, &tag, &path.done())
        }
        (Some(_), None) if map && c.members.iter().all(|m| m.tagged) => missing(&c.tag_field),
        _ => {
            let frame = if map { say!("Object is none of `{}`") } else { say!("Array is none of `{}`") };
            Wrong::of(py::words(frame, &[Word::Name(c.name.as_ref())]))
        }
    }
}

/// The number of the key that is next, and on to its value.
#[inline(always)]
fn number_of_next<'r>(r: Reading<'_, 'r>, c: &Choice, known: &[Known], i: usize) -> Given<usize> {
    if let Some(guesses) = c.guesses.get(i) {
        for &key in guesses {
            match known.get(key) {
                Some(k) if k.len != 0 && r.is_key(k) => return Ok(key),
                Some(_) => {}
                None => break,
            }
        }
    }
    number_of(c, &r.any_key()?)
}

fn number_of(c: &Choice, key: &Own) -> Given<usize> {
    if key.as_ref().as_str().is_none() {
        return Ok(NOBODY);
    }
    let found = py::dict_find(c.keys.as_ref(), key.as_ref())?;
    Ok(found.and_then(|i| place(i.as_ref())).unwrap_or(NOBODY))
}

/// The member that is to be tried after a fault in one, if there is one that it may be; else what is wrong.
#[inline(never)]
fn recover<'r>(
    r: Reading<'_, 'r>,
    wrong: Box<Wrong>,
    levels: &mut Levels<'r>,
) -> Given<Result<&'r Plan, Box<Wrong>>> {
    let mut wrong = with_path(wrong, levels, r.parts().stack);
    let noting = r.parts().judge.hooks.notes.is_some();
    // Where the outermost value stands that is of none of the members which were tried.
    let mut tried = None;
    let came = r.here().0;
    let begun = levels.0.len() + usize::from(wrong.sort == Sort::Member);
    while let Some(mut e) = r.parts().trying.as_mut().and_then(|t| t.entries.pop()) {
        let program = r.parts().program;
        // Others are of what has been read, or has failed, since.
        let is_open = levels.0.get(e.frame).is_some_and(|f| is_member(e.choice, f.plan, program));
        if !is_open && (e.frame >= begun || e.frame < levels.0.len()) {
            continue;
        }
        // What only turns the reading is no fault.
        let (mut turn, value) = (matches!(wrong.sort, Sort::Doubt | Sort::Ask), wrong.value_to_ask());
        let may = r.parts().trying.as_mut().is_some_and(|t| t.may(came, e.mark, e.object.is_some()));
        let now = (e.state >> NOW) as usize & 63;
        let mut next = None;
        if let (Some(value), Some(ask)) = (value, &e.choice.ask) {
            levels.cut(e.frame);
            match named(ask, &value) {
                Ok(member) => (next, e.state) = (Some(member), 0),
                Err(t) => {
                    wrong = with_path(t.wrong()?, levels, r.parts().stack);
                    tried = Some((e.frame, e.base, e.mark));
                }
            }
        } else if may && e.state & DOUBT != 0 {
            r.back(e.frame, e.mark, e.object.clone());
            let chosen = match decide(r, e.choice, true) {
                Ok(chosen) => chosen,
                Err(t) => t.wrong().map(|_| Chosen::only(now))?,
            };
            e.state = chosen.state();
            // What is read for all faults must be read from its beginning.
            if turn || noting || chosen.first != now {
                next = Some(chosen.first);
                turn = true;
            }
        }
        if next.is_none() {
            // The first member is told of: how far each came is not the same in all formats.
            if let Some(first) = e.failed.take() {
                wrong = first;
                tried = Some((e.frame, e.base, e.mark));
            }
            let members = e.state & ((1 << MEMBERS) - 1);
            if may && members != 0 {
                let first = members.trailing_zeros() as usize;
                e.state = Chosen { first, rest: members & (members - 1), doubt: false }.state();
                next = Some(first);
            }
        }
        if let Some(first) = next {
            if !turn {
                e.failed = Some(wrong);
            }
            levels.cut(e.frame);
            r.parts().stack.truncate(e.base);
            r.back(e.frame, e.mark, e.object.clone());
            let plan = member(program, e.choice, first);
            if let Some(t) = r.parts().trying {
                t.entries.push(e);
            }
            return Ok(Ok(plan));
        }
    }
    if let Some((frame, base, mark)) = tried {
        levels.cut(frame);
        r.parts().stack.truncate(base);
        r.back(frame, mark, None);
        wrong.sort = Sort::Plain;
    }
    Ok(Err(wrong))
}

impl Trying<'_> {
    /// Whether what was read since a mark may be read again.
    fn may(&mut self, at: usize, mark: usize, counts_on: bool) -> bool {
        self.again += at.saturating_sub(mark);
        let size = if counts_on { at.saturating_sub(self.again) } else { at };
        self.again <= FREE + TIMES * size
    }
}

/// The member that the user names for a value.
fn named(ask: &Own, value: &Own) -> Given<usize> {
    let i = py::call1(ask.as_ref(), value.as_ref()).map_err(refused)?;
    Ok(place(i.as_ref()).unwrap_or(NOBODY))
}

impl Judge<'_> {
    /// A value as the first that takes it of several.
    #[inline(never)]
    pub(super) fn one_of(&self, p: &Plan, o: Own) -> Given<Own> {
        match self.tried(p, &o)? {
            Ok(made) => Ok(made),
            Err(None) => Err(unexpected(p, &name_of(o.as_ref(), self.env))),
            Err(Some(wrong)) => Err(wrong.into()),
        }
    }

    /// The same; if none takes it, what those say that take its kind.
    pub(super) fn tried(&self, p: &Plan, o: &Own) -> Given<Result<Own, Option<Box<Wrong>>>> {
        let kinds = match o.as_ref().see() {
            Seen::None => takes::NONE,
            Seen::Bool(_) => takes::BOOL | takes::TRUE | takes::FALSE,
            Seen::Int(_) => takes::INT | takes::VALUES_INT | takes::FLOAT | takes::DECIMAL,
            Seen::Float(_) => takes::FLOAT | takes::DECIMAL,
            Seen::Str(_) => takes::STR | takes::SPELLED | takes::BYTES | takes::BYTEARRAY | takes::MEMORYVIEW,
            _ => u32::MAX,
        };
        let mut wrong: Option<Box<Wrong>> = None;
        // First as it is, then as what it may stand for, then as a class of the user.
        for (loose, custom) in [(false, false), (true, false), (self.loose, true)] {
            if loose && !self.loose {
                continue;
            }
            for t in p.tries.iter().filter(|t| (t.takes & takes::CUSTOM != 0) == custom) {
                let w = match (Judge { loose, ..*self }).scalar(t, o.clone()) {
                    Ok(made) => return Ok(Ok(made)),
                    Err(trouble) => trouble.wrong()?,
                };
                if !(loose && !custom || t.takes & (kinds | takes::CUSTOM) == 0) {
                    wrong = Some(joined(wrong, w));
                }
            }
        }
        Ok(Err(wrong))
    }
}

/// What two tries say.
fn joined(one: Option<Box<Wrong>>, other: Box<Wrong>) -> Box<Wrong> {
    match one {
        Some(mut one) => {
            let words: String = py::words(say!("{}; {}"), &[one.words().into(), other.words().into()]);
            one.reword(words);
            one
        }
        None => other,
    }
}
