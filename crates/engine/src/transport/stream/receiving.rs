//! The receiving half: what has arrived, and its acknowledgements (RFC 5681, 4.2; RFC 2018; RFC 8257, 3.2).
//!
//! An acknowledgement goes at once for a segment out of sequence, a duplicate, one that fills a gap, the last of a message, and
//! every `ack_every`-th segment in sequence; with the grade `dctcp` also for those before a change of the mark. Else it waits for
//! `delayed_ack`.

use std::sync::Arc;

use super::blocks::{Block, DUPLICATE, NONE, Recent, count};
use super::params::{Ecn, Params};
use super::side::SideRecords;
use crate::core::pdu::{Body, FlowId, Marks, Pdu};
use crate::core::telemetry::Hops;
use crate::core::time::Time;

/// Receiving half of one stream.
#[derive(Clone, Debug)]
pub struct Receiving {
    params: Arc<Params>,
    flow: FlowId,
    priority: u8,
    /// All octets below it have arrived.
    next: u64,
    /// What has arrived beyond it: first octet, and the one behind the last. In order, and apart.
    blocks: Vec<(u64, u64)>,
    /// Those of them that changed last.
    recent: Recent,
    /// Segments since the last acknowledgement.
    pending: u32,
    /// Segments with congestion experienced so far, and whether the last one had it.
    marked: u16,
    is_marked: bool,
    /// Number of the transmission that arrived last.
    newest: u32,
    acknowledge_at: Time,
    /// The telemetry of that transmission, for an acknowledgement that waits.
    hops: Option<Box<Hops>>,
    measures: ReceivingMeasures,
}

/// The counts of a receiving half since the last reset.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReceivingMeasures {
    /// Segments with new octets.
    pub accepted: u64,
    /// Segments without.
    pub duplicates: u64,
    /// Bits of acknowledgements.
    pub control_bits: u64,
}

impl Receiving {
    /// A receiving half to which nothing has arrived.
    #[must_use]
    pub fn new(params: Arc<Params>, flow: FlowId, priority: u8) -> Receiving {
        Receiving {
            params,
            flow,
            priority,
            next: 0,
            blocks: Vec::new(),
            recent: Recent::default(),
            pending: 0,
            marked: 0,
            is_marked: false,
            newest: 0,
            acknowledge_at: Time::NEVER,
            hops: None,
            measures: ReceivingMeasures::default(),
        }
    }

    /// The counts since the last reset.
    #[must_use]
    pub fn measures(&self) -> &ReceivingMeasures {
        &self.measures
    }

    /// Resets the counts.
    pub fn reset_measures(&mut self) {
        self.measures = ReceivingMeasures::default();
    }

    /// Takes other parameters.
    pub fn retune(&mut self, params: &Arc<Params>) {
        self.params = Arc::clone(params);
    }

    /// When an acknowledgement is due that has waited for further segments.
    #[must_use]
    #[inline]
    pub fn due(&self) -> Time {
        self.acknowledge_at
    }

    /// All octets below it have arrived.
    #[must_use]
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// The acknowledgement that has waited, with the newest telemetry.
    pub fn act(&mut self, records: &mut SideRecords) -> Pdu {
        let hops = self.hops.take();
        let acknowledgement = self.acknowledge(NONE, hops.as_deref(), records);
        self.hops = hops;
        acknowledgement
    }

    /// A request arrives to open the stream. Returns the answer.
    pub fn on_request(&mut self, pdu: &Pdu) -> Pdu {
        let mut answer = Pdu::new(self.flow, pdu.sequence, self.params.header, self.priority, pdu.body());
        self.measures.control_bits += answer.bits();
        answer.marks.set(Marks::DIR);
        answer
    }

    /// The credit for all transmissions before that with the number `limit`.
    pub fn give_credit(&mut self, limit: u64) -> Pdu {
        let body = Body::StreamCredit { limit };
        let mut credit = Pdu::new(self.flow, self.newest, self.params.header, self.priority, body);
        self.measures.control_bits += credit.bits();
        credit.marks.set(Marks::DIR);
        credit
    }

