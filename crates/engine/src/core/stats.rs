//! Statistics of a run, in integers: merging in any order gives the same bits.
//!
//! [`Moments`] and [`Histogram`] describe a set of delays in picoseconds. [`AboveMinimum`] counts the delays above
//! their own minimum by more than a limit. [`Fingerprint`] hashes a whole run to 64 bits. [`jain`] is a fairness index.

use std::collections::BinaryHeap;

use super::time::Span;

/// Count, sums, minimum and maximum of values in picoseconds, all exact.
///
/// The sum of squares can reach 2^128: 2^38 values of 35 s each, or 2^26 of half an hour. Beyond that it saturates, and
/// the variance is meaningless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moments {
    count: u64,
    sum: u128,
    squares: u128,
    least: u64,
    greatest: u64,
}

impl Default for Moments {
    fn default() -> Moments {
        Moments { count: 0, sum: 0, squares: 0, least: u64::MAX, greatest: 0 }
    }
}

impl Moments {
    /// Adds one value. Returns whether it is smaller than all before.
    // A branch for what is rare takes fewer instructions than a conditional move.
    #[inline]
    pub fn record(&mut self, value: u64) -> bool {
        self.count += 1;
        self.sum += u128::from(value);
        let (squares, is_beyond) = self.squares.overflowing_add(u128::from(value) * u128::from(value));
        self.squares = squares;
        if is_beyond {
            self.saturate();
        }
        if value > self.greatest {
            self.greatest = value;
        }
        let is_least = value < self.least;
        if is_least {
            self.least = value;
        }
        is_least
    }

    #[cold]
    fn saturate(&mut self) {
        self.squares = u128::MAX;
    }

    /// Adds all values of `other`.
    pub fn merge(&mut self, other: &Moments) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares = self.squares.saturating_add(other.squares);
        self.least = self.least.min(other.least);
        self.greatest = self.greatest.max(other.greatest);
    }

    /// Number of values.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Sum of the values in ps.
    #[must_use]
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// Sum of their squares in ps^2.
    #[must_use]
    pub fn sum_of_squares(&self) -> u128 {
        self.squares
    }

    /// The smallest value in ps; `None` while empty.
    #[must_use]
    pub fn minimum(&self) -> Option<u64> {
        (self.count > 0).then_some(self.least)
    }

    /// The largest value in ps; `None` while empty.
    #[must_use]
    pub fn maximum(&self) -> Option<u64> {
        (self.count > 0).then_some(self.greatest)
    }

    /// Mean in ps; `None` while empty.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// Mean in seconds; `None` while empty.
    #[must_use]
    pub fn mean_s(&self) -> Option<f64> {
        self.mean().map(|mean| mean * 1e-12)
    }

    /// Unbiased variance (divisor: count - 1) in ps^2; `None` below two values.
    #[must_use]
    pub fn variance(&self) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        // Integers, relative to the whole part w of the mean: a small spread on a long delay then loses no digits.
        // sum (x - w)^2 = squares - w sum - w (sum - count w).
        let count = u128::from(self.count);
        let (whole, rest) = (self.sum / count, self.sum % count);
        let about_whole = self.squares.saturating_sub(whole.saturating_mul(self.sum)).saturating_sub(whole * rest);
        let about_mean = about_whole as f64 - rest as f64 * (rest as f64 / count as f64);
        Some(about_mean.max(0.0) / (self.count - 1) as f64)
    }
}

/// Counts of values in picoseconds by size, with 128 steps per octave: the width of a step is at most 0.8 % of its
/// values.
///
/// The octaves cover 2^20 ps (1.05 us) to 2^50 ps (18.8 min). Smaller values fall into 128 equal steps of 8.2 ns,
/// larger ones into the last step. It takes 31 KiB, allocated once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    counts: Box<[u64]>,
}

/// One step of a [`Histogram`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Smallest value of the step, in ps.
    pub from: u64,
    /// Upper bound of its values (exclusive), in ps.
    pub to: u64,
    /// Number of values in the step.
    pub count: u64,
}

