//! Every scheme of the list on several networks: what holds for each of them.

use penstock_engine::core::time::Span;
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::assembly;
use penstock_engine::scenario::document::parse;
use penstock_engine::scenario::schemes::{SCHEMES, Scheme};
use penstock_engine::scenario::spec::Scenario;

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

const AERONAUTICAL: &str = r#"
duration = "200 s"
[network.aeronautical]
stations = 2
aircraft = 3
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
            let wants_none = scheme.own_parts().congestion_point.is_none();
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
