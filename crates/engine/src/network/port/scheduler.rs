//! Schedulers: from which queue of a port the next PDU is sent.
//!
//! Under any but `strict` the departure of no PDU is known at its arrival: what arrives later may be sent first.

use crate::core::error::Fault;
use crate::core::roles::{define_role, dispatch, role_trait};
use crate::queue::store::Queued;

mod drr;
mod strict;
mod wrr;

/// Every scheduler: one line each, with its keyword in scenario files.
macro_rules! schedulers {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// Queue 0 first, and each other while those before it are empty.
            strict Strict = strict::Params => strict::Strict;
            /// By turns, each queue as many bits as its quantum in the mean (deficit round robin).
            drr Drr = drr::Params => drr::Drr;
            /// By turns, each queue as many PDUs as its weight (weighted round robin).
            wrr Wrr = wrr::Params => wrr::Wrr;
        }
    };
}

schedulers!(define_role! [Params Scheduler ()]);

impl Default for Params {
    fn default() -> Params {
        Params::Strict(strict::Params {})
    }
}

role_trait! {
    /// Chooses among the queues of a port.
    pub trait Schedule for Scheduler by schedulers {
        required
        /// The queue whose first PDU is sent next; `None` if nothing waits. It may be asked again before the PDU is sent.
        fn next(&mut self, waiting: &Queued) -> Option<usize>;

        provided
        /// A PDU of so many bits, which was first in this queue, is sent.
        fn sent(&mut self, queue: usize, bits: u64) {}
        /// Whether each queue is served before those behind it.
        fn is_strict(&self) -> bool { false }
    }
}

role_trait! {
    /// The parameters of a scheduler, as the assembly reads them.
    pub trait SchedulerParams for Params by schedulers {
        required
        provided
        /// Finds fault with the number of queues that it serves.
        fn check_queues(&self, count: usize) -> Result<(), Fault> { Ok(()) }
    }
}

/// The fault if a list has not one part for each of several queues: the key of the list, and what its parts are.
fn check_parts([key, part]: [&str; 2], parts: usize, queues: usize) -> Result<(), Fault> {
    if parts == queues && queues > 1 {
        return Ok(());
    }
    let (reason, remedy) = match queues {
        1 => {
            let remedy = "give the line more queues, or delete it".to_owned();
            ("with one queue there is nothing to choose".to_owned(), remedy)
        }
        _ => (format!("the port has {queues} queues"), format!("give one {part} for each queue")),
    };
    Err(Fault::new(key, format!("{parts} {key}"), reason, remedy))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::core::key::Place;
    use crate::core::time::Time;
    use crate::network::testing::cell;
    use crate::queue::store::Waiting;

    /// A PDU of so many octets.
    pub(super) fn waiting(octets: u16) -> Waiting {
        let mut pdu = cell(0, 0);
        pdu.octets = octets;
        Waiting { pdu, place: Place(0), arrived: Time::ZERO }
    }

    proptest! {
        /// While anything waits, every scheduler chooses a queue that has a PDU, and the same when it is asked again.
        #[test]
        fn laws(arrivals in vec((0..3usize, 1..2_000u16), 1..60)) {
            for params in Params::cases().into_iter().map(|case| case.params) {
                prop_assert_eq!(params.check(), Ok(()));
                let mut scheduler = params.build(());
                let mut queued = Queued::default();
                arrivals.iter().for_each(|&(queue, octets)| queued.push(queue, waiting(octets)));
                for _ in 0..arrivals.len() {
                    let queue = scheduler.next(&queued);
                    prop_assert_eq!(scheduler.next(&queued), queue);
                    let sent = queue.and_then(|queue| queued.pop(queue));
                    prop_assert!(sent.is_some(), "{params:?}");
                    scheduler.sent(queue.unwrap_or_default(), sent.map_or(0, |waiting| waiting.pdu.bits()));
                }
                prop_assert_eq!(scheduler.next(&queued), None);
            }
        }
    }
}
