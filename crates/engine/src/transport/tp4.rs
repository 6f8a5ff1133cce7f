//! TP4 over CLNP: connections that carry user data reliably over a network that discards (specs/atn.md, 2 and 4).
//!
//! The mechanism (numbers, edges, retention, timers) is apart from the strategies that govern its windows: how much
//! credit an acknowledgement gives is up to the receiver's strategy ([`credit`]), how much of it is used up to the
//! sender's ([`window`]).

mod connection;
pub mod credit;
mod journeys;
mod params;
mod receiving;
mod releases;
mod round_trip;
mod sending;
#[cfg(test)]
mod tests;
pub mod window;

pub use journeys::{Journey, Journeys};
pub use params::Params;
pub use receiving::{Receiving, ReceivingMeasures, Taken};
pub use sending::{Sending, SendingMeasures};
