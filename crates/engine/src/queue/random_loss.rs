//! Losses that do not depend on the queue, for lines with errors and for tests of recovery.
//!
//! What the queue has room for may still be lost: each PDU with one probability (Bernoulli), every n-th, or in bursts
//! (Gilbert 1960, Elliott 1963: a chain of a good and a bad state, which takes a step before each PDU).

use super::{Discard, Discipline, Env, QueueParams, QueueView, RETUNED, Verdict, check_size};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::pdu::Pdu;
use crate::core::quantity::Count;
use crate::core::random::Stream;
use crate::core::reading::{Each, Reading};
use crate::core::time::Time;
use crate::core::word;

/// What a change of the losses does.
const RETUNED_LOSS: &str = "It holds for PDUs that arrive later.";

/// Which PDUs are lost, and the size of the queue.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// PDUs that the queue can hold, the one in service counted.
    #[serde(default, with = "word::unlimited")]
    #[schemars(schema_with = "word::unlimited::schema::<Count>", extend("retune" = RETUNED))]
    pub size: Option<Count>,
    /// Which PDUs are lost.
    #[schemars(extend("retune" = RETUNED_LOSS))]
    pub pattern: Pattern,
    /// Whether control PDUs (acknowledgements, notices, RM cells) are lost too, and not data alone.
    #[serde(default = "yes")]
    #[schemars(extend("retune" = RETUNED_LOSS))]
    pub control: bool,
}

/// Which PDUs are lost.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Pattern {
    /// Each with the same probability.
    Bernoulli {
        /// This probability.
        probability: f64,
    },
    /// Every n-th.
    Periodic {
        /// One in so many PDUs, the last of them.
        every: u32,
    },
    /// Bursts: a good and a bad state of the line.
    GilbertElliott {
        /// Probability that the line becomes bad at a PDU.
        enter: f64,
        /// Probability that it becomes good again at a PDU.
        leave: f64,
        /// Probability of a loss while the line is good.
        #[serde(default)]
        loss_in_good: f64,
        /// Probability of a loss while the line is bad.
        #[serde(default = "one")]
        loss_in_bad: f64,
    },
}

fn yes() -> bool {
    true
}

fn one() -> f64 {
    1.0
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        self.pattern.check().map_err(|fault| fault.under("pattern"))?;
        self.size.map_or(Ok(()), check_size)
    }
}

impl Pattern {
    fn check(&self) -> Result<(), Fault> {
        match *self {
            Pattern::Bernoulli { probability } => check::ratio("bernoulli.probability", probability, 0.0..=1.0),
            Pattern::Periodic { every: 0 } => {
                let reason = "it is the number of PDUs of which the last is lost";
                Err(Fault::new("periodic.every", 0, reason, "choose at least 1"))
            }
            Pattern::Periodic { .. } => Ok(()),
            Pattern::GilbertElliott { enter, leave, loss_in_good, loss_in_bad } => {
                [("enter", enter), ("leave", leave), ("loss_in_good", loss_in_good), ("loss_in_bad", loss_in_bad)]
                    .into_iter()
                    .try_for_each(|(key, value)| check::ratio(&format!("gilbert_elliott.{key}"), value, 0.0..=1.0))
            }
        }
    }
}

impl QueueParams for Params {
    fn discards_early(&self) -> bool {
        true
    }
}

/// A queue before a line with losses.
#[derive(Clone, Debug)]
pub struct RandomLoss {
    params: Params,
    stream: Stream,
    /// PDUs since the last loss of a periodic pattern.
    passed: u32,
    is_bad: bool,
    lost: u64,
}

impl RandomLoss {
    /// A queue before a good line.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> RandomLoss {
        RandomLoss { params: params.clone(), stream: env.stream, passed: 0, is_bad: false, lost: 0 }
    }

    /// Whether the next PDU is lost.
    fn loses(&mut self) -> bool {
        match self.params.pattern {
            Pattern::Bernoulli { probability } => self.stream.uniform() < probability,
            Pattern::Periodic { every } => {
                self.passed = if self.passed + 1 >= every { 0 } else { self.passed + 1 };
                self.passed == 0
            }
            Pattern::GilbertElliott { enter, leave, loss_in_good, loss_in_bad } => {
                let step = if self.is_bad { leave } else { enter };
                self.is_bad ^= self.stream.uniform() < step;
                self.stream.uniform() < if self.is_bad { loss_in_bad } else { loss_in_good }
            }
        }
    }
}

impl Discard for RandomLoss {
    fn size(&self) -> Option<u64> {
        self.params.size.map(|size| size.0)
    }
}

