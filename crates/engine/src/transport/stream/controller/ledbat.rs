//! LEDBAT: a scavenger that keeps a fixed delay in the queues of its path, and gives way to others (RFC 6817).
//!
//! With q the queueing delay (the least of the newest samples of the round trip, less the least of the last minutes), n
//! segments acknowledged, and windows in segments:
//!
//! ```text
//! w <- w + gain (target - q) / target n / w, at most the segments in flight before + n + allowed_increase, at least 2
//! loss or mark: w <- max(w / 2, 2); timeout: w = 1
//! ```
//!
//! There is no slow start. The RFC measures the delay one way; an acknowledgement here does not carry it, so the round trip
//! stands for it, and queues on the way back count too.

use std::collections::VecDeque;

use super::window::Window;
use super::{Acked, Congestion, Controller, ControllerParams, Env, Natural, Nature, RETUNED};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::reading::{Each, Reading};
use crate::core::time::{PICOSECONDS, Span, Time};

/// For how long a least round trip is collected (RFC 6817, 2.4.2).
const MINUTE: u64 = 60 * PICOSECONDS;
/// The most minutes and samples that may be kept.
const MOST: u32 = 10_000;

/// The delay, and how it is measured.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// The queueing delay that it keeps (RFC 6817: at most 100 ms).
    #[schemars(extend("retune" = RETUNED))]
    pub target: Span,
    /// Segments by which an idle path enlarges the window in a round trip (RFC 6817: at most 1).
    #[schemars(extend("retune" = RETUNED))]
    pub gain: f64,
    /// Segments by which the window may exceed what was in flight and is acknowledged.
    #[schemars(extend("retune" = RETUNED))]
    pub allowed_increase: f64,
    /// Minutes over which the least round trip counts as that without queues.
    #[schemars(extend("retune" = RETUNED))]
    pub base_history: u32,
    /// The newest samples, of which the least counts.
    #[schemars(extend("retune" = RETUNED))]
    pub current_filter: u32,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            target: Span::milliseconds(100),
            gain: 1.0,
            allowed_increase: 1.0,
            base_history: 10,
            current_filter: 4,
        }
    }
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        if self.target == Span::ZERO {
            return Err(Fault::new("target", self.target, "the window would never grow", "choose 60 ms or 100 ms"));
        }
        if !(self.gain > 0.0 && self.gain.is_finite()) {
            return Err(Fault::new("gain", self.gain, "the window would not grow", "choose more than 0, as 1"));
        }
        if !(self.allowed_increase >= 0.0 && self.allowed_increase.is_finite()) {
            let reason = "it is no number of segments";
            return Err(Fault::new("allowed_increase", self.allowed_increase, reason, "choose 0 or more, as 1"));
        }
        for (path, count) in [("base_history", self.base_history), ("current_filter", self.current_filter)] {
            if !(1..=MOST).contains(&count) {
                let remedy = format!("choose from 1 to {MOST}");
                return Err(Fault::new(path, count, "so many values cannot be kept", remedy));
            }
        }
        Ok(())
    }
}

impl Natural for Params {
    const NATURE: Nature = Nature { heeds_delay: true, ..Nature::WINDOW };
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::LOSS.with(Signals::ECN);
}

/// The state of one stream.
#[derive(Clone, Debug)]
pub struct Ledbat {
    params: Params,
    window: Window,
    /// The least round trip of each of the last minutes, and the newest samples; the newest is the last.
    minutes: VecDeque<Span>,
    minute: u64,
    newest: VecDeque<Span>,
}

impl Ledbat {
    /// A stream with its first window.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Ledbat {
        let (minutes, newest) = (VecDeque::new(), VecDeque::new());
        Ledbat { params: params.clone(), window: Window::new(env), minutes, minute: 0, newest }
    }

    /// Takes a sample of the round trip (RFC 6817, 2.4.2).
    fn learn(&mut self, sample: Span, now: Time) {
        let minute = now.0 / MINUTE;
        match self.minutes.back_mut() {
            Some(least) if minute == self.minute => *least = sample.min(*least),
            _ => self.minutes.push_back(sample),
        }
        self.minute = minute;
        self.newest.push_back(sample);
        keep(&mut self.minutes, self.params.base_history);
        keep(&mut self.newest, self.params.current_filter);
    }

    /// The queueing delay in seconds, once there is a sample.
    fn queueing(&self) -> Option<f64> {
        Some((*self.newest.iter().min()? - *self.minutes.iter().min()?).seconds())
    }
}

