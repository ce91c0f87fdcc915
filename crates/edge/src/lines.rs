//! NDJSON: one document for each line.

use crate::args::{Decoding, Encoding};
use crate::instances;
use crate::raise::{self, Place, START};
use crate::raw::Raw;
use crate::state::State;
use crate::stream::Stream;
use alloc::vec::Vec;
use py::{Builtin, Copied, Data, Own, Ref, Result};
use wire::say;

/// Each item of an iterable as one line.
pub(crate) fn encode(state: &State, e: &Encoding, items: Ref<'_>) -> Result<Own> {
    if e.style.indent.is_some() {
        return Err(Builtin::Value.raise(say!("lines cannot be indented")));
    }
    let mut out = py::bytes_buf_by_call(&state.room);
    let items = py::iterate(items)?;
    while let Some(item) = py::next(&items)? {
        if let Err(fault) = instances::json_walk(state, e, item.as_ref(), &mut out) {
            return Err(raise::encode(state, &fault, &e.rules.fault));
        }
        if out.push(b'\n').is_err() {
            return Err(Builtin::Memory.raise(say!("not enough memory for the output")));
        }
    }
    py::finish_by_call(out, &state.room)
}

/// The document of each line that is not blank.
pub(crate) fn decode(state: &State, d: &Decoding, buf: Ref<'_>) -> Result<Own> {
    let data = Data::of(buf).map_err(|why| raise::not_data(state, why, buf, START))?;
    let input = data.input();
    let bytes = input.bytes();
    let mut made: Vec<Own> = Vec::new();
    let mut at = 0;
    for line in bytes.split(|&b| b == b'\n') {
        if !line.trim_ascii().is_empty() {
            let index = Some(made.len());
            made.push(document(
                state,
                d,
                copy(line),
                index,
                Before::Input(bytes.get(..at).unwrap_or_default()),
            )?);
        }
        at += line.len() + 1;
    }
    py::list_cold(&mut made, 0)
}

/// A copy with room for the byte that ends input; a line feed at the end is no part of a document.
pub(crate) fn copy(document: &[u8]) -> Vec<u8> {
    let document = document.strip_suffix(b"\n").unwrap_or(document);
    let mut copy = Vec::with_capacity(document.len() + 1);
    copy.extend_from_slice(document);
    copy
}

/// What stands before a document in a longer input: whoever has it can say where the document begins.
pub(crate) enum Before<'a> {
    /// These bytes.
    Input(&'a [u8]),
    /// So many bytes of a stream.
    Stream(&'a Stream, usize),
}

impl Before<'_> {
    #[cold]
    fn place(&self) -> Place {
        match *self {
            Before::Input(bytes) => START.after(bytes),
            Before::Stream(stream, offset) => stream.place(offset),
        }
    }
}

/// One document of a longer input, which begins at a place that is asked for only if it is wrong. If the
/// input is one value to whoever reads it, `index` says which part of that the document is.
///
/// It comes as a copy, because it must end where it ends and nothing may change it.
pub(crate) fn document(
    state: &State,
    d: &Decoding,
    copy: Vec<u8>,
    index: Option<usize>,
    before: Before<'_>,
) -> Result<Own> {
    let copy = Copied::new(copy);
    let input = copy.input();
    let made = if d.raw {
        match instances::json_check(state, d, input) {
            Ok((from, to)) => {
                Ok(py::new_instance(&state.raw, Raw::of(input.bytes().get(from..to).unwrap_or_default())?)?)
            }
            Err(fault) => Err(fault),
        }
    } else {
        instances::json_build(state, d, input)
    };
    made.map_err(|mut fault| {
        if let Some(i) = index {
            fault.below(i);
        }
        raise::decode(state, &fault, input.bytes(), before.place(), Some(&d.hooks))
    })
}
