//! Whatever the bytes and the limits are, reading gives a value or a fault inside the input, and never panics.
#![no_main]

use json::{Limits, NonFinite, Reader, Skim, Style, reformat};
use libfuzzer_sys::fuzz_target;
use tree::{DEPTH, read, with_input};
use wire::{Buf, Kind, Source};

fn limits() -> [Limits; 4] {
    let wide = Limits { max_depth: DEPTH, ..Limits::default() };
    let mut exact = Limits { non_finite: NonFinite::Literal, ..wide };
    exact.int_bits(53);
    let mut machine = Limits { non_finite: NonFinite::Null, max_depth: 3, ..wide };
    machine.int_bits(64);
    [wide, exact, machine, Limits { max_int_digits: 30, ..wide }]
}

/// Every number of the document as it is written.
fn numbers(mut from: Reader<'_>) -> wire::Result<()> {
    // Flat lists of numbers reach every branch; what nests is for the other readers.
    let (kind, h) = from.head()?;
    if kind != Kind::Array {
        return Ok(());
    }
    let mut seq = from.array(h)?;
    while from.item(&mut seq)? {
        let (kind, h) = from.head()?;
        if kind == Kind::Number {
            let n = from.number_text(h)?;
            assert!(!n.text.is_empty());
        } else {
            from.raw()?;
        }
    }
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    for limits in limits() {
        with_input(data, |input| {
            if let Err(fault) = read(Reader::new(input, limits), limits.max_depth) {
                assert!(fault.at <= data.len(), "{fault:?} of {} bytes", data.len());
            }
            let _ = numbers(Reader::new(input, limits));
            let style = Style { indent: Some(b"  ".to_vec()), ..Style::default() };
            let _ = reformat(Reader::new(input, limits), Buf::from_vec(Vec::new()), &style);
        });
    }
    let mut skim = Skim::default();
    for piece in data.chunks(7) {
        let mut rest = piece;
        while let Some(n) = skim.feed(rest) {
            rest = &rest[n..];
        }
    }
});
