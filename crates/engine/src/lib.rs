//! The engine of Penstock: a discrete-event simulator of congestion control, without I/O, clock or threads.
//!
//! The modules from the ground up: `time`, `quantity`, `pdu`, `error`; the roles `traffic`, `policer`, `discard`,
//! `control` and `transport`, each with one file per algorithm; the nodes in `network` (hosts, ports, policers, sinks);
//! `round`, which runs them, each as far as it may, with `agenda` for those that must take turns; `spec`, `document` and
//! `assemble`, which turn a scenario into a world; XX
//! measured.

pub mod control;
pub mod core;

#[cfg(test)]
mod drawn;
pub mod network;
pub mod policer;
pub mod queue;
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
