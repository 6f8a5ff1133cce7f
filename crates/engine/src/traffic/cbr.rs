//! Constant bit rate: one PDU every `bits / rate`, from a random or given start.
//!
//! The periodic source of nD/D/1, and the constant-rate video beside the satellite study. It is one session that never
//! ends. The factor at the start of a gap scales that gap.

use super::train::Train;
use super::{
    DataUnit, Env, Generated, Held, ModelParams, Offer, RETUNED_RATE, RateScale, Traffic, Upcoming, check_rate,
    decision,
};
use crate::core::error::Fault;
use crate::core::random::Stream;
use crate::core::time::{LineRate, Span, Time};
use crate::core::word;

/// The rate and the start time.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Bit rate, headers included. A rate that is no whole number of b/s is written as a time: "1 cell per 105 us".
    #[schemars(extend("retune" = RETUNED_RATE))]
    pub rate: LineRate,
    /// Time of the first PDU. "random" is uniform within one gap from the start of the run.
    #[serde(default, with = "word::random")]
    #[schemars(schema_with = "word::random::schema::<Span>")]
    pub start: Option<Span>,
    /// With a `start` that is given, each flow of the group begins this much later than the flow before it. "auto" spreads the
    /// flows of a network by name evenly over one gap, and lets others begin together.
    #[serde(default, with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Span>")]
    pub stagger: Option<Span>,
    /// What happens to data that the sender may not send yet.
    #[serde(default = "super::held::wait")]
    pub held: Held,
}

impl Params {
    /// When flow `place` of its group begins, if that is given.
    pub(crate) fn begin(&self, place: u64) -> Option<Span> {
        Some(self.start? + self.stagger.unwrap_or(Span::ZERO) * place)
    }

    /// The gap between PDUs of so many octets.
    pub(crate) fn gap(&self, octets: u16) -> Span {
        Span::from_seconds(f64::from(octets) * 8.0 / self.rate.bits_per_second())
    }

    /// Spreads flows over one gap, if they all begin together: these are from `first` on, of `all`.
    pub(crate) fn spread(&mut self, octets: u16, first: u64, all: u64) {
        let (Some(start), None) = (self.start, self.stagger) else { return };
        let apart = |flows: u64| self.gap(octets).seconds() * flows as f64 / all as f64;
        let (own, stagger) = (Span::from_seconds(apart(first)), Span::from_seconds(apart(1)));
        (self.start, self.stagger) = (Some(start + own), Some(stagger));
    }

    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        check_rate("rate", self.rate.rounded())?;
        if let (None, Some(stagger)) = (self.start, self.stagger) {
            let reason = "each flow begins at a random time of its own";
            return Err(Fault::new("stagger", stagger, reason, "delete it, or give a `start`"));
        }
        self.held.check()
    }
}

impl ModelParams for Params {
    fn held(&self) -> Option<&Held> {
        Some(&self.held)
    }

    fn offer(&self, _pdu_bits: f64, mean: Option<f64>) -> Option<Offer> {
        let mean = mean?;
        let stagger = self.stagger.map_or(0.0, Span::seconds);
        Some(Offer { mean: Some(mean), late: self.start.map_or(1.0 / mean, Span::seconds), stagger, ..Offer::STEADY })
    }

    fn begins(&self) -> Vec<(&'static str, Span)> {
        self.start.map(|start| ("start", start)).into_iter().collect()
    }
}

/// A source at a constant rate.
#[derive(Clone, Debug)]
pub struct Cbr {
    /// Bits per second.
    rate: f64,
    start: Option<Span>,
    begun: bool,
    train: Train,
    octets: u16,
    stream: Stream,
}

impl Cbr {
    /// A source that has not begun.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Cbr {
        let Env { stream, octets, place, .. } = env;
        Cbr {
            rate: params.rate.bits_per_second(),
            start: params.begin(u64::from(place)),
            begun: false,
            train: Train::new(octets),
            octets,
            stream,
        }
    }
}

impl Traffic for Cbr {
    fn start(&mut self, now: Time, scale: &mut impl RateScale) -> Upcoming {
        self.train.next = decision(now + self.start.unwrap_or(Span::ZERO));
        if self.train.next == Upcoming::Decision(now) { self.advance(now, scale).1 } else { self.train.next }
    }

