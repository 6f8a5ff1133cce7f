//! The plan of a network: flows, ports, routes and numbers, before any node is built.

mod capacities;
pub(super) mod flow_path;
mod lay_out;
pub(super) mod path_memory;
mod paths;
mod peers;
pub(super) mod port_plan;
mod shortest;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::Arc;

use crate::control::{FlowTerms, PortEnv, ReactionPointParams};
use crate::core::key::Place;
use crate::core::pdu::FlowId;
use crate::core::time::{FASTEST, LineRate, Serialiser, Span};
use crate::network::context::{FlowNames, numbered};
use crate::scenario::spec::{self, Flow, Scenario};
use crate::traffic::ModelParams;
use crate::transport::Params;

use flow_path::FlowPath;
use path_memory::PathMemory;
use port_plan::{Controlled, PortPlan};

/// A line in one direction: from a node to the next.
pub type Hop = (String, String);

/// A shared capacity and the ports of its lines, in the order of its list.
#[derive(Clone, Debug)]
pub struct Shared {
    /// The parameters.
    pub params: spec::Capacity,
    /// The numbers of the ports.
    pub ports: Vec<usize>,
}

/// The ports of all lines as changes see them; empty without congestion points.
#[derive(Clone, Debug, Default)]
pub(super) struct LinePorts {
    /// Their environments at the start of the run, from which a changed congestion point derives its `auto` values.
    pub(super) envs: Arc<[PortEnv]>,
    /// Upper bounds of the minimum rates of the flows that each controls, together, in bits per second. They hold for lines
    /// of any rate.
    pub(super) minima: Arc<[f64]>,
}

/// What the flows of one route share.
#[derive(Clone, Debug)]
pub(super) struct RoutePlan<'a> {
    /// The names of its flows.
    pub(super) names: Arc<FlowNames>,
    /// The name of their sending hosts in random streams.
    pub(super) host: String,
    pub(super) group: usize,
    pub(super) params: &'a spec::Flow,
    /// The ports of the lines of each path, in order. Flow n has the n-th path, and then from the first again.
    pub(super) paths: Vec<Vec<usize>>,
    /// The number of receivers of each of these hosts, and the index of this one.
    pub(super) peers: u32,
    pub(super) place: u32,
}

/// The plan of one flow: what it shares with those of its route, and its own numbers.
#[derive(Clone, Debug)]
pub(super) struct FlowPlan<'a> {
    pub(super) route: Arc<RoutePlan<'a>>,
    /// The port of its own access line.
    pub(super) access: Option<u32>,
    /// The port at the far end of its peer's access line.
    pub(super) last: Option<u32>,
    /// Endpoints: sending, receiving.
    pub(super) endpoints: [u32; 2],
    /// Index among the flows of its route, from 0.
    pub(super) number: u32,
    /// How many flows it stands for, itself and those with the numbers behind its own: more than itself only in a sketch.
    pub(super) times: u32,
    pub(super) peer: Option<u32>,
}

impl<'a> Deref for FlowPlan<'a> {
    type Target = RoutePlan<'a>;

    fn deref(&self) -> &RoutePlan<'a> {
        &self.route
    }
}

impl FlowPlan<'_> {
    pub(super) fn name(&self) -> String {
        self.names.of(self.number)
    }

    /// Its sending host as named in random streams.
    pub(super) fn host(&self) -> String {
        numbered(&self.route.host, self.number + 1, self.params.count)
    }

    /// Its endpoints: sending, receiving.
    pub(super) fn endpoints(&self) -> [usize; 2] {
        self.endpoints.map(|endpoint| endpoint as usize)
    }

    /// The flow in the opposite direction of its connection.
    pub(super) fn peer(&self) -> Option<usize> {
        self.peer.map(|peer| peer as usize)
    }

    /// The ports on its path.
    pub(super) fn forward(&self) -> FlowPath<'_> {
        FlowPath::new(self.access, &self.paths[self.path()], self.last)
    }

    /// The ports of the same lines on the way back, in the order of the way forward.
    pub(super) fn backward(&self) -> FlowPath<'_> {
        self.forward().backward()
    }

    /// The ports on its path and on the way back.
    pub(super) fn ports(&self) -> impl Iterator<Item = usize> {
        self.forward().iter().chain(self.backward().iter())
    }

    /// Which of the paths of its route it takes.
    fn path(&self) -> usize {
        self.number as usize % self.paths.len()
    }

    /// Whether every check has the same result for both flows, because they differ in their numbers only.
    fn is_like(&self, other: &FlowPlan<'_>) -> bool {
        let is_own = |flow: &FlowPlan<'_>| flow.access.is_some() || flow.last.is_some();
        Arc::ptr_eq(&self.route, &other.route) && self.path() == other.path() && !is_own(self) && !is_own(other)
    }
}

