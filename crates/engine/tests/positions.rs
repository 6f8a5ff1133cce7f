//! Where PDUs are at an instant: by hand, and the laws over random networks and ready scenarios.

use crate::judge;
use crate::judge::positions::assert_laws;
use crate::length::quick_or_long;
use crate::ready_scenarios::{scenarios, shorten};
use penstock_engine::core::time::{Span, Time};
use penstock_engine::network::position::{Position, Spot};
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;
use proptest::prelude::*;

const MS: u64 = 1_000_000_000;

/// Two cells a millisecond, at 0, 0.5, .. ms, over a line that needs 1 ms a cell and delays by 3 ms.
fn cells(more: &str) -> String {
    format!(
        r#"
        duration = "20 ms"
        [line.trunk]
        between = ["a", "b"]
        rate = "424 kb/s"
        delay = "3 ms"
        [flow.data]
        path = ["a", "b"]
        traffic.cbr = {{ rate = "848 kb/s", start = "0 s" }}
        {more}
        "#
    )
}

fn change(at: &str, path: &str, value: &str) -> String {
    format!("[[change]]\nat = \"{at}\"\npath = '{path}'\nvalue = '{value}'\n")
}

/// Port, flow, number and place of every PDU at a time in microseconds.
fn positions(text: &str, at: u64) -> Vec<(String, u32, u32, Spot)> {
    let scenario = document::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let mut run = Run::new(&scenario, 1, 0, Form::Fast).unwrap();
    while !run.advance_to(Time(at * MS / 1_000)).unwrap() {}
    let named = |Position { pdu, spot }: Position| {
        let port = match spot {
            Spot::Queue { port, .. } | Spot::Service { port, .. } | Spot::Line { port, .. } => port,
            Spot::Shaper { .. } | Spot::Sender { .. } => return ("shaper".to_owned(), pdu.flow.0, pdu.sequence, spot),
        };
        (run.world().port(port as usize).unwrap().name().into_owned(), pdu.flow.0, pdu.sequence, spot)
    };
    run.world().positions().into_iter().map(named).collect()
}

/// The places of the PDUs of `port`, by number.
fn at_port(text: &str, at: u64, port: &str) -> Vec<(u32, Spot)> {
    let found = positions(text, at).into_iter().filter(|(name, ..)| name == port);
    found.map(|(_, _, sequence, spot)| (sequence, spot)).collect()
}

fn ms(halves: u64) -> Time {
    Time(halves * MS / 2)
}

#[test]
fn a_cell_is_on_the_line_in_service_or_in_the_queue() {
    // At 2.25 ms five cells have been sent. Services end at 1, 2, 3, 4 and 5 ms, and arrivals are 3 ms later.
    let line =
        |fraction, departed, arrives| Spot::Line { port: 0, fraction, departed: ms(departed), arrives: ms(arrives) };
    let queue = |place, starts| Spot::Queue { port: 0, queue: 0, place, starts: ms(starts) };
    let expected = [
        (0, line(1.25 / 3.0, 2, 8)),
        (1, line(0.25 / 3.0, 4, 10)),
        (2, Spot::Service { port: 0, queue: 0, sent: 0.25, departs: ms(6) }),
        (3, queue(1, 6)),
        (4, queue(2, 8)),
    ];
    assert_eq!(at_port(&cells(""), 2_250, "trunk"), expected);
}

#[test]
fn all_events_of_the_instant_have_happened() {
    // At 4 ms cell 0 arrives, cell 3 departs and cell 8 is sent.
    let found = at_port(&cells(""), 4_000, "trunk");
    assert_eq!(found[0], (1, Spot::Line { port: 0, fraction: 2.0 / 3.0, departed: ms(4), arrives: ms(10) }));
    assert_eq!(found[2], (3, Spot::Line { port: 0, fraction: 0.0, departed: ms(8), arrives: ms(14) }));
    assert_eq!(found[3], (4, Spot::Service { port: 0, queue: 0, sent: 0.0, departs: ms(10) }));
    assert_eq!((found.len(), found[7].0), (8, 8));
    assert_eq!(
        positions(&cells(""), 0),
        [("trunk".to_owned(), 0, 0, Spot::Service { port: 0, queue: 0, sent: 0.0, departs: ms(2) })]
    );
}

#[test]
fn a_new_rate_keeps_the_share_that_is_sent() {
    // Cell 2 is half sent at 2.5 ms. At half the rate an eighth more is sent by 2.75 ms, and the rest takes until 3.5 ms.
    let slow = cells(&change("2.5 ms", "line.trunk.rate", "212 kb/s"));
    let found = at_port(&slow, 2_750, "trunk");
    assert_eq!(found[2], (2, Spot::Service { port: 0, queue: 0, sent: 0.625, departs: ms(7) }));
    assert_eq!(found[3], (3, Spot::Queue { port: 0, queue: 0, place: 1, starts: ms(7) }));
    assert_eq!(found[4], (4, Spot::Queue { port: 0, queue: 0, place: 2, starts: ms(11) }));
}

