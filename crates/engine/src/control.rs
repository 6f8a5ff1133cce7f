//! The three points of a congestion control scheme, in the words of IEEE 802.1Qau, and one file per algorithm.
//!
//! - [`CongestionPoint`], at a port: detects congestion; marks PDUs, reduces explicit rates, or notifies sources.
//! - [`NotificationPoint`], at the receiving host: answers what arrives with feedback.
//! - [`ReactionPoint`], at the sending host: applies feedback to what the host sends.
//!
//! A scheme implements the points that it needs. By default every method does nothing.

mod abr;
mod answer;
mod atn;
mod becn;
#[cfg(test)]
mod conformance;
mod congestion;
mod fixed_window;
mod notification;
mod reaction;
mod satellite;
mod uncontrolled;
mod work;

pub use answer::Answer;
pub use congestion::{
    Congestion, CongestionParams, CongestionPoint, CongestionPointParams, FlowTerms, Notice, PortEnv, PortNeeds,
    PortView,
};
pub use notification::{
    AnswerQueueing, Notification, NotificationParams, NotificationPoint, NotificationPointParams, ReceiverEnv,
};
pub use reaction::{Allowance, Next, Reaction, ReactionParams, ReactionPoint, ReactionPointParams, Ready, SenderEnv};
pub use work::{WithPoint, WithRateScale, WithReaction};
