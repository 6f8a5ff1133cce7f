//! Where PDUs go: from the paths of the flows, the nodes, the lanes between them and the ways at each port.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::graph::{Graph, Name, Step};
use super::plan::{FlowPlan, Network};
use crate::control::{self, CongestionPoint};
use crate::core::pdu::CELL_OCTETS;
use crate::core::time::{Serialiser, Span};
use crate::network::hosts::access_line::{self, Access};
use crate::network::lane::{LaneId, Place};
use crate::network::port::{Way, Ways};
use crate::queue;
use crate::round::horizon::Edge;

/// What a port's congestion point does beside looking at what arrives.
#[derive(Clone, Copy, Debug, Default)]
struct Point {
    /// It sends notices or reports.
    notifies: bool,
    /// PDUs on their way back are shown to it.
    wants_backward: bool,
    /// Departures are shown to it.
    wants_departures: bool,
}

/// Where everything goes.
#[derive(Clone, Debug)]
pub(super) struct Routes {
    pub(super) graph: Graph,
    /// The ways at each port.
    pub(super) ways: Vec<Ways>,
    /// Where what passes the policers of each flow goes.
    pub(super) policed: Vec<LaneId>,
    /// The node of each End.
    pub(super) ends: Vec<Option<u32>>,
    /// Of each End that sends the port where it meets others.
    pub(super) exits: Vec<Option<usize>>,
    /// The lane of each End's node to that port.
    pub(super) out: Vec<LaneId>,
    /// Of each node with hosts how long what they send is under way at the least.
    leads: BTreeMap<u32, Span>,
    /// What each port's congestion point does.
    points: Vec<Point>,
    /// The first queue at each port that any PDU ever takes.
    pub(super) first_queues: Vec<u8>,
    /// No PDU of the network is shorter, in bits.
    pub(super) least_bits: u64,
}

