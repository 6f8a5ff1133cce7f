//! The engine of Penstock: a discrete-event simulator of congestion control, without I/O, clock or threads.
//!
//! The modules from the ground up: `time`, `quantity`, `pdu`, `error`; the roles `traffic`, `policer`, `discard`,
//! `control` and `transport`, each with one file per algorithm; the nodes `end` (with `sender` and `receiver`),
//! `transport_end`, `port`, `police` and `switch`, with `access` for a sender's own line; `agenda` and `world`, which run
//! them; `spec`, `document` and `assemble`, which turn a scenario into a
//! world; `run` and `report`, which drive one to its end and tell what was measured.

pub mod access;
pub mod agenda;
pub mod assemble;
pub mod control;
pub mod defect;
pub mod discard;
pub mod document;
pub mod end;
pub mod error;
pub mod node;
pub mod pdu;
pub mod police;
pub mod policer;
pub mod port;
pub mod probe;
pub mod quantity;
pub mod random;
pub mod receiver;
pub mod report;
mod roles;
pub mod run;
pub mod sender;
pub mod spec;
pub mod stats;
pub mod switch;
pub mod time;
pub mod traffic;
pub mod transport;
pub mod transport_end;
pub mod world;

/// Digest of the engine's sources, its manifest and the workspace's lock file, taken when it was built.
///
/// Stored results are keyed by it: a version number alone would serve stale results to whoever changes a model.
pub const SOURCES: &str = env!("PENSTOCK_SOURCES");
