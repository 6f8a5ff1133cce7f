//! Process: a node with its place in the rounds (the logical process of Chandy and Misra).

use super::horizon::Feeder;
use crate::core::time::Time;
use crate::network::Node;
use crate::network::inbox::Inbox;
use crate::network::lane::LaneId;

/// A logical process: one node with its inbox, its feeders and its horizon.
#[derive(Clone, Debug)]
pub struct Process {
    /// The node.
    pub node: Node,
    /// The lanes to it.
    pub inbox: Inbox,
    /// The nodes that send to it, each once per kind of edge.
    pub feeders: Vec<Feeder>,
    /// The lanes whose PDUs its congestion point only observes, and the nodes that send them.
    pub observed: (Vec<LaneId>, Vec<Feeder>),
    /// The node has handled everything before this time.
    pub horizon: Time,
}
