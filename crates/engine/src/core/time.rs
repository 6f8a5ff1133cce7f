//! Time in whole picoseconds, rates in bits per second, and serialisation that does not drift.
//!
//! A `u64` of picoseconds spans 213 days. Quantities with units are read and written in `quantity`.

use std::ops::{Add, AddAssign, Mul, Sub};

use crate::core::error::Fault;

/// Bits of an ATM cell, header included.
pub const CELL_BITS: u64 = 424;

/// Picoseconds in a second.
pub const PICOSECONDS: u64 = 1_000_000_000_000;

/// An instant: picoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

/// A length of time in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(pub u64);

impl Time {
    /// The start of every run.
    pub const ZERO: Time = Time(0);
    /// Later than any event: no timer is set.
    pub const NEVER: Time = Time(u64::MAX);

    /// The time since `earlier`, or zero if `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// Seconds since the start of the run.
    #[must_use]
    pub fn seconds(self) -> f64 {
        Span(self.0).seconds()
    }
}

impl Span {
    /// Zero length.
    pub const ZERO: Span = Span(0);

    /// A span in seconds, rounded to the picosecond. Negative values and NaN give zero; values beyond the range give
    /// the maximum.
    #[must_use]
    pub fn from_seconds(seconds: f64) -> Span {
        Span((seconds * PICOSECONDS as f64 + 0.5) as u64)
    }

    /// This many milliseconds.
    #[must_use]
    pub const fn milliseconds(count: u64) -> Span {
        Span(count * (PICOSECONDS / 1_000))
    }

    /// In seconds.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / PICOSECONDS as f64
    }
}

impl Add<Span> for Time {
    type Output = Time;
    /// Saturates at [`Time::NEVER`].
    fn add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl Sub for Span {
    type Output = Span;
    fn sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for Span {
    type Output = Span;
    fn mul(self, count: u64) -> Span {
        Span(self.0.saturating_mul(count))
    }
}

/// An interval of simulated time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// Start of the interval.
    pub from: Span,
    /// End of the interval (exclusive).
    pub to: Span,
}

impl Interval {
    /// Whether `time` is in the interval. The end is not part of it.
    #[must_use]
    pub fn covers(self, time: Time) -> bool {
        self.from.0 <= time.0 && time.0 < self.to.0
    }

    /// The end.
    #[must_use]
    pub fn end(self) -> Time {
        Time(self.to.0)
    }

    /// Checks that the interval has a length.
    ///
    /// # Errors
    /// Has the path `to`.
    pub fn check(self) -> Result<(), Fault> {
        if self.from < self.to {
            return Ok(());
        }
        Err(Fault::new("to", self.to, format!("must be later than `from` ({})", self.from), "give a later time"))
    }
}

/// The rate of a line in whole bits per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(pub u64);

impl Rate {
    /// In bits per second, as a float.
    #[must_use]
    pub fn bits_per_second(self) -> f64 {
        self.0 as f64
    }

    /// The serialisation time of `bits` at this rate, rounded to the picosecond.
    #[must_use]
    pub fn span(self, bits: u64) -> Span {
        let exact = u128::from(bits) * u128::from(PICOSECONDS);
        let rate = u128::from(self.0.max(1));
        Span(u64::try_from((exact + rate / 2) / rate).unwrap_or(u64::MAX))
    }
}

/// The time for `bits` at `bits_per_second`, rounded to the picosecond; infinite at a rate of zero.
#[must_use]
pub fn gap(bits: u64, bits_per_second: f64) -> Span {
    if bits_per_second > 0.0 { Span::from_seconds(bits as f64 / bits_per_second) } else { Span(u64::MAX) }
}

/// The fastest line, and the fastest source: at 100 Tb/s the serialisation time of a cell is still whole picoseconds.
pub const FASTEST: Rate = Rate(100_000_000_000_000);

/// The fastest line whose rate may change during a run. A PDU of one octet then takes 8 ps, so no two PDUs depart at one
/// instant.
pub const FASTEST_CHANGING: Rate = Rate(1_000_000_000_000);

/// A cell of 53 octets in 10^-12 bits.
const PICOBITS_OF_CELL: u128 = CELL_BITS as u128 * PICOSECONDS as u128;

/// The rate of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineRate {
    /// In bits per second.
    Bits(Rate),
    /// One cell of 53 octets in exactly this time; other PDUs in proportion.
    CellIn(Span),
}

