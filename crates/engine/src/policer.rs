//! Policers: usage parameter control at the edge of the network, and the queue that shapers share.
//!
//! The models: docs/models/policers.md.
//!
//! A *meter* (GCRA, a leaky bucket without queue) judges a PDU at the instant of its arrival. A *shaper* (peak-rate
//! controller, a leaky bucket with a queue) may hold it back. Its node reports arrivals to it in order, perhaps before
//! they happen. Its next event follows from the reported arrivals.

use std::collections::VecDeque;

use crate::core::error::Fault;
use crate::core::pdu::{Marks, Pdu};
use crate::core::roles::{define_role, dispatch, role_trait};
use crate::core::time::{Rate, Time};

mod gcra;
mod leaky_bucket;
mod peak_rate_controller;

/// The fate of a PDU.
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    /// It is forwarded, perhaps tagged CLP=1.
    Pass(Pdu),
    /// It is discarded.
    Discard(Pdu),
}

/// The next event of a policer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// When; [`Time::NEVER`] if nothing is waiting.
    pub time: Time,
    /// Whether an arrival at that instant causes it, and not the policer's timer. This decides the order among equal
    /// times.
    pub by_arrival: bool,
}

impl Due {
    /// Nothing is waiting.
    pub const NEVER: Due = Due { time: Time::NEVER, by_arrival: false };
}

/// The action of a full shaper queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overflow {
    /// The arriving PDU is discarded.
    Discard,
    /// The PDU at the head is tagged CLP=1 and sent at once; the arriving one joins the tail.
    Mark,
}

impl Overflow {
    /// Tags or discards a PDU that does not conform. Returns whether it is forwarded.
    fn apply(self, pdu: &mut Pdu) -> bool {
        if self == Overflow::Mark {
            pdu.marks.set(Marks::CLP);
        }
        self == Overflow::Mark
    }
}

/// The queue that shapers share: first in, first out, with arrivals that may still lie ahead.
///
/// A shaper gives its *eligible time*: the instant at which the head may leave (the end of a spacing, the next token).
/// A PDU that finds the queue empty at or after that time leaves at its arrival. Any other waits, and leaves at the
/// eligible time. If `size` PDUs wait and one more arrives up to and including the eligible time, the queue overflows at
/// that arrival: deliveries come before timers. Only a departure at the eligible time moves it; an overflow does not.
#[derive(Clone, Debug)]
struct ShaperQueue {
    arrivals: VecDeque<(Time, Pdu)>,
    size: usize,
    overflow: Overflow,
    /// The head arrived exactly at the eligible time, and still waits, because it joined a queue.
    head_joined: bool,
}

impl ShaperQueue {
    fn new(size: u64, overflow: Overflow) -> ShaperQueue {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        ShaperQueue { arrivals: VecDeque::new(), size, overflow, head_joined: false }
    }

    fn arrive(&mut self, pdu: Pdu, at: Time) {
        self.arrivals.push_back((at, pdu));
    }

    /// Without room to wait, every PDU is judged at its arrival.
    fn is_meter(&self) -> bool {
        self.size == 0
    }

    /// Whether a PDU that arrives at `at` cannot go on at once.
    #[inline]
    fn keeps(&self, at: Time, eligible: Time) -> bool {
        at < eligible || !self.arrivals.is_empty()
    }

    /// What happens next, and whether it is an overflow.
    #[inline]
    fn next(&self, eligible: Time) -> (Due, bool) {
        let Some(&(arrival, _)) = self.arrivals.front() else {
            return (Due::NEVER, false);
        };
        if arrival >= eligible && !self.head_joined {
            return (Due { time: arrival, by_arrival: true }, false);
        }
        match self.arrivals.get(self.size) {
            Some(&(excess, _)) if excess <= eligible => (Due { time: excess, by_arrival: true }, true),
            _ => (Due { time: eligible, by_arrival: false }, false),
        }
    }

    fn due(&self, eligible: Time) -> Due {
        self.next(eligible).0
    }

    /// Does what is due. The outcome comes with its instant if it is a departure at the eligible time.
    #[inline]
    fn act(&mut self, eligible: Time) -> (Outcome, Option<Time>) {
        let (due, overflows) = self.next(eligible);
        let discards = overflows && self.overflow == Overflow::Discard;
        let leaving = if discards { self.arrivals.remove(self.size) } else { self.arrivals.pop_front() };
        let (_, mut pdu) = leaving.expect("a policer acts only when something is due");
        if discards {
            return (Outcome::Discard(pdu), None);
        }
        self.head_joined = overflows && self.size > 0;
        if overflows {
            pdu.marks.set(Marks::CLP);
            return (Outcome::Pass(pdu), None);
        }
        (Outcome::Pass(pdu), Some(due.time))
    }
}

