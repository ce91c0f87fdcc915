//! What was read and is written, in any style, reads as the same value; and writing that again gives the same bytes.
#![no_main]

use json::{Limits, Reader, Style, Writer};
use libfuzzer_sys::fuzz_target;
use tree::{DEPTH, Tree, read, with_input, write};
use wire::{Buf, Sink};

fn read_bytes(bytes: &[u8]) -> wire::Result<Tree> {
    let limits = Limits { max_depth: DEPTH, ..Limits::default() };
    with_input(bytes, |input| read(Reader::new(input, limits), DEPTH))
}

fn write_bytes(tree: &Tree, style: &Style) -> Vec<u8> {
    let mut writer = Writer::new(Buf::from_vec(Vec::new()), style);
    write(tree, &mut writer).expect("there is memory");
    writer.finish().into_vec()
}

fuzz_target!(|data: &[u8]| {
    let Ok(tree) = read_bytes(data) else { return };
    let styles = [
        Style::default(),
        Style { indent: Some(b"  ".to_vec()), ..Style::default() },
        Style { indent: Some(Vec::new()), ..Style::default() },
        Style { ascii: true, ..Style::default() },
    ];
    for style in &styles {
        let written = write_bytes(&tree, style);
        let again = read_bytes(&written);
        assert_eq!(again.as_ref(), Ok(&tree), "{style:?}: {}", String::from_utf8_lossy(&written));
        assert!(!style.ascii || written.is_ascii());
    }
    // ECMAScript has one zero and no integers, so floats without a fraction come back as integers: the text is stable.
    let style = Style { ecmascript: true, ..Style::default() };
    let once = write_bytes(&tree, &style);
    let twice = read_bytes(&once).map(|tree| write_bytes(&tree, &style));
    assert_eq!(twice.map(|t| read_bytes(&t)), Ok(read_bytes(&once)));
});
