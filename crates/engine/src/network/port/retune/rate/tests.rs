//! Changes of a line's rate, by hand. A cell takes one microsecond at first, and the propagation delay is ten.

use proptest::prelude::*;

use super::*;
use crate::core::key::Key;
use crate::core::time::Rate;
use crate::network::port::tests::{Bench, parts, point, policy};
use crate::network::port::{Crossing, NextLane, NextLanes, Parts};
use crate::network::testing::{CELL, CELL_RATE, cell, key, put, seen};

/// A cell in this many microseconds, a divisor of 8.
fn cells_of(microseconds: u64) -> LineRate {
    LineRate::Bits(Rate(424_000_000 / microseconds))
}

/// Two cells in one microsecond.
const TWICE: LineRate = LineRate::Bits(Rate(848_000_000));

impl Bench {
    /// Runs up to `now`, this instant included, and changes the rate.
    fn change(&mut self, now: u64, rate: LineRate) -> Retimed {
        self.run(Key::start_of(Time(now + 1)));
        self.port.catch_up(Time(now), &mut self.ctx);
        self.port.change_rate(rate, Time(now), &mut self.ctx.lanes)
    }
}

#[test]
fn the_pdu_in_service_keeps_the_bits_that_are_sent() {
    let mut bench = Bench::new(parts(1), &[(0, 0), (0, 0), (0, 0), (9 * CELL, 0)]);
    // At 0.25 us three quarters of cell 0 are left: 1.5 us at half the rate. The others take 2 us each.
    bench.change(CELL / 4, cells_of(2));
    let after = 7 * CELL / 4;
    assert_eq!(bench.departed(), [(after, 0), (after + 2 * CELL, 1), (after + 4 * CELL, 2)]);
    assert_eq!(bench.port.line_bound(Time(CELL)), Time(after + 6 * CELL + 10 * CELL));
    // At 2.75 us half of cell 1 is left: 0.25 us at four times the rate. Cell 2 takes 0.5 us, and cell 3 finds the line
    // free.
    bench.change(11 * CELL / 4, TWICE);
    assert_eq!(bench.departed(), [(after, 0), (3 * CELL, 1), (7 * CELL / 2, 2)]);
    bench.run(Key::NEVER);
    assert_eq!(bench.departed()[3..], [(19 * CELL / 2, 3)]);
    // The lengths were 3 up to 1.75 us, 2 to 3 us, 1 to 3.5 us, and 1 from 9 to 9.5 us.
    bench.port.catch_up(Time(10 * CELL), &mut bench.ctx);
    let queue = bench.port.queues()[0];
    let area = 3 * after + 2 * (3 * CELL - after) + CELL / 2 + CELL / 2;
    assert_eq!((queue.area(Time(10 * CELL)), queue.measures.departed), (i128::from(area), 4));
}

#[test]
fn a_service_that_begins_with_the_change_takes_the_new_rate() {
    let mut bench = Bench::new(parts(1), &[(0, 0), (0, 0)]);
    bench.change(CELL, cells_of(4));
    assert_eq!(bench.departed(), [(CELL, 0), (5 * CELL, 1)]);
    // An idle line: the next cell takes the new rate.
    let mut bench = Bench::new(parts(1), &[(0, 0), (5 * CELL, 0)]);
    bench.change(2 * CELL, cells_of(4));
    bench.run(Key::NEVER);
    assert_eq!(bench.departed(), [(CELL, 0), (9 * CELL, 1)]);
}

#[test]
fn pdus_of_every_priority_wait_for_the_line_at_its_new_rate() {
    // Cell 0 of the second priority is in service at 0.5 us. Cell 2 is next, because it has the first.
    let arrivals = [(0, 1), (CELL / 10, 1), (CELL / 5, 0)];
    for watched in [None, point("efci = { qt = '999 cells' }")] {
        let mut bench = Bench::new(Parts { congestion: watched, ..parts(2) }, &arrivals);
        bench.change(CELL / 2, cells_of(4));
        assert_eq!(bench.port.timer(), key(if bench.held() == 1 { 13 * CELL / 2 } else { 5 * CELL / 2 }, 0));
        bench.run(Key::NEVER);
        // Half a cell in 2 us, then 4 us each.
        assert_eq!(bench.departed(), [(5 * CELL / 2, 0), (13 * CELL / 2, 2), (21 * CELL / 2, 1)]);
    }
}

#[test]
fn a_departure_that_is_not_decided_can_still_be_pushed_out() {
    let mut bench = Bench::new(Parts { policies: vec![policy("push_out = { size = '3 cells' }")], ..parts(1) }, &[]);
    for (sequence, time, tagged) in [(0, 0, false), (1, 0, true), (2, 0, true), (3, 3 * CELL / 2, false)] {
        let mut pdu = cell(0, sequence);
        if tagged {
            pdu.marks.set(crate::core::pdu::Marks::CLP);
        }
        bench.ctx.count_sent(&pdu);
        put(&mut bench.ctx, 0, key(time, 20), pdu);
    }
    // Cell 0 is in service until 1.5 us, and leaves before cell 3 arrives. Otherwise cell 3 would push cell 2 out.
    bench.change(CELL / 2, cells_of(2));
    bench.run(Key::NEVER);
    assert_eq!(bench.departed(), [(3 * CELL / 2, 0), (7 * CELL / 2, 1), (11 * CELL / 2, 2), (15 * CELL / 2, 3)]);
}

