//! The sender's estimate of the round-trip time, and the retransmission timer T1 based on it.
//!
//! Its page: docs/models/tp4.md.
//!
//! V. Jacobson, Congestion Avoidance and Control, SIGCOMM 1988: mean + k deviations, by default with his gains 1/8 and
//! 1/4 and k = 4. The first sample sets the mean, and the deviation to half the sample (RFC 6298, 2.2).

use super::params::{Retransmission, Sampled};
use crate::core::time::Span;

/// The estimate of one connection.
#[derive(Clone, Debug)]
pub(super) struct RoundTrip {
    timers: Retransmission,
    /// Mean and mean deviation, in picoseconds. `None` before the first sample.
    estimate: Option<(f64, f64)>,
}

impl RoundTrip {
    pub(super) fn new(timers: &Retransmission) -> RoundTrip {
        RoundTrip { timers: timers.clone(), estimate: None }
    }

    /// Whether a TPDU with that many transmissions gives a sample. By Karn's rule only one that was sent once does.
    pub(super) fn is_sampled(&self, transmissions: u32) -> bool {
        transmissions == 1 || !self.timers.karn
    }

    /// Whether an acknowledgement gives a sample if an older TPDU that it covers [gave none](Self::is_sampled).
    pub(super) fn regards_newest(&self) -> bool {
        self.timers.sampled == Sampled::Newest
    }

    /// A TPDU that [gives a sample](Self::is_sampled) was acknowledged `sample` after its last transmission.
    pub(super) fn record(&mut self, sample: Span) {
        let Retransmission { mean_gain, deviation_gain, .. } = self.timers;
        let sample = sample.0 as f64;
        self.estimate = Some(match self.estimate {
            Some((mean, deviation)) => {
                let error = sample - mean;
                (mean + error * mean_gain, deviation + (error.abs() - deviation) * deviation_gain)
            }
            None => (sample, sample / 2.0),
        });
    }

    /// T1 of the `transmission`-th transmission of a TPDU, counted from 1.
    pub(super) fn timeout(&self, transmission: u32) -> Span {
        let timers = &self.timers;
        let once = match self.estimate {
            Some((mean, deviation)) => Span((mean + timers.deviations * deviation + 0.5) as u64).max(timers.least),
            None => timers.initial,
        };
        let doubled = once.0.saturating_mul(1 << transmission.saturating_sub(1).min(40));
        Span(doubled.min(timers.most.0))
    }

    /// Time from the expiry of T1 to the next check, for a TPDU that is not the oldest.
    pub(super) fn recheck(&self, timeout: Span) -> Span {
        Span(((timeout.0 as f64 * self.timers.recheck) as u64).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: f64) -> Span {
        Span::from_seconds(seconds)
    }

    /// Samples of 4 s, 12 s: mean 4, deviation 2; mean 5, deviation 3.5: T1 = 19 s.
    #[test]
    fn the_timer_follows_the_round_trip() {
        let mut round_trip = RoundTrip::new(&Retransmission::default());
        assert_eq!(round_trip.timeout(1), seconds(8.0));
        round_trip.record(seconds(4.0));
        assert_eq!(round_trip.timeout(1), seconds(12.0));
        round_trip.record(seconds(12.0));
        assert_eq!(round_trip.timeout(1), seconds(19.0));
        assert_eq!(round_trip.timeout(2), seconds(38.0));
        assert_eq!(round_trip.timeout(4), seconds(120.0));
        assert_eq!(round_trip.timeout(1000), seconds(120.0));
        for _ in 0..100 {
            round_trip.record(seconds(0.5));
        }
        assert_eq!(round_trip.timeout(1), seconds(8.0));
        assert_eq!(round_trip.recheck(seconds(10.0)), seconds(3.0));
    }
    /// Gains 1/2 and 1, k = 2. Samples of 4 s, 12 s: mean 4, deviation 2; mean 8, deviation 8: T1 = 24 s.
    #[test]
    fn the_gains_and_the_number_of_deviations_are_parameters() {
        let timers =
            Retransmission { mean_gain: 0.5, deviation_gain: 1.0, deviations: 2.0, ..Retransmission::default() };
        let mut round_trip = RoundTrip::new(&timers);
        round_trip.record(seconds(4.0));
        assert_eq!(round_trip.timeout(1), seconds(8.0));
        round_trip.record(seconds(12.0));
        assert_eq!(round_trip.timeout(1), seconds(24.0));
    }
}
