//! What the bases of a class have.

use alloc::sync::Arc;

use super::{Class, Flag, Tools};
use py::{Meta, Own, Ref, Result, Type};

/// The bases of a class that has none of ours but the metaclass, with the first of ours behind them, and what that is made
/// with.
#[cold]
pub(super) fn completed(meta: &Meta<'_, Class>, bases: Ref<'_>) -> Result<(Own, Arc<Tools>)> {
    let first = py::import(c"oxwire")?.as_ref().attr_named(c"Struct")?;
    let tools = first.as_ref().as_type().and_then(|first| Some(meta.shape(first)?.tools.clone()));
    let (Some(tools), Some(given)) = (tools, bases.as_any_tuple().map(|all| all.hold())) else {
        return super::define::type_error(wire::say!("A Struct class needs Struct among its bases"), &[]);
    };
    let n = given.len();
    Ok((py::tuple_of(n + 1, |i| Ok(given.get(i).map_or_else(|| first.clone(), Ref::own)))?, tools))
}

/// A base that keeps its hash, and where.
pub(super) fn with_hash(meta: &Meta<'_, Class>, bases: Ref<'_>) -> Option<(Own, usize)> {
    let bases = bases.as_any_tuple()?.hold();
    (0..bases.len()).find_map(|i| {
        let base = bases.get(i)?.as_type()?;
        let class = meta.shape(base)?;
        class.is(Flag::CacheHash).then(|| (base.as_ref().own(), class.hash_slot))
    })
}

/// The options that a base, of whatever sort, has made room for.
pub(super) fn room_of(base: Type<'_>) -> u32 {
    let bit = |flag: Flag, on: bool| u32::from(on) * flag as u32;
    bit(Flag::Dict, base.has_dict()) | bit(Flag::Weakref, base.has_weak_references())
}
