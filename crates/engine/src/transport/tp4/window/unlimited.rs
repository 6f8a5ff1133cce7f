//! No congestion management (papers/atn-congestion-management.txt, section 5, first row): the sender uses all the
//! credit that it has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WindowStrategy;
use crate::core::error::Fault;

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

/// A sender without a window of its own.
#[derive(Clone, Debug)]
pub struct Unlimited;

impl Unlimited {
    /// The same for every connection.
    #[must_use]
    pub fn new(_params: &Params, (): ()) -> Unlimited {
        Unlimited
    }
}

impl WindowStrategy for Unlimited {
    fn window(&self) -> u64 {
        u64::MAX
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}
