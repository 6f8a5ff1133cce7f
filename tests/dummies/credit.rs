//! A receiver's strategy that a test adds: a credit of one.

use super::{CreditEnv, CreditStrategy};
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

impl Params {
    /// Finds no fault.
    pub fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

/// Nothing.
#[derive(Clone, Debug)]
pub struct Dummy;

impl Dummy {
    /// The same everywhere.
    #[must_use]
    pub fn new(_params: &Params, _env: CreditEnv) -> Dummy {
        Dummy
    }
}

impl CreditStrategy for Dummy {
    fn initial(&self) -> u16 {
        1
    }

    fn credit(&mut self, _expected: u64) -> u16 {
        1
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}
