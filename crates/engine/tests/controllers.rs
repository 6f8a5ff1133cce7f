//! Controllers of byte streams that heed the delay or the rate of delivery, and Hybla, in whole networks.

use proptest::prelude::*;

use crate::length::quick_or_long;
use penstock_engine::report::Report;
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;
use penstock_engine::scenario::partners::ROLES;

fn run(text: &str) -> Report {
    let mut run = Run::new(&document::parse(text).unwrap(), 1, 0, Form::Fast).unwrap();
    run.finish().unwrap();
    run.report()
}

/// A line of 12 Mb/s with a round trip of 50 ms, and groups of flows with these keys. A segment with its headers takes 1 ms.
fn line(times: &str, stream: &str, groups: &[&str]) -> Report {
    let mut text = format!(
        "{times}\n[line.l]\nbetween = ['a', 'b']\nrate = '12 Mb/s'\ndelay = '25 ms'\nqueues = [{{ unlimited = {{}} }}]\n\
         [defaults.flow]\npath = ['a', 'b']\noctets = 1460\ntransport.stream = {{ {stream} }}\n"
    );
    for (number, group) in groups.iter().enumerate() {
        text += &format!("[flow.f{number}]\n{group}\n");
    }
    run(&text)
}

/// The mean queue of the line in segments, which are milliseconds here. The one in service counts.
fn queue(report: &Report) -> f64 {
    report.ports.iter().find(|row| row.port == "l").unwrap().queue_mean
}

/// With the round trip of the lines alone as the base, each flow counts from alpha = 2 to beta = 4 segments in the queue. It
/// counts a part of a segment as a whole one: there are more than alpha - 1.
#[test]
fn vegas_keeps_a_few_segments_a_flow_in_the_queue() {
    for flows in [1.0, 2.0, 5.0] {
        let group = format!("count = {flows}\ntraffic.greedy = {{ stagger = '310 ms' }}");
        let report = line("duration = '40 s'\nwarm_up = '20 s'", "controller.vegas.base = '50 ms'", &[&group]);
        let queue = queue(&report);
        assert!(queue > flows && queue <= 4.0 * flows, "{flows}: {queue}");
    }
}

/// A later flow takes the queue of the others for a part of its round trip, and adds its own.
#[test]
fn vegas_flows_that_start_late_keep_longer_queues() {
    for flows in [2.0, 5.0] {
        let group = format!("count = {flows}\ntraffic.greedy = {{ stagger = '310 ms' }}");
        let report = line("duration = '40 s'\nwarm_up = '20 s'", "controller.vegas = {}", &[&group]);
        assert!(queue(&report) > 4.0 * flows, "{flows}: {}", queue(&report));
    }
}

#[test]
fn ledbat_keeps_its_target_in_the_queue() {
    for (target, tolerance) in [(100.0, 3.0), (60.0, 2.0)] {
        let stream = format!("controller.ledbat.target = '{target} ms'");
        let report = line("duration = '140 s'\nwarm_up = '100 s'", &stream, &["traffic.greedy = {}"]);
        // Its own service is part of the base.
        let waiting = queue(&report) - 1.0;
        assert!((waiting - target).abs() <= tolerance, "{target}: {waiting}");
    }
}

/// The later flow takes the queue of the first for a part of its base.
#[test]
fn a_late_ledbat_flow_drives_out_the_first() {
    let groups = ["traffic.greedy = {}", "traffic.greedy.start = '20 s'"];
    let report = line("duration = '140 s'\nwarm_up = '100 s'", "controller.ledbat = {}", &groups);
    let [first, late] = [0, 1].map(|flow| report.flows[flow].throughput_bps);
    assert!(late > 3.0 * first, "{first} {late}");
    assert!(queue(&report) > 110.0, "{}", queue(&report));
}

