//! TP4 over CLNP: connections that transfer user data reliably over a network that discards PDUs (docs/models/tp4.md).
//!
//! The mechanism (numbers, window edges, retransmission, timers) is separate from the strategies for its windows. The
//! receiver's strategy ([`credit`]) decides how much credit an acknowledgement gives. The sender's strategy
//! ([`window`]) decides how much of the credit the sender uses.

mod connection;
pub mod credit;
mod journeys;
mod measures;
mod params;
mod priority;
mod receiving;
mod releases;
mod round_trip;
mod sending;
#[cfg(test)]
mod tests;
pub mod window;

pub use journeys::{Journey, Journeys};
pub use measures::{ReceivingMeasures, SendingMeasures};
pub use params::Params;
pub use priority::Drawn;
pub use receiving::{Opened, Receiving, Taken};
pub use sending::Sending;
