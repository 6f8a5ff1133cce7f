//! The estimate before a run is never too high, and runs that cannot succeed stop early.

use crate::length::quick_or_long;
use crate::ready_scenarios;
use penstock_engine::core::time::Span;
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::spec::{Mismatches, Scenario};
use penstock_engine::scenario::{assembly, document};

/// PDUs sent in the whole run, and the most held at one of `stops` stops.
fn sent_and_held(scenario: &Scenario, seed: u64, stops: u64) -> (u64, u64) {
    let mut run = Run::new(scenario, seed, 0, Form::Fast).unwrap_or_else(|error| panic!("{error}"));
    let step = Span((scenario.duration.0 / stops).max(1));
    let mut held = 0;
    while !run.advance(step).unwrap_or_else(|error| panic!("{error}")) {
        held = held.max(run.world().held());
    }
    let sent = run.world().counts().flatten().map(|count| count.sent).sum();
    (sent, held.max(run.world().held()))
}

#[test]
fn no_ready_scenario_is_smaller_than_its_estimate() {
    let mut certain = 0;
    for (path, mut scenario) in ready_scenarios::scenarios() {
        let name = path.display();
        // Two changes: shorter, so that many can run, and without control, so that more of the traffic is certain.
        ready_scenarios::shorten(&path, &mut scenario, quick_or_long(0.2, 1.0), quick_or_long(0.02, 0.05));
        scenario.warm_up = Span::ZERO;
        for free in [false, true] {
            if free {
                scenario.mismatches = Mismatches::Warn;
                scenario.flow.values_mut().filter(|flow| flow.peer.is_none()).for_each(ready_scenarios::free);
            }
            let estimate = *Run::new(&scenario, 1, 0, Form::Fast).unwrap().estimate();
            let (sent, held) = sent_and_held(&scenario, 1, 100);
            assert!(estimate.pdus <= sent, "{name}: {estimate:?}, but {sent} sent");
            assert!(estimate.held <= held, "{name}: {estimate:?}, but {held} held");
            certain += u32::from(estimate.pdus > 0);
        }
    }
    assert!(certain > 25, "{certain}");
}

/// Every traffic model, the number of its flows, and the seconds of the run; no PDU is lost on the line.
const OFFERS: &[(&str, u32, f64)] = &[
    ("cbr = { rate = \"1 Mb/s\" }", 3, 2.0),
    ("cbr = { rate = \"1 Mb/s\", start = \"300 ms\" }", 3, 2.0),
    ("poisson = { rate = \"1 Mb/s\" }", 3, 2.0),
    ("on_off = {}", 200, 60.0),
    ("on_off = { start = \"off\", first = \"gap\", on = \"20 ms\", off = \"40 ms\" }", 50, 30.0),
    ("on_off = { session = { active = \"2 s\", idle = \"1 s\" } }", 400, 60.0),
    ("on_off = { off = \"0 s\" }", 3, 5.0),
    ("two_rate_video = {}", 20, 60.0),
    ("two_rate_video = { high_time = \"100 us\", low_time = \"100 us\" }", 20, 5.0),
    ("two_rate_video = { session = { active = \"2 s\", idle = \"1 s\" } }", 400, 60.0),
    ("file_transfer = { size = \"42400 bits\", idle = \"20 ms\" }", 50, 60.0),
    ("mpeg = { groups_of_pictures = 5 }", 3, 8.0),
    ("mpeg = { groups_of_pictures = 5, sending = { header = 5, burst = \"20 Mb/s\" } }", 3, 8.0),
    ("replay = { frames = [530, 53, 0, 159], frames_per_second = 200 }", 3, 1.0),
    ("greedy = { start = \"5 ms\", stagger = \"3 ms\", phase = \"7 ms\" }", 3, 1.0),
    ("greedy = { pause = { from = \"60 ms\", to = \"100 ms\" } }", 2, 0.2),
];

#[test]
fn every_traffic_model_sends_at_least_its_estimate() {
    for &(traffic, count, seconds) in OFFERS {
        for access in ["", "access = { rate = \"50 Mb/s\" }", "access = { delay = \"9 ms\" }"] {
            let text = format!(
                r#"
                duration = "{seconds} s"
                [line.trunk]
                between = ["a", "b"]
                rate = "200 Mb/s"
                delay = "100 ms"
                [flow.data]
                count = {count}
                path = ["a", "b"]
                traffic.{traffic}
                {access}
                "#
            );
            let scenario = document::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            for seed in 1..=quick_or_long(1, 3) {
                let estimate = *Run::new(&scenario, seed, 0, Form::Fast).unwrap().estimate();
                let (sent, held) = sent_and_held(&scenario, seed, 200);
                assert!(estimate.pdus > 0 && estimate.pdus <= sent, "{traffic}: {estimate:?}, but {sent} sent");
                assert!(estimate.held <= held, "{traffic}: {estimate:?}, but {held} held");
                // An estimate far below would be useless.
                assert!(estimate.pdus * 6 > sent, "{traffic}: {estimate:?}, but {sent} sent");
            }
        }
    }
}

