//! BBR: a model of the path, its bandwidth and its round trip, sets the pace and the window (draft-ietf-ccwg-bbr-06, BBRv3;
//! `version = 1` is the first published form).
//!
//! With bw the bounded maximum of the rate of delivery, and bdp = bw times the least round trip:
//!
//! ```text
//! pace = gain (1 - margin) bw, before the pipe is full never less than before
//! window = min(window + acked, window gain bdp + extra acked), at least 4 segments, at most the bounds from losses
//! startup -> drain -> down -> cruise -> refill -> up -> down ...; from each to probe_rtt and back
//! ```
//!
//! The parameters are in `params`; what one stream keeps in `flow`, `state`, `model` and `probes`; what leads from one state
//! to the next in `probing`; what is learnt of the path in `learning`; and the gain cycle of version 1 in `cycle`. The
//! mechanism sends single segments: the budget for offload is three of them. It does not tell of losses that were none, so
//! nothing is undone.

mod cycle;
mod flow;
mod learning;
mod model;
mod params;
mod probes;
mod probing;
mod state;
#[cfg(test)]
mod tests;

use super::{Acked, Congestion, Controller, ControllerParams, Signal};
use crate::core::reading::{Each, Reading};
use crate::core::time::{Span, Time};
use crate::transport::stream::rate_sample::Lost;
pub(super) use flow::Bbr;
pub(super) use params::Params;
use state::State;

impl Controller for Bbr {
    #[inline]
    fn window(&self) -> u64 {
        self.window as u64
    }

    fn on_ack(&mut self, ack: &Acked) {
        if ack.octets == 0 {
            return;
        }
        if self.is_repairing && !ack.is_recovering && !ack.has_timed_out {
            self.is_repairing = false;
            self.conserves = false;
            self.restore_window();
        }
        if !self.has_round_trip && ack.smoothed > Span::ZERO {
            self.has_round_trip = true;
            self.pace = self.params.startup() * self.initial / ack.smoothed.seconds();
        }
        self.learn(ack);
        self.conserves &= !self.model.begins_round;
        self.advance(ack);
        self.probe_round_trip(ack);
        self.model.end_acknowledgement(ack);
        self.set_pace(self.pacing_gain());
        self.set_window(ack);
    }

    fn on_lost(&mut self, lost: &Lost) {
        self.model.note_loss(lost);
        if !self.params.is_first() {
            self.heed_loss(lost);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        if congestion.signal == Signal::Ecn {
            return;
        }
        self.save_window();
        self.is_repairing = true;
        let in_flight = congestion.in_flight as f64 + self.segment;
        let is_timeout = matches!(congestion.signal, Signal::Timeout { .. });
        if is_timeout || self.params.is_first() {
            self.conserves = !is_timeout;
            self.model.restart_round();
            self.window = self.window.min(in_flight);
        }
    }

    fn is_in_slow_start(&self) -> bool {
        self.state == State::Startup
    }

    fn pacing_rate(&self) -> Option<f64> {
        Some(self.pace * self.bits)
    }

    fn on_idle(&mut self, now: Time) {
        self.probing.was_idle = true;
        self.model.restart_aggregation(now);
        match self.state {
            State::ProbeRtt => self.end_probe_of_round_trip(now),
            State::Startup | State::Drain => {}
            _ => self.set_pace(1.0),
        }
    }

    fn retune(&mut self, params: &ControllerParams, _now: Time) {
        let ControllerParams::Bbr(params) = params else { return };
        self.params = params.clone();
    }

    fn readings(&self, each: &mut Each<'_>) {
        each(Reading::rate("bandwidth_bps"), self.model.bandwidth * self.bits);
        each(Reading::seconds("least_round_trip_s"), self.model.round_trip().seconds());
        each(Reading::count("state"), self.state.number());
    }
}
