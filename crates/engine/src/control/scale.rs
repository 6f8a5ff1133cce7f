//! Parameters that were given for one fast line, on any line: shares of its rate, and of an amount of data.
//!
//! The schemes of data centres state octets, times and rates for one line rate, one length of frames and short cables. On
//! another line the same number of PDUs and the same share of the rate do what they were chosen for. Feedback takes a
//! round trip. So the amount of data is at least what the line carries in that time.

use crate::core::quantity::Bits;
use crate::core::time::{Rate, Span, gap};

/// The scale of one line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// Rate of the line, bits per second.
    pub(super) rate: f64,
    /// The amount of data, in bits.
    unit: f64,
}

impl Scale {
    /// The unit is `pdus` PDUs of `pdu_bits`, or what the line carries in a round trip, if that is more.
    pub(super) fn new(rate: f64, pdu_bits: u64, round_trip: Span, pdus: f64) -> Scale {
        let unit = (pdus * pdu_bits as f64).max(rate * round_trip.seconds());
        Scale { rate, unit: unit.max(1.0) }
    }

    /// The amount that is given, or a share of the unit; in bits, at least 1.
    pub(super) fn bits(&self, given: Option<Bits>, share: f64) -> f64 {
        given.map_or(share * self.unit, |own| own.0 as f64).max(1.0)
    }

    /// The rate that is given, or a share of the line's; in bits per second, and at most the line's.
    pub(super) fn rate(&self, given: Option<Rate>, share: f64) -> f64 {
        given.map_or(share * self.rate, Rate::bits_per_second).min(self.rate)
    }

    /// The time that is given, or that in which the line carries a share of the unit.
    pub(super) fn span(&self, given: Option<Span>, share: f64) -> Span {
        given.unwrap_or_else(|| gap((share * self.unit) as u64, self.rate.max(1.0))).max(Span(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 frames of 1,500 octets at 10 Gb/s are 120 us; a round trip of 1 ms is more.
    #[test]
    fn the_unit_is_the_longer_of_some_pdus_and_a_round_trip() {
        let near = Scale::new(1e10, 12_000, Span::ZERO, 100.0);
        assert_eq!((near.bits(None, 1.0), near.span(None, 1.0)), (1_200_000.0, Span(120_000_000)));
        let far = Scale::new(1e10, 12_000, Span::milliseconds(1), 100.0);
        assert_eq!((far.bits(None, 0.5), far.span(None, 2.0)), (5_000_000.0, Span::milliseconds(2)));
        assert_eq!((far.bits(Some(Bits(7)), 0.5), far.span(Some(Span(3)), 2.0)), (7.0, Span(3)));
        assert_eq!((far.rate(None, 0.001), far.rate(Some(Rate(20_000_000_000)), 0.001)), (1e7, 1e10));
    }
}
