//! Builds every node of a network.

mod graph;
mod hosts;
mod routes;
mod transports;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::plan::port_plan::{Controlled, PortPlan};
use super::plan::{FlowPlan, Network};
use crate::control::PortEnv;
use crate::core::random::Stream;
use crate::core::time::Time;
use crate::network::Node;
use crate::network::agenda::Member;
use crate::network::context::FlowInfo;
use crate::network::inbox::Inbox;
use crate::network::lane::LaneId;
use crate::network::policer_node::FlowPolicers;
use crate::network::port::{self, Places, Port, opportunities, scheduler};
use crate::queue::{self, Policy};
use crate::round::cluster::Cluster;
use crate::round::{AccessLines, Location, Parts, PortLocations, Process, RoundUnit};
use crate::scenario::spec::Order;
use crate::transport::{self, Records};

use graph::{Graph, Name};
use routes::Routes;

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

/// Builds every node and its lanes.
pub(super) fn build(network: &Network<'_>, seed: u64, replication: u32, form: Form) -> Parts {
    let folded = routes::folded(network);
    let mut routes = routes::route(network, &folded, |_| form == Form::Plain);
    let mut units = units_of(network, &routes, form);
    let grouped = grouped_in_turns(network, &routes, &units, &folded);
    if !grouped.is_empty() {
        routes = routes::route(network, &folded, |endpoint| grouped.contains(&endpoint));
        units = units_of(network, &routes, form);
    }
    Builder {
        network,
        stream: |name: &str, purpose: &str| Stream::new(seed, replication, &format!("{name}/{purpose}")),
        folded,
        endpoints: vec![None; network.endpoint_count],
        policers: BTreeMap::new(),
        pulling: BTreeMap::new(),
        nodes: Vec::new(),
        controlled: network.controlled(),
        routes,
    }
    .build(&units)
}

/// The units of a round. The plain form has one unit, in which all nodes take turns.
fn units_of(network: &Network<'_>, routes: &Routes, form: Form) -> Vec<Vec<u32>> {
    let units = routes.graph.units(|step| routes::is_instant(network, routes, step));
    match form {
        Form::Fast => units,
        Form::Plain => vec![units.into_iter().flatten().collect()],
    }
}

/// Endpoints that share a node with others in a cluster, where one has an access line (`Hosts::can_take_turns`): they need
/// nodes of their own.
fn grouped_in_turns(network: &Network<'_>, routes: &Routes, units: &[Vec<u32>], folded: &[bool]) -> BTreeSet<usize> {
    let has_access = |flow: &&FlowPlan<'_>| has_own_line(flow, folded);
    let with_access: BTreeSet<u32> =
        network.flows.iter().filter(has_access).filter_map(|flow| routes.endpoints[flow.endpoints()[0]]).collect();
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
    (0..network.endpoint_count).filter(is_grouped).collect()
}

/// Whether PDUs of the flow's sending host may be on a line of its own: its access line, or one that only keeps those that
/// jitter holds back.
fn has_own_line(flow: &FlowPlan<'_>, folded: &[bool]) -> bool {
    folded[flow.forward().first()] || flow.params.transport.as_ref().is_some_and(transport::Params::has_jitter)
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
    /// The host of the receivers that give credit, by the port into which they send.
    pulling: BTreeMap<usize, Location>,
    nodes: Vec<Node>,
}

impl<S: Fn(&str, &str) -> Stream> Builder<'_, S> {
    fn build(mut self, units: &[Vec<u32>]) -> Parts {
        let inboxes = self.routes.graph.inboxes();
        self.build_ports(&inboxes);
        self.build_hosts();
        self.build_policers();
        let locations = self.locations();
        let messages = self.completions();
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
            ports: locations,
            endpoints: self.endpoints,
            policers: self.policers,
            records: Records::new(network.flows.iter().map(|flow| flow.params.transport.as_ref())),
            messages,
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
    fn locations(&self) -> PortLocations {
        let network = self.network;
        let mut locations = PortLocations::default();
        let mut nodes = 0;
        let mut push = |port: usize, access: Option<(&Arc<AccessLines>, usize)>| match access {
            Some((lines, flow)) if !self.routes.has_node[port] => locations.push_access(lines, flow as u32),
            _ => {
                debug_assert!(self.routes.has_node[port], "only access lines are computed with their hosts");
                locations.push_node(nodes);
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
        locations
    }

    fn build_port(&mut self, index: usize, groups: Arc<[u32]>, observed: Vec<bool>) -> Port {
        let network = self.network;
        let (plan, hosts) = (&network.ports[index], &network.scenario.hosts);
        Port::new(port::Parts {
            name: plan.name(),
            number: index as u32,
            between: [plan.from(), plan.to()],
            rate: plan.rate,
            rate_varies: plan.share.is_some(),
            opportunities: plan.opportunities.map(opportunities::Params::build),
            delay: plan.delay,
            jitter: plan.jitter.map(|params| params.build((self.stream)(&plan.name(), "jitter"))),
            outage: plan.outage,
            policies: self.build_policies(plan),
            scheduler: plan.scheduler.unwrap_or(&scheduler::Params::default()).build(()),
            buffer: plan.buffer.map(|params| params.build(())),
            congestion: plan.congestion.map(|params| params.hosted_by(&hosts.points).build(self.port_env(index))),
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
        let (name, hosts) = (plan.name(), &self.network.scenario.hosts.queues);
        let build = |(number, params): (usize, &queue::Params)| {
            let env = queue::Env { stream: (self.stream)(&name, &format!("queue {number}")), rate: plan.rate };
            params.hosted_by(hosts).build(env)
        };
        plan.queues.iter().enumerate().map(build).collect()
    }

    /// The environment of the congestion point of a line's port.
    fn port_env(&self, port: usize) -> PortEnv {
        let plan = &self.network.ports[port];
        let stream = (self.stream)(&plan.name(), "congestion point");
        PortEnv { stream, ..plan.env(self.controlled[port], self.network.terms()) }
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
                self.policers.insert(index as u32, Location { process, index: within, part: 0 });
            }
        }
    }
}

/// A unit of these nodes.
fn unit(graph: &Graph, members: &[u32]) -> RoundUnit {
    if let [node] = members {
        return RoundUnit::Node(*node);
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
    RoundUnit::Cluster(Box::new(Cluster::new(members.to_vec(), consumers, inlets, graph.feeders(&outside))))
}
