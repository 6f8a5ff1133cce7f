//! RED: an arriving PDU is discarded at random, with a probability that grows with a mean of the queue length.
//!
//! Floyd and Jacobson (1993), with the gentle form and the wait between discards of ns-2 and ns-3. With the mean `avg`
//! before the PDU joins, of a queue of `q` PDUs,
//!
//! ```text
//! avg <- (1 - w) avg + w q, or (1 - w)^m avg after an idle time in which m PDUs of `mean_octets` could have been sent
//! p = max_p (avg - min) / (max - min) from min to max; gentle: then max_p + (1 - max_p) (avg - max) / max up to 2 max
//! p / (1 - n p), with n PDUs admitted since the last discard; wait: 0 if n p < 1, p / (2 - n p) if n p < 2, and then 1
//! ```
//!
//! A queue that only marks is a congestion point (`control`).

use super::{Discard, Discipline, Env, QueueParams, QueueView, RETUNED, Verdict, check_size};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::pdu::Pdu;
use crate::core::quantity::Count;
use crate::core::random::Stream;
use crate::core::reading::{Each, Reading};
use crate::core::time::{LineRate, Span, Time};

/// What a change of the law does.
const RETUNED_LAW: &str = "It holds for PDUs that arrive later. The mean of the queue length stays.";

/// The thresholds, the probability, and the size of the queue.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// PDUs that the queue can hold, the one in service counted. If absent, it has no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("retune" = RETUNED))]
    pub size: Option<Count>,
    /// Mean queue length from which on PDUs are discarded.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub min: Count,
    /// Mean queue length at which the probability is `max_probability`.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub max: Count,
    /// Probability of a discard at `max`.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub max_probability: f64,
    /// Weight of a new queue length in the mean.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub weight: f64,
    /// Whether the probability grows from `max_probability` at `max` to 1 at twice `max`. Otherwise it is 1 from `max` on.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub gentle: bool,
    /// Whether the first PDUs after a discard are spared.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub wait: bool,
    /// Octets of a typical PDU: how fast the mean falls while nothing arrives.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub mean_octets: u16,
}

/// Those of ns-3.
impl Default for Params {
    fn default() -> Params {
        Params {
            size: None,
            min: Count(5),
            max: Count(15),
            max_probability: 0.02,
            weight: 0.002,
            gentle: true,
            wait: true,
            mean_octets: 500,
        }
    }
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        if self.min.0 >= self.max.0 {
            let reason = format!("the probability grows from here to max, {}", self.max);
            return Err(Fault::new("min", self.min, reason, "choose less than max"));
        }
        check::ratio("max_probability", self.max_probability, 0.0..=1.0)?;
        check::ratio("weight", self.weight, 0.0..=1.0)?;
        if self.weight == 0.0 {
            return Err(Fault::new("weight", 0.0, "the mean would always be 0", "choose more than 0, as 0.002"));
        }
        if self.mean_octets == 0 {
            return Err(Fault::new("mean_octets", 0, "a PDU has at least one octet", "choose at least 1"));
        }
        self.size.map_or(Ok(()), check_size)
    }

    /// The probability at this mean length, before it is spread evenly over the PDUs.
    fn probability(&self, mean: f64) -> f64 {
        let (min, max) = (self.min.0 as f64, self.max.0 as f64);
        if mean < max {
            self.max_probability * (mean - min) / (max - min)
        } else if self.gentle && mean < 2.0 * max {
            self.max_probability + (1.0 - self.max_probability) * (mean - max) / max
        } else {
            1.0
        }
    }
}

impl QueueParams for Params {
    fn discards_early(&self) -> bool {
        true
    }
}

/// A queue with its mean length.
#[derive(Clone, Debug)]
pub struct Red {
    params: Params,
    stream: Stream,
    rate: Option<LineRate>,
    mean: f64,
    /// PDUs admitted since the last discard, while the mean is not below `min`.
    spared: Option<u64>,
}

impl Red {
    /// A queue that has always been empty.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Red {
        Red { params: params.clone(), stream: env.stream, rate: env.rate, mean: 0.0, spared: None }
    }

    /// The mean with the length that a PDU finds at `now`.
    fn average(&mut self, length: u64, now: Time, free_at: Time) {
        let weight = self.params.weight;
        if length > 0 {
            self.mean += weight * (length as f64 - self.mean);
        } else if let Some(rate) = self.rate {
            let one = rate.span(u64::from(self.params.mean_octets) * 8).max(Span(1)).seconds();
            self.mean *= libm::pow(1.0 - weight, now.since(free_at).seconds() / one);
        } else {
            self.mean = 0.0;
        }
    }

    /// The probability of a discard of the PDU after `spared` others.
    fn spread(&self, probability: f64, spared: u64) -> f64 {
        let due = spared as f64 * probability;
        let first = if self.params.wait { 1.0 } else { 0.0 };
        if due < first {
            0.0
        } else if due < first + 1.0 {
            probability / (first + 1.0 - due)
        } else {
            1.0
        }
    }
}

impl Discard for Red {
    fn size(&self) -> Option<u64> {
        self.params.size.map(|size| size.0)
    }
}

