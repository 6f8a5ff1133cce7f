//! Upstream: many flows on a first trunk, of which one goes on over a second trunk with few others. The few can have
//! what the one cannot use (docs/models/networks.md).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Layout, check_flows, switches};
use crate::core::error::Fault;
use crate::core::time::{LineRate, Span};

/// Two trunks and three groups of flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Rate of each trunk.
    pub rate: LineRate,
    /// Propagation delay of each trunk, one way.
    pub delay: Span,
    /// Flows that use the first trunk alone, `first`, beside the one that uses both.
    #[serde(default = "fourteen")]
    pub first: u32,
    /// Flows that use the second trunk alone, `second`.
    #[serde(default = "two")]
    pub second: u32,
}

fn fourteen() -> u32 {
    14
}

fn two() -> u32 {
    2
}

impl Params {
    pub(super) fn lay_out(&self) -> Result<Layout, Fault> {
        check_flows("first", self.first)?;
        check_flows("second", self.second)?;
        let mut layout = Layout::default();
        layout.trunks([(self.rate, self.delay); 2]);
        layout.flow("first", switches(1, 2), self.first);
        layout.flow("both", switches(1, 3), 1);
        layout.flow("second", switches(2, 3), self.second);
        Ok(layout)
    }
}