impl Network<'_> {
    /// Access lines that are worked out with their hosts: nothing waits in them but their own hosts' PDUs, and nobody
    /// else uses or watches them.
    pub(super) fn folded(&self) -> BTreeSet<usize> {
        // Beside transport connections the bits of every queue are measured, and an access line here counts PDUs.
        let counts_bits = self.flows.iter().any(|flow| flow.params.transport.is_some());
        let is_suited = |flow: &&FlowPlan<'_>| {
            let port = &self.ports[flow.forward[0]];
            flow.params.access.is_some()
                && (port.rate.is_none() || !counts_bits)
                && *port.queues == [queue::Params::UNLIMITED]
                && flow.params.transport.is_none()
                && flow.params.policers.is_empty()
                && flow.forward.len() > 1
                && (flow.peer.is_none() || port.rate.is_some())
                && self.stop.is_none_or(|(stop, _)| stop != flow.forward[0])
        };
        self.flows.iter().filter(is_suited).map(|flow| flow.forward[0]).collect()
    }

    /// The least length of the flow's PDUs, in bits, whatever they carry.
    pub(super) fn least_bits(&self, flow: &FlowPlan<'_>) -> u64 {
        if flow.params.transport.is_some() || !flow.params.traffic.constant_size() {
            return 8;
        }
        let answer = match &flow.params.notification_point {
            Some(control::NotificationParams::Acknowledge(params)) => params.octets,
            _ => CELL_OCTETS,
        };
        u64::from(flow.params.octets.min(CELL_OCTETS).min(answer)) * 8
    }

    /// The line of its own of a flow's sending End.
    pub(super) fn build_access(&self, flow: &FlowPlan<'_>) -> Access {
        let first = flow.forward[0];
        let port = &self.ports[first];
        Access::new(access_line::Parts {
            rate: port.rate,
            delay: port.delay,
            least_bits: self.least_access_bits(flow),
            place: self.delivery_place(first),
            port: first as u32,
        })
    }

    /// The least length of what the flow's sending End sends: its own PDUs and answers to its peer's.
    fn least_access_bits(&self, flow: &FlowPlan<'_>) -> u64 {
        let own = self.least_bits(flow);
        flow.peer.map_or(own, |peer| own.min(self.least_bits(&self.flows[peer])))
    }

    fn points(&self) -> Vec<Point> {
        let point = |port: &super::plan::PortPlan<'_>| {
            let Some(params) = port.congestion else { return Point::default() };
            let point = params.build(port.surroundings(&Arc::default()));
            Point {
                notifies: point.notifies(),
                wants_backward: point.wants_backward(),
                wants_departures: point.wants_departures(),
            }
        };
        self.ports.iter().map(point).collect()
    }

    /// Lays the lanes. Ends for which `takes_turns` holds each have a node of their own.
    pub(super) fn route(&self, folded: &BTreeSet<usize>, takes_turns: impl Fn(usize) -> bool) -> Routes {
        let mut layer = Layer {
            network: self,
            folded,
            routes: Routes {
                points: self.points(),
                graph: Graph::new(self.ports.len()),
                ways: self.empty_ways(),
                policed: vec![LaneId::NONE; self.flows.len()],
                ends: vec![None; self.end_count],
                exits: vec![None; self.end_count],
                out: vec![LaneId::NONE; self.end_count],
                leads: BTreeMap::new(),
                first_queues: vec![u8::MAX; self.ports.len()],
                least_bits: self.flows.iter().map(|flow| self.least_bits(flow)).min().unwrap_or(8),
            },
        };
        for flow in &self.flows {
            layer.seat(flow, &takes_turns);
        }
        for (index, flow) in self.flows.iter().enumerate() {
            layer.lay_forward(index, flow);
            layer.lay_backward(index, flow);
        }
        layer.routes
    }

    /// The first and the last flow that cross each port.
    pub(super) fn crossing(&self) -> Vec<(u32, u32)> {
        let mut spans = vec![(u32::MAX, 0); self.ports.len()];
        for (index, flow) in self.flows.iter().enumerate() {
            for &port in flow.forward.iter().chain(&flow.backward) {
                let (first, last) = &mut spans[port];
                (*first, *last) = ((*first).min(index as u32), (*last).max(index as u32));
            }
        }
        spans
    }

    /// Room for the ways of the flows that cross each port.
    fn empty_ways(&self) -> Vec<Ways> {
        let ways = |(first, last): (u32, u32)| match first {
            u32::MAX => Ways::default(),
            _ => Ways { first, ways: vec![Way::NONE; (last - first) as usize + 1] },
        };
        self.crossing().into_iter().map(ways).collect()
    }

    /// Whether a step takes no time.
    pub(super) fn is_instant(&self, routes: &Routes, step: &Step) -> bool {
        if step.edge != Edge::Line {
            return true;
        }
        match routes.graph.names[step.from as usize] {
            Name::Port(port) => {
                // Where departures are watched, the PDU in service may depart at any moment.
                let service = match routes.points[port].wants_departures {
                    true => Span::ZERO,
                    false => Serialiser::new(self.ports[port].rate).floor(routes.least_bits),
                };
                service + self.ports[port].delay == Span::ZERO
            }
            _ => routes.leads.get(&step.from).is_none_or(|lead| *lead == Span::ZERO),
        }
    }

    pub(super) fn service_place(&self, port: usize) -> Place {
        Place(port as u32)
    }

    pub(super) fn delivery_place(&self, port: usize) -> Place {
        Place((self.ports.len() + port) as u32)
    }

    pub(super) fn own_place(&self, flow: usize, kind: usize) -> Place {
        Place((2 * self.ports.len() + 2 * flow + kind) as u32)
    }

    pub(super) fn gathering_place(&self, port: usize) -> Place {
        Place((2 * self.ports.len() + 2 * self.flows.len() + port) as u32)
    }
}

/// Lays the lanes of one network.
struct Layer<'a> {
    network: &'a Network<'a>,
    folded: &'a BTreeSet<usize>,
    routes: Routes,
}

