//! Drop-tail by bits: a PDU that would make the queue longer than its size is discarded.
//!
//! Used for the output queues of the ATN study's intermediate systems (docs/models/queues.md): their NPDUs differ in
//! length.

use super::{Discard, Discipline, Env, QueueParams, RETUNED, Verdict};
use crate::core::error::Fault;
use crate::core::pdu::Pdu;
use crate::core::quantity::Bits;
use crate::core::time::Time;

/// The size of the queue.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Bits that the queue can hold. All bits of the PDU in service count.
    #[schemars(extend("retune" = RETUNED))]
    pub size: Bits,
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        if self.size.0 == 0 {
            return Err(Fault::new("size", self.size, "the queue cannot hold any PDU", "choose more than 0 bits"));
        }
        Ok(())
    }
}

impl QueueParams for Params {
    fn size_in_bits(&self) -> Option<Bits> {
        Some(self.size)
    }
}

/// A queue with one limit, in bits.
#[derive(Clone, Debug)]
pub struct DropTailBits {
    size: u64,
}

impl DropTailBits {
    /// A queue of the size given.
    #[must_use]
    pub fn new(params: &Params, _env: Env) -> DropTailBits {
        DropTailBits { size: params.size.0 }
    }
}

impl Discard for DropTailBits {
    #[inline]
    fn verdict(&self, pdu: &Pdu, length: u64) -> Verdict {
        if length.saturating_add(pdu.bits()) <= self.size { Verdict::Admit } else { Verdict::Discard }
    }

    fn size(&self) -> Option<u64> {
        None
    }

    fn counts_bits(&self) -> bool {
        true
    }
}

impl Discipline for DropTailBits {
    fn retune(&mut self, params: &super::Params, _now: Time) {
        if let super::Params::DropTailBits(params) = params {
            self.size = params.size.0;
        }
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ size = '424 bits' }", "{ size = '16960 bits' }"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::tests::pdu;

    #[test]
    fn the_last_bit_is_taken_and_no_more() {
        let policy = DropTailBits::new(&Params { size: Bits(262_144) }, super::super::tests::env());
        assert_eq!(policy.verdict(&pdu(true), 262_144 - 424), Verdict::Admit);
        assert_eq!(policy.verdict(&pdu(false), 262_144 - 423), Verdict::Discard);
        assert_eq!(policy.verdict(&pdu(false), u64::MAX), Verdict::Discard);
    }

    #[test]
    fn a_queue_of_nothing_is_a_fault() {
        assert_eq!(Params { size: Bits(0) }.check().map_err(|fault| fault.path), Err("size".to_owned()));
        assert_eq!(Params { size: Bits(1) }.check(), Ok(()));
    }
}
