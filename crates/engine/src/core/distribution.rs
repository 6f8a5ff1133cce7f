//! Distributions of times and sizes, by their means. One definition for every traffic model.
//!
//! Each has one random number for a value, except the exponential, the lognormal and the Weibull distribution, whose
//! ziggurat sometimes takes more.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::either::Either;
use crate::core::error::Fault;
use crate::core::quantity::Bits;
use crate::core::random::Stream;
use crate::core::time::Span;
use crate::core::word;

/// Shape of a Pareto distribution of which only the mean is given.
const PARETO_SHAPE: f64 = 1.5;
/// Most values of an empirical table.
const MOST_VALUES: usize = 10_000;

/// A time or a size, as a whole number of its smallest unit.
pub trait Amount: Copy + std::fmt::Display {
    /// Picoseconds or bits.
    fn units(self) -> u64;
}

impl Amount for Span {
    fn units(self) -> u64 {
        self.0
    }
}

impl Amount for Bits {
    fn units(self) -> u64 {
        self.0
    }
}

/// The distribution of a time or a size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "{Q}Distribution")]
pub enum Distribution<Q> {
    /// Always the same value.
    Constant(Q),
    /// Exponential, by its mean.
    Exponential(Q),
    /// Uniform from 0 to twice the mean, or in a range.
    Uniform(Either<Q, Range<Q>>),
    /// Pareto, by its mean. Its shape is 1.5 unless it is given: then the least value is a third of the mean. Up to a shape
    /// of 2 it has no variance, and the mean of a sample approaches the mean slowly.
    Pareto(Either<Q, Shaped<Q>>),
    /// Lognormal, by its mean.
    Lognormal(Varied<Q>),
    /// Weibull, by its mean.
    Weibull(Shaped<Q>),
    /// One of the values of a table.
    Empirical(Box<Table<Q>>),
}

/// A time. As text it is the mean of an exponential distribution.
pub type Times = Either<Span, Box<Distribution<Span>>>;
/// A size. As text it is always the same.
pub type Sizes = Either<Bits, Box<Distribution<Bits>>>;

/// A range of values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "{Q}Range")]
pub struct Range<Q> {
    /// The least value.
    pub from: Q,
    /// The end of the range, which is not reached.
    pub to: Q,
}

/// A mean and a shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "{Q}MeanAndShape")]
pub struct Shaped<Q> {
    /// Mean.
    pub mean: Q,
    /// Shape. Pareto: the share of values above x falls as x to the power of minus this, and it is above 1. Weibull: 1 is
    /// exponential, and smaller shapes have longer tails.
    pub shape: f64,
}

/// A mean and a coefficient of variation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "{Q}MeanAndVariation")]
pub struct Varied<Q> {
    /// Mean.
    pub mean: Q,
    /// Standard deviation as a multiple of the mean.
    pub variation: f64,
}

/// Values and how often each comes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "{Q}Table")]
pub struct Table<Q> {
    /// The values. At most 10 000.
    pub values: Vec<Q>,
    /// The weight of each value. With "equal" all come equally often.
    #[serde(default, with = "word::equal")]
    #[schemars(schema_with = "word::equal::schema::<Vec<f64>>")]
    pub weights: Option<Vec<f64>>,
}

