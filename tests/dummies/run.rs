//! Prints the JSON Schema, and then what a run of every dummy measured: `GROUP sent lost`, and names of readings.

use std::collections::BTreeSet;

use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;

const SCENARIO: &str = r#"
duration = "1 s"
mismatches = "warn"
measure.sample = "100 ms"

[line.trunk]
between = ["a", "b"]
rate = "10 Mb/s"
congestion_point.dummy = {}

[line.full]
between = ["c", "d"]
rate = "10 Mb/s"
queues = [{ dummy = {} }]

[line.halving]
between = ["e", "f"]
rate = "10 Mb/s"
queues = [{ dummy_discipline = {} }]

[line.backwards]
between = ["g", "h"]
rate = "0.5 Mb/s"
queues = [{ drop_tail = { size = "9 cells" } }, { drop_tail = { size = "9 cells" } }]
scheduler.dummy = {}
buffer.dummy = {}

[flow.data]
path = ["a", "b"]
traffic.dummy = {}
policers = [{ dummy = {} }]
reaction_point.dummy = {}
notification_point.dummy = {}

[flow.discarded]
path = ["c", "d"]
traffic.dummy = {}

[flow.halved]
path = ["e", "f"]
traffic.dummy = {}

[flow.slow]
path = ["g", "h"]
traffic.dummy = {}
priority = 0

[flow.swift]
path = ["g", "h"]
traffic.dummy = {}
priority = 1

[flow.transport]
path = ["a", "b"]
traffic.greedy = {}
transport.tp4 = { credit.dummy = {}, window.dummy = {} }

[flow.stream]
path = ["a", "b"]
traffic.greedy = {}
transport.stream = { controller.dummy = {} }
"#;

#[test]
fn dummies() {
    let scenario = document::parse(SCENARIO).unwrap();
    let mut run = Run::new(&scenario, 1, 0, Form::Fast).unwrap();
    run.finish().unwrap();
    let report = run.report();
    println!("SCHEMA {}", document::schema().lines().collect::<String>());
    for group in &report.groups {
        println!("GROUP {} {} {}", group.group, group.sent, group.lost);
    }
    let readings: BTreeSet<&str> = report.series.iter().map(|row| &*row.quantity).collect();
    println!("READINGS {}", readings.into_iter().collect::<Vec<_>>().join(" "));
}
