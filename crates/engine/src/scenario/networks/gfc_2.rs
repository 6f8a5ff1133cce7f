//! Generic Fairness Configuration 2: seven switches, 22 connections in eight groups (ATM Forum 94-0557;
//! docs/models/networks.md#gfc-2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Layout, switches};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::time::{LineRate, Rate, Span};

/// Rate of each trunk in Mb/s, and its delay in microseconds.
const TRUNKS: [(u64, u64); 6] = [(50, 13_330), (100, 6_670), (50, 3_330), (150, 3_330), (150, 3_330), (50, 6_670)];
/// Group, first and last switch, number of flows. The flows of a and b enter at different switches.
const GROUPS: [(&str, u32, u32, u32); 12] = [
    ("a_1", 1, 6, 1),
    ("a_2", 2, 6, 1),
    ("a_3", 3, 6, 1),
    ("b_1", 1, 7, 1),
    ("b_2", 2, 7, 1),
    ("b_4", 4, 7, 1),
    ("c", 5, 6, 3),
    ("d", 1, 2, 1),
    ("e", 2, 3, 2),
    ("f", 3, 4, 1),
    ("g", 6, 7, 7),
    ("h", 4, 5, 2),
];

/// The lengths of the trunks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Factor on the delays of all trunks, which are 3.33 to 13.33 ms one way.
    pub stretch: f64,
}

impl Default for Params {
    fn default() -> Params {
        Params { stretch: 1.0 }
    }
}

impl Params {
    pub(super) fn lay_out(&self) -> Result<Layout, Fault> {
        check::ratio("stretch", self.stretch, 0.0..=1_000.0)?;
        let mut layout = Layout::default();
        layout.trunks(TRUNKS.map(|(rate, delay)| {
            let delay = Span((delay as f64 * 1e6 * self.stretch + 0.5) as u64);
            (LineRate::Bits(Rate(rate * 1_000_000)), delay)
        }));
        for (group, from, to, count) in GROUPS {
            layout.flow(group, switches(from, to), count);
        }
        Ok(layout)
    }
}
