//! Whole networks of ABR switches: the stationary rates of each scheme, compared with the max-min fair ones.

use crate::agreement::max_min;
use crate::length::one_in;
use penstock_engine::core::time::{LineRate, Rate};
use penstock_engine::report::Report;
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;
use penstock_engine::scenario::expansion::expand;
use penstock_engine::scenario::spec::Scenario;

/// One cell in `NRM` is an RM cell, which the rates count and the throughput of data does not.
const NRM: f64 = 32.0;

/// The report of both forms, which must be equal to the bit.
fn agreed(scenario: &Scenario) -> Report {
    let [fast, plain] = [Form::Fast, Form::Plain].map(|form| {
        let mut run = Run::new(scenario, 1, 0, form).unwrap_or_else(|error| panic!("{error}"));
        run.finish().unwrap_or_else(|error| panic!("{error}"));
        run.report()
    });
    assert_eq!(fast, plain);
    fast
}

/// A ready scenario, with the lines and flows of its network.
fn ready(name: &str) -> Scenario {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python/penstock/scenarios/abr/");
    let scenario = document::parse(&std::fs::read_to_string(format!("{folder}{name}.toml")).unwrap()).unwrap();
    expand(&scenario).unwrap().scenario.into_owned()
}

/// Rates of all flows, RM cells included, relative to their max-min shares on lines with this utilisation.
fn against_max_min(scenario: &Scenario, share: f64) -> Vec<(String, f64)> {
    let fair = max_min(scenario);
    let report = agreed(scenario);
    let rate = |throughput: f64| throughput * NRM / (NRM - 1.0);
    let rows = report.flows.into_iter();
    rows.map(|row| (row.flow, rate(row.throughput_bps) / (share * fair[row.group.as_str()]))).collect()
}

#[test]
fn water_filling_gives_the_published_benchmarks() {
    // docs/models/networks.md#gfc-1 and what follows.
    for (name, published) in [
        ("parking-lot-erica", &[("enters_1", 50.0), ("enters_2", 50.0), ("enters_3", 50.0)][..]),
        ("upstream-erica", &[("both", 10.0), ("first", 10.0), ("second", 70.0)]),
        ("chain-erica", &[("local_1", 75.0), ("local_2", 75.0), ("local_3", 75.0), ("long", 75.0)]),
        (
            "gfc-1-erica",
            &[
                ("a", 50.0 / 9.0),
                ("b", 100.0 / 9.0),
                ("c", 100.0 / 3.0),
                ("d", 50.0 / 9.0),
                ("e", 100.0 / 9.0),
                ("f", 50.0),
            ],
        ),
        (
            "gfc-2-erica",
            &[
                ("a_1", 10.0),
                ("a_2", 10.0),
                ("a_3", 10.0),
                ("b_1", 5.0),
                ("b_2", 5.0),
                ("b_4", 5.0),
                ("c", 35.0),
                ("d", 35.0),
                ("e", 35.0),
                ("f", 10.0),
                ("g", 5.0),
                ("h", 52.5),
            ],
        ),
    ] {
        let scenario = ready(name);
        let rates = max_min(&scenario);
        assert_eq!(rates.len(), published.len());
        for &(group, rate) in published {
            assert!((rates[group] / 1e6 - rate).abs() < 1e-9, "{name} {group}: {}", rates[group]);
        }
    }
}

/// One line of 150 Mb/s with this congestion point, and greedy flows.
fn trunk(point: &str, flows: &str) -> Scenario {
    let text = format!(
        r#"
        duration = "600 ms"
        warm_up = "400 ms"
        [line.trunk]
        between = ["here", "there"]
        rate = "150 Mb/s"
        delay = "500 us"
        congestion_point.{point}
        reverse = {{}}
        [defaults.flow]
        path = ["here", "there"]
        access = {{ rate = "150 Mb/s", delay = "5 us" }}
        traffic.greedy = {{}}
        notification_point.turn_round = {{}}
        {flows}
        "#
    );
    document::parse(&text).unwrap_or_else(|error| panic!("{error}"))
}

fn one_line(point: &str, count: u32) -> Scenario {
    let source = r#"explicit_rate = { initial = "20 Mb/s", peak = "150 Mb/s", minimum = "100 kb/s" }"#;
    trunk(point, &format!("[flow.greedy]\ncount = {count}\nreaction_point.{source}"))
}

