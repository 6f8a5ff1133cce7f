//! Other parameters of the network during a run.

use std::sync::Arc;

use crate::control::{CongestionParams, NotificationParams, PortEnv, ReactionParams};
use crate::core::time::{Interval, LineRate, Span};
use crate::network::port::buffer;
use crate::{queue, traffic, transport};

/// One part of the network, or that of every flow of a group, and its new parameters. Ports and groups are given by
/// number.
#[derive(Clone, Debug)]
pub enum Retune {
    /// The rate of the line of a port.
    Rate {
        /// The port.
        port: usize,
        /// The new rate.
        rate: LineRate,
    },
    /// The propagation delay of the line of a port.
    Delay {
        /// The port.
        port: usize,
        /// The new delay.
        delay: Span,
    },
    /// The interval in which the line of a port is broken.
    Outage {
        /// The port.
        port: usize,
        /// The new interval, or none.
        outage: Option<Interval>,
    },
    /// The policy of a queue.
    Queue {
        /// The port.
        port: usize,
        /// The queue, by priority.
        queue: usize,
        /// Its new parameters, of the same policy.
        params: queue::Params,
    },
    /// The buffer that the queues of a port share.
    Buffer {
        /// The port.
        port: usize,
        /// Its new parameters, of the same kind.
        params: buffer::Params,
    },
    /// A congestion point.
    Point {
        /// The port.
        port: usize,
        /// Its new parameters, of the same kind.
        params: Box<CongestionParams>,
        /// The environment of the point after the change.
        env: PortEnv,
    },
    /// Whether senders are active.
    Active {
        /// Their group.
        group: usize,
        /// Whether they are.
        is_active: bool,
    },
    /// Senders.
    Sender {
        /// Their group.
        group: usize,
        /// The new parameters of their traffic, of the same kind, if they change.
        traffic: Option<Arc<traffic::Params>>,
        /// The new parameters of their reaction points, of the same kind, if they change.
        reaction: Option<Arc<ReactionParams>>,
    },
    /// Both ends of transports.
    Transport {
        /// The group of their flows.
        group: usize,
        /// Their new parameters, of the same protocol.
        params: Arc<transport::Params>,
    },
    /// Notification points.
    Receiver {
        /// The group of their flows.
        group: usize,
        /// Their new parameters, of the same kind.
        params: Arc<NotificationParams>,
    },
}
