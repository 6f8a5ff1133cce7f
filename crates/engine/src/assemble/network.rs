//! The network laid out: flows, ports, routes and numbers, before anything is built.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::paths::{Route, routes};
use super::{Form, form};
use crate::agenda::Rank;
use crate::control::{FlowTerms, PortSurroundings, ReceiverSurroundings, SenderSurroundings};
use crate::document::suggestion;
use crate::end::{self, End};
use crate::error::Fault;
use crate::node::{AnyNode, FlowInfo, NodeId, Timer};
use crate::pdu::FlowId;
use crate::police::Police;
use crate::port::{self, Form as PortForm, Port};
use crate::random::Stream;
use crate::receiver::{Limits, Receiver};
use crate::sender::Sender;
use crate::spec::{self, Order, Scenario};
use crate::time::{Interval, LineRate, Rate, Serialiser, Span};
use crate::world::{Parts, Seat};
use crate::{control, discard, traffic};

/// One port, not yet built.
#[derive(Clone, Debug)]
pub(super) struct PortPlan<'a> {
    pub(super) name: String,
    /// Where its parameters stand in the scenario.
    pub(super) path: String,
    pub(super) from: String,
    pub(super) to: String,
    /// A mere delay has none.
    pub(super) rate: Option<LineRate>,
    pub(super) delay: Span,
    pub(super) outage: Option<Interval>,
    pub(super) order: Order,
    pub(super) queues: &'a [discard::Params],
    pub(super) congestion: Option<&'a control::CongestionParams>,
    /// The End at the far end of the line, where that is private to a flow.
    pub(super) private_to: Option<usize>,
}

impl PortPlan<'_> {
    /// Whether a switch stands where it begins, not the one End of an access line.
    pub(super) fn is_entered_by_switch(&self) -> bool {
        self.path.starts_with("line.") || self.rate.is_none()
    }

    /// What its congestion point is built into, in a network of these flows.
    pub(super) fn surroundings(&self, flows: &Arc<[FlowTerms]>) -> PortSurroundings {
        let rate = self.rate.map_or(Rate(0), LineRate::rounded);
        PortSurroundings { rate, queues: self.queues.len(), flows: Arc::clone(flows) }
    }
}

/// One flow, not yet built: the places that its PDUs pass, by index of port.
#[derive(Clone, Debug)]
pub(super) struct FlowPlan<'a> {
    pub(super) name: String,
    pub(super) group: usize,
    pub(super) params: &'a spec::Flow,
    /// Ports forward, in order; the first is the access port, if there is one.
    pub(super) forward: Vec<usize>,
    /// Ports backward: `backward[i]` is the reverse of `forward[i]`.
    pub(super) backward: Vec<usize>,
    /// Ends: sending, receiving.
    pub(super) ends: [usize; 2],
    /// Place within its group, from 0.
    pub(super) number: u32,
    /// The host that sends, as random streams know it, how many peers it has, and which this is.
    pub(super) host: (String, u32, u32),
    /// The opposite direction of its connection.
    pub(super) peer: Option<usize>,
}

/// The whole network, by index.
#[derive(Clone, Debug)]
pub(super) struct Network<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) groups: Vec<String>,
    pub(super) flows: Vec<FlowPlan<'a>>,
    pub(super) ports: Vec<PortPlan<'a>>,
    pub(super) switches: Vec<String>,
    pub(super) end_count: usize,
    /// Port whose departures may end the run, and how many.
    pub(super) stop: Option<(usize, u64)>,
}

