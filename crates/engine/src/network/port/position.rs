//! Where the PDUs of a port are.

use std::borrow::Cow;

use super::Port;
use crate::core::time::Time;
use crate::network::lane::Record;
use crate::network::position::{Finder, Position};

impl Port {
    /// Finds the PDUs in its queues and on its line at `now`, a stop up to which all departures are computed. `behind`
    /// has the records of all lanes behind the line, in order of arrival. `number` is that of the port.
    pub fn find_positions(&self, number: u32, behind: &[Record], now: Time, found: &mut Vec<Position>) {
        let mut finder = Finder::new(number, self.rate, now, found);
        // The last of these PDUs have a decided departure, and are not on the line yet.
        let mut behind = Cow::Borrowed(behind);
        if self.server.reorders() {
            behind.to_mut().sort_by_key(|record| self.departed(record.time, self.delay));
        }
        let (on_line, to_depart) = behind.split_at(behind.len() - self.server.decided());
        for record in on_line {
            finder.on_line(&record.pdu, self.departed(record.time, self.delay), record.time);
        }
        let watched = self.server.in_service.iter().map(|waiting| &waiting.pdu);
        let next = to_depart.iter().map(|record| &record.pdu).chain(watched);
        for (departure, pdu) in self.server.departures.iter().zip(next) {
            finder.with_departure(pdu, self.queue_of(pdu), departure.at);
        }
        for (queue, pdu) in self.server.waiting() {
            finder.waiting(pdu, queue);
        }
    }
}
