//! What serde says is wrong with a document, in a user's words.

use serde_path_to_error::{Path, Segment};

use crate::core::error::Fault;
use crate::scenario::path::shown_key;
use crate::scenario::suggestion::nearest;

/// Turns serde's message about what is at `path` into a fault: names the key, and suggests the nearest one that would
/// be right.
pub(super) fn explain(path: &Path, message: &str) -> Fault {
    for (start, what) in [("unknown field `", "key"), ("unknown variant `", "keyword")] {
        if let Some((key, list)) = message.strip_prefix(start).and_then(|rest| rest.split_once("`, ")) {
            // The path of a keyword may end before it, and may not.
            let above = match path.iter().next_back() {
                Some(Segment::Map { key: last } | Segment::Enum { variant: last }) if last == key => text_to(path, 1),
                _ => text_to(path, 0),
            };
            let mut known: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
            if above.is_empty() {
                // Known to the document alone.
                known.push("defaults");
            }
            let list = if known.is_empty() { "no keys".to_owned() } else { known.join(", ") };
            let remedy = match nearest(key, &known) {
                Some(nearest) => format!("did you mean `{nearest}`? (known here: {list})"),
                None => format!("known here: {list}"),
            };
            let fault = Fault::new(shown_key(key), "", format!("there is no {what} `{key}`"), remedy);
            return fault.under(&above);
        }
    }
    if let Some(key) = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        return Fault::new(key, "", "this must be given", "").under(&text_to(path, 0));
    }
    Fault::new(text_to(path, 0), "", plain(&message.lines().collect::<Vec<_>>().join(", ")), "")
}

/// The text of a path, but for so many of its last steps.
fn text_to(path: &Path, but: usize) -> String {
    let count = path.iter().count() - but;
    path.iter().take(count).fold(String::new(), |text, segment| match segment {
        Segment::Seq { index } => format!("{text}[{index}]"),
        Segment::Map { key } | Segment::Enum { variant: key } if text.is_empty() => shown_key(key).into_owned(),
        Segment::Map { key } | Segment::Enum { variant: key } => format!("{text}.{}", shown_key(key)),
        Segment::Unknown => text,
    })
}

/// serde's words for what is of the wrong form, in a user's.
fn plain(message: &str) -> String {
    const NUMBERS: [(&str, u64); 4] =
        [("u8", u8::MAX as u64), ("u16", u16::MAX as u64), ("u32", u32::MAX as u64), ("u64", u64::MAX)];
    for (name, most) in NUMBERS {
        if let Some(start) = message.strip_suffix(&format!("expected {name}")) {
            return format!("{start}expected a whole number from 0 to {most}");
        }
    }
    for (words, told) in [
        ("expected newtype variant", "expected a keyword with its parameters, as in { KEYWORD = {} }"),
        ("wanted exactly 1 element", "expected one keyword with its parameters, as in { KEYWORD = {} }"),
    ] {
        if message.contains(words) {
            return told.to_owned();
        }
    }
    message.to_owned()
}
