//! The fast form gives the same bits as the plain form, on every ready scenario and on random networks.

use crate::judge;
use crate::length::quick_or_long;
use crate::ready_scenarios::{scenarios, shorten};
use penstock_engine::core::probe::Trace;
use penstock_engine::core::time::Span;
use penstock_engine::report::Report;
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;
use penstock_engine::scenario::spec::Scenario;
use proptest::prelude::*;

fn report(scenario: &Scenario, seed: u64, form: Form, slice: Span) -> Report {
    let mut run = Run::new(scenario, seed, 0, form).unwrap_or_else(|error| panic!("{error}"));
    while !run.advance(slice).unwrap_or_else(|error| panic!("{error}")) {}
    run.report()
}

fn assert_agreement(scenario: &Scenario, seed: u64, slices: [Span; 2]) {
    let fast = report(scenario, seed, Form::Fast, slices[0]);
    let plain = report(scenario, seed, Form::Plain, slices[1]);
    assert_eq!(fast, plain);
}

#[test]
fn the_forms_agree_on_every_ready_scenario() {
    for (path, mut scenario) in scenarios() {
        shorten(&path, &mut scenario, quick_or_long(1.0, 4.0), quick_or_long(0.05, 0.2));
        if let Some(stop) = &mut scenario.stop {
            stop.departures = stop.departures.min(50_000);
        }
        scenario.warm_up = Span::ZERO;
        scenario.measure.sample = Some(Span::milliseconds(330));
        scenario.measure.distributions = true;
        println!("{}", path.display());
        assert_agreement(&scenario, 1, [Span::milliseconds(977), Span::milliseconds(10_000)]);
    }
}

#[test]
fn warm_up_resets_measures_and_not_the_state() {
    let (_, mut scenario) =
        scenarios().into_iter().find(|(path, _)| path.ends_with("satellite/3-case-2.toml")).unwrap();
    scenario.duration = Span::milliseconds(3000);
    scenario.warm_up = Span::milliseconds(1000);
    assert_agreement(&scenario, 3, [Span::milliseconds(100), Span::milliseconds(5000)]);
    let warm = report(&scenario, 3, Form::Fast, Span::milliseconds(5000));
    scenario.warm_up = Span::ZERO;
    let cold = report(&scenario, 3, Form::Fast, Span::milliseconds(5000));
    assert_eq!(warm.fingerprint, cold.fingerprint);
    assert!(warm.groups[0].sent < cold.groups[0].sent);
}

/// Short runs, but long enough for notices to arrive: without access lines, with access lines, and with a delay without
/// queueing.
fn short_runs() -> Vec<Scenario> {
    let lengths = [("satellite/3-case-2.toml", 1_500.0), ("bench/w2.toml", 1_500.0), ("atm_lan/figure-2.toml", 20.0)];
    let mut all = scenarios();
    let short = |(file, milliseconds): (&str, f64)| {
        let found = all.iter().position(|(path, _)| path.ends_with(file)).unwrap();
        let mut scenario = all.swap_remove(found).1;
        scenario.duration = Span::from_seconds(milliseconds / 1e3);
        scenario.warm_up = Span::ZERO;
        scenario
    };
    lengths.into_iter().map(short).collect()
}

/// A slice ends at the largest horizon of all nodes, when the others have reached it. A round handles at most about
/// 8,192 PDUs after some adaptation, and at most twice that if its window was too long at first. To reach the horizon
/// takes as many again.
#[test]
fn a_stop_after_every_round_changes_nothing() {
    for scenario in short_runs() {
        let whole = report(&scenario, 2, Form::Fast, Span::milliseconds(5000));
        let mut run = Run::new(&scenario, 2, 0, Form::Fast).unwrap().with_slices_of(7);
        let (mut looks, mut taken) = (0, 0);
        while !run.advance(Span::milliseconds(5000)).unwrap() {
            let more = run.world().work() - taken;
            assert!((7..=4 * 8_192).contains(&more), "{more}");
            taken += more;
            looks += 1;
        }
        assert!(looks > 3, "{looks}");
        assert_eq!(run.report(), whole);
    }
}