#[test]
fn every_lane_behind_the_line_has_the_new_times() {
    let lane = |forward| NextLane { forward: LaneId(forward), backward: LaneId::NONE };
    let mut next_lanes = NextLanes::new(Crossing { first: 0, last: 1, count: 2 });
    (*next_lanes.entry(0), *next_lanes.entry(1)) = (lane(1), lane(2));
    let mut bench = Bench::new(Parts { next_lanes, groups: [0, 0].into(), ..parts(1) }, &[]);
    bench.ctx = crate::network::testing::context(3, 2);
    for (flow, sequence) in [(0, 0), (1, 1), (1, 2), (0, 3)] {
        put(&mut bench.ctx, 0, key(0, 20), cell(flow, sequence));
    }
    let retimed = bench.change(3 * CELL / 2, TWICE);
    // Cell 0 departed at 1 us. Of cell 1 a half is left.
    let half = CELL / 4 + 3 * CELL / 2;
    let numbered = |lane| seen(&bench.ctx, lane).into_iter().map(|(time, _, number)| (time - 10 * CELL, number));
    assert_eq!(numbered(1).collect::<Vec<_>>(), [(CELL, 0), (half + CELL, 3)]);
    assert_eq!(numbered(2).collect::<Vec<_>>(), [(half, 1), (half + CELL / 2, 2)]);
    assert_eq!([CELL, 2 * CELL, 4 * CELL].map(|before| retimed.of(Time(before)).0), [CELL, half, half + CELL]);
}

#[test]
fn the_departure_that_ends_the_run_moves_with_the_others() {
    let mut bench = Bench::new(parts(1), &[(0, 0), (0, 0), (0, 0), (6 * CELL, 0)]);
    assert_eq!(bench.port.stop_after(3), None);
    bench.change(CELL / 2, cells_of(2));
    // 0.5 us at the old rate, then 1 + 2 + 2 us.
    assert_eq!(bench.port.server.line.end, Time(11 * CELL / 2));
    bench.run(Key::NEVER);
    assert_eq!(bench.port.server.line.end, Time(11 * CELL / 2));
}

#[test]
fn the_load_in_bits_counts_a_transmission_from_its_start() {
    let mut bench = Bench::new(Parts { measures_bits: true, ..parts(1) }, &[(0, 0), (CELL / 4, 0)]);
    bench.change(CELL / 2, cells_of(4));
    // Cell 0 is in transmission from 0 to 2.5 us, cell 1 from 2.5 to 6.5; it waits from 0.25 us. A second change, at
    // 3.5 us, finds three quarters of cell 1: 1.5 us at half of the first rate, until 5 us.
    let areas = |bench: &Bench, now| bench.port.bits_areas(Time(now)).map(|(all, waiting)| [all, waiting]).unwrap();
    let load = |quarters: [u64; 2]| quarters.map(|quarters| u128::from(424 * quarters * CELL / 4));
    assert_eq!(areas(&bench, CELL / 2), load([3, 1]));
    bench.change(7 * CELL / 2, cells_of(2));
    assert_eq!(areas(&bench, 7 * CELL / 2), load([10 + 13, 9]));
    bench.change(6 * CELL, CELL_RATE);
    assert_eq!(areas(&bench, 6 * CELL), load([10 + 19, 9]));
}

#[test]
fn the_mean_rate_counts_each_rate_for_its_time() {
    let mut bench = Bench::new(Parts { rate_varies: true, ..parts(1) }, &[]);
    assert_eq!((bench.port.mean_rate(Time::ZERO), bench.port.rate_varies()), (Some(424e6), true));
    bench.change(CELL, cells_of(2));
    bench.change(3 * CELL, cells_of(4));
    // 424 Mb/s for 1 us, 212 for 2, 106 for 1: 424 + 424 + 106 bits.
    assert_eq!(bench.port.capacity(Time(4 * CELL)), 954 * 1_000_000_000_000);
    assert_eq!(bench.port.mean_rate(Time(4 * CELL)), Some(954e6 / 4.0));
    bench.port.reset_measures(Time(4 * CELL));
    assert_eq!(bench.port.mean_rate(Time(4 * CELL)), Some(106e6));
    bench.change(5 * CELL, CELL_RATE);
    assert_eq!(bench.port.mean_rate(Time(6 * CELL)), Some(265e6));
}

#[test]
fn a_change_to_the_same_rate_is_none() {
    // At 3 b/s a cell takes 141 1/3 s: the remainder of the first two counts for the third.
    let slow = Parts { rate: Some(LineRate::Bits(Rate(3))), ..parts(1) };
    let mut bench = Bench::new(slow, &[(0, 0), (0, 0), (0, 0)]);
    bench.change(1, LineRate::Bits(Rate(3)));
    assert_eq!(bench.departed()[2], (424_000_000_000_000, 2));
    assert!(!bench.port.rate_varies());
}

/// A port that watches departures decides none ahead.
fn watched(parts: Parts) -> Parts {
    Parts { congestion: point("efci = { qt = '999999 cells' }"), ..parts }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever was decided ahead is as if it had not been.
    #[test]
    fn a_port_that_decides_ahead_sends_as_one_that_does_not(
        mut arrivals in prop::collection::vec((0..60 * CELL, 0..2u8), 1..60),
        changes in prop::collection::vec((0..9 * CELL, 1..40u64), 1..9),
        first_queue in 0..2u8,
    ) {
        arrivals.sort_unstable();
        arrivals.iter_mut().for_each(|(_, priority)| *priority = (*priority).max(first_queue));
        let departed = |parts: Parts| {
            let mut bench = Bench::new(Parts { first_queue, ..parts }, &arrivals);
            let mut now = 0;
            for &(wait, rate) in &changes {
                now += wait;
                bench.change(now, LineRate::Bits(Rate(rate * 30_000_001)));
            }
            bench.run(Key::NEVER);
            bench.departed()
        };
        prop_assert_eq!(departed(parts(2)), departed(watched(parts(2))));
    }
}
