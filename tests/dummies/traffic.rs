//! A traffic model that a test adds: one PDU every millisecond.

use super::{DataUnit, Env, ModelParams, RateScale, Traffic, Upcoming};
use crate::core::error::Fault;
use crate::core::time::{Span, Time};

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

impl ModelParams for Params {
    fn heeds_factor(&self) -> bool {
        false
    }
}

/// The next PDU.
#[derive(Clone, Debug)]
pub struct Dummy {
    octets: u16,
    next: Time,
    number: u64,
}

impl Dummy {
    /// Before the first.
    #[must_use]
    pub fn new(_params: &Params, env: Env) -> Dummy {
        Dummy { octets: env.octets, next: Time::ZERO, number: 0 }
    }
}

impl Traffic for Dummy {
    fn start(&mut self, now: Time, _scale: &mut impl RateScale) -> Upcoming {
        self.next = now + Span::milliseconds(1);
        Upcoming::Pdu(self.next)
    }

    fn advance(&mut self, _now: Time, _scale: &mut impl RateScale) -> (Option<DataUnit>, Upcoming) {
        self.number += 1;
        self.next += Span::milliseconds(1);
        (Some(DataUnit { octets: self.octets, number: self.number }), Upcoming::Pdu(self.next))
    }

    fn mean_rate(&self) -> Option<f64> {
        Some(f64::from(self.octets) * 8.0 * 1000.0)
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}
