//! What an acknowledgement shows of the path (draft, 5.5).

use super::super::Acked;
use super::flow::Bbr;
use super::state::State;

impl Bbr {
    /// Takes what an acknowledgement shows of the path.
    pub(super) fn learn(&mut self, ack: &Acked) {
        let model = &mut self.model;
        model.delivered += ack.octets;
        model.count_round(ack.sample.as_ref());
        if model.begins_round {
            self.probing.rounds += 1;
        }
        if let Some(sample) = &ack.sample {
            model.learn_rate(sample, self.params.version);
        }
        if model.ends_loss_round {
            self.learn_losses();
        }
        self.model.learn_aggregation(ack, self.window);
        if let Some(sample) = &ack.sample {
            self.model.learn_full(sample);
        }
    }

    /// Once a round, losses that are not its own doing lower the short-term bounds (5.5.10.3).
    fn learn_losses(&mut self) {
        let is_own = self.state.accelerates() || self.params.is_first();
        let is_steep = self.state == State::Startup;
        let model = &mut self.model;
        if model.has_loss && !is_own {
            if model.short_rate == f64::INFINITY {
                model.short_rate = model.largest();
            }
            if model.short_volume == f64::INFINITY {
                model.short_volume = self.window;
            }
            model.short_rate = model.latest_rate.max(self.params.beta * model.short_rate);
            model.short_volume = model.latest_volume.max(self.params.beta * model.short_volume);
        }
        if is_steep {
            self.probing.had_ranges = model.ranges;
        }
        (model.has_loss, model.ranges) = (false, 0);
    }

    /// The volume that a full pipe had in startup, when losses end it (5.3.1.3).
    pub(super) fn volume_at_losses(&self) -> f64 {
        self.product(1.0).max(self.model.latest_volume)
    }
}
