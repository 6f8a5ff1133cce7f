//! What the user of a transport connection has offered: the DT TPDUs that its packets make. What may not be sent yet waits in
//! the transport entity.

use super::Sending;
use crate::traffic::{Amount, Offered};
use crate::transport::tp4::connection::Packet;
use crate::transport::tp4::measures::SendingMeasures;
use crate::transport::tp4::params::Params;

impl Params {
    /// The DT TPDUs that a packet makes, or the rest of one.
    pub(super) fn amount(&self, packet: &Packet) -> Amount {
        let pdus = u64::from(packet.octets.div_ceil(self.segment_octets()).max(1));
        let octets = u64::from(packet.octets) + pdus * u64::from(self.octets.data_header);
        Amount { pdus, bits: octets * 8 }
    }
}

impl Sending {
    /// The DT TPDUs that waiting packets make.
    pub(super) fn amount_waiting(&self) -> Amount {
        let waiting = self.connection.iter().flat_map(|connection| &connection.waiting);
        waiting.map(|packet| self.params.amount(packet)).fold(Amount::default(), Amount::and)
    }

    /// What its user has offered since the last reset, in DT TPDUs, and what became of it. `None` if the user always has
    /// data to send.
    #[must_use]
    pub fn offered(&self) -> Option<Offered> {
        let SendingMeasures { offered, lost, .. } = self.measures;
        let own = || Offered { offered, lost, waiting: self.amount_waiting(), withheld: Amount::default() };
        (!self.saturates).then(own)
    }

    /// Whether every DT TPDU offered was sent, waits, or was lost.
    #[must_use]
    pub fn is_conserved(&self) -> bool {
        let SendingMeasures { offered, before, lost, transmitted, .. } = self.measures;
        offered.pdus + before.pdus == transmitted + self.amount_waiting().pdus + lost.pdus
    }
}