/// Most of these times are in the middle of a round, and many while a cell is on a line.
#[test]
fn a_stop_at_any_time_changes_nothing() {
    for scenario in short_runs() {
        let whole = report(&scenario, 2, Form::Fast, Span::milliseconds(5000));
        let mut run = Run::new(&scenario, 2, 0, Form::Fast).unwrap();
        // About 1,000 stops, a prime number of picoseconds apart: it is no multiple of a cell time.
        let slice = Span(scenario.duration.0 / 1_000_003 * 1_009);
        let mut looks = 0;
        while !run.advance(slice).unwrap() {
            looks += 1;
        }
        assert!(looks > 700, "{looks}");
        assert_eq!(run.report(), whole);
    }
}

#[test]
#[ignore = "long: run by `make test-long`"]
fn a_flood_is_refused_before_memory_is_full() {
    let text = r#"
        duration = "1000 s"
        mismatches = "warn"
        [line.narrow]
        between = ["a", "b"]
        rate = "1 kb/s"
        [flow.flood]
        path = ["a", "b"]
        traffic.cbr = { rate = "100 Gb/s" }
        reaction_point.rate_factor = { round_trip = "1 s", increase = 0 }
    "#;
    let mut run = Run::new(&document::parse(text).unwrap(), 1, 0, Form::Fast).unwrap();
    let error = run.finish().unwrap_err().to_string();
    assert!(error.contains("`narrow`") && error.contains("memory"), "{error}");
}

#[test]
fn a_clone_runs_on_like_the_original() {
    for scenario in short_runs() {
        let mut run = Run::new(&scenario, 5, 0, Form::Fast).unwrap();
        run.advance(Span::from_seconds(scenario.duration.seconds() * 0.4)).unwrap();
        let mut fork = run.clone();
        run.finish().unwrap();
        fork.finish().unwrap();
        assert_eq!(run.report(), fork.report());
    }
}

#[test]
fn a_probe_changes_nothing() {
    let (_, mut scenario) =
        scenarios().into_iter().find(|(path, _)| path.ends_with("satellite/3-case-2.toml")).unwrap();
    scenario.duration = Span::milliseconds(1500);
    let plain = report(&scenario, 1, Form::Fast, Span::milliseconds(5000));
    let mut watched = Run::with_probe(&scenario, 1, 0, Form::Fast, Trace::default()).unwrap();
    watched.finish().unwrap();
    assert_eq!(watched.report(), plain);
    let delivered = plain.flows.iter().map(|row| row.delivered + row.control_delivered).sum::<u64>();
    assert!(!watched.world().probe().events.is_empty() && delivered > 0);
}

/// Fingerprints of whole runs. A change here is a change of results: explain it in the changelog.
#[test]
fn fingerprints_are_pinned() {
    let pinned: Vec<String> = scenarios()
        .into_iter()
        .map(|(path, mut scenario)| {
            shorten(&path, &mut scenario, 2.0, 0.2);
            scenario.stop = None;
            if scenario.warm_up >= scenario.duration {
                scenario.warm_up = Span::ZERO;
            }
            let report = report(&scenario, 1, Form::Fast, Span::milliseconds(10_000));
            let sent: u64 = report.groups.iter().map(|group| group.sent).sum();
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            format!("{name} {sent} {:016x}", report.fingerprint)
        })
        .collect();
    insta::assert_snapshot!(pinned.join("\n"));
}

/// The policers of a flow, or none.
fn policers() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just(""),
        Just("policers = [{ leaky_bucket = { depth = \"2 cells\", drain = \"212 kb/s\" } }]"),
        Just(
            "policers = [{ peak_rate_controller = { rate = \"424 kb/s\", size = \"2 cells\", overflow = \"mark\" } }, { leaky_bucket = { depth = \"1 cell\", drain = \"212 kb/s\" } }]"
        ),
        Just(
            "policers = [{ leaky_bucket = { depth = \"1 cell\", drain = \"212 kb/s\", size = \"1 cell\", nonconforming = \"discard\" } }]"
        ),
    ]
}

/// The access line of a flow, a delay without queueing, or none.
fn access() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        2 => Just(""),
        2 => Just("access = { rate = \"2120 kb/s\", delay = \"1 ms\" }\n"),
        1 => Just("access = { rate = \"424 kb/s\" }\n"),
        1 => Just("access = { delay = \"1 ms\" }\n"),
        1 => Just("access = { delay = \"0 s\" }\n"),
    ]
}

