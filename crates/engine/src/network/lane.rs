//! Lanes: PDUs in transit from one node to another, in the order of their keys.
//!
//! Within one lane, records with equal keys are first in, first out.

use crate::core::fifo::Fifo;
use crate::core::key::{Key, Place};
use crate::core::pdu::Pdu;
use crate::core::time::Time;

/// A PDU and its arrival.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Time of arrival.
    pub time: Time,
    /// Place at that time.
    pub place: Place,
    /// Order among PDUs with equal time and place from one hosts node.
    pub order: u32,
    /// What arrives.
    pub pdu: Pdu,
}

impl Record {
    /// Key of the arrival.
    #[inline(always)]
    #[must_use]
    pub fn key(&self) -> Key {
        Key { time: self.time, place: self.place }
    }

    /// Whether it arrives before `until`.
    #[inline(always)]
    #[must_use]
    pub fn is_before(&self, until: Key) -> bool {
        self.time < until.time || (self.time == until.time && self.place < until.place)
    }
}

/// Index of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LaneId(pub u32);

impl LaneId {
    /// The lane of a route that no PDU uses.
    pub const NONE: LaneId = LaneId(u32::MAX);

    /// As an index into the lanes.
    #[inline(always)]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// PDUs in transit from one node to another, in the order of their keys.
pub type Lane = Fifo<Record>;
