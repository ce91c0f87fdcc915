//! Reading without a type, of each format: what most programs wait for.
//!
//! This is a crate of its own only because it is compiled in its own way: generic code is compiled in the
//! crate that says which types are meant (docs/decisions/0016-diet.md).
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

use alloc::boxed::Box;

use engine::{Build, Env, Fault, FromBytes, Hooks, Room};
use py::{Own, Ref};

/// Makes objects of one JSON document. `large` says that it may be of many containers.
pub fn json<'r>(
    feed: FromBytes<'r, json::Reader<'_>>,
    hooks: &'r Hooks,
    env: &'r Env,
    room: Room<'r>,
    large: bool,
) -> Result<Own, Box<Fault>> {
    Build::run(feed, hooks, env, room, large, None)
}

/// Makes objects of one MessagePack message; `input` is the whole of it as an object, if parts may be shared.
pub fn msgpack<'r>(
    feed: FromBytes<'r, msgpack::Reader<'_>>,
    hooks: &'r Hooks,
    env: &'r Env,
    room: Room<'r>,
    large: bool,
    input: Option<Ref<'r>>,
) -> Result<Own, Box<Fault>> {
    Build::run(feed, hooks, env, room, large, input)
}
