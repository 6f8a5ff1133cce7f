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
//! The states and what leads from one to the next are in `probing`, what is known of the path in `model`, and the gain cycle
//! of version 1 in `cycle`. The mechanism sends single segments: the budget for offload is three of them. It does not tell of
//! losses that were none, so nothing is undone.

mod cycle;
mod model;
mod probing;
#[cfg(test)]
mod tests;

use super::{Acked, Congestion, Controller, ControllerParams, Env, Natural, Nature, RETUNED, Signal};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::reading::{Each, Reading};
use crate::core::time::{PICOSECONDS, Span, Time};
use crate::core::word;
use crate::transport::stream::rate_sample::Lost;
use model::Model;
use probing::Probing;

/// The least window, in segments.
const FLOOR: f64 = 4.0;
/// The round trip that the first pace supposes, until there is one.
const FIRST_ROUND_TRIP: Span = Span::milliseconds(1);
/// How long the least round trip is remembered.
const REMEMBERED: Span = Span(10 * PICOSECONDS);
/// Why a run cannot change the version.
const FIXED_VERSION: &str = "the states of one version have no meaning in the other";

/// The gains, and what counts as too much loss.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// 3, or 1 for the first published form.
    #[schemars(extend("fixed" = FIXED_VERSION))]
    pub version: u8,
    /// Gain of the pace in startup. "auto" is 2.77, and 2.885 in version 1, where the window has it, too.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<f64>", extend("retune" = RETUNED))]
    pub startup_gain: Option<f64>,
    /// Gain of the pace while the queue of startup is drained. "auto" is 0.5, and 1 / 2.885 in version 1.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<f64>", extend("retune" = RETUNED))]
    pub drain_gain: Option<f64>,
    /// Gain of the pace while more bandwidth is probed for.
    #[schemars(extend("retune" = RETUNED))]
    pub up_gain: f64,
    /// Gain of the pace afterwards. "auto" is 0.9, and 0.75 in version 1.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<f64>", extend("retune" = RETUNED))]
    pub down_gain: Option<f64>,
    /// Gain of the window.
    #[schemars(extend("retune" = RETUNED))]
    pub window_gain: f64,
    /// Part of the bandwidth that the pace leaves free.
    #[schemars(extend("retune" = RETUNED))]
    pub margin: f64,
    /// How often the least round trip is probed for. "auto" is 5 s, and 10 s in version 1.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Span>", extend("retune" = RETUNED))]
    pub probe_round_trip_every: Option<Span>,
    /// Share of lost segments that shows too much in flight. Version 1 has none.
    #[schemars(extend("retune" = RETUNED))]
    pub loss_threshold: f64,
    /// What is left of a bound after losses. Version 1 has none.
    #[schemars(extend("retune" = RETUNED))]
    pub beta: f64,
    /// Part of the bound from losses that is left to others. Version 1 has none.
    #[schemars(extend("retune" = RETUNED))]
    pub headroom: f64,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            version: 3,
            startup_gain: None,
            drain_gain: None,
            up_gain: 1.25,
            down_gain: None,
            window_gain: 2.0,
            margin: 0.01,
            probe_round_trip_every: None,
            loss_threshold: 0.02,
            beta: 0.7,
            headroom: 0.15,
        }
    }
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        if self.version != 1 && self.version != 3 {
            return Err(Fault::new("version", self.version, "there is no such version here", "choose 3 or 1"));
        }
        let faster = [("startup_gain", self.startup_gain), ("up_gain", Some(self.up_gain))];
        for (path, gain) in faster.into_iter().filter_map(|(path, gain)| Some((path, gain?))) {
            if !(gain > 1.0 && gain <= 10.0) {
                return Err(Fault::new(path, gain, "it probes for no bandwidth", "choose more than 1 and at most 10"));
            }
        }
        let slower = [("drain_gain", self.drain_gain), ("down_gain", self.down_gain)];
        for (path, gain) in slower.into_iter().filter_map(|(path, gain)| Some((path, gain?))) {
            if !(gain > 0.0 && gain < 1.0) {
                return Err(Fault::new(path, gain, "it drains no queue", "choose more than 0 and less than 1"));
            }
        }
        if !(self.window_gain >= 1.0 && self.window_gain <= 10.0) {
            let reason = "the window would not hold what is on the lines";
            return Err(Fault::new("window_gain", self.window_gain, reason, "choose from 1 to 10, as 2"));
        }
        for (path, part) in [
            ("margin", self.margin),
            ("loss_threshold", self.loss_threshold),
            ("beta", self.beta),
            ("headroom", self.headroom),
        ] {
            check::ratio(path, part, 0.0..=0.99)?;
        }
        if self.probe_round_trip_every == Some(Span::ZERO) {
            let reason = "nothing else would be sent";
            return Err(Fault::new("probe_round_trip_every", Span::ZERO, reason, "choose 5 s"));
        }
        self.check_first()
    }

    /// Version 1 does not react to losses.
    fn check_first(&self) -> Result<(), Fault> {
        let usual = Params::default();
        for (path, value, usual) in [
            ("loss_threshold", self.loss_threshold, usual.loss_threshold),
            ("beta", self.beta, usual.beta),
            ("headroom", self.headroom, usual.headroom),
        ] {
            if self.version == 1 && value != usual {
                let reason = "version 1 has no bounds from losses";
                return Err(Fault::new(path, value, reason, "delete it, or choose version 3"));
            }
        }
        Ok(())
    }

    fn is_first(&self) -> bool {
        self.version == 1
    }

    /// A value that the versions have apart.
    fn either<T>(&self, given: Option<T>, third: T, first: T) -> T {
        given.unwrap_or(if self.is_first() { first } else { third })
    }

    fn startup(&self) -> f64 {
        // 4 ln 2, and 2 / ln 2 (ns-3: 2.89).
        self.either(self.startup_gain, 2.77, 2.885)
    }
}

