//! A dumbbell: pairs of hosts on both sides of one line, `trunk`, which they share.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Layout, check_flows};
use crate::core::error::Fault;
use crate::core::time::{LineRate, Span};

/// One line and the flows over it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Number of pairs. The group of flows is called `pairs`.
    pub pairs: u32,
    /// Rate of the line.
    pub rate: LineRate,
    /// Propagation delay of the line, one way.
    pub delay: Span,
}

impl Params {
    pub(super) fn lay_out(&self) -> Result<Layout, Fault> {
        check_flows("pairs", self.pairs)?;
        let nodes = || ["left", "right"].map(str::to_owned);
        let mut layout = Layout::default();
        layout.line("trunk", nodes(), self.rate, self.delay);
        layout.flow("pairs", nodes(), self.pairs);
        Ok(layout)
    }
}
