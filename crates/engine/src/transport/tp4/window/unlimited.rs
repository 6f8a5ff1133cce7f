//! No congestion management (ATNP/WG2/WP197, section 5, first row): the sender uses its whole
//! credit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WindowStrategy;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};

/// No parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::NONE;
}

impl Params {
    /// Never finds a fault.
    pub fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

/// A sender without its own window.
#[derive(Clone, Debug)]
pub struct Unlimited;

impl Unlimited {
    /// A sender, the same for every connection.
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
