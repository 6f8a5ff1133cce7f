//! CAPC, congestion avoidance using proportional control: one explicit rate for all connections, adjusted in proportion
//! to the difference between input and target. It needs no table of connections.
//!
//! Source: A. Barnhart, ATM Forum 94-0983, as described by others; docs/models/capc.md. At the end of each interval:
//!
//! ```text
//! z   = input / (target * available)
//! ERS = ERS min(ERU, 1 + (1 - z) Rup)        z < 1
//! ERS = ERS max(ERF, 1 - (z - 1) Rdn)        z >= 1
//! ```
//!
//! On a backward RM cell, ER = min(ER, ERS), and CI = 1 if the queue is above a threshold. An interval without input
//! has z = 0. ERS is at most the line's rate. It is at least 20 cells/s, because at TCR a TM 4.0 source sends no
//! in-rate cells.
//!
//! With minimum cell rates (`minimum.rs`), `plus` takes the MCR of all flows through the port off the input and off the
//! target, and ER = MCR + ERS. With `floor`, ER = max(MCR, ERS).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bn::{self, BnCells};
use super::load::{Load, Measured};
use super::minimum::{Mcr, Minima};
use super::{LEAST_GRANT, check_target, indicate_congestion, interval, lower};
use crate::control::answer::Answer;
use crate::control::congestion::{
    CongestionParams, CongestionPoint, CongestionPointParams, Notice, PortEnv, PortView, RETUNED_INTERVAL,
    RETUNED_TARGET, RETUNED_THRESHOLD,
};
use crate::control::{FIXED_MINIMUM, FIXED_SIGNALS, FIXED_START};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{Body, Pdu};
use crate::core::quantity::Count;
use crate::core::reading::{Each, Reading};
use crate::core::time::{Rate, Span, Time};
use crate::core::word;

/// Parameters of CAPC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Target share of the available rate (0.85 to 0.95).
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub target: f64,
    /// Gain for the increase of ERS below the target (Rup: 0.025 to 0.1).
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub r_up: f64,
    /// Gain for the decrease of ERS above the target (Rdn: 0.2 to 0.8).
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub r_down: f64,
    /// Largest factor on ERS in an interval (ERU, 1.5).
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub eru: f64,
    /// Smallest factor on ERS in an interval (ERF, 0.5).
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub erf: f64,
    /// CI is set while the last queue holds more than this. "never" sets no CI. The source gives no value.
    #[serde(with = "word::never")]
    #[schemars(schema_with = "word::never::schema::<Count>", extend("retune" = RETUNED_THRESHOLD))]
    pub ci_threshold: Option<Count>,
    /// Measurement interval. The source gives no value.
    #[schemars(extend("retune" = RETUNED_INTERVAL))]
    pub interval: interval::Params,
    /// ERS at the start. "auto" is what it would be for a single connection. The source gives no value.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Rate>", extend("fixed" = FIXED_START))]
    pub initial: Option<Rate>,
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
            target: 0.9,
            r_up: 0.05,
            r_down: 0.5,
            eru: 1.5,
            erf: 0.5,
            ci_threshold: None,
            interval: interval::Params::lasting(Span::milliseconds(1)),
            initial: None,
            bn: None,
            mcr: Mcr::default(),
        }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        check_target(self.target)?;
        bn::check(self.bn)?;
        // With a gain below a thousandth, ERS would not rise within any run.
        check::ratio("r_up", self.r_up, 0.001..=10.0)?;
        check::ratio("r_down", self.r_down, 0.0..=10.0)?;
        check::ratio("eru", self.eru, 1.001..=10.0)?;
        check::ratio("erf", self.erf, 0.0..=1.0)?;
        self.interval.check().map_err(|fault| fault.under("interval"))
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::EXPLICIT_RATES.with(Signals::CI);
    const HEARS: Signals = Signals::FORWARD_RM_CELLS;
    const IF: &[(Signals, &str)] = &[(Signals::CI, "ci_threshold"), (Signals::CI, "bn")];

    fn sends(&self) -> Signals {
        Signals::EXPLICIT_RATES.with(Signals::CI.when(self.ci_threshold.is_some() || self.bn.is_some()))
    }
}

impl CongestionPointParams for Params {
    fn guaranteed_share(&self) -> Option<f64> {
        Some(self.target)
    }

    fn controls_last_queue(&self) -> bool {
        true
    }
    fn spacing(&self) -> Option<Span> {
        self.bn.map(|bn| bn.spacing)
    }
}

/// CAPC at one port.
#[derive(Clone, Debug)]
pub struct Capc {
    load: Load,
    params: Params,
    minima: Minima,
    /// ERS, bits per second.
    ers: f64,
    load_factor: f64,
    bn: BnCells,
}

