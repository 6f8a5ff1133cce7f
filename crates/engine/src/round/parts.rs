//! Parts: the parameters of a world.

use std::collections::BTreeMap;

use super::endpoint::Location;
use super::ports::PortLocations;
use super::process::Process;
use super::unit::RoundUnit;
use crate::core::completions::Completions;
use crate::network::context::{Counts, FlowIndices, FlowInfo, FlowState};
use crate::transport::Records;

/// The parameters of a world.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Every node with its inbox and feeders.
    pub processes: Vec<Process>,
    /// The units, in the order of a round.
    pub units: Vec<RoundUnit>,
    /// The whole network as one cluster, if its nodes can take turns.
    pub turns: Option<RoundUnit>,
    /// Number of lanes.
    pub lanes: usize,
    /// The place of each port, by number.
    pub ports: PortLocations,
    /// Location of each endpoint, by number.
    pub endpoints: Vec<Option<Location>>,
    /// Location of the policers of each flow that has some, by its number.
    pub policers: BTreeMap<u32, Location>,
    /// What the ends of flows over transports know beside their PDUs.
    pub records: Records,
    /// For each group with messages their measures.
    pub messages: Vec<Option<Box<Completions>>>,
    /// Every flow.
    pub flows: Vec<FlowInfo>,
    /// Names of the groups.
    pub groups: Vec<String>,
}

impl Parts {
    /// The state of every flow at time 0, with the indices of its parts in their nodes.
    pub(super) fn flow_states(&self) -> Vec<FlowState> {
        let index = |location: Option<Location>| location.map_or(0, |location| location.index);
        let state = |(flow, number): (&FlowInfo, u32)| {
            let [sender, receiver] = flow.endpoints.map(|endpoint| index(self.endpoints[endpoint as usize]));
            let policer = index(self.policers.get(&number).copied());
            FlowState { indices: FlowIndices { sender, receiver, policer }, counts: Counts::default() }
        };
        self.flows.iter().zip(0..).map(state).collect()
    }
}
