//! One queue as numbers: what is present, and what has been measured. Ports have them, and access lines.

use crate::core::time::Time;

/// The most queues that a port can have.
pub const MOST_QUEUES: usize = 8;

/// What one queue of a port has seen since the last reset.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueMeasures {
    /// PDUs that arrived.
    pub arrived: u64,
    /// PDUs discarded.
    pub discarded: u64,
    /// PDUs that left for the line.
    pub departed: u64,
    /// Bits that left for the line.
    pub departed_bits: u64,
    /// Most PDUs present.
    pub most: u64,
    /// Most PDUs present before the last reset.
    pub most_before: u64,
    /// Sum of all departures less sum of all arrivals, in picoseconds; with `present` PDUs counted up to now it is the
    /// area under the queue length.
    area: i128,
}

/// One queue of a port: what is present, the PDU in service counted, and what has been measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueState {
    /// PDUs present.
    pub present: u64,
    /// Measures since the last reset.
    pub measures: QueueMeasures,
}

impl QueueMeasures {
    /// A PDU joins the queue, in which `present` are then.
    #[inline(always)]
    pub(in crate::network) fn join(&mut self, at: Time, present: u64) {
        self.area -= i128::from(at.0);
        self.most = self.most.max(present);
    }

    /// A PDU of so many bits departs.
    #[inline(always)]
    pub(in crate::network) fn depart(&mut self, at: Time, bits: u64) {
        self.area += i128::from(at.0);
        self.departed_bits += bits;
    }
}

impl QueueState {
    /// Picoseconds times PDUs present since the last reset.
    #[must_use]
    pub fn area(&self, now: Time) -> i128 {
        self.measures.area + i128::from(self.present) * i128::from(now.0)
    }

    /// A PDU joins the queue.
    #[inline]
    pub(in crate::network) fn arrive(&mut self, at: Time) {
        self.measures.arrived += 1;
        self.enter(at);
    }

    /// A PDU joins the queue whose arrival has been counted.
    #[inline]
    pub(in crate::network) fn enter(&mut self, at: Time) {
        self.present += 1;
        self.measures.join(at, self.present);
    }

    /// A PDU of so many bits departs.
    #[inline]
    pub(in crate::network) fn leave(&mut self, at: Time, bits: u64) {
        self.present -= 1;
        self.measures.depart(at, bits);
        self.measures.departed += 1;
    }

    /// A PDU is taken out of the queue unsent.
    pub(in crate::network) fn evict(&mut self, at: Time) {
        self.present -= 1;
        self.measures.area += i128::from(at.0);
    }

    /// Starts the measures afresh; what is present stays.
    pub(in crate::network) fn reset(&mut self, now: Time) {
        let area = -i128::from(self.present) * i128::from(now.0);
        let most_before = self.measures.most;
        self.measures = QueueMeasures { area, most: self.present, most_before, ..QueueMeasures::default() };
    }
}
