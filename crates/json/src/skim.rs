//! Where does a document end, in input that comes in pieces?
//!
//! This counts brackets and quotes and checks nothing else: whoever gets the document reads it,
//! and finds its faults. It must only never miss an end, and never look at a byte twice.

/// What the bytes so far add up to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    /// Between documents.
    #[default]
    Before,
    /// In a container, outside strings.
    Open,
    /// In a string.
    Str,
    /// In a string, after a backslash.
    Escape,
    /// In a number or a word that is a document of its own.
    Word,
}

/// A search for the end of a document, which can be interrupted after any byte.
#[derive(Clone, Copy, Default, Debug)]
pub struct Skim {
    state: State,
    depth: usize,
}

impl Skim {
    /// Looks at more bytes; says after how many of them the document ends, if it does.
    pub fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut i = 0;
        while let Some(&b) = bytes.get(i) {
            i += 1;
            match self.state {
                State::Before => match b {
                    b' ' | b'\t' | b'\n' | b'\r' => {}
                    b'"' => self.state = State::Str,
                    b'[' | b'{' => {
                        self.state = State::Open;
                        self.depth = 1;
                    }
                    b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => self.state = State::Word,
                    // Nothing begins like that: a document of one byte, and a wrong one.
                    _ => return self.done(i),
                },
                State::Open => match b {
                    b'"' => self.state = State::Str,
                    b'[' | b'{' => self.depth += 1,
                    b']' | b'}' => {
                        self.depth -= 1;
                        if self.depth == 0 {
                            return self.done(i);
                        }
                    }
                    _ => {}
                },
                State::Str => match b {
                    b'"' if self.depth == 0 => return self.done(i),
                    b'"' => self.state = State::Open,
                    b'\\' => self.state = State::Escape,
                    _ => i += run(&bytes[i..]),
                },
                State::Escape => self.state = State::Str,
                State::Word => {
                    if matches!(
                        b,
                        b' ' | b'\t' | b'\n' | b'\r' | b'[' | b'{' | b']' | b'}' | b',' | b':' | b'"'
                    ) {
                        return self.done(i - 1);
                    }
                }
            }
        }
        None
    }

    fn done(&mut self, n: usize) -> Option<usize> {
        *self = Skim::default();
        Some(n)
    }

    /// Whether nothing of a document was seen yet.
    pub fn is_before(&self) -> bool {
        self.state == State::Before
    }

    /// Whether the end of the input would end the document: it is a number or a word.
    pub fn ends_here(&self) -> bool {
        self.state == State::Word
    }
}

/// How many bytes neither end a string nor begin an escape.
fn run(bytes: &[u8]) -> usize {
    bytes.iter().position(|&b| b == b'"' || b == b'\\').unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn every_split_finds_the_same_ends() {
        let text = br#" {"a":[1,"]}\"\\",{}]} [] "x\"" 12 true[]"y"-3.5 "#;
        let ends = |step: usize| {
            let mut s = Skim::default();
            let (mut at, mut ends) = (0, Vec::new());
            for chunk in text.chunks(step) {
                let mut rest = chunk;
                while let Some(n) = s.feed(rest) {
                    at += n;
                    ends.push(at);
                    rest = &rest[n..];
                }
                at += rest.len();
            }
            ends
        };
        let whole = ends(text.len());
        assert_eq!(whole.len(), 8);
        for step in 1..text.len() {
            assert_eq!(ends(step), whole);
        }
    }
}