/// Two groups under a control that never acts; each sends at the line rate.
const OVERLOAD: &str = r#"
    duration = "500 s"
    mismatches = "warn"
    [line.trunk]
    between = ["a", "b"]
    rate = "100 Mb/s"
    [flow.one]
    path = ["a", "b"]
    traffic.greedy = {}
    reaction_point.stop = {}
    [flow.two]
    path = ["a", "b"]
    traffic.greedy = {}
    reaction_point.stop = {}
"#;

/// The error that ends a run in slices of `slice` milliseconds, and the number of PDUs held at that time.
fn refusal(text: &str, slice: u64) -> (String, u64) {
    let mut run = Run::new(&document::parse(text).unwrap(), 1, 0, Form::Fast).unwrap();
    loop {
        match run.advance(Span::milliseconds(slice)) {
            Ok(false) => {}
            Ok(true) => panic!("it has ended"),
            Err(error) => return (error.to_string(), run.world().held()),
        }
    }
}

#[test]
fn a_growing_port_is_reported_early_and_at_the_same_time_for_any_slices() {
    let (message, held) = refusal(OVERLOAD, 977);
    for word in [
        "port `trunk`",
        "0.2 Gb/s arrives",
        "sends 0.1 Gb/s",
        "118000000 at the end",
        "MB of memory",
        "limit its queue",
    ] {
        assert!(message.contains(word), "{word}: {message}");
    }
    assert!(held < 10_000_000, "{held}");
    assert_eq!(refusal(OVERLOAD, 50_000).0, message);
}

#[test]
fn a_queue_that_fits_in_memory_may_grow_to_the_end() {
    // 1.2 million PDUs wait at the end, less than the limit of 50 million.
    let text = OVERLOAD.replace("500 s", "5 s");
    let mut run = Run::new(&document::parse(&text).unwrap(), 1, 0, Form::Fast).unwrap();
    run.finish().unwrap();
    assert!(run.world().held() > 1_100_000);
}

#[test]
fn a_queue_that_grows_and_then_drains_is_not_refused() {
    // Both send for 9 s, then only one, slower than the line: the queue of 2 million PDUs drains.
    let text = OVERLOAD
        .replace("traffic.greedy = {}", "traffic.greedy = { pause = { from = \"9 s\", to = \"400 s\" } }")
        .replace("500 s", "60 s");
    let mut run = Run::new(&document::parse(&text).unwrap(), 1, 0, Form::Fast).unwrap();
    run.finish().unwrap();
    assert_eq!(run.world().held(), 0);
}

#[test]
fn readings_are_estimated_before_the_run() {
    let text = |sample: &str, every: bool, count: u32| {
        OVERLOAD.replace("500 s", "1 s").replace("traffic", &format!("count = {count}\ntraffic"))
            + &format!("\n[measure]\nsample = \"{sample}\"\nsample_flows = {every}")
    };
    let run = |sample, every, count| Run::new(&document::parse(&text(sample, every, count)).unwrap(), 1, 0, Form::Fast);
    let message = |sample, every, count| run(sample, every, count).map(drop).unwrap_err().to_string();
    // Two ports with two readings each, two flows with two (received, stopped), and the mean of each group.
    let few = message("1 ns", false, 2);
    assert!(few.starts_with("measure.sample = 1 ns: ") && few.contains("1000000000 times"), "{few}");
    let many = message("1 us", true, 2_500);
    assert!(many.contains("sample_flows"), "{many}");
    // The run takes as many readings as estimated.
    let number: u64 =
        message("1 ns", true, 3).split(" times ").nth(1).unwrap().split(';').next().unwrap().parse().unwrap();
    let mut taken = run("100 ms", true, 3).unwrap();
    taken.finish().unwrap();
    assert_eq!(taken.report().series.len() as u64, 10 * number);
}

