//! The order of PDUs from several hosts, and the effect of feedback at the time of a send. A cell takes one
//! microsecond.

use super::*;
use crate::control::{ReactionParams, SenderEnv};
use crate::core::key::Place;
use crate::core::pdu::FlowId;
use crate::core::probe::Trace;
use crate::core::random::Stream;
use crate::core::time::LineRate;
use crate::network::context::FlowState;
use crate::network::hosts::access_line::{self, AccessLine};
use crate::network::hosts::sender::Sender;
use crate::network::testing::{CELL, CELL_RATE, context, inbox, key, notice, put};
use crate::traffic;

/// The first place of hosts; the places of lines and deliveries are smaller.
const OWN: u32 = 20;

/// One host, and its sending half.
pub(in crate::network) type Alone = (DirectHost, Sender, Option<AccessLine>);

/// Hosts that send into lane `to`.
pub(in crate::network) fn hosts(all: Vec<Alone>, to: LaneId) -> Hosts {
    let (mut halves, mut hosts) = (Halves::default(), Vec::new());
    for (mut host, sender, access) in all {
        host.sender = Some(halves.senders.len() as u32);
        host.access = access.as_ref().map(|_| halves.lines.len() as u32);
        halves.senders.push(sender);
        halves.lines.extend(access);
        hosts.push(Host::Direct(host));
    }
    let leads = hosts.iter().map(|host| match host {
        Host::Direct(host) => halves.line(host.access).map_or(Span::ZERO, |line| line.lead(424)),
        Host::Transport(_) => Span::ZERO,
    });
    let lead = leads.min().unwrap_or_default();
    Hosts::new(hosts, halves, to, lead)
}

/// A host whose flow and place are `number`; traffic and reaction in scenario syntax.
fn host(number: u32, traffic: &str, reaction: &str, access: Option<AccessLine>) -> Alone {
    let traffic: traffic::Params = toml::from_str(traffic).unwrap();
    let reaction: ReactionParams = toml::from_str(reaction).unwrap();
    let env = SenderEnv {
        stream: Stream::new(1, 0, "reaction"),
        round_trip: Span(10 * CELL),
        line_rate: CELL_RATE,
        equal_share: CELL_RATE.bits_per_second(),
        octets: 53,
    };
    let sender =
        Sender::new(FlowId(number), 0, CELL_RATE, &traffic, traffic.build(traffic::tests::env(1)), reaction.build(env));
    (DirectHost::new(Place(OWN + number)), sender, access)
}

/// One cell every two microseconds from `start` on.
pub(in crate::network) fn steady(number: u32, start: &str, access: Option<AccessLine>) -> Alone {
    let traffic = format!("cbr = {{ rate = '212 Mb/s', start = '{start}' }}");
    host(number, &traffic, "uncontrolled = {}", access)
}

/// A line with one cell time of serialisation and a delay; its deliveries have a place of their own.
fn line(delay: u64, place: u32) -> Option<AccessLine> {
    let parts = access_line::Parts { rate: Some(CELL_RATE), delay: Span(delay), place: Place(place) };
    Some(AccessLine::new(parts))
}

/// A delay without queueing.
fn delay(span: u64, place: u32) -> Option<AccessLine> {
    let parts = access_line::Parts { rate: None, delay: Span(span), place: Place(place) };
    Some(AccessLine::new(parts))
}

/// Hosts that send into lane 1; lane 0 leads to them.
struct Node {
    hosts: Hosts,
    inbox: Inbox,
    ctx: Ctx<Trace>,
}

impl Node {
    fn new(all: Vec<Alone>) -> Node {
        let mut ctx = context(2, all.len());
        for (flow, FlowState { indices, .. }) in ctx.flows.iter_mut().enumerate() {
            indices.sender = flow as u32;
        }
        Node { hosts: hosts(all, LaneId(1)), inbox: inbox(1), ctx }
    }

    /// Time, place and flow of all PDUs sent before `until`.
    fn run(&mut self, until: u64) -> Vec<(u64, u32, u32)> {
        self.hosts.run(&self.inbox, key(until, 0), &mut self.ctx);
        self.ctx.lanes[1].iter().map(|record| (record.time.0, record.place.0, record.pdu.flow.0)).collect()
    }
}

