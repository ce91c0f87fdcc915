//! Every pair of format and engine, on one page. Each is compiled once.

use core::cell::Cell;

use crate::args::{Decoding, Encoding};
use crate::pack_args::{Packing, Unpacking};
use crate::state::State;
use alloc::boxed::Box;
use alloc::string::String;
use engine::{Build, Fault, FromBytes, Hooks, Keys, ToBytes, Walk, What};
use py::{Own, Ref};
use wire::{Buf, Input, Source};

/// Inputs above this may make so many containers that the collector should wait.
const LARGE: usize = 4096;

/// Writes an object as JSON after what `out` holds.
#[inline(never)]
pub(crate) fn json_walk(state: &State, e: &Encoding, o: Ref<'_>, out: Buf) -> Result<Buf, Box<Fault>> {
    let mut writing = state.writing.take(Default::default);
    let (rendered, room) = writing.split();
    let out = ToBytes::new(json::Writer::new(out, &e.style), rendered);
    let r = Walk::run(out, &e.rules, &state.env, room, o).map(ToBytes::into_buf);
    state.writing.put(writing);
    r
}

/// Makes objects of one JSON document.
pub(crate) fn json_build(state: &State, d: &Decoding, input: Input<'_>) -> Result<Own, Box<Fault>> {
    build(state, d, &d.hooks, input)
}

#[inline(never)]
fn build(state: &State, d: &Decoding, hooks: &Hooks, input: Input<'_>) -> Result<Own, Box<Fault>> {
    let mut reading = state.take_reading(&state.reading);
    let (texts, room) = reading.split();
    let feed = FromBytes::new(json::Reader::new(input, d.limits), texts, &hooks.texts);
    let r = Build::run(feed, hooks, &state.env, room, input.bytes().len() > LARGE, None);
    reading.tidy();
    state.reading.put(reading);
    r
}

/// Checks one JSON document, and says where its value begins and ends.
pub(crate) fn json_check(
    state: &State,
    d: &Decoding,
    input: Input<'_>,
) -> Result<(usize, usize), Box<Fault>> {
    if d.hooks.unique_keys {
        // Keys are the same by their meaning and not by their spelling, so the objects are made once, for nothing.
        let hooks = Hooks { unique_keys: true, max_depth: d.hooks.max_depth, ..Hooks::default() };
        build(state, d, &hooks, input)?;
    }
    let mut reader = json::Reader::new(input, d.limits);
    let mut check = || {
        let (_, head) = reader.head()?;
        let from = reader.at();
        reader.skip(head)?;
        let to = reader.at();
        reader.end()?;
        Ok((from, to))
    };
    check().map_err(|e| Fault::new(What::Wire(e), String::new()))
}

/// Writes an object as MessagePack after what `out` holds.
#[inline(never)]
pub(crate) fn pack_walk(state: &State, e: &Packing, o: Ref<'_>, out: Buf) -> Result<Buf, Box<Fault>> {
    let mut writing = state.packing.take(Default::default);
    let (rendered, room) = writing.split();
    let out = ToBytes::new(msgpack::Writer::new(out, &e.style), rendered);
    let r = Walk::run(out, &e.rules, &state.env, room, o).map(ToBytes::into_buf);
    state.packing.put(writing);
    r
}

/// Makes objects of one MessagePack message. If others may follow it, `prefix` says how long it was;
/// `shared` is the input as an object of bytes.
#[inline(never)]
pub(crate) fn pack_build(
    state: &State,
    d: &Unpacking,
    hooks: &Hooks,
    input: Input<'_>,
    prefix: Option<&Cell<usize>>,
    shared: Option<Ref<'_>>,
) -> Result<Own, Box<Fault>> {
    // What was learned of keys depends on which keys are allowed.
    let slots = if hooks.keys == Keys::Any { &state.unpacking } else { &state.unpacking_text };
    let mut reading = state.take_reading(slots);
    let (texts, room) = reading.split();
    let reader = match prefix {
        Some(prefix) => msgpack::Reader::prefix(input, d.limits, prefix),
        None => msgpack::Reader::new(input, d.limits),
    };
    let feed = FromBytes::new(reader, texts, &hooks.texts);
    let r = Build::run(feed, hooks, &state.env, room, input.bytes().len() > LARGE, shared);
    reading.tidy();
    slots.put(reading);
    r
}

/// Checks one MessagePack message, and says how long it is.
pub(crate) fn pack_check(
    state: &State,
    d: &Unpacking,
    input: Input<'_>,
    prefix: bool,
) -> Result<usize, Box<Fault>> {
    let cell = Cell::new(0);
    if d.hooks.unique_keys {
        let texts = d.hooks.texts.clone();
        let (times, ext_class) = (d.hooks.times.clone(), d.hooks.ext_class.clone());
        let max_depth = d.hooks.max_depth;
        let hooks = Hooks { unique_keys: true, max_depth, texts, times, ext_class, ..Hooks::default() };
        pack_build(state, d, &hooks, input, prefix.then_some(&cell), None)?;
    }
    let mut reader = match prefix {
        true => msgpack::Reader::prefix(input, d.limits, &cell),
        false => msgpack::Reader::new(input, d.limits),
    };
    let mut check = || {
        let (_, head) = reader.head()?;
        reader.skip(head)?;
        reader.end()?;
        Ok(reader.at())
    };
    check().map_err(|e| Fault::new(What::Wire(e), String::new()))
}
