//! Every pair of format and engine, on one page. Each is compiled once, and for speed; whatever
//! stands around them is compiled for size (docs/decisions/0012-size.md), which is why they are a
//! crate of their own.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

use alloc::boxed::Box;
use core::cell::Cell;

use engine::{Env, Fault, FromBytes, Hooks, Keys, Reading, Rules, Simple, ToBytes, Typed, Walk, Writing};
use model::{Classes, Program, Spell};
use py::{Own, Raised, Ref, Slots};
use wire::{Buf, Input};

/// Inputs above this may make so many containers that the collector should wait.
const LARGE: usize = 4096;

/// What calls use and put back.
pub struct Rooms {
    writing: Slots<Writing>,
    reading: Slots<Reading>,
    /// The same for MessagePack: keys are remembered as they are written.
    packing: Slots<Writing>,
    unpacking: Slots<Reading>,
    /// The same where only text may be a key.
    unpacking_text: Slots<Reading>,
    seed: u64,
}

impl Rooms {
    /// Empty rooms; `seed` makes the places of keys unpredictable.
    pub fn new(seed: u64) -> Rooms {
        Rooms {
            writing: Slots::default(),
            reading: Slots::default(),
            packing: Slots::default(),
            unpacking: Slots::default(),
            unpacking_text: Slots::default(),
            seed,
        }
    }

    /// What makes the places of keys unpredictable.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}

/// The metaclass and the base of classes with fields. What such classes do is compiled here.
pub fn classes(module: Ref<'_>) -> Result<Classes, Raised> {
    Classes::new(module)
}

/// How each format spells keys, in the places that their `Caps` say.
pub const SPELLS: &[Spell] = &[json::known_key, msgpack::known_key];

/// What is to be read, if that is not anything.
#[inline(always)]
fn program<'a>(env: &'a Env, hooks: &'a Hooks) -> Option<&'a Program> {
    py::this_of(&env.programs, hooks.program.as_ref()?.as_ref())
}

/// Writes an object as JSON after what `out` holds, of which nothing is left if it fails.
pub fn json_walk(
    rooms: &Rooms,
    env: &Env,
    rules: &Rules,
    style: &json::Style,
    o: Ref<'_>,
    out: &mut Buf,
) -> Result<(), Box<Fault>> {
    let o = rules.part_of(o)?;
    let mut writing = rooms.writing.take(Default::default);
    let (rendered, room) = writing.split();
    let bytes = ToBytes::new(json::Writer::new(out.take(), style), rendered);
    let r = Walk::run(bytes, rules, env, room, o.as_ref(), |bytes| out.put_back(bytes.finish()));
    rooms.writing.put(writing);
    r
}

/// Makes objects of one JSON document.
pub fn json_build(
    rooms: &Rooms,
    env: &Env,
    hooks: &Hooks,
    limits: json::Limits,
    input: Input<'_>,
) -> Result<Own, Box<Fault>> {
    let mut reading = rooms.reading.take(|| Reading::new(rooms.seed));
    let large = input.bytes().len() > LARGE;
    let (texts, room) = reading.split(large);
    let feed = FromBytes::new(json::Reader::new(input, limits), texts, &hooks.texts);
    let r = match program(env, hooks) {
        Some(p) => Typed::run(feed, hooks, env, room, large, None, p),
        None => reads::json(feed, hooks, env, room, large),
    };
    reading.tidy();
    rooms.reading.put(reading);
    r
}

/// Makes what a program says of an object.
pub fn convert(
    rooms: &Rooms,
    env: &Env,
    hooks: &Hooks,
    program: &Program,
    o: Ref<'_>,
) -> Result<Own, Box<Fault>> {
    let mut reading = rooms.reading.take(|| Reading::new(rooms.seed));
    let r = engine::convert(env, hooks, &mut reading, program, o);
    reading.tidy();
    rooms.reading.put(reading);
    r
}

/// Makes of the value of a field what a program says: see [`engine::of_field`].
pub fn of_field(
    rooms: &Rooms,
    env: &Env,
    hooks: &Hooks,
    program: &Program,
    i: usize,
    o: Ref<'_>,
) -> Result<Option<Own>, Box<Fault>> {
    let mut reading = rooms.reading.take(|| Reading::new(rooms.seed));
    let r = engine::of_field(env, hooks, &mut reading, program, i, o);
    reading.tidy();
    rooms.reading.put(reading);
    r
}

/// Makes simple values of an object. What is text in JSON is written meanwhile with the room of that format, so this takes
/// that of the other.
pub fn to_builtins(rooms: &Rooms, env: &Env, simple: &Simple<'_>, o: Ref<'_>) -> Result<Own, Box<Fault>> {
    let mut writing = rooms.packing.take(Default::default);
    let r = simple.make(env, &mut writing, o);
    rooms.packing.put(writing);
    r
}

/// Writes an object as MessagePack after what `out` holds, of which nothing is left if it fails.
pub fn pack_walk(
    rooms: &Rooms,
    env: &Env,
    rules: &Rules,
    style: &msgpack::Style,
    o: Ref<'_>,
    out: &mut Buf,
) -> Result<(), Box<Fault>> {
    let o = rules.part_of(o)?;
    let mut writing = rooms.packing.take(Default::default);
    let (rendered, room) = writing.split();
    let bytes = ToBytes::new(msgpack::Writer::new(out.take(), style), rendered);
    let r = Walk::run(bytes, rules, env, room, o.as_ref(), |bytes| out.put_back(bytes.finish()));
    rooms.packing.put(writing);
    r
}

/// Makes objects of one MessagePack message. If others may follow it, `prefix` says how long it was;
/// `shared` is the input as an object of bytes.
pub fn pack_build(
    rooms: &Rooms,
    env: &Env,
    hooks: &Hooks,
    limits: &msgpack::Limits,
    input: Input<'_>,
    prefix: Option<&Cell<usize>>,
    shared: Option<Ref<'_>>,
) -> Result<Own, Box<Fault>> {
    // What was learned of keys depends on which keys are allowed.
    let any = matches!(hooks.keys, Keys::Any | Keys::Plain);
    let slots = if any { &rooms.unpacking } else { &rooms.unpacking_text };
    let mut reading = slots.take(|| Reading::new(rooms.seed));
    let large = input.bytes().len() > LARGE;
    let (texts, room) = reading.split(large);
    let reader = match prefix {
        Some(prefix) => msgpack::Reader::prefix(input, *limits, prefix),
        None => msgpack::Reader::new(input, *limits),
    };
    let feed = FromBytes::new(reader, texts, &hooks.texts);
    let r = match program(env, hooks) {
        Some(p) => Typed::run(feed, hooks, env, room, large, shared, p),
        None => reads::msgpack(feed, hooks, env, room, large, shared),
    };
    reading.tidy();
    slots.put(reading);
    r
}
