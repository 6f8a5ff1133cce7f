//! The lengths and measures of a port's queues.

use crate::core::pdu::FlowId;
use crate::core::time::Time;
use crate::queue::bits::BitCount;
use crate::queue::measures::QueueState;

/// The newest PDU that joined a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Newest {
    /// When it arrived.
    pub(crate) at: Time,
    /// Its flow.
    pub(crate) flow: FlowId,
}

impl Newest {
    const NONE: Newest = Newest { at: Time::NEVER, flow: FlowId(u32::MAX) };

    /// Whether a PDU of `flow` that is refused at `at` had met this one, of another flow, in that instant.
    pub(crate) fn is_tied_with(self, at: Time, flow: FlowId) -> bool {
        self.at == at && self.flow != flow
    }
}

/// All queues of a port.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queues {
    pub(crate) states: Vec<QueueState>,
    /// The newest PDU that joined each.
    pub(crate) newest: Vec<Newest>,
    /// PDUs refused since the last reset that met a PDU of another flow, which joined the same queue, in the instant of their
    /// arrival.
    pub(crate) tied: u64,
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
        Queues {
            states: vec![QueueState::default(); count],
            newest: vec![Newest::NONE; count],
            bits,
            ..Queues::default()
        }
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

    /// A PDU of `flow` is refused at `at`.
    pub(crate) fn refuse(&mut self, queue: usize, at: Time, flow: FlowId) {
        self.tied += u64::from(self.newest[queue].is_tied_with(at, flow));
    }

    pub(crate) fn reset(&mut self, now: Time) {
        self.tied = 0;
        if let Some(count) = &mut self.bits {
            count.reset(now);
        }
        self.states.iter_mut().for_each(|state| state.reset(now));
        self.most_before = self.most;
        self.most = self.present;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_pdu_is_tied_with_the_one_of_another_flow_in_its_queue_and_instant() {
        let mut queues = Queues::new(2, None);
        queues.newest[1] = Newest { at: Time(7), flow: FlowId(4) };
        for (queue, at, flow, tied) in [(1, 7, 4, 0), (1, 8, 5, 0), (0, 7, 5, 0), (1, 7, 5, 1), (1, 7, 6, 2)] {
            queues.refuse(queue, Time(at), FlowId(flow));
            assert_eq!(queues.tied, tied);
        }
        queues.reset(Time(9));
        assert_eq!(queues.tied, 0);
    }
}
