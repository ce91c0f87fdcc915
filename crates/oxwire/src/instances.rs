//! Every pair of format and engine, on one page. Each is compiled once.

use crate::args::{Decoding, Encoding};
use crate::state::State;
use alloc::boxed::Box;
use alloc::string::String;
use engine::{Build, Fault, FromBytes, Hooks, ToBytes, Walk, What};
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
    let mut reading = state.take_reading();
    let (texts, room) = reading.split();
    let feed = FromBytes::new(json::Reader::new(input, d.limits), texts);
    let r = Build::run(feed, hooks, room, input.bytes().len() > LARGE);
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
        let hooks = Hooks { float: None, ..d.hooks };
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
