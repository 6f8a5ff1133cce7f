//! Ports as reports see them, independent of their nodes.
//!
//! Most ports have a node of their own. An access line that is computed with its host, or with others like it, needs none:
//! the names of its two ports and their queues are all that reports show.

use std::borrow::Cow;
use std::sync::Arc;

use crate::control::Congestion;
use crate::core::stats::Fingerprint;
use crate::core::time::{LineRate, Span, Time};
use crate::network::context::FlowInfo;
use crate::network::port::{GroupMeasures, Port};
use crate::queue::Policy;
use crate::queue::measures::QueueState;

/// What the access lines of a group have in common.
#[derive(Clone, Debug)]
pub struct AccessLines {
    /// Their rate.
    pub rate: LineRate,
    /// Their propagation delay.
    pub delay: Span,
    /// The node that they lead to.
    pub node: String,
}

/// The places of all ports in the world, by number. Access lines of many flows take one entry.
#[derive(Clone, Debug, Default)]
pub struct PortLocations {
    /// The first port of each run of ports, and the place of that port.
    runs: Vec<(u32, PortLocation)>,
    count: u32,
}

/// The place of a port in the world.
#[derive(Clone, Debug)]
enum PortLocation {
    /// This node.
    Node(u32),
    /// No node: it is at an end of the access line of this flow. The next two ports are those of the next flow, up to the
    /// next run.
    Access(Arc<AccessLines>, u32),
}

/// A port of an access line that has no node.
#[derive(Clone, Copy, Debug)]
pub struct AccessPort<'a> {
    /// Its line.
    pub lines: &'a AccessLines,
    /// The flow that the line is named after.
    pub flow: u32,
    /// Whether it is at the sender's end, where the sender's host computes the line. At the other end downlinks do, if any
    /// PDU uses it.
    pub is_near: bool,
}

impl PortLocations {
    /// Adds the next port, which has this node.
    pub fn push_node(&mut self, node: u32) {
        self.runs.push((self.count, PortLocation::Node(node)));
        self.count += 1;
    }

    /// Adds the next port, an end of the access line of a flow: an even port that of its sender, an odd one the other.
    pub fn push_access(&mut self, lines: &Arc<AccessLines>, flow: u32) {
        let goes_on = self.runs.last().is_some_and(|(first, location)| match location {
            PortLocation::Access(known, start) => {
                Arc::ptr_eq(known, lines) && start + self.count / 2 - first / 2 == flow
            }
            PortLocation::Node(_) => false,
        });
        if !goes_on {
            self.runs.push((self.count, PortLocation::Access(Arc::clone(lines), flow)));
        }
        self.count += 1;
    }

    /// Number of ports.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there are no ports.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The node of that port, if it has one.
    #[must_use]
    pub fn node(&self, port: usize) -> Option<u32> {
        match self.run(port)?.1 {
            PortLocation::Node(node) => Some(node),
            PortLocation::Access(..) => None,
        }
    }

    /// That port, if it is one of an access line and has no node.
    #[must_use]
    pub fn access(&self, port: usize) -> Option<AccessPort<'_>> {
        match self.run(port)? {
            (first, PortLocation::Access(lines, flow)) => {
                let flow = flow + port as u32 / 2 - first / 2;
                Some(AccessPort { lines, flow, is_near: port.is_multiple_of(2) })
            }
            _ => None,
        }
    }

    /// The run of that port.
    fn run(&self, port: usize) -> Option<&(u32, PortLocation)> {
        if port >= self.len() {
            return None;
        }
        let behind = self.runs.partition_point(|(first, _)| *first as usize <= port);
        self.runs.get(behind.checked_sub(1)?)
    }
}

