//! A congested intermediate system of CLNP (ISO 8473), as in the ATN study (ATNP/WG2/WP197, 3.1.1 and 3.3.1;
//! docs/models/atn.md).
//!
//! - *Congestion experienced*: set on an NPDU of any type that arrives while its output queue holds more bits than a
//!   threshold. The NPDU in transmission counts unless `counts_transmission = false`. The mark is never cleared.
//! - *Error Report NPDU*: sent back for each discarded NPDU with the E/R flag and, as an option, for each that arrives
//!   above a second threshold. It is an ordinary NPDU: it waits in queues, may be discarded, and never causes another
//!   report.
//!
//! In a queue with sub-queues by priority (`npdu_priority`), both thresholds are compared with the bits of the NPDU's
//! priority and of higher ones: those before which it cannot be served. This is ours: the paper calls it work in
//! progress.
//!
//! Each intermediate system reduces the NPDU's lifetime by one. Routes are static and visit no node twice, so assembly
//! can check the lifetime, and refuses one that is too short.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::control::FIXED_SIGNALS;
use crate::control::answer::Answer;
use crate::control::congestion::{
    CongestionParams, CongestionPoint, CongestionPointParams, Notice, PortEnv, PortNeeds, PortView, QueueLength,
    RETUNED_THRESHOLD,
};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{FIXED_LENGTH, Marks, Pdu};
use crate::core::quantity::Bits;
use crate::core::time::Time;
use crate::core::word;

/// Thresholds of one output queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// If the queue holds more bits than this, arriving NPDUs get congestion experienced (the paper's par_ce).
    /// "never" gives none.
    #[serde(with = "word::never")]
    #[schemars(schema_with = "word::never::schema::<Bits>", extend("retune" = RETUNED_THRESHOLD))]
    pub ce_threshold: Option<Bits>,
    /// Error Reports about NPDUs with the E/R flag. If absent, none are sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("fixed" = FIXED_SIGNALS))]
    pub error_reports: Option<ErrorReports>,
    /// Whether the NPDU in transmission counts in the queue, for both thresholds. The paper has the "depth of the output
    /// queue", and does not say.
    #[schemars(extend("fixed" = "the port counts its queue in one way"))]
    pub counts_transmission: bool,
}

impl Default for Params {
    fn default() -> Params {
        Params { ce_threshold: None, error_reports: None, counts_transmission: true }
    }
}

/// When an intermediate system sends Error Report NPDUs. It always sends them for discarded NPDUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ErrorReports {
    /// If the queue holds more bits than this, each arriving NPDU causes a report (the paper's par_error_NPDU).
    /// With "never" only discards do.
    #[serde(with = "word::never")]
    #[schemars(schema_with = "word::never::schema::<Bits>", extend("retune" = RETUNED_THRESHOLD))]
    pub threshold: Option<Bits>,
    /// Octets of an Error Report NPDU: its own headers, and those of the NPDU that it reports.
    #[schemars(extend("fixed" = FIXED_LENGTH))]
    pub octets: u16,
}

impl Default for ErrorReports {
    fn default() -> ErrorReports {
        ErrorReports { threshold: None, octets: Answer::REPORT_OCTETS }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        match &self.error_reports {
            Some(reports) if reports.octets == 0 => Err(Fault::new(
                "error_reports.octets",
                0,
                "an Error Report cannot have length 0",
                "choose at least 1; 121 is usual",
            )),
            _ => Ok(()),
        }
    }
}

impl Params {
    /// The thresholds for CE and for Error Reports, in bits.
    fn thresholds(&self) -> [u64; 2] {
        let reports = self.error_reports.as_ref().and_then(|reports| reports.threshold);
        [self.ce_threshold, reports].map(|threshold| threshold.map_or(u64::MAX, |bits| bits.0))
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::CE.with(Signals::ERROR_REPORTS);
    const HEARS: Signals = Signals::NONE;
    const IF: &[(Signals, &str)] = &[(Signals::CE, "ce_threshold"), (Signals::ERROR_REPORTS, "error_reports")];

    fn sends(&self) -> Signals {
        Signals::CE.when(self.ce_threshold.is_some()).with(Signals::ERROR_REPORTS.when(self.error_reports.is_some()))
    }
}

impl CongestionPointParams for Params {
    fn needs(&self) -> PortNeeds {
        PortNeeds { lifetime: true, ..PortNeeds::default() }
    }

    fn threshold(&self) -> Option<(&'static str, QueueLength)> {
        Some(("ce_threshold", QueueLength::Bits(Bits(self.ce_threshold?.0.saturating_add(1)))))
    }
}

/// One output queue of an intermediate system.
#[derive(Clone, Debug)]
pub struct Clnp {
    ce_threshold: u64,
    error_threshold: u64,
    error_octets: Option<u16>,
    counts_transmission: bool,
}

/// An intermediate system forwards `pdu`.
pub(in crate::control) fn forward(pdu: &mut Pdu) {
    pdu.lifetime = pdu.lifetime.saturating_sub(1);
}

impl Clnp {
    /// A queue with these thresholds, the same for every `env`.
    #[must_use]
    pub fn new(params: &Params, _env: PortEnv) -> Clnp {
        let [ce_threshold, error_threshold] = params.thresholds();
        Clnp {
            ce_threshold,
            error_threshold,
            error_octets: params.error_reports.as_ref().map(|reports| reports.octets),
            counts_transmission: params.counts_transmission,
        }
    }

