//! What fields and classes are called outside.
//!
//! What may surprise: upper and lower case are asked of the interpreter, whose rules are those of the names.

use alloc::string::String;
use wire::say;

use py::{Own, Result, StrRef, Word};

use super::Tools;
use super::define::value_error;

/// What a field is called outside, by the `rename` of its class.
pub(super) fn renamed(rename: &Own, name: &Own, tools: &Tools) -> Result<Own> {
    let (Some(rule), Some(text)) = (rename.as_ref().as_any_str(), name.as_ref().as_any_str()) else {
        let renamed = tools.module.as_ref().attr_named(c"renamed")?;
        return py::call(renamed.as_ref(), &[rename.as_ref(), name.as_ref()]);
    };
    let rule = rule.word();
    let new = match &*rule {
        "lower" => py::call_method0(name.as_ref(), c"lower")?,
        "upper" => py::call_method0(name.as_ref(), c"upper")?,
        "camel" | "pascal" | "kebab" => words(&text.word(), &rule)?,
        _ => return value_error(say!("rename={} is unsupported"), &[Word::Show(rename.as_ref())]),
    };
    py::interned(new)
}

/// The words between underscores, put together. In kebabs nothing stands before the first word; elsewhere each word has
/// its first letter large, but in camels the first.
fn words(text: &str, rule: &str) -> Result<Own> {
    let all = text.as_bytes();
    let from = all.iter().take_while(|&&b| b == b'_').count();
    let to = all.iter().rposition(|&b| b != b'_').map_or(from, |last| last + 1);
    let kebab = rule == "kebab";
    let mut new = String::from(text.get(..if kebab { 0 } else { from }).unwrap_or_default());
    for (i, word) in text.get(from..to).unwrap_or_default().split('_').enumerate() {
        if kebab && i != 0 {
            new.push('-');
        }
        if kebab || i == 0 && rule == "camel" {
            new.push_str(word);
        } else {
            py::call_method0(py::text(word)?.as_ref(), c"title")?.as_ref().push_text(&mut new);
        }
    }
    py::text(&new)
}

/// The tag of a class that names none: what it is called where it is defined, without the functions around it.
pub(super) fn title(full: StrRef<'_>) -> Result<Own> {
    const INSIDE: &str = "<locals>.";
    let text = full.word();
    let from = text.as_bytes().windows(INSIDE.len()).rposition(|w| w == INSIDE.as_bytes());
    py::text(text.get(from.map_or(0, |at| at + INSIDE.len())..).unwrap_or_default())
}
