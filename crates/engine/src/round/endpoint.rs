//! Ends as those see them who read what was measured, whatever node they belong to.

use crate::network::hosts::Host;
use crate::network::hosts::sender::Sender;
use crate::network::hosts::transport::TransportHost;
use crate::network::receiver::Receiver;

/// Where an End stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Index of its node.
    pub process: u32,
    /// Its place there.
    pub index: u32,
}

/// One End, as those see it who read what was measured.
#[derive(Clone, Copy, Debug)]
pub enum Endpoint<'a> {
    /// A host.
    Host(&'a Host),
    /// A receiver that only measures.
    Sink(&'a Receiver),
    /// No PDU reaches it or leaves it.
    Unused,
}

impl<'a> Endpoint<'a> {
    /// What measures the data that arrive here, if any do.
    #[must_use]
    pub fn receiver(self) -> Option<&'a Receiver> {
        match self {
            Endpoint::Host(host) => host.receiver(),
            Endpoint::Sink(receiver) => Some(receiver),
            Endpoint::Unused => None,
        }
    }

    /// Its sending half.
    #[must_use]
    pub fn sender(self) -> Option<&'a Sender> {
        match self {
            Endpoint::Host(Host::Direct(end)) => end.sender.as_ref(),
            _ => None,
        }
    }

    /// One end of transport connections.
    #[must_use]
    pub fn transport(self) -> Option<&'a TransportHost> {
        match self {
            Endpoint::Host(Host::Transport(end)) => Some(end),
            _ => None,
        }
    }
}
