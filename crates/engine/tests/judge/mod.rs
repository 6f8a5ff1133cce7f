//! The judge: whether an engine gives the same bits as an earlier one. Texts and hashes of whole reports, random
//! networks, and the pins of both. Shared by tests and by the example `pins`.

#![allow(dead_code, reason = "not everyone who judges needs all of it")]

pub(crate) mod dice;
pub(crate) mod digest;
pub(crate) mod network;
mod parts;
mod points;
pub(crate) mod positions;
pub(crate) mod random;
pub(crate) mod ready;
pub(crate) mod spread;
