//! Routes of PDUs: from the paths of the flows, the nodes, the lanes between them, and the next lanes at each port.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::graph::{Graph, Name, Step};
use crate::control::{CongestionPoint, NotificationPointParams};

use crate::core::pdu::CELL_OCTETS;
use crate::core::time::{Serialiser, Span};
use crate::network::hosts::access_line::{self, AccessLine};
use crate::network::lane::LaneId;
use crate::network::port::{Crossing, NextLane, NextLanes};
use crate::queue;
use crate::round::horizon::Edge;
use crate::scenario::assembly::plan::port_plan::{Controlled, PortPlan};
use crate::scenario::assembly::plan::{FlowPlan, Network};
use crate::traffic::ModelParams;
use crate::transport;

/// Properties of a port's congestion point.
#[derive(Clone, Copy, Debug, Default)]
struct Point {
    /// It sends notices or reports.
    notifies: bool,
    /// It observes backward PDUs.
    wants_backward: bool,
    /// It observes departures.
    wants_departures: bool,
}

/// The lane from a node with hosts to the port that they share, or from their downlinks to them.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedLane {
    pub(super) lane: LaneId,
    /// The shortest delay over it.
    pub(super) lead: Span,
}

/// A line to a host that is computed with others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Downlink {
    /// The node of the host.
    hosts: u32,
    /// Whether any PDU uses the line.
    pub(super) is_used: bool,
}

/// The routes of a network.
#[derive(Clone, Debug)]
pub(super) struct Routes {
    pub(super) graph: Graph,
    /// Whether each port has a node.
    pub(super) has_node: Vec<bool>,
    /// The next lanes at each port that has a node, by node: these nodes are the first.
    pub(super) next_lanes: Vec<NextLanes>,
    /// The lane after the policers of each flow.
    pub(super) policed: Vec<LaneId>,
    /// The node of each endpoint.
    pub(super) endpoints: Vec<Option<u32>>,
    /// The downlink of each port that is one.
    pub(super) downlinks: Vec<Option<Downlink>>,
    /// The lane that the hosts of each node share, and that their downlinks share.
    shared_lanes: BTreeMap<u32, SharedLane>,
    /// The properties of each port's congestion point.
    points: Vec<Point>,
    /// The highest priority of any PDU at each port.
    pub(super) first_queues: Vec<u8>,
    /// Size of the shortest PDU of the network, in bits.
    pub(super) least_bits: u64,
}

impl Routes {
    /// The lane that the hosts of a node, or their downlinks, share; [`LaneId::NONE`] if none of them sends.
    pub(super) fn shared_lane(&self, node: u32) -> SharedLane {
        self.shared_lanes.get(&node).copied().unwrap_or(SharedLane { lane: LaneId::NONE, lead: Span::ZERO })
    }
}

/// For each port, whether it is an access line that is computed with its host, or with other downlinks: only the PDUs
/// of one host queue for it, and nothing else uses or observes it.
pub(super) fn folded(network: &Network<'_>) -> Vec<bool> {
    // With TP4 connections every queue is measured in bits, but an `AccessLine` counts PDUs.
    let counts_bits = network.counts_bits();
    let is_suited = |flow: &&FlowPlan<'_>| {
        let port = &network.ports[flow.forward().first()];
        flow.params.access.is_some()
            && (port.rate.is_none() || !counts_bits)
            && *port.queues == [queue::Params::UNLIMITED]
            && flow.params.transport.as_ref().is_none_or(|transport| transport.computes_access_line())
            && flow.params.policers.is_empty()
            && flow.forward().len() > 1
            && (flow.peer.is_none() || port.rate.is_some())
            && network.stop.is_none_or(|(stop, _)| stop != flow.forward().first())
    };
    let mut folded = vec![false; network.ports.len()];
    for flow in network.flows.iter().filter(is_suited) {
        let [up, down] = [flow.forward().first(), flow.backward().first()];
        folded[up] = true;
        // All delays without queueing of a group are one port.
        folded[down] = network.ports[down].rate.is_some() && network.stop.is_none_or(|(stop, _)| stop != down);
    }
    folded
}

/// Size of the flow's shortest PDU, in bits, of any kind.
pub(super) fn least_bits(flow: &FlowPlan<'_>) -> u64 {
    if let Some(transport) = &flow.params.transport {
        return u64::from(transport.least_octets().min(CELL_OCTETS)) * 8;
    }
    if !flow.params.traffic.constant_size() {
        return 8;
    }
    let answer = flow.params.notification_point.as_ref().map_or(CELL_OCTETS, |point| point.least_octets());
    u64::from(flow.params.octets.min(CELL_OCTETS).min(answer)) * 8
}

