//! Satellite links in series between ground stations. Flows `through` cross all of them, `hop_1` the first, and so on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Layout, check_flows, check_number};
use crate::core::error::Fault;
use crate::core::time::{LineRate, Span};

/// Satellite links in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Number of satellite links, at least 1: `satellite_1` from `station_1` to `station_2`, and so on.
    pub hops: u32,
    /// Rate of each satellite link.
    pub rate: LineRate,
    /// Propagation delay of each satellite link, one way. 270 ms by way of a geostationary satellite.
    #[serde(default = "geostationary")]
    pub delay: Span,
    /// Number of flows through all links.
    #[serde(default = "one")]
    pub through: u32,
    /// Number of flows over each link alone. None if absent.
    #[serde(default)]
    pub local: u32,
}

fn geostationary() -> Span {
    Span::milliseconds(270)
}

fn one() -> u32 {
    1
}

impl Params {
    pub(super) fn lay_out(&self) -> Result<Layout, Fault> {
        check_number("hops", self.hops, 1)?;
        check_flows("through", self.through)?;
        let station = |number: u32| format!("station_{number}");
        let mut layout = Layout::default();
        for hop in 1..=self.hops {
            layout.line(format!("satellite_{hop}"), [station(hop), station(hop + 1)], self.rate, self.delay);
        }
        layout.flow("through", (1..=self.hops + 1).map(station), self.through);
        for hop in (1..=self.hops).filter(|_| self.local > 0) {
            layout.flow(format!("hop_{hop}"), [station(hop), station(hop + 1)], self.local);
        }
        Ok(layout)
    }
}
