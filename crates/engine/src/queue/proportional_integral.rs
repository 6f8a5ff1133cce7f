//! The proportional-integral controller of PIE and PI2: at equal intervals, a probability grows with the waiting time beyond a
//! target and with the growth of the waiting time.
//!
//! There is no timer. The queue does not change between two events, so the updates up to an event are made at the event,
//! with the queue as it was before it. The waiting time is that of the PDU at the head at the time of the update, and 0 if
//! none waits.

use crate::core::error::Fault;
use crate::core::time::{Span, Time};

/// What a change of the law's parameters does.
pub(super) const RETUNED_LAW: &str = "It holds from the next update on. The probability stays.";
/// One microsecond.
const SHORTEST_UPDATE: Span = Span(1_000_000);

/// The parameters of the controller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law {
    pub(super) target: Span,
    pub(super) update: Span,
    /// Both per second.
    pub(super) alpha: f64,
    pub(super) beta: f64,
}

impl Law {
    /// The first fault of the parameters.
    pub(super) fn check(self) -> Result<(), Fault> {
        if self.target == Span::ZERO {
            let reason = "no PDU could ever wait";
            return Err(Fault::new("target", self.target, reason, "give a positive time, as in \"15 ms\""));
        }
        if self.update < SHORTEST_UPDATE {
            let reason = "the updates of a run would take too long";
            return Err(Fault::new("update", self.update, reason, "choose at least 1 us"));
        }
        for (path, value, example) in [("alpha", self.alpha, "0.125"), ("beta", self.beta, "1.25")] {
            if !(value > 0.0 && value.is_finite()) {
                let reason = "the probability would not follow the waiting time";
                return Err(Fault::new(path, value, reason, format!("choose more than 0, as {example}")));
            }
        }
        Ok(())
    }

    /// What one update adds to the probability, from the waiting times now and at the update before.
    pub(super) fn change(self, delay: Span, before: Span) -> f64 {
        let [delay, before, target] = [delay, before, self.target].map(Span::seconds);
        self.alpha * (delay - target) + self.beta * (delay - before)
    }
}

/// The state of the controller.
#[derive(Clone, Debug)]
pub(super) struct Controller {
    pub(super) probability: f64,
    /// Waiting time at the last update.
    pub(super) delay: Span,
    /// Time of the next update.
    next: Time,
}

impl Controller {
    pub(super) fn new(law: Law) -> Controller {
        Controller { probability: 0.0, delay: Span::ZERO, next: Time::ZERO + law.update }
    }

    /// Makes all updates up to `now`, for a queue whose head has waited since `head_since`. `after` gives the probability
    /// after an update, from that before it and the waiting times now and before. Returns the number of updates.
    pub(super) fn replay(
        &mut self,
        law: Law,
        now: Time,
        head_since: Option<Time>,
        after: impl Fn(f64, Span, Span) -> f64,
    ) -> u64 {
        let mut count = 0;
        while self.next <= now {
            if self.is_settled(law, self.delay_at(self.next, head_since)) {
                let further = now.since(self.next).0 / law.update.0;
                self.next += law.update * further;
                count += further;
            }
            let delay = self.delay_at(self.next, head_since);
            self.probability = after(self.probability, delay, self.delay).clamp(0.0, 1.0);
            self.delay = delay;
            self.next += law.update;
            count += 1;
        }
        count
    }

    /// The same, with the change of the law as it is: the control of PI2.
    pub(super) fn replay_linear(&mut self, law: Law, now: Time, head_since: Option<Time>) -> u64 {
        self.replay(law, now, head_since, |probability, delay, before| probability + law.change(delay, before))
    }

    fn delay_at(&self, time: Time, head_since: Option<Time>) -> Span {
        head_since.map_or(Span::ZERO, |since| time.since(since))
    }

    /// Whether updates change nothing while nothing happens: the probability stays 0 or 1.
    fn is_settled(&self, law: Law, delay: Span) -> bool {
        let is_idle = self.probability == 0.0 && delay == Span::ZERO && self.delay == Span::ZERO;
        is_idle || (self.probability >= 1.0 && delay >= law.target.max(self.delay))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAW: Law = Law { target: Span::milliseconds(15), update: Span::milliseconds(16), alpha: 0.16, beta: 3.2 };

    fn replay(controller: &mut Controller, now: Time, head_since: Option<Time>) -> u64 {
        controller.replay_linear(LAW, now, head_since)
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::milliseconds(milliseconds)
    }

    /// Whether one call makes all updates or many calls some each, and whether it skips or not, the state is the same.
    #[test]
    fn updates_are_those_of_a_timer() {
        // Nothing waits until 1 s; then a PDU waits for 10 s, which takes the probability to 1; then nothing again.
        let phases = [(1_000, None), (11_000, Some(at(1_000))), (60_000, None)];
        let (mut whole, mut steps) = (Controller::new(LAW), Controller::new(LAW));
        let (mut counts, mut now) = ([0; 2], 0);
        for (end, head_since) in phases {
            counts[0] += replay(&mut whole, at(end), head_since);
            while now < end {
                now += 4;
                counts[1] += replay(&mut steps, at(now), head_since);
            }
            assert_eq!((whole.probability, whole.delay, whole.next), (steps.probability, steps.delay, steps.next));
            if end == 11_000 {
                assert!(whole.probability >= 1.0);
                assert_eq!(whole.delay, Span::milliseconds(11_000 / 16 * 16 - 1_000));
            }
        }
        assert_eq!(counts, [60_000 / 16; 2]);
        assert_eq!(whole.probability, 0.0);
    }

    /// From rest, the first two updates with a PDU at the head that waits since 2 ms.
    #[test]
    fn an_update_takes_the_waiting_time_of_its_own_instant() {
        let mut controller = Controller::new(LAW);
        assert_eq!(replay(&mut controller, at(15), Some(at(2))), 0);
        assert_eq!(replay(&mut controller, at(40), Some(at(2))), 2);
        let first = 0.16 * (0.014 - 0.015) + 3.2 * 0.014;
        assert!((controller.probability - (first + 0.16 * (0.030 - 0.015) + 3.2 * 0.016)).abs() < 1e-12);
        assert_eq!(controller.delay, Span::milliseconds(30));
    }
}
