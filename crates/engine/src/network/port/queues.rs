//! The queues of a port as numbers: what is present, and what has been measured.

use super::bits::BitCount;
use crate::core::time::Time;

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
    pub(super) fn join(&mut self, at: Time, present: u64) {
        self.area -= i128::from(at.0);
        self.most = self.most.max(present);
    }

    /// A PDU of so many bits departs.
    #[inline(always)]
    pub(super) fn depart(&mut self, at: Time, bits: u64) {
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
    pub(crate) fn arrive(&mut self, at: Time) {
        self.measures.arrived += 1;
        self.enter(at);
    }

    #[inline]
    fn enter(&mut self, at: Time) {
        self.present += 1;
        self.measures.join(at, self.present);
    }

    /// A PDU of so many bits departs.
    #[inline]
    pub(crate) fn leave(&mut self, at: Time, bits: u64) {
        self.present -= 1;
        self.measures.depart(at, bits);
        self.measures.departed += 1;
    }

    pub(crate) fn reset(&mut self, now: Time) {
        let area = -i128::from(self.present) * i128::from(now.0);
        let most_before = self.measures.most;
        self.measures = QueueMeasures { area, most: self.present, most_before, ..QueueMeasures::default() };
    }
}

/// Every queue of a port.
#[derive(Clone, Debug, Default)]
pub(super) struct Queues {
    pub(super) states: Vec<QueueState>,
    /// PDUs present in all of them.
    pub(super) present: u64,
    /// Most present at once since the last reset.
    pub(super) most: u64,
    /// Most present at once before it.
    pub(super) most_before: u64,
    /// What is present in bits, where somebody counts those.
    pub(super) bits: Option<Box<BitCount>>,
}

impl Queues {
    pub(super) fn new(count: usize, bits: Option<Box<BitCount>>) -> Queues {
        Queues { states: vec![QueueState::default(); count], bits, ..Queues::default() }
    }

    #[inline]
    pub(super) fn of(&mut self, queue: usize) -> &mut QueueState {
        &mut self.states[queue]
    }

    #[inline]
    pub(super) fn enter(&mut self, queue: usize, at: Time, bits: u64) {
        if let Some(count) = &mut self.bits {
            count.enter(queue, at, bits);
        }
        self.of(queue).enter(at);
        self.present += 1;
        self.most = self.most.max(self.present);
    }

    #[inline]
    pub(super) fn leave(&mut self, queue: usize, at: Time, bits: u64) {
        if let Some(count) = &mut self.bits {
            count.leave(queue, at, bits);
        }
        self.of(queue).leave(at, bits);
        self.present -= 1;
    }

    pub(super) fn evict(&mut self, queue: usize, at: Time, bits: u64) {
        if let Some(count) = &mut self.bits {
            count.evict(queue, at, bits);
        }
        let state = self.of(queue);
        state.present -= 1;
        state.measures.area += i128::from(at.0);
        self.present -= 1;
    }

    /// Bits in one queue; 0 where they are not counted.
    pub(super) fn bits_in(&self, queue: usize) -> u64 {
        self.bits.as_ref().map_or(0, |count| count.present(queue))
    }

    pub(super) fn reset(&mut self, now: Time) {
        if let Some(count) = &mut self.bits {
            count.reset(now);
        }
        self.states.iter_mut().for_each(|state| state.reset(now));
        self.most_before = self.most;
        self.most = self.present;
    }
}