impl Layer<'_> {
    /// Gives both Ends of the flow their nodes.
    fn seat(&mut self, flow: &FlowPlan<'_>, takes_turns: &impl Fn(usize) -> bool) {
        let [sending, receiving] = flow.ends;
        let last = flow.forward.len() - 1;
        let is_folded = self.folded.contains(&flow.forward[0]);
        let lead = if is_folded { self.network.build_access(flow).lead() } else { Span::ZERO };
        self.seat_host(sending, flow.forward[usize::from(is_folded)], lead, takes_turns);
        if flow.peer.is_some() {
            // The peer sends from there.
        } else if flow.params.transport.is_some() || flow.params.notification_point.is_some() {
            self.seat_host(receiving, flow.backward[last], Span::ZERO, takes_turns);
        } else {
            self.routes.ends[receiving] = Some(self.routes.graph.node(Name::Sinks(flow.forward[last])));
        }
    }

    fn seat_host(&mut self, end: usize, exit: usize, lead: Span, takes_turns: &impl Fn(usize) -> bool) {
        let graph = &mut self.routes.graph;
        let node = graph.node(if takes_turns(end) { Name::Host(end) } else { Name::Hosts(exit) });
        let to = graph.node(Name::Port(exit));
        self.routes.out[end] = graph.lane(Step { from: node, to, edge: Edge::Line, shown: false });
        self.routes.ends[end] = Some(node);
        self.routes.exits[end] = Some(exit);
        let least = self.routes.leads.entry(node).or_insert(lead);
        *least = lead.min(*least);
    }

    /// The lane by which the PDUs of a port's line get to the node.
    fn by_line(&mut self, port: usize, to: u32, shown: bool) -> LaneId {
        let from = self.routes.graph.node(Name::Port(port));
        self.routes.graph.lane(Step { from, to, edge: Edge::Line, shown })
    }

    fn way(&mut self, port: usize, flow: usize) -> &mut Way {
        let ways = &mut self.routes.ways[port];
        &mut ways.ways[flow - ways.first as usize]
    }

    /// PDUs of that priority cross the port.
    fn take_queue(&mut self, port: usize, priority: u8) {
        let first = &mut self.routes.first_queues[port];
        *first = priority.min(*first);
    }

    /// Where PDUs in the flow's own direction go behind its `hop`-th line.
    fn onward(&mut self, flow: &FlowPlan<'_>, hop: usize) -> Option<u32> {
        match flow.forward.get(hop + 1) {
            Some(&port) => Some(self.routes.graph.node(Name::Port(port))),
            None => self.routes.ends[flow.ends[1]],
        }
    }

    /// Where PDUs against the flow's direction go from the node before its `hop`-th line.
    fn returning(&mut self, flow: &FlowPlan<'_>, hop: usize) -> Option<u32> {
        match hop.checked_sub(1) {
            Some(before) => Some(self.routes.graph.node(Name::Port(flow.backward[before]))),
            None => self.routes.ends[flow.ends[0]],
        }
    }

    fn lay_forward(&mut self, index: usize, flow: &FlowPlan<'_>) {
        if let Some(node) = self.routes.ends[flow.ends[0]] {
            self.routes.graph.place(node, 0);
        }
        let first = usize::from(self.folded.contains(&flow.forward[0]));
        for (hop, &port) in flow.forward.iter().enumerate().skip(first) {
            let distance = 10 * hop as u32 + 1;
            self.take_queue(port, flow.params.priority);
            let from = self.routes.graph.node(Name::Port(port));
            self.routes.graph.place(from, distance);
            let Some(to) = self.onward(flow, hop) else { continue };
            self.routes.graph.place(to, distance + 10);
            if hop == 0 && !flow.params.policers.is_empty() {
                let policers = self.routes.graph.node(Name::Policers(port));
                self.routes.graph.place(policers, distance + 5);
                self.routes.policed[index] =
                    self.routes.graph.lane(Step { from: policers, to, edge: Edge::Direct, shown: false });
                let lane = self.by_line(port, policers, false);
                self.way(port, index).on = lane;
            } else {
                let lane = self.by_line(port, to, false);
                self.way(port, index).on = lane;
            }
        }
    }

    /// The ways back of answers, notices and reports, from the furthest place that may send any.
    fn lay_backward(&mut self, index: usize, flow: &FlowPlan<'_>) {
        let last = flow.forward.len() - 1;
        let has_transport = flow.params.transport.is_some();
        let notifiers: Vec<usize> = (0..=last).filter(|&hop| self.routes.points[flow.forward[hop]].notifies).collect();
        let answers = flow.params.notification_point.is_some() || has_transport;
        let hops = if answers { last + 1 } else { notifiers.last().copied().unwrap_or_default() };
        for hop in (0..hops).rev() {
            let (port, forward) = (flow.backward[hop], flow.forward[hop]);
            if self.folded.contains(&port) {
                continue;
            }
            let Some(to) = self.returning(flow, hop) else { continue };
            // Notices take the first queue.
            self.take_queue(port, 0);
            let from = self.routes.graph.node(Name::Port(port));
            self.routes.graph.place(from, 100_000 + 10 * (last - hop) as u32);
            let point = self.routes.points[forward];
            let lane = if point.wants_backward {
                let shown = self.routes.graph.node(Name::Port(forward));
                let edge = if point.notifies { Edge::Direct } else { Edge::Shown };
                let back = self.routes.graph.lane(Step { from: shown, to, edge, shown: false });
                self.way(forward, index).back = back;
                self.by_line(port, shown, true)
            } else {
                self.by_line(port, to, false)
            };
            self.way(port, index).on = lane;
            if has_transport && self.routes.points[port].notifies {
                let onward = self.onward(flow, hop);
                self.lay_direct(port, index, onward);
            }
        }
        for hop in notifiers {
            let to = self.returning(flow, hop);
            self.lay_direct(flow.forward[hop], index, to);
        }
    }

    /// The way of what the port makes about the flow.
    fn lay_direct(&mut self, port: usize, index: usize, to: Option<u32>) {
        let Some(to) = to else { return };
        let from = self.routes.graph.node(Name::Port(port));
        self.way(port, index).back = self.routes.graph.lane(Step { from, to, edge: Edge::Direct, shown: false });
    }
}

#[cfg(test)]
mod tests;