#[test]
fn every_ready_scenario_may_be_drawn_in_many_points() {
    for (path, mut scenario) in ready_scenarios::scenarios() {
        let flows = Run::new(&scenario, 1, 0, Form::Fast).unwrap().allowances().len();
        // As python/penstock/show/trace.py, which reads large networks less often.
        scenario.measure.sample = Some(Span(scenario.duration.0 / if flows <= 200 { 20_000 } else { 2_000 }));
        scenario.measure.sample_flows = flows <= 20;
        Run::new(&scenario, 1, 0, Form::Fast).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

#[test]
fn a_run_with_a_stop_by_departures_may_sample_up_to_the_limit() {
    let text = OVERLOAD.to_owned() + "\n[measure]\nsample = \"1 us\"\n[stop]\nport = \"trunk\"\ndepartures = ";
    // 1,000 cells take 4.24 ms: 4,240 samples, of 500,000,000 in the whole duration.
    let mut run = Run::new(&document::parse(&(text.clone() + "1000")).unwrap(), 1, 0, Form::Fast).unwrap();
    run.finish().unwrap();
    assert!(run.report().series.len() > 4_000);
    let mut run = Run::new(&document::parse(&(text + "100000000")).unwrap(), 1, 0, Form::Fast).unwrap();
    let message = run.finish().unwrap_err().to_string();
    assert!(
        message.starts_with("measure.sample = 1 us: after ") && message.contains("the limit is 10000000"),
        "{message}"
    );
}

#[test]
fn no_source_is_faster_than_the_fastest_line() {
    let refused = |traffic: &str| {
        let text = OVERLOAD.replacen("traffic.greedy = {}", traffic, 1);
        assembly::estimate(&document::parse(&text).unwrap()).map(drop).map_err(|error| error.to_string())
    };
    // In the first millisecond alone it would send 2,400 million cells.
    let told = refused("traffic.two_rate_video = { low = \"1e12 kb/s\" }").unwrap_err();
    assert!(told.starts_with("flow.one.traffic.two_rate_video.low = 1000000 Gb/s: "), "{told}");
    assert!(told.contains("no line is faster than 100000 Gb/s, and no source"), "{told}");
    assert_eq!(refused("traffic.silent = {}"), Ok(()));
}

/// Lines that join node 0 to node 1, that to node 2, and so on; or node 0 to each of the others.
fn lines(number: usize, is_star: bool) -> String {
    let line = |to: usize| {
        let from = if is_star { 0 } else { to - 1 };
        format!("line.l{to} = {{ between = [\"{from}\", \"{to}\"], rate = \"1 Mb/s\" }}\n")
    };
    "duration = \"1 s\"\n".to_owned() + &(1..=number).map(line).collect::<String>()
}

fn nodes(numbers: std::ops::RangeInclusive<usize>) -> String {
    format!("{:?}", numbers.map(|number| number.to_string()).collect::<Vec<_>>())
}

#[test]
fn all_pairs_of_many_nodes_are_laid_out() {
    // Once each name was held against all others, and each line looked for among all: 400 nodes took most of a minute.
    let ends = nodes(1..=400);
    let text = lines(400, true) + &format!("[flow.all]\nfrom = {ends}\nto = {ends}\ntraffic.silent = {{}}\n");
    let estimate = assembly::estimate(&document::parse(&text).unwrap()).unwrap();
    // A flow of 800 bytes with its row of 800, and a line of 1,700.
    assert_eq!(estimate.memory, 400 * 399 * 2_500 + 400 * 1_700);
}

#[test]
fn paths_that_do_not_fit_in_memory_are_refused_before_they_are_laid() {
    let refused = |text: &str| assembly::estimate(&document::parse(text).unwrap()).unwrap_err().to_string();
    let path = nodes(0..=1_000);
    let many = format!("[flow.all]\ncount = 2000000\npath = {path}\ntraffic.silent = {{}}\n");
    let told = refused(&(lines(1_000, false) + &many));
    assert!(told.starts_with("flow.all.count = 2000000: ") && told.contains("8.0 GB of memory"), "{told}");
    let pairs = format!("[flow.all]\nfrom = {path}\nto = {path}\ntraffic.silent = {{}}\n");
    let told = refused(&(lines(1_000, false) + &pairs));
    assert!(told.starts_with("flow.all.count = 1: ") && told.contains("8.0 GB of memory"), "{told}");
}

#[test]
fn a_capacity_that_allocates_too_often_is_refused() {
    let refused = |period: &str| {
        let capacity = format!(
            "lines = [\"l1\", \"l2\"]\ntotal = \"2 Mb/s\"\nleast = \"1 kb/s\"\nperiod = \"{period}\"\nmost = \"1 Mb/s\"\n"
        );
        let flow = "[flow.all]\npath = [\"0\", \"1\", \"2\"]\ntraffic.silent = {}\n[capacity.shared]\n";
        let scenario = document::parse(&(lines(2, false) + flow + &capacity)).unwrap();
        assembly::check(&scenario).map_err(|error| error.to_string())
    };
    // 10,000,000 allocations in a second.
    assert_eq!(refused("100 ns"), Ok(()));
    for period in ["1 ps", "99 ns"] {
        let told = refused(period).unwrap_err();
        assert!(told.starts_with("capacity.shared.period = "), "{told}");
        assert!(told.contains("more than the limit of 10000000") && told.contains("at least 0.1 us,"), "{told}");
    }
}
