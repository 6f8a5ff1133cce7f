//! FQ-CoDel: each flow has a list of its own. The lists send by turns, those that have just become busy first, and CoDel
//! judges the head of each.
//!
//! RFC 8290. A hash of the flow, with a random key of the queue, chooses the list (4.1); two flows may share one. At its turn a
//! list may send its quantum (4.2, deficit round robin). A list that becomes busy is new, and new lists come first: so a flow
//! that sends less than a quantum a turn does not wait for the others. A new list that has become empty goes through the old
//! ones before it may be new again. A PDU that finds no room stays, and the list with the most bits loses half of its PDUs, 64
//! at most, at its head.

use std::collections::VecDeque;

use super::controlled_delay::{Law, State};
use super::hold::{Hold, Victims};
use super::mark::{self, Mark};
use super::store::Lists;
use super::{Discard, Discipline, Env, Fate, HeadView, QueueParams, QueueView, RETUNED, Verdict, check_size};
use crate::core::error::Fault;
use crate::core::feedback::Signals;
use crate::core::pdu::Pdu;
use crate::core::quantity::{Bits, Count};
use crate::core::random::scramble;
use crate::core::reading::{Each, Reading};
use crate::core::time::{Span, Time};
use crate::core::word;

/// The most PDUs of a list that make room at once (RFC 8290, 4.1).
const BATCH: usize = 64;
/// In bits: with a shorter quantum a turn would often send nothing.
const LEAST_QUANTUM: u64 = 512;
/// No list yet.
const NONE: u16 = u16::MAX;
const RETUNED_LAW: &str = "It holds from the next PDU at the head on. The lists and their state stay.";
const FIXED_LISTS: &str = "PDUs would have to change their lists";

/// The lists, their turns, the law of CoDel, and the size of the queue.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// PDUs that all lists can hold together, the one in service counted (Linux: 10,240).
    #[serde(with = "word::unlimited")]
    #[schemars(schema_with = "word::unlimited::schema::<Count>", extend("retune" = RETUNED))]
    pub size: Option<Count>,
    /// Bits that may wait in all lists together. One PDU may always wait.
    #[schemars(extend("retune" = RETUNED))]
    pub memory: Bits,
    /// Lists among which a hash distributes the flows.
    #[schemars(extend("fixed" = FIXED_LISTS))]
    pub lists: u16,
    /// Bits that a list may send more at each of its turns.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub quantum: Bits,
    /// Waiting time that is acceptable.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub target: Span,
    /// How long the waiting times in a list must exceed the target before the first discard: about the longest round trip.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub interval: Span,
    /// Mark that data get in place of a discard; `never`: all PDUs are discarded.
    #[serde(with = "word::never")]
    #[schemars(schema_with = "word::never::schema::<Mark>", extend("retune" = RETUNED_LAW))]
    pub mark: Option<Mark>,
}

/// Those of RFC 8290, 5.2, and the memory of Linux, without a limit in PDUs.
impl Default for Params {
    fn default() -> Params {
        let Law { target, interval } = Law::default();
        let quantum = Bits(1_514 * 8);
        let memory = Bits(8 << 25);
        Params { size: None, memory, lists: 1_024, quantum, target, interval, mark: None }
    }
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        self.law().check()?;
        if self.lists == 0 {
            return Err(Fault::new("lists", self.lists, "no PDU could wait", "choose at least 1, as 1024"));
        }
        if self.quantum.0 < LEAST_QUANTUM {
            let reason = "a list would need many turns for one PDU";
            let remedy = format!("choose at least {}, better the longest PDU", Bits(LEAST_QUANTUM));
            return Err(Fault::new("quantum", self.quantum, reason, remedy));
        }
        if self.memory.0 == 0 {
            return Err(Fault::new("memory", self.memory, "nothing could wait", "choose more than 0 bits"));
        }
        self.size.map_or(Ok(()), check_size)
    }

    fn law(&self) -> Law {
        Law { target: self.target, interval: self.interval }
    }

    /// What a turn adds to the bits that a list may send.
    fn credit(&self) -> i64 {
        i64::try_from(self.quantum.0).unwrap_or(i64::MAX)
    }
}

