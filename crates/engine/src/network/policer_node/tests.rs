//! The time and the place at equal times of PDUs that pass. A cell takes one microsecond at the peak rate.

use super::*;
use crate::core::probe::{Event, Trace};
use crate::network::testing::{CELL, cell, context, inbox, key, put, seen};
use crate::policer;

/// The place of the line that delivers the cells.
const LINE: u32 = 4;

/// The policers of one flow, in scenario syntax.
pub(in crate::network) fn stages(policers: &[&str], place: u32) -> FlowPolicers {
    let stages = policers.iter().map(|text| {
        let params: policer::Params = toml::from_str(text).unwrap();
        assert_eq!(params.check(), Ok(()));
        params.build(())
    });
    FlowPolicers::new("police".to_owned(), stages.collect(), Place(place), LaneId(1))
}

pub(in crate::network) const PEAK: &str = "peak_rate_controller = { rate = '424 Mb/s', size = '9 cells' }";

/// Cells arrive by lane 0 and leave by lane 1. The policers of each flow have a place of their own.
struct Line {
    policers: PolicerNode,
    inbox: Inbox,
    ctx: Ctx<Trace>,
}

impl Line {
    fn new(flows: Vec<FlowPolicers>, arrivals: &[(u64, u32, u32)]) -> Line {
        let mut ctx = context(2, flows.len());
        let mut policers = PolicerNode::default();
        for (flow, flow_policers) in flows.into_iter().enumerate() {
            ctx.flows[flow].indices.policer = policers.add(flow_policers);
        }
        for &(time, flow, sequence) in arrivals {
            ctx.count_sent(&cell(flow, sequence));
            put(&mut ctx, 0, key(time, LINE), cell(flow, sequence));
        }
        Line { policers, inbox: inbox(1), ctx }
    }

    fn run(&mut self, until: Key) -> Vec<(u64, u32, u32)> {
        self.policers.run(&self.inbox, until, &mut self.ctx);
        seen(&self.ctx, 1)
    }

    fn held(&self) -> usize {
        let mut held = 0;
        self.policers.held(&mut |_| held += 1);
        held
    }
}

#[test]
fn a_pdu_without_delay_keeps_its_place_and_a_delayed_pdu_gets_that_of_the_timer() {
    // The first cell passes. The next two wait one cell time each. The last arrives when no cell waits any more.
    let mut line = Line::new(vec![stages(&[PEAK], 30)], &[(0, 0, 0), (10, 0, 1), (20, 0, 2), (5 * CELL, 0, 3)]);
    let expected = [(0, LINE, 0), (CELL, 30, 1), (2 * CELL, 30, 2), (5 * CELL, LINE, 3)];
    assert_eq!(line.run(key(CELL, 30)), expected[..1]);
    assert_eq!((line.policers.timer(), line.held()), (key(CELL, 30), 2));
    assert_eq!(line.run(key(CELL, 30).after()), expected[..2]);
    assert_eq!((line.policers.timer(), line.held()), (key(2 * CELL, 30), 1));
    assert_eq!(line.run(Key::NEVER), expected);
    assert_eq!((line.policers.timer(), line.held()), (Key::NEVER, 0));
}

#[test]
fn at_one_instant_arrivals_come_first_and_then_timers_by_their_places() {
    // Both flows wait until 1 us; the second has the earlier place. At 1 us a cell of each flow arrives and joins its
    // queue.
    let flows = vec![stages(&[PEAK], 30), stages(&[PEAK], 20)];
    let arrivals = [(0, 0, 0), (0, 1, 1), (10, 0, 2), (10, 1, 3), (CELL, 0, 4), (CELL, 1, 5)];
    let mut line = Line::new(flows, &arrivals);
    let expected = [(0, LINE, 0), (0, LINE, 1), (CELL, 20, 3), (CELL, 30, 2), (2 * CELL, 20, 5), (2 * CELL, 30, 4)];
    assert_eq!(line.run(Key::NEVER), expected);
}

#[test]
fn a_timer_before_an_arrival_goes_first() {
    // The place of flow 0 is before that of the line: at 1 us its timer expires before cell 2 of flow 1 arrives.
    let flows = vec![stages(&[PEAK], 2), stages(&[PEAK], 30)];
    let mut line = Line::new(flows, &[(0, 0, 0), (10, 0, 1), (CELL, 1, 2)]);
    assert_eq!(line.run(Key::NEVER), [(0, LINE, 0), (CELL, 2, 1), (CELL, LINE, 2)]);
}