/// Against losses at random alone, Hybla with 550 ms is as fast as NewReno with the reference of 25 ms.
#[test]
fn hybla_has_the_rate_of_its_reference() {
    let mut text = "duration = '60 s'\nwarm_up = '20 s'\n".to_owned();
    for (name, delay, stream) in [("near", 12.5, "new_reno = {}"), ("far", 275.0, "hybla = {}")] {
        text += &format!(
            "[line.{name}]\nbetween = ['{name}_a', '{name}_b']\nrate = '1 Gb/s'\ndelay = '{delay} ms'\n\
             queues = [{{ random_loss.pattern.bernoulli.probability = 0.00003 }}]\n\
             reverse.queues = [{{ unlimited = {{}} }}]\n\
             [flow.{name}]\npath = ['{name}_a', '{name}_b']\noctets = 1460\ntraffic.greedy = {{}}\n\
             transport.stream = {{ controller.{stream} }}\n"
        );
    }
    let report = run(&text);
    let rate = |name: &str| report.flows.iter().find(|row| row.group == name).unwrap().throughput_bps;
    let ratio = rate("far") / rate("near");
    assert!((ratio - 1.0).abs() < 0.15, "{ratio}: {} {}", rate("far"), rate("near"));
}

/// Jain's index of fairness of all flows.
fn fairness(report: &Report) -> f64 {
    let rates: Vec<f64> = report.flows.iter().map(|row| row.throughput_bps).collect();
    let sum: f64 = rates.iter().sum();
    sum * sum / (rates.len() as f64 * rates.iter().map(|rate| rate * rate).sum::<f64>())
}

/// Each flow aims at 1 / delta = 2 segments in the queue, and swings about it. An independent packet model has 3.5, 5.5 and,
/// with the round trip of the lines as the base, 11.0 segments.
#[test]
fn copa_keeps_a_few_segments_a_flow_in_the_queue() {
    for (flows, base, expected) in [(1, "'auto'", 3.5), (2, "'auto'", 5.5), (5, "'50 ms'", 11.0)] {
        let group = format!("count = {flows}\ntraffic.greedy = {{ stagger = '310 ms' }}");
        let stream = format!("controller.copa.base = {base}");
        let report = line("duration = '60 s'\nwarm_up = '20 s'", &stream, &[&group]);
        let (mean, fair) = (queue(&report), fairness(&report));

        assert!((mean / expected - 1.0).abs() < 0.1 && fair > 0.99, "{flows}: {mean} {fair}");
    }
}

/// Prague over marks beyond 10 segments, and Swift with a target of 5 ms above the lines: the line is used, and its queue is short.
#[test]
fn early_signals_keep_short_queues() {
    let times = "duration = '60 s'\nwarm_up = '20 s'";
    let marks = format!("{times}\ndefaults.line.congestion_point.step_ecn.threshold = '10 PDUs'");
    let group = "count = 2\ntraffic.greedy = { stagger = '310 ms' }";
    let prague = line(&marks, "controller.prague = {}, ecn = 'accurate'", &[group]);
    assert!(queue(&prague) < 10.0 && utilisation(&prague) > 0.99 && fairness(&prague) > 0.99);
    let swift = line(times, "controller.swift.base = '56 ms'", &[group]);
    assert!(queue(&swift) < 8.0 && utilisation(&swift) > 0.99 && fairness(&swift) > 0.99);
}

