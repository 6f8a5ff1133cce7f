//! Poisson arrivals with exponential gaps: the source of M/D/1.
//!
//! One session that never ends. The factor at the start of a gap scales that gap. The random numbers stay the same.

use super::train::Train;
use super::{DataUnit, Env, Held, ModelParams, Offer, RETUNED_RATE, RateScale, Traffic, Upcoming, check_rate};
use crate::core::error::Fault;
use crate::core::random::Stream;
use crate::core::time::{Rate, Time};

/// The mean rate.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Mean bit rate, headers included.
    #[schemars(extend("retune" = RETUNED_RATE))]
    pub rate: Rate,
    /// What happens to data that the sender may not send yet.
    #[serde(default = "super::held::wait")]
    pub held: Held,
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        check_rate("rate", self.rate)?;
        self.held.check()
    }
}

impl ModelParams for Params {
    fn held(&self) -> Option<&Held> {
        Some(&self.held)
    }

    fn offer(&self, _pdu_bits: f64, mean: Option<f64>) -> Option<Offer> {
        // The variance of a count equals its mean.
        let mean = mean?;
        Some(Offer { mean: Some(mean), peak: mean, memory: 0.5 / mean, ..Offer::STEADY })
    }
}

/// A source without memory.
#[derive(Clone, Debug)]
pub struct Poisson {
    /// Bits per second.
    rate: f64,
    train: Train,
    octets: u16,
    stream: Stream,
}

impl Poisson {
    /// A source that has not begun.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Poisson {
        let Env { stream, octets, .. } = env;
        Poisson { rate: params.rate.bits_per_second(), train: Train::new(octets), octets, stream }
    }
}

impl Traffic for Poisson {
    fn start(&mut self, now: Time, scale: &mut impl RateScale) -> Upcoming {
        scale.begin_session(now);
        self.train.length = self.stream.exponential();
        self.train.fix(now, self.rate, now, scale);
        self.train.next
    }

    #[inline(always)]
    fn advance(&mut self, now: Time, scale: &mut impl RateScale) -> (Option<DataUnit>, Upcoming) {
        let (from, produced) = self.train.come(now);
        if produced {
            self.train.length = self.stream.exponential();
        }
        self.train.fix(from, self.rate, now, scale);
        (produced.then_some(DataUnit { octets: self.octets, number: 0 }), self.train.next)
    }

    fn nominal_rate(&self) -> f64 {
        self.rate
    }

    fn mean_rate(&self) -> Option<f64> {
        Some(self.rate)
    }

    fn retune(&mut self, params: &super::Params) {
        let super::Params::Poisson(params) = params else { return };
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
    use crate::traffic::tests::{Script, at, env, times, units};

    fn poisson(seed: u64) -> Poisson {
        Poisson::new(&Params { rate: Rate(424_000), held: crate::traffic::held::wait() }, env(seed))
    }

    #[test]
    fn gaps_are_exponential() {
        let times = times(&units(&mut poisson(3), &mut Script::new(&[]), at(100.0)));
        let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1].since(pair[0]).seconds() * 1_000.0).collect();
        let count = gaps.len() as f64;
        let mean = gaps.iter().sum::<f64>() / count;
        let square = gaps.iter().map(|gap| gap * gap).sum::<f64>() / count;
        let above = gaps.iter().filter(|&&gap| gap > 1.0).count() as f64 / count;
        // 100 000 gaps of mean 1: mean 1, second moment 2 (standard deviation sqrt 20), P(> 1) = 1/e; 4 errors each.
        assert!((count - 1e5).abs() < 4.0 * 316.0, "{count}");
        assert!((mean - 1.0).abs() < 4.0 / 316.0, "{mean}");
        assert!((square - 2.0).abs() < 4.0 * 4.47 / 316.0, "{square}");
        assert!((above - 0.367_879).abs() < 4.0 * 0.482 / 316.0, "{above}");
    }

    #[test]
    fn the_factor_scales_the_same_draws() {
        let nominal = times(&units(&mut poisson(5), &mut Script::new(&[]), at(1.0)));
        let halved = times(&units(&mut poisson(5), &mut Script::new(&[(0.0, 0.5)]), at(2.0)));
        assert!(nominal.len() > 900);
        for (one, other) in nominal.iter().zip(&halved) {
            assert!(other.0.abs_diff(2 * one.0) < 5_000, "{one:?} {other:?}");
        }
    }
}
