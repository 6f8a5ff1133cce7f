//! Shares of a capacity by hand and by law, and the rates of lines in a run.

use proptest::prelude::*;

use super::*;
use crate::report::{Report, SeriesRow};
use crate::run::{Form, Run};
use crate::scenario::document;

const M: u64 = 1_000_000;

/// Shares of 12 Mb/s, 3 to 9 each, in Mb/s.
fn of_twelve(inputs: &[f64]) -> Vec<f64> {
    shares(Rate(12 * M), [Rate(3 * M), Rate(9 * M)], inputs).into_iter().map(|share| share.0 as f64 / 1e6).collect()
}

#[test]
fn shares_are_in_proportion_within_the_bounds() {
    assert_eq!(of_twelve(&[5e6, 5e6]), [6.0, 6.0]);
    assert_eq!(of_twelve(&[2e6, 4e6]), [4.0, 8.0]);
    // 1 to 5 would be 2 and 10 Mb/s.
    assert_eq!(of_twelve(&[1e6, 5e6]), [3.0, 9.0]);
    assert_eq!(of_twelve(&[0.0, 5e6]), [3.0, 9.0]);
    // Nothing to send: equal shares.
    assert_eq!(of_twelve(&[0.0, 0.0]), [6.0, 6.0]);
    // 1 : 1 : 10 of 12 Mb/s would be 1, 1 and 10: two get the least rate, and the third what is left.
    assert_eq!(of_twelve(&[1e6, 1e6, 10e6]), [3.0, 3.0, 6.0]);
}

#[test]
fn whole_bits_go_to_the_largest_remainders_first() {
    let of = |total, inputs: &[f64]| shares(Rate(total), [Rate(1), Rate(100)], inputs).into_iter().map(|share| share.0);
    // Thirds of 100: 33 1/3 each, and the first gets the unit that is left.
    assert_eq!(of(100, &[7.0, 7.0, 7.0]).collect::<Vec<_>>(), [34, 33, 33]);
    // 100 in the proportion 1 : 2 : 4 is 14.29, 28.57 and 57.14.
    assert_eq!(of(100, &[1.0, 2.0, 4.0]).collect::<Vec<_>>(), [14, 29, 57]);
}

proptest! {
    /// They add up to the total and keep the bounds. Of two lines within the bounds, the shares are in proportion to the
    /// inputs but for a bit per second; and a line with more input has no smaller share.
    #[test]
    fn shares_keep_their_laws(
        inputs in prop::collection::vec(prop_oneof![Just(0u64), 1..9u64, 1..1u64 << 40], 2..9),
        least in 1..1_000_000_000u64,
        width in 0..1_000_000_000u64,
        part in 0.0..=1.0f64,
    ) {
        let count = inputs.len() as u64;
        let most = least + width;
        let total = (count * least + (part * (count * width) as f64) as u64).min(count * most);
        let given: Vec<f64> = inputs.iter().map(|&input| input as f64).collect();
        let found = shares(Rate(total), [Rate(least), Rate(most)], &given);
        prop_assert_eq!(found.iter().map(|share| share.0).sum::<u64>(), total);
        let weights: Vec<u128> = inputs.iter().map(|&input| u128::from(input.max(1))).collect();
        for (share, &one) in found.iter().zip(&weights) {
            prop_assert!((least..=most).contains(&share.0));
            for (other, &two) in found.iter().zip(&weights) {
                prop_assert!(one > two || share.0 <= other.0 + u64::from(one == two));
                let is_inside = |share: &Rate| (least + 1..most).contains(&share.0);
                if is_inside(share) && is_inside(other) {
                    let distance = (u128::from(share.0) * two).abs_diff(u128::from(other.0) * one);
                    prop_assert!(distance <= one + two, "{share:?} of {one}, {other:?} of {two}");
                }
            }
        }
    }
}

/// Two lines of 1 Mb/s. The first has 1.2 Mb/s to send from 2 s on, the second 0.4 Mb/s all the time.
fn two_lines(more: &str) -> String {
    format!(
        r#"
        duration = "6 s"
        measure.sample = "500 ms"
        [line.east]
        between = ["a", "b"]
        rate = "1 Mb/s"
        queues = [{{ drop_tail = {{ size = "40 cells" }} }}]
        [line.west]
        between = ["c", "d"]
        rate = "1 Mb/s"
        [capacity.satellite]
        lines = ["east", "west"]
        total = "2 Mb/s"
        least = "0.5 Mb/s"
        most = "1.5 Mb/s"
        period = "1 s"
        delay = "300 ms"
        weight = 0.5
        {more}
        [flow.eastern]
        path = ["a", "b"]
        traffic.cbr = {{ rate = "1.2 Mb/s", start = "2 s" }}
        [flow.western]
        path = ["c", "d"]
        traffic.cbr = {{ rate = "400 kb/s", start = "0 s" }}
        "#
    )
}

