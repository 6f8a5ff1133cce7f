//! A queue policy that a test adds: every queue is full.

use super::{Discard, Discipline, Env, QueueParams, Verdict};
use crate::core::error::Fault;
use crate::core::pdu::Pdu;
use crate::core::time::Time;

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

impl QueueParams for Params {}

/// A full queue.
#[derive(Clone, Debug)]
pub struct Dummy;

impl Dummy {
    /// Full.
    #[must_use]
    pub fn new(_params: &Params, _env: Env) -> Dummy {
        Dummy
    }
}

impl Discard for Dummy {
    fn verdict(&self, _pdu: &Pdu, _length: u64) -> Verdict {
        Verdict::Discard
    }

    fn size(&self) -> Option<u64> {
        Some(0)
    }
}

impl Discipline for Dummy {
    fn retune(&mut self, _params: &super::Params, _now: Time) {}
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}
