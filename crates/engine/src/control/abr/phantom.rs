//! Phantom: every connection may have a multiple of the unused rate, as if one more connection used that rate.
//!
//! Source: Afek, Mansour and Ostfeld, SIGCOMM 1996, as described by others; docs/models/phantom.md. At the end of each
//! interval:
//!
//! ```text
//! D    = available - input                residual rate, negative in overload
//! MACR = MACR + alpha (D - MACR)          alpha_inc if D > MACR, alpha_dec otherwise; never below 20 cells/s
//! ```
//!
//! On a backward RM cell, ER = min(ER, f MACR). So `n` greedy connections settle at MACR = C / (1 + n f), and use n f /
//! (1 + n f) of the line. The paper adapts alpha to the variance of D. We could not obtain its method, so here both
//! gains are constant. MACR is an integrator in a loop with a delay, so with `n` connections it is stable for
//!
//! ```text
//! alpha (1 + n f) < 2   and   alpha n f d < pi / 2
//! d = 1 + (round trip + 32 PDUs of each connection at the line's rate) / interval      in intervals
//! ```
//!
//! The delay `d` is that of the measurement, of the path, and of a source that waits for its next RM cell (one in 32
//! cells). `auto` takes all connections through the port for `n`, and a sixth of what would be just stable:
//!
//! ```text
//! alpha = min(1/16, 1 / (4 (1 + n f) d)),   MACR = (C - sum of MCR) / (1 + n f) at the start
//! ```
//!
//! With minimum cell rates (`minimum.rs`), `plus` gives ER = MCR + f MACR. It takes MCR off the available rate and off
//! the input, so D stays the same, and MACR settles at (C - sum of MCR) / (1 + n f). With `floor`, ER = max(MCR, f MACR),
//! and the sum of these rates settles at C - MACR.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bn::{self, BnCells};
use super::load::{Load, Measured};
use super::minimum::{Mcr, Minima};
use super::{LEAST_GRANT, interval, lower};
use crate::control::answer::Answer;
use crate::control::congestion::{
    CongestionParams, CongestionPoint, CongestionPointParams, Notice, PortEnv, PortView, RETUNED_INTERVAL,
    RETUNED_TARGET,
};
use crate::control::{FIXED_MINIMUM, FIXED_SIGNALS, FIXED_START};
use crate::core::auto::AutoOr;
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::Pdu;
use crate::core::reading::{Each, Reading};
use crate::core::time::{Rate, Span, Time};
use crate::core::word;

/// A gain. The source gives no value.
const ALPHA: f64 = 1.0 / 16.0;
/// Cells of a source for one RM cell.
const RM_SPACING: f64 = 32.0;

/// Parameters of Phantom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Multiple of the residual rate that a connection may have (5 typical).
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub f: f64,
    /// Weight of a residual rate above the mean. The source gives no value: 1/16. "auto" follows from the round trip and
    /// the number of flows through the port, so that the loop is stable.
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub alpha_inc: AutoOr<f64>,
    /// Weight of a residual rate below the mean. The source gives no value: 1/16. "auto" as in `alpha_inc`.
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub alpha_dec: AutoOr<f64>,
    /// Measurement interval. The source gives no value.
    #[schemars(extend("retune" = RETUNED_INTERVAL))]
    pub interval: interval::Params,
    /// MACR at the start. "single" is the value for a single connection, (line rate - sum of MCR) / (1 + f). "auto" is the
    /// value for all flows through the port.
    #[serde(with = "word::single")]
    #[schemars(schema_with = "word::single::schema::<AutoOr<Rate>>", extend("fixed" = FIXED_START))]
    pub initial_macr: Option<AutoOr<Rate>>,
    /// RM cells that the switch makes itself and sends back to the sources (BN=1). If absent, it makes none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("fixed" = FIXED_SIGNALS))]
    pub bn: Option<bn::Params>,
    /// How connections with a minimum rate share the line.
    #[schemars(extend("fixed" = FIXED_MINIMUM))]
    pub mcr: Mcr,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            f: 5.0,
            alpha_inc: AutoOr::Given(ALPHA),
            alpha_dec: AutoOr::Given(ALPHA),
            interval: interval::Params::lasting(Span::milliseconds(1)),
            initial_macr: None,
            bn: None,
            mcr: Mcr::default(),
        }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        check::ratio("f", self.f, 0.01..=1000.0)?;
        bn::check(self.bn)?;
        // With a weight below a thousandth, the mean would not follow any rate within a run.
        for (key, alpha) in [("alpha_inc", self.alpha_inc), ("alpha_dec", self.alpha_dec)] {
            check::ratio(key, alpha.given().unwrap_or(ALPHA), 0.001..=1.0)?;
        }
        self.interval.check().map_err(|fault| fault.under("interval"))
    }

    /// `n f`: what all connections of a port with this `env` may have together, as a multiple of MACR.
    fn together(&self, env: &PortEnv) -> f64 {
        f64::from(env.flow_count.max(1)) * self.f
    }

    /// The delay of the loop at a port with this `env`, in intervals.
    fn delay(&self, env: &PortEnv) -> f64 {
        let bits = |pdus: f64| pdus * env.largest_bits() as f64;
        let limits = self.interval.limits(env);
        let seconds = bits(self.interval.most_pdus(env)) / env.rate.bits_per_second();
        let interval = limits.time.map_or(seconds, Span::seconds);
        let next_rm_cell = bits(RM_SPACING * f64::from(env.flow_count)) / env.rate.bits_per_second();
        1.0 + (env.round_trip.seconds() + next_rm_cell) / interval
    }

    /// The largest stable gain at a port with this `env`.
    fn largest_gain(&self, env: &PortEnv) -> f64 {
        let together = self.together(env);
        (2.0 / (1.0 + together)).min(std::f64::consts::FRAC_PI_2 / (together * self.delay(env)))
    }

    /// The gains for residual rates above and below the mean, at a port with this `env`.
    fn gains(&self, env: &PortEnv) -> [f64; 2] {
        let auto = (0.25 / ((1.0 + self.together(env)) * self.delay(env))).min(ALPHA);
        [self.alpha_inc, self.alpha_dec].map(|alpha| alpha.given().unwrap_or(auto))
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::EXPLICIT_RATES.with(Signals::CI);
    const HEARS: Signals = Signals::FORWARD_RM_CELLS;
    const IF: &[(Signals, &str)] = &[(Signals::CI, "bn")];

    fn sends(&self) -> Signals {
        Signals::EXPLICIT_RATES.with(Signals::CI.when(self.bn.is_some()))
    }
}

