//! Congestion detection by queue length: the simplest detector that acts before PDUs are lost.
//!
//! Source: satellite thesis (docs/models/satellite.md), section 5.1, first paragraph: act when the queues are, for
//! example, 90 % full.
//!
//! ```text
//! congested while length >= share * size
//! ```
//!
//! The length is that of the arriving PDU's own queue. It includes the PDU in service, but not the arriving PDU. The
//! share of an unlimited queue is not defined, so such a queue is never congested. Assembly must refuse this detector
//! for such a queue.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::spacing::Spacing;
use super::{MILD, SEVERE, check_severity};
use crate::control::congestion::{
    CongestionParams, CongestionPoint, CongestionPointParams, Notice, PortEnv, PortNeeds, PortView, RETUNED_THRESHOLD,
};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::Pdu;
use crate::core::time::{Span, Time};

/// Smaller differences of lengths are rounding errors.
const ROUNDING: f64 = 1e-9;

/// Parameters of the queue-length detector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// The queue is congested if it holds at least this share of its size.
    #[schemars(extend("retune" = RETUNED_THRESHOLD))]
    pub share: f64,
    /// The time between two notices to one source is longer than this.
    #[schemars(extend("retune" = "It holds from the next notice on."))]
    pub spacing: Span,
    /// Severity of a notice for the queue length.
    #[schemars(extend("retune" = RETUNED_THRESHOLD))]
    pub severity: u8,
    /// Whether a discard also causes a notice, of severity 2.
    #[schemars(extend("retune" = RETUNED_THRESHOLD))]
    pub discards: bool,
}

impl Default for Params {
    fn default() -> Params {
        Params { share: 0.9, spacing: Span::milliseconds(50), severity: MILD, discards: true }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        check_severity(self.severity)?;
        check::ratio("share", self.share, 0.0..=1.0)
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NOTICES;
    const HEARS: Signals = Signals::NONE;
}

impl CongestionPointParams for Params {
    fn needs(&self) -> PortNeeds {
        PortNeeds { sized_queues: true, ..PortNeeds::default() }
    }

    fn spacing(&self) -> Option<Span> {
        Some(self.spacing)
    }
}

/// The queue-length detector of one port.
#[derive(Clone, Debug)]
pub struct QueueLength {
    share: f64,
    severity: u8,
    discards: bool,
    sources: Spacing,
}

impl QueueLength {
    /// For a port with this `env`.
    #[must_use]
    pub fn new(params: &Params, env: PortEnv) -> QueueLength {
        QueueLength {
            share: params.share,
            severity: params.severity,
            discards: params.discards,
            sources: Spacing::new(params.spacing, env.flows.len()),
        }
    }
}

impl CongestionPoint for QueueLength {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        let limit = self.share * view.size? as f64;
        // A refused PDU gets the more severe notice about its discard, which follows.
        if view.length as f64 + ROUNDING < limit || (self.discards && view.refused) {
            return None;
        }
        self.sources.tell(pdu, view.now, self.severity)
    }

    fn on_discard(&mut self, pdu: &Pdu, view: &PortView) -> Option<Notice> {
        if self.discards { self.sources.tell(pdu, view.now, SEVERE) } else { None }
    }

    fn retune(&mut self, params: &CongestionParams, _env: &PortEnv, _now: Time) {
        let CongestionParams::QueueLength(params) = params else { return };
        (self.share, self.severity, self.discards) = (params.share, params.severity, params.discards);
        self.sources.set(params.spacing);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::laws::port;
    use crate::core::pdu::{Body, CELL_OCTETS, FlowId};
    use crate::core::time::Time;

    fn detector(params: &Params) -> QueueLength {
        QueueLength::new(params, port())
    }

    fn cell(flow: u32) -> Pdu {
        Pdu::new(FlowId(flow), 0, CELL_OCTETS, 0, Body::Data { born: Time::ZERO, number: 0 })
    }

    fn view(now: Time, length: u64, size: Option<u64>) -> PortView {
        PortView { now, length, size, refused: false }
    }

    #[test]
    fn nine_tenths_of_the_queue_are_congestion() {
        let mut point = detector(&Params::default());
        // 0.9 x 512 = 460.8 and 0.9 x 10 = 9.
        assert_eq!(point.on_arrival(&mut cell(0), &view(Time(1), 460, Some(512))), None);
        assert_eq!(point.on_arrival(&mut cell(0), &view(Time(1), 461, Some(512))), Some(Notice { severity: 0 }));
        assert_eq!(point.on_arrival(&mut cell(1), &view(Time(1), 8, Some(10))), None);
        assert_eq!(point.on_arrival(&mut cell(1), &view(Time(1), 9, Some(10))), Some(Notice { severity: 0 }));
        assert_eq!(point.on_arrival(&mut cell(2), &view(Time(1), u64::MAX, None)), None);
    }

    #[test]
    fn notices_to_one_source_keep_their_distance() {
        let mut point = detector(&Params::default());
        let spacing = Span::milliseconds(50);
        let start = Time(7);
        assert!(point.on_arrival(&mut cell(0), &view(start, 500, Some(512))).is_some());
        assert!(point.on_arrival(&mut cell(1), &view(start, 500, Some(512))).is_some());
        assert!(point.on_discard(&cell(0), &view(start + spacing, 512, Some(512))).is_none());
        let later = start + spacing + Span(1);
        assert_eq!(point.on_discard(&cell(0), &view(later, 512, Some(512))), Some(Notice { severity: 2 }));
        assert!(point.on_arrival(&mut cell(0), &view(later, 512, Some(512))).is_none());
    }

    #[test]
    fn discards_may_be_left_out() {
        let mut point = detector(&Params { discards: false, ..Params::default() });
        assert_eq!(point.on_discard(&cell(0), &view(Time(1), 512, Some(512))), None);
    }
}
