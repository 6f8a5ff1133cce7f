//! One stream: its window and its pace.

use super::super::{Acked, Env};
use super::model::Model;
use super::params::Params;
use super::probes::Probing;
use super::state::State;
use crate::core::time::Span;

/// The least window, in segments.
const FLOOR: f64 = 4.0;
/// The round trip that the first pace supposes, until there is one.
const FIRST_ROUND_TRIP: Span = Span::milliseconds(1);

/// The state of one stream. Volumes are in octets of data, rates in octets per second.
#[derive(Clone, Debug)]
pub struct Bbr {
    pub(super) params: Params,
    pub(super) segment: f64,
    /// Bits on a line for each octet.
    pub(super) bits: f64,
    pub(super) initial: f64,
    pub(super) state: State,
    pub(super) model: Model,
    pub(super) probing: Probing,
    pub(super) window: f64,
    pub(super) pace: f64,
    pub(super) has_round_trip: bool,
    /// The window before losses or a probe of the round trip, and whether losses are being repaired.
    pub(super) prior: f64,
    pub(super) is_repairing: bool,
    /// Version 1 sends no more than arrives, in the first round of a recovery.
    pub(super) conserves: bool,
}

impl Bbr {
    /// A stream in startup.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Bbr {
        let segment = f64::from(env.segment);
        let initial = segment * f64::from(env.initial_window);
        Bbr {
            segment,
            bits: env.bits(),
            initial,
            state: State::Startup,
            model: Model::new(),
            probing: Probing::new(env.random()),
            window: initial,
            pace: params.startup() * initial / FIRST_ROUND_TRIP.seconds(),
            has_round_trip: false,
            prior: 0.0,
            is_repairing: false,
            conserves: false,
            params: params.clone(),
        }
    }

    pub(super) fn pacing_gain(&self) -> f64 {
        let params = &self.params;
        match self.state {
            State::Startup => params.startup(),
            State::Drain => params.either(params.drain_gain, 0.5, 2.885_f64.recip()),
            State::Up | State::Cycle(0) => params.up_gain,
            State::Down | State::Cycle(1) => params.either(params.down_gain, 0.9, 0.75),
            State::Cruise | State::Refill | State::Cycle(_) | State::ProbeRtt => 1.0,
        }
    }

    pub(super) fn window_gain(&self) -> f64 {
        match self.state {
            State::Startup | State::Drain if self.params.is_first() => self.params.startup(),
            // The window holds what the faster pace adds.
            State::Up => self.params.window_gain + self.params.up_gain - 1.0,
            _ => self.params.window_gain,
        }
    }

    /// So many products of bandwidth and round trip; the first window before both are known.
    pub(super) fn product(&self, gain: f64) -> f64 {
        self.model.product().map_or(self.initial, |product| gain * product)
    }

    /// A volume, with room for what is needed to send it.
    pub(super) fn budgeted(&self, volume: f64) -> f64 {
        let extra = if self.state == State::Up { 2.0 * self.segment } else { 0.0 };
        volume.max(FLOOR * self.segment) + extra
    }

    /// Whether it is so much that the queue is drained.
    pub(super) fn is_drained(&self, in_flight: u64) -> bool {
        in_flight as f64 <= self.budgeted(self.product(1.0))
    }

    /// The window to which a probe of the round trip reduces it.
    pub(super) fn probe_window(&self) -> f64 {
        let floor = FLOOR * self.segment;
        if self.params.is_first() { floor } else { self.product(0.5).max(floor) }
    }

    pub(super) fn save_window(&mut self) {
        let is_known = self.is_repairing || self.state == State::ProbeRtt;
        self.prior = if is_known { self.prior.max(self.window) } else { self.window };
    }

    pub(super) fn restore_window(&mut self) {
        self.window = self.window.max(self.prior);
    }

    pub(super) fn set_pace(&mut self, gain: f64) {
        let rate = gain * (1.0 - self.params.margin) * self.model.bandwidth;
        if self.model.bandwidth > 0.0 && (self.model.is_full || rate > self.pace) {
            self.pace = rate;
        }
    }

    pub(super) fn set_window(&mut self, ack: &Acked) {
        let acked = ack.octets as f64;
        let most = self.budgeted(self.product(self.window_gain()) + self.model.extra_acked());
        if self.conserves {
            self.window = self.window.max(ack.left as f64 + acked);
        } else if self.model.is_full {
            self.window = (self.window + acked).min(most);
        } else if self.window < most || (self.model.delivered as f64) < self.initial {
            self.window += acked;
        }
        self.window = self.window.max(FLOOR * self.segment);
        if self.state == State::ProbeRtt {
            self.window = self.window.min(self.probe_window());
        }
        self.bound_window();
    }

    /// The bounds from losses.
    pub(super) fn bound_window(&mut self) {
        let long = match self.state {
            State::ProbeRtt | State::Cruise => self.with_headroom(),
            State::Down | State::Refill | State::Up => self.model.long_volume,
            State::Startup | State::Drain | State::Cycle(_) => f64::INFINITY,
        };
        self.window = self.window.min(long.min(self.model.short_volume).max(FLOOR * self.segment));
    }

    /// The long-term bound less what is left to others.
    pub(super) fn with_headroom(&self) -> f64 {
        let long = self.model.long_volume;
        if long == f64::INFINITY {
            return long;
        }
        (long - (self.params.headroom * long).max(self.segment)).max(FLOOR * self.segment)
    }
}