#[test]
fn cells_of_one_time_are_in_order_of_the_places_of_their_hosts() {
    let mut node = Node::new(vec![steady(0, "2 us", None), steady(1, "0 us", None), steady(2, "2 us", None)]);
    assert_eq!((node.hosts.timer().time, node.hosts.lead()), (Time::ZERO, Span::ZERO));
    let expected = [(0, 1), (2, 0), (2, 1), (2, 2), (4, 0), (4, 1), (4, 2)];
    let expected = expected.map(|(time, flow)| (time * CELL, OWN + flow, flow));
    // Nothing that is due at the limit is sent.
    assert_eq!(node.run(4 * CELL), expected[..4]);
    assert_eq!(node.hosts.timer().time, Time(4 * CELL));
    assert_eq!(node.run(4 * CELL + 1), expected);
    assert_eq!(node.ctx.flows.iter().map(|flow| flow.counts[0].sent).collect::<Vec<_>>(), [2, 3, 2]);
}

#[test]
fn cells_of_lines_with_different_delays_are_in_order_of_arrival() {
    // Both hosts send at 0, 2 and 4 us. One line takes 1 us and 3 us of delay, the other only 1 us.
    let hosts = || vec![steady(0, "0 us", line(3 * CELL, 7)), steady(1, "0 us", line(0, 8))];
    let mut node = Node::new(hosts());
    assert_eq!(node.hosts.lead(), Span(CELL));
    // All cells sent before 3 us that arrive before 4 us are final. The cell that arrives at 4 us stays on its line.
    assert_eq!(node.run(3 * CELL), [(CELL, 8, 1), (3 * CELL, 8, 1)]);
    let mut held = 0;
    node.hosts.held().for_each(|_| held += 1);
    assert_eq!(held, 2);
    // It must be forwarded before any later cell: the node has a timer 1 us before 4 us.
    assert_eq!(node.hosts.timer().time, Time(3 * CELL));
    let expected = [(1, 8, 1), (3, 8, 1), (4, 7, 0), (5, 8, 1), (6, 7, 0), (7, 8, 1), (8, 7, 0)];
    let expected = expected.map(|(time, place, flow)| (time * CELL, place, flow));
    // Cells sent before 7.5 us that arrive before 8.5 us.
    assert_eq!(node.run(15 * CELL / 2), expected);
    // The result does not depend on the number of steps.
    let mut often = Node::new(hosts());
    for until in 1..75 {
        often.run(until * CELL / 10);
    }
    assert_eq!(often.run(15 * CELL / 2), expected);
}

/// So many hosts that the node looks for the few that run.
const MANY_HOSTS: u32 = 200;

#[test]
fn many_hosts_send_the_same_whether_an_agenda_finds_them_or_not() {
    let all =
        || (0..MANY_HOSTS).map(|number| steady(number, &format!("{} ns", 10 * (number * 7 % 41)), None)).collect();
    let whole = Node::new(all()).run(3 * CELL);
    assert_eq!(whole.len(), 2 * MANY_HOSTS as usize);
    let mut often = Node::new(all());
    let mut had_agenda = 0;
    let mut sent = Vec::new();
    for until in 1..=300 {
        sent = often.run(until * CELL / 100);
        had_agenda += usize::from(often.hosts.agenda.is_some());
        let due = often.hosts.hosts.iter().map(Host::key).min();
        assert_eq!(Some(often.hosts.timer()), due);
    }
    assert_eq!(sent, whole);
    // All hosts send within 0.4 us, and again 2 us later: then too many run at each visit.
    assert_eq!(had_agenda, 260);
}

#[test]
fn one_key_at_a_time_runs_the_hosts_of_that_key_only() {
    let all = || (0..MANY_HOSTS).map(|number| steady(number, "1 us", None)).collect();
    let mut node = Node::new(all());
    let mut order = Vec::new();
    while node.hosts.timer().time < Time(2 * CELL) {
        let timer = node.hosts.timer();
        order.push(timer.place.0 - OWN);
        node.hosts.run(&node.inbox, timer.after(), &mut node.ctx);
    }
    assert_eq!(order, (0..MANY_HOSTS).collect::<Vec<_>>());
    assert!(node.hosts.agenda.is_some());
    let sent: Vec<u32> = node.ctx.lanes[1].iter().map(|record| record.pdu.flow.0).collect();
    assert_eq!(sent, order);
}

