//! The network: nodes, and what they share.
//!
//! A node never calls another. It takes what its lanes bring before a [`Key`] up to which nothing more can come, does
//! what its timers say meanwhile, and puts what goes on into the lanes of the next nodes.

pub mod context;
pub mod hosts;
pub mod inbox;
pub mod lane;
pub mod policer_node;
pub mod port;
pub mod queue_state;
pub mod receiver;
pub mod sinks;
#[cfg(test)]
pub(crate) mod testing;

use crate::core::pdu::Pdu;
use crate::core::probe::Probe;
use crate::core::time::Time;
use context::Ctx;
use hosts::Hosts;
use inbox::Inbox;
use lane::Key;
use policer_node::PolicerNode;
use port::Port;
use sinks::Sinks;

/// Every kind of node. Boxed: the kinds differ much in size.
#[derive(Clone, Debug)]
pub enum Node {
    /// Hosts that send into one port.
    Hosts(Box<Hosts>),
    /// Output port of a switch with its line.
    Port(Box<Port>),
    /// The policers at the end of one line.
    Policers(Box<PolicerNode>),
    /// Receivers at the end of one line that only measure.
    Sinks(Box<Sinks>),
}

impl Node {
    /// Does everything that happens before `until`; nothing that arrives before it is still to come.
    pub fn run<P: Probe>(&mut self, inbox: &Inbox, until: Key, ctx: &mut Ctx<P>) {
        match self {
            Node::Hosts(hosts) => hosts.run(inbox, until, ctx),
            Node::Port(port) => port.run(inbox, until, ctx),
            Node::Policers(policers) => policers.run(inbox, until, ctx),
            Node::Sinks(sinks) => sinks.run(inbox, until, ctx),
        }
    }

    /// When one of its own timers next expires, whatever its lanes bring.
    #[inline]
    #[must_use]
    pub fn due(&self) -> Time {
        match self {
            Node::Hosts(hosts) => hosts.due(),
            _ => self.timer().time,
        }
    }

    /// When one of its own timers next expires, among equal times too.
    #[must_use]
    pub fn timer(&self) -> Key {
        match self {
            Node::Hosts(hosts) => hosts.timer(),
            Node::Port(port) => port.timer(),
            Node::Policers(policers) => policers.timer(),
            Node::Sinks(_) => Key::NEVER,
        }
    }

    /// The earliest arrival at the end of its line, or of its hosts' access lines, of what enters it from `from` on.
    #[inline]
    #[must_use]
    pub fn line_bound(&self, from: Time) -> Time {
        match self {
            Node::Hosts(hosts) => hosts.line_bound(from),
            Node::Port(port) => port.line_bound(from),
            Node::Policers(_) | Node::Sinks(_) => from,
        }
    }

    /// Shows every PDU that it holds itself: waiting, or on an access line.
    pub fn held(&self, each: &mut dyn FnMut(&Pdu)) {
        match self {
            Node::Hosts(hosts) => hosts.held(each),
            Node::Port(port) => port.held(each),
            Node::Policers(policers) => policers.held(each),
            Node::Sinks(_) => {}
        }
    }
}
