//! Charny's exact max-min switch: it computes from the recorded rates of the connections the offer that fills the line.
//!
//! Source: A. Charny's thesis (MIT, 1994); docs/models/charny.md. On each forward RM cell, with `C` the target
//! share of the available rate and `n` connections:
//!
//! ```text
//! mu = C / n
//! repeat:  mark the connections with a recorded rate below mu
//!          mu = (C - sum of the marked) / (n - number of the marked)
//! until nothing changes;  if all are marked, mu = C - sum + the highest of them
//! ```
//!
//! Marked connections are limited elsewhere. The others share the rest. From C / n the offer only rises, so a mark is
//! never removed. On a backward RM cell, ER = min(ER, mu). Every connection seen since the start counts, with its last
//! recorded rate. The scheme does not detect a connection that has become silent.
//!
//! With minimum cell rates (`minimum.rs`), `plus` records CCR - MCR, divides C less the sum of MCR, and adds MCR to the
//! offer. With `floor`, an unmarked connection takes max(MCR, mu) of C, and ER = max(MCR, mu).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bn::{self, BnCells};
use super::load::{Load, Measured};
use super::minimum::{self, Mcr, Minima};
use super::{check_target, forward_ccr, interval, lower};
use crate::control::answer::Answer;
use crate::control::congestion::{
    CongestionParams, CongestionPoint, CongestionPointParams, Notice, PortEnv, PortView, RETUNED_INTERVAL,
};
use crate::control::{FIXED_MINIMUM, FIXED_SIGNALS};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::Pdu;
use crate::core::reading::{Each, Reading};
use crate::core::time::{Rate, Span, Time};

/// Parameters of Charny's switch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Target share of the available rate (the source divides all of it).
    #[schemars(extend("retune" = "The rate that fills the line is computed anew at once."))]
    pub target: f64,
    /// Interval over which the available rate is measured. In the source this rate is constant.
    #[schemars(extend("retune" = RETUNED_INTERVAL))]
    pub interval: interval::Params,
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
        let interval = interval::Params::lasting(Span::milliseconds(1));
        Params { target: 1.0, interval, bn: None, mcr: Mcr::default() }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        check_target(self.target)?;
        bn::check(self.bn)?;
        self.interval.check().map_err(|fault| fault.under("interval"))
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
    fn spacing(&self) -> Option<Span> {
        self.bn.map(|bn| bn.spacing)
    }
}

/// One connection. Both in bits per second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recorded {
    /// The shared part of its last recorded rate.
    rate: f64,
    /// Its least share.
    floor: f64,
}

impl Recorded {
    /// A flow with this last recorded `rate`.
    pub(super) fn new(minima: &Minima, flow: usize, rate: f64) -> Recorded {
        Recorded { rate: minima.shared(flow, rate), floor: minima.floor(flow) }
    }
}

/// Charny's switch at one port.
#[derive(Clone, Debug)]
pub struct Charny {
    load: Load,
    target: f64,
    available: f64,
    /// For each flow: its index in `recorded`.
    places: Vec<Option<usize>>,
    recorded: Vec<Recorded>,
    minima: Minima,
    /// Sum of the rates of the connections that are not shared, bits per second.
    reserved: f64,
    /// mu, bits per second.
    offer: f64,
    bn: BnCells,
}

impl Charny {
    /// For a port with this `env`, from time 0.
    #[must_use]
    pub fn new(params: &Params, env: PortEnv) -> Charny {
        let load = Load::new(&params.interval, &env);
        let available = load.line_rate();
        Charny {
            load,
            target: params.target,
            available,
            places: vec![None; env.flows.len()],
            recorded: Vec::new(),
            minima: Minima::new(params.mcr, &env),
            reserved: 0.0,
            offer: params.target * available,
            bn: BnCells::new(params.bn, &env),
        }
    }

    #[cold]
    fn close(&mut self, measured: Measured) {
        let available = if measured.further == 0 { measured.available } else { self.load.line_rate() };
        if available != self.available {
            self.available = available;
            self.divide();
        }
    }

