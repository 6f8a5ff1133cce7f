//! A leaf-spine, or folded Clos network of two stages: each leaf has a line to each spine, and hosts of its own. Each
//! host sends to each other host. Between two leaves there are as many equal paths as spines, over which a hash spreads
//! the flows, unless the scenario's `equal_paths` says otherwise.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Layout, Routing, check_number, check_product};
use crate::core::error::Fault;
use crate::core::time::{LineRate, Span};

/// Leaves, spines and hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Number of leaves, the switches of the hosts: `leaf_1` and so on.
    pub leaves: u32,
    /// Number of spines, the switches between leaves: `spine_1` and so on. Line `uplink_1_2` leads from the first leaf
    /// to the second spine.
    pub spines: u32,
    /// Number of hosts at each leaf: line `host_1_2` leads from the second host of the first leaf, of the same name, to
    /// that leaf.
    pub hosts: u32,
    /// Rate of the line of each host.
    pub host_rate: LineRate,
    /// Propagation delay of the line of each host, one way.
    pub host_delay: Span,
    /// Rate of each line from a leaf to a spine.
    pub uplink_rate: LineRate,
    /// Propagation delay of each line from a leaf to a spine, one way.
    pub uplink_delay: Span,
}

impl Params {
    pub(super) fn lay_out(&self) -> Result<Layout, Fault> {
        check_number("leaves", self.leaves, 1)?;
        check_number("spines", self.spines, 1)?;
        check_product("spines", [self.leaves, self.spines], "leaves times spines", 1)?;
        check_product("hosts", [self.leaves, self.hosts], "leaves times hosts", 2)?;
        let leaf = |number: u32| format!("leaf_{number}");
        let mut layout = Layout { is_multipath: true, ..Layout::default() };
        let mut hosts = Vec::new();
        for number in 1..=self.leaves {
            for host in (1..=self.hosts).map(|host| format!("host_{number}_{host}")) {
                layout.line_of("host_", &host, [host.clone(), leaf(number)], self.host_rate, self.host_delay);
                hosts.push(host);
            }
            for spine in 1..=self.spines {
                let ends = [leaf(number), format!("spine_{spine}")];
                let name = format!("uplink_{number}_{spine}");
                layout.line_of("uplink_", name, ends, self.uplink_rate, self.uplink_delay);
            }
        }
        layout.flows.push(("mesh".to_owned(), Routing::Mesh(hosts), 1));
        Ok(layout)
    }
}