/// Swift by name, over three lines of a data centre: each is a hop, and a longer target is a longer queue.
#[test]
fn swift_by_name_counts_the_hops_of_its_path() {
    let chain = |hops: &str| {
        let swift = format!("controller.swift = {{ base = '31 us'{hops} }}");
        let mut text = format!("duration = '20 ms'\nwarm_up = '5 ms'\nscheme.swift = {{ {swift} }}\n");
        for (number, ends) in ["['a', 'b']", "['b', 'c']", "['c', 'd']"].into_iter().enumerate() {
            text += &format!(
                "[line.l{number}]\nbetween = {ends}\nrate = '{} Gb/s'\ndelay = '1 us'\nqueues = [{{ drop_tail.size = '900 PDUs' }}]\n",
                10 - number
            );
        }
        run(&(text
            + "[flow.f]\ncount = 3\npath = ['a', 'b', 'c', 'd']\noctets = 1460\ntraffic.greedy.stagger = '1 ms'\n"))
    };
    let [auto, three, one, twenty] = ["", ", hops = 3", ", hops = 1", ", hops = 20"].map(chain);
    assert_eq!(auto.fingerprint, three.fingerprint);
    assert_ne!(auto.fingerprint, one.fingerprint);
    let waiting = |report: &Report| report.ports.iter().map(|row| row.queue_mean).sum::<f64>();
    assert!(waiting(&twenty) > 1.2 * waiting(&one), "{} {}", waiting(&twenty), waiting(&one));
    let last = auto.ports.iter().find(|row| row.port == "l2").unwrap().utilisation;
    assert!(last > 0.95 && fairness(&auto) > 0.95, "{last} {}", fairness(&auto));
}

/// 200 flows of a line that holds eight segments in a round trip of 11 us: with less than one each, nothing is lost, and the
/// queue is within the longest target, 31 + 3 + 100 us or 112 segments. They reduce together, so a part of the line is idle.
/// The base of the path is the same for those that begin late, though they have seen no short round trip.
#[test]
fn swift_sends_less_than_a_segment_in_a_round_trip() {
    for base in ["31 us", "auto"] {
        let mut text = format!(
            "duration = '60 ms'\nwarm_up = '30 ms'\nscheme.swift.controller.swift.base = '{base}'\n\
             [line.l]\nbetween = ['a', 'b']\nrate = '10 Gb/s'\ndelay = '5 us'\n"
        );
        text += "queues = [{ drop_tail.size = '2100 PDUs' }]\n\
                 [flow.f]\ncount = 200\npath = ['a', 'b']\noctets = 1460\ntraffic.greedy.stagger = '50 us'\n";
        let report = run(&text);
        let (queue, utilisation) = (queue(&report), utilisation(&report));
        assert!(report.groups[0].lost == 0 && queue < 112.0 && utilisation > 0.8, "{base}: {queue} {utilisation}");
    }
}

/// A greedy flow of BBR.
const BBR: &str = "bbr = {}\ntraffic.greedy = {}";

/// The line of the others with room for so many segments in the queue, and these flows.
fn bounded(times: &str, queue: &str, groups: &[&str]) -> Report {
    let mut text = format!(
        "{times}\n[line.l]\nbetween = ['a', 'b']\nrate = '12 Mb/s'\ndelay = '25 ms'\nqueues = [{{ {queue} }}]\n\
         reverse.queues = [{{ unlimited = {{}} }}]\n[defaults.flow]\npath = ['a', 'b']\noctets = 1460\n"
    );
    for (number, group) in groups.iter().enumerate() {
        text += &format!("[flow.f{number}]\ntransport.stream.controller.{group}\n");
    }
    run(&text)
}

fn utilisation(report: &Report) -> f64 {
    report.ports.iter().find(|row| row.port == "l").unwrap().utilisation
}

/// An independent packet model: 0.9685 of the line, a wait of 3.0 ms before the service of 1 ms, and at most 48 in the queue.
#[test]
fn bbr_uses_a_line_and_leaves_its_queue_short() {
    let report = bounded("duration = '60 s'\nwarm_up = '5 s'", "drop_tail.size = '150 PDUs'", &[BBR]);
    let port = report.ports.iter().find(|row| row.port == "l").unwrap();
    assert!((utilisation(&report) - 0.9685).abs() < 0.01, "{}", utilisation(&report));
    assert!((port.queue_mean / (4.0 * 0.9685) - 1.0).abs() < 0.1 && port.queue_max.abs_diff(48) <= 3, "{port:?}");
    assert_eq!(report.groups[0].lost, 0);
}

