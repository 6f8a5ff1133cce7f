//! When each DT TPDU under way was produced and first transmitted: a means of measurement, like the times of birth that
//! PDUs carry. No strategy and no timer sees it.

use std::collections::VecDeque;

use crate::core::time::Time;

/// The DT TPDUs of one flow that have been transmitted and not yet received.
///
/// The sending half may be ahead of the receiving one. So what a new connection makes its sender forget stays here, with
/// the instant, until the receiver has come as far.
#[derive(Clone, Debug, Default)]
pub struct Journeys {
    under_way: VecDeque<Journey>,
    /// From when on the journeys of connections up to that one count for nothing, the oldest first.
    forgotten: VecDeque<(Time, u32)>,
}

/// One DT TPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Journey {
    /// Reference of its connection.
    pub connection: u32,
    /// Its number, without modulus.
    pub number: u64,
    /// When the user produced it.
    pub produced: Time,
    /// When it was first transmitted.
    pub transmitted: Time,
}

impl Journeys {
    /// A TPDU is transmitted for the first time. Those of older connections are forgotten.
    pub fn begin(&mut self, journey: Journey) {
        if let Some(last) = self.under_way.back().filter(|last| last.connection != journey.connection) {
            self.forgotten.push_back((journey.transmitted, last.connection));
        }
        self.under_way.push_back(journey);
    }

    /// It is received for the first time, at `at`.
    pub fn end(&mut self, connection: u32, number: u64, at: Time) -> Option<Journey> {
        // What arrives at the very instant at which a sender forgets is there before: timers come after deliveries.
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
    fn each_is_found_once_in_whatever_order() {
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

    /// The sender has run ahead to 50 and begun connection 2 there; the receiver is not as far.
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
        // At the very instant deliveries come before the timer by which a sender begins.
        assert_eq!(journeys.end(1, 1, Time(50)), Some(journey(1, 1, 11)));
        assert_eq!(journeys.end(2, 0, Time(60)), Some(journey(2, 0, 50)));
    }

    #[test]
    fn what_arrives_after_that_is_of_nobody() {
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
        // Connection 2 is forgotten at 80, whatever has arrived of connection 1.
        assert_eq!(journeys.end(2, 0, Time(80)), Some(journey(2, 0, 50)));
        assert_eq!(journeys.end(3, 0, Time(95)), Some(journey(3, 0, 80)));
    }
}
