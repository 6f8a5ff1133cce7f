//! EPRCA++: every connection gets the larger of its fair share and its own rate scaled by the load.
//!
//! Source: Ohsaki and others (1995), section II, after ATM Forum 94-1173; docs/models/eprca-plus-plus.md. At the
//! end of each interval `T`, with `N_ABR` cells for the last queue and `N_VBR` for higher ones:
//!
//! ```text
//! available  = BW (T - N_VBR) / T
//! load       = N_ABR / (target (T - N_VBR))
//! fair share = target available / active connections
//! ER         = max(fair share, CCR / load)            CCR of the newest forward RM cell, or of the backward one (`ccr`)
//! ```
//!
//! The paper marks the entry of a connection while it is active, and counts the marked entries. It does not say when a
//! connection is inactive. Here it is if no cell of it was seen in the last 100 intervals of time: of 10 connections
//! and intervals of 30 cells, each sends 300 cells in 100 of them at an equal rate, and still one at a three-hundredth of it.
//!
//! Unlike ERICA, it does not use earlier grants, so its rates need not be the max-min rates. An interval without a cell
//! of the class keeps the last measured load.
//!
//! The paper calls the target "the target utilization around which the switch is utilized", so the fair share is a share
//! of the target rate. Its example of a fair share, `f1`, divides the whole available rate: then connections at their
//! fair share fill the line at any target, and no queue drains. `fair_share = "available"` is this example.
//!
//! The paper calls f1 and f2, the fair share and the share of the connection, "some appropriate functions", and prints an
//! example of each. `division` and `own_share` have others; the printed ones are the defaults.
//!
//! With minimum cell rates (`minimum.rs`), `plus` gives ER = MCR + max(fair share, (CCR - MCR) / load). The fair share
//! is a part of the rate less the MCR of the active connections. With `floor`, ER = max(MCR, fair share, CCR /
//! load), and the sum of max(MCR, fair share) is the rate to divide.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bn::{self, BnCells};
use super::census::{Active, Census};
use super::charny::Recorded;
use super::load::{Load, Measured};
use super::minimum::Mcr;
use super::{backward_ccr, charny, check_target, forward_ccr, interval, lower};
use crate::control::answer::Answer;
use crate::control::congestion::{
    CongestionParams, CongestionPoint, CongestionPointParams, Notice, PortEnv, PortView, RETUNED_INTERVAL,
};
use crate::control::{FIXED_MINIMUM, FIXED_SIGNALS};
use crate::core::auto::AutoOr;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::Pdu;
use crate::core::quantity::Count;
use crate::core::reading::{Each, Reading};
use crate::core::time::{Rate, Span, Time};

/// Parameters of EPRCA++.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Target share of the available rate (0.95; 0.85 suggested for long delays).
    #[schemars(extend("retune" = "It holds from the next RM cell on."))]
    pub target: f64,
    /// Measurement interval: a time, or that of so many cells of 53 octets on the port's line. "auto" is the time of 8
    /// PDUs of each flow through the port, of the octets of the largest: the paper's 30 are 3 cells of each of its 10
    /// connections, of which an interval may miss some.
    #[schemars(extend("retune" = RETUNED_INTERVAL))]
    pub interval: AutoOr<interval::Length>,
    /// The rate of which the fair share is a part.
    #[schemars(extend("retune" = "It holds from the next RM cell on."))]
    pub fair_share: FairShare,
    /// How the fair share divides this rate among the connections (f1).
    #[schemars(extend("retune" = "It holds from the next RM cell on, with the CCR of now."))]
    pub division: Division,
    /// How the load scales the connection's own rate (f2).
    #[schemars(extend("retune" = "It holds from the next RM cell on."))]
    pub own_share: OwnShare,
    /// Which connections count as active: the marked ones (100 intervals; the paper gives no number).
    #[schemars(extend("fixed" = "the connections are counted by it from the start of the run on"))]
    pub active: Active,
    /// The RM cells in which the switch writes ER.
    #[schemars(extend("fixed" = "it decides which RM cells the ports look at"))]
    pub er_written: Written,
    /// The CCR of a connection's own share.
    #[schemars(extend("retune" = "It holds from the next RM cell on."))]
    pub ccr: Noted,
    /// RM cells that the switch makes itself and sends back to the sources (BN=1). If absent, it makes none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("fixed" = FIXED_SIGNALS))]
    pub bn: Option<bn::Params>,
    /// How connections with a minimum rate share the line.
    #[schemars(extend("fixed" = FIXED_MINIMUM))]
    pub mcr: Mcr,
}

