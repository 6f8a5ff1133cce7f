//! Drop-tail: a full queue discards each arriving PDU, with CLP=0 or CLP=1.
//!
//! Satellite thesis, section 4, case 1 (no cell loss priority).

use super::{Discard, Discipline, Env, QueueParams, RETUNED, check_size};
use crate::core::error::Fault;
use crate::core::quantity::Count;
use crate::core::time::Time;

/// The size of the queue.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// PDUs that the queue can hold. The PDU in service counts.
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

/// A queue with one limit.
#[derive(Clone, Debug)]
pub struct DropTail {
    size: u64,
}

impl DropTail {
    /// A queue of this size.
    #[must_use]
    pub fn new(params: &Params, _env: Env) -> DropTail {
        DropTail { size: params.size.0 }
    }
}

impl Discard for DropTail {
    fn limits(&self) -> Option<[u64; 2]> {
        Some([self.size; 2])
    }

    fn size(&self) -> Option<u64> {
        Some(self.size)
    }
}

impl Discipline for DropTail {
    fn retune(&mut self, params: &super::Params, _now: Time) {
        if let super::Params::DropTail(params) = params {
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
    use crate::queue::Verdict;
    use crate::queue::tests::pdu;

    #[test]
    fn the_last_place_is_taken_and_no_more() {
        let policy = DropTail::new(&Params { size: Count(512) }, super::super::tests::env());
        assert_eq!(policy.verdict(&pdu(true), 511), Verdict::Admit);
        assert_eq!(policy.verdict(&pdu(false), 512), Verdict::Discard);
    }

    #[test]
    fn a_queue_of_nothing_is_a_fault() {
        assert_eq!(Params { size: Count(0) }.check().map_err(|fault| fault.path), Err("size".to_owned()));
        assert_eq!(Params { size: Count(1) }.check(), Ok(()));
    }
}
