//! Production and first transmission times of the DT TPDUs in transit. They are only for measurement, like the creation
//! times in PDUs. No strategy and no timer uses them.

use std::collections::VecDeque;

use super::receiving::Taken;
use crate::core::time::Time;

/// The DT TPDUs of one flow that have been transmitted and not yet received.
///
/// A TPDU may arrive after its sender has begun the next connection: a CR TPDU of a higher priority overtakes it. So the
/// journeys of a connection stay until its receiver has closed it.
#[derive(Clone, Debug, Default)]
pub struct Journeys {
    /// In the order of their connections and numbers.
    under_way: VecDeque<Journey>,
    /// Those that end a packet, until all of the packet has arrived.
    lasts: VecDeque<Journey>,
}

/// The journey of one DT TPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Journey {
    /// Reference of its connection.
    pub connection: u32,
    /// Number of the DT TPDU, without modulus.
    pub number: u64,
    /// When the user produced it.
    pub produced: Time,
    /// When it was first transmitted.
    pub transmitted: Time,
}

impl Journeys {
    /// Records the first transmission of a TPDU, which may end a packet.
    pub fn begin(&mut self, journey: Journey, is_last: bool) {
        self.under_way.push_back(journey);
        if is_last {
            self.lasts.push_back(journey);
        }
    }

    /// Records the first reception of a TPDU. What is left of connections that the receiver has closed is forgotten.
    pub fn end(&mut self, taken: Taken) -> Option<Journey> {
        for journeys in [&mut self.under_way, &mut self.lasts] {
            while journeys.front().is_some_and(|first| first.connection < taken.oldest) {
                journeys.pop_front();
            }
        }
        let own = (taken.connection, taken.number);
        let place = self.under_way.iter().position(|journey| (journey.connection, journey.number) == own)?;
        self.under_way.remove(place)
    }

    /// When the next packet was produced that a received TPDU delivers: all up to its last have arrived.
    pub fn deliver(&mut self, taken: Taken) -> Option<Time> {
        let place = self.lasts.iter().position(|last| last.connection >= taken.connection)?;
        let last = self.lasts[place];
        let is_delivered = last.connection == taken.connection && last.number < taken.expected;
        is_delivered.then(|| self.lasts.remove(place)).flatten().map(|last| last.produced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journey(connection: u32, number: u64) -> Journey {
        Journey { connection, number, produced: Time(number / 2), transmitted: Time(number) }
    }

    /// The reception of that TPDU while connections from `oldest` on are open.
    fn taken(connection: u32, number: u64, oldest: u32) -> Taken {
        Taken { connection, number, born: Time::ZERO, expected: 0, oldest }
    }

    #[test]
    fn each_is_found_once_in_any_order() {
        let mut journeys = Journeys::default();
        (0..3).for_each(|number| journeys.begin(journey(1, number), true));
        assert_eq!(journeys.end(taken(1, 2, 1)), Some(journey(1, 2)));
        assert_eq!(journeys.end(taken(1, 2, 1)), None);
        assert_eq!(journeys.end(taken(2, 0, 1)), None);
        assert_eq!(journeys.end(taken(1, 0, 1)), Some(journey(1, 0)));
        assert_eq!(journeys.end(taken(1, 1, 1)), Some(journey(1, 1)));
    }

    /// TPDU 0 of connection 2 overtakes 1 and 2 of connection 1.
    #[test]
    fn they_are_forgotten_when_the_receiver_has_closed_their_connection() {
        let mut journeys = Journeys::default();
        for (connection, number) in [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1)] {
            journeys.begin(journey(connection, number), true);
        }
        assert_eq!(journeys.end(taken(1, 0, 1)), Some(journey(1, 0)));
        assert_eq!(journeys.end(taken(2, 0, 1)), Some(journey(2, 0)));
        assert_eq!(journeys.end(taken(1, 1, 1)), Some(journey(1, 1)));
        assert_eq!(journeys.under_way.len(), 2);
        // The receiver has closed connection 1: its last TPDU was lost.
        assert_eq!(journeys.end(taken(2, 1, 2)), Some(journey(2, 1)));
        assert!(journeys.under_way.is_empty() && journeys.lasts.len() == 2);
    }

    /// Packets of two, one and two TPDUs, the last of another connection.
    #[test]
    fn packets_are_delivered_in_sequence() {
        let mut journeys = Journeys::default();
        for (connection, number, is_last) in [(1, 0, false), (1, 1, true), (1, 2, true), (2, 0, false), (2, 1, true)] {
            journeys.begin(journey(connection, number), is_last);
        }
        let expecting = |connection, expected| Taken { expected, ..taken(connection, 0, 1) };
        assert_eq!(journeys.deliver(expecting(1, 1)), None);
        // The second connection overtakes the first.
        assert_eq!(journeys.deliver(expecting(2, 1)), None);
        assert_eq!(journeys.deliver(expecting(2, 2)), Some(journey(2, 1).produced));
        let delivered = std::iter::from_fn(|| journeys.deliver(expecting(1, 3)));
        assert_eq!(delivered.collect::<Vec<_>>(), [1, 2].map(|number| journey(1, number).produced));
        assert!(journeys.lasts.is_empty());
    }
}
