//! The share of marked segments, as DCTCP and Prague estimate it (RFC 8257, 3.3, steps 5 and 6).
//!
//! With M the share of segments of a period that were marked, and 1 at the start:
//!
//! ```text
//! alpha <- (1 - g) alpha + g M at the end of the period
//! ```

use super::Acked;
use crate::core::check;
use crate::core::error::Fault;

/// Refuses a weight of the newest period that is no share, or none.
pub(super) fn check_weight(path: &str, weight: f64) -> Result<(), Fault> {
    check::ratio(path, weight, 0.0..=1.0)?;
    if weight == 0.0 {
        return Err(Fault::new(path, 0.0, "the estimate would stay 1", "choose more than 0, as 0.0625"));
    }
    Ok(())
}

/// The estimate, and the counts of the period that is not over.
#[derive(Clone, Debug)]
pub(super) struct MarkedShare {
    /// The estimate, from 0 to 1.
    pub(super) alpha: f64,
    acked: u64,
    marked: u64,
}

impl MarkedShare {
    /// Before the first period: all segments are taken for marked.
    pub(super) fn new() -> MarkedShare {
        MarkedShare { alpha: 1.0, acked: 0, marked: 0 }
    }

    /// Counts the segments that an acknowledgement reports.
    pub(super) fn count(&mut self, ack: &Acked) {
        self.acked += ack.segments;
        self.marked += ack.marked;
    }

    /// Whether the period has no segment yet.
    pub(super) fn is_empty(&self) -> bool {
        self.acked == 0
    }

    /// Whether the period has a marked segment.
    pub(super) fn has_marks(&self) -> bool {
        self.marked > 0
    }

    /// Counts the period in the estimate, with the weight `g`. It must have a segment.
    pub(super) fn learn(&mut self, g: f64) {
        // With the grade `classic` more marks than segments may be reported.
        let share = (self.marked as f64 / self.acked as f64).min(1.0);
        self.alpha += g * (share - self.alpha);
    }

    /// Begins a period.
    pub(super) fn begin(&mut self) {
        (self.acked, self.marked) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::laws::acked;
    use super::*;

    /// Periods of two acknowledgements of five segments, with a weight of a quarter: 0.75 + (0.5 - 0.75) / 4, and so on.
    #[test]
    fn the_estimate_follows_the_share() {
        let mut share = MarkedShare::new();
        for (marked, expected) in [(0, 0.75), (5, 0.6875), (1, 0.540_625), (9, 0.630_468_75)] {
            assert!(share.is_empty());
            for marked in [0, marked] {
                share.count(&Acked { segments: 5, marked, ..acked(5_000) });
            }
            assert_eq!(share.has_marks(), marked > 0);
            share.learn(0.25);
            share.begin();
            assert!((share.alpha - expected).abs() < 1e-12, "{}", share.alpha);
        }
    }

    #[test]
    fn a_weight_without_sense_is_a_fault() {
        assert!([0.0, -0.5, 1.5, f64::NAN].iter().all(|weight| check_weight("g", *weight).is_err()));
        assert!(check_weight("g", 1.0).is_ok());
    }
}
