//! Production and first transmission times of the DT TPDUs in transit. They are only for measurement, like the creation
//! times in PDUs. No strategy and no timer uses them.

use std::collections::VecDeque;

use crate::core::time::Time;

/// The DT TPDUs of one flow that have been transmitted and not yet received.
///
/// The sender may be simulated ahead of the receiver. When a new connection makes the sender forget TPDUs, they stay
/// here, with the time, until the receiver has reached that time.
#[derive(Clone, Debug, Default)]
pub struct Journeys {
    under_way: VecDeque<Journey>,
    /// From these times on, the journeys of connections up to these references are forgotten. The oldest comes first.
    forgotten: VecDeque<(Time, u32)>,
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
    /// Records the first transmission of a TPDU. TPDUs of older connections are forgotten from then on.
    pub fn begin(&mut self, journey: Journey) {
        if let Some(last) = self.under_way.back().filter(|last| last.connection != journey.connection) {
            self.forgotten.push_back((journey.transmitted, last.connection));
        }
        self.under_way.push_back(journey);
    }

    /// Records the first reception of a TPDU, at `at`.
    pub fn end(&mut self, connection: u32, number: u64, at: Time) -> Option<Journey> {
        // A TPDU that arrives at the same time still counts, because deliveries come before timers.
        while let Some(&(from, last)) = self.forgotten.front()
            && from < at
        {
            self.forgotten.pop_front();
            while self.under_way.front().is_some_and(|first| first.connection <= last) {
                self.under_way.pop_front();
            }
        }
        let place =
            self.under_way.iter().position(|journey| (journey.connection, journey.number) == (connection, number))?;
        self.under_way.remove(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journey(connection: u32, number: u64, transmitted: u64) -> Journey {
        Journey { connection, number, produced: Time(transmitted / 2), transmitted: Time(transmitted) }
    }

    #[test]
    fn each_is_found_once_in_any_order() {
        let mut journeys = Journeys::default();
        for number in 0..3 {
            journeys.begin(journey(1, number, 10 + number));
        }
        assert_eq!(journeys.end(1, 2, Time(90)), Some(journey(1, 2, 12)));
        assert_eq!(journeys.end(1, 2, Time(91)), None);
        assert_eq!(journeys.end(2, 0, Time(91)), None);
        assert_eq!(journeys.end(1, 0, Time(92)), Some(journey(1, 0, 10)));
        assert_eq!(journeys.end(1, 1, Time(92)), Some(journey(1, 1, 11)));
    }

    /// The sender is simulated up to 50 and began connection 2 there. The receiver has not reached 50.
    fn ahead() -> Journeys {
        let mut journeys = Journeys::default();
        journeys.begin(journey(1, 0, 10));
        journeys.begin(journey(1, 1, 11));
        journeys.begin(journey(2, 0, 50));
        journeys
    }

    #[test]
    fn what_arrives_before_its_sender_forgets_it_is_still_there() {
        let mut journeys = ahead();
        assert_eq!(journeys.end(1, 0, Time(49)), Some(journey(1, 0, 10)));
        // At the same time, deliveries come before the timer with which the sender begins a connection.
        assert_eq!(journeys.end(1, 1, Time(50)), Some(journey(1, 1, 11)));
        assert_eq!(journeys.end(2, 0, Time(60)), Some(journey(2, 0, 50)));
    }

    #[test]
    fn what_arrives_after_that_has_no_journey() {
        let mut journeys = ahead();
        assert_eq!(journeys.end(1, 0, Time(51)), None);
        assert_eq!(journeys.end(1, 1, Time(52)), None);
        assert_eq!(journeys.end(2, 0, Time(60)), Some(journey(2, 0, 50)));
        assert!(journeys.under_way.is_empty() && journeys.forgotten.is_empty());
    }

    #[test]
    fn connections_are_forgotten_each_at_its_own_time() {
        let mut journeys = ahead();
        journeys.begin(journey(3, 0, 80));
        assert_eq!(journeys.end(1, 1, Time(60)), None);
        // Connection 2 is forgotten at 80, even if no TPDU of connection 1 has arrived.
        assert_eq!(journeys.end(2, 0, Time(80)), Some(journey(2, 0, 50)));
        assert_eq!(journeys.end(3, 0, Time(95)), Some(journey(3, 0, 80)));
    }
}