impl<Q: Amount> Distribution<Q> {
    /// The next value in picoseconds or bits, rounded to the nearest.
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        match self {
            Distribution::Constant(value) => value.units(),
            Distribution::Uniform(Either::Text(mean)) => stream.below(mean.units().saturating_mul(2)),
            Distribution::Uniform(Either::Table(Range { from, to })) => {
                from.units() + stream.below(to.units().saturating_sub(from.units()))
            }
            Distribution::Empirical(table) => table.draw(stream),
            _ => (self.draw_exact(stream) + 0.5) as u64,
        }
    }

    /// The same before it is rounded.
    pub fn draw_exact(&self, stream: &mut Stream) -> f64 {
        match self {
            Distribution::Constant(_) | Distribution::Uniform(_) | Distribution::Empirical(_) => {
                self.draw(stream) as f64
            }
            Distribution::Exponential(mean) => stream.exponential() * mean.units() as f64,
            Distribution::Pareto(Either::Text(mean)) => pareto(mean.units() as f64, PARETO_SHAPE, stream.uniform()),
            Distribution::Pareto(Either::Table(Shaped { mean, shape })) => {
                pareto(mean.units() as f64, *shape, stream.uniform())
            }
            Distribution::Lognormal(Varied { mean, variation }) => {
                let mean = mean.units() as f64;
                stream.lognormal(mean, variation * mean)
            }
            Distribution::Weibull(Shaped { mean, shape }) => {
                // With the scale s, the mean is s gamma(1 + 1 / shape).
                let scale = mean.units() as f64 / libm::tgamma(1.0 + 1.0 / shape);
                scale * libm::pow(stream.exponential(), 1.0 / shape)
            }
        }
    }

    /// Mean in picoseconds or bits.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match self {
            Distribution::Constant(mean)
            | Distribution::Exponential(mean)
            | Distribution::Uniform(Either::Text(mean))
            | Distribution::Pareto(Either::Text(mean) | Either::Table(Shaped { mean, .. }))
            | Distribution::Lognormal(Varied { mean, .. })
            | Distribution::Weibull(Shaped { mean, .. }) => mean.units() as f64,
            Distribution::Uniform(Either::Table(Range { from, to })) => (from.units() as f64 + to.units() as f64) / 2.0,
            Distribution::Empirical(table) => table.mean(),
        }
    }

    /// Variance as a multiple of the square of the mean; infinite for a Pareto distribution with a shape up to 2.
    #[must_use]
    pub fn squared_variation(&self) -> f64 {
        let pareto = |shape: f64| if shape > 2.0 { 1.0 / (shape * (shape - 2.0)) } else { f64::INFINITY };
        match self {
            Distribution::Constant(_) => 0.0,
            Distribution::Exponential(_) => 1.0,
            Distribution::Uniform(Either::Text(_)) => 1.0 / 3.0,
            Distribution::Uniform(Either::Table(Range { from, to })) => {
                let half = (to.units() as f64 - from.units() as f64) / 2.0 / self.mean();
                half * half / 3.0
            }
            Distribution::Pareto(Either::Text(_)) => pareto(PARETO_SHAPE),
            Distribution::Pareto(Either::Table(Shaped { shape, .. })) => pareto(*shape),
            Distribution::Lognormal(Varied { variation, .. }) => variation * variation,
            Distribution::Weibull(Shaped { shape, .. }) => {
                let root = libm::tgamma(1.0 + 1.0 / shape);
                libm::tgamma(1.0 + 2.0 / shape) / (root * root) - 1.0
            }
            Distribution::Empirical(table) => table.squared_variation(),
        }
    }

    /// The first fault of the parameters but the mean, which may be 0.
    pub fn check(&self) -> Result<(), Fault> {
        let shape = |path: &str, shape: f64, above: f64, most: f64| {
            if shape > above && shape <= most {
                return Ok(());
            }
            let remedy = format!("choose a number above {above} and up to {most}");
            Err(Fault::new(path, shape, "this is out of range", remedy))
        };
        match self {
            Distribution::Pareto(Either::Table(own)) => shape("pareto.shape", own.shape, 1.0, 100.0),
            Distribution::Lognormal(own) => shape("lognormal.variation", own.variation, 0.0, 100.0),
            Distribution::Weibull(own) => shape("weibull.shape", own.shape, 0.1, 100.0),
            Distribution::Uniform(Either::Table(Range { from, to })) if from.units() >= to.units() => {
                Err(Fault::new("uniform.to", to, format!("the range begins at {from}"), "choose a larger value"))
            }
            Distribution::Empirical(table) => table.check().map_err(|fault| fault.under("empirical")),
            _ => Ok(()),
        }
    }
}

impl Distribution<Span> {
    /// The next time.
    pub fn draw_time(&self, stream: &mut Stream) -> Span {
        Span(self.draw(stream))
    }

    /// Mean time.
    #[must_use]
    pub fn mean_time(&self) -> Span {
        Span((self.mean() + 0.5) as u64)
    }
}

impl Times {
    /// The next time.
    pub fn draw(&self, stream: &mut Stream) -> Span {
        match self {
            Either::Text(mean) => stream.exponential_span(*mean),
            Either::Table(law) => law.draw_time(stream),
        }
    }

