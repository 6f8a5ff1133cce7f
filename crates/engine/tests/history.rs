//! The way of one PDU with its times: by hand, and in random networks.

use crate::judge;
use penstock_engine::core::error::Error;
use penstock_engine::core::pdu::Marks;
use penstock_engine::core::probe::{Event, Trace};
use penstock_engine::core::time::Time;
use penstock_engine::network::position::{Position, Spot};
use penstock_engine::run::history::{Stage, Step, Tracing};
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;
use penstock_engine::scenario::spec::Scenario;
use proptest::prelude::*;

const MS: u64 = 1_000_000_000;

/// Two cells a millisecond, at 0, 0.5, .. ms, over a line that needs 1 ms a cell and delays by 3 ms, and over another that
/// needs a quarter of a millisecond and has no delay.
fn cells(queue: &str, more: &str) -> Scenario {
    let text = format!(
        r#"
        duration = "50 ms"
        mismatches = "warn"
        [line.one]
        between = ["a", "b"]
        rate = "424 kb/s"
        delay = "3 ms"
        {queue}
        [line.two]
        between = ["b", "c"]
        rate = "1696 kb/s"
        [flow.data]
        path = ["a", "b", "c"]
        traffic.cbr = {{ rate = "848 kb/s", start = "0 s" }}
        {more}
        "#
    );
    document::parse(&text).unwrap_or_else(|error| panic!("{error}"))
}

fn traced(scenario: &Scenario, flow: &str, sequence: u32, until: Time) -> Result<Vec<Stage>, Error> {
    let mut tracing = Tracing::new(scenario, (3, 0), (flow, sequence), until)?;
    while !tracing.advance()? {}
    Ok(tracing.stages().to_vec())
}

/// The steps of a cell up to 50 ms, with their components, and times in eighths of a millisecond.
fn way(scenario: &Scenario, sequence: u32) -> Vec<(&'static str, String, f64)> {
    let stages = traced(scenario, "data", sequence, Time(50 * MS)).unwrap_or_else(|error| panic!("{error}"));
    stages.into_iter().map(|stage| (stage.step.name(), stage.component, stage.at.0 as f64 / (MS / 8) as f64)).collect()
}