#[test]
fn feedback_wakes_a_host_that_the_agenda_has_later() {
    let all = |number| if number == 0 { obedient(0) } else { steady(number, "100 us", None) };
    let mut node = Node::new((0..MANY_HOSTS).map(all).collect());
    node.run(CELL / 2);
    assert!(node.hosts.agenda.is_some());
    put(&mut node.ctx, 0, key(2 * CELL, 5), notice(0));
    let sent: Vec<u64> = node.run(7 * CELL).iter().map(|sent| sent.0 / CELL).collect();
    assert_eq!(sent, [0, 1, 3, 5]);
}

#[test]
fn after_a_shared_delay_cells_of_one_time_are_in_order_of_their_hosts() {
    // Two hosts share the place of the delay. Sent at 2 us, cells arrive after 5 us of delay at 7 us.
    let shared = || delay(5 * CELL, 9);
    let mut node = Node::new(vec![steady(1, "2 us", shared()), steady(0, "2 us", shared())]);
    assert_eq!(node.run(3 * CELL), [(7 * CELL, 9, 0), (7 * CELL, 9, 1)]);
}

#[test]
fn with_a_delay_of_zero_a_cell_keeps_the_place_of_its_host() {
    let mut node = Node::new(vec![steady(0, "2 us", delay(0, 9)), steady(1, "2 us", None)]);
    assert_eq!(node.run(3 * CELL), [(2 * CELL, OWN, 0), (2 * CELL, OWN + 1, 1)]);
}

#[test]
fn a_single_host_forwards_everything_it_sends() {
    let mut node = Node::new(vec![steady(0, "0 us", line(30 * CELL, 7))]);
    assert_eq!(node.run(3 * CELL), [(31 * CELL, 7, 0), (33 * CELL, 7, 0)]);
    assert_eq!(node.hosts.timer(), Key { time: Time(4 * CELL), place: Place(OWN) });
    assert_eq!(node.hosts.line_bound(Time(4 * CELL)), Time(35 * CELL));
}

/// Always has data, one cell per microsecond; a notice halves its rate.
fn obedient(number: u32) -> Alone {
    host(number, "greedy = {}", "becn = { recovery.constant = '1 s' }", None)
}

/// Send times of flow 0 if a notice with that place arrives at 2 us.
fn sent_beside_a_notice(hosts: Vec<Alone>, place: u32) -> Vec<u64> {
    let mut node = Node::new(hosts);
    put(&mut node.ctx, 0, key(2 * CELL, place), notice(0));
    node.run(7 * CELL).iter().filter(|sent| sent.2 == 0).map(|sent| sent.0 / CELL).collect()
}

#[test]
fn feedback_at_the_time_of_a_send_acts_first_if_its_place_is_first() {
    // From the return line, before the host's timer: the cell of 2 us waits until 1 + 2 us.
    assert_eq!(sent_beside_a_notice(vec![obedient(0)], 5), [0, 1, 3, 5]);
    // With the host's own place (the immediate effect of its own cell) or a later one: the cell is already sent.
    assert_eq!(sent_beside_a_notice(vec![obedient(0)], OWN + 1), [0, 1, 2, 4, 6]);
    // The same with other hosts present.
    let hosts = || vec![obedient(0), steady(1, "0 us", None)];
    assert_eq!(sent_beside_a_notice(hosts(), 5), [0, 1, 3, 5]);
    assert_eq!(sent_beside_a_notice(hosts(), OWN + 1), [0, 1, 2, 4, 6]);
}

#[test]
fn feedback_does_not_change_earlier_sends() {
    let mut node = Node::new(vec![obedient(0)]);
    put(&mut node.ctx, 0, key(2 * CELL + 1, 5), notice(0));
    let sent: Vec<u64> = node.run(7 * CELL).iter().map(|sent| sent.0 / CELL).collect();
    assert_eq!(sent, [0, 1, 2, 4, 6]);
    assert_eq!(node.ctx.flows[0].counts[1].delivered, 1);
}

