//! Endpoints as reports see them, independent of their nodes.

use crate::core::pdu::FlowId;
use crate::network::hosts::HostView;
use crate::network::hosts::sender::Sender;
use crate::network::hosts::stream::Arrivals;
use crate::network::hosts::transport::TransportHost;
use crate::network::receiver::Receiver;
use crate::traffic::Offered;

/// Location of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Index of its node.
    pub process: u32,
    /// Its index in that node.
    pub index: u32,
    /// Which of the receivers of that host it is: one host has those behind a line that give credit.
    pub part: u32,
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

    /// The byte streams that it receives, if it does.
    #[must_use]
    pub fn arrivals(self) -> Option<&'a Arrivals> {
        match self {
            Endpoint::Host(host) => host.arrivals(),
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

    /// The flow that it sends, and what the source of that flow has offered; `None` if that always has data to send.
    #[must_use]
    pub fn offered(self) -> Option<(FlowId, Offered)> {
        match self.transport() {
            Some(host) => Some((host.sent_flow()?, host.offered()?)),
            None => self.sender().and_then(|sender| Some((sender.flow(), sender.offered()?))),
        }
    }
}
