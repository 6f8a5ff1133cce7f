//! The network: nodes, lanes, and the state that nodes share.
//!
//! Nodes never call each other. A node runs up to a [`Key`]: no further PDU can arrive with an earlier one. The
//! node reads the records in its lanes, runs its timers, and appends records to the lanes of the next nodes.

pub mod agenda;
pub mod context;
pub mod downlinks;
pub mod hosts;
pub mod inbox;
pub mod lane;
pub mod policer_node;
pub mod port;
pub mod position;
pub mod receiver;
pub mod sinks;
#[cfg(test)]
pub(crate) mod testing;
mod touch;

use crate::core::key::Key;
use crate::core::pdu::Pdu;
use crate::core::probe::Probe;
use crate::core::time::Time;
use context::Ctx;
use downlinks::Downlinks;
use hosts::Hosts;
use inbox::Inbox;
use policer_node::PolicerNode;
use port::Port;
use sinks::Sinks;

/// Every kind of node. Boxed, because their sizes differ much.
#[derive(Clone, Debug)]
pub enum Node {
    /// Hosts that send into one port.
    Hosts(Box<Hosts>),
    /// The lines to these hosts.
    Downlinks(Box<Downlinks>),
    /// Output port of a switch with its line.
    Port(Box<Port>),
    /// The policers at the end of one line.
    Policers(Box<PolicerNode>),
    /// Receivers at the end of one line that only measure.
    Sinks(Box<Sinks>),
}

impl Node {
    /// Handles everything that happens before `until`. The caller guarantees that no record before `until` is missing.
    pub fn run<P: Probe>(&mut self, inbox: &Inbox, until: Key, ctx: &mut Ctx<P>) {
        match self {
            Node::Hosts(hosts) => hosts.run(inbox, until, ctx),
            Node::Downlinks(downlinks) => downlinks.run(inbox, until, ctx),
            Node::Port(port) => port.run(inbox, until, ctx),
            Node::Policers(policers) => policers.run(inbox, until, ctx),
            Node::Sinks(sinks) => sinks.run(inbox, until, ctx),
        }
    }

    /// Time of its next timer, regardless of its lanes.
    #[inline]
    #[must_use]
    pub fn due(&self) -> Time {
        match self {
            Node::Hosts(hosts) => hosts.due(),
            _ => self.timer().time,
        }
    }

    /// Key of its next timer.
    #[must_use]
    pub fn timer(&self) -> Key {
        match self {
            Node::Hosts(hosts) => hosts.timer(),
            Node::Downlinks(downlinks) => Key::start_of(downlinks.due()),
            Node::Port(port) => port.timer(),
            Node::Policers(policers) => policers.timer(),
            Node::Sinks(_) => Key::NEVER,
        }
    }

    /// Lower bound of the time at which a PDU that enters the node at `from` or later reaches the end of its line (or of
    /// its hosts' access lines).
    #[inline]
    #[must_use]
    pub fn line_bound(&self, from: Time) -> Time {
        match self {
            Node::Hosts(hosts) => hosts.line_bound(from),
            Node::Downlinks(downlinks) => downlinks.line_bound(from),
            Node::Port(port) => port.line_bound(from),
            Node::Policers(_) | Node::Sinks(_) => from,
        }
    }

    /// Calls `each` for every PDU that the node itself stores: in a queue, or on an access line.
    pub fn held(&self, each: &mut dyn FnMut(&Pdu)) {
        match self {
            Node::Hosts(hosts) => hosts.held().for_each(|record| each(&record.pdu)),
            Node::Downlinks(downlinks) => downlinks.held().for_each(|record| each(&record.pdu)),
            Node::Port(port) => port.held(each),
            Node::Policers(policers) => policers.held(each),
            Node::Sinks(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