impl CongestionPointParams for Params {
    /// With minimum rates of the whole line, MACR would be 0.
    fn guaranteed_share(&self) -> Option<f64> {
        Some(1.0)
    }

    fn controls_last_queue(&self) -> bool {
        true
    }

    fn unstable_gain(&self, env: &PortEnv) -> Option<(&'static str, f64, f64)> {
        let most = self.largest_gain(env);
        let given = [("alpha_inc", self.alpha_inc.given()?), ("alpha_dec", self.alpha_dec.given()?)];
        given.into_iter().find(|(_, alpha)| *alpha >= most).map(|(key, alpha)| (key, alpha, most))
    }
    fn spacing(&self) -> Option<Span> {
        self.bn.map(|bn| bn.spacing)
    }
}

/// Phantom at one port.
#[derive(Clone, Debug)]
pub struct Phantom {
    load: Load,
    minima: Minima,
    f: f64,
    alpha_inc: f64,
    alpha_dec: f64,
    macr: f64,
    bn: BnCells,
}

impl Phantom {
    /// For a port with this `env`, from time 0.
    #[must_use]
    pub fn new(params: &Params, env: PortEnv) -> Phantom {
        let load = Load::new(&params.interval, &env);
        let minima = Minima::new(params.mcr, &env);
        let shared = load.line_rate() - minima.reserved_by_all();
        let macr = match params.initial_macr {
            None => shared / (1.0 + params.f),
            Some(AutoOr::Auto) => shared / (1.0 + params.together(&env)),
            Some(AutoOr::Given(macr)) => macr.bits_per_second(),
        };
        let [alpha_inc, alpha_dec] = params.gains(&env);
        let bn = BnCells::new(params.bn, &env);
        Phantom { load, minima, f: params.f, alpha_inc, alpha_dec, macr: macr.max(LEAST_GRANT), bn }
    }

    #[cold]
    fn close(&mut self, measured: Measured) {
        self.step(measured.available - measured.input);
        for _ in 0..measured.further {
            let before = self.macr;
            self.step(self.load.line_rate());
            if self.macr == before {
                // MACR has reached the line's rate exactly.
                break;
            }
        }
    }

    fn step(&mut self, residual: f64) {
        let alpha = if residual > self.macr { self.alpha_inc } else { self.alpha_dec };
        self.macr = (self.macr + alpha * (residual - self.macr)).max(LEAST_GRANT);
    }
}

