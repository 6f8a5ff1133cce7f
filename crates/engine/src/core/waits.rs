//! Times of the data of a flow or a group: their moments and, if it is kept, their histogram. Of data that may wait at their
//! source, the delays since their generation, and the waits.

use crate::core::stats::{Histogram, Moments};

/// A set of times in picoseconds.
#[derive(Clone, Debug, Default)]
pub struct Spread {
    /// Their moments.
    pub moments: Moments,
    /// Their histogram, if it is kept.
    pub histogram: Option<Histogram>,
}

impl Spread {
    /// None yet.
    #[must_use]
    pub fn new(has_histogram: bool) -> Spread {
        Spread { moments: Moments::default(), histogram: has_histogram.then(Histogram::new) }
    }

    /// Adds one time. Returns whether it is smaller than all before.
    #[inline(always)]
    pub fn record(&mut self, time: u64) -> bool {
        if let Some(histogram) = &mut self.histogram {
            histogram.record(time);
        }
        self.moments.record(time)
    }
}

/// The times of data that were delivered, and whose source may wait.
#[derive(Clone, Debug)]
pub struct Waits {
    /// From generation to delivery.
    pub delays: Spread,
    /// From generation to transmission.
    pub waits: Spread,
}

impl Waits {
    /// None yet.
    #[must_use]
    pub fn new(has_histograms: bool) -> Waits {
        Waits { delays: Spread::new(has_histograms), waits: Spread::new(has_histograms) }
    }

    /// Data arrive that waited for `wait` and were under way for `delay`, in picoseconds.
    pub fn record(&mut self, delay: u64, wait: u64) {
        self.delays.record(delay.saturating_add(wait));
        self.waits.record(wait);
    }
}
