//! What every part of the engine rests on: time, PDUs, quantities, random numbers, statistics, and errors.
//!
//! Nothing here knows a node, a role or a scenario.

pub(crate) mod check;
pub mod defect;
pub mod error;
pub mod fifo;
pub mod pdu;
pub mod probe;
pub mod quantity;
pub mod random;
pub(crate) mod roles;
pub mod stats;
pub mod time;
