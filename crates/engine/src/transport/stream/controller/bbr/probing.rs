//! The states, and what leads from one to the next (draft, 5.3 and 5.5.10.2).

use super::super::Acked;
use super::flow::Bbr;
use super::probes::Feedback;
use super::state::State;
use crate::core::time::{PICOSECONDS, Span, Time};
use crate::transport::stream::rate_sample::{Lost, RateSample};

/// Ranges lost in a round that end startup.
const RANGES: u32 = 6;
/// Rounds after which the queue of startup counts as drained.
const DRAINED: u64 = 3;
/// The most rounds between two probes, so that NewReno on short paths can live beside it.
const RENO: f64 = 63.0;
/// The least wait between two probes; as much as half of it more is drawn.
const WAIT: Span = Span(2 * PICOSECONDS);
const MORE: Span = Span(PICOSECONDS);
/// How often the round trip is probed for, and in version 1.
const EVERY: Span = Span(5 * PICOSECONDS);
const EVERY_FIRST: Span = Span(10 * PICOSECONDS);
/// How long the window is small for a probe of the round trip.
const PROBE: Span = Span::milliseconds(200);
/// The most doublings of the growth of the long-term bound.
const STEEPEST: u32 = 30;

impl Bbr {
    /// The state machine at an acknowledgement.
    pub(super) fn advance(&mut self, ack: &Acked) {
        if self.state == State::Startup {
            self.check_losses_of_startup(ack);
            if self.model.is_full {
                self.state = State::Drain;
                self.probing.drain_round = self.model.rounds;
            }
        }
        if self.state == State::Drain {
            let is_late = !self.params.is_first() && self.model.rounds > self.probing.drain_round + DRAINED;
            if self.is_drained(ack.left) || is_late {
                self.begin_steady(ack.now);
            }
        }
        if self.params.is_first() {
            return self.advance_cycle(ack);
        }
        if self.model.is_full && !self.adapt(ack) {
            self.advance_probe(ack);
        }
    }

    fn begin_steady(&mut self, now: Time) {
        if self.params.is_first() { self.begin_cycle(now) } else { self.begin_down(now) }
    }

    /// Heavy losses over a round of recovery end startup (5.3.1.3).
    fn check_losses_of_startup(&mut self, ack: &Acked) {
        let Some(sample) = &ack.sample else { return };
        let had_ranges = std::mem::take(&mut self.probing.had_ranges);
        let is_heavy = had_ranges >= RANGES && self.is_too_much(sample.lost, sample.in_flight);
        if self.model.ends_loss_round && ack.is_recovering && is_heavy && !self.params.is_first() {
            self.model.is_full = true;
            self.model.long_volume = self.volume_at_losses();
        }
    }

    fn is_too_much(&self, lost: u64, in_flight: u64) -> bool {
        lost as f64 > self.params.loss_threshold * in_flight as f64
    }

    /// Raises the long-term bound, and ends cycles (AdaptLongTermModel). Returns whether the state is decided.
    fn adapt(&mut self, ack: &Acked) -> bool {
        let begins = self.model.begins_round;
        if self.probing.feedback == Feedback::Start && begins {
            self.probing.feedback = Feedback::Probe;
        }
        if self.probing.feedback == Feedback::End && begins {
            self.probing.is_sampled = false;
            self.probing.feedback = Feedback::Nothing;
            if self.state.is_steady() {
                if ack.sample.is_some_and(|sample| !self.model.is_limited(&sample)) {
                    self.model.cycle += 1;
                }
                if self.probing.was_precautionary && !self.probing.was_too_high {
                    self.begin_refill();
                    return true;
                }
            }
        }
        if let Some(sample) = ack.sample {
            self.raise(ack, &sample);
        }
        false
    }

    /// Losses are few: the long-term bound may grow.
    fn raise(&mut self, ack: &Acked, sample: &RateSample) {
        if self.is_too_much(sample.lost, sample.in_flight) || self.model.long_volume == f64::INFINITY {
            return;
        }
        self.model.long_volume = self.model.long_volume.max(sample.in_flight as f64);
        if self.state != State::Up || !self.is_bound(ack) {
            return;
        }
        let probing = &mut self.probing;
        probing.acked += ack.octets as f64;
        if probing.acked >= probing.step {
            let more = (probing.acked / probing.step).floor();
            probing.acked -= more * probing.step;
            self.model.long_volume += more * self.segment;
        }
        if self.model.begins_round {
            self.steepen();
        }
    }

    /// The window holds data back, and the long-term bound holds back the window.
    fn is_bound(&self, ack: &Acked) -> bool {
        let is_window = ack.is_limited && ack.in_flight as f64 + self.segment > self.window;
        is_window && self.window >= self.model.long_volume
    }

    /// The bound grows by 1, 2, 4, ... segments a round.
    fn steepen(&mut self) {
        let growth = f64::from(1_u32 << self.probing.doublings);
        self.probing.doublings = (self.probing.doublings + 1).min(STEEPEST);
        self.probing.step = (self.window / growth).max(self.segment);
    }

