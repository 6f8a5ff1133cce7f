//! Notification points: what a scheme does at the receiving host.

use super::answer::Answer;
use crate::core::class::Broken;
use crate::core::feedback::{Signals, define_feedback};
use crate::core::pdu::{CELL_OCTETS, Pdu};
use crate::core::roles::{define_role, dispatch, role_trait};
use crate::core::time::{LineRate, Span, Time};

/// How answers wait for the sender of the same host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerQueueing {
    /// A new answer replaces an older one that still waits.
    Overwrite,
    /// A new answer waits behind the older ones.
    Queue,
}

/// PDUs of files that arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileArrivals {
    /// For the first time.
    pub accepted: u64,
    /// Again.
    pub duplicates: u64,
}

/// The environment of a notification point.
#[derive(Clone, Copy, Debug)]
pub struct ReceiverEnv {
    /// Number of the node, for [`Body::Notice`](crate::core::pdu::Body::Notice).
    pub node: u32,
    /// Twice the path's propagation delay.
    pub round_trip: Span,
    /// Rate of the first line on the path that has a rate.
    pub line_rate: LineRate,
    /// Octets of one PDU of the flow.
    pub octets: u16,
}

notification_points!(define_role! [NotificationParams Notification ReceiverEnv, boxed]);
notification_points!(define_feedback![NotificationParams]);

role_trait! {
    /// The receiver's part of a scheme, for one flow.
    pub trait NotificationPoint for Notification by notification_points {
        required
        provided
        /// `pdu` arrived. The host sends a returned answer back.
        fn on_pdu(&mut self, pdu: &Pdu, now: Time) -> Option<Answer> { None }
        /// A further answer to the PDU that arrived last, after its first.
        fn further_answer(&mut self) -> Option<Answer> { None }
        /// The PDUs of files that arrived since the last reset, if it tells new ones from duplicates.
        fn file_arrivals(&self) -> Option<FileArrivals> { None }
        /// Takes other parameters of the same kind. Only those can differ that the schema marks as `retune`. The state stays.
        fn retune(&mut self, params: &NotificationParams, now: Time) {}
        /// Starts the measures afresh. The state stays.
        fn reset_measures(&mut self) {}
        /// Why it is not called any more: a fault of a class in Python.
        fn broken(&self) -> Option<&Broken> { None }
        /// How answers wait for the sender of the same host, whose scheme decides when they are sent. `None` sends them at
        /// once, as does a host that sends no flow.
        fn queueing(&self) -> Option<AnswerQueueing> { None }
    }
}

role_trait! {
    /// The parameters of a notification point, as the assembly reads them.
    pub trait NotificationPointParams for NotificationParams by notification_points {
        required
        /// What it sends if it hears `heard`, which may be nothing.
        fn answers(&self, heard: Signals) -> Signals;

        provided
        /// Octets of its shortest answer.
        fn least_octets(&self) -> u16 { CELL_OCTETS }
    }
}
