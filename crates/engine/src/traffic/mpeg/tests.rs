use proptest::prelude::*;

use super::*;
use crate::traffic::tests::{Script, at, env, units};
use crate::traffic::{Model, Params as AnyParams};

fn frames(params: &Params, seed: u64) -> Vec<u64> {
    params.draw_sequence(Stream::new(seed, 0, "video/sequence")).frame_bits()
}

/// Circular autocorrelation, because the sequence repeats.
fn autocorrelation(frames: &[u64], lag: usize) -> f64 {
    let mean = frames.iter().sum::<u64>() as f64 / frames.len() as f64;
    let deviations: Vec<f64> = frames.iter().map(|&bits| bits as f64 - mean).collect();
    let products: f64 = deviations.iter().zip(deviations.iter().cycle().skip(lag)).map(|(x, y)| x * y).sum();
    products / deviations.iter().map(|x| x * x).sum::<f64>()
}

#[test]
fn mean_and_peak_are_those_of_the_study_to_the_bit() {
    for seed in 0..200 {
        let frames = frames(&Params::default(), seed);
        assert_eq!(frames.len(), 3_600);
        assert_eq!(frames.iter().sum::<u64>(), 150_000 * 3_600);
        assert_eq!(frames.iter().max(), Some(&494_667));
    }
}

/// The defaults over 200 sequences: types keep their ratio to within 1 %, scenes and frames keep their variation, and
/// about 3 % of the I frames are cut.
#[test]
fn frames_are_those_of_the_pattern() {
    let params = Params::default();
    let (mut sums, mut counts, mut cut) = ([0.0; 3], [0.0; 3], 0);
    let mut logarithms = Vec::new();
    for seed in 0..200 {
        for (place, &bits) in frames(&params, seed).iter().enumerate() {
            let kind = "IPB".find(params.pattern.as_bytes()[place % 12] as char).unwrap();
            sums[kind] += bits as f64;
            counts[kind] += 1.0;
            cut += u32::from(bits == 494_667);
            if kind == 2 {
                logarithms.push(libm::log(bits as f64));
            }
        }
    }
    let [of_i, of_p, of_b] = [0, 1, 2].map(|kind| sums[kind] / counts[kind]);
    assert!((of_i / of_b / 4.1 - 1.0).abs() < 0.01 && (of_p / of_b / 2.3 - 1.0).abs() < 0.01, "{of_i} {of_p} {of_b}");
    let count = logarithms.len() as f64;
    let mean = logarithms.iter().sum::<f64>() / count;
    let variance = logarithms.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count;
    // Both variations: 2 ln(1.01) = 0.0199, to within 5 %. In some sequences the variation was enlarged to reach the
    // peak.
    assert!((variance / (2.0 * libm::log1p(0.01)) - 1.0).abs() < 0.05, "{variance}");
    // A normal number above (ln(peak / mean I frame) + variance / 2) / deviation = 1.79: 3.7 %, minus the shift that
    // the cut itself causes.
    let share = f64::from(cut) / counts[0];
    assert!((0.03..0.04).contains(&share), "{share}");
}

/// Comparison with theory, for sizes w exp(v). The covariance n groups of pictures apart is the variance of w over the
/// pattern. If the scene still lasts, with probability (1 - p)^n, add the mean of w^2 times exp(variance) - 1.
#[test]
fn the_autocorrelation_is_that_of_pattern_and_scenes() {
    // A high peak, so that nothing is cut. A long sequence, so that it has many scenes.
    let params = Params {
        ratio: [4.0, 2.0, 1.0],
        peak: Rate(45_000_000),
        variation: 0.2,
        scene_variation: 0.4,
        groups_of_pictures: 8_000,
        ..Params::default()
    };
    let (mut measured, seeds) = ([0.0; 4], 40);
    for seed in 0..seeds {
        let raw = params.draw(&mut Stream::new(seed, 0, "video/sequence"));
        let sizes: Vec<u64> = raw.iter().map(|frame| (1e6 * libm::exp(frame.logarithm(1.0))) as u64).collect();
        for (sum, lag) in measured.iter_mut().zip([12, 60, 360, 1]) {
            *sum += autocorrelation(&sizes, lag) / seeds as f64;
        }
    }
    // exp(s^2) - 1 is the squared coefficient of variation.
    let (own, scene) = (0.04, 0.16);
    let (first, second) = ((4.0 + 3.0 * 2.0 + 8.0) / 12.0, (16.0 + 3.0 * 4.0 + 8.0) / 12.0);
    let variance = second * (1.0 + own) * (1.0 + scene) - first * first;
    let end = 0.4 / 5.0;
    for (groups, measured) in [1, 5, 30].into_iter().zip(measured) {
        let lasts = libm::pow(1.0 - end, f64::from(groups));
        let expected = (second * (1.0 + scene * lasts) - first * first) / variance;
        assert!((measured - expected).abs() < 0.01, "{groups}: {measured} for {expected}");
    }
    // At a lag of one frame, an I frame is paired with a B frame.
    assert!(measured[3] < 0.1, "{measured:?}");
}

#[test]
fn the_defaults_repeat_with_the_group_of_pictures() {
    for seed in 0..20 {
        let frames = frames(&Params::default(), seed);
        let [one, group] = [1, 12].map(|lag| autocorrelation(&frames, lag));
        assert!(group > 0.9 && one < 0.0, "{group} {one}");
    }
}

