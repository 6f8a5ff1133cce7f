//! A factor on the nominal rate. Notices reduce it, and it increases a little every round trip.
//!
//! Source: satellite thesis (docs/models/satellite.md), sections 5.3 (policy), 6.2.1.4 (slow start) and 6.2.1.3 (no cap
//! for data).
//!
//! ```text
//! session begins   f = start, then f + step every round trip until 1 or the first obeyed notice (slow start)
//! afterwards       f + increase every round trip, up to the cap
//! Type 0           f * mild, not below the floor; ignored within a round trip after any obeyed notice
//! Type 2           f * severe, not below the floor; always obeyed
//! ```
//!
//! Every obeyed notice restarts the increase timer. The timer continues at the cap. A notice at exactly the time of a
//! tick comes after the tick. A notice exactly one round trip after another is no longer within the round trip. A new
//! session resets the state, so notices between sessions have no lasting effect. Before the first session, notices are
//! ignored. The factor is computed from the number of increases, not by repeated addition, so ten steps of 0.02 give
//! exactly 0.2.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SEVERE;
use super::slowdowns::{SessionClock, Slowdowns};
use crate::control::reaction::{RETUNED_FEEDBACK, ReactionParams, ReactionPoint, ReactionPointParams, SenderEnv};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{Body, Pdu};
use crate::core::reading::{Each, Reading};
use crate::core::time::{Span, Time};
use crate::core::word;
use crate::traffic::RateScale;

/// Shortest round trip: that of one kilometre. With the usual increase, a rate then grows by 2,000 times its nominal
/// value per second, and a run can still end. With a round trip of one picosecond, 64 kb/s would soon become 400 Gb/s.
const LEAST_ROUND_TRIP: Span = Span(10_000_000);
/// The fault of a shorter round trip.
const TOO_SHORT: &str = "the factor increases once in a round trip, so it would increase without limit at once";
/// Highest cap. A higher one would have no effect.
const HIGHEST_CAP: f64 = 1000.0;

/// Parameters of the rate factor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Start of a session.
    pub slow_start: SlowStart,
    /// Increase of the factor every round trip after slow start.
    #[schemars(extend("retune" = "The factor goes on from what it has reached. The next increase stays at its time."))]
    pub increase: f64,
    /// A mild notice (severity below 2) multiplies the factor by this.
    #[schemars(extend("retune" = RETUNED_FEEDBACK))]
    pub mild: f64,
    /// A severe notice (severity 2 and above) multiplies the factor by this.
    #[schemars(extend("retune" = RETUNED_FEEDBACK))]
    pub severe: f64,
    /// No notice reduces the factor below this.
    #[schemars(extend("retune" = RETUNED_FEEDBACK))]
    pub floor: f64,
    /// No increase raises the factor above this. "unlimited" is no limit.
    #[serde(with = "word::unlimited")]
    #[schemars(schema_with = "word::unlimited::schema::<f64>", extend("retune" = "A higher factor falls to it at once."))]
    pub cap: Option<f64>,
    /// Time between increases. Mild notices are ignored for the same time. At least 10 us. "auto" is twice the path's
    /// propagation delay.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Span>", extend("retune" = "The next increase stays at its time."))]
    pub round_trip: Option<Span>,
    /// Whether an ignored mild notice restarts the increase timer.
    #[schemars(extend("retune" = RETUNED_FEEDBACK))]
    pub ignored_postpones: bool,
    /// Whether a severe notice is ignored within a round trip after another severe one.
    #[schemars(extend("retune" = RETUNED_FEEDBACK))]
    pub severe_once: bool,
}

/// How a session starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SlowStart {
    /// Factor at the start of a session. 1 means no slow start.
    #[schemars(extend("retune" = "It holds from the next session on."))]
    pub start: f64,
    /// Increase of the factor every round trip until it is 1.
    #[schemars(extend("retune" = "The factor goes on from what it has reached. The next increase stays at its time."))]
    pub step: f64,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            slow_start: SlowStart::default(),
            increase: 0.02,
            mild: 0.8,
            severe: 0.5,
            floor: 0.0,
            cap: None,
            round_trip: None,
            ignored_postpones: false,
            severe_once: false,
        }
    }
}

