//! Every scheme of the list on several networks: what holds for each of them. Conservation is checked at every stop of a
//! run.

use crate::agreement::max_min;
use penstock_engine::core::time::Span;
use penstock_engine::report::Report;
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::assembly;
use penstock_engine::scenario::document::parse;
use penstock_engine::scenario::expansion::expand;
use penstock_engine::scenario::schemes::{SCHEMES, Scheme};
use penstock_engine::scenario::spec::Scenario;
use penstock_engine::transport;

const DUMBBELL: &str = r#"
duration = "400 ms"
[defaults.line]
rate = "20 Mb/s"
delay = "1 ms"
queues = [{ drop_tail = { size = "300 PDUs" } }]
[line.trunk]
between = ["left", "right"]
[flow.data]
count = 6
path = ["left", "right"]
access = { rate = "40 Mb/s", delay = "0.1 ms" }
TRAFFIC
"#;

const PARKING_LOT: &str = r#"
duration = "400 ms"
[defaults.line]
rate = "20 Mb/s"
delay = "0.5 ms"
queues = [{ drop_tail = { size = "300 PDUs" } }]
[defaults.flow]
access = { rate = "40 Mb/s", delay = "0.1 ms" }
TRAFFIC
[line.a]
between = ["s1", "s2"]
[line.b]
between = ["s2", "s3"]
[line.c]
between = ["s3", "s4"]
[flow.data]
path = ["s1", "s2", "s3", "s4"]
[flow.from_2]
path = ["s2", "s3", "s4"]
[flow.from_3]
path = ["s3", "s4"]
"#;

const TWO_WAY: &str = r#"
duration = "400 ms"
[line.there]
between = ["west", "middle"]
rate = "10 Mb/s"
delay = "5 ms"
queues = [{ drop_tail = { size = "200 PDUs" } }]
[line.here]
between = ["middle", "east"]
rate = "30 Mb/s"
delay = "2 ms"
queues = [{ drop_tail = { size = "200 PDUs" } }]
[defaults.flow]
count = 2
access = { rate = "40 Mb/s", delay = "0.1 ms" }
TRAFFIC
[flow.data]
path = ["west", "middle", "east"]
[flow.back]
path = ["east", "middle", "west"]
"#;

/// The way back takes five times as long as the way there.
const SLOW_BACK: &str = r#"
duration = "400 ms"
[network.chain]
trunks = 2
rate = "20 Mb/s"
delay = "1 ms"
[defaults.line]
queues = [{ drop_tail = { size = "300 PDUs" } }]
reverse = { delay = "5 ms", queues = [{ drop_tail = { size = "300 PDUs" } }] }
[defaults.flow]
access = { rate = "40 Mb/s", delay = "0.1 ms" }
TRAFFIC
"#;

const LEAF_SPINE: &str = r#"
duration = "150 ms"
[network.leaf_spine]
leaves = 2
spines = 2
hosts = 2
host_rate = "20 Mb/s"
host_delay = "0.1 ms"
uplink_rate = "20 Mb/s"
uplink_delay = "0.5 ms"
[defaults.line]
queues = [{ drop_tail = { size = "300 PDUs" } }]
[defaults.flow]
TRAFFIC
"#;

const WAXMAN: &str = r#"
duration = "150 ms"
routes = "least_delay"
[network.waxman]
nodes = 4
rate = "20 Mb/s"
delay = "2 ms"
[defaults.line]
queues = [{ drop_tail = { size = "300 PDUs" } }]
[defaults.flow]
TRAFFIC
"#;

/// One aircraft a station: the RM cells of three, one in 100 ms from each source, would fill a data link of 10 kb/s.
const AERONAUTICAL: &str = r#"
duration = "200 s"
[network.aeronautical]
stations = 2
aircraft = 1
[defaults.line]
queues = [{ drop_tail = { size = "300 PDUs" } }]
[defaults.flow]
TRAFFIC
"#;

const NETWORKS: [(&str, &str); 7] = [
    ("dumbbell", DUMBBELL),
    ("parking lot", PARKING_LOT),
    ("two-way", TWO_WAY),
    ("slow back", SLOW_BACK),
    ("leaf-spine", LEAF_SPINE),
    ("waxman", WAXMAN),
    ("aeronautical", AERONAUTICAL),
];

/// Traffic that fills every line, and that the scheme can control.
fn much(scheme: &Scheme) -> &'static str {
    if scheme.keyword == "rate_factor" { "traffic.cbr = { rate = \"15 Mb/s\" }" } else { "traffic.greedy = {}" }
}