    fn record(&mut self, flow: usize, rate: f64) {
        let Some(place) = self.places.get_mut(flow) else { return };
        let recorded = Recorded::new(&self.minima, flow, rate);
        match *place {
            Some(place) => self.recorded[place] = recorded,
            None => {
                *place = Some(self.recorded.len());
                self.recorded.push(recorded);
                self.reserved += self.minima.reserved(flow);
            }
        }
        self.divide();
    }

    fn divide(&mut self) {
        self.offer = offer((self.target * self.available - self.reserved).max(0.0), &self.recorded);
    }
}

/// The share offered to each connection, from the recorded rates and the `capacity`.
pub(super) fn offer(capacity: f64, recorded: &[Recorded]) -> f64 {
    let floors = recorded.iter().map(|one| (1.0, one.floor));
    let mut offer = minimum::share(capacity, recorded.len() as f64, floors);
    let mut marked = 0;
    loop {
        let below = recorded.iter().filter(|one| one.rate < offer);
        let (count, sum) = below.fold((0, 0.0), |(count, sum), one| (count + 1, sum + one.rate));
        // The count never decreases, except by rounding.
        if count <= marked {
            return offer;
        }
        if count == recorded.len() {
            return capacity - sum + recorded.iter().map(|one| one.rate).fold(0.0, f64::max);
        }
        marked = count;
        let unmarked = recorded.iter().filter(|one| one.rate >= offer).map(|one| (1.0, one.floor));
        offer = minimum::share(capacity - sum, (recorded.len() - count) as f64, unmarked);
    }
}

impl CongestionPoint for Charny {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        if let Some(measured) = self.load.catch_up(view.now) {
            self.close(measured);
        }
        if let Some(ccr) = forward_ccr(pdu) {
            self.record(pdu.flow.index(), ccr);
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
        lower(pdu, self.minima.grant(pdu.flow.index(), self.offer));
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
        each(Reading::rate("offer"), self.offer);
        each(Reading::count("active"), self.recorded.len() as f64);
        each(Reading::rate("available"), self.available);
    }

    fn retune(&mut self, params: &CongestionParams, env: &PortEnv, now: Time) {
        let CongestionParams::Charny(params) = params else { return };
        if let Some(measured) = self.load.catch_up(now) {
            self.close(measured);
        }
        self.load.retune(&params.interval, env, now);
        self.target = params.target;
        self.divide();
        self.bn.retune(params.bn);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ target = 0.95 }", "{ mcr = 'floor', bn = { threshold = '3 cells' } }"];
}

#[cfg(test)]
mod tests {
    use super::super::cells::{backward, data, er, forward, video, view};
    use super::*;
    use crate::control::laws::{guaranteed, port_of};

    #[test]
    fn the_offer_fills_the_line() {
        for (recorded, expected) in [
            (&[][..], 150.0),
            (&[150.0], 150.0),
            (&[150.0, 150.0, 150.0], 50.0),
            // One is limited elsewhere to 10: the others share 140.
            (&[10.0, 150.0, 150.0], 70.0),
            // Offer 50, then 10 is marked: 70. Then 60 is marked: 80.
            (&[10.0, 60.0, 150.0], 80.0),
            // All are limited elsewhere: the highest may also have the rest.
            (&[10.0, 20.0, 30.0], 120.0),
            // Connections at the offer itself are not limited elsewhere.
            (&[75.0, 75.0], 75.0),
            (&[0.0, 0.0], 150.0),
            (&[10.0, 70.0, 70.0], 70.0),
        ] {
            let recorded: Vec<Recorded> = recorded.iter().map(|&rate| Recorded { rate, floor: 0.0 }).collect();
            assert_eq!(offer(150.0, &recorded), expected, "{recorded:?}");
        }
        assert_eq!(offer(0.0, &[10.0, 20.0].map(|rate| Recorded { rate, floor: 0.0 })), 0.0);
    }