impl Default for SlowStart {
    fn default() -> SlowStart {
        SlowStart { start: 0.5, step: 0.1 }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        check::ratio("slow_start.start", self.slow_start.start, 0.0..=1.0)?;
        check::ratio("slow_start.step", self.slow_start.step, 0.0..=1.0)?;
        check::ratio("increase", self.increase, 0.0..=1.0)?;
        check::ratio("mild", self.mild, 0.0..=1.0)?;
        check::ratio("severe", self.severe, 0.0..=1.0)?;
        check::ratio("floor", self.floor, 0.0..=1.0)?;
        if self.slow_start.start < self.floor {
            let reason = format!("a session starts with factor {}, below the floor", self.slow_start.start);
            return Err(Fault::new("floor", self.floor, reason, "reduce it, or increase slow_start.start"));
        }
        if let Some(cap) = self.cap {
            check::ratio("cap", cap, self.floor..=HIGHEST_CAP)?;
        }
        match self.round_trip {
            Some(round_trip) if round_trip < LEAST_ROUND_TRIP => {
                let remedy =
                    format!("choose at least {LEAST_ROUND_TRIP}, or \"auto\" for twice the path's propagation delay");
                Err(Fault::new("round_trip", round_trip, TOO_SHORT, remedy))
            }
            _ => Ok(()),
        }
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::NOTICES;
}

impl ReactionPointParams for Params {
    fn only_scales(&self) -> bool {
        true
    }

    fn least_round_trip(&self) -> Option<(Span, &'static str)> {
        self.round_trip.is_none().then_some((LEAST_ROUND_TRIP, TOO_SHORT))
    }

    fn highest_factor(&self) -> f64 {
        self.cap.unwrap_or(f64::MAX)
    }
}

/// A source with a factor on its nominal rate.
#[derive(Clone, Debug)]
pub struct RateFactor {
    factor: f64,
    /// Next tick of the increase timer. Before the first session, the start of time.
    tick: Time,
    phase: Phase,
    /// Ticks since the phase began.
    ticks: u64,
    /// Times of the last obeyed notice and the last severe notice in this session.
    obeyed_at: Option<Time>,
    severe_at: Option<Time>,
    obeyed: [u64; 4],
    /// Boxed: it is large, and only changes of the factor use it.
    sessions: Box<SessionClock>,
    round_trip: Span,
    /// What `auto` is here.
    path_round_trip: Span,
    start: f64,
    step: f64,
    increase: f64,
    mild: f64,
    severe: f64,
    floor: f64,
    cap: f64,
    ignored_postpones: bool,
    severe_once: bool,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Before the first session.
    Idle,
    /// Rises from this factor in so many steps.
    SlowStart(f64, u64),
    /// Increases from this factor.
    Steady(f64),
}

impl RateFactor {
    /// For a sender with this `env`.
    #[must_use]
    pub fn new(params: &Params, env: SenderEnv) -> RateFactor {
        let cap = params.cap.unwrap_or(f64::INFINITY);
        let start = params.slow_start.start.min(cap);
        RateFactor {
            factor: start,
            tick: Time::ZERO,
            phase: Phase::Idle,
            ticks: 0,
            obeyed_at: None,
            severe_at: None,
            obeyed: [0; 4],
            sessions: Box::new(SessionClock::new()),
            round_trip: params.round_trip.unwrap_or(env.round_trip).max(LEAST_ROUND_TRIP),
            path_round_trip: env.round_trip,
            start,
            step: params.slow_start.step,
            increase: params.increase,
            mild: params.mild,
            severe: params.severe,
            floor: params.floor,
            cap,
            ignored_postpones: params.ignored_postpones,
            severe_once: params.severe_once,
        }
    }

    /// Counts the ticks due by `now`. The very first call begins a session.
    #[cold]
    fn catch_up(&mut self, now: Time) {
        if let Phase::Idle = self.phase {
            return self.begin_session(now);
        }
        let mut due = now.since(self.tick).0 / self.round_trip.0 + 1;
        while due > 0 {
            self.sessions.count(self.factor, self.tick);
            let rise = if let Phase::SlowStart(..) = self.phase { self.step } else { self.increase };
            let count = self.sessions.rises_within_tenth(self.factor, rise).clamp(1, due);
            self.tick += self.round_trip * count;
            self.rise(count);
            due -= count;
        }
    }

    /// Counts so many ticks.
    fn rise(&mut self, ticks: u64) {
        self.ticks = self.ticks.saturating_add(ticks);
        if let Phase::SlowStart(_, steps) = self.phase
            && let Some(beyond) = self.ticks.checked_sub(steps)
        {
            self.phase = Phase::Steady(self.cap.min(1.0));
            self.ticks = beyond;
        }
        self.factor = match self.phase {
            Phase::Idle => self.start,
            Phase::SlowStart(from, _) => from + self.step * self.ticks as f64,
            Phase::Steady(from) => (from + self.increase * self.ticks as f64).min(self.cap),
        };
    }

    /// Sets `factor` and restarts the timer. The first increase comes one round trip later.
    fn restart(&mut self, factor: f64, now: Time) {
        self.sessions.count(self.factor, now);
        self.factor = factor;
        self.phase = Phase::Steady(factor);
        self.ticks = 0;
        self.tick = now + self.round_trip;
    }

