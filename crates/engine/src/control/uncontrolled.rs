//! No control at all: the sender obeys nothing and sends what its traffic produces at the nominal rate.
//!
//! The base case of every comparison, and the source that breaks its contract in papers/satellite-atm-thesis.txt.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::control::reaction::{ReactionPoint, ReactionPointParams, SenderEnv};
use crate::core::error::Fault;
use crate::traffic::RateScale;

/// It has no parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

impl Params {
    /// Finds no fault.
    pub fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

impl ReactionPointParams for Params {}

/// A sender without control.
#[derive(Clone, Debug)]
pub struct Uncontrolled;

impl Uncontrolled {
    /// The same in all env.
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
