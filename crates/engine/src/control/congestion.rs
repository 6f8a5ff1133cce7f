//! Congestion points: what a scheme does at a port of a switch.

use std::fmt;
use std::sync::Arc;

use super::answer::Answer;
use crate::core::class::Broken;
use crate::core::feedback::{Signals, define_feedback};
use crate::core::pdu::{FlowId, Pdu};
use crate::core::quantity::{Bits, Count};
use crate::core::random::Stream;
use crate::core::reading::Each;
use crate::core::roles::{define_role, dispatch, role_trait};
use crate::core::telemetry::Hop;
use crate::core::time::{Rate, Span, Time};

/// The state of the port as a congestion point sees it.
#[derive(Clone, Copy, Debug)]
pub struct PortView {
    /// The instant.
    pub now: Time,
    /// PDUs (or bits, for a point that counts bits) in the queue of this PDU's priority. The PDU in service counts, unless the
    /// point leaves it out. This PDU does not. If NPDUs of higher priority are served first, bits of lower priorities than this PDU's do not count.
    pub length: u64,
    /// The most PDUs that this queue can hold, if it has a limit.
    pub size: Option<u64>,
    /// Whether the queue policy refuses the PDU. If so, `on_discard` follows.
    pub refused: bool,
}

/// The state of the port when the service of a PDU begins.
#[derive(Clone, Copy, Debug)]
pub struct ServiceView {
    /// The instant.
    pub start: Time,
    /// Bits that wait in all queues, without the PDU.
    pub waiting: u64,
}

/// A notice of congestion to the source of the current PDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Severity on the scheme's own scale, as [`Body::Notice`](crate::core::pdu::Body::Notice) carries it.
    pub severity: u8,
}

impl Notice {
    /// Severities from here on are graded: the lower bits say by how much to reduce a rate. No other scale has them.
    const GRADED: u8 = 64;

    /// A notice of this grade, from 1 to 63.
    #[must_use]
    pub fn graded(grade: u8) -> Notice {
        Notice { severity: Notice::GRADED | grade }
    }

    /// Its grade, if its severity is graded.
    #[must_use]
    pub fn grade(self) -> Option<u8> {
        self.severity.checked_sub(Notice::GRADED).filter(|grade| (1..Notice::GRADED).contains(grade))
    }

    /// The counter that counts it: 0 for the mildest notices, 2 for severe ones.
    #[must_use]
    pub fn class(self) -> usize {
        match self.grade() {
            Some(grade) if grade < Notice::GRADED / 2 => 0,
            Some(_) => 2,
            None => usize::from(self.severity).min(3),
        }
    }
}

/// Constants of a flow that a congestion point may read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowTerms {
    /// The opposite direction of its connection, or the flow itself without one.
    pub peer: FlowId,
    /// Rate that the network guarantees it (MCR), bits per second.
    pub minimum: f64,
}

/// The environment of a congestion point.
#[derive(Clone, Debug)]
pub struct PortEnv {
    /// Its own random numbers. They are only those of the run when the point is built.
    pub stream: Stream,
    /// Rate of the port's line.
    pub rate: Rate,
    /// Number of the port's queues. Controlled traffic uses the last; the others are served before it.
    pub queues: usize,
    /// Number of flows whose data leave through the port, by its last queue.
    pub flow_count: u32,
    /// Sum of the minimum rates of these flows, bits per second.
    pub minimum: f64,
    /// Octets of the largest PDU of these flows.
    pub octets: u16,
    /// The longest round trip of these flows: twice the propagation delay of the path.
    pub round_trip: Span,
    /// Every flow of the network.
    pub flows: Arc<[FlowTerms]>,
}

/// What a change of a threshold does.
pub(super) const RETUNED_THRESHOLD: &str = "It holds from the next PDU on.";
/// What a change of a target does.
pub(super) const RETUNED_TARGET: &str = "It holds from the end of the present interval on.";
/// What a change of a measurement interval does.
pub(super) const RETUNED_INTERVAL: &str = "The present interval ends by the new limits, at the change at the earliest.";

/// The length of a queue, the PDU in service included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QueueLength {
    /// In PDUs.
    Pdus(Count),
    /// In bits.
    Bits(Bits),
}

impl PortEnv {
    /// Bits of the largest PDU that it controls.
    #[must_use]
    pub fn largest_bits(&self) -> u64 {
        u64::from(self.octets) * 8
    }
}

impl QueueLength {
    /// The least length above a threshold in PDUs.
    #[must_use]
    pub fn above(threshold: Count) -> QueueLength {
        QueueLength::Pdus(Count(threshold.0.saturating_add(1)))
    }
}

impl fmt::Display for QueueLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueueLength::Pdus(count) => count.fmt(f),
            QueueLength::Bits(bits) => bits.fmt(f),
        }
    }
}

