//! The three points of a congestion control scheme, in the words of IEEE 802.1Qau, and one file per algorithm.
//!
//! - [`CongestionPoint`], at a port: detects congestion; marks PDUs, reduces explicit rates, or notifies sources.
//! - [`NotificationPoint`], at the receiving host: answers what arrives with feedback.
//! - [`ReactionPoint`], at the sending host: applies feedback to what the host sends.
//!
//! A scheme implements the points that it needs. By default every method does nothing.

// The lists of variants. The role files below `control/` expand them, so `super` in a path is this module.

/// Every congestion point: one line each, with its keyword in scenario files.
macro_rules! congestion_points {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// A queue above a threshold notifies the sources of arriving cells, through a filter (BECN).
            becn Becn = super::becn::PointParams => super::becn::Detector;
            /// Input rates by four classes, and discards (satellite study).
            class_rates ClassRates = super::satellite::class_rates::Params => super::satellite::class_rates::ClassRates;
            /// CLNP: congestion experienced by a threshold, and Error Report NPDUs.
            clnp Clnp = super::atn::clnp::Params => super::atn::clnp::Clnp;
            /// DECbit: congestion experienced by the average queue of the last busy and idle cycle.
            decbit Decbit = super::atn::decbit::Params => super::atn::decbit::Decbit;
            /// A queue filled above a share of its size.
            queue_length QueueLength = super::satellite::queue_length::Params => super::satellite::queue_length::QueueLength;
            /// Marks packets at random, the more the longer the queue (DCQCN).
            dcqcn Dcqcn = super::dcqcn::PointParams => super::dcqcn::Marker;
            /// Samples arriving frames, and tells their sources how far the queue is above its equilibrium (QCN).
            qcn Qcn = super::qcn::PointParams => super::qcn::Sampler;
            /// Offers one rate to all flows, by the load and the queue of the last round trip (RCP).
            rcp Rcp = super::rcp::PointParams => super::rcp::Offer;
            /// Marks ECN-capable PDUs that find a long queue (DCTCP).
            step_ecn StepEcn = super::step_ecn::Params => super::step_ecn::StepEcn;
            /// Writes the load of the port beside segments that ask for it (HPCC).
            telemetry Telemetry = super::telemetry::Params => super::telemetry::Telemetry;
            /// Grants a constant explicit rate in backward RM cells.
            constant_grant ConstantGrant = super::abr::explicit_rate::GrantParams => super::abr::explicit_rate::ConstantGrant;
            /// Marks data that leaves a long queue (EFCI switch).
            efci Efci = super::abr::efci::Params => super::abr::efci::Efci;
            /// Sets CI for the connections above the mean first (EPRCA, binary enhanced switch).
            bes Bes = super::abr::macr::Params => super::abr::bes::Bes;
            /// Reduces the connections above the mean to a share of it (EPRCA, explicit down switch).
            eds Eds = super::abr::eds::Params => super::abr::eds::Eds;
            /// Grants the fair share, or the current rate divided by the load factor (EPRCA++).
            eprca_plus_plus EprcaPlusPlus = super::abr::eprca_plus_plus::Params => super::abr::eprca_plus_plus::EprcaPlusPlus;
            /// Brings the input rate to a target, with equal rates for all connections that can use them (ERICA).
            erica Erica = super::abr::erica::Params => super::abr::erica::Erica;
            /// ERICA with a target set by the queue (ERICA+).
            erica_plus EricaPlus = super::abr::erica_plus::Params => super::abr::erica_plus::EricaPlus;
            /// One explicit rate for all, adjusted by the distance of the load from its target (CAPC).
            capc Capc = super::abr::capc::Params => super::abr::capc::Capc;
            /// Grants a multiple of the unused capacity (Phantom).
            phantom Phantom = super::abr::phantom::Params => super::abr::phantom::Phantom;
            /// Grants the rate that fills the line, computed from the rates in RM cells (Charny).
            charny Charny = super::abr::charny::Params => super::abr::charny::Charny;
            /// A class in Python, in a file of your own.
            python Python = super::python::point::Params => super::python::point::Python;
        }
    };
}

