//! Intermediate systems of the aeronautical network (specs/atn.md). What its end systems do is in `transport`.

pub(super) mod clnp;
pub(super) mod decbit;
