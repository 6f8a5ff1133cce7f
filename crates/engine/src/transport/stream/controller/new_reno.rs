//! NewReno: additive increase and multiplicative decrease (RFC 5681, 6582). The default of most textbooks, and the yardstick of
//! every formula.
//!
//! With n segments acknowledged, and windows in segments:
//!
//! ```text
//! slow start (w < threshold): w <- w + n
//! avoidance: w <- w + n / w
//! loss: threshold = w = max(loss_factor f, 2), with f = the window, or less if less is outstanding
//! mark: threshold = w = max(ecn_factor w, 1)
//! timeout: threshold as after a loss, if it is the first; w = 1
//! ```

use super::window::Window;
use super::{Acked, Congestion, Controller, ControllerParams, Env, Natural, RETUNED, Signal, check_factor};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::time::Time;

/// The reductions.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Factor on the window after a loss.
    #[schemars(extend("retune" = RETUNED))]
    pub loss_factor: f64,
    /// Factor on the window after a mark.
    #[schemars(extend("retune" = RETUNED))]
    pub ecn_factor: f64,
}

impl Default for Params {
    fn default() -> Params {
        Params { loss_factor: 0.5, ecn_factor: 0.5 }
    }
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        check_factor("loss_factor", self.loss_factor)?;
        check_factor("ecn_factor", self.ecn_factor)
    }
}

impl Natural for Params {}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::LOSS.with(Signals::ECN);
}

/// The state of one stream.
#[derive(Clone, Debug)]
pub struct NewReno {
    loss_factor: f64,
    ecn_factor: f64,
    window: Window,
}

impl NewReno {
    /// A stream in slow start.
    #[must_use]
    pub fn new(params: &impl Reductions, env: Env) -> NewReno {
        let [loss_factor, ecn_factor] = params.factors();
        NewReno { loss_factor, ecn_factor, window: Window::new(env) }
    }
}

/// Parameters with factors on the window.
pub trait Reductions {
    /// After a loss, and after a mark.
    fn factors(&self) -> [f64; 2];
}

impl Reductions for Params {
    fn factors(&self) -> [f64; 2] {
        [self.loss_factor, self.ecn_factor]
    }
}

impl Controller for NewReno {
    #[inline]
    fn window(&self) -> u64 {
        self.window.octets()
    }

    #[inline]
    fn on_ack(&mut self, ack: &Acked) {
        let left = self.window.slow_start(ack);
        self.window.size += left / self.window.size;
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let outstanding = self.window.segments(congestion.outstanding);
        let reduced = match congestion.signal {
            Signal::Ecn => self.window.size * self.ecn_factor,
            Signal::Loss | Signal::Timeout { .. } => self.window.size.min(outstanding) * self.loss_factor,
        };
        self.window.reduce(congestion.signal, reduced);
    }

    fn is_in_slow_start(&self) -> bool {
        self.window.is_in_slow_start()
    }

    fn on_idle(&mut self, _now: Time) {
        self.window.restart();
    }

    fn retune(&mut self, params: &ControllerParams, _now: Time) {
        let factors = match params {
            ControllerParams::NewReno(params) => params.factors(),
            ControllerParams::Abe(params) => params.factors(),
            _ => return,
        };
        [self.loss_factor, self.ecn_factor] = factors;
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}", "{ loss_factor = 0.7 }"];
}

#[cfg(test)]
mod tests {
    use super::super::laws::{acked, congestion};
    use super::*;

    fn reno(size: f64) -> NewReno {
        let mut reno = NewReno::new(&Params::default(), Env::of(1000, 10));
        (reno.window.size, reno.window.threshold) = (size, 1.0);
        reno
    }

    /// Real arithmetic, one segment an acknowledgement.
    #[test]
    fn avoidance_adds_about_a_segment_a_round_trip() {
        for (size, count, expected) in [(10.0, 10, 10.958_648), (100.0, 1000, 109.544_928)] {
            let mut reno = reno(size);
            (0..count).for_each(|_| reno.on_ack(&acked(1000)));
            assert!((reno.window.size - expected).abs() < 1e-6, "{}", reno.window.size);
        }
    }

    /// Acknowledgements of 4, 4 and 2 segments.
    #[test]
    fn slow_start_adds_what_is_acknowledged() {
        let mut reno = NewReno::new(&Params::default(), Env::of(1000, 10));
        let windows = [4, 4, 2].map(|segments| {
            reno.on_ack(&acked(segments * 1000));
            reno.window()
        });
        assert_eq!(windows, [14_000, 18_000, 20_000]);
    }

    /// Ten segments in flight, or nine; each acknowledgement is of two.
    #[test]
    fn a_window_grows_only_while_it_limits_the_sender() {
        for (flight, expected) in [(10, vec![12, 14, 16, 18, 20]), (9, vec![12, 14, 16, 18, 18])] {
            let mut reno = NewReno::new(&Params::default(), Env::of(1000, 10));
            let mut left = flight;
            let windows: Vec<u64> = (0..5)
                .map(|_| {
                    let octets = left.min(2) * 1000;
                    // The packets of the test are all sent at once; the window was full or half full at that time.
                    let in_flight = if left == 1 { 1000 } else { flight * 1000 };
                    reno.on_ack(&Acked { in_flight, is_limited: false, ..acked(octets) });
                    left -= left.min(2);
                    reno.window() / 1000
                })
                .collect();
            assert_eq!(windows, expected, "{flight}");
        }
    }

    #[test]
    fn losses_marks_and_timeouts_reduce_the_window() {
        let reduced = |signal, outstanding| {
            let mut reno = reno(20.0);
            reno.on_congestion(&congestion(signal, outstanding));
            (reno.window.size, reno.window.threshold)
        };
        assert_eq!(reduced(Signal::Loss, 22_000), (10.0, 10.0));
        assert_eq!(reduced(Signal::Loss, 6_000), (3.0, 3.0));
        assert_eq!(reduced(Signal::Ecn, 22_000), (10.0, 10.0));
        assert_eq!(reduced(Signal::Timeout { is_first: true }, 22_000), (1.0, 10.0));
        assert_eq!(reduced(Signal::Timeout { is_first: false }, 1_000), (1.0, 1.0));
    }
}
