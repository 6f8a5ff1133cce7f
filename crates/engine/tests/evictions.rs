//! Evictions from a full queue: which PDU, from which queue, and the measures after it.

use crate::agreement::{agreed, flow};
use penstock_engine::report::Report;

/// A cell takes 10 us on the first line and 1 ms on the second, whose queues push out. Flows named `tagged...` send one
/// cell within the contract, and 20 ms later a tagged one beyond it. Other flows send a single cell.
fn network(queues: &str, flows: &[(&str, &str, &str)]) -> Report {
    let mut text = format!(
        r#"
        duration = "39 ms"
        [line.fast]
        between = ["a", "b"]
        rate = "42.4 Mb/s"
        [line.slow]
        between = ["b", "c"]
        rate = "424 kb/s"
        queues = [{queues}]
        "#
    );
    for (name, start, more) in flows {
        let (rate, policers) = if name.starts_with("tagged") {
            ("21200 b/s", "policers = [{ leaky_bucket = { depth = \"1 cell\", drain = \"1 b/s\" } }]")
        } else {
            ("424 b/s", "")
        };
        let rate = if more.contains("octets = 106") { "42400 b/s" } else { rate };
        text += &format!(
            "[flow.{name}]\npath = [\"a\", \"b\", \"c\"]\ntraffic.cbr = {{ rate = \"{rate}\", start = \"{start}\" }}\n\
             {policers}\n{more}\n"
        );
    }
    agreed(&text, 1)
}

fn assert_delay(report: &Report, name: &str, milliseconds: f64) {
    let delay = flow(report, name).delay_max_s.unwrap() * 1e3;
    assert!((delay - milliseconds).abs() < 1e-9, "{name}: {delay} {milliseconds}");
}

const FOUR: &str = "{ push_out = { size = \"4 cells\" } }";
const CAST: [(&str, &str, &str); 5] = [
    ("tagged_1", "0 ms", ""),
    ("tagged_2", "200 us", ""),
    ("tagged_3", "400 us", ""),
    ("clean_1", "20100 us", ""),
    ("clean_2", "20500 us", ""),
];

/// From 20.01 ms on, `tagged_1` is in service, and `clean_1`, `tagged_2` and `tagged_3` wait. The queue is full when
/// `clean_2` arrives at 20.51 ms.
#[test]
fn the_newest_waiting_tagged_cell_is_pushed_out() {
    let report = network(FOUR, &CAST);
    let lost = |name| flow(&report, name).lost;
    assert_eq!(CAST.map(|(name, ..)| lost(name)), [0, 0, 1, 0, 0]);
    // They leave at 21.01, 22.01, 23.01 and 24.01 ms: the last arrival joins the end of the queue, not the place of the
    // victim.
    assert_delay(&report, "tagged_1", 1.01);
    assert_delay(&report, "clean_1", 22.01 - 20.1);
    assert_delay(&report, "tagged_2", 23.01 - 20.2);
    assert_delay(&report, "clean_2", 24.01 - 20.5);
    let port = report.ports.iter().find(|row| row.port == "slow").unwrap();
    assert_eq!((port.arrived, port.departed, port.discarded, port.queue_max), (8, 7, 1, 4));
    // The first cells are present for 1, 1.8 and 2.6 ms, the others for 1, 1.9, 2.8 and 3.5, the victim for 0.1.
    let area = 1.0 + 1.8 + 2.6 + 1.0 + 1.9 + 2.8 + 3.5 + 0.1;
    assert!((port.queue_mean - area / 39.0).abs() < 1e-12, "{}", port.queue_mean);
    let row = report.losses.iter().find(|row| row.place == "slow").unwrap();
    assert_eq!((row.group.as_str(), row.discarded), ("tagged_3", 1));
}

#[test]
fn tagged_cells_are_evicted_one_by_one_except_the_one_in_service() {
    let more = [("clean_3", "20600 us", ""), ("clean_4", "20700 us", ""), ("tagged_4", "750 us", "")];
    let report = network(FOUR, &[&CAST[..], &more].concat());
    let lost = |name| flow(&report, name).lost;
    assert_eq!(CAST.map(|(name, ..)| lost(name)), [0, 1, 1, 0, 0]);
    // The cell in service is also tagged, but cannot be evicted. A tagged arrival evicts no cell.
    assert_eq!(more.map(|(name, ..)| lost(name)), [0, 1, 1]);
    assert_delay(&report, "clean_2", 23.01 - 20.5);
    assert_delay(&report, "clean_3", 24.01 - 20.6);
}

/// Two queues of two cells. Priority 0 is full of clean cells, priority 1 of tagged ones.
#[test]
fn no_cell_of_another_queue_is_pushed_out() {
    let two = "{ push_out = { size = \"2 cells\" } }";
    let low = "priority = 1";
    let report = network(
        &format!("{two}, {two}"),
        &[
            ("clean_1", "20000 us", ""),
            ("tagged_2", "100 us", low),
            ("tagged_3", "1200 us", low),
            ("clean_2", "20300 us", ""),
            ("clean_3", "20400 us", ""),
            // The queue of priority 1 is full at 21.2 ms, and evicts its newest cell for its own arrival.
            ("clean_low", "21300 us", low),
        ],
    );
    let lost = |name| flow(&report, name).lost;
    assert_eq!((lost("clean_3"), lost("tagged_2"), lost("tagged_3"), lost("clean_low")), (1, 0, 1, 0));
    // Priority 0 at 21.01 and 22.01 ms, then priority 1.
    assert_delay(&report, "clean_2", 22.01 - 20.3);
    assert_delay(&report, "tagged_2", 23.01 - 20.1);
    assert_delay(&report, "clean_low", 24.01 - 21.3);
}

/// As the first test, but the victim has 848 bits, and the port counts bits.
#[test]
fn the_bits_of_a_victim_are_subtracted() {
    let mut cast = CAST;
    cast[2].2 = "octets = 106";
    let report = network(&format!("{FOUR}]\ncongestion_point.clnp = {{}}\nreverse.queues = [{FOUR}"), &cast);
    assert_eq!(cast.map(|(name, ..)| flow(&report, name).lost), [0, 0, 1, 0, 0]);
    // For each cell: bits, waiting time at the port, time until the end of service. 848 bits take 20 us on the first
    // line and 2 ms on the second.
    let served = [
        (424.0, 0.01, 0.01, 1.01),
        (424.0, 0.21, 1.01, 2.01),
        (848.0, 0.42, 2.01, 4.01),
        (424.0, 20.01, 20.01, 21.01),
        (424.0, 20.11, 21.01, 22.01),
        (424.0, 20.21, 22.01, 23.01),
        (424.0, 20.51, 23.01, 24.01),
    ];
    let victim = 848.0 * (20.51 - 20.42);
    let present: f64 = served.iter().map(|(bits, came, _, left)| bits * (left - came)).sum();
    let waiting: f64 = served.iter().map(|(bits, came, began, _)| bits * (began - came)).sum();
    let port = report.ports.iter().find(|row| row.port == "slow").unwrap();
    let means = [port.queue_mean_bits.unwrap(), port.waiting_mean_bits.unwrap()];
    for (mean, area) in means.iter().zip([present + victim, waiting + victim]) {
        assert!((mean - area / 39.0).abs() < 1e-9, "{mean} {}", area / 39.0);
    }
}
