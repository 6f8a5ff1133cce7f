//! A scheduler that a test adds: the last queue first.

use super::{Schedule, SchedulerParams};
use crate::core::error::Fault;
use crate::queue::store::Queued;

/// No parameters.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

impl Params {
    /// Finds no fault.
    pub fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

impl SchedulerParams for Params {}

/// It has no state.
#[derive(Clone, Debug)]
pub struct Dummy;

impl Dummy {
    /// The last queue first.
    #[must_use]
    pub fn new(_params: &Params, _env: ()) -> Dummy {
        Dummy
    }
}

impl Schedule for Dummy {
    fn next(&mut self, waiting: &Queued) -> Option<usize> {
        (0..8).rev().find(|queue| waiting.head_bits(*queue).is_some())
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}
