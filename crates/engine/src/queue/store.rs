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

/// PDUs that wait in an order.
#[derive(Clone, Debug, Default)]
struct List {
    waiting: VecDeque<Waiting>,
    bits: u64,
}

impl List {
    #[inline]
    fn push(&mut self, waiting: Waiting) {
        self.bits += waiting.pdu.bits();
        self.waiting.push_back(waiting);
    }

    #[inline]
    fn pop(&mut self) -> Option<Waiting> {
        let waiting = self.waiting.pop_front()?;
        self.bits -= waiting.pdu.bits();
        Some(waiting)
    }
}

/// The PDUs of a queue whose policy keeps them in several lists.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    lists: Vec<List>,
    /// PDUs and bits in all of them.
    count: usize,
    bits: u64,
    /// The list that is served next.
    next: usize,
}

impl Lists {
    /// Lists that have been used, with those of lower numbers.
    pub(crate) fn len(&self) -> usize {
        self.lists.len()
    }

    /// PDUs in a list.
    pub(crate) fn count(&self, list: usize) -> usize {
        self.lists.get(list).map_or(0, |list| list.waiting.len())
    }

    /// When the first PDU of a list arrived; `None` if nothing waits there.
    pub(crate) fn head_since(&self, list: usize) -> Option<Time> {
        self.lists.get(list)?.waiting.front().map(|waiting| waiting.arrived)
    }

    /// Bits in a list.
    pub(crate) fn bits(&self, list: usize) -> u64 {
        self.lists.get(list).map_or(0, |list| list.bits)
    }

    /// Bits in all lists.
    pub(crate) fn all_bits(&self) -> u64 {
        self.bits
    }

    /// The PDUs of a list, in order.
    pub(crate) fn waiting(&self, list: usize) -> impl Iterator<Item = &Waiting> {
        self.lists.get(list).into_iter().flat_map(|list| &list.waiting)
    }

    fn push(&mut self, list: usize, waiting: Waiting) {
        if self.lists.len() <= list {
            self.lists.resize_with(list + 1, List::default);
        }
        self.lists[list].push(waiting);
        self.bits += waiting.pdu.bits();
        self.count += 1;
    }

    fn pop(&mut self, list: usize) -> Option<Waiting> {
        let waiting = self.lists.get_mut(list)?.pop()?;
        self.bits -= waiting.pdu.bits();
        self.count -= 1;
        Some(waiting)
    }
}

/// The PDUs that wait in one queue.
#[derive(Clone, Debug, Default)]
struct Queue {
    /// Those of a queue with a single list.
    list: List,
    /// Those of a queue with several. Boxed: few queues have them.
    lists: Option<Box<Lists>>,
}

impl Queue {
    #[inline]
    fn is_empty(&self) -> bool {
        self.list.waiting.is_empty() && self.lists.as_ref().is_none_or(|lists| lists.count == 0)
    }

