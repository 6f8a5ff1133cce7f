//! Peak-rate controller: a queue that spaces PDUs at the peak rate or more widely.
//!
//! Satellite thesis, sections 3.2 and 6.1.2. Each PDU that leaves in its turn starts a timer of `bits / rate`, its
//! length at the peak rate. The next PDU leaves when the timer expires. The first PDU passes at once. The action of a
//! full queue depends on the class. For voice and video it discards the arriving PDU. For data it sends the head early,
//! tagged, and does not restart the timer. By the letter of 6.1.2 ("whenever a cell is sent") it does: `timer =
//! "every_pdu"`. A controller without a queue (`size = 0`) discards or tags PDUs that arrive too early.

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
    /// Which PDUs start the timer.
    #[serde(default)]
    pub timer: Timer,
}

/// Which PDUs start the timer of a controller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Timer {
    /// Those that leave in their turn. A flow above the peak rate then passes at the peak rate, and only its excess is
    /// tagged.
    #[default]
    InTurn,
    /// Every PDU that leaves, tagged ones included. A flow above the peak rate then has nearly all its PDUs tagged.
    EveryPdu,
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
    timer: Timer,
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
        PeakRateController {
            queue,
            rate: params.rate,
            timer: params.timer,
            spacing: (0, Span::ZERO),
            eligible: Time::ZERO,
        }
    }
}

impl PeakRateController {
    /// A PDU of `bits` leaves and starts the timer.
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
        let now = self.due().time;
        let (outcome, in_turn) = self.queue.act(self.eligible);
        let starts = if self.timer == Timer::EveryPdu { Some(now) } else { in_turn };
        if let (Outcome::Pass(pdu), Some(time)) = (&outcome, starts) {
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
        "{ size = '4 cells', overflow = 'mark', timer = 'every_pdu', rate = '60571428571428 b/s' }",
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policer::tests::{Seen, run};

    const RATE: Rate = Rate(64_000);
    /// 424 bit / 64 kb/s = 6.625 ms.
    const SPACING: u64 = 6_625_000_000;

    fn controller(size: u64, overflow: Overflow, timer: Timer) -> PeakRateController {
        PeakRateController::new(&Params { rate: RATE, size: Count(size), overflow, timer }, ())
    }

    fn outcomes(size: u64, overflow: Overflow, times: &[u64]) -> Vec<Seen> {
        run(&mut controller(size, overflow, Timer::InTurn), times, 1)
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

    /// The cell sent early at 3 restarts the timer, so the next leaves a spacing later.
    #[test]
    fn every_cell_restarts_the_timer_by_the_letter() {
        let seen = run(&mut controller(2, Overflow::Mark, Timer::EveryPdu), &[0, 1, 2, 3], 1);
        let (second, third) = (3 + SPACING, 3 + 2 * SPACING);
        assert_eq!(seen, [(0, 0, false, true), (3, 1, true, true), (second, 2, false, true), (third, 3, false, true)]);
    }

    /// Data at 6/5 of the peak rate: in turn a sixth is tagged, the excess; by the letter all, once the queue is full.
    #[test]
    fn by_the_letter_a_flow_above_its_peak_is_tagged_nearly_whole() {
        let times: Vec<u64> = (0..6000).map(|cell| cell * SPACING * 5 / 6).collect();
        let tagged = |timer| {
            let seen = run(&mut controller(512, Overflow::Mark, timer), &times, 1);
            seen.iter().filter(|&&(time, _, tagged, _)| tagged && time > times[3500]).count() as f64 / 2500.0
        };
        assert!((tagged(Timer::InTurn) - 1.0 / 6.0).abs() < 0.01);
        assert!(tagged(Timer::EveryPdu) > 0.99);
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
        let params = Params { rate: Rate(0), size: Count(0), overflow: Overflow::Mark, timer: Timer::InTurn };
        assert_eq!(params.check().map_err(|fault| fault.path), Err("rate".to_owned()));
    }
}
