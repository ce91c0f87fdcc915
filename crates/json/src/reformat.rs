//! Laying existing JSON out again. Scalars are copied as they are spelled, so no number is
//! rounded and no string is escaped differently.
//!
//! What may surprise: the text is read twice. First it is checked, as what is skipped is checked
//! anywhere; after that a bracket is a bracket, and what is no string, bracket, comma or colon is
//! white space or part of a scalar.

use crate::read::Reader;
use crate::style::Style;
use wire::{Buf, Code, Error, Source, Wrote};

/// Reads one document and writes it in another layout after what `out` holds.
#[inline(never)]
pub fn reformat(mut from: Reader<'_>, mut out: Buf, style: &Style) -> wire::Result<Buf> {
    from.skip()?;
    from.end()?;
    match lay_out(from.c.since(0), &mut out, style.indent.as_deref()) {
        Ok(()) => Ok(out),
        Err(_) => Err(Error { code: Code::Memory, at: 0 }),
    }
}

/// Copies a document that was checked, with its white space replaced.
#[inline(never)]
fn lay_out(mut rest: &[u8], out: &mut Buf, indent: Option<&[u8]>) -> Wrote {
    let mut level = 0_usize;
    while let [b, after @ ..] = rest {
        // What goes on as it stands: a string, or one byte.
        let mut n = 1;
        match b {
            b' ' | b'\t' | b'\n' | b'\r' => {
                rest = after;
                continue;
            }
            b'"' => n += string(after),
            b'}' | b']' => {
                level = level.saturating_sub(1);
                new_line(out, indent, level)?;
            }
            _ => {}
        }
        if n == 1 {
            out.push(*b)?
        } else {
            out.put(rest.get(..n).unwrap_or_default())?
        }
        rest = rest.get(n..).unwrap_or_default();
        match b {
            b'{' | b'[' => {
                rest = rest.trim_ascii_start();
                if let [b'}' | b']', after @ ..] = rest {
                    out.push(if *b == b'{' { b'}' } else { b']' })?;
                    rest = after;
                } else {
                    level += 1;
                    new_line(out, indent, level)?;
                }
            }
            b',' => new_line(out, indent, level)?,
            b':' if indent.is_some() => out.push(b' ')?,
            _ => {}
        }
    }
    Ok(())
}

/// Where a string ends, behind its second quote.
fn string(text: &[u8]) -> usize {
    let mut quotes = text.iter().enumerate().filter(|(_, b)| **b == b'"').map(|(at, _)| at);
    let escaped = |at: usize| text[..at].iter().rev().take_while(|b| **b == b'\\').count() % 2 == 1;
    quotes.find(|&at| !escaped(at)).map_or(text.len(), |at| at + 1)
}

#[inline(never)]
fn new_line(out: &mut Buf, indent: Option<&[u8]>, level: usize) -> Wrote {
    let Some(indent) = indent else { return Ok(()) };
    out.push(b'\n')?;
    (0..level).try_for_each(|_| out.put(indent))
}
