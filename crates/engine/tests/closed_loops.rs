//! Whole networks with backward notices (BECN): exact delays, random order, notices across switches, sources that start
//! from zero.

use crate::agreement::agreed;
use penstock_engine::report::{PortRow, Report};
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;

/// Seconds per cell.
const CELL: f64 = 2.73e-6;

fn port<'a>(report: &'a Report, name: &str) -> &'a PortRow {
    report.ports.iter().find(|row| row.port == name).expect(name)
}

/// Sources behind one switch.
fn single(count: u32, delay: u32, order: &str, filter: &str, reaction: &str, departures: u32) -> String {
    format!(
        r#"
        cell_time = "2.73 us"
        duration = "1000000 cell times"
        warm_up = "20000 cell times"
        stop = {{ port = "output", departures = {departures} }}
        [line.output]
        between = ["switch", "host"]
        rate = "1 cell per cell time"
        order = "{order}"
        congestion_point.becn = {{ threshold = "250 cells", filter.{filter} }}
        [flow.source]
        count = {count}
        path = ["switch", "host"]
        access = {{ delay = "{delay} cell times" }}
        traffic.greedy = {{ phase = "4 cell times", phase_step = "1 cell time" }}
        reaction_point.becn = {{ {reaction} }}
        "#
    )
}

const HALVE: &str = "peak = 0.25, recovery.own_cells = 128";
const PER_VC: &str = "per_vc = { period = \"768 cell times\" }";
const NINE: &str = "levels = 9, recovery.by_level = { lowest = \"768 cell times\", highest = \"3072 cell times\" }";

#[test]
fn cells_take_exactly_the_delay_and_one_cell_time() {
    for delay in [0, 1, 10, 100] {
        let report = agreed(&single(1, delay, "random", "none = {}", HALVE, 2_500), 1);
        let (flow, exact) = (&report.flows[0], f64::from(delay + 1) * CELL);
        for seen in [flow.delay_min_s, flow.delay_max_s] {
            assert!((seen.unwrap() - exact).abs() < 1e-15, "{delay}: {flow:?}");
        }
        // Every fourth slot has a cell, and the last departure ends the run.
        let output = port(&report, "output");
        assert_eq!((output.departed, output.notices_mild, flow.lost), (2_500, 0, 0));
        let measured = report.measured_s / CELL;
        assert!((9_997.0 - 1e-6..10_000.0 + 1e-6).contains(&measured), "{measured}");
        // A delay without queueing is not reported as a port.
        assert_eq!(report.ports.len(), 2);
    }
}

#[test]
fn the_loop_works_without_delay_and_with_a_long_delay() {
    for delay in [0, 30, 400] {
        let report = agreed(&single(20, delay, "random", "simple = { period = \"4 cell times\" }", HALVE, 60_000), 2);
        let (output, group) = (port(&report, "output"), &report.groups[0]);
        assert!(output.notices_mild > 0 && group.obeyed_mild > 0 && group.lost == 0);
        let heard: u64 = report.flows.iter().map(|row| row.control_delivered).sum();
        // Without a delay, a source receives a notice directly after the cell that it sent: it ignores no notice.
        assert_eq!(group.obeyed_mild < heard, delay > 0, "{} of {heard}", group.obeyed_mild);
        assert!(heard.abs_diff(output.notices_mild) <= 2 * u64::from(delay), "{heard} of {}", output.notices_mild);
        // The time shares of the levels add up to 1, and the sources send at the rates of these levels.
        assert!((report.levels.iter().map(|row| row.share).sum::<f64>() - 1.0).abs() < 1e-12);
        let by_level: f64 = report.levels.iter().map(|row| row.share * row.rate_share).sum::<f64>() * 20.0;
        let sent = group.sent as f64 * CELL / report.measured_s;
        assert!((by_level / sent - 1.0).abs() < 0.05, "{by_level} {sent}");
    }
}

