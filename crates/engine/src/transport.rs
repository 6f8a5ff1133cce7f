//! Transport protocols: reliable data transfer over a network that discards PDUs. One folder each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::error::Fault;

pub mod tp4;

/// The transport protocol of a group of flows. Its key in the scenario chooses it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Params {
    /// ISO 8073 class 4 over CLNP.
    Tp4(tp4::Params),
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        let Params::Tp4(params) = self;
        params.check().map_err(|fault| fault.under("tp4"))
    }

    /// Whether it carries messages, each with a byte stream of its own.
    pub(crate) fn carries_messages(&self) -> bool {
        match self {
            Params::Tp4(_) => false,
        }
    }

    /// Whether it sends a packet of so many octets in several PDUs.
    pub(crate) fn splits(&self, octets: u16) -> bool {
        let Params::Tp4(params) = self;
        octets > params.segment_octets()
    }
}
