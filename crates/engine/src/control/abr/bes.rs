//! Binary enhanced switch (BES) of EPRCA: intelligent marking. The connections above the mean reduce their rates first.
//!
//! Sources: ATM Forum 94-0735R1, as described by others; docs/models/eprca.md. It uses the mean and the decision of
//! `macr.rs`:
//!
//! ```text
//! backward RM cell of a connection that is too fast:   CI = 1
//! ```

use super::bn::BnCells;
use super::indicate_congestion;
use super::macr::{Macr, Params};
use crate::control::answer::Answer;
use crate::control::congestion::{CongestionParams, CongestionPoint, Notice, PortEnv, PortView};
use crate::core::pdu::Pdu;
use crate::core::reading::{Each, Reading};
use crate::core::time::Time;

/// The binary enhanced switch at one port.
#[derive(Clone, Debug)]
pub struct Bes {
    macr: Macr,
    bn: BnCells,
}

impl Bes {
    /// For a port with this `env`.
    #[must_use]
    pub fn new(params: &Params, env: PortEnv) -> Bes {
        Bes { macr: Macr::new(*params, &env), bn: BnCells::new(params.bn, &env) }
    }
}

impl CongestionPoint for Bes {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        self.macr.learn(pdu, view.length);
        self.bn.on_arrival(pdu, view)
    }

    fn on_backward(&mut self, pdu: &mut Pdu, view: &PortView) {
        if self.macr.judge(pdu, view.length).is_some() {
            indicate_congestion(pdu);
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
    }

    fn retune(&mut self, params: &CongestionParams, _env: &PortEnv, _now: Time) {
        let CongestionParams::Bes(params) = params else { return };
        self.macr.retune(*params);
        self.bn.retune(params.bn);
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::{backward, er, forward, view};
    use super::*;
    use crate::control::laws::port_of;
    use crate::core::pdu::Marks;
    use crate::core::time::Rate;

    #[test]
    fn fast_connections_are_notified_first_and_then_all() {
        // The mean starts at 7.8 Mb/s. A CCR of 8.6 moves it to 7.85. 7/8 of that is 6.86875.
        let mut switch = Bes::new(&Params::default(), port_of(Rate(156_000_000), 4));
        assert_eq!(switch.on_arrival(&mut forward(0, 8.6e6), &view(0.0, 0)), None);
        switch.readings(view(0.0, 0).now, &mut |reading, value| assert_eq!((reading.name, value), ("macr", 7.85e6)));
        for (ccr, length, actual) in
            [(150e6, 100, false), (6.87e6, 101, true), (6.86e6, 101, false), (6.86e6, 200, false), (1.0, 201, true)]
        {
            let mut pdu = backward(0, ccr);
            switch.on_backward(&mut pdu, &view(1.0, length));
            assert_eq!((pdu.marks.has(Marks::CI), er(&pdu)), (actual, 150e6), "{ccr} {length}");
        }
    }

    #[test]
    fn a_set_ci_stays_set() {
        let mut switch = Bes::new(&Params::default(), port_of(Rate(156_000_000), 4));
        let mut pdu = backward(0, 1e6);
        pdu.marks.set(Marks::CI);
        switch.on_backward(&mut pdu, &view(0.0, 0));
        assert!(pdu.marks.has(Marks::CI));
    }
}