    /// Mean time.
    #[must_use]
    pub fn mean(&self) -> Span {
        match self {
            Either::Text(mean) => *mean,
            Either::Table(law) => law.mean_time(),
        }
    }

    /// Whether the rest of a time that has begun has the same distribution as the whole.
    #[must_use]
    pub fn is_exponential(&self) -> bool {
        match self {
            Either::Text(_) => true,
            Either::Table(law) => matches!(**law, Distribution::Exponential(_)),
        }
    }

    /// The first fault but the mean, with the path below `path`.
    pub fn check(&self, path: &str) -> Result<(), Fault> {
        check(self, path)
    }
}

impl Sizes {
    /// The next size in bits.
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        match self {
            Either::Text(size) => size.0,
            Either::Table(law) => law.draw(stream),
        }
    }

    /// The size, if it is always the same.
    #[must_use]
    pub fn constant(&self) -> Option<Bits> {
        match self {
            Either::Text(size) => Some(*size),
            Either::Table(law) => match **law {
                Distribution::Constant(size) => Some(size),
                _ => None,
            },
        }
    }

    /// Mean size in bits.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match self {
            Either::Text(size) => size.0 as f64,
            Either::Table(law) => law.mean(),
        }
    }

    /// The first fault but the mean, with the path below `path`.
    pub fn check(&self, path: &str) -> Result<(), Fault> {
        check(self, path)
    }
}

fn check<Q: Amount>(own: &Either<Q, Box<Distribution<Q>>>, path: &str) -> Result<(), Fault> {
    match own {
        Either::Text(_) => Ok(()),
        Either::Table(law) => law.check().map_err(|fault| fault.under(path)),
    }
}

/// The Pareto value that a share `below` of all values, less than 1, does not reach: least x (1 - below)^(-1 / shape), where
/// the least value is the mean x (shape - 1) / shape.
fn pareto(mean: f64, shape: f64, below: f64) -> f64 {
    if shape == PARETO_SHAPE {
        let root = libm::cbrt(1.0 - below);
        return mean / 3.0 / (root * root);
    }
    mean * (shape - 1.0) / shape * libm::pow(1.0 - below, -1.0 / shape)
}

impl<Q: Amount> Table<Q> {
    fn draw(&self, stream: &mut Stream) -> u64 {
        let place = match &self.weights {
            None => stream.below(self.values.len() as u64) as usize,
            Some(weights) => {
                let mut rest = stream.uniform() * weights.iter().sum::<f64>();
                let found = weights.iter().position(|weight| {
                    rest -= weight;
                    rest < 0.0
                });
                // Rounding may leave a little at the end.
                found.or_else(|| weights.iter().rposition(|&weight| weight > 0.0)).unwrap_or_default()
            }
        };
        self.values.get(place).map_or(0, |value| value.units())
    }

    fn mean(&self) -> f64 {
        self.mean_of(|value| value)
    }

    fn squared_variation(&self) -> f64 {
        let mean = self.mean();
        self.mean_of(|value| (value - mean) * (value - mean)) / (mean * mean)
    }

    /// The mean of a function of the values.
    fn mean_of(&self, function: impl Fn(f64) -> f64) -> f64 {
        let weight = |place: usize| self.weights.as_ref().map_or(1.0, |weights| weights[place]);
        let sums = self.values.iter().enumerate().fold((0.0, 0.0), |(sum, all), (place, value)| {
            (sum + weight(place) * function(value.units() as f64), all + weight(place))
        });
        sums.0 / sums.1
    }

