//! Nodes: what a world is made of, and how they hand PDUs to one another.
//!
//! A node never calls another. The world takes from it what goes straight on; the rest it puts into the outbox, from
//! which the world carries it over: first in, first out.

use crate::end::End;
use crate::pdu::{FlowId, Pdu};
use crate::police::Police;
use crate::port::Port;
use crate::probe::{Probe, Tally};
use crate::receiver::Receiver;
use crate::switch::Switch;
use crate::time::Time;
use crate::transport::Journeys;
use crate::transport_end::TransportEnd;

/// Most PDUs that a network may hold at once: some 4.9 GB. A run that exceeds it is refused.
pub const MOST_HELD: u64 = 50_000_000;

/// Bytes of memory that a PDU takes that is held, at the peak: while a ring grows, it is there twice.
pub const HELD_BYTES: u64 = 98;

/// Index of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// Nobody: what no PDU may ever reach.
    pub const NONE: NodeId = NodeId(u32::MAX);

    /// As an index into the nodes.
    #[must_use]
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A PDU on its way from one node to the next.
#[derive(Clone, Copy, Debug)]
pub struct Hand {
    /// Who receives it.
    pub to: NodeId,
    /// When: the clock; earlier where a node is caught up late; later where a policer is told ahead.
    pub at: Time,
    /// What.
    pub pdu: Pdu,
}

/// PDUs handed over and not yet received.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    hands: Vec<Hand>,
}

impl Outbox {
    /// Hands `pdu` to `to` at `at`.
    #[inline]
    pub fn put(&mut self, to: NodeId, at: Time, pdu: Pdu) {
        self.hands.push(Hand { to, at, pdu });
    }

    /// Whether nothing is waiting.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hands.is_empty()
    }

    /// Changes places with `hands`, which has been emptied.
    #[inline]
    pub fn swap(&mut self, hands: &mut Vec<Hand>) {
        std::mem::swap(&mut self.hands, hands);
    }
}

/// PDUs of one kind of one flow, from the start of the run; never reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Sent into the network.
    pub sent: u64,
    /// Taken out of it at an End.
    pub delivered: u64,
    /// Discarded on the way.
    pub dropped: u64,
}

/// The two kinds of one flow: `[data, control]`.
pub type Counts = [Count; 2];

/// Index into [`Counts`] for a PDU.
#[inline]
#[must_use]
pub fn kind_of(pdu: &Pdu) -> usize {
    usize::from(!pdu.kind().is_data())
}

/// What a node may touch beside itself.
#[derive(Clone, Debug)]
pub struct Ctx<P> {
    /// PDUs to hand over.
    pub outbox: Outbox,
    /// Counts of every flow, for conservation.
    pub counts: Vec<Counts>,
    /// Measures of groups.
    pub tally: Tally,
    /// Data under way over transport connections, by flow; of nobody where there are none.
    pub journeys: Vec<Journeys>,
    /// Whoever watches.
    pub probe: P,
    /// When the run ends; a port that counts departures may bring it forward.
    pub end: Time,
}

impl<P: Probe> Ctx<P> {
    /// PDUs in queues and on lines.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.counts.iter().flatten().map(|count| count.sent - count.delivered - count.dropped).sum()
    }

    /// Counts `pdu` as sent into the network.
    #[inline]
    pub fn count_sent(&mut self, pdu: &Pdu) {
        self.counts[pdu.flow.index()][kind_of(pdu)].sent += 1;
    }

    /// Counts `pdu` as taken out of the network.
    #[inline]
    pub fn count_delivered(&mut self, pdu: &Pdu) {
        self.counts[pdu.flow.index()][kind_of(pdu)].delivered += 1;
    }

    /// Counts `pdu` as discarded.
    pub fn count_dropped(&mut self, pdu: &Pdu) {
        self.counts[pdu.flow.index()][kind_of(pdu)].dropped += 1;
    }
}

/// What every node does. Each node decides when it wants to be woken; the world asks after every call.
pub trait Node {
    /// A PDU is handed over at `at`.
    fn on_pdu<P: Probe>(&mut self, pdu: &Pdu, at: Time, ctx: &mut Ctx<P>);
    /// Forgets what was measured; the state stays.
    fn reset_measures(&mut self, now: Time);
    /// Shows every PDU that it holds: waiting, in service, or on its line.
    fn held(&self, each: &mut dyn FnMut(&Pdu));
}

/// Which of a node's wake-ups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// A port's PDU in service is done.
    Service,
    /// A line's oldest PDU arrives.
    Delivery,
    /// A policer or an End acts, or what an End has sent gets to the port where flows meet.
    Own,
    /// A port takes what it has gathered in this instant.
    Gathering,
}

/// Every kind of node. Boxed: the kinds differ much in size, and the table of nodes stays in the first cache.
#[derive(Clone, Debug)]
pub enum AnyNode {
    /// One end of flows.
    End(Box<End>),
    /// One end of a flow over transport connections.
    Transport(Box<TransportEnd>),
    /// Output port of a switch with its line.
    Port(Box<Port>),
    /// The policers of one flow.
    Police(Box<Police>),
    /// Routing.
    Switch(Box<Switch>),
}

impl AnyNode {
    /// What measures the data that arrive here, if any do.
    #[must_use]
    pub fn receiver(&self) -> Option<&Receiver> {
        match self {
            AnyNode::End(end) => end.receiver(),
            AnyNode::Transport(end) => end.receiver(),
            AnyNode::Port(_) | AnyNode::Police(_) | AnyNode::Switch(_) => None,
        }
    }
}

/// A flow as the nodes see it.
#[derive(Clone, Debug)]
pub struct FlowInfo {
    /// Its name, for errors and tables.
    pub name: String,
    /// Index of its group.
    pub group: u32,
    /// Its number.
    pub id: FlowId,
}
