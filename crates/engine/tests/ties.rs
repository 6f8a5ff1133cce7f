//! Equal senders whose PDUs meet at a port in the same picosecond: the port counts those that its fixed order refuses.

use penstock_engine::report::Report;
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;

/// Two senders at the rate of the line that both need, in step.
const TIE: &str = r#"
duration = "1 s"
[line.out]
between = ["sw", "rx"]
rate = "100 Mb/s"
order = "fixed"
queues = [{ drop_tail = { size = "100 PDUs" } }]
[defaults.flow]
octets = 1250
path = ["sw", "rx"]
access = { rate = "100 Mb/s", delay = "1 us" }
[flow.a]
traffic.cbr = { rate = "100 Mb/s", start = "0 s" }
[flow.b]
traffic.cbr = { rate = "100 Mb/s", start = "0 s" }
"#;

fn report(text: &str, form: Form) -> Report {
    let scenario = document::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut run = Run::new(&scenario, 1, 0, form).unwrap();
    run.finish().unwrap();
    run.report()
}

/// What the port discarded, and how many of that for its order. Both forms count the same.
fn discards(edits: &[(&str, &str)]) -> [u64; 2] {
    let mut text = TIE.to_owned();
    for (from, to) in edits {
        assert!(text.contains(from));
        text = text.replace(from, to);
    }
    let [fast, plain] = [Form::Fast, Form::Plain].map(|form| {
        let report = report(&text, form);
        let port = report.ports.iter().find(|port| port.port == "out").unwrap();
        [port.discarded, port.discarded_tied]
    });
    assert_eq!(fast, plain);
    fast
}

#[test]
fn the_pdus_that_the_fixed_order_refuses_are_counted() {
    let [discarded, tied] = discards(&[]);
    assert!(discarded > 9_000, "{discarded}");
    assert_eq!(tied, discarded);
}

/// Each of these decides at another place of the port.
#[test]
fn every_kind_of_port_counts_them() {
    const QUEUE: &str = "[{ drop_tail = { size = \"100 PDUs\" } }]";
    for other in [
        "[{ drop_tail_bits = { size = '1 Mbit' } }]",
        "[{ clp_threshold = { size = '100 PDUs', threshold = '50 PDUs' } }]",
        "[{ push_out = { size = '100 PDUs' } }]",
        "[{ drop_tail = { size = '100 PDUs' } }, { drop_tail = { size = '100 PDUs' } }]",
        "[{ drop_tail = { size = '100 PDUs' } }]\ncongestion_point.queue_length = {}",
    ] {
        let [discarded, tied] = discards(&[(QUEUE, other), ("duration", "mismatches = 'warn'\nduration")]);
        assert!(discarded > 9_000 && tied == discarded, "{other}: {tied} of {discarded}");
    }
}

#[test]
fn what_chance_or_a_phase_decides_is_not_counted() {
    for (from, to) in [
        ("\"fixed\"", "\"random\""),
        (
            "[flow.b]\ntraffic.cbr = { rate = \"100 Mb/s\", start = \"0 s\"",
            "[flow.b]\ntraffic.cbr = { rate = \"100 Mb/s\", start = \"50 us\"",
        ),
        (", start = \"0 s\"", ""),
    ] {
        let [discarded, tied] = discards(&[(from, to)]);
        assert!(discarded > 9_000 && tied == 0, "{to}: {tied} of {discarded}");
    }
}

/// Four pairs in a dumbbell begin a quarter of a gap apart, whatever the seed; a written stagger stays.
#[test]
fn networks_by_name_spread_the_starts_of_constant_rates() {
    let text = |more: &str| {
        format!(
            "duration = '10 ms'\n[network.dumbbell]\npairs = 4\nrate = '40 Mb/s'\ndelay = '1 ms'\n[defaults.flow]\noctets = \
             1250\ntraffic.cbr = {{ rate = '20 Mb/s', start = '1 ms'{more} }}\n[defaults.line]\nqueues = [{{ drop_tail = {{ \
             size = '10 PDUs' }} }}]\n"
        )
    };
    let expanded = |text: &str| {
        let scenario = document::parse(text).unwrap();
        let flow = penstock_engine::scenario::expansion::expand(&scenario).unwrap().scenario.flow["pairs"].clone();
        serde_json::to_value(&flow.traffic).unwrap()["cbr"]["stagger"].clone()
    };
    assert_eq!(expanded(&text("")), "125 us");
    assert_eq!(expanded(&text(", stagger = '0 s'")), "0 s");
    let tied = |text: &str| report(text, Form::Fast).ports.iter().map(|port| port.discarded_tied).sum::<u64>();
    assert_eq!(tied(&text("")), 0);
    assert!(tied(&text(", stagger = '0 s'")) > 10);
}
