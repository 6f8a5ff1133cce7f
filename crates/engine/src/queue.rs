//! Queue policies: what a full or long queue does.
//!
//! The models: docs/models/queues.md.
//!
//! Lengths include the PDU in service. They are in PDUs, or in bits for a policy that counts bits. A policy has no state
//! beside its parameters: with other parameters it is built anew.

use crate::core::error::Fault;
use crate::core::pdu::Pdu;
use crate::core::quantity::{Bits, Count};
use crate::core::roles::{define_role, dispatch, role_trait};

pub(crate) mod bits;
mod clp_threshold;
mod drop_tail;
mod drop_tail_bits;
pub(crate) mod lengths;
pub mod measures;
mod npdu_priority;
pub(crate) mod order;
mod push_out;
pub(crate) mod store;
mod unlimited;

/// The fate of an arriving PDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It joins the queue.
    Admit,
    /// It is discarded.
    Discard,
    /// It joins if a waiting PDU tagged CLP=1 can be discarded in its place. Otherwise it is discarded.
    PushOut,
}

impl Params {
    /// No limit: the default of a queue.
    pub const UNLIMITED: Params = Params::Unlimited(unlimited::Params {});
}

/// What a change of a limit does.
const RETUNED: &str = "PDUs that are already in the queue stay, also beyond a lower limit.";

/// A queue must hold at least the PDU in service.
fn check_size(size: Count) -> Result<(), Fault> {
    if size.0 == 0 {
        return Err(Fault::new(
            "size",
            size,
            "the queue has no place even for the PDU in service",
            "choose at least 1",
        ));
    }
    Ok(())
}

/// Every queue policy: one line each, with its keyword in scenario files.
macro_rules! policies {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// No limit.
            unlimited Unlimited = unlimited::Params => unlimited::Unlimited;
            /// A full queue discards what arrives.
            drop_tail DropTail = drop_tail::Params => drop_tail::DropTail;
            /// As drop-tail, by the bits in the queue.
            drop_tail_bits DropTailBits = drop_tail_bits::Params => drop_tail_bits::DropTailBits;
            /// As drop-tail by bits. NPDUs of higher priority are served first.
            npdu_priority NpduPriority = npdu_priority::Params => npdu_priority::NpduPriority;
            /// As drop-tail, and above a threshold PDUs tagged CLP=1 are discarded.
            clp_threshold ClpThreshold = clp_threshold::Params => clp_threshold::ClpThreshold;
            /// A full queue discards a waiting PDU tagged CLP=1 to let one with CLP=0 in.
            push_out PushOut = push_out::Params => push_out::PushOut;
        }
    };
}

policies!(define_role! [Params Policy ()]);

role_trait! {
    /// A queue policy: what it does with each PDU that arrives.
    pub trait Discard for Policy by policies {
        required
        /// Judges `pdu`, which finds `length` PDUs (or bits, if the policy counts those) in the queue.
        fn verdict(&self, pdu: &Pdu, length: u64) -> Verdict;
        /// The most PDUs that the queue can hold; `None` without such a limit.
        fn size(&self) -> Option<u64>;

        provided
        /// The lengths from which on it discards a PDU with CLP=0, and one with CLP=1, if it judges by length alone.
        fn limits(&self) -> Option<[u64; 2]> { None }
        /// Whether it counts the bits of a queue and not its PDUs.
        fn counts_bits(&self) -> bool { false }
        /// Whether it may answer `PushOut`. The departures of such a queue are not known in advance.
        fn pushes_out(&self) -> bool { false }
        /// Whether it serves NPDUs of higher priority first. The departures of such a queue are not known in advance.
        fn serves_by_priority(&self) -> bool { false }
    }
}

role_trait! {
    /// The parameters of a queue policy, as the assembly reads them.
    pub trait QueueParams for Params by policies {
        required
        provided
        /// The most bits that the queue can hold, if that is its limit.
        fn size_in_bits(&self) -> Option<Bits> { None }
        /// Whether it serves NPDUs of higher priority first.
        fn serves_by_priority(&self) -> bool { false }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::core::pdu::{Body, CELL_OCTETS, FlowId, Marks};
    use crate::core::time::Time;

    pub(super) fn pdu(tagged: bool) -> Pdu {
        let mut pdu = Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, Body::Data { born: Time::ZERO, number: 0 });
        if tagged {
            pdu.marks.set(Marks::CLP);
        }
        pdu
    }

    #[test]
    fn each_is_chosen_by_its_key() {
        let read = |text: &str| toml::from_str::<Params>(text);
        let (size, threshold) = (Count(512), Count(256));
        assert_eq!(read("unlimited = {}"), Ok(Params::Unlimited(unlimited::Params {})));
        assert_eq!(read("drop_tail.size = '512 cells'"), Ok(Params::DropTail(drop_tail::Params { size })));
        let both = Params::ClpThreshold(clp_threshold::Params { size, threshold });
        assert_eq!(read("clp_threshold = { size = '512 cells', threshold = '256 cells' }"), Ok(both));
        assert!(read("push_out = {}").is_err());
        assert!(read("unlimited.size = 1").is_err());
    }

    proptest! {
        /// What every policy owes: never more than the size, a clean PDU no worse off than a tagged one, no refusal
        /// at a length where a longer queue admits, and `PushOut` only where it was announced.
        #[test]
        fn laws(length in 0u64..60) {
            for params in Params::cases().into_iter().map(|case| case.params) {
                prop_assert_eq!(params.check(), Ok(()));
                let policy = params.build(());
                let clean = policy.verdict(&pdu(false), length);
                let tagged = policy.verdict(&pdu(true), length);
                if policy.size().is_some_and(|size| length >= size) {
                    prop_assert!(clean != Verdict::Admit && tagged != Verdict::Admit);
                }
                prop_assert!(tagged != Verdict::Admit || clean == Verdict::Admit);
                prop_assert!(policy.pushes_out() || (clean != Verdict::PushOut && tagged != Verdict::PushOut));
                if let Some(limits) = policy.limits() {
                    let admitted = limits.map(|limit| if length < limit { Verdict::Admit } else { Verdict::Discard });
                    prop_assert_eq!(admitted, [clean, tagged]);
                }
                for (tag, verdict) in [(false, clean), (true, tagged)] {
                    let shorter = policy.verdict(&pdu(tag), length.saturating_sub(1));
                    prop_assert!(verdict != Verdict::Admit || shorter == Verdict::Admit);
                }
            }
        }
    }
}
