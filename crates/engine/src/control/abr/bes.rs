//! Binary enhanced switch (BES) of EPRCA: intelligent marking, which slows the connections above the mean first.
//!
//! Sources: specs/abr.md, sections 1.3 (b) and 10, after ATM Forum 94-0735R1; papers/eprca-multimedia.txt. With the
//! mean and the judgement of `macr.rs`:
//!
//! ```text
//! backward RM cell of a connection that is too fast:   CI = 1
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{CongestionPoint, Notice, PortSurroundings, PortView};
use super::indicate_congestion;
use super::macr::{self, Macr};
use crate::error::Fault;
use crate::pdu::Pdu;
use crate::quantity::Count;
use crate::time::{Rate, Time};

/// Parameters of the binary enhanced switch. Defaults are those of specs/abr.md, section 10.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Congested while the last queue holds more than this (QT).
    pub qt: Count,
    /// Very congested while it holds more than this (DQT).
    pub dqt: Count,
    /// Weight of a new rate in the mean (AV).
    pub average: f64,
    /// While congested, connections above this share of the mean slow down (DPF, down pressure factor).
    pub dpf: f64,
    /// While not congested, only rates above this share of the mean count in it (VCS, VC separator).
    pub vc_separator: f64,
    /// Mean before the first RM cell (the study has the sources' ICR); a twentieth of the line's rate if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_macr: Option<Rate>,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            qt: Count(100),
            dqt: Count(200),
            average: 1.0 / 16.0,
            dpf: 7.0 / 8.0,
            vc_separator: 7.0 / 8.0,
            initial_macr: None,
        }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        self.mean().check()
    }

    fn mean(&self) -> macr::Params {
        let Params { qt, dqt, average, dpf, vc_separator, initial_macr } = *self;
        macr::Params { qt, dqt, average, dpf, vc_separator, initial_macr }
    }
}

/// The binary enhanced switch at one port.
#[derive(Clone, Debug)]
pub struct Bes {
    macr: Macr,
}

impl Bes {
    /// At the port described by `surroundings`.
    #[must_use]
    pub fn new(params: &Params, surroundings: PortSurroundings) -> Bes {
        Bes { macr: Macr::new(params.mean(), &surroundings) }
    }
}

impl CongestionPoint for Bes {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        self.macr.learn(pdu, view.length);
        None
    }

    fn on_backward(&mut self, pdu: &mut Pdu, view: &PortView) {
        if self.macr.judge(pdu, view.length).is_some() {
            indicate_congestion(pdu);
        }
    }

    fn wants_backward(&self) -> bool {
        true
    }

    fn readings(&mut self, _now: Time, each: &mut dyn FnMut(&'static str, f64)) {
        each("macr", self.macr.value());
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::conformance::port_of;
    use super::super::cells::{backward, er, forward, view};
    use super::*;
    use crate::pdu::Marks;

    #[test]
    fn the_fast_are_told_first_and_then_all() {
        // The mean starts at 7.8 Mb/s; 8.6 carries it to 7.85, of which 7/8 is 6.86875.
        let mut switch = Bes::new(&Params::default(), port_of(Rate(156_000_000), 4));
        assert_eq!(switch.on_arrival(&mut forward(0, 8.6e6), &view(0.0, 0)), None);
        switch.readings(view(0.0, 0).now, &mut |name, value| assert_eq!((name, value), ("macr", 7.85e6)));
        for (ccr, length, told) in
            [(150e6, 100, false), (6.87e6, 101, true), (6.86e6, 101, false), (6.86e6, 200, false), (1.0, 201, true)]
        {
            let mut pdu = backward(0, ccr);
            switch.on_backward(&mut pdu, &view(1.0, length));
            assert_eq!((pdu.marks.has(Marks::CI), er(&pdu)), (told, 150e6), "{ccr} {length}");
        }
    }

    #[test]
    fn what_is_told_stays_told() {
        let mut switch = Bes::new(&Params::default(), port_of(Rate(156_000_000), 4));
        let mut pdu = backward(0, 1e6);
        pdu.marks.set(Marks::CI);
        switch.on_backward(&mut pdu, &view(0.0, 0));
        assert!(pdu.marks.has(Marks::CI));
    }

    #[test]
    fn faults_are_found() {
        let faulty = |params: Params| params.check().err().map(|fault| fault.path);
        assert_eq!(faulty(Params::default()), None);
        assert_eq!(faulty(Params { dqt: Count(99), ..Params::default() }).as_deref(), Some("dqt"));
        assert_eq!(faulty(Params { average: 0.0, ..Params::default() }).as_deref(), Some("average"));
        assert_eq!(faulty(Params { dpf: -1.0, ..Params::default() }).as_deref(), Some("dpf"));
        let params = Params { vc_separator: f64::NAN, ..Params::default() };
        assert_eq!(faulty(params).as_deref(), Some("vc_separator"));
    }
}
