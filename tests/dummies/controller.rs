//! A controller that a test adds: a window of one segment.

use super::{Acked, Congestion, Controller, Env, Natural};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};

/// No parameters.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::NONE;
}

impl Natural for Params {}

impl Params {
    /// Finds no fault.
    pub fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

/// The octets of a segment.
#[derive(Clone, Debug)]
pub struct Dummy(u64);

impl Dummy {
    /// The same everywhere.
    #[must_use]
    pub fn new(_params: &Params, env: Env) -> Dummy {
        Dummy(u64::from(env.segment))
    }
}

impl Controller for Dummy {
    fn window(&self) -> u64 {
        self.0
    }

    fn on_ack(&mut self, _ack: &Acked) {}

    fn on_congestion(&mut self, _congestion: &Congestion) {}
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}
