//! Whether a pattern is found in text, by a table that was made of it before: one look for each character.
//!
//! What may surprise: a table is not looked over before it is used. What it does not say, or says of a place that it does
//! not have, is not known, and who asks has another way.

/// Whether the pattern is found; nothing if the table does not say. First in it is how many states there are; then of which
/// kind each character of ASCII is; then for each kind which state follows on each, and last whether it is found if the
/// text ends there.
#[inline(never)]
pub fn finds(table: &[u8], text: &[u8]) -> Option<bool> {
    let (&states, rest) = table.split_first()?;
    let (kinds, columns) = rest.split_at_checked(128)?;
    let (states, mut state) = (usize::from(states), 0);
    for &c in text {
        let column = usize::from(*kinds.get(usize::from(c))?) * states;
        state = usize::from(*columns.get(column + state)?);
    }
    let ends = columns.len().checked_sub(states)?;
    columns.get(ends + state).map(|&found| found != 0)
}

#[cfg(test)]
mod tests {
    use super::finds;
    use alloc::vec::Vec;

    /// That of `ab`: nothing yet, an `a`, found; by other characters, `a` and `b`.
    fn table() -> Vec<u8> {
        let mut t = Vec::from([3]);
        t.extend((0..128).map(|c| if c == b'a' { 1 } else { u8::from(c == b'b') * 2 }));
        t.extend([0, 0, 2, 1, 1, 2, 0, 2, 2, 0, 0, 1]);
        t
    }

    #[test]
    fn what_is_there_is_found() {
        for (text, found) in [("ab", true), ("aab", true), ("xabx", true), ("", false), ("ba", false)] {
            assert_eq!(finds(&table(), text.as_bytes()), Some(found), "{text}");
        }
    }

    #[test]
    fn what_the_table_does_not_say_is_not_known() {
        assert_eq!(finds(&[], b""), None);
        assert_eq!(finds(&table(), "aé".as_bytes()), None);
        assert_eq!(finds(&table()[..100], b"ab"), None);
        let mut damaged = table();
        damaged[129] = 255;
        assert_eq!(finds(&damaged, b"xx"), None);
    }

    #[test]
    fn whatever_the_table_is_nothing_panics() {
        for n in 0..table().len() {
            for text in ["", "ab", "xab"] {
                let _ = finds(&table()[..n], text.as_bytes());
                let mut damaged = table();
                damaged[n] = 255;
                let _ = finds(&damaged, text.as_bytes());
            }
        }
    }
}
