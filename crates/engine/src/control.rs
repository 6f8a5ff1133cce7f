//! The three points of a congestion control scheme, in the words of IEEE 802.1Qau, and one file per algorithm.
//!
//! - [`CongestionPoint`], at a port: sees congestion; marks PDUs, lowers explicit rates, or tells sources.
//! - [`NotificationPoint`], at the receiving End: turns what arrived into feedback.
//! - [`ReactionPoint`], at the sending End: lets feedback bear on what is sent.
//!
//! A scheme implements those it needs; every method defaults to nothing.

use crate::core::pdu::Pdu;
use crate::core::roles::{define_role, dispatch};
use crate::core::time::{LineRate, Rate, Span, Time};
use crate::traffic::RateScale;

mod abr;
mod atn;
mod becn;
#[cfg(test)]
mod conformance;
mod fixed_window;
mod points;
mod satellite;
mod uncontrolled;
mod work;

pub use points::*;

/// Every congestion point: one line, one keyword of the scenario file.
macro_rules! congestion_points {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// A queue above a threshold tells the sources of arriving cells, through a filter (BECN).
            becn Becn = becn::PointParams => becn::Detector;
            /// Input rates by four classes, and discards (satellite study).
            class_rates ClassRates = satellite::class_rates::Params => satellite::class_rates::ClassRates;
            /// CLNP: congestion experienced by a threshold, and Error Report NPDUs.
            clnp Clnp = atn::clnp::Params => atn::clnp::Clnp;
            /// DECbit: congestion experienced by the average queue of the last busy and idle cycle.
            decbit Decbit = atn::decbit::Params => atn::decbit::Decbit;
            /// A queue filled above a share of its size.
            queue_length QueueLength = satellite::queue_length::Params => satellite::queue_length::QueueLength;
            /// A switch that grants a constant explicit rate in RM cells on their way back.
            constant_grant ConstantGrant = abr::explicit_rate::GrantParams => abr::explicit_rate::ConstantGrant;
            /// Marks data that leaves a long queue (EFCI switch).
            efci Efci = abr::efci::Params => abr::efci::Efci;
            /// Sets CI for the connections above the mean first (EPRCA, binary enhanced switch).
            bes Bes = abr::macr::Params => abr::bes::Bes;
            /// Brings the connections above the mean to a share of it (EPRCA, explicit down switch).
            eds Eds = abr::eds::Params => abr::eds::Eds;
            /// Grants the fair share, or the own rate scaled to the load (EPRCA++).
            eprca_plus_plus EprcaPlusPlus = abr::eprca_plus_plus::Params => abr::eprca_plus_plus::EprcaPlusPlus;
            /// Brings the input to a target, with the same rate for all that can use it (ERICA).
            erica Erica = abr::erica::Params => abr::erica::Erica;
            /// ERICA with a target set by the queue (ERICA+).
            erica_plus EricaPlus = abr::erica_plus::Params => abr::erica_plus::EricaPlus;
            /// One explicit rate for all, moved by how far the load is from its target (CAPC).
            capc Capc = abr::capc::Params => abr::capc::Capc;
            /// Grants a multiple of what the line has left (Phantom).
            phantom Phantom = abr::phantom::Params => abr::phantom::Phantom;
            /// Offers what fills the line, from the rates that the connections tell (Charny).
            charny Charny = abr::charny::Params => abr::charny::Charny;
        }
    };
}

/// Every notification point: one line, one keyword of the scenario file.
macro_rules! notification_points {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// Acknowledges every PDU.
            acknowledge Acknowledge = fixed_window::AcknowledgeParams => fixed_window::Acknowledge;
            /// Tells the source when many of its cells arrive marked EFCI.
            forward_notice ForwardNotice = satellite::forward_notice::Params => satellite::forward_notice::ForwardNotice;
            /// Turns RM cells round (destination of the available bit rate service).
            turn_round TurnRound = abr::destination::Params => abr::destination::TurnRound;
        }
    };
}

/// Every reaction point: one line, one keyword of the scenario file.
macro_rules! reaction_points {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// Obeys nothing: traffic goes out as it is produced.
            uncontrolled Uncontrolled = uncontrolled::Params => uncontrolled::Uncontrolled;
            /// Factor on the nominal rate (satellite study).
            rate_factor RateFactor = satellite::rate_factor::Params => satellite::rate_factor::RateFactor;
            /// Stops on a notice for a while.
            stop Stop = satellite::stop::Params => satellite::stop::Stop;
            /// Halves its rate, or stops, on notices; recovers with time (BECN).
            becn Becn = becn::Params => becn::Source;
            /// A constant number of PDUs unacknowledged.
            fixed_window FixedWindow = fixed_window::Params => fixed_window::FixedWindow;
            /// Sends RM cells and obeys the explicit rate that comes back.
            explicit_rate ExplicitRate = abr::explicit_rate::Params => abr::explicit_rate::ExplicitRate;
            /// The source of the available bit rate service (ATM Forum TM 4.0).
            tm40 Tm40 = abr::tm40::Params => abr::tm40::Source;
            /// The source of EPRCA, whose rate decays with every cell.
            eprca Eprca = abr::eprca::Params => abr::eprca::Source;
        }
    };
}

pub use work::{WithPoint, WithRateScale, WithReaction};
use {congestion_points, reaction_points};