impl QueueParams for Params {
    fn limit(&mut self, size: Option<Count>, bits: Option<Bits>) -> bool {
        (self.size, self.memory) = (size.or(self.size), bits.unwrap_or(self.memory));
        true
    }

    fn discards_early(&self) -> bool {
        true
    }

    fn sends(&self) -> Signals {
        mark::sends(self.mark)
    }
}

/// Whose turn a list waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    None,
    New,
    Old,
}

/// A list without its PDUs.
#[derive(Clone, Debug)]
struct Flow {
    turn: Turn,
    /// Bits that it may send in this turn.
    credit: i64,
    state: State,
}

/// The lists and their turns.
#[derive(Clone, Debug)]
pub struct FqCodel {
    params: Params,
    /// Of the hash.
    key: u64,
    /// The list of each hash. Lists are made when they are first used.
    list_of_hash: Vec<u16>,
    flows: Vec<Flow>,
    new: VecDeque<u16>,
    old: VecDeque<u16>,
    /// The list that is served.
    served: usize,
    /// Of the longest PDU.
    longest_bits: u64,
}

impl FqCodel {
    /// A queue in which nothing has waited yet.
    #[must_use]
    pub fn new(params: &Params, mut env: Env) -> FqCodel {
        FqCodel {
            params: params.clone(),
            key: env.stream.next_u64(),
            list_of_hash: vec![NONE; usize::from(params.lists)],
            flows: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            served: 0,
            longest_bits: 0,
        }
    }

    /// The list of a flow: of each direction, and of each of its byte streams.
    fn list_of(&mut self, pdu: &Pdu) -> usize {
        let slot = if pdu.kind().is_of_stream() { pdu.slot() } else { 0 };
        let flow = u64::from(pdu.flow.0) << 32 | u64::from(slot) << 1 | u64::from(pdu.is_backward());
        let hash = scramble(scramble(flow ^ self.key) ^ self.key) % self.list_of_hash.len() as u64;
        let list = &mut self.list_of_hash[hash as usize];
        if *list == NONE {
            *list = self.flows.len() as u16;
            self.flows.push(Flow { turn: Turn::None, credit: 0, state: State::IDLE });
        }
        usize::from(*list)
    }

    /// The first list, new ones before old ones.
    fn first(&self) -> Option<usize> {
        self.new.front().or_else(|| self.old.front()).map(|list| usize::from(*list))
    }

    /// Moves the first list to the end of the old ones.
    fn make_old(&mut self) {
        if let Some(list) = self.new.pop_front().or_else(|| self.old.pop_front()) {
            self.flows[usize::from(list)].turn = Turn::Old;
            self.old.push_back(list);
        }
    }
}

impl Discard for FqCodel {
    fn size(&self) -> Option<u64> {
        self.params.size.map(|size| size.0)
    }
}

impl Discipline for FqCodel {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &QueueView) -> Verdict {
        let is_full = self.size().is_some_and(|size| view.length >= size);
        let bits = view.waiting_bits + pdu.bits();
        let is_beyond = view.waiting_bits > 0 && bits > self.params.memory.0;
        if is_full || is_beyond { Verdict::MakeRoom } else { Verdict::Admit }
    }

    fn on_head(&mut self, pdu: &mut Pdu, view: &HeadView) -> Fate {
        let (law, mark) = (self.params.law(), self.params.mark);
        self.longest_bits = self.longest_bits.max(pdu.bits());
        let flow = &mut self.flows[self.served];
        let fate = flow.state.judge(law, view, self.longest_bits, || mark::set_or_discard(mark, pdu));
        if fate == Fate::Send {
            flow.credit -= pdu.bits() as i64;
        }
        fate
    }

    fn decides_at_head(&self) -> bool {
        true
    }

    fn hold(&mut self) -> Option<&mut dyn Hold> {
        Some(self)
    }

    fn retune(&mut self, params: &super::Params, _now: Time) {
        if let super::Params::FqCodel(params) = params {
            self.params = params.clone();
        }
    }

    fn readings(&self, each: &mut Each<'_>) {
        each(Reading::count("fq_codel_lists"), (self.new.len() + self.old.len()) as f64);
    }
}