    #[inline]
    fn advance(&mut self, now: Time, scale: &mut impl RateScale) -> (Option<DataUnit>, Upcoming) {
        let (from, produced) = self.train.come(now);
        if !self.begun {
            self.begun = true;
            scale.begin_session(now);
            self.train.length = if self.start.is_some() { 0.0 } else { self.stream.uniform() };
        }
        self.train.fix(from, self.rate, now, scale);
        (produced.then_some(DataUnit { octets: self.octets, number: 0 }), self.train.next)
    }

    fn count_some(&mut self, _at: Time, last: Time, generated: &mut Generated) -> Upcoming {
        self.train.count(last, (DataUnit { octets: self.octets, number: 0 }, self.rate), generated);
        self.train.next
    }

    fn nominal_rate(&self) -> f64 {
        self.rate
    }

    fn mean_rate(&self) -> Option<f64> {
        Some(self.rate)
    }

    fn retune(&mut self, params: &super::Params) {
        let super::Params::Cbr(params) = params else { return };
        self.rate = params.rate.bits_per_second();
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ rate = '64 kb/s' }"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::time::Rate;
    use crate::traffic::tests::{Script, at, env, times, units};

    /// 424 bit / 42.4 kb/s = 10 ms.
    const RATE: LineRate = LineRate::Bits(Rate(42_400));

    fn cbr(start: Option<f64>, seed: u64) -> Cbr {
        Cbr::new(
            &Params {
                rate: RATE,
                start: start.map(Span::from_seconds),
                stagger: None,
                held: crate::traffic::held::wait(),
            },
            env(seed),
        )
    }

    #[test]
    fn a_rate_in_cells_is_exact() {
        let params = Params {
            rate: "1 cell per 105 us".parse().unwrap(),
            start: Some(Span::ZERO),
            stagger: None,
            held: crate::traffic::held::wait(),
        };
        let mut source = Cbr::new(&params, env(1));
        let expected: Vec<Time> = (0..20).map(|number| Time(number * 105_000_000)).collect();
        assert_eq!(times(&units(&mut source, &mut Script::new(&[]), Time(20 * 105_000_000))), expected);
    }

    #[test]
    fn a_change_of_the_factor_applies_to_the_next_gap() {
        // Half the rate from 25 ms: the gap from 20 to 30 ms does not change, the next is 20 ms. Double the rate from
        // 55 ms.
        let mut scale = Script::new(&[(0.025, 0.5), (0.055, 2.0)]);
        let expected = [0.0, 0.01, 0.02, 0.03, 0.05, 0.07, 0.075, 0.08].map(at);
        assert_eq!(times(&units(&mut cbr(Some(0.0), 1), &mut scale, at(0.082))), expected);
    }

    #[test]
    fn a_stop_postpones_the_gap_to_the_end_of_the_stop() {
        let mut scale = Script::new(&[(0.005, 0.0), (0.1, 0.5)]);
        assert_eq!(times(&units(&mut cbr(Some(0.0), 1), &mut scale, at(0.15))), [0.0, 0.01, 0.12, 0.14].map(at));
        let mut scale = Script::new(&[(0.005, 0.0)]);
        assert_eq!(times(&units(&mut cbr(Some(0.0), 1), &mut scale, at(9.0))), [0.0, 0.01].map(at));
    }

    #[test]
    fn it_begins_at_the_given_time() {
        let mut scale = Script::new(&[]);
        assert_eq!(times(&units(&mut cbr(Some(3.0), 1), &mut scale, at(3.015))), [3.0, 3.01].map(at));
        assert_eq!(scale.sessions, [at(3.0)]);
    }

    #[test]
    fn phases_are_uniform_within_the_gap() {
        let mut sum = 0.0;
        for seed in 0..2_000 {
            let first = units(&mut cbr(None, seed), &mut Script::new(&[]), at(0.01));
            assert_eq!(first.len(), 1);
            sum += first[0].0.seconds();
        }
        // Mean 5 ms; standard error 10 ms / sqrt(12 x 2000) = 0.0645 ms.
        assert!((sum / 2_000.0 - 0.005).abs() < 4.0 * 0.000_064_5, "{sum}");
    }

    #[test]
    fn a_late_sender_finds_every_pdu_where_it_was_produced() {
        let (mut source, mut scale) = (cbr(Some(0.0), 1), Script::new(&[]));
        assert_eq!(source.start(Time::ZERO, &mut scale), Upcoming::Pdu(Time::ZERO));
        assert_eq!(source.advance(at(0.045), &mut scale).1, Upcoming::Pdu(at(0.01)));
        assert_eq!(source.advance(at(0.045), &mut scale).1, Upcoming::Pdu(at(0.02)));
    }
}
