//! Generic Fairness Configuration 1: five switches, 23 connections in six groups (ATM Forum 94-0557;
//! docs/models/networks.md#gfc-1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Layout, switches};
use crate::core::error::Fault;
use crate::core::time::{LineRate, Rate, Span};

/// Rates of the trunks, Mb/s.
const RATES: [u64; 4] = [50, 150, 150, 100];
/// Group, first and last switch, number of flows.
const GROUPS: [(&str, u32, u32, u32); 6] =
    [("a", 1, 4, 3), ("b", 2, 5, 3), ("c", 3, 4, 3), ("d", 1, 2, 6), ("e", 4, 5, 6), ("f", 2, 3, 2)];

/// The delay of the trunks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Propagation delay of each trunk, one way: 50 km.
    pub delay: Span,
}

impl Default for Params {
    fn default() -> Params {
        Params { delay: Span(167_000_000) }
    }
}

impl Params {
    pub(super) fn lay_out(&self) -> Result<Layout, Fault> {
        let mut layout = Layout::default();
        layout.trunks(RATES.map(|rate| (LineRate::Bits(Rate(rate * 1_000_000)), self.delay)));
        for (group, from, to, count) in GROUPS {
            layout.flow(group, switches(from, to), count);
        }
        Ok(layout)
    }
}
