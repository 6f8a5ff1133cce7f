//! Random numbers: one seeded generator per purpose, and samplers whose bits are the same on every machine.
//!
//! A [`Stream`] is keyed by (seed, replication, name). Every component has its own stream, so a new component never
//! shifts the numbers of another, and two schemes with one seed see the same traffic.
//!
//! - Key: FNV-1a of 128 bits over the seed (8 octets, little endian), the replication (4 octets) and the name in UTF-8.
//!   Then each half in turn goes through the SplitMix64 finaliser together with the other. **This never changes**:
//!   stored results depend on it, and tests pin it.
//! - Generator: PCG XSL-RR 128/64 with a multiplicative state (M. E. O'Neill, HMC-CS-2014-0905).
//! - Exponential and normal: the ziggurat of G. Marsaglia and W. W. Tsang, J. Stat. Softw. 5(8), 2000, 256 layers of
//!   equal area. Mathematical functions come from `libm`, never from the platform.
//! - Integers below a bound: multiplication and rejection, D. Lemire, ACM TOMACS 29(1), 2019.

use std::sync::LazyLock;

use rand_core::Rng;
use rand_pcg::Pcg64Mcg;

use crate::core::time::Span;

/// A named generator of random numbers, of 16 bytes. A clone continues with the same numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    generator: Pcg64Mcg,
}

impl Stream {
    /// The stream of `name` in one replication of a run. The same three arguments always give the same numbers.
    #[must_use]
    pub fn new(seed: u64, replication: u32, name: &str) -> Stream {
        Stream { generator: Pcg64Mcg::new(key(seed, replication, name)) }
    }

    /// 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// Uniform in [0, 1), a multiple of 2^-53.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        unit(self.next_u64())
    }

    /// True or false with equal probability.
    #[inline]
    pub fn coin(&mut self) -> bool {
        self.next_u64() >> 63 == 1
    }

    /// Uniform among 0, 1, ..., `bound` - 1, without bias; 0 for a bound of 0.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        let mut product = u128::from(self.next_u64()) * u128::from(bound);
        if (product as u64) < bound {
            let surplus = bound.wrapping_neg() % bound;
            while (product as u64) < surplus {
                product = u128::from(self.next_u64()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// Uniform in [0, `span`), to the picosecond; zero for a span of zero.
    #[inline]
    pub fn uniform_span(&mut self, span: Span) -> Span {
        Span(self.below(span.0))
    }

    /// Exponential with mean 1.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        let bits = self.next_u64();
        let layer = (bits & 0xff) as usize;
        let edge = &EXPONENTIAL.edge;
        let x = unit(bits) * edge[layer];
        if x < edge[layer + 1] { x } else { self.exponential_at_edge(layer, x) }
    }

    /// Exponential with mean `mean`, rounded to the picosecond.
    #[inline]
    pub fn exponential_span(&mut self, mean: Span) -> Span {
        Span((mean.0 as f64 * self.exponential() + 0.5) as u64)
    }

    /// Normal with mean 0 and standard deviation 1.
    #[inline]
    pub fn normal(&mut self) -> f64 {
        let bits = self.next_u64();
        let layer = (bits & 0xff) as usize;
        let x = unit(bits) * NORMAL.edge[layer];
        let size = if x < NORMAL.edge[layer + 1] { x } else { self.normal_at_edge(layer, x) };
        // Without a branch, which would be mispredicted half the time.
        f64::from_bits(size.to_bits() | (bits & 0x100) << 55)
    }

    /// Lognormal with mean `mean` and standard deviation `deviation` (of the variable itself, not of its logarithm),
    /// both in the caller's unit; 0 unless the mean is positive.
    pub fn lognormal(&mut self, mean: f64, deviation: f64) -> f64 {
        if mean.is_nan() || mean <= 0.0 {
            return 0.0;
        }
        // With s^2 = ln(1 + (deviation / mean)^2), the median is mean exp(-s^2 / 2).
        let spread = deviation / mean;
        let square = libm::log1p(spread * spread);
        mean * libm::exp(square.sqrt() * self.normal() - square / 2.0)
    }

    /// About one draw in a hundred is outside the rectangle of its layer that is entirely below the density.
    #[cold]
    fn exponential_at_edge(&mut self, layer: usize, x: f64) -> f64 {
        if layer == 0 {
            // Memoryless: beyond the last edge the density has the same shape as from 0.
            EXPONENTIAL.edge[1] - libm::log(1.0 - self.uniform())
        } else if EXPONENTIAL.height(layer, self.uniform()) < exponential_density(x) {
            x
        } else {
            self.exponential()
        }
    }

    /// As above, for the absolute value of a normal number.
    #[cold]
    fn normal_at_edge(&mut self, mut layer: usize, mut x: f64) -> f64 {
        loop {
            if layer == 0 {
                return self.normal_tail();
            }
            if NORMAL.height(layer, self.uniform()) < normal_density(x) {
                return x;
            }
            let bits = self.next_u64();
            layer = (bits & 0xff) as usize;
            x = unit(bits) * NORMAL.edge[layer];
            if x < NORMAL.edge[layer + 1] {
                return x;
            }
        }
    }

    /// Marsaglia's tail beyond the last edge: an exponential of that rate, accepted with probability exp(-excess^2 /
    /// 2).
    fn normal_tail(&mut self) -> f64 {
        let edge = NORMAL.edge[1];
        loop {
            let excess = self.exponential() / edge;
            if 2.0 * self.exponential() > excess * excess {
                return edge + excess;
            }
        }
    }
}

/// The upper 53 of 64 bits as a number in [0, 1). The lower 11 bits choose a layer and a sign.
#[inline]
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

fn key(seed: u64, replication: u32, name: &str) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = (1 << 88) + 0x13b;
    let octets = seed.to_le_bytes().into_iter().chain(replication.to_le_bytes()).chain(name.bytes());
    let hash = octets.fold(BASIS, |hash, octet| (hash ^ u128::from(octet)).wrapping_mul(PRIME));
    let high = scramble((hash >> 64) as u64 ^ scramble(hash as u64));
    let low = scramble(hash as u64 ^ scramble(high));
    u128::from(high) << 64 | u128::from(low)
}

