//! Train: PDUs one gap apart.

use super::{DataUnit, Generated, Output, RateScale, Upcoming, decision};
use crate::core::time::{Span, Time};

/// PDUs one gap apart. The rate and the factor at the start of a gap determine its length.
///
/// Each gap begins where the last one ended, also if the sender calls late.
#[derive(Clone, Debug)]
pub(super) struct Train {
    pub(super) bits: f64,
    /// Length of the current gap, in nominal gaps.
    pub(super) length: f64,
    pub(super) next: Upcoming,
    /// The last nominal gap, and the bit rate that gave it: most gaps are as long as the last.
    nominal: (f64, Span),
}

impl Train {
    pub(super) fn new(octets: u16) -> Train {
        Train { bits: f64::from(octets) * 8.0, length: 1.0, next: Upcoming::Never, nominal: (0.0, Span::ZERO) }
    }

    /// Advances to the next event. Returns where a gap begins, and whether a PDU was produced there. A new gap begins
    /// after a PDU; after a decision the old gap remains.
    #[inline]
    pub(super) fn come(&mut self, now: Time) -> (Time, bool) {
        match self.next {
            Upcoming::Pdu(time) => {
                self.length = 1.0;
                (time, true)
            }
            Upcoming::Decision(time) => (time, false),
            Upcoming::Never => (now, false),
        }
    }

    /// Determines the gap that begins at `from`. A factor of 0 postpones this to the time at which it may rise.
    #[inline]
    pub(super) fn fix(&mut self, from: Time, bits_per_second: f64, now: Time, scale: &mut impl RateScale) {
        let factor = scale.factor(now);
        self.next = if factor > 0.0 {
            Upcoming::Pdu(from + self.gap(bits_per_second * factor))
        } else {
            // Later than now: time must advance.
            decision(scale.resumes(now).max(now + Span(1)))
        };
    }

    /// The current gap at this bit rate.
    #[inline(always)]
    fn gap(&mut self, bits_per_second: f64) -> Span {
        if self.length != 1.0 {
            return self.part_of_gap(bits_per_second);
        }
        if self.nominal.0 != bits_per_second {
            self.nominal = (bits_per_second, self.part_of_gap(bits_per_second));
        }
        self.nominal.1
    }

    #[inline(always)]
    fn part_of_gap(&self, bits_per_second: f64) -> Span {
        // Every gap is at least a picosecond: time must advance.
        let least = Span(u64::from(self.length > 0.0));
        Span::from_seconds(self.length * self.bits / bits_per_second).max(least)
    }

    /// Sends the PDUs that come before `until` to `output`. `now` is the time of the last event.
    #[inline(always)]
    pub(super) fn produce(
        &mut self,
        now: &mut Time,
        until: Time,
        (unit, bits_per_second): (DataUnit, f64),
        scale: &mut impl RateScale,
        output: &mut impl Output,
    ) {
        while let Upcoming::Pdu(time) = self.next
            && time < until
        {
            *now = (*now).max(time);
            self.length = 1.0;
            self.fix(time, bits_per_second, *now, scale);
            output.send(unit, *now);
        }
    }

    /// Counts the PDUs that come before `until` at this rate, the nominal one, without a step for each.
    #[inline]
    pub(super) fn count(&mut self, until: Time, (unit, bits_per_second): (DataUnit, f64), generated: &mut Generated) {
        let Upcoming::Pdu(first) = self.next else { return };
        if first >= until {
            return;
        }
        self.length = 1.0;
        let gap = self.gap(bits_per_second);
        let pdus = (until.since(first).0 - 1) / gap.0 + 1;
        self.next = Upcoming::Pdu(first + gap * pdus);
        generated.add_many(unit, pdus);
    }

    /// The next PDU or decision, if it comes before `end`.
    #[inline]
    pub(super) fn before(&self, end: Time) -> Option<Upcoming> {
        match self.next {
            Upcoming::Pdu(time) | Upcoming::Decision(time) if time < end => Some(self.next),
            _ => None,
        }
    }
}
