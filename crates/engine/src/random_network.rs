//! Networks drawn at random from a number, as the integration tests draw them: the text of a scenario.

#![allow(dead_code, reason = "the integration tests need more of it")]

#[path = "../tests/judge/dice.rs"]
mod dice;
#[path = "../tests/judge/network.rs"]
mod network;
#[path = "../tests/judge/parts.rs"]
mod parts;
#[path = "../tests/judge/points.rs"]
mod points;

pub(crate) use network::text;
