//! The PDUs that a port sends and their times: priorities, watched departures, random order within an instant, and the
//! departure that ends a run. A cell takes one microsecond on the line, and the propagation delay is ten.

use super::*;
use crate::control::{CongestionParams, PortEnv};
use crate::core::pdu::Marks;
use crate::core::probe::{Event, Trace};
use crate::core::time::{Rate, Span};
use crate::network::context::Ctx;
use crate::network::inbox::Inbox;
use crate::network::testing::{CELL, CELL_RATE, cell, context, inbox, key, put, seen};
use crate::queue;

/// Places at equal times: services, then deliveries, then hosts, then gathering.
const SERVICE: u32 = 0;
const DELIVERY: u32 = 6;
const HOSTS: u32 = 20;
const GATHERING: u32 = 40;
const DELAY: u64 = 10 * CELL;

/// Those of the only flow.
fn next_lanes() -> NextLanes {
    let mut lanes = NextLanes::new(Crossing { first: 0, last: 0, count: 1 });
    *lanes.entry(0) = NextLane { forward: LaneId(1), backward: LaneId(2) };
    lanes
}

/// A port with unlimited queues and no options.
pub(in crate::network) fn parts(queues: usize) -> Parts {
    Parts {
        name: "port".to_owned(),
        number: 3,
        between: ["a".to_owned(), "b".to_owned()],
        rate: Some(CELL_RATE),
        rate_varies: false,
        opportunities: None,
        delay: Span(DELAY),
        jitter: None,
        outage: None,
        policies: (0..queues).map(|_| queue::Params::UNLIMITED.sketch()).collect(),
        scheduler: scheduler::Params::default().build(()),
        buffer: None,
        congestion: None,
        order: None,
        groups: Arc::from([0]),
        group_count: 1,
        measures_bits: false,
        least_bits: 424,
        first_queue: 0,
        places: Places { service: Place(SERVICE), delivery: Place(DELIVERY), gathering: Place(GATHERING) },
        observed: vec![false],
        next_lanes: next_lanes(),
    }
}

pub(super) fn point(text: &str) -> Option<Congestion> {
    let params: CongestionParams = toml::from_str(text).unwrap();
    assert_eq!(params.check(), Ok(()));
    let flows = vec![crate::control::FlowTerms { peer: crate::core::pdu::FlowId(0), minimum: 0.0 }];
    let rate = Rate(424_000_000);
    Some(params.build(PortEnv {
        stream: Stream::new(1, 0, "port"),
        rate,
        queues: 1,
        flow_count: 1,
        minimum: 0.0,
        octets: 53,
        round_trip: Span::ZERO,
        flows: flows.into(),
    }))
}

pub(super) fn policy(text: &str) -> Policy {
    let params: queue::Params = toml::from_str(text).unwrap();
    params.sketch()
}

/// A port with one inbox lane, 0. Its line leads to lane 1, and its own PDUs go to lane 2.
pub(super) struct Bench {
    pub(super) port: Port,
    inbox: Inbox,
    pub(super) ctx: Ctx<Trace>,
}

impl Bench {
    /// Numbered cells with these arrival times and priorities.
    pub(super) fn new(parts: Parts, arrivals: &[(u64, u8)]) -> Bench {
        let mut ctx = context(3, 1);
        for (&(time, priority), sequence) in arrivals.iter().zip(0..) {
            let mut pdu = cell(0, sequence);
            pdu.priority = priority;
            ctx.count_sent(&pdu);
            put(&mut ctx, 0, key(time, HOSTS), pdu);
        }
        Bench { port: Port::new(parts), inbox: inbox(1), ctx }
    }

    pub(super) fn run(&mut self, until: Key) {
        self.port.run(&self.inbox, until, &mut self.ctx);
    }

    /// Departure time and number of each cell in the lane behind the line.
    pub(super) fn departed(&self) -> Vec<(u64, u32)> {
        let arrived = seen(&self.ctx, 1);
        assert!(arrived.iter().all(|(_, place, _)| *place == DELIVERY));
        arrived.into_iter().map(|(time, _, sequence)| (time - DELAY, sequence)).collect()
    }

    pub(super) fn held(&self) -> usize {
        let mut held = 0;
        self.port.held(&mut |_| held += 1);
        held
    }
}

