//! Horizons: how far a node may run before anything more can reach it.
//!
//! Conservative simulation (Chandy and Misra 1979, Bryant 1977): a node may do everything that lies before the least
//! of its feeders' bounds, for none of them can send it anything earlier. A bound is what has happened at the feeder
//! already, and the time that a PDU takes from there at the least.

/// How what a feeder hands on takes its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edge {
    /// By its line: serialisation and propagation, or what the sender's access line takes.
    Line,
    /// In no time: a notice, an answer, what a policer lets pass.
    Direct,
    /// In no time, but only what came back from elsewhere and was shown to the feeder's congestion point.
    Shown,
}

/// A node from which another gets PDUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Feeder {
    /// Index of the node.
    pub node: u32,
    /// The way from there.
    pub edge: Edge,
}
