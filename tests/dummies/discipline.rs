//! A queue policy with state that a test adds: of the PDUs that reach the head, it discards every second, and marks the others.

use super::{Discard, Discipline, Env, Fate, HeadView, QueueParams, Verdict};
use crate::core::error::Fault;
use crate::core::feedback::Signals;
use crate::core::pdu::{Marks, Pdu};
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

impl QueueParams for Params {
    fn discards_early(&self) -> bool {
        true
    }

    fn sends(&self) -> Signals {
        Signals::CE
    }
}

/// How many have reached the head.
#[derive(Clone, Debug)]
pub struct Dummy(u64);

impl Dummy {
    /// None.
    #[must_use]
    pub fn new(_params: &Params, _env: Env) -> Dummy {
        Dummy(0)
    }
}

impl Discard for Dummy {
    fn verdict(&self, _pdu: &Pdu, _length: u64) -> Verdict {
        Verdict::Admit
    }

    fn size(&self) -> Option<u64> {
        None
    }
}

impl Discipline for Dummy {
    fn on_head(&mut self, pdu: &mut Pdu, _view: &HeadView) -> Fate {
        self.0 += 1;
        pdu.marks.set(Marks::CE);
        if self.0.is_multiple_of(2) { Fate::Discard } else { Fate::Send }
    }

    fn decides_at_head(&self) -> bool {
        true
    }

    fn retune(&mut self, _params: &super::Params, _now: Time) {}

    fn readings(&self, each: &mut Each<'_>) {
        each(Reading::count("dummy_heads"), self.0 as f64);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}
