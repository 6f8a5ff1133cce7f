//! Pull: the receiver gives credit for segments, and the sender has no window (the receiver-driven half of EQDS, Olteanu et al.,
//! NSDI 2022, and of RCCC in Ultra Ethernet; as far as htsim has it: csg-htsim, spcl/HTSIM).
//!
//! Each transmission of a stream has a number. A credit tells the first number that may not be sent yet: it is absolute, so a
//! lost or late one does no harm, and the next covers it. With the sender's line rate B, the base round trip T and segments of
//! s bits on the line:
//!
//! ```text
//! a message begins:  limit = next number + unsolicited;  auto: B T / s segments, rounded up
//! a credit arrives:  limit = max(limit, credit)
//! may be sent:       number < limit, or the receiver does not know that data wait;  at the pace B
//! ```
//!
//! The mark MORE of a segment tells whether more wait. Repetitions need credit too, but for the first of a recovery, probes and
//! what follows a timeout. With data that wait, nothing in flight and no credit one segment is sent after a timeout. How the
//! receivers behind one line give credit is in `transport/stream/pulls.rs`.

use super::{Acked, Congestion, Controller, ControllerParams, Env, Natural, Nature};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::time::Time;
use crate::core::word;

/// The most segments that may be sent without credit, or be granted at once.
const MOST_SEGMENTS: u32 = 100_000;

/// What a change of a parameter of the receiver does.
const RETUNED_CREDIT: &str = "It holds from the next credit on.";

/// What is sent without credit, and how credit is given.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Segments that a message, or a stream after a pause, begins with, before there is credit. "auto" is what the first line
    /// carries in a base round trip.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<u32>", extend("retune" = "It holds from the next message on."))]
    pub unsolicited: Option<u32>,
    /// Segments that one credit allows.
    #[schemars(extend("retune" = RETUNED_CREDIT))]
    pub segments: u32,
    /// Part of the rate of the receivers' line for which they give credit.
    #[schemars(extend("retune" = RETUNED_CREDIT))]
    pub share: f64,
    /// The most segments of one stream that have credit and have not arrived. "auto" is what the receivers' line carries in a
    /// base round trip, and one credit.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<u32>", extend("retune" = RETUNED_CREDIT))]
    pub most: Option<u32>,
}

impl Default for Params {
    fn default() -> Params {
        Params { unsolicited: None, segments: 4, share: 1.0, most: None }
    }
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        let counts = [
            ("unsolicited", self.unsolicited, 0),
            ("segments", Some(self.segments), 1),
            ("most", self.most, self.segments),
        ];
        for (path, count, least) in counts.into_iter().filter_map(|(path, count, least)| Some((path, count?, least))) {
            if count < least {
                let reason = if path == "most" { "one credit allows more" } else { "no credit would allow anything" };
                return Err(Fault::new(path, count, reason, format!("give at least {least}")));
            }
            if count > MOST_SEGMENTS {
                let reason = "so many segments would be sent at once";
                return Err(Fault::new(path, count, reason, format!("give at most {MOST_SEGMENTS}")));
            }
        }
        if !(self.share > 0.0 && self.share <= 1.0) {
            let reason = "the line carries no more than its rate, and without credit nothing is sent";
            return Err(Fault::new("share", self.share, reason, "choose more than 0 and at most 1"));
        }
        Ok(())
    }
}

impl Natural for Params {
    const NATURE: Nature = Nature {
        paces: true,
        heeds_delay: true,
        repairs_alone: true,
        needs_credit: true,
        begins_at_line: true,
        ..Nature::WINDOW
    };
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::NONE;
}

/// The state of one stream. Its credit is with the mechanism.
#[derive(Clone, Debug)]
pub struct Pull {
    params: Params,
    env: Env,
}

impl Pull {
    /// A stream without credit.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Pull {
        Pull { params: params.clone(), env }
    }
}

impl Controller for Pull {
    /// Credit alone limits what is in flight.
    fn window(&self) -> u64 {
        u64::MAX
    }

    fn unsolicited(&self) -> Option<u64> {
        let segment = self.env.bits() * f64::from(self.env.segment);
        let carried = || libm::ceil(self.env.path.rate * self.env.path.round_trip.seconds() / segment) as u64;
        Some(self.params.unsolicited.map_or_else(carried, u64::from))
    }

    fn on_ack(&mut self, _ack: &Acked) {}

    fn on_congestion(&mut self, _congestion: &Congestion) {}

    fn pacing_rate(&self) -> Option<f64> {
        Some(self.env.path.rate)
    }

    fn retune(&mut self, params: &ControllerParams, _now: Time) {
        let ControllerParams::Pull(params) = params else { return };
        self.params = params.clone();
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}", "{ unsolicited = 0, segments = 1, share = 0.9, most = 3 }"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::time::Span;
    use crate::transport::stream::controller::PathTerms;

    /// 100 Mb/s and 1 ms are 100,000 bits: 11.9 segments of 8,400.
    #[test]
    fn what_the_line_carries_in_a_round_trip_needs_no_credit() {
        let path = PathTerms { rate: 100e6, round_trip: Span::milliseconds(1), hops: 1 };
        let env = Env { header: 50, path, ..Env::of(1000, 10) };
        let unsolicited = |text| Pull::new(&toml::from_str(text).unwrap(), env).unsolicited();
        assert_eq!((unsolicited(""), unsolicited("unsolicited = 3")), (Some(12), Some(3)));
        assert_eq!(Pull::new(&Params::default(), env).pacing_rate(), Some(100e6));
    }

    #[test]
    fn parameters_without_sense_are_faults() {
        let faults = [
            "segments = 0",
            "segments = 200000",
            "most = 3",
            "unsolicited = 100001",
            "share = 0.0",
            "share = 1.1",
            "share = nan",
        ];
        assert!(faults.iter().all(|text| toml::from_str::<Params>(text).unwrap().check().is_err()));
        assert!(toml::from_str::<Params>("most = 3\nsegments = 3\nunsolicited = 0").unwrap().check().is_ok());
    }
}
