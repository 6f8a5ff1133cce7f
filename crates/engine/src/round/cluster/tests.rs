//! A PolicerNode and the receivers after it, in turns.

use super::*;
use crate::core::key::Place;
use crate::core::pdu::FlowId;
use crate::core::probe::{Event, Trace};
use crate::core::time::Span;
use crate::network::Node;
use crate::network::inbox::Inbox;
use crate::network::lane::LaneId;
use crate::network::policer_node::{FlowPolicers, PolicerNode};
use crate::network::receiver::{MeasureParams, Receiver};
use crate::network::sinks::Sinks;
use crate::network::testing::{CELL, cell, context, inbox, key, put};
use crate::policer;

/// Member 0: receivers that read lanes 1 and 2. Member 1: policers that read lane 0 and write lane 1.
fn processes() -> Vec<Process> {
    let params: policer::Params =
        toml::from_str("peak_rate_controller = { rate = '424 Mb/s', size = '9 cells' }").unwrap();
    let mut policers = PolicerNode::default();
    policers.add(FlowPolicers::new("police".to_owned(), vec![params.build(())], Place(30), LaneId(1)));
    let mut sinks = Sinks::default();
    let limits = MeasureParams { floor: Span::ZERO, jitter: Span::ZERO, flow: true, histogram: false };
    sinks.add(Receiver::new(FlowId(0), 0, None, limits));
    let process =
        |node, inbox| Process { node, inbox, feeders: vec![], observed: (vec![], vec![]), horizon: Time::ZERO };
    vec![
        process(Node::Sinks(Box::new(sinks)), Inbox::new(vec![LaneId(1), LaneId(2)])),
        process(Node::Policers(Box::new(policers)), inbox(1)),
    ]
}

/// Time and sequence number of the PDUs received, in order.
fn received(ctx: &Ctx<Trace>) -> Vec<(u64, u32)> {
    let seen = ctx.probe.events.iter().map(|(at, event)| match event {
        Event::Delivered { sequence, .. } => (at.0, *sequence),
        other => panic!("{other:?}"),
    });
    seen.collect()
}

#[test]
fn members_take_turns_by_time_and_place() {
    let (mut processes, mut ctx) = (processes(), context(3, 1));
    // To the policers: cell 0 passes at 5 with place 4; cell 1 waits there until 5 + 1 us and leaves with place 30.
    put(&mut ctx, 0, key(5, 4), cell(0, 0));
    put(&mut ctx, 0, key(6, 4), cell(0, 1));
    // To the receivers from another node, before and after both.
    for (time, place, sequence) in [(5, 3, 10), (5, 5, 11), (CELL + 5, 29, 12), (CELL + 5, 31, 13), (CELL + 6, 0, 14)] {
        put(&mut ctx, 2, key(time, place), cell(0, sequence));
    }
    let inlets = vec![(LaneId(0), Member(1)), (LaneId(2), Member(0))];
    let mut cluster = Cluster::new(vec![0, 1], vec![vec![], vec![(LaneId(1), Member(0))]], inlets, vec![]);
    assert_eq!(cluster.first(&processes), Time::NEVER);
    // Nothing at the time of the horizon happens, whatever its place.
    cluster.run(Time(5), &mut processes, &mut ctx);
    assert_eq!((received(&ctx), processes[0].horizon, processes[1].horizon), (vec![], Time(5), Time(5)));
    cluster.run(Time(CELL + 5), &mut processes, &mut ctx);
    assert_eq!(received(&ctx), [(5, 10), (5, 0), (5, 11)]);
    // A timer is pending.
    assert_eq!(cluster.first(&processes), Time(CELL + 5));
    cluster.run(Time(CELL + 6), &mut processes, &mut ctx);
    let last = CELL + 5;
    assert_eq!(received(&ctx)[3..], [(last, 12), (last, 1), (last, 13)]);
    assert_eq!([0, 1].map(|member: usize| processes[member].horizon), [Time(CELL + 6); 2]);
    // An earlier horizon changes nothing.
    cluster.run(Time(7), &mut processes, &mut ctx);
    assert_eq!((processes[0].horizon, received(&ctx).len()), (Time(CELL + 6), 6));
}
