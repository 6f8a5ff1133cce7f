//! What is allowed in a scenario and probably not meant: parameters that do not fit their network.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::meeting::{Meetings, is_untouched, obeyed, sent};
use super::{rare_rm_cells, ties};
use crate::control::{CongestionPointParams, QueueLength, ReactionParams};
use crate::core::error::Fault;
use crate::core::feedback::Signals;
use crate::core::pdu::CELL_OCTETS;
use crate::core::quantity::Count;
use crate::network::port::buffer::{self, BufferParams};
use crate::queue::{self, Discard, QueueParams};
use crate::scenario::assembly::plan::port_plan::{Controlled, PortPlan};
use crate::scenario::assembly::plan::{FlowPlan, Network};
use crate::scenario::path::shown_key;
use crate::traffic::ModelParams;
use crate::transport::Params;

/// The least PDUs of each flow in an interval in which a port counts its active flows. If they arrive at random, the
/// port misses a flow with three PDUs a mean interval in `exp(-3)`, 5 %, of the intervals.
const PDUS_PER_FLOW: f64 = 3.0;

impl Network<'_> {
    /// Who hears whom, and what is warned of.
    pub(crate) fn meetings(&self) -> Meetings {
        let mut warnings = self.mismatches();
        warnings.extend(self.warnings());
        Meetings { hearings: self.hearings(), warnings }
    }

    /// One warning for each port and group, with the path of the parameter.
    fn warnings(&self) -> Vec<Fault> {
        let mut warnings = self.after_the_end();
        warnings.extend(self.short_intervals());
        warnings.extend(self.unstable_gains());
        warnings.extend(ties::of(self));
        warnings.extend(self.idle_points());
        warnings.extend(self.unreachable_thresholds());
        warnings.extend(self.unmet_flows());
        warnings.extend(self.idle_marks());
        warnings.extend(self.no_packets_of_cells());
        warnings.extend(rare_rm_cells::of(self));
        let mut groups = BTreeSet::new();
        for flow in self.flows.iter().filter(|flow| groups.insert(flow.group)) {
            warnings.extend(self.untouched_rm_cells(flow));
            warnings.extend(self.slow_access(flow));
            warnings.extend(self.priority_without_queue(flow));
            warnings.extend(self.uncontrolled_queue(flow));
            warnings.extend(self.npdu_priority_without_queue(flow));
            warnings.extend(self.unlimited_window(flow));
            warnings.extend(self.segments_of_cells(flow));
            warnings.extend(self.burst(flow));
        }
        warnings
    }

    /// Times behind the end of the run.
    fn after_the_end(&self) -> Vec<Fault> {
        let scenario = self.scenario;
        let sample = scenario.measure.sample.map(|sample| ("measure.sample".to_owned(), sample));
        let outages = scenario.line.iter().filter_map(|(name, line)| {
            let outage = line.outage?;
            Some((format!("line.{}.outage.from", shown_key(name)), outage.from))
        });
        let starts = scenario.flow.iter().flat_map(|(name, flow)| {
            let keyword = flow.traffic.keyword();
            let path = move |key| format!("flow.{}.traffic.{keyword}.{key}", shown_key(name));
            flow.traffic.begins().into_iter().map(move |(key, time)| (path(key), time))
        });
        let late = sample.into_iter().chain(outages).chain(starts).filter(|(_, time)| *time >= scenario.duration);
        let reason = format!("the run ends at {}, so this does nothing", scenario.duration);
        late.map(|(path, time)| Fault::new(path, time, reason.as_str(), "give an earlier time, or a longer run"))
            .collect()
    }

    /// Congestion points whose threshold no queue of their port can reach.
    fn unreachable_thresholds(&self) -> Vec<Fault> {
        let mut warnings = BTreeMap::new();
        for (index, port) in self.ports.iter().enumerate() {
            let Some((point, (key, least))) = port.congestion.and_then(|point| Some((point, point.threshold()?)))
            else {
                continue;
            };
            // A queue without a limit in this unit may reach it.
            let sizes: Option<Vec<QueueLength>> =
                port.queues.iter().map(|queue| longest(queue, port.buffer, least)).collect();
            let Some(most) = sizes.and_then(|sizes| sizes.into_iter().max()) else { continue };
            if most < least {
                let path = format!("{}.{}.{key}", self.point_place(index), point.keyword());
                let reason = format!("no queue of the port can hold more than {most}, so it never acts");
                let remedy = "give a lower threshold, or longer queues";
                warnings.entry(path.clone()).or_insert_with(|| Fault::new(path, "", reason, remedy));
            }
        }
        warnings.into_values().collect()
    }

    fn short_intervals(&self) -> Vec<Fault> {
        let ports = self.ports.iter().zip(self.controlled());
        let warning = |(port, controlled): (&PortPlan<'_>, Controlled)| {
            let point = port.congestion?;
            let env = port.env(controlled, &Arc::default());
            let flow_count = controlled.flow_count;
            let (interval, pdus) = point.counting_interval(&env)?;
            let least = PDUS_PER_FLOW * f64::from(flow_count);
            let kind =
                if env.octets == CELL_OCTETS { "cells".to_owned() } else { format!("PDUs of {} octets", env.octets) };
            let reason = format!(
                "an interval has at most {pdus:.1} {kind}, too few to see all {flow_count} active flows: the others get \
                 too much"
            );
            let time = env.rate.span(least as u64 * env.largest_bits());
            let remedy = format!("write \"auto\", or a longer time without `cells`, as in {{ time = \"{time}\" }}");
            let path = format!("{}.congestion_point.{}.{interval}", port.path, point.keyword());
            (pdus < least).then(|| Fault::new(path, "", reason, remedy))
        };
        ports.filter_map(warning).collect()
    }

    /// Congestion points whose loops are not stable with as many flows as their ports have.
    fn unstable_gains(&self) -> Vec<Fault> {
        let ports = self.ports.iter().zip(self.controlled()).enumerate();
        let mut warnings = BTreeMap::new();
        for (index, (port, controlled)) in ports.filter(|(_, (_, controlled))| controlled.flow_count > 0) {
            let Some(point) = port.congestion else { continue };
            let env = port.env(controlled, &Arc::default());
            let Some((key, gain, most)) = point.unstable_gain(&env) else { continue };
            let path = format!("{}.{}.{key}", self.point_place(index), point.keyword());
            let reason =
                format!("with {} flows and their round trip, a gain above {most:.2e} is not stable", env.flow_count);
            let remedy = format!("write \"auto\", or at most {:.1e}", 0.5 * most);
            warnings.entry(path.clone()).or_insert_with(|| Fault::new(path, gain, reason, remedy));
        }
        warnings.into_values().collect()
    }

    /// Congestion points at ports that no flow's data pass.
    pub(crate) fn idle_points(&self) -> Vec<Fault> {
        let passed: BTreeSet<usize> = self.flows.iter().flat_map(|flow| flow.forward().iter()).collect();
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

    /// Queues that discard whole packets of cells, where no flow sends any.
    fn no_packets_of_cells(&self) -> Vec<Fault> {
        let cells = |flow: &&FlowPlan<'_>| flow.params.transport.as_ref().is_some_and(Params::makes_cells);
        let crossed: BTreeSet<usize> = self.flows.iter().filter(cells).flat_map(|flow| flow.ports()).collect();
        let mut warnings = BTreeMap::new();
        for (_, plan) in self.ports.iter().enumerate().filter(|(port, _)| !crossed.contains(port)) {
            for (place, queue) in plan.queues.iter().enumerate().filter(|(_, queue)| queue.discards_packets()) {
                let path = format!("{}.queues[{place}].{}", plan.path, queue.keyword());
                let reason = "no flow through it sends packets as cells, so it only discards what finds it full";
                let remedy = "give a flow transport.stream = { framing = \"aal5\" }, or the queue drop_tail";
                warnings.entry(path.clone()).or_insert_with(|| Fault::new(path, "", reason, remedy));
            }
        }
        warnings.into_values().collect()
    }

    /// Queues that could mark, and only discard, as no source hears of their marks.
    fn idle_marks(&self) -> Vec<Fault> {
        let unheard = self.unheard_marks().into_iter().filter(|(_, queue)| queue.may_be_unheard());
        let fault = |(place, queue): (String, &queue::Params)| {
            let sends = queue.sends();
            let reason = format!("no source of the flows through it hears its {sends}, so it only discards");
            Fault::new(
                place,
                "",
                reason,
                "give a stream `ecn` and a controller such as prague, or the queue another policy",
            )
        };
        unheard.map(fault).collect()
    }

    /// Sources whose RM cells return as they were sent: no port on their path writes into them.
    fn untouched_rm_cells(&self, flow: &FlowPlan<'_>) -> Option<Fault> {
        let point = flow.params.reaction();
        let path = format!("flow.{}.reaction_point", shown_key(&self.groups[flow.group]));
        let reason =
            "no port on the path writes a rate or CI into its RM cells, so nothing limits it but its own parameters";
        let remedy = "add a congestion point such as erica to a line of the path";
        is_untouched(flow.params, self.sent_to(flow)).then(|| Fault::new(path, point.keyword(), reason, remedy))
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
        let most = flow.forward().iter().map(|port| self.ports[port].queues.len()).max()?;
        let path = format!("flow.{}.priority", shown_key(&self.groups[flow.group]));
        let reason = format!("no port on the path has more than {most} queues: the flows share the last queue of each");
        let is_served_alike = priority > 0 && usize::from(priority) >= most;
        is_served_alike.then(|| Fault::new(path, priority, reason, "give the lines more queues, or a lower number"))
    }

    /// Priorities of connections for which no queue on their path has sub-queues.
    fn npdu_priority_without_queue(&self, flow: &FlowPlan<'_>) -> Option<Fault> {
        let (key, most) = flow.params.transport.as_ref()?.priority()?;
        let path = format!("flow.{}.transport.{key}", shown_key(&self.groups[flow.group]));
        let serves = |port: usize| self.ports[port].queues.iter().any(QueueParams::serves_by_priority);
        let is_idle = most > 0 && !flow.ports().any(serves);
        let reason = "no queue on the path serves NPDUs by their priority";
        is_idle.then(|| Fault::new(path, "", reason, "give the lines queues with npdu_priority, or delete it"))
    }

    /// Segments with the octets of a cell, of which the headers are nearly the half.
    fn segments_of_cells(&self, flow: &FlowPlan<'_>) -> Option<Fault> {
        let transport = flow.params.transport.as_ref().filter(|transport| transport.carries_messages())?;
        let path = format!("flow.{}.octets", shown_key(&self.groups[flow.group]));
        let reason =
            format!("each segment has {} octets of headers for the {CELL_OCTETS} of a cell", transport.data_header());
        (flow.params.octets == CELL_OCTETS)
            .then(|| Fault::new(path, CELL_OCTETS, reason, "give 1460, as TCP over Ethernet has"))
    }

    /// A first window that is sent at once into a queue which has no room for it.
    fn burst(&self, flow: &FlowPlan<'_>) -> Option<Fault> {
        let transport = flow.params.transport.as_ref().filter(|_| !waits_at_source(flow))?;
        let (key, segments) = transport.burst()?;
        let pdus = u64::from(segments) * u64::from(transport.pdus(flow.params.octets));
        let first = flow.forward().first();
        let plan = &self.ports[first];
        let size = plan.queues[self.queue_of(flow, first)].sketch().size().filter(|_| plan.rate.is_some())?;
        let path = format!("flow.{}.transport.{key}", shown_key(&self.groups[flow.group]));
        let reason = format!(
            "the first window of {pdus} {} is sent at once into {}, whose queue has room for {size}: the rest is lost",
            if transport.makes_cells() { "cells" } else { "segments" },
            plan.path
        );
        let remedy = "give the flow an access line with a rate, the stream a smaller one, or the queue more room";
        (pdus > size).then(|| Fault::new(path, segments, reason, remedy))
    }

    /// A controller that waits for losses or marks, on a path where nothing is lost or marked, or whose cells wait at the source.
    fn unlimited_window(&self, flow: &FlowPlan<'_>) -> Option<Fault> {
        let transport = flow.params.transport.as_ref()?;
        let listener = transport.listeners().into_iter().find(|part| part.hears.meets(Signals::LOSS))?;
        let may_lose = flow.forward().iter().any(|port| self.may_lose(flow, port));
        let is_told = may_lose || self.sent_to(flow).meets(listener.hears);
        let path = format!("flow.{}.transport.{}", shown_key(&self.groups[flow.group]), listener.path);
        let waits = waits_at_source(flow);
        let (reason, remedy) = if waits {
            let reason = "its cells wait at their source for the rate that they are allowed, and nothing there tells it to \
                          send less: its window and that queue grow";
            (reason, "give the stream a receive_window, or a controller that keeps a delay, such as vegas")
        } else {
            let reason = "no queue on its path discards or marks, so nothing tells it to send less: its window and the queues grow";
            (reason, "give the lines queues with a size, such as drop_tail, or the stream a receive_window")
        };
        let is_unlimited = (waits || !is_told) && !transport.limits_window();
        is_unlimited.then(|| Fault::new(path, listener.keyword, reason, remedy))
    }

    /// A flow that obeys congestion points which control the last queue of their ports, and that uses another queue.
    fn uncontrolled_queue(&self, flow: &FlowPlan<'_>) -> Option<Fault> {
        let obeyed = obeyed(flow.params);
        let ports = flow.forward().iter().map(|port| &self.ports[port]);
        let obeyed_ports =
            ports.filter(|port| port.congestion.is_some_and(|point| sent(point, flow.params).meets(obeyed)));
        // The most queues that a port may have, so that the flow uses its last.
        let most = usize::from(flow.params.priority) + 1;
        let mut queues = None;
        for port in obeyed_ports {
            let is_controlled = port.queues.len() <= most || !port.congestion?.controls_last_queue();
            if is_controlled {
                return None;
            }
            queues = queues.max(Some(port.queues.len()));
        }
        let path = format!("flow.{}.priority", shown_key(&self.groups[flow.group]));
        let reason = "the congestion points on the path control only the last queue of their ports";
        let remedy = format!("write {}, or let the flow send without control", queues? - 1);
        Some(Fault::new(path, flow.params.priority, reason, remedy))
    }
}

/// What `queue` in `buffer` can hold at most, in the unit of `like`; `None` if it has no limit in that unit.
fn longest(queue: &queue::Params, buffer: Option<&buffer::Params>, like: QueueLength) -> Option<QueueLength> {
    match like {
        QueueLength::Pdus(_) => queue.sketch().size().map(|size| QueueLength::Pdus(Count(size))),
        QueueLength::Bits(_) => queue.size_in_bits().or(buffer.map(BufferParams::size)).map(QueueLength::Bits),
    }
}

/// Whether what a transport of the flow sends waits at its source for the rate that the reaction point allows.
fn waits_at_source(flow: &FlowPlan<'_>) -> bool {
    flow.params.transport.is_some() && *flow.params.reaction() != ReactionParams::UNCONTROLLED
}
