//! How fast a sender repairs losses: proportional rate reduction (RFC 9937, which replaced RFC 6937), or the pipe alone
//! (RFC 6675).
//!
//! With D octets that an acknowledgement newly reports, F octets in flight at the start, and `threshold` the window after the
//! reduction, proportional rate reduction allows at each acknowledgement n octets beyond those in flight:
//!
//! ```text
//! delivered += D
//! in flight > threshold: n = ceil(delivered threshold / F) - sent
//! else n = max(delivered - sent, D), one segment more if the acknowledgement has progress and no loss, at most
//!     threshold - in flight
//! nothing sent yet, and n = 0: n = one segment
//! ```

/// The state of proportional rate reduction, in octets.
#[derive(Clone, Debug)]
pub(super) struct Reduction {
    /// Newly reported since the start.
    delivered: u64,
    /// Sent since the start.
    sent: u64,
    /// In flight at the start.
    flight: u64,
    threshold: u64,
    segment: u64,
    /// The most that may be in flight now.
    window: u64,
}

impl Reduction {
    /// A recovery that begins with `flight` octets in flight.
    pub(super) fn new(flight: u64, threshold: u64, segment: u16) -> Reduction {
        let (flight, segment) = (flight.max(1), u64::from(segment));
        Reduction { delivered: 0, sent: 0, flight, threshold, segment, window: 0 }
    }

    /// The most that may be in flight.
    pub(super) fn window(&self) -> u64 {
        self.window
    }

    /// Octets are sent.
    pub(super) fn send(&mut self, octets: u16) {
        self.sent += u64::from(octets);
    }

    /// An acknowledgement newly reports `octets`, and `in_flight` are left. It `progresses` if it acknowledges more octets in
    /// sequence and reports no new loss.
    pub(super) fn acknowledge(&mut self, octets: u64, in_flight: u64, progresses: bool) {
        self.delivered += octets;
        let mut more = if in_flight > self.threshold {
            let share = u128::from(self.delivered) * u128::from(self.threshold);
            (share.div_ceil(u128::from(self.flight)) as u64).saturating_sub(self.sent)
        } else {
            let caught_up = self.delivered.saturating_sub(self.sent).max(octets);
            let extra = if progresses { self.segment } else { 0 };
            (caught_up + extra).min(self.threshold - in_flight)
        };
        if self.sent == 0 && more == 0 {
            more = self.segment;
        }
        self.window = in_flight + more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The unit tests of quiche, re-expressed.
    #[test]
    fn the_allowance_follows_what_is_delivered() {
        let mut reduction = Reduction::new(10_000, 5_000, 1_000);
        reduction.acknowledge(1_000, 10_000, true);
        assert_eq!(reduction.window() - 10_000, 500);
        reduction.send(500);
        reduction.acknowledge(1_000, 10_000, true);
        assert_eq!(reduction.window() - 10_000, 500);
        let mut reduction = Reduction::new(10_000, 5_000, 1_000);
        reduction.acknowledge(1_000, 1_000, true);
        assert_eq!(reduction.window() - 1_000, 2_000);
    }

    #[test]
    fn the_first_retransmission_does_not_wait() {
        let mut reduction = Reduction::new(100_000, 1_000, 1_000);
        reduction.acknowledge(0, 90_000, false);
        assert_eq!(reduction.window(), 91_000);
    }
}