/// The plan of the whole network, by index.
#[derive(Clone, Debug)]
pub(super) struct Network<'a> {
    pub(super) scenario: &'a Scenario,
    /// Whether this is a sketch: one plan for all flows of a route that differ in their numbers only, and one for their
    /// access lines. Checks need no more. Nodes cannot be built from it.
    pub(super) is_sketch: bool,
    pub(super) groups: Vec<String>,
    pub(super) flows: Vec<FlowPlan<'a>>,
    pub(super) ports: Vec<PortPlan<'a>>,
    pub(super) endpoint_count: usize,
    /// The port whose departures may end the run, and their number.
    pub(super) stop: Option<(usize, u64)>,
    /// The ports of the lines from one node to another. An access line serves one flow alone, so no other flow finds it here.
    pub(super) lines: BTreeMap<[&'a str; 2], Vec<usize>>,
    /// Capacities that several lines share.
    pub(super) capacities: Vec<Shared>,
    /// The memory that is left for paths.
    pub(super) path_memory: PathMemory,
    /// The terms of each flow for congestion points, once they have been asked for.
    pub(super) terms: OnceCell<Arc<[FlowTerms]>>,
}

impl<'a> Network<'a> {
    /// The flows, each with the number of those like it: one for all flows of a group on one path.
    pub(super) fn alike(&self) -> impl Iterator<Item = (&FlowPlan<'a>, u32)> {
        let chunks = self.flows.chunk_by(|one, other| one.is_like(other));
        chunks.map(|flows| (&flows[0], flows.iter().map(|flow| flow.times).sum()))
    }

    /// Whether the ports measure their queues in bits for a transport.
    pub(super) fn counts_bits(&self) -> bool {
        counts_bits(self.scenario)
    }

    /// The propagation delay of the flow's path, there and back.
    pub(super) fn round_trip(&self, flow: &FlowPlan<'a>) -> Span {
        flow.ports().fold(Span::ZERO, |sum, port| sum + self.ports[port].delay)
    }

    /// The minimum delay of the flow's PDUs: propagation, and serialisation at the highest rates if all have the same size.
    pub(super) fn floor(&self, flow: &FlowPlan<'a>) -> Span {
        let octets = flow.params.octets;
        let is_split = flow.params.transport.as_ref().is_some_and(|transport| transport.splits(octets));
        // Without headers: fewer octets are a bound, too.
        let octets =
            flow.params.transport.as_ref().map_or(octets, |transport| transport.pdu_octets(octets).min(octets));
        let bits = if flow.params.traffic.constant_size() && !is_split { u64::from(octets) * 8 } else { 0 };
        flow.forward().iter().fold(Span::ZERO, |sum, port| {
            let port = &self.ports[port];
            sum + port.delay + Serialiser::new(port.fastest()).next(bits)
        })
    }

    /// Rate of the flow's first line that has one.
    pub(super) fn line_rate(&self, flow: &FlowPlan<'a>) -> LineRate {
        let rated = flow.forward().iter().find_map(|port| self.ports[port].rate);
        rated.expect("a path has a line with a rate")
    }

    /// The rate that the network guarantees to a flow (MCR), bits per second. Not above its first line's rate.
    pub(super) fn minimum(&self, flow: &FlowPlan<'a>) -> f64 {
        let line_rate = self.line_rate(flow);
        flow.params.reaction().minimum(line_rate).min(line_rate.rounded().bits_per_second())
    }