impl Histogram {
    /// log2 of the steps per octave.
    const STEPS: u32 = 7;
    /// log2 of the width in ps of the steps below 2^20 ps, and in the first octave above.
    const GRAIN: u32 = 20 - Histogram::STEPS;
    /// The upper bound of the last step, in ps. It has all larger values too.
    pub(crate) const CEILING: u64 = 1 << 50;
    const SIZE: usize = Histogram::place(Histogram::CEILING - 1) + 1;

    /// An empty histogram.
    #[must_use]
    pub fn new() -> Histogram {
        Histogram { counts: vec![0; Histogram::SIZE].into_boxed_slice() }
    }

    /// Adds one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.counts[Histogram::place(value.min(Histogram::CEILING - 1))] += 1;
    }

    /// Adds all values of `other`.
    pub fn merge(&mut self, other: &Histogram) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
    }

    /// Number of values.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The steps that have values, in rising order.
    pub fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        let holding = self.counts.iter().enumerate().filter(|&(_, &count)| count > 0);
        holding.map(|(place, &count)| Step { from: Histogram::start(place), to: Histogram::start(place + 1), count })
    }

    /// The steps in which this or the other has values, in rising order: both counts, and the bounds of the step as in
    /// [`Step`].
    pub fn steps_with<'a>(&'a self, other: &'a Histogram) -> impl Iterator<Item = ([u64; 2], [u64; 2])> + 'a {
        let both = self.counts.iter().zip(&other.counts).enumerate();
        let holding = both.filter(|(_, (own, other))| **own > 0 || **other > 0);
        holding.map(|(place, (own, other))| ([*own, *other], [place, place + 1].map(Histogram::start)))
    }

    /// The `q`-quantile in ps: the value of rank `q` times the count, rounded up, if the values of each step are spread
    /// evenly over it. The smallest and the greatest value of all limit their steps, so no quantile is outside them, and
    /// a single step gives rising quantiles. The result is within 0.8 % of that value (below 1 us, within 8.2 ns; above
    /// 18.8 min, as far as the last step reaches). `None` while empty. A `q` outside 0 to 1 gives the minimum or the
    /// maximum.
    #[must_use]
    pub fn quantile(&self, q: f64, minimum: u64, maximum: u64) -> Option<u64> {
        let total = self.count();
        let rank = ((q * total as f64).ceil() as u64).clamp(1, total.max(1));
        let mut passed = 0;
        let step = self.steps().find(|step| {
            passed += step.count;
            passed >= rank
        })?;
        let from = step.from.max(minimum);
        // The last step has all longer values too.
        let to = if step.to == Histogram::CEILING { maximum } else { (step.to - 1).min(maximum) };
        let place = rank - (passed - step.count);
        Some(match rank {
            1 => minimum,
            last if last == total => maximum,
            _ => from + (to.saturating_sub(from) as f64 * (place as f64 - 0.5) / step.count as f64) as u64,
        })
    }

    /// A quantile in seconds of the times that also have these moments.
    #[must_use]
    pub fn quantile_s(&self, q: f64, moments: &Moments) -> Option<f64> {
        Some(Span(self.quantile(q, moments.minimum()?, moments.maximum()?)?).seconds())
    }

    /// Index of a step: with the value in grains, the octave (0 up to 2 x 128), then its 8 leading bits.
    const fn place(value: u64) -> usize {
        let grains = value >> Histogram::GRAIN;
        let octave = (grains | 1 << Histogram::STEPS).ilog2() - Histogram::STEPS;
        ((octave as usize) << Histogram::STEPS) + (grains >> octave) as usize
    }

    /// Smallest value of a step: the inverse of `place`.
    fn start(place: usize) -> u64 {
        let octave = (place >> Histogram::STEPS).saturating_sub(1);
        ((place - (octave << Histogram::STEPS)) as u64) << octave << Histogram::GRAIN
    }
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram::new()
    }
}

