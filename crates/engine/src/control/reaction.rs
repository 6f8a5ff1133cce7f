//! Reaction points: what a scheme does at the sending host.

use super::answer::Answer;
use super::satellite::slowdowns::Slowdowns;
use crate::core::class::Broken;
use crate::core::error::Fault;
use crate::core::feedback::define_feedback;
use crate::core::pdu::Pdu;
use crate::core::random::Stream;
use crate::core::reading::Each;
use crate::core::roles::{define_role, dispatch, forward, role_trait};
use crate::core::time::{LineRate, Span, Time};
use crate::traffic::RateScale;

/// PDUs that are ready to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    /// Data of the flow.
    pub data: bool,
    /// An answer of the receiver of the same host.
    pub answer: bool,
}

/// Which PDU a sender sends next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next {
    /// A PDU of the scheme, such as an RM cell.
    Own(Answer),
    /// The oldest answer that waits.
    Answer,
    /// Data.
    Data,
}

/// What a sender may do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Allowance {
    /// Send each PDU when the traffic model produces it. (The factor scales the traffic model itself.)
    AsProduced,
    /// At most this many bits per second. The gap of a PDU begins at its start.
    Rate(f64),
    /// The next PDU not before this instant. The answer is valid until a PDU is sent or feedback arrives.
    From(Time),
    /// No data now. A PDU of the scheme may be sent from `own` on, if data or an answer are ready, and an answer from
    /// `answer` on. Both times are valid until a PDU is sent or feedback arrives.
    Apart {
        /// Earliest time of a PDU of the scheme.
        own: Time,
        /// Earliest time of an answer of the receiver of the same host.
        answer: Time,
    },
    /// Send while the window is open. The reaction point counts unacknowledged PDUs.
    Window {
        /// Whether one more PDU may be sent now.
        open: bool,
    },
}

/// The environment of a reaction point.
#[derive(Clone, Debug)]
pub struct SenderEnv {
    /// Its own random numbers.
    pub stream: Stream,
    /// Twice the path's propagation delay.
    pub round_trip: Span,
    /// Rate of the first line on the path that has a rate.
    pub line_rate: LineRate,
    /// The smallest equal share of a line on the path among the flows that its port controls, bits per second.
    pub equal_share: f64,
    /// Octets of one PDU of the flow.
    pub octets: u16,
}

/// What a change does of a parameter by which a source answers feedback.
pub(super) const RETUNED_FEEDBACK: &str = "It holds from the next feedback on.";
/// What a change of a peak rate does.
pub(super) const RETUNED_PEAK: &str = "A higher allowed rate falls to it at once. A lower one rises by feedback.";
/// What a change of the order of cells does.
pub(super) const RETUNED_ORDER: &str = "It holds from the next cell on. The cells since the last RM cell count.";

reaction_points!(define_role! [ReactionParams Reaction SenderEnv, boxed]);
reaction_points!(define_feedback![ReactionParams]);

impl RateScale for Reaction {
    forward! { Reaction reaction_points [] begin_session (&mut self, now: Time) [] }
    forward! { Reaction reaction_points [] end_session (&mut self, at: Time) [] }
    forward! { Reaction reaction_points [#[inline]] factor (&mut self, now: Time) [-> f64] }
    forward! { Reaction reaction_points [] resumes (&mut self, now: Time) [-> Time] }
}

role_trait! {
    /// The sender's part of a scheme, for one flow. Its [`RateScale`] scales traffic that has a nominal rate.
    pub trait ReactionPoint: RateScale for Reaction by reaction_points {
        required
        provided
        /// Whether it controls the sending (`on_send`, `choose`, `allowance`), and not only the factor on the traffic.
        fn sends(&self) -> bool { false }
        /// Whether it scales the nominal rate of the traffic.
        fn scales(&self) -> bool { false }
        /// A backward PDU arrived: notice, RM cell, acknowledgement.
        fn on_feedback(&mut self, pdu: &Pdu, now: Time) {}
        /// `pdu` is about to be sent. The scheme may change it.
        fn on_send(&mut self, pdu: &mut Pdu, now: Time) {}
        /// The PDU to send next, of those that are `ready` (at least one is). The call changes no state; `on_send` follows.
        fn choose(&mut self, ready: Ready, now: Time) -> Next {
            if ready.answer { Next::Answer } else { Next::Data }
        }
        /// What may be sent at `now`.
        fn allowance(&mut self, now: Time) -> Allowance { Allowance::AsProduced }
        /// Named readings for a time series: factor, rate, window.
        fn readings(&self, now: Time, each: &mut Each<'_>) {}
        /// Why it is not called any more: a fault of a class in Python.
        fn broken(&self) -> Option<&Broken> { None }
        /// Notices obeyed so far, by severity.
        fn obeyed(&self) -> [u64; 4] { [0; 4] }
        /// The rate of each level as a share of the line's, the highest first, and the time spent at it. Empty without
        /// levels.
        fn levels(&self, now: Time) -> Vec<(f64, Span)> { Vec::new() }
        /// How long its sessions were below each tenth of their nominal rate, until `now`. `None` if it scales no rate.
        fn slowdowns(&self, now: Time) -> Option<Slowdowns> { None }
        /// Takes other parameters of the same kind. Only those can differ that the schema marks as `retune`. The state stays,
        /// and so does what it derived from the network at its start.
        fn retune(&mut self, params: &ReactionParams, now: Time) {}
        /// Starts the measures afresh. The state stays.
        fn reset_measures(&mut self, now: Time) {}
    }
}

role_trait! {
    /// The parameters of a reaction point, as the assembly reads them.
    pub trait ReactionPointParams for ReactionParams by reaction_points {
        required
        provided
        /// The rate that the network guarantees the flow (MCR) behind a first line of `line_rate`, in bits per second.
        fn minimum(&self, line_rate: LineRate) -> f64 { 0.0 }
        /// The shortest round trip that it can derive from its path, and the reason to refuse a shorter one. `None` if it
        /// derives none.
        fn least_round_trip(&self) -> Option<(Span, &'static str)> { None }
        /// The first fault of its times in a slotted model, with the path below the parameters.
        fn check_slotted(&self) -> Result<(), Fault> { Ok(()) }
        /// Whether it only scales the nominal rate of the traffic. Then it controls no traffic without one.
        fn only_scales(&self) -> bool { false }
        /// The most PDUs that it lets be unacknowledged, if it never sends a lost PDU again: after a loss it stalls.
        fn stalls_after_loss(&self) -> Option<u64> { None }
        /// How many of its PDUs have one RM cell among them, with the key of that number, if nothing else sends RM cells.
        fn pdus_per_rm_cell(&self) -> Option<(&'static str, u32)> { None }
        /// Whether it may empty a queue of cells at the source that a byte stream fills: it allows a rate, and decides by nothing
        /// but its own cells and those that come back to it.
        fn empties_queues(&self) -> bool { false }
        /// Upper bound of the factor on the nominal rate.
        fn highest_factor(&self) -> f64 { 1.0 }
    }
}
