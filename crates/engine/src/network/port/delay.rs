//! A line whose propagation delay changes during the run.
//!
//! A delay changes only at a stop. PDUs that depart later take the new delay. The records of those whose departures are
//! decided ahead get their new times: no other node has read them, for they arrive after the stop.
//!
//! No PDU overtakes another. Behind PDUs with a longer delay, each arrives a picosecond after the one before it at the
//! earliest.

use super::Port;
use super::server::Line;
use crate::core::time::{Span, Time};
use crate::network::lane::Lane;

impl Line {
    /// Arrival at the far end of the next PDU, which departs at `departure`.
    #[inline(always)]
    pub(super) fn arrival(&mut self, departure: Time) -> Time {
        let arrival = departure + self.delay;
        match &mut self.last_arrival {
            None => arrival,
            Some(last) => {
                *last = arrival.max(*last + Span(1));
                *last
            }
        }
    }
}

impl Port {
    /// Changes the delay of the line at `now`, a stop up to which all departures are computed. The line must have a rate.
    /// `lanes` are all lanes of the network.
    pub fn change_delay(&mut self, to: Span, now: Time, lanes: &mut [Lane]) {
        if to < self.delay {
            // The last arrival is found with the records.
            self.server.line.last_arrival = Some(now);
        }
        self.delay = to;
        self.server.line.delay = to;
        self.find_limits();
        self.put_arrivals(now, lanes);
    }

    /// Gives the PDUs that depart after `now` their arrival times. They are the last on the line: as many as there are
    /// decided departures, unless the PDU in service waits for its own.
    pub(super) fn put_arrivals(&mut self, now: Time, lanes: &mut [Lane]) {
        let mut records: Vec<(Time, usize, usize)> = Vec::new();
        for lane in self.forward_lanes() {
            let times = lanes[lane.index()].iter().map(|record| record.time).enumerate();
            let to_come = times.filter(|(_, time)| *time > now);
            records.extend(to_come.map(|(index, time)| (time, lane.index(), index)));
        }
        records.sort_unstable();
        let decided = if self.server.in_service.is_some() { 0 } else { self.server.departures.len() };
        let (departed, to_depart) = records.split_at(records.len() - decided);
        if let Some(last) = &mut self.server.line.last_arrival {
            *last = departed.last().map_or(now, |(time, ..)| *time);
        }
        let Port { server, .. } = self;
        for (departure, (_, lane, index)) in server.departures.iter().zip(to_depart) {
            let (front, back) = lanes[*lane].as_mut_slices();
            let record = if *index < front.len() { &mut front[*index] } else { &mut back[*index - front.len()] };
            record.time = server.line.arrival(departure.at);
        }
    }
}

#[cfg(test)]
mod tests;
