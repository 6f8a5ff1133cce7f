//! The state of one queue: its length and its measures. Ports and access lines have queues.

use crate::core::time::Time;

/// The most queues of a port.
pub const MOST_QUEUES: usize = 8;

/// Measures of one queue since the last reset.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueMeasures {
    /// PDUs that arrived.
    pub arrived: u64,
    /// PDUs discarded.
    pub discarded: u64,
    /// PDUs that the line sent completely.
    pub departed: u64,
    /// Bits that the line sent completely.
    pub departed_bits: u64,
    /// Highest queue length.
    pub most: u64,
    /// Highest queue length before the last reset.
    pub most_before: u64,
    /// Sum of all departure times less sum of all arrival times, in picoseconds. Together with the PDUs present now it
    /// gives the area under the queue length.
    area: i128,
}

/// One queue: its length, including the PDU in service, and its measures.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueState {
    /// Queue length in PDUs.
    pub present: u64,
    /// Measures since the last reset.
    pub measures: QueueMeasures,
}

/// Some departures, together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Departures {
    pub(crate) count: u64,
    pub(crate) bits: u64,
    /// Sum of their times, in picoseconds.
    pub(crate) times: i128,
}

impl Departures {
    /// Adds one.
    pub(crate) fn add(&mut self, (at, bits): (Time, u64)) {
        self.count += 1;
        self.bits += bits;
        self.times += i128::from(at.0);
    }

    /// Takes one away.
    pub(crate) fn remove(&mut self, (at, bits): (Time, u64)) {
        self.count -= 1;
        self.bits -= bits;
        self.times -= i128::from(at.0);
    }
}

impl QueueMeasures {
    /// A PDU joins the queue; the length is then `present`.
    #[inline(always)]
    pub(crate) fn join(&mut self, at: Time, present: u64) {
        self.area -= i128::from(at.0);
        self.most = self.most.max(present);
    }

    /// A PDU of `bits` departs.
    #[inline(always)]
    pub(crate) fn depart(&mut self, at: Time, bits: u64) {
        self.area += i128::from(at.0);
        self.departed_bits += bits;
    }
}

impl QueueState {
    /// A queue that no PDU has used.
    pub const UNUSED: QueueState = QueueState {
        present: 0,
        measures: QueueMeasures {
            arrived: 0,
            discarded: 0,
            departed: 0,
            departed_bits: 0,
            most: 0,
            most_before: 0,
            area: 0,
        },
    };

    /// Picoseconds times PDUs present since the last reset.
    #[must_use]
    pub fn area(&self, now: Time) -> i128 {
        self.measures.area + i128::from(self.present) * i128::from(now.0)
    }

    /// A PDU arrives and joins the queue.
    #[inline]
    pub(crate) fn arrive(&mut self, at: Time) {
        self.measures.arrived += 1;
        self.enter(at);
    }

    /// So many PDUs arrive at once, and join the queue.
    pub(crate) fn arrive_together(&mut self, at: Time, count: u32) {
        self.measures.arrived += u64::from(count);
        self.present += u64::from(count);
        self.measures.area -= i128::from(count) * i128::from(at.0);
        self.measures.most = self.measures.most.max(self.present);
    }

    /// A PDU joins the queue. Its arrival is already counted.
    #[inline]
    pub(crate) fn enter(&mut self, at: Time) {
        self.present += 1;
        self.measures.join(at, self.present);
    }

    /// A PDU of `bits` departs.
    #[inline]
    pub(crate) fn leave(&mut self, at: Time, bits: u64) {
        self.present -= 1;
        self.measures.depart(at, bits);
        self.measures.departed += 1;
    }

    /// A PDU of `bits` passes through the queue: it arrives at `at`, is one of `length`, and departs at `departure`.
    #[inline(always)]
    pub(crate) fn pass(&mut self, at: Time, departure: Time, bits: u64, length: u64) {
        self.measures.arrived += 1;
        self.measures.departed += 1;
        self.measures.departed_bits += bits;
        self.measures.most = self.measures.most.max(length);
        self.measures.area += i128::from(departure.0 - at.0);
    }

    /// Takes back departures that have been counted too early.
    pub(crate) fn take_back(&mut self, early: &Departures) {
        self.present += early.count;
        self.measures.departed -= early.count;
        self.measures.departed_bits -= early.bits;
        self.measures.area -= early.times;
    }

    /// Counts departures that were taken back.
    pub(crate) fn count_again(&mut self, early: &Departures) {
        self.present -= early.count;
        self.measures.departed += early.count;
        self.measures.departed_bits += early.bits;
        self.measures.area += early.times;
    }

    /// A PDU is evicted from the queue.
    pub(crate) fn evict(&mut self, at: Time) {
        self.present -= 1;
        self.measures.area += i128::from(at.0);
    }

    /// Resets the measures. The queue length does not change.
    pub(crate) fn reset(&mut self, now: Time) {
        let area = -i128::from(self.present) * i128::from(now.0);
        let most_before = self.measures.most;
        self.measures = QueueMeasures { area, most: self.present, most_before, ..QueueMeasures::default() };
    }
}