fn report(text: &str, form: Form, slice: u64) -> Report {
    let scenario = document::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let mut run = Run::new(&scenario, 1, 0, form).unwrap_or_else(|error| panic!("{error}")).with_slices_of(slice);
    run.finish().unwrap();
    run.report()
}

fn readings<'a>(report: &'a Report, component: &str, quantity: &str) -> Vec<(f64, f64)> {
    let is_wanted = |row: &&'a SeriesRow| *row.component == *component && *row.quantity == *quantity;
    report.series.iter().filter(is_wanted).map(|row| (row.time_s, row.value)).collect()
}

#[test]
fn lines_get_their_shares_after_the_delay() {
    let report = report(&two_lines(""), Form::Fast, u64::MAX);
    // In each of the first two periods the west alone sends: it gets 1.5 Mb/s from 1.3 s on. After 3 s the filtered inputs
    // are 0.6 and 0.5 * 0.4 + 0.25 * 0.4 + 0.125 * 0.4 = 0.35 Mb, and the shares 1.26 and 0.74; then 0.9 and 0.375, and
    // 1.41 and 0.59; and then 1.05 and 0.3875, and 1.46 and 0.54.
    let east = readings(&report, "east", "rate");
    let at = |time: f64| east.iter().find(|(own, _)| *own == time).unwrap().1;
    assert_eq!([at(1.0), at(1.5), at(3.0)], [1e6, 0.5e6, 0.5e6]);
    for (time, expected) in [(3.5, 1.2 / 0.95), (4.0, 1.2 / 0.95), (4.5, 1.8 / 1.275), (5.5, 2.1 / 1.4375)] {
        // The first and the last cell of a period may be in the next.
        assert!((at(time) - expected * 1e6).abs() < 3e3, "{time}: {} {expected}", at(time));
    }
    // The shares add up at any time.
    for ((_, east), (_, west)) in east.iter().zip(readings(&report, "west", "rate")) {
        assert_eq!(east + west, 2e6);
    }
}

#[test]
fn utilisation_is_that_of_the_rate_as_it_was() {
    let report = report(&two_lines(""), Form::Fast, u64::MAX);
    let west = report.ports.iter().find(|row| row.port == "west").unwrap();
    let rates = readings(&report, "west", "rate");
    let later = |time: f64| rates.iter().find(|(own, _)| *own == time).unwrap().1;
    // 1 Mb/s for 1.3 s, 1.5 for 2, then the three rates from 3.3, 4.3 and 5.3 s on.
    let bits = 1e6 * 1.3 + 1.5e6 * 2.0 + later(3.5) + later(4.5) + 0.7 * later(5.5);
    assert!((west.rate_bps - bits / 6.0).abs() < 1e-3, "{} {}", west.rate_bps, bits / 6.0);
    assert!((west.utilisation - west.departed as f64 * 424.0 / bits).abs() < 1e-9);
    // 0.4 Mb/s on a line of 1.5 Mb/s, but for a cell more or less.
    let used = readings(&report, "west", "utilisation");
    assert!((used[4].1 - 0.4 / 1.5).abs() < 1e-3, "{:?}", used[4]);
}

#[test]
fn both_forms_and_all_slices_agree() {
    for more in ["", "delay = \"1700 ms\"", "delay = \"0 s\""] {
        let text = match more {
            "" => two_lines(""),
            _ => two_lines("").replace("delay = \"300 ms\"", more),
        };
        let fast = report(&text, Form::Fast, u64::MAX);
        assert_eq!(fast, report(&text, Form::Plain, u64::MAX));
        assert_eq!(fast, report(&text, Form::Fast, 7));
    }
}

#[test]
fn bounds_that_leave_no_choice_give_the_network_of_constant_rates() {
    let bound = two_lines("").replace("\"0.5 Mb/s\"", "\"1 Mb/s\"").replace("\"1.5 Mb/s\"", "\"1 Mb/s\"");
    let start = bound.find("[capacity").unwrap();
    let constant = format!("{}{}", &bound[..start], &bound[bound.find("[flow.eastern]").unwrap()..]);
    assert_eq!(report(&bound, Form::Fast, 99).fingerprint, report(&constant, Form::Fast, 99).fingerprint);
}
