//! Whatever the bytes are: a graph or a fault inside the input, never a panic. Reading and skipping agree on the end, and what
//! was read is written, read again, and written as the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use native::tree::{Tree, read, write};
use native::{Limits, Reader};
use tree::with_input;
use wire::Error;

fn parse(data: &[u8]) -> Result<Tree, Error> {
    with_input(data, |input| read(input, Limits::default()))
}

fn skip(data: &[u8]) -> Result<(), Error> {
    with_input(data, |input| {
        let mut reader = Reader::new(input, Limits::default());
        let all = reader.begin().and_then(|()| reader.skip()).and_then(|()| reader.end(false));
        all.map_err(|_| reader.why().expect("a reader says why it refuses"))
    })
}

fuzz_target!(|data: &[u8]| {
    match parse(data) {
        Ok(tree) => {
            assert_eq!(skip(data), Ok(()));
            let once = write(&tree).expect("memory");
            let again = parse(&once).expect("what was written is read");
            assert_eq!(write(&again).expect("memory"), once);
        }
        Err(e) => assert!(e.at <= data.len(), "{e:?} of {} bytes", data.len()),
    }
});
