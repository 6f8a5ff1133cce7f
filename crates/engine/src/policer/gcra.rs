//! Generic cell rate algorithm: a meter that tests how early each PDU arrives.
//!
//! ITU-T I.371 and ATM Forum TM 4.0, GCRA(I, L). Both forms give the same verdicts (theoretical arrival time = last
//! conformance time + level):
//! - virtual scheduling: conforming if `ta >= TAT - L`; then `TAT = max(ta, TAT) + I`;
//! - continuous-state leaky bucket: `X' = X - (ta - LCT)`, conforming if `X' <= L`; then `X = max(0, X') + I` and
//!   `LCT = ta`.
//!
//! A PDU that does not conform does not change the state. It is tagged CLP=1 or discarded. At most
//! `1 + floor((t + L) / I)` PDUs conform within any time t.

use std::collections::VecDeque;

use super::{Due, Outcome, Overflow, Policer, PolicerParams};
use crate::core::error::Fault;
use crate::core::pdu::Pdu;
use crate::core::time::{Span, Time};

/// The form of the algorithm. Both forms give the same verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Virtual scheduling, with a theoretical arrival time.
    #[default]
    VirtualScheduling,
    /// Leaky bucket that drains continuously.
    LeakyBucket,
}

/// The traffic contract, and the treatment of PDUs that do not conform.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Increment I: time between PDUs at the contracted rate.
    pub increment: Span,
    /// Limit L: how much too early a PDU may arrive (delay variation or burst tolerance).
    pub limit: Span,
    /// What happens to a PDU that does not conform.
    #[serde(default = "default_nonconforming")]
    pub nonconforming: Overflow,
    /// Which of the two equivalent forms the engine computes.
    #[serde(default)]
    pub form: Form,
}

fn default_nonconforming() -> Overflow {
    Overflow::Mark
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        if self.increment == Span::ZERO {
            return Err(Fault::new("increment", self.increment, "every PDU would conform", "choose a time above 0"));
        }
        Ok(())
    }
}

impl PolicerParams for Params {
    fn may_discard(&self) -> bool {
        self.nonconforming == Overflow::Discard
    }
}

#[derive(Clone, Debug)]
enum State {
    VirtualScheduling { theoretical_arrival: Time },
    LeakyBucket { level: Span, last_conformance: Time },
}

/// The GCRA of one flow.
#[derive(Clone, Debug)]
pub struct Gcra {
    increment: Span,
    limit: Span,
    nonconforming: Overflow,
    state: State,
    arrivals: VecDeque<(Time, Pdu)>,
}

impl Gcra {
    /// The initial state: the first PDU conforms.
    #[must_use]
    pub fn new(params: &Params, _env: ()) -> Gcra {
        let state = match params.form {
            Form::VirtualScheduling => State::VirtualScheduling { theoretical_arrival: Time::ZERO },
            Form::LeakyBucket => State::LeakyBucket { level: Span::ZERO, last_conformance: Time::ZERO },
        };
        let Params { increment, limit, nonconforming, .. } = *params;
        Gcra { increment, limit, nonconforming, state, arrivals: VecDeque::new() }
    }

    fn is_in_time(&mut self, at: Time) -> bool {
        match &mut self.state {
            State::VirtualScheduling { theoretical_arrival } => {
                let conforms = at + self.limit >= *theoretical_arrival;
                if conforms {
                    *theoretical_arrival = at.max(*theoretical_arrival) + self.increment;
                }
                conforms
            }
            State::LeakyBucket { level, last_conformance } => {
                let drained = *level - at.since(*last_conformance);
                let conforms = drained <= self.limit;
                if conforms {
                    *level = drained + self.increment;
                    *last_conformance = at;
                }
                conforms
            }
        }
    }
}

impl Policer for Gcra {
    #[inline(always)]
    fn conforms(&mut self, _bits: u64, at: Time) -> bool {
        self.is_in_time(at)
    }

    fn exceed(&mut self, pdu: &mut Pdu) -> Option<bool> {
        Some(self.nonconforming.apply(pdu))
    }

    fn arrive(&mut self, pdu: Pdu, at: Time) {
        self.arrivals.push_back((at, pdu));
    }

    fn due(&self) -> Due {
        self.arrivals.front().map_or(Due::NEVER, |&(time, _)| Due { time, by_arrival: true })
    }

    fn act(&mut self) -> Outcome {
        let (at, mut pdu) = self.arrivals.pop_front().expect("a policer acts only when something is due");
        if self.is_in_time(at) || self.nonconforming.apply(&mut pdu) {
            Outcome::Pass(pdu)
        } else {
            Outcome::Discard(pdu)
        }
    }

    fn held(&self) -> &VecDeque<(Time, Pdu)> {
        &self.arrivals
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{ increment = '7 ps', limit = '10 ps', nonconforming = 'discard', form = 'leaky_bucket' }",
        "{ increment = '7 ps', limit = '10 ps', nonconforming = 'mark', form = 'leaky_bucket' }",
        "{ increment = '5 ps', limit = '3 ps', form = 'virtual_scheduling' }",
    ];
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::policer::tests::run;

    const FORMS: [Form; 2] = [Form::VirtualScheduling, Form::LeakyBucket];

    fn gcra(increment: u64, limit: u64, form: Form) -> Gcra {
        let params = Params { increment: Span(increment), limit: Span(limit), nonconforming: Overflow::Discard, form };
        Gcra::new(&params, ())
    }

    /// The verdicts on PDUs at `times`. Both forms must give the same.
    fn verdicts(increment: u64, limit: u64, times: &[u64]) -> Vec<bool> {
        let [one, other] = FORMS.map(|form| {
            let mut meter = gcra(increment, limit, form);
            times.iter().map(|&time| meter.is_in_time(Time(time))).collect::<Vec<_>>()
        });
        assert_eq!(one, other);
        one
    }

