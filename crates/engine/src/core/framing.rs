//! Framing: the PDUs of a packet on a line.
//!
//! AAL5 (ITU-T I.363.5) puts a trailer of 8 octets behind the packet, and padding before it, so that the whole fills the
//! payloads of 48 octets of cells. A packet of n octets is ceil((n + 8) / 48) cells of 53 octets.

use super::pdu::CELL_OCTETS;

/// Octets of user data in a cell, and of the trailer of AAL5.
const PAYLOAD: u32 = 48;
const TRAILER: u32 = 8;

/// The PDUs of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Framing {
    /// Cells of 53 octets. A trailer of 8 octets and padding fill the last payload of 48 octets.
    Aal5,
    /// One PDU of the packet's size.
    Packet,
}

impl Framing {
    /// Number of PDUs of a packet of so many octets, and octets of each.
    #[must_use]
    pub fn pdus(self, octets: u16) -> (u32, u16) {
        match self {
            Framing::Aal5 => ((u32::from(octets) + TRAILER).div_ceil(PAYLOAD), CELL_OCTETS),
            Framing::Packet => (1, octets),
        }
    }

    /// Octets of all PDUs of a packet of so many octets.
    #[must_use]
    pub fn octets(self, packet: u16) -> u64 {
        let (pdus, octets) = self.pdus(packet);
        u64::from(pdus) * u64::from(octets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trailer_and_the_padding_fill_the_last_cell() {
        let cells = [(1, 1), (40, 1), (41, 2), (88, 2), (1500, 32), (9180, 192), (u16::MAX, 1366)];
        assert!(cells.iter().all(|&(octets, cells)| Framing::Aal5.pdus(octets) == (cells, 53)));
        assert_eq!(Framing::Packet.pdus(1500), (1, 1500));
        assert_eq!([Framing::Aal5, Framing::Packet].map(|framing| framing.octets(1500)), [1696, 1500]);
    }
}