/// Losses begin with 51 segments on the lines and 5 in the queue. Cruise leaves 0.15 of them free: 47 of 51. A probe of the
/// round trip takes half of that for 0.23 s in 5.23 s.
#[test]
fn bbr_leaves_room_where_it_saw_losses() {
    let report = bounded("duration = '60 s'\nwarm_up = '5 s'", "drop_tail.size = '5 PDUs'", &[BBR]);
    let expected = (0.85_f64 * 56.0).floor() / 51.0 * (1.0 - 0.5 * 0.23 / 5.23);
    assert!((utilisation(&report) - expected).abs() < 0.01, "{} {expected}", utilisation(&report));
}

/// An independent packet model: 0.85 within 0.05 of the line with 1 % of the segments lost, of which CUBIC uses 0.24.
#[test]
fn bbr_ignores_a_few_losses() {
    let queue = "random_loss.pattern.bernoulli.probability = 0.01";
    let report = bounded("duration = '60 s'\nwarm_up = '5 s'", queue, &[BBR]);
    assert!((utilisation(&report) - 0.85).abs() < 0.05, "{}", utilisation(&report));
}

/// An independent packet model: 0.977 of the line, in shares of 0.49 and 0.51. In version 1 the windows of two products keep
/// one in the queue.
#[test]
fn two_flows_of_bbr_share_a_line() {
    for (version, least) in [(3, 0.5), (1, 0.9)] {
        let group = format!("bbr.version = {version}\ncount = 2\ntraffic.greedy = {{ stagger = '3 s' }}");
        let report = bounded("duration = '60 s'\nwarm_up = '10 s'", "drop_tail.size = '400 PDUs'", &[&group]);
        assert!((utilisation(&report) - 0.977).abs() < 0.01 && fairness(&report) > 0.98, "{version}");
        assert!(queue(&report) > least * 50.0 && queue(&report) < 1.3 * 50.0, "{version}: {}", queue(&report));
    }
}

/// What a controller needs to fill a line with this round trip in ms. Swift's target is for data centres: here it has room for ten
/// segments.
fn needs(controller: &str, rate_mbps: f64, round_trip_ms: f64) -> String {
    match controller {
        // Its target is below the whole line.
        "hpcc" => "eta = 0.97".to_owned(),
        "swift" => format!("base = '{} us'", (1e3 * (round_trip_ms + 10.0 * 12.0 / rate_mbps)) as u64),
        _ => String::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(quick_or_long(2, 12)))]

    /// Without losses and marks and with an unlimited receiver, a flow alone uses at least 0.95 of a line, after slow start and a
    /// product of rate and round trip of at most 60 segments, one a round trip.
    #[test]
    fn one_flow_uses_the_line_under_every_controller(rate in 2.0..16.0f64, round_trip in 5.0..45.0f64) {
        let controllers = ROLES.iter().find(|role| role.key == "controller").unwrap().parts;
        // A class in Python needs its file.
        for controller in controllers.iter().map(|part| part.keyword).filter(|keyword| *keyword != "python") {
            let text = format!(
                "duration = '24 s'\nwarm_up = '8 s'\n[line.l]\nbetween = ['a', 'b']\nrate = '{} b/s'\ndelay = '{} us'\n\
                 queues = [{{ unlimited = {{}} }}]\n{}[flow.f]\npath = ['a', 'b']\noctets = 1460\ntraffic.greedy = {{}}\n\
                 transport.stream.controller.{controller} = {{ {} }}\n",
                (rate * 1e6) as u64,
                (round_trip * 500.0) as u64,
                if controller == "hpcc" { "congestion_point.telemetry = {}\n" } else { "" },
                needs(controller, rate, round_trip),
            );
            let report = run(&text);
            prop_assert_eq!(report.groups[0].lost, 0);
            prop_assert!(utilisation(&report) >= 0.95, "{controller}: {}\n{text}", utilisation(&report));
        }
        prop_assert!(controllers.len() >= 11);
    }
}
