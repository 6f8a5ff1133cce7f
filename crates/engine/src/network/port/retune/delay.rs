//! A line whose propagation delay changes during the run.
//!
//! A delay changes only at a stop. PDUs that depart later take the new delay. The records of those whose departures are
//! decided ahead get their new times: no other node has read them, for they arrive after the stop.
//!
//! No PDU overtakes another. Behind PDUs with a longer delay, each arrives a picosecond after the one before it at the
//! earliest.

use crate::core::time::{Span, Time};
use crate::network::lane::Lane;
use crate::network::port::Port;
use crate::network::port::line::jitter::Jitter;
use crate::network::port::line::{Flight, Line, Server};

impl Line {
    /// Arrival at the far end of the next PDU, which departs at `departure`, with the jitter of the line if it has some.
    #[inline(always)]
    pub(in crate::network::port) fn arrival(&mut self, departure: Time, jitter: Option<&mut Jitter>) -> Time {
        let arrival = departure + self.delay;
        match &mut self.last_arrival {
            None => arrival,
            Some(last) => {
                let (added, reorders) = jitter.map_or((Span::ZERO, false), |own| (own.draw(), own.reorders()));
                if !reorders {
                    *last = (arrival + added).max(*last + Span(1));
                    return *last;
                }
                arrival + added
            }
        }
    }
}

impl Server {
    /// The same, of the line of a port.
    #[inline(always)]
    pub(in crate::network::port) fn arrival(&mut self, departure: Time) -> Time {
        self.line.arrival(departure, self.jitter.as_deref_mut())
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
        let from = std::mem::replace(&mut self.delay, to);
        self.server.line.delay = to;
        self.find_limits();
        self.put_arrivals(from, now, lanes);
    }

    /// Gives the PDUs that depart after `now` their arrival times. They are the last on the line: as many as there are
    /// decided departures, unless the PDU in service waits for its own. `from` is the delay of the line up to now.
    pub(in crate::network::port) fn put_arrivals(&mut self, from: Span, now: Time, lanes: &mut [Lane]) {
        let mut records: Vec<(Time, usize, usize)> = Vec::new();
        for lane in self.forward_lanes() {
            let times = lanes[lane.index()].iter().map(|record| record.time).enumerate();
            let to_come = times.filter(|(_, time)| *time > now);
            records.extend(to_come.map(|(index, time)| (time, lane.index(), index)));
        }
        records.sort_unstable();
        let (departed, to_depart) = records.split_at(records.len() - self.server.decided());
        if let Some(last) = &mut self.server.line.last_arrival {
            *last = departed.last().map_or(now, |(time, ..)| *time);
        }
        let flights = departed.iter().map(|(time, ..)| Flight { departed: self.departed(*time, from), arrives: *time });
        self.other_delays = flights.filter(|flight| flight.departed + self.delay != flight.arrives).collect();
        let Port { server: Server { line, departures, jitter, .. }, other_delays, .. } = self;
        for (departure, (_, lane, index)) in departures.iter().zip(to_depart) {
            let (front, back) = lanes[*lane].as_mut_slices();
            let record = if *index < front.len() { &mut front[*index] } else { &mut back[*index - front.len()] };
            record.time = line.arrival(departure.at, jitter.as_deref_mut());
            if record.time != departure.at + line.delay {
                other_delays.push(Flight { departed: departure.at, arrives: record.time });
            }
        }
    }

    /// Keeps the times of a PDU on a line with jitter, or whose delay has become shorter, if it arrives behind a PDU with a longer
    /// delay.
    #[cold]
    pub(in crate::network::port) fn keep_other_delay(&mut self, departed: Time, arrives: Time) {
        if departed + self.delay != arrives {
            self.other_delays.push(Flight { departed, arrives });
        }
    }

    /// Forgets the PDUs that have arrived before `now`, if there is no more room for others: the work of each is constant.
    #[inline]
    pub(in crate::network::port) fn bound_other_delays(&mut self, now: Time) {
        let others = &mut self.other_delays;
        if others.len() == others.capacity() && !others.is_empty() {
            others.retain(|flight| flight.arrives >= now);
            others.reserve(others.len() + 1);
        }
    }

    /// Keeps the times of a PDU on a line that reorders. Returns the time of its arrival, which no other PDU has.
    pub(in crate::network::port) fn keep_own_delay(&mut self, departed: Time, mut arrives: Time) -> Time {
        loop {
            match self.other_delays.binary_search_by_key(&arrives, |flight| flight.arrives) {
                Ok(_) => arrives += Span(1),
                Err(place) => {
                    self.other_delays.insert(place, Flight { departed, arrives });
                    return arrives;
                }
            }
        }
    }

    /// Forgets the PDUs that have arrived by `now`.
    #[inline]
    pub(in crate::network::port) fn forget_other_delays(&mut self, now: Time) {
        if !self.other_delays.is_empty() {
            self.other_delays.retain(|flight| flight.arrives > now);
        }
    }

    /// Departure of the PDU on the line that arrives at `arrival`. `delay` is that of all but `other_delays`.
    pub(in crate::network::port) fn departed(&self, arrival: Time, delay: Span) -> Time {
        let found = self.other_delays.binary_search_by_key(&arrival, |flight| flight.arrives);
        found.map_or_else(|_| Time(arrival.0 - delay.0), |place| self.other_delays[place].departed)
    }
}

#[cfg(test)]
mod tests;
