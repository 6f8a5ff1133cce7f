//! A congestion point that a test adds: it reads the number of arrivals.

use crate::control::congestion::{CongestionPoint, CongestionPointParams, Notice, PortEnv, PortView};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::Pdu;
use crate::core::reading::{Each, Reading};
use crate::core::time::Time;

/// No parameters.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

impl Params {
    /// Finds no fault.
    pub fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::NONE;
}

impl CongestionPointParams for Params {}

/// Arrivals so far.
#[derive(Clone, Debug)]
pub struct Dummy {
    arrivals: u64,
}

impl Dummy {
    /// None.
    #[must_use]
    pub fn new(_params: &Params, _env: PortEnv) -> Dummy {
        Dummy { arrivals: 0 }
    }
}

impl CongestionPoint for Dummy {
    fn on_arrival(&mut self, _pdu: &mut Pdu, _view: &PortView) -> Option<Notice> {
        self.arrivals += 1;
        None
    }

    fn readings(&self, _now: Time, each: &mut Each<'_>) {
        each(Reading::pdus("dummy_arrivals"), self.arrivals as f64);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}
