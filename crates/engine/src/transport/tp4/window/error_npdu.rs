//! Sending transport layer backoff with Error NPDUs (ATNP/WG2/WP197, 3.3 and 3.3.1). A phase also
//! begins with each Error Report about the connection.
//!
//! The text identifies the connections of a report by two NSAPs, which means all connections between two hosts. Here a
//! report applies to the connection of the NPDU that it reports, and a report about an older connection is ignored.
//! With one user per host, as in the study, this is nearly the same. With several users between two hosts (`count`),
//! each gets only its own reports.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::backoff::Backoff;
use super::{Acknowledged, WindowStrategy, backoff};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};

/// The parameters of backoff.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Params(pub backoff::Params);

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::ERROR_REPORTS;
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        self.0.check()
    }
}

/// The sender of one connection.
#[derive(Clone, Debug)]
pub struct ErrorNpdu {
    backoff: Backoff,
}

impl ErrorNpdu {
    /// A sender at the start of its first phase.
    #[must_use]
    pub fn new(params: &Params, (): ()) -> ErrorNpdu {
        ErrorNpdu { backoff: Backoff::new(&params.0, ()) }
    }
}

impl WindowStrategy for ErrorNpdu {
    fn window(&self) -> u64 {
        self.backoff.window()
    }

    fn on_acknowledged(&mut self, acknowledged: Acknowledged) {
        self.backoff.on_acknowledged(acknowledged);
    }

    fn on_expiry(&mut self) {
        self.backoff.on_expiry();
    }

    fn on_error_report(&mut self) {
        self.backoff.begin_phase();
    }

    fn wants_error_reports(&self) -> bool {
        true
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_report_begins_a_phase() {
        let mut sender = ErrorNpdu::new(&Params::default(), ());
        assert!(sender.wants_error_reports());
        let acknowledged = Acknowledged { count: 7, credit: 15, is_marked: false };
        let mut windows = Vec::new();
        for step in 0..6 {
            if step % 2 == 0 {
                sender.on_acknowledged(acknowledged)
            } else {
                sender.on_error_report()
            }
            windows.push(sender.window());
        }
        // Thresholds 8, 4, 2.
        assert_eq!(windows, [8, 1, 4, 1, 2, 1]);
    }
}