    #[test]
    fn floors_take_their_rate_from_the_others() {
        for (recorded, expected) in [
            // (rate, floor): the floor of 60 leaves 45 each.
            (&[(150.0, 0.0), (150.0, 0.0), (150.0, 60.0)][..], 45.0),
            (&[(45.0, 10.0), (45.0, 20.0), (60.0, 60.0)], 45.0),
            // One is limited elsewhere to 10: 70 each for the others. One of them takes only 60, and one may have 80.
            (&[(10.0, 10.0), (90.0, 20.0), (60.0, 60.0)], 80.0),
            (&[(10.0, 10.0), (90.0, 20.0), (90.0, 60.0)], 70.0),
        ] {
            let recorded: Vec<Recorded> = recorded.iter().map(|&(rate, floor)| Recorded { rate, floor }).collect();
            assert_eq!(offer(150.0, &recorded), expected, "{recorded:?}");
        }
    }

    #[test]
    fn minimum_rates_by_both_rules() {
        // Minima of 4.24, 8.48 and 12.72 of 42.4 Mb/s: 16.96 are left, or the last takes a little less than a third.
        for (mcr, expected) in [
            (Mcr::Plus, [4.24e6 + 16.96e6 / 3.0, 8.48e6 + 16.96e6 / 3.0, 12.72e6 + 16.96e6 / 3.0]),
            (Mcr::Floor, [42.4e6 / 3.0; 3]),
        ] {
            let mut switch = Charny::new(&Params { mcr, ..Params::default() }, guaranteed(&[4.24e6, 8.48e6, 12.72e6]));
            for flow in 0..3 {
                switch.on_arrival(&mut forward(flow, 42.4e6), &view(1.0, 0));
            }
            for (flow, expected) in (0..).zip(expected) {
                let mut answer = backward(flow, 0.0);
                switch.on_backward(&mut answer, &view(2.0, 0));
                assert!((er(&answer) - expected).abs() < 1e-6, "{mcr:?} {flow}: {}", er(&answer));
            }
        }
    }

    #[test]
    fn rates_are_recorded_from_forward_cells_and_answered_in_backward_ones() {
        let mut switch = Charny::new(&Params { target: 0.5, ..Params::default() }, port_of(Rate(300_000_000), 4));
        let mut granted = |cells: &[Pdu]| {
            for cell in cells {
                assert_eq!(switch.on_arrival(&mut cell.clone(), &view(1.0, 0)), None);
            }
            let mut answer = backward(1, 0.0);
            switch.on_backward(&mut answer, &view(2.0, 0));
            er(&answer)
        };
        assert_eq!(granted(&[data(0), backward(2, 1e6)]), 150e6);
        assert_eq!(granted(&[forward(0, 150e6), forward(1, 150e6), forward(2, 150e6)]), 50e6);
        assert_eq!(granted(&[forward(0, 10e6)]), 70e6);
        assert_eq!(granted(&[forward(0, 50e6)]), 50e6);
        assert_eq!(granted(&[forward(9, 50e6)]), 50e6, "a flow outside the table");
    }

    #[test]
    fn higher_priority_traffic_is_subtracted() {
        // 100 cells a millisecond, of which 40 are video cells.
        let mut switch = Charny::new(&Params::default(), port_of(Rate(42_400_000), 4));
        switch.on_arrival(&mut forward(0, 42.4e6), &view(1.0, 0));
        switch.on_arrival(&mut forward(1, 42.4e6), &view(1.0, 0));
        for _ in 0..40 {
            switch.on_arrival(&mut video(), &view(2.0, 0));
        }
        for (milliseconds, expected) in [(0.5, 21.2e6), (1.0, 12.72e6), (1.9, 12.72e6), (2.0, 21.2e6)] {
            let mut answer = backward(1, 0.0);
            switch.on_backward(&mut answer, &view(1000.0 * milliseconds, 0));
            assert!((er(&answer) - expected).abs() < 1e-6, "{milliseconds} {}", er(&answer));
        }
    }

    #[test]
    fn faults_are_found() {
        let faulty = |params: Params| params.check().err().map(|fault| fault.path);
        assert_eq!(faulty(Params::default()), None);
        assert_eq!(faulty(Params { target: 0.0, ..Params::default() }).as_deref(), Some("target"));
        let interval = interval::Params::ending(None, None);
        assert_eq!(faulty(Params { interval, ..Params::default() }).as_deref(), Some("interval"));
    }
}