    fn advance_probe(&mut self, ack: &Acked) {
        let state = self.state;
        match state {
            State::Down | State::Cruise if self.is_time_to_probe(ack.now) => self.begin_refill(),
            State::Down if ack.left as f64 <= self.with_headroom() && self.is_drained(ack.left) => {
                self.state = State::Cruise;
            }
            State::Refill if self.model.begins_round => {
                self.probing.is_sampled = true;
                self.begin_up(ack);
            }
            State::Up if self.is_time_to_go_down(ack) => {
                self.probing.was_too_high = false;
                self.begin_down(ack.now);
            }
            _ => {}
        }
    }

    fn is_time_to_probe(&self, now: Time) -> bool {
        let reno = (self.product(1.0).min(self.window) / self.segment).min(RENO);
        now > self.probing.since + self.probing.wait || self.probing.rounds as f64 >= reno
    }

    fn is_time_to_go_down(&mut self, ack: &Acked) -> bool {
        if self.probing.was_too_high && ack.left as f64 >= self.model.long_volume {
            self.probing.was_precautionary = true;
            return true;
        }
        if self.is_bound(ack) {
            let rate = ack.sample.and_then(|sample| sample.rate).unwrap_or(self.model.full_rate);
            self.model.restart_full(rate);
            return false;
        }
        self.model.is_full_now
    }

    pub(super) fn begin_down(&mut self, now: Time) {
        self.model.forget_signals();
        self.probing.step = f64::INFINITY;
        self.probing.rounds = self.probing.random.below(2);
        self.probing.wait = WAIT + self.probing.random.uniform_span(MORE);
        self.probing.since = now;
        self.probing.feedback = Feedback::End;
        self.model.restart_round();
        self.state = State::Down;
    }

    fn begin_refill(&mut self) {
        self.model.forget_short();
        (self.probing.doublings, self.probing.acked) = (0, 0.0);
        self.probing.was_precautionary = false;
        self.probing.feedback = Feedback::Refill;
        self.model.restart_round();
        self.state = State::Refill;
    }

    fn begin_up(&mut self, ack: &Acked) {
        self.probing.feedback = Feedback::Start;
        self.model.restart_round();
        self.model.restart_full(ack.sample.and_then(|sample| sample.rate).unwrap_or(0.0));
        self.state = State::Up;
        self.steepen();
    }

    /// A lost segment of a probe, if too many are lost, shows how much in flight was too much.
    pub(super) fn heed_loss(&mut self, lost: &Lost) {
        if !self.probing.is_sampled || !self.is_too_much(lost.lost, lost.in_flight) {
            return;
        }
        self.probing.was_too_high = true;
        self.probing.is_sampled = false;
        if !lost.is_user_limited {
            let target = self.product(1.0).min(self.window);
            let volume = volume_at_loss(lost, self.params.loss_threshold);
            self.model.long_volume = volume.max(self.params.beta * target);
        }
        if self.state == State::Up {
            self.begin_down(lost.now);
        }
    }

    /// Reduces the window now and then to see the round trip without a queue of its own (5.3.4.3).
    pub(super) fn probe_round_trip(&mut self, ack: &Acked) {
        let every = self.params.either(self.params.probe_round_trip_every, EVERY, EVERY_FIRST);
        self.model.learn_round_trip(ack, every);
        if self.state != State::ProbeRtt && self.model.is_expired && !self.probing.was_idle {
            self.save_window();
            self.state = State::ProbeRtt;
            self.probing.until = None;
            self.probing.feedback = Feedback::End;
            self.model.restart_round();
        }
        if self.state == State::ProbeRtt {
            self.model.limit(ack.left);
            if self.probing.until.is_some() {
                self.probing.has_round |= self.model.begins_round;
                if self.probing.has_round {
                    self.end_probe_of_round_trip(ack.now);
                }
            } else if ack.left as f64 <= self.probe_window() {
                (self.probing.until, self.probing.has_round) = (Some(ack.now + PROBE), false);
                self.model.restart_round();
            }
        }
        self.probing.was_idle = false;
    }

    /// Ends the probe of the round trip if its time is over.
    pub(super) fn end_probe_of_round_trip(&mut self, now: Time) {
        if self.probing.until.is_none_or(|until| now <= until) {
            return;
        }
        self.model.recent_at = now;
        self.restore_window();
        self.model.forget_short();
        if !self.model.is_full {
            self.state = State::Startup;
            return;
        }
        self.begin_steady(now);
        if !self.params.is_first() {
            self.state = State::Cruise;
        }
    }
}

/// The volume in flight at which the losses passed the threshold, before or within this segment (5.5.10.2).
pub(super) fn volume_at_loss(lost: &Lost, threshold: f64) -> f64 {
    let before = lost.in_flight.saturating_sub(lost.octets) as f64;
    let lost_before = lost.lost.saturating_sub(lost.octets) as f64;
    (before + (threshold * before - lost_before) / (1.0 - threshold)).max(0.0)
}