/// The access line of the flow's sending host.
pub(super) fn build_access(network: &Network<'_>, flow: &FlowPlan<'_>) -> AccessLine {
    build_line(network, flow.forward().first())
}

/// The line of a port that has no node of its own.
pub(super) fn build_line(network: &Network<'_>, number: usize) -> AccessLine {
    let port = &network.ports[number];
    AccessLine::new(access_line::Parts { rate: port.rate, delay: port.delay, place: network.delivery_place(number) })
}

/// Size of the shortest PDU that the flow's sending host sends: its own PDUs, and answers to its peer's.
fn least_access_bits(network: &Network<'_>, flow: &FlowPlan<'_>) -> u64 {
    let own = least_bits(flow);
    flow.peer.map_or(own, |peer| own.min(least_bits(&network.flows[peer as usize])))
}

fn points(network: &Network<'_>) -> Vec<Point> {
    let point = |port: &PortPlan<'_>| {
        let Some(params) = port.congestion else { return Point::default() };
        let point = params.build(port.env(Controlled::default(), &Arc::default()));
        Point {
            notifies: point.notifies(),
            wants_backward: point.wants_backward(),
            wants_departures: point.wants_departures(),
        }
    };
    network.ports.iter().map(point).collect()
}

/// Lays out the lanes. Each endpoint for which `takes_turns` is true has its own node.
pub(super) fn route(network: &Network<'_>, folded: &[bool], takes_turns: impl Fn(usize) -> bool) -> Routes {
    let points = points(network);
    let has_node = ports_with_nodes(network, folded, &points);
    let mut layer = LaneBuilder {
        network,
        folded,
        pulling: BTreeMap::new(),
        routes: Routes {
            graph: Graph::new((0..network.ports.len()).filter(|&port| has_node[port])),
            next_lanes: empty_next_lanes(network, &has_node),
            points,
            has_node,
            policed: vec![LaneId::NONE; network.flows.len()],
            endpoints: vec![None; network.endpoint_count],
            downlinks: vec![None; network.ports.len()],
            shared_lanes: BTreeMap::new(),
            first_queues: vec![u8::MAX; network.ports.len()],
            least_bits: network.flows.iter().map(|flow| least_bits(flow)).min().unwrap_or(8),
        },
    };
    for flow in &network.flows {
        layer.place_endpoints(flow, &takes_turns);
    }
    for (index, flow) in network.flows.iter().enumerate() {
        layer.lay_forward(index, flow);
        layer.lay_backward(index, flow);
    }
    layer.routes
}

/// The flows that cross each port.
fn crossing(network: &Network<'_>) -> Vec<Crossing> {
    let mut crossing = vec![Crossing::default(); network.ports.len()];
    for (index, flow) in network.flows.iter().enumerate() {
        flow.ports().for_each(|port| crossing[port].add(index as u32));
    }
    crossing
}

/// Empty next lanes for the flows through each port that has a node.
fn empty_next_lanes(network: &Network<'_>, has_node: &[bool]) -> Vec<NextLanes> {
    let crossing = crossing(network).into_iter().zip(has_node);
    crossing.filter(|(_, has_node)| **has_node).map(|(flows, _)| NextLanes::new(flows)).collect()
}

/// Whether each port has a node of its own. A folded access line needs none, and neither does the port at its other end
/// if no PDU uses it.
fn ports_with_nodes(network: &Network<'_>, folded: &[bool], points: &[Point]) -> Vec<bool> {
    let counts_bits = network.counts_bits();
    let mut has_node = vec![true; network.ports.len()];
    for flow in network.flows.iter().filter(|flow| flow.params.access.is_some()) {
        let (up, down) = (flow.forward().first(), flow.backward().first());
        let is_plain = network.ports[down].rate.is_some() && *network.ports[down].queues == [queue::Params::UNLIMITED];
        has_node[up] = network.ports[up].rate.is_none() || !folded[up];
        has_node[down] = !is_plain || counts_bits || network.stop.is_some_and(|(stop, _)| stop == down);
    }
    for flow in &network.flows {
        let first = usize::from(folded[flow.forward().first()]);
        let back = flow.backward().iter().take(backward_hops(flow, points));
        for port in flow.forward().iter().skip(first).chain(back).filter(|port| !folded[*port]) {
            has_node[port] = true;
        }
    }
    has_node
}

