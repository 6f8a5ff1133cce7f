//! Peak-rate controller: a queue that spaces PDUs at the peak rate or more widely.
//!
//! Satellite thesis, sections 3.2 and 6.1.2. Each PDU that leaves in its turn starts a timer of `bits / rate`, its
//! length at the peak rate. The next PDU leaves when the timer expires. The first PDU passes at once. The action of a
//! full queue depends on the class. For voice and video it discards the arriving PDU. For data it sends the head early,
//! tagged, and does not restart the timer. A controller without a queue (`size = 0`) discards or tags PDUs that arrive
//! too early.

use std::collections::VecDeque;

use super::{Due, Outcome, Overflow, Policer, PolicerParams, ShaperQueue, check_rate};
use crate::core::error::Fault;
use crate::core::pdu::Pdu;
use crate::core::quantity::Count;
use crate::core::time::{Rate, Span, Time};

/// The contracted peak rate, and the queue that enforces it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Peak rate, headers included.
    pub rate: Rate,
    /// PDUs that may wait. 0 means a controller without a queue. The study uses 512 cells.
    #[serde(default = "default_size")]
    pub size: Count,
    /// What a full queue does.
    #[serde(default = "default_overflow")]
    pub overflow: Overflow,
}

fn default_size() -> Count {
    Count(512)
}

fn default_overflow() -> Overflow {
    Overflow::Discard
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        check_rate("rate", self.rate)
    }
}

impl PolicerParams for Params {
    fn may_discard(&self) -> bool {
        self.overflow == Overflow::Discard
    }
}

/// The peak-rate controller of one flow.
#[derive(Clone, Debug)]
pub struct PeakRateController {
    queue: ShaperQueue,
    rate: Rate,
    /// Bits of the last PDU and the spacing after it. The next PDU usually has the same length.
    spacing: (u64, Span),
    /// The time at which the timer expires.
    eligible: Time,
}

impl PeakRateController {
    /// A controller with an empty queue and a stopped timer.
    #[must_use]
    pub fn new(params: &Params, _env: ()) -> PeakRateController {
        let queue = ShaperQueue::new(params.size.0, params.overflow);
        PeakRateController { queue, rate: params.rate, spacing: (0, Span::ZERO), eligible: Time::ZERO }
    }
}

impl PeakRateController {
    /// A PDU of `bits` leaves in its turn and starts the timer.
    #[inline(always)]
    fn take(&mut self, bits: u64, time: Time) {
        // Rounded like a source's gap, so that a source at exactly the peak rate never waits.
        if self.spacing.0 != bits {
            self.spacing = (bits, self.rate.span(bits));
        }
        self.eligible = time + self.spacing.1;
    }
}

impl Policer for PeakRateController {
    fn holds(&self) -> bool {
        true
    }

    #[inline(always)]
    fn conforms(&mut self, bits: u64, at: Time) -> bool {
        let conforms = !self.queue.keeps(at, self.eligible);
        if conforms {
            self.take(bits, at);
        }
        conforms
    }

    fn arrive(&mut self, pdu: Pdu, at: Time) {
        self.queue.arrive(pdu, at);
    }

    #[inline]
    fn due(&self) -> Due {
        self.queue.due(self.eligible)
    }

    fn act(&mut self) -> Outcome {
        let (outcome, left) = self.queue.act(self.eligible);
        if let (Outcome::Pass(pdu), Some(time)) = (&outcome, left) {
            self.take(pdu.bits(), time);
        }
        outcome
    }

    fn held(&self) -> &VecDeque<(Time, Pdu)> {
        &self.queue.arrivals
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{ size = '0 cells', overflow = 'discard', rate = '60571428571428 b/s' }",
        "{ size = '0 cells', overflow = 'mark', rate = '60571428571428 b/s' }",
        "{ size = '1 cells', overflow = 'discard', rate = '60571428571428 b/s' }",
        "{ size = '1 cells', overflow = 'mark', rate = '60571428571428 b/s' }",
        "{ size = '4 cells', overflow = 'discard', rate = '60571428571428 b/s' }",
        "{ size = '4 cells', overflow = 'mark', rate = '60571428571428 b/s' }",
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policer::tests::{Seen, run};

    const RATE: Rate = Rate(64_000);
    /// 424 bit / 64 kb/s = 6.625 ms.
    const SPACING: u64 = 6_625_000_000;

    fn outcomes(size: u64, overflow: Overflow, times: &[u64]) -> Vec<Seen> {
        run(&mut PeakRateController::new(&Params { rate: RATE, size: Count(size), overflow }, ()), times, 1)
    }

    #[test]
    fn ten_cells_at_once_leave_at_the_peak_rate() {
        let seen = outcomes(512, Overflow::Discard, &[0; 10]);
        for (index, &(time, sequence, tagged, passes)) in seen.iter().enumerate() {
            assert_eq!((time, sequence as usize, tagged, passes), (index as u64 * SPACING, index, false, true));
        }
        // The last cell waits 59.625 ms.
        assert_eq!(seen[9].0, Span::from_seconds(0.059_625).0);
    }

    #[test]
    fn voice_loses_the_cell_that_finds_the_queue_full() {
        let seen = outcomes(2, Overflow::Discard, &[0, 1, 2, 3]);
        let expected =
            [(0, 0, false, true), (3, 3, false, false), (SPACING, 1, false, true), (2 * SPACING, 2, false, true)];
        assert_eq!(seen, expected);
    }

    #[test]
    fn data_send_the_head_early_and_the_timer_runs_on() {
        let seen = outcomes(2, Overflow::Mark, &[0, 1, 2, 3]);
        let expected =
            [(0, 0, false, true), (3, 1, true, true), (SPACING, 2, false, true), (2 * SPACING, 3, false, true)];
        assert_eq!(seen, expected);
    }

    #[test]
    fn without_a_queue_what_comes_early_is_judged_at_once() {
        let times = [0, SPACING - 1, SPACING, 2 * SPACING];
        let judged = |tagged, passes| {
            vec![
                (0, 0, false, true),
                (SPACING - 1, 1, tagged, passes),
                (SPACING, 2, false, true),
                (2 * SPACING, 3, false, true),
            ]
        };
        assert_eq!(outcomes(0, Overflow::Discard, &times), judged(false, false));
        assert_eq!(outcomes(0, Overflow::Mark, &times), judged(true, true));
    }

    #[test]
    fn an_arrival_at_the_very_slot_finds_the_queue_still_full() {
        let seen = outcomes(1, Overflow::Discard, &[0, 1, SPACING]);
        assert_eq!(seen, [(0, 0, false, true), (SPACING, 2, false, false), (SPACING, 1, false, true)]);
        // If the queue is empty, the cell passes.
        assert_eq!(outcomes(1, Overflow::Discard, &[0, SPACING])[1], (SPACING, 1, false, true));
    }

    #[test]
    fn no_rate_is_a_fault() {
        let params = Params { rate: Rate(0), size: Count(0), overflow: Overflow::Mark };
        assert_eq!(params.check().map_err(|fault| fault.path), Err("rate".to_owned()));
    }
}
