//! Context: what every node may read and write beside itself: the lanes, and the books of flows and groups.

use super::lane::{Lane, LaneId, Record};
use crate::core::pdu::{FlowId, Pdu};
use crate::core::probe::{Probe, Tally};
use crate::core::time::Time;
use crate::transport::tp4::Journeys;

/// Most PDUs that a network may hold at once: some 6.6 GB. A run that exceeds it is refused.
pub const MOST_HELD: u64 = 50_000_000;

/// Bytes of memory that a PDU takes that waits, at the peak, as measured with ten million of them: its record in a lane
/// and that of its departure, each also in the smaller buffer from which it moved.
pub const HELD_BYTES: u64 = 132;

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

/// Where the parts of one flow stand within their nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowIndices {
    /// The sending End, among the hosts of its node.
    pub sender: u32,
    /// The receiving End, among the hosts or receivers of its node.
    pub receiver: u32,
    /// The policers, among those of their node.
    pub policer: u32,
}

/// What a node may touch beside itself.
#[derive(Clone, Debug)]
pub struct Ctx<P> {
    /// Every lane.
    pub lanes: Vec<Lane>,
    /// Where the parts of each flow stand.
    pub indices: Vec<FlowIndices>,
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
    /// PDUs that nodes have taken from their lanes.
    pub handled: u64,
    /// PDUs that senders have sent.
    pub sent: u64,
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
        self.sent += 1;
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

    /// Puts `record` into a lane, behind what is there.
    #[inline(always)]
    pub fn send(&mut self, lane: LaneId, record: Record) {
        self.lanes[lane.index()].push(record);
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