impl Capc {
    /// For a port with this `env`, from time 0.
    #[must_use]
    pub fn new(params: &Params, env: PortEnv) -> Capc {
        let load = Load::new(&params.interval, &env);
        let minima = Minima::new(params.mcr, &env);
        let bn = BnCells::new(params.bn, &env);
        let alone = params.target * load.line_rate() - minima.reserved_by_all();
        let initial = params.initial.map_or(alone, Rate::bits_per_second);
        let mut capc = Capc { load, params: params.clone(), minima, ers: 0.0, load_factor: 0.0, bn };
        capc.set(initial);
        capc
    }

    fn set(&mut self, ers: f64) {
        // ERS never exceeds the line's rate, even if that is below the smallest grant.
        self.ers = ers.max(LEAST_GRANT).min(self.load.line_rate());
    }

    #[cold]
    fn close(&mut self, measured: Measured) {
        self.step(measured.input, measured.available);
        for _ in 0..measured.further {
            let before = self.ers;
            self.step(0.0, self.load.line_rate());
            if self.ers == before {
                // ERS has reached its maximum.
                break;
            }
        }
    }

    fn step(&mut self, input: f64, available: f64) {
        let Params { r_up, r_down, eru, erf, .. } = self.params;
        let reserved = self.minima.reserved_by_all();
        let target = self.params.target * available - reserved;
        let input = (input - reserved).max(0.0);
        let z = if target > 0.0 { input / target } else { f64::INFINITY };
        let factor = if z < 1.0 {
            eru.min(1.0 + (1.0 - z) * r_up)
        } else {
            // Written so that an infinite load with r_down = 0 gives no decrease.
            erf.max(1.0 - if r_down > 0.0 { (z - 1.0) * r_down } else { 0.0 })
        };
        self.set(self.ers * factor);
        self.load_factor = if z.is_finite() { z } else { 0.0 };
    }
}

impl CongestionPoint for Capc {
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
        lower(pdu, self.minima.grant(pdu.flow.index(), self.ers));
        let is_long = self.params.ci_threshold.is_some_and(|threshold| view.length > threshold.0);
        if is_long && matches!(pdu.body(), Body::ResourceManagement { .. }) {
            indicate_congestion(pdu);
        }
    }

    fn on_rate(&mut self, rate: Rate, now: Time) {
        if let Some(measured) = self.load.catch_up(now) {
            self.close(measured);
        }
        self.load.change_rate(rate);
        self.set(self.ers);
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
        each(Reading::rate("ers"), self.ers);
        each(Reading::ratio("load_factor"), self.load_factor);
    }

    fn retune(&mut self, params: &CongestionParams, env: &PortEnv, now: Time) {
        let CongestionParams::Capc(params) = params else { return };
        if let Some(measured) = self.load.catch_up(now) {
            self.close(measured);
        }
        self.load.retune(&params.interval, env, now);
        self.params.clone_from(params);
        self.bn.retune(params.bn);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{ ci_threshold = '100 cells' }",
        "{ r_down = 0.0, erf = 0.0, interval = { cells = 7 }, initial = '1 Mb/s', mcr = 'floor', bn = { threshold = '3 cells' } }",
    ];
}

#[cfg(test)]
mod tests {
    use super::super::cells::{backward, data, er, video, view};
    use super::*;
    use crate::control::laws::{guaranteed, port_of};
    use crate::core::pdu::Marks;

    /// 100 cells a millisecond.
    const LINE: f64 = 42.4e6;

    fn switch(params: &Params) -> Capc {
        assert_eq!(params.check(), Ok(()));
        Capc::new(params, port_of(Rate(42_400_000), 4))
    }

    #[test]
    fn the_grant_is_never_above_the_rate_that_the_line_has_now() {
        let mut switch = switch(&Params { initial: Some(Rate(42_400_000)), ..Params::default() });
        switch.on_rate(Rate(21_200_000), Time::ZERO);
        let mut answer = backward(0, 1e6);
        switch.on_backward(&mut answer, &view(0.0, 0));
        assert_eq!(er(&answer), 21.2e6);
    }

    /// The grant after one millisecond with `cells` cells of the class and `above` cells of higher classes.
    fn after(params: &Params, cells: u32, above: u32, milliseconds: f64) -> f64 {
        let mut switch = switch(&Params { initial: Some(Rate(4_240_000)), ..params.clone() });
        for _ in 0..cells {
            assert_eq!(switch.on_arrival(&mut data(0), &view(500.0, 0)), None);
        }
        for _ in 0..above {
            switch.on_arrival(&mut video(), &view(500.0, 0));
        }
        let mut answer = backward(0, 1e6);
        switch.on_backward(&mut answer, &view(1000.0 * milliseconds, 0));
        er(&answer) / LINE
    }

