//! Jitter: how long the segments of a sender take to leave it.
//!
//! Streams that fill a queue without any jitter are in phase: which of them finds the queue full depends on accidents, and
//! so do their shares (Floyd and Jacobson, On traffic phase effects in packet-switched gateways, 1992).

use crate::core::random::Stream;
use crate::core::time::{Span, Time};

/// The jitter of one host.
#[derive(Clone, Debug)]
pub struct Jitter {
    most: Span,
    stream: Stream,
    /// When the last PDU left.
    last: Time,
}

impl Jitter {
    /// Each PDU takes up to `most`, which is positive.
    #[must_use]
    pub fn new(most: Span, stream: Stream) -> Jitter {
        Jitter { most, stream, last: Time::ZERO }
    }

    /// When a PDU leaves that is ready at `now`: later than `now`, and not before the last one.
    pub(super) fn leave(&mut self, now: Time) -> Time {
        // At the instant `now` itself, the place of its cause may be behind that of the host.
        let after = Span(self.stream.below(self.most.0) + 1);
        self.last = self.last.max(now + after);
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_takes_up_to_the_most_and_none_overtakes() {
        let most = Span::milliseconds(1);
        let mut jitter = Jitter::new(most, Stream::new(1, 0, "jitter"));
        let alone: Vec<u64> =
            (1..=1000).map(|second| jitter.leave(Time(second * 1_000_000_000_000)).0 % 1_000_000_000_000).collect();
        assert!(alone.iter().all(|late| (1..=most.0).contains(late)));
        // The mean of a uniform draw, within four standard errors.
        let mean = alone.iter().sum::<u64>() as f64 / 1000.0 / most.0 as f64;
        assert!((mean - 0.5).abs() < 4.0 * (1.0f64 / 12.0 / 1000.0).sqrt(), "{mean}");
        let burst: Vec<Time> = (0..100).map(|_| jitter.leave(Time(2_000_000_000_000_000))).collect();
        assert!(burst.is_sorted());
    }
}
