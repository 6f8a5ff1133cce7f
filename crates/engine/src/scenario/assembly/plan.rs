//! The plan of a network: flows, ports, routes and numbers, before anything is built.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::check::Room;
use crate::control::{self, FlowTerms, PortSurroundings};
use crate::core::time::{Interval, LineRate, Rate, Serialiser, Span};
use crate::queue;
use crate::scenario::spec::{self, Order, Scenario};

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
    pub(super) queues: &'a [queue::Params],
    pub(super) congestion: Option<&'a control::CongestionParams>,
}

impl PortPlan<'_> {
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
    pub(super) end_count: usize,
    /// Port whose departures may end the run, and how many.
    pub(super) stop: Option<(usize, u64)>,
    /// The ports of the lines from one node to another. Access lines are laid between groups, and are no other flow's.
    pub(super) lines: BTreeMap<[&'a str; 2], Vec<usize>>,
    /// What is left for paths.
    pub(super) room: Room,
}

impl<'a> Network<'a> {
    /// Twice the propagation delay of the flow's path.
    pub(super) fn round_trip(&self, flow: &FlowPlan<'a>) -> Span {
        flow.forward.iter().fold(Span::ZERO, |sum, &port| sum + self.ports[port].delay) * 2
    }

    /// The least delay of the flow's PDUs: propagation, and serialisation where all have the same size.
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
        rated.expect("a path crosses a line with a rate")
    }

    /// The number of an End, as its notices tell it: behind the ports and the policers.
    pub(super) fn end_number(&self, end: usize) -> u32 {
        (self.ports.len() + self.flows.len() + end) as u32
    }
}
