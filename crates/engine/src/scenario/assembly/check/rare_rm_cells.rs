//! RM cells that come too rarely: a port that knows its flows by their RM cells alone hears of each once in `nrm` PDUs, and
//! only then can it slow that flow.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::control::{CongestionPointParams, ReactionPointParams};
use crate::core::error::Fault;
use crate::network::port::buffer::BufferParams;
use crate::queue::{Discard, QueueParams};
use crate::scenario::assembly::plan::Network;
use crate::scenario::assembly::plan::port_plan::PortPlan;
use crate::scenario::path::shown_key;

/// The least RM cells of each flow in the time that a full queue takes to drain.
const RM_CELLS: u64 = 2;

/// One warning for each group whose flows, at equal shares, send fewer RM cells than that through a port.
pub(super) fn of(network: &Network<'_>) -> Vec<Fault> {
    // For each port that waits for RM cells, the PDUs of each flow that fill its last queue.
    let mut fill = BTreeMap::new();
    for (index, (port, controlled)) in network.ports.iter().zip(network.controlled()).enumerate() {
        let waits = port.congestion.is_some_and(CongestionPointParams::waits_for_rm_cells);
        if !waits || controlled.flow_count == 0 {
            continue;
        }
        let bits = port.env(controlled, &Arc::default()).largest_bits();
        if let Some(size) = last_size(port, bits) {
            let all = u64::from(controlled.flow_count) * bits;
            fill.insert(index, (size / (RM_CELLS * all), controlled.flow_count, RM_CELLS * all));
        }
    }
    let mut warnings = BTreeMap::new();
    for flow in network.flows.iter().filter(|_| !fill.is_empty()) {
        let Some((key, pdus)) = flow.params.reaction().pdus_per_rm_cell() else { continue };
        let controlled = flow.forward().iter().filter(|&port| network.controls(port, flow));
        let Some((most, flows, each)) = controlled.filter_map(|port| fill.get(&port)).min().copied() else {
            continue;
        };
        if u64::from(pdus) <= most {
            continue;
        }
        let keyword = flow.params.reaction().keyword();
        let path = format!("flow.{}.reaction_point.{keyword}.{key}", shown_key(&network.groups[flow.group]));
        let reason = format!(
            "each of {flows} flows sends fewer than {RM_CELLS} RM cells while a full queue of the port drains, so the \
             port hears of most too late"
        );
        let longer = format!("a queue of at least {} bits", u64::from(pdus) * each);
        // A source needs at least one PDU of data between two RM cells.
        let remedy =
            if most < 2 { format!("give {longer}") } else { format!("write at most {most}, or give {longer}") };
        warnings.entry(path.clone()).or_insert_with(|| Fault::new(path, pdus, reason, remedy));
    }
    warnings.into_values().collect()
}

/// The bits that the last queue of a port can hold, with PDUs of so many; `None` without a limit.
fn last_size(port: &PortPlan<'_>, bits: u64) -> Option<u64> {
    let queue = port.queues.last()?;
    let own = queue.size_in_bits().map(|size| size.0).or_else(|| Some(queue.sketch().size()? * bits));
    own.or_else(|| port.buffer.map(|buffer| buffer.size().0))
}
