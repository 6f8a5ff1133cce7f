//! What is allowed in a scenario and probably not meant: parameters that do not fit their network.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::plan::{FlowPlan, Network};
use crate::control::CongestionPointParams;
use crate::core::error::Fault;
use crate::scenario::path::shown_key;

/// The least cells of each flow in an interval in which a port counts its active flows. If cells arrive at random, the
/// port misses a flow with three cells a mean interval in `exp(-3)`, 5 %, of the intervals.
const CELLS_PER_FLOW: f64 = 3.0;

impl Network<'_> {
    /// One warning for each port and group, with the path of the parameter.
    pub(super) fn warnings(&self) -> Vec<Fault> {
        let mut warnings = self.short_intervals();
        let mut groups = BTreeSet::new();
        for flow in self.flows.iter().filter(|flow| groups.insert(flow.group)) {
            warnings.extend(self.slow_access(flow));
            warnings.extend(self.priority_without_queue(flow));
        }
        warnings
    }

    fn short_intervals(&self) -> Vec<Fault> {
        let ports = self.ports.iter().zip(self.flow_counts());
        let warning = |(port, flow_count): (&super::plan::PortPlan<'_>, u32)| {
            let point = port.congestion?;
            let cells = point.counting_interval(&port.env(flow_count, &Arc::default()))?;
            let least = CELLS_PER_FLOW * f64::from(flow_count);
            let reason = format!(
                "it counts its active flows in each interval, and an interval has at most {cells:.1} cells of {flow_count} \
                 flows: it misses some, and grants the others too much"
            );
            let remedy = format!("give an interval of at least {least} cells, or interval = \"auto\"");
            let path = format!("{}.congestion_point", port.path);
            (cells < least).then(|| Fault::new(path, point.keyword(), reason, remedy))
        };
        ports.filter_map(warning).collect()
    }

    /// An access line that is slower than the mean rate of its source.
    fn slow_access(&self, flow: &FlowPlan<'_>) -> Option<Fault> {
        let rate = flow.params.access.as_ref()?.rate?;
        let offer = flow.params.traffic.offered(flow.params.octets)?;
        let offered = offer.mean? * f64::from(flow.params.octets) * 8.0;
        let reason = format!("each source offers {:.0} b/s in the mean, so the queue of this line grows", offered);
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
}
