//! Schemes of the satellite study, and the alternatives that it discusses (satellite thesis, chapters 4 and 5;
//! docs/models/satellite.md).

use crate::core::error::Fault;

pub(super) mod class_rates;
pub(super) mod forward_notice;
pub(super) mod queue_length;
pub(super) mod rate_factor;
pub(super) mod slowdowns;
mod spacing;
pub(super) mod stop;

/// Severity of a mild notice, caused by rates: Type 0 of the paper.
const MILD: u8 = 0;
/// Severity of a severe notice, caused by a discard: Type 2 of the paper.
const SEVERE: u8 = 2;

/// The fault of a severity that no table counts.
fn check_severity(severity: u8) -> Result<(), Fault> {
    if severity == MILD || severity == SEVERE {
        return Ok(());
    }
    Err(Fault::new("severity", severity, "a notice is mild (0) or severe (2)", "choose 0 or 2"))
}
