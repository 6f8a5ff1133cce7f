//! Counts the memory that the paths of flows need, and refuses more than a run may plan for.

use crate::core::error::Fault;

/// The most memory that a run may plan for, in bytes.
pub(crate) const MOST_MEMORY: u64 = 8 << 30;
/// Bytes per node on the path of a flow, during assembly.
const HOP_BYTES: u64 = 64;

/// The memory left for the paths of all flows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathMemory {
    bytes: u64,
}

impl PathMemory {
    /// All that a run may plan for.
    pub(crate) const WHOLE: PathMemory = PathMemory { bytes: MOST_MEMORY };

    /// Takes the memory of the paths of `flows` flows with `nodes` nodes each, or refuses if it does not fit.
    pub(crate) fn take(&mut self, flows: u32, nodes: usize) -> Result<(), Fault> {
        let bytes = u64::from(flows).saturating_mul(nodes as u64).saturating_mul(HOP_BYTES);
        let Some(left) = self.bytes.checked_sub(bytes) else {
            let reason = format!("the paths of all flows would take more than {} GB of memory", MOST_MEMORY >> 30);
            return Err(Fault::new("count", flows, reason, "ask for fewer flows, or for shorter paths"));
        };
        self.bytes = left;
        Ok(())
    }
}
