//! The pairs of format and engine with what this module has for them; and checking without making
//! objects.

use core::cell::Cell;

use crate::args::{Decoding, Encoding};
use crate::pack_args::{Packing, Unpacking};
use crate::state::State;
use alloc::boxed::Box;
use alloc::string::String;
use engine::{Fault, Hooks, What};
use py::{Own, Ref};
use wire::{Buf, Input, Source};

/// Writes an object as JSON after what `out` holds, of which nothing is left if it fails.
#[inline(always)]
pub(crate) fn json_walk(state: &State, e: &Encoding, o: Ref<'_>, out: &mut Buf) -> Result<(), Box<Fault>> {
    pairs::json_walk(&state.rooms, &state.env, &e.rules, &e.style, o, out)
}

/// Makes objects of one JSON document.
#[inline(always)]
pub(crate) fn json_build(state: &State, d: &Decoding, input: Input<'_>) -> Result<Own, Box<Fault>> {
    pairs::json_build(&state.rooms, &state.env, &d.hooks, d.limits, input)
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
        pairs::json_build(&state.rooms, &state.env, &hooks, d.limits, input)?;
    }
    let mut reader = json::Reader::new(input, d.limits);
    let mut check = || {
        reader.head()?;
        let from = reader.at();
        reader.skip()?;
        let to = reader.at();
        reader.end()?;
        Ok((from, to))
    };
    check().map_err(|e| Fault::new(What::Wire(e), String::new()))
}

/// Writes an object as MessagePack after what `out` holds, of which nothing is left if it fails.
#[inline(always)]
pub(crate) fn pack_walk(state: &State, e: &Packing, o: Ref<'_>, out: &mut Buf) -> Result<(), Box<Fault>> {
    pairs::pack_walk(&state.rooms, &state.env, &e.rules, &e.style, o, out)
}

/// Makes objects of one MessagePack message. If others may follow it, `prefix` says how long it was;
/// `shared` is the input as an object of bytes.
#[inline(always)]
pub(crate) fn pack_build(
    state: &State,
    d: &Unpacking,
    hooks: &Hooks,
    input: Input<'_>,
    prefix: Option<&Cell<usize>>,
    shared: Option<Ref<'_>>,
) -> Result<Own, Box<Fault>> {
    pairs::pack_build(&state.rooms, &state.env, hooks, &d.limits, input, prefix, shared)
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
        reader.skip()?;
        reader.end()?;
        Ok(reader.at())
    };
    check().map_err(|e| Fault::new(What::Wire(e), String::new()))
}
