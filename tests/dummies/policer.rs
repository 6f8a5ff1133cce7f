//! A policer that a test adds: every PDU conforms.

use std::collections::VecDeque;

use super::{Due, Outcome, Policer, PolicerParams};
use crate::core::error::Fault;
use crate::core::pdu::Pdu;
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

impl PolicerParams for Params {
    fn may_discard(&self) -> bool {
        false
    }
}

/// PDUs on their way through.
#[derive(Clone, Debug)]
pub struct Dummy {
    held: VecDeque<(Time, Pdu)>,
}

impl Dummy {
    /// Empty.
    #[must_use]
    pub fn new(_params: &Params, _env: ()) -> Dummy {
        Dummy { held: VecDeque::new() }
    }
}

impl Policer for Dummy {
    fn conforms(&mut self, _bits: u64, _at: Time) -> bool {
        true
    }

    fn arrive(&mut self, pdu: Pdu, at: Time) {
        self.held.push_back((at, pdu));
    }

    fn due(&self) -> Due {
        self.held.front().map_or(Due::NEVER, |&(time, _)| Due { time, by_arrival: true })
    }

    fn act(&mut self) -> Outcome {
        let (_, pdu) = self.held.pop_front().expect("acts only when due");
        Outcome::Pass(pdu)
    }

    fn held(&self) -> &VecDeque<(Time, Pdu)> {
        &self.held
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}
