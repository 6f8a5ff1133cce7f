//! Process: a node with its place in the rounds (the logical process of Chandy and Misra).

use super::horizon::Feeder;
use crate::core::time::Time;
use crate::network::Node;
use crate::network::inbox::Inbox;
use crate::network::lane::LaneId;

/// One node, what leads to it, and how far it has run.
#[derive(Clone, Debug)]
pub struct Process {
    /// The node.
    pub node: Node,
    /// The lanes that lead to it.
    pub inbox: Inbox,
    /// The nodes from which they come, each way once.
    pub feeders: Vec<Feeder>,
    /// The lanes whose PDUs are only shown to it, and the nodes from which those come.
    pub shown: (Vec<LaneId>, Vec<Feeder>),
    /// Everything before it has happened.
    pub horizon: Time,
}
