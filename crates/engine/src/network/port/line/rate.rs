//! A line whose rate changes during the run.
//!
//! A rate changes only at a stop: every event up to this instant has happened, and nothing after it. The PDU in service
//! keeps the bits that are sent, and the rest takes the new rate. So do all PDUs whose service has not begun, or begins at
//! this instant. The departures that the port has decided ahead, and the records of these PDUs in the lanes behind the
//! line, get their new times. No other node has read them: they arrive after the stop.
//!
//! The remainder of the serialiser, less than a picosecond, is lost at a change.

use super::Server;
use crate::core::time::{LineRate, Serialiser, Span, Time};

/// What the line could have sent, for measures relative to its rate.
#[derive(Clone, Debug, Default)]
pub(in crate::network::port) struct RateIntegral {
    /// In 10^-12 bits, from time 0 up to `seen`, the last change of the rate.
    sum: u128,
    seen: Time,
    /// Time of the last reset of the measures, and the sum at that time.
    pub(in crate::network::port) reset: (Time, u128),
}

impl RateIntegral {
    /// Of a line that has had this `rate` from time 0 on, with measures since `reset`.
    pub(in crate::network::port) fn since(reset: Time, rate: LineRate) -> RateIntegral {
        RateIntegral { reset: (reset, rate.picobits(reset.since(Time::ZERO))), ..RateIntegral::default() }
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