impl Discipline for Red {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &QueueView) -> Verdict {
        self.average(view.length, view.now, view.free_at);
        if self.mean < self.params.min.0 as f64 {
            self.spared = None;
            return self.verdict(pdu, view.length);
        }
        let spared = self.spared.map_or(0, |spared| spared + 1);
        let probability = self.params.probability(self.mean);
        let probability = if probability < 1.0 { self.spread(probability, spared) } else { 1.0 };
        let is_chosen = probability >= 1.0 || (probability > 0.0 && self.stream.uniform() < probability);
        let verdict = if is_chosen { Verdict::Discard } else { self.verdict(pdu, view.length) };
        self.spared = Some(if verdict == Verdict::Admit { spared } else { 0 });
        verdict
    }

    fn on_rate(&mut self, rate: LineRate) {
        self.rate = Some(rate);
    }

    fn retune(&mut self, params: &super::Params) {
        if let super::Params::Red(params) = params {
            self.params = params.clone();
        }
    }

    fn readings(&self, each: &mut Each<'_>) {
        each(Reading::pdus("red_mean"), self.mean);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{ size = '40 PDUs' }",
        "{ min = '1 PDUs', max = '4 PDUs', weight = 0.5, max_probability = 0.3, gentle = false, wait = false }",
        "{ size = '20 PDUs', min = '2 PDUs', max = '9 PDUs', weight = 0.1, max_probability = 1.0 }",
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::time::Rate;
    use crate::queue::tests::{env, pdu};

    fn red(params: Params) -> Red {
        Red::new(&params, env())
    }

    /// Arrivals at a queue that nothing leaves: the first at which the mean is at least `min`, that mean, and discards up
    /// to the 300th.
    fn filled(weight: f64) -> (usize, f64, usize) {
        let params = Params { min: Count(70), max: Count(150), weight, size: Some(Count(300)), ..Params::default() };
        let mut queue = red(params);
        let (mut first, mut discarded) = (None, 0);
        for length in 0..300 {
            let view = QueueView { now: Time::ZERO, length, free_at: Time::ZERO };
            discarded += usize::from(queue.on_arrival(&mut pdu(false), &view) == Verdict::Discard);
            if queue.mean >= 70.0 && first.is_none() {
                first = Some((length as usize + 1, queue.mean));
            }
        }
        let (arrival, mean) = first.unwrap();
        (arrival, mean, discarded)
    }

    #[test]
    fn the_mean_of_a_growing_queue_passes_the_threshold_at_a_known_arrival() {
        let (arrival, mean, discarded) = filled(0.002);
        assert_eq!((arrival, discarded), (291, 0));
        assert!((mean - 70.227).abs() < 5e-4, "{mean}");
        let (arrival, mean, discarded) = filled(0.02);
        assert_eq!(arrival, 116);
        assert!((mean - 70.799).abs() < 5e-4, "{mean}");
        assert!(discarded > 0);
    }

    #[test]
    fn the_mean_falls_while_the_queue_is_idle() {
        // 0.2 s, in which 200 PDUs of 1,000 bits could have been sent.
        let mut queue = red(Params { mean_octets: 125, ..Params::default() });
        queue.mean = 40.0;
        queue.average(0, Time::ZERO + Span::milliseconds(1_200), Time::ZERO + Span::milliseconds(1_000));
        assert!((queue.mean - 26.8021).abs() < 5e-5, "{}", queue.mean);
        // At ten times the rate, as many in a tenth of the time.
        queue.on_rate(LineRate::Bits(Rate(10_000_000)));
        queue.mean = 40.0;
        queue.average(0, Time::ZERO + Span::milliseconds(20), Time::ZERO);
        assert!((queue.mean - 26.8021).abs() < 5e-5, "{}", queue.mean);
    }

    #[test]
    fn the_probability_is_linear_and_then_gentle() {
        let params = Params { min: Count(50), max: Count(150), max_probability: 0.1, ..Params::default() };
        let expected = [(50.0, 0.0), (100.0, 0.05), (150.0, 0.1), (225.0, 0.55), (300.0, 1.0), (400.0, 1.0)];
        for (mean, probability) in expected {
            assert!((params.probability(mean) - probability).abs() < 1e-12, "{mean}");
        }
        let abrupt = Params { gentle: false, ..params };
        assert_eq!([149.999, 150.0].map(|mean| abrupt.probability(mean) < 1.0), [true, false]);
    }

    /// The gaps between discards at a probability p: evenly below 1/p, or with `wait` from 1/p to below 2/p.
    #[test]
    fn discards_are_spread_evenly() {
        for (wait, least, most) in [(false, 1, 19), (true, 20, 39)] {
            let params =
                Params { min: Count(0), max: Count(2), max_probability: 0.1, weight: 1.0, wait, ..Params::default() };
            let mut queue = red(params);
            let view = QueueView { now: Time::ZERO, length: 1, free_at: Time::ZERO };
            let (mut gaps, mut gap) = (Vec::new(), 0u64);
            while gaps.len() < 4_000 {
                gap += 1;
                if queue.on_arrival(&mut pdu(false), &view) == Verdict::Discard {
                    gaps.push(std::mem::take(&mut gap));
                }
            }
            let gaps = &gaps[1..];
            assert_eq!((gaps.iter().min(), gaps.iter().max()), (Some(&least), Some(&most)));
            // The mean of 4,000 such gaps has a standard error of 0.09.
            let mean = gaps.iter().sum::<u64>() as f64 / gaps.len() as f64;
            assert!((mean - (least + most) as f64 / 2.0).abs() < 0.4, "{mean}");
        }
    }

    #[test]
    fn parameters_that_contradict_are_faults() {
        let fault = |text: &str| toml::from_str::<Params>(text).unwrap().check().map_err(|fault| fault.path);
        for (text, path) in [
            ("min = '15 PDUs'", "min"),
            ("weight = 0", "weight"),
            ("max_probability = 1.5", "max_probability"),
            ("mean_octets = 0", "mean_octets"),
            ("size = '0 PDUs'", "size"),
        ] {
            assert_eq!(fault(text), Err(path.to_owned()));
        }
        assert_eq!(fault(""), Ok(()));
    }
}
