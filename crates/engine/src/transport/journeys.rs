//! When each DT TPDU under way was produced and first transmitted: a means of measurement, like the times of birth that
//! PDUs carry. No strategy and no timer sees it.

use std::collections::VecDeque;

use crate::time::Time;

/// The DT TPDUs of one flow that have been transmitted and not yet received.
#[derive(Clone, Debug, Default)]
pub struct Journeys {
    under_way: VecDeque<Journey>,
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
        while self.under_way.front().is_some_and(|first| first.connection != journey.connection) {
            self.under_way.pop_front();
        }
        self.under_way.push_back(journey);
    }

    /// It is received for the first time.
    pub fn end(&mut self, connection: u32, number: u64) -> Option<Journey> {
        let place =
            self.under_way.iter().position(|journey| (journey.connection, journey.number) == (connection, number))?;
        self.under_way.remove(place)
    }
}
