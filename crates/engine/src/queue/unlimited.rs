//! A queue without limit: it never discards a PDU.
//!
//! For exact queueing results (M/D/1) and for a user's lines, which must not lose PDUs.

use super::{Discard, Discipline, Env, QueueParams};
use crate::core::error::Fault;
use crate::core::time::Time;

/// No parameters.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

impl Params {
    /// Never finds a fault.
    pub fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

impl QueueParams for Params {}

/// Admits every PDU.
#[derive(Clone, Debug)]
pub struct Unlimited;

impl Unlimited {
    /// An unlimited queue.
    #[must_use]
    pub fn new(_params: &Params, _env: Env) -> Unlimited {
        Unlimited
    }
}

impl Discard for Unlimited {
    fn limits(&self) -> Option<[u64; 2]> {
        Some([u64::MAX; 2])
    }

    fn size(&self) -> Option<u64> {
        None
    }
}

impl Discipline for Unlimited {
    fn retune(&mut self, _params: &super::Params, _now: Time) {}
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Verdict;
    use crate::queue::tests::pdu;

    #[test]
    fn no_length_is_too_long() {
        let policy = Unlimited::new(&Params {}, super::super::tests::env());
        assert_eq!(policy.verdict(&pdu(true), u64::MAX), Verdict::Admit);
        assert_eq!(policy.size(), None);
    }
}
