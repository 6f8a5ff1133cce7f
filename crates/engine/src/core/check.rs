//! Checks that parameters of several roles share.

use std::ops::RangeInclusive;

use super::error::Fault;

/// Finds fault with a ratio outside `range`, as NaN always is.
pub(crate) fn ratio(path: &str, value: f64, range: RangeInclusive<f64>) -> Result<(), Fault> {
    if range.contains(&value) {
        return Ok(());
    }
    let limits = format!("a number from {} to {}", range.start(), range.end());
    Err(Fault::new(path, value, format!("it must be {limits}"), format!("write {limits}")))
}

/// Refuses the name of a file that was not read, and a SHA-256 without a file. `remedy` says how the scenario gives its content.
pub(crate) fn unread(file: Option<&String>, sha256: Option<&String>, remedy: &str) -> Result<(), Fault> {
    if let Some(file) = file {
        let reason = "the file was not read: only a scenario that is loaded from a file can name another file";
        return Err(Fault::new("file", file, reason, remedy));
    }
    if let Some(sha256) = sha256 {
        return Err(Fault::new("sha256", sha256, "there is no `file` that has it", "delete it, or name a file"));
    }
    Ok(())
}
