//! The search for the end of a message finds the same however the message is cut, and what a reader finds. The first byte of
//! the input says how it is cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use msgpack::{Limits, Reader, Skim};
use tree::pack::skip;
use tree::with_input;
use wire::{Code, Source};

/// Messages up to this are cut at every place.
const SHORT: usize = 100;

fn agree(message: &[u8], cuts: u8, limits: &Limits) {
    let whole = Skim::default().look(message, limits);

    let (mut skim, mut pieces) = (Skim::default(), u32::from(cuts));
    let mut there = 0;
    let found = loop {
        let found = skim.look(&message[..there], limits);
        if found != Ok(None) || there == message.len() {
            break found;
        }
        pieces = pieces.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        there = (there + (pieces >> 24) as usize % (1 + usize::from(cuts) / 8)).min(message.len());
        there += usize::from(there < message.len());
    };
    assert_eq!(found, whole, "in pieces (left), at once (right)");
    if let Ok(Some(n)) = whole {
        assert!(n <= there);
        for cut in 0..n.min(SHORT) {
            let mut skim = Skim::default();
            assert_eq!(skim.look(&message[..cut], limits), Ok(None), "of {n} bytes {cut} are there");
            assert_eq!(skim.look(message, limits), whole, "cut at {cut}");
        }
    }

    let read = skip(message, *limits);
    match (whole, read) {
        (Ok(Some(n)), Ok(end)) => assert_eq!(n, end, "the search (left), reading (right)"),
        (Ok(Some(n)), Err(fault)) => {
            // The search checks nothing. But what it calls whole does not end too early.
            let alone = skip(&message[..n], *limits);
            assert_eq!(alone, Err(fault));
            assert!(fault.code != Code::Eof && fault.at < n, "{fault:?} of {n} bytes");
        }
        (Ok(None) | Err(_), Ok(end)) => panic!("reading ends at {end}, the search says {whole:?}"),
        (Ok(None) | Err(_), Err(_)) => {}
    }
}

/// The head of an array or map, as whoever enters it sees it and as a reader does.
fn header(message: &[u8]) {
    for map in [false, true] {
        let Ok(Some((n, head))) = Skim::header(message, map) else { continue };
        with_input(message, |input| {
            let mut reader = Reader::new(input, Limits::default());
            let (_, h) = reader.head().expect("a head is there");
            let left = if map { reader.map(h) } else { reader.array(h) };
            match left {
                Ok(left) => assert_eq!((u64::from(left), reader.at()), (n as u64, head)),
                Err(fault) => assert_eq!(fault.code, Code::Eof, "only for want of items"),
            }
        });
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&cuts, message)) = data.split_first() else { return };
    let wide = Limits { max_depth: usize::MAX, ..Limits::default() };
    agree(message, cuts, &wide);
    agree(
        message,
        cuts,
        &Limits { max_str: 50, max_bin: 10, max_ext: 20, max_array: 20, max_map: 17, ..wide },
    );
    header(message);
});