/// Networks with many simultaneous events: equal rates and phases, lines without delay, small queues.
fn network() -> impl Strategy<Value = String> {
    let queue = prop_oneof![
        Just("{ unlimited = {} }"),
        Just("{ drop_tail = { size = \"3 cells\" } }"),
        Just("{ clp_threshold = { size = \"6 cells\", threshold = \"2 cells\" } }"),
        Just("{ push_out = { size = \"4 cells\" } }"),
    ];
    let outage = prop_oneof![3 => Just(""), 1 => Just("outage = { from = \"40 ms\", to = \"90 ms\" }\n")];
    let line = (prop_oneof![Just(1), Just(2), Just(5)], 0u64..3, prop::collection::vec(queue, 1..3), 0..3u8, outage);
    let traffic = prop_oneof![
        Just("cbr = { rate = \"424 kb/s\", start = \"0 s\" }"),
        Just("cbr = { rate = \"212 kb/s\", start = \"1 ms\" }"),
        Just("poisson = { rate = \"400 kb/s\" }"),
        Just("on_off = { peak_rate = \"848 kb/s\", on = \"20 ms\", off = \"20 ms\" }"),
        Just("file_transfer = { rate = \"424 kb/s\", size = \"8480 bits\", idle = \"10 ms\" }"),
        Just(
            "replay = { frames = [530, 53, 0, 159], frames_per_second = 200, sending = { phase = \"zero\", burst = \"848 kb/s\" } }"
        ),
        Just("mpeg = { mean = \"212 kb/s\", peak = \"700 kb/s\", groups_of_pictures = 5 }"),
        Just("greedy = { start = \"5 ms\", stagger = \"3 ms\", pause = { from = \"60 ms\", to = \"100 ms\" } }"),
    ];
    let flow = (1..4u32, 0..2u8, 0..3usize, 2..5usize, access(), traffic, policers());
    (prop::collection::vec(line, 4), prop::collection::vec(flow, 1..5)).prop_map(|(lines, flows)| {
        let mut text = String::from("duration = \"200 ms\"\nmismatches = \"warn\"\nmeasure.sample = \"30 ms\"\n");
        for (index, (rate, delay, queues, point, outage)) in lines.into_iter().enumerate() {
            let next = index + 1;
            text += &format!("[line.l{index}]\nbetween = [\"n{index}\", \"n{next}\"]\n");
            text +=
                &format!("rate = \"{} kb/s\"\ndelay = \"{delay} ms\"\nqueues = [{}]\n", rate * 424, queues.join(", "));
            text += outage;
            text += match point {
                1 => "congestion_point.class_rates = { interval = \"5 ms\" }\n",
                2 => "congestion_point.class_rates = { interval = \"5 ms\", rates = false }\n",
                _ => "",
            };
        }
        for (index, (count, priority, from, length, access, traffic, policers)) in flows.into_iter().enumerate() {
            let to = (from + length - 1).min(4);
            let path: Vec<String> = (from..=to).map(|node| format!("\"n{node}\"")).collect();
            text += &format!("[flow.f{index}]\ncount = {count}\npriority = {priority}\npath = [{}]\n", path.join(", "));
            text += access;
            text +=
                &format!("traffic.{traffic}\n{policers}\nreaction_point.rate_factor = {{ round_trip = \"15 ms\" }}\n");
        }
        text
    })
}