    /// Whether the port controls the flow, whose data leave through it.
    pub(super) fn controls(&self, port: usize, flow: &FlowPlan<'a>) -> bool {
        usize::from(flow.params.priority) + 1 >= self.ports[port].queues.len()
    }

    /// The flows that each port of a line controls.
    pub(super) fn controlled(&self) -> Vec<Controlled> {
        let mut controlled = vec![Controlled::default(); 2 * self.scenario.line.len()];
        for (flow, count) in self.alike() {
            let (minimum, octets, round_trip) = (self.minimum(flow), flow.params.pdu_octets(), self.round_trip(flow));
            for port in flow.forward().iter().filter(|&port| self.controls(port, flow)) {
                let Some(own) = controlled.get_mut(port) else { continue };
                own.octets = if own.flow_count == 0 { octets } else { own.octets.max(octets) };
                own.round_trip = own.round_trip.max(round_trip);
                own.flow_count += count;
                // Added one by one: a product would be rounded otherwise.
                own.minimum = (0..count).fold(own.minimum, |sum, _| sum + minimum);
            }
        }
        controlled
    }

    /// The smallest rate of a line on the flow's path, divided by the flows that its port controls, in bits per second.
    pub(super) fn equal_share(&self, flow: &FlowPlan<'a>, controlled: &[Controlled]) -> f64 {
        let share = |port: usize| {
            // Each access line with a rate belongs to one flow.
            let flows = controlled.get(port).map_or(1, |controlled| controlled.flow_count.max(1));
            Some(self.ports[port].rate?.bits_per_second() / f64::from(flows))
        };
        flow.forward().iter().filter_map(share).fold(f64::INFINITY, f64::min)
    }

    /// For each group of flows the two nodes of each line on its paths, each once. Access lines are laid behind the others.
    pub(super) fn hops(&self) -> BTreeMap<String, Vec<Hop>> {
        let is_line = |port: &usize| *port < 2 * self.scenario.line.len();
        let mut seen = vec![BTreeSet::new(); self.groups.len()];
        let mut hops = vec![Vec::new(); self.groups.len()];
        for flow in &self.flows {
            for port in flow.forward().iter().filter(is_line).filter(|&port| seen[flow.group].insert(port)) {
                hops[flow.group].push((self.ports[port].from(), self.ports[port].to()));
            }
        }
        self.groups.iter().cloned().zip(hops).collect()
    }

    /// The number of an endpoint in its notices: after the ports and the policers.
    pub(super) fn endpoint_number(&self, endpoint: usize) -> u32 {
        (self.ports.len() + self.flows.len() + endpoint) as u32
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

    pub(super) fn service_place(&self, port: usize) -> Place {
        Place(port as u32)
    }

    pub(super) fn delivery_place(&self, port: usize) -> Place {
        Place::of_delivery(port, self.ports.len())
    }

    pub(super) fn own_place(&self, flow: usize, kind: usize) -> Place {
        Place((2 * self.ports.len() + 2 * flow + kind) as u32)
    }

    pub(super) fn gathering_place(&self, port: usize) -> Place {
        Place((2 * self.ports.len() + 2 * self.flows.len() + port) as u32)
    }
}

/// Whether a transport makes the ports measure their queues in bits.
pub(super) fn counts_bits(scenario: &Scenario) -> bool {
    let of = |flow: &Flow| flow.transport.as_ref().is_some_and(Params::counts_bits);
    scenario.flow.values().any(of)
}

/// The places of flows among those of their group, of which no flow begins earlier than its place times the stagger tells.
pub(super) struct GroupPlaces(Vec<u32>);

impl GroupPlaces {
    pub(super) fn new(network: &Network<'_>) -> GroupPlaces {
        GroupPlaces(vec![0; network.groups.len()])
    }

    /// The first place of the flows that `flow` stands for, and their number.
    pub(super) fn next(&mut self, flow: &FlowPlan<'_>) -> (u32, u32) {
        let first = self.0[flow.group];
        self.0[flow.group] += flow.times;
        (first, flow.times)
    }
}
