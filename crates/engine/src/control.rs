//! The three points of a congestion control scheme, in the words of IEEE 802.1Qau, and one file per algorithm.
//!
//! - [`CongestionPoint`], at a port: sees congestion; marks PDUs, lowers explicit rates, or tells sources.
//! - [`NotificationPoint`], at the receiving End: turns what arrived into feedback.
//! - [`ReactionPoint`], at the sending End: lets feedback bear on what is sent.
//!
//! A scheme implements those it needs; every method defaults to nothing.

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
