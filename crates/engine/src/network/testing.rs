//! Helpers for the unit tests of nodes: a context, PDUs, and the contents of lanes as numbers.

use super::context::{Ctx, FlowState};
use crate::core::key::{Key, Place};
use crate::core::pdu::{Body, CELL_OCTETS, FlowId, Marks, Pdu};
use crate::core::probe::{Tally, Trace};
use crate::core::time::{LineRate, Rate, Time};
use crate::network::inbox::Inbox;
use crate::network::lane::{Lane, LaneId, Record};

/// Picoseconds of a cell at [`CELL_RATE`].
pub(crate) const CELL: u64 = 1_000_000;

/// One cell per microsecond.
pub(crate) const CELL_RATE: LineRate = LineRate::Bits(Rate(424_000_000));

/// Empty lanes, and flows of one group; each part of a flow has index 0 in its node.
pub(crate) fn context(lanes: usize, flows: usize) -> Ctx<Trace> {
    Ctx {
        lanes: vec![Lane::default(); lanes],
        flows: vec![FlowState::default(); flows],
        tally: Tally::new(1),
        records: Default::default(),
        probe: Trace::default(),
        end: Time::NEVER,
        handled: 0,
        sent: 0,
        full_at: u64::MAX,
    }
}

/// The inbox of a node with the first `lanes` lanes.
pub(crate) fn inbox(lanes: u32) -> Inbox {
    Inbox::new((0..lanes).map(LaneId).collect())
}

pub(crate) fn key(time: u64, place: u32) -> Key {
    Key { time: Time(time), place: Place(place) }
}

/// A data cell for the first queue.
pub(crate) fn cell(flow: u32, sequence: u32) -> Pdu {
    Pdu::new(FlowId(flow), sequence, CELL_OCTETS, 0, Body::Data { born: Time::ZERO, number: 0 })
}

/// A notice in transit to the source of a flow.
pub(crate) fn notice(flow: u32) -> Pdu {
    let mut pdu = Pdu::new(FlowId(flow), 0, CELL_OCTETS, 0, Body::Notice { point: 0, severity: 0 });
    pdu.marks.set(Marks::DIR);
    pdu
}

/// Appends `pdu` to a lane.
pub(crate) fn put(ctx: &mut Ctx<Trace>, lane: u32, at: Key, pdu: Pdu) {
    ctx.send(LaneId(lane), Record { time: at.time, place: at.place, order: 0, pdu });
}

/// Time and place of each record in the lane, and the sequence number of its PDU.
pub(crate) fn seen(ctx: &Ctx<Trace>, lane: u32) -> Vec<(u64, u32, u32)> {
    let seen = |record: &Record| (record.time.0, record.place.0, record.pdu.sequence);
    ctx.lanes[lane as usize].iter().map(seen).collect()
}
