//! DCTCP: reduces the window by the share of marked segments (RFC 8257). The heir of DECbit and of EFCI.
//!
//! With alpha the estimated share of marked segments (see `marked_share`), whose periods are rounds:
//!
//! ```text
//! a round with a mark: w <- w (1 - alpha / 2), once; growth and losses as NewReno
//! ```

use super::marked_share::{self, MarkedShare};
use super::window::Window;
use super::{Acked, Congestion, Controller, ControllerParams, Env, Natural, RETUNED, Signal};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::reading::{Each, Reading};
use crate::core::time::Time;

/// When a round with marks reduces the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum React {
    /// At the first mark, by the share of the rounds before, as Linux does.
    #[default]
    FirstMark,
    /// At the end of the round, by a share that counts this round, as in the steps of RFC 8257, 3.3.
    WindowEnd,
}

/// The weight of the estimate, and when it acts.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Weight of the newest round in the estimate of the marked share.
    #[schemars(extend("retune" = RETUNED))]
    pub g: f64,
    /// When a round with marks reduces the window.
    #[schemars(extend("retune" = RETUNED))]
    pub react: React,
}

impl Default for Params {
    fn default() -> Params {
        Params { g: 0.0625, react: React::FirstMark }
    }
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        marked_share::check_weight("g", self.g)
    }
}

impl Natural for Params {}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::LOSS.with(Signals::ECN);
}

/// The state of one stream.
#[derive(Clone, Debug)]
pub struct Dctcp {
    params: Params,
    window: Window,
    share: MarkedShare,
}

impl Dctcp {
    /// A stream in slow start.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Dctcp {
        Dctcp { params: params.clone(), window: Window::new(env), share: MarkedShare::new() }
    }

    fn reduce(&mut self) {
        let reduced = self.window.size * (1.0 - self.share.alpha / 2.0);
        self.window.reduce(Signal::Ecn, reduced);
    }
}

impl Controller for Dctcp {
    #[inline]
    fn window(&self) -> u64 {
        self.window.octets()
    }

    fn on_ack(&mut self, ack: &Acked) {
        self.share.count(ack);
        if ack.begins_round && !self.share.is_empty() {
            self.share.learn(self.params.g);
            if self.share.has_marks() && self.params.react == React::WindowEnd {
                self.reduce();
            }
            self.share.begin();
        }
        let left = self.window.slow_start(ack);
        self.window.size += left / self.window.size;
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        match congestion.signal {
            // A mark ends slow start at once in any case.
            Signal::Ecn if self.params.react == React::WindowEnd => self.window.threshold = self.window.size,
            Signal::Ecn => self.reduce(),
            Signal::Loss | Signal::Timeout { .. } => self.window.halve(congestion),
        }
    }

    fn is_in_slow_start(&self) -> bool {
        self.window.is_in_slow_start()
    }

    fn on_idle(&mut self, _now: Time) {
        self.window.restart();
    }

    fn retune(&mut self, params: &ControllerParams, _now: Time) {
        let ControllerParams::Dctcp(params) = params else { return };
        self.params = params.clone();
    }

    fn readings(&self, each: &mut Each<'_>) {
        each(Reading::share("alpha"), self.share.alpha);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}", "{ g = 0.5, react = 'window_end' }"];
}

#[cfg(test)]
mod tests {
    use super::super::laws::{acked, congestion};
    use super::*;

    /// Rounds of ten segments.
    #[test]
    fn the_estimate_follows_the_marked_share() {
        let mut dctcp = Dctcp::new(&Params::default(), Env::of(1000, 10));
        let rounds = [(0, 0.9375), (0, 0.878_906), (5, 0.855_225), (10, 0.864_273), (0, 0.810_256), (1, 0.765_865)];
        for (marked, expected) in rounds {
            dctcp.on_ack(&Acked { segments: 10, marked, begins_round: true, ..acked(10_000) });
            assert!((dctcp.share.alpha - expected).abs() < 1e-6, "{}", dctcp.share.alpha);
        }
    }

    #[test]
    fn a_mark_reduces_by_half_the_estimate() {
        let mut dctcp = Dctcp::new(&Params::default(), Env::of(1000, 20));
        dctcp.share.alpha = 0.5;
        dctcp.on_congestion(&congestion(Signal::Ecn, 20_000));
        assert_eq!((dctcp.window(), dctcp.window.threshold), (15_000, 15.0));
    }

    #[test]
    fn at_the_end_of_the_round_the_share_of_this_round_counts() {
        let params = toml::from_str("react = 'window_end'").unwrap();
        let mut dctcp = Dctcp::new(&params, Env::of(1000, 20));
        dctcp.share.alpha = 0.0;
        dctcp.on_congestion(&congestion(Signal::Ecn, 20_000));
        assert_eq!((dctcp.window(), dctcp.is_in_slow_start()), (20_000, false));
        dctcp.on_ack(&Acked {
            segments: 20,
            marked: 20,
            begins_round: true,
            is_limited: false,
            in_flight: 0,
            ..acked(20_000)
        });
        assert_eq!(dctcp.window.size, 20.0 * (1.0 - 0.0625 / 2.0));
    }
}
