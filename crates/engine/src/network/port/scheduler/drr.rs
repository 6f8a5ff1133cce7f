//! Deficit round robin: the queues send by turns, each in proportion to its quantum.
//!
//! Shreedhar and Varghese (1995). At the start of its turn a queue may send its quantum more. It sends PDUs while the first
//! has no more bits than it may still send; what is left counts in its next turn. An empty queue loses it.

use super::{Schedule, SchedulerParams, check_parts};
use crate::core::error::Fault;
use crate::core::quantity::Bits;
use crate::queue::store::Queued;

/// The quanta.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Bits that each queue may send more at each of its turns, in the order of the queues. One that is no shorter than the
    /// longest PDU lets a queue send in each turn.
    pub quanta: Vec<Bits>,
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        match self.quanta.iter().position(|quantum| quantum.0 == 0) {
            Some(queue) => {
                let path = format!("quanta[{queue}]");
                Err(Fault::new(path, self.quanta[queue], "the queue would never send", "choose more than 0 bits"))
            }
            None => Ok(()),
        }
    }
}

impl SchedulerParams for Params {
    fn check_queues(&self, count: usize) -> Result<(), Fault> {
        check_parts(["quanta", "quantum"], self.quanta.len(), count)
    }
}

/// Whose turn it is, and what each queue may still send.
#[derive(Clone, Debug)]
pub struct Drr {
    /// For each queue its quantum, and the bits that it may still send.
    queues: Vec<(u64, u64)>,
    turn: usize,
    /// The queue whose turn it is has got its quantum.
    has_begun: bool,
}

impl Drr {
    /// The first turn is that of queue 0.
    #[must_use]
    pub fn new(params: &Params, _env: ()) -> Drr {
        Drr { queues: params.quanta.iter().map(|quantum| (quantum.0, 0)).collect(), turn: 0, has_begun: false }
    }
}

impl Schedule for Drr {
    fn next(&mut self, waiting: &Queued) -> Option<usize> {
        waiting.first()?;
        loop {
            let (quantum, deficit) = &mut self.queues[self.turn];
            match waiting.head_bits(self.turn) {
                Some(bits) => {
                    if !self.has_begun {
                        *deficit = deficit.saturating_add(*quantum);
                        self.has_begun = true;
                    }
                    if bits <= *deficit {
                        return Some(self.turn);
                    }
                }
                None => *deficit = 0,
            }
            self.turn = (self.turn + 1) % self.queues.len();
            self.has_begun = false;
        }
    }

    fn sent(&mut self, queue: usize, bits: u64) {
        self.queues[queue].1 -= bits;
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{ quanta = ['1500 octets', '1500 octets', '1500 octets'] }",
        "{ quanta = ['53 octets', '106 octets', '9000 octets'] }",
    ];
}

#[cfg(test)]
mod tests {
    use super::super::tests::waiting;
    use super::*;

    /// The octets that each of two queues has sent, which are never empty, after so many PDUs.
    fn shares(quanta: [u64; 2], octets: [u16; 2], pdus: usize) -> [u64; 2] {
        let mut scheduler = Drr::new(&Params { quanta: quanta.map(|octets| Bits(octets * 8)).to_vec() }, ());
        let mut queued = Queued::default();
        octets.iter().enumerate().for_each(|(queue, octets)| queued.push(queue, waiting(*octets)));
        let mut sent = [0; 2];
        for _ in 0..pdus {
            let queue = scheduler.next(&queued).unwrap();
            let bits = queued.pop(queue).unwrap().pdu.bits();
            scheduler.sent(queue, bits);
            queued.push(queue, waiting(octets[queue]));
            sent[queue] += bits / 8;
        }
        sent
    }

    #[test]
    fn shares_follow_the_quanta_whatever_the_lengths() {
        // A share differs from its part by less than a quantum and a PDU.
        for (quanta, octets) in [([1500, 1500], [1500, 53]), ([3000, 1000], [700, 900]), ([100, 100], [1500, 400])] {
            let [first, second] = shares(quanta, octets, 4_000).map(|octets| octets as f64);
            let ratio = quanta[0] as f64 / quanta[1] as f64;
            let bound = (quanta[0] + u64::from(octets[0])) as f64 + ratio * (quanta[1] + u64::from(octets[1])) as f64;
            assert!((first - ratio * second).abs() <= bound, "{first} {second}");
        }
    }

    #[test]
    fn an_empty_queue_saves_nothing() {
        let mut scheduler = Drr::new(&Params { quanta: vec![Bits(800), Bits(800)] }, ());
        let mut queued = Queued::default();
        assert_eq!(scheduler.next(&queued), None);
        // Queue 1 may send 100 octets a turn, and its PDU has 250: it waits for its third turn.
        queued.push(1, waiting(250));
        (0..4).for_each(|_| queued.push(0, waiting(100)));
        let mut order = Vec::new();
        while let Some(queue) = scheduler.next(&queued) {
            scheduler.sent(queue, queued.pop(queue).unwrap().pdu.bits());
            order.push(queue);
        }
        assert_eq!(order, [0, 0, 0, 1, 0]);
        // 50 octets were left. They are lost, so queue 1 waits for three turns again.
        queued.push(1, waiting(250));
        (0..4).for_each(|_| queued.push(0, waiting(100)));
        let again: Vec<usize> = std::iter::from_fn(|| {
            let queue = scheduler.next(&queued)?;
            scheduler.sent(queue, queued.pop(queue)?.pdu.bits());
            Some(queue)
        })
        .collect();
        assert_eq!(again.iter().position(|queue| *queue == 1), Some(2));
    }

    #[test]
    fn each_queue_has_one_quantum() {
        let two = Params { quanta: vec![Bits(8), Bits(0)] };
        assert_eq!(two.check().map_err(|fault| fault.path), Err("quanta[1]".to_owned()));
        assert_eq!([1, 2, 3].map(|count| two.check_queues(count).is_ok()), [false, true, false]);
    }
}
