//! The three points of a congestion control scheme, in the words of IEEE 802.1Qau, and one file per algorithm.
//!
//! - [`CongestionPoint`], at a port: sees congestion; marks PDUs, lowers explicit rates, or tells sources.
//! - [`NotificationPoint`], at the receiving End: turns what arrived into feedback.
//! - [`ReactionPoint`], at the sending End: lets feedback bear on what is sent.
//!
//! A scheme implements those it needs; every method defaults to nothing.

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::core::error::Fault;
use crate::core::pdu::{Body, FlowId, Marks, Pdu};
use crate::core::random::Stream;
use crate::core::roles::{define_role, dispatch};
use crate::core::time::{LineRate, Rate, Span, Time};
use crate::traffic::Pace;

mod abr;
mod atn;
mod becn;
#[cfg(test)]
mod conformance;
mod fixed_window;
mod satellite;
mod uncontrolled;
mod work;

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

/// The switch's part of a scheme, at one port.
pub trait CongestionPoint {
    /// `pdu` arrives, to be queued or (as the view tells) refused. The port sends a returned notice to its source.
    fn on_arrival(&mut self, _pdu: &mut Pdu, _view: &PortView) -> Option<Notice> {
        None
    }
    /// `pdu`, which arrived now or waited, is discarded.
    fn on_discard(&mut self, _pdu: &Pdu, _view: &PortView) -> Option<Notice> {
        None
    }
    /// `pdu` leaves the queue for the line. Called only if `wants_departures`.
    fn on_departure(&mut self, _pdu: &mut Pdu, _view: &PortView) {}
    /// `pdu` of a flow that leaves through this port passes on its way back. Called only if `wants_backward`.
    fn on_backward(&mut self, _pdu: &mut Pdu, _view: &PortView) {}
    /// Whether its view shows lengths in bits.
    fn counts_bits(&self) -> bool {
        false
    }
    /// What a notice about `pdu` looks like, where it is not a cell to the flow's source: it goes back the way `pdu` came.
    fn error_report(&self, _pdu: &Pdu) -> Option<Answer> {
        None
    }
    /// Whether departures must be shown; they cost the true instant of each.
    fn wants_departures(&self) -> bool {
        false
    }
    /// Whether PDUs on their way back must be shown.
    fn wants_backward(&self) -> bool {
        false
    }
    /// Whether it may ever return a notice; sources that it may tell bear on how far others can run ahead.
    fn notifies(&self) -> bool {
        true
    }
    /// Named readings for a time series: filtered rates, averages, thresholds.
    fn readings(&mut self, _now: Time, _each: &mut dyn FnMut(&'static str, f64)) {}
}

/// What a receiver sends back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// Contents.
    pub body: Body,
    /// Marks, beside DIR which the End sets.
    pub marks: Marks,
    /// Length in octets.
    pub octets: u16,
}

/// What an answer does that waits for the End's own sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It takes the place of an older one that still waits.
    Overwrite,
    /// It waits behind the older ones.
    Queue,
}

/// The receiver's part of a scheme, for one flow.
pub trait NotificationPoint {
    /// `pdu` arrived; the End sends a returned answer back.
    fn on_pdu(&mut self, _pdu: &Pdu, _now: Time) -> Option<Answer> {
        None
    }
    /// How answers wait for the sender of the same End, whose scheme chooses when they go. `None`: they go at once, as
    /// they do where the End sends nothing of its own.
    fn turn(&self) -> Option<Turn> {
        None
    }
}

/// What is there to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    /// Data of the flow.
    pub data: bool,
    /// An answer of the receiver at the same End.
    pub turned: bool,
}

/// Which PDU a sender sends next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next {
    /// The scheme's own, as an RM cell.
    Own(Answer),
    /// The oldest answer that waits.
    Turned,
    /// Data.
    Data,
}

/// What a sender may do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Allowance {
    /// Send whatever the traffic produces, when it produces it. (The factor bears on the traffic itself.)
    AsProduced,
    /// At most so many bits per second, each PDU's gap counted from its start.
    Rate(f64),
    /// The next PDU not before this instant, whenever asked: until one is sent, or feedback comes.
    From(Time),
    /// Send while fewer than this many PDUs are unacknowledged; the reaction point counts them.
    Window {
        /// Whether one more may go now.
        open: bool,
    },
}

