//! Strict priority: a queue is served while all queues before it are empty.

use super::{Schedule, SchedulerParams};
use crate::core::error::Fault;
use crate::queue::store::Queued;

/// No parameters.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

impl Params {
    /// Never finds a fault.
    pub fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

impl SchedulerParams for Params {}

/// It has no state.
#[derive(Clone, Debug)]
pub struct Strict;

impl Strict {
    /// Strict priority.
    #[must_use]
    pub fn new(_params: &Params, _env: ()) -> Strict {
        Strict
    }
}

impl Schedule for Strict {
    #[inline]
    fn next(&mut self, waiting: &Queued) -> Option<usize> {
        waiting.first()
    }

    fn is_strict(&self) -> bool {
        true
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}
