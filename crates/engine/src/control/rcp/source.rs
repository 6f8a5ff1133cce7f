//! The reaction point of RCP: it asks for a rate, and sends at the one that comes back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::control::FIXED_START;
use crate::control::answer::Answer;
use crate::control::pace::Pace;
use crate::control::reaction::{
    Allowance, Next, RETUNED_ORDER, ReactionParams, ReactionPoint, ReactionPointParams, Ready, SenderEnv,
};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{Body, CELL_OCTETS, Marks, Pdu};
use crate::core::reading::{Each, Reading};
use crate::core::time::{Rate, Time};
use crate::core::word;
use crate::traffic::RateScale;

/// Parameters of the reaction point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Rate until the first request returns. "auto" is the smallest equal share of a line on the path.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Rate>", extend("fixed" = FIXED_START))]
    pub initial: Option<Rate>,
    /// One PDU in this many is a request.
    #[schemars(extend("retune" = RETUNED_ORDER))]
    pub request_every: u32,
}

impl Default for Params {
    fn default() -> Params {
        Params { initial: None, request_every: 32 }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        if self.request_every < 2 {
            let reason = "every PDU would be a request";
            return Err(Fault::new("request_every", self.request_every, reason, "choose at least 2, for example 32"));
        }
        Ok(())
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::RATE_REQUESTS;
    const HEARS: Signals = Signals::BACKWARD_RM_CELLS.with(Signals::OFFERED_RATES);
}

impl ReactionPointParams for Params {}

/// A source that sends at the rate it was offered.
#[derive(Clone, Debug)]
pub struct Source {
    pace: Pace,
    line_rate: f64,
    /// Lowest rate that it obeys, bits per second.
    least: f64,
    pdu_bits: f64,
    request_every: u32,
    /// PDUs since the last request, including it. 0 if a request is due.
    position: u32,
    pub(super) rate: f64,
    /// The last round trip of a request, seconds.
    pub(super) round_trip: f64,
}

impl Source {
    /// For a sender with this `env`.
    #[must_use]
    pub fn new(params: &Params, env: SenderEnv) -> Source {
        let line_rate = env.line_rate.bits_per_second();
        let initial = params.initial.map_or(env.equal_share, Rate::bits_per_second);
        Source {
            pace: Pace::new(env.line_rate),
            line_rate,
            least: 1.0_f64.min(line_rate),
            pdu_bits: f64::from(env.octets) * 8.0,
            request_every: params.request_every,
            position: 0,
            rate: initial.min(line_rate),
            round_trip: env.round_trip.seconds(),
        }
    }

    /// What a request tells. A source hears of a rate no more often than it asks, so the time between two requests counts
    /// if it is longer than a round trip.
    pub(super) fn told_round_trip(&self) -> f64 {
        self.round_trip.max(f64::from(self.request_every) * self.pdu_bits / self.rate)
    }
}

/// Produced traffic waits to be sent: the rate only controls the sending.
impl RateScale for Source {}

impl ReactionPoint for Source {
    fn sends(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, pdu: &Pdu, now: Time) {
        let Body::RateRequest { born, rate, .. } = pdu.body() else { return };
        self.round_trip = now.since(born).seconds();
        self.rate = f64::from(rate).clamp(self.least, self.line_rate);
        self.pace.retime(self.rate);
    }

    /// Counts every PDU, requests too. `choose` does not change the count.
    fn on_send(&mut self, pdu: &mut Pdu, now: Time) {
        if pdu.is_backward() {
            return;
        }
        self.position = (self.position + 1) % self.request_every;
        self.pace.send(now, pdu.bits(), self.rate);
    }

    fn choose(&mut self, ready: Ready, now: Time) -> Next {
        if ready.answer {
            Next::Answer
        } else if self.position == 0 {
            let (rate, round_trip) = (self.line_rate as f32, self.told_round_trip() as f32);
            let body = Body::RateRequest { born: now, rate, round_trip };
            Next::Own(Answer { body, marks: Marks::default(), octets: CELL_OCTETS })
        } else {
            Next::Data
        }
    }

    fn allowance(&mut self, _now: Time) -> Allowance {
        self.pace.allowance()
    }

    fn readings(&self, _now: Time, each: &mut Each<'_>) {
        each(Reading::rate("rate"), self.rate);
        each(Reading::seconds("round_trip"), self.round_trip);
    }

    fn retune(&mut self, params: &ReactionParams, _now: Time) {
        let ReactionParams::Rcp(params) = params else { return };
        self.request_every = params.request_every;
        self.position %= self.request_every;
    }
}
