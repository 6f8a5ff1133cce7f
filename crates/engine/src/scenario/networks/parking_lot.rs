//! A parking lot: trunks in a row. Flow `enters_1` crosses all of them, `enters_2` all but the first, and so on: all
//! share the last (docs/models/networks.md).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Layout, check_number, switches};
use crate::core::error::Fault;
use crate::core::time::{LineRate, Span};

/// Trunks in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Number of trunks, at least 2: `trunk_1` from switch `s1` to `s2`, and so on.
    pub trunks: u32,
    /// Rate of each trunk.
    pub rate: LineRate,
    /// Propagation delay of each trunk, one way.
    pub delay: Span,
}

impl Params {
    pub(super) fn lay_out(&self) -> Result<Layout, Fault> {
        check_number("trunks", self.trunks, 2)?;
        let mut layout = Layout::default();
        layout.trunks((0..self.trunks).map(|_| (self.rate, self.delay)));
        for entry in 1..=self.trunks {
            layout.flow(format!("enters_{entry}"), switches(entry, self.trunks + 1), 1);
        }
        Ok(layout)
    }
}
