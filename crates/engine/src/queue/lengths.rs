//! The lengths and measures of a port's queues.

use crate::core::time::Time;
use crate::queue::bits::BitCount;
use crate::queue::measures::QueueState;

/// All queues of a port.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queues {
    pub(crate) states: Vec<QueueState>,
    /// Total queue length in PDUs.
    pub(crate) present: u64,
    /// Highest total queue length since the last reset.
    pub(crate) most: u64,
    /// Highest total queue length before the last reset.
    pub(crate) most_before: u64,
    /// Queue lengths in bits, if the port counts bits.
    pub(crate) bits: Option<Box<BitCount>>,
}

impl Queues {
    pub(crate) fn new(count: usize, bits: Option<Box<BitCount>>) -> Queues {
        Queues { states: vec![QueueState::default(); count], bits, ..Queues::default() }
    }

    #[inline]
    pub(crate) fn of(&mut self, queue: usize) -> &mut QueueState {
        &mut self.states[queue]
    }

    #[inline]
    pub(crate) fn enter(&mut self, queue: usize, at: Time, bits: u64) {
        if let Some(count) = &mut self.bits {
            count.enter(queue, at, bits);
        }
        self.of(queue).enter(at);
        self.present += 1;
        self.most = self.most.max(self.present);
    }

    #[inline]
    pub(crate) fn leave(&mut self, queue: usize, at: Time, bits: u64) {
        if let Some(count) = &mut self.bits {
            count.leave(queue, at, bits);
        }
        self.of(queue).leave(at, bits);
        self.present -= 1;
    }

    pub(crate) fn evict(&mut self, queue: usize, at: Time, bits: u64) {
        if let Some(count) = &mut self.bits {
            count.evict(queue, at, bits);
        }
        self.of(queue).evict(at);
        self.present -= 1;
    }

    /// Bits in one queue; 0 if the port does not count bits.
    pub(crate) fn bits_in(&self, queue: usize) -> u64 {
        self.bits.as_ref().map_or(0, |count| count.present(queue))
    }

    pub(crate) fn reset(&mut self, now: Time) {
        if let Some(count) = &mut self.bits {
            count.reset(now);
        }
        self.states.iter_mut().for_each(|state| state.reset(now));
        self.most_before = self.most;
        self.most = self.present;
    }
}
