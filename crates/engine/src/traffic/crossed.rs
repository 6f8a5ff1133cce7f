//! A line whose load the traffic of a group names.

use crate::core::time::LineRate;

/// A line whose load a group names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossed {
    /// Its rate.
    pub rate: LineRate,
    /// How many flows of the group cross it.
    pub flows: u32,
}