/// A rate of 0 would hold every PDU for ever.
fn check_rate(path: &str, rate: Rate) -> Result<(), Fault> {
    if rate.0 == 0 {
        return Err(Fault::new(path, rate, "no PDU could leave", "choose a rate above 0"));
    }
    Ok(())
}

/// Every policer: one line each, with its keyword in scenario files.
macro_rules! policers {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// Generic cell rate algorithm (I.371, TM 4.0): a meter.
            gcra Gcra = gcra::Params => gcra::Gcra;
            /// Token pool, with an optional queue in front.
            leaky_bucket LeakyBucket = leaky_bucket::Params => leaky_bucket::LeakyBucket;
            /// Queue that spaces PDUs at the peak rate.
            peak_rate_controller PeakRateController = peak_rate_controller::Params => peak_rate_controller::PeakRateController;
        }
    };
}

policers!(define_role! [Params State ()]);

role_trait! {
    /// A policer of one flow.
    pub trait Policer for State by policers {
        required
        /// Whether a PDU of `bits` that arrives at `at` conforms and goes on at once, unchanged. Updates the state only then.
        @always fn conforms(&mut self, bits: u64, at: Time) -> bool;
        /// `pdu` arrives at `at`, not before the arrivals already reported.
        fn arrive(&mut self, pdu: Pdu, at: Time);
        /// What happens next, and when.
        fn due(&self) -> Due;
        /// Does what is due. Called at exactly that time.
        fn act(&mut self) -> Outcome;
        /// PDUs that have arrived and have not left, for the count of what is in flight.
        fn held(&self) -> &VecDeque<(Time, Pdu)>;

        provided
        /// Whether `pdu`, which does not conform and may be tagged, goes on. `None` from a shaper that may hold it back:
        /// then call `arrive`.
        fn exceed(&mut self, pdu: &mut Pdu) -> Option<bool> { None }
        /// Whether it does not judge `pdu`, which passes at once.
        #[inline] fn ignores(&self, pdu: &Pdu) -> bool { false }
        /// Whether it is a shaper, which may hold a PDU back.
        fn holds(&self) -> bool { false }
    }
}

role_trait! {
    /// The parameters of a policer, as the assembly reads them.
    pub trait PolicerParams for Params by policers {
        required
        /// Whether it may discard a PDU.
        fn may_discard(&self) -> bool;
        provided
    }
}

