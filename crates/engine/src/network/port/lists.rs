//! The queues of a port whose policies keep their PDUs in several lists.

use super::Port;
use crate::core::key::Key;
use crate::core::pdu::Pdu;
use crate::core::probe::Probe;
use crate::core::time::Time;
use crate::network::context::Ctx;
use crate::queue::Discipline;
use crate::queue::hold::{Hold, Victims};
use crate::queue::store::{Lists, Waiting};

impl Port {
    /// Divides the queues whose policies keep lists.
    pub(super) fn divide_queues(&mut self) {
        for (queue, policy) in self.policies.iter_mut().enumerate() {
            if policy.hold().is_some() {
                self.server.waiting.divide(queue);
                self.has_lists = true;
            }
        }
    }

    /// The policy of a queue with lists, and these; `None` if the queue has none.
    #[inline]
    fn hold(&mut self, queue: usize) -> Option<(&mut dyn Hold, &Lists)> {
        if !self.has_lists {
            return None;
        }
        self.policies[queue].hold().zip(self.server.waiting.lists(queue))
    }

    /// Makes what the timers of the queue's policy would have made up to `now`.
    #[inline]
    pub(super) fn catch_up_lists(&mut self, queue: usize, now: Time) {
        if let Some((hold, lists)) = self.hold(queue) {
            hold.catch_up_lists(now, lists);
        }
    }

    /// What is discarded to let `pdu` into the queue; `None` if `pdu` itself is.
    pub(super) fn find_victims(&mut self, pdu: &Pdu, queue: usize) -> Option<Victims> {
        self.hold(queue).and_then(|(hold, lists)| hold.victims(pdu, lists))
    }

    /// Discards PDUs to make room for the one that arrives with the key `key`.
    pub(super) fn discard_heads<P: Probe>(&mut self, victims: Victims, key: Key, queue: usize, ctx: &mut Ctx<P>) {
        for _ in 0..victims.count {
            let Some(victim) = self.server.waiting.pop_from(queue, victims.list) else { return };
            self.queues.evict(queue, key.time, victim.pdu.bits());
            self.discard(&victim.pdu, key, ctx);
        }
    }

    /// A PDU arrives at `at`. If the line was free before that, it has found nothing to send: the policies hear of that before the
    /// PDU waits or begins, also if it is of a queue whose services are known at once.
    #[inline]
    pub(super) fn rest_lists(&mut self, at: Time) {
        if self.has_lists && self.server.waiting.count == 0 && self.server.line.free_at <= at {
            self.choose_lists();
        }
    }

    /// A PDU waits in its queue.
    #[inline]
    pub(super) fn wait(&mut self, queue: usize, waiting: Waiting) {
        match self.hold(queue).map(|(hold, _)| hold.join(&waiting.pdu)) {
            Some(list) => self.server.waiting.push_to(queue, list, waiting),
            None => self.server.waiting.push(queue, waiting),
        }
    }

    /// Lets the policies choose the lists that are served when the line is free.
    #[inline]
    pub(super) fn choose_lists(&mut self) {
        if !self.has_lists {
            return;
        }
        // What waits when the line was free before has just arrived: then the policy has caught up to now.
        let free_at = self.server.line.free_at;
        for queue in 0..self.policies.len() {
            let Some((hold, lists)) = self.hold(queue) else { continue };
            hold.catch_up_lists(free_at, lists);
            if let Some(list) = hold.next(lists) {
                self.server.waiting.serve_from(queue, list);
            }
        }
    }
}
