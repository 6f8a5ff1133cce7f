//! Queue lengths of a port in bits, for thresholds, limits and the mean load.

use crate::core::time::{LineRate, Span, Time};
use crate::queue::measures::MOST_QUEUES;

/// Bits present in each queue, and the areas under them.
#[derive(Clone, Debug)]
pub(crate) struct BitCount {
    rate: Option<LineRate>,
    present: [u64; MOST_QUEUES],
    /// Bits that arrived since time 0, queued or discarded.
    pub(crate) arrived: u64,
    /// Area under the bits of all queues up to `seen` since the last reset, in bits times picoseconds.
    area: u128,
    seen: Time,
    /// Its part from PDUs in transmission; complete for departed PDUs.
    transmitting: u128,
    /// Time of the last reset. The transmission of a PDU before this time does not count.
    reset: Time,
    /// Departure, and start of the transmission, of the PDU that was in transmission when the rate changed last.
    changed: Option<(Time, Time)>,
}

impl BitCount {
    pub(crate) fn new(rate: Option<LineRate>) -> BitCount {
        let present = [0; MOST_QUEUES];
        BitCount {
            rate,
            present,
            arrived: 0,
            area: 0,
            seen: Time::ZERO,
            transmitting: 0,
            reset: Time::ZERO,
            changed: None,
        }
    }

    /// The line's rate is now `rate`. `serving` has the bits of the PDU in transmission, and its departure times at the
    /// rate before and at the new one.
    pub(crate) fn change_rate(&mut self, rate: LineRate, serving: Option<(u64, [Time; 2])>) {
        self.changed = serving.map(|(bits, [before, departure])| (departure, self.start(before, bits)));
        self.rate = Some(rate);
    }

    pub(crate) fn present(&self, queue: usize) -> u64 {
        self.present[queue & (MOST_QUEUES - 1)]
    }

    /// Bits present in each of the first `count` queues.
    pub(crate) fn lengths(&self, count: usize) -> &[u64] {
        &self.present[..count.min(MOST_QUEUES)]
    }

    pub(crate) fn total(&self) -> u64 {
        self.present.iter().sum()
    }

    pub(crate) fn enter(&mut self, queue: usize, at: Time, bits: u64) {
        self.update(at);
        self.present[queue & (MOST_QUEUES - 1)] += bits;
    }

    pub(crate) fn leave(&mut self, queue: usize, at: Time, bits: u64) {
        self.transmitting += self.transmission(at, at, bits);
        self.evict(queue, at, bits);
    }

    pub(crate) fn evict(&mut self, queue: usize, at: Time, bits: u64) {
        self.update(at);
        self.present[queue & (MOST_QUEUES - 1)] -= bits;
    }

    pub(crate) fn reset(&mut self, now: Time) {
        self.update(now);
        (self.area, self.transmitting, self.reset) = (0, 0, now);
    }

    /// The areas up to `now`, with and without PDUs in transmission. `serving` has the departure time and the bits of
    /// the PDU in service.
    pub(crate) fn areas(&self, now: Time, serving: Option<(Time, u64)>) -> (u128, u128) {
        let area = self.area + u128::from(self.total()) * u128::from(now.since(self.seen).0);
        let serving_area = serving.map_or(0, |(departure, bits)| self.transmission(departure, now, bits));
        (area, area.saturating_sub(self.transmitting + serving_area))
    }

    /// Area of a PDU that departs at `departure`, from the start of its transmission or the reset until `now`.
    fn transmission(&self, departure: Time, now: Time, bits: u64) -> u128 {
        let start = self.start(departure, bits).max(self.reset);
        u128::from(bits) * u128::from(now.0.saturating_sub(start.0))
    }

    /// Start of the transmission of a PDU that departs at `departure`.
    fn start(&self, departure: Time, bits: u64) -> Time {
        if let Some((changed, start)) = self.changed
            && changed == departure
        {
            return start;
        }
        let span = self.rate.map_or(Span::ZERO, |rate| rate.span(bits));
        Time(departure.0.saturating_sub(span.0))
    }

    fn update(&mut self, at: Time) {
        // Departures are processed late, but in order. An arrival at the current time can be processed before an
        // earlier departure.
        self.area += u128::from(self.total()) * u128::from(at.0.saturating_sub(self.seen.0));
        self.seen = at.max(self.seen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::time::Rate;

    const SECOND: u64 = 1_000_000_000_000;

    fn at(second: u64) -> Time {
        Time(second * SECOND)
    }

    /// Two PDUs of 1,000 bits at 500 b/s from 0 s: 2,000 bits for 2 s, then 1,000 for 2 s. Of these, 1,000 bits wait
    /// for 2 s.
    #[test]
    fn the_load_is_the_area_under_the_bits() {
        let mut count = BitCount::new(Some(LineRate::Bits(Rate(500))));
        count.enter(0, at(0), 1_000);
        count.enter(1, at(0), 1_000);
        assert_eq!((count.present(0), count.total()), (1_000, 2_000));
        let served = |departure| (departure, 1_000);
        let seconds = |(whole, waiting): (u128, u128)| (whole / u128::from(SECOND), waiting / u128::from(SECOND));
        assert_eq!(seconds(count.areas(at(1), Some(served(at(2))))), (2_000, 1_000));
        count.leave(0, at(2), 1_000);
        assert_eq!(seconds(count.areas(at(3), Some(served(at(4))))), (5_000, 2_000));
        count.reset(at(3));
        assert_eq!(seconds(count.areas(at(3), Some(served(at(4))))), (0, 0));
        count.leave(1, at(4), 1_000);
        assert_eq!(seconds(count.areas(at(9), None)), (1_000, 0));
    }

    /// At 500 b/s from 0 s: 1,000 bits in transmission for 2 s, and 3,000 bits behind them, evicted after 1 s. An
    /// evicted PDU was never in transmission, so its whole area counts as waiting.
    #[test]
    fn evicted_bits_have_only_waited() {
        let mut count = BitCount::new(Some(LineRate::Bits(Rate(500))));
        count.enter(0, at(0), 1_000);
        count.enter(0, at(0), 3_000);
        count.evict(0, at(1), 3_000);
        assert_eq!((count.present(0), count.total()), (1_000, 1_000));
        count.leave(0, at(2), 1_000);
        let second = u128::from(SECOND);
        assert_eq!(count.areas(at(3), None), (5_000 * second, 3_000 * second));
        // If it arrives and is evicted at the same time, it adds no area.
        count.enter(0, at(3), 3_000);
        count.evict(0, at(3), 3_000);
        assert_eq!(count.areas(at(4), None), (5_000 * second, 3_000 * second));
    }

    /// At 500 b/s, from 0 s: 1,000 bits in transmission for 2 s, and 1,000 behind them. From a reset at 1 s to 2 s, 1,000
    /// of the 2,000 are in transmission and 1,000 wait.
    #[test]
    fn only_the_transmission_after_the_reset_counts() {
        let mut count = BitCount::new(Some(LineRate::Bits(Rate(500))));
        count.enter(0, at(0), 1_000);
        count.enter(0, at(0), 1_000);
        count.reset(at(1));
        let second = u128::from(SECOND);
        assert_eq!(count.areas(at(2), Some((at(2), 1_000))), (2_000 * second, 1_000 * second));
        count.leave(0, at(2), 1_000);
        assert_eq!(count.areas(at(2), None), (2_000 * second, 1_000 * second));
    }
}
