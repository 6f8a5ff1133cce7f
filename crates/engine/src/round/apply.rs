//! Makes changes of the network at a stop, after all events of its instant.

use super::{FIRST_WINDOW, Location, Retune, World};
use crate::core::probe::Probe;
use crate::network::Node;
use crate::network::hosts::Hosts;
use crate::network::port::Port;

impl<P: Probe> World<P> {
    /// Makes these changes together, after all events of the present instant.
    pub fn retune(&mut self, changes: &[Retune]) {
        for change in changes {
            self.retune_part(change);
        }
        // A change may move the next turn of any node, and make the next round larger than any before.
        self.turns.forget_plans();
        self.window = self.window.min(FIRST_WINDOW);
    }

    fn retune_part(&mut self, change: &Retune) {
        let now = self.clock;
        match change {
            Retune::Rate { port, rate } => self.change_rate(*port, *rate),
            Retune::Delay { port, delay } => {
                if let Some(node) = self.ports.node(*port)
                    && let Node::Port(port) = &mut self.processes[node as usize].node
                {
                    port.change_delay(*delay, now, &mut self.ctx.lanes);
                }
            }
            Retune::Outage { port, outage } => self.port_mut(*port, |port| port.set_outage(*outage)),
            Retune::Queue { port, queue, params } => {
                self.port_mut(*port, |port| port.retune_queue(*queue, params, now))
            }
            Retune::Buffer { port, params } => self.port_mut(*port, |port| port.retune_buffer(params)),
            Retune::Point { port, params, env } => self.port_mut(*port, |port| port.retune_point(params, env, now)),
            Retune::Active { group, is_active } => self.each_end(*group, 0, |hosts, host| {
                hosts.set_active(host.index, *is_active, now);
            }),
            Retune::Sender { group, traffic, reaction } => self.each_end(*group, 0, |hosts, host| {
                hosts.retune_sender(host.index, traffic.as_deref(), reaction.as_deref(), now);
            }),
            Retune::Transport { group, params } => {
                for end in [0, 1] {
                    self.each_end(*group, end, |hosts, host| {
                        hosts.retune_transport((host.index, host.part), params, now)
                    });
                }
            }
            Retune::Receiver { group, params } => self.each_end(*group, 1, |hosts, host| {
                hosts.retune_receiver(host.index, params, now);
            }),
        }
    }

    /// Changes the hosts at one end of every flow of a group: 0 is that of the senders. A receiver that only measures has
    /// no host.
    fn each_end(&mut self, group: usize, end: usize, change: impl Fn(&mut Hosts, Location)) {
        // The flows of a group stand together, group after group.
        let first = self.flows.partition_point(|flow| (flow.group as usize) < group);
        for flow in self.flows[first..].iter().take_while(|flow| flow.group as usize == group) {
            if let Some(location) = self.endpoints[flow.endpoints[end] as usize]
                && let Node::Hosts(hosts) = &mut self.processes[location.process as usize].node
            {
                change(hosts, location);
            }
        }
    }

    fn port_mut(&mut self, port: usize, change: impl FnOnce(&mut Port)) {
        if let Some(node) = self.ports.node(port)
            && let Node::Port(port) = &mut self.processes[node as usize].node
        {
            change(port);
        }
    }
}
