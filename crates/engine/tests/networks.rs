//! Whole networks outside the satellite study: one engine for cells, packets and windows, RM cells and rates.

use crate::agreement::{agreed, flow, report};
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;

const CROSS_TRAFFIC: &str = r#"
duration = "2 s"

[line.first]
between = ["one", "two"]
rate = "155.52 Mb/s"
delay = "1 ms"
queues = [{ drop_tail = { size = "100 cells" } }]

[line.second]
between = ["two", "three"]
rate = "100 Mb/s"
delay = "2 ms"
queues = [{ drop_tail = { size = "50 cells" } }]

[line.third]
between = ["three", "four"]
rate = "155.52 Mb/s"
queues = [{ drop_tail = { size = "100 cells" } }]

[flow.long]
count = 4
path = ["one", "two", "three", "four"]
traffic.poisson = { rate = "20 Mb/s" }

[flow.cross_early]
count = 2
path = ["one", "two"]
traffic.cbr = { rate = "30 Mb/s" }

[flow.cross_middle]
count = 2
path = ["two", "three"]
access = { rate = "155.52 Mb/s", delay = "10 us" }
traffic.poisson = { rate = "15 Mb/s" }
"#;

#[test]
fn eight_flows_cross_four_switches() {
    let report = agreed(CROSS_TRAFFIC, 7);
    assert_eq!(report.flows.len(), 8);
    let bottleneck = report.ports.iter().find(|port| port.port == "second").unwrap();
    // 4 x 20 + 2 x 15 = 110 Mb/s for a line of 100 Mb/s: it is full, and a tenth of the load is lost.
    assert!(bottleneck.utilisation > 0.995, "{}", bottleneck.utilisation);
    let lost: u64 = report.groups.iter().map(|group| group.lost).sum();
    assert_eq!(lost, bottleneck.discarded);
    let share = lost as f64 / bottleneck.arrived as f64;
    assert!((share - 10.0 / 110.0).abs() < 0.01, "{share}");
    assert_eq!(flow(&report, "cross_early/1").lost, 0);
    // Minimum delay: 1 + 2 ms and the serialisation of three cells.
    let least = 0.003 + 2.0 * 424.0 / 155.52e6 + 424.0 / 100e6;
    for number in 1..=4 {
        let minimum = flow(&report, &format!("long/{number}")).delay_min_s.unwrap();
        assert!((least..least + 1e-4).contains(&minimum), "{minimum} {least}");
    }
}

/// Truth 14: X = min(C, W / tau), Q = max(0, W - C tau), in packets of 1,500 octets.
fn window(packets: u64) -> (f64, f64) {
    let text = format!(
        r#"
        duration = "600 s"
        warm_up = "100 s"

        [line.access]
        between = ["host", "router"]
        rate = "60 Mb/s"
        delay = "5 ms"

        [line.bottleneck]
        between = ["router", "server"]
        rate = "6 Mb/s"
        delay = "269.5 ms"

        [flow.transfer]
        path = ["host", "router", "server"]
        octets = 1500
        traffic.greedy = {{}}
        reaction_point.fixed_window = {{ window = {packets} }}
        notification_point.acknowledge = {{ octets = 40 }}
        "#
    );
    let report = agreed(&text, 7);
    let bottleneck = report.ports.iter().find(|port| port.port == "bottleneck").unwrap();
    (flow(&report, "transfer").delivered as f64 / report.measured_s, bottleneck.queue_mean)
}

#[test]
fn a_fixed_window_fills_the_pipe_and_then_the_queue() {
    let capacity = 6e6 / 12_000.0;
    // A packet and its acknowledgement: serialisation and propagation both ways, without queueing.
    let round_trip = 2.0 * (0.005 + 0.2695) + 12_000.0 / 60e6 + 12_000.0 / 6e6 + 320.0 / 60e6 + 320.0 / 6e6;
    let (rate, _) = window(100);
    assert!((rate - 100.0 / round_trip).abs() / rate < 1e-3, "{rate}");
    let (rate, queue) = window(400);
    assert!((rate - capacity).abs() / capacity < 1e-3, "{rate}");
    // Waiting and in service: the window minus the packets in the rest of the round trip.
    let expected = 400.0 - capacity * (round_trip - 12_000.0 / 6e6);
    assert!((queue - expected).abs() < 1.0, "{queue} {expected}");
}

#[test]
fn an_rm_cell_is_returned_and_loses_rate_at_one_port_on_its_way_back() {
    for access in ["", r#"access = { rate = "622 Mb/s", delay = "2 ms" }"#, r#"access = { delay = "700 us" }"#] {
        for (there, back) in [(access, access), (access, "")] {
            turned_round(there, back);
        }
    }
}

