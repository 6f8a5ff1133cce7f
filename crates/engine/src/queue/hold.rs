//! What a queue policy that keeps its PDUs in several lists decides: the list that a PDU joins, the list from which the next one is
//! sent, and which PDUs make room for others. The PDUs themselves are in the store of the port ([`Lists`]).

use super::store::Lists;
use crate::core::pdu::Pdu;
use crate::core::time::Time;

/// PDUs at the head of a list, to be discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Victims {
    /// Their list.
    pub list: usize,
    /// Their number.
    pub count: usize,
}

/// A queue policy with an order of its own. It judges at the head, each PDU of the list that it has chosen.
pub trait Hold {
    /// Makes what timers would have made up to `now`, with the lists as they are before anything else happens then. Called
    /// before each arrival is judged, before a list is chosen, and at stops.
    fn catch_up_lists(&mut self, _now: Time, _lists: &Lists) {}

    /// What is discarded so that `pdu` can join; `None` if `pdu` itself is. Asked after
    /// [`Verdict::MakeRoom`](super::Verdict::MakeRoom).
    fn victims(&mut self, _pdu: &Pdu, _lists: &Lists) -> Option<Victims> {
        None
    }

    /// The list that `pdu` joins.
    fn join(&mut self, pdu: &Pdu) -> usize;

    /// The list whose first PDU is judged next; `None` if nothing waits. It may be asked again before the PDU is sent.
    fn next(&mut self, lists: &Lists) -> Option<usize>;
}
