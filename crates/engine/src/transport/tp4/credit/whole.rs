//! No congestion management (ATNP/WG2/WP197, section 5, first row): the receiver always gives the
//! whole credit that its buffers allow.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CreditEnv, CreditStrategy};
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

/// A receiver that gives the whole credit.
#[derive(Clone, Debug)]
pub struct Whole {
    most: u16,
}

impl Whole {
    /// A receiver that always gives the largest credit.
    #[must_use]
    pub fn new(_params: &Params, env: CreditEnv) -> Whole {
        Whole { most: env.most }
    }
}

impl CreditStrategy for Whole {
    fn initial(&self) -> u16 {
        self.most
    }

    fn credit(&mut self, _expected: u64) -> u16 {
        self.most
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}