/// The sender's part of a scheme, for one flow. Its [`Pace`] bears on traffic that is generated at a nominal rate.
pub trait ReactionPoint: Pace {
    /// Whether it bears on the sending itself (`on_send`, `choose`, `allowance`), not on the traffic's factor alone.
    fn sends(&self) -> bool {
        false
    }
    /// A backward PDU arrived: notice, RM cell, acknowledgement.
    fn on_feedback(&mut self, _pdu: &Pdu, _now: Time) {}
    /// `pdu` is about to be sent; the scheme may write into it.
    fn on_send(&mut self, _pdu: &mut Pdu, _now: Time) {}
    /// Which PDU goes next, of what is `ready` (something is). To ask changes nothing; `on_send` follows.
    fn choose(&mut self, ready: Ready, _now: Time) -> Next {
        if ready.turned { Next::Turned } else { Next::Data }
    }
    /// What may be sent at `now`.
    fn allowance(&mut self, _now: Time) -> Allowance {
        Allowance::AsProduced
    }
    /// Named readings for a time series: factor, rate, window.
    fn readings(&mut self, _now: Time, _each: &mut dyn FnMut(&'static str, f64)) {}
    /// Notices obeyed so far, by severity.
    fn obeyed(&self) -> [u64; 4] {
        [0; 4]
    }
    /// Time that was spent at each level of a rate with levels, the highest first, and that rate as a share of the
    /// line's; none without levels.
    fn levels(&self, _now: Time) -> Vec<(f64, Span)> {
        Vec::new()
    }
    /// Forgets what was measured; the state stays.
    fn reset_measures(&mut self, _now: Time) {}
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
pub struct PortSurroundings {
    /// Rate of the port's line.
    pub rate: Rate,
    /// Number of the port's queues; traffic under control has the last, whatever the others hold goes first.
    pub queues: usize,
    /// Every flow of the network.
    pub flows: Arc<[FlowTerms]>,
}

/// What a notification point is built into.
#[derive(Clone, Copy, Debug)]
pub struct ReceiverSurroundings {
    /// Number of the node, for [`Body::Notice`].
    pub node: u32,
    /// Twice the path's propagation delay.
    pub round_trip: Span,
    /// Octets of one PDU of the flow.
    pub octets: u16,
}

/// What a reaction point is built into.
#[derive(Clone, Debug)]
pub struct SenderSurroundings {
    /// Its own random numbers.
    pub stream: Stream,
    /// Twice the path's propagation delay.
    pub round_trip: Span,
    /// Rate of the first line that has one.
    pub line_rate: LineRate,
    /// Octets of one PDU of the flow.
    pub octets: u16,
}

/// When each source may next be told, so that a congestion point spaces its notices.
#[derive(Clone, Debug)]
struct Spacing {
    spacing: Span,
    free_from: Vec<Time>,
}

impl Spacing {
    fn new(spacing: Span, flows: usize) -> Spacing {
        Spacing { spacing, free_from: vec![Time::ZERO; flows] }
    }

    /// Tells the source of `pdu`, if that carries user data and the last notice lies more than the spacing back.
    fn tell(&mut self, pdu: &Pdu, now: Time, severity: u8) -> Option<Notice> {
        let free_from = self.free_from.get_mut(pdu.flow.index())?;
        if now < *free_from || !pdu.kind().is_data() {
            return None;
        }
        // A notice exactly the spacing after the last is still too early.
        *free_from = now + self.spacing + Span(1);
        Some(Notice { severity })
    }
}

/// Finds fault with a ratio outside `range`, as NaN always is.
fn check_ratio(path: &str, value: f64, range: RangeInclusive<f64>) -> Result<(), Fault> {
    if range.contains(&value) {
        return Ok(());
    }
    let limits = format!("a number from {} to {}", range.start(), range.end());
    Err(Fault::new(path, value, format!("it must be {limits}"), format!("write {limits}")))
}

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

pub use work::{WithPace, WithPoint, WithReaction};
use {congestion_points, reaction_points};

congestion_points!(define_role! [CongestionParams Congestion PortSurroundings]);
notification_points!(define_role! [NotificationParams Notification ReceiverSurroundings]);
reaction_points!(define_role! [ReactionParams Reaction SenderSurroundings]);

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

    fn turn(&self) -> Option<Turn> {
        notification_points!(dispatch! [Notification, self, point => point.turn()])
    }
}

impl Pace for Reaction {
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
