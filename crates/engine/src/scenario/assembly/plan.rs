//! The plan of a network: flows, ports, routes and numbers, before any node is built.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::path_memory::PathMemory;
use crate::control::{self, FlowTerms, PortEnv};
use crate::core::time::{Interval, LineRate, Rate, Serialiser, Span};
use crate::queue;
use crate::scenario::spec::{self, Order, Scenario};
use crate::traffic::ModelParams;

/// The plan of one port.
#[derive(Clone, Debug)]
pub(super) struct PortPlan<'a> {
    pub(super) name: String,
    /// Path of its parameters in the scenario.
    pub(super) path: String,
    pub(super) from: String,
    pub(super) to: String,
    /// None for a delay without queueing.
    pub(super) rate: Option<LineRate>,
    pub(super) delay: Span,
    pub(super) outage: Option<Interval>,
    pub(super) order: Order,
    pub(super) queues: &'a [queue::Params],
    pub(super) congestion: Option<&'a control::CongestionParams>,
}

impl PortPlan<'_> {
    /// The environment of its congestion point, in a network of these flows, of which it controls so many.
    pub(super) fn env(&self, flow_count: u32, flows: &Arc<[FlowTerms]>) -> PortEnv {
        let rate = self.rate.map_or(Rate(0), LineRate::rounded);
        PortEnv { rate, queues: self.queues.len(), flow_count, flows: Arc::clone(flows) }
    }
}

/// The plan of one flow: the ports on its path, by index.
#[derive(Clone, Debug)]
pub(super) struct FlowPlan<'a> {
    pub(super) name: String,
    pub(super) group: usize,
    pub(super) params: &'a spec::Flow,
    /// Ports forward, in order; the first is the access port, if there is one.
    pub(super) forward: Vec<usize>,
    /// Ports backward: `backward[i]` is the reverse of `forward[i]`.
    pub(super) backward: Vec<usize>,
    /// Endpoints: sending, receiving.
    pub(super) endpoints: [usize; 2],
    /// Index within its group, from 0.
    pub(super) number: u32,
    /// The sending host as named in random streams, the number of its peers, and the index of this peer.
    pub(super) host: (String, u32, u32),
    /// The flow in the opposite direction of its connection.
    pub(super) peer: Option<usize>,
}

/// The plan of the whole network, by index.
#[derive(Clone, Debug)]
pub(super) struct Network<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) groups: Vec<String>,
    pub(super) flows: Vec<FlowPlan<'a>>,
    pub(super) ports: Vec<PortPlan<'a>>,
    pub(super) endpoint_count: usize,
    /// The port whose departures may end the run, and their number.
    pub(super) stop: Option<(usize, u64)>,
    /// The ports of the lines from one node to another. Access lines are laid between groups, and are no other flow's.
    pub(super) lines: BTreeMap<[&'a str; 2], Vec<usize>>,
    /// What is left for paths.
    pub(super) path_memory: PathMemory,
}

impl<'a> Network<'a> {
    /// Twice the propagation delay of the flow's path.
    pub(super) fn round_trip(&self, flow: &FlowPlan<'a>) -> Span {
        flow.forward.iter().fold(Span::ZERO, |sum, &port| sum + self.ports[port].delay) * 2
    }

    /// The minimum delay of the flow's PDUs: propagation, and serialisation if all have the same size.
    pub(super) fn floor(&self, flow: &FlowPlan<'a>) -> Span {
        let bits = if flow.params.traffic.constant_size() { u64::from(flow.params.octets) * 8 } else { 0 };
        flow.forward.iter().fold(Span::ZERO, |sum, &port| {
            let port = &self.ports[port];
            sum + port.delay + Serialiser::new(port.rate).next(bits)
        })
    }

    /// Rate of the flow's first line that has one.
    pub(super) fn line_rate(&self, flow: &FlowPlan<'a>) -> LineRate {
        let rated = flow.forward.iter().find_map(|&port| self.ports[port].rate);
        rated.expect("a path has a line with a rate")
    }

    /// The number of flows that each port controls: their data leave through it by the last queue.
    pub(super) fn flow_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.ports.len()];
        for flow in &self.flows {
            for &port in &flow.forward {
                let is_last = usize::from(flow.params.priority) + 1 >= self.ports[port].queues.len();
                counts[port] += u32::from(is_last);
            }
        }
        counts
    }

    /// The number of an endpoint in its notices: after the ports and the policers.
    pub(super) fn endpoint_number(&self, endpoint: usize) -> u32 {
        (self.ports.len() + self.flows.len() + endpoint) as u32
    }
}
