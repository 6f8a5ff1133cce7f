//! The three points of a congestion control scheme, in the words of IEEE 802.1Qau: what each is asked, what it answers,
//! and what it is built into.

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::core::error::Fault;
use crate::core::pdu::{Body, FlowId, Marks, Pdu};
use crate::core::random::Stream;
use crate::core::time::{LineRate, Rate, Span, Time};
use crate::traffic::RateScale;

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
pub enum AnswerQueueing {
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
    fn queueing(&self) -> Option<AnswerQueueing> {
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

/// The sender's part of a scheme, for one flow. Its [`RateScale`] bears on traffic that is generated at a nominal rate.
pub trait ReactionPoint: RateScale {
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
pub struct PortEnv {
    /// Rate of the port's line.
    pub rate: Rate,
    /// Number of the port's queues; traffic under control has the last, whatever the others hold goes first.
    pub queues: usize,
    /// Every flow of the network.
    pub flows: Arc<[FlowTerms]>,
}

/// What a notification point is built into.
#[derive(Clone, Copy, Debug)]
pub struct ReceiverEnv {
    /// Number of the node, for [`Body::Notice`].
    pub node: u32,
    /// Twice the path's propagation delay.
    pub round_trip: Span,
    /// Octets of one PDU of the flow.
    pub octets: u16,
}

/// What a reaction point is built into.
#[derive(Clone, Debug)]
pub struct SenderEnv {
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
pub(super) struct Spacing {
    spacing: Span,
    free_from: Vec<Time>,
}

impl Spacing {
    pub(super) fn new(spacing: Span, flows: usize) -> Spacing {
        Spacing { spacing, free_from: vec![Time::ZERO; flows] }
    }

    /// Tells the source of `pdu`, if that carries user data and the last notice lies more than the spacing back.
    pub(super) fn tell(&mut self, pdu: &Pdu, now: Time, severity: u8) -> Option<Notice> {
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
pub(super) fn check_ratio(path: &str, value: f64, range: RangeInclusive<f64>) -> Result<(), Fault> {
    if range.contains(&value) {
        return Ok(());
    }
    let limits = format!("a number from {} to {}", range.start(), range.end());
    Err(Fault::new(path, value, format!("it must be {limits}"), format!("write {limits}")))
}