impl<'a> Network<'a> {
    /// Lays out lines, flows and routes.
    pub(super) fn lay_out(scenario: &'a Scenario) -> Result<Network<'a>, Fault> {
        let mut network = Network {
            scenario,
            groups: scenario.flow.keys().cloned().collect(),
            flows: Vec::new(),
            ports: Vec::new(),
            switches: Vec::new(),
            end_count: 0,
            stop: None,
        };
        network.lay_lines();
        network.switches = network.ports.iter().map(|port| port.from.clone()).collect();
        network.switches.extend(scenario.flow.values().flat_map(|flow| flow.path.iter().cloned()));
        for (group, (name, flow)) in scenario.flow.iter().enumerate() {
            network.lay_group(group, name, flow).map_err(|fault| fault.under(name).under("flow"))?;
        }
        network.switches.sort();
        network.switches.dedup();
        network.join_peers()?;
        network.check_lifetimes()?;
        network.check_queues()?;
        network.check_round_trips()?;
        if let Some(stop) = &scenario.stop {
            let Some(port) = network.ports.iter().position(|port| port.name == stop.port) else {
                let names: Vec<&str> = network.ports.iter().map(|port| port.name.as_str()).collect();
                let remedy = suggestion(&stop.port, &names, "a port is called as its line, or LINE.reverse");
                return Err(Fault::new("stop.port", &stop.port, "there is no such port", remedy));
            };
            network.stop = Some((port, stop.departures));
        }
        Ok(network)
    }

    fn lay_lines(&mut self) {
        for (name, line) in &self.scenario.line {
            let path = format!("line.{name}");
            let reverse = line.reverse.as_ref();
            let [first, second] = &line.between;
            self.ports.push(PortPlan {
                name: name.clone(),
                path: path.clone(),
                from: first.clone(),
                to: second.clone(),
                rate: Some(line.rate),
                delay: line.delay,
                outage: line.outage,
                order: line.order,
                queues: &line.queues,
                congestion: line.congestion_point.as_ref(),
                private_to: None,
            });
            self.ports.push(PortPlan {
                name: format!("{name}.reverse"),
                path,
                from: second.clone(),
                to: first.clone(),
                rate: Some(reverse.and_then(|reverse| reverse.rate).unwrap_or(line.rate)),
                delay: line.delay,
                outage: line.outage,
                order: reverse.map_or(line.order, |reverse| reverse.order),
                queues: reverse.map_or(&line.queues, |reverse| &reverse.queues),
                congestion: match reverse {
                    Some(reverse) => reverse.congestion_point.as_ref(),
                    None => line.congestion_point.as_ref(),
                },
                private_to: None,
            });
        }
    }

    fn lay_group(&mut self, group: usize, name: &str, params: &'a spec::Flow) -> Result<(), Fault> {
        for route in routes(params, &self.ports)? {
            self.lay_route(group, name, params, &route)?;
        }
        Ok(())
    }

    fn lay_route(&mut self, group: usize, name: &str, params: &'a spec::Flow, route: &Route) -> Result<(), Fault> {
        let path = &route.path;
        let shown = format!("{path:?}");
        if path.len() < 2 && params.access.as_ref().is_none_or(|access| access.rate.is_none()) {
            let remedy = "name the nodes from sender to receiver, at least two (one is enough behind an access line with a rate)";
            return Err(Fault::new("path", shown, "the path crosses no line", remedy));
        }
        let mut forward = Vec::new();
        for (index, pair) in path.windows(2).enumerate() {
            if path[..=index].contains(&pair[1]) {
                let reason = format!("the path comes back to `{}`: PDUs would go round in a cycle", pair[1]);
                return Err(Fault::new("path", shown, reason, "visit each node once"));
            }
            forward.push(self.find_line(pair, &shown)?);
        }
        let backward: Vec<usize> = forward.iter().map(|&port| port ^ 1).collect();
        let delay = params.access.as_ref().filter(|access| access.rate.is_none());
        let shared = delay.map(|access| self.lay_delay(access, &path[0], group));
        let joined = |place: &str| if place.is_empty() { name.to_owned() } else { format!("{name}/{place}") };
        let (name, host) = (joined(&route.name), joined(&route.host));
        let numbered =
            |name: &str, number| if params.count == 1 { name.to_owned() } else { format!("{name}/{number}") };
        for number in 1..=params.count {
            let flow = self.flows.len();
            let host = (numbered(&host, number), route.peers, route.peer);
            let name = numbered(&name, number);
            let ends = [self.end_count, self.end_count + 1];
            self.end_count += 2;
            let (mut forward, mut backward) = (forward.clone(), backward.clone());
            if let Some(access) = &params.access {
                let (up, down) = shared.unwrap_or_else(|| self.lay_access(flow, &name, access, &path[0], group));
                forward.insert(0, up);
                backward.insert(0, down);
            }
            let number = number - 1;
            self.flows.push(FlowPlan { name, group, params, forward, backward, ends, number, host, peer: None });
        }
        Ok(())
    }

    /// Lays a mere delay. Nothing waits in it and all flows of the group have the same, so they share it: one ring and
    /// one place in the agenda, whatever their number.
    fn lay_delay(&mut self, access: &'a spec::Access, node: &str, group: usize) -> (usize, usize) {
        let name = self.groups[group].clone();
        let (up, down) = self.lay_access(0, &name, access, node, group);
        // Behind it stands a switch that knows the Ends.
        self.ports[down].private_to = None;
        let senders = self.ports[up].name.clone();
        self.ports[up].from.clone_from(&senders);
        self.ports[down].to.clone_from(&senders);
        self.switches.push(senders);
        (up, down)
    }

    fn lay_access(
        &mut self,
        flow: usize,
        name: &str,
        access: &'a spec::Access,
        node: &str,
        group: usize,
    ) -> (usize, usize) {
        let first = self.ports.len();
        let up = PortPlan {
            name: format!("access/{name}"),
            path: format!("flow.{}.access", self.groups[group]),
            from: name.to_owned(),
            to: node.to_owned(),
            rate: access.rate,
            delay: access.delay,
            outage: None,
            order: Order::Fixed,
            queues: &access.queues,
            congestion: None,
            private_to: None,
        };
        let (from, to) = (up.to.clone(), up.from.clone());
        let down = PortPlan { name: format!("{}.reverse", up.name), from, to, private_to: Some(flow), ..up.clone() };
        self.ports.extend([up, down]);
        (first, first + 1)
    }

    fn find_line(&self, pair: &[String], shown: &str) -> Result<usize, Fault> {
        let joins = |port: &&(usize, &PortPlan<'_>)| port.1.from == pair[0] && port.1.to == pair[1];
        // Access lines are laid between groups, and are no other flow's.
        let lines: Vec<(usize, &PortPlan<'_>)> =
            self.ports[..2 * self.scenario.line.len()].iter().enumerate().collect();
        let mut found = lines.iter().filter(joins);
        let Some(first) = found.next() else {
            let nodes: Vec<&str> = lines.iter().map(|(_, port)| port.from.as_str()).collect();
            let stranger = pair.iter().find(|node| !nodes.contains(&node.as_str()));
            let known = "add a [line.NAME] between the two, or go by way of another node";
            let remedy = stranger.map_or(known.to_owned(), |node| suggestion(node, &nodes, known));
            let reason = format!("no line joins `{}` to `{}`", pair[0], pair[1]);
            return Err(Fault::new("path", shown, reason, remedy));
        };
        if let Some(second) = found.next() {
            let reason = format!(
                "both `{}` and `{}` join `{}` to `{}`: the route is ambiguous",
                first.1.name, second.1.name, pair[0], pair[1]
            );
            return Err(Fault::new("path", shown, reason, "put a node into one of the lines"));
        }
        Ok(first.0)
    }

    pub(super) fn port_node(&self, port: usize) -> NodeId {
        NodeId(port as u32)
    }

    pub(super) fn police_node(&self, flow: usize) -> NodeId {
        NodeId((self.ports.len() + flow) as u32)
    }

    pub(super) fn end_node(&self, end: usize) -> NodeId {
        NodeId((self.ports.len() + self.flows.len() + end) as u32)
    }

    pub(super) fn switch_node(&self, name: &str) -> NodeId {
        let index = self.switches.binary_search_by(|known| known.as_str().cmp(name)).unwrap_or_default();
        NodeId((self.ports.len() + self.flows.len() + self.end_count + index) as u32)
    }

    // Places among equal times: service ends, deliveries, then policers and ends, flow by flow, then ports that gather.
    fn service_rank(&self, port: usize) -> Rank {
        Rank(port as u32)
    }

    pub(super) fn delivery_rank(&self, port: usize) -> Rank {
        Rank((self.ports.len() + port) as u32)
    }

    pub(super) fn own_rank(&self, flow: usize, kind: usize) -> Rank {
        Rank((2 * self.ports.len() + 2 * flow + kind) as u32)
    }

    fn gathering_rank(&self, port: usize) -> Rank {
        Rank((2 * self.ports.len() + 2 * self.flows.len() + port) as u32)
    }

    /// Name of the node at which the `index`-th line of the flow ends.
    pub(super) fn stop_of(&self, flow: &FlowPlan<'a>, index: usize) -> &str {
        &self.ports[flow.forward[index]].to
    }

    /// Twice the propagation delay of the flow's path.
    pub(super) fn round_trip(&self, flow: &FlowPlan<'a>) -> Span {
        flow.forward.iter().fold(Span::ZERO, |sum, &port| sum + self.ports[port].delay) * 2
    }

    /// The least delay of the flow's PDUs: propagation, and serialisation where all have the same size.
    fn floor(&self, flow: &FlowPlan<'a>) -> Span {
        let bits = if flow.params.traffic.constant_size() { u64::from(flow.params.octets) * 8 } else { 0 };
        flow.forward.iter().fold(Span::ZERO, |sum, &port| {
            let port = &self.ports[port];
            sum + port.delay + Serialiser::new(port.rate).next(bits)
        })
    }

    /// Builds every node in its form. Nodes are numbered ports, police, Ends, switches.
    pub(super) fn build(&self, seed: u64, replication: u32, form: Form, forms: &[PortForm]) -> Parts {
        let stream = |name: &str, purpose: &str| Stream::new(seed, replication, &format!("{name}/{purpose}"));
        let groups: Arc<[u32]> = self.flows.iter().map(|flow| flow.group as u32).collect();
        let terms = self.terms();
        let chained = if form == Form::Fast { self.chained(forms) } else { BTreeSet::new() };
        let mut nodes = Vec::new();
        let mut seats = Vec::new();
        for (index, plan) in self.ports.iter().enumerate() {
            nodes.push(AnyNode::Port(Box::new(self.build_port(
                index,
                plan,
                Arc::clone(&groups),
                &terms,
                forms[index],
                &stream,
            ))));
            let node = self.port_node(index);
            if forms[index] == PortForm::Stepped {
                seats.push(Seat { node, timer: Timer::Service, rank: self.service_rank(index) });
            }
            if forms[index] != PortForm::Late && !chained.contains(&index) {
                seats.push(Seat { node, timer: Timer::Delivery, rank: self.delivery_rank(index) });
            }
            if plan.order == Order::Random {
                seats.push(Seat { node, timer: Timer::Gathering, rank: self.gathering_rank(index) });
            }
        }
        for (index, flow) in self.flows.iter().enumerate() {
            let node = self.police_node(index);
            let rank = self.own_rank(index, 1);
            let stages = flow.params.policers.iter().map(|params| params.build(())).collect();
            let name = format!("police/{}", flow.name);
            let mut police = Police::new(name, stages, self.after_police(flow), self.delivery_rank(flow.forward[0]));
            if form == Form::Fast && forms[flow.forward[0]] == PortForm::Ahead {
                police.tell_ahead();
            }
            nodes.push(AnyNode::Police(Box::new(police)));
            if !flow.params.policers.is_empty() {
                seats.push(Seat { node, timer: Timer::Own, rank });
            }
        }
        let group_stream = |group: &str| stream(group, traffic::GROUP_PURPOSE);
        let sequences: Vec<_> =
            self.scenario.flow.iter().map(|(name, flow)| flow.traffic.sequence(group_stream(name))).collect();
        let mut ends: Vec<end::Parts> = (0..self.end_count).map(|_| end::Parts::default()).collect();
        let mut transports = BTreeMap::new();
        for (index, flow) in self.flows.iter().enumerate() {
            let [sending, receiving] = flow.ends;
            let traffic = self.build_traffic(flow, sequences[flow.group].clone(), &stream);
            let receiver = self.build_receiver(index, flow, receiving);
            if flow.params.transport.is_some() {
                let out = [self.port_node(flow.forward[0]), self.back_from(flow)];
                let ends = self.build_transport(index, flow, traffic, receiver, out);
                transports.extend(flow.ends.into_iter().zip(ends.into_iter().flatten()));
                seats.extend([0, 1].map(|half| Seat {
                    node: self.end_node(flow.ends[half]),
                    timer: Timer::Own,
                    rank: self.own_rank(index, half),
                }));
                continue;
            }
            let sender = self.build_sender(index, flow, traffic, &stream);
            let is_chain = chained.contains(&flow.forward[0]);
            let rank = if is_chain { self.chain_rank(index) } else { self.own_rank(index, 0) };
            seats.push(Seat { node: self.end_node(sending), timer: Timer::Own, rank });
            ends[sending].out = self.port_node(flow.forward[usize::from(is_chain)]);
            ends[sending].access = is_chain.then(|| self.build_access(flow, sender.is_as_produced()));
            ends[sending].sender = Some(sender);
            ends[receiving].receiver = Some(receiver);
            ends[receiving].back = self.back_from(flow);
        }
        let is_chain = |end: &usize| ends[*end].access.is_some();
        let chains = (0..self.end_count).filter(is_chain).map(|end| self.end_node(end)).collect();
        nodes.extend(ends.into_iter().enumerate().map(|(end, parts)| match transports.remove(&end) {
            Some(transport) => AnyNode::Transport(Box::new(transport)),
            None => AnyNode::End(Box::new(End::new(parts))),
        }));
        nodes.extend(self.build_switches().into_iter().map(|switch| AnyNode::Switch(Box::new(switch))));
        seats.sort_by_key(|seat| seat.rank);
        let rings = (0..self.ports.len()).filter(|port| forms[*port] != PortForm::Stepped && !chained.contains(port));
        Parts {
            nodes,
            seats,
            late: form::upstream_first(self, forms, rings.collect())
                .into_iter()
                .map(|port| self.port_node(port))
                .collect(),
            chains,
            flows: self
                .flows
                .iter()
                .enumerate()
                .map(|(index, flow)| FlowInfo {
                    name: flow.name.clone(),
                    group: flow.group as u32,
                    id: FlowId(index as u32),
                })
                .collect(),
            groups: self.groups.clone(),
        }
    }

    /// Where the flow's receiver puts what goes back.
    fn back_from(&self, flow: &FlowPlan<'a>) -> NodeId {
        let last = flow.forward.len() - 1;
        match self.ports[flow.forward[last]].private_to {
            Some(_) => self.port_node(flow.backward[last]),
            None => self.switch_node(self.stop_of(flow, last)),
        }
    }

    /// What congestion points may know of each flow.
    fn terms(&self) -> Arc<[FlowTerms]> {
        let terms = |(index, flow): (usize, &FlowPlan<'a>)| FlowTerms {
            peer: FlowId(flow.peer.unwrap_or(index) as u32),
            minimum: flow.params.reaction_point.minimum(self.line_rate(flow)),
        };
        self.flows.iter().enumerate().map(terms).collect()
    }

    fn after_police(&self, flow: &FlowPlan<'a>) -> NodeId {
        flow.forward.get(1).map_or(self.end_node(flow.ends[1]), |&port| self.port_node(port))
    }

    fn build_port(
        &self,
        index: usize,
        plan: &PortPlan<'a>,
        groups: Arc<[u32]>,
        terms: &Arc<[FlowTerms]>,
        form: PortForm,
        stream: &impl Fn(&str, &str) -> Stream,
    ) -> Port {
        let to = match plan.private_to {
            Some(flow) => self.end_node(self.flows[flow].ends[0]),
            None => self.only_way_on(index).unwrap_or_else(|| self.switch_node(&plan.to)),
        };
        let surroundings = plan.surroundings(terms);
        let parts = port::Parts {
            name: plan.name.clone(),
            number: index as u32,
            between: [plan.from.clone(), plan.to.clone()],
            to,
            switch: self.switch_node(&plan.from),
            rate: plan.rate,
            delay: plan.delay,
            outage: plan.outage,
            policies: plan.queues.iter().map(|params| params.build(())).collect(),
            congestion: plan.congestion.map(|params| params.build(surroundings)),
            order: (plan.order == Order::Random).then(|| stream(&plan.name, "order")),
            groups,
            group_count: self.groups.len(),
            measures_bits: self.scenario.flow.values().any(|flow| flow.transport.is_some()),
        };
        Port::new(parts, form)
    }

    /// The one port to which everything that crosses this line goes on: no switch need be asked.
    fn only_way_on(&self, port: usize) -> Option<NodeId> {
        if port >= 2 * self.scenario.line.len() && self.ports[port].rate.is_some() {
            // An access line has one flow; to look for it among all would cost their number squared.
            return None;
        }
        let mut onward = None;
        for flow in &self.flows {
            if flow.backward.contains(&port) {
                return None;
            }
            let Some(hop) = flow.forward.iter().position(|&crossed| crossed == port) else { continue };
            let policed = hop == 0 && !flow.params.policers.is_empty();
            let next = flow.forward.get(hop + 1).filter(|_| !policed)?;
            if onward.replace(*next).is_some_and(|known| known != *next) {
                return None;
            }
        }
        onward.map(|next| self.port_node(next))
    }

    /// Rate of the flow's first line that has one.
    pub(super) fn line_rate(&self, flow: &FlowPlan<'a>) -> LineRate {
        let rated = flow.forward.iter().find_map(|&port| self.ports[port].rate);
        rated.expect("a path crosses a line with a rate")
    }

    fn build_sender(
        &self,
        index: usize,
        flow: &FlowPlan<'a>,
        traffic: traffic::Model,
        stream: &impl Fn(&str, &str) -> Stream,
    ) -> Sender {
        let octets = flow.params.octets;
        let line_rate = self.line_rate(flow);
        let stream = stream(&flow.name, "reaction");
        let surroundings = SenderSurroundings { stream, round_trip: self.round_trip(flow), line_rate, octets };
        let reaction = flow.params.reaction_point.build(surroundings);
        Sender::new(FlowId(index as u32), flow.params.priority, line_rate, traffic, reaction)
    }

    fn build_receiver(&self, index: usize, flow: &FlowPlan<'a>, end: usize) -> Receiver {
        let surroundings = ReceiverSurroundings {
            node: self.end_node(end).0,
            round_trip: self.round_trip(flow),
            octets: flow.params.octets,
        };
        let notification = flow.params.notification_point.as_ref().map(|params| params.build(surroundings));
        let measure = &self.scenario.measure;
        let limits =
            Limits { floor: self.floor(flow), jitter: measure.jitter_limit, histogram: measure.flow_percentiles };
        Receiver::new(FlowId(index as u32), flow.group, notification, limits)
    }
}
