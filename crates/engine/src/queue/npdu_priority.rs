//! Sub-queues by priority within one queue of CLNP (ISO 8473, priority option).
//!
//! NPDUs of priority 14 are served first, those of 0 last, each priority in order of arrival. No transmission is
//! interrupted. All share the size of the queue, in bits. An NPDU that does not fit is discarded, whatever its priority.

use super::{Discard, Discipline, Env, QueueParams, RETUNED, Verdict, drop_tail_bits};
use crate::core::error::Fault;
use crate::core::pdu::Pdu;
use crate::core::quantity::Bits;
use crate::core::time::Time;

/// The size of the queue.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Bits that all sub-queues together can hold. All bits of the PDU in service count.
    #[schemars(extend("retune" = RETUNED))]
    pub size: Bits,
}

impl Params {
    fn whole(&self) -> drop_tail_bits::Params {
        drop_tail_bits::Params { size: self.size }
    }

    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        self.whole().check()
    }
}

impl QueueParams for Params {
    fn size_in_bits(&self) -> Option<Bits> {
        Some(self.size)
    }

    fn serves_by_priority(&self) -> bool {
        true
    }
}

/// A queue with sub-queues and one limit, in bits.
#[derive(Clone, Debug)]
pub struct NpduPriority {
    whole: drop_tail_bits::DropTailBits,
}

impl NpduPriority {
    /// A queue of the size given.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> NpduPriority {
        NpduPriority { whole: drop_tail_bits::DropTailBits::new(&params.whole(), env) }
    }
}

impl Discard for NpduPriority {
    fn verdict(&self, pdu: &Pdu, length: u64) -> Verdict {
        self.whole.verdict(pdu, length)
    }

    fn size(&self) -> Option<u64> {
        None
    }

    fn counts_bits(&self) -> bool {
        true
    }

    fn serves_by_priority(&self) -> bool {
        true
    }
}

impl Discipline for NpduPriority {
    fn retune(&mut self, params: &super::Params, now: Time) {
        if let super::Params::NpduPriority(params) = params {
            self.whole.retune(&super::Params::DropTailBits(params.whole()), now);
        }
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ size = '16960 bits' }"];
}
