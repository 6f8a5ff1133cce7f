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

use super::census::{Active, Census};
use super::charny::Recorded;
use super::load::{Load, Measured};
use super::minimum::Mcr;
use super::{backward_ccr, charny, check_target, forward_ccr, interval, lower};
use crate::control::FIXED_MINIMUM;
use crate::control::congestion::{
    CongestionParams, CongestionPoint, CongestionPointParams, Notice, PortEnv, PortView, RETUNED_INTERVAL,
};
use crate::core::auto::AutoOr;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::Pdu;
use crate::core::quantity::Count;
use crate::core::reading::{Each, Reading};
use crate::core::time::{Rate, Time};

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
            mcr: Mcr::default(),
        }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        check_target(self.target)?;
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
    const SENDS: Signals = Signals::EXPLICIT_RATES;
    const HEARS: Signals = Signals::FORWARD_RM_CELLS;
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
        if let (Some(told), Some(ccr)) = (forward_ccr(pdu), self.ccr.get_mut(flow)) {
            *ccr = told;
            if self.is_forward {
                lower(pdu, self.grant(flow, told));
            }
        }
        self.load.count(pdu, view.now);
        None
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

    fn notifies(&self) -> bool {
        false
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
        if self.division != params.division {
            self.division = params.division;
            self.record_rates();
        }
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}", "{ mcr = 'floor' }"];
    const EAGER: &[&str] = &[
        "{ er_written = 'forward', fair_share = 'available', interval = '5 ms' }",
        "{ interval = 'auto' }",
        "{ division = 'max_min', own_share = 'reduced' }",
        "{ own_share = 'linear' }",
    ];
}

#[cfg(test)]
mod tests {
    use super::super::cells::{backward, data, er, forward, video, view};
    use super::*;
    use crate::control::laws::{guaranteed, port_of};
    use crate::core::time::Span;

