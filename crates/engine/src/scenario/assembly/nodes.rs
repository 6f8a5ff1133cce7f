//! Builds every node of a network.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::graph::Name;
use super::plan::{FlowPlan, GroupPlaces, LinePorts, Network};
use super::port_plan::{Controlled, PortPlan};
use super::routes::{Routes, SharedLane};
use super::transports::UserPlan;
use crate::control::{FlowTerms, PortEnv, ReactionPointParams, ReceiverEnv, SenderEnv};
use crate::core::pdu::FlowId;
use crate::core::random::Stream;
use crate::core::time::{FASTEST, LineRate, Time};
use crate::network::Node;
use crate::network::agenda::Member;
use crate::network::context::FlowInfo;
use crate::network::downlinks::Downlinks;
use crate::network::hosts::direct::{DirectHost, Halves};
use crate::network::hosts::sender::Sender;
use crate::network::hosts::transport::TransportHost;
use crate::network::hosts::{Host, Hosts};
use crate::network::inbox::Inbox;
use crate::network::lane::LaneId;
use crate::network::policer_node::FlowPolicers;
use crate::network::port::{self, Places, Port, scheduler};
use crate::network::receiver::{Limits, Receiver};
use crate::network::sinks::Sinks;
use crate::queue::{self, Policy};
use crate::round::cluster::Cluster;
use crate::round::{AccessLines, Location, Parts, Process, Seats, Unit};
use crate::scenario::spec::{self, Order};
use crate::traffic;
use crate::traffic::ModelParams;
use crate::transport::{self, Records};

/// The form of the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Each node runs alone up to its horizon, and then the next.
    #[default]
    Fast,
    /// All nodes take turns, in order of time.
    Plain,
}

/// Larger networks always have enough events per round, and never take turns.
const MOST_IN_TURNS: usize = 4_096;

impl Network<'_> {
    /// Builds every node and its lanes.
    pub(super) fn build(&self, seed: u64, replication: u32, form: Form) -> Parts {
        let folded = self.folded();
        let mut routes = self.route(&folded, |_| form == Form::Plain);
        let mut units = self.units(&routes, form);
        let grouped = self.grouped_in_turns(&routes, &units, &folded);
        if !grouped.is_empty() {
            routes = self.route(&folded, |endpoint| grouped.contains(&endpoint));
            units = self.units(&routes, form);
        }
        Builder {
            network: self,
            stream: |name: &str, purpose: &str| Stream::new(seed, replication, &format!("{name}/{purpose}")),
            folded,
            endpoints: vec![None; self.endpoint_count],
            policers: BTreeMap::new(),
            nodes: Vec::new(),
            controlled: self.controlled(),
            routes,
        }
        .build(&units)
    }

    /// The units of a round. The plain form has one unit, in which all nodes take turns.
    fn units(&self, routes: &Routes, form: Form) -> Vec<Vec<u32>> {
        let units = routes.graph.units(|step| self.is_instant(routes, step));
        match form {
            Form::Fast => units,
            Form::Plain => vec![units.into_iter().flatten().collect()],
        }
    }

    /// Endpoints that share a node with others in a cluster, where one has an access line (`Hosts::can_take_turns`): they need
    /// nodes of their own.
    fn grouped_in_turns(&self, routes: &Routes, units: &[Vec<u32>], folded: &[bool]) -> BTreeSet<usize> {
        let has_access = |flow: &&FlowPlan<'_>| folded[flow.forward().first()];
        let with_access: BTreeSet<u32> =
            self.flows.iter().filter(has_access).filter_map(|flow| routes.endpoints[flow.endpoints()[0]]).collect();
        let taking_turns: BTreeSet<u32> = units
            .iter()
            .filter(|unit| unit.len() > 1)
            .flatten()
            .copied()
            .filter(|node| with_access.contains(node))
            .collect();
        let is_grouped = |endpoint: &usize| {
            routes.endpoints[*endpoint].is_some_and(|node| {
                taking_turns.contains(&node) && matches!(routes.graph.names[node as usize], Name::Hosts(_))
            })
        };
        (0..self.endpoint_count).filter(is_grouped).collect()
    }

    /// The terms of each flow for congestion points.
    pub(super) fn terms(&self) -> &Arc<[FlowTerms]> {
        let terms = |(index, flow): (usize, &FlowPlan<'_>)| FlowTerms {
            peer: FlowId(flow.peer.unwrap_or(index as u32)),
            minimum: self.minimum(flow),
        };
        self.terms.get_or_init(|| self.flows.iter().enumerate().map(terms).collect())
    }

    /// What changes read of the ports of all lines, if one of them has a congestion point.
    pub(super) fn line_ports(&self) -> LinePorts {
        let lines = &self.ports[..2 * self.scenario.line.len()];
        if lines.iter().all(|port| port.congestion.is_none()) {
            return LinePorts::default();
        }
        let envs = lines.iter().zip(self.controlled()).map(|(port, controlled)| port.env(controlled, self.terms()));
        let mut minima = vec![0.0; self.ports.len()];
        for (flow, count) in self.alike() {
            let minimum = f64::from(count) * flow.params.reaction().minimum(LineRate::Bits(FASTEST));
            flow.forward().iter().filter(|&port| self.controls(port, flow)).for_each(|port| minima[port] += minimum);
        }
        minima.truncate(lines.len());
        LinePorts { envs: envs.collect(), minima: minima.into() }
    }
}

