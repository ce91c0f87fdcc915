//! Skipping a value, taking it undecoded, laying it out again and reading it agree: on its end, and on the
//! fault and its place. What is skipped is checked as strictly as what is read.
#![no_main]

use json::{Limits, Reader, Skim, Style, reformat};
use libfuzzer_sys::fuzz_target;
use tree::{DEPTH, read, read_value, skip_value, with_input};
use wire::{Buf, Source};

fuzz_target!(|data: &[u8]| {
    let limits = Limits { max_depth: DEPTH, ..Limits::default() };
    with_input(data, |input| {
        let taken = read_value(Reader::new(input, limits), DEPTH);
        let end = taken.as_ref().map(|(_, end)| *end).map_err(|fault| *fault);
        assert_eq!(end, skip_value(Reader::new(input, limits)), "reading (left), skipping (right)");

        let mut reader = Reader::new(input, limits);
        let raw = reader.raw().map(<[u8]>::to_vec);
        if let (Ok((tree, end)), Ok(raw)) = (&taken, &raw) {
            assert!(data[..*end].ends_with(raw));
            let again = with_input(raw, |input| read(Reader::new(input, limits), DEPTH));
            assert_eq!(again.as_ref(), Ok(tree), "the value taken undecoded");

            // The search for the end checks nothing, but what is sound ends where it says.
            let mut skim = Skim::default();
            let found = skim.feed(raw).or_else(|| skim.ends_here().then_some(raw.len()));
            assert_eq!(found, Some(raw.len()), "the end, as the search finds it");
        }

        let whole = read(Reader::new(input, limits), DEPTH);
        let style = Style::default();
        let compact = reformat(Reader::new(input, limits), Buf::from_vec(Vec::new()), &style);
        match (&whole, &compact) {
            (Ok(tree), Ok(compact)) => {
                let again = with_input(compact.as_slice(), |input| read(Reader::new(input, limits), DEPTH));
                assert_eq!(again.as_ref(), Ok(tree), "the value laid out again");
            }
            (Err(left), Err(right)) => assert_eq!(left, right, "reading (left), laying out again (right)"),
            _ => panic!("{:?} when read, {:?} when laid out again", whole.is_ok(), compact.is_ok()),
        }
    });
});
