//! Marks of congestion that a queue sets in place of a discard.

use super::Fate;
use crate::core::feedback::Signals;
use crate::core::pdu::{Marks, Pdu};

/// A mark of congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Explicit forward congestion indication, in the header of cells.
    Efci,
    /// Congestion experienced, in the header of NPDUs (ISO 8473).
    Ce,
    /// Congestion experienced in the ECN field (RFC 3168). PDUs that are not ECN-capable are discarded.
    Ecn,
}

/// The feedback of a queue that sets this mark, or none.
pub(super) fn sends(mark: Option<Mark>) -> Signals {
    match mark {
        Some(Mark::Efci) => Signals::EFCI,
        Some(Mark::Ce) => Signals::CE,
        Some(Mark::Ecn) => Signals::ECN,
        None => Signals::NONE,
    }
}

/// Marks `pdu`, if there is a mark and the PDU can have it. Returns whether it did.
pub(super) fn set(mark: Option<Mark>, pdu: &mut Pdu) -> bool {
    let Some(mark) = mark.filter(|_| pdu.kind().is_data()) else { return false };
    if mark == Mark::Ecn && !pdu.marks.is_ecn_capable() {
        return false;
    }
    pdu.marks.set(match mark {
        Mark::Efci => Marks::EFCI,
        Mark::Ce => Marks::CE,
        Mark::Ecn => Marks::ECN_CE,
    });
    true
}

/// Marks `pdu`, or discards it if it cannot be marked.
pub(super) fn set_or_discard(mark: Option<Mark>, pdu: &mut Pdu) -> Fate {
    if set(mark, pdu) { Fate::Send } else { Fate::Discard }
}
