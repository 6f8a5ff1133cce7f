//! The payload of an ATM resource management cell in its wire format: 48 octets, rates of 16 bits, and a CRC-10.
//!
//! Source: ATM Forum TM 4.0 (AF-TM-0056.000), RM cell structure. Inside the engine an RM cell is
//! [`Body::ResourceManagement`](super::Body::ResourceManagement) with unrounded rates in bits per second. This module
//! is its format outside the engine. Octets are numbered from 0, after the five octets of the header.
//!
//! ```text
//! 0       ID, 1 for the available bit rate service
//! 1       from the highest bit: DIR, BN, CI, NI, RA, three reserved
//! 2-3     ER      4-5  CCR     6-7  MCR
//! 8-11    QL      12-15  SN
//! 16-45   reserved, 6A hex each; then six bits 0
//! 46-47   the last ten bits: CRC-10 of the 374 before, generator x^10 + x^9 + x^5 + x^4 + x + 1
//! rate    one bit reserved, one bit nz, five bits e, nine bits m: nz 2^e (1 + m/512) cells per second
//! ```

use super::Marks;

/// Octets of the payload.
pub const PAYLOAD: usize = 48;

/// Highest rate of the 16-bit format, in cells per second: 2^31 (1 + 511/512).
pub const HIGHEST_RATE: f64 = 4_290_772_992.0;

const PROTOCOL: u8 = 1;
const RESERVED: u8 = 0x6A;
const RA: u8 = 0x08;
/// The marks in the payload, in the order of their bits.
const FLAGS: [(Marks, u8); 4] = [(Marks::DIR, 0x80), (Marks::BN, 0x40), (Marks::CI, 0x20), (Marks::NI, 0x10)];

const CRC_BITS: usize = 10;
/// The generator without its highest term.
const GENERATOR: u16 = 0x233;

/// The fields of an RM cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RmCell {
    /// DIR, BN, CI and NI; the payload has no bits for others.
    pub marks: Marks,
    /// Request or acknowledge, unused by the available bit rate service.
    pub ra: bool,
    /// Explicit rate, cells per second.
    pub er: f64,
    /// Current cell rate, cells per second.
    pub ccr: f64,
    /// Minimum cell rate, cells per second.
    pub mcr: f64,
    /// Queue length, 0 from a source.
    pub ql: u32,
    /// Sequence number, 0 from a source.
    pub sn: u32,
}

/// The reason why 48 octets are not an RM cell of this service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRmCell {
    /// The payload is damaged: such a cell is discarded.
    #[error("the CRC-10 does not fit the rest of the cell")]
    Damaged,
    /// The ID names another service.
    #[error("the cell's protocol ID is {0}, not that of the available bit rate service, 1")]
    OtherProtocol(u8),
}

impl RmCell {
    /// Writes the payload. Rates are truncated to the precision of the format; the error is below 1/512.
    #[must_use]
    pub fn encode(&self) -> [u8; PAYLOAD] {
        let mut payload = [RESERVED; PAYLOAD];
        payload[0] = PROTOCOL;
        payload[1] = if self.ra { RA } else { 0 };
        for (mark, bit) in FLAGS {
            if self.marks.has(mark) {
                payload[1] |= bit;
            }
        }
        for (place, rate) in [(2, self.er), (4, self.ccr), (6, self.mcr)] {
            payload[place..place + 2].copy_from_slice(&encode_rate(rate).to_be_bytes());
        }
        payload[8..12].copy_from_slice(&self.ql.to_be_bytes());
        payload[12..16].copy_from_slice(&self.sn.to_be_bytes());
        payload[46] = 0;
        let crc = crc10(&payload, PAYLOAD * 8 - CRC_BITS);
        payload[46..].copy_from_slice(&crc.to_be_bytes());
        payload
    }