    /// Slow start from the present factor, until it is 1, or the cap if that is lower.
    fn rise_slowly(&mut self) {
        // Five steps of 0.1 increase 0.5 to 1, whatever their floating-point sum. A step of 0 never does.
        let steps = ((self.cap.min(1.0) - self.factor) / self.step - 1e-9).ceil() as u64;
        self.phase = if steps > 0 { Phase::SlowStart(self.factor, steps) } else { Phase::Steady(self.factor) };
        self.ticks = 0;
    }

    /// Counts the time of the session until `now`.
    fn count_until(&mut self, now: Time) {
        if !matches!(self.phase, Phase::Idle) {
            let factor = self.factor(now);
            self.sessions.count(factor, now);
        }
    }

    fn is_recent(&self, notice: Option<Time>, now: Time) -> bool {
        notice.is_some_and(|at| now.since(at) < self.round_trip)
    }
}

impl RateScale for RateFactor {
    fn begin_session(&mut self, now: Time) {
        if !matches!(self.phase, Phase::Idle) {
            // The last session may have had ticks until its end.
            self.factor(now);
        }
        self.restart(self.start, now);
        self.sessions.begin(now);
        self.rise_slowly();
        self.obeyed_at = None;
        self.severe_at = None;
    }

    fn end_session(&mut self, at: Time) {
        self.sessions.end(at);
    }

    #[inline]
    fn factor(&mut self, now: Time) -> f64 {
        if now >= self.tick {
            self.catch_up(now);
        }
        self.factor
    }

    fn resumes(&mut self, now: Time) -> Time {
        // Without an increase it rises only if a change of parameters gives it one. Then the next tick is the time.
        if self.factor(now) > 0.0 { now } else { self.tick }
    }
}

impl ReactionPoint for RateFactor {
    fn scales(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, pdu: &Pdu, now: Time) {
        let Body::Notice { severity, .. } = pdu.body() else { return };
        if let Phase::Idle = self.phase {
            return;
        }
        let factor = self.factor(now);
        let is_severe = severity >= SEVERE;
        if is_severe && self.severe_once && self.is_recent(self.severe_at, now) {
            return;
        }
        if !is_severe && self.is_recent(self.obeyed_at, now) {
            if self.ignored_postpones {
                self.restart(factor, now);
            }
            return;
        }
        let kept = if is_severe { self.severe } else { self.mild };
        self.restart((factor * kept).max(self.floor), now);
        self.obeyed_at = Some(now);
        if is_severe {
            self.severe_at = Some(now);
        }
        self.obeyed[usize::from(severity.min(3))] += 1;
    }

    fn readings(&self, now: Time, each: &mut Each<'_>) {
        // A reading must not begin a session.
        let factor = if let Phase::Idle = self.phase { self.factor } else { self.clone().factor(now) };
        each(Reading::ratio("factor"), factor);
    }

    fn obeyed(&self) -> [u64; 4] {
        self.obeyed
    }

    fn slowdowns(&self, now: Time) -> Option<Slowdowns> {
        let mut own = self.clone();
        own.count_until(now);
        Some(own.sessions.all())
    }

    fn retune(&mut self, params: &ReactionParams, now: Time) {
        let ReactionParams::RateFactor(params) = params else { return };
        self.count_until(now);
        let was = (self.step, self.increase, self.cap);
        self.cap = params.cap.unwrap_or(f64::INFINITY);
        (self.start, self.step) = (params.slow_start.start.min(self.cap), params.slow_start.step);
        (self.increase, self.mild, self.severe, self.floor) =
            (params.increase, params.mild, params.severe, params.floor);
        (self.ignored_postpones, self.severe_once) = (params.ignored_postpones, params.severe_once);
        self.round_trip = params.round_trip.unwrap_or(self.path_round_trip).max(LEAST_ROUND_TRIP);
        self.factor = if let Phase::Idle = self.phase { self.start } else { self.factor.min(self.cap) };
        if was == (self.step, self.increase, self.cap) {
            return;
        }
        // The factor goes on from what it has reached. The next tick stays.
        match self.phase {
            Phase::Idle => {}
            Phase::SlowStart(..) => self.rise_slowly(),
            Phase::Steady(_) => (self.phase, self.ticks) = (Phase::Steady(self.factor), 0),
        }
    }

    fn reset_measures(&mut self, now: Time) {
        self.obeyed = [0; 4];
        self.count_until(now);
        self.sessions.reset();
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{ cap = 1.0, floor = 0.5 }",
        "{ ignored_postpones = true, severe_once = true }",
        "{ slow_start = { start = 1.0 }, severe = 0.0, cap = 1.5 }",
    ];
}

#[cfg(test)]
mod tests;
