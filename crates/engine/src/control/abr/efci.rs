//! A switch that marks data cells (EFCI). The destination then notifies the source.
//!
//! Source: specs/abr.md, sections 1.3 (a) and 10, after ATM Forum 94-0735R1:
//!
//! ```text
//! a data cell leaves the last queue, and more than QT are left behind:   EFCI = 1
//! ```
//!
//! The mark is set when the cell leaves. So it shows the present queue length, not the length that the cell found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::control::congestion::{CongestionPoint, CongestionPointParams, PortEnv, PortView, QueueLength};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{Marks, Pdu};
use crate::core::quantity::Count;

/// Parameters of the EFCI switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// The port is congested while the last queue holds more than this (QT; specs/abr.md, section 10).
    pub qt: Count,
}

impl Default for Params {
    fn default() -> Params {
        Params { qt: Count(100) }
    }
}

impl Params {
    /// Never finds a fault.
    pub fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::EFCI;
    const HEARS: Signals = Signals::NONE;
}

impl CongestionPointParams for Params {
    fn controls_last_queue(&self) -> bool {
        true
    }

    fn threshold(&self) -> Option<(&'static str, QueueLength)> {
        Some(("qt", QueueLength::Pdus(Count(self.qt.0.saturating_add(1)))))
    }
}

/// The EFCI switch at one port.
#[derive(Clone, Debug)]
pub struct Efci {
    qt: u64,
    last_queue: usize,
}

impl Efci {
    /// For a port with this `env`.
    #[must_use]
    pub fn new(params: &Params, env: PortEnv) -> Efci {
        Efci { qt: params.qt.0, last_queue: env.queues.saturating_sub(1) }
    }
}

impl CongestionPoint for Efci {
    fn on_departure(&mut self, pdu: &mut Pdu, view: &PortView) {
        if view.length > self.qt && pdu.kind().is_data() && usize::from(pdu.priority) >= self.last_queue {
            pdu.marks.set(Marks::EFCI);
        }
    }

    fn notifies(&self) -> bool {
        false
    }

    fn wants_departures(&self) -> bool {
        true
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
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