#[test]
fn in_a_fifo_queue_each_departure_is_known_at_arrival() {
    let mut bench = Bench::new(parts(1), &[(0, 0), (0, 0), (CELL / 2, 0), (7 * CELL, 0)]);
    assert_eq!(bench.port.line_bound(Time(3)), Time(3 + CELL + DELAY));
    bench.run(key(CELL, 0));
    assert_eq!(bench.departed(), [(CELL, 0), (2 * CELL, 1), (3 * CELL, 2)]);
    // No timer is left. The next cell could depart 1 us after the last.
    assert_eq!((bench.port.timer(), bench.held()), (Key::NEVER, 0));
    assert_eq!(bench.port.line_bound(Time(CELL)), Time(4 * CELL + DELAY));
    // The measures are those of the last arrival until `catch_up`.
    bench.port.catch_up(Time(2 * CELL), &mut bench.ctx);
    let queue = bench.port.queues()[0];
    assert_eq!((queue.present, queue.measures.departed, queue.measures.most), (1, 2, 3));
    // Length 2 from 0 to 0.5 us, 3 to 1 us, 2 to 2 us.
    assert_eq!(queue.area(Time(2 * CELL)), i128::from(CELL + 3 * CELL / 2 + 2 * CELL));
    bench.run(Key::NEVER);
    assert_eq!(bench.departed()[3..], [(8 * CELL, 3)]);
}

#[test]
fn a_lower_priority_waits_until_the_line_is_free() {
    // Cell 0 finds the line free. Cell 1 waits for cells 2 and 3: they have the first priority and arrive while cell 0
    // is sent.
    let arrivals = [(0, 1), (CELL / 10, 1), (CELL / 2, 0), (6 * CELL / 10, 0)];
    let mut bench = Bench::new(parts(2), &arrivals);
    bench.run(key(CELL, 0));
    assert_eq!(bench.departed(), [(CELL, 0), (2 * CELL, 2), (3 * CELL, 3)]);
    assert_eq!((bench.port.timer(), bench.held()), (key(3 * CELL, SERVICE), 1));
    bench.run(key(3 * CELL, SERVICE));
    assert_eq!(bench.held(), 1);
    bench.run(key(3 * CELL, SERVICE).after());
    assert_eq!((bench.departed()[3..].to_vec(), bench.held()), (vec![(4 * CELL, 1)], 0));
    assert_eq!(bench.port.timer(), Key::NEVER);
}

#[test]
fn departures_of_an_instant_come_before_arrivals() {
    // Cell 1 waits until 1 us. Cell 2 has the first priority and arrives exactly then: too late.
    let mut bench = Bench::new(parts(2), &[(0, 1), (CELL / 2, 1), (CELL, 0)]);
    bench.run(Key::NEVER);
    assert_eq!(bench.departed(), [(CELL, 0), (2 * CELL, 1), (3 * CELL, 2)]);
    // A departure makes room for an arrival of the same instant.
    let full = Parts { policies: vec![policy("drop_tail = { size = '2 cells' }")], ..parts(1) };
    let mut bench = Bench::new(full, &[(0, 0), (0, 0), (CELL - 1, 0), (CELL, 0)]);
    bench.run(Key::NEVER);
    assert_eq!(bench.departed(), [(CELL, 0), (2 * CELL, 1), (3 * CELL, 3)]);
    assert_eq!(bench.ctx.flows[0].counts[0].dropped, 1);
}

#[test]
fn a_watched_departure_is_handled_at_its_time() {
    let watched = Parts { congestion: point("efci = { qt = '1 cells' }"), ..parts(1) };
    let mut bench = Bench::new(watched, &[(0, 0), (CELL / 10, 0), (CELL / 5, 0)]);
    bench.run(key(CELL / 2, 0));
    assert_eq!((bench.departed(), bench.held()), (vec![], 3));
    assert_eq!(bench.port.timer(), key(CELL, SERVICE));
    // Nothing reaches the far end before the PDU in service.
    assert_eq!(bench.port.line_bound(Time(CELL / 2)), Time(CELL + DELAY));
    bench.run(key(2 * CELL, SERVICE).after());
    assert_eq!((bench.departed(), bench.held()), (vec![(CELL, 0), (2 * CELL, 1)], 1));
    bench.run(Key::NEVER);
    assert_eq!(bench.departed()[2..], [(3 * CELL, 2)]);
    // Cell 0 leaves two cells behind, more than one; cell 1 leaves one.
    let marked: Vec<bool> = bench.ctx.lanes[1].iter().map(|record| record.pdu.marks.has(Marks::EFCI)).collect();
    assert_eq!(marked, [true, false, false]);
    assert_eq!(bench.port.by_group()[0].marked, 1);
}

