//! Cells: segments and acknowledgements as packets of AAL5, and what is left of them behind the network (ITU-T I.363.5).
//!
//! Every cell of a packet has the same header and body, and only the last one the record beside it. The receiver counts the
//! cells up to the one with the mark AUU, and the packet is whole if all have come. The last cell that is lost joins two
//! packets: their length and checksum are wrong, so both are lost.

use std::sync::Arc;

use crate::core::framing::Framing;
use crate::core::pdu::{Body, Marks, Pdu};
use crate::network::context::kind_of;
use crate::transport::stream::{Params, Side, packet_octets};

/// The cells of a packet that have not been sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    left: u32,
    /// Each but the last.
    other: Pdu,
    last: Pdu,
}

impl Cut {
    /// All cells of a packet.
    pub(super) fn new(packet: &Pdu) -> Cut {
        let (left, octets) = Framing::Aal5.pdus(packet.octets);
        let mut last = *packet;
        last.octets = octets;
        last.marks.set(Marks::AAL5);
        let mut other = last;
        if let Body::SelectiveAcknowledgement { number, marked, .. } = last.body() {
            other.set_body(Body::StreamAcknowledgement { number, marked, block: (0, 0) });
        }
        last.marks.set(Marks::AUU);
        Cut { left, other, last }
    }

    /// Number of those that are left.
    pub(super) fn left(&self) -> u32 {
        self.left
    }
}

impl Iterator for Cut {
    type Item = Pdu;

    #[inline]
    fn next(&mut self) -> Option<Pdu> {
        self.left = self.left.checked_sub(1)?;
        Some(if self.left == 0 { self.last } else { self.other })
    }
}

/// The cells of one host.
#[derive(Clone, Debug)]
pub struct Cells {
    params: Arc<Params>,
    /// Cells sent since the last reset: data, and control.
    sent: [u64; 2],
    /// The packets of which a part has arrived, by slot.
    parts: Vec<Part>,
}

/// The cells since the last one with the mark AUU.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    cells: u32,
    /// Number of the transmission of the first of them.
    sequence: u32,
    /// Whether another one has a different number.
    is_mixed: bool,
    marks: Marks,
}

impl Cells {
    /// Of a host that has sent and received nothing.
    #[must_use]
    pub fn new(params: Arc<Params>) -> Cells {
        Cells { params, sent: [0; 2], parts: Vec::new() }
    }

    /// Cells sent since the last reset: data, and control.
    #[must_use]
    pub fn sent(&self) -> [u64; 2] {
        self.sent
    }

    /// Resets the counts.
    pub(super) fn reset_measures(&mut self) {
        self.sent = [0; 2];
    }

    /// Counts a cell as sent.
    #[inline]
    pub(super) fn count(&mut self, cell: &Pdu) {
        self.sent[kind_of(cell)] += 1;
    }

