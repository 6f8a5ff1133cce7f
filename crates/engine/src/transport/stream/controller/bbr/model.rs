//! What is known of the path: bandwidth, round trip, aggregation, and the bounds from losses (draft, 5.5).

use std::cmp::Reverse;

use super::super::Acked;
use super::super::sliding::Least;
use crate::core::time::{PICOSECONDS, Span, Time};
use crate::transport::stream::rate_sample::{Lost, RateSample};

/// Cycles of the bandwidth, or rounds in version 1; and rounds of the aggregation.
const CYCLES: u64 = 2;
const ROUNDS: u64 = 10;
/// A growth that shows room, and rounds without it that show none.
const GROWTH: f64 = 1.25;
const FULL: u32 = 3;
/// How long the least round trip is remembered.
const REMEMBERED: Span = Span(10 * PICOSECONDS);
/// No sample yet.
const NONE: Span = Span(u64::MAX);

type Most = Least<u64, Reverse<f64>>;

fn most(values: &Most) -> f64 {
    values.get().map_or(0.0, |value| value.0)
}

/// The model of one stream.
#[derive(Clone, Debug)]
pub(super) struct Model {
    /// Octets delivered.
    pub(super) delivered: u64,
    next_round: u64,
    pub(super) rounds: u64,
    pub(super) begins_round: bool,
    /// Rates of delivery by cycle, or by round in version 1; the largest of them, and that within its bound.
    rates: Most,
    pub(super) cycle: u64,
    pub(super) bandwidth: f64,
    /// The largest rate and volume delivered in a round, and whether it had losses.
    pub(super) latest_rate: f64,
    pub(super) latest_volume: f64,
    loss_round: u64,
    pub(super) ends_loss_round: bool,
    pub(super) has_loss: bool,
    /// Ranges of segments lost in the round, and the last of them.
    pub(super) ranges: u32,
    last_lost: u64,
    /// Bounds from losses.
    pub(super) short_rate: f64,
    pub(super) short_volume: f64,
    pub(super) long_volume: f64,
    /// What arrived beyond the bandwidth, by round, since a time.
    extra: Most,
    extra_since: Time,
    extra_octets: f64,
    /// The rate of a full pipe, rounds without growth, and whether it is full now, or was.
    pub(super) full_rate: f64,
    full_rounds: u32,
    pub(super) is_full_now: bool,
    pub(super) is_full: bool,
    /// The least round trip, and that since the last probe of it, with their times.
    least: Span,
    least_at: Time,
    recent: Span,
    pub(super) recent_at: Time,
    pub(super) is_expired: bool,
    /// Samples of what was sent while so many octets were delivered are limited by a probe of the round trip.
    limited: (u64, u64),
}

impl Model {
    pub(super) fn new() -> Model {
        Model {
            delivered: 0,
            next_round: 0,
            rounds: 0,
            begins_round: false,
            rates: Least::new(),
            cycle: 0,
            bandwidth: 0.0,
            latest_rate: 0.0,
            latest_volume: 0.0,
            loss_round: 0,
            ends_loss_round: false,
            has_loss: false,
            ranges: 0,
            last_lost: u64::MAX - 1,
            short_rate: f64::INFINITY,
            short_volume: f64::INFINITY,
            long_volume: f64::INFINITY,
            extra: Least::new(),
            extra_since: Time::ZERO,
            extra_octets: 0.0,
            full_rate: 0.0,
            full_rounds: 0,
            is_full_now: false,
            is_full: false,
            least: NONE,
            least_at: Time::ZERO,
            recent: NONE,
            recent_at: Time::ZERO,
            is_expired: false,
            limited: (1, 0),
        }
    }

    /// Bandwidth times least round trip, once both are known.
    pub(super) fn product(&self) -> Option<f64> {
        (self.least != NONE && self.bandwidth > 0.0).then(|| self.bandwidth * self.least.seconds())
    }

    /// The largest rate of delivery.
    pub(super) fn largest(&self) -> f64 {
        most(&self.rates)
    }

    /// The least round trip; zero before the first.
    pub(super) fn round_trip(&self) -> Span {
        if self.least == NONE { Span::ZERO } else { self.least }
    }

    pub(super) fn extra_acked(&self) -> f64 {
        most(&self.extra)
    }

    /// A round begins now.
    pub(super) fn restart_round(&mut self) {
        self.next_round = self.delivered;
    }

    pub(super) fn restart_aggregation(&mut self, now: Time) {
        self.extra_since = now;
    }