    /// Reads the fields of a payload.
    ///
    /// # Errors
    /// [`NoRmCell`] if the payload is damaged or belongs to another service. Reserved bits are ignored.
    pub fn decode(payload: &[u8; PAYLOAD]) -> Result<RmCell, NoRmCell> {
        // With its own CRC appended, every message has a remainder of zero.
        if crc10(payload, PAYLOAD * 8) != 0 {
            return Err(NoRmCell::Damaged);
        }
        if payload[0] != PROTOCOL {
            return Err(NoRmCell::OtherProtocol(payload[0]));
        }
        let mut marks = Marks::default();
        for (mark, bit) in FLAGS {
            if payload[1] & bit != 0 {
                marks.set(mark);
            }
        }
        let half = |place: usize| u16::from_be_bytes([payload[place], payload[place + 1]]);
        let rate = |place| decode_rate(half(place));
        let word = |place| u32::from(half(place)) << 16 | u32::from(half(place + 2));
        let ra = payload[1] & RA != 0;
        Ok(RmCell { marks, ra, er: rate(2), ccr: rate(4), mcr: rate(6), ql: word(8), sn: word(12) })
    }
}

/// A rate in cells per second, truncated to 16 bits. Below 1 and for NaN the code is 0; rates above the highest give
/// the highest.
#[must_use]
pub fn encode_rate(cells_per_second: f64) -> u16 {
    if cells_per_second.is_nan() || cells_per_second < 1.0 {
        return 0;
    }
    if cells_per_second >= HIGHEST_RATE {
        return 0x7FFF;
    }
    // A float is 2^(e - 1023) (1 + m / 2^52). The format has the nine highest bits of m.
    let bits = cells_per_second.to_bits();
    let (e, m) = ((bits >> 52) - 1023, bits >> 43 & 0x1FF);
    0x4000 | (e << 9 | m) as u16
}

/// The rate of a code, in cells per second.
#[must_use]
pub fn decode_rate(code: u16) -> f64 {
    if code & 0x4000 == 0 {
        return 0.0;
    }
    let (e, m) = (code >> 9 & 0x1F, code & 0x1FF);
    ((512 + u64::from(m)) << e) as f64 / 512.0
}