/// Every notification point: one line each, with its keyword in scenario files.
macro_rules! notification_points {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// Acknowledges every PDU.
            acknowledge Acknowledge = super::fixed_window::AcknowledgeParams => super::fixed_window::Acknowledge;
            /// Answers ECN marks with notices, at most one in an interval (DCQCN).
            dcqcn Dcqcn = super::dcqcn::ReceiverParams => super::dcqcn::Notifier;
            /// Notifies the source if many of its cells arrive marked EFCI.
            forward_notice ForwardNotice = super::satellite::forward_notice::Params => super::satellite::forward_notice::ForwardNotice;
            /// Reports gaps in files, which are then sent again (future work of the satellite study).
            gap_report GapReport = super::gap_report::Params => super::gap_report::GapReport;
            /// Returns RM cells and rate requests to their source (destination of the available bit rate service, RCP).
            turn_round TurnRound = super::abr::destination::Params => super::abr::destination::TurnRound;
            /// A class in Python, in a file of your own.
            python Python = super::python::receiver::Params => super::python::receiver::Python;
        }
    };
}

/// Every reaction point: one line each, with its keyword in scenario files.
macro_rules! reaction_points {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// No control: PDUs are sent as the traffic model produces them.
            uncontrolled Uncontrolled = super::uncontrolled::Params => super::uncontrolled::Uncontrolled;
            /// Factor on the nominal rate (satellite study).
            rate_factor RateFactor = super::satellite::rate_factor::Params => super::satellite::rate_factor::RateFactor;
            /// Stops on a notice for a while.
            stop Stop = super::satellite::stop::Params => super::satellite::stop::Stop;
            /// Halves its rate, or stops, on a notice. Recovers with time (BECN).
            becn Becn = super::becn::Params => super::becn::Source;
            /// Reduces its rate by how often it is notified, and climbs back in stages (DCQCN).
            dcqcn Dcqcn = super::dcqcn::Params => super::dcqcn::Source;
            /// Reduces its rate by as much as a notice says, and climbs back in stages (QCN).
            qcn Qcn = super::qcn::Params => super::qcn::Source;
            /// Asks for a rate, and sends at the one that comes back (RCP).
            rcp Rcp = super::rcp::Params => super::rcp::Source;
            /// A constant number of PDUs unacknowledged.
            fixed_window FixedWindow = super::fixed_window::Params => super::fixed_window::FixedWindow;
            /// Sends RM cells and obeys the explicit rate in those that return.
            explicit_rate ExplicitRate = super::abr::explicit_rate::Params => super::abr::explicit_rate::ExplicitRate;
            /// The source of the available bit rate service (ATM Forum TM 4.0).
            tm40 Tm40 = super::abr::tm40::Params => super::abr::tm40::Source;
            /// The source of EPRCA, whose rate decays with every cell.
            eprca Eprca = super::abr::eprca::Params => super::abr::eprca::Source;
            /// A class in Python, in a file of your own.
            python Python = super::python::source::Params => super::python::source::Python;
        }
    };
}

/// Why a run cannot change a parameter that only its start reads.
const FIXED_START: &str = "it is read once, at the start of the run";
/// Why a run cannot change minimum rates.
const FIXED_MINIMUM: &str = "the switches reserve minimum rates when the connections are set up, before the run";
/// Why a run cannot change what a part sends.
const FIXED_SIGNALS: &str =
    "it decides which feedback is sent at all, and the ways of feedback are laid before the run";

mod abr;
mod answer;
mod atn;
mod becn;
mod congestion;
mod dcqcn;
mod fixed_window;
mod gap_report;
#[cfg(test)]
mod laws;
mod loops;
mod notification;
mod pace;
pub mod python;
mod qcn;
mod rcp;
mod reaction;
mod recovery;
mod satellite;
mod scale;
mod step_ecn;
mod telemetry;
mod uncontrolled;

pub use answer::Answer;
pub use congestion::{
    Congestion, CongestionParams, CongestionPoint, CongestionPointParams, FlowTerms, Notice, PortEnv, PortNeeds,
    PortView, QueueLength, ServiceView,
};
pub use loops::{WithPoint, WithRateScale, WithReaction};
pub use notification::{
    AnswerQueueing, FileArrivals, Notification, NotificationParams, NotificationPoint, NotificationPointParams,
    ReceiverEnv,
};
pub use reaction::{Allowance, Next, Reaction, ReactionParams, ReactionPoint, ReactionPointParams, Ready, SenderEnv};
pub use satellite::slowdowns::{Slowdowns, TENTHS};

impl ReactionParams {
    /// No control: the default of a flow.
    pub const UNCONTROLLED: ReactionParams = ReactionParams::Uncontrolled(uncontrolled::Params {});
}
