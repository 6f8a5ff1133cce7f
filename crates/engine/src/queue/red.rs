//! RED: an arriving PDU is discarded or marked at random, with a probability that grows with a mean of the queue length.
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
//! With `mark`, data are marked in place of these discards, but not where p = 1. In the adaptive form (Floyd, Gummadi and
//! Shenker 2001) max_p follows the mean: at each interval, if the mean is above min + 0.6 (max - min), it grows by 0.01 or a
//! quarter of itself, while it is at most 0.5; if the mean is below min + 0.4 (max - min), it falls to 0.9 of itself, while it
//! is at least 0.01. The mean is that of the last arrival.
//!
//! A queue that only marks is a congestion point (`control`).

use super::mark::{self, Mark};
use super::{Discard, Discipline, Env, QueueParams, QueueView, RETUNED, Verdict, check_size};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::Signals;
use crate::core::pdu::Pdu;
use crate::core::quantity::Count;
use crate::core::random::Stream;
use crate::core::reading::{Each, Reading};
use crate::core::time::{LineRate, Span, Time};
use crate::core::word;

/// What a change of the law does.
const RETUNED_LAW: &str = "It holds for PDUs that arrive later. The mean of the queue length stays.";

/// The thresholds, the probability, and the size of the queue.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// PDUs that the queue can hold, the one in service counted.
    #[serde(with = "word::unlimited")]
    #[schemars(schema_with = "word::unlimited::schema::<Count>", extend("retune" = RETUNED))]
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
    /// Time between two steps of the adaptive form, as 500 ms. "never" leaves `max_probability` as it is.
    #[serde(with = "word::never")]
    #[schemars(schema_with = "word::never::schema::<Span>", extend("retune" = RETUNED_LAW))]
    pub adapt_every: Option<Span>,
    /// Mark that data get in place of a discard; `never`: all PDUs are discarded.
    #[serde(with = "word::never")]
    #[schemars(schema_with = "word::never::schema::<Mark>", extend("retune" = RETUNED_LAW))]
    pub mark: Option<Mark>,
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
            adapt_every: None,
            mark: None,
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
        if self.adapt_every == Some(Span::ZERO) {
            let reason = "there is no step without a time between two";
            return Err(Fault::new("adapt_every", Span::ZERO, reason, "give a positive time, as in \"500 ms\""));
        }
        if self.adapt_every.is_some() && self.max_probability == 0.0 {
            let reason = "the adaptive form grows it by a quarter of itself";
            return Err(Fault::new("max_probability", 0.0, reason, "choose more than 0, as 0.02"));
        }
        self.size.map_or(Ok(()), check_size)
    }

    /// The probability at this mean length, before it is spread evenly over the PDUs, if it is `most` at `max`.
    fn probability(&self, mean: f64, most: f64) -> f64 {
        let (min, max) = (self.min.0 as f64, self.max.0 as f64);
        if mean < max {
            most * (mean - min) / (max - min)
        } else if self.gentle && mean < 2.0 * max {
            most + (1.0 - most) * (mean - max) / max
        } else {
            1.0
        }
    }
}

impl QueueParams for Params {
    fn discards_early(&self) -> bool {
        true
    }

    fn sends(&self) -> Signals {
        mark::sends(self.mark)
    }
}

/// A queue with its mean length.
#[derive(Clone, Debug)]
pub struct Red {
    params: Params,
    stream: Stream,
    rate: Option<LineRate>,
    mean: f64,
    /// Probability at `max`, which the adaptive form changes.
    most: f64,
    /// Time of its next step.
    next_step: Time,
    /// PDUs admitted since the last discard or mark, while the mean is not below `min`.
    spared: Option<u64>,
}

impl Red {
    /// A queue that has always been empty.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Red {
        Red {
            params: params.clone(),
            stream: env.stream,
            rate: env.rate,
            mean: 0.0,
            most: params.max_probability,
            next_step: Time::ZERO + params.adapt_every.unwrap_or_default(),
            spared: None,
        }
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

