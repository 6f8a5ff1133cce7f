//! Version 1: eight phases of a least round trip each, the first faster, the second slower, and the others at the bandwidth.

use super::super::Acked;
use super::flow::Bbr;
use super::state::State;
use crate::core::time::Time;

/// Phases of a cycle.
const PHASES: u8 = 8;

impl Bbr {
    /// The gain cycle begins at a random phase that is not the slow one.
    pub(super) fn begin_cycle(&mut self, now: Time) {
        let drawn = self.probing.random.below(u64::from(PHASES) - 1) as u8;
        self.state = State::Cycle(if drawn == 0 { 0 } else { drawn + 1 });
        self.probing.since = now;
    }

    /// The fast phase lasts until losses or so much in flight, the slow one at most until the queue is drained.
    pub(super) fn advance_cycle(&mut self, ack: &Acked) {
        let State::Cycle(phase) = self.state else { return };
        let is_over = ack.now > self.probing.since + self.model.round_trip();
        let is_next = match phase {
            0 => is_over && (self.model.has_loss || ack.in_flight as f64 >= self.product(self.params.up_gain)),
            1 => is_over || self.is_drained(ack.left),
            _ => is_over,
        };
        if is_next {
            self.state = State::Cycle((phase + 1) % PHASES);
            self.probing.since = ack.now;
        }
    }
}