/// Builds the nodes of one network.
struct Builder<'a, S> {
    network: &'a Network<'a>,
    stream: S,
    folded: Vec<bool>,
    controlled: Vec<Controlled>,
    routes: Routes,
    endpoints: Vec<Option<Location>>,
    policers: BTreeMap<u32, Location>,
    nodes: Vec<Node>,
}

impl<S: Fn(&str, &str) -> Stream> Builder<'_, S> {
    fn build(mut self, units: &[Vec<u32>]) -> Parts {
        let inboxes = self.routes.graph.inboxes();
        self.build_ports(&inboxes);
        self.build_hosts();
        self.build_policers();
        let seats = self.seats();
        let network = self.network;
        let graph = &self.routes.graph;
        let processes = self.nodes.into_iter().zip(inboxes).map(|(node, lanes)| {
            let is_observed = |lane: &LaneId| graph.steps[lane.index()].observed;
            let observed: Vec<LaneId> = lanes.iter().copied().filter(is_observed).collect();
            let lines = graph.feeders(&observed);
            let feeders = graph.feeders(&lanes);
            Process { node, feeders, observed: (observed, lines), inbox: Inbox::new(lanes), horizon: Time::ZERO }
        });
        let info = |flow: &FlowPlan<'_>| FlowInfo {
            names: Arc::clone(&flow.names),
            number: flow.number,
            group: flow.group as u32,
            endpoints: flow.endpoints,
        };
        let processes: Vec<Process> = processes.collect();
        let can_take_turns = |process: &Process| match &process.node {
            Node::Hosts(hosts) => hosts.can_take_turns(),
            Node::Downlinks(downlinks) => downlinks.can_take_turns(),
            _ => true,
        };
        let all: Vec<u32> = units.iter().flatten().copied().collect();
        let may = units.len() > 1 && all.len() <= MOST_IN_TURNS && processes.iter().all(can_take_turns);
        Parts {
            turns: may.then(|| unit(graph, &all)),
            processes,
            units: units.iter().map(|members| unit(graph, members)).collect(),
            lanes: graph.steps.len(),
            ports: seats,
            endpoints: self.endpoints,
            policers: self.policers,
            records: Records::new(network.flows.iter().map(|flow| flow.params.transport.as_ref())),
            messages: network.completions(),
            flows: network.flows.iter().map(info).collect(),
            groups: network.groups.clone(),
        }
    }

    fn build_ports(&mut self, inboxes: &[Vec<LaneId>]) {
        let network = self.network;
        let groups: Arc<[u32]> = network.flows.iter().map(|flow| flow.group as u32).collect();
        for index in (0..network.ports.len()).filter(|&port| self.routes.has_node[port]).collect::<Vec<_>>() {
            let inbox = &inboxes[self.nodes.len()];
            let observed = inbox.iter().map(|lane| self.routes.graph.steps[lane.index()].observed).collect();
            let port = self.build_port(index, Arc::clone(&groups), observed);
            self.nodes.push(Node::Port(Box::new(port)));
        }
    }

    /// The place of each port in the world.
    fn seats(&self) -> Seats {
        let network = self.network;
        let mut seats = Seats::default();
        let mut nodes = 0;
        let mut push = |port: usize, access: Option<(&Arc<AccessLines>, usize)>| match access {
            Some((lines, flow)) if !self.routes.has_node[port] => seats.push_access(lines, flow as u32),
            _ => {
                debug_assert!(self.routes.has_node[port], "only access lines are computed with their hosts");
                seats.push_node(nodes);
                nodes += 1;
            }
        };
        let mut lines: Vec<Option<Arc<AccessLines>>> = vec![None; network.groups.len()];
        let mut next = 0;
        // The access lines of flows are laid in the order of the flows.
        for (index, flow) in network.flows.iter().enumerate() {
            let Some(near) = flow.access.map(|port| port as usize) else { continue };
            let plan = &network.ports[near];
            let Some(rate) = plan.rate else { continue };
            (next..near).for_each(|port| push(port, None));
            let lines = lines[flow.group]
                .get_or_insert_with(|| Arc::new(AccessLines { rate, delay: plan.delay, node: plan.to() }));
            [near, near + 1].into_iter().for_each(|port| push(port, Some((lines, index))));
            next = near + 2;
        }
        (next..network.ports.len()).for_each(|port| push(port, None));
        seats
    }

    fn build_port(&mut self, index: usize, groups: Arc<[u32]>, observed: Vec<bool>) -> Port {
        let network = self.network;
        let plan = &network.ports[index];
        Port::new(port::Parts {
            name: plan.name(),
            number: index as u32,
            between: [plan.from(), plan.to()],
            rate: plan.rate,
            rate_varies: plan.share.is_some(),
            delay: plan.delay,
            outage: plan.outage,
            policies: self.build_policies(plan),
            scheduler: plan.scheduler.unwrap_or(&scheduler::Params::default()).build(()),
            congestion: plan.congestion.map(|params| params.build(self.port_env(index))),
            order: (plan.order == Order::Random).then(|| (self.stream)(&plan.name(), "order")),
            groups,
            group_count: network.groups.len(),
            measures_bits: plan.share.is_some() || network.counts_bits(),
            least_bits: self.routes.least_bits,
            first_queue: self.routes.first_queues[index],
            places: Places {
                service: network.service_place(index),
                delivery: network.delivery_place(index),
                gathering: network.gathering_place(index),
            },
            observed,
            next_lanes: std::mem::take(&mut self.routes.next_lanes[self.nodes.len()]),
        })
    }

    /// The queue policies of a port.
    fn build_policies(&self, plan: &PortPlan<'_>) -> Vec<Policy> {
        let name = plan.name();
        let build = |(number, params): (usize, &queue::Params)| {
            params.build(queue::Env { stream: (self.stream)(&name, &format!("queue {number}")), rate: plan.rate })
        };
        plan.queues.iter().enumerate().map(build).collect()
    }

    /// The environment of the congestion point of a line's port.
    fn port_env(&self, port: usize) -> PortEnv {
        self.network.ports[port].env(self.controlled[port], self.network.terms())
    }

    /// Builds hosts and sinks, node by node.
    fn build_hosts(&mut self) {
        let nodes = self.routes.graph.names.len();
        // There may be many flows: each list has exactly the room that it needs.
        let mut counts = vec![0; nodes];
        self.routes.endpoints.iter().flatten().for_each(|node| counts[*node as usize] += 1);
        let names = &self.routes.graph.names;
        let room = |node: usize, has_sinks: bool| {
            if matches!(names[node], Name::Sinks(_)) == has_sinks { counts[node] } else { 0 }
        };
        let mut hosts: Vec<Vec<Host>> = (0..nodes).map(|node| Vec::with_capacity(room(node, false))).collect();
        let mut halves = self.rooms_for_halves();
        let mut sinks: Vec<Sinks> = (0..nodes).map(|node| Sinks::with_room(room(node, true))).collect();
        let mut shared = self.shared_traffic();
        let mut places = GroupPlaces::new(self.network);
        let mut users = BTreeMap::new();
        let mut downlinks = vec![None; nodes];
        for (index, flow) in self.network.flows.iter().enumerate() {
            let [sending, receiving] = flow.endpoints();
            let (place, _) = places.next(flow);
            let traffic = self.network.build_traffic(flow, place, shared[flow.group].clone(), &self.stream);
            let receiver = self.build_receiver(index, flow, receiving);
            if flow.params.transport.is_some() {
                users.insert(index, UserPlan { index, traffic, receiver });
                self.build_transport(index, &mut users, &mut hosts);
                continue;
            }
            if let Some((node, host)) = self.direct_host(sending, &mut hosts) {
                self.build_sending_half(index, traffic, host, &mut halves[node as usize]);
                self.add_downlink(flow, &mut downlinks);
            }
            match self.routes.endpoints[receiving] {
                Some(node) if matches!(self.routes.graph.names[node as usize], Name::Sinks(_)) => {
                    let within = sinks[node as usize].add(receiver);
                    self.endpoints[receiving] = Some(Location { process: node, index: within });
                }
                _ => {
                    if let Some((_, host)) = self.direct_host(receiving, &mut hosts) {
                        host.receiver = Some(Box::new(receiver));
                    }
                }
            }
        }
        shared.clear();
        let parts = hosts.into_iter().zip(halves).zip(sinks).enumerate();
        for (index, ((hosts, halves), sinks)) in parts.skip(self.nodes.len()) {
            self.nodes.push(match (self.routes.graph.names[index], downlinks[index].take()) {
                (_, Some(lines)) => Node::Downlinks(lines),
                (Name::Sinks(_), _) => Node::Sinks(Box::new(sinks)),
                (Name::Policers(_), _) => Node::Policers(Box::default()),
                _ => {
                    let SharedLane { lane, lead } = self.routes.shared_lane(index as u32);
                    Node::Hosts(Box::new(Hosts::new(hosts, halves, lane, lead)))
                }
            });
        }
    }

    /// Builds the sender of a flow without transport connections, and its access line, if it has one.
    fn build_sending_half(&self, index: usize, traffic: traffic::Model, host: &mut DirectHost, halves: &mut Halves) {
        let flow = &self.network.flows[index];
        host.place = self.network.own_place(index, 0);
        host.sender = Some(halves.senders.len() as u32);
        halves.senders.push(self.build_sender(index, flow, traffic));
        if self.folded[flow.forward().first()] {
            host.access = Some(halves.lines.len() as u32);
            halves.lines.push(self.network.build_access(flow));
        }
    }

    /// Adds the line to the host that sends the flow to its node of downlinks, if PDUs use it.
    fn add_downlink(&mut self, flow: &FlowPlan<'_>, downlinks: &mut [Option<Box<Downlinks>>]) {
        let port = flow.backward().first();
        let is_used = self.routes.downlinks[port].is_some_and(|downlink| downlink.is_used);
        if let Some(Location { process, index }) = self.endpoints[flow.endpoints()[0]].filter(|_| is_used) {
            let node = self.routes.graph.node(Name::Downlinks(process));
            let SharedLane { lane, lead } = self.routes.shared_lane(node);
            let lines = downlinks[node as usize].get_or_insert_with(|| Box::new(Downlinks::new(lane, lead)));
            lines.add(index, self.network.build_line(port), self.network.service_place(port));
        }
    }

    /// For each node empty lists of senders and access lines, with exactly the room that they need.
    fn rooms_for_halves(&self) -> Vec<Halves> {
        let mut counts = vec![[0; 2]; self.routes.graph.names.len()];
        for flow in self.network.flows.iter().filter(|flow| flow.params.transport.is_none()) {
            if let Some(node) = self.routes.endpoints[flow.endpoints()[0]] {
                let [senders, lines] = &mut counts[node as usize];
                *senders += 1;
                *lines += usize::from(self.folded[flow.forward().first()]);
            }
        }
        let room = |[senders, lines]: [usize; 2]| Halves {
            senders: Vec::with_capacity(senders),
            lines: Vec::with_capacity(lines),
        };
        counts.into_iter().map(room).collect()
    }

    /// Builds the hosts of a flow over a transport, if those of a peer are known, too.
    fn build_transport(&mut self, index: usize, users: &mut BTreeMap<usize, UserPlan>, hosts: &mut [Vec<Host>]) {
        let network = self.network;
        if let Some(transport::Params::Stream(params)) = &network.flows[index].params.transport {
            let built = users.remove(&index).map(|user| network.build_stream(user, params));
            let endpoints = network.flows[index].endpoints();
            for (endpoint, host) in endpoints.into_iter().zip(built.into_iter().flatten()) {
                self.place_host(endpoint, Host::Transport(TransportHost::Stream(Box::new(host))), hosts);
            }
            return;
        }
        let peer = network.flows[index].peer();
        if peer.is_some_and(|peer| !users.contains_key(&peer)) {
            return;
        }
        let (first, second) = if network.follows_peer(index) { (peer, Some(index)) } else { (Some(index), peer) };
        let [first, second] = [first, second].map(|flow| users.remove(&flow?));
        let Some(first) = first else { return };
        let endpoints = network.flows[first.index].endpoints();
        let built = network.build_transport(first, second, &self.stream);
        for (endpoint, transport) in endpoints.into_iter().zip(built.into_iter().flatten()) {
            self.place_host(endpoint, Host::Transport(TransportHost::Tp4(Box::new(transport))), hosts);
        }
    }

    /// The host at an endpoint, with its node; adds a host without parts if there is none yet.
    fn direct_host<'h>(&mut self, endpoint: usize, hosts: &'h mut [Vec<Host>]) -> Option<(u32, &'h mut DirectHost)> {
        if self.endpoints[endpoint].is_none() {
            self.place_host(endpoint, Host::Direct(DirectHost::default()), hosts);
        }
        let Location { process, index } = self.endpoints[endpoint]?;
        match &mut hosts[process as usize][index as usize] {
            Host::Direct(host) => Some((process, host)),
            Host::Transport(_) => None,
        }
    }

    fn place_host(&mut self, endpoint: usize, host: Host, hosts: &mut [Vec<Host>]) {
        let Some(process) = self.routes.endpoints[endpoint] else { return };
        let hosts = &mut hosts[process as usize];
        self.endpoints[endpoint] = Some(Location { process, index: hosts.len() as u32 });
        hosts.push(host);
    }

    fn build_policers(&mut self) {
        for (index, flow) in self.network.flows.iter().enumerate() {
            if flow.params.policers.is_empty() {
                continue;
            }
            let process = self.routes.graph.node(Name::Policers(flow.forward().first()));
            let stages = flow.params.policers.iter().map(|params| params.build(())).collect();
            let place = self.network.own_place(index, 1);
            let own = FlowPolicers::new(format!("police/{}", flow.name()), stages, place, self.routes.policed[index]);
            if let Node::Policers(policers) = &mut self.nodes[process as usize] {
                let within = policers.add(own);
                self.policers.insert(index as u32, Location { process, index: within });
            }
        }
    }

    /// What the flows of each group share.
    fn shared_traffic(&self) -> Vec<traffic::Shared> {
        let mut counts = vec![0; self.network.groups.len()];
        self.network.flows.iter().for_each(|flow| counts[flow.group] += 1);
        let groups = self.network.scenario.flow.iter().zip(counts).enumerate();
        let shared = |(group, ((name, flow), count)): (usize, ((&String, &spec::Flow), u32))| {
            let stream = (self.stream)(name, traffic::GROUP_PURPOSE);
            traffic::Shared {
                sequence: flow.traffic.sequence(stream),
                packets: flow.traffic.packets(count),
                // The plan has been checked.
                line: self.network.loaded_line(group).ok().flatten(),
            }
        };
        groups.map(shared).collect()
    }

    fn build_sender(&self, index: usize, flow: &FlowPlan<'_>, traffic: traffic::Model) -> Sender {
        let octets = flow.params.octets;
        let line_rate = self.network.line_rate(flow);
        let stream = (self.stream)(&flow.name(), "reaction");
        let round_trip = self.network.round_trip(flow);
        let equal_share = self.network.equal_share(flow, &self.controlled);
        let env = SenderEnv { stream, round_trip, line_rate, equal_share, octets };
        let reaction = flow.params.reaction().build(env);
        let (flow_id, params) = (FlowId(index as u32), &flow.params.traffic);
        let mut sender = Sender::new(flow_id, flow.params.priority, line_rate, params, traffic, reaction);
        sender.set_active(flow.params.active);
        sender
    }

    fn build_receiver(&self, index: usize, flow: &FlowPlan<'_>, endpoint: usize) -> Receiver {
        let env = ReceiverEnv {
            node: self.network.endpoint_number(endpoint),
            round_trip: self.network.round_trip(flow),
            octets: flow.params.octets,
        };
        let notification = flow.params.notification_point.as_ref().map(|params| params.build(env));
        let measure = &self.network.scenario.measure;
        let limits = Limits {
            floor: self.network.floor(flow),
            jitter: measure.jitter_limit,
            flow: measure.flows,
            histogram: measure.flow_percentiles,
        };
        Receiver::new(FlowId(index as u32), flow.group, notification, limits)
    }
}

/// A unit of these nodes.
fn unit(graph: &super::graph::Graph, members: &[u32]) -> Unit {
    if let [node] = members {
        return Unit::Node(*node);
    }
    let mut places = vec![None; graph.names.len()];
    members.iter().enumerate().for_each(|(place, &node)| places[node as usize] = Some(place as u32));
    let place = |node: u32| places[node as usize];
    let mut consumers = vec![Vec::new(); members.len()];
    let mut inlets = Vec::new();
    for (lane, step) in graph.steps.iter().enumerate() {
        match (place(step.from), place(step.to)) {
            (Some(from), Some(to)) => consumers[from as usize].push((LaneId(lane as u32), Member(to))),
            (None, Some(to)) => inlets.push((LaneId(lane as u32), Member(to))),
            _ => {}
        }
    }
    let outside: Vec<LaneId> = inlets.iter().map(|(lane, _)| *lane).collect();
    Unit::Cluster(Box::new(Cluster::new(members.to_vec(), consumers, inlets, graph.feeders(&outside))))
}