#[test]
fn a_push_out_queue_evicts_the_newest_tagged_cell() {
    let mut bench = Bench::new(Parts { policies: vec![policy("push_out = { size = '3 cells' }")], ..parts(1) }, &[]);
    // Cell 0 is in service and stays, although it is tagged. Cell 3 finds the queue full, and cell 2 tagged.
    for (sequence, tagged) in [(0, true), (1, true), (2, true), (3, false)] {
        let mut pdu = cell(0, sequence);
        if tagged {
            pdu.marks.set(Marks::CLP);
        }
        bench.ctx.count_sent(&pdu);
        put(&mut bench.ctx, 0, key(10 * u64::from(sequence), HOSTS), pdu);
    }
    bench.run(key(CELL, 0));
    assert_eq!((bench.departed(), bench.held()), (vec![(CELL, 0)], 2));
    let gone: Vec<u64> = bench.ctx.probe.events.iter().map(|(at, _)| at.0).collect();
    assert!(matches!(bench.ctx.probe.events[0].1, Event::Discarded { sequence: 2, .. }));
    assert_eq!(gone, [30]);
    bench.run(Key::NEVER);
    assert_eq!(bench.departed(), [(CELL, 0), (2 * CELL, 1), (3 * CELL, 3)]);
}

#[test]
fn a_notice_has_the_place_of_its_cell() {
    let notifying = Parts { congestion: point("becn = { threshold = '1 cells', filter.none = {} }"), ..parts(1) };
    let mut bench = Bench::new(notifying, &[(0, 0), (CELL / 2, 0), (CELL, 0)]);
    bench.run(Key::NEVER);
    // Cell 1 finds one cell in the queue. Cell 2 finds cell 0 gone and cell 1 present.
    assert_eq!(seen(&bench.ctx, 2), [(CELL / 2, HOSTS, 0), (CELL, HOSTS, 1)]);
    assert_eq!(bench.ctx.flows[0].counts[1].sent, 2);
}

#[test]
fn arrivals_of_one_instant_are_gathered_and_admitted_after_all_others() {
    let gathers = |seed| Parts { order: Some(Stream::new(seed, 0, "order")), ..parts(1) };
    let arrivals = [(5, 0), (5, 0), (5, 0), (3 * CELL, 0)];
    let mut orders = Vec::new();
    for seed in 0..20 {
        let mut bench = Bench::new(gathers(seed), &arrivals);
        bench.run(key(5, GATHERING));
        assert_eq!((bench.departed(), bench.held(), bench.port.timer()), (vec![], 3, key(5, GATHERING)));
        bench.run(key(5, GATHERING).after());
        let departed = bench.departed();
        assert_eq!(departed.iter().map(|cell| cell.0).collect::<Vec<_>>(), [1, 2, 3].map(|cells| cells * CELL + 5));
        let mut numbers: Vec<u32> = departed.iter().map(|cell| cell.1).collect();
        orders.push(numbers.clone());
        numbers.sort_unstable();
        assert_eq!((numbers, bench.port.timer()), (vec![0, 1, 2], Key::NEVER));
        bench.run(Key::NEVER);
        assert_eq!(bench.departed()[3..], [(4 * CELL + 5, 3)]);
    }
    orders.sort();
    orders.dedup();
    // 20 draws of 6 orders: the chance of fewer than 3 different orders is one in a million.
    assert!(orders.len() >= 3, "{orders:?}");
}

#[test]
fn a_broken_line_discards_arrivals() {
    let outage = Some(Interval { from: Span(CELL), to: Span(2 * CELL) });
    let mut bench = Bench::new(Parts { outage, ..parts(1) }, &[(0, 0), (CELL, 0), (2 * CELL - 1, 0), (2 * CELL, 0)]);
    bench.run(Key::NEVER);
    assert_eq!((bench.departed(), bench.ctx.flows[0].counts[0].dropped), (vec![(CELL, 0), (3 * CELL, 3)], 2));
}

#[test]
fn the_run_ends_no_earlier_than_the_missing_departures_allow() {
    let mut bench = Bench::new(parts(1), &[(0, 0), (CELL / 2, 0), (5 * CELL, 0)]);
    assert_eq!(bench.port.earliest_stop(Time(5 * CELL)), Time::NEVER);
    assert_eq!(bench.port.stop_after(3), None);
    assert_eq!(bench.port.earliest_stop(Time(5 * CELL)), Time(8 * CELL));
    bench.run(key(CELL / 4, 0));
    // One departs at 1 us; two are missing.
    assert_eq!(bench.port.earliest_stop(Time::ZERO), Time(3 * CELL));
    bench.run(key(CELL, 0));
    assert_eq!((bench.port.earliest_stop(Time(4 * CELL)), bench.ctx.end), (Time(5 * CELL), Time::NEVER));
    bench.run(Key::NEVER);
    assert_eq!((bench.port.earliest_stop(Time::ZERO), bench.ctx.end), (Time::NEVER, Time(6 * CELL)));
}

