//! Counts the memory that the paths of flows need, and refuses more than a run may plan for.

use crate::core::error::Fault;
use crate::scenario::spec::Scenario;

/// Bytes per node on the path of a flow, during assembly.
const HOP_BYTES: u64 = 64;

/// The memory left for the paths of all flows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathMemory {
    bytes: u64,
    /// What there was at first.
    most: u64,
}

impl PathMemory {
    /// All that a run of this scenario may plan for.
    pub(crate) fn of(scenario: &Scenario) -> PathMemory {
        let most = scenario.limits.memory;
        PathMemory { bytes: most, most }
    }

    /// Takes the memory of the paths of `flows` flows with `nodes` nodes each, or refuses if it does not fit.
    pub(crate) fn take(&mut self, flows: u32, nodes: usize) -> Result<(), Fault> {
        let bytes = u64::from(flows).saturating_mul(nodes as u64).saturating_mul(HOP_BYTES);
        let Some(left) = self.bytes.checked_sub(bytes) else {
            let reason =
                format!("the paths of all flows would take more than {:.1} GB of memory", self.most as f64 / 1e9);
            return Err(Fault::new("count", flows, reason, "ask for fewer flows, or for shorter paths"));
        };
        self.bytes = left;
        Ok(())
    }
}
