//! A switch that marks data cells (EFCI). The destination then notifies the source.
//!
//! Source: ATM Forum 94-0735R1, as described by others; docs/models/eprca.md:
//!
//! ```text
//! a data cell leaves the last queue, and more than QT are left behind:   EFCI = 1
//! ```
//!
//! The mark is set when the cell leaves. So it shows the present queue length, not the length that the cell found. An
//! extremely congested switch may also make RM cells itself (`bn.rs`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LastQueue;
use super::bn::{self, BnCells};
use crate::control::FIXED_SIGNALS;
use crate::control::answer::Answer;
use crate::control::congestion::{
    CongestionParams, CongestionPoint, CongestionPointParams, Notice, PortEnv, PortView, QueueLength, RETUNED_THRESHOLD,
};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{Marks, Pdu};
use crate::core::quantity::Count;
use crate::core::time::{Span, Time};

/// Parameters of the EFCI switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// The port is congested while the last queue holds more than this (QT).
    #[schemars(extend("retune" = RETUNED_THRESHOLD))]
    pub qt: Count,
    /// RM cells that the switch makes itself and sends back to the sources (BN=1). If absent, it makes none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("fixed" = FIXED_SIGNALS))]
    pub bn: Option<bn::Params>,
}

impl Default for Params {
    fn default() -> Params {
        Params { qt: Count(100), bn: None }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        bn::check(self.bn)
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::EFCI.with(Signals::CI);
    const HEARS: Signals = Signals::NONE;

    fn sends(&self) -> Signals {
        Signals::EFCI.with(Signals::CI.when(self.bn.is_some()))
    }
}

impl CongestionPointParams for Params {
    fn controls_last_queue(&self) -> bool {
        true
    }

    fn threshold(&self) -> Option<(&'static str, QueueLength)> {
        Some(("qt", QueueLength::above(self.qt)))
    }

    fn spacing(&self) -> Option<Span> {
        self.bn.map(|bn| bn.spacing)
    }
}

/// The EFCI switch at one port.
#[derive(Clone, Debug)]
pub struct Efci {
    qt: u64,
    last_queue: LastQueue,
    bn: BnCells,
}

impl Efci {
    /// For a port with this `env`.
    #[must_use]
    pub fn new(params: &Params, env: PortEnv) -> Efci {
        Efci { qt: params.qt.0, last_queue: LastQueue::of(&env), bn: BnCells::new(params.bn, &env) }
    }
}

impl CongestionPoint for Efci {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        self.bn.on_arrival(pdu, view)
    }

    fn notice_cell(&self, pdu: &Pdu) -> Option<Answer> {
        self.bn.cell(pdu)
    }

    fn on_departure(&mut self, pdu: &mut Pdu, view: &PortView) {
        if view.length > self.qt && pdu.kind().is_data() && self.last_queue.takes(pdu) {
            pdu.marks.set(Marks::EFCI);
        }
    }

    fn notifies(&self) -> bool {
        self.bn.any()
    }

    fn wants_departures(&self) -> bool {
        true
    }

    fn retune(&mut self, params: &CongestionParams, _env: &PortEnv, _now: Time) {
        let CongestionParams::Efci(params) = params else { return };
        self.qt = params.qt.0;
        self.bn.retune(params.bn);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}", "{ qt = '2 cells', bn = { threshold = '3 cells' } }"];
}

#[cfg(test)]
mod tests {
    use super::super::cells::{data, forward, video, view};
    use super::*;
    use crate::control::laws::port;

    #[test]
    fn data_that_leaves_a_long_queue_is_marked() {
        let mut switch = Efci::new(&Params::default(), port());
        assert!(switch.wants_departures() && !switch.wants_backward());
        for (mut pdu, length, marked) in
            [(data(0), 100, false), (data(0), 101, true), (forward(0, 1e6), 101, false), (video(), 101, false)]
        {
            assert_eq!(switch.on_arrival(&mut pdu, &view(0.0, 500)), None);
            assert!(!pdu.marks.has(Marks::EFCI));
            switch.on_departure(&mut pdu, &view(1.0, length));
            assert_eq!(pdu.marks.has(Marks::EFCI), marked, "{pdu:?} {length}");
        }
    }
}