#[test]
fn departures_are_counted_from_the_call_on() {
    let mut bench = Bench::new(parts(1), &[(0, 0), (0, 0), (0, 0)]);
    bench.run(key(1, 0));
    bench.port.catch_up(Time(CELL), &mut bench.ctx);
    // One has departed. Of the other two, the second will depart at 3 us.
    assert_eq!(bench.port.stop_after(2), Some(Time(3 * CELL)));
    assert_eq!(bench.port.stop_after(1), Some(Time(2 * CELL)));
    assert_eq!(bench.port.stop_after(3), None);
    assert_eq!(bench.port.earliest_stop(Time::ZERO), Time(4 * CELL));
}

#[test]
fn a_delay_without_queueing_keeps_the_place_of_arrivals() {
    let mut bench = Bench::new(Parts { rate: None, delay: Span::ZERO, ..parts(1) }, &[(5, 0), (5, 0), (9, 0)]);
    bench.run(Key::NEVER);
    assert_eq!(seen(&bench.ctx, 1), [(5, HOSTS, 0), (5, HOSTS, 1), (9, HOSTS, 2)]);
}

#[test]
fn what_waits_goes_first_at_a_port_that_counts_bits_too() {
    // As above: cell 1 waits until 1 us, and cell 2 of the first priority comes at that very instant.
    let counted = Parts { measures_bits: true, ..parts(2) };
    let mut bench = Bench::new(counted, &[(0, 1), (CELL / 2, 1), (CELL, 0)]);
    bench.run(Key::NEVER);
    assert_eq!(bench.departed(), [(CELL, 0), (2 * CELL, 1), (3 * CELL, 2)]);
}

#[test]
fn the_most_present_is_that_of_all_queues() {
    // Two of the second priority and one of the first at 0; long after, one of the first priority alone.
    let mut bench = Bench::new(parts(2), &[(0, 1), (0, 1), (0, 0), (9 * CELL, 0)]);
    bench.run(key(8 * CELL, 0));
    bench.port.catch_up(Time(8 * CELL), &mut bench.ctx);
    bench.run(Key::NEVER);
    assert_eq!((bench.departed().len(), bench.port.most_present()), (4, 3));
    let most: Vec<u64> = bench.port.queues().iter().map(|queue| queue.measures.most).collect();
    assert_eq!(most, [1, 2]);
}

#[test]
fn what_is_present_at_a_reset_is_the_first_maximum_behind_it() {
    let mut bench = Bench::new(parts(1), &[(0, 0), (0, 0), (0, 0)]);
    bench.run(key(1, 0));
    bench.port.catch_up(Time(CELL), &mut bench.ctx);
    bench.port.reset_measures(Time(CELL));
    let queue = bench.port.queues()[0];
    assert_eq!((queue.measures.most, queue.measures.most_before), (2, 3));
    assert_eq!((bench.port.most_present(), bench.port.most_present_before()), (2, 3));
}

#[test]
fn a_pdu_that_is_pushed_out_was_present_until_then() {
    let mut bench = Bench::new(Parts { policies: vec![policy("push_out = { size = '2 cells' }")], ..parts(1) }, &[]);
    for (sequence, tagged) in [(0, false), (1, true), (2, false)] {
        let mut pdu = cell(0, sequence);
        if tagged {
            pdu.marks.set(Marks::CLP);
        }
        bench.ctx.count_sent(&pdu);
        put(&mut bench.ctx, 0, key(100 * u64::from(sequence), HOSTS), pdu);
    }
    bench.run(key(CELL / 2, 0));
    // One from 0 to 100 ps, two from then on: at 200 ps cell 2 takes the place of cell 1.
    assert_eq!(bench.port.queues()[0].area(Time(CELL / 2)), i128::from(100 + 2 * (CELL / 2 - 100)));
}

#[test]
fn notices_are_counted_by_their_severity() {
    for (severity, counted) in [(0, [1, 0, 0, 0]), (2, [0, 0, 1, 0])] {
        let actual = format!("queue_length = {{ share = 0.5, severity = {severity} }}");
        let policies = vec![policy("drop_tail = { size = '4 cells' }")];
        let watched = Parts { congestion: point(&actual), policies, ..parts(1) };
        // The third cell finds two, half of the size.
        let mut bench = Bench::new(watched, &[(0, 0), (0, 0), (0, 0)]);
        bench.run(Key::NEVER);
        assert_eq!(bench.port.by_group()[0].notices, counted);
    }
}