    fn ones(bits: &str) -> Vec<bool> {
        bits.split(' ').map(|bit| bit == "1").collect()
    }

    #[test]
    fn worked_sequences() {
        assert_eq!(verdicts(10, 3, &[0, 8, 20, 26, 40, 41, 60, 62]), ones("1 1 1 0 1 0 1 0"));
        assert_eq!(verdicts(10, 9, &[0, 7, 14, 21, 28, 35, 42]), ones("1 1 1 1 0 1 1"));
        assert_eq!(verdicts(5, 4, &[0, 1, 2, 3, 4, 5, 10]), ones("1 1 0 0 0 0 1"));
        assert_eq!(verdicts(4, 6, &[0, 1, 2, 3, 4, 5]), ones("1 1 1 0 0 0"));
    }

    /// The figures of I.371 and TM 4.0: T = 4.5 slots. The source sends in every slot in which it may. Times in half
    /// slots.
    #[test]
    fn greedy_slots() {
        let conforming = |limit, slots: u64| {
            let times: Vec<u64> = (0..slots).map(|slot| 2 * slot).collect();
            let verdicts = verdicts(9, limit, &times);
            (0..slots).filter(|&slot| verdicts[slot as usize]).collect::<Vec<_>>()
        };
        assert_eq!(conforming(1, 23), [0, 4, 9, 13, 18, 22]);
        assert_eq!(conforming(3, 27), [0, 3, 8, 12, 17, 21, 26]);
        assert_eq!(conforming(7, 38), [0, 1, 6, 10, 15, 19, 24, 28, 33, 37]);
        assert_eq!(conforming(14, 35), [0, 1, 2, 7, 11, 16, 20, 25, 29, 34]);
    }

    /// At most 1 + floor(L / (T - d)) back to back, with d the slot. Limits of .5, 1.5, 3.5 (equality), 7 and 14 slots.
    #[test]
    fn back_to_back() {
        let times: Vec<u64> = (0..10).map(|slot| 2 * slot).collect();
        for (limit, most) in [(1, 1), (3, 1), (7, 2), (14, 3), (28, 5)] {
            let run = verdicts(9, limit, &times).iter().take_while(|&&conforms| conforms).count();
            assert_eq!(run, most, "limit {limit}");
        }
    }

    /// Burst tolerance (MBS-1)(1/SCR - 1/PCR) = 99 (1/1000 - 1/4000) s = 74.25 ms: exactly MBS = 100 cells conform.
    #[test]
    fn a_maximum_burst_conforms_and_no_more() {
        let times: Vec<u64> = (0..101).map(|cell| cell * 250_000_000).collect();
        let verdicts = verdicts(1_000_000_000, 74_250_000_000, &times);
        assert_eq!(verdicts.iter().position(|&conforms| !conforms), Some(100));
    }

    #[test]
    fn a_meter_holds_nothing_back() {
        for (nonconforming, passes) in [(Overflow::Mark, true), (Overflow::Discard, false)] {
            let mut meter = Gcra { nonconforming, ..gcra(10, 3, Form::LeakyBucket) };
            assert_eq!(
                run(&mut meter, &[0, 8, 12], 2),
                [(0, 0, false, true), (8, 1, false, true), (12, 2, nonconforming == Overflow::Mark, passes),]
            );
        }
    }

    #[test]
    fn no_increment_is_a_fault() {
        let params =
            Params { increment: Span(0), limit: Span(0), nonconforming: Overflow::Mark, form: Form::default() };
        assert_eq!(params.check().map_err(|fault| fault.path), Err("increment".to_owned()));
    }

    proptest! {
        /// Both forms give equal verdicts. At most 1 + floor((t + L) / I) PDUs conform within t.
        #[test]
        fn forms_agree_and_windows_hold(
            increment in 1u64..30, limit in 0u64..90, gaps in prop::collection::vec(0u64..40, 1..80),
        ) {
            let later = |now: &mut u64, gap: u64| { *now += gap; Some(*now) };
            let times: Vec<u64> = gaps.into_iter().scan(0, later).collect();
            let verdicts = verdicts(increment, limit, &times);
            let conforming: Vec<u64> = (0..times.len()).filter(|&i| verdicts[i]).map(|i| times[i]).collect();
            for (first, start) in conforming.iter().enumerate() {
                for (last, end) in conforming.iter().enumerate().skip(first) {
                    prop_assert!((last - first) as u64 <= (end - start + limit) / increment);
                }
            }
        }
    }

    /// T = 1 ms, tau = 250 us. A cell exactly at TAT - tau conforms. A cell one picosecond earlier does not, and does
    /// not change TAT. A conforming cell sets TAT to TAT + T if it was early, and to its arrival time + T if it was
    /// late.
    #[test]
    fn exactly_at_the_tolerance_conforms() {
        let (increment, limit) = (1_000_000_000, 250_000_000);
        let times = [
            0,             // TAT = 1 ms
            749_999_999,   // one picosecond too early
            750_000_000,   // just in time: TAT = 2 ms
            1_749_999_999, // too early
            1_750_000_000, // TAT = 3 ms
            5_000_000_000, // late: TAT = 6 ms
            5_749_999_999, // too early
            5_750_000_000,
        ];
        assert_eq!(verdicts(increment, limit, &times), ones("1 0 1 0 1 1 0 1"));
        // Without tolerance the limit is TAT itself.
        let times = [7, 1_000_000_006, 1_000_000_007, 2_000_000_006, 2_000_000_007];
        assert_eq!(verdicts(increment, 0, &times), ones("1 0 1 0 1"));
    }
}