impl CongestionPoint for Phantom {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        if let Some(measured) = self.load.catch_up(view.now) {
            self.close(measured);
        }
        if let Some(measured) = self.load.count(pdu, view.now) {
            self.close(measured);
        }
        self.bn.on_arrival(pdu, view)
    }

    fn on_backward(&mut self, pdu: &mut Pdu, view: &PortView) {
        if let Some(measured) = self.load.catch_up(view.now) {
            self.close(measured);
        }
        lower(pdu, self.minima.grant(pdu.flow.index(), self.f * self.macr));
    }

    fn on_rate(&mut self, rate: Rate, now: Time) {
        if let Some(measured) = self.load.catch_up(now) {
            self.close(measured);
        }
        self.load.change_rate(rate);
    }

    fn notice_cell(&self, pdu: &Pdu) -> Option<Answer> {
        self.bn.cell(pdu)
    }

    fn notifies(&self) -> bool {
        self.bn.any()
    }

    fn wants_backward(&self) -> bool {
        true
    }

    fn readings(&self, _now: Time, each: &mut Each<'_>) {
        each(Reading::rate("macr"), self.macr);
        each(Reading::rate("explicit_rate"), self.f * self.macr);
    }

    fn retune(&mut self, params: &CongestionParams, env: &PortEnv, now: Time) {
        let CongestionParams::Phantom(params) = params else { return };
        if let Some(measured) = self.load.catch_up(now) {
            self.close(measured);
        }
        self.load.retune(&params.interval, env, now);
        [self.alpha_inc, self.alpha_dec] = params.gains(env);
        self.f = params.f;
        self.bn.retune(params.bn);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}", "{ mcr = 'floor', bn = { threshold = '3 cells' } }"];
}

#[cfg(test)]
mod tests {
    use super::super::cells::{backward, data, er, video, view};
    use super::*;
    use crate::control::laws::{guaranteed, port_of};

    /// 100 cells a millisecond.
    const LINE: f64 = 42.4e6;

    fn switch(macr: u64) -> Phantom {
        let params = Params {
            initial_macr: Some(AutoOr::Given(Rate(macr * 424_000))),
            alpha_dec: AutoOr::Given(0.25),
            ..Params::default()
        };
        assert_eq!(params.check(), Ok(()));
        Phantom::new(&params, port_of(Rate(42_400_000), 4))
    }

    fn granted(switch: &mut Phantom, milliseconds: f64) -> f64 {
        let mut answer = backward(0, 1e6);
        switch.on_backward(&mut answer, &view(1000.0 * milliseconds, 0));
        er(&answer) / LINE
    }

    #[test]
    fn the_residual_rate_is_that_of_the_line_as_it_is_now() {
        // MACR is all of the line once this has half of its rate. So it stays.
        let mut switch = switch(50);
        let before = granted(&mut switch, 0.0);
        switch.on_rate(Rate(21_200_000), Time::ZERO);
        assert_eq!(granted(&mut switch, 5.0), before);
    }

    #[test]
    fn the_mean_follows_the_residual_rate() {
        // MACR starts at 10 cells a millisecond of 100. The table gives the cells in one millisecond, and MACR after
        // it.
        for (cells, above, after) in [
            (90, 0, 10.0),
            (58, 0, 12.0), // a sixteenth of the way from 10 to 42
            (94, 0, 9.0),  // a quarter of the way down to 6
            (50, 44, 9.0),
            (102, 0, 7.0), // to -2
        ] {
            let mut switch = switch(10);
            for _ in 0..cells {
                assert_eq!(switch.on_arrival(&mut data(0), &view(500.0, 0)), None);
            }
            for _ in 0..above {
                switch.on_arrival(&mut video(), &view(500.0, 0));
            }
            let er = granted(&mut switch, 1.0);
            assert!((er - 5.0 * after / 100.0).abs() < 1e-12, "{cells} {above}: {er}");
        }
    }

    #[test]
    fn it_keeps_between_nothing_and_the_line() {
        let mut idle = switch(10);
        assert!((granted(&mut idle, 1.0) - 5.0 * (0.1 + 0.9 / 16.0)).abs() < 1e-12);
        assert!(
            (granted(&mut idle, 3.0) - 5.0 * (1.0 - 0.9 * (15.0f64 / 16.0) * (15.0 / 16.0) * (15.0 / 16.0))).abs()
                < 1e-12
        );
        idle.close(Measured { input: 0.0, available: LINE, length: Span(1), further: u64::MAX });
        assert!((idle.macr / LINE - 1.0).abs() < 1e-12);
        for _ in 0..100 {
            idle.step(-10.0 * LINE);
        }
        assert_eq!(idle.macr, LEAST_GRANT);
    }