fn named(steps: &[(&'static str, &str, f64)]) -> Vec<(&'static str, String, f64)> {
    steps.iter().map(|(step, component, at)| (*step, (*component).to_owned(), *at)).collect()
}

#[test]
fn a_cell_waits_is_sent_and_arrives() {
    // Cell 3, of 1.5 ms, is sent on the first line from 3 to 4 ms, arrives at 7 ms, and is sent on the second by 7.25 ms.
    let expected = named(&[
        ("sent", "data", 12.0),
        ("arrived", "one", 12.0),
        ("started", "one", 24.0),
        ("departed", "one", 32.0),
        ("arrived", "two", 56.0),
        ("started", "two", 56.0),
        ("departed", "two", 58.0),
        ("delivered", "data", 58.0),
    ]);
    let scenario = cells("", "");
    assert_eq!(way(&scenario, 3), expected);
    // Up to an earlier time it is known as far as it has come.
    let until = |at| traced(&scenario, "data", 3, Time(at)).unwrap().len();
    assert_eq!([12, 23, 24, 32, 55, 58].map(|eighths| until(eighths * MS / 8)), [2, 2, 3, 4, 4, 8]);
}

#[test]
fn a_cell_is_discarded_at_its_arrival() {
    // With four places the queue is full from 2.5 ms on, as a cell comes and goes at 3 ms: that of 3.5 ms is lost.
    let lost = cells("queues = [{ drop_tail = { size = '4 cells' } }]", "");
    assert_eq!(way(&lost, 7), named(&[("sent", "data", 28.0), ("arrived", "one", 28.0), ("discarded", "one", 28.0)]));
}

#[test]
fn a_cell_is_pushed_out_of_the_queue() {
    // As in `evictions`: the fourth waiting cell is the newest tagged one when a cell comes at 20.51 ms.
    let mut text = r#"
        duration = "39 ms"
        [line.fast]
        between = ["a", "b"]
        rate = "42.4 Mb/s"
        [line.slow]
        between = ["b", "c"]
        rate = "424 kb/s"
        queues = [{ push_out = { size = "4 cells" } }]
    "#
    .to_owned();
    let tagged = "policers = [{ leaky_bucket = { depth = \"1 cell\", drain = \"1 b/s\" } }]";
    for (name, start, rate, policers) in [
        ("tagged_1", "0 ms", 21_200, tagged),
        ("tagged_2", "200 us", 21_200, tagged),
        ("tagged_3", "400 us", 21_200, tagged),
        ("clean_1", "20100 us", 424, ""),
        ("clean_2", "20500 us", 424, ""),
    ] {
        text += &format!(
            "[flow.{name}]\npath = ['a', 'b', 'c']\ntraffic.cbr = {{ rate = '{rate} b/s', start = '{start}' }}\n{policers}\n"
        );
    }
    let stages = traced(&document::parse(&text).unwrap(), "tagged_3", 1, Time(39 * MS)).unwrap();
    let seen: Vec<_> = stages.iter().map(|stage| (stage.step, &*stage.component, stage.at.0 / (MS / 100))).collect();
    let expected = [
        (Step::Sent, "tagged_3", 2_040),
        (Step::Arrived, "fast", 2_040),
        (Step::Started, "fast", 2_040),
        (Step::Departed, "fast", 2_041),
        (Step::Arrived, "police/tagged_3", 2_041),
        (Step::Departed, "police/tagged_3", 2_041),
        (Step::Arrived, "slow", 2_041),
        (Step::Discarded, "slow", 2_051),
    ];
    assert_eq!(seen, expected);
    let tags: Vec<bool> = stages.iter().map(|stage| stage.marks.has(Marks::CLP)).collect();
    // It is tagged at the instant at which it leaves the first line.
    assert_eq!(tags, [false, false, false, true, true, true, true, true]);
}

#[test]
fn a_changed_rate_moves_what_comes_after_it() {
    // From 3.25 ms on the first line is twice as fast: three quarters of cell 3 take until 3.625 ms.
    let change = "[[change]]\nat = '3.25 ms'\npath = 'line.one.rate'\nvalue = '848 kb/s'\n";
    let steps = way(&cells("", change), 4);
    assert_eq!(
        steps[2..5],
        named(&[("started", "one", 29.0), ("departed", "one", 33.0), ("arrived", "two", 57.0)])[..]
    );
}

#[test]
fn a_shaper_and_an_access_line_are_on_the_way() {
    // The access line needs an eighth of a millisecond, and the shaper spaces cells by 1 ms: cell 2 arrives at 1.125 ms,
    // behind those of 0.125 and 1.125 ms, and leaves at 2.125 ms.
    let scenario = cells(
        "",
        "access = { rate = '3392 kb/s' }\npolicers = [{ peak_rate_controller = { rate = '424 kb/s', size = '99 cells' } }]",
    );
    let expected = named(&[
        ("sent", "data", 8.0),
        ("arrived", "access/data", 8.0),
        ("started", "access/data", 8.0),
        ("departed", "access/data", 9.0),
        ("arrived", "police/data", 9.0),
        ("departed", "police/data", 17.0),
        ("arrived", "one", 17.0),
        ("started", "one", 17.0),
        ("departed", "one", 25.0),
    ]);
    assert_eq!(way(&scenario, 2)[..9], expected[..]);
}

#[test]
fn marks_show_where_they_were_set() {
    let marked = cells("congestion_point.efci = { qt = '2 cells' }", "");
    // Cell 7, of 3.5 ms, leaves more than two cells behind.
    let stages = traced(&marked, "data", 7, Time(50 * MS)).unwrap();
    let marks: Vec<(Step, bool)> = stages.iter().map(|stage| (stage.step, stage.marks.has(Marks::EFCI))).collect();
    assert_eq!(marks[2..4], [(Step::Started, false), (Step::Departed, true)]);
}

#[test]
fn what_was_never_sent_is_refused() {
    let scenario = cells("", "");
    let refused = |flow, sequence, until| traced(&scenario, flow, sequence, Time(until)).unwrap_err().to_string();
    let error = refused("data", 5, 2 * MS);
    assert!(error.contains("has sent 5 data PDUs so far") && error.contains("give at most 4"), "{error}");
    let error = refused("date", 5, 2 * MS);
    assert!(error.contains("no such flow") && error.contains("`data`"), "{error}");
}

/// The ways of some PDUs that are in the network at an instant agree with their positions, and their ends with a trace.
fn assert_ways(number: u64) {
    let scenario = document::parse(&judge::network::text(number)).unwrap();
    let at = Time(scenario.duration.0 / 3);
    let mut run = Run::with_probe(&scenario, 3, 0, Form::Fast, Trace::default()).unwrap();
    while !run.advance_to(at).unwrap() {}
    let positions = run.world().positions();
    let data: Vec<&Position> = positions.iter().filter(|position| position.pdu.kind().is_data()).collect();
    run.finish().unwrap();
    let world = run.world();
    for Position { pdu, spot } in data.iter().step_by(data.len().div_ceil(3).max(1)) {
        let flow = &world.flows()[pdu.flow.index()].name();
        let so_far = traced(&scenario, flow, pdu.sequence, at).unwrap();
        let last = so_far.last().unwrap();
        let is_there = match *spot {
            Spot::Sender { .. } => last.step == Step::Sent,
            Spot::Queue { .. } | Spot::Shaper { .. } => last.step == Step::Arrived,
            Spot::Service { .. } => last.step == Step::Started,
            Spot::Line { departed, .. } => (last.step, last.at) == (Step::Departed, departed),
        };
        assert!(is_there, "network {number}: {spot:?} and {last:?}");
        let whole = traced(&scenario, flow, pdu.sequence, Time::NEVER).unwrap();
        assert_eq!(whole[..so_far.len()], so_far, "network {number}");
        assert!(whole.windows(2).all(|pair| pair[0].at <= pair[1].at), "network {number}: {whole:?}");
        for pair in whole.windows(2).filter(|pair| pair[0].step == Step::Started) {
            let port = world.ports().find(|port| *port.name() == *pair[0].component).unwrap();
            let span = port.rate().unwrap().span(pdu.bits());
            let taken = pair[1].at.since(pair[0].at);
            // A remainder below a picosecond goes into the next service.
            let is_exact = pair[1].step == Step::Departed && taken.0.abs_diff(span.0) <= 1;
            assert!(is_exact || world.clock() <= pair[1].at, "network {number}: {span:?}, {pair:?}");
        }
        let end = whole.last().unwrap();
        let own = (pdu.flow, pdu.sequence);
        let is_end = |(time, event): &(Time, Event)| match event {
            _ if *time != end.at => false,
            Event::Delivered { flow, sequence } => end.step == Step::Delivered && (*flow, *sequence) == own,
            Event::Discarded { place, flow, sequence } => {
                end.step == Step::Discarded && *place == end.component && (*flow, *sequence) == own
            }
            Event::Notice { .. } => false,
        };
        let has_ended = matches!(end.step, Step::Delivered | Step::Discarded);
        assert_eq!(has_ended, world.probe().events.iter().any(is_end), "network {number}: {end:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    fn ways_agree_with_positions_and_with_a_trace(number in 0u64..100_000) {
        assert_ways(number);
    }
}
