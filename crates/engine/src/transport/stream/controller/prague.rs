//! Prague: reduces the window by the share of marked segments, as DCTCP, for queues that mark early (RFC 9331; the authors'
//! reference implementation). Its segments are ECT(1).
//!
//! With n segments acknowledged, m of them marked, windows in segments, and alpha the estimated share of marked segments (see
//! `marked_share`), whose periods are virtual rounds, from the first mark on:
//!
//! ```text
//! slow start: w <- w + n - m, until the first mark or loss
//! avoidance: w <- w + (n - m) a / w; a = 1, or (SRTT / rtt_target)^2 for an SRTT below it
//! a mark: w <- w - alpha w / 2, once a virtual round; a loss: half the window; both at least 2
//! pace: w / SRTT, and 2 w / SRTT while w < threshold / 2
//! ```
//!
//! A virtual round is a round, and from `transition` rounds after slow start on lasts at least `rtt_target`: streams of short
//! paths then grow and give way as one of that round trip.

use super::marked_share::{self, MarkedShare};
use super::window::Window;
use super::{Acked, Congestion, Controller, ControllerParams, Env, Natural, Nature, RETUNED, Signal};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::reading::{Each, Reading};
use crate::core::time::{Span, Time};
use crate::core::word;

/// The least window in segments, as in Linux.
const FLOOR: f64 = 2.0;

/// The weight of the estimate, and the round trip that it imitates.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Weight of the newest round in the estimate of the marked share.
    #[schemars(extend("retune" = RETUNED))]
    pub g: f64,
    /// The round trip that shorter ones imitate. With "off" each has its own.
    #[serde(with = "word::off")]
    #[schemars(schema_with = "word::off::schema::<Span>", extend("retune" = RETUNED))]
    pub rtt_target: Option<Span>,
    /// Rounds after slow start from which on they do.
    #[schemars(extend("retune" = RETUNED))]
    pub transition: u32,
}

impl Default for Params {
    fn default() -> Params {
        Params { g: 0.0625, rtt_target: Some(Span::milliseconds(25)), transition: 500 }
    }
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        marked_share::check_weight("g", self.g)?;
        if self.rtt_target == Some(Span::ZERO) {
            return Err(Fault::new("rtt_target", Span::ZERO, "no round trip is shorter", "choose \"off\" or 25 ms"));
        }
        Ok(())
    }
}

impl Natural for Params {
    const NATURE: Nature = Nature { paces: true, is_l4s: true, ..Nature::WINDOW };
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::LOSS.with(Signals::ECN);
}

/// The state of one stream.
#[derive(Clone, Debug)]
pub struct Prague {
    params: Params,
    window: Window,
    bits: f64,
    segment: f64,
    smoothed: Span,
    share: MarkedShare,
    /// A mark has been seen.
    has_marks: bool,
    /// When this virtual round began.
    began: Time,
    /// Rounds after slow start.
    rounds: u32,
    /// When marks last reduced the window, and whether further ones wait for the end of the virtual round.
    reduced: Option<Time>,
    is_pending: bool,
}

impl Prague {
    /// A stream in slow start.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Prague {
        Prague {
            params: params.clone(),
            window: Window::new(env),
            bits: env.bits(),
            segment: f64::from(env.segment),
            smoothed: Span::ZERO,
            share: MarkedShare::new(),
            has_marks: false,
            began: Time::ZERO,
            rounds: 0,
            reduced: None,
            is_pending: false,
        }
    }

    /// The round trip that it imitates, if its own is shorter and it is time.
    fn imitated(&self) -> Option<Span> {
        self.params.rtt_target.filter(|target| self.rounds >= self.params.transition && self.smoothed < *target)
    }

    /// Whether so much has passed since that a virtual round has.
    fn is_over(&self, since: Time, now: Time) -> bool {
        self.imitated().is_none_or(|target| now.since(since) >= target)
    }

    fn end_round(&mut self, now: Time) {
        if !self.window.is_in_slow_start() {
            self.rounds = self.rounds.saturating_add(1);
        }
        if self.share.is_empty() || !self.is_over(self.began, now) {
            return;
        }
        if self.has_marks {
            self.share.learn(self.params.g);
        }
        self.share.begin();
        self.began = now;
    }

    /// Reduces the window for marks, if it is time, or waits.
    fn give_way(&mut self, now: Time) {
        self.is_pending = self.reduced.is_some_and(|reduced| !self.is_over(reduced, now));
        if self.is_pending {
            // Slow start ends at once.
            self.window.threshold = self.window.threshold.min(self.window.size);
            return;
        }
        let size = self.window.size;
        self.window.reduce(Signal::Ecn, (size * (1.0 - self.share.alpha / 2.0)).max(FLOOR.min(size)));
        self.reduced = Some(now);
    }
}

impl Controller for Prague {
    #[inline]
    fn window(&self) -> u64 {
        self.window.octets()
    }

