//! How a port changes the rate of its line, and what the line could have sent (see `line::rate`).

use crate::control::CongestionPoint;
use crate::core::time::{LineRate, Time};
use crate::network::lane::{Lane, LaneId};
use crate::network::port::Port;
use crate::network::port::line::rate::{RateIntegral, Retimed};
use crate::queue::Discipline;

impl Port {
    /// Changes the rate of the line at `now`, a stop up to which all departures are computed. The line must have a rate,
    /// and neither rate may exceed [`FASTEST_CHANGING`](crate::core::time::FASTEST_CHANGING). `lanes` are all lanes of the
    /// network. Returns the departures that move.
    pub fn change_rate(&mut self, to: LineRate, now: Time, lanes: &mut [Lane]) -> Retimed {
        let Some(from) = self.rate.filter(|from| *from != to) else { return Retimed::default() };
        let since = self.measured_since;
        self.capacity.get_or_insert_with(|| Box::new(RateIntegral::since(since, from))).change(now, from);
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
        self.policies.iter_mut().for_each(|policy| policy.on_rate(to, now));
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

    /// The same to the last reset of the measures.
    #[must_use]
    pub fn capacity_at_reset(&self) -> u128 {
        self.capacity.as_ref().map_or(0, |capacity| capacity.reset.1)
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