fn scenario(network: &str, scheme: &Scheme, traffic: &str) -> Scenario {
    // Data links have about a thousandth of the rates of the other networks, and on them two cells within 50 ms are
    // congestion to `rate_factor`.
    let slow = traffic.replace("15 Mb/s", "15 kb/s").replace("200 kb/s", "20 b/s");
    let traffic = if network == AERONAUTICAL { &slow } else { traffic };
    let text = format!("scheme = '{}'\n{}", scheme.keyword, network.replace("TRAFFIC", traffic));
    parse(&text).unwrap_or_else(|error| panic!("{}: {error}", scheme.keyword))
}

fn start(scenario: &Scenario, form: Form) -> Run {
    Run::new(scenario, 7, 0, form).unwrap_or_else(|error| panic!("{error}"))
}

fn end(mut run: Run) -> Run {
    while !run.advance(Span::from_seconds(1.0)).unwrap_or_else(|error| panic!("{error}")) {}
    run
}

#[test]
fn every_scheme_runs_on_every_network_with_the_same_bits_in_both_forms_and_from_a_clone() {
    for scheme in SCHEMES {
        for (name, network) in NETWORKS {
            let what = format!("{} on {name}", scheme.keyword);
            let scenario = scenario(network, scheme, much(scheme));
            let fast = end(start(&scenario, Form::Fast)).report();
            let plain = end(start(&scenario, Form::Plain)).report();
            assert_eq!(fast.fingerprint, plain.fingerprint, "{what}");
            let mut original = start(&scenario, Form::Fast);
            original.advance(Span::from_seconds(0.1)).unwrap();
            assert_eq!(end(original.clone()).report().fingerprint, end(original).report().fingerprint, "{what}");
            for port in &fast.ports {
                assert!(port.utilisation <= 1.0 + 1e-9, "{what}: {} {:?}", port.port, port.utilisation);
            }
            for group in &fast.groups {
                assert!(group.delivered > 0, "{what}: nothing of {} arrives", group.group);
            }
        }
    }
}

#[test]
fn every_scheme_but_none_meets_its_partners_everywhere() {
    for scheme in SCHEMES.iter().filter(|scheme| scheme.keyword != "none") {
        for (name, network) in NETWORKS {
            let meetings = assembly::meetings(&scenario(network, scheme, much(scheme))).unwrap();
            let parts = scheme.own_parts();
            // Byte streams hear of losses from the queues themselves, but for those that hear their receivers alone.
            let hears = match parts.transport {
                Some(transport::Params::Stream(params)) => !params.controller.hears().is_empty(),
                _ => false,
            };
            let wants_none = parts.congestion_point.is_none() && !hears;
            assert_eq!(meetings.hearings.is_empty(), wants_none, "{} on {name}", scheme.keyword);
        }
    }
}

#[test]
fn without_congestion_every_scheme_delivers_all_and_reports_none() {
    let little = "traffic.cbr = { rate = \"200 kb/s\" }";
    for scheme in SCHEMES {
        for (name, network) in NETWORKS {
            let what = format!("{} on {name}", scheme.keyword);
            let report = end(start(&scenario(network, scheme, little), Form::Fast)).report();
            for group in &report.groups {
                assert_eq!((group.lost, group.obeyed_mild, group.obeyed_severe), (0, 0, 0), "{what}");
            }
            assert!(report.ports.iter().all(|port| port.notices_mild + port.notices_severe == 0), "{what}");
        }
    }
}

/// Schemes whose ports grant rates, and whose sources are those of TM 4.0.
const GRANTS: [&str; 6] = ["eprca_plus_plus", "erica", "erica_plus", "capc", "phantom", "charny"];
/// One cell in `NRM` is an RM cell, which the rates count and the throughput of data does not.
const NRM: f64 = 32.0;

fn report(text: &str) -> (Scenario, Report) {
    let scenario = parse(text).unwrap_or_else(|error| panic!("{error}"));
    let report = end(start(&scenario, Form::Fast)).report();
    (expand(&scenario).unwrap().scenario.into_owned(), report)
}

/// The distance of the largest and of the smallest rate from the mean, all relative to the fair shares.
fn spread(scenario: &Scenario, report: &Report) -> (f64, f64) {
    let fair = max_min(scenario);
    let ratios: Vec<f64> =
        report.flows.iter().map(|row| row.throughput_bps * NRM / (NRM - 1.0) / fair[row.group.as_str()]).collect();
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    (mean, ratios.iter().map(|ratio| (ratio / mean - 1.0).abs()).fold(0.0, f64::max))
}