    /// The estimate of a full pipe begins anew at this rate.
    pub(super) fn restart_full(&mut self, rate: f64) {
        (self.full_rate, self.full_rounds, self.is_full_now) = (rate, 0, false);
    }

    pub(super) fn forget_short(&mut self) {
        (self.short_rate, self.short_volume) = (f64::INFINITY, f64::INFINITY);
    }

    pub(super) fn forget_signals(&mut self) {
        (self.has_loss, self.ranges, self.latest_rate, self.latest_volume) = (false, 0, 0.0, 0.0);
    }

    /// Samples of what is sent until `in_flight` octets are delivered are limited by a probe of the round trip.
    pub(super) fn limit(&mut self, in_flight: u64) {
        let until = self.delivered + in_flight;
        self.limited = if self.delivered <= self.limited.1 { (self.limited.0, until) } else { (self.delivered, until) };
    }

    pub(super) fn is_limited(&self, sample: &RateSample) -> bool {
        sample.is_user_limited || (self.limited.0..=self.limited.1).contains(&sample.prior)
    }

    /// A segment is taken for lost.
    pub(super) fn note_loss(&mut self, lost: &Lost) {
        if !self.has_loss {
            self.loss_round = self.delivered;
        }
        self.has_loss = true;
        self.ranges += u32::from(lost.number != self.last_lost + 1);
        self.last_lost = lost.number;
    }

    pub(super) fn count_round(&mut self, sample: Option<&RateSample>) {
        self.begins_round = sample.is_some_and(|sample| sample.prior >= self.next_round);
        if self.begins_round {
            self.restart_round();
            self.rounds += 1;
        }
        self.ends_loss_round = sample.is_some_and(|sample| sample.prior >= self.loss_round);
        if self.ends_loss_round {
            self.loss_round = self.delivered;
        }
    }

    pub(super) fn learn_rate(&mut self, sample: &RateSample, version: u8) {
        let rate = sample.rate.unwrap_or(0.0);
        self.latest_rate = self.latest_rate.max(rate);
        self.latest_volume = self.latest_volume.max((sample.delivered - sample.prior) as f64);
        let (time, window) = if version == 1 { (self.rounds, ROUNDS) } else { (self.cycle, CYCLES) };
        self.rates.forget((time + 1).saturating_sub(window));
        if rate > 0.0 && (rate >= self.largest() || !self.is_limited(sample)) {
            self.rates.push(time, Reverse(rate));
            self.rates.forget((time + 1).saturating_sub(window));
        }
    }

    /// What is acknowledged beyond the bandwidth shows aggregation (5.5.9).
    pub(super) fn learn_aggregation(&mut self, ack: &Acked, window: f64) {
        let expected = self.bandwidth * ack.now.since(self.extra_since).seconds();
        let is_over = self.extra_octets <= expected;
        if is_over {
            (self.extra_octets, self.extra_since) = (0.0, ack.now);
        }
        self.extra_octets += ack.octets as f64;
        let extra = self.extra_octets - if is_over { 0.0 } else { expected };
        self.extra.push(self.rounds, Reverse(extra.min(window)));
        self.extra.forget((self.rounds + 1).saturating_sub(if self.is_full { ROUNDS } else { 1 }));
    }

    pub(super) fn learn_full(&mut self, sample: &RateSample) {
        let Some(rate) = sample.rate else { return };
        if self.is_full_now || !self.begins_round || self.is_limited(sample) {
            return;
        }
        if rate >= GROWTH * self.full_rate {
            return self.restart_full(rate);
        }
        self.full_rounds += 1;
        self.is_full_now = self.full_rounds >= FULL;
        self.is_full |= self.is_full_now;
    }

    /// The least round trip of 10 s, and of the time between two probes of it (5.3.4.3).
    pub(super) fn learn_round_trip(&mut self, ack: &Acked, every: Span) {
        self.is_expired = ack.now > self.recent_at + every;
        if let Some(sample) = ack.round_trip
            && (sample < self.recent || self.is_expired)
        {
            (self.recent, self.recent_at) = (sample, ack.now);
        }
        if self.recent < self.least || ack.now > self.least_at + REMEMBERED {
            (self.least, self.least_at) = (self.recent, self.recent_at);
        }
    }

    /// What the next acknowledgement begins with.
    pub(super) fn end_acknowledgement(&mut self, ack: &Acked) {
        if let (true, Some(sample)) = (self.ends_loss_round, &ack.sample) {
            self.latest_rate = sample.rate.unwrap_or(0.0);
            self.latest_volume = (sample.delivered - sample.prior) as f64;
        }
        self.bandwidth = self.largest().min(self.short_rate);
    }
}
