//! Queue policies: what a full or long queue does.
//!
//! The models: docs/models/queues.md.
//!
//! Lengths include the PDU in service. They are in PDUs, or in bits for a policy that counts bits. Each policy implements
//! [`Discard`], what it does at a length alone, and [`Discipline`], what it does with the time, its state and random
//! numbers. A policy without state leaves the methods of `Discipline` as they are.

use crate::core::class::{Broken, hosted};
use crate::core::error::Fault;
use crate::core::feedback::Signals;
use crate::core::pdu::Pdu;
use crate::core::quantity::{Bits, Count};
use crate::core::random::Stream;
use crate::core::reading::Each;
use crate::core::roles::{define_role, dispatch, role_trait};
use crate::core::time::{LineRate, Span, Time};
use hold::Hold;

pub(crate) mod bits;
mod clp_threshold;
mod codel;
mod controlled_delay;
mod drop_tail;
mod drop_tail_bits;
mod dual_pi2;
mod fq_codel;
pub mod hold;
pub(crate) mod lengths;
mod mark;
pub mod measures;
mod npdu_priority;
pub(crate) mod order;
mod packet_discard;
mod pi2;
mod pie;
mod proportional_integral;
mod push_out;
pub mod python;
mod random_loss;
mod red;
pub mod store;
mod unlimited;

/// The fate of an arriving PDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It joins the queue.
    Admit,
    /// It is discarded.
    Discard,
    /// It joins if a waiting PDU tagged CLP=1 can be discarded in its place. Otherwise it is discarded.
    PushOut,
    /// It joins, and the PDUs that [`Hold::victims`] names are discarded. If there are none, it is discarded.
    MakeRoom,
}

/// The fate of the PDU at the head of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is sent.
    Send,
    /// It is discarded, and the next one is asked about.
    Discard,
}

/// What a policy needs when it is built, besides its parameters.
#[derive(Clone, Debug)]
pub struct Env {
    /// Random numbers of this queue alone.
    pub stream: Stream,
    /// Rate of the line; none for a delay without queueing.
    pub rate: Option<LineRate>,
}

/// A queue at the arrival of a PDU, or at a stop.
#[derive(Clone, Copy, Debug)]
pub struct QueueView {
    /// Time of the arrival or stop.
    pub now: Time,
    /// PDUs in the queue before it, or bits if the policy counts those.
    pub length: u64,
    /// When the line has sent all PDUs whose service has begun: in the past if it is free.
    pub free_at: Time,
    /// When the PDU at the head arrived, if one waits. Those whose departure is known do not wait. `None` if the policy keeps
    /// its PDUs in several lists, which [`Hold::catch_up_lists`] sees.
    pub head_since: Option<Time>,
    /// Bits that wait.
    pub waiting_bits: u64,
}

/// A queue when the line is free for the PDU at its head.
#[derive(Clone, Copy, Debug)]
pub struct HeadView {
    /// This time.
    pub now: Time,
    /// How long the PDU has waited.
    pub sojourn: Span,
    /// Bits that wait behind it in its queue, or in its list of several.
    pub behind: u64,
}

impl HeadView {
    /// When the PDU arrived.
    fn arrived(&self) -> Time {
        Time(self.now.0 - self.sojourn.0)
    }
}

impl Params {
    /// No limit: the default of a queue.
    pub const UNLIMITED: Params = Params::Unlimited(unlimited::Params {});

    /// This policy in the place of a queue that has only a limit, or none, and with that limit. `None` if the other queue has a
    /// policy of its own, or its limit has no place here.
    #[must_use]
    pub fn in_place_of(&self, other: &Params) -> Option<Params> {
        let (size, bits) = match other {
            Params::Unlimited(_) => (None, None),
            Params::DropTail(own) => (Some(own.size), None),
            Params::DropTailBits(own) => (None, Some(own.size)),
            _ => return None,
        };
        // A fault of the other queue is found where it is written.
        let mut limited = self.clone();
        (other.check().is_ok() && limited.limit(size, bits)).then_some(limited)
    }

