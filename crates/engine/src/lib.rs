//! The engine of Penstock: a discrete-event simulator of congestion control, without I/O, clock or threads.
//!
//! The rooms, from the ground up. Each imports only from rooms above it in this list (`tests/rooms.rs` holds that).
//!
//! - `core`: time, PDUs, quantities, random numbers, statistics, errors.
//! - The roles, one file per algorithm: `traffic`, `queue`, `policer`, `control`, `transport`.
//! - `network`: the nodes (hosts, ports, policers, sinks), and the lanes between them.
//! - `round`: runs the nodes, each as far as it may.
//! - `scenario`: what a file may say, how it is read, and how it becomes a network.
//! - `report`: the definition of every result column, and how its value is read.
//! - `run`: one replication from its start to its end.

pub mod control;
pub mod core;

pub mod network;
pub mod policer;
pub mod queue;
#[cfg(test)]
mod random_network;
pub mod report;
pub mod round;
pub mod run;
pub mod scenario;
pub mod traffic;
pub mod transport;

/// Digest of the engine's sources, its manifest and the workspace's lock file, taken when it was built.
///
/// Stored results are keyed by it: a version number alone would serve stale results to whoever changes a model.
pub const SOURCES: &str = env!("PENSTOCK_SOURCES");
