//! Horizons, by hand and in random networks; stops and slices.

use super::*;
use crate::core::probe::Trace;
use crate::network::testing::{CELL, cell, key, put};
use crate::scenario::assembly::{self, Assembled, Form};
use crate::scenario::document;

/// The network of a scenario at time 0, and the length of the run.
pub(super) fn world(text: &str, form: Form) -> (World<Trace>, Span) {
    let scenario = document::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let Assembled { world, .. } = assembly::world(&scenario, 1, 0, form, Trace::default()).unwrap();
    (world, scenario.duration)
}

/// Index of the first node of a kind.
fn process(world: &World<Trace>, is_wanted: impl Fn(&Node) -> bool) -> usize {
    world.processes.iter().position(|process| is_wanted(&process.node)).unwrap()
}

/// The horizon of a node in the next round.
fn horizon_of(world: &World<Trace>, process: usize) -> Time {
    horizon(&world.processes, &world.processes[process].feeders, world.first(), &world.ctx)
}

/// One cell every 2 us from 5 us on. The line has a serialisation time of 1 us and a propagation delay of 10 us.
pub(super) const LINE: &str = r#"
    duration = "50 us"
    [line.trunk]
    between = ["a", "b"]
    rate = "424 Mb/s"
    delay = "10 us"
    [flow.data]
    path = ["a", "b"]
    traffic.cbr = { rate = "212 Mb/s", start = "5 us" }
"#;

#[test]
fn a_line_gives_a_lookahead_of_one_cell_and_its_delay() {
    let (mut world, _) = world(LINE, Form::Fast);
    let hosts = process(&world, |node| matches!(node, Node::Hosts(_)));
    let sinks = process(&world, |node| matches!(node, Node::Sinks(_)));
    assert_eq!(world.first(), Time(5 * CELL));
    // Nothing reaches the source. PDUs reach the port without delay, and the receiver not before 5 + 1 + 10 us.
    let horizons = |world: &World<Trace>| [hosts, 0, sinks].map(|process| horizon_of(world, process));
    assert_eq!(horizons(&world), [Time::NEVER, Time(5 * CELL), Time(16 * CELL)]);
    // A round up to 8 us: the cells of 5 and 7 us are sent and on the line.
    world.round(Time(5 * CELL), Time(8 * CELL));
    assert_eq!([hosts, 0, sinks].map(|process| world.processes[process].horizon), [Time(8 * CELL); 3]);
    assert_eq!(world.first(), Time(9 * CELL));
    // The line is free from 8 us on, and no cell is sent before 9 us.
    assert_eq!(horizons(&world), [Time::NEVER, Time(9 * CELL), Time(20 * CELL)]);
}

