//! A star: nodes around one switch, `hub`. Each sends a flow to each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Layout, Routing, check_number};
use crate::core::error::Fault;
use crate::core::time::{LineRate, Span};

/// Lines from a switch to the nodes around it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Number of nodes around the switch, at least 2: `leaf_1` at the end of `spoke_1`, and so on.
    pub leaves: u32,
    /// Rate of each line.
    pub rate: LineRate,
    /// Propagation delay of each line, one way.
    pub delay: Span,
}

impl Params {
    pub(super) fn lay_out(&self) -> Result<Layout, Fault> {
        check_number("leaves", self.leaves, 2)?;
        let leaf = |number: u32| format!("leaf_{number}");
        let mut layout = Layout::default();
        for number in 1..=self.leaves {
            layout.line(format!("spoke_{number}"), [leaf(number), "hub".to_owned()], self.rate, self.delay);
        }
        layout.flows.push(("mesh".to_owned(), Routing::Mesh((1..=self.leaves).map(leaf).collect()), 1));
        Ok(layout)
    }
}
