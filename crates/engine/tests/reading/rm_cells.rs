//! Payloads of RM cells.

use penstock_engine::core::pdu::rm_cell::{HIGHEST_RATE, NoRmCell, PAYLOAD, RmCell, decode_rate, encode_rate};

/// The first 48 octets, as they are and with the CRC that fits them; missing ones are 0.
pub(crate) fn rm_cell(octets: &[u8]) {
    let mut payload = [0; PAYLOAD];
    for (place, &octet) in payload.iter_mut().zip(octets) {
        *place = octet;
    }
    let is_whole = remainder(&payload) == 0;
    assert_eq!(RmCell::decode(&payload) == Err(NoRmCell::Damaged), !is_whole);
    check(&payload);
    payload[46] &= 0xFC;
    payload[47] = 0;
    let crc = remainder(&payload);
    payload[46] |= (crc >> 8) as u8;
    payload[47] = crc as u8;
    assert_ne!(RmCell::decode(&payload), Err(NoRmCell::Damaged));
    check(&payload);
    rates(octets);
}

/// What is read can be written, and reads back as the same, in the same octets.
fn check(payload: &[u8; PAYLOAD]) {
    match RmCell::decode(payload) {
        Ok(cell) => {
            assert_eq!(payload[0], 1);
            let written = cell.encode();
            assert_eq!(RmCell::decode(&written), Ok(cell));
            // Where nothing reserved was set, and no rate had a mantissa without its bit nz, they are the very octets.
            assert_eq!(written[8..16], payload[8..16]);
            for rate in [cell.er, cell.ccr, cell.mcr] {
                assert!((0.0..=HIGHEST_RATE).contains(&rate), "{rate}");
            }
        }
        Err(NoRmCell::OtherProtocol(id)) => assert!(id == payload[0] && id != 1),
        Err(NoRmCell::Damaged) => {}
    }
}

/// Any eight octets as a rate, of whatever kind of float: what is cut to 16 bits once stays as it is.
fn rates(octets: &[u8]) {
    for chunk in octets.as_chunks().0 {
        let code = encode_rate(f64::from_bits(u64::from_le_bytes(*chunk)));
        assert_eq!(encode_rate(decode_rate(code)), code);
    }
}

/// What division by the generator of CRC-10 leaves over, bit by bit as on paper.
fn remainder(payload: &[u8; PAYLOAD]) -> u16 {
    let mut left = *payload;
    for place in 0..PAYLOAD * 8 - 10 {
        if left[place / 8] << (place % 8) & 0x80 != 0 {
            // x^10 + x^9 + x^5 + x^4 + x + 1
            for term in [0, 1, 5, 6, 9, 10] {
                left[(place + term) / 8] ^= 0x80 >> ((place + term) % 8);
            }
        }
    }
    u16::from_be_bytes([left[46], left[47]])
}