    fn check(&self) -> Result<(), Fault> {
        let count = self.values.len();
        if count == 0 || count > MOST_VALUES {
            let reason = format!("a table has 1 to {MOST_VALUES} values");
            return Err(Fault::new("values", format!("{count} values"), reason, "give some of them"));
        }
        let Some(weights) = &self.weights else { return Ok(()) };
        if weights.len() != count {
            let reason = format!("there are {count} values");
            return Err(Fault::new("weights", format!("{} weights", weights.len()), reason, "give one for each"));
        }
        let is_good = |weight: &f64| (0.0..=1e12).contains(weight);
        if !weights.iter().all(is_good) || weights.iter().sum::<f64>() <= 0.0 {
            let remedy = "give numbers from 0 to 10^12, of which one at least is above 0";
            return Err(Fault::new("weights", "", "these are no weights", remedy));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: usize = 200_000;
    /// Kolmogorov's limit. A correct sampler exceeds it for one seed in a thousand.
    const CRITICAL: f64 = 1.949;

    fn read(text: &str) -> Distribution<Span> {
        toml::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    /// Values in seconds.
    fn draws(text: &str) -> Vec<f64> {
        let (law, mut stream) = (read(text), Stream::new(1, 0, text));
        (0..DRAWS).map(|_| Span(law.draw(&mut stream)).seconds()).collect()
    }

    /// The mean, within 4 standard errors of draws with this standard deviation.
    fn has_mean(text: &str, mean: f64, deviation: f64) {
        assert!((read(text).mean() * 1e-12 - mean).abs() < 1e-9, "{text}");
        let found = read(text).squared_variation().sqrt() * mean;
        assert!((found - deviation).abs() < 1e-9 * mean, "{text}: {found} for {deviation}");
        let sampled = draws(text).iter().sum::<f64>() / DRAWS as f64;
        let error = deviation / (DRAWS as f64).sqrt();
        assert!((sampled - mean).abs() <= 4.0 * error + 1e-12, "{text}: {sampled} for {mean}");
    }

    /// The distribution function, at the distance of Kolmogorov's test.
    fn has_law(text: &str, law: impl Fn(f64) -> f64) {
        let mut draws = draws(text);
        draws.sort_by(f64::total_cmp);
        let count = DRAWS as f64;
        let gap = |(rank, &x): (usize, &f64)| {
            let (exact, rank) = (law(x), rank as f64);
            (exact - rank / count).max((rank + 1.0) / count - exact)
        };
        let distance = draws.iter().enumerate().map(gap).fold(0.0, f64::max) * count.sqrt();
        assert!(distance < CRITICAL, "{text}: {distance}");
    }

    #[test]
    fn laws_are_exact() {
        has_law("exponential = '2 s'", |x| -libm::expm1(-x / 2.0));
        has_law("uniform = '2 s'", |x| x / 4.0);
        has_law("uniform = { from = '1 s', to = '3 s' }", |x| (x - 1.0) / 2.0);
        // Least value 2 s / 3, shape 1.5; then least value 2 s x 1.5 / 2.5 = 1.2 s.
        has_law("pareto = '2 s'", |x| 1.0 - libm::pow(x / (2.0 / 3.0), -1.5));
        has_law("pareto = { mean = '2 s', shape = 2.5 }", |x| 1.0 - libm::pow(x / 1.2, -2.5));
        // s^2 = ln(1 + 0.25), median 2 / sqrt(1.25).
        let spread = libm::log(1.25).sqrt();
        let normal = |x: f64| 0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2);
        has_law("lognormal = { mean = '2 s', variation = 0.5 }", |x| {
            normal(libm::log(x / (2.0 / 1.25f64.sqrt())) / spread)
        });
        // Shape 1/2: gamma(3) = 2, so the scale is 1 s. Shape 2: gamma(1.5) = sqrt(pi) / 2.
        has_law("weibull = { mean = '2 s', shape = 0.5 }", |x| -libm::expm1(-x.sqrt()));
        let scale = 4.0 / std::f64::consts::PI.sqrt();
        has_law("weibull = { mean = '2 s', shape = 2 }", |x| -libm::expm1(-(x / scale) * (x / scale)));
    }

    #[test]
    fn means_are_those_given() {
        has_mean("constant = '2 s'", 2.0, 0.0);
        has_mean("exponential = '2 s'", 2.0, 2.0);
        has_mean("uniform = '2 s'", 2.0, 4.0 / 12f64.sqrt());
        has_mean("uniform = { from = '1 s', to = '3 s' }", 2.0, 2.0 / 12f64.sqrt());
        // Variance of Pareto: mean^2 / (a (a - 2)).
        has_mean("pareto = { mean = '2 s', shape = 4 }", 2.0, 2.0 / 8f64.sqrt());
        has_mean("lognormal = { mean = '2 s', variation = 0.5 }", 2.0, 1.0);
        // Shape 1/2 and scale 1: the variance is gamma(5) - gamma(3)^2 = 24 - 4.
        has_mean("weibull = { mean = '2 s', shape = 0.5 }", 2.0, 20f64.sqrt());
        has_mean("empirical = { values = ['1 s', '3 s'] }", 2.0, 1.0);
        // 1/8 x 1 s + 7/8 x 5 s = 4.5 s; the variance is 1/8 x 7/8 x 4^2 = 1.75.
        has_mean("empirical = { values = ['1 s', '2 s', '5 s'], weights = [1, 0, 7] }", 4.5, 1.75f64.sqrt());
    }

    /// Shares of 0, 7/8 and 999/1000 below: 1, 4 and 100 times the least value, which is a third of the mean. With shape 2
    /// the least value is half the mean, and 3/4 are below twice the least.
    #[test]
    fn pareto_values_by_hand() {
        for (below, seconds) in [(0.0, 1.0), (0.875, 4.0), (0.999, 100.0)] {
            let value = pareto(3.0, PARETO_SHAPE, below);
            assert!((value / seconds - 1.0).abs() < 1e-9, "{below}: {value}");
        }
        assert!((pareto(3.0, 2.0, 0.75) - 3.0).abs() < 1e-12);
        // The largest random number below 1 gives a time that is still a time.
        assert!(pareto(3600.0, PARETO_SHAPE, 1.0 - f64::EPSILON / 2.0) > 1e6);
    }

    #[test]
    fn a_pareto_distribution_of_shape_two_or_less_has_no_variance() {
        let variation = |text: &str| read(text).squared_variation();
        assert_eq!(variation("pareto = '2 s'"), f64::INFINITY);
        assert_eq!(variation("pareto = { mean = '2 s', shape = 2 }"), f64::INFINITY);
        assert!((variation("pareto = { mean = '2 s', shape = 3 }") - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn an_empirical_table_gives_its_values_in_proportion() {
        let found = draws("empirical = { values = ['1 s', '2 s', '5 s'], weights = [1, 0, 7] }");
        let count = |value: f64| found.iter().filter(|&&x| x == value).count();
        assert_eq!((count(1.0) + count(5.0), count(2.0)), (DRAWS, 0));
        // Binomial: 25,000 with a standard deviation of 148.
        assert!(count(1.0).abs_diff(DRAWS / 8) < 600, "{}", count(1.0));
    }

    #[test]
    fn the_default_laws_keep_their_bits() {
        let mean = Span(1_500_000_000_000);
        let mut streams = [(); 2].map(|()| Stream::new(3, 0, "bits"));
        let [own, other] = &mut streams;
        for _ in 0..1_000 {
            assert_eq!(Distribution::Exponential(mean).draw_time(own), other.exponential_span(mean));
            assert_eq!(Distribution::Uniform(Either::Text(mean)).draw_time(own), other.uniform_span(mean * 2));
            assert_eq!(Times::Text(mean).draw(own), other.exponential_span(mean));
        }
    }

    #[test]
    fn faults() {
        let path = |text: &str| read(text).check().map_err(|fault| fault.path);
        let refused = |path: &str| Err(path.to_owned());
        assert_eq!(path("pareto = { mean = '2 s', shape = 1 }"), refused("pareto.shape"));
        assert_eq!(path("weibull = { mean = '2 s', shape = 0 }"), refused("weibull.shape"));
        assert_eq!(path("lognormal = { mean = '2 s', variation = 0 }"), refused("lognormal.variation"));
        assert_eq!(path("uniform = { from = '2 s', to = '2 s' }"), refused("uniform.to"));
        assert_eq!(path("empirical = { values = [] }"), refused("empirical.values"));
        assert_eq!(path("empirical = { values = ['1 s'], weights = [1, 2] }"), refused("empirical.weights"));
        assert_eq!(path("empirical = { values = ['1 s'], weights = [0] }"), refused("empirical.weights"));
        assert_eq!(path("empirical = { values = ['1 s'], weights = [-1] }"), refused("empirical.weights"));
        let message = |text: &str| toml::from_str::<Distribution<Span>>(text).expect_err("a fault").to_string();
        assert!(message("pareto = 2").contains("needs a unit"), "{}", message("pareto = 2"));
        assert!(message("pareto = { mean = '2 s' }").contains("missing field `shape`"));
        assert!(toml::from_str::<Distribution<Bits>>("pareto = '2 s'").is_err());
    }
}