    /// The policy for questions about its limits only.
    #[must_use]
    pub fn sketch(&self) -> Policy {
        self.build(Env { stream: Stream::new(0, 0, ""), rate: None })
    }
}

/// What a change of a limit does.
const RETUNED: &str = "PDUs that are already in the queue stay, also beyond a lower limit.";

/// A queue must hold at least the PDU in service.
fn check_size(size: Count) -> Result<(), Fault> {
    if size.0 == 0 {
        return Err(Fault::new(
            "size",
            size,
            "the queue has no place even for the PDU in service",
            "choose at least 1",
        ));
    }
    Ok(())
}

/// Every queue policy: one line each, with its keyword in scenario files.
macro_rules! policies {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// No limit.
            unlimited Unlimited = unlimited::Params => unlimited::Unlimited;
            /// A full queue discards what arrives.
            drop_tail DropTail = drop_tail::Params => drop_tail::DropTail;
            /// As drop-tail, by the bits in the queue.
            drop_tail_bits DropTailBits = drop_tail_bits::Params => drop_tail_bits::DropTailBits;
            /// As drop-tail by bits. NPDUs of higher priority are served first.
            npdu_priority NpduPriority = npdu_priority::Params => npdu_priority::NpduPriority;
            /// As drop-tail, and above a threshold PDUs tagged CLP=1 are discarded.
            clp_threshold ClpThreshold = clp_threshold::Params => clp_threshold::ClpThreshold;
            /// A full queue discards a waiting PDU tagged CLP=1 to let one with CLP=0 in.
            push_out PushOut = push_out::Params => push_out::PushOut;
            /// A queue of cells that discards whole packets of AAL5, or what is left of them (EPD, PPD).
            packet_discard PacketDiscard = packet_discard::Params => packet_discard::PacketDiscard;
            /// Discards or marks at the head, while PDUs wait too long (CoDel, RFC 8289).
            codel Codel = codel::Params => codel::Codel;
            /// A list for each flow, served by turns, and CoDel in each (FQ-CoDel, RFC 8290).
            fq_codel FqCodel = fq_codel::Params => fq_codel::FqCodel;
            /// Discards or marks at random, the more the longer the queue is in the mean (RED).
            red Red = red::Params => red::Red;
            /// Discards or marks at random, by the waiting time and its growth (PIE, RFC 8033).
            pie Pie = pie::Params => pie::Pie;
            /// Discards or marks at the head, with the square of a probability that follows the waiting time (PI2).
            pi2 Pi2 = pi2::Params => pi2::Pi2;
            /// Two lists, for streams that heed early marks and for others, with coupled signals (DualPI2, RFC 9332).
            dual_pi2 DualPi2 = dual_pi2::Params => dual_pi2::DualPi2;
            /// Loses PDUs whatever the length of the queue: at random, every n-th, or in bursts.
            random_loss RandomLoss = random_loss::Params => random_loss::RandomLoss;
            /// A class in Python, in a file of your own.
            python Python = python::Params => python::Python;
        }
    };
}

policies!(define_role! [Params Policy Env]);
hosted!(python::Host: Params);

role_trait! {
    /// A queue policy: what it does with each PDU that arrives, by the length of the queue alone.
    pub trait Discard for Policy by policies {
        required
        /// The most PDUs that the queue can hold; `None` without such a limit.
        fn size(&self) -> Option<u64>;

        provided
        /// Judges `pdu`, which finds `length` PDUs (or bits, if the policy counts those) in the queue.
        #[inline]
        fn verdict(&self, pdu: &Pdu, length: u64) -> Verdict {
            if self.size().is_none_or(|size| length < size) { Verdict::Admit } else { Verdict::Discard }
        }
        /// The lengths from which on it discards a PDU with CLP=0, and one with CLP=1, if it judges by length alone.
        fn limits(&self) -> Option<[u64; 2]> { None }
        /// Whether it counts the bits of a queue and not its PDUs.
        fn counts_bits(&self) -> bool { false }
        /// Whether it may answer `PushOut`. The departures of such a queue are not known in advance.
        fn pushes_out(&self) -> bool { false }
        /// Whether it serves NPDUs of higher priority first. The departures of such a queue are not known in advance.
        fn serves_by_priority(&self) -> bool { false }
    }
}

