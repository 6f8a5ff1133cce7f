//! What is allowed in a scenario and probably not meant: parameters that do not fit their network.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::plan::{FlowPlan, Network, PortPlan};
use crate::control::{self, CongestionPointParams};
use crate::core::error::Fault;
use crate::core::feedback::Signals;
use crate::core::pdu::CELL_BITS;
use crate::queue::QueueParams;
use crate::scenario::path::shown_key;
use crate::transport;

/// The least cells of each flow in an interval in which a port counts its active flows. If cells arrive at random, the
/// port misses a flow with three cells a mean interval in `exp(-3)`, 5 %, of the intervals.
const CELLS_PER_FLOW: f64 = 3.0;

impl Network<'_> {
    /// One warning for each port and group, with the path of the parameter.
    pub(super) fn warnings(&self) -> Vec<Fault> {
        let mut warnings = self.short_intervals();
        warnings.extend(self.idle_points());
        let mut groups = BTreeSet::new();
        for flow in self.flows.iter().filter(|flow| groups.insert(flow.group)) {
            warnings.extend(self.untouched_rm_cells(flow));
            warnings.extend(self.slow_access(flow));
            warnings.extend(self.priority_without_queue(flow));
            warnings.extend(self.npdu_priority_without_queue(flow));
        }
        warnings
    }

    fn short_intervals(&self) -> Vec<Fault> {
        let ports = self.ports.iter().zip(self.flow_counts());
        let warning = |(port, flow_count): (&PortPlan<'_>, u32)| {
            let point = port.congestion?;
            let env = port.env(flow_count, &Arc::default());
            let (interval, cells) = point.counting_interval(&env)?;
            let least = CELLS_PER_FLOW * f64::from(flow_count);
            let reason = format!(
                "an interval has at most {cells:.1} cells, too few to see all {flow_count} active flows: the others get \
                 too much"
            );
            let time = env.rate.span(least as u64 * CELL_BITS);
            let remedy = format!("write \"auto\", or a longer time without `cells`, as in {{ time = \"{time}\" }}");
            let path = format!("{}.congestion_point.{}.{interval}", port.path, point.keyword());
            (cells < least).then(|| Fault::new(path, "", reason, remedy))
        };
        ports.filter_map(warning).collect()
    }

    /// Congestion points at ports that no flow's data pass.
    fn idle_points(&self) -> Vec<Fault> {
        let passed: BTreeSet<usize> = self.flows.iter().flat_map(|flow| flow.forward.iter().copied()).collect();
        let mut points = BTreeMap::new();
        for (index, port) in self.ports.iter().enumerate() {
            let Some(point) = port.congestion else { continue };
            // Both ports of a line without `reverse` have one point.
            points.entry(self.point_place(index)).or_insert((point.keyword(), false)).1 |= passed.contains(&index);
        }
        let idle = points.into_iter().filter(|(_, (_, is_passed))| !is_passed);
        let reason = "no flow sends data through this port, so it does nothing";
        let remedy = "delete it, or let flows send through this port";
        idle.map(|(place, (keyword, _))| Fault::new(place, keyword, reason, remedy)).collect()
    }

    /// Sources whose RM cells return as they were sent: no port on their path writes into them.
    fn untouched_rm_cells(&self, flow: &FlowPlan<'_>) -> Option<Fault> {
        let point = &flow.params.reaction_point;
        let writes = |&port: &usize| {
            let sends = self.ports[port].congestion.map_or(Signals::NONE, control::CongestionParams::sends);
            sends.meets(Signals::IN_RM_CELLS.with(Signals::EFCI))
        };
        let path = format!("flow.{}.reaction_point", shown_key(&self.groups[flow.group]));
        let reason =
            "no port on the path writes a rate or CI into its RM cells, so nothing limits it but its own parameters";
        let remedy = "add a congestion point such as erica to a line of the path";
        let is_untouched = point.sends().meets(Signals::FORWARD_RM_CELLS) && !flow.forward.iter().any(writes);
        is_untouched.then(|| Fault::new(path, point.keyword(), reason, remedy))
    }

    /// An access line that is slower than the mean rate of its source.
    fn slow_access(&self, flow: &FlowPlan<'_>) -> Option<Fault> {
        let rate = flow.params.access.as_ref()?.rate?;
        let offer = flow.params.traffic.offered(flow.params.octets)?;
        let offered = offer.mean? * f64::from(flow.params.octets) * 8.0;
        let reason =
            format!("each source offers {:.3} Mb/s in the mean, so the queue of this line grows", offered / 1e6);
        let path = format!("flow.{}.access.rate", shown_key(&self.groups[flow.group]));
        (offered > rate.bits_per_second())
            .then(|| Fault::new(path, rate, reason, "give a higher rate, or less traffic"))
    }

    /// A priority for which no port on the path has a queue.
    fn priority_without_queue(&self, flow: &FlowPlan<'_>) -> Option<Fault> {
        let priority = flow.params.priority;
        let most = flow.forward.iter().map(|&port| self.ports[port].queues.len()).max()?;
        let path = format!("flow.{}.priority", shown_key(&self.groups[flow.group]));
        let reason = format!("no port on the path has more than {most} queues: the flows share the last queue of each");
        let is_served_alike = priority > 0 && usize::from(priority) >= most;
        is_served_alike.then(|| Fault::new(path, priority, reason, "give the lines more queues, or a lower number"))
    }

    /// Priorities of connections for which no queue on their path has sub-queues.
    fn npdu_priority_without_queue(&self, flow: &FlowPlan<'_>) -> Option<Fault> {
        let transport::Params::Tp4(params) = flow.params.transport.as_ref()?;
        let path = format!("flow.{}.transport.tp4.priority", shown_key(&self.groups[flow.group]));
        let serves = |&port: &usize| self.ports[port].queues.iter().any(QueueParams::serves_by_priority);
        let is_idle = params.priority.most() > 0 && !flow.forward.iter().chain(&flow.backward).any(serves);
        let reason = "no queue on the path serves NPDUs by their priority";
        is_idle.then(|| Fault::new(path, "", reason, "give the lines queues with npdu_priority, or delete it"))
    }
}
