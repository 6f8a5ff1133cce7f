//! Vegas: keeps a few segments in the queues of its path, by the round trip (Brakmo and Peterson 1995; as in Linux, whole
//! segments once a round).
//!
//! With `base` the round trip without queues, r the least round trip of the round, and w in whole segments:
//!
//! ```text
//! queued = w - floor(w base / r)
//! slow start: doubles in one of `slow_start_rounds` rounds; queued > gamma: w <- min(w, floor(w base / r) + 1), and it ends
//! avoidance: queued < alpha: w <- w + 1; queued > beta: w <- w - 1, at least 2
//! fewer than 3 samples in a round: NewReno. Losses, marks and timeouts as NewReno
//! ```

use super::window::Window;
use super::{Acked, Congestion, Controller, ControllerParams, Env, Natural, Nature, RETUNED};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::reading::{Each, Reading};
use crate::core::time::{Span, Time};
use crate::core::word;

/// Samples of a round that tell its least round trip.
const SAMPLES: u32 = 3;
/// No sample yet.
const NONE: Span = Span(u64::MAX);

/// How many segments may wait in queues.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// With fewer segments in queues the window grows.
    #[schemars(extend("retune" = RETUNED))]
    pub alpha: f64,
    /// With more segments in queues the window shrinks.
    #[schemars(extend("retune" = RETUNED))]
    pub beta: f64,
    /// With more segments in queues slow start ends.
    #[schemars(extend("retune" = RETUNED))]
    pub gamma: f64,
    /// One of so many rounds of slow start doubles the window; the others measure. Linux has 1.
    #[schemars(extend("retune" = RETUNED))]
    pub slow_start_rounds: u32,
    /// The round trip without queues. "auto" is the least that was seen.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Span>", extend("retune" = RETUNED))]
    pub base: Option<Span>,
}

impl Default for Params {
    fn default() -> Params {
        Params { alpha: 2.0, beta: 4.0, gamma: 1.0, slow_start_rounds: 2, base: None }
    }
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        for (path, value) in [("alpha", self.alpha), ("beta", self.beta), ("gamma", self.gamma)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Fault::new(path, value, "it is no number of segments", "choose 0 or more"));
            }
        }
        if self.beta < self.alpha {
            let reason = "the window would have to grow and to shrink";
            return Err(Fault::new("beta", self.beta, reason, format!("choose at least alpha, {}", self.alpha)));
        }
        if self.slow_start_rounds == 0 {
            return Err(Fault::new("slow_start_rounds", 0, "the window would not grow", "choose at least 1"));
        }
        if self.base == Some(Span::ZERO) {
            return Err(Fault::new("base", Span::ZERO, "every round trip is longer", "give that of the lines"));
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
pub struct Vegas {
    params: Params,
    window: Window,
    /// The least round trip that was seen.
    base: Span,
    /// Segments in queues in the last round.
    queued: f64,
    rounds: u32,
    /// In this round: samples, the least of them, and the segments acknowledged in avoidance.
    samples: u32,
    least: Span,
    acked: f64,
}

impl Vegas {
    /// A stream in slow start.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Vegas {
        Vegas {
            params: params.clone(),
            window: Window::new(env),
            base: NONE,
            queued: 0.0,
            rounds: 0,
            samples: 0,
            least: NONE,
            acked: 0.0,
        }
    }

    fn begin_round(&mut self) {
        (self.samples, self.least, self.acked) = (0, NONE, 0.0);
    }

    fn learn(&mut self, sample: Span) {
        self.samples += 1;
        self.least = self.least.min(sample);
        self.base = self.base.min(sample);
    }

    /// The window of the next round.
    fn adjust(&mut self) {
        let is_slow = self.window.is_in_slow_start();
        let size = &mut self.window.size;
        if self.samples < SAMPLES {
            *size += self.acked / *size;
            return;
        }
        let whole = size.floor();
        let base = self.params.base.unwrap_or(self.base);
        let target = (whole as u128 * u128::from(base.0) / u128::from(self.least.0.max(1))) as f64;
        self.queued = (whole - target).max(0.0);
        if is_slow {
            if self.queued > self.params.gamma {
                *size = size.min(target + 1.0).max(2.0);
                self.window.threshold = *size;
            }
        } else if self.queued > self.params.beta {
            *size = (*size - 1.0).max(2.0);
            self.window.threshold = self.window.threshold.min(*size);
        } else if self.queued < self.params.alpha && self.acked > 0.0 {
            *size += 1.0;
        }
    }
}

impl Controller for Vegas {
    #[inline]
    fn window(&self) -> u64 {
        self.window.octets()
    }

