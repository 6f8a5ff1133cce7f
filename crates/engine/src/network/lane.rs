//! Lanes: PDUs in transit from one node to another, in order.
//!
//! This file defines the tie rule. Events at a node happen in the order of their [`Key`]: the time, and at equal times
//! the place of the timer that caused the event. A delivery has the place of its line, and a sender's PDU the place of
//! that sender. A PDU that moves on without delay (a notice, an answer, a PDU that no policer delays) keeps the place
//! of its cause. Within one lane, records with equal keys are first in, first out.

use crate::core::fifo::Fifo;
use crate::core::pdu::Pdu;
use crate::core::time::Time;

/// Rank at equal times: ends of service, then deliveries of lines, then timers of policers and hosts, then ports that
/// gather the arrivals of an instant. Within each kind, names decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(pub u32);

impl Place {
    /// Of the deliveries of a port's line: they come after the services of all `ports`.
    #[must_use]
    pub const fn of_delivery(port: usize, ports: usize) -> Place {
        Place((ports + port) as u32)
    }

    /// The number of the port whose line delivers at this place, if it is that of a delivery.
    #[must_use]
    pub fn delivering_port(self, ports: usize) -> Option<usize> {
        (self.0 as usize).checked_sub(ports).filter(|port| *port < ports)
    }
}

/// The order of events: time, then place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The time.
    pub time: Time,
    /// The place at that time.
    pub place: Place,
}

impl Key {
    /// Later than every event.
    pub const NEVER: Key = Key { time: Time::NEVER, place: Place(u32::MAX) };

    /// Before every event at `time`.
    #[must_use]
    pub const fn start_of(time: Time) -> Key {
        Key { time, place: Place(0) }
    }

    /// The smallest key after this one.
    #[must_use]
    pub fn after(self) -> Key {
        Key { time: self.time, place: Place(self.place.0.saturating_add(1)) }
    }
}

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