    #[test]
    fn greedy_connections_settle_where_the_phantom_has_its_share() {
        // n connections that use their grant at once: MACR = C / (1 + 5 n).
        for connections in [1.0, 2.0, 5.0] {
            let mut switch = Phantom::new(
                &Params { alpha_inc: AutoOr::Given(0.01), alpha_dec: AutoOr::Given(0.01), ..Params::default() },
                port_of(Rate(42_400_000), 4),
            );
            for _ in 0..2000 {
                switch.step(LINE - connections * 5.0 * switch.macr);
            }
            assert!((switch.macr - LINE / (1.0 + 5.0 * connections)).abs() < 1e-6 * LINE);
        }
    }

    #[test]
    fn the_gains_follow_from_the_flows_and_their_round_trip() {
        let auto = Params { alpha_inc: AutoOr::Auto, alpha_dec: AutoOr::Auto, ..Params::default() };
        let env = |flows, milliseconds| PortEnv {
            round_trip: Span::milliseconds(milliseconds),
            ..port_of(Rate(42_400_000), flows)
        };
        // Intervals of 1 ms are 100 cells. With 20 flows, an RM cell of each takes 6.4 ms.
        let delay = 1.0 + 10.0 + 6.4;
        assert!((auto.gains(&env(20, 10))[0] * 4.0 * 101.0 * delay - 1.0).abs() < 1e-9);
        assert!((auto.largest_gain(&env(20, 10)) * 100.0 * delay - std::f64::consts::FRAC_PI_2).abs() < 1e-9);
        // The gains of the default are not stable with 20 flows, and said to be so; those of `auto` never are.
        let actual = Params::default().unstable_gain(&env(20, 10));
        assert!(actual.is_some_and(|(key, gain, most)| key == "alpha_inc" && gain == ALPHA && most < 1e-3));
        assert_eq!((Params::default().unstable_gain(&env(1, 0)), auto.unstable_gain(&env(20, 10))), (None, None));
        for (flows, milliseconds) in [(1, 0), (1, 560), (3, 1), (60, 80), (5000, 560)] {
            let env = env(flows, milliseconds);
            assert!(auto.gains(&env).iter().all(|&gain| gain <= ALPHA && gain < auto.largest_gain(&env) / 6.0));
        }
    }

    #[test]
    fn with_minimum_rates_the_phantom_shares_what_they_leave() {
        // Minima of 10 and 20 of 100. With `plus`, MACR = 70 / (1 + 2 f). With `floor`, both have f MACR > 20 if f is 5.
        // If f is 1/4, f MACR + 20 + MACR = 100.
        for (mcr, f, macr, granted) in [
            (Mcr::Plus, 5.0, 70.0 / 11.0, [10.0 + 350.0 / 11.0, 20.0 + 350.0 / 11.0]),
            (Mcr::Plus, 1.0, 70.0 / 3.0, [10.0 + 70.0 / 3.0, 20.0 + 70.0 / 3.0]),
            (Mcr::Floor, 5.0, 100.0 / 11.0, [500.0 / 11.0; 2]),
            (Mcr::Floor, 0.25, 64.0, [16.0, 20.0]),
        ] {
            let params =
                Params { mcr, f, alpha_inc: AutoOr::Given(0.01), alpha_dec: AutoOr::Given(0.01), ..Params::default() };
            let mut switch = Phantom::new(&params, guaranteed(&[0.1 * LINE, 0.2 * LINE]));
            let granted_now = |switch: &mut Phantom| {
                [0, 1].map(|flow| {
                    let mut answer = backward(flow, 1e6);
                    switch.on_backward(&mut answer, &view(1.0, 0));
                    er(&answer)
                })
            };
            for _ in 0..4000 {
                let used: f64 = granted_now(&mut switch).iter().sum();
                switch.step(LINE - used);
            }
            assert!((switch.macr / LINE - macr / 100.0).abs() < 1e-6, "{mcr:?} {f}: {}", switch.macr / LINE);
            for (now, granted) in granted_now(&mut switch).into_iter().zip(granted) {
                assert!((now / LINE - granted / 100.0).abs() < 1e-5, "{mcr:?} {f}: {}", now / LINE);
            }
        }
    }

    #[test]
    fn faults_are_found() {
        let faulty = |params: Params| params.check().err().map(|fault| fault.path);
        assert_eq!(faulty(Params::default()), None);
        assert_eq!(faulty(Params { f: 0.0, ..Params::default() }).as_deref(), Some("f"));
        assert_eq!(faulty(Params { alpha_inc: AutoOr::Given(0.0), ..Params::default() }).as_deref(), Some("alpha_inc"));
        assert_eq!(faulty(Params { alpha_dec: AutoOr::Given(1.1), ..Params::default() }).as_deref(), Some("alpha_dec"));
        let interval = interval::Params::ending(Some(Span::ZERO), None);
        assert_eq!(faulty(Params { interval, ..Params::default() }).as_deref(), Some("interval.time"));
    }
}