role_trait! {
    /// A queue policy with the time, its state, and random numbers.
    pub trait Discipline: Discard for Policy by policies {
        required
        /// Takes other parameters of the same policy, and keeps its state.
        fn retune(&mut self, params: &Params, now: Time);

        provided
        /// Makes what a timer would have made up to `view.now`, with the queue as it is before anything else happens then. It is
        /// called before each arrival is judged, and at stops.
        fn catch_up(&mut self, view: &QueueView) {}
        /// Judges `pdu` at its arrival, and may mark it. A policy that does more here than `verdict` has no `limits`.
        fn on_arrival(&mut self, pdu: &mut Pdu, view: &QueueView) -> Verdict { self.verdict(pdu, view.length) }
        /// Judges the PDU at the head when the line is free for it, and may mark it. Asked only if `decides_at_head`.
        fn on_head(&mut self, pdu: &mut Pdu, view: &HeadView) -> Fate { Fate::Send }
        /// Whether it judges PDUs at the head. The departures of such a queue are not known in advance.
        fn decides_at_head(&self) -> bool { false }
        /// Its order of the PDUs, if it keeps them in several lists. Such a policy decides at the head.
        fn hold(&mut self) -> Option<&mut dyn Hold> { None }
        /// The rate of the line is now `rate`.
        fn on_rate(&mut self, rate: LineRate, now: Time) {}
        /// Why it is not called any more: a fault of a class in Python.
        fn broken(&self) -> Option<&Broken> { None }
        /// Readings for a time series.
        fn readings(&self, each: &mut Each<'_>) {}
    }
}

role_trait! {
    /// The parameters of a queue policy, as the assembly reads them.
    pub trait QueueParams for Params by policies {
        required
        provided
        /// The most bits that the queue can hold, if that is its limit.
        fn size_in_bits(&self) -> Option<Bits> { None }
        /// Whether it discards PDUs that have room.
        fn discards_early(&self) -> bool { false }
        /// Whether it discards whole packets of cells.
        fn discards_packets(&self) -> bool { false }
        /// The marks that it sets.
        fn sends(&self) -> Signals { Signals::NONE }
        /// Takes the limits that are given, if it can have one in PDUs and one in bits. Returns whether it can.
        fn limit(&mut self, size: Option<Count>, bits: Option<Bits>) -> bool { false }
        /// Whether no source need obey its marks, for it discards where it cannot mark. A line on which none does gets a
        /// warning.
        fn may_be_unheard(&self) -> bool { false }
        /// Whether it serves NPDUs of higher priority first.
        fn serves_by_priority(&self) -> bool { false }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::store::{Queued, Waiting};
    use super::*;
    use crate::core::key::Place;
    use crate::core::pdu::{Body, CELL_OCTETS, FlowId, Marks};
    use crate::core::time::Rate;

    pub(super) fn pdu(tagged: bool) -> Pdu {
        let mut pdu = Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, Body::Data { born: Time::ZERO, number: 0 });
        if tagged {
            pdu.marks.set(Marks::CLP);
        }
        pdu
    }

    pub(super) fn env() -> Env {
        Env { stream: Stream::new(1, 0, "queue"), rate: Some(LineRate::Bits(Rate(1_000_000))) }
    }

    #[test]
    fn each_is_chosen_by_its_key() {
        let read = |text: &str| toml::from_str::<Params>(text);
        let (size, threshold) = (Count(512), Count(256));
        assert_eq!(read("unlimited = {}"), Ok(Params::Unlimited(unlimited::Params {})));
        assert_eq!(read("drop_tail.size = '512 cells'"), Ok(Params::DropTail(drop_tail::Params { size })));
        let both = Params::ClpThreshold(clp_threshold::Params { size, threshold });
        assert_eq!(read("clp_threshold = { size = '512 cells', threshold = '256 cells' }"), Ok(both));
        assert!(read("push_out = {}").is_err());
        assert!(read("unlimited.size = 1").is_err());
    }

    /// A queue of one line with its policy, in which the first PDU is the next to serve.
    #[derive(Clone)]
    pub(super) struct Bench {
        pub(super) policy: Policy,
        pub(super) waiting: Queued,
        pub(super) now: Time,
        /// The verdicts, with the marks that were set with them.
        seen: Vec<(Verdict, u16)>,
    }

    impl Bench {
        pub(super) fn new(mut policy: Policy) -> Bench {
            let mut waiting = Queued::default();
            if policy.hold().is_some() {
                waiting.divide(0);
            }
            Bench { policy, waiting, now: Time::ZERO, seen: Vec::new() }
        }

        /// An arrival. Returns its verdict, and the number of PDUs that it found.
        pub(super) fn arrive(&mut self, mut pdu: Pdu) -> (Verdict, u64) {
            let (found, waiting_bits) = (self.waiting.count as u64, self.waiting.bits(0));
            let length = if self.policy.counts_bits() { waiting_bits } else { found };
            let head_since = self.waiting.head_since(0);
            let view = QueueView { now: self.now, length, free_at: self.now, head_since, waiting_bits };
            self.policy.catch_up(&view);
            self.catch_up_lists();
            let marks = pdu.marks;
            let mut verdict = self.policy.on_arrival(&mut pdu, &view);
            if verdict == Verdict::MakeRoom {
                verdict = if self.make_room(&pdu) { Verdict::Admit } else { Verdict::Discard };
            }
            self.seen.push((verdict, pdu.marks.0 & !marks.0));
            if verdict == Verdict::Admit {
                let waiting = Waiting { pdu, place: Place(0), arrived: self.now };
                match self.policy.hold().map(|hold| hold.join(&pdu)) {
                    Some(list) => self.waiting.push_to(0, list, waiting),
                    None => self.waiting.push(0, waiting),
                }
            }
            (verdict, found)
        }

        fn catch_up_lists(&mut self) {
            if let (Some(hold), Some(lists)) = (self.policy.hold(), self.waiting.lists(0)) {
                hold.catch_up_lists(self.now, lists);
            }
        }

        fn make_room(&mut self, pdu: &Pdu) -> bool {
            let hold = self.policy.hold().zip(self.waiting.lists(0));
            let Some(victims) = hold.and_then(|(hold, lists)| hold.victims(pdu, lists)) else { return false };
            assert!((0..victims.count).all(|_| self.waiting.pop_from(0, victims.list).is_some()));
            true
        }

        /// Serves the first PDU that the policy lets pass, and returns it.
        pub(super) fn serve(&mut self) -> Option<Pdu> {
            loop {
                self.catch_up_lists();
                if let (Some(hold), Some(lists)) = (self.policy.hold(), self.waiting.lists(0)) {
                    let next = hold.next(lists);
                    // While anything waits, it chooses a list that has a PDU, and the same when it is asked again.
                    assert_eq!(next.is_some(), self.waiting.count > 0);
                    assert_eq!(next, hold.next(lists));
                    next.into_iter().for_each(|list| self.waiting.serve_from(0, list));
                }
                let Waiting { mut pdu, arrived, .. } = self.waiting.pop(0)?;
                let view =
                    HeadView { now: self.now, sojourn: self.now.since(arrived), behind: self.waiting.bits_behind(0) };
                let marks = pdu.marks;
                let passes = !self.policy.decides_at_head() || self.policy.on_head(&mut pdu, &view) == Fate::Send;
                let verdict = if passes { Verdict::Admit } else { Verdict::Discard };
                self.seen.push((verdict, pdu.marks.0 & !marks.0));
                if passes {
                    return Some(pdu);
                }
            }
        }

        /// Some arrivals, tagged or not, and services, each after some microseconds.
        fn run(&mut self, steps: &[(u64, Option<bool>)]) {
            for &(pause, arrival) in steps {
                self.now += Span(pause * 1_000_000);
                let Some(tagged) = arrival else {
                    self.serve();
                    continue;
                };
                let mut arriving = pdu(tagged);
                arriving.flow = FlowId((pause % 3) as u32);
                arriving.marks.set([Marks::default(), Marks::ECT_0, Marks::ECT_1, Marks::ECN_CE][pause as usize % 4]);
                let (verdict, found) = self.arrive(arriving);
                assert!(
                    verdict != Verdict::Admit
                        || self.policy.size().is_none_or(|size| self.waiting.count as u64 <= size)
                );
                // Only a queue with lists may make room and hold no more PDUs than before.
                assert!(self.waiting.count as u64 > found || verdict != Verdict::Admit || self.policy.hold().is_some());
                assert!(verdict != Verdict::PushOut || self.policy.pushes_out());
                assert_eq!(
                    self.waiting.bits(0),
                    self.waiting.all().map(|(_, waiting)| waiting.pdu.bits()).sum::<u64>()
                );
                assert_eq!(self.waiting.count, self.waiting.all().count());
            }
        }
    }

    proptest! {
        /// Laws of every discipline: never more than the size; marks only where they are announced; and a change of
        /// nothing changes nothing, so state is kept.
        #[test]
        fn laws_of_disciplines(steps in vec((0..3_000u64, any::<Option<bool>>()), 1..200)) {
            for params in Params::cases().into_iter().map(|case| case.params) {
                let policy = params.build(env());
                let mut bench = Bench::new(policy);
                let (first, rest) = steps.split_at(steps.len() / 2);
                bench.run(first);
                let mut changed = bench.clone();
                changed.policy.retune(&params, Time::ZERO);
                bench.run(rest);
                changed.run(rest);
                prop_assert_eq!(&bench.seen, &changed.seen);
                prop_assert!(!params.sends().is_empty() || bench.seen.iter().all(|seen| seen.1 == 0));
            }
        }

        /// Laws of every policy: never more than the size, a clean PDU no worse off than a tagged one, no refusal
        /// at a length where a longer queue admits, and `PushOut` only where it was announced.
        #[test]
        fn laws(length in 0u64..60) {
            for params in Params::cases().into_iter().map(|case| case.params) {
                prop_assert_eq!(params.check(), Ok(()));
                let policy = params.sketch();
                let clean = policy.verdict(&pdu(false), length);
                let tagged = policy.verdict(&pdu(true), length);
                if policy.size().is_some_and(|size| length >= size) {
                    prop_assert!(clean != Verdict::Admit && tagged != Verdict::Admit);
                }
                prop_assert!(tagged != Verdict::Admit || clean == Verdict::Admit);
                prop_assert!(policy.pushes_out() || (clean != Verdict::PushOut && tagged != Verdict::PushOut));
                if let Some(limits) = policy.limits() {
                    let admitted = limits.map(|limit| if length < limit { Verdict::Admit } else { Verdict::Discard });
                    prop_assert_eq!(admitted, [clean, tagged]);
                }
                for (tag, verdict) in [(false, clean), (true, tagged)] {
                    let shorter = policy.verdict(&pdu(tag), length.saturating_sub(1));
                    prop_assert!(verdict != Verdict::Admit || shorter == Verdict::Admit);
                }
            }
        }
    }
}