/// The verdict of `policer` on `pdu`, which arrives at `at`; `None` from a shaper that may hold it back.
#[inline]
pub fn judge(policer: &mut impl Policer, pdu: &mut Pdu, at: Time) -> Option<bool> {
    if policer.ignores(pdu) || policer.conforms(pdu.bits(), at) { Some(true) } else { policer.exceed(pdu) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::core::pdu::{Body, CELL_OCTETS, FlowId};
    use crate::core::quantity::Count;
    use crate::core::time::{PICOSECONDS, Span};

    /// What an outcome comes to: when, which PDU, whether tagged, whether it passes.
    pub(super) type Seen = (u64, u32, bool, bool);

    pub(super) fn cell(sequence: u32) -> Pdu {
        Pdu::new(FlowId(0), sequence, CELL_OCTETS, 0, Body::Data { born: Time::ZERO, number: 0 })
    }

    fn act(policer: &mut impl Policer) -> Seen {
        let time = policer.due().time;
        match policer.act() {
            Outcome::Pass(pdu) => (time.0, pdu.sequence, pdu.is_tagged(), true),
            Outcome::Discard(pdu) => (time.0, pdu.sequence, pdu.is_tagged(), false),
        }
    }

    /// Gives the policer cells at `times`, `batch` of them at once, and does what is due before the next ones.
    pub(super) fn run(policer: &mut impl Policer, times: &[u64], batch: usize) -> Vec<Seen> {
        let mut seen = Vec::new();
        for (index, actual) in times.chunks(batch).enumerate() {
            for (place, &time) in actual.iter().enumerate() {
                policer.arrive(cell((index * batch + place) as u32), Time(time));
            }
            let known = times.get((index + 1) * batch).copied().unwrap_or(u64::MAX);
            // A timer at the instant of the next arrival has to wait for it.
            while policer.due().time < Time(known) || policer.due() == (Due { time: Time(known), by_arrival: true }) {
                seen.push(act(policer));
            }
        }
        seen
    }

    /// A rate at which a cell takes so many picoseconds.
    pub(super) fn cell_in(picoseconds: u64) -> Rate {
        Rate(424 * PICOSECONDS / picoseconds)
    }

    /// When a PDU may leave, stepped literally: by a countdown, or by tokens.
    #[derive(Clone, Debug)]
    enum Gate {
        Spacing { length: u64, left: u64 },
        Tokens { depth: u64, count: u64, drain: u64, ticks: u64 },
    }

    impl Gate {
        fn step(&mut self, time: u64) {
            match self {
                Gate::Spacing { left, .. } => *left = left.saturating_sub(1),
                Gate::Tokens { depth, count, drain, ticks } => {
                    let bits = 424 * u128::from(PICOSECONDS);
                    while (u128::from(*ticks) + 1) * bits / u128::from(*drain) <= u128::from(time) {
                        *ticks += 1;
                        *count = (*count + 1).min(*depth);
                    }
                }
            }
        }

        fn is_open(&self) -> bool {
            matches!(self, Gate::Spacing { left: 0, .. } | Gate::Tokens { count: 1.., .. })
        }

        fn take(&mut self) {
            match self {
                Gate::Spacing { length, left } => *left = *length,
                Gate::Tokens { count, .. } => *count -= 1,
            }
        }
    }

    /// The shaper in the plainest form: every picosecond its timer or token, then the arrivals, then the head.
    fn step_by_step(mut gate: Gate, size: usize, overflow: Overflow, times: &[u64]) -> Vec<Seen> {
        let mut seen = Vec::new();
        let mut queue = VecDeque::new();
        let mut arrivals = times.iter().copied().zip(0u32..).peekable();
        let mut time = 0;
        while arrivals.peek().is_some() || !queue.is_empty() {
            if time > 0 {
                gate.step(time);
            }
            while let Some((_, sequence)) = arrivals.next_if(|&(arrival, _)| arrival == time) {
                if queue.is_empty() && gate.is_open() {
                    gate.take();
                    seen.push((time, sequence, false, true));
                } else if queue.len() < size {
                    queue.push_back(sequence);
                } else if overflow == Overflow::Discard {
                    seen.push((time, sequence, false, false));
                } else {
                    queue.push_back(sequence);
                    seen.extend(queue.pop_front().map(|head| (time, head, true, true)));
                }
            }
            while gate.is_open() && !queue.is_empty() {
                gate.take();
                seen.extend(queue.pop_front().map(|head| (time, head, false, true)));
            }
            time += 1;
        }
        seen
    }

    #[test]
    fn defaults_are_those_of_the_study() {
        let read = |text: &str| toml::from_str::<Params>(text);
        let (rate, drain) = (Rate(64_000), Rate(36_000));
        let timer = peak_rate_controller::Timer::InTurn;
        let controller = peak_rate_controller::Params { rate, size: Count(512), overflow: Overflow::Discard, timer };
        assert_eq!(read("peak_rate_controller.rate = '64 kb/s'"), Ok(Params::PeakRateController(controller)));
        let nonconforming = Overflow::Mark;
        let bucket =
            leaky_bucket::Params { depth: Count(33), drain, size: Count(0), nonconforming, tagged_use_tokens: true };
        let text = "leaky_bucket = { depth = '33 cells', drain = '36 kb/s' }";
        assert_eq!(read(text), Ok(Params::LeakyBucket(bucket)));
        let (increment, limit) = (Span::milliseconds(1), Span::ZERO);
        let meter = gcra::Params { increment, limit, nonconforming, form: gcra::Form::LeakyBucket };
        let text = "gcra = { increment = '1 ms', limit = '0 s', form = 'leaky_bucket' }";
        assert_eq!(read(text), Ok(Params::Gcra(meter)));
        assert!(read("leaky_bucket = { depth = 33, drain = '36 kb/s', deep = 1 }").is_err());
    }

    fn arrival_times() -> impl Strategy<Value = Vec<u64>> {
        let gap = prop_oneof![3 => 0u64..4, 2 => 4u64..12, 1 => 12u64..60];
        prop::collection::vec(gap, 1..60).prop_map(|gaps| {
            let later = |now: &mut u64, gap| {
                *now += gap;
                Some(*now)
            };
            gaps.into_iter().scan(0, later).collect()
        })
    }

    fn overflow() -> impl Strategy<Value = Overflow> {
        prop_oneof![Just(Overflow::Discard), Just(Overflow::Mark)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn a_peak_rate_controller_does_what_its_plain_form_does(
            times in arrival_times(), spacing in 1u64..12, size in 0u64..5, overflow in overflow(), batch in 1usize..9,
        ) {
            let timer = peak_rate_controller::Timer::InTurn;
            let params = peak_rate_controller::Params { rate: cell_in(spacing), size: Count(size), overflow, timer };
            let policer = peak_rate_controller::PeakRateController::new(&params, ());
            let plain = step_by_step(Gate::Spacing { length: spacing, left: 0 }, size as usize, overflow, &times);
            prop_assert_eq!(&run(&mut policer.clone(), &times, 1), &plain);
            prop_assert_eq!(&run(&mut policer.clone(), &times, batch), &plain);
        }

        #[test]
        fn a_leaky_bucket_does_what_its_plain_form_does(
            times in arrival_times(), thirds in 3u64..40, depth in 1u64..5, size in 0u64..5, nonconforming in overflow(),
            batch in 1usize..9,
        ) {
            // A token every so many thirds of a picosecond.
            let drain = Rate(3 * 424 * PICOSECONDS / thirds);
            let (tagged_use_tokens, size_cells) = (true, Count(size));
            let params =
                leaky_bucket::Params { depth: Count(depth), drain, size: size_cells, nonconforming, tagged_use_tokens };
            let policer = leaky_bucket::LeakyBucket::new(&params, ());
            let gate = Gate::Tokens { depth, count: depth, drain: drain.0, ticks: 0 };
            let plain = step_by_step(gate, size as usize, nonconforming, &times);
            prop_assert_eq!(&run(&mut policer.clone(), &times, 1), &plain);
            prop_assert_eq!(&run(&mut policer.clone(), &times, batch), &plain);
        }

        /// A policer gives the same verdicts at the arrival of each PDU as in the order of its events. A PDU that does not
        /// conform leaves its state as it was.
        #[test]
        fn a_verdict_at_the_arrival_is_the_same(times in arrival_times()) {
            for params in Params::cases().into_iter().map(|case| case.params) {
                let expected = run(&mut params.build(()), &times, 1);
                let mut policer = params.build(());
                let mut seen = Vec::new();
                for (&time, sequence) in times.iter().zip(0..) {
                    let at = Due { time: Time(time), by_arrival: true };
                    while policer.due().time < at.time || policer.due() == at {
                        seen.push(act(&mut policer));
                    }
                    let mut pdu = cell(sequence);
                    let before = format!("{policer:?}");
                    if policer.conforms(pdu.bits(), at.time) {
                        seen.push((time, sequence, false, true));
                        continue;
                    }
                    prop_assert_eq!(format!("{:?}", policer), before);
                    match judge(&mut policer, &mut pdu, at.time) {
                        Some(passes) => seen.push((time, sequence, pdu.is_tagged(), passes)),
                        None => policer.arrive(pdu, at.time),
                    }
                    while policer.due() == at {
                        seen.push(act(&mut policer));
                    }
                }
                while policer.due() != Due::NEVER {
                    seen.push(act(&mut policer));
                }
                prop_assert_eq!(seen, expected, "{:?}", params);
            }
        }

        /// What every policer must do: each PDU comes out once, not before it came in, those that pass in order, none
        /// with a tag lost, and nothing is held in the end.
        #[test]
        fn laws(times in arrival_times(), tag in 1usize..5) {
            for params in Params::cases().into_iter().map(|case| case.params) {
                prop_assert_eq!(params.check(), Ok(()));
                let mut policer = params.build(());
                for (index, &time) in times.iter().enumerate() {
                    let mut pdu = cell(index as u32);
                    if index.is_multiple_of(tag) {
                        pdu.marks.set(Marks::CLP);
                    }
                    policer.arrive(pdu, Time(time));
                }
                prop_assert_eq!(policer.held().len(), times.len());
                let mut seen = Vec::new();
                while policer.due() != Due::NEVER {
                    prop_assert!(policer.clone().due() == policer.due());
                    seen.push(act(&mut policer));
                }
                prop_assert!(policer.held().is_empty());
                prop_assert!(seen.is_sorted_by_key(|&(time, ..)| time));
                prop_assert!(seen.iter().filter(|seen| seen.3).is_sorted_by_key(|seen| seen.1));
                for &(time, sequence, tagged, _) in &seen {
                    prop_assert!(time >= times[sequence as usize]);
                    prop_assert!(tagged || !(sequence as usize).is_multiple_of(tag));
                }
                seen.sort_by_key(|&(_, sequence, ..)| sequence);
                prop_assert!(seen.iter().map(|seen| seen.1).eq(0..times.len() as u32));
            }
        }
    }
}
