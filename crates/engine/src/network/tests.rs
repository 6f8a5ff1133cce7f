//! What every kind of node answers: when it acts next, how far its line reaches, and which PDUs it holds.

use super::*;
use crate::core::probe::Trace;
use crate::core::stats::Fingerprint;
use crate::core::time::Span;
use crate::network::receiver::{MeasureParams, Receiver};
use crate::network::testing::{CELL, cell, context, inbox, key, put, seen};

/// Runs a node with the inbox of lane 0.
fn run(node: &mut Node, until: u64, ctx: &mut Ctx<Trace>) {
    node.run(&inbox(1), key(until, 0), ctx);
}

fn held(node: &Node) -> Vec<u32> {
    let mut held = Vec::new();
    node.held(&mut |pdu| held.push(pdu.sequence));
    held
}

#[test]
fn hosts_act_by_their_own_timers() {
    // A cell every 2 us from 3 us on, into lane 1.
    let mut node =
        Node::Hosts(Box::new(hosts::tests::hosts(vec![hosts::tests::steady(0, "3 us", None)], lane::LaneId(1))));
    let mut ctx = context(2, 1);
    assert_eq!((node.due(), node.timer().time), (Time(3 * CELL), Time(3 * CELL)));
    // Without an access line a cell is at the port at once.
    assert_eq!(node.line_bound(Time(3 * CELL)), Time(3 * CELL));
    run(&mut node, 6 * CELL, &mut ctx);
    let times: Vec<u64> = seen(&ctx, 1).iter().map(|record| record.0).collect();
    assert_eq!(times, [3 * CELL, 5 * CELL]);
    assert_eq!((node.due(), held(&node)), (Time(7 * CELL), vec![]));
    assert_eq!((ctx.flows[0].counts[0].sent, ctx.held()), (2, 2));
}

#[test]
fn a_port_reaches_the_end_of_its_line_a_service_and_a_delay_later() {
    let mut node = Node::Port(Box::new(Port::new(port::tests::parts(1))));
    let mut ctx = context(3, 1);
    assert_eq!(node.due(), Time::NEVER);
    // One cell takes 1 us on the line, and 10 us to the other end.
    assert_eq!(node.line_bound(Time(5 * CELL)), Time(16 * CELL));
    for sequence in 0..2 {
        ctx.count_sent(&cell(0, sequence));
        put(&mut ctx, 0, key(5 * CELL, 20), cell(0, sequence));
    }
    run(&mut node, 6 * CELL, &mut ctx);
    // Both departures are known, so the port holds neither. The line is free at 7 us.
    let times: Vec<u64> = seen(&ctx, 1).iter().map(|record| record.0).collect();
    assert_eq!((times, held(&node)), (vec![16 * CELL, 17 * CELL], vec![]));
    assert_eq!(node.line_bound(Time(6 * CELL)), Time(18 * CELL));
}

#[test]
fn policers_hold_what_a_shaper_delays() {
    let mut policers = PolicerNode::default();
    policers.add(policer_node::tests::stages(&[policer_node::tests::PEAK], 30));
    let mut node = Node::Policers(Box::new(policers));
    let mut ctx = context(2, 1);
    for (sequence, time) in [(0, 0), (1, 10), (2, 20)] {
        ctx.count_sent(&cell(0, sequence));
        put(&mut ctx, 0, key(time, 4), cell(0, sequence));
    }
    run(&mut node, CELL, &mut ctx);
    // The first passes at once, the others wait for 1 and 2 us.
    assert_eq!((held(&node), node.due()), (vec![1, 2], Time(CELL)));
    // What a policer passes takes no time.
    assert_eq!(node.line_bound(Time(CELL)), Time(CELL));
    run(&mut node, 3 * CELL, &mut ctx);
    assert_eq!((held(&node), node.timer()), (vec![], Key::NEVER));
    assert_eq!(seen(&ctx, 1).len(), 3);
}

#[test]
fn sinks_only_measure() {
    let mut sinks = Sinks::default();
    let limits = MeasureParams { floor: Span::ZERO, jitter: Span(CELL), flow: true, histogram: false };
    sinks.add(Receiver::new(cell(0, 0).flow, 0, None, limits));
    let mut node = Node::Sinks(Box::new(sinks));
    let mut ctx = context(1, 1);
    for (sequence, time) in [(0, 3 * CELL), (1, 4 * CELL)] {
        ctx.count_sent(&cell(0, sequence));
        put(&mut ctx, 0, key(time, 4), cell(0, sequence));
    }
    run(&mut node, 4 * CELL, &mut ctx);
    assert_eq!((ctx.flows[0].counts[0].delivered, ctx.held(), ctx.handled), (1, 1, 1));
    assert_eq!((node.due(), node.line_bound(Time(7)), held(&node)), (Time::NEVER, Time(7), vec![]));
    run(&mut node, 5 * CELL, &mut ctx);
    let Node::Sinks(sinks) = &node else { unreachable!("it was built as sinks") };
    let receiver = sinks.receiver(0).unwrap();
    assert_eq!(
        (receiver.delays().unwrap().network.moments.mean(), receiver.delivered_bits),
        (Some(3.5 * CELL as f64), 848)
    );
    assert_ne!(receiver.fingerprint(), Fingerprint::default().value());
    assert_eq!(ctx.held(), 0);
}
