//! A line whose rate changes during the run.
//!
//! A rate changes only at a stop: every event up to this instant has happened, and nothing after it. The PDU in service
//! keeps the bits that are sent, and the rest takes the new rate. So do all PDUs whose service has not begun, or begins at
//! this instant. The departures that the port has decided ahead, and the records of these PDUs in the lanes behind the
//! line, get their new times. No other node has read them: they arrive after the stop.
//!
//! The remainder of the serialiser, less than a picosecond, is lost at a change.

use crate::control::CongestionPoint;
use crate::core::time::{LineRate, Serialiser, Span, Time};
use crate::network::lane::{Lane, LaneId};
use crate::network::port::Port;
use crate::network::port::line::Server;
use crate::queue::Discipline;

/// What the line could have sent, for measures relative to its rate.
#[derive(Clone, Debug, Default)]
pub(in crate::network::port) struct Capacity {
    /// In 10^-12 bits, from time 0 up to `seen`, the last change of the rate.
    sum: u128,
    seen: Time,
    /// Time of the last reset of the measures, and the sum at that time.
    pub(in crate::network::port) reset: (Time, u128),
}

impl Capacity {
    /// Of a line that has had this `rate` from time 0 on, with measures since `reset`.
    pub(in crate::network::port) fn since(reset: Time, rate: LineRate) -> Capacity {
        Capacity { reset: (reset, rate.picobits(reset.since(Time::ZERO))), ..Capacity::default() }
    }

    /// The line, which had this `rate`, has another from `now` on.
    pub(in crate::network::port) fn change(&mut self, now: Time, rate: LineRate) {
        (self.sum, self.seen) = (self.at(now, rate), now);
    }

    /// The sum up to `now`, with this `rate` since the last change.
    pub(in crate::network::port) fn at(&self, now: Time, rate: LineRate) -> u128 {
        self.sum + rate.picobits(now.since(self.seen))
    }
}

/// The departures that a change of the rate has moved: their times before and after it, in order.
#[derive(Clone, Debug, Default)]
pub struct Retimed(Vec<[Time; 2]>);

impl Retimed {
    /// The times of the PDU in service.
    pub(in crate::network::port) fn first(&self) -> Option<[Time; 2]> {
        self.0.first().copied()
    }

    /// The new time of the departure that was to be at `before`; `before` itself if there is none.
    #[must_use]
    pub fn of(&self, before: Time) -> Time {
        self.0.binary_search_by_key(&before, |times| times[0]).map_or(before, |index| self.0[index][1])
    }
}

impl Server {
    /// Changes the line's rate at `now` for the PDUs with a decided service, none of which has departed.
    pub(in crate::network::port) fn change_rate(&mut self, from: LineRate, to: LineRate, now: Time) -> Retimed {
        self.line.serialiser = Serialiser::new(Some(to));
        let mut retimed = Vec::with_capacity(self.departures.len());
        let (front, back) = self.departures.as_mut_slices();
        for departure in front.iter_mut().chain(back) {
            let before = departure.at;
            departure.at = if retimed.is_empty() {
                // The PDU in service departs after `now` at any rate.
                now + to.time_for(from.picobits(before.since(now))).max(Span(1))
            } else {
                self.line.begin(u64::from(departure.bits), self.line.free_at)
            };
            self.line.free_at = departure.at;
            retimed.push([before, departure.at]);
        }
        let retimed = Retimed(retimed);
        self.line.end = retimed.of(self.line.end);
        retimed
    }
}

impl Port {
    /// Changes the rate of the line at `now`, a stop up to which all departures are computed. The line must have a rate,
    /// and neither rate may exceed [`FASTEST_CHANGING`](crate::core::time::FASTEST_CHANGING). `lanes` are all lanes of the
    /// network. Returns the departures that move.
    pub fn change_rate(&mut self, to: LineRate, now: Time, lanes: &mut [Lane]) -> Retimed {
        let Some(from) = self.rate.filter(|from| *from != to) else { return Retimed::default() };
        let since = self.measured_since;
        self.capacity.get_or_insert_with(|| Box::new(Capacity::since(since, from))).change(now, from);
        self.rate = Some(to);
        let retimed = self.server.change_rate(from, to, now);
        let first = self.server.departures.front().zip(retimed.first());
        let serving = first.map(|(departure, times)| (u64::from(departure.bits), times));
        if let Some(bits) = &mut self.queues.bits {
            bits.change_rate(to, serving);
        }
        if let (Some(precedence), Some((_, [before, after]))) = (&mut self.precedence, serving) {
            precedence.retime(before, after);
        }
        self.retime_records(&retimed, now, lanes);
        self.policies.iter_mut().for_each(|policy| policy.on_rate(to));
        if let Some(point) = &mut self.congestion {
            point.on_rate(to.rounded(), now);
        }
        retimed
    }

    /// The PDUs that depart after `now` arrive behind the line at their new times.
    fn retime_records(&mut self, retimed: &Retimed, now: Time, lanes: &mut [Lane]) {
        if self.server.line.last_arrival.is_some() {
            return self.put_arrivals(self.delay, now, lanes);
        }
        let delay = self.delay;
        for lane in self.forward_lanes() {
            let (front, back) = lanes[lane.index()].as_mut_slices();
            // They are the last: the records of a lane are in order.
            for record in front.iter_mut().chain(back).rev().take_while(|record| record.time > now + delay) {
                record.time = retimed.of(Time(record.time.0 - delay.0)) + delay;
            }
        }
    }

    /// Every lane behind the line, once.
    pub(in crate::network::port) fn forward_lanes(&self) -> Vec<LaneId> {
        if let Some(only) = self.only_lane {
            return vec![only];
        }
        let mut lanes: Vec<LaneId> = self.next_lanes.all().map(|lane| lane.forward).collect();
        lanes.sort_unstable();
        lanes.dedup();
        lanes.retain(|lane| *lane != LaneId::NONE);
        lanes
    }

    /// Whether the rate of its line may change, or has changed.
    #[must_use]
    pub fn rate_varies(&self) -> bool {
        self.capacity.is_some()
    }

    /// What the line could have sent from time 0 to `now`, in 10^-12 bits; 0 without a rate.
    #[must_use]
    pub fn capacity(&self, now: Time) -> u128 {
        let Some(rate) = self.rate else { return 0 };
        self.capacity.as_ref().map_or_else(|| rate.picobits(now.since(Time::ZERO)), |capacity| capacity.at(now, rate))
    }

    /// Mean rate of the line from the last reset of the measures to `now`, in bits per second; none for a delay without
    /// queueing.
    #[must_use]
    pub fn mean_rate(&self, now: Time) -> Option<f64> {
        match self.capacity.as_ref().map(|capacity| capacity.reset) {
            Some((start, sum)) if start < now => Some((self.capacity(now) - sum) as f64 / now.since(start).0 as f64),
            _ => self.rate.map(LineRate::bits_per_second),
        }
    }

    /// The measures start again at `now`.
    pub(in crate::network::port) fn reset_capacity(&mut self, now: Time) {
        if let (Some(rate), Some(capacity)) = (self.rate, &mut self.capacity) {
            capacity.reset = (now, capacity.at(now, rate));
        }
    }
}

#[cfg(test)]
mod tests;
