//! A notification point that a test adds: it sends nothing back.

use crate::control::notification::{NotificationPoint, NotificationPointParams, ReceiverEnv};
use crate::core::error::Fault;

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

impl NotificationPointParams for Params {}

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