    /// A cell arrives, with `beside` in its record. Returns the packet if it is the last cell, and all others have come.
    pub(super) fn join(&mut self, cell: &Pdu, beside: &Side) -> Option<Pdu> {
        let slot = usize::from(cell.slot());
        if self.parts.len() <= slot {
            self.parts.resize(slot + 1, Part::default());
        }
        let part = &mut self.parts[slot];
        if part.cells == 0 {
            part.sequence = cell.sequence;
        }
        part.cells += 1;
        part.is_mixed |= part.sequence != cell.sequence;
        part.marks.set(cell.marks);
        if !cell.marks.has(Marks::AUU) {
            return None;
        }
        let Part { cells, is_mixed, marks, .. } = std::mem::take(part);
        let mut packet = *cell;
        packet.octets = packet_octets(cell, beside, &self.params);
        packet.marks = marks.without(Marks::AAL5.with(Marks::AUU));
        let is_whole = !is_mixed && cells == Framing::Aal5.pdus(packet.octets).0;
        is_whole.then_some(packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::pdu::{CELL_OCTETS, FlowId};
    use crate::core::time::Time;
    use crate::transport::stream::SideRecords;

    fn cells() -> Cells {
        Cells::new(Arc::new(toml::from_str("framing = 'aal5'").unwrap()))
    }

    /// A segment of so many octets, with headers of 40, as the transmission of this number.
    fn segment(octets: u16, sequence: u32) -> Pdu {
        let body = Body::Segment { born: Time(7), offset: 100, octets, is_last: true, is_repeat: false };
        let mut pdu = Pdu::new(FlowId(0), sequence, octets + 40, 0, body);
        pdu.marks.set(Marks::ECT_0);
        pdu.set_slot(3);
        pdu
    }

    /// The packets that arrive if these cells do.
    fn joined(cells: &mut Cells, arriving: impl IntoIterator<Item = Pdu>) -> Vec<Pdu> {
        let records = SideRecords::default();
        arriving.into_iter().filter_map(|cell| cells.join(&cell, &records.beside(&cell))).collect()
    }

    #[test]
    fn a_packet_is_cut_and_joined() {
        let mut own = cells();
        let packet = segment(1460, 5);
        let cut: Vec<Pdu> = Cut::new(&packet).collect();
        cut.iter().for_each(|cell| own.count(cell));
        assert_eq!((cut.len(), own.sent()), (32, [32, 0]));
        assert!(cut.iter().all(|cell| cell.octets == CELL_OCTETS && cell.marks.has(Marks::AAL5)));
        assert_eq!(cut.iter().position(|cell| cell.marks.has(Marks::AUU)), Some(31));
        let whole = joined(&mut own, cut);
        let [whole] = whole.as_slice() else { panic!("{whole:?}") };
        assert_eq!((whole.octets, whole.marks, whole.slot(), whole.body()), (1500, packet.marks, 3, packet.body()));
    }

    #[test]
    fn one_lost_cell_loses_its_packet_and_the_last_one_two() {
        for lost in 0..32 {
            let mut own = cells();
            let cut: Vec<Pdu> = [5, 6, 7].into_iter().flat_map(|number| Cut::new(&segment(1460, number))).collect();
            let arriving = cut.into_iter().enumerate().filter(|(place, _)| *place != lost).map(|(_, cell)| cell);
            let whole: Vec<u32> = joined(&mut own, arriving).iter().map(|packet| packet.sequence).collect();
            assert_eq!(whole, if lost == 31 { vec![7] } else { vec![6, 7] }, "{lost}");
        }
        // As many cells as a packet has, of two.
        let mut own = cells();
        let [first, second] = [5, 6].map(|number| Cut::new(&segment(1460, number)).collect::<Vec<_>>());
        assert!(joined(&mut own, first[..10].iter().chain(&second[10..]).copied()).is_empty());
    }

    #[test]
    fn congestion_experienced_by_a_cell_is_that_of_its_packet() {
        let mut own = cells();
        let mut cut: Vec<Pdu> = Cut::new(&segment(100, 1)).collect();
        cut[1].marks.set(Marks::ECN_CE);
        assert!(joined(&mut own, cut)[0].marks.has(Marks::ECN_CE));
    }

    #[test]
    fn an_acknowledgement_is_one_cell_or_with_a_block_two() {
        let mut own = cells();
        for (octets, block, count) in [(40, (0, 0), 1), (52, (10, 20), 2)] {
            let body = Body::StreamAcknowledgement { number: 9, marked: 0, block };
            let mut pdu = Pdu::new(FlowId(0), 1, octets, 0, body);
            pdu.marks.set(Marks::DIR);
            let cut: Vec<Pdu> = Cut::new(&pdu).collect();
            assert_eq!(cut.len(), count);
            cut.iter().for_each(|cell| own.count(cell));
            assert_eq!(
                joined(&mut own, cut).iter().map(|pdu| (pdu.octets, pdu.body())).collect::<Vec<_>>(),
                [(octets, body)]
            );
        }
        assert_eq!(own.sent(), [0, 3]);
    }
}