/// One port, for reports.
#[derive(Clone, Copy, Debug)]
pub enum ReportedPort<'a> {
    /// A port with a node.
    Node(&'a Port),
    /// A port of an access line, with its flow and its queue.
    Access(AccessPort<'a>, &'a FlowInfo, &'a QueueState),
}

impl<'a> ReportedPort<'a> {
    /// Name of the port.
    #[must_use]
    pub fn name(self) -> Cow<'a, str> {
        match self {
            ReportedPort::Node(port) => Cow::Borrowed(port.name()),
            ReportedPort::Access(AccessPort { is_near: true, .. }, flow, _) => {
                Cow::Owned(format!("access/{}", flow.name()))
            }
            ReportedPort::Access(_, flow, _) => Cow::Owned(format!("access/{}.reverse", flow.name())),
        }
    }

    /// Whether it is at an end of an access line.
    #[must_use]
    pub fn is_access(self) -> bool {
        matches!(self, ReportedPort::Access(..)) || self.name().starts_with("access/")
    }

    /// Names of the node of the port and of the node at the far end of its line.
    #[must_use]
    pub fn between(self) -> [Cow<'a, str>; 2] {
        match self {
            ReportedPort::Node(port) => port.between().each_ref().map(|node| Cow::Borrowed(node.as_str())),
            ReportedPort::Access(port, flow, _) => {
                let (near, far) = (Cow::Owned(flow.name()), Cow::Borrowed(port.lines.node.as_str()));
                if port.is_near { [near, far] } else { [far, near] }
            }
        }
    }

    /// Rate of its line; none for a delay without queueing.
    #[must_use]
    pub fn rate(self) -> Option<LineRate> {
        match self {
            ReportedPort::Node(port) => port.rate(),
            ReportedPort::Access(port, ..) => Some(port.lines.rate),
        }
    }

    /// Propagation delay of its line now.
    #[must_use]
    pub fn delay(self) -> Span {
        match self {
            ReportedPort::Node(port) => port.delay(),
            ReportedPort::Access(port, ..) => port.lines.delay,
        }
    }

    /// Mean rate of its line since the last reset, in bits per second; none for a delay without queueing.
    #[must_use]
    pub fn mean_rate(self, now: Time) -> Option<f64> {
        match self {
            ReportedPort::Node(port) => port.mean_rate(now),
            ReportedPort::Access(port, ..) => Some(port.lines.rate.bits_per_second()),
        }
    }

    /// What its line could have sent since time 0, as [`Port::capacity`], if its rate varies.
    #[must_use]
    pub fn capacity(self, now: Time) -> Option<u128> {
        match self {
            ReportedPort::Node(port) if port.rate_varies() => Some(port.capacity(now)),
            _ => None,
        }
    }

    /// The same to the last reset of the measures; 0 if its rate does not vary.
    #[must_use]
    pub fn capacity_at_reset(self) -> u128 {
        if let ReportedPort::Node(port) = self { port.capacity_at_reset() } else { 0 }
    }

    /// Its queues, by priority.
    #[must_use]
    pub fn queues(self) -> &'a [QueueState] {
        match self {
            ReportedPort::Node(port) => port.queues(),
            ReportedPort::Access(_, _, queue) => std::slice::from_ref(queue),
        }
    }

    /// PDUs discarded since the last reset for the fixed order of an instant, as [`Port::discarded_tied`].
    #[must_use]
    pub fn discarded_tied(self) -> u64 {
        match self {
            ReportedPort::Node(port) => port.discarded_tied(),
            ReportedPort::Access(..) => 0,
        }
    }

    /// Highest total queue length since the last reset, and before it.
    #[must_use]
    pub fn most_present(self) -> [u64; 2] {
        match self {
            ReportedPort::Node(port) => [port.most_present(), port.most_present_before()],
            ReportedPort::Access(_, _, queue) => [queue.measures.most, queue.measures.most_before],
        }
    }

    /// Bits in all queues together, if the port counts bits.
    #[must_use]
    pub fn bits_present(self) -> Option<u64> {
        match self {
            ReportedPort::Node(port) => port.bits_present(),
            ReportedPort::Access(..) => None,
        }
    }

    /// Bits that arrived since time 0, as [`Port::bits_arrived`].
    #[must_use]
    pub fn bits_arrived(self) -> Option<u64> {
        match self {
            ReportedPort::Node(port) => port.bits_arrived(),
            ReportedPort::Access(..) => None,
        }
    }

    /// Areas under the number of bits present, as [`Port::bits_areas`].
    #[must_use]
    pub fn bits_areas(self, now: Time) -> Option<(u128, u128)> {
        match self {
            ReportedPort::Node(port) => port.bits_areas(now),
            ReportedPort::Access(..) => None,
        }
    }

    /// Measures of each group; empty if there are none of any group.
    #[must_use]
    pub fn by_group(self) -> &'a [GroupMeasures] {
        match self {
            ReportedPort::Node(port) => port.by_group(),
            ReportedPort::Access(..) => &[],
        }
    }

    /// The policies of its queues; empty for an access line without a node, whose queue has no limit.
    #[must_use]
    pub fn policies(self) -> &'a [Policy] {
        match self {
            ReportedPort::Node(port) => port.policies(),
            ReportedPort::Access(..) => &[],
        }
    }

    /// Its congestion point.
    #[must_use]
    pub fn congestion(self) -> Option<&'a Congestion> {
        match self {
            ReportedPort::Node(port) => port.congestion(),
            ReportedPort::Access(..) => None,
        }
    }

    /// Hash of every discard.
    #[must_use]
    pub fn fingerprint(self) -> u64 {
        match self {
            ReportedPort::Node(port) => port.fingerprint(),
            ReportedPort::Access(..) => Fingerprint::default().value(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::time::Rate;

    /// Lines with one node and two ports, then access lines of the flows 3, 4 and 5, the last of another group.
    #[test]
    fn access_lines_of_flows_in_order_share_an_entry() {
        let lines = |node: &str| {
            Arc::new(AccessLines { rate: LineRate::Bits(Rate(1_000)), delay: Span::ZERO, node: node.to_owned() })
        };
        let (one, other) = (lines("a"), lines("b"));
        let mut locations = PortLocations::default();
        [7, 8].into_iter().for_each(|node| locations.push_node(node));
        [3, 3, 4].into_iter().for_each(|flow| locations.push_access(&one, flow));
        locations.push_node(9);
        [5, 5].into_iter().for_each(|flow| locations.push_access(&other, flow));
        let nodes: Vec<Option<u32>> = (0..9).map(|port| locations.node(port)).collect();
        assert_eq!(nodes, [Some(7), Some(8), None, None, None, Some(9), None, None, None]);
        let port = |port| locations.access(port).map(|port| (port.flow, port.is_near, port.lines.node.as_str()));
        let access: Vec<_> = (0..9).map(port).collect();
        let a = |flow, is_near| Some((flow, is_near, "a"));
        let b = |is_near| Some((5, is_near, "b"));
        assert_eq!(access, [None, None, a(3, true), a(3, false), a(4, true), None, b(true), b(false), None]);
        assert_eq!((locations.len(), locations.runs.len()), (8, 5));
    }
}
