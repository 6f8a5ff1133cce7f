//! The three points of a scheme as classes in Python, in files of the user (`core/class.rs`).
//!
//! Their page: docs/models/python.md. A class may take the place of one point, beside points of the engine. It says itself what it
//! sends and hears.

use std::fmt;

use super::congestion::{CongestionParams, PortEnv};
use super::notification::{NotificationParams, ReceiverEnv};
use super::reaction::{ReactionParams, SenderEnv};
use crate::core::class::{self, Failure, hosted};

pub mod point;
pub mod receiver;
pub mod source;

/// What makes the points of a run from their classes.
pub type Host = class::Host<dyn Points>;

/// Makes instances of classes.
pub trait Points: fmt::Debug + Send + Sync {
    /// The congestion point of one port.
    ///
    /// # Errors
    /// If the file or the class is not as it must be, as in all of them.
    fn congestion_point(&self, params: &point::Params, env: &PortEnv) -> Result<Box<dyn point::Instance>, Failure>;
    /// The notification point of one flow.
    ///
    /// # Errors
    /// If the class cannot be run.
    fn notification_point(
        &self,
        params: &receiver::Params,
        env: &ReceiverEnv,
    ) -> Result<Box<dyn receiver::Instance>, Failure>;
    /// The reaction point of one flow, and its first decision.
    ///
    /// # Errors
    /// If the class cannot be run.
    fn reaction_point(
        &self,
        params: &source::Params,
        env: &SenderEnv,
    ) -> Result<(Box<dyn source::Instance>, source::Decision), Failure>;
}

hosted!(Host: CongestionParams NotificationParams ReactionParams);
