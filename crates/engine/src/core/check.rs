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
