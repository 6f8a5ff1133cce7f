//! Congestion points: what a scheme does at a port of a switch.

use std::sync::Arc;

use super::answer::Answer;
use crate::core::pdu::{FlowId, Pdu};
use crate::core::roles::{define_role, dispatch, role_trait};
use crate::core::time::{Rate, Span, Time};

/// What a congestion point sees of its port.
#[derive(Clone, Copy, Debug)]
pub struct PortView {
    /// The instant.
    pub now: Time,
    /// PDUs (bits, for a point that counts those) in the queue of this PDU's priority, the one in service counted, this
    /// one not.
    pub length: u64,
    /// The most that this queue can hold, if limited.
    pub size: Option<u64>,
    /// Whether the discard policy refuses the PDU: `on_discard` follows.
    pub refused: bool,
}

/// Congestion, told to the source of the PDU at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The scheme's own scale, carried in [`Body::Notice`].
    pub severity: u8,
}

/// What a congestion point may know of a flow beforehand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowTerms {
    /// The opposite direction of its connection; the flow itself if there is none.
    pub peer: FlowId,
    /// Rate that the network guarantees it (MCR), bits per second.
    pub minimum: f64,
}

/// What a congestion point is built into.
#[derive(Clone, Debug)]
pub struct PortEnv {
    /// Rate of the port's line.
    pub rate: Rate,
    /// Number of the port's queues; traffic under control has the last, whatever the others hold goes first.
    pub queues: usize,
    /// Every flow of the network.
    pub flows: Arc<[FlowTerms]>,
}

/// What a congestion point needs of its port, beyond the environment it is built in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortNeeds {
    /// Every queue must have a size in PDUs.
    pub sized_queues: bool,
    /// It takes one from the lifetime of each PDU, as an intermediate system of CLNP does.
    pub lifetime: bool,
}

/// Every congestion point: one line, one keyword of the scenario file.
macro_rules! congestion_points {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// A queue above a threshold tells the sources of arriving cells, through a filter (BECN).
            becn Becn = super::becn::PointParams => super::becn::Detector;
            /// Input rates by four classes, and discards (satellite study).
            class_rates ClassRates = super::satellite::class_rates::Params => super::satellite::class_rates::ClassRates;
            /// CLNP: congestion experienced by a threshold, and Error Report NPDUs.
            clnp Clnp = super::atn::clnp::Params => super::atn::clnp::Clnp;
            /// DECbit: congestion experienced by the average queue of the last busy and idle cycle.
            decbit Decbit = super::atn::decbit::Params => super::atn::decbit::Decbit;
            /// A queue filled above a share of its size.
            queue_length QueueLength = super::satellite::queue_length::Params => super::satellite::queue_length::QueueLength;
            /// A switch that grants a constant explicit rate in RM cells on their way back.
            constant_grant ConstantGrant = super::abr::explicit_rate::GrantParams => super::abr::explicit_rate::ConstantGrant;
            /// Marks data that leaves a long queue (EFCI switch).
            efci Efci = super::abr::efci::Params => super::abr::efci::Efci;
            /// Sets CI for the connections above the mean first (EPRCA, binary enhanced switch).
            bes Bes = super::abr::macr::Params => super::abr::bes::Bes;
            /// Brings the connections above the mean to a share of it (EPRCA, explicit down switch).
            eds Eds = super::abr::eds::Params => super::abr::eds::Eds;
            /// Grants the fair share, or the own rate scaled to the load (EPRCA++).
            eprca_plus_plus EprcaPlusPlus = super::abr::eprca_plus_plus::Params => super::abr::eprca_plus_plus::EprcaPlusPlus;
            /// Brings the input to a target, with the same rate for all that can use it (ERICA).
            erica Erica = super::abr::erica::Params => super::abr::erica::Erica;
            /// ERICA with a target set by the queue (ERICA+).
            erica_plus EricaPlus = super::abr::erica_plus::Params => super::abr::erica_plus::EricaPlus;
            /// One explicit rate for all, moved by how far the load is from its target (CAPC).
            capc Capc = super::abr::capc::Params => super::abr::capc::Capc;
            /// Grants a multiple of what the line has left (Phantom).
            phantom Phantom = super::abr::phantom::Params => super::abr::phantom::Phantom;
            /// Offers what fills the line, from the rates that the connections tell (Charny).
            charny Charny = super::abr::charny::Params => super::abr::charny::Charny;
        }
    };
}

pub(super) use congestion_points;

congestion_points!(define_role! [CongestionParams Congestion PortEnv]);

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
        /// `pdu` of a flow that leaves through this port passes on its way back. Called only if `wants_backward`.
        fn on_backward(&mut self, pdu: &mut Pdu, view: &PortView) {}
        /// Whether its view shows lengths in bits.
        fn counts_bits(&self) -> bool { false }
        /// The PDU that a notice about `pdu` is, if it is not a cell to the flow's source. It goes back the way `pdu` came.
        fn error_report(&self, pdu: &Pdu) -> Option<Answer> { None }
        /// Whether departures must be shown. They cost the true instant of each.
        fn wants_departures(&self) -> bool { false }
        /// Whether PDUs on their way back must be shown.
        fn wants_backward(&self) -> bool { false }
        /// Whether it may ever return a notice. If it may, its sources limit how far other nodes can run ahead.
        fn notifies(&self) -> bool { true }
        /// Named readings for a time series: filtered rates, averages, thresholds.
        fn readings(&mut self, now: Time, each: &mut dyn FnMut(&'static str, f64)) {}
    }
}

role_trait! {
    /// What the network must know of the parameters of a congestion point.
    pub trait CongestionPointParams for CongestionParams by congestion_points {
        required
        provided
        /// What it needs of its port.
        fn needs(&self) -> PortNeeds { PortNeeds::default() }
        /// Two notices to one source are further apart than this, if it spaces them.
        fn spacing(&self) -> Option<Span> { None }
    }
}