impl Natural for Params {
    const NATURE: Nature =
        Nature { paces: true, heeds_delay: true, samples_rate: true, repairs_alone: true, ..Nature::WINDOW };
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::LOSS;
}

/// What the stream is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    /// A phase of the gain cycle of version 1.
    Cycle(u8),
    ProbeRtt,
}

impl State {
    /// The four states in which version 3 probes for bandwidth.
    fn is_steady(self) -> bool {
        matches!(self, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// Losses may be its own doing.
    fn accelerates(self) -> bool {
        matches!(self, State::Startup | State::Refill | State::Up)
    }

    /// Its number in a time series.
    fn number(self) -> f64 {
        match self {
            State::Startup => 0.0,
            State::Drain => 1.0,
            State::Down => 2.0,
            State::Cruise => 3.0,
            State::Refill => 4.0,
            State::Up => 5.0,
            State::ProbeRtt => 6.0,
            State::Cycle(phase) => 7.0 + f64::from(phase),
        }
    }
}

/// The state of one stream. Volumes are in octets of data, rates in octets per second.
#[derive(Clone, Debug)]
pub struct Bbr {
    params: Params,
    segment: f64,
    /// Bits on a line for each octet.
    bits: f64,
    initial: f64,
    state: State,
    model: Model,
    probing: Probing,
    window: f64,
    pace: f64,
    has_round_trip: bool,
    /// The window before losses or a probe of the round trip, and whether losses are being repaired.
    prior: f64,
    is_repairing: bool,
    /// Version 1 sends no more than arrives, in the first round of a recovery.
    conserves: bool,
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

    fn pacing_gain(&self) -> f64 {
        let params = &self.params;
        match self.state {
            State::Startup => params.startup(),
            State::Drain => params.either(params.drain_gain, 0.5, 2.885_f64.recip()),
            State::Up | State::Cycle(0) => params.up_gain,
            State::Down | State::Cycle(1) => params.either(params.down_gain, 0.9, 0.75),
            State::Cruise | State::Refill | State::Cycle(_) | State::ProbeRtt => 1.0,
        }
    }

    fn window_gain(&self) -> f64 {
        match self.state {
            State::Startup | State::Drain if self.params.is_first() => self.params.startup(),
            // The window holds what the faster pace adds.
            State::Up => self.params.window_gain + self.params.up_gain - 1.0,
            _ => self.params.window_gain,
        }
    }

    /// So many products of bandwidth and round trip; the first window before both are known.
    fn product(&self, gain: f64) -> f64 {
        self.model.product().map_or(self.initial, |product| gain * product)
    }

    /// A volume, with room for what is needed to send it.
    fn budgeted(&self, volume: f64) -> f64 {
        let extra = if self.state == State::Up { 2.0 * self.segment } else { 0.0 };
        volume.max(FLOOR * self.segment) + extra
    }

    /// Whether it is so much that the queue is drained.
    fn is_drained(&self, in_flight: u64) -> bool {
        in_flight as f64 <= self.budgeted(self.product(1.0))
    }

    /// The window to which a probe of the round trip reduces it.
    fn probe_window(&self) -> f64 {
        let floor = FLOOR * self.segment;
        if self.params.is_first() { floor } else { self.product(0.5).max(floor) }
    }

    fn save_window(&mut self) {
        let is_known = self.is_repairing || self.state == State::ProbeRtt;
        self.prior = if is_known { self.prior.max(self.window) } else { self.window };
    }

    fn restore_window(&mut self) {
        self.window = self.window.max(self.prior);
    }

    fn set_pace(&mut self, gain: f64) {
        let rate = gain * (1.0 - self.params.margin) * self.model.bandwidth;
        if self.model.bandwidth > 0.0 && (self.model.is_full || rate > self.pace) {
            self.pace = rate;
        }
    }

    fn set_window(&mut self, ack: &Acked) {
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
    fn bound_window(&mut self) {
        let long = match self.state {
            State::ProbeRtt | State::Cruise => self.with_headroom(),
            State::Down | State::Refill | State::Up => self.model.long_volume,
            State::Startup | State::Drain | State::Cycle(_) => f64::INFINITY,
        };
        self.window = self.window.min(long.min(self.model.short_volume).max(FLOOR * self.segment));
    }

    /// The long-term bound less what is left to others.
    fn with_headroom(&self) -> f64 {
        let long = self.model.long_volume;
        if long == f64::INFINITY {
            return long;
        }
        (long - (self.params.headroom * long).max(self.segment)).max(FLOOR * self.segment)
    }
}

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

    fn retune(&mut self, params: &ControllerParams) {
        let ControllerParams::Bbr(params) = params else { return };
        self.params = params.clone();
    }

    fn readings(&self, each: &mut Each<'_>) {
        each(Reading::rate("bandwidth_bps"), self.model.bandwidth * self.bits);
        each(Reading::seconds("least_round_trip_s"), self.model.round_trip().seconds());
        each(Reading::count("state"), self.state.number());
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] =
        &["{}", "{ version = 1 }", "{ beta = 0.5, headroom = 0.0, probe_round_trip_every = '300 ms' }"];
}
