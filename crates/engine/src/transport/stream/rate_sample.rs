//! Samples of the rate of delivery (draft-ietf-ccwg-bbr, 4.1), for controllers that ask for them.
//!
//! Each transmission takes along what was delivered when it was sent. When it is delivered itself:
//!
//! ```text
//! interval = max(time over which the octets were sent, time over which they were acknowledged)
//! rate = octets delivered meanwhile / interval
//! ```
//!
//! A sample over less than the least round trip is none. It is limited by the user if there was room for more data than the
//! user had.

use std::collections::VecDeque;

use crate::core::time::{Span, Time};

/// What the delivery of a transmission shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// Octets of data per second; `None` if the interval is too short.
    pub rate: Option<f64>,
    /// Octets delivered so far.
    pub delivered: u64,
    /// Octets that were delivered when the transmission was sent.
    pub prior: u64,
    /// Octets in flight after the transmission was sent.
    pub in_flight: u64,
    /// Octets taken for lost since then.
    pub lost: u64,
    /// Whether the user limited the rate.
    pub is_user_limited: bool,
}

/// A transmission that is taken for lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The time.
    pub now: Time,
    /// Its number: the next one was sent next.
    pub number: u64,
    /// Its octets.
    pub octets: u64,
    /// Octets in flight after it was sent.
    pub in_flight: u64,
    /// Octets taken for lost since then, with its own.
    pub lost: u64,
    /// Whether the user limited the rate then.
    pub is_user_limited: bool,
}

/// A transmission that is neither acknowledged nor lost, as far as is known.
#[derive(Clone, Copy, Debug)]
struct Record {
    sent: Time,
    /// When the first octets of the interval were sent.
    first_sent: Time,
    delivered_at: Time,
    delivered: u64,
    lost: u64,
    in_flight: u64,
    octets: u64,
    is_user_limited: bool,
}

/// The state of one stream.
#[derive(Clone, Debug, Default)]
pub(super) struct Sampler {
    /// The transmissions from this number on.
    records: VecDeque<Record>,
    first: u64,
    delivered: u64,
    delivered_at: Time,
    first_sent: Time,
    lost: u64,
    /// Samples are limited by the user until so many octets are delivered.
    limited_until: u64,
}