    /// A segment arrives, with this telemetry. Returns whether it has new octets. Acknowledgements go to `send`.
    #[inline]
    pub fn on_segment(
        &mut self,
        pdu: &Pdu,
        hops: Option<&Hops>,
        at: Time,
        records: &mut SideRecords,
        send: &mut impl FnMut(Pdu),
    ) -> bool {
        if let Some(hops) = hops {
            **self.hops.get_or_insert_default() = *hops;
        }
        let Some((offset, octets, is_last)) = pdu.body().segment() else { return false };
        let end = offset + u64::from(octets);
        let is_marked = pdu.marks.has(Marks::ECN_CE);
        if self.params.ecn == Ecn::Dctcp && is_marked != self.is_marked && self.pending > 0 {
            send(self.acknowledge(NONE, hops, records));
        }
        self.is_marked = is_marked;
        self.marked = self.marked.wrapping_add(u16::from(is_marked));
        self.newest = pdu.sequence;
        let (is_new, answer) = self.take((offset, end), is_last, at);
        if let Some(block) = answer {
            send(self.acknowledge(block, hops, records));
        }
        is_new
    }

    /// Takes octets up to `end`. Returns whether some are new, and the block of the acknowledgement if one goes at once.
    #[inline]
    fn take(&mut self, (offset, end): (u64, u64), is_last: bool, at: Time) -> (bool, Option<Block>) {
        if end <= self.next {
            self.measures.duplicates += 1;
            return (false, Some(DUPLICATE));
        }
        if offset > self.next {
            let (is_new, (first, end)) = self.keep(offset, end);
            let counts = &mut self.measures;
            *(if is_new { &mut counts.accepted } else { &mut counts.duplicates }) += 1;
            return (is_new, Some(((first - self.next) as u32, (end - first) as u32)));
        }
        self.measures.accepted += 1;
        self.next = end;
        let had_gap = !self.blocks.is_empty();
        let joined = self.blocks.iter().take_while(|block| block.0 <= self.next).count();
        if joined > 0 {
            self.next = self.next.max(self.blocks[joined - 1].1);
            self.blocks.drain(..joined);
        }
        self.pending += 1;
        if had_gap || is_last || self.pending >= self.params.ack_every {
            return (true, Some(NONE));
        }
        if self.acknowledge_at == Time::NEVER {
            self.acknowledge_at = at + self.params.delayed_ack;
        }
        (true, None)
    }

    /// Keeps octets beyond a gap. Returns whether some are new, and the block that has them.
    fn keep(&mut self, first: u64, end: u64) -> (bool, (u64, u64)) {
        let from = self.blocks.partition_point(|block| block.1 < first);
        let to = self.blocks.partition_point(|block| block.0 <= end);
        let mut block = (first, end);
        if let [start, .., last] | [start @ last] = &self.blocks[from..to] {
            if start.0 <= first && end <= start.1 {
                let known = *start;
                self.recent.note(known, self.next);
                return (false, known);
            }
            block = (start.0.min(first), last.1.max(end));
        }
        self.blocks.splice(from..to, [block]);
        self.recent.note(block, self.next);
        (true, block)
    }