#[test]
fn greedy_flows_share_one_line() {
    // The utilisation of each scheme: its target; for Phantom n f of 1 + n f.
    for count in [1, 2, 5] {
        let phantom = 5.0 * f64::from(count) / (1.0 + 5.0 * f64::from(count));
        for (point, share) in [
            (r#"erica = { delta = 0.0, interval = { time = "2 ms" } }"#, 0.9),
            (r#"erica = { delta = 0.0, interval = { time = "2 ms" }, ccr = "measured", target = 0.8 }"#, 0.8),
            (r#"erica = { delta = 0.0, interval = { time = "2 ms" }, max_alloc_previous = false }"#, 0.9),
            (r#"eprca_plus_plus = { interval = "2 ms" }"#, 0.95),
            (r#"charny = { target = 0.9 }"#, 0.9),
            (r#"capc = { interval = { time = "2 ms" } }"#, 0.9),
            (r#"phantom = { interval = { time = "5 ms" } }"#, phantom),
        ] {
            for (flow, ratio) in against_max_min(&one_line(point, count), share) {
                assert!((ratio - 1.0).abs() < 0.01, "{point}: {flow} of {count} has {ratio} of its share");
            }
        }
    }
}

#[test]
fn erica_reaches_the_max_min_rates() {
    for name in one_in(2, vec!["parking-lot-erica", "gfc-1-erica", "upstream-erica", "chain-erica"]) {
        for (flow, ratio) in against_max_min(&ready(name), 0.9) {
            assert!((ratio - 1.0).abs() < 0.02, "{name}: {flow} has {ratio} of its share");
        }
    }
}

#[test]
#[ignore = "long: run by `make test-long`"]
fn without_max_alloc_previous_the_rates_depend_on_the_start() {
    let mut unequal = ready("gfc-1-eprca-plus-plus");
    let ratio = |rates: Vec<(String, f64)>| {
        let of = |name: &str| rates.iter().find(|(flow, _)| flow == name).unwrap().1;
        of("f_1") / of("f_2")
    };
    // Same path, same bottleneck; one starts with 10 Mb/s, the other with 40.
    let apart = ratio(against_max_min(&unequal, 0.9));
    assert!((apart - 1.0).abs() > 0.2, "{apart}");
    let erica = &ready("gfc-1-erica").line["trunk_1"].congestion_point;
    for line in unequal.line.values_mut() {
        line.congestion_point.clone_from(erica);
    }
    let together = ratio(against_max_min(&unequal, 0.9));
    assert!((together - 1.0).abs() < 0.02, "{together}");
}

/// Three greedy flows with minimum rates of 10, 20 and 60 Mb/s, which start 30 Mb/s above them.
fn guaranteed_line(point: &str, mcr: &str) -> Scenario {
    let flow = |(name, minimum): (&str, u32)| {
        let rates = format!("initial = '{} Mb/s', peak = '150 Mb/s', minimum = '{minimum} Mb/s'", minimum + 30);
        format!("[flow.{name}]\nreaction_point.explicit_rate = {{ {rates} }}\n")
    };
    let flows: String = [("low", 10), ("middle", 20), ("high", 60)].map(flow).concat();
    trunk(&point.replace("MCR", &format!("mcr = '{mcr}'")), &flows)
}

#[test]
fn minimum_rates_are_added_or_are_floors() {
    // `plus`: MCR and a third of what 90 Mb/s leave of the target; Phantom leaves a sixteenth of that. `floor`: 60 Mb/s,
    // and half of the rest of the target for the others; with Phantom x = 5 MACR, and 2 x + 60 + MACR = 150.
    for (point, [plus, floor]) in [
        ("erica = { delta = 0.0, interval = { time = '2 ms' }, MCR }", [15.0, 37.5]),
        ("erica = { delta = 0.0, interval = { time = '2 ms' }, ccr = 'measured', MCR }", [15.0, 37.5]),
        ("erica_plus = { t0 = '500 us', erica = { delta = 0.0, interval = { time = '2 ms' }, MCR } }", [20.0, 45.0]),
        ("charny = { target = 0.9, MCR }", [15.0, 37.5]),
        ("capc = { interval = { time = '2 ms' }, MCR }", [15.0, 37.5]),
        ("eprca_plus_plus = { interval = '2 ms', MCR }", [17.5, 41.25]),
        ("phantom = { interval = { time = '5 ms' }, MCR }", [18.75, 90.0 / 2.2]),
    ] {
        for (mcr, expected) in [("plus", [10.0 + plus, 20.0 + plus, 60.0 + plus]), ("floor", [floor, floor, 60.0])] {
            let report = agreed(&guaranteed_line(point, mcr));
            for (name, expected) in ["low", "middle", "high"].into_iter().zip(expected) {
                let row = report.flows.iter().find(|row| row.flow == name).unwrap();
                let rate = row.throughput_bps * NRM / (NRM - 1.0) / 1e6;
                assert!((rate / expected - 1.0).abs() < 0.01, "{point} {mcr}: {name} has {rate}, not {expected} Mb/s");
            }
        }
    }
}

#[test]
fn minimum_rates_above_the_target_are_refused() {
    let scenario = |point: &str| guaranteed_line(point, "plus");
    let refused = |point: &str| Run::new(&scenario(point), 1, 0, Form::Fast).err().map(|error| error.to_string());
    // 90 of 150 Mb/s.
    assert_eq!(refused("charny = { target = 0.6, MCR }"), None);
    assert_eq!(refused("constant_grant = { rate = '1 Mb/s' }"), None);
    assert_eq!(
        refused("charny = { target = 0.59, MCR }").unwrap(),
        "line.trunk.congestion_point.charny: the minimum rates (MCR) of its flows add up to 90 Mb/s, more than 0.59 of the \
         line's 150 Mb/s; reduce those of flow.high, flow.low, flow.middle to 88.5 Mb/s together, or give the line \
         152542373 b/s"
    );
    // Without a target, the whole line.
    let refused_on = |rate: u64| {
        let mut scenario = scenario("eds = { MCR }");
        scenario.line.get_mut("trunk").unwrap().rate = LineRate::Bits(Rate(rate));
        Run::new(&scenario, 1, 0, Form::Fast).is_err()
    };
    assert_eq!((refused_on(90_000_000), refused_on(89_999_999)), (false, true));
    // Behind an access line of 40 Mb/s, 60 count as 40.
    let mut slow = scenario("charny = { target = 0.467, MCR }");
    assert!(Run::new(&slow, 1, 0, Form::Fast).is_err());
    slow.flow.get_mut("high").unwrap().access.as_mut().unwrap().rate = Some(LineRate::Bits(Rate(40_000_000)));
    assert!(Run::new(&slow, 1, 0, Form::Fast).is_ok());
}

/// A begins at 0 s, B at 1 s. Eight others stop at 0.5 s. Of a line of 150 Mb/s, measured from 2 s on.
const STOPPED: &str = r#"
duration = "3 s"
warm_up = "2 s"
[line.l]
between = ["a", "b"]
rate = "150 Mb/s"
delay = "1 ms"
congestion_point.POINT
[defaults.flow]
path = ["a", "b"]
reaction_point.tm40 = {}
notification_point.turn_round = {}
[flow.a]
traffic.greedy = {}
[flow.b]
traffic.greedy = { start = "1 s" }
[flow.others]
count = 8
traffic.greedy = { pause = { from = "0.5 s", to = "3 s" } }
"#;

/// Mb/s of A and B, RM cells included.
fn rates_after_others_stopped(point: &str) -> [f64; 2] {
    let report = agreed(&document::parse(&STOPPED.replace("POINT", point)).unwrap());
    let rate = |name: &str| {
        let row = report.flows.iter().find(|row| row.flow == name).unwrap();
        row.throughput_bps * NRM / (NRM - 1.0) / 1e6
    };
    ["a", "b"].map(rate)
}

/// "Each VC entry is marked or unmarked according to the status of its corresponding VC (active or inactive)":
/// the paper on EPRCA++, section II.
#[test]
fn eprca_plus_plus_unmarks_a_connection_that_has_stopped() {
    // A load is measured in whole cells. ER is the larger of the fair share and CCR / load, so it lies above the fair share
    // by up to a cell of an interval: one of the printed 30, and one of 80 with `auto`.
    for (point, cells) in [("{}", 30.0), ("{ interval = 'auto', active = 'seen' }", 80.0)] {
        let rates = rates_after_others_stopped(&format!("eprca_plus_plus = {point}"));
        assert!(rates.iter().all(|rate| (rate / 71.25 - 1.0).abs() < 1.0 / cells), "{point}: {rates:?}");
        assert!((rates[0] / rates[1] - 1.0).abs() < 1e-3, "{point}: {rates:?}");
    }
    // As a reading: with the eight that stay established, a tenth is all that either may be sure of.
    let rates = rates_after_others_stopped("eprca_plus_plus = { active = 'established' }");
    let [low, high] = [rates[0].min(rates[1]), rates[0].max(rates[1])];
    assert!(low < 40.0 && high > 100.0, "{rates:?}");
}