impl Sampler {
    /// A transmission of so many octets is sent; `in_flight` are in flight with it.
    pub(super) fn send(&mut self, number: u64, octets: u16, in_flight: u64, now: Time) {
        let octets = u64::from(octets);
        if in_flight <= octets {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        if self.records.is_empty() {
            self.first = number;
        }
        self.records.push_back(Record {
            sent: now,
            first_sent: self.first_sent,
            delivered_at: self.delivered_at,
            delivered: self.delivered,
            lost: self.lost,
            in_flight,
            octets,
            is_user_limited: self.limited_until > 0,
        });
    }

    fn record(&self, number: u64) -> Option<&Record> {
        self.records.get(number.checked_sub(self.first)? as usize)
    }

    /// So many octets are newly delivered; the transmission `cause` was the last of them.
    pub(super) fn deliver(&mut self, octets: u64, cause: Option<u64>, least: Span, now: Time) -> Option<RateSample> {
        if octets > 0 {
            self.delivered += octets;
            self.delivered_at = now;
        }
        if self.delivered > self.limited_until {
            self.limited_until = 0;
        }
        let record = *self.record(cause?)?;
        self.first_sent = record.sent;
        let interval = record.sent.since(record.first_sent).max(now.since(record.delivered_at));
        let is_long = interval >= least && interval > Span::ZERO;
        Some(RateSample {
            rate: is_long.then(|| (self.delivered - record.delivered) as f64 / interval.seconds()),
            delivered: self.delivered,
            prior: record.delivered,
            in_flight: record.in_flight,
            lost: self.lost - record.lost,
            is_user_limited: record.is_user_limited,
        })
    }

    /// The transmission is taken for lost.
    pub(super) fn lose(&mut self, number: u64, now: Time) -> Option<Lost> {
        let record = *self.record(number)?;
        self.lost += record.octets;
        let Record { octets, in_flight, is_user_limited, .. } = record;
        Some(Lost { now, number, octets, in_flight, lost: self.lost - record.lost, is_user_limited })
    }

    /// Nothing more will be asked of transmissions before this one.
    pub(super) fn forget(&mut self, before: u64) {
        while self.first < before && self.records.pop_front().is_some() {
            self.first += 1;
        }
    }

    /// There is room for more data than the user has: with `in_flight` in flight, the samples of what is sent until they are
    /// delivered are limited by the user.
    pub(super) fn limit(&mut self, in_flight: u64) {
        self.limited_until = (self.delivered + in_flight).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::milliseconds(milliseconds)
    }

    /// Two segments of 1000 octets at 0 and 10 ms, acknowledged at 100 and 120 ms; the next at 100 ms is at 220 ms: two
    /// segments in 120 ms since the first delivery.
    #[test]
    fn the_rate_is_of_the_longer_interval() {
        let mut sampler = Sampler::default();
        sampler.send(0, 1000, 1000, at(0));
        sampler.send(1, 1000, 2000, at(10));
        let least = Span::milliseconds(100);
        let first = sampler.deliver(1000, Some(0), least, at(100)).unwrap();
        assert_eq!((first.rate, first.prior, first.in_flight), (Some(10_000.0), 0, 1000));
        sampler.send(2, 1000, 2000, at(100));
        sampler.deliver(1000, Some(1), least, at(120));
        let third = sampler.deliver(1000, Some(2), least, at(220)).unwrap();
        assert_eq!((third.delivered, third.prior), (3000, 1000));
        assert!((third.rate.unwrap() - 2000.0 / 0.12).abs() < 1e-6);
    }

    /// Three segments sent in 1 ms each, and acknowledged together: the time of sending counts.
    #[test]
    fn acknowledgements_that_come_together_do_not_raise_the_rate() {
        let mut sampler = Sampler::default();
        (0..3).for_each(|number| sampler.send(number, 1000, (number + 1) * 1000, at(number * 60)));
        sampler.deliver(1000, Some(0), Span::ZERO, at(200));
        let sample = sampler.deliver(2000, Some(2), Span::ZERO, at(201)).unwrap();
        assert_eq!(sample.rate, Some(3000.0 / 0.201));
        assert_eq!(sampler.deliver(0, Some(2), Span::milliseconds(300), at(201)).unwrap().rate, None);
    }

    #[test]
    fn losses_count_from_the_transmission_on() {
        let mut sampler = Sampler::default();
        (0..3).for_each(|number| sampler.send(number, 1000, (number + 1) * 1000, at(0)));
        let lost = |number, in_flight, lost| {
            Some(Lost { now: at(90), number, octets: 1000, in_flight, lost, is_user_limited: false })
        };
        assert_eq!(sampler.lose(0, at(90)), lost(0, 1000, 1000));
        assert_eq!(sampler.lose(1, at(90)), lost(1, 2000, 2000));
        sampler.forget(2);
        assert_eq!(sampler.lose(1, at(90)), None);
        assert_eq!(sampler.deliver(1000, Some(2), Span::ZERO, at(100)).unwrap().lost, 2000);
    }

    #[test]
    fn what_is_sent_while_the_user_has_too_little_is_limited_by_it() {
        let mut sampler = Sampler::default();
        sampler.send(0, 1000, 1000, at(0));
        sampler.limit(1000);
        sampler.send(1, 1000, 2000, at(1));
        assert!(!sampler.deliver(1000, Some(0), Span::ZERO, at(100)).unwrap().is_user_limited);
        assert!(sampler.deliver(1000, Some(1), Span::ZERO, at(101)).unwrap().is_user_limited);
        sampler.send(2, 1000, 1000, at(102));
        assert!(!sampler.deliver(1000, Some(2), Span::ZERO, at(202)).unwrap().is_user_limited);
    }
}
