//! How long messages take, and how much longer than alone, by class of length.
//!
//! The slowdown of a message is its time divided by the time that it would take alone on the same path.
//!
//! A message that is unfinished at the end is censored: its time is longer than its age. Quantiles are those of E. L.
//! Kaplan and P. Meier (J. Am. Stat. Assoc. 53, 1958): an unfinished message counts among those that could have finished,
//! up to its age. Left out, it would make the quantiles too small.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::error::Fault;
use crate::core::quantity::Bits;
use crate::core::stats::{Histogram, Moments};
use crate::core::time::{Span, Time};

/// A slowdown of 1, as a whole number. The steps of a [`Histogram`] above it are 0.8 % wide.
const ONE: u64 = 1 << 20;
/// Most limits of classes: each class has histograms of 62 KB.
const MOST_LIMITS: usize = 20;
/// What rounding may take from a product of shares.
const ROUNDING: f64 = 1e-12;

/// Upper limits of classes of length, in rising order. A message of a limit is in the class below it. The last class has
/// the messages that are longer than every limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Vec<Bits>", into = "Vec<Bits>")]
#[schemars(with = "Vec<Bits>")]
pub struct SizeClasses(Arc<[Bits]>);

impl Default for SizeClasses {
    /// 10 kB, 100 kB, 1 MB and 10 MB.
    fn default() -> SizeClasses {
        [10_000, 100_000, 1_000_000, 10_000_000].map(|octets| Bits(octets * 8)).to_vec().into()
    }
}

impl From<Vec<Bits>> for SizeClasses {
    fn from(limits: Vec<Bits>) -> SizeClasses {
        SizeClasses(limits.into())
    }
}

impl From<SizeClasses> for Vec<Bits> {
    fn from(classes: SizeClasses) -> Vec<Bits> {
        classes.0.to_vec()
    }
}

impl SizeClasses {
    /// Whether they are those by default.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == SizeClasses::default()
    }

    /// The first fault, with its path below them.
    ///
    /// # Errors
    /// Limits that do not rise, are no whole octets, or are too many.
    pub fn check(&self) -> Result<(), Fault> {
        if self.0.len() > MOST_LIMITS {
            let reason = format!("there may be {MOST_LIMITS} limits");
            return Err(Fault::new("", format!("{} limits", self.0.len()), reason, "leave some out"));
        }
        let mut last = Bits(0);
        for (place, &limit) in self.0.iter().enumerate() {
            let refuse = |reason: String, remedy: &str| Err(Fault::new(format!("[{place}]"), limit, reason, remedy));
            if limit <= last {
                return refuse(format!("it is not above the limit before it, {last}"), "sort the limits");
            }
            if limit.0 % 8 != 0 {
                return refuse("this is no whole number of octets".to_owned(), "give kB or MB, as in \"100 kB\"");
            }
            last = limit;
        }
        Ok(())
    }

    /// The class of a message of so many octets, from 0.
    fn place(&self, octets: u64) -> usize {
        self.0.partition_point(|limit| limit.0 / 8 < octets)
    }

    /// The limits of a class: its messages are longer than the first, and not longer than the second, if it has one.
    fn limits(&self, place: usize) -> (Bits, Option<Bits>) {
        let below = place.checked_sub(1).and_then(|place| self.0.get(place));
        (below.copied().unwrap_or_default(), self.0.get(place).copied())
    }
}

/// Durations of which some have not ended.
#[derive(Clone, Debug, Default)]
pub struct Durations {
    ended: Moments,
    going: Moments,
    /// Of those that have ended, and of the others; none before the first.
    histograms: [Option<Box<Histogram>>; 2],
}

impl Durations {
    fn end(&mut self, duration: u64) {
        self.ended.record(duration);
        self.histograms[0].get_or_insert_default().record(duration);
    }

    fn censor(&mut self, age: u64) {
        self.going.record(age);
        self.histograms[1].get_or_insert_default().record(age);
    }

    fn merge(&mut self, other: &Durations) {
        self.ended.merge(&other.ended);
        self.going.merge(&other.going);
        for (own, other) in self.histograms.iter_mut().zip(&other.histograms) {
            if let Some(other) = other {
                own.get_or_insert_default().merge(other);
            }
        }
    }

    /// Moments of those that have ended.
    #[must_use]
    pub fn ended(&self) -> &Moments {
        &self.ended
    }

    /// Moments of the ages of the others.
    #[must_use]
    pub fn ages(&self) -> &Moments {
        &self.going
    }