    /// The next value of `most`, if the mean is not near the middle of the thresholds.
    fn adapted(&self) -> Option<f64> {
        let (min, max) = (self.params.min.0 as f64, self.params.max.0 as f64);
        let share = (self.mean - min) / (max - min);
        if share > 0.6 && self.most <= 0.5 {
            Some(self.most + (self.most / 4.0).min(0.01))
        } else if share < 0.4 && self.most >= 0.01 {
            Some(self.most * 0.9)
        } else {
            None
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
    fn catch_up(&mut self, view: &QueueView) {
        let Some(every) = self.params.adapt_every else {
            self.next_step = view.now;
            return;
        };
        while self.next_step <= view.now {
            match self.adapted() {
                Some(most) => self.most = most,
                // The mean stays until the next arrival, so no later step changes it either.
                None => self.next_step += every * (view.now.since(self.next_step).0 / every.0),
            }
            self.next_step += every;
        }
    }

    fn on_arrival(&mut self, pdu: &mut Pdu, view: &QueueView) -> Verdict {
        self.average(view.length, view.now, view.free_at);
        if self.mean < self.params.min.0 as f64 {
            self.spared = None;
            return self.verdict(pdu, view.length);
        }
        let spared = self.spared.map_or(0, |spared| spared + 1);
        let probability = self.params.probability(self.mean, self.most);
        let is_forced = probability >= 1.0;
        let probability = if is_forced { 1.0 } else { self.spread(probability, spared) };
        let is_chosen = probability >= 1.0 || (probability > 0.0 && self.stream.uniform() < probability);
        let mut verdict = self.verdict(pdu, view.length);
        if is_chosen && verdict == Verdict::Admit && (is_forced || !mark::set(self.params.mark, pdu)) {
            verdict = Verdict::Discard;
        }
        self.spared = Some(if is_chosen || verdict != Verdict::Admit { 0 } else { spared });
        verdict
    }

    fn on_rate(&mut self, rate: LineRate, _now: Time) {
        self.rate = Some(rate);
    }

    fn retune(&mut self, params: &super::Params, _now: Time) {
        if let super::Params::Red(params) = params {
            if params.adapt_every.is_none() || params.max_probability != self.params.max_probability {
                self.most = params.max_probability;
            }
            if self.params.adapt_every.is_none() {
                self.next_step += params.adapt_every.unwrap_or_default();
            }
            self.params = params.clone();
        }
    }

    fn readings(&self, each: &mut Each<'_>) {
        each(Reading::pdus("red_mean"), self.mean);
        each(Reading::share("red_max_probability"), self.most);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{ size = '40 PDUs' }",
        "{ min = '1 PDUs', max = '4 PDUs', weight = 0.5, max_probability = 0.3, gentle = false, wait = false }",
        "{ size = '20 PDUs', min = '2 PDUs', max = '9 PDUs', weight = 0.1, max_probability = 1.0 }",
        "{ min = '1 PDUs', max = '6 PDUs', weight = 0.3, adapt_every = '300 us', mark = 'efci' }",
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::pdu::Marks;
    use crate::core::time::Rate;
    use crate::queue::tests::{env, pdu};

    fn red(params: Params) -> Red {
        Red::new(&params, env())
    }

    fn view(length: u64) -> QueueView {
        QueueView { now: Time::ZERO, length, free_at: Time::ZERO, head_since: None, waiting_bits: 0 }
    }

    /// Arrivals at a queue that nothing leaves: the first at which the mean is at least `min`, that mean, and discards up
    /// to the 300th.
    fn filled(weight: f64) -> (usize, f64, usize) {
        let params = Params { min: Count(70), max: Count(150), weight, size: Some(Count(300)), ..Params::default() };
        let mut queue = red(params);
        let (mut first, mut discarded) = (None, 0);
        for length in 0..300 {
            let view = view(length);
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
        queue.on_rate(LineRate::Bits(Rate(10_000_000)), Time::ZERO);
        queue.mean = 40.0;
        queue.average(0, Time::ZERO + Span::milliseconds(20), Time::ZERO);
        assert!((queue.mean - 26.8021).abs() < 5e-5, "{}", queue.mean);
    }

    #[test]
    fn the_probability_is_linear_and_then_gentle() {
        let params = Params { min: Count(50), max: Count(150), max_probability: 0.1, ..Params::default() };
        let expected = [(50.0, 0.0), (100.0, 0.05), (150.0, 0.1), (225.0, 0.55), (300.0, 1.0), (400.0, 1.0)];
        for (mean, probability) in expected {
            assert!((params.probability(mean, 0.1) - probability).abs() < 1e-12, "{mean}");
        }
        let abrupt = Params { gentle: false, ..params };
        assert_eq!([149.999, 150.0].map(|mean| abrupt.probability(mean, 0.1) < 1.0), [true, false]);
    }

    /// The gaps between discards at a probability p: evenly below 1/p, or with `wait` from 1/p to below 2/p.
    #[test]
    fn discards_are_spread_evenly() {
        for (wait, least, most) in [(false, 1, 19), (true, 20, 39)] {
            let params =
                Params { min: Count(0), max: Count(2), max_probability: 0.1, weight: 1.0, wait, ..Params::default() };
            let mut queue = red(params);
            let view = view(1);
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

    /// Steps at 0.5, 1, ... s, as from a timer: by a quarter or 0.01 while the mean is high, to 0.9 while it is low.
    #[test]
    fn the_adaptive_form_follows_the_mean() {
        let every = Some(Span::milliseconds(500));
        let mut queue = red(Params { min: Count(10), max: Count(20), adapt_every: every, ..Params::default() });
        let mut most = |mean: f64, milliseconds: u64| {
            queue.mean = mean;
            queue.catch_up(&QueueView { now: Time::ZERO + Span::milliseconds(milliseconds), ..view(1) });
            (queue.most * 1e6).round() / 1e6
        };
        assert_eq!(most(16.1, 499), 0.02);
        assert_eq!(most(16.1, 500), 0.025);
        assert_eq!(most(16.1, 1_499), 0.03125);
        assert_eq!(most(16.1, 2_000), 0.048_828);
        assert_eq!(most(15.9, 9_999), 0.048_828);
        assert_eq!(most(14.1, 20_400), 0.048_828);
        assert_eq!(most(13.9, 20_500), 0.043_945);
        // It falls below 0.01, and grows beyond 0.5, and no further.
        assert_eq!(most(0.0, 9_000_000), 0.009_048);
        assert!((0.5..0.51).contains(&most(400.0, 18_000_000)));
    }

    /// Between the thresholds data are marked; beyond them, and if they cannot be marked, they are discarded.
    #[test]
    fn it_marks_in_place_of_early_discards() {
        let params = Params { min: Count(2), max: Count(4), weight: 1.0, mark: Some(Mark::Efci), ..Params::default() };
        let signals = |params: &Params, length: u64| {
            let (mut queue, mut counts) = (red(params.clone()), [0; 2]);
            for _ in 0..1_000 {
                let mut pdu = pdu(false);
                counts[1] += u32::from(queue.on_arrival(&mut pdu, &view(length)) == Verdict::Discard);
                counts[0] += u32::from(pdu.marks.has(Marks::EFCI));
            }
            counts
        };
        let [marked, discarded] = signals(&params, 3);
        assert!(marked > 5 && discarded == 0, "{marked} {discarded}");
        assert_eq!(signals(&params, 8), [0, 1_000]);
        // These are not ECN-capable.
        assert_eq!(signals(&Params { mark: Some(Mark::Ecn), ..params.clone() }, 3), [0, marked]);
        assert_eq!(signals(&Params { size: Some(Count(3)), ..params }, 3), [0, 1_000]);
    }

    #[test]
    fn parameters_that_contradict_are_faults() {
        let fault = |text: &str| toml::from_str::<Params>(text).unwrap().check().map_err(|fault| fault.path);
        for (text, path) in [
            ("min = '15 PDUs'", "min"),
            ("weight = 0", "weight"),
            ("max_probability = 1.5", "max_probability"),
            ("mean_octets = 0", "mean_octets"),
            ("adapt_every = '0 s'", "adapt_every"),
            ("adapt_every = '1 s'\nmax_probability = 0", "max_probability"),
            ("size = '0 PDUs'", "size"),
        ] {
            assert_eq!(fault(text), Err(path.to_owned()));
        }
        assert_eq!(fault(""), Ok(()));
    }
}