    fn on_ack(&mut self, ack: &Acked) {
        self.smoothed = ack.smoothed;
        self.share.count(ack);
        self.has_marks |= ack.marked > 0;
        if ack.begins_round {
            self.end_round(ack.now);
        }
        if self.is_pending {
            self.give_way(ack.now);
        }
        let segments = ack.segments.max(1);
        let octets = ack.octets / segments * segments.saturating_sub(ack.marked);
        let left = self.window.slow_start(&Acked { octets, ..*ack });
        let share = self.imitated().map_or(1.0, |target| self.smoothed.seconds() / target.seconds());
        self.window.size += left * share * share / self.window.size;
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        match congestion.signal {
            Signal::Ecn => {
                self.has_marks = true;
                self.give_way(congestion.now);
            }
            Signal::Loss | Signal::Timeout { .. } => self.window.halve(congestion),
        }
    }

    fn is_in_slow_start(&self) -> bool {
        self.window.is_in_slow_start()
    }

    fn pacing_rate(&self) -> Option<f64> {
        let factor = if self.window.size < self.window.threshold / 2.0 { 2.0 } else { 1.0 };
        let window = self.window.size * self.segment * self.bits;
        (self.smoothed > Span::ZERO).then(|| factor * window / self.smoothed.seconds())
    }

    fn on_idle(&mut self, _now: Time) {
        self.window.restart();
    }

    fn retune(&mut self, params: &ControllerParams, _now: Time) {
        let ControllerParams::Prague(params) = params else { return };
        self.params = params.clone();
    }

    fn readings(&self, each: &mut Each<'_>) {
        each(Reading::share("alpha"), self.share.alpha);
        each(Reading::pdus("fractional_window"), self.window.size);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}", "{ rtt_target = 'off', g = 0.5 }", "{ transition = 0 }"];
}

#[cfg(test)]
mod tests {
    use super::super::laws::{acked, congestion};
    use super::*;

    fn prague(size: f64, transition: u32) -> Prague {
        let params = Params { transition, ..Params::default() };
        let mut prague = Prague::new(&params, Env::of(1000, 10));
        (prague.window.size, prague.window.threshold) = (size, size);
        prague
    }

    /// An acknowledgement of ten segments over a path of 5 ms.
    fn ack(now: u64, marked: u64) -> Acked {
        let now = Time::ZERO + Span::milliseconds(now);
        Acked { now, segments: 10, marked, smoothed: Span::milliseconds(5), begins_round: true, ..acked(10_000) }
    }

    /// No mark, no estimate; then as DCTCP: 15/16 + 0.2/16, and 15/16 of that.
    #[test]
    fn the_estimate_begins_with_the_first_mark() {
        let mut prague = prague(10.0, 500);
        let alphas: Vec<f64> =
            [0, 0, 2, 0].map(|marked| (prague.on_ack(&ack(5, marked)), prague.share.alpha).1).to_vec();
        assert_eq!(alphas, [1.0, 1.0, 0.95, 0.95 * 0.9375]);
    }

    /// Nine of ten segments are not marked: 9 / 20 more. An imitated round trip five times as long takes a 25th.
    #[test]
    fn marked_segments_do_not_add_to_the_window_and_short_paths_add_less() {
        for (transition, expected) in [(500, 20.45), (0, 20.0 + 0.45 / 25.0)] {
            let mut prague = prague(20.0, transition);
            prague.on_ack(&Acked { begins_round: false, ..ack(5, 1) });
            assert!((prague.window.size - expected).abs() < 1e-12, "{}", prague.window.size);
        }
    }

    #[test]
    fn a_mark_takes_half_the_estimate_once_a_virtual_round() {
        let mut prague = prague(20.0, 0);
        prague.smoothed = Span::milliseconds(5);
        prague.share.alpha = 0.1;
        let mark = |at| Congestion { now: Time::ZERO + Span::milliseconds(at), ..congestion(Signal::Ecn, 20_000) };
        prague.on_congestion(&mark(0));
        assert_eq!(prague.window.size, 19.0);
        prague.on_congestion(&mark(5));
        assert_eq!((prague.window.size, prague.is_pending), (19.0, true));
        // At 25 ms what waits is done, before the acknowledgement adds to the window.
        prague.on_ack(&Acked { begins_round: false, octets: 0, segments: 0, ..ack(25, 0) });
        assert!((prague.window.size - 19.0 * 0.95).abs() < 1e-12);
        assert!(!prague.is_pending);
    }

    /// 20 segments of 1,000 octets in 5 ms: 32 Mb/s, and twice that far below the threshold.
    #[test]
    fn the_pace_is_the_window_a_round_trip() {
        let mut prague = prague(20.0, 500);
        prague.smoothed = Span::milliseconds(5);
        assert_eq!(prague.pacing_rate(), Some(32e6));
        prague.window.threshold = 41.0;
        assert_eq!(prague.pacing_rate(), Some(64e6));
        prague.on_congestion(&congestion(Signal::Loss, 20_000));
        assert_eq!(prague.window(), 10_000);
    }
}
