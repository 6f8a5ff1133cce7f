//! Explicit down switch (EDS) of EPRCA: it limits the connections above the mean to a share of the mean.
//!
//! Sources: ATM Forum 94-0735R1, as described by others; docs/models/eprca.md. It uses the mean and the decision of
//! `macr.rs`. On a backward RM cell:
//!
//! ```text
//! q > DQT:                        ER = min(ER, MRF MACR)      major reduction, all connections
//! q > QT and CCR > DPF MACR:      ER = min(ER, ERF MACR)
//! ```
//!
//! CI does not change. With minimum cell rates (`minimum.rs`), ER = MCR + share of the mean (`plus`), or the larger of
//! the two (`floor`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bn::{self, BnCells};
use super::lower;
use super::macr::{self, Macr, TooFast};
use super::minimum::Mcr;
use crate::control::answer::Answer;
use crate::control::congestion::{
    CongestionParams, CongestionPoint, CongestionPointParams, Notice, PortEnv, PortView, QueueLength, RETUNED_THRESHOLD,
};
use crate::control::{FIXED_MINIMUM, FIXED_SIGNALS, FIXED_START};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::Pdu;
use crate::core::quantity::Count;
use crate::core::reading::{Each, Reading};
use crate::core::time::{Rate, Span, Time};
use crate::core::word;

/// Parameters of the explicit down switch: those of the mean, and two more. (serde cannot flatten a table and refuse
/// unknown keys.) Defaults are those of the EPRCA study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// The port is congested while the last queue holds more than this (QT).
    #[schemars(extend("retune" = RETUNED_THRESHOLD))]
    pub qt: Count,
    /// The port is very congested while the last queue holds more than this (DQT).
    #[schemars(extend("retune" = RETUNED_THRESHOLD))]
    pub dqt: Count,
    /// Weight of a new rate in the mean (AV).
    #[schemars(extend("retune" = "It holds from the next RM cell on."))]
    pub average: f64,
    /// While congested, connections above this share of the mean must reduce their rates (DPF, down pressure factor).
    #[schemars(extend("retune" = "It holds from the next RM cell on."))]
    pub dpf: f64,
    /// While not congested, only rates above this share of the mean count in it (VCS, VC separator).
    #[schemars(extend("retune" = "It holds from the next RM cell on."))]
    pub vc_separator: f64,
    /// Mean before the first RM cell. The study uses the sources' ICR. "auto" is a twentieth of the line's rate.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Rate>", extend("fixed" = FIXED_START))]
    pub initial_macr: Option<Rate>,
    /// Share of the mean that a fast connection gets while congested (ERF, explicit reduction factor).
    #[schemars(extend("retune" = "It holds from the next RM cell on."))]
    pub erf: f64,
    /// Share of the mean that all connections get while very congested (MRF, major reduction factor).
    #[schemars(extend("retune" = "It holds from the next RM cell on."))]
    pub mrf: f64,
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
        let macr::Params { qt, dqt, average, dpf, vc_separator, initial_macr, bn, mcr } = macr::Params::default();
        Params { qt, dqt, average, dpf, vc_separator, initial_macr, erf: 15.0 / 16.0, mrf: 1.0 / 4.0, bn, mcr }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        self.mean().check()?;
        check::ratio("erf", self.erf, 0.0..=1.0)?;
        check::ratio("mrf", self.mrf, 0.0..=1.0)
    }

    fn mean(&self) -> macr::Params {
        let Params { qt, dqt, average, dpf, vc_separator, initial_macr, bn, mcr, .. } = *self;
        macr::Params { qt, dqt, average, dpf, vc_separator, initial_macr, bn, mcr }
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
        Some(1.0)
    }

    fn waits_for_rm_cells(&self) -> bool {
        true
    }

    fn threshold(&self) -> Option<(&'static str, QueueLength)> {
        self.mean().threshold()
    }
    fn spacing(&self) -> Option<Span> {
        self.bn.map(|bn| bn.spacing)
    }
}

/// The explicit down switch at one port.
#[derive(Clone, Debug)]
pub struct Eds {
    macr: Macr,
    erf: f64,
    mrf: f64,
    /// Backward RM cells that were given a major reduction, and those with the share of a fast connection.
    reductions: [u64; 2],
    bn: BnCells,
}

