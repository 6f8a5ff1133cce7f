//! The order of events.
//!
//! This file defines the tie rule. Events at a node happen in the order of their [`Key`]: the time, and at equal times
//! the place of the timer that caused the event. A delivery has the place of its line, and a sender's PDU the place of
//! that sender. A PDU that moves on without delay (a notice, an answer, a PDU that no policer delays) keeps the place
//! of its cause. Within one lane, records with equal keys are first in, first out. If two lanes of a node have equal keys,
//! the earlier lane comes first. So
//!
//! - departures make room before arrivals of the same time use it;
//! - a delivery to a host at the time of the host's own send comes first.
//!
//! A port with `order = "random"` gathers the arrivals of an instant and admits them in random order, from its own random
//! stream: in a slotted model any fixed order always favours the same flows.

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