    fn on_ack(&mut self, ack: &Acked) {
        if ack.octets == 0 {
            return;
        }
        // What a recovery shows of the queues is out of date (as in Linux).
        if ack.is_recovering {
            return self.begin_round();
        }
        if let Some(sample) = ack.round_trip {
            self.learn(sample);
        }
        let was_slow = self.window.is_in_slow_start();
        if !was_slow {
            self.acked += self.window.slow_start(ack);
        }
        if ack.begins_round {
            self.adjust();
            self.begin_round();
            self.rounds = self.rounds.wrapping_add(1);
        }
        // The first acknowledgement begins the round of the first window.
        let every = self.params.slow_start_rounds;
        if was_slow && self.window.is_in_slow_start() && self.rounds % every == 1 % every {
            self.acked += self.window.slow_start(ack);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.window.halve(congestion);
        self.begin_round();
    }

    fn is_in_slow_start(&self) -> bool {
        self.window.is_in_slow_start()
    }

    fn on_idle(&mut self, _now: Time) {
        self.window.restart();
        self.begin_round();
    }

    fn retune(&mut self, params: &ControllerParams, _now: Time) {
        let ControllerParams::Vegas(params) = params else { return };
        self.params = params.clone();
    }

    fn readings(&self, each: &mut Each<'_>) {
        let base = self.params.base.unwrap_or(if self.base == NONE { Span::ZERO } else { self.base });
        each(Reading::pdus("queued"), self.queued);
        each(Reading::seconds("base_round_trip_s"), base.seconds());
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}", "{ base = '20 ms', slow_start_rounds = 1, gamma = 0.0 }"];
}

#[cfg(test)]
mod tests {
    use super::super::Signal;
    use super::super::laws::{acked, congestion};
    use super::*;

    /// A stream in the last acknowledgement of a round with this least round trip, in milliseconds.
    fn after(size: f64, threshold: f64, samples: u32, round_trip: u64) -> Vegas {
        let params = toml::from_str("slow_start_rounds = 1").unwrap();
        let mut vegas = Vegas::new(&params, Env::of(1000, 10));
        (vegas.window.size, vegas.window.threshold) = (size, threshold);
        (vegas.base, vegas.samples, vegas.acked) = (Span::milliseconds(100), samples, size - 1.0);
        let round_trip = Some(Span::milliseconds(round_trip));
        vegas.on_ack(&Acked { round_trip, begins_round: true, ..acked(1000) });
        vegas
    }

    /// The cases of ns-3: window and threshold in segments, round trip; window and segments in queues afterwards.
    #[test]
    fn the_window_follows_the_segments_in_queues() {
        for (size, threshold, round_trip, expected, queued) in [
            (38.0, 40.0, 106, 36.0, 3.0),
            (5.0, 10.0, 118, 6.0, 1.0),
            (60.0, 40.0, 206, 59.0, 31.0),
            (15.0, 10.0, 106, 16.0, 1.0),
            (20.0, 10.0, 109, 20.0, 2.0),
        ] {
            let vegas = after(size, threshold, 10, round_trip);
            assert_eq!((vegas.window.size, vegas.queued), (expected, queued), "{size}");
            assert_eq!(vegas.is_in_slow_start(), size == 5.0, "{size}");
        }
    }

    #[test]
    fn two_samples_are_too_few() {
        let vegas = after(15.0, 10.0, 1, 206);
        assert_eq!((vegas.window.size, vegas.queued), (16.0, 0.0));
    }

    /// Ten acknowledgements of a segment a round, without queues.
    #[test]
    fn every_other_round_of_slow_start_doubles() {
        let mut vegas = Vegas::new(&Params::default(), Env::of(1000, 10));
        let mut windows = Vec::new();
        vegas.on_ack(&Acked { begins_round: true, ..acked(1000) });
        for _ in 0..4 {
            (1..=10).for_each(|number| vegas.on_ack(&Acked { begins_round: number == 10, ..acked(1000) }));
            windows.push(vegas.window() / 1000);
        }
        assert_eq!(windows, [20, 21, 30, 31]);
    }

    #[test]
    fn losses_halve_the_window() {
        let mut vegas = after(20.0, 10.0, 10, 109);
        vegas.on_congestion(&congestion(Signal::Loss, 30_000));
        assert_eq!((vegas.window(), vegas.samples), (10_000, 0));
    }

    #[test]
    fn a_given_base_holds() {
        let mut vegas = after(20.0, 10.0, 10, 109);
        vegas.params.base = Some(Span::milliseconds(50));
        (vegas.samples, vegas.least) = (10, Span::milliseconds(100));
        vegas.adjust();
        assert_eq!((vegas.queued, vegas.window.size), (10.0, 19.0));
    }
}
