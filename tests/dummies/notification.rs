//! A notification point that a test adds: it sends nothing back.

use crate::control::notification::{NotificationPoint, NotificationPointParams, ReceiverEnv};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};

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

impl NotificationPointParams for Params {
    fn answers(&self, _heard: Signals) -> Signals {
        Signals::NONE
    }
}

/// Nothing.
#[derive(Clone, Debug)]
pub struct Dummy;

impl Dummy {
    /// The same everywhere.
    #[must_use]
    pub fn new(_params: &Params, _env: ReceiverEnv) -> Dummy {
        Dummy
    }
}

impl NotificationPoint for Dummy {}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}
