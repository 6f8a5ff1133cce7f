//! Ideal: the time that a message would take alone on its path. A slowdown is the ratio to it.

use crate::core::framing::Framing;
use crate::core::time::{LineRate, PICOSECONDS, Span};

/// The path of a flow, for the time of a message alone: each line sends a segment on when it has all of it (store and forward),
/// and the slowest line sends all segments, one behind the other:
///
/// ```text
/// time = sum of delays + first segment on all other lines + all segments on the slowest line
/// ```
///
/// With cells a line sends on a cell when it has all of it, so the first of those is in the place of the first segment. There
/// is no window, no handshake and no other traffic.
#[derive(Clone, Debug)]
pub struct Ideal {
    delay: Span,
    /// Picoseconds for each bit on the slowest line, and on all others together.
    slowest: f64,
    others: f64,
    segment: u16,
    header: u16,
    framing: Framing,
}

impl Ideal {
    /// Of a path with this propagation delay and these lines, with segments of so many octets of data and headers.
    #[must_use]
    pub fn new(
        delay: Span,
        rates: impl Iterator<Item = LineRate>,
        (segment, header): (u16, u16),
        framing: Framing,
    ) -> Ideal {
        let times: Vec<f64> = rates.map(|rate| PICOSECONDS as f64 / rate.bits_per_second()).collect();
        let slowest = times.iter().copied().fold(0.0, f64::max);
        let others = times.iter().sum::<f64>() - slowest;
        Ideal { delay, slowest, others, segment: segment.max(1), header, framing }
    }

    /// The time of a message of so many octets.
    #[must_use]
    pub fn time(&self, octets: u64) -> Span {
        let segment = u64::from(self.segment);
        let whole = octets / segment;
        let rest = (octets % segment) as u16;
        let packet = |data: u16| self.framing.octets(data.saturating_add(self.header));
        let all = whole * packet(self.segment) + if rest > 0 { packet(rest) } else { 0 };
        let first = self.framing.pdus(octets.min(segment) as u16 + self.header).1;
        let picoseconds = all as f64 * 8.0 * self.slowest + f64::from(first) * 8.0 * self.others;
        self.delay + Span((picoseconds + 0.5) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::time::Rate;

    /// Lines of 8 and 4 Mb/s with 3 ms: a segment of 960 octets and 40 of headers takes 1 and 2 ms.
    #[test]
    fn the_first_segment_crosses_all_lines_and_the_rest_the_slowest() {
        let rates = [8_000_000, 4_000_000].map(|rate| LineRate::Bits(Rate(rate)));
        let ideal = Ideal::new(Span::milliseconds(3), rates.into_iter(), (960, 40), Framing::Packet);
        assert_eq!(ideal.time(960), Span::milliseconds(6));
        assert_eq!(ideal.time(960 * 3), Span::milliseconds(10));
        // A last segment of 10 octets and its headers.
        assert_eq!(ideal.time(970), Span::milliseconds(6) + Span::from_seconds(50.0 * 8.0 / 4e6));
    }

    /// 200 octets with 40 of headers are 6 cells, each .106 ms on one line and .053 ms on the other.
    #[test]
    fn cells_follow_one_another_over_all_lines() {
        let rates = [8_000_000, 4_000_000].map(|rate| LineRate::Bits(Rate(rate)));
        let ideal = Ideal::new(Span::ZERO, rates.into_iter(), (960, 40), Framing::Aal5);
        assert_eq!(ideal.time(200), Span::from_seconds(6.0 * 106e-6 + 53e-6));
        assert_eq!(ideal.time(960 + 200), Span::from_seconds((21.0 + 6.0) * 106e-6 + 53e-6));
    }
}
