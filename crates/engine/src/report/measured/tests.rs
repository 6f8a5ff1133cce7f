//! The columns of a small run, worked out by hand.

use super::*;
use crate::run::{Form, Run};
use crate::scenario::document;

/// A PDU takes a millisecond. `one` sends every 2 ms and never waits. `two` sends every 3 ms: at multiples of 6 ms it
/// waits 1 ms for `one`, and else the line is free.
const TWO_PERIODS: &str = r#"
    duration = "599 ms"
    measure = { jitter_limit = "500 us", distributions = true }
    [line.trunk]
    between = ["a", "b"]
    rate = "600 kb/s"
    delay = "10 ms"
    [flow.one]
    path = ["a", "b"]
    octets = 75
    traffic.cbr = { rate = "300 kb/s", start = "0 s" }
    [flow.two]
    path = ["a", "b"]
    octets = 75
    traffic.cbr = { rate = "200 kb/s", start = "0 s" }
"#;

fn report() -> Report {
    let scenario = document::parse(TWO_PERIODS).unwrap_or_else(|error| panic!("{error}"));
    let mut run = Run::new(&scenario, 1, 0, Form::Fast).unwrap();
    run.finish().unwrap();
    run.report()
}

#[test]
fn delays_and_their_shares() {
    let report = report();
    let [one, two] = &report.groups[..] else { panic!("two groups") };
    // From 0 to 598 ms, and those of up to 588 ms arrive, each after 1 + 10 ms: no percentile may be anything else.
    assert_eq!((one.sent, one.delivered, one.lost, one.jitter_share), (300, 295, 0, Some(0.0)));
    assert_eq!([one.delay_p50_s, one.delay_p99_s, one.delay_p999_s, one.delay_max_s], [Some(0.011); 4]);
    // From 0 to 597 ms. Of those that arrive, 98 took 12 ms, which is more than 0.5 ms above 11 ms, and 98 took 11 ms.
    assert_eq!((two.sent, two.delivered, two.lost, two.over_jitter_limit), (200, 196, 0, 98));
    assert_eq!((two.jitter_share, two.loss_ratio, two.delay_max_s), (Some(0.49), Some(0.0), Some(0.012)));
    assert!(two.delay_mean_s.is_some_and(|mean| (mean - 0.0115).abs() < 1e-15));
}

/// Two flows of one group, one of them alone over an access line, with and without rows of their own.
#[test]
fn groups_and_lines_are_the_same_without_rows_of_flows() {
    let text =
        TWO_PERIODS.replace("path = [\"a\", \"b\"]", "count = 2\npath = [\"a\", \"b\"]\naccess.rate = \"1 Mb/s\"");
    let report = |text: &str| {
        let scenario = document::parse(text).unwrap_or_else(|error| panic!("{error}"));
        let mut run = Run::new(&scenario, 1, 0, Form::Fast).unwrap();
        run.finish().unwrap();
        run.report()
    };
    let whole = report(&text);
    let names: Vec<&str> = whole.ports.iter().map(|row| row.port.as_str()).collect();
    let expected = ["trunk", "trunk.reverse", "access/one/1", "access/one/1.reverse", "access/one/2"];
    assert_eq!((whole.flows.len(), &names[..5], names.len()), (4, &expected[..], 10));
    let access = &whole.ports[2];
    assert_eq!((access.from.as_str(), access.to.as_str(), access.rate_bps), ("one/1", "a", 1e6));
    // Each PDU of 600 bits is on the line for 0.6 ms. The first flow of the group sends one every 2 ms.
    assert_eq!((access.arrived, access.queue_max, whole.ports[3].arrived), (300, 1, 0));
    assert!((access.queue_mean - 300.0 * 0.6 / 599.0).abs() < 1e-9, "{}", access.queue_mean);
    let short = report(&text.replace("measure = {", "measure = { flows = false,"));
    assert_eq!((short.flows.len(), short.ports.len(), short.queues.len()), (0, 2, 2));
    assert_eq!(
        (&short.groups, &short.ports[..], short.fingerprint),
        (&whole.groups, &whole.ports[..2], whole.fingerprint)
    );
}

#[test]
fn the_port_is_busy_for_a_millisecond_a_pdu() {
    let report = report();
    let trunk = &report.ports[0];
    assert_eq!((trunk.port.as_str(), trunk.arrived, trunk.departed, trunk.queue_max), ("trunk", 500, 500, 2));
    assert!((trunk.utilisation - 500.0 / 599.0).abs() < 1e-12, "{}", trunk.utilisation);
    // 300 PDUs and 100 are there for 1 ms, and 100 for 2 ms.
    assert_eq!(trunk.queue_mean, 600.0 / 599.0);
}

#[test]
fn a_step_of_a_distribution_is_named_by_its_end() {
    let report = report();
    let rows = |group: &str| -> Vec<(f64, u64)> {
        let own = report.distributions.iter().filter(|row| row.group == group);
        own.map(|row| (row.delay_s, row.count)).collect()
    };
    let (one, two) = (rows("one"), rows("two"));
    assert_eq!(one.iter().chain(&two).map(|row| row.1).collect::<Vec<_>>(), [295, 98, 98]);
    // All values of a step lie below its end, which is at most 1/128 above its start.
    for (row, delay) in [(one[0], 0.011), (two[0], 0.011), (two[1], 0.012)] {
        assert!(delay < row.0 && row.0 <= delay * (1.0 + 1.0 / 128.0), "{row:?}");
    }
}

#[test]
fn transfers_under_way_count_with_their_part() {
    let seconds = |count: u128| count * 1_000_000_000_000;
    // Files of ten PDUs: two took 15 s each, and of one 6 PDUs took 18 s.
    let files = Transfers {
        finished: 2,
        finished_ps: seconds(30),
        unfinished: 1,
        busy_ps: seconds(48),
        produced: 26,
        pdus: 10,
    };
    let is_about = |mean: Option<f64>, expected: f64| mean.is_some_and(|mean| (mean - expected).abs() < 1e-12);
    assert!(is_about(files.mean_s(), 15.0) && is_about(files.mean_of_all_s(), 480.0 / 26.0));
    let mut both = Transfers::default();
    both.merge(&files);
    both.merge(&Transfers { finished: 0, finished_ps: 0, busy_ps: seconds(12), produced: 4, ..files });
    assert!(is_about(both.mean_s(), 15.0) && is_about(both.mean_of_all_s(), 20.0), "{both:?}");
    assert_eq!((Transfers::default().mean_s(), Transfers::default().mean_of_all_s()), (None, None));
}
