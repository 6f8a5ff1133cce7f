//! The ports of lines over which the flows of each group send, found before the rest of the scenario is there.

use std::collections::BTreeMap;

use super::check;
use super::plan::Network;
use crate::core::error::Fault;
use crate::core::time::LineRate;
use crate::scenario::spec::{Flow, Scenario};
use crate::traffic::ModelParams;

/// The flows of several groups, groups by name. A user whose connections go to several peers is one flow for all of them.
#[derive(Clone, Debug)]
pub(crate) struct Crossings {
    /// The ports of all lines.
    pub(crate) ports: Vec<Crossing>,
    /// Number of flows in each group.
    pub(crate) flows: Vec<f64>,
}

/// The port of a line.
#[derive(Clone, Debug)]
pub(crate) struct Crossing {
    pub(crate) port: String,
    /// Bits per second.
    pub(crate) rate: f64,
    /// Flows of each group that send over it.
    pub(crate) flows: Vec<f64>,
}

/// Where the flows of these groups would send on the lines of the scenario.
pub(crate) fn crossings(scenario: &Scenario, groups: &BTreeMap<String, Flow>) -> Result<Crossings, Fault> {
    // All flows along one path are alike, so one of them is laid out for all.
    let weight = |flow: &Flow| if flow.from.is_empty() { f64::from(flow.count) } else { 1.0 };
    let weights: Vec<f64> = groups.values().map(weight).collect();
    let bare = |(name, flow): (&String, &Flow)| {
        let count = if flow.from.is_empty() { 1 } else { flow.count };
        (name.clone(), Flow { count, ..only_places(flow) })
    };
    let scenario = Scenario { flow: groups.iter().map(bare).collect(), stop: None, ..scenario.clone() };
    check::flow_count(&scenario, Flow::flows)?;
    let network = Network::lay_out(&scenario)?;
    check::paths(&network)?;
    let mut flows = vec![0.0; groups.len()];
    let mut of_ports = vec![flows.clone(); network.ports.len()];
    for flow in &network.flows {
        let users = if flow.params.traffic.schedules_connections() { 1.0 / f64::from(flow.route.peers) } else { 1.0 };
        flows[flow.group] += users * weights[flow.group];
        for port in flow.forward().iter() {
            of_ports[port][flow.group] += users * weights[flow.group];
        }
    }
    let lines = network.ports.iter().zip(of_ports).filter(|(plan, _)| plan.path.starts_with("line."));
    let ports = lines.map(|(plan, flows)| Crossing {
        port: plan.name(),
        rate: plan.rate.map_or(0.0, LineRate::bits_per_second),
        flows,
    });
    Ok(Crossings { ports: ports.collect(), flows })
}

/// The group without its parts of control: only its places are asked for.
fn only_places(flow: &Flow) -> Flow {
    Flow {
        transport: None,
        policers: Vec::new(),
        scheme: None,
        reaction_point: None,
        notification_point: None,
        peer: None,
        ..flow.clone()
    }
}