    /// The `q`-quantile within 0.8 %; `None` if fewer than this share are known to have ended so soon, for example while
    /// empty.
    #[must_use]
    pub fn quantile(&self, q: f64) -> Option<u64> {
        let [Some(ended), going] = &self.histograms else { return None };
        let (minimum, maximum) = (self.ended.minimum()?, self.ended.maximum()?);
        let Some(going) = going else { return ended.quantile(q, minimum, maximum) };
        let mut at_risk = self.ended.count() + self.going.count();
        let mut unfinished = 1.0;
        for ([over, left], [from, to]) in ended.steps_with(going) {
            let rest = unfinished * (1.0 - over as f64 / at_risk as f64);
            let (below, reached) = (1.0 - unfinished, 1.0 - rest);
            if over > 0 && reached >= q - ROUNDING {
                let part = ((q - below) / (reached - below)).clamp(0.0, 1.0);
                // The last step has all longer durations too.
                let to = if to == Histogram::CEILING { maximum } else { (to - 1).min(maximum) };
                let from = from.max(minimum);
                return Some(from + (to.saturating_sub(from) as f64 * part) as u64);
            }
            (unfinished, at_risk) = (rest, at_risk - over - left);
        }
        None
    }
}

/// The messages of one class.
#[derive(Clone, Debug, Default)]
pub struct Class {
    /// Sum of the octets of all its messages.
    octets: u128,
    times: Durations,
    slowdowns: Durations,
}

impl Class {
    fn merge(&mut self, other: &Class) {
        self.octets += other.octets;
        self.times.merge(&other.times);
        self.slowdowns.merge(&other.slowdowns);
    }

    /// Messages that have finished, and others.
    #[must_use]
    pub fn counts(&self) -> [u64; 2] {
        [self.times.ended.count(), self.times.going.count()]
    }

    /// Mean octets of a message, finished or not; `None` without messages.
    #[must_use]
    pub fn mean_octets(&self) -> Option<f64> {
        let count = self.counts().iter().sum::<u64>();
        (count > 0).then(|| self.octets as f64 / count as f64)
    }

    /// Times from their beginning to their end, in picoseconds.
    #[must_use]
    pub fn times(&self) -> &Durations {
        &self.times
    }

    /// Mean slowdown of those that have finished.
    #[must_use]
    pub fn mean_slowdown(&self) -> Option<f64> {
        self.slowdowns.ended.mean().map(|mean| mean / ONE as f64)
    }

    /// The `q`-quantile of the slowdown within 0.8 %, as [`Durations::quantile`].
    #[must_use]
    pub fn slowdown(&self, q: f64) -> Option<f64> {
        self.slowdowns.quantile(q).map(|slowdown| slowdown as f64 / ONE as f64)
    }
}

/// The messages that began since the start of the measures, by class of length. Merging in any order gives the same bits.
#[derive(Clone, Debug)]
pub struct Completions {
    limits: SizeClasses,
    classes: Box<[Class]>,
    since: Time,
}

impl Completions {
    /// None yet.
    #[must_use]
    pub fn new(limits: SizeClasses) -> Completions {
        let classes = vec![Class::default(); limits.0.len() + 1].into();
        Completions { limits, classes, since: Time::ZERO }
    }

    /// Starts the measures afresh at `now`: messages that began before count no more.
    pub fn reset(&mut self, now: Time) {
        self.classes.fill(Class::default());
        self.since = now;
    }

    /// A message of so many octets finishes. Alone it would have taken `ideal`.
    pub fn record(&mut self, octets: u64, started: Time, finished: Time, ideal: Span) {
        let Some(class) = self.class(octets, started) else { return };
        let time = finished.since(started);
        class.times.end(time.0);
        class.slowdowns.end(slowdown(time, ideal));
    }

    /// A message is unfinished at the end, at `now`.
    pub fn unfinished(&mut self, octets: u64, started: Time, now: Time, ideal: Span) {
        let Some(class) = self.class(octets, started) else { return };
        let age = now.since(started);
        class.times.censor(age.0);
        class.slowdowns.censor(slowdown(age, ideal));
    }

    /// The class of a message that counts.
    fn class(&mut self, octets: u64, started: Time) -> Option<&mut Class> {
        if started < self.since {
            return None;
        }
        let class = self.classes.get_mut(self.limits.place(octets))?;
        class.octets += u128::from(octets);
        Some(class)
    }

    /// Adds all messages of `other`, which has the same classes.
    pub fn merge(&mut self, other: &Completions) {
        debug_assert_eq!(self.limits, other.limits, "messages of the same classes are added");
        self.classes.iter_mut().zip(&other.classes).for_each(|(own, other)| own.merge(other));
    }

    /// The classes by length, each with its limits: its messages are longer than the first, and not longer than the second,
    /// if it has one.
    pub fn classes(&self) -> impl Iterator<Item = ((Bits, Option<Bits>), &Class)> {
        self.classes.iter().enumerate().map(|(place, class)| (self.limits.limits(place), class))
    }