/// A connection of two flows, each with its own access to the first switch.
fn turned_round(access_there: &str, access_back: &str) {
    let text = r#"
        duration = "1 s"
        warm_up = "200 ms"

        [line.left]
        between = ["a", "switch"]
        rate = "155.52 Mb/s"
        delay = "1 ms"

        [line.right]
        between = ["switch", "b"]
        rate = "155.52 Mb/s"
        delay = "4 ms"
        congestion_point.constant_grant = { rate = "30 Mb/s" }
        reverse = {}

        [flow.there]
        path = ["a", "switch", "b"]
        peer = "back"
        traffic.greedy = {}
        reaction_point.explicit_rate = { initial = "10 Mb/s", peak = "150 Mb/s" }
        notification_point.turn_round = {}
        ACCESS THERE

        [flow.back]
        path = ["b", "switch", "a"]
        peer = "there"
        traffic.greedy = {}
        reaction_point.explicit_rate = { initial = "10 Mb/s", peak = "100 Mb/s" }
        notification_point.turn_round = {}
        ACCESS BACK
    "#;
    let report = agreed(&text.replace("ACCESS THERE", access_there).replace("ACCESS BACK", access_back), 7);
    // The port on the right grants 30 Mb/s to its line, and the way back is limited only by its own peak. One in 32 of
    // a sender's own cells is an RM cell, and the cells returned for the other direction also use its rate: own = rate
    // - (other's own) / 32.
    for (name, rate, other) in [("there", 30e6, 100e6), ("back", 100e6, 30e6)] {
        let row = flow(&report, name);
        let expected = (32.0 * rate - other) / (32.0 * 32.0 - 1.0) * 31.0;
        // All cells of the sender use the rate; 800 ms are measured.
        let sent = (row.sent_bits + row.control_bits) as f64 / 0.8;
        assert!((sent - rate).abs() / rate < 1e-3, "{name}: {sent}");
        assert!((row.throughput_bps - expected).abs() / expected < 1e-3, "{name}: {}", row.throughput_bps);
        assert!(row.control_delivered > 0 && row.control_lost == 0);
    }
}

#[test]
fn readings_continue_at_the_end_of_warm_up() {
    for warm_up in ["50 ms", "55 ms"] {
        let text = format!(
            "duration = \"100 ms\"\nwarm_up = \"{warm_up}\"\nmeasure.sample = \"10 ms\"\n
            [line.link]\nbetween = [\"a\", \"b\"]\nrate = \"100 Mb/s\"\nqueues = [{{ unlimited = {{}} }}, {{ unlimited = {{}} }}]
            [flow.first]\npath = [\"a\", \"b\"]\ntraffic.cbr = {{ rate = \"10 Mb/s\" }}
            [flow.second]\npath = [\"a\", \"b\"]\npriority = 1\ntraffic.cbr = {{ rate = \"20 Mb/s\" }}"
        );
        for (quantity, expected) in [("throughput_0", 10e6), ("throughput_1", 20e6), ("utilisation", 0.3)] {
            let report = agreed(&text, 7);
            let of_link = report.series.iter().filter(|row| *row.component == *"link" && *row.quantity == *quantity);
            let readings: Vec<f64> = of_link.map(|row| row.value).collect();
            assert_eq!(readings.len(), 10);
            // At most one cell more or less in 10 ms.
            assert!(readings.iter().all(|value| (value / expected - 1.0).abs() < 0.005), "{quantity} {readings:?}");
        }
    }
}

#[test]
fn distributions_hold_every_delay() {
    assert!(report(CROSS_TRAFFIC, 7, Form::Fast).distributions.is_empty());
    let text = format!("measure.distributions = true\nwarm_up = \"500 ms\"\n{CROSS_TRAFFIC}");
    let report = report(&text, 7, Form::Fast);
    assert_eq!(report.distributions, self::report(&text, 7, Form::Plain).distributions);
    assert_eq!(report.fingerprint, self::report(CROSS_TRAFFIC, 7, Form::Fast).fingerprint);
    for group in &report.groups {
        let rows: Vec<_> = report.distributions.iter().filter(|row| row.group == group.group).collect();
        assert_eq!(rows.iter().map(|row| row.count).sum::<u64>(), group.delivered);
        assert!(rows.iter().all(|row| row.count > 0) && rows.is_sorted_by(|one, next| one.delay_s < next.delay_s));
        // The longest delay is in the last step, which is at most 0.8 % wide, and the median is in the step that
        // contains half.
        let (longest, last) = (group.delay_max_s.unwrap(), rows[rows.len() - 1].delay_s);
        assert!(longest < last && last <= longest * 1.008, "{longest} {last}");
        let mut passed = 0;
        let half = rows.iter().find(|row| {
            passed += row.count;
            2 * passed >= group.delivered
        });
        let (median, step) = (group.delay_p50_s.unwrap(), half.unwrap().delay_s);
        assert!(median < step && step <= median * 1.008, "{median} {step}");
    }
}

#[test]
fn the_bits_of_an_access_line_are_measured_with_transport_connections() {
    let report = agreed(
        r#"
        duration = "20 s"
        [line.trunk]
        between = ["left", "right"]
        rate = "64 kb/s"
        congestion_point.becn = { threshold = "2 PDUs", filter.none = {} }
        [flow.messages]
        path = ["left", "right"]
        octets = 512
        traffic.poisson = { rate = "20 kb/s" }
        transport.tp4 = {}
        [flow.cells]
        path = ["left", "right"]
        access = { rate = "48 kb/s", delay = "5 ms" }
        traffic.poisson = { rate = "40 kb/s" }
        reaction_point.becn = { recovery.constant = "1 s" }
    "#,
        7,
    );
    let access = report.ports.iter().find(|row| row.port == "access/cells").unwrap();
    // All its PDUs are cells.
    assert!(access.queue_mean > 0.05);
    assert!((access.queue_mean_bits.unwrap() - 424.0 * access.queue_mean).abs() < 1e-3, "{access:?}");
}

#[test]
fn an_access_line_is_no_part_of_another_path() {
    let text = CROSS_TRAFFIC.to_owned()
        + r#"
        [flow.alpha]
        path = ["one", "two"]
        access = { rate = "10 Mb/s" }
        traffic.greedy = {}
        [flow.beta]
        path = ["alpha", "one", "two"]
        traffic.greedy = {}
    "#;
    let scenario = document::parse(&text).unwrap();
    let refused = Run::new(&scenario, 1, 0, Form::Fast).err().map(|error| error.to_string());
    assert!(refused.as_ref().is_some_and(|text| text.contains("flow.beta.path")), "{refused:?}");
}
