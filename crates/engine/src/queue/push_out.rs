//! Push-out: a full queue discards a waiting PDU tagged CLP=1 to admit a PDU with CLP=0.
//!
//! Satellite thesis, section 4, the alternative to a threshold. Tagged PDUs may use the whole queue while no PDU with
//! CLP=0 needs the place.

use super::{Discard, Discipline, Env, QueueParams, RETUNED, Verdict, check_size};
use crate::core::error::Fault;
use crate::core::pdu::Pdu;
use crate::core::quantity::Count;
use crate::core::time::Time;

/// How long the queue may be.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// PDUs that the queue can hold, the one in service counted.
    #[schemars(extend("retune" = RETUNED))]
    pub size: Count,
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        check_size(self.size)
    }
}

impl QueueParams for Params {}

/// A queue with one limit. PDUs with CLP=0 have priority.
#[derive(Clone, Debug)]
pub struct PushOut {
    size: u64,
}

impl PushOut {
    /// A queue of this size.
    #[must_use]
    pub fn new(params: &Params, _env: Env) -> PushOut {
        PushOut { size: params.size.0 }
    }
}

impl Discard for PushOut {
    #[inline]
    fn verdict(&self, pdu: &Pdu, length: u64) -> Verdict {
        if length < self.size {
            Verdict::Admit
        } else if pdu.is_tagged() {
            Verdict::Discard
        } else {
            Verdict::PushOut
        }
    }

    fn size(&self) -> Option<u64> {
        Some(self.size)
    }

    fn pushes_out(&self) -> bool {
        true
    }
}

impl Discipline for PushOut {
    fn retune(&mut self, params: &super::Params, _now: Time) {
        if let super::Params::PushOut(params) = params {
            self.size = params.size.0;
        }
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ size = '1 cell' }", "{ size = '40 cells' }"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::tests::pdu;

    #[test]
    fn only_a_clean_pdu_pushes_out_and_only_when_full() {
        let policy = PushOut::new(&Params { size: Count(512) }, super::super::tests::env());
        assert_eq!(policy.verdict(&pdu(true), 511), Verdict::Admit);
        assert_eq!(policy.verdict(&pdu(false), 511), Verdict::Admit);
        assert_eq!(policy.verdict(&pdu(true), 512), Verdict::Discard);
        assert_eq!(policy.verdict(&pdu(false), 512), Verdict::PushOut);
        assert!(policy.pushes_out());
    }

    #[test]
    fn a_queue_of_nothing_is_a_fault() {
        assert_eq!(Params { size: Count(0) }.check().map_err(|fault| fault.path), Err("size".to_owned()));
    }
}
