//! The size of documents that are read.

use crate::core::error::{Error, Fault};

/// Longest TOML document that is read, in bytes.
pub const LONGEST: usize = 1 << 20;
/// Longest JSON document: programs spell out what a file only names.
pub const LONGEST_JSON: usize = 16 << 20;

/// Refuses a document that is longer.
pub(super) fn refuse_size(text: &str, longest: usize) -> Result<(), Error> {
    if text.len() <= longest {
        return Ok(());
    }
    let reason = format!("the document has {} bytes, more than the {longest} that are read", text.len());
    Err(Fault::new("", "", reason, "use `count` for many like flows").into())
}