/// Keeps the last `count` values.
fn keep(values: &mut VecDeque<Span>, count: u32) {
    values.drain(..values.len().saturating_sub(count as usize));
}

impl Controller for Ledbat {
    #[inline]
    fn window(&self) -> u64 {
        self.window.octets()
    }

    fn on_ack(&mut self, ack: &Acked) {
        if ack.octets == 0 {
            return;
        }
        if let Some(sample) = ack.round_trip {
            self.learn(sample, ack.now);
        }
        let Some(queueing) = self.queueing() else { return };
        let Params { target, gain, allowed_increase, .. } = self.params;
        let acked = self.window.segments(ack.octets);
        let most = self.window.segments(ack.in_flight) + acked + allowed_increase;
        let size = &mut self.window.size;
        let change = gain * (1.0 - queueing / target.seconds()) * acked / *size;
        if change < 0.0 || (ack.has_progress && !ack.is_recovering) {
            *size = (*size + change).min(most).max(2.0);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.window.reduce(congestion.signal, self.window.size / 2.0);
    }

    fn on_idle(&mut self, _now: Time) {
        self.window.restart();
    }

    fn retune(&mut self, params: &ControllerParams, _now: Time) {
        let ControllerParams::Ledbat(params) = params else { return };
        self.params = params.clone();
    }

    fn readings(&self, each: &mut Each<'_>) {
        each(Reading::seconds("queueing_s"), self.queueing().unwrap_or(0.0));
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}", "{ target = '60 ms', gain = 0.5, base_history = 1, current_filter = 1 }"];
}

#[cfg(test)]
mod tests {
    use super::super::Signal;
    use super::super::laws::congestion;
    use super::*;

    fn ledbat(octets: u64) -> Ledbat {
        let mut ledbat = Ledbat::new(&Params::default(), Env::of(1446, 10));
        ledbat.window.size = octets as f64 / 1446.0;
        ledbat.learn(Span::milliseconds(20), Time::ZERO);
        ledbat
    }

    /// Acknowledges two segments after this queueing delay in milliseconds.
    fn acknowledge(ledbat: &mut Ledbat, queueing: u64, in_flight: u64) {
        let round_trip = Span::milliseconds(20 + queueing);
        ledbat.newest = VecDeque::from([round_trip; 4]);
        let ack = Acked { round_trip: Some(round_trip), in_flight, ..super::super::laws::acked(2 * 1446) };
        ledbat.on_ack(&ack);
    }

    /// The cases of ns-3: window in octets, queueing delay, octets in flight; window afterwards.
    #[test]
    fn the_window_follows_the_distance_from_the_target() {
        for (octets, queueing, in_flight, expected) in
            [(8676, 40, 1 << 30, 8965), (8676, 40, 4338, 8676), (8676, 120, 1 << 30, 8579), (2892, 120, 1 << 30, 2892)]
        {
            let mut ledbat = ledbat(octets);
            acknowledge(&mut ledbat, queueing, in_flight);
            assert_eq!(ledbat.window(), expected, "{octets} {queueing} {in_flight}");
        }
    }

    #[test]
    fn a_loss_halves_and_a_timeout_begins_with_one_segment() {
        let reduced = |signal| {
            let mut ledbat = ledbat(14_460);
            ledbat.on_congestion(&congestion(signal, 14_460));
            ledbat.window.size
        };
        assert_eq!(reduced(Signal::Loss), 5.0);
        assert_eq!(reduced(Signal::Timeout { is_first: true }), 1.0);
    }

    /// A longer way becomes the base when the minutes of the shorter one are forgotten.
    #[test]
    fn the_base_is_that_of_the_last_minutes() {
        let mut ledbat = ledbat(8676);
        for minute in 1..=9 {
            ledbat.learn(Span::milliseconds(50), Time(minute * MINUTE));
        }
        ledbat.newest = VecDeque::from([Span::milliseconds(50); 4]);
        assert!((ledbat.queueing().unwrap() - 0.03).abs() < 1e-12);
        ledbat.learn(Span::milliseconds(50), Time(10 * MINUTE));
        assert_eq!(ledbat.queueing(), Some(0.0));
    }

    #[test]
    fn the_least_of_the_newest_samples_counts() {
        let mut ledbat = ledbat(8676);
        for queueing in [5, 40, 30, 60, 50] {
            ledbat.learn(Span::milliseconds(20 + queueing), Time::ZERO);
        }
        assert!((ledbat.queueing().unwrap() - 0.03).abs() < 1e-12);
    }
}