    fn is_about(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 1e-9, "{value} {expected}");
    }

    fn granted(switch: &mut EprcaPlusPlus, flow: u32, microseconds: f64) -> f64 {
        let mut pdu = backward(flow, 0.0);
        switch.on_backward(&mut pdu, &view(microseconds, 0));
        er(&pdu)
    }

    /// 10 us a cell, so an interval of 300 us. Fifteen cells of three connections, two of which state 4 and 10 Mb/s,
    /// and ten video cells.
    fn busy(params: &Params) -> EprcaPlusPlus {
        let mut switch = EprcaPlusPlus::new(params, port_of(Rate(42_400_000), 4));
        fill(&mut switch, [forward(0, 4e6), forward(1, 10e6), data(2)]);
        switch
    }

    fn fill(switch: &mut EprcaPlusPlus, first: [Pdu; 3]) {
        for mut pdu in first.into_iter().chain((0..12).map(data_of)).chain((0..10).map(|_| video())) {
            assert_eq!(switch.on_arrival(&mut pdu, &view(299.0, 9)), None);
        }
    }

    fn data_of(number: u32) -> Pdu {
        data(number % 3)
    }

    #[test]
    fn the_fair_share_or_the_own_rate_at_the_target() {
        let mut switch = busy(&Params::default());
        // Before the end of the first interval nothing is measured: the grant is the target of the line rate.
        is_about(granted(&mut switch, 0, 299.9), 0.95 * 42.4e6);
        // 20 of 30 cells are available, 28.27 Mb/s. The load is 15 out of 0.95 x 20. A third of 0.95 x 28.27 is 8.95.
        is_about(granted(&mut switch, 0, 300.0), 0.95 * 42.4e6 * 20.0 / 30.0 / 3.0);
        is_about(granted(&mut switch, 1, 301.0), 10e6 * 0.95 * 20.0 / 15.0);
        is_about(granted(&mut switch, 2, 302.0), 0.95 * 42.4e6 * 20.0 / 30.0 / 3.0);
        let mut available = busy(&Params { fair_share: FairShare::Available, ..Params::default() });
        is_about(granted(&mut available, 0, 300.0), 42.4e6 * 20.0 / 30.0 / 3.0);
    }

    #[test]
    fn f1_may_give_to_others_what_a_slow_connection_leaves() {
        let target = 0.95 * 42.4e6 * 20.0 / 30.0;
        let params = Params { division: Division::MaxMin, ..Params::default() };
        let mut switch = busy(&params);
        // Connections 0 and 1 have stated 4 and 10 Mb/s, both below half of the target of 26.85: the higher of them may
        // have all that the other leaves.
        is_about(granted(&mut switch, 0, 300.0), target - 4e6);
        // Then 2 states 30 Mb/s, and the video ends: 2 may have what 0 and 1 leave of 40.28 Mb/s. A connection without a
        // rate of its own gets just this share.
        switch.on_arrival(&mut forward(2, 30e6), &view(310.0, 0));
        is_about(granted(&mut switch, 3, 600.0), 0.95 * 42.4e6 - 14e6);
    }

    #[test]
    fn f2_may_scale_the_own_rate_otherwise() {
        let mut switches = [OwnShare::Divided, OwnShare::Reduced, OwnShare::Linear]
            .map(|own_share| busy(&Params { own_share, ..Params::default() }));
        // 10 Mb/s at a load of 15 / 19: 12.67, 10 and 10 (2 - 15 / 19) = 12.11 Mb/s.
        for (switch, expected) in switches.iter_mut().zip([19.0 / 15.0, 1.0, 23.0 / 19.0]) {
            is_about(granted(switch, 1, 300.0), 10e6 * expected);
        }
        // Then 57 cells beside 10 of video, a load of 3: a third of 30 Mb/s, or the fair share, because 2 - 3 is below 0.
        for (switch, expected) in switches.iter_mut().zip([10e6, 10e6, 0.95 * 42.4e6 * 20.0 / 30.0 / 3.0]) {
            switch.on_arrival(&mut forward(1, 30e6), &view(310.0, 0));
            for mut pdu in (0..56).map(data_of).chain((0..10).map(|_| video())) {
                switch.on_arrival(&mut pdu, &view(320.0, 0));
            }
            is_about(granted(switch, 1, 600.0), expected);
        }
    }

    #[test]
    fn minimum_rates_by_both_rules() {
        // As in `busy`: 28.27 Mb/s are available, and the load is 15 out of 19 cells. Minima of 2, 6 and 12 Mb/s leave
        // 8.27 to three; or 12 leaves 16.27 to two.
        let available = 42.4e6 * 20.0 / 30.0;
        for (mcr, expected) in [
            (Mcr::Plus, [2e6 + (available - 20e6) / 3.0, 6e6 + 4e6 * 19.0 / 15.0, 12e6 + (available - 20e6) / 3.0]),
            (Mcr::Floor, [(available - 12e6) / 2.0, 10e6 * 19.0 / 15.0, 12e6 * 19.0 / 15.0]),
        ] {
            let params = Params { mcr, fair_share: FairShare::Available, ..Params::default() };
            let mut switch = EprcaPlusPlus::new(&params, guaranteed(&[2e6, 6e6, 12e6]));
            fill(&mut switch, [forward(0, 4e6), forward(1, 10e6), forward(2, 12e6)]);
            for (flow, expected) in (0..).zip(expected) {
                is_about(granted(&mut switch, flow, 300.0), expected);
            }
        }
    }

    #[test]
    fn an_empty_interval_keeps_the_load_and_frees_what_the_video_had() {
        let mut switch = busy(&Params::default());
        // By 900 us the video has stopped. 15 cells in 300 us are still the load: 21.2 out of 0.95 x 42.4 Mb/s.
        is_about(granted(&mut switch, 1, 900.0), 10e6 * 0.95 * 2.0);
        is_about(granted(&mut switch, 0, 900.0), 0.95 * 42.4e6 / 3.0);
    }

    #[test]
    fn connections_stay_established() {
        let mut switch = busy(&Params::default());
        switch.on_arrival(&mut data(0), &view(310.0, 0));
        // One cell of one connection in the second interval. Three connections still count.
        is_about(granted(&mut switch, 2, 600.0), 0.95 * 42.4e6 / 3.0);
        is_about(granted(&mut switch, 0, 600.0), 4e6 * 0.95 * 30.0);
    }

    #[test]
    fn a_line_full_of_video_grants_nothing() {
        let mut switch = EprcaPlusPlus::new(&Params::default(), port_of(Rate(42_400_000), 4));
        switch.on_arrival(&mut forward(0, 4e6), &view(1.0, 0));
        for _ in 0..30 {
            switch.on_arrival(&mut video(), &view(2.0, 0));
        }
        assert_eq!(granted(&mut switch, 0, 300.0), 0.0);
    }

    #[test]
    fn er_may_be_written_in_forward_cells() {
        let params = Params { er_written: Written::Forward, ..Params::default() };
        let mut switch = busy(&params);
        assert!(
            !switch.wants_backward() && EprcaPlusPlus::new(&Params::default(), port_of(Rate(1), 1)).wants_backward()
        );
        let mut pdu = forward(1, 20e6);
        switch.on_arrival(&mut pdu, &view(300.0, 0));
        is_about(er(&pdu), 20e6 * 0.95 * 20.0 / 15.0);
    }

    /// The newest forward RM cell says 20 Mb/s, the one that returns 10.
    #[test]
    fn the_own_rate_may_be_that_of_the_backward_cell() {
        let share = 0.95 * 20.0 / 15.0;
        for (ccr, expected) in [(Noted::ForwardRm, 20e6 * share), (Noted::BackwardRm, 10e6 * share)] {
            let mut switch = busy(&Params { ccr, ..Params::default() });
            switch.on_arrival(&mut forward(1, 20e6), &view(300.0, 0));
            let mut pdu = backward(1, 10e6);
            switch.on_backward(&mut pdu, &view(300.0, 0));
            is_about(er(&pdu), expected);
        }
    }

    #[test]
    fn faults_are_found() {
        let faulty = |params: Params| params.check().err().map(|fault| fault.path);
        assert_eq!(faulty(Params::default()), None);
        for (target, fault) in [(0.0, Some("target")), (1.0, None), (1.01, Some("target")), (f64::NAN, Some("target"))]
        {
            assert_eq!(faulty(Params { target, ..Params::default() }).as_deref(), fault, "{target}");
        }
        let unread = Params { er_written: Written::Forward, ccr: Noted::BackwardRm, ..Params::default() };
        assert_eq!(faulty(unread).as_deref(), Some("ccr"));
        for empty in [interval::Length::Time(Span::ZERO), interval::Length::Cells(Count(0))] {
            let params = Params { interval: AutoOr::Given(empty), ..Params::default() };
            assert_eq!(faulty(params).as_deref(), Some("interval"));
        }
    }
}
