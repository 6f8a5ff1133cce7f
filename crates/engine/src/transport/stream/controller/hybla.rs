//! Hybla: a long round trip grows its window as fast as a short one would (Caini and Firrincieli 2004). For satellites.
//!
//! With rho = the least round trip / `reference`, at least 1, n segments acknowledged, and windows in segments:
//!
//! ```text
//! first window: rho times that of the stream
//! slow start: w <- w + n min(2^rho - 1, slow_start_cap)
//! avoidance: w <- w + n rho^2 / w
//! losses, marks and timeouts as NewReno
//! pace: `pace` w / SRTT, and `pace_slow_start` w / SRTT in slow start
//! ```
//!
//! The bare rule of slow start, 2^rho - 1, adds four million segments for each one acknowledged over a geostationary satellite.
//! So it is capped: with 3 a window is at most four times as large a round later. The exponent is at most 16, as in Linux.

use super::window::Window;
use super::{Acked, Congestion, Controller, ControllerParams, Env, Natural, Nature, RETUNED};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::reading::{Each, Reading};
use crate::core::time::{Span, Time};
use crate::core::word;

/// The largest exponent of slow start.
const STEEPEST: f64 = 16.0;

/// The round trip that it imitates, and its pace.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// The round trip whose growth it has (RTT0): 25 ms in Linux, 50 ms in ns-3.
    #[schemars(extend("retune" = RETUNED))]
    pub reference: Span,
    /// The most segments that slow start adds for each one acknowledged.
    #[serde(with = "word::unlimited")]
    #[schemars(schema_with = "word::unlimited::schema::<f64>", extend("retune" = RETUNED))]
    pub slow_start_cap: Option<f64>,
    /// The pace, as a multiple of the window over the round trip.
    #[schemars(extend("retune" = RETUNED))]
    pub pace: f64,
    /// The same in slow start.
    #[schemars(extend("retune" = RETUNED))]
    pub pace_slow_start: f64,
}

impl Default for Params {
    fn default() -> Params {
        Params { reference: Span::milliseconds(25), slow_start_cap: Some(3.0), pace: 1.25, pace_slow_start: 2.0 }
    }
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        if self.reference == Span::ZERO {
            return Err(Fault::new("reference", self.reference, "every round trip is longer", "choose 25 ms"));
        }
        let factors = [
            ("slow_start_cap", self.slow_start_cap),
            ("pace", Some(self.pace)),
            ("pace_slow_start", Some(self.pace_slow_start)),
        ];
        for (path, factor) in factors.into_iter().filter_map(|(path, factor)| Some((path, factor?))) {
            if !(factor > 0.0 && factor.is_finite()) {
                return Err(Fault::new(path, factor, "the stream would stand still", "choose more than 0"));
            }
        }
        Ok(())
    }
}

impl Natural for Params {
    const NATURE: Nature = Nature { paces: true, ..Nature::WINDOW };
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::LOSS.with(Signals::ECN);
}

/// The state of one stream.
#[derive(Clone, Debug)]
pub struct Hybla {
    params: Params,
    window: Window,
    /// The least and the smoothed round trip; zero before the first sample.
    least: Span,
    smoothed: Span,
    /// The first window has been enlarged.
    is_scaled: bool,
}

impl Hybla {
    /// A stream in slow start.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Hybla {
        let (params, window) = (params.clone(), Window::new(env));
        Hybla { params, window, least: Span::ZERO, smoothed: Span::ZERO, is_scaled: false }
    }

    fn rho(&self) -> f64 {
        (self.least.seconds() / self.params.reference.seconds()).max(1.0)
    }
}

impl Controller for Hybla {
    #[inline]
    fn window(&self) -> u64 {
        self.window.octets()
    }

    fn on_ack(&mut self, ack: &Acked) {
        if ack.octets == 0 {
            return;
        }
        (self.least, self.smoothed) = (ack.least, ack.smoothed);
        let rho = self.rho();
        if !self.is_scaled && self.least > Span::ZERO {
            self.is_scaled = true;
            self.window.enlarge_first(rho);
        }
        let cap = self.params.slow_start_cap;
        let steep = || libm::exp2(rho.min(STEEPEST)) - 1.0;
        let left = self.window.grow(ack, |acked| acked * cap.map_or(steep(), |cap| steep().min(cap)));
        self.window.size += left * rho * rho / self.window.size;
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.window.halve(congestion);
    }