#[test]
fn a_cell_keeps_the_delay_that_the_line_had_when_it_departed() {
    let line = |number, fraction, departed: u64, arrives: u64| {
        (number, Spot::Line { port: 0, fraction, departed: Time(departed), arrives: Time(arrives) })
    };
    // From 2.5 ms on the line delays by 1 ms. Cells 0 and 1 arrive at 4 and 5 ms. Cell 2, which departs at 3 ms, and cell
    // 3, at 4 ms, would arrive at 4 and 5 ms, but not before those ahead of them.
    let shorter = cells(&change("2.5 ms", "line.trunk.delay", "1 ms"));
    let found = at_port(&shorter, 3_500, "trunk");
    assert_eq!(found[..2], [line(0, 2.5 / 3.0, MS, 4 * MS), line(1, 0.5, 2 * MS, 5 * MS)]);
    assert_eq!(found[2], line(2, 500_000_000.0 / 2_000_000_001.0, 3 * MS, 5 * MS + 1));
    let found = at_port(&shorter, 4_500, "trunk");
    assert_eq!(found[1], line(2, 1_500_000_000.0 / 2_000_000_001.0, 3 * MS, 5 * MS + 1));
    assert_eq!(found[2], line(3, 500_000_000.0 / 1_000_000_002.0, 4 * MS, 5 * MS + 2));
    // From 2.5 ms on it delays by 5 ms.
    let longer = cells(&change("2.5 ms", "line.trunk.delay", "5 ms"));
    let found = at_port(&longer, 3_500, "trunk");
    assert_eq!(found[..2], [line(0, 2.5 / 3.0, MS, 4 * MS), line(1, 0.5, 2 * MS, 5 * MS)]);
    assert_eq!(found[2], line(2, 0.1, 3 * MS, 8 * MS));
    // Both changes, and the rate with the second.
    let both = cells(
        &(change("2.5 ms", "line.trunk.delay", "1 ms")
            + &change("3.25 ms", "line.trunk.rate", "848 kb/s")
            + &change("4.25 ms", "line.trunk.delay", "2 ms")),
    );
    // Cell 3 is a quarter sent at 3.25 ms, and departs at 3.625 ms; cell 4 at 4.125 ms and cell 5 at 4.625 ms.
    let found = at_port(&both, 4_750, "trunk");
    let clamped = |number, departed: u64, behind: u64| {
        let arrives = 5 * MS + behind;
        let part = |span: u64| span as f64;
        line(number, part(4_750 * MS / 1_000 - departed) / part(arrives - departed), departed, arrives)
    };
    assert_eq!(found[0], clamped(1, 2 * MS, 0));
    assert_eq!(found[1], clamped(2, 3 * MS, 1));
    assert_eq!(found[2], clamped(3, 3_625 * MS / 1_000, 2));
    assert_eq!(found[3], line(4, 0.625, 4_125 * MS / 1_000, 5_125 * MS / 1_000));
    assert_eq!(found[4], line(5, 0.0625, 4_625 * MS / 1_000, 6_625 * MS / 1_000));
}

#[test]
fn access_lines_have_queues_and_lines_too() {
    // The access line needs 1 ms a cell and delays by 2 ms; the trunk is four times as fast.
    let text = cells("access = { rate = '424 kb/s', delay = '2 ms' }")
        .replace("rate = \"424 kb/s\"\n", "rate = \"1696 kb/s\"\n");
    let at = |at| at_port(&text, at, "access/data");
    let line =
        |port, fraction, departed, arrives| Spot::Line { port, fraction, departed: ms(departed), arrives: ms(arrives) };
    let expected = [
        (0, line(2, 0.625, 2, 6)),
        (1, line(2, 0.125, 4, 8)),
        (2, Spot::Service { port: 2, queue: 0, sent: 0.25, departs: ms(6) }),
        (3, Spot::Queue { port: 2, queue: 0, place: 1, starts: ms(6) }),
        (4, Spot::Queue { port: 2, queue: 0, place: 2, starts: ms(8) }),
    ];
    assert_eq!(at(2_250), expected);
    assert_eq!(
        at_port(&text, 3_125, "trunk"),
        [(0, Spot::Service { port: 0, queue: 0, sent: 0.5, departs: Time(3_250 * MS / 1_000) })]
    );
    // A delay without a queue.
    let text = cells("access = { delay = '2 ms' }");
    let found = at_port(&text, 2_250, "access/data");
    assert_eq!(found.len(), 4);
    assert_eq!(found[0], (1, line(2, 0.875, 1, 5)));
    assert_eq!(found[3], (4, line(2, 0.125, 4, 8)));
    assert_eq!(at_port(&text, 2_250, "trunk"), [(0, Spot::Service { port: 0, queue: 0, sent: 0.25, departs: ms(6) })]);
}

#[test]
fn a_shaper_holds_cells_too() {
    // One cell a millisecond passes the shaper behind the access line; two come.
    let shaper = "access = { rate = '100 Gb/s' }\npolicers = [{ peak_rate_controller = { rate = '424 kb/s', size = '9 cells' } }]";
    let found = at_port(&cells(shaper), 2_250, "shaper");
    let spots: Vec<(u32, u32, u32)> = found
        .into_iter()
        .map(|(number, spot)| match spot {
            Spot::Shaper { stage, place, .. } => (number, stage, place),
            other => panic!("{other:?}"),
        })
        .collect();
    // Cells 0, 1 and 2 have passed at 0, 1 and 2 ms.
    assert_eq!(spots, [(3, 0, 0), (4, 0, 1)]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    fn every_pdu_held_is_in_one_position(number in 0u64..100_000) {
        let scenario = document::parse(&judge::network::text(number)).unwrap();
        assert_laws(&scenario, 14, &|| format!("network {number}"));
    }
}

#[test]
fn every_pdu_of_a_ready_scenario_is_in_one_position() {
    let mut seen = 0;
    for (path, mut scenario) in scenarios() {
        shorten(&path, &mut scenario, quick_or_long(0.3, 1.0), quick_or_long(0.005, 0.01));
        scenario.warm_up = Span::ZERO;
        seen += assert_laws(&scenario, 4, &|| path.display().to_string());
    }
    assert!(seen > quick_or_long(5_000, 10_000), "{seen}");
}
