//! Horizons: how far a node may run before something more can arrive.
//!
//! Conservative simulation (Chandy and Misra 1979, Bryant 1977): a node may handle everything before the smallest bound
//! of its feeders, because no feeder can send it anything earlier. The bound of a feeder is its own horizon plus its
//! lookahead, the shortest time from the feeder to the node.
//!
//! # Bounds
//!
//! - A line: the horizon of the feeder, or the time when its line is free if that is later, plus the shortest
//!   serialisation time and the propagation delay.
//! - A PDU that moves on without delay (a notice, an answer, a PDU from a policer): the horizon of the feeder.
//! - A backward PDU that a port only observes comes from another node: if none is in transit to the port, the bound is
//!   that of the line over which it would come.
//! - The horizon of a feeder counts as at least the time of the earliest pending event of the network. So an idle network
//!   does not advance in small steps.
//!
//! # Rounds
//!
//! A round runs the units in the order of their distance from the senders, each after those that feed it without delay.
//! It ends at most one *window* after the earliest pending event. The window doubles while rounds are short and halves
//! while they are long, so that the records in the lanes stay in the cache. It never changes a result.
//!
//! Four rules must hold. The tests of `round` check them on random networks, unit by unit:
//!
//! 1. No PDU is sent below the horizon of the node that reads its lane.
//! 2. The keys in a lane never decrease.
//! 3. No node runs beyond the *cap*, the time at which the run must stop.
//! 4. A round makes progress: the earliest pending event has happened when it ends.
//!
//! # Stops
//!
//! To stop at a time, rounds are capped one picosecond after it and repeated until every node has reached the cap. Then
//! everything up to and including that time has happened, and nothing after it. Reports, readings, clones, changes and the
//! end of warm-up happen only at stops, so their times are exact.
//!
//! *Slices* let the caller act after a number of PDUs. When the nodes have handled that number, or hosts have sent it, and
//! the round ends, the cap becomes the largest horizon of all nodes, and the other nodes run up to it.
//!
//! The n-th departure from a port may end the run. While its time is not known, the cap is a lower bound of that time: the
//! missing departures need at least their serialisation times. So no node ever has to go back.
//!
//! # Plain and fast form
//!
//! In the fast form each node is a unit of its own, except in clusters. In the plain form the whole network is one cluster:
//! every node handles one key at a time, in their order (`core/key.rs`). The plain form defines the model, and the fast
//! form must give the same bits.

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