impl Hold for FqCodel {
    fn victims(&mut self, pdu: &Pdu, lists: &Lists) -> Option<Victims> {
        let own = self.list_of(pdu);
        let bits = |list: usize| lists.bits(list) + if list == own { pdu.bits() } else { 0 };
        let list = (0..self.flows.len()).max_by_key(|list| (bits(*list), *list == own))?;
        let needed = (lists.all_bits() + pdu.bits()).saturating_sub(self.params.memory.0);
        let ends = lists.waiting(list).scan(0, |sum, waiting| {
            *sum += waiting.pdu.bits();
            Some(*sum)
        });
        let enough = ends.take_while(|end| *end < needed).count() + 1;
        let half = (lists.count(list) + usize::from(list == own)) / 2;
        let count = half.clamp(1, BATCH).max(enough);
        (count <= lists.count(list)).then_some(Victims { list, count })
    }

    fn join(&mut self, pdu: &Pdu) -> usize {
        let list = self.list_of(pdu);
        let flow = &mut self.flows[list];
        if flow.turn == Turn::None {
            flow.turn = Turn::New;
            flow.credit = self.params.credit();
            self.new.push_back(list as u16);
        }
        list
    }

    fn next(&mut self, lists: &Lists) -> Option<usize> {
        while let Some(list) = self.first() {
            let flow = &mut self.flows[list];
            if flow.credit <= 0 {
                flow.credit = flow.credit.saturating_add(self.params.credit());
                self.make_old();
            } else if lists.count(list) > 0 {
                self.served = list;
                return Some(list);
            } else if flow.turn == Turn::New {
                self.make_old();
            } else {
                flow.turn = Turn::None;
                self.old.pop_front();
            }
        }
        None
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{ size = '40 PDUs' }",
        "{ size = '7 PDUs', memory = '300 octets', lists = 2, quantum = '64 octets' }",
        "{ target = '100 us', interval = '2 ms', size = '20 PDUs', mark = 'efci' }",
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::pdu::FlowId;
    use crate::queue::tests::{Bench, env, pdu};

    fn bench(text: &str) -> Bench {
        Bench::new(super::super::Params::FqCodel(toml::from_str(text).unwrap()).build(env()))
    }

    fn of(flow: u32, octets: u16) -> Pdu {
        let mut pdu = pdu(false);
        (pdu.flow, pdu.octets) = (FlowId(flow), octets);
        pdu
    }

    /// So many PDUs arrive.
    fn arrive(bench: &mut Bench, count: usize, flow: u32, octets: u16) {
        for _ in 0..count {
            bench.arrive(of(flow, octets));
        }
    }

    /// The flows of the PDUs that are sent.
    fn served(bench: &mut Bench, count: usize) -> Vec<u32> {
        (0..count).map_while(|_| bench.serve()).map(|pdu| pdu.flow.0).collect()
    }

    #[test]
    fn busy_flows_share_by_octets_and_a_sparse_one_does_not_wait() {
        let mut bench = bench("quantum = '1500 octets'");
        for _ in 0..100 {
            bench.arrive(of(1, 1_500));
            arrive(&mut bench, 5, 2, 300);
        }
        // Both are new in the first turn; from then on they are old ones, and send 1,500 octets a turn.
        assert_eq!(served(&mut bench, 18), [1, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2]);
        // A flow that begins comes first. It has sent more than its quantum, and goes behind flow 1. Flow 2 has just had its turn.
        bench.arrive(of(3, 100));
        bench.arrive(of(3, 1_500));
        bench.arrive(of(3, 100));
        assert_eq!(served(&mut bench, 10), [3, 3, 1, 3, 2, 2, 2, 2, 2, 1]);
    }

    /// RFC 8290, 4.2: a new list that has become empty goes behind the old ones before it is new again, so a flow that always
    /// sends one PDU after another has been sent does not starve the others.
    #[test]
    fn an_empty_new_list_becomes_an_old_one() {
        let mut bench = bench("quantum = '1500 octets'");
        arrive(&mut bench, 10, 1, 1_500);
        let mut order = Vec::new();
        for _ in 0..20 {
            bench.arrive(of(2, 1_500));
            order.extend(served(&mut bench, 2));
        }
        let first = |flow: u32| order.iter().take(16).filter(|own| **own == flow).count();
        assert!(first(1) >= 7 && first(2) >= 7, "{order:?}");
    }

    #[test]
    fn the_longest_list_makes_room_with_half_of_its_pdus() {
        let count =
            |bench: &Bench, flow: u32| bench.waiting.all().filter(|(_, waiting)| waiting.pdu.flow.0 == flow).count();
        let mut bench = bench("size = '300 PDUs'");
        arrive(&mut bench, 40, 1, 300);
        arrive(&mut bench, 260, 2, 100);
        // 26,000 octets against 12,000: 64 of 130 go.
        bench.arrive(of(1, 300));
        assert_eq!([count(&bench, 1), count(&bench, 2)], [41, 196]);
        arrive(&mut bench, 63, 1, 300);
        assert_eq!([count(&bench, 1), count(&bench, 2)], [104, 196]);
        // 31,500 octets against 19,600: half of 105 go, and they are the oldest.
        bench.arrive(of(1, 300));
        assert_eq!([count(&bench, 1), count(&bench, 2)], [53, 196]);
    }

    #[test]
    fn the_memory_is_never_exceeded_but_by_one_pdu() {
        let mut bench = bench("memory = '3000 octets'");
        let octets = [1_500, 40, 40, 1_500, 1_500, 40, 4_000, 9_000, 40, 1_500];
        for (number, octets) in octets.into_iter().cycle().take(200).enumerate() {
            let found = bench.waiting.count;
            bench.arrive(of(number as u32 % 3, octets));
            assert!(found == 0 || bench.waiting.bits(0) <= 24_000 || bench.waiting.count == 1);
            if number % 2 == 0 {
                bench.serve();
            }
        }
        // A PDU that no discard could make room for is discarded itself, and nothing else.
        served(&mut bench, 10);
        bench.arrive(of(1, 40));
        bench.arrive(of(2, 4_000));
        assert_eq!(served(&mut bench, 2), [1]);
    }

    #[test]
    fn each_direction_and_each_flow_has_a_list_unless_the_hash_is_the_same() {
        let params = Params::default();
        let mut queue = FqCodel::new(&params, env());
        let mut lists: Vec<usize> = (0..200).map(|flow| queue.list_of(&of(flow, 40))).collect();
        assert_eq!(lists[7], queue.list_of(&of(7, 1_500)));
        lists.sort_unstable();
        lists.dedup();
        // 1,024 (1 - (1 - 1 / 1,024)^200) = 181.7 are used in the mean, with a standard deviation of 4.
        assert!((166..=198).contains(&lists.len()), "{}", lists.len());
        let mut other = FqCodel::new(&params, Env { stream: crate::core::random::Stream::new(2, 0, "queue"), ..env() });
        let collide = |queue: &mut FqCodel| -> Vec<bool> {
            (0..200).map(|flow| queue.list_of(&of(flow, 40)) < flow as usize).collect()
        };
        let mut again = FqCodel::new(&params, env());
        assert_ne!(collide(&mut other), collide(&mut again));
    }

    #[test]
    fn parameters_without_sense_are_faults() {
        let fault = |text: &str| toml::from_str::<Params>(text).unwrap().check().map_err(|fault| fault.path);
        for (text, path) in [
            ("target = '0 s'", "target"),
            ("lists = 0", "lists"),
            ("quantum = '63 octets'", "quantum"),
            ("memory = '0 bits'", "memory"),
            ("size = '0 PDUs'", "size"),
        ] {
            assert_eq!(fault(text), Err(path.to_owned()));
        }
        assert_eq!(fault(""), Ok(()));
    }
}
