//! A chain: trunks in a row. Flow `long` crosses all of them, `local_1` the first, and so on (docs/models/networks.md).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Layout, check_number, switches};
use crate::core::error::Fault;
use crate::core::time::{LineRate, Span};

/// Trunks in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Number of trunks, at least 1: `trunk_1` from switch `s1` to `s2`, and so on.
    pub trunks: u32,
    /// Rate of each trunk.
    pub rate: LineRate,
    /// Propagation delay of each trunk, one way.
    pub delay: Span,
}

impl Params {
    pub(super) fn lay_out(&self) -> Result<Layout, Fault> {
        check_number("trunks", self.trunks, 1)?;
        let mut layout = Layout::default();
        layout.trunks((0..self.trunks).map(|_| (self.rate, self.delay)));
        layout.flow("long", switches(1, self.trunks + 1), 1);
        for trunk in 1..=self.trunks {
            layout.flow(format!("local_{trunk}"), switches(trunk, trunk + 1), 1);
        }
        Ok(layout)
    }
}
