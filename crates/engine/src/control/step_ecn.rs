//! Step marking: a segment that finds a long queue gets congestion experienced in its ECN field.
//!
//! RFC 8257, 3.1, and the queue of the DCTCP paper (SIGCOMM 2010). Only ECN-capable PDUs are marked.
//!
//! ```text
//! mark if length >= threshold; "auto": C R / 7 in PDUs of the largest size, at least 5
//! ```
//!
//! The length includes the PDU in service, but not the arriving PDU. C R / 7 is the least threshold with which the queue of
//! DCTCP flows never runs empty (RFC 8257, 4.1), with R the longest round trip of the flows through the port.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::congestion::{
    CongestionParams, CongestionPoint, CongestionPointParams, Notice, PortEnv, PortView, QueueLength, RETUNED_THRESHOLD,
};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{Marks, Pdu};
use crate::core::quantity::Count;
use crate::core::reading::{Each, Reading};
use crate::core::time::Time;
use crate::core::word;

/// The least automatic threshold: short bursts pass.
const LEAST: u64 = 5;

/// The threshold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// PDUs in the queue from which on arriving PDUs are marked. "auto" is a seventh of the rate times the longest round trip,
    /// in PDUs of the largest size, at least 5.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Count>", extend("retune" = RETUNED_THRESHOLD))]
    pub threshold: Option<Count>,
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        match self.threshold {
            Some(Count(0)) => {
                let reason = "every PDU would be marked, also in an empty network";
                Err(Fault::new("threshold", 0, reason, "choose at least 1, or \"auto\""))
            }
            _ => Ok(()),
        }
    }

    fn threshold(&self, env: &PortEnv) -> u64 {
        let pdus = || env.rate.bits_per_second() * env.round_trip.seconds() / 7.0 / env.largest_bits().max(1) as f64;
        self.threshold.map_or_else(|| (libm::ceil(pdus()) as u64).max(LEAST), |own| own.0)
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::ECN;
    const HEARS: Signals = Signals::NONE;
}

impl CongestionPointParams for Params {
    fn threshold(&self) -> Option<(&'static str, QueueLength)> {
        self.threshold.map(|threshold| ("threshold", QueueLength::Pdus(threshold)))
    }
}

/// The marking of one port.
#[derive(Clone, Debug)]
pub struct StepEcn {
    threshold: u64,
}

impl StepEcn {
    /// For a port with this `env`.
    #[must_use]
    pub fn new(params: &Params, env: PortEnv) -> StepEcn {
        StepEcn { threshold: params.threshold(&env) }
    }
}

impl CongestionPoint for StepEcn {
    #[inline]
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        if view.length >= self.threshold && pdu.marks.is_ecn_capable() {
            pdu.marks.set(Marks::ECN_CE);
        }
        None
    }

    fn notifies(&self) -> bool {
        false
    }

    fn retune(&mut self, params: &CongestionParams, env: &PortEnv, _now: Time) {
        let CongestionParams::StepEcn(params) = params else { return };
        self.threshold = params.threshold(env);
    }

    fn readings(&self, _now: Time, each: &mut Each<'_>) {
        each(Reading::pdus("threshold"), self.threshold as f64);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}", "{ threshold = '40 PDUs' }"];
    const EAGER: &[&str] = &["{ threshold = '1 PDUs' }"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::laws::port_of;
    use crate::core::pdu::{Body, FlowId};
    use crate::core::time::{Rate, Span};

    fn env() -> PortEnv {
        PortEnv { octets: 1500, round_trip: Span::from_seconds(100e-6), ..port_of(Rate(10_000_000_000), 1) }
    }

    fn marks(point: &mut StepEcn, length: u64, marks: Marks) -> Marks {
        let body = Body::Segment { born: Time::ZERO, offset: 0, octets: 1460, is_last: false, is_repeat: false };
        let mut pdu = Pdu::new(FlowId(0), 0, 1500, 0, body);
        pdu.marks.set(marks);
        point.on_arrival(&mut pdu, &PortView { now: Time::ZERO, length, size: None, refused: false });
        pdu.marks
    }

    #[test]
    fn a_capable_pdu_is_marked_from_the_threshold_on() {
        let mut point = StepEcn::new(&Params { threshold: Some(Count(40)) }, env());
        assert_eq!(marks(&mut point, 39, Marks::ECT_0), Marks::ECT_0);
        assert_eq!(marks(&mut point, 40, Marks::ECT_0), Marks::ECN_CE);
        assert_eq!(marks(&mut point, 40, Marks::ECT_1), Marks::ECN_CE);
        assert_eq!(marks(&mut point, 40, Marks::default()), Marks::default());
    }

    /// 10 Gb/s, 100 us, 1500 octets: 83.3 PDUs, a seventh of which is 11.9.
    #[test]
    fn the_automatic_threshold_is_a_seventh_of_the_bandwidth_delay_product() {
        assert_eq!(StepEcn::new(&Params::default(), env()).threshold, 12);
        let short = PortEnv { round_trip: Span::ZERO, ..env() };
        assert_eq!(StepEcn::new(&Params::default(), short).threshold, 5);
    }
}
