//! The basis of every other module: time, PDUs, quantities, random numbers, statistics and errors.
//!
//! This folder does not depend on nodes, roles or scenarios.

pub mod auto;
pub(crate) mod check;
pub mod class;
pub mod completions;
pub mod defect;
pub mod distribution;
pub mod either;
pub mod error;
pub mod feedback;
pub mod fifo;
pub mod file_cell;
pub mod framing;
pub mod key;
pub mod partition;
pub mod pdu;
pub mod probe;
pub mod quantity;
pub mod random;
pub mod reading;
pub(crate) mod roles;
pub mod slab;
pub mod stats;
pub(crate) mod suggestion;
pub mod telemetry;
pub mod time;
pub mod waits;
pub mod word;