    #[inline(always)]
    fn acknowledge(&mut self, block: Block, hops: Option<&Hops>, records: &mut SideRecords) -> Pdu {
        (self.pending, self.acknowledge_at) = (0, Time::NEVER);
        let blocks = self.recent.blocks(block, self.next, self.params.sack_blocks);
        let octets = self.params.acknowledgement(blocks.map_or(u16::from(block != NONE), |all| count(&all)));
        let body = Body::StreamAcknowledgement { number: self.next, marked: self.marked, block };
        let mut pdu = Pdu::new(self.flow, self.newest, octets, self.priority, body);
        self.measures.control_bits += pdu.bits();
        pdu.marks.set(Marks::DIR);
        if hops.is_some() || blocks.is_some() {
            records.store(&mut pdu, blocks, hops);
        }
        pdu
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::time::Span;

    fn receiving(params: &str) -> Receiving {
        Receiving::new(Arc::new(toml::from_str(params).unwrap()), FlowId(0), 0)
    }

    /// Number, marks and block of an acknowledgement.
    type Told = (u64, u16, (u32, u32));

    /// Whether a segment of 1000 octets is new, and the acknowledgements that it causes.
    fn arrive(receiving: &mut Receiving, place: u64, is_marked: bool) -> (bool, Vec<Told>) {
        let body =
            Body::Segment { born: Time::ZERO, offset: place * 1000, octets: 1000, is_last: false, is_repeat: false };
        let mut pdu = Pdu::new(FlowId(0), place as u32, 1040, 0, body);
        if is_marked {
            pdu.marks.set(Marks::ECN_CE);
        }
        let mut sent = Vec::new();
        let send = &mut |actual: Pdu| match actual.body() {
            Body::StreamAcknowledgement { number, marked, block } => sent.push((number, marked, block)),
            body => panic!("{body:?}"),
        };
        let is_new = receiving.on_segment(&pdu, None, Time::ZERO, &mut SideRecords::default(), send);
        (is_new, sent)
    }

    #[test]
    fn segments_beyond_a_gap_are_reported_by_the_block_that_has_them() {
        let mut receiving = receiving("");
        let numbers = [0, 2, 4, 3, 3, 0, 1].map(|place| arrive(&mut receiving, place, false));
        let expected = [
            (true, (1000, 0, NONE)),
            (true, (1000, 0, (1000, 1000))),
            (true, (1000, 0, (3000, 1000))),
            (true, (1000, 0, (1000, 3000))),
            (false, (1000, 0, (1000, 3000))),
            (false, (1000, 0, DUPLICATE)),
            (true, (5000, 0, NONE)),
        ];
        assert_eq!(numbers.to_vec(), expected.map(|(is_new, ack)| (is_new, vec![ack])).to_vec());
        assert_eq!((receiving.measures().accepted, receiving.measures().duplicates), (5, 2));
    }

    #[test]
    fn every_second_segment_in_sequence_is_acknowledged_or_the_first_after_the_delay() {
        let mut receiving = receiving("ack_every = 2");
        assert_eq!(arrive(&mut receiving, 0, false).1, []);
        assert_eq!(receiving.due(), Time::ZERO + Span::milliseconds(40));
        assert_eq!(arrive(&mut receiving, 1, false).1, [(2000, 0, NONE)]);
        assert_eq!(receiving.due(), Time::NEVER);
        assert_eq!(arrive(&mut receiving, 2, false).1, []);
        assert!(matches!(
            receiving.act(&mut SideRecords::default()).body(),
            Body::StreamAcknowledgement { number: 3000, .. }
        ));
        // Out of sequence, and what fills the gap: at once.
        assert_eq!(arrive(&mut receiving, 4, false).1, [(3000, 0, (1000, 1000))]);
        assert_eq!(arrive(&mut receiving, 3, false).1, [(5000, 0, NONE)]);
    }

    #[test]
    fn a_change_of_the_mark_acknowledges_what_came_before() {
        let mut receiving = receiving("ack_every = 4\necn = 'dctcp'");
        let sent: Vec<_> = [(0, false), (1, true), (2, true), (3, false)]
            .into_iter()
            .flat_map(|(place, is_marked)| arrive(&mut receiving, place, is_marked).1)
            .collect();
        assert_eq!(sent, [(1000, 0, NONE), (3000, 2, NONE)]);
        let mut accurate = self::receiving("ack_every = 4\necn = 'accurate'");
        let sent = (0..4).flat_map(|place| arrive(&mut accurate, place, place == 1).1);
        assert_eq!(sent.collect::<Vec<_>>(), [(4000, 1, NONE)]);
    }
}
