//! Notification points: what a scheme does at the receiving host.

use super::answer::Answer;
use crate::core::pdu::{CELL_OCTETS, Pdu};
use crate::core::roles::{define_role, dispatch, role_trait};
use crate::core::time::{Span, Time};

/// What an answer does that waits for the End's own sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerQueueing {
    /// It takes the place of an older one that still waits.
    Overwrite,
    /// It waits behind the older ones.
    Queue,
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

/// Every notification point: one line, one keyword of the scenario file.
macro_rules! notification_points {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// Acknowledges every PDU.
            acknowledge Acknowledge = super::fixed_window::AcknowledgeParams => super::fixed_window::Acknowledge;
            /// Tells the source when many of its cells arrive marked EFCI.
            forward_notice ForwardNotice = super::satellite::forward_notice::Params => super::satellite::forward_notice::ForwardNotice;
            /// Turns RM cells round (destination of the available bit rate service).
            turn_round TurnRound = super::abr::destination::Params => super::abr::destination::TurnRound;
        }
    };
}

notification_points!(define_role! [NotificationParams Notification ReceiverEnv]);

role_trait! {
    /// The receiver's part of a scheme, for one flow.
    pub trait NotificationPoint for Notification by notification_points {
        required
        provided
        /// `pdu` arrived. The host sends a returned answer back.
        fn on_pdu(&mut self, pdu: &Pdu, now: Time) -> Option<Answer> { None }
        /// How answers wait for the sender of the same host, whose scheme chooses when they go. `None`: they go at once,
        /// as they do if the host sends no flow of its own.
        fn queueing(&self) -> Option<AnswerQueueing> { None }
    }
}

role_trait! {
    /// What the network must know of the parameters of a notification point.
    pub trait NotificationPointParams for NotificationParams by notification_points {
        required
        provided
        /// Octets of its shortest answer.
        fn least_octets(&self) -> u16 { CELL_OCTETS }
    }
}
