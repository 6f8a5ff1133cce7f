//! The three points of a scheme as classes in Python, in files of the user (`core/class.rs`).
//!
//! Their page: docs/models/python.md. A class may take the place of one point, beside points of the engine. It says itself what it
//! sends and hears. No remedy names it: a class is no part that one can add by its keyword alone.

use std::fmt;

use super::congestion::{CongestionParams, PortEnv};
use super::notification::{NotificationParams, ReceiverEnv};
use super::reaction::{ReactionParams, SenderEnv};
use crate::core::class::{self, Failure};

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

/// Parameters whose classes, if they are one, have their instances from a host.
macro_rules! hosted {
    ($($params:ident)*) => {$(
        impl $params {
            /// The same parameters, with the instances of a class from this host.
            #[must_use]
            pub fn hosted_by(&self, host: &Host) -> $params {
                let mut hosted = self.clone();
                if let $params::Python(class) = &mut hosted {
                    class.host.clone_from(host);
                }
                hosted
            }

            /// Whether it is a class.
            #[must_use]
            pub fn is_class(&self) -> bool {
                matches!(self, $params::Python(_))
            }
        }
    )*};
}

hosted!(CongestionParams NotificationParams ReactionParams);
