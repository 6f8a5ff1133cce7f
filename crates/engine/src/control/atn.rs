//! Congestion points of the aeronautical network's intermediate systems (docs/models/atn.md). Its end systems are in
//! `transport`.

pub(super) mod clnp;
pub(super) mod decbit;
