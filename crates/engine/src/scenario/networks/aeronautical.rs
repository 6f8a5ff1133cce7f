//! A network of the aeronautical telecommunication network (ATN): aircraft, ground stations, and one centre. Aircraft
//! share the data link of their station; lines lead from the stations to one router, and a trunk from there to the
//! centre. As in the two cases of the ATN study, congestion comes at a slow data link, or where many stations meet at
//! the trunk (docs/models/atn.md).
//!
//! A data link is a line: it has no collisions, and the aircraft of a station share one queue.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Layout, check_flows, check_number};
use crate::core::error::Fault;
use crate::core::time::{LineRate, Rate, Span};

/// Aircraft, ground stations, and a centre.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Number of ground stations: `data_link_1` leads from the aircraft at `air_1` to `station_1`, and `ground_1` from
    /// there to `router`. Line `trunk` leads from there to `centre`.
    pub stations: u32,
    /// Number of aircraft at each station. Each has a flow to the centre, of the group `reports_1` and so on, and one
    /// from the centre, of `clearances_1` and so on.
    pub aircraft: u32,
    /// Rate of each data link. The usual one is what p-persistent access leaves of a channel of VDL Mode 2.
    #[serde(default = "vdl_mode_2")]
    pub data_link_rate: LineRate,
    /// Delay of each data link, one way: access to the channel, the modems, and propagation.
    #[serde(default = "access")]
    pub data_link_delay: Span,
    /// Rate of each line on the ground.
    #[serde(default = "x25")]
    pub ground_rate: LineRate,
    /// Propagation delay of each line on the ground, one way.
    #[serde(default = "ground")]
    pub ground_delay: Span,
}

fn vdl_mode_2() -> LineRate {
    LineRate::Bits(Rate(10_000))
}

fn access() -> Span {
    Span::milliseconds(200)
}

fn x25() -> LineRate {
    LineRate::Bits(Rate(64_000))
}

fn ground() -> Span {
    Span::milliseconds(10)
}

impl Params {
    pub(super) fn lay_out(&self) -> Result<Layout, Fault> {
        check_number("stations", self.stations, 1)?;
        check_flows("aircraft", self.aircraft)?;
        let [router, centre] = ["router", "centre"].map(str::to_owned);
        let mut layout = Layout::default();
        for number in 1..=self.stations {
            let [air, station] = ["air", "station"].map(|kind| format!("{kind}_{number}"));
            let ends = [air.clone(), station.clone()];
            let name = format!("data_link_{number}");
            layout.line_of("data_link_", name, ends, self.data_link_rate, self.data_link_delay);
            let ends = [station.clone(), router.clone()];
            layout.line_of("ground_", format!("ground_{number}"), ends, self.ground_rate, self.ground_delay);
            let path = [air, station, router.clone(), centre.clone()];
            layout.flow(format!("reports_{number}"), path.clone(), self.aircraft);
            layout.flow(format!("clearances_{number}"), path.into_iter().rev(), self.aircraft);
        }
        layout.line_of("ground_", "trunk", [router, centre], self.ground_rate, self.ground_delay);
        Ok(layout)
    }
}