#[test]
fn little_variation_is_enlarged_until_the_peak_is_reached() {
    let params = Params { variation: 0.001, scene_variation: 0.0, ..Params::default() };
    let frames = frames(&params, 1);
    assert_eq!(frames.iter().max(), Some(&494_667));
    assert_eq!(frames.iter().sum::<u64>(), 540_000_000);
    // No artificial outlier: the second largest frame is close to the largest.
    let mut sorted = frames;
    sorted.sort_unstable();
    assert!(sorted[3_598] > 460_000, "{}", sorted[3_598]);
}

#[test]
fn a_group_plays_one_sequence_from_places_of_its_own() {
    let params = AnyParams::Mpeg(Params::default());
    // All cells of the first frame that begins within the run, for each flow.
    let first = |number: u32| {
        let mut around = env(u64::from(number));
        around.group_stream = Stream::new(1, 0, "video/sequence");
        let mut model: Model = params.build(around);
        let found = units(&mut model, &mut Script::new(&[]), at(120.0));
        (2..30).map(|frame| found.iter().filter(|unit| unit.1.number == frame).count()).collect::<Vec<_>>()
    };
    let sizes: Vec<usize> = frames(&Params::default(), 1).iter().map(|bits| (bits / 424) as usize).collect();
    let mut places = Vec::new();
    for number in 0..4 {
        let cells = first(number);
        // Cells are whole, so a frame may have one cell more than its own bits fill.
        let place = (0..3_600)
            .find(|place| (0..28).all(|frame| cells[frame].wrapping_sub(sizes[(place + frame) % 3_600]) <= 1));
        places.push(place.expect("a stretch of the sequence"));
    }
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), 4);
}

#[test]
fn faults() {
    let path = |params: Params| params.check().map_err(|fault| fault.path);
    let default = Params::default;
    assert_eq!(path(default()), Ok(()));
    assert_eq!(path(Params { mean: Rate(0), ..default() }), Err("mean".to_owned()));
    assert_eq!(path(Params { peak: Rate(4_500_000), ..default() }), Err("peak".to_owned()));
    assert_eq!(path(Params { peak: Rate(200_000_000_000), ..default() }), Err("peak".to_owned()));
    for pattern in ["", "BBI", "IBX", &"I".repeat(101)] {
        assert_eq!(path(Params { pattern: pattern.into(), ..default() }), Err("pattern".to_owned()));
    }
    for ratio in [[0.0, 1.0, 1.0], [f64::NAN, 1.0, 1.0], [9.0, 2.0, 1.0]] {
        assert_eq!(path(Params { ratio, ..default() }), Err("ratio".to_owned()));
    }
    assert_eq!(path(Params { variation: 0.0, ..default() }), Err("variation".to_owned()));
    assert_eq!(path(Params { scene_variation: f64::NAN, ..default() }), Err("scene_variation".to_owned()));
    assert_eq!(path(Params { scene: Span::ZERO, ..default() }), Err("scene".to_owned()));
    for groups_of_pictures in [0, 9_000] {
        assert_eq!(path(Params { groups_of_pictures, ..default() }), Err("groups_of_pictures".to_owned()));
    }
    let few = Params { pattern: "I".into(), groups_of_pictures: 6, ..default() };
    assert_eq!(path(few), Err("groups_of_pictures".to_owned()));
    let burst = |rate: u64| FrameSending { burst: Some(Rate(rate)), ..FrameSending::default() };
    let sending = |rate: u64| Params { sending: burst(rate), ..default() }.check_octets(53);
    assert_eq!(sending(14_840_000), Ok(()));
    assert_eq!(sending(14_000_000).map_err(|fault| fault.path), Err("sending.burst".to_owned()));
    let actual = Params { ratio: [9.0, 2.0, 1.0], ..default() }.check().unwrap_err();
    assert_eq!(actual.value, "[9, 2, 1]");
    assert!(
        actual.reason.contains("704348 bits, 4.70 times") && actual.reason.contains("494667 bits, 3.30 times"),
        "{actual:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// All parameters that pass the check give the exact mean and peak, to the bit.
    #[test]
    fn mean_and_peak_are_exact(
        seed: u64,
        mean in 1_000u64..100_000_000,
        headroom in 1.01f64..30.0,
        per_second in prop_oneof![Just(30.0), Just(25.0), Just(29.97), 0.5f64..120.0],
        pattern in "I[PB]{0,20}",
        ratio in [0.5f64..20.0, 0.5f64..20.0, 0.5f64..20.0],
        variation in 1e-4f64..2.0,
        scene_variation in 0.0f64..2.0,
        groups_of_pictures in 1u32..200,
    ) {
        let peak = Rate((mean as f64 * headroom) as u64);
        let params = Params {
            mean: Rate(mean), peak, frames_per_second: per_second, pattern, ratio, variation, scene_variation,
            groups_of_pictures, ..Params::default()
        };
        prop_assume!(params.check().is_ok());
        let frames = frames(&params, seed);
        let exact = mean as f64 * frames.len() as f64 / per_second;
        prop_assert!((frames.iter().sum::<u64>() as f64 - exact).abs() <= 0.5 + exact * 1e-15);
        let largest = frames.iter().copied().max().unwrap_or_default() as f64;
        prop_assert!((largest - peak.bits_per_second() / per_second).abs() <= 0.5 + 1e-6);
    }
}
