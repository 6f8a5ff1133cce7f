//! Lanes: what is on its way from one node to another, in order.
//!
//! The tie rule lives here. What happens at a node happens in the order of its [`Key`]: the time, and among equal times
//! the place of the timer that set it off. A line's delivery has the place of that line, a sender's PDU the place of
//! that sender. What is handed on in no time (a notice, an answer, a PDU that no policer holds) keeps the place of what
//! caused it. Within one lane equal keys are first in, first out.

use crate::core::fifo::Fifo;
use crate::core::pdu::Pdu;
use crate::core::time::Time;

/// Place in the order among equal times: ends of service, then deliveries of lines, then timers of policers and hosts,
/// then ports that gather an instant; within each kind by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(pub u32);

/// When something happens, among equal times too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The instant.
    pub time: Time,
    /// The place within the instant.
    pub place: Place,
}

impl Key {
    /// Later than anything.
    pub const NEVER: Key = Key { time: Time::NEVER, place: Place(u32::MAX) };

    /// Before everything that happens at `time`.
    #[must_use]
    pub const fn start_of(time: Time) -> Key {
        Key { time, place: Place(0) }
    }

    /// The first key behind this one.
    #[must_use]
    pub fn after(self) -> Key {
        Key { time: self.time, place: Place(self.place.0.saturating_add(1)) }
    }
}

/// A PDU and when it arrives.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// When it arrives.
    pub time: Time,
    /// Its place in that instant.
    pub place: Place,
    /// Order among the PDUs of one place that one group of hosts sent in one instant.
    pub order: u32,
    /// What arrives.
    pub pdu: Pdu,
}

impl Record {
    /// When it arrives, among equal times too.
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
    /// A way that no PDU takes.
    pub const NONE: LaneId = LaneId(u32::MAX);

    /// As an index into the lanes.
    #[inline(always)]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is on its way from one node to another, in order of its keys.
pub type Lane = Fifo<Record>;