/// CRC-10 of the first `bits` bits of `octets`, the highest bit of each first.
fn crc10(octets: &[u8], bits: usize) -> u16 {
    let all = octets.iter().flat_map(|octet| (0..8).rev().map(move |place| u16::from(octet >> place & 1)));
    all.take(bits).fold(0, |register, bit| {
        let carry = register >> (CRC_BITS - 1) ^ bit;
        (register << 1 & 0x3FF) ^ (carry * GENERATOR)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn any_cell() -> impl Strategy<Value = RmCell> {
        let rates = vec(prop_oneof![Just(0.0), 1.0..HIGHEST_RATE, 1.0..1e6], 3);
        (0..16u8, any::<bool>(), rates, any::<u32>(), any::<u32>()).prop_map(|(marks, ra, rates, ql, sn)| RmCell {
            marks: Marks(marks << 2),
            ra,
            er: rates[0],
            ccr: rates[1],
            mcr: rates[2],
            ql,
            sn,
        })
    }

    #[test]
    fn rates_have_the_codes_of_the_format() {
        for (rate, code, again) in [
            (0.0, 0x0000, 0.0),
            (0.99, 0x0000, 0.0),
            (1.0, 0x4000, 1.0),
            (10.0, 0x4680, 10.0),
            (353_207.55, 0x64B1, 352_768.0),
            (HIGHEST_RATE, 0x7FFF, HIGHEST_RATE),
            (f64::INFINITY, 0x7FFF, HIGHEST_RATE),
            (-3.0, 0x0000, 0.0),
            (f64::NAN, 0x0000, 0.0),
        ] {
            assert_eq!((encode_rate(rate), decode_rate(code)), (code, again), "{rate}");
        }
        // Every code reads back, with any reserved bit. Without nz the rate is zero.
        for code in 0x4000..0x8000 {
            assert_eq!(encode_rate(decode_rate(code)), code);
            assert_eq!(decode_rate(code | 0x8000), decode_rate(code));
            assert_eq!(decode_rate(code & 0x3FFF), 0.0);
        }
    }

    #[test]
    fn the_crc_has_the_check_value_of_atm() {
        // The check value of CRC-10/ATM in the catalogues of CRCs.
        assert_eq!(crc10(b"123456789", 72), 0x199);
    }

    #[test]
    fn a_cell_has_every_field_in_its_place() {
        let marks = Marks::DIR.with(Marks::CI);
        let cell = RmCell { marks, ra: false, er: 353_207.55, ccr: 10.0, mcr: 0.0, ql: 7, sn: 9 };
        let mut payload = vec![0x01, 0xA0, 0x64, 0xB1, 0x46, 0x80, 0, 0, 0, 0, 0, 7, 0, 0, 0, 9];
        payload.extend([0x6A; 30]);
        // Result of an independent long division of polynomials.
        payload.extend([0x00, 0xC8]);
        assert_eq!(cell.encode().to_vec(), payload);
        assert_eq!(RmCell::decode(&cell.encode()), Ok(RmCell { er: 352_768.0, ..cell }));
        for (marks, octet) in [(Marks::BN, 0x40), (Marks::NI, 0x10), (Marks::EFCI.with(Marks::CLP), 0x00)] {
            assert_eq!(RmCell { marks, ..cell }.encode()[1], octet);
        }
        assert_eq!(RmCell { ra: true, ..cell }.encode()[1], 0xA8);
    }

    #[test]
    fn a_cell_of_another_service_is_refused() {
        let mut payload = RmCell::default().encode();
        payload[0] = 6;
        payload[46] = 0;
        let crc = crc10(&payload, 374);
        payload[46..].copy_from_slice(&crc.to_be_bytes());
        assert_eq!(RmCell::decode(&payload), Err(NoRmCell::OtherProtocol(6)));
    }

    #[test]
    fn two_damaged_bits_and_odd_numbers_of_them_are_detected() {
        // The CRC of a cell with one bit set, for each bit. An error is undetected if the CRCs of its bits cancel. All
        // are different, and each has an odd number of bits, so an odd number of them cannot cancel.
        let mut left: Vec<u16> = (0..384)
            .map(|place| {
                let mut error = [0; PAYLOAD];
                error[place / 8] = 0x80 >> (place % 8);
                crc10(&error, 384)
            })
            .collect();
        assert!(left.iter().all(|crc| crc.count_ones() % 2 == 1));
        left.sort_unstable();
        left.dedup();
        assert_eq!(left.len(), 384);
    }

    proptest! {
        #[test]
        fn cells_survive_but_for_the_precision_of_rates(cell in any_cell()) {
            let read = RmCell::decode(&cell.encode());
            let rate = |exact| decode_rate(encode_rate(exact));
            let expected = RmCell { er: rate(cell.er), ccr: rate(cell.ccr), mcr: rate(cell.mcr), ..cell };
            prop_assert_eq!(read, Ok(expected));
        }

        #[test]
        fn rates_lose_less_than_the_512th_part(rate in 1.0..HIGHEST_RATE, more in 1.0..2.0) {
            let read = decode_rate(encode_rate(rate));
            prop_assert!(read <= rate && rate - read < rate / 512.0, "{} {}", rate, read);
            prop_assert!(encode_rate(rate) <= encode_rate(rate * more));
        }

        #[test]
        fn damage_is_detected(cell in any_cell(), first in 0..384usize, burst in 1..1024u16) {
            // Any error within ten consecutive bits.
            let mut payload = cell.encode();
            for place in (first..384).take(10).filter(|place| burst >> (place - first) & 1 == 1) {
                payload[place / 8] ^= 0x80 >> (place % 8);
            }
            let expected = if payload == cell.encode() { Ok(()) } else { Err(NoRmCell::Damaged) };
            prop_assert_eq!(RmCell::decode(&payload).map(drop), expected);
        }
    }
}