congestion_points!(define_role! [CongestionParams Congestion PortEnv]);
notification_points!(define_role! [NotificationParams Notification ReceiverEnv]);
reaction_points!(define_role! [ReactionParams Reaction SenderEnv]);

impl ReactionParams {
    /// Obeys nothing: the default of a flow.
    pub const UNCONTROLLED: ReactionParams = ReactionParams::Uncontrolled(uncontrolled::Params {});

    /// Rate that the network guarantees the flow (MCR), bits per second, behind a first line of that rate.
    #[must_use]
    pub fn minimum(&self, line_rate: LineRate) -> f64 {
        let given = match self {
            ReactionParams::ExplicitRate(params) => params.minimum,
            ReactionParams::Tm40(params) => params.mcr,
            ReactionParams::Eprca(params) => return params.minimum(line_rate),
            _ => None,
        };
        given.map_or(0.0, Rate::bits_per_second)
    }
}

impl ReactionParams {
    /// The shortest round trip that it takes from its path, where it takes one, and what is wrong with a shorter one.
    #[must_use]
    pub fn least_round_trip(&self) -> Option<(Span, &'static str)> {
        match self {
            ReactionParams::RateFactor(params) if params.round_trip.is_none() => {
                Some((satellite::rate_factor::LEAST_ROUND_TRIP, satellite::rate_factor::TOO_SHORT))
            }
            _ => None,
        }
    }
}

impl CongestionPoint for Congestion {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        congestion_points!(dispatch! [Congestion, self, point => point.on_arrival(pdu, view)])
    }

    fn on_discard(&mut self, pdu: &Pdu, view: &PortView) -> Option<Notice> {
        congestion_points!(dispatch! [Congestion, self, point => point.on_discard(pdu, view)])
    }

    fn on_departure(&mut self, pdu: &mut Pdu, view: &PortView) {
        congestion_points!(dispatch! [Congestion, self, point => point.on_departure(pdu, view)]);
    }

    fn on_backward(&mut self, pdu: &mut Pdu, view: &PortView) {
        congestion_points!(dispatch! [Congestion, self, point => point.on_backward(pdu, view)]);
    }

    fn counts_bits(&self) -> bool {
        congestion_points!(dispatch! [Congestion, self, point => point.counts_bits()])
    }

    fn error_report(&self, pdu: &Pdu) -> Option<Answer> {
        congestion_points!(dispatch! [Congestion, self, point => point.error_report(pdu)])
    }

    fn wants_departures(&self) -> bool {
        congestion_points!(dispatch! [Congestion, self, point => point.wants_departures()])
    }

    fn wants_backward(&self) -> bool {
        congestion_points!(dispatch! [Congestion, self, point => point.wants_backward()])
    }

    fn notifies(&self) -> bool {
        congestion_points!(dispatch! [Congestion, self, point => point.notifies()])
    }

    fn readings(&mut self, now: Time, each: &mut dyn FnMut(&'static str, f64)) {
        congestion_points!(dispatch! [Congestion, self, point => point.readings(now, each)]);
    }
}

impl NotificationPoint for Notification {
    fn on_pdu(&mut self, pdu: &Pdu, now: Time) -> Option<Answer> {
        notification_points!(dispatch! [Notification, self, point => point.on_pdu(pdu, now)])
    }

    fn queueing(&self) -> Option<AnswerQueueing> {
        notification_points!(dispatch! [Notification, self, point => point.queueing()])
    }
}

impl RateScale for Reaction {
    fn begin_session(&mut self, now: Time) {
        reaction_points!(dispatch! [Reaction, self, point => point.begin_session(now)]);
    }

    #[inline]
    fn factor(&mut self, now: Time) -> f64 {
        reaction_points!(dispatch! [Reaction, self, point => point.factor(now)])
    }

    fn resumes(&mut self, now: Time) -> Time {
        reaction_points!(dispatch! [Reaction, self, point => point.resumes(now)])
    }
}

impl ReactionPoint for Reaction {
    fn sends(&self) -> bool {
        reaction_points!(dispatch! [Reaction, self, point => point.sends()])
    }

    fn on_feedback(&mut self, pdu: &Pdu, now: Time) {
        reaction_points!(dispatch! [Reaction, self, point => point.on_feedback(pdu, now)]);
    }

    fn on_send(&mut self, pdu: &mut Pdu, now: Time) {
        reaction_points!(dispatch! [Reaction, self, point => point.on_send(pdu, now)]);
    }

    fn choose(&mut self, ready: Ready, now: Time) -> Next {
        reaction_points!(dispatch! [Reaction, self, point => point.choose(ready, now)])
    }

    fn allowance(&mut self, now: Time) -> Allowance {
        reaction_points!(dispatch! [Reaction, self, point => point.allowance(now)])
    }

    fn readings(&mut self, now: Time, each: &mut dyn FnMut(&'static str, f64)) {
        reaction_points!(dispatch! [Reaction, self, point => point.readings(now, each)]);
    }

    fn obeyed(&self) -> [u64; 4] {
        reaction_points!(dispatch! [Reaction, self, point => point.obeyed()])
    }

    fn levels(&self, now: Time) -> Vec<(f64, Span)> {
        reaction_points!(dispatch! [Reaction, self, point => point.levels(now)])
    }

    fn reset_measures(&mut self, now: Time) {
        reaction_points!(dispatch! [Reaction, self, point => point.reset_measures(now)]);
    }
}
