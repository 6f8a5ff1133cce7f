//! The on/off policy: a notice stops the source for a while.
//!
//! Source: satellite thesis (docs/models/satellite.md), section 5.3, which discusses it as the simplest policy:
//! congestion ends reliably, but the network is underused. The text does not say when the source resumes. Here it
//! resumes at the full nominal rate if no further notice arrives during the pause. There is no slow start, and the
//! severity of a notice has no effect. A new session begins unstopped.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::control::reaction::{RETUNED_FEEDBACK, ReactionParams, ReactionPoint, ReactionPointParams, SenderEnv};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{Body, Pdu};
use crate::core::reading::{Each, Reading};
use crate::core::time::{Span, Time};
use crate::core::word;
use crate::traffic::RateScale;

/// Parameters of the on/off policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Time without sending after the last notice. "auto" is one round trip (twice the path's propagation delay).
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Span>", extend("retune" = RETUNED_FEEDBACK))]
    pub pause: Option<Span>,
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        if self.pause == Some(Span::ZERO) {
            let remedy = "choose a time above 0, or \"auto\" for one round trip";
            return Err(Fault::new("pause", Span::ZERO, "with a pause of 0 the source would never stop", remedy));
        }
        Ok(())
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::NOTICES;
}

impl ReactionPointParams for Params {
    fn only_scales(&self) -> bool {
        true
    }
}

/// A source that stops on notices.
#[derive(Clone, Debug)]
pub struct Stop {
    pause: Span,
    round_trip: Span,
    /// End of the pause.
    until: Time,
    obeyed: [u64; 4],
}

impl Stop {
    /// For a sender with this `env`.
    #[must_use]
    pub fn new(params: &Params, env: SenderEnv) -> Stop {
        let round_trip = env.round_trip;
        Stop { pause: params.pause.unwrap_or(round_trip), round_trip, until: Time::ZERO, obeyed: [0; 4] }
    }
}

impl RateScale for Stop {
    fn begin_session(&mut self, now: Time) {
        self.until = now;
    }

    fn factor(&mut self, now: Time) -> f64 {
        if now < self.until { 0.0 } else { 1.0 }
    }

    fn resumes(&mut self, now: Time) -> Time {
        self.until.max(now)
    }
}

impl ReactionPoint for Stop {
    fn scales(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, pdu: &Pdu, now: Time) {
        if let Body::Notice { severity, .. } = pdu.body() {
            self.until = now + self.pause;
            self.obeyed[usize::from(severity.min(3))] += 1;
        }
    }

    fn readings(&self, now: Time, each: &mut Each<'_>) {
        each(Reading::ratio("factor"), self.clone().factor(now));
    }

    fn obeyed(&self) -> [u64; 4] {
        self.obeyed
    }

    fn retune(&mut self, params: &ReactionParams, _now: Time) {
        let ReactionParams::Stop(params) = params else { return };
        self.pause = params.pause.unwrap_or(self.round_trip);
    }

    fn reset_measures(&mut self, _now: Time) {
        self.obeyed = [0; 4];
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::laws::sender;
    use crate::core::pdu::{CELL_OCTETS, FlowId};

    const TRIP: Span = Span::milliseconds(560);

    fn notice(severity: u8) -> Pdu {
        Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, Body::Notice { point: 1, severity })
    }

    #[test]
    fn each_notice_prolongs_the_pause() {
        let mut source = Stop::new(&Params::default(), sender(TRIP));
        let first = Time::ZERO + Span::milliseconds(100);
        let second = first + Span::milliseconds(300);
        source.begin_session(Time::ZERO);
        assert_eq!(source.factor(first), 1.0);
        source.on_feedback(&notice(0), first);
        assert_eq!((source.factor(first), source.resumes(first)), (0.0, first + TRIP));
        source.on_feedback(&notice(2), second);
        assert_eq!(source.resumes(second), second + TRIP);
        assert_eq!(source.factor(Time((second + TRIP).0 - 1)), 0.0);
        assert_eq!(source.factor(second + TRIP), 1.0);
        assert_eq!(source.obeyed(), [1, 0, 1, 0]);
    }

    #[test]
    fn auto_is_a_round_trip_again_after_another_pause() {
        let mut source = Stop::new(&Params { pause: Some(Span::milliseconds(5)) }, sender(TRIP));
        source.retune(&ReactionParams::Stop(Params::default()), Time::ZERO);
        source.on_feedback(&notice(0), Time::ZERO);
        assert_eq!(source.resumes(Time::ZERO), Time::ZERO + TRIP);
    }

    #[test]
    fn a_new_session_is_not_stopped() {
        let mut source = Stop::new(&Params { pause: Some(Span::milliseconds(5)) }, sender(TRIP));
        source.on_feedback(&notice(0), Time(10));
        assert_eq!(source.resumes(Time(10)), Time(10) + Span::milliseconds(5));
        source.begin_session(Time(11));
        assert_eq!((source.factor(Time(11)), source.resumes(Time(11))), (1.0, Time(11)));
    }
}
