//! When the next PDU of a source with a rate may leave.

use super::reaction::Allowance;
use crate::core::time::{LineRate, Span, Time, gap};

/// The gap behind the last PDU. It is known when that PDU is sent, and only feedback changes it.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    line: LineRate,
    /// The last PDU: when it was sent, and its bits.
    last: Option<(Time, u64)>,
    next: Time,
}

impl Pace {
    /// Before the first PDU, behind a line of this rate.
    pub(super) fn new(line: LineRate) -> Pace {
        Pace { line, last: None, next: Time::ZERO }
    }

    /// The gap after so many bits at a rate in bits per second, at least their time on the line.
    fn gap(&self, bits: u64, rate: f64) -> Span {
        gap(bits, rate).max(self.line.span(bits))
    }

    /// A PDU is sent, and the source has this rate, in bits per second.
    pub(super) fn send(&mut self, now: Time, bits: u64, rate: f64) {
        (self.last, self.next) = (Some((now, bits)), now + self.gap(bits, rate));
    }

    /// The source has another rate: the pending PDU moves.
    pub(super) fn retime(&mut self, rate: f64) {
        if let Some((last, bits)) = self.last {
            self.next = last + self.gap(bits, rate);
        }
    }

    /// When the next PDU may leave.
    pub(super) fn allowance(&self) -> Allowance {
        Allowance::From(self.next)
    }
}
