//! No control: the sender ignores feedback and sends its traffic at the nominal rate.
//!
//! The base case of every comparison, and the source that breaks its contract in the satellite study
//! (docs/models/satellite.md).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::control::reaction::{ReactionPoint, ReactionPointParams, SenderEnv};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::traffic::RateScale;

/// No parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

impl Params {
    /// Never finds a fault.
    pub fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::NONE;
}

impl ReactionPointParams for Params {}

/// A sender without control.
#[derive(Clone, Debug)]
pub struct Uncontrolled;

impl Uncontrolled {
    /// A sender without control, the same for every `env`.
    #[must_use]
    pub fn new(_params: &Params, _env: SenderEnv) -> Uncontrolled {
        Uncontrolled
    }
}

impl RateScale for Uncontrolled {}

impl ReactionPoint for Uncontrolled {}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}
