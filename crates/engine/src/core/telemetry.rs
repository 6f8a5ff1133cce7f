//! Telemetry: what the ports of a path write beside a PDU (in-band network telemetry).

use crate::core::time::Time;

/// The most ports that write beside one PDU.
pub const MOST_HOPS: usize = 8;

/// What a port writes when it begins to send the PDU.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hop {
    /// The time.
    pub at: Time,
    /// Bits that the port has sent before the PDU.
    pub sent: u64,
    /// Bits that wait behind it.
    pub waiting: u64,
    /// Rate of the line, bits per second.
    pub rate: f64,
}

/// What the ports of a path have written, in the order of the path.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hops {
    /// When the PDU was sent.
    sent: Time,
    count: u8,
    hops: [Hop; MOST_HOPS],
}

impl Hops {
    /// Those of a PDU that is sent at this time.
    #[must_use]
    pub fn of(sent: Time) -> Hops {
        Hops { sent, ..Hops::default() }
    }

    /// When the PDU was sent.
    #[must_use]
    pub fn sent(&self) -> Time {
        self.sent
    }

    /// Adds what the next port writes, if there is room.
    pub fn push(&mut self, hop: Hop) {
        if let Some(place) = self.hops.get_mut(usize::from(self.count)) {
            *place = hop;
            self.count += 1;
        }
    }

    /// Each port.
    #[must_use]
    pub fn each(&self) -> &[Hop] {
        &self.hops[..usize::from(self.count)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hops_are_kept_in_order_as_long_as_there_is_room() {
        let mut hops = Hops::of(Time(7));
        assert!(hops.each().is_empty() && hops.sent() == Time(7));
        (0..20).for_each(|sent| hops.push(Hop { sent, ..Hop::default() }));
        assert_eq!(hops.each().iter().map(|hop| hop.sent).collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
    }
}
