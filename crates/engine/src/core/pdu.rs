//! Protocol data units: 32 bytes each, with a header and a typed body.

mod body;
mod marks;

use crate::core::time::Span;

pub use crate::core::time::CELL_BITS;
use body::pair;
pub use body::{Body, Kind};
pub use marks::Marks;

/// Octets of an ATM cell, header included.
pub const CELL_OCTETS: u16 = 53;

/// Why a run cannot change the length of a PDU.
pub(crate) const FIXED_LENGTH: &str = "the length of the shortest PDU decides how the run is computed";

/// The highest priority of an NPDU (ISO 8473).
pub const MOST_NPDU_PRIORITY: u8 = 14;

/// Index of a flow: one direction from one endpoint to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u32);

impl FlowId {
    /// The index into a table of flows.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Binary digits of a wait at the source. The other 6 bits of its half of a word have the number of digits below them.
const WAIT_DIGITS: u32 = 26;
const WAIT_ONE: u32 = 1 << WAIT_DIGITS;
/// The number of user data shares its word with their wait at the source.
const WAITED: u8 = 1 << 7;

/// A protocol data unit: cell, packet or TPDU.
#[derive(Clone, Copy, Debug)]
pub struct Pdu {
    /// Its flow (also for a PDU that travels backwards).
    pub flow: FlowId,
    /// Sequence number within flow and kind of traffic.
    pub sequence: u32,
    /// Length in octets, headers included.
    pub octets: u16,
    /// One-bit marks.
    pub marks: Marks,
    kind: Kind,
    /// Index of its queue at a port: queue 0 is served first.
    pub priority: u8,
    /// Remaining lifetime in hops or half seconds, if the protocol counts them. For a byte stream the low octet of its slot.
    pub lifetime: u8,
    /// The priority of an NPDU in the low bits, and `WAITED`. For a byte stream the high octet of its slot.
    option: u8,
    words: [u64; 2],
}

impl Pdu {
    /// A PDU with all marks clear and the longest lifetime.
    #[must_use]
    #[inline(always)]
    pub fn new(flow: FlowId, sequence: u32, octets: u16, priority: u8, body: Body) -> Pdu {
        Pdu {
            flow,
            sequence,
            octets,
            kind: body.kind(),
            priority,
            marks: Marks::default(),
            lifetime: u8::MAX,
            option: 0,
            words: body.words(),
        }
    }

    /// Notes how long its user data waited at the source, in whole picoseconds up to 67 us and within 3e-8 beyond. Of
    /// their number 32 bits stay.
    #[inline]
    pub fn set_wait(&mut self, wait: Span) {
        debug_assert_eq!(self.kind, Kind::Data);
        let shift = (u64::BITS - wait.0.leading_zeros()).saturating_sub(WAIT_DIGITS);
        self.option |= WAITED;
        self.words[1] = pair(shift << WAIT_DIGITS | (wait.0 >> shift) as u32, self.words[1] as u32);
    }

    /// How long its user data waited at the source; `None` if their source cannot wait.
    #[must_use]
    #[inline]
    pub fn wait(&self) -> Option<Span> {
        let word = (self.words[1] >> 32) as u32;
        self.has_waited().then(|| Span(u64::from(word & (WAIT_ONE - 1)) << (word >> WAIT_DIGITS)))
    }

    /// Whether its user data may have waited at the source.
    #[must_use]
    #[inline(always)]
    pub fn has_waited(&self) -> bool {
        self.option & WAITED != 0 && self.kind == Kind::Data
    }

    /// Priority option of an NPDU (ISO 8473): from 0, also of other PDUs, to [`MOST_NPDU_PRIORITY`], the most urgent.
    #[must_use]
    #[inline]
    pub fn npdu_priority(&self) -> u8 {
        if self.kind.is_of_stream() { 0 } else { self.option & !WAITED }
    }

    /// Sets the priority option; at most [`MOST_NPDU_PRIORITY`].
    #[inline]
    pub fn set_npdu_priority(&mut self, priority: u8) {
        self.option = self.option & WAITED | priority.min(MOST_NPDU_PRIORITY);
    }

    /// Which of its flow's byte streams it belongs to.
    #[must_use]
    #[inline]
    pub fn slot(&self) -> u16 {
        u16::from_le_bytes([self.lifetime, self.option])
    }

    /// Says which of its flow's byte streams it belongs to.
    #[inline]
    pub fn set_slot(&mut self, slot: u16) {
        debug_assert!(self.kind.is_of_stream());
        [self.lifetime, self.option] = slot.to_le_bytes();
    }

    /// Its kind.
    #[must_use]
    #[inline]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Length in bits.
    #[must_use]
    #[inline]
    pub fn bits(&self) -> u64 {
        u64::from(self.octets) * 8
    }

    /// Its contents.
    #[must_use]
    #[inline]
    pub fn body(&self) -> Body {
        let [first, second] = self.words;
        // Of the number of data that have waited, half a word stays.
        Body::read(self.kind, [first, if self.has_waited() { u64::from(second as u32) } else { second }])
    }

    /// Replaces its contents and its kind.
    pub fn set_body(&mut self, body: Body) {
        self.kind = body.kind();
        self.option &= !WAITED;
        self.words = body.words();
    }

    /// Whether it travels against the direction of its flow.
    #[must_use]
    #[inline]
    pub fn is_backward(&self) -> bool {
        self.marks.has(Marks::DIR)
    }

    /// Whether it may be discarded first.
    #[must_use]
    #[inline]
    pub fn is_tagged(&self) -> bool {
        self.marks.has(Marks::CLP)
    }
}

#[cfg(test)]
mod tests;
