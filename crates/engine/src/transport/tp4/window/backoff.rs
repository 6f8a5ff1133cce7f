//! Sending transport layer backoff (ATNP/WG2/WP197, 3.3.2; docs/models/atn.md#sender-strategies).
//!
//! The life of a connection is a sequence of phases. A phase begins with the connection and with each retransmission.
//! At the start of a phase: threshold = max(window / 2, 1), window = 1. Each acknowledged DT TPDU increases the window
//! by one up to the threshold. Beyond it, more than a window of them increases it by one. The window never increases
//! beyond the credit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Acknowledged, WindowStrategy};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};

/// Start of the first phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Threshold of the first phase (par_initial_threshold, alpha).
    pub initial_threshold: u32,
}

impl Default for Params {
    fn default() -> Params {
        Params { initial_threshold: 8 }
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::NONE;
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        if self.initial_threshold == 0 {
            return Err(Fault::new(
                "initial_threshold",
                0,
                "the threshold must be at least 1",
                "choose at least 1; the study uses 1 to 8",
            ));
        }
        Ok(())
    }
}

/// The sender of one connection.
#[derive(Clone, Debug)]
pub struct Backoff {
    window: u64,
    threshold: u64,
    /// DT TPDUs acknowledged beyond the threshold since the last change of the window.
    acknowledged: u64,
}

impl Backoff {
    /// A sender at the start of its first phase.
    #[must_use]
    pub fn new(params: &Params, (): ()) -> Backoff {
        let mut backoff = Backoff { window: 2 * u64::from(params.initial_threshold), threshold: 0, acknowledged: 0 };
        backoff.begin_phase();
        backoff
    }

    /// Sets the threshold to half the window, and the window to 1.
    pub(super) fn begin_phase(&mut self) {
        self.threshold = (self.window / 2).max(1);
        (self.window, self.acknowledged) = (1, 0);
    }
}

impl WindowStrategy for Backoff {
    fn window(&self) -> u64 {
        self.window
    }

    fn on_acknowledged(&mut self, Acknowledged { count, credit, .. }: Acknowledged) {
        if self.window >= credit {
            return;
        }
        if self.window < self.threshold {
            self.window = (self.window + count).min(self.threshold).min(credit);
            return;
        }
        self.acknowledged += count;
        if self.acknowledged > self.window {
            self.acknowledged -= self.window;
            self.window += 1;
        }
    }

    fn on_expiry(&mut self) {
        self.begin_phase();
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acknowledge(backoff: &mut Backoff, count: u64, credit: u64) -> u64 {
        backoff.on_acknowledged(Acknowledged { count, credit, is_marked: true });
        backoff.window()
    }

    #[test]
    fn phases_by_hand() {
        let mut backoff = Backoff::new(&Params { initial_threshold: 4 }, ());
        assert_eq!((backoff.window, backoff.threshold), (1, 4));
        // 1 + 1, then 2 + 2, limited by the threshold.
        assert_eq!(acknowledge(&mut backoff, 1, 15), 2);
        assert_eq!(acknowledge(&mut backoff, 2, 15), 4);
        // More than 4 acknowledged: the fifth increases the window to 5 and one remains. Then 5 more make 6, which is
        // more than 5.
        for _ in 0..4 {
            assert_eq!(acknowledge(&mut backoff, 1, 15), 4);
        }
        assert_eq!(acknowledge(&mut backoff, 1, 15), 5);
        assert_eq!(acknowledge(&mut backoff, 4, 15), 5);
        assert_eq!(acknowledge(&mut backoff, 1, 15), 6);
        // The credit limits the window.
        assert_eq!(acknowledge(&mut backoff, 9, 6), 6);
        backoff.on_expiry();
        assert_eq!((backoff.window, backoff.threshold, backoff.acknowledged), (1, 3, 0));
        assert_eq!(acknowledge(&mut backoff, 7, 2), 2);
        backoff.on_expiry();
        assert_eq!((backoff.window, backoff.threshold), (1, 1));
        // With a threshold of 1 the window increases slowly from the start.
        assert_eq!(acknowledge(&mut backoff, 1, 15), 1);
        assert_eq!(acknowledge(&mut backoff, 1, 15), 2);
        backoff.on_expiry();
        backoff.on_expiry();
        assert_eq!((backoff.window, backoff.threshold), (1, 1));
    }

    #[test]
    fn error_reports_are_ignored() {
        let mut backoff = Backoff::new(&Params::default(), ());
        acknowledge(&mut backoff, 3, 15);
        backoff.on_error_report();
        assert_eq!(backoff.window(), 4);
        assert!(!backoff.wants_error_reports());
    }
}