impl Eds {
    /// For a port with this `env`.
    #[must_use]
    pub fn new(params: &Params, env: PortEnv) -> Eds {
        Eds {
            macr: Macr::new(params.mean(), &env),
            erf: params.erf,
            mrf: params.mrf,
            reductions: [0; 2],
            bn: BnCells::new(params.bn, &env),
        }
    }

    /// Limits ER to a share of the mean.
    fn reduce(&mut self, pdu: &mut Pdu, share: f64, kind: usize) {
        self.reductions[kind] += 1;
        lower(pdu, self.macr.grant(pdu, share));
    }
}

impl CongestionPoint for Eds {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        self.macr.learn(pdu, view.length);
        self.bn.on_arrival(pdu, view)
    }

    fn on_backward(&mut self, pdu: &mut Pdu, view: &PortView) {
        match self.macr.judge(pdu, view.length) {
            Some(TooFast::All) => self.reduce(pdu, self.mrf, 0),
            Some(TooFast::This) => self.reduce(pdu, self.erf, 1),
            None => {}
        }
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
        each(Reading::rate("macr"), self.macr.value());
        let [major, other] = self.reductions.map(|count| count as f64);
        each(Reading::count("major_reductions"), major);
        each(Reading::count("reductions"), other);
    }

    fn retune(&mut self, params: &CongestionParams, _env: &PortEnv, _now: Time) {
        let CongestionParams::Eds(params) = params else { return };
        self.macr.retune(params.mean());
        (self.erf, self.mrf) = (params.erf, params.mrf);
        self.bn.retune(params.bn);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{ qt = '50 cells', initial_macr = '300 kb/s' }",
        "{ initial_macr = '300 kb/s', mcr = 'floor', bn = { threshold = '3 cells' } }",
    ];
}

#[cfg(test)]
mod tests {
    use super::super::cells::{backward, er, view};
    use super::*;
    use crate::control::laws::{guaranteed, port_of};
    use crate::core::pdu::Marks;

    #[test]
    fn the_fast_get_less_than_the_mean_and_then_all_much_less() {
        // MACR 16 Mb/s: 15/16 of it is 15, a quarter is 4, and 7/8 is 14.
        let params = Params { initial_macr: Some(Rate(16_000_000)), ..Params::default() };
        let mut switch = Eds::new(&params, port_of(Rate(156_000_000), 4));
        for (ccr, length, granted) in
            [(150e6, 100, 150e6), (14.1e6, 101, 15e6), (14e6, 200, 150e6), (150e6, 200, 15e6), (1e6, 201, 4e6)]
        {
            let mut pdu = backward(0, ccr);
            switch.on_backward(&mut pdu, &view(1.0, length));
            assert_eq!((er(&pdu), pdu.marks.has(Marks::CI)), (granted, false), "{ccr} {length}");
        }
        let mut counts = Vec::new();
        switch.readings(view(1.0, 0).now, &mut |reading, value| counts.push((reading.name, value)));
        assert_eq!(counts[1..], [("major_reductions", 1.0), ("reductions", 2.0)]);
        let mut poor = backward(0, 150e6);
        lower(&mut poor, 1e6);
        switch.on_backward(&mut poor, &view(2.0, 300));
        assert_eq!(er(&poor), 1e6);
    }

    #[test]
    fn a_minimum_rate_is_added_or_is_the_least() {
        for (mcr, granted) in [(Mcr::Plus, 9e6), (Mcr::Floor, 5e6)] {
            let params = Params { initial_macr: Some(Rate(16_000_000)), mcr, ..Params::default() };
            let mut switch = Eds::new(&params, guaranteed(&[5e6]));
            let mut pdu = backward(0, 150e6);
            switch.on_backward(&mut pdu, &view(1.0, 201));
            assert_eq!(er(&pdu), granted);
        }
    }

    #[test]
    fn faults_are_found() {
        let faulty = |params: Params| params.check().err().map(|fault| fault.path);
        assert_eq!(faulty(Params::default()), None);
        assert_eq!(faulty(Params { dqt: Count(0), ..Params::default() }).as_deref(), Some("dqt"));
        assert_eq!(faulty(Params { erf: 1.1, ..Params::default() }).as_deref(), Some("erf"));
        assert_eq!(faulty(Params { mrf: f64::NAN, ..Params::default() }).as_deref(), Some("mrf"));
    }
}
