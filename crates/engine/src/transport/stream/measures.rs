//! The counts of a sending half, and what its user has offered.

use crate::traffic::Amount;

/// The counts of a sending half since the last reset.
#[derive(Clone, Copy, Debug, Default)]
pub struct SendingMeasures {
    /// Streams opened: one for a persistent stream, one for each message otherwise.
    pub opened: u64,
    /// Packets that the user has produced.
    pub produced: u64,
    /// Packets refused, because too many waited.
    pub refused: u64,
    /// Segments sent for the first time.
    pub transmitted: u64,
    /// Segments sent again.
    pub retransmitted: u64,
    /// Bits of all segments sent, headers included.
    pub sent_bits: u64,
    /// Bits of requests to open streams.
    pub control_bits: u64,
    /// Segments acknowledged or reported, each once.
    pub acknowledged: u64,
    /// Recoveries from losses without a timeout.
    pub recoveries: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Tail loss probes.
    pub probes: u64,
    /// Segments that arrived with congestion experienced, as acknowledgements tell.
    pub marked: u64,
    /// What the user has offered, in segments with their headers.
    pub offered: Amount,
    /// What waited at the last reset.
    pub before: Amount,
    /// What was refused.
    pub lost: Amount,
}
