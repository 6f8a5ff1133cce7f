//! Changes of the network during a run. They happen at stops, last of all that happens at an instant: after its events, its
//! readings of a time series, and the end of warm-up. So no node has read anything that a line with another rate would send
//! later or earlier. `scenario/assembly/changes.rs` finds what differs, and `apply.rs` changes it.

use super::World;
use crate::core::probe::Probe;
use crate::core::time::LineRate;
use crate::network::Node;

impl<P: Probe> World<P> {
    /// Gives the line of a port another rate from now on. The port must have a rate and must not be the access line of
    /// a sender, and neither rate may exceed [`FASTEST_CHANGING`](crate::core::time::FASTEST_CHANGING).
    ///
    /// The world must not run beyond the next change before it is made: `run_until` its time, then call this.
    pub fn change_rate(&mut self, port: usize, rate: LineRate) {
        let Some(number) = self.ports.node(port) else { return };
        let Node::Port(node) = &mut self.processes[number as usize].node else { return };
        let retimed = node.change_rate(rate, self.clock, &mut self.ctx.lanes);
        if self.stop == Some(number) {
            self.ctx.end = retimed.of(self.ctx.end);
        }
        self.turns.forget_plans();
    }
}

#[cfg(test)]
mod tests;