/// The number of hops, from the sender, over which PDUs may come back to it.
fn backward_hops(flow: &FlowPlan<'_>, points: &[Point]) -> usize {
    if flow.params.notification_point.is_some() || flow.params.transport.is_some() {
        return flow.forward().len();
    }
    (0..flow.forward().len()).rfind(|&hop| points[flow.forward().at(hop)].notifies).unwrap_or_default()
}

/// Whether a step has no delay.
pub(super) fn is_instant(network: &Network<'_>, routes: &Routes, step: &Step) -> bool {
    if step.edge != Edge::Line {
        return true;
    }
    match routes.graph.names[step.from as usize] {
        Name::Port(port) => {
            // If departures are observed, the PDU in service can depart at any time. So it can by an opportunity.
            let is_any_time = routes.points[port].wants_departures || network.ports[port].opportunities.is_some();
            let service = match is_any_time {
                true => Span::ZERO,
                false => Serialiser::new(network.ports[port].rate).floor(routes.least_bits),
            };
            service + network.ports[port].delay == Span::ZERO
        }
        _ => routes.shared_lanes.get(&step.from).is_none_or(|shared| shared.lead == Span::ZERO),
    }
}

/// Lays out the lanes of one network.
struct LaneBuilder<'a> {
    network: &'a Network<'a>,
    folded: &'a [bool],
    /// The first endpoint of those that give credit, by the port into which they send.
    pulling: BTreeMap<usize, usize>,
    routes: Routes,
}

