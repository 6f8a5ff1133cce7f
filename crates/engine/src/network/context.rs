//! Context: the state that all nodes share, namely the lanes, and the counts of flows and groups.

use std::sync::Arc;

use super::lane::{Lane, LaneId, Record};
use crate::core::pdu::Pdu;
use crate::core::probe::{Probe, Tally};
use crate::core::time::Time;
use crate::transport::Records;

/// The most PDUs that a network may hold at once: about 6.6 GB. A run that exceeds it is refused.
pub const MOST_HELD: u64 = 50_000_000;

/// The most PDUs that few senders may send in one round: nothing counts what the network holds meanwhile. It is about 4 GB, for
/// in a round PDUs stand in two lanes.
pub const MOST_AT_ONCE: u64 = MOST_HELD / 4;

/// Peak memory in bytes of a waiting PDU, measured with ten million of them: its record in a lane and its departure
/// record, each also in the smaller buffer during a move to a larger one.
pub const HELD_BYTES: u64 = 132;

/// PDUs of one kind of one flow, from the start of the run; never reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Sent into the network.
    pub sent: u64,
    /// Delivered at a receiving host.
    pub delivered: u64,
    /// Discarded in the network.
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

/// Indices of the parts of one flow in their nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowIndices {
    /// The sending host, among the hosts of its node.
    pub sender: u32,
    /// The receiving host or receiver, among those of its node.
    pub receiver: u32,
    /// The policers, among those of their node.
    pub policer: u32,
}

/// What nodes need of one flow at each of its PDUs. It is in one line of the cache.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub struct FlowState {
    /// Indices of its parts.
    pub indices: FlowIndices,
    /// Its counts, for conservation.
    pub counts: Counts,
}

/// The state that a node may change outside itself.
#[derive(Clone, Debug)]
pub struct Ctx<P> {
    /// Every lane.
    pub lanes: Vec<Lane>,
    /// The state of every flow.
    pub flows: Vec<FlowState>,
    /// Measures of groups.
    pub tally: Tally,
    /// What the ends of flows over transports know beside their PDUs.
    pub records: Records,
    /// The observer of the run.
    pub probe: P,
    /// End of the run; a port that counts departures may set it earlier.
    pub end: Time,
    /// PDUs that nodes have read from their lanes.
    pub handled: u64,
    /// PDUs that senders have sent.
    pub sent: u64,
    /// At this number of PDUs sent the round is full: so many more than at its start as senders may send in one.
    pub full_at: u64,
}

impl<P: Probe> Ctx<P> {
    /// Whether senders have sent as many PDUs in this round as may be. They send no more, and the run ends.
    #[inline]
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.sent >= self.full_at
    }

    /// PDUs in queues and on lines.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.flows.iter().flat_map(|flow| &flow.counts).map(|count| count.sent - count.delivered - count.dropped).sum()
    }

    /// Counts `pdu` as sent into the network.
    #[inline]
    pub fn count_sent(&mut self, pdu: &Pdu) {
        count_sent(pdu, &mut self.flows, &mut self.sent);
    }

    /// Counts `pdu` as delivered.
    #[inline]
    pub fn count_delivered(&mut self, pdu: &Pdu) {
        self.flows[pdu.flow.index()].counts[kind_of(pdu)].delivered += 1;
        self.free(pdu);
    }

    /// Counts `pdu` as discarded.
    pub fn count_dropped(&mut self, pdu: &Pdu) {
        self.flows[pdu.flow.index()].counts[kind_of(pdu)].dropped += 1;
        self.free(pdu);
    }

    /// Frees the record beside `pdu`, if it has one.
    #[inline]
    fn free(&mut self, pdu: &Pdu) {
        if pdu.kind().may_have_record() {
            self.records.side.free(pdu);
        }
    }

    /// Appends `record` to a lane.
    #[inline(always)]
    pub fn send(&mut self, lane: LaneId, record: Record) {
        self.lanes[lane.index()].push(record);
    }

    /// Adds `record` to a lane, before all that arrive later.
    #[cold]
    pub fn insert(&mut self, lane: LaneId, record: Record) {
        self.lanes[lane.index()].insert(record, |other| other.time > record.time);
    }
}

/// Counts `pdu` as sent into the network, by its flow and in the total.
#[inline]
pub fn count_sent(pdu: &Pdu, flows: &mut [FlowState], total: &mut u64) {
    flows[pdu.flow.index()].counts[kind_of(pdu)].sent += 1;
    *total += 1;
}

/// The name of a flow or host of `count` with the same name, by its number from 1.
#[must_use]
pub fn numbered(name: &str, number: u32, count: u32) -> String {
    if count == 1 { name.to_owned() } else { format!("{name}/{number}") }
}

/// The names of the flows of one route.
#[derive(Clone, Debug)]
pub struct FlowNames {
    /// What all of them begin with.
    pub name: String,
    /// How many flows there are.
    pub count: u32,
}

impl FlowNames {
    /// The name of the flow with that index among them.
    #[must_use]
    pub fn of(&self, number: u32) -> String {
        numbered(&self.name, number + 1, self.count)
    }
}

/// A flow, as nodes need it.
#[derive(Clone, Debug)]
pub struct FlowInfo {
    /// The names of the flows of its route.
    pub names: Arc<FlowNames>,
    /// Index among the flows of its route, from 0.
    pub number: u32,
    /// Index of its group.
    pub group: u32,
    /// Numbers of its sending and its receiving endpoint.
    pub endpoints: [u32; 2],
}

impl FlowInfo {
    /// Its name, for errors and tables.
    #[must_use]
    pub fn name(&self) -> String {
        self.names.of(self.number)
    }
}
