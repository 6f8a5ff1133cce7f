//! Unit: the part of a network that runs at a time.

use super::cluster::Cluster;

/// What runs at a time.
#[derive(Clone, Debug)]
pub enum Unit {
    /// A node alone.
    Node(u32),
    /// Nodes joined in a loop without delay.
    Cluster(Box<Cluster>),
}
