//! Ports as reports see them, independent of their nodes.
//!
//! Most ports have a node. An access line that is computed with its host needs none, and neither does the port at its
//! other end if no PDU uses it: their names and the queue that the host measures are all that reports show.

use std::borrow::Cow;
use std::sync::Arc;

use crate::control::Congestion;
use crate::core::stats::Fingerprint;
use crate::core::time::{LineRate, Span, Time};
use crate::network::port::{GroupMeasures, Port};
use crate::network::queue_state::QueueState;

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

/// A port of an access line that has no node.
#[derive(Clone, Debug)]
pub struct AccessPort {
    /// Its line.
    pub lines: Arc<AccessLines>,
    /// The flow that the line is named after.
    pub flow: u32,
    /// The endpoint whose host computes the line; none for the port at the other end, which no PDU uses.
    pub host: Option<u32>,
}

/// The place of one port in the world.
#[derive(Clone, Debug)]
pub enum Seat {
    /// This node.
    Node(u32),
    /// No node.
    Access(AccessPort),
}

/// One port, for reports.
#[derive(Clone, Copy, Debug)]
pub enum PortView<'a> {
    /// A port with a node.
    Node(&'a Port),
    /// A port of an access line, with the name of its flow and its queue.
    Access(&'a AccessPort, &'a str, &'a QueueState),
}

impl<'a> PortView<'a> {
    /// Name of the port.
    #[must_use]
    pub fn name(self) -> Cow<'a, str> {
        match self {
            PortView::Node(port) => Cow::Borrowed(port.name()),
            PortView::Access(AccessPort { host: Some(_), .. }, flow, _) => Cow::Owned(format!("access/{flow}")),
            PortView::Access(_, flow, _) => Cow::Owned(format!("access/{flow}.reverse")),
        }
    }

    /// Whether it is at an end of an access line.
    #[must_use]
    pub fn is_access(self) -> bool {
        matches!(self, PortView::Access(..)) || self.name().starts_with("access/")
    }

    /// Names of the node of the port and of the node at the far end of its line.
    #[must_use]
    pub fn between(self) -> [&'a str; 2] {
        match self {
            PortView::Node(port) => port.between().each_ref().map(String::as_str),
            PortView::Access(AccessPort { lines, host: Some(_), .. }, flow, _) => [flow, &lines.node],
            PortView::Access(AccessPort { lines, .. }, flow, _) => [&lines.node, flow],
        }
    }

    /// Rate of its line; none for a delay without queueing.
    #[must_use]
    pub fn rate(self) -> Option<LineRate> {
        match self {
            PortView::Node(port) => port.rate(),
            PortView::Access(port, ..) => Some(port.lines.rate),
        }
    }

    /// Propagation delay of its line now.
    #[must_use]
    pub fn delay(self) -> Span {
        match self {
            PortView::Node(port) => port.delay(),
            PortView::Access(port, ..) => port.lines.delay,
        }
    }

    /// Mean rate of its line since the last reset, in bits per second; none for a delay without queueing.
    #[must_use]
    pub fn mean_rate(self, now: Time) -> Option<f64> {
        match self {
            PortView::Node(port) => port.mean_rate(now),
            PortView::Access(port, ..) => Some(port.lines.rate.bits_per_second()),
        }
    }

    /// What its line could have sent since time 0, as [`Port::capacity`], if its rate varies.
    #[must_use]
    pub fn capacity(self, now: Time) -> Option<u128> {
        match self {
            PortView::Node(port) if port.rate_varies() => Some(port.capacity(now)),
            _ => None,
        }
    }

    /// Its queues, by priority.
    #[must_use]
    pub fn queues(self) -> &'a [QueueState] {
        match self {
            PortView::Node(port) => port.queues(),
            PortView::Access(_, _, queue) => std::slice::from_ref(queue),
        }
    }

    /// Highest total queue length since the last reset, and before it.
    #[must_use]
    pub fn most_present(self) -> [u64; 2] {
        match self {
            PortView::Node(port) => [port.most_present(), port.most_present_before()],
            PortView::Access(_, _, queue) => [queue.measures.most, queue.measures.most_before],
        }
    }

    /// Bits in all queues together, if the port counts bits.
    #[must_use]
    pub fn bits_present(self) -> Option<u64> {
        match self {
            PortView::Node(port) => port.bits_present(),
            PortView::Access(..) => None,
        }
    }

    /// Bits that arrived since time 0, as [`Port::bits_arrived`].
    #[must_use]
    pub fn bits_arrived(self) -> Option<u64> {
        match self {
            PortView::Node(port) => port.bits_arrived(),
            PortView::Access(..) => None,
        }
    }

    /// Areas under the number of bits present, as [`Port::bits_areas`].
    #[must_use]
    pub fn bits_areas(self, now: Time) -> Option<(u128, u128)> {
        match self {
            PortView::Node(port) => port.bits_areas(now),
            PortView::Access(..) => None,
        }
    }

    /// Measures of each group; empty if there are none of any group.
    #[must_use]
    pub fn by_group(self) -> &'a [GroupMeasures] {
        match self {
            PortView::Node(port) => port.by_group(),
            PortView::Access(..) => &[],
        }
    }

    /// Its congestion point.
    #[must_use]
    pub fn congestion(self) -> Option<&'a Congestion> {
        match self {
            PortView::Node(port) => port.congestion(),
            PortView::Access(..) => None,
        }
    }

    /// Hash of every discard.
    #[must_use]
    pub fn fingerprint(self) -> u64 {
        match self {
            PortView::Node(port) => port.fingerprint(),
            PortView::Access(..) => Fingerprint::default().value(),
        }
    }
}
