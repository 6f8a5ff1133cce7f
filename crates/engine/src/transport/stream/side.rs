//! Records beside the PDUs of byte streams: further blocks of an acknowledgement, and telemetry.

use super::blocks::{Blocks, MOST_BLOCKS, NONE, count};
use super::params::Params;
use crate::core::pdu::{Body, Pdu};
use crate::core::slab::{RecordId, Slab};
use crate::core::telemetry::{Hop, Hops};
use crate::core::time::Time;

/// Beside a segment with telemetry, and beside the acknowledgement that returns it.
#[derive(Clone, Copy, Debug)]
pub struct Trace {
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
#[allow(clippy::large_enum_variant, reason = "most PDUs have nothing beside them, which costs one octet to write")]
pub enum Side {
    /// No record, or one that was freed.
    Nothing,
    /// Blocks of an acknowledgement.
    Blocks(Blocks),
    /// Telemetry, and blocks if an acknowledgement returns it.
    Trace(Trace),
}

impl Side {
    /// When the segment was sent, if that is beside it.
    #[must_use]
    pub fn born(&self) -> Option<Time> {
        self.hops().map(Hops::sent)
    }

    /// The telemetry of a segment.
    #[must_use]
    #[inline]
    pub fn hops(&self) -> Option<&Hops> {
        if let Side::Trace(trace) = self { Some(&trace.hops) } else { None }
    }

    /// Blocks in the record of an acknowledgement.
    #[must_use]
    pub(super) fn blocks(&self) -> &Blocks {
        match self {
            Side::Nothing => &[NONE; MOST_BLOCKS],
            Side::Blocks(blocks) | Side::Trace(Trace { blocks, .. }) => blocks,
        }
    }
}

/// Octets of the segment or acknowledgement of which `pdu`, with `beside` in its record, is the last cell.
#[must_use]
pub fn packet_octets(pdu: &Pdu, beside: &Side, params: &Params) -> u16 {
    match pdu.body() {
        Body::StreamAcknowledgement { block, .. } => params.acknowledgement(u16::from(block != NONE)),
        Body::SelectiveAcknowledgement { .. } => params.acknowledgement(count(beside.blocks())),
        body => params.header.saturating_add(body.segment().map_or(0, |(_, octets, _)| octets)),
    }
}

impl SideRecords {
    /// Stores what an acknowledgement has beside it: all its blocks, if the first is not the only one, and the telemetry that
    /// it returns.
    #[cold]
    pub(super) fn store(&mut self, acknowledgement: &mut Pdu, blocks: Option<Blocks>, hops: Option<&Hops>) {
        let Body::StreamAcknowledgement { number, marked, block } = acknowledgement.body() else { return };
        let blocks = blocks.unwrap_or([block, NONE, NONE, NONE]);
        acknowledgement.set_body(match hops {
            Some(hops) => {
                let record = self.traces.store(Trace { blocks, hops: *hops });
                Body::TelemetryAcknowledgement { number, marked, record }
            }
            None => Body::SelectiveAcknowledgement { number, marked, record: self.blocks.store(blocks) },
        });
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
        if pdu.kind().may_have_record() { self.read(pdu) } else { Side::Nothing }
    }

    /// Out of line: few PDUs have a record.
    #[inline(never)]
    fn read(&self, pdu: &Pdu) -> Side {
        match pdu.body() {
            Body::SelectiveAcknowledgement { record, .. } => {
                self.blocks.get(record).map_or(Side::Nothing, |blocks| Side::Blocks(*blocks))
            }
            Body::TelemetrySegment { record, .. } | Body::TelemetryAcknowledgement { record, .. } => {
                self.traces.get(record).map_or(Side::Nothing, |trace| Side::Trace(*trace))
            }
            _ => Side::Nothing,
        }
    }

    /// Frees the record beside `pdu`, if it has one. Out of line: few PDUs have one.
    #[inline(never)]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::pdu::FlowId;

    /// The PDU with a record is one of the stream, as that without: its slot stays.
    #[test]
    fn an_acknowledgement_with_a_record_is_one_of_its_stream() {
        let body = Body::StreamAcknowledgement { number: 7, marked: 0, block: (1, 2) };
        let mut pdu = Pdu::new(FlowId(0), 3, 52, 0, body);
        let mut records = SideRecords::default();
        records.store(&mut pdu, Some([(1, 2), (5, 6), NONE, NONE]), None);
        assert_eq!(records.count(), 1);
        assert!(pdu.kind().is_of_stream());
        pdu.set_slot(0x1234);
        assert_eq!(pdu.slot(), 0x1234);
    }
}