/// A hash of a name, which never changes: the first half of the key of its stream with seed 0 and replication 0.
#[must_use]
pub fn hash(name: &str) -> u64 {
    (key(0, 0, name) >> 64) as u64
}

/// The finaliser of SplitMix64: every input bit changes about half of the output bits.
pub(crate) fn scramble(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

const LAYERS: usize = 256;

/// A falling density cut into layers of equal area. LaneBuilder 0 is the strip below the lowest height together with the
/// tail. Its `edge` is the width of a rectangle of that height and area. `edge[LAYERS]` is 0.
struct Ziggurat {
    edge: [f64; LAYERS + 1],
    density: [f64; LAYERS + 1],
}

impl Ziggurat {
    /// From the edge of the tail, the area beyond it, the density (1 at 0) and its inverse.
    fn new(last: f64, tail: f64, density: fn(f64) -> f64, inverse: fn(f64) -> f64) -> Ziggurat {
        let area = last * density(last) + tail;
        let mut edge = [0.0; LAYERS + 1];
        edge[0] = area / density(last);
        edge[1] = last;
        for layer in 2..LAYERS {
            let below = edge[layer - 1];
            edge[layer] = inverse(density(below) + area / below);
        }
        Ziggurat { edge, density: edge.map(density) }
    }

    /// The height at the fraction `part` of `layer`, from its lower side.
    fn height(&self, layer: usize, part: f64) -> f64 {
        self.density[layer] + part * (self.density[layer + 1] - self.density[layer])
    }
}

fn exponential_density(x: f64) -> f64 {
    libm::exp(-x)
}

fn normal_density(x: f64) -> f64 {
    libm::exp(-0.5 * x * x)
}

/// With this edge, 256 layers meet the top of the density exactly; a test checks it.
static EXPONENTIAL: LazyLock<Ziggurat> = LazyLock::new(|| {
    let last = 7.697_117_470_131_05;
    Ziggurat::new(last, libm::exp(-last), exponential_density, |height| -libm::log(height))
});

/// As above, for exp(-x^2 / 2) at positive x.
static NORMAL: LazyLock<Ziggurat> = LazyLock::new(|| {
    let last = 3.654_152_885_361_009;
    let tail = std::f64::consts::FRAC_PI_2.sqrt() * libm::erfc(last * std::f64::consts::FRAC_1_SQRT_2);
    Ziggurat::new(last, tail, normal_density, |height| (-2.0 * libm::log(height)).sqrt())
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::time::PICOSECONDS;

    const DRAWS: usize = 1_000_000;

    /// The largest distance between the draws and the exact distribution function, times the root of their number.
    fn kolmogorov(mut draws: Vec<f64>, distribution: impl Fn(f64) -> f64) -> f64 {
        let count = draws.len() as f64;
        draws.sort_by(f64::total_cmp);
        let gap = |(rank, &x): (usize, &f64)| {
            let (exact, rank) = (distribution(x), rank as f64);
            (exact - rank / count).max((rank + 1.0) / count - exact)
        };
        draws.iter().enumerate().map(gap).fold(0.0, f64::max) * count.sqrt()
    }

    /// Kolmogorov's limit. A correct sampler exceeds it for one seed in a thousand.
    const CRITICAL: f64 = 1.949;

    fn draws(name: &str, mut draw: impl FnMut(&mut Stream) -> f64) -> Vec<f64> {
        let mut stream = Stream::new(1, 0, name);
        (0..DRAWS).map(|_| draw(&mut stream)).collect()
    }

    fn mean(draws: &[f64], power: i32) -> f64 {
        let raise = |x: f64| (0..power).fold(1.0, |product, _| product * x);
        draws.iter().map(|&x| raise(x)).sum::<f64>() / draws.len() as f64
    }

    fn normal_distribution(x: f64) -> f64 {
        0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
    }

    #[test]
    fn the_key_is_fnv_1a() {
        // Computed independently, with Python integers.
        assert_eq!(key(0, 0, ""), 0x32f7_9ec3_7aec_1362_a01d_1887_95aa_b190);
    }

    #[test]
    fn first_numbers_never_change() {
        let mut stream = Stream::new(1, 0, "voice/traffic");
        let first: Vec<u64> = (0..4).map(|_| stream.next_u64()).collect();
        assert_eq!(first, [0x62a1_d7af_7ad5_e881, 0x468e_f0cc_97e5_88d3, 0x762e_3c23_2f04_9986, 0xb17e_8d0b_9848_b510]);
        let mut stream = Stream::new(1, 0, "voice/traffic");
        let bits = [stream.uniform(), stream.exponential(), stream.normal(), stream.lognormal(2.0, 1.0)];
        assert_eq!(
            bits.map(f64::to_bits),
            [4600612243780842874, 4596556806167617351, 13827762939164941496, 4604816829909009478]
        );
        assert_eq!([stream.below(1_000), u64::from(stream.coin())], [986, 0]);
        assert_eq!(stream.exponential_span(Span(PICOSECONDS)), Span(36_597_463_498));
    }

    #[test]
    fn the_sum_of_many_draws_never_changes() {
        let mut stream = Stream::new(7, 3, "sum");
        let exponential = (0..DRAWS).fold(0u64, |sum, _| sum.wrapping_add(stream.exponential().to_bits()));
        let normal = (0..DRAWS).fold(0u64, |sum, _| sum.wrapping_add(stream.normal().to_bits()));
        assert_eq!([exponential, normal], [10_509_011_787_053_271_043, 3_353_077_935_110_850_906]);
    }

    #[test]
    fn the_same_key_gives_the_same_bits_and_any_other_does_not() {
        let mut one = Stream::new(5, 2, "a");
        let mut same = Stream::new(5, 2, "a");
        let others = [Stream::new(5, 2, "b"), Stream::new(5, 3, "a"), Stream::new(6, 2, "a"), Stream::new(5, 2, "")];
        for mut other in others {
            assert_ne!(other.next_u64(), one.clone().next_u64());
        }
        let fork = one.clone();
        assert!((0..100).all(|_| one.normal().to_bits() == same.normal().to_bits()));
        assert_eq!(one, same);
        assert_ne!(one, fork);
    }

    #[test]
    fn two_names_are_independent() {
        let mut one = Stream::new(1, 0, "voice0/traffic");
        let mut two = Stream::new(1, 0, "voice1/traffic");
        let product: f64 = (0..DRAWS).map(|_| (one.uniform() - 0.5) * (two.uniform() - 0.5)).sum();
        // The sum has mean 0 and deviation sqrt(n) / 12; 3.29 deviations are exceeded once in a thousand.
        assert!(product.abs() < 3.29 * (DRAWS as f64).sqrt() / 12.0, "{product}");
        // Equal bits at equal places: binomial(64 n, 1/2), deviation 4 sqrt(n).
        let equal: i64 = (0..DRAWS).map(|_| i64::from((one.next_u64() ^ two.next_u64()).count_zeros()) - 32).sum();
        assert!((equal as f64).abs() < 3.29 * 4.0 * (DRAWS as f64).sqrt(), "{equal}");
    }

    #[test]
    fn uniform_numbers_fill_the_unit_interval() {
        assert_eq!(unit(u64::MAX), 1.0 - f64::EPSILON / 2.0);
        assert_eq!(unit(0x7ff), 0.0);
        assert!(kolmogorov(draws("uniform", Stream::uniform), |x| x) < CRITICAL);
    }

    #[test]
    fn integers_below_a_bound_are_unbiased() {
        let mut stream = Stream::new(1, 0, "below");
        let mut counts = [0u32; 101];
        for _ in 0..DRAWS {
            counts[stream.below(101) as usize] += 1;
        }
        let expected = DRAWS as f64 / 101.0;
        let square = |&count: &u32| (f64::from(count) - expected) * (f64::from(count) - expected) / expected;
        // Chi-square, 100 degrees of freedom: 149.449 is exceeded once in a thousand.
        assert!(counts.iter().map(square).sum::<f64>() < 149.449);
        assert_eq!(stream.below(0), 0);
        assert_eq!(stream.below(1), 0);
        // 2^64 words for 3 x 2^62 numbers: without rejection every third number would be drawn twice as often.
        let bound = 3 << 62;
        let thirds = (0..30_000).filter(|_| stream.below(bound).is_multiple_of(3)).count();
        assert!((thirds as f64 - 10_000.0).abs() < 3.29 * (30_000.0f64 * 2.0 / 9.0).sqrt(), "{thirds}");
    }

    #[test]
    fn coins_are_fair() {
        let mut stream = Stream::new(1, 0, "coin");
        let heads = (0..DRAWS).filter(|_| stream.coin()).count() as f64;
        assert!((heads - DRAWS as f64 / 2.0).abs() < 3.29 * (DRAWS as f64).sqrt() / 2.0);
    }

    /// With a mean of one picosecond, 0 stands for draws below 0.5: 1 - exp(-0.5) of them.
    #[test]
    fn exponential_spans_are_rounded_to_the_nearest_picosecond() {
        let zeros =
            draws("spans", |stream| stream.exponential_span(Span(1)).0 as f64).iter().filter(|&&x| x == 0.0).count();
        let share = 1.0 - libm::exp(-0.5);
        let deviation = (DRAWS as f64 * share * (1.0 - share)).sqrt();
        assert!((zeros as f64 - DRAWS as f64 * share).abs() < 3.29 * deviation, "{zeros}");
    }

    #[test]
    fn the_layers_close_at_the_top() {
        for (ziggurat, name) in [(&*EXPONENTIAL, "exponential"), (&*NORMAL, "normal")] {
            let area = ziggurat.edge[0] * ziggurat.density[1];
            let top = ziggurat.edge[LAYERS - 1] * (1.0 - ziggurat.density[LAYERS - 1]);
            assert!((top / area - 1.0).abs() < 1e-11, "{name}: {top} {area}");
            assert!(ziggurat.edge.windows(2).all(|pair| pair[0] > pair[1]), "{name}");
        }
    }

    #[test]
    fn exponential_numbers_follow_the_law() {
        let draws = draws("exponential", Stream::exponential);
        // Variances of x, x^2: 1 and 4! - 2!^2 = 20.
        let root = (DRAWS as f64).sqrt();
        assert!((mean(&draws, 1) - 1.0).abs() < 3.29 / root);
        assert!((mean(&draws, 2) - 2.0).abs() < 3.29 * 20.0f64.sqrt() / root);
        // Beyond the last edge: exp(-7.697) of the draws, and there again exponential.
        let last = EXPONENTIAL.edge[1];
        let tail: Vec<f64> = draws.iter().filter(|&&x| x > last).map(|x| x - last).collect();
        let expected = DRAWS as f64 * libm::exp(-last);
        assert!((tail.len() as f64 - expected).abs() < 3.29 * expected.sqrt());
        assert!(kolmogorov(tail, |x| -libm::expm1(-x)) < CRITICAL);
        assert!(kolmogorov(draws, |x| -libm::expm1(-x)) < CRITICAL);
    }

    #[test]
    fn normal_numbers_follow_the_law() {
        let draws = draws("normal", Stream::normal);
        // Variances of x, x^2, x^4: 1, 2 and 105 - 9 = 96.
        let root = (DRAWS as f64).sqrt();
        assert!(mean(&draws, 1).abs() < 3.29 / root);
        assert!((mean(&draws, 2) - 1.0).abs() < 3.29 * 2.0f64.sqrt() / root);
        assert!((mean(&draws, 4) - 3.0).abs() < 3.29 * 96.0f64.sqrt() / root);
        // Of a million draws, 258 are beyond the last edge.
        let last = NORMAL.edge[1];
        let beyond = 2.0 * normal_distribution(-last);
        let tail: Vec<f64> = draws.iter().map(|x| x.abs()).filter(|&x| x > last).collect();
        let expected = DRAWS as f64 * beyond;
        assert!((tail.len() as f64 - expected).abs() < 3.29 * expected.sqrt());
        assert!(kolmogorov(tail, |x| 1.0 - 2.0 * normal_distribution(-x) / beyond) < CRITICAL);
        assert!(kolmogorov(draws, normal_distribution) < CRITICAL);
    }

    #[test]
    fn lognormal_numbers_have_their_own_mean() {
        let draws = draws("lognormal", |stream| stream.lognormal(3.0, 1.5));
        // s^2 = ln(1 + 0.25) = 0.22314; the median is 3 / sqrt(1.25) = 2.68328.
        let square = libm::log(1.25);
        assert!((mean(&draws, 1) - 3.0).abs() < 3.29 * 1.5 / (DRAWS as f64).sqrt());
        let distribution = |x: f64| normal_distribution(libm::log(x / 2.683_281_572_999_747_5) / square.sqrt());
        assert!(kolmogorov(draws, distribution) < CRITICAL);
        let mut stream = Stream::new(1, 0, "lognormal");
        assert_eq!([stream.lognormal(0.0, 1.0), stream.lognormal(f64::NAN, 1.0)], [0.0, 0.0]);
        assert!((stream.lognormal(5.0, 0.0) - 5.0).abs() < 1e-12);
    }

    #[test]
    fn spans_scale_the_samplers() {
        let mut stream = Stream::new(1, 0, "span");
        let mut unit = stream.clone();
        assert_eq!(stream.exponential_span(Span(1_000)).0, (1_000.0 * unit.exponential() + 0.5) as u64);
        assert!((0..1_000).all(|_| stream.uniform_span(Span(3)).0 < 3));
        assert_eq!(stream.uniform_span(Span::ZERO), Span::ZERO);
        assert_eq!(stream.exponential_span(Span::ZERO), Span::ZERO);
    }
}
