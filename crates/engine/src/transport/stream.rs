//! A byte stream over a network that discards PDUs: TCP and QUIC as far as congestion control sees them
//! (docs/models/stream.md).
//!
//! The mechanism (numbers, acknowledgements, loss detection, timers) is separate from the [`controller`], which decides the
//! window and the pace. Each transmission has a number of its own, as in QUIC; what is acknowledged are octets, as in TCP.

mod blocks;
pub mod controller;
mod credit;
mod loss;
mod measures;
mod messages;
mod params;
mod pulls;
mod rate_sample;
mod receiving;
mod recovery;
mod round_trip;
mod scoreboard;
mod sending;
mod side;
#[cfg(test)]
mod tests;
mod user;

pub use controller::PathTerms;
pub use measures::SendingMeasures;
pub use messages::{Message, UnderWay};
pub use params::{Ecn, Loss, Params, Recovery, Reuse};
pub use pulls::{LineTerms, Pulls};
pub use rate_sample::{Lost, RateSample};
pub use receiving::{Receiving, ReceivingMeasures};
pub use sending::{Sending, Site, Turn};
pub use side::{Side, SideRecords, packet_octets};