impl LaneBuilder<'_> {
    /// Assigns nodes to both endpoints of the flow.
    fn place_endpoints(&mut self, flow: &FlowPlan<'_>, takes_turns: &impl Fn(usize) -> bool) {
        let [sending, receiving] = flow.endpoints();
        let last = flow.forward().len() - 1;
        let is_folded = self.folded[flow.forward().first()];
        let lead = match is_folded {
            true => build_access(self.network, flow).lead(least_access_bits(self.network, flow)),
            false => Span::ZERO,
        };
        let hosts = self.place_host(sending, flow.forward().at(usize::from(is_folded)), lead, takes_turns);
        let down = flow.backward().first();
        if self.folded[down] {
            self.routes.downlinks[down] = Some(Downlink { hosts, is_used: false });
        }
        if flow.peer.is_some() {
            // The peer sends from there.
        } else if flow.params.transport.as_ref().is_some_and(transport::Params::gives_credit) {
            // The receivers behind one line are one host.
            let port = flow.backward().at(last);
            let first = *self.pulling.entry(port).or_insert(receiving);
            let node = self.place_host(first, port, Span::ZERO, takes_turns);
            self.routes.endpoints[receiving] = Some(node);
        } else if flow.params.transport.is_some() || flow.params.notification_point.is_some() {
            self.place_host(receiving, flow.backward().at(last), Span::ZERO, takes_turns);
        } else {
            self.routes.endpoints[receiving] = Some(self.routes.graph.node(Name::Sinks(flow.forward().at(last))));
        }
    }

    fn place_host(&mut self, endpoint: usize, port: usize, lead: Span, takes_turns: &impl Fn(usize) -> bool) -> u32 {
        let graph = &mut self.routes.graph;
        let node = graph.node(if takes_turns(endpoint) { Name::Host(endpoint) } else { Name::Hosts(port) });
        let to = graph.node(Name::Port(port));
        let lane = graph.lane(Step { from: node, to, edge: Edge::Line, observed: false });
        self.routes.endpoints[endpoint] = Some(node);
        let known = self.routes.shared_lanes.entry(node).or_insert(SharedLane { lane, lead });
        known.lead = lead.min(known.lead);
        node
    }

    /// The node of a port that a PDU uses.
    fn port_node(&mut self, port: usize) -> u32 {
        let Routes { graph, downlinks, shared_lanes, least_bits, .. } = &mut self.routes;
        let Some(Downlink { hosts, is_used }) = &mut downlinks[port] else { return graph.node(Name::Port(port)) };
        let node = graph.node(Name::Downlinks(*hosts));
        if !std::mem::replace(is_used, true) {
            let lead = build_line(self.network, port).lead(*least_bits);
            let lane = graph.lane(Step { from: node, to: *hosts, edge: Edge::Line, observed: false });
            let known = shared_lanes.entry(node).or_insert(SharedLane { lane, lead });
            known.lead = lead.min(known.lead);
        }
        node
    }

    /// The lane behind a port's line to the node.
    fn by_line(&mut self, port: usize, to: u32, observed: bool) -> LaneId {
        let from = self.routes.graph.node(Name::Port(port));
        self.routes.graph.lane(Step { from, to, edge: Edge::Line, observed })
    }

    fn next_lane(&mut self, port: usize, flow: usize) -> &mut NextLane {
        let node = self.routes.graph.node(Name::Port(port));
        self.routes.next_lanes[node as usize].entry(flow as u32)
    }

    /// Records that PDUs of that priority use the port.
    fn take_queue(&mut self, port: usize, priority: u8) {
        let first = &mut self.routes.first_queues[port];
        *first = priority.min(*first);
    }

    /// The node that receives the flow's forward PDUs from its `hop`-th line.
    fn onward(&mut self, flow: &FlowPlan<'_>, hop: usize) -> Option<u32> {
        match flow.forward().get(hop + 1) {
            Some(port) => Some(self.port_node(port)),
            None => self.routes.endpoints[flow.endpoints()[1]],
        }
    }

    /// The node that receives the flow's backward PDUs from the node before its `hop`-th line.
    fn returning(&mut self, flow: &FlowPlan<'_>, hop: usize) -> Option<u32> {
        match hop.checked_sub(1) {
            Some(before) => Some(self.port_node(flow.backward().at(before))),
            None => self.routes.endpoints[flow.endpoints()[0]],
        }
    }

    fn lay_forward(&mut self, index: usize, flow: &FlowPlan<'_>) {
        if let Some(node) = self.routes.endpoints[flow.endpoints()[0]] {
            self.routes.graph.place(node, 0);
        }
        let first = usize::from(self.folded[flow.forward().first()]);
        for (hop, port) in flow.forward().iter().enumerate().skip(first) {
            let distance = 10 * hop as u32 + 1;
            self.take_queue(port, flow.params.priority);
            let from = self.port_node(port);
            self.routes.graph.place(from, distance);
            let Some(to) = self.onward(flow, hop) else { continue };
            self.routes.graph.place(to, distance + 10);
            if self.folded[port] {
                continue;
            }
            if hop == 0 && !flow.params.policers.is_empty() {
                let policers = self.routes.graph.node(Name::Policers(port));
                self.routes.graph.place(policers, distance + 5);
                self.routes.policed[index] =
                    self.routes.graph.lane(Step { from: policers, to, edge: Edge::Direct, observed: false });
                let lane = self.by_line(port, policers, false);
                self.next_lane(port, index).forward = lane;
            } else {
                let lane = self.by_line(port, to, false);
                self.next_lane(port, index).forward = lane;
            }
        }
    }

    /// The backward lanes for answers, notices and reports, from the last place that may send any.
    fn lay_backward(&mut self, index: usize, flow: &FlowPlan<'_>) {
        let last = flow.forward().len() - 1;
        let has_transport = flow.params.transport.is_some();
        let notifiers: Vec<usize> =
            (0..=last).filter(|&hop| self.routes.points[flow.forward().at(hop)].notifies).collect();
        for hop in (0..backward_hops(flow, &self.routes.points)).rev() {
            let (port, forward) = (flow.backward().at(hop), flow.forward().at(hop));
            if self.folded[port] && hop > 0 {
                continue;
            }
            let from = self.port_node(port);
            self.routes.graph.place(from, 100_000 + 10 * (last - hop) as u32);
            if self.folded[port] {
                continue;
            }
            let Some(to) = self.returning(flow, hop) else { continue };
            // Notices use the first queue.
            self.take_queue(port, 0);
            let point = self.routes.points[forward];
            let lane = if point.wants_backward {
                let observed = self.routes.graph.node(Name::Port(forward));
                let edge = if point.notifies { Edge::Direct } else { Edge::Observed };
                let back = self.routes.graph.lane(Step { from: observed, to, edge, observed: false });
                self.next_lane(forward, index).backward = back;
                self.by_line(port, observed, true)
            } else {
                self.by_line(port, to, false)
            };
            self.next_lane(port, index).forward = lane;
            if has_transport && self.routes.points[port].notifies {
                let onward = self.onward(flow, hop);
                self.lay_direct(port, index, onward);
            }
        }
        for hop in notifiers {
            let to = self.returning(flow, hop);
            self.lay_direct(flow.forward().at(hop), index, to);
        }
    }

    /// The lane for PDUs that the port itself sends about the flow.
    fn lay_direct(&mut self, port: usize, index: usize, to: Option<u32>) {
        let Some(to) = to else { return };
        let from = self.routes.graph.node(Name::Port(port));
        self.next_lane(port, index).backward =
            self.routes.graph.lane(Step { from, to, edge: Edge::Direct, observed: false });
    }
}

#[cfg(test)]
mod tests;