/// The CCR of a connection's own share. ERICA's `ccr` has both, and a third.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Noted {
    /// CCR of its newest forward RM cell.
    #[default]
    ForwardRm,
    /// CCR of the backward RM cell into which ER is written: a round trip old.
    BackwardRm,
}

/// The rate of which the fair share is a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FairShare {
    /// The target share of the available rate, as in ERICA. Connections at their fair share bring the port to its target.
    Target,
    /// The whole available rate, as in the example f1 of the paper.
    Available,
}

/// How the fair share divides the rate among the connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Division {
    /// The rate divided by the number of connections, as printed.
    #[default]
    Equal,
    /// Connections with a CCR below an equal share keep it, and the others share the rest, as in `charny`. CCR are those at
    /// the end of the last interval.
    MaxMin,
}

/// How the load scales the connection's own rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OwnShare {
    /// CCR / load, as printed.
    #[default]
    Divided,
    /// CCR / max(1, load): overload reduces the rate, and a low load does not raise it.
    Reduced,
    /// CCR (2 - load), not below 0: the tangent of CCR / load at a load of 1. It at most doubles the rate.
    Linear,
}

/// The RM cells in which the switch writes ER.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Written {
    /// Backward RM cells.
    Backward,
    /// Forward RM cells, which return by the destination.
    Forward,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            target: 0.95,
            interval: AutoOr::Given(interval::Length::Cells(Count(30))),
            fair_share: FairShare::Target,
            division: Division::Equal,
            own_share: OwnShare::Divided,
            active: Active::Recent { intervals: 100 },
            er_written: Written::Backward,
            ccr: Noted::default(),
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
        if (self.er_written, self.ccr) == (Written::Forward, Noted::BackwardRm) {
            let reason = "ER is written into forward RM cells, so no backward one is read";
            return Err(Fault::new("ccr", "backward_rm", reason, "remove it, or use er_written = \"backward\""));
        }
        self.active.check().map_err(|fault| fault.under("active"))?;
        let interval = self.interval.given().map_or(interval::Params::Auto, |length| length.at(Rate(1)));
        interval.check().map_err(|fault| Fault { path: "interval".to_owned(), ..fault })
    }

    /// The interval at a port with this `env`.
    fn interval(&self, env: &PortEnv) -> interval::Params {
        self.interval.given().map_or(interval::Params::Auto, |length| length.at(env.rate))
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
    fn guaranteed_share(&self) -> Option<f64> {
        Some(self.target)
    }

    fn controls_last_queue(&self) -> bool {
        true
    }

    fn counting_interval(&self, env: &PortEnv) -> Option<(&'static str, f64)> {
        let pdus = self.interval(env).most_pdus(env);
        self.active.window().map(|window| ("interval", f64::from(window) * pdus))
    }
    fn spacing(&self) -> Option<Span> {
        self.bn.map(|bn| bn.spacing)
    }
}

/// EPRCA++ at one port.
#[derive(Clone, Debug)]
pub struct EprcaPlusPlus {
    load: Load,
    census: Census,
    /// CCR of the newest forward RM cell of each connection.
    ccr: Vec<f64>,
    target: f64,
    of_target: bool,
    division: Division,
    own_share: OwnShare,
    /// Rates of the connections that have stated one, at the end of the last interval. Only for `Division::MaxMin`.
    stated: Vec<Recorded>,
    is_forward: bool,
    noted: Noted,
    bn: BnCells,
    /// Last measured rates, bits per second.
    input: f64,
    available: f64,
    active: f64,
}

impl EprcaPlusPlus {
    /// For a port with this `env`, from time 0.
    #[must_use]
    pub fn new(params: &Params, env: PortEnv) -> EprcaPlusPlus {
        let load = Load::new(&params.interval(&env), &env);
        EprcaPlusPlus {
            available: load.line_rate(),
            bn: BnCells::new(params.bn, &env),
            load,
            census: Census::new(params.active, params.mcr, &env),
            ccr: vec![0.0; env.flows.len()],
            target: params.target,
            of_target: params.fair_share == FairShare::Target,
            division: params.division,
            own_share: params.own_share,
            stated: Vec::new(),
            is_forward: params.er_written == Written::Forward,
            noted: params.ccr,
            input: 0.0,
            active: 0.0,
        }
    }

