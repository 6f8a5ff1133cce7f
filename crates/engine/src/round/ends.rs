//! Ends as those see them who read what was measured, whatever node they belong to.

use crate::network::hosts::Host;
use crate::network::hosts::sender::Sender;
use crate::network::hosts::transport::TransportEnd;
use crate::network::receiver::Receiver;

/// Where an End stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Index of its node.
    pub station: u32,
    /// Its place there.
    pub slot: u32,
}

/// One End, as those see it who read what was measured.
#[derive(Clone, Copy, Debug)]
pub enum EndRef<'a> {
    /// A host.
    Host(&'a Host),
    /// A receiver that only measures.
    Sink(&'a Receiver),
    /// No PDU reaches it or leaves it.
    Nobody,
}

impl<'a> EndRef<'a> {
    /// What measures the data that arrive here, if any do.
    #[must_use]
    pub fn receiver(self) -> Option<&'a Receiver> {
        match self {
            EndRef::Host(host) => host.receiver(),
            EndRef::Sink(receiver) => Some(receiver),
            EndRef::Nobody => None,
        }
    }

    /// Its sending half.
    #[must_use]
    pub fn sender(self) -> Option<&'a Sender> {
        match self {
            EndRef::Host(Host::End(end)) => end.sender.as_ref(),
            _ => None,
        }
    }

    /// One end of transport connections.
    #[must_use]
    pub fn transport(self) -> Option<&'a TransportEnd> {
        match self {
            EndRef::Host(Host::Transport(end)) => Some(end),
            _ => None,
        }
    }
}