/// Two bidirectional connections through switches that write into backward RM cells, and other flows.
fn both_ways(duration: &str, delay: &str, beside: &str) -> String {
    let connection = |name, path, peer| {
        format!(
            r#"
            [flow.{name}]
            path = {path}
            peer = "{peer}"
            traffic.greedy = {{}}
            reaction_point.tm40 = {{}}
            notification_point.turn_round = {{}}
            "#
        )
    };
    let [one, two] = [connection("one", r#"["a", "b"]"#, "two"), connection("two", r#"["b", "a"]"#, "one")];
    format!(
        r#"
        duration = "{duration}"
        [line.trunk]
        between = ["a", "b"]
        rate = "424 Mb/s"
        delay = "{delay}"
        congestion_point.eds = {{}}
        reverse.congestion_point.eds = {{}}
        {one}{two}{beside}
        "#
    )
}

#[test]
fn a_port_that_only_observes_pdus_bounds_the_next_node_by_their_arrival() {
    let (mut world, _) = world(&both_ways("3 ms", "10 us", ""), Form::Fast);
    let feeds = |process: &Process, node: u32, edge: Edge| process.feeders.contains(&Feeder { node, edge });
    let host = world.processes.iter().position(|process| feeds(process, 0, Edge::Observed)).unwrap();
    assert!(feeds(&world.processes[host], 1, Edge::Line));
    // Every such PDU first needs the line back: one cell and 10 us.
    assert_eq!((world.first(), horizon_of(&world, host)), (Time::ZERO, Time(11 * CELL)));
    // A PDU in transit to the port that arrives at 3 us leaves it without delay.
    let observed = world.processes[0].observed.0[0];
    put(&mut world.ctx, observed.0, key(3 * CELL, 1), cell(1, 0));
    assert_eq!(horizon_of(&world, host), Time(3 * CELL));
    // But not before the horizon of the port itself.
    world.processes[0].horizon = Time(4 * CELL);
    assert_eq!(horizon_of(&world, host), Time(4 * CELL));
}

/// Checks the rules: below the horizon of a node its lanes are empty and it has no timer, and the keys of a lane never
/// decrease.
pub(super) fn assert_rules(world: &World<Trace>, message: &dyn Fn() -> String) {
    for (index, process) in world.processes.iter().enumerate() {
        let is_in_time = |time: Time| {
            assert!(time >= process.horizon, "{time:?} below {:?} at node {index}: {}", process.horizon, message());
        };
        is_in_time(process.node.timer().time);
        for lane in &process.inbox.lanes {
            let mut last = Key::start_of(process.horizon);
            for record in world.ctx.lanes[lane.index()].iter() {
                is_in_time(record.time);
                assert!(record.key() >= last, "{:?} behind {last:?} in {lane:?}: {}", record.key(), message());
                last = record.key();
            }
        }
    }
}

/// Runs a network unit by unit, in rounds of about a hundredth of its length, and checks the rules after each unit.
fn assert_rules_hold(text: &str, form: Form, rounds: u64) -> u64 {
    let (mut world, length) = world(text, form);
    let end = Time::ZERO + length;
    let window = Span(length.0 / rounds);
    let mut stops = 0;
    while world.first() < end {
        let first = world.first();
        for unit in 0..world.turns.units().len() {
            world.run_unit(unit, first, end.min(first + window));
            assert_rules(&world, &|| format!("{form:?}, unit {unit}, round from {first:?}\n{text}"));
        }
        // Each round makes progress: the earliest pending event has happened.
        assert!(world.first() > first, "{form:?}, round from {first:?}\n{text}");
        stops += 1;
    }
    world.check().unwrap();
    stops
}

#[test]
fn nothing_is_sent_below_a_horizon() {
    let mut stops = 0;
    for number in 0..70 {
        let text = crate::random_network::text(number);
        // Slices of many lengths: the horizons depend on them.
        stops += assert_rules_hold(&text, Form::Fast, 20 + 7 * (number % 30));
        if number % 7 == 0 {
            assert_rules_hold(&text, Form::Plain, 30);
        }
    }
    assert!(stops > 70 * 20, "{stops}");
}

/// A port sends notices to the source without delay: the two form a cluster.
const LOOP: &str = r#"
    duration = "3 ms"
    [line.output]
    between = ["a", "b"]
    rate = "424 Mb/s"
    congestion_point.becn = { threshold = "3 cells", filter.none = {} }
    [flow.source]
    count = 2
    path = ["a", "b"]
    traffic.greedy = {}
    reaction_point.becn = { recovery.own_cells = 4 }
"#;

#[test]
fn a_slice_ends_at_a_time_that_all_nodes_have_reached() {
    let both_ways = both_ways("3 ms", "10 us", "");
    for (text, form) in [(LINE, Form::Fast), (LINE, Form::Plain), (&both_ways, Form::Fast), (LOOP, Form::Fast)] {
        let (mut world, length) = world(text, form);
        world.window = Span(2 * CELL);
        let (mut stops, mut last) = (0, None);
        while !world.run_until(Time::ZERO + length, 1).unwrap() {
            let clock = world.clock();
            assert!(last < Some(clock), "{last:?} {clock:?}");
            last = Some(clock);
            for unit in world.turns.units() {
                let members = match unit {
                    RoundUnit::Node(node) => std::slice::from_ref(node),
                    RoundUnit::Cluster(cluster) => cluster.members(),
                };
                for &member in members {
                    assert_eq!(world.processes[member as usize].horizon, clock + Span(1));
                }
            }
            assert!(world.first() > clock);
            stops += 1;
        }
        assert!(stops >= 3, "{stops}");
        assert_eq!(world.clock(), Time::ZERO + length);
    }
}

#[test]
fn the_last_departure_ends_the_run_at_its_time() {
    // The cells of 5, 7, 9, .. us depart 1 us later. After 8 us the first three are those of 9, 11 and 13 us.
    for (form, slice) in [(Form::Fast, u64::MAX), (Form::Fast, 1), (Form::Plain, u64::MAX)] {
        let (mut world, length) = world(LINE, form);
        let until = Time::ZERO + length;
        while !world.run_until(Time(8 * CELL), slice).unwrap() {}
        assert_eq!((world.clock(), world.end()), (Time(8 * CELL), Time::NEVER));
        world.stop_after(0, 3);
        while !world.run_until(until, slice).unwrap() {}
        assert_eq!((world.clock(), world.end()), (Time(14 * CELL), Time(14 * CELL)));
        // No node has run further: the cell of 15 us has not been sent.
        assert_eq!(world.ctx.sent, 5);
        assert!(world.processes.iter().all(|process| process.horizon <= Time(14 * CELL + 1)));
    }
}

#[test]
fn a_departure_that_is_known_already_ends_the_run() {
    // At 5.5 us the only cell is in service; it departs at 6.
    let (mut world, length) = world(LINE, Form::Fast);
    assert!(world.run_until(Time(5 * CELL + CELL / 2), u64::MAX).unwrap());
    world.stop_after(0, 1);
    assert_eq!(world.end(), Time(6 * CELL));
    assert!(world.run_until(Time::ZERO + length, u64::MAX).unwrap());
    assert_eq!((world.clock(), world.ctx.sent), (Time(6 * CELL), 1));
}

/// A source without feedback.
const OPEN: &str = r#"
    [line.in]
    between = ["x", "a"]
    rate = "424 Mb/s"
    [flow.open]
    path = ["x", "a", "b"]
    traffic.cbr = { rate = "100 Mb/s", start = "0 us" }
"#;

#[test]
fn a_source_without_feedback_runs_ahead_by_at_most_one_round() {
    let (mut world, length) = world(&both_ways("200 ms", "1 us", OPEN), Form::Fast);
    let end = Time::ZERO + length;
    let (mut taken, mut slices) = (0, 0);
    while !world.run_until(end, 1).unwrap() {
        let more = world.handled() - taken;
        assert!(more <= 4 * MOST, "{more}");
        taken += more;
        slices += 1;
    }
    assert!(slices > 20, "{slices}");
}

/// The events of several nodes at one time are in the same order, whichever node ran first.
#[test]
fn a_trace_is_the_same_in_both_forms_and_in_any_slices() {
    for number in 0..40 {
        let text = crate::random_network::text(number);
        let run = |form, slice: Span| {
            let (mut world, length) = world(&text, form);
            let end = Time::ZERO + length;
            while world.clock() < end {
                world.run_until(end.min(world.clock() + slice), u64::MAX).unwrap();
            }
            (world.fingerprint(), world.probe().events.clone())
        };
        let fast = run(Form::Fast, Span(u64::MAX));
        assert!(run(Form::Fast, Span(50 * CELL)) == fast, "{number}, sliced");
        assert!(run(Form::Plain, Span(u64::MAX)) == fast, "{number}, plain");
    }
}

#[test]
fn a_pdu_too_many_is_noticed_as_one_too_few_is() {
    let (mut world, _) = world(LINE, Form::Fast);
    let sinks = process(&world, |node| matches!(node, Node::Sinks(_)));
    assert!(world.run_until(Time(8 * CELL), u64::MAX).unwrap());
    // The cells of 5 and 7 us are on the line.
    let books = |world: &World<Trace>| match world.check() {
        Err(Error::Conservation { sent, delivered, dropped, in_flight, .. }) => {
            Some([sent, delivered, dropped, in_flight])
        }
        _ => None,
    };
    assert_eq!(books(&world), None);
    let lane = world.processes[sinks].inbox.lanes[0];
    put(&mut world.ctx, lane.0, key(30 * CELL, 0), cell(0, 9));
    assert_eq!(books(&world), Some([2, 0, 0, 3]));
    world.ctx.lanes[lane.index()].drop_front(2);
    assert_eq!(books(&world), Some([2, 0, 0, 1]));
}
