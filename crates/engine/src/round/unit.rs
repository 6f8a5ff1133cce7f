//! Unit: a part of the network that runs alone.

use super::cluster::Cluster;

/// A part of the network that runs alone.
#[derive(Clone, Debug)]
pub enum RoundUnit {
    /// One node.
    Node(u32),
    /// Nodes connected in a loop without delay.
    Cluster(Box<Cluster>),
}
