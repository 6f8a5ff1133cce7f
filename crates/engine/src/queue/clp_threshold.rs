//! Partial buffer sharing: at or above a threshold the queue discards PDUs tagged CLP=1.
//!
//! Satellite thesis, section 4. Its satellite link has 512 cells with a threshold of 256 for voice and video, and 1024
//! cells with a threshold of 512 for data. A tagged PDU that is already in the queue stays there.

use super::{Discard, Discipline, Env, QueueParams, RETUNED, Verdict, check_size};
use crate::core::error::Fault;
use crate::core::pdu::Pdu;
use crate::core::quantity::Count;
use crate::core::time::Time;

/// The size of the queue and the threshold for tagged PDUs.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// PDUs that the queue can hold, the one in service counted.
    #[schemars(extend("retune" = RETUNED))]
    pub size: Count,
    /// The queue admits a PDU tagged CLP=1 while it holds fewer PDUs than this.
    #[schemars(extend("retune" = RETUNED))]
    pub threshold: Count,
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        check_size(self.size)?;
        if self.threshold.0 > self.size.0 {
            return Err(Fault::new(
                "threshold",
                self.threshold,
                format!("the threshold is above the queue size of {}", self.size),
                "choose a threshold no larger than the size",
            ));
        }
        Ok(())
    }
}

impl QueueParams for Params {}

/// A queue with two limits.
#[derive(Clone, Debug)]
pub struct ClpThreshold {
    size: u64,
    threshold: u64,
}

impl ClpThreshold {
    /// A queue with this size and threshold.
    #[must_use]
    pub fn new(params: &Params, _env: Env) -> ClpThreshold {
        ClpThreshold { size: params.size.0, threshold: params.threshold.0 }
    }
}

impl Discard for ClpThreshold {
    #[inline]
    fn verdict(&self, pdu: &Pdu, length: u64) -> Verdict {
        let limit = if pdu.is_tagged() { self.threshold } else { self.size };
        if length < limit { Verdict::Admit } else { Verdict::Discard }
    }

    fn limits(&self) -> Option<[u64; 2]> {
        Some([self.size, self.threshold])
    }

    fn size(&self) -> Option<u64> {
        Some(self.size)
    }
}

impl Discipline for ClpThreshold {
    fn retune(&mut self, params: &super::Params, _now: Time) {
        if let super::Params::ClpThreshold(params) = params {
            (self.size, self.threshold) = (params.size.0, params.threshold.0);
        }
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{ size = '40 cells', threshold = '20 cells' }",
        "{ size = '5 cells', threshold = '0 cells' }",
        "{ size = '9 cells', threshold = '9 cells' }",
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::tests::pdu;

    fn params(size: u64, threshold: u64) -> Params {
        Params { size: Count(size), threshold: Count(threshold) }
    }

    #[test]
    fn each_loss_priority_has_its_limit() {
        let policy = ClpThreshold::new(&params(512, 256), super::super::tests::env());
        assert_eq!(policy.verdict(&pdu(true), 255), Verdict::Admit);
        assert_eq!(policy.verdict(&pdu(true), 256), Verdict::Discard);
        assert_eq!(policy.verdict(&pdu(false), 256), Verdict::Admit);
        assert_eq!(policy.verdict(&pdu(false), 511), Verdict::Admit);
        assert_eq!(policy.verdict(&pdu(false), 512), Verdict::Discard);
    }

    #[test]
    fn a_threshold_at_the_size_is_drop_tail_and_above_it_a_fault() {
        let policy = ClpThreshold::new(&params(4, 4), super::super::tests::env());
        assert_eq!(policy.verdict(&pdu(true), 3), policy.verdict(&pdu(false), 3));
        assert_eq!(policy.verdict(&pdu(true), 4), policy.verdict(&pdu(false), 4));
        assert_eq!(params(4, 4).check(), Ok(()));
        assert_eq!(params(4, 5).check().map_err(|fault| fault.path), Err("threshold".to_owned()));
        assert_eq!(params(0, 0).check().map_err(|fault| fault.path), Err("size".to_owned()));
    }
}
