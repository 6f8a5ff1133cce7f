use super::*;
use crate::core::random::Stream;
use proptest::prelude::*;

fn moments(values: &[u64]) -> Moments {
    let mut moments = Moments::default();
    for &value in values {
        moments.record(value);
    }
    moments
}

fn histogram(values: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    values.iter().for_each(|&value| histogram.record(value));
    histogram
}

#[test]
fn moments_of_a_handful() {
    // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, sum of squared deviations 32.
    let some = moments(&[2, 4, 4, 4, 5, 5, 7, 9]);
    assert_eq!((some.count(), some.sum(), some.sum_of_squares()), (8, 40, 232));
    assert_eq!((some.minimum(), some.maximum()), (Some(2), Some(9)));
    assert_eq!((some.mean(), some.variance()), (Some(5.0), Some(32.0 / 7.0)));
}

#[test]
fn moments_of_none_and_one() {
    let none = Moments::default();
    assert_eq!((none.minimum(), none.maximum(), none.mean(), none.variance()), (None, None, None, None));
    let one = moments(&[u64::MAX]);
    assert_eq!((one.minimum(), one.maximum(), one.variance()), (Some(u64::MAX), Some(u64::MAX), None));
}

#[test]
fn a_small_spread_on_a_long_delay_keeps_its_digits() {
    // 540 ms and 0, 1 or 2 ps more: variance 1.
    let delay = 540_000_000_000;
    assert_eq!(moments(&[delay, delay + 1, delay + 2]).variance(), Some(1.0));
}

#[test]
fn moments_beyond_their_limits_do_not_panic() {
    let full = moments(&[u64::MAX; 4]);
    assert_eq!(full.sum_of_squares(), u128::MAX);
    assert!(full.variance().is_some_and(|variance| variance >= 0.0));
}

#[test]
fn a_histogram_takes_31_kibibytes() {
    assert_eq!(Histogram::SIZE, 128 * 31);
    assert_eq!(Histogram::new().counts.len() * size_of::<u64>(), 31_744);
}

#[test]
fn places_and_starts_are_inverse() {
    for place in 0..Histogram::SIZE {
        let (from, to) = (Histogram::start(place), Histogram::start(place + 1));
        assert_eq!((Histogram::place(from), Histogram::place(to - 1)), (place, place));
        assert!(from < 1 << 20 || (to - from) as f64 <= from as f64 / 128.0);
    }
    assert_eq!(Histogram::start(Histogram::SIZE), Histogram::CEILING);
}

#[test]
fn quantiles_of_a_handful() {
    assert_eq!(Histogram::new().quantile(0.5, 0, 0), None);
    // Below the floor a step is 8192 ps wide: 0 and 1 share the first, 8192 begins the second.
    let some = histogram(&[0, 1, 8_192, 1 << 60]);
    let last = Step { from: (255 << 42), to: 1 << 50, count: 1 };
    assert_eq!(some.steps().last(), Some(last));
    let quantiles = [0.0, 0.5, 0.51, 0.75, 0.76, 1.0, f64::NAN].map(|q| some.quantile(q, 0, 1 << 60).unwrap_or(1));
    // The second of two values is at three quarters of 0 to 8191, the third in the middle of 8192 to 16383.
    assert_eq!(quantiles, [0, 6_143, 12_287, 12_287, 1 << 60, 1 << 60, 0]);
}

#[test]
fn quantiles_in_one_step_rise_between_its_extremes() {
    // 1000 values from 2^30 to 2^30 + 999: one step of 2^23 ps.
    let values: Vec<u64> = (0..1000).map(|value| (1 << 30) + value).collect();
    let one = histogram(&values);
    assert_eq!(one.steps().count(), 1);
    let quantiles = [0.5, 0.99, 0.999, 1.0].map(|q| one.quantile(q, values[0], values[999]).unwrap_or(0) - (1 << 30));
    assert_eq!(quantiles, [499, 988, 997, 999]);
}

#[test]
fn quantiles_of_very_long_delays_are_not_below_their_mean() {
    // All in the last step, from half an hour to five hours: its middle is 18.7 min.
    let hours: Vec<u64> = (1..=10).map(|half| half * 1_800_000_000_000_000).collect();
    let (minimum, maximum) = (hours[0], hours[9]);
    let median = histogram(&hours).quantile(0.5, minimum, maximum).unwrap_or(0);
    assert!(median.abs_diff(hours[4]) < 1_800_000_000_000_000, "{median}");
    assert_eq!(histogram(&hours).quantile(0.99, minimum, maximum), Some(maximum));
}