/// Exact number of values above their own minimum by more than a limit. The minimum is only known at the end.
///
/// The final minimum is between the floor and the minimum so far. So a value of at most floor + limit never counts, and
/// a value above the minimum so far + limit always counts. Only values between these bounds are stored until the
/// minimum falls. After a value near the floor, few are stored. If the floor is far below every value, all values in
/// between are stored.
// The first three are what each value needs: a receiver has them in its first line of the cache.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct AboveMinimum {
    /// Floor + limit.
    never: u64,
    /// Minimum so far + limit.
    always: u64,
    /// Minimum so far; `u64::MAX` before the first value.
    minimum: u64,
    limit: u64,
    decided: u64,
    undecided: BinaryHeap<u64>,
}

impl AboveMinimum {
    /// For values of at least `floor` (a path's fixed delay), counted when above the minimum by more than `limit`, all
    /// in one unit. If a value is below the floor, the count is that of values above the floor by more than the limit.
    #[must_use]
    pub fn new(floor: u64, limit: u64) -> AboveMinimum {
        let never = floor.saturating_add(limit);
        AboveMinimum { limit, never, always: u64::MAX, minimum: u64::MAX, decided: 0, undecided: BinaryHeap::new() }
    }

    /// Adds one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.record_with(value, self.is_least(value));
    }

    /// Whether a value is smaller than all before.
    #[inline]
    #[must_use]
    pub fn is_least(&self, value: u64) -> bool {
        value < self.minimum
    }

    /// Adds one value. The caller knows whether it is smaller than all before.
    #[inline]
    pub fn record_with(&mut self, value: u64, is_least: bool) {
        debug_assert_eq!(is_least, value < self.minimum, "the minimum so far is {}", self.minimum);
        if is_least {
            self.lower(value);
        }
        if value <= self.never {
            return;
        }
        if value > self.always {
            self.decided += 1;
        } else {
            self.undecided.push(value);
        }
    }

    /// Forgets all values.
    pub fn reset(&mut self) {
        let AboveMinimum { limit, never, .. } = *self;
        let undecided = BinaryHeap::new();
        *self = AboveMinimum { limit, never, always: u64::MAX, minimum: u64::MAX, decided: 0, undecided };
    }

    /// Number of values above the minimum so far by more than the limit.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.decided
    }

    /// The smallest value so far.
    #[must_use]
    pub fn minimum(&self) -> Option<u64> {
        (self.minimum < u64::MAX).then_some(self.minimum)
    }

    /// Number of stored values, not yet decided: for tests of memory use.
    #[must_use]
    pub fn undecided(&self) -> usize {
        self.undecided.len()
    }

    #[cold]
    fn lower(&mut self, value: u64) {
        self.minimum = value;
        self.always = value.saturating_add(self.limit).max(self.never);
        while self.undecided.peek().is_some_and(|&greatest| greatest > self.always) {
            self.undecided.pop();
            self.decided += 1;
        }
    }
}

/// A running hash of 64 bits that depends on the order of the words.
///
/// state = rotate_left((state xor word) x 0x9e37_79b9_7f4a_7c15, 29), from 0x243f_6a88_85a3_08d3. Each step is
/// one-to-one in the state and in the word, so two runs that differ in one word have different hashes. The hash detects
/// mistakes, not attacks. **This never changes**: stored fingerprints depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// The hash of no words.
    #[must_use]
    pub const fn new() -> Fingerprint {
        // The fraction of pi, an arbitrary constant. Not 0: with words of 0 the state would stay at 0.
        Fingerprint(0x243f_6a88_85a3_08d3)
    }

    /// Adds one word.
    #[inline]
    pub fn mix(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }

    /// The hash of all words so far.
    #[must_use]
    pub fn value(self) -> u64 {
        self.0
    }
}

impl Default for Fingerprint {
    fn default() -> Fingerprint {
        Fingerprint::new()
    }
}

/// Jain's fairness index (R. Jain, D. Chiu, W. Hawe, DEC-TR-301, 1984): (sum x)^2 / (n sum x^2). It is 1/n if one share
/// is everything, and 1 if all shares are equal. 1 without shares, or if none is above 0.
#[must_use]
pub fn jain(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    if squares == 0.0 { 1.0 } else { sum * sum / (shares.len() as f64 * squares) }
}

#[cfg(test)]
mod tests;