    /// The list that is served next.
    fn served(&self) -> Option<&List> {
        match &self.lists {
            Some(lists) => lists.lists.get(lists.next),
            None => Some(&self.list),
        }
    }
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
        self.queue(queue).list.push(waiting);
        self.count += 1;
    }

    /// The queue, which need not have been used.
    #[inline]
    fn queue(&mut self, queue: usize) -> &mut Queue {
        if self.queues.len() <= queue {
            self.queues.resize_with(queue + 1, Queue::default);
        }
        &mut self.queues[queue]
    }

    /// Queues a PDU in front of those at the end of its queue that it overtakes.
    pub(crate) fn insert(&mut self, queue: usize, waiting: Waiting, overtakes: impl Fn(&Waiting) -> bool) {
        self.push(queue, waiting);
        let queue = &mut self.queues[queue].list.waiting;
        let mut place = queue.len() - 1;
        while place > 0 && overtakes(&queue[place - 1]) {
            queue.swap(place - 1, place);
            place -= 1;
        }
    }

    /// Divides an empty queue into lists.
    pub(crate) fn divide(&mut self, queue: usize) {
        self.queue(queue).lists = Some(Box::default());
    }

    /// The lists of a queue; `None` if it is not divided.
    pub(crate) fn lists(&self, queue: usize) -> Option<&Lists> {
        self.queues.get(queue)?.lists.as_deref()
    }

    /// Queues a PDU at the end of a list of a divided queue.
    pub(crate) fn push_to(&mut self, queue: usize, list: usize, waiting: Waiting) {
        if let Some(lists) = &mut self.queues[queue].lists {
            lists.push(list, waiting);
            self.count += 1;
        }
    }

    /// Removes the first PDU of a list of a divided queue.
    pub(crate) fn pop_from(&mut self, queue: usize, list: usize) -> Option<Waiting> {
        let waiting = self.queues.get_mut(queue)?.lists.as_mut()?.pop(list)?;
        self.count -= 1;
        Some(waiting)
    }

    /// From now on a divided queue is served from this list.
    pub(crate) fn serve_from(&mut self, queue: usize, list: usize) {
        if let Some(lists) = &mut self.queues[queue].lists {
            lists.next = list;
        }
    }

    /// The first queue, by priority, in which a PDU waits.
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<usize> {
        self.queues.iter().position(|queue| !queue.is_empty())
    }

    /// Bits of the PDU of a queue that is sent next; `None` if nothing waits there.
    #[must_use]
    pub fn head_bits(&self, queue: usize) -> Option<u64> {
        self.queues.get(queue)?.served()?.waiting.front().map(|waiting| waiting.pdu.bits())
    }

    /// Removes the PDU of a queue that is sent next.
    #[inline]
    pub(crate) fn pop(&mut self, queue: usize) -> Option<Waiting> {
        let queue = self.queues.get_mut(queue)?;
        let waiting = match &mut queue.lists {
            Some(lists) => lists.pop(lists.next),
            None => queue.list.pop(),
        }?;
        self.count -= 1;
        Some(waiting)
    }

    /// When the first PDU of a queue that is not divided arrived; `None` if nothing waits there.
    pub(crate) fn head_since(&self, queue: usize) -> Option<Time> {
        self.queues.get(queue)?.list.waiting.front().map(|waiting| waiting.arrived)
    }

    /// Bits that wait in a queue.
    pub(crate) fn bits(&self, queue: usize) -> u64 {
        self.queues.get(queue).map_or(0, |queue| queue.lists.as_ref().map_or(queue.list.bits, |lists| lists.bits))
    }

    /// Bits that wait in a queue behind the PDU that has just been removed: in its list, if the queue is divided.
    pub(crate) fn bits_behind(&self, queue: usize) -> u64 {
        self.queues.get(queue).and_then(Queue::served).map_or(0, |list| list.bits)
    }

    /// The waiting PDUs of each queue, in the order in which it would send them. Those of a divided queue are list by list.
    pub(crate) fn all(&self) -> impl Iterator<Item = (usize, &Waiting)> {
        self.queues.iter().enumerate().flat_map(|(number, queue)| {
            let lists = queue.lists.iter().flat_map(|lists| &lists.lists);
            std::iter::once(&queue.list)
                .chain(lists)
                .flat_map(|list| &list.waiting)
                .map(move |waiting| (number, waiting))
        })
    }

    /// Removes the newest waiting PDU of a queue that is not divided.
    pub(crate) fn pop_newest(&mut self, queue: usize) -> Option<Waiting> {
        let list = &mut self.queues.get_mut(queue)?.list;
        let removed = list.waiting.pop_back()?;
        list.bits -= removed.pdu.bits();
        self.count -= 1;
        Some(removed)
    }

    /// Removes the newest waiting PDU with CLP=1 from a queue that is not divided.
    pub(crate) fn remove_tagged(&mut self, queue: usize) -> Option<Pdu> {
        let list = &mut self.queues.get_mut(queue)?.list;
        let position = list.waiting.iter().rposition(|waiting| waiting.pdu.is_tagged())?;
        let removed = list.waiting.remove(position)?;
        list.bits -= removed.pdu.bits();
        self.count -= 1;
        Some(removed.pdu)
    }
}
