//! Horizons: how far a node may run before something more can arrive.
//!
//! Conservative simulation (Chandy and Misra 1979, Bryant 1977): a node may handle everything before the smallest bound
//! of its feeders, because no feeder can send it anything earlier. The bound of a feeder is its own horizon plus its
//! lookahead, the shortest time from the feeder to the node.

/// The kind of connection from a feeder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edge {
    /// A line, with serialisation and propagation, or the access lines of the hosts.
    Line,
    /// No delay: a notice, an answer, or a PDU from a policer.
    Direct,
    /// No delay, but only for backward PDUs from other nodes, which the feeder's congestion point observes.
    Observed,
}

/// A node that sends to another node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Feeder {
    /// Index of the node.
    pub node: u32,
    /// The kind of connection.
    pub edge: Edge,
}