impl LineRate {
    /// In bits per second.
    #[must_use]
    pub fn bits_per_second(self) -> f64 {
        match self {
            LineRate::Bits(rate) => rate.bits_per_second(),
            LineRate::CellIn(span) => CELL_BITS as f64 / span.seconds(),
        }
    }

    /// In whole bits per second, rounded.
    #[must_use]
    pub fn rounded(self) -> Rate {
        match self {
            LineRate::Bits(rate) => rate,
            LineRate::CellIn(_) => Rate((self.bits_per_second() + 0.5) as u64),
        }
    }

    /// The serialisation time of `bits`, rounded to the picosecond.
    #[must_use]
    pub fn span(self, bits: u64) -> Span {
        match self {
            LineRate::Bits(rate) => rate.span(bits),
            LineRate::CellIn(span) => Span((span.0.saturating_mul(bits) + CELL_BITS / 2) / CELL_BITS),
        }
    }

    /// What the line can send in `span`, in 10^-12 bits, rounded down. It is exact if the rate is in bits per second.
    #[must_use]
    pub fn picobits(self, span: Span) -> u128 {
        match self {
            LineRate::Bits(rate) => u128::from(span.0) * u128::from(rate.0),
            LineRate::CellIn(cell) => u128::from(span.0) * PICOBITS_OF_CELL / u128::from(cell.0.max(1)),
        }
    }

    /// The time in which the line sends this many 10^-12 bits, rounded up.
    #[must_use]
    pub fn time_for(self, picobits: u128) -> Span {
        let exact = match self {
            LineRate::Bits(rate) => picobits.div_ceil(u128::from(rate.0.max(1))),
            LineRate::CellIn(cell) => picobits.saturating_mul(u128::from(cell.0)).div_ceil(PICOBITS_OF_CELL),
        };
        Span(u64::try_from(exact).unwrap_or(u64::MAX))
    }
}

/// Serialisation times of consecutive PDUs. The remainder of each, a fraction of a picosecond, goes into the next, so
/// the long-run rate is exact.
#[derive(Clone, Debug)]
pub struct Serialiser {
    /// A bit takes `time` / `share` picoseconds.
    time: u64,
    share: u64,
    bits: u64,
    whole: u64,
    fraction: u64,
    /// What the remainders may still add, without a further picosecond: the share, less 1, less the remainders so far.
    spare: u64,
}

impl Serialiser {
    /// For a line of `rate`. Without a rate, PDUs take no time.
    #[must_use]
    pub fn new(rate: Option<LineRate>) -> Serialiser {
        let (time, share) = match rate {
            None => (0, 1),
            Some(LineRate::Bits(rate)) => (PICOSECONDS, rate.0.max(1)),
            Some(LineRate::CellIn(span)) => (span.0, CELL_BITS),
        };
        Serialiser { time, share, bits: 0, whole: 0, fraction: 0, spare: share - 1 }
    }

    /// Whether PDUs take no time.
    #[inline]
    #[must_use]
    pub fn is_instant(&self) -> bool {
        self.time == 0
    }

    /// The size of the last PDU, in bits.
    #[inline]
    #[must_use]
    pub fn last_bits(&self) -> u64 {
        self.bits
    }

    /// Lower bound of the serialisation time of `bits` or more, for any remainder.
    #[inline]
    #[must_use]
    pub fn floor(&self, bits: u64) -> Span {
        if bits == self.bits {
            return Span(self.whole);
        }
        let exact = u128::from(bits) * u128::from(self.time) / u128::from(self.share);
        Span(u64::try_from(exact).unwrap_or(u64::MAX))
    }