/// Requirements of a congestion point on its port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortNeeds {
    /// Every queue must have a size in PDUs.
    pub sized_queues: bool,
    /// It reduces the lifetime of each PDU by one, as an intermediate system of CLNP does.
    pub lifetime: bool,
}

congestion_points!(define_role! [CongestionParams Congestion PortEnv]);
congestion_points!(define_feedback![CongestionParams]);

role_trait! {
    /// The switch's part of a scheme, at one port.
    pub trait CongestionPoint for Congestion by congestion_points {
        required
        provided
        /// `pdu` arrives. It will be queued or, as the view says, refused. The port sends a returned notice to its source.
        fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> { None }
        /// `pdu`, which arrived now or waited, is discarded.
        fn on_discard(&mut self, pdu: &Pdu, view: &PortView) -> Option<Notice> { None }
        /// `pdu` leaves the queue for the line. Called only if `wants_departures`.
        fn on_departure(&mut self, pdu: &mut Pdu, view: &PortView) {}
        /// The service of `pdu` begins. Returns what is written beside a segment with telemetry. Called only if
        /// `writes_telemetry`, for every PDU.
        fn on_service(&mut self, pdu: &Pdu, view: &ServiceView) -> Hop { Hop::default() }
        /// `pdu`, of a flow that leaves through this port, passes in the backward direction. Called only if `wants_backward`.
        fn on_backward(&mut self, pdu: &mut Pdu, view: &PortView) {}
        /// The rate of the port's line is `rate` from `now` on. An interval of measurement in progress is judged by the new
        /// rate. Constants that were computed from the first rate, such as an `auto` interval, stay.
        fn on_rate(&mut self, rate: Rate, now: Time) {}
        /// Whether its view shows lengths in bits.
        fn counts_bits(&self) -> bool { false }
        /// Whether lengths in bits have those of the PDU in service.
        fn counts_transmission(&self) -> bool { true }
        /// The PDU to send instead of a notice cell, back along the path of `pdu`. `None` sends a notice cell to the source.
        fn error_report(&self, pdu: &Pdu) -> Option<Answer> { None }
        /// The cell that notifies the source of `pdu`, such as an RM cell. `None` sends a notice cell.
        fn notice_cell(&self, pdu: &Pdu) -> Option<Answer> { None }
        /// Whether the port must call `on_departure`. It then simulates each departure at its own instant, which is slower.
        fn wants_departures(&self) -> bool { false }
        /// Whether the port must call `on_service`. Then no departure is known before the service begins.
        fn writes_telemetry(&self) -> bool { false }
        /// Whether the port must call `on_backward`.
        fn wants_backward(&self) -> bool { false }
        /// Whether it may ever return a notice. If so, the horizons of other nodes are shorter.
        fn notifies(&self) -> bool { true }
        /// Takes other parameters of the same kind, at a port with this `env`. Only those can differ that the schema
        /// marks as `retune`. The state stays.
        fn retune(&mut self, params: &CongestionParams, env: &PortEnv, now: Time) {}
        /// Why it is not called any more: a fault of a class in Python.
        fn broken(&self) -> Option<&Broken> { None }
        /// Named readings for a time series: filtered rates, averages, thresholds.
        fn readings(&self, now: Time, each: &mut Each<'_>) {}
    }
}

role_trait! {
    /// The parameters of a congestion point, as the assembly reads them.
    pub trait CongestionPointParams for CongestionParams by congestion_points {
        required
        provided
        /// Requirements on the port.
        fn needs(&self) -> PortNeeds { PortNeeds::default() }
        /// If it counts its active flows in each measurement interval: the path of the interval below the parameters, and
        /// the most PDUs of the largest size that one can have at a port with this `env`.
        fn counting_interval(&self, env: &PortEnv) -> Option<(&'static str, f64)> { None }
        /// A gain with which its loop is not stable at a port with this `env`: the key, the gain, and the bound that it breaks.
        fn unstable_gain(&self, env: &PortEnv) -> Option<(&'static str, f64, f64)> { None }
        /// Whether it knows the rates of its flows by their RM cells alone, and acts by the length of its queue.
        fn waits_for_rm_cells(&self) -> bool { false }
        /// If it reads the minimum rates of its flows: the share of the line's rate that it can guarantee to them.
        fn guaranteed_share(&self) -> Option<f64> { None }
        /// The key of its threshold below the parameters, and the least length of a queue at which it acts. `None` if it does
        /// not act by the length of a queue alone.
        fn threshold(&self) -> Option<(&'static str, QueueLength)> { None }
        /// Whether it controls the last queue alone, as points that compute rates do. Flows of other queues get no feedback.
        fn controls_last_queue(&self) -> bool { false }
        /// Of what it sends, that which must be heard by itself. Of the rest it is enough that something is heard.
        fn must_be_heard(&self) -> Signals { Signals::NONE }
        /// The least time between two notices to one source, if the point spaces them.
        fn spacing(&self) -> Option<Span> { None }
    }
}
