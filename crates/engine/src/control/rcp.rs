//! RCP, the rate control protocol: each port offers one rate to all flows, and each source sends at the lowest of its path.
//!
//! Dukkipati, Stanford 2008; docs/models/rcp.md. A port changes its rate once in a period T:
//!
//! ```text
//! T = min(most_period, d)      d: running mean of the round trips that requests tell
//! R = R (1 + (T / d) (alpha (C - y) - beta q / d) / C)       between one PDU in d and C
//! ```
//!
//! with the input `y` of the period, the queue `q` at its end, and what the queues before this one leave of the line as the
//! C of the difference. In the protocol every packet has a rate and a round trip. Here one PDU in some is a request, a
//! control PDU with both (docs/models/rcp.md#rcp-requests), which the receiver returns.

mod source;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) use source::{Params, Source};

use super::FIXED_START;
use super::abr::LastQueue;
use super::congestion::{
    CongestionParams, CongestionPoint, CongestionPointParams, Notice, PortEnv, PortView, RETUNED_TARGET,
};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{Body, Pdu};
use crate::core::reading::{Each, Reading};
use crate::core::time::{Rate, Span, Time};
use crate::core::word;

/// Weight of a new round trip in their mean.
const ROUND_TRIP_WEIGHT: f64 = 0.02;
/// The mean round trip counts as at least this many of the largest PDUs on the line: a shorter period has too few of them.
const LEAST_PDUS: u64 = 32;

/// Parameters of the congestion point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PointParams {
    /// Weight of the free capacity.
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub alpha: f64,
    /// Weight of the queue.
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub beta: f64,
    /// Longest period. A period is one mean round trip, if that is shorter.
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub most_period: Span,
    /// First rate of the port. "auto" is an equal share of the line for each flow.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Rate>", extend("fixed" = FIXED_START))]
    pub initial: Option<Rate>,
}

impl Default for PointParams {
    fn default() -> PointParams {
        PointParams { alpha: 0.4, beta: 0.226, most_period: Span::milliseconds(10), initial: None }
    }
}

impl PointParams {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        check::ratio("alpha", self.alpha, 0.0..=2.0)?;
        check::ratio("beta", self.beta, 0.0..=2.0)?;
        if self.alpha == 0.0 {
            return Err(Fault::new("alpha", 0.0, "the rate would never rise", "choose more than 0, as 0.4"));
        }
        if self.most_period == Span::ZERO {
            let reason = "a period of zero length measures nothing";
            return Err(Fault::new("most_period", Span::ZERO, reason, "choose a time above 0, as \"10 ms\""));
        }
        Ok(())
    }
}

impl Feedback for PointParams {
    const SENDS: Signals = Signals::OFFERED_RATES;
    const HEARS: Signals = Signals::RATE_REQUESTS;
}

impl CongestionPointParams for PointParams {
    fn controls_last_queue(&self) -> bool {
        true
    }
}

/// What a period measured, in bits per second, bits, and parts of a mean round trip.
#[derive(Clone, Copy, Debug)]
struct Measured {
    input: f64,
    available: f64,
    queue: f64,
    /// The mean round trip, seconds.
    round_trip: f64,
    /// Length of the period, seconds.
    period: f64,
}

/// The law of the rate.
#[derive(Clone, Copy, Debug)]
struct Law {
    alpha: f64,
    beta: f64,
}

impl Law {
    fn next(self, rate: f64, capacity: f64, own: Measured) -> f64 {
        let excess = self.alpha * (own.available - own.input) - self.beta * own.queue / own.round_trip;
        rate * (1.0 + own.period / own.round_trip * excess / capacity)
    }
}

/// The rate of one port.
#[derive(Clone, Debug)]
pub struct Offer {
    law: Law,
    most_period: Span,
    capacity: f64,
    last_queue: LastQueue,
    pdu_bits: f64,
    /// Shortest mean round trip, seconds.
    least: f64,
    rate: f64,
    /// Running mean of the round trips that requests told, seconds.
    round_trip: f64,
    began: Time,
    ends: Time,
    /// Bits of controlled PDUs in this period, and of those served before them.
    bits: u64,
    above: u64,
    input: f64,
}

impl Offer {
    /// For a port with this `env`.
    #[must_use]
    pub fn new(params: &PointParams, env: PortEnv) -> Offer {
        let capacity = env.rate.bits_per_second().max(1.0);
        let least = LEAST_PDUS as f64 * env.largest_bits() as f64 / capacity;
        let share = capacity / f64::from(env.flow_count.max(1));
        let mut offer = Offer {
            law: Law { alpha: params.alpha, beta: params.beta },
            most_period: params.most_period,
            capacity,
            last_queue: LastQueue::of(&env),
            pdu_bits: env.largest_bits() as f64,
            least,
            rate: params.initial.map_or(share, Rate::bits_per_second).min(capacity),
            round_trip: env.round_trip.seconds().max(least),
            began: Time::ZERO,
            ends: Time::ZERO,
            bits: 0,
            above: 0,
            input: 0.0,
        };
        offer.begin(Time::ZERO);
        offer
    }

    fn begin(&mut self, now: Time) {
        let period = Span::from_seconds(self.round_trip.max(self.least)).min(self.most_period);
        (self.began, self.ends) = (now, now + period.max(Span(1)));
        (self.bits, self.above) = (0, 0);
    }

    /// Ends the period if its time is over. The PDU that does brings the length of the queue, and an idle time before it counts.
    #[inline]
    fn catch_up(&mut self, now: Time, queue: u64) {
        if now < self.ends {
            return;
        }
        let period = now.since(self.began).seconds();
        let available = (self.capacity - self.above as f64 / period).max(0.0);
        self.input = self.bits as f64 / period;
        let round_trip = self.round_trip.max(self.least);
        let own = Measured { input: self.input, available, queue: queue as f64, round_trip, period };
        let floor = (self.pdu_bits / round_trip).min(self.capacity);
        self.rate = self.law.next(self.rate, self.capacity, own).clamp(floor, self.capacity);
        self.begin(now);
    }
}

impl CongestionPoint for Offer {
    #[inline]
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        if !self.last_queue.takes(pdu) {
            self.above += pdu.bits();
            return None;
        }
        self.catch_up(view.now, view.length);
        self.bits += pdu.bits();
        if let Body::RateRequest { born, rate, round_trip } = pdu.body()
            && !pdu.is_backward()
        {
            self.round_trip += ROUND_TRIP_WEIGHT * (f64::from(round_trip) - self.round_trip);
            let rate = rate.min(self.rate as f32);
            pdu.set_body(Body::RateRequest { born, rate, round_trip });
        }
        None
    }

    fn on_rate(&mut self, rate: Rate, _now: Time) {
        self.capacity = rate.bits_per_second().max(1.0);
        self.rate = self.rate.min(self.capacity);
    }

    fn counts_bits(&self) -> bool {
        true
    }

    fn notifies(&self) -> bool {
        false
    }

    fn retune(&mut self, params: &CongestionParams, _env: &PortEnv, _now: Time) {
        let CongestionParams::Rcp(params) = params else { return };
        self.law = Law { alpha: params.alpha, beta: params.beta };
        self.most_period = params.most_period;
    }

    fn readings(&self, _now: Time, each: &mut Each<'_>) {
        each(Reading::rate("rate"), self.rate);
        each(Reading::rate("input"), self.input);
        each(Reading::seconds("round_trip"), self.round_trip.max(self.least));
    }
}

#[cfg(test)]
mod tests;