/// NPDUs of one cell with these arrival times and priorities of CLNP.
fn npdus(parts: Parts, arrivals: &[(u64, u8)]) -> Bench {
    let mut bench = Bench::new(parts, &[]);
    for (&(time, priority), sequence) in arrivals.iter().zip(0..) {
        let mut pdu = cell(0, sequence);
        pdu.set_npdu_priority(priority);
        bench.ctx.count_sent(&pdu);
        put(&mut bench.ctx, 0, key(time, HOSTS), pdu);
    }
    bench.run(Key::NEVER);
    bench
}

#[test]
fn npdus_of_higher_priority_are_served_first_and_within_one_in_order() {
    let tenths = |tenth: u64| tenth * CELL / 10;
    let arrivals = [(0, 0), (tenths(1), 0), (tenths(2), 14), (tenths(3), 7), (tenths(4), 14), (tenths(13), 14)];
    let order = |text: &str| {
        let bench = npdus(Parts { policies: vec![policy(text)], ..parts(1) }, &arrivals);
        bench.departed().into_iter().map(|(_, sequence)| sequence).collect::<Vec<u32>>()
    };
    assert_eq!(order("npdu_priority = { size = '1000 octets' }"), [0, 2, 4, 5, 3, 1]);
    assert_eq!(order("drop_tail_bits = { size = '1000 octets' }"), [0, 1, 2, 3, 4, 5]);
    // All sub-queues share the size. Nothing makes room for an urgent NPDU.
    assert_eq!(order("npdu_priority = { size = '848 bits' }"), [0, 1, 5]);
}

/// The NPDUs that a queue marks.
fn marked(text: &str, clnp: &str, arrivals: &[(u64, u8)]) -> Vec<u32> {
    let congestion = point(&format!("clnp = {{ {clnp} }}"));
    let bench = npdus(Parts { policies: vec![policy(text)], congestion, ..parts(1) }, arrivals);
    let records = bench.ctx.lanes[1].iter();
    let mut marked: Vec<u32> =
        records.filter(|record| record.pdu.marks.has(Marks::CE)).map(|record| record.pdu.sequence).collect();
    marked.sort_unstable();
    marked
}

/// The threshold is one NPDU of 424 bits.
#[test]
fn congestion_is_experienced_by_the_bits_of_equal_and_higher_priority() {
    let marked = |text: &str, threshold: u64, arrivals: &[(u64, u8)]| {
        marked(text, &format!("ce_threshold = '{threshold} bits'"), arrivals)
    };
    // 0 is in transmission. 2 finds 0 and 1; 3 finds nothing of its priority; 4 finds 3, and 5 finds 3 and 4; 6 finds all.
    let arrivals = [(0, 0), (1, 0), (2, 0), (3, 14), (4, 7), (5, 7), (6, 0)];
    assert_eq!(marked("npdu_priority = { size = '1000 octets' }", 424, &arrivals), [2, 5, 6]);
    assert_eq!(marked("drop_tail_bits = { size = '1000 octets' }", 424, &arrivals), [2, 3, 4, 5, 6]);
    // The NPDU in transmission counts if its priority is not lower, until it has departed.
    let sub_queues = "npdu_priority = { size = '1000 octets' }";
    assert_eq!(marked(sub_queues, 1, &[(0, 7), (1, 8), (2, 7)]), [2]);
    assert_eq!(marked(sub_queues, 1, &[(0, 7), (1, 6)]), [1]);
    assert_eq!(marked(sub_queues, 1, &[(0, 7), (CELL - 1, 7), (2 * CELL, 7)]), [1]);
}

/// 1 finds 0 in transmission, 2 also finds 1; 3 comes while 1 is in transmission and 2 waits, 4 when 3 alone is.
#[test]
fn the_npdu_in_transmission_may_not_count() {
    let arrivals = [(0, 7), (1, 7), (2, 7), (CELL + 1, 7), (3 * CELL + 1, 7)];
    for text in ["npdu_priority = { size = '1000 octets' }", "drop_tail_bits = { size = '1000 octets' }"] {
        assert_eq!(marked(text, "ce_threshold = '1 bit'", &arrivals), [1, 2, 3, 4], "{text}");
        assert_eq!(marked(text, "ce_threshold = '1 bit', counts_transmission = false", &arrivals), [2, 3], "{text}");
    }
}