    fn is_in_slow_start(&self) -> bool {
        self.window.is_in_slow_start()
    }

    fn pacing_rate(&self) -> Option<f64> {
        let Params { pace, pace_slow_start, .. } = self.params;
        let factor = if self.is_in_slow_start() { pace_slow_start } else { pace };
        let octets = self.window.octets() as f64;
        (self.smoothed > Span::ZERO).then(|| factor * octets * 8.0 / self.smoothed.seconds())
    }

    fn on_idle(&mut self, _now: Time) {
        self.window.restart();
    }

    fn retune(&mut self, params: &ControllerParams, _now: Time) {
        let ControllerParams::Hybla(params) = params else { return };
        self.params = params.clone();
    }

    fn readings(&self, each: &mut Each<'_>) {
        each(Reading::ratio("rho"), self.rho());
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}", "{ reference = '5 ms', slow_start_cap = 'unlimited', pace = 2.0 }"];
}

#[cfg(test)]
mod tests {
    use super::super::Signal;
    use super::super::laws::{acked, congestion};
    use super::*;

    /// A stream of two segments of 500 octets of which one is acknowledged, after milliseconds.
    fn grown(cap: &str, threshold: f64, round_trip: u64) -> Hybla {
        let params = toml::from_str(&format!("reference = '50 ms'\nslow_start_cap = {cap}")).unwrap();
        let mut hybla = Hybla::new(&params, Env::of(500, 2));
        (hybla.window.threshold, hybla.is_scaled) = (threshold, true);
        let round_trip = Span::milliseconds(round_trip);
        hybla.on_ack(&Acked { least: round_trip, smoothed: round_trip, ..acked(500) });
        hybla
    }

    /// The cases of ns-3, which has no cap: round trip, and the window in octets afterwards.
    #[test]
    fn the_window_grows_as_with_the_reference() {
        for (round_trip, expected) in [(55, 1_571), (100, 2_500), (750, 16_384_500)] {
            assert_eq!(grown("'unlimited'", f64::INFINITY, round_trip).window(), expected, "slow start, {round_trip}");
        }
        for (round_trip, expected) in [(550, 31_250), (100, 2_000), (750, 57_250)] {
            assert_eq!(grown("'unlimited'", 1.0, round_trip).window(), expected, "avoidance, {round_trip}");
        }
    }

    #[test]
    fn slow_start_is_capped() {
        for (round_trip, expected) in [(20, 1_500), (100, 2_500), (750, 2_500)] {
            assert_eq!(grown("3.0", f64::INFINITY, round_trip).window(), expected, "{round_trip}");
        }
    }

    /// 550 ms are 22 times the reference.
    #[test]
    fn the_first_window_is_that_of_the_reference_in_one_round_trip() {
        let mut hybla = Hybla::new(&Params::default(), Env::of(1000, 10));
        let round_trip = Span::milliseconds(550);
        let ack = Acked { least: round_trip, smoothed: round_trip, ..acked(1000) };
        hybla.on_ack(&ack);
        assert_eq!(hybla.window(), 223_000);
        hybla.on_ack(&ack);
        assert_eq!(hybla.window(), 226_000);
        assert!((hybla.pacing_rate().unwrap() - 2.0 * 226_000.0 * 8.0 / 0.55).abs() < 1e-3);
        hybla.on_idle(Time::ZERO);
        assert_eq!(hybla.window(), 220_000);
    }

    #[test]
    fn a_loss_costs_half_and_the_pace_falls() {
        let mut hybla = grown("3.0", f64::INFINITY, 100);
        hybla.window.size = 100.0;
        hybla.on_congestion(&congestion(Signal::Loss, 100_000));
        assert_eq!((hybla.window(), hybla.is_in_slow_start()), (25_000, false));
        assert!((hybla.pacing_rate().unwrap() - 1.25 * 25_000.0 * 8.0 / 0.1).abs() < 1e-3);
    }
}