/// Phantom has an interval longer than the round trip here: with "auto", 0.5 ms for 7 flows, its rates swing around their
/// fixed point, and stay up to 11 % apart.
#[test]
fn ports_that_grant_rates_share_a_line_equally() {
    for scheme in GRANTS {
        let own = if scheme == "phantom" { "interval = { time = '5 ms' }" } else { "" };
        for pairs in [2, 7] {
            let (scenario, report) = report(&format!(
                "duration = '500 ms'\nwarm_up = '300 ms'\nscheme.{scheme} = {{ {own} }}\n\
                 [network.dumbbell]\npairs = {pairs}\nrate = '50 Mb/s'\ndelay = '1 ms'"
            ));
            let (mean, spread) = spread(&scenario, &report);
            assert!(spread < 0.02, "{scheme}: {pairs} flows are {spread} apart");
            // A cell of each flow at either end of the measured time.
            assert!(mean > 0.8 && mean <= 1.001, "{scheme}: {pairs} flows have {mean} of the line");
        }
    }
}

/// ERICA with no dead band, and Charny's algorithm: the fixed point is the max-min rates (docs/models/erica.md).
#[test]
fn the_max_min_rates_come_about_on_every_network_where_theory_gives_them() {
    for (scheme, target) in [("erica = { delta = 0.0 }", 0.9), ("charny = {}", 0.9)] {
        for network in [
            "parking_lot = { trunks = 3, rate = '50 Mb/s', delay = '1 ms' }",
            "chain = { trunks = 3, rate = '50 Mb/s', delay = '1 ms' }",
            "upstream = { rate = '50 Mb/s', delay = '1 ms' }",
            "gfc_1 = {}",
        ] {
            let (scenario, report) = report(&format!(
                "duration = '900 ms'\nwarm_up = '600 ms'\nscheme.{scheme}\nnetwork.{network}\n\
                 [defaults.flow]\naccess = {{ rate = '150 Mb/s', delay = '5 us' }}"
            ));
            let (mean, spread) = spread(&scenario, &report);
            assert!(spread < 0.03, "{scheme} on {network}: {spread} from the max-min rates");
            assert!((mean / target - 1.0).abs() < 0.03, "{scheme} on {network}: {mean} of them");
        }
    }
}

/// On the parking lot the last line carries three flows. With a minimum of 4 of its 20 Mb/s each sends at least that.
#[test]
fn no_source_falls_below_its_minimum_rate() {
    let schemes = SCHEMES.iter().filter(|scheme| scheme.parts.contains("tm40") || scheme.parts.contains("eprca ="));
    for scheme in schemes {
        let source = if scheme.parts.contains("tm40") { "tm40" } else { "eprca" };
        let network = PARKING_LOT.replace("TRAFFIC", "traffic.greedy = {}");
        let text = format!("warm_up = '100 ms'\n{network}")
            .replace("[line.a]", &format!("reaction_point.{source} = {{ mcr = '4 Mb/s', icr = '5 Mb/s' }}\n[line.a]"));
        let (_, report) = report(&format!("scheme = '{}'\n{text}", scheme.keyword));
        for flow in &report.flows {
            // A cell at each end.
            let least = 4e6 * (NRM - 1.0) / NRM * 0.3 / 424.0 - 2.0;
            assert!(flow.sent as f64 >= least, "{}: {} sends {} of {least}", scheme.keyword, flow.flow, flow.sent);
        }
    }
}

/// No PDU is faster than the lines: 5 + 2 ms and 0.1 ms of access, and a cell's time on each.
#[test]
fn no_cell_is_faster_than_its_lines() {
    for scheme in SCHEMES.iter().filter(|scheme| !scheme.parts.contains("transport")) {
        let report = end(start(&scenario(TWO_WAY, scheme, much(scheme)), Form::Fast)).report();
        let least = 0.0071 + 424.0 / 40e6 + 424.0 / 10e6 + 424.0 / 30e6;
        for flow in &report.flows {
            assert!(flow.delay_min_s.unwrap() >= least - 1e-11, "{}: {:?}", scheme.keyword, flow.delay_min_s);
        }
    }
}

/// Ten sources with the rate of the line: in the round trip of 20 ms before the first feedback they send nine times more
/// than the line carries, 66,000 cells. With equal shares they send what it carries.
#[test]
fn a_scheme_by_name_does_not_fill_the_queue_before_the_first_feedback() {
    let dumbbell = "duration = '60 ms'\n[network.dumbbell]\npairs = 10\nrate = '155.52 Mb/s'\ndelay = '10 ms'\n";
    let longest = |scheme: &str| {
        let (_, report) = report(&format!("scheme.{scheme}\n{dumbbell}"));
        report.ports.iter().find(|port| port.port == "trunk").unwrap().queue_max
    };
    for scheme in GRANTS {
        let queue = longest(&format!("{scheme} = {{}}"));
        assert!(queue < 1_000, "{scheme}: {queue} cells");
    }
    let at_once = longest("erica = { reaction_point.tm40 = {} }");
    assert!(at_once > 50_000, "{at_once}");
}
