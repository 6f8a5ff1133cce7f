//! Sub-queues by the priority of NPDUs: the bits that each holds.

use crate::core::pdu::{MOST_NPDU_PRIORITY, Pdu};
use crate::core::time::Time;
use crate::queue::measures::MOST_QUEUES;
use crate::queue::store::Waiting;
use crate::queue::{Discard, Policy};

/// The sub-queues of a port whose policies serve NPDUs by priority.
#[derive(Clone, Debug)]
pub(crate) struct Precedence {
    /// For each queue, whether it has sub-queues, and the bits that wait in each.
    waiting: [Option<[u64; MOST_NPDU_PRIORITY as usize + 1]>; MOST_QUEUES],
    /// The PDU in transmission that came last from such a queue: its queue, priority, bits and departure.
    transmitted: (usize, u8, u64, Time),
}

impl Precedence {
    /// The sub-queues of these queues; `None` if no queue has any.
    pub(crate) fn new(policies: &[Policy]) -> Option<Box<Precedence>> {
        let mut waiting = [None; MOST_QUEUES];
        for (bits, policy) in waiting.iter_mut().zip(policies) {
            *bits = policy.serves_by_priority().then(Default::default);
        }
        waiting
            .iter()
            .any(Option::is_some)
            .then(|| Box::new(Precedence { waiting, transmitted: (0, 0, 0, Time::ZERO) }))
    }

    /// Whether `one`, of this queue, is served before `other`, which arrived earlier.
    pub(crate) fn overtakes(&self, queue: usize, one: &Waiting, other: &Waiting) -> bool {
        self.waiting[queue].is_some() && one.pdu.npdu_priority() > other.pdu.npdu_priority()
    }

    /// A PDU waits in its queue.
    pub(crate) fn wait(&mut self, queue: usize, pdu: &Pdu) {
        if let Some(waiting) = &mut self.waiting[queue] {
            waiting[place(pdu.npdu_priority())] += pdu.bits();
        }
    }

    /// A PDU, which has waited or not, is transmitted until `departure`.
    pub(crate) fn transmit(&mut self, queue: usize, pdu: &Pdu, has_waited: bool, departure: Time) {
        if let Some(waiting) = &mut self.waiting[queue] {
            if has_waited {
                waiting[place(pdu.npdu_priority())] -= pdu.bits();
            }
            self.transmitted = (queue, pdu.npdu_priority(), pdu.bits(), departure);
        }
    }

    /// The departure of the PDU in transmission changes from `before` to `after`.
    pub(crate) fn retime(&mut self, before: Time, after: Time) {
        if self.transmitted.3 == before {
            self.transmitted.3 = after;
        }
    }

    /// Bits of `priority` or higher that wait in the queue, and those in transmission at `now`; `None` without sub-queues.
    pub(crate) fn bits(&self, queue: usize, priority: u8, now: Time) -> Option<[u64; 2]> {
        let waiting = self.waiting[queue].as_ref()?;
        let (from, of, bits, departure) = self.transmitted;
        let is_transmitted = from == queue && of >= priority && departure > now;
        Some([waiting[place(priority)..].iter().sum::<u64>(), if is_transmitted { bits } else { 0 }])
    }
}

fn place(priority: u8) -> usize {
    usize::from(priority.min(MOST_NPDU_PRIORITY))
}