#[test]
fn a_second_shaper_is_reached_without_delay() {
    // The second shaper has half the rate: a cell that leaves the first at 1 us waits until 2 us, the next one from 2
    // us to 4 us.
    let half = "peak_rate_controller = { rate = '212 Mb/s', size = '9 cells' }";
    let mut line = Line::new(vec![stages(&[PEAK, half], 30)], &[(0, 0, 0), (10, 0, 1), (20, 0, 2)]);
    assert_eq!(line.run(Key::NEVER), [(0, LINE, 0), (2 * CELL, 30, 1), (4 * CELL, 30, 2)]);
}

#[test]
fn excess_pdus_are_discarded_or_tagged_and_counted() {
    // The queue has room for one cell. At 30 it is full: the arriving cell is discarded.
    let short = "peak_rate_controller = { rate = '424 Mb/s', size = '1 cells' }";
    let mut line = Line::new(vec![stages(&[short], 30)], &[(0, 0, 0), (10, 0, 1), (30, 0, 2)]);
    assert_eq!(line.run(Key::NEVER), [(0, LINE, 0), (CELL, 30, 1)]);
    assert_eq!(line.policers.flow(0).unwrap().discarded_and_tagged(), (1, 0));
    let (at, event) = &line.ctx.probe.events[0];
    let expected = Event::Discarded { place: "police".to_owned(), flow: cell(0, 2).flow, sequence: 2 };
    assert_eq!((at.0, event), (30, &expected));
    assert_eq!(line.ctx.flows[0].counts[0].dropped, 1);
    // A meter with two tokens tags the third cell, which passes without delay.
    let meter = "leaky_bucket = { depth = '2 cells', drain = '424 b/s' }";
    let mut line = Line::new(vec![stages(&[meter], 30)], &[(0, 0, 0), (10, 0, 1), (30, 0, 2)]);
    assert_eq!(line.run(Key::NEVER), [(0, LINE, 0), (10, LINE, 1), (30, LINE, 2)]);
    let tagged: Vec<bool> = line.ctx.lanes[1].iter().map(|record| record.pdu.is_tagged()).collect();
    assert_eq!(tagged, [false, false, true]);
    assert_eq!(line.policers.flow(0).unwrap().discarded_and_tagged(), (0, 1));
    assert_eq!(line.policers.timer(), Key::NEVER);
    line.policers.reset_measures();
    assert_eq!(line.policers.flow(0).unwrap().discarded_and_tagged(), (0, 0));
}

#[test]
fn an_overflow_at_the_time_of_a_slot_moves_no_timer() {
    // The head is tagged and leaves at 30. The timer at 1 us then releases the cell of 30.
    let marks = "peak_rate_controller = { rate = '424 Mb/s', size = '1 cells', overflow = 'mark' }";
    let mut line = Line::new(vec![stages(&[marks], 30)], &[(0, 0, 0), (10, 0, 1), (30, 0, 2)]);
    assert_eq!(line.run(Key::NEVER), [(0, LINE, 0), (30, LINE, 1), (CELL, 30, 2)]);
    assert_eq!(line.policers.flow(0).unwrap().discarded_and_tagged(), (0, 1));
}

#[test]
fn of_two_shapers_due_at_one_instant_the_first_on_the_way_acts_first() {
    // Half the rate behind, and room for one. At 2 us both are due: cell 2 leaves the first and finds cell 1 still
    // waiting behind, so it is discarded. Then cell 1 goes. Cell 3 comes at 3 us and goes at 4 us.
    let half = "peak_rate_controller = { rate = '212 Mb/s', size = '1 cells' }";
    let mut line = Line::new(vec![stages(&[PEAK, half], 30)], &[(0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 0, 3)]);
    assert_eq!(line.run(Key::NEVER), [(0, LINE, 0), (2 * CELL, 30, 1), (4 * CELL, 30, 3)]);
    assert_eq!(line.policers.flow(0).unwrap().discarded_and_tagged(), (1, 0));
}
