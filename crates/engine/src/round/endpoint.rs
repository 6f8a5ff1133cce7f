//! Endpoints as reports see them, independent of their nodes.

use crate::network::hosts::HostView;
use crate::network::hosts::sender::Sender;
use crate::network::hosts::transport::TransportHost;
use crate::network::receiver::Receiver;

/// Location of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Index of its node.
    pub process: u32,
    /// Its index in that node.
    pub index: u32,
}

/// One endpoint, for reports.
#[derive(Clone, Copy, Debug)]
pub enum Endpoint<'a> {
    /// A host.
    Host(HostView<'a>),
    /// A receiver that only measures.
    Sink(&'a Receiver),
    /// No PDU starts or ends here.
    Unused,
}

impl<'a> Endpoint<'a> {
    /// The receiver of the data that arrive here, if any.
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
            Endpoint::Host(host) => host.sender(),
            _ => None,
        }
    }

    /// Its transport host, if it is one.
    #[must_use]
    pub fn transport(self) -> Option<&'a TransportHost> {
        match self {
            Endpoint::Host(host) => host.transport(),
            _ => None,
        }
    }
}