    #[test]
    fn the_rate_follows_the_load() {
        let params = Params::default();
        for (cells, above, times) in [
            (90, 0, 1.0),              // on the target
            (45, 0, 1.0 + 0.5 * 0.05), // z = 0.5
            (0, 0, 1.05),              // z = 0
            (99, 0, 1.0 - 0.1 * 0.5),  // z = 1.1
            (45, 50, 1.0),             // half of the line is available
            (1000, 0, 0.5),            // limited by ERF
            (10, 100, 0.5),            // nothing available
        ] {
            let granted = after(&params, cells, above, 1.0);
            assert!((granted - 0.1 * times).abs() < 1e-12, "{cells} {above}: {granted}");
        }
        let steep = Params { r_up: 2.0, ..params };
        assert!((after(&steep, 0, 0, 1.0) - 0.15).abs() < 1e-12);
    }

    #[test]
    fn empty_intervals_raise_it_to_the_line_and_no_further() {
        let params = Params::default();
        assert!((after(&params, 90, 0, 4.0) - 0.1 * 1.05 * 1.05 * 1.05).abs() < 1e-12);
        assert_eq!(after(&params, 90, 0, 1e6), 1.0);
    }

    #[test]
    fn minimum_rates_are_taken_off_input_and_target() {
        // Minima of 10 and 20 cells a millisecond; the target is 90. ERS is 6 cells a millisecond.
        for (mcr, cells, times, granted) in [
            (Mcr::Plus, 90, 1.0, [16.0, 26.0]),
            (Mcr::Plus, 60, 1.0 + 0.5 * 0.05, [16.15, 26.15]), // z = 30 / 60
            (Mcr::Plus, 20, 1.05, [16.3, 26.3]),               // z = 0
            (Mcr::Floor, 90, 1.0, [10.0, 20.0]),
            (Mcr::Floor, 45, 1.0 + 0.5 * 0.05, [10.0, 20.0]), // z = 45 / 90
        ] {
            let params = Params { mcr, initial: Some(Rate(2_544_000)), ..Params::default() };
            let mut switch = Capc::new(&params, guaranteed(&[0.1 * LINE, 0.2 * LINE]));
            for _ in 0..cells {
                switch.on_arrival(&mut data(0), &view(500.0, 0));
            }
            for (flow, granted) in (0..).zip(granted) {
                let mut answer = backward(flow, 1e6);
                switch.on_backward(&mut answer, &view(1000.0, 0));
                assert!((er(&answer) / LINE - granted / 100.0).abs() < 1e-12, "{mcr:?} {cells} {flow}");
            }
            assert!((switch.ers / LINE - 0.06 * times).abs() < 1e-12);
        }
    }

    #[test]
    fn it_never_falls_for_good() {
        let mut switch = switch(&Params::default());
        for millisecond in 0..40 {
            for _ in 0..100 {
                switch.on_arrival(&mut video(), &view(1000.0 * f64::from(millisecond), 0));
            }
        }
        assert_eq!(switch.ers, LEAST_GRANT);
    }

    #[test]
    fn a_long_queue_sets_ci() {
        let mut switch = switch(&Params { ci_threshold: Some(Count(20)), ..Params::default() });
        for (length, actual) in [(20, false), (21, true)] {
            let mut answer = backward(0, 1e6);
            switch.on_backward(&mut answer, &view(0.0, length));
            assert_eq!((answer.marks.has(Marks::CI), er(&answer)), (actual, 0.9 * LINE));
        }
    }

    #[test]
    fn faults_are_found() {
        let faulty = |params: Params| params.check().err().map(|fault| fault.path);
        assert_eq!(faulty(Params::default()), None);
        assert_eq!(faulty(Params { target: 0.0, ..Params::default() }).as_deref(), Some("target"));
        assert_eq!(faulty(Params { r_up: 0.0, ..Params::default() }).as_deref(), Some("r_up"));
        assert_eq!(faulty(Params { r_down: -0.1, ..Params::default() }).as_deref(), Some("r_down"));
        assert_eq!(faulty(Params { eru: 0.5, ..Params::default() }).as_deref(), Some("eru"));
        assert_eq!(faulty(Params { erf: 1.5, ..Params::default() }).as_deref(), Some("erf"));
        let interval = interval::Params::ending(None, Some(0));
        assert_eq!(faulty(Params { interval, ..Params::default() }).as_deref(), Some("interval.cells"));
    }
}
