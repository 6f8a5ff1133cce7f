//! Time in whole picoseconds, rates in bits per second, and serialisation that does not drift.
//!
//! A `u64` of picoseconds spans 213 days. Quantities with units are read and written in `quantity`.

use std::ops::{Add, AddAssign, Mul, Sub};

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
    /// Later than any event: "no wake-up wanted".
    pub const NEVER: Time = Time(u64::MAX);

    /// Length of time since `earlier`, or zero if that lies ahead.
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
    /// No time at all.
    pub const ZERO: Span = Span(0);

    /// The span of that many seconds, rounded to the picosecond; negative or NaN give zero, too long the longest.
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

/// A line's rate in whole bits per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(pub u64);

impl Rate {
    /// In bits per second, for a controller's arithmetic.
    #[must_use]
    pub fn bits_per_second(self) -> f64 {
        self.0 as f64
    }

    /// Time that `bits` take at this rate, rounded to the picosecond.
    #[must_use]
    pub fn span(self, bits: u64) -> Span {
        let exact = u128::from(bits) * u128::from(PICOSECONDS);
        let rate = u128::from(self.0.max(1));
        Span(u64::try_from((exact + rate / 2) / rate).unwrap_or(u64::MAX))
    }
}

/// Time that `bits` take at an allowance of `bits_per_second`, rounded to the picosecond; no allowance takes for ever.
#[must_use]
pub fn gap(bits: u64, bits_per_second: f64) -> Span {
    if bits_per_second > 0.0 { Span::from_seconds(bits as f64 / bits_per_second) } else { Span(u64::MAX) }
}

/// Puts PDUs on a line one after the other. The fraction of a picosecond that each leaves over is carried to the
/// next, so that the long-run rate is exact.
#[derive(Clone, Debug)]
pub struct Serialiser {
    rate: u64,
    bits: u64,
    whole: u64,
    fraction: u64,
    carried: u64,
}

impl Serialiser {
    /// For a line of `rate` (at least 1 b/s).
    #[must_use]
    pub fn new(rate: Rate) -> Serialiser {
        Serialiser { rate: rate.0.max(1), bits: 0, whole: 0, fraction: 0, carried: 0 }
    }

    /// The line's rate.
    #[must_use]
    pub fn rate(&self) -> Rate {
        Rate(self.rate)
    }

    /// Time that the next PDU of `bits` occupies the line.
    #[inline]
    pub fn next(&mut self, bits: u64) -> Span {
        if bits != self.bits {
            let exact = u128::from(bits) * u128::from(PICOSECONDS);
            self.bits = bits;
            self.whole = u64::try_from(exact / u128::from(self.rate)).unwrap_or(u64::MAX);
            self.fraction = (exact % u128::from(self.rate)) as u64;
        }
        self.carried += self.fraction;
        let carry = u64::from(self.carried >= self.rate);
        self.carried -= carry * self.rate;
        Span(self.whole + carry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serialisation_does_not_drift() {
        let mut line = Serialiser::new(Rate(155_520_000));
        let total: u64 = (0..155_520_000u64 / 424 * 424 / 424).map(|_| line.next(424).0).sum();
        // 366 792 cells of 424 bits at 155.52 Mb/s: 366 792 x 424 / 155.52e6 s, to the picosecond below.
        assert_eq!(total, (366_792u128 * 424 * 1_000_000_000_000 / 155_520_000) as u64);
    }

    #[test]
    fn mixed_sizes_carry_the_same_remainder() {
        let mut line = Serialiser::new(Rate(3));
        let total: u64 = [1u64, 2, 1, 1, 1].iter().map(|&bits| line.next(bits).0).sum();
        assert_eq!(total, 2 * PICOSECONDS);
    }

    #[test]
    fn a_rate_change_of_nothing_takes_for_ever() {
        assert_eq!(gap(424, 0.0), Span(u64::MAX));
        assert_eq!(Time(5) + gap(424, 0.0), Time::NEVER);
        assert_eq!(gap(424, 424.0), Span(PICOSECONDS));
    }
}
