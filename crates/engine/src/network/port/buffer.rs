//! Buffers that the queues of a port share: whether an arriving PDU still has room in them.
//!
//! The models: docs/models/queues.md. The buffer is asked first: what has no room in it never meets the policy of its queue.
//! Lengths are in bits, with the PDU in service.

use crate::core::error::Fault;
use crate::core::quantity::Bits;
use crate::core::roles::{define_role, dispatch, role_trait};
use crate::queue::{self, Discipline, QueueParams};

mod complete_sharing;
mod dynamic_threshold;
mod longest_queue_drop;

/// A buffer when a PDU arrives.
#[derive(Clone, Copy, Debug)]
pub struct BufferView<'a> {
    /// Bits in each queue.
    pub lengths: &'a [u64],
    /// The queue of the PDU.
    pub queue: usize,
    /// Bits of the PDU.
    pub bits: u64,
}

impl BufferView<'_> {
    /// Bits in all queues.
    fn total(&self) -> u64 {
        self.lengths.iter().sum()
    }

    /// Whether the PDU fits beside what is there.
    fn fits(&self, size: Bits) -> bool {
        self.total().saturating_add(self.bits) <= size.0
    }
}

/// Whether there is room for a PDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// There is.
    Free,
    /// There is none: it is discarded.
    None,
    /// There is, once the newest PDUs that wait in this queue are discarded, until it fits. If too few wait there, the PDU itself
    /// is discarded.
    Behind(usize),
}

/// Every buffer: one line each, with its keyword in scenario files.
macro_rules! buffers {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// Any queue may fill it.
            complete_sharing CompleteSharing = complete_sharing::Params => complete_sharing::CompleteSharing;
            /// Each queue may have a multiple of what is free (Choudhury and Hahne).
            dynamic_threshold DynamicThreshold = dynamic_threshold::Params => dynamic_threshold::DynamicThreshold;
            /// Any queue may fill it, and the longest loses its newest PDUs to the others when it is full.
            longest_queue_drop LongestQueueDrop = complete_sharing::Params => longest_queue_drop::LongestQueueDrop;
        }
    };
}

buffers!(define_role! [Params Buffer ()]);

role_trait! {
    /// A buffer that the queues of a port share.
    pub trait Share for Buffer by buffers {
        required
        /// The bits that it can hold.
        fn size(&self) -> Bits;
        /// Whether there is room for the PDU of the view.
        fn room(&self, view: &BufferView<'_>) -> Room;
        /// Takes other parameters of the same kind.
        fn retune(&mut self, params: &Params);

        provided
        /// Whether it may answer `Behind`. No departure is then known at the arrival of a PDU.
        fn pushes_out(&self) -> bool { false }
    }
}

role_trait! {
    /// The parameters of a buffer, as the assembly reads them.
    pub trait BufferParams for Params by buffers {
        required
        /// The bits that it can hold.
        fn size(&self) -> Bits;
        provided
    }
}

/// What a change of a parameter does.
const RETUNED: &str = "PDUs that are already in the buffer stay, also beyond a lower limit.";

/// A buffer must hold something.
fn check_size(size: Bits) -> Result<(), Fault> {
    if size.0 == 0 {
        return Err(Fault::new("size", size, "the buffer cannot hold any PDU", "choose more than 0 bits"));
    }
    Ok(())
}

impl Params {
    /// The first fault of the buffer of a port with these queues; its path is that below the port.
    pub(crate) fn check_at(&self, queues: &[queue::Params]) -> Result<(), Fault> {
        self.check().map_err(|fault| fault.under("buffer"))?;
        let place = format!("buffer.{}", self.keyword());
        if queues.len() < 2 {
            let reason = "the port has one queue, which shares it with no other";
            return Err(Fault::new(
                place,
                "",
                reason,
                "give the line more queues, or its queue a limit as drop_tail_bits",
            ));
        }
        for (number, queue) in queues.iter().enumerate() {
            if let Some(size) = queue.size_in_bits().filter(|size| *size >= self.size()) {
                let path = format!("queues[{number}].{}.size", queue.keyword());
                let reason = format!("the shared buffer is full before, at {}", self.size());
                return Err(Fault::new(path, size, reason, "give the queue less, or make it unlimited"));
            }
            let mut policy = queue.sketch();
            if self.build(()).pushes_out() && (policy.hold().is_some() || queue.serves_by_priority()) {
                let reason =
                    format!("queue {number}, {}, has an order of its own: no PDU is its newest", queue.keyword());
                return Err(Fault::new(place, "", reason, "choose another buffer, or another queue"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// No buffer holds more than its size. It never refuses a PDU that fits into an empty one, and if it takes room from a
        /// queue, that is another than the PDU's, which has more.
        #[test]
        fn laws(arrivals in vec((0..3usize, 1..4_000u64, any::<bool>()), 1..200)) {
            for params in Params::cases().into_iter().map(|case| case.params) {
                prop_assert_eq!(params.check(), Ok(()));
                let (buffer, size) = (params.build(()), params.size().0);
                let mut queues: [Vec<u64>; 3] = Default::default();
                for (queue, bits, serves) in arrivals.iter().copied() {
                    let lengths = queues.each_ref().map(|queue| queue.iter().sum::<u64>());
                    let total: u64 = lengths.iter().sum();
                    match buffer.room(&BufferView { lengths: &lengths, queue, bits }) {
                        Room::Free => queues[queue].push(bits),
                        Room::None => prop_assert!(total > 0 || bits > size, "{params:?}"),
                        Room::Behind(other) => {
                            prop_assert!(buffer.pushes_out() && other != queue && lengths[other] > lengths[queue]);
                            let mut need = (total + bits).saturating_sub(size);
                            prop_assert!(need > 0);
                            while need > 0 && lengths[other] >= need {
                                need = need.saturating_sub(queues[other].pop().unwrap());
                            }
                            if need == 0 {
                                queues[queue].push(bits);
                            }
                        }
                    }
                    let total: u64 = queues.iter().flatten().sum();
                    prop_assert!(total <= size, "{params:?}");
                    if serves && let Some(queue) = queues.iter_mut().find(|queue| !queue.is_empty()) {
                        queue.remove(0);
                    }
                }
            }
        }
    }
}
