//! Records beside the PDUs of byte streams: further blocks of an acknowledgement, and telemetry.

use super::blocks::{Blocks, MOST_BLOCKS, NONE};
use super::params::Params;
use crate::core::pdu::{Body, Pdu};
use crate::core::slab::{RecordId, Slab};
use crate::core::telemetry::{Hop, Hops};
use crate::core::time::Time;

/// Beside a segment with telemetry, and beside the acknowledgement that returns it.
#[derive(Clone, Copy, Debug)]
struct Trace {
    /// Blocks of the acknowledgement.
    blocks: Blocks,
    hops: Hops,
}

/// The records beside PDUs that are under way.
#[derive(Clone, Debug, Default)]
pub struct SideRecords {
    blocks: Slab<Blocks>,
    traces: Slab<Trace>,
}

/// What is read beside a PDU.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Blocks in the record of an acknowledgement.
    pub(super) blocks: Blocks,
    /// The telemetry of a segment.
    hops: Option<Hops>,
}

impl Side {
    const NOTHING: Side = Side { blocks: [NONE; MOST_BLOCKS], hops: None };

    /// When the segment was sent, if that is beside it.
    #[must_use]
    pub fn born(&self) -> Option<Time> {
        self.hops().map(Hops::sent)
    }

    /// The telemetry of a segment.
    #[must_use]
    #[inline]
    pub fn hops(&self) -> Option<&Hops> {
        self.hops.as_ref()
    }
}

/// Octets of the segment or acknowledgement of which `pdu`, with `beside` in its record, is the last cell.
#[must_use]
pub fn packet_octets(pdu: &Pdu, beside: &Side, params: &Params) -> u16 {
    match pdu.body() {
        Body::StreamAcknowledgement { block, .. } => params.acknowledgement(u16::from(block != NONE)),
        Body::SelectiveAcknowledgement { .. } => {
            params.acknowledgement(beside.blocks.iter().filter(|block| **block != NONE).count() as u16)
        }
        body => params.header.saturating_add(body.segment().map_or(0, |(_, octets, _)| octets)),
    }
}

impl SideRecords {
    /// Stores the blocks of an acknowledgement.
    pub(super) fn store_blocks(&mut self, blocks: Blocks) -> RecordId {
        self.blocks.store(blocks)
    }

    /// Stores what an acknowledgement returns.
    pub(super) fn store_returned(&mut self, hops: &Hops, blocks: Blocks) -> RecordId {
        self.traces.store(Trace { blocks, hops: *hops })
    }

    /// Stores an empty record for the telemetry of a segment that is sent at `born`.
    pub(super) fn begin_trace(&mut self, born: Time) -> RecordId {
        self.traces.store(Trace { blocks: [NONE; MOST_BLOCKS], hops: Hops::of(born) })
    }

    /// A port on the way of `pdu` writes, if it is a segment with telemetry.
    pub fn write(&mut self, pdu: &Pdu, hop: Hop) {
        if let Body::TelemetrySegment { record, .. } = pdu.body()
            && let Some(trace) = self.traces.get_mut(record)
        {
            trace.hops.push(hop);
        }
    }

    /// What is beside `pdu`.
    #[inline]
    #[must_use]
    pub fn beside(&self, pdu: &Pdu) -> Side {
        if !pdu.kind().has_record() {
            return Side::NOTHING;
        }
        match pdu.body() {
            Body::SelectiveAcknowledgement { record, .. } => {
                Side { blocks: self.blocks.get(record).copied().unwrap_or([NONE; MOST_BLOCKS]), hops: None }
            }
            Body::TelemetrySegment { record, .. } | Body::TelemetryAcknowledgement { record, .. } => {
                let trace = self.traces.get(record);
                trace.map_or(Side::NOTHING, |own| Side { blocks: own.blocks, hops: Some(own.hops) })
            }
            _ => Side::NOTHING,
        }
    }

    /// Frees the record beside `pdu`, if it has one.
    pub fn free(&mut self, pdu: &Pdu) {
        match pdu.body() {
            Body::SelectiveAcknowledgement { record, .. } => self.blocks.free(record),
            Body::TelemetrySegment { record, .. } | Body::TelemetryAcknowledgement { record, .. } => {
                self.traces.free(record);
            }
            _ => {}
        }
    }

    /// How many records are stored.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.blocks.count() + self.traces.count()
    }
}

/// An acknowledgement, before it is sent.
#[derive(Clone, Copy, Debug)]
pub struct Acknowledgement {
    /// With the first block.
    pub(super) pdu: Pdu,
    pub(super) blocks: Blocks,
}

impl Acknowledgement {
    /// The PDU that is sent. Blocks that do not fit it, and telemetry that it returns, become a record.
    #[inline]
    #[must_use]
    pub fn into_pdu(self, hops: Option<&Hops>, records: &mut SideRecords) -> Pdu {
        let mut pdu = self.pdu;
        if (hops.is_some() || self.blocks[1] != NONE)
            && let Body::StreamAcknowledgement { number, marked, .. } = pdu.body()
        {
            pdu.set_body(match hops {
                Some(hops) => {
                    let record = records.store_returned(hops, self.blocks);
                    Body::TelemetryAcknowledgement { number, marked, record }
                }
                None => {
                    let record = records.store_blocks(self.blocks);
                    Body::SelectiveAcknowledgement { number, marked, record }
                }
            });
        }
        pdu
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::pdu::FlowId;

    /// The PDU with a record is one of the stream, as that without: its slot stays.
    #[test]
    fn an_acknowledgement_with_a_record_is_one_of_its_stream() {
        for blocks in [[(1, 2), NONE, NONE, NONE], [(1, 2), (5, 6), NONE, NONE]] {
            let body = Body::StreamAcknowledgement { number: 7, marked: 0, block: blocks[0] };
            let acknowledgement = Acknowledgement { pdu: Pdu::new(FlowId(0), 3, 52, 0, body), blocks };
            let mut records = SideRecords::default();
            let mut pdu = acknowledgement.into_pdu(None, &mut records);
            assert_eq!(records.count(), u64::from(blocks[1] != NONE));
            assert!(pdu.kind().is_of_stream());
            pdu.set_slot(0x1234);
            assert_eq!(pdu.slot(), 0x1234);
        }
    }
}
