//! What fields and classes are called outside.
//!
//! What may surprise: upper and lower case are asked of the interpreter, whose rules are those of the names.

use alloc::string::String;
use core::ffi::CStr;

use py::{Own, Result, StrRef, Word};

use super::Tools;
use super::define::value_error;

/// What a field is called outside, by the `rename` of its class.
pub(super) fn renamed(rename: &Own, name: &Own, tools: &Tools) -> Result<Own> {
    let (Some(rule), Some(text)) = (rename.as_ref().as_any_str(), name.as_ref().as_any_str()) else {
        let renamed = tools.module.as_ref().attr_named(c"renamed")?;
        return py::call(renamed.as_ref(), &[rename.as_ref(), name.as_ref()]);
    };
    let changed = |how: &CStr| py::call_method0(name.as_ref(), how);
    let text = text.word();
    let new = match &*rule.word() {
        "lower" => changed(c"lower")?,
        "upper" => changed(c"upper")?,
        "camel" => words(&text, false)?,
        "pascal" => words(&text, true)?,
        "kebab" => py::text(&text.trim_matches('_').replace('_', "-"))?,
        _ => return value_error("rename={} is unsupported", &[Word::Show(rename.as_ref())]),
    };
    py::interned(new)
}

/// The words between underscores as one, each with its first letter large, but perhaps the first word.
fn words(text: &str, first: bool) -> Result<Own> {
    let bare = text.trim_start_matches('_');
    let mut all = String::from(text.get(..text.len() - bare.len()).unwrap_or_default());
    for (i, word) in bare.split('_').enumerate() {
        if i == 0 && !first {
            all.push_str(word);
        } else {
            py::call_method0(py::text(word)?.as_ref(), c"title")?.as_ref().push_text(&mut all);
        }
    }
    py::text(&all)
}

/// The tag of a class that names none: what it is called where it is defined, without the functions around it.
pub(super) fn title(full: StrRef<'_>) -> Result<Own> {
    const INSIDE: &str = "<locals>.";
    let text = full.word();
    let from = text.as_bytes().windows(INSIDE.len()).rposition(|w| w == INSIDE.as_bytes());
    py::text(text.get(from.map_or(0, |at| at + INSIDE.len())..).unwrap_or_default())
}