/// Slotted closed loops with many simultaneous events: gathered cells, notices through gathering ports, delays of zero.
fn slotted_network() -> impl Strategy<Value = String> {
    let order = prop_oneof![Just("fixed"), Just("random")];
    let filter = prop_oneof![
        Just("none = {}"),
        Just("simple = { period = \"3 cell times\" }"),
        Just("per_vc = { period = \"16 cell times\" }"),
    ];
    let queue = prop_oneof![
        3 => Just("{ unlimited = {} }"),
        1 => Just("{ drop_tail = { size = \"9 cells\" } }"),
        1 => Just("{ push_out = { size = \"9 cells\" } }"),
    ];
    let outage = prop_oneof![
        3 => Just(""),
        1 => Just("outage = { from = \"150 cell times\", to = \"230 cell times\" }\n"),
    ];
    let line = (1..3u8, 0..4u8, order.clone(), order, filter, queue, 0..6u8, outage);
    let recovery = prop_oneof![
        Just("constant = \"20 cell times\""),
        Just("own_cells = 9"),
        Just("by_level = { lowest = \"16 cell times\", highest = \"50 cell times\" }"),
    ];
    let control = (recovery, any::<bool>(), any::<bool>(), prop_oneof![Just(1), Just(4)]);
    let access = prop_oneof![
        Just(String::new()),
        (0..4u8).prop_map(|delay| format!("access = {{ delay = \"{delay} cell times\" }}\n")),
        (1..4u8, 0..3u8).prop_map(|(rate, delay)| {
            format!("access = {{ rate = \"1 cell per {rate} cell times\", delay = \"{delay} cell times\" }}\n")
        }),
    ];
    let flow = (1..4u32, 0..3usize, 2..4usize, access, control);
    (prop::collection::vec(line, 3), prop::collection::vec(flow, 1..4)).prop_map(|(lines, flows)| {
        let mut text = String::from("cell_time = \"1 us\"\nduration = \"600 cell times\"\n");
        text += "warm_up = \"100 cell times\"\nmeasure = { sample = \"70 cell times\", sample_flows = true }\n";
        for (index, (rate, delay, order, back, filter, queue, threshold, outage)) in lines.into_iter().enumerate() {
            let next = index + 1;
            text += &format!(
                "[line.l{index}]\nbetween = [\"n{index}\", \"n{next}\"]\nrate = \"1 cell per {rate} cell times\"\n\
                 delay = \"{delay} cell times\"\norder = \"{order}\"\nqueues = [{queue}]\nreverse.order = \"{back}\"\n\
                 congestion_point.becn = {{ threshold = \"{threshold} cells\", filter.{filter} }}\n{outage}"
            );
        }
        for (index, (count, from, length, access, (recovery, stops, moves, interval))) in flows.into_iter().enumerate()
        {
            let path: Vec<String> = (from..(from + length).min(4)).map(|node| format!("\"n{node}\"")).collect();
            text += &format!("[flow.f{index}]\ncount = {count}\npath = [{}]\n", path.join(", "));
            text += &access;
            let on_notice = if stops { "stop" } else { "halve" };
            text += &format!(
                "traffic.greedy = {{ phase = \"{interval} cell times\", phase_step = \"1 cell time\" }}\n\
                 [flow.f{index}.reaction_point.becn]\npeak = {}\non_notice = \"{on_notice}\"\n\
                 moves_pending = {moves}\nrecovery.{recovery}\n",
                1.0 / f64::from(interval)
            );
        }
        text
    })
}

proptest! {
    #[test]
    fn the_forms_agree_on_slotted_closed_loops(text in slotted_network(), seed in 0u64..1000, slice in 1u64..300) {
        let scenario = document::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_agreement(&scenario, seed, [Span(slice * 1_000_000), Span::milliseconds(1000)]);
    }

    #[test]
    fn the_forms_agree_on_networks_full_of_ties(text in network(), seed in 0u64..1000, slice in 1u64..300) {
        let scenario = document::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_agreement(&scenario, seed, [Span::milliseconds(slice), Span::milliseconds(1000)]);
    }
}

proptest! {
    // A network with a lower number is not simpler, so shrinking is useless.
    #![proptest_config(ProptestConfig { cases: quick_or_long(40, 70), max_shrink_iters: 0, ..ProptestConfig::default() })]

    /// Networks with all features: bidirectional connections, transports, stops by departures, queues that push out,
    /// bits, random order. Their numbers are beyond the pinned ones; `pins text NUMBER` shows one.
    #[test]
    fn the_forms_agree_on_networks_with_everything(number in judge::random::NETWORKS..100_000) {
        let [fast, plain] = [judge::random::fast(number), judge::random::plain(number)]
            .map(|report| judge::digest::text(&report.unwrap_or_else(|error| panic!("{number}: {error}"))));
        prop_assert!(fast == plain, "network {}:\n{}", number, judge::digest::differences(&fast, &plain));
    }
}

/// Closed loops of many flows on one port: hosts that take turns with it, and hosts behind access lines.
#[test]
fn the_forms_agree_on_many_flows_in_a_closed_loop() {
    for scheme in ["becn", "erica"] {
        for access in ["", "access = { rate = \"155.52 Mb/s\", delay = \"5 us\" }", "access = { rate = \"10 Mb/s\" }"] {
            let text = format!(
                "duration = \"30 ms\"\nscheme = \"{scheme}\"\n\
                 network.dumbbell = {{ pairs = 150, rate = \"155.52 Mb/s\", delay = \"2 ms\" }}\n\
                 [defaults.flow]\n{access}\n"
            );
            let mut scenario = document::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            scenario.measure.flows = true;
            assert_agreement(&scenario, 1, [Span::milliseconds(7), Span::milliseconds(100)]);
        }
    }
}
