//! Laying existing JSON out again. Scalars are copied as they are spelled, so no number is
//! rounded and no string is escaped differently.

use alloc::vec::Vec;

use crate::read::{Begun, Reader};
use crate::style::Style;
use crate::write::Writer;
use wire::{Buf, Code, Error, Full, Kind, Sink, Source};

/// Reads one document and writes it in another layout after what `out` holds.
pub fn reformat(mut from: Reader<'_>, out: Buf, style: &Style, max_depth: usize) -> wire::Result<Buf> {
    let mut to = Writer::new(out, style);
    let mut open: Vec<(bool, Begun)> = Vec::new();
    let mut first = true;
    let full = |_: Full| Error { code: Code::Memory, at: 0 };
    loop {
        let more = match open.last_mut() {
            None if first => true,
            None => break,
            Some((true, begun)) => from.entry(begun)?,
            Some((false, begun)) => from.item(begun)?,
        };
        let map = matches!(open.last(), Some((true, _)));
        if !more {
            open.pop();
            if map { to.end_map(false) } else { to.end_array(false) }.map_err(full)?;
            end_value(&mut to, &open).map_err(full)?;
            continue;
        }
        first = false;
        if map {
            to.raw(from.raw()?).map_err(full)?;
            from.value()?;
            to.end_key().map_err(full)?;
        }
        let (kind, h) = from.head()?;
        match kind {
            Kind::Array | Kind::Map => {
                let map = kind == Kind::Map;
                if open.len() >= max_depth {
                    return from.refuse(Code::Depth);
                }
                // How many items come is not known, but whether there are any is.
                let begun = if map { from.map(h)? } else { from.array(h)? };
                if from.c.skip_rare_space() == if map { b'}' } else { b']' } {
                    from.c.advance(1);
                    to.raw(if map { b"{}" } else { b"[]" }).map_err(full)?;
                    end_value(&mut to, &open).map_err(full)?;
                } else {
                    if map { to.begin_map(1) } else { to.begin_array(1) }.map_err(full)?;
                    open.push((map, begun));
                }
            }
            _ => {
                to.raw(from.raw()?).map_err(full)?;
                end_value(&mut to, &open).map_err(full)?;
            }
        }
    }
    from.end()?;
    Ok(to.into_buf())
}

fn end_value(to: &mut Writer<'_>, open: &[(bool, Begun)]) -> wire::Wrote {
    match open.last() {
        Some((true, _)) => to.end_item(),
        Some((false, _)) => to.end_item(),
        None => Ok(()),
    }
}
