//! The estimate of the round-trip time, and the retransmission timeout (RFC 6298).
//!
//! ```text
//! first sample R: SRTT = R, RTTVAR = R / 2; then RTTVAR = 3/4 RTTVAR + 1/4 |SRTT - R|, SRTT = 7/8 SRTT + 1/8 R
//! RTO = SRTT + 4 RTTVAR, at least `min_rto`, at most a minute; 1 s before the first sample; doubled at each expiry
//! ```

use crate::core::time::{PICOSECONDS, Span};

/// The timeout before the first sample (RFC 6298, 2.1).
const FIRST: Span = Span(PICOSECONDS);
/// The timeout of a stream whose request timed out, until its first sample (RFC 6298, 5.7).
const AFTER_REQUEST: Span = Span(3 * PICOSECONDS);
/// The longest timeout (RFC 6298, 2.4: 60 s or more).
const LONGEST: Span = Span(60 * PICOSECONDS);

/// The estimate of one stream.
#[derive(Clone, Debug)]
pub(super) struct RoundTrip {
    /// SRTT and RTTVAR in picoseconds, once there is a sample.
    estimate: Option<(f64, f64)>,
    first: Span,
    least: Span,
    doublings: u32,
}

impl RoundTrip {
    pub(super) fn new() -> RoundTrip {
        RoundTrip { estimate: None, first: FIRST, least: Span(u64::MAX), doublings: 0 }
    }

    /// A transmission has been acknowledged after `sample`.
    pub(super) fn record(&mut self, sample: Span) {
        self.least = self.least.min(sample);
        self.doublings = 0;
        let sample = sample.0 as f64;
        self.estimate = Some(match self.estimate {
            Some((mean, deviation)) => {
                (mean + (sample - mean) / 8.0, deviation + ((mean - sample).abs() - deviation) / 4.0)
            }
            None => (sample, sample / 2.0),
        });
    }

    /// SRTT; zero before the first sample.
    pub(super) fn smoothed(&self) -> Span {
        Span(self.estimate.map_or(0, |(mean, _)| (mean + 0.5) as u64))
    }

    /// The least sample, or zero.
    pub(super) fn least(&self) -> Span {
        if self.estimate.is_some() { self.least } else { Span::ZERO }
    }

    /// The timer has expired.
    pub(super) fn back_off(&mut self) {
        self.doublings = (self.doublings + 1).min(16);
    }

    /// The request to open the stream has timed out.
    pub(super) fn doubt(&mut self) {
        self.first = AFTER_REQUEST;
    }

    /// The timeout of a request: that of a stream without samples (RFC 6298, 2.1), doubled at each expiry.
    pub(super) fn request_timeout(&self) -> Span {
        Span(FIRST.0 << self.doublings).min(LONGEST)
    }

    /// The timeout, which is not shorter than `shortest`.
    pub(super) fn timeout(&self, shortest: Span) -> Span {
        let once = match self.estimate {
            Some((mean, deviation)) => Span((mean + 4.0 * deviation + 0.5) as u64).max(shortest),
            None => self.first,
        };
        Span(once.0.saturating_mul(1 << self.doublings)).min(LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(span: Span) -> f64 {
        span.seconds() * 1e3
    }

    /// Samples of 100 ms each, and no least timeout.
    #[test]
    fn the_deviation_of_constant_samples_decays() {
        let mut round_trip = RoundTrip::new();
        assert_eq!(milliseconds(round_trip.timeout(Span::ZERO)), 1000.0);
        for expected in [300.0, 250.0, 212.5, 184.375, 163.281_25, 147.460_937, 135.595_703, 126.696_777] {
            round_trip.record(Span::milliseconds(100));
            assert!((milliseconds(round_trip.timeout(Span::ZERO)) - expected).abs() < 1e-6, "{expected}");
        }
        assert_eq!(round_trip.smoothed(), Span::milliseconds(100));
        assert_eq!(milliseconds(round_trip.timeout(Span::milliseconds(200))), 200.0);
    }

    #[test]
    fn the_timeout_doubles_up_to_a_minute_until_the_next_sample() {
        let mut round_trip = RoundTrip::new();
        let mut timeouts = Vec::new();
        for _ in 0..8 {
            timeouts.push(milliseconds(round_trip.timeout(Span::ZERO)) / 1e3);
            round_trip.back_off();
        }
        assert_eq!(timeouts, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]);
        round_trip.record(Span::milliseconds(10));
        assert_eq!(milliseconds(round_trip.timeout(Span::milliseconds(200))), 200.0);
        assert_eq!(round_trip.least(), Span::milliseconds(10));
    }

    #[test]
    fn a_stream_whose_request_timed_out_begins_with_three_seconds() {
        let mut round_trip = RoundTrip::new();
        round_trip.doubt();
        assert_eq!(milliseconds(round_trip.timeout(Span::ZERO)), 3000.0);
    }
}
