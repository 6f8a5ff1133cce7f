//! Weighted round robin: the queues send by turns, each as many PDUs as its weight.
//!
//! Katevenis, Sidiropoulos and Courcoubetis (1991). The shares of PDUs follow the weights; those of bits do so if all PDUs
//! have one length, as cells have. An empty queue loses its turn.

use super::{Schedule, SchedulerParams, check_parts};
use crate::core::error::Fault;
use crate::queue::store::Queued;

/// The weights.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// PDUs that each queue may send at each of its turns, in the order of the queues.
    pub weights: Vec<u32>,
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        match self.weights.iter().position(|weight| *weight == 0) {
            Some(queue) => {
                let path = format!("weights[{queue}]");
                Err(Fault::new(path, self.weights[queue], "the queue would never send", "choose at least 1"))
            }
            None => Ok(()),
        }
    }
}

impl SchedulerParams for Params {
    fn check_queues(&self, count: usize) -> Result<(), Fault> {
        check_parts(["weights", "weight"], self.weights.len(), count)
    }
}

/// Whose turn it is, and how many PDUs it may still send.
#[derive(Clone, Debug)]
pub struct Wrr {
    weights: Vec<u32>,
    turn: usize,
    left: u32,
}

impl Wrr {
    /// The first turn is that of queue 0.
    #[must_use]
    pub fn new(params: &Params, _env: ()) -> Wrr {
        let weights = params.weights.clone();
        Wrr { left: weights.first().copied().unwrap_or_default(), weights, turn: 0 }
    }
}

impl Schedule for Wrr {
    fn next(&mut self, waiting: &Queued) -> Option<usize> {
        waiting.first()?;
        while self.left == 0 || waiting.head_bits(self.turn).is_none() {
            self.turn = (self.turn + 1) % self.weights.len();
            self.left = self.weights[self.turn];
        }
        Some(self.turn)
    }

    fn sent(&mut self, _queue: usize, _bits: u64) {
        self.left -= 1;
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ weights = [1, 1, 1] }", "{ weights = [5, 1, 2] }"];
}

#[cfg(test)]
mod tests {
    use super::super::tests::waiting;
    use super::*;

    #[test]
    fn each_turn_sends_as_many_pdus_as_the_weight() {
        let mut scheduler = Wrr::new(&Params { weights: vec![3, 1] }, ());
        let mut queued = Queued::default();
        for _ in 0..8 {
            queued.push(0, waiting(1500));
            queued.push(1, waiting(53));
        }
        let order: Vec<usize> = std::iter::from_fn(|| {
            let queue = scheduler.next(&queued)?;
            scheduler.sent(queue, queued.pop(queue)?.pdu.bits());
            Some(queue)
        })
        .collect();
        // Two whole rounds, and what is left of queue 0; then queue 1 alone.
        assert_eq!(order, [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1, 1]);
    }

    #[test]
    fn an_empty_queue_loses_its_turn() {
        let mut scheduler = Wrr::new(&Params { weights: vec![1, 4] }, ());
        let mut queued = Queued::default();
        let mut send = |queued: &mut Queued| {
            let queue = scheduler.next(queued).unwrap();
            scheduler.sent(queue, queued.pop(queue).unwrap().pdu.bits());
            queue
        };
        queued.push(1, waiting(53));
        assert_eq!(send(&mut queued), 1);
        // Queue 1 is empty, and loses the three PDUs that it may still send.
        queued.push(0, waiting(53));
        assert_eq!(send(&mut queued), 0);
        (0..6).for_each(|_| queued.push(1, waiting(53)));
        queued.push(0, waiting(53));
        assert_eq!([(); 5].map(|()| send(&mut queued)), [1, 1, 1, 1, 0]);
    }

    #[test]
    fn each_queue_has_one_weight() {
        let two = Params { weights: vec![8, 0] };
        assert_eq!(two.check().map_err(|fault| fault.path), Err("weights[1]".to_owned()));
        assert_eq!([1, 2, 3].map(|count| two.check_queues(count).is_ok()), [false, true, false]);
    }
}
