//! The window that controllers by loss share: its growth in slow start, and its reductions.

use super::{Acked, Congestion, Env, Signal};

/// A window, in segments.
#[derive(Clone, Debug)]
pub(super) struct Window {
    segment: f64,
    initial: f64,
    pub(super) size: f64,
    /// Where slow start ends (ssthresh).
    pub(super) threshold: f64,
}

impl Window {
    pub(super) fn new(env: Env) -> Window {
        let initial = f64::from(env.initial_window);
        Window { segment: f64::from(env.segment), initial, size: initial, threshold: f64::INFINITY }
    }

    /// In octets.
    pub(super) fn octets(&self) -> u64 {
        (self.size * self.segment) as u64
    }

    /// So many octets, in segments.
    pub(super) fn segments(&self, octets: u64) -> f64 {
        octets as f64 / self.segment
    }

    pub(super) fn is_in_slow_start(&self) -> bool {
        self.size < self.threshold
    }

    /// Slow start (RFC 5681, 3.1): adds the segments acknowledged, up to the threshold. Returns those that it leaves for
    /// congestion avoidance.
    pub(super) fn slow_start(&mut self, ack: &Acked) -> f64 {
        self.grow(ack, |acked| acked)
    }

    /// Slow start that adds `added` of the segments acknowledged. Only a sender that its window limits may have a larger one
    /// (RFC 9002, 7.8; RFC 9438, 5.8): at least half of it was in flight in slow start, and all but one segment afterwards.
    pub(super) fn grow(&mut self, ack: &Acked, added: impl Fn(f64) -> f64) -> f64 {
        if ack.is_recovering || !ack.has_progress {
            return 0.0;
        }
        let (acked, in_flight) = (self.segments(ack.octets), self.segments(ack.in_flight));
        if !self.is_in_slow_start() {
            return if ack.is_limited || in_flight + 1.0 >= self.size { acked } else { 0.0 };
        }
        if !ack.is_limited && in_flight < self.size / 2.0 {
            return 0.0;
        }
        let added = added(acked);
        // Below the threshold nothing is left, not even a rounding error.
        if self.size + added <= self.threshold {
            self.size += added;
            return 0.0;
        }
        let used = (self.threshold - self.size) * (acked / added);
        self.size = self.threshold;
        acked - used
    }

    /// Reduces the window after congestion (RFC 5681, 3.1 and 3.2): `reduced` is what is to be left after a loss or a mark,
    /// and the threshold after a timeout.
    pub(super) fn reduce(&mut self, signal: Signal, reduced: f64) {
        match signal {
            Signal::Loss => {
                self.threshold = reduced.max(2.0);
                self.size = self.threshold;
            }
            Signal::Ecn => {
                self.threshold = reduced.max(1.0);
                self.size = self.threshold;
            }
            Signal::Timeout { is_first } => {
                if is_first {
                    self.threshold = reduced.max(2.0);
                }
                self.size = 1.0;
            }
        }
    }

    /// Reduces the window by half, as NewReno does.
    pub(super) fn halve(&mut self, congestion: &Congestion) {
        let outstanding = match congestion.signal {
            Signal::Ecn => self.size,
            Signal::Loss | Signal::Timeout { .. } => self.segments(congestion.outstanding),
        };
        self.reduce(congestion.signal, self.size.min(outstanding) / 2.0);
    }

    /// The first window is so many times larger, and so is the present one if there was no congestion yet.
    pub(super) fn enlarge_first(&mut self, factor: f64) {
        self.initial *= factor;
        if self.threshold == f64::INFINITY {
            self.size = self.size.max(self.initial);
        }
    }

    /// After a pause the window is at most the first one (RFC 5681, 4.1).
    pub(super) fn restart(&mut self) {
        self.size = self.size.min(self.initial);
    }
}

#[cfg(test)]
mod tests {
    use super::super::laws::acked;
    use super::*;

    /// Short segments make windows that are no whole numbers.
    #[test]
    fn slow_start_leaves_nothing_below_its_threshold() {
        for octets in 1..=999 {
            let mut window = Window::new(Env::of(1460, 10));
            assert!((0..100).all(|_| window.slow_start(&acked(octets)) == 0.0), "{octets}");
        }
    }

    #[test]
    fn what_passes_the_threshold_is_left() {
        let mut window = Window::new(Env::of(1000, 10));
        window.threshold = 11.0;
        assert_eq!((window.slow_start(&acked(4000)), window.size), (3.0, 11.0));
        (window.size, window.threshold) = (10.0, 11.0);
        assert_eq!((window.grow(&acked(4000), |acked| acked / 2.0), window.size), (2.0, 11.0));
    }
}
