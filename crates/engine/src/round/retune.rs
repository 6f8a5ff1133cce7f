//! Other parameters of the network during a run.

use super::World;
use crate::control::{CongestionParams, PortEnv};
use crate::core::probe::Probe;
use crate::core::time::{Interval, LineRate, Span};
use crate::network::Node;
use crate::network::port::Port;
use crate::queue;

/// One part of the network, and its new parameters. Ports and endpoints are given by number.
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
    /// A congestion point.
    Point {
        /// The port.
        port: usize,
        /// Its new parameters, of the same kind.
        params: Box<CongestionParams>,
        /// The environment of the point after the change.
        env: PortEnv,
    },
    /// Whether a sender is active.
    Active {
        /// The endpoint of the sender.
        endpoint: usize,
        /// Whether it is.
        is_active: bool,
    },
}

impl<P: Probe> World<P> {
    /// Makes these changes together, after all events of the present instant.
    pub fn retune(&mut self, changes: &[Retune]) {
        for change in changes {
            self.retune_part(change);
        }
        // A change may move the next turn of any node.
        self.turns.forget_plans();
    }

    fn retune_part(&mut self, change: &Retune) {
        let now = self.clock;
        match change {
            Retune::Rate { port, rate } => self.change_rate(*port, *rate),
            Retune::Delay { port, delay } => {
                if let Node::Port(port) = &mut self.processes[*port].node {
                    port.change_delay(*delay, now, &mut self.ctx.lanes);
                }
            }
            Retune::Outage { port, outage } => self.port_mut(*port, |port| port.set_outage(*outage)),
            Retune::Queue { port, queue, params } => self.port_mut(*port, |port| port.retune_queue(*queue, params)),
            Retune::Point { port, params, env } => self.port_mut(*port, |port| port.retune_point(params, env, now)),
            Retune::Active { endpoint, is_active } => {
                if let Some(location) = self.endpoints[*endpoint]
                    && let Node::Hosts(hosts) = &mut self.processes[location.process as usize].node
                {
                    hosts.set_active(location.index, *is_active, now);
                }
            }
        }
    }

    fn port_mut(&mut self, port: usize, change: impl FnOnce(&mut Port)) {
        if let Node::Port(port) = &mut self.processes[port].node {
            change(port);
        }
    }
}
