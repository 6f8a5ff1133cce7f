//! Schemes of the satellite study, and the alternatives that it discusses (papers/satellite-atm-thesis.txt, chapters 4
//! and 5; specs/satellite.md).

pub(super) mod class_rates;
pub(super) mod forward_notice;
pub(super) mod queue_length;
pub(super) mod rate_factor;
mod spacing;
pub(super) mod stop;