impl Discipline for RandomLoss {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &QueueView) -> Verdict {
        let verdict = self.verdict(pdu, view.length);
        let is_spared = verdict == Verdict::Discard || !(self.params.control || pdu.kind().is_data());
        if is_spared || !self.loses() {
            return verdict;
        }
        self.lost += 1;
        Verdict::Discard
    }

    fn retune(&mut self, params: &super::Params, _now: Time) {
        if let super::Params::RandomLoss(params) = params {
            self.params = params.clone();
        }
    }

    fn readings(&self, each: &mut Each<'_>) {
        each(Reading::count("random_losses"), self.lost as f64);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{ pattern.bernoulli = { probability = 0.1 } }",
        "{ size = '9 PDUs', pattern.periodic = { every = 7 }, control = false }",
        "{ pattern.gilbert_elliott = { enter = 0.1, leave = 0.3, loss_in_good = 0.01, loss_in_bad = 0.9 } }",
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::pdu::{Body, CELL_OCTETS, FlowId};
    use crate::queue::tests::{env, pdu};

    const VIEW: QueueView =
        QueueView { now: Time::ZERO, length: 0, free_at: Time::ZERO, head_since: None, waiting_bits: 0 };

    fn queue(text: &str) -> RandomLoss {
        RandomLoss::new(&toml::from_str(text).unwrap(), env())
    }

    /// Which of so many PDUs are lost.
    fn losses(text: &str, count: usize) -> Vec<bool> {
        let mut queue = queue(text);
        (0..count).map(|_| queue.on_arrival(&mut pdu(false), &VIEW) == Verdict::Discard).collect()
    }

    fn share(losses: &[bool]) -> f64 {
        losses.iter().filter(|lost| **lost).count() as f64 / losses.len() as f64
    }

    #[test]
    fn every_nth_is_lost_and_what_is_spared_does_not_count() {
        let lost = losses("pattern.periodic.every = 3", 9);
        assert_eq!(lost, [false, false, true, false, false, true, false, false, true]);
        assert_eq!(share(&losses("pattern.periodic.every = 1", 9)), 1.0);
        let mut queue = queue("size = '4 PDUs'\ncontrol = false\npattern.periodic.every = 2");
        let mut answer = Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, Body::Acknowledgement { number: 0, credit: 0 });
        assert_eq!(queue.on_arrival(&mut pdu(false), &VIEW), Verdict::Admit);
        assert_eq!(queue.on_arrival(&mut answer, &VIEW), Verdict::Admit);
        assert_eq!(queue.on_arrival(&mut pdu(false), &QueueView { length: 4, ..VIEW }), Verdict::Discard);
        assert_eq!((queue.lost, queue.on_arrival(&mut pdu(false), &VIEW), queue.lost), (0, Verdict::Discard, 1));
    }

    #[test]
    fn a_bernoulli_line_loses_its_share() {
        // Four standard errors of 100,000 trials.
        let lost = losses("pattern.bernoulli.probability = 0.01", 100_000);
        assert!((share(&lost) - 0.01).abs() < 4.0 * (0.01 * 0.99 / 1e5f64).sqrt(), "{}", share(&lost));
        assert_eq!(share(&losses("pattern.bernoulli.probability = 0", 1_000)), 0.0);
    }

    /// Bad for leave^-1 = 4 PDUs in the mean, and lossy in 0.01 / (0.01 + 0.25) of the time.
    #[test]
    fn a_gilbert_line_loses_bursts() {
        let lost = losses("pattern.gilbert_elliott = { enter = 0.01, leave = 0.25 }", 400_000);
        let bursts = lost.windows(2).filter(|pair| !pair[0] && pair[1]).count();
        let mean = share(&lost) * lost.len() as f64 / bursts as f64;
        // About 3,850 bursts; the number of them and their lengths vary.
        assert!((mean - 4.0).abs() < 4.0 * (12.0 / bursts as f64).sqrt(), "{mean}");
        assert!((share(&lost) - 0.038_461_5).abs() < 0.0035, "{}", share(&lost));
    }

    #[test]
    fn no_probability_is_a_fault() {
        let fault = |text: &str| toml::from_str::<Params>(text).unwrap().check().map_err(|fault| fault.path);
        for (text, path) in [
            ("pattern.bernoulli.probability = 1.1", "pattern.bernoulli.probability"),
            ("pattern.periodic.every = 0", "pattern.periodic.every"),
            ("pattern.gilbert_elliott = { enter = 0.1, leave = -1 }", "pattern.gilbert_elliott.leave"),
            ("pattern.periodic.every = 2\nsize = '0 PDUs'", "size"),
        ] {
            assert_eq!(fault(text), Err(path.to_owned()));
        }
    }
}