    /// The notice about `pdu`, if it asks for a report.
    fn report(&self, pdu: &Pdu) -> Option<Notice> {
        self.error_report(pdu).map(|_| Notice { severity: 1 })
    }
}

impl CongestionPoint for Clnp {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        forward(pdu);
        if view.length > self.ce_threshold {
            pdu.marks.set(Marks::CE);
        }
        // A refused NPDU is reported once, by `on_discard`.
        if view.length > self.error_threshold && !view.refused { self.report(pdu) } else { None }
    }

    fn on_discard(&mut self, pdu: &Pdu, _view: &PortView) -> Option<Notice> {
        self.report(pdu)
    }

    fn notifies(&self) -> bool {
        self.error_octets.is_some()
    }

    fn counts_bits(&self) -> bool {
        true
    }

    fn counts_transmission(&self) -> bool {
        self.counts_transmission
    }

    fn error_report(&self, pdu: &Pdu) -> Option<Answer> {
        Answer::error_report(pdu, self.error_octets?)
    }

    fn retune(&mut self, params: &CongestionParams, _env: &PortEnv, _now: Time) {
        let CongestionParams::Clnp(params) = params else { return };
        [self.ce_threshold, self.error_threshold] = params.thresholds();
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{}",
        "{ ce_threshold = '424 bits', error_reports = { threshold = '848 bits' } }",
        "{ ce_threshold = '424 bits', counts_transmission = false }",
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::laws::port;
    use crate::core::pdu::{Body, FlowId, Kind};

    fn npdu(body: Body) -> Pdu {
        let mut pdu = Pdu::new(FlowId(0), 0, 1672, 0, body);
        pdu.marks.set(Marks::ER);
        pdu.lifetime = 64;
        pdu
    }

    fn data() -> Pdu {
        npdu(Body::DataTpdu { born: Time::ZERO, number: 5, is_last: true, connection: 9 })
    }

    fn view(length: u64, refused: bool) -> PortView {
        PortView { now: Time::ZERO, length, size: None, refused }
    }

    fn both() -> Clnp {
        let error_reports = Some(ErrorReports { threshold: Some(Bits(131_072)), octets: 121 });
        Clnp::new(&Params { ce_threshold: Some(Bits(27_000)), error_reports, ..Params::default() }, port())
    }

    #[test]
    fn congestion_is_experienced_above_the_threshold_and_stays() {
        let mut point = both();
        let mut pdu = data();
        for (length, marked) in [(0, false), (27_000, false), (27_001, true), (0, true)] {
            assert_eq!(point.on_arrival(&mut pdu, &view(length, false)), None);
            assert_eq!(pdu.marks.has(Marks::CE), marked, "{length}");
        }
        assert_eq!(pdu.lifetime, 60);
        let mut acknowledgement =
            npdu(Body::AcknowledgementTpdu { number: 1, credit: 2, subsequence: 0, received: 0, connection: 9 });
        point.on_arrival(&mut acknowledgement, &view(27_001, false));
        assert!(acknowledgement.marks.has(Marks::CE));
    }

    #[test]
    fn reports_go_out_above_the_threshold_and_for_discards_once() {
        let mut point = both();
        let actual = Some(Notice { severity: 1 });
        assert_eq!(point.on_arrival(&mut data(), &view(131_072, false)), None);
        assert_eq!(point.on_arrival(&mut data(), &view(131_073, false)), actual);
        // A refused NPDU is not reported at its arrival, but at its discard.
        assert_eq!(point.on_arrival(&mut data(), &view(260_000, true)), None);
        assert_eq!(point.on_discard(&data(), &view(260_000, true)), actual);
        let body = Body::ErrorReport { about: Kind::DataTpdu, number: 5, connection: 9 };
        assert_eq!(point.error_report(&data()).map(|report| (report.body, report.octets)), Some((body, 121)));
    }

    #[test]
    fn reports_and_npdus_without_the_flag_are_not_reported() {
        let mut point = both();
        let report = npdu(Body::ErrorReport { about: Kind::DataTpdu, number: 5, connection: 9 });
        assert_eq!(point.on_discard(&report, &view(260_000, true)), None);
        let mut plain = data();
        plain.marks = Marks::default();
        assert_eq!(point.on_discard(&plain, &view(260_000, true)), None);
        let mut silent = Clnp::new(&Params { ce_threshold: Some(Bits(1)), ..Params::default() }, port());
        assert_eq!(silent.on_discard(&data(), &view(260_000, true)), None);
    }
}