    /// All messages as one class.
    #[must_use]
    pub fn all(&self) -> Class {
        let mut all = Class::default();
        self.classes.iter().for_each(|class| all.merge(class));
        all
    }
}

/// A slowdown in units of 2^-20. That of a path without any time is the time itself.
fn slowdown(time: Span, ideal: Span) -> u64 {
    let ideal = u128::from(ideal.0.max(1));
    let exact = (u128::from(time.0) * u128::from(ONE) + ideal / 2) / ideal;
    u64::try_from(exact).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::random::Stream;

    const MS: u64 = 1_000_000_000;

    fn classes(limits: &[u64]) -> SizeClasses {
        limits.iter().map(|octets| Bits(octets * 8)).collect::<Vec<_>>().into()
    }

    fn at(time: u64) -> Time {
        Time(time)
    }

    #[test]
    fn a_message_of_a_limit_is_in_the_class_below_it() {
        let mut own = Completions::new(SizeClasses::default());
        for octets in [1, 10_000, 10_001, 1_000_000, 10_000_000, 10_000_001, 1 << 50] {
            own.record(octets, at(0), at(MS), Span(MS));
        }
        let counts: Vec<u64> = own.classes().map(|(_, class)| class.counts()[0]).collect();
        assert_eq!(counts, [2, 1, 1, 1, 2]);
        let limits: Vec<_> = own.classes().map(|(limits, _)| (limits.0.0 / 8, limits.1.map(|to| to.0 / 8))).collect();
        assert_eq!((limits[0], limits[1]), ((0, Some(10_000)), (10_000, Some(100_000))));
        assert_eq!(limits[4], (10_000_000, None));
        let mut one = Completions::new(classes(&[]));
        one.record(5, at(0), at(MS), Span(MS));
        assert_eq!(
            one.classes().map(|(limits, class)| (limits, class.counts())).next(),
            Some(((Bits(0), None), [1, 0]))
        );
    }

    #[test]
    fn times_and_slowdowns_of_a_handful() {
        let mut own = Completions::new(classes(&[]));
        // 1, 2, 3 and 6 ms, alone 1 ms; 600 octets together, and one more message of 200 that has lasted 5 ms.
        for (time, octets) in [(1, 100), (2, 100), (3, 100), (6, 300)] {
            own.record(octets, at(MS), at((time + 1) * MS), Span(MS));
        }
        let class = own.all();
        assert_eq!((class.mean_slowdown(), class.times().ended().mean()), (Some(3.0), Some(3e9)));
        assert_eq!((class.counts(), class.mean_octets()), ([4, 0], Some(150.0)));
        own.unfinished(200, at(MS), at(6 * MS), Span(MS));
        let class = own.all();
        assert_eq!((class.counts(), class.mean_octets()), ([4, 1], Some(160.0)));
        assert_eq!(class.times().ages().maximum(), Some(5 * MS));
        assert_eq!(class.mean_slowdown(), Some(3.0));
    }

    #[test]
    fn messages_that_began_before_the_measures_do_not_count() {
        let mut own = Completions::new(SizeClasses::default());
        own.record(1, at(0), at(MS), Span(MS));
        own.reset(at(2 * MS));
        own.record(1, at(MS), at(3 * MS), Span(MS));
        own.unfinished(1, at(MS), at(5 * MS), Span(MS));
        own.record(1, at(2 * MS), at(3 * MS), Span(MS));
        assert_eq!(own.all().counts(), [1, 0]);
    }

    /// The quantile by Kaplan and Meier of pairs of a time and whether it has ended, from the sorted times.
    fn exact(durations: &[(u64, bool)], q: f64) -> Option<u64> {
        let mut sorted = durations.to_vec();
        // At equal times those that end are first.
        sorted.sort_unstable_by_key(|&(time, has_ended)| (time, !has_ended));
        let mut rest = 1.0;
        for (place, (time, has_ended)) in sorted.iter().enumerate() {
            if *has_ended {
                rest *= 1.0 - 1.0 / (sorted.len() - place) as f64;
            }
            if *has_ended && 1.0 - rest >= q - ROUNDING {
                return Some(*time);
            }
        }
        None
    }

    fn durations(all: &[(u64, bool)]) -> Durations {
        let mut own = Durations::default();
        for &(time, has_ended) in all {
            if has_ended { own.end(time) } else { own.censor(time) }
        }
        own
    }

    #[test]
    fn quantiles_are_those_of_sorted_times() {
        let mut stream = Stream::new(1, 0, "times");
        let mut draw = |censored: f64| {
            let time = |stream: &mut Stream| (stream.exponential() * 5e9) as u64 + MS;
            (time(&mut stream), stream.uniform() >= censored)
        };
        for censored in [0.0, 0.05, 0.3] {
            let all: Vec<(u64, bool)> = (0..20_000).map(|_| draw(censored)).collect();
            let own = durations(&all);
            for q in [0.01, 0.5, 0.9, 0.99] {
                let (found, exact) = (own.quantile(q), exact(&all, q));
                let (Some(found), Some(exact)) = (found, exact) else { panic!("{q}: {found:?} for {exact:?}") };
                assert!((found as f64 / exact as f64 - 1.0).abs() < 0.01, "{censored} {q}: {found} for {exact}");
            }
        }
    }

    /// Of ten, four ended after 1, 2, 3, 4 ms, and six have lasted 2.5 ms: 0.1, 0.2, then half of the rest of 0.8 each.
    #[test]
    fn unfinished_messages_shift_the_quantiles() {
        let ended = [1, 2, 3, 4].map(|time| (time * MS, true));
        let own = durations(&[&ended[..], &[(5 * MS / 2, false); 6]].concat());
        let near = |q: f64, time: u64| own.quantile(q).is_some_and(|found| found.abs_diff(time) <= time / 100);
        assert!(near(0.1, MS) && near(0.15, 2 * MS) && near(0.5, 3 * MS) && near(0.99, 4 * MS));
        // Without them the median is 2 ms.
        assert!(durations(&ended).quantile(0.5).is_some_and(|found| found.abs_diff(2 * MS) <= MS / 50));
        // If the six are as old as the last, six tenths have no known time.
        let own = durations(&[&ended[..], &[(9 * MS, false); 6]].concat());
        assert!(own.quantile(0.4).is_some_and(|found| found.abs_diff(4 * MS) <= MS / 25));
        assert_eq!((own.quantile(0.41), own.quantile(0.99)), (None, None));
        assert_eq!((durations(&[(MS, false)]).quantile(0.5), Durations::default().quantile(0.5)), (None, None));
    }

    #[test]
    fn merging_in_any_order_gives_the_same() {
        let mut stream = Stream::new(2, 0, "parts");
        let mut parts = vec![Completions::new(SizeClasses::default()); 3];
        let mut whole = Completions::new(SizeClasses::default());
        for number in 0..3_000 {
            let (octets, started) = (stream.below(20_000_000) + 1, at(stream.below(MS)));
            let (finished, ideal) = (started + stream.exponential_span(Span(7 * MS)), Span(MS + octets));
            for own in [&mut parts[number % 3], &mut whole] {
                if number % 7 == 0 {
                    own.unfinished(octets, started, finished, ideal);
                } else {
                    own.record(octets, started, finished, ideal);
                }
            }
        }
        let actual = |own: &Completions| format!("{own:?}");
        for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
            let mut merged = Completions::new(SizeClasses::default());
            order.into_iter().for_each(|part| merged.merge(&parts[part]));
            assert!(actual(&merged) == actual(&whole));
        }
        let counts = |class: &Class| class.counts();
        let sum = whole.classes().fold([0; 2], |sum, (_, class)| [0, 1].map(|at| sum[at] + counts(class)[at]));
        assert_eq!((whole.all().counts(), sum), (sum, [2_571, 429]));
    }

    /// With every finished message at its ideal time the slowdown is 1, to 2^-20, at any length.
    #[test]
    fn slowdowns_keep_their_digits() {
        let mut own = Completions::new(classes(&[]));
        for ideal in [1, 12_345, MS, 3_600 * 1_000 * MS] {
            own.record(1, at(5), at(5 + ideal), Span(ideal));
        }
        assert_eq!((own.all().mean_slowdown(), own.all().slowdown(0.5)), (Some(1.0), Some(1.0)));
        own.record(1, at(0), at(MS), Span(0));
        assert!(own.all().slowdown(1.0).is_some_and(f64::is_finite));
    }

    #[test]
    fn faults_of_limits() {
        let path = |limits: &[&str]| {
            let limits: Vec<Bits> = limits.iter().map(|limit| limit.parse().unwrap()).collect();
            SizeClasses::from(limits).check().map_err(|fault| fault.path)
        };
        assert_eq!(path(&["10 kB", "10 kB"]), Err("[1]".to_owned()));
        assert_eq!(path(&["0 octets", "10 kB"]), Err("[0]".to_owned()));
        assert_eq!(path(&["10 kB", "80001 bits"]), Err("[1]".to_owned()));
        assert_eq!(path(&["1 kB"; 21]), Err(String::new()));
        assert_eq!((path(&[]), SizeClasses::default().check()), (Ok(()), Ok(())));
    }
}