#[test]
fn from_zero_the_queue_grows_until_the_first_notice_arrives() {
    let report = agreed(&single(20, 50, "random", PER_VC, &format!("peak = 1.0, {NINE}"), 100_000), 3);
    let output = port(&report, "output");
    // Twenty arrivals and one departure per slot: 13 slots to the threshold and a round trip of 100 slots until the
    // notices act, about 2150 cells. Then one halving per period: net 9 per slot for the rest of the first period (655
    // slots) and 100 slots of the second, 4 for 668 and 100, 1.5 for 668 and 100, a quarter for 668: 2150 + 6800 + 3070
    // + 1150 + 170, less for the phases.
    assert!((12_500..13_400).contains(&output.queue_max_start), "{}", output.queue_max_start);
    assert_eq!(report.queues.iter().map(|queue| queue.queue_max_start).max(), Some(output.queue_max_start));
    assert!(output.queue_max < 1_000 && output.queue_mean < 200.0, "{output:?}");
    assert_eq!(report.groups[0].lost, 0);
}

#[test]
fn a_fixed_order_hits_the_same_sources() {
    let run = |order| agreed(&single(20, 10, order, "simple = { period = \"4 cell times\" }", HALVE, 200_000), 4);
    let (random, fixed) = (run("random"), run("fixed"));
    let (random_fairness, fixed_fairness) = (random.groups[0].fairness.unwrap(), fixed.groups[0].fairness.unwrap());
    assert!(random_fairness > 0.98, "{random_fairness}");
    assert!(fixed_fairness < 0.96, "{fixed_fairness}");
    let share = |report: &Report| port(report, "output").notices_mild as f64 * CELL / report.measured_s;
    assert!(share(&fixed) > share(&random), "{} {}", share(&fixed), share(&random));
}

#[test]
fn notices_cross_every_line_back_to_the_source() {
    let text = format!(
        r#"
        cell_time = "2.73 us"
        duration = "100000 cell times"
        [line.west]
        between = ["house", "tower"]
        rate = "1 cell per cell time"
        delay = "30 cell times"
        order = "random"
        congestion_point.becn = {{ filter.{PER_VC} }}
        [line.east]
        between = ["tower", "hall"]
        rate = "1 cell per cell time"
        delay = "7 cell times"
        order = "random"
        congestion_point.becn = {{ filter.{PER_VC} }}
        [flow.long]
        path = ["house", "tower", "hall"]
        access = {{ delay = "5 cell times" }}
        traffic.greedy = {{}}
        reaction_point.becn = {{ {NINE} }}
        [flow.short]
        count = 2
        path = ["tower", "hall"]
        access = {{ delay = "5 cell times" }}
        traffic.greedy = {{}}
        reaction_point.becn = {{ {NINE} }}
        "#
    );
    let report = agreed(&text, 5);
    // A single source cannot congest the first line, so all its notices come from the second line, through the first.
    assert_eq!(port(&report, "west").notices_mild, 0);
    let long = report.flows.iter().find(|row| row.flow == "long").unwrap();
    assert!(long.obeyed_mild > 10 && long.control_delivered >= long.obeyed_mild, "{long:?}");
    assert!(port(&report, "west.reverse").departed >= long.control_delivered);
    assert!(long.control_sent - long.control_delivered <= 1 && long.control_lost == 0);
    assert!(port(&report, "east").notices_mild > long.control_sent);
    assert!(port(&report, "east").utilisation > 0.8);
}

#[test]
fn parameters_that_do_not_fit_slots_are_refused() {
    let good = single(4, 10, "random", "none = {}", HALVE, 9_000);
    for (wrong, right, path) in [
        ("peak = 0.25", "peak = 0.3", "flow.source.reaction_point.becn.peak"),
        ("phase_step = \"1 cell time\"", "phase_step = \"3 cell times\"", "flow.source.traffic.greedy.phase_step"),
        ("access = { ", "access = { queues = [{ drop_tail = { size = \"1 cell\" } }], ", "flow.source.access.queues"),
        ("path = [\"switch\", \"host\"]", "path = [\"switch\"]", "flow.source.path"),
        ("cell_time = \"2.73 us\"", "cell_time = \"0 s\"", "duration"),
        ("order = \"random\"", "order = \"rnadom\"", "line.output.order"),
    ] {
        let text = good.replace(wrong, right);
        assert_ne!(text, good);
        let error = document::parse(&text).and_then(|scenario| Run::new(&scenario, 1, 0, Form::Fast).map(drop));
        let error = error.unwrap_err().to_string();
        assert!(error.contains(path), "{path}: {error}");
    }
}
