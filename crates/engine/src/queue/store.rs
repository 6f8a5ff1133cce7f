//! The PDUs that wait in the queues of a port.

use std::collections::VecDeque;

use crate::core::key::Place;
use crate::core::pdu::Pdu;
use crate::core::time::Time;

/// A waiting PDU, with the time and the place of its arrival.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) pdu: Pdu,
    pub(crate) place: Place,
    pub(crate) arrived: Time,
}

/// The PDUs that wait in one queue.
#[derive(Clone, Debug, Default)]
struct Queue {
    waiting: VecDeque<Waiting>,
    bits: u64,
}

/// Waiting PDUs, by priority.
#[derive(Clone, Debug, Default)]
pub struct Queued {
    queues: Vec<Queue>,
    pub(crate) count: usize,
}

impl Queued {
    /// Queues a PDU behind those of its priority.
    #[inline]
    pub(crate) fn push(&mut self, queue: usize, waiting: Waiting) {
        if self.queues.len() <= queue {
            self.queues.resize_with(queue + 1, Queue::default);
        }
        let queue = &mut self.queues[queue];
        queue.bits += waiting.pdu.bits();
        queue.waiting.push_back(waiting);
        self.count += 1;
    }

    /// Queues a PDU in front of those at the end of its queue that it overtakes.
    pub(crate) fn insert(&mut self, queue: usize, waiting: Waiting, overtakes: impl Fn(&Waiting) -> bool) {
        self.push(queue, waiting);
        let queue = &mut self.queues[queue].waiting;
        let mut place = queue.len() - 1;
        while place > 0 && overtakes(&queue[place - 1]) {
            queue.swap(place - 1, place);
            place -= 1;
        }
    }

    /// The first queue, by priority, in which a PDU waits.
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<usize> {
        self.queues.iter().position(|queue| !queue.waiting.is_empty())
    }

    /// Bits of the first PDU of a queue; `None` if nothing waits there.
    #[must_use]
    pub fn head_bits(&self, queue: usize) -> Option<u64> {
        self.queues.get(queue)?.waiting.front().map(|waiting| waiting.pdu.bits())
    }

    /// Removes the first PDU of a queue.
    #[inline]
    pub(crate) fn pop(&mut self, queue: usize) -> Option<Waiting> {
        let queue = self.queues.get_mut(queue)?;
        let waiting = queue.waiting.pop_front()?;
        queue.bits -= waiting.pdu.bits();
        self.count -= 1;
        Some(waiting)
    }

    /// When the first PDU of a queue arrived; `None` if nothing waits there.
    pub(crate) fn head_since(&self, queue: usize) -> Option<Time> {
        self.queues.get(queue)?.waiting.front().map(|waiting| waiting.arrived)
    }

    /// Bits that wait in a queue.
    pub(crate) fn bits(&self, queue: usize) -> u64 {
        self.queues.get(queue).map_or(0, |queue| queue.bits)
    }

    /// The waiting PDUs of each queue, in the order in which it would send them.
    pub(crate) fn all(&self) -> impl Iterator<Item = (usize, &Waiting)> {
        let queues = self.queues.iter().enumerate();
        queues.flat_map(|(number, queue)| queue.waiting.iter().map(move |waiting| (number, waiting)))
    }

    /// Removes the newest waiting PDU with CLP=1 from the queue.
    pub(crate) fn remove_tagged(&mut self, queue: usize) -> Option<Pdu> {
        let queue = self.queues.get_mut(queue)?;
        let position = queue.waiting.iter().rposition(|waiting| waiting.pdu.is_tagged())?;
        let removed = queue.waiting.remove(position)?;
        queue.bits -= removed.pdu.bits();
        self.count -= 1;
        Some(removed.pdu)
    }
}
