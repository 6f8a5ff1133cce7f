//! The counts of the halves of transport connections.

use crate::traffic::Amount;

/// The counts of a sending half since the last reset. Packets belong to the user (TSDUs). Each is one DT TPDU or
/// several.
#[derive(Clone, Copy, Debug, Default)]
pub struct SendingMeasures {
    /// Connections opened.
    pub opened: u64,
    /// Connections released because one TPDU reached the transmission limit or an inactivity timer expired.
    pub given_up: u64,
    /// Packets produced, including those that waited at the reset.
    pub produced: u64,
    /// Packets refused because the waiting queue was full.
    pub refused: u64,
    /// Packets sent: their last DT TPDU was sent for the first time.
    pub tsdus: u64,
    /// Packets that were not sent, or not to their end: discarded at a release, or produced without a connection after such a release.
    pub unsent: u64,
    /// DT TPDUs acknowledged.
    pub acknowledged: u64,
    /// DT TPDUs unacknowledged when their connection was released.
    pub unacknowledged: u64,
    /// DT TPDUs sent for the first time.
    pub transmitted: u64,
    /// DT TPDUs sent again.
    pub retransmitted: u64,
    /// Bits of all DT NPDUs sent.
    pub sent_bits: u64,
    /// Bits of all other NPDUs sent.
    pub control_bits: u64,
    /// Error Reports received.
    pub error_reports: u64,
    /// TPDUs received for connections that are not open.
    pub strays: u64,
    /// DT TPDUs that the packets make which the user produced, and their bits.
    pub offered: Amount,
    /// Those of packets that were refused, or not sent, or not to their end.
    pub lost: Amount,
    /// Those that waited at the reset.
    pub before: Amount,
}

/// The counts of a receiving half since the last reset.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReceivingMeasures {
    /// Packets delivered to the user: all DT TPDUs up to their last have arrived.
    pub tsdus: u64,
    /// DT TPDUs received for the first time.
    pub accepted: u64,
    /// DT TPDUs received again.
    pub duplicates: u64,
    /// DT TPDUs above every upper edge that was ever advertised.
    pub outside: u64,
    /// DT TPDUs of released connections.
    pub late: u64,
    /// Other TPDUs of released connections.
    pub strays: u64,
}
