//! Switch: knows for each flow where it goes on, and where it goes back. It takes no time.

use crate::node::NodeId;
use crate::pdu::{FlowId, Pdu};

/// Routing table of one node of the network.
#[derive(Clone, Debug, Default)]
pub struct Switch {
    /// Name of the node.
    pub name: String,
    forward: Vec<NodeId>,
    backward: Vec<NodeId>,
    shown: Vec<NodeId>,
}

/// Where a PDU goes from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// The next node.
    pub to: NodeId,
    /// The port whose congestion point must see the PDU first; [`NodeId::NONE`] if none.
    pub shown_to: NodeId,
}

impl Switch {
    /// For that many flows, none routed.
    #[must_use]
    pub fn new(name: String, flows: usize) -> Switch {
        let nowhere = vec![NodeId::NONE; flows];
        Switch { name, forward: nowhere.clone(), backward: nowhere.clone(), shown: nowhere }
    }

    /// Sends PDUs of `flow` on to `to`.
    pub fn route_forward(&mut self, flow: FlowId, to: NodeId) {
        self.forward[flow.index()] = to;
    }

    /// Sends PDUs that travel against the direction of `flow` to `to`.
    pub fn route_backward(&mut self, flow: FlowId, to: NodeId) {
        self.backward[flow.index()] = to;
    }

    /// Shows PDUs that travel against the direction of `flow` to the congestion point of `port`, its forward port.
    pub fn show_backward(&mut self, flow: FlowId, port: NodeId) {
        self.shown[flow.index()] = port;
    }

    /// Where PDUs of `flow` go in its own direction.
    #[must_use]
    pub fn forward(&self, flow: FlowId) -> NodeId {
        self.forward[flow.index()]
    }

    /// Where PDUs of `flow` go against its direction.
    #[must_use]
    pub fn backward(&self, flow: FlowId) -> NodeId {
        self.backward[flow.index()]
    }

    /// Where `pdu` goes from here.
    #[inline]
    #[must_use]
    pub fn way(&self, pdu: &Pdu) -> Way {
        let flow = pdu.flow.index();
        if pdu.is_backward() {
            Way { to: self.backward[flow], shown_to: self.shown[flow] }
        } else {
            Way { to: self.forward[flow], shown_to: NodeId::NONE }
        }
    }
}
