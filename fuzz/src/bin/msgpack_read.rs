//! Whatever the bytes and the limits are: a value or a fault inside the input, never a panic. Reading, skipping and taking
//! undecoded agree on the end, the fault and its place; what a strict reader takes is what the others take.
#![no_main]

use std::cell::Cell;

use libfuzzer_sys::fuzz_target;
use msgpack::{Limits, Reader};
use tree::pack::{read, skip};
use tree::{DEPTH, with_input};
use wire::Source;

fn limits() -> [Limits; 5] {
    let wide = Limits { max_depth: DEPTH, ..Limits::default() };
    [
        wide,
        Limits { strict: true, ..wide },
        Limits { any_text: true, time_as_ext: true, ..wide },
        Limits { max_depth: 3, max_array: 3, max_map: 2, ..wide },
        Limits { strict: true, max_str: 20, max_bin: 5, max_ext: 8, ..wide },
    ]
}

fuzz_target!(|data: &[u8]| {
    let wide = read(data, limits()[0]);
    for limits in limits() {
        let taken = read(data, limits);
        let end = taken.as_ref().map(|(_, end)| *end).map_err(|fault| *fault);
        match end {
            Ok(end) => assert!(end <= data.len()),
            Err(fault) => assert!(fault.at <= data.len(), "{fault:?} of {} bytes", data.len()),
        }
        assert_eq!(end, skip(data, limits), "reading (left), skipping (right), {limits:?}");
        if taken.is_ok() && !limits.time_as_ext {
            assert_eq!(taken, wide, "what narrower limits allow is the same");
        }

        with_input(data, |input| {
            let mut reader = Reader::new(input, limits);
            let raw = reader.raw().map(<[u8]>::to_vec);
            assert_eq!(raw.map(|raw| raw.len()), end, "taken undecoded");
            if let Ok(end) = end {
                assert_eq!(reader.end().is_ok(), end == data.len());
            }
        });
        let n = Cell::new(0);
        with_input(data, |input| {
            let mut reader = Reader::prefix(input, limits, &n);
            let ended = reader.skip().and_then(|()| reader.end());
            assert_eq!(ended.map(|()| n.get()), end, "as a prefix");
        });
    }
});
