//! A reaction point that a test adds: half the nominal rate.

use crate::control::reaction::{ReactionPoint, ReactionPointParams, SenderEnv};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::reading::{Each, Reading};
use crate::core::time::Time;
use crate::traffic::RateScale;

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

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::NONE;
}

impl ReactionPointParams for Params {}

/// Nothing.
#[derive(Clone, Debug)]
pub struct Dummy;

impl Dummy {
    /// The same everywhere.
    #[must_use]
    pub fn new(_params: &Params, _env: SenderEnv) -> Dummy {
        Dummy
    }
}

/// Of the nominal rate, at any time.
const FACTOR: f64 = 0.5;

impl RateScale for Dummy {
    fn factor(&mut self, _now: Time) -> f64 {
        FACTOR
    }
}

impl ReactionPoint for Dummy {
    fn readings(&self, _now: Time, each: &mut Each<'_>) {
        each(Reading::ratio("dummy_factor"), FACTOR);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}