    #[cold]
    fn close(&mut self, measured: Measured) {
        self.available = if measured.further == 0 { measured.available } else { self.load.line_rate() };
        if measured.input > 0.0 {
            self.input = measured.input;
            self.active = self.census.close();
        }
        self.record_rates();
    }

    /// Records the rates that the connections have stated.
    fn record_rates(&mut self) {
        if self.division == Division::MaxMin {
            self.stated.clear();
            let minima = self.census.minima();
            let stated = self.ccr.iter().enumerate().filter(|&(_, &ccr)| ccr > 0.0);
            self.stated.extend(stated.map(|(flow, &ccr)| Recorded::new(minima, flow, ccr)));
        }
    }

    /// Load relative to the target. `None` before any measurement, or if no rate is available.
    fn load_factor(&self) -> Option<f64> {
        let target = self.target * self.available;
        (self.input > 0.0 && target > 0.0).then(|| self.input / target)
    }

    fn fair_share(&self) -> f64 {
        let share = if self.of_target { self.target } else { 1.0 };
        let rate = share * self.available;
        match self.division {
            Division::Equal => self.census.fair_share(rate, self.active),
            Division::MaxMin => charny::offer(self.census.left(rate), &self.stated),
        }
    }

    fn own_share(&self, ccr: f64) -> f64 {
        self.load_factor().map_or(0.0, |load| match self.own_share {
            OwnShare::Divided => ccr / load,
            OwnShare::Reduced => ccr / load.max(1.0),
            OwnShare::Linear => ccr * (2.0 - load).max(0.0),
        })
    }

    fn grant(&self, flow: usize, ccr: f64) -> f64 {
        let minima = self.census.minima();
        minima.grant(flow, self.own_share(minima.shared(flow, ccr)).max(self.fair_share()))
    }
}

impl CongestionPoint for EprcaPlusPlus {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        if let Some(measured) = self.load.catch_up(view.now) {
            self.close(measured);
        }
        if self.load.controls(pdu) {
            self.census.see(self.census.connection(pdu));
        }
        self.census.register(pdu);
        let flow = pdu.flow.index();
        if let (Some(stated), Some(ccr)) = (forward_ccr(pdu), self.ccr.get_mut(flow)) {
            *ccr = stated;
            if self.is_forward {
                lower(pdu, self.grant(flow, stated));
            }
        }
        self.load.count(pdu, view.now);
        self.bn.on_arrival(pdu, view)
    }

    fn on_backward(&mut self, pdu: &mut Pdu, view: &PortView) {
        if let Some(measured) = self.load.catch_up(view.now) {
            self.close(measured);
        }
        let flow = pdu.flow.index();
        let returned = backward_ccr(pdu).filter(|_| self.noted == Noted::BackwardRm);
        if let Some(ccr) = returned.or_else(|| self.ccr.get(flow).copied()) {
            lower(pdu, self.grant(flow, ccr));
        }
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
        !self.is_forward
    }

    fn readings(&self, _now: Time, each: &mut Each<'_>) {
        each(Reading::rate("input"), self.input);
        each(Reading::rate("available"), self.available);
        each(Reading::count("active"), self.active);
        each(Reading::rate("fair_share"), self.fair_share());
        each(Reading::ratio("load_factor"), self.load_factor().unwrap_or_default());
    }

    fn retune(&mut self, params: &CongestionParams, env: &PortEnv, now: Time) {
        let CongestionParams::EprcaPlusPlus(params) = params else { return };
        if let Some(measured) = self.load.catch_up(now) {
            self.close(measured);
        }
        self.load.retune(&params.interval(env), env, now);
        (self.target, self.of_target) = (params.target, params.fair_share == FairShare::Target);
        (self.own_share, self.noted) = (params.own_share, params.ccr);
        self.bn.retune(params.bn);
        if self.division != params.division {
            self.division = params.division;
            self.record_rates();
        }
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}", "{ mcr = 'floor', bn = { threshold = '3 cells' } }"];
    const EAGER: &[&str] = &[
        "{ er_written = 'forward', fair_share = 'available', interval = '5 ms' }",
        "{ interval = 'auto' }",
        "{ division = 'max_min', own_share = 'reduced' }",
        "{ own_share = 'linear' }",
    ];
}

#[cfg(test)]
mod tests;