#[test]
fn only_undecided_values_are_stored() {
    // Floor 100, limit 10: 110 never counts; 131 counts at once while the minimum is 120.
    let mut above = AboveMinimum::new(100, 10);
    assert_eq!((above.count(), above.minimum()), (0, None));
    [120, 110, 125, 131].into_iter().for_each(|value| above.record(value));
    // 110 lowered the limit to 120: 125 and 131 count, the first 120 is undecided.
    assert_eq!((above.count(), above.minimum(), above.undecided()), (2, Some(110), 1));
    above.record(109);
    assert_eq!((above.count(), above.minimum(), above.undecided()), (3, Some(109), 0));
}

#[test]
fn memory_stays_small_once_the_floor_is_near() {
    let mut stream = Stream::new(1, 0, "above");
    let mut above = AboveMinimum::new(1_000_000, 50_000);
    for _ in 0..100_000 {
        above.record(1_000_000 + (stream.exponential() * 100_000.0) as u64);
    }
    assert!(above.undecided() < 100, "{}", above.undecided());
}

#[test]
fn fingerprints_never_change() {
    let mut fingerprint = Fingerprint::new();
    [1, 2, 3].into_iter().for_each(|word| fingerprint.mix(word));
    // Computed independently, with Python integers.
    assert_eq!(fingerprint.value(), 15_048_141_132_212_650_967);
}

#[test]
fn fairness_of_a_handful() {
    assert_eq!(jain(&[3.0, 3.0, 3.0]), 1.0);
    assert_eq!(jain(&[1.0, 0.0, 0.0, 0.0]), 0.25);
    // (1 + 2 + 3)^2 / (3 x 14).
    assert_eq!(jain(&[1.0, 2.0, 3.0]), 36.0 / 42.0);
    assert_eq!((jain(&[]), jain(&[0.0, 0.0])), (1.0, 1.0));
}

proptest! {
    #[test]
    fn merged_moments_are_those_of_all(values in prop::collection::vec(0u64..1 << 50, 0..50), cut in 0usize..50) {
        let (left, right) = values.split_at(cut.min(values.len()));
        let mut merged = moments(right);
        merged.merge(&moments(left));
        prop_assert_eq!(&merged, &moments(&values));
        if let (Some(mean), Some(variance)) = (merged.mean(), merged.variance()) {
            let plain: f64 = values.iter().map(|&x| (x as f64 - mean) * (x as f64 - mean)).sum();
            let plain = plain / (values.len() - 1) as f64;
            prop_assert!((variance - plain).abs() <= 1e-9 * plain.max(1.0));
        }
    }

    #[test]
    fn merged_histograms_are_those_of_all(values in prop::collection::vec(any::<u64>(), 0..50), cut in 0usize..50) {
        let (left, right) = values.split_at(cut.min(values.len()));
        let mut merged = histogram(right);
        merged.merge(&histogram(left));
        prop_assert_eq!(merged.count(), values.len() as u64);
        prop_assert_eq!(merged, histogram(&values));
    }

    #[test]
    fn quantiles_are_within_a_step(
        octaves in prop::collection::vec(0.0f64..50.0, 1..200), q in 0.0f64..=1.0
    ) {
        let mut values: Vec<u64> = octaves.iter().map(|&octave| libm::exp2(octave) as u64).collect();
        values.sort_unstable();
        let extremes = (values[0], values[values.len() - 1]);
        let found = histogram(&values).quantile(q, extremes.0, extremes.1).unwrap_or(u64::MAX);
        prop_assert!(extremes.0 <= found && found <= extremes.1);
        let found = found as f64;
        let exact = values[((q * values.len() as f64).ceil() as usize).max(1) - 1] as f64;
        prop_assert!((found - exact).abs() <= (exact * 0.008).max(8_192.0), "{found} for {exact}");
    }

    #[test]
    fn above_minimum_agrees_with_storing_every_value(
        floor in 0u64..100, limit in 0u64..100, over in prop::collection::vec(0u64..300, 1..200)
    ) {
        let mut above = AboveMinimum::new(floor, limit);
        let mut values = Vec::new();
        for over in over {
            above.record(floor + over);
            values.push(floor + over);
            let least = values.iter().min().copied();
            let plain = values.iter().filter(|&&value| value > least.unwrap_or(0) + limit).count();
            prop_assert_eq!((above.count(), above.minimum()), (plain as u64, least));
        }
    }

    #[test]
    fn a_fingerprint_tells_order_and_every_single_change(
        words in prop::collection::vec(any::<u64>(), 2..20), at in any::<prop::sample::Index>(), flip in 1u64..
    ) {
        let hash = |words: &[u64]| {
            let mut fingerprint = Fingerprint::new();
            words.iter().for_each(|&word| fingerprint.mix(word));
            fingerprint.value()
        };
        let mut changed = words.clone();
        changed[at.index(words.len())] ^= flip;
        prop_assert_ne!(hash(&changed), hash(&words));
        let mut swapped = words.clone();
        swapped.swap(0, 1);
        prop_assert_eq!(hash(&swapped) == hash(&words), words[0] == words[1]);
        prop_assert_ne!(hash(&words[1..]), hash(&words));
    }
}