#[test]
fn cells_out_of_rate_take_nothing_of_the_allowance() {
    // At 10 cells a second, the rate of out-of-rate cells, one goes at 0 and one at 100 ms. At 110 ms the source may
    // send 20 cells a second: the first of them at once, and not 50 ms behind the cell of 100 ms.
    let millisecond = 1_000 * CELL;
    let mut node = Node::new(vec![host(0, "greedy = {}", "tm40 = { icr = '4240 b/s', rif = 1.0 }", None)]);
    let body = crate::core::pdu::Body::ResourceManagement { er: 8480.0, ccr: 0.0 };
    let mut granted = crate::core::pdu::Pdu::new(FlowId(0), 0, 53, 0, body);
    granted.marks.set(crate::core::pdu::Marks::DIR);
    put(&mut node.ctx, 0, key(110 * millisecond, 5), granted);
    let sent: Vec<u64> = node.run(170 * millisecond).iter().map(|sent| sent.0 / millisecond).collect();
    assert_eq!(sent, [0, 100, 110, 160]);
    let tagged: Vec<bool> = node.ctx.lanes[1].iter().map(|record| record.pdu.is_tagged()).collect();
    assert_eq!(tagged, [true, true, false, false]);
}

#[test]
fn no_rate_is_above_that_of_a_line_whose_cells_take_a_given_time() {
    // 1.000001 ms a cell are 423,999.576 b/s, in whole bits 424,000: a cell of that rate would take 1 ms.
    let line_rate = LineRate::CellIn(Span(1_000_001_000));
    let traffic: traffic::Params = toml::from_str("greedy = {}").unwrap();
    let reaction: ReactionParams = toml::from_str("explicit_rate = { initial = '1 Mb/s', peak = '1 Mb/s' }").unwrap();
    let stream = Stream::new(1, 0, "reaction");
    let equal_share = line_rate.bits_per_second();
    let env = SenderEnv { stream, round_trip: Span::ZERO, line_rate, equal_share, octets: 53 };
    let sender =
        Sender::new(FlowId(0), 0, line_rate, &traffic, traffic.build(traffic::tests::env(1)), reaction.build(env));
    let mut node = Node::new(vec![(DirectHost::new(Place(OWN)), sender, None)]);
    let sent: Vec<u64> = node.run(3_500 * CELL).iter().map(|sent| sent.0).collect();
    assert_eq!(sent, [0, 1, 2, 3].map(|cells| cells * 1_000_001_000));
}

/// Explicit rates of the RM cells that an End returns, and when in microseconds. It may send a cell a millisecond, the
/// first is its own. RM cells with 1 and 2 Mb/s reach it at 0 and 500 us.
fn returned(waiting: &str) -> Vec<(u64, f64)> {
    let mut host = host(0, "silent = {}", "tm40 = { icr = '424 kb/s' }", None);
    let turning: crate::control::NotificationParams =
        toml::from_str(&format!("turn_round = {{ waiting = '{waiting}' }}")).unwrap();
    let line_rate = LineRate::Bits(crate::core::time::Rate(424_000));
    let turning = turning.build(crate::control::ReceiverEnv { node: 0, round_trip: Span::ZERO, line_rate, octets: 53 });
    let limits =
        crate::network::receiver::MeasureParams { floor: Span::ZERO, jitter: Span::ZERO, flow: true, histogram: false };
    host.0.receiver = Some(Box::new(Receiver::new(FlowId(1), 0, Some(turning), limits)));
    let mut node = Node::new(vec![host]);
    node.ctx.flows = vec![FlowState::default(); 2];
    for (time, er) in [(0, 1e6), (500 * CELL, 2e6)] {
        let body = crate::core::pdu::Body::ResourceManagement { er, ccr: 0.0 };
        put(&mut node.ctx, 0, key(time, 5), crate::core::pdu::Pdu::new(FlowId(1), 0, 53, 0, body));
    }
    node.run(2_500 * CELL);
    let actual = node.ctx.lanes[1].iter().filter(|record| record.pdu.is_backward()).map(|record| {
        let crate::core::pdu::Body::ResourceManagement { er, .. } = record.pdu.body() else { panic!("an RM cell") };
        (record.time.0 / CELL, er)
    });
    actual.collect()
}

/// TM 4.0, destination rule 3: both ways are allowed.
#[test]
fn a_new_rm_cell_replaces_the_one_that_waits_or_queues_behind_it() {
    assert_eq!(returned("overwrite"), [(1_000, 2e6)]);
    assert_eq!(returned("queue"), [(1_000, 1e6), (2_000, 2e6)]);
}