    /// Serialisation time of the next PDU, of `bits`.
    #[inline]
    pub fn next(&mut self, bits: u64) -> Span {
        if bits != self.bits {
            let exact = u128::from(bits) * u128::from(self.time);
            self.bits = bits;
            self.whole = u64::try_from(exact / u128::from(self.share)).unwrap_or(u64::MAX);
            self.fraction = (exact % u128::from(self.share)) as u64;
        }
        let (spare, is_beyond) = self.spare.overflowing_sub(self.fraction);
        self.spare = if is_beyond { spare.wrapping_add(self.share) } else { spare };
        Span(self.whole + u64::from(is_beyond))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serialisation_does_not_drift() {
        let mut line = Serialiser::new(Some(LineRate::Bits(Rate(155_520_000))));
        let total: u64 = (0..155_520_000u64 / 424 * 424 / 424).map(|_| line.next(424).0).sum();
        // 366 792 cells of 424 bits at 155.52 Mb/s: 366 792 x 424 / 155.52e6 s, to the picosecond below.
        assert_eq!(total, (366_792u128 * 424 * 1_000_000_000_000 / 155_520_000) as u64);
    }

    #[test]
    fn mixed_sizes_carry_the_same_remainder() {
        let mut line = Serialiser::new(Some(LineRate::Bits(Rate(3))));
        let total: u64 = [1u64, 2, 1, 1, 1].iter().map(|&bits| line.next(bits).0).sum();
        assert_eq!(total, 2 * PICOSECONDS);
    }

    #[test]
    fn a_cell_takes_its_time_and_other_pdus_in_proportion() {
        let mut line = Serialiser::new(Some(LineRate::CellIn(Span(2_730_000))));
        assert_eq!((0..1000).map(|_| line.next(424).0).sum::<u64>(), 2_730_000_000);
        assert_eq!(line.next(848), Span(5_460_000));
        assert_eq!((0..424).map(|_| line.next(1).0).sum::<u64>(), 2_730_000);
        assert_eq!(LineRate::CellIn(Span(2_730_000)).rounded(), Rate(155_311_355));
        assert_eq!(Serialiser::new(None).next(424), Span::ZERO);
    }

    #[test]
    fn times_are_rounded_to_the_nearest_picosecond() {
        // A third and two thirds of a second.
        assert_eq!([1, 2, 3].map(|bits| Rate(3).span(bits).0), [333_333_333_333, 666_666_666_667, PICOSECONDS]);
        // 7 ps a cell: half a cell takes 3.5 ps, a quarter 1.75 and three quarters 5.25.
        assert_eq!([212, 106, 318].map(|bits| LineRate::CellIn(Span(7)).span(bits).0), [4, 2, 5]);
        assert_eq!(
            [-1.0, f64::NAN, 9.3e6, 1e8].map(|seconds| Span::from_seconds(seconds).0),
            [0, 0, 9_300_000 * PICOSECONDS, u64::MAX]
        );
        assert_eq!([0.4e-12, 0.6e-12, 1.4e-12, 1.6e-12].map(|seconds| Span::from_seconds(seconds).0), [0, 1, 1, 2]);
    }

    #[test]
    fn a_part_of_a_pdu_takes_its_part_of_the_time() {
        let (megabit, cell) = (LineRate::Bits(Rate(1_000_000)), LineRate::CellIn(Span(424_000)));
        // 1.5 us at 1 Mb/s are one and a half bits. A bit of a cell that takes 424 ns takes 1 ns.
        assert_eq!(megabit.picobits(Span(1_500_000)), 1_500_000_000_000);
        assert_eq!(cell.picobits(Span(1_500)), 1_500_000_000_000);
        assert_eq!([megabit, cell].map(|rate| rate.time_for(1_500_000_000_000)), [Span(1_500_000), Span(1_500)]);
        // A third of a bit at 3 b/s takes a ninth of a second, rounded up.
        assert_eq!(LineRate::Bits(Rate(3)).time_for(333_333_333_333), Span(111_111_111_111));
        assert_eq!(LineRate::Bits(Rate(3)).time_for(333_333_333_334), Span(111_111_111_112));
    }

    #[test]
    fn a_rate_change_of_nothing_takes_for_ever() {
        assert_eq!(gap(424, 0.0), Span(u64::MAX));
        assert_eq!(Time(5) + gap(424, 0.0), Time::NEVER);
        assert_eq!(gap(424, 424.0), Span(PICOSECONDS));
    }
}
