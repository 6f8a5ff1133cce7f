//! The control law of CoDel and FQ-CoDel: while PDUs have waited longer than a target for an interval, those at the head are
//! signalled. The time between two signals shrinks with the square root of their number.
//!
//! RFC 8289. Where a new episode begins within 16 intervals of the last signal, it goes on at the number of signals that
//! the last episode had added (RFC 8289, 5.5). The queue is not late while no more bits wait behind the head than the
//! longest PDU has.

use super::{Fate, HeadView};
use crate::core::error::Fault;
use crate::core::time::{Span, Time};

/// In intervals: a later episode begins at one signal (RFC 8289, 5.5).
const MEMORY: u64 = 16;

/// The parameters of the law.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law {
    pub(super) target: Span,
    pub(super) interval: Span,
}

/// Those of RFC 8289.
impl Default for Law {
    fn default() -> Law {
        Law { target: Span::milliseconds(5), interval: Span::milliseconds(100) }
    }
}

impl Law {
    /// The first fault of the parameters.
    pub(super) fn check(self) -> Result<(), Fault> {
        for (path, span) in [("target", self.target), ("interval", self.interval)] {
            if span == Span::ZERO {
                let reason = "with no time at all the queue would discard all that waits";
                return Err(Fault::new(path, span, reason, "give a positive time, as in \"5 ms\""));
            }
        }
        Ok(())
    }

    /// When the signal after the `count`-th, at `time`, is due.
    fn after(self, count: u64, time: Time) -> Time {
        time + Span((self.interval.0 as f64 / (count as f64).sqrt() + 0.5) as u64)
    }
}

/// The state of the law for PDUs in one order.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// When the waiting times will have exceeded the target for an interval, if they go on.
    late_from: Option<Time>,
    /// Time of the next signal in this episode, or that would have come next in the last one.
    next: Time,
    /// Signals that decide the time to the next, and those at the start of the episode.
    count: u64,
    count_at_start: u64,
    is_signalling: bool,
    /// The last PDU was discarded within an episode. The time of the next signal advances if the PDU behind it is late too.
    has_discarded: bool,
}

impl State {
    /// Nothing has waited yet.
    pub(super) const IDLE: State = State {
        late_from: None,
        next: Time::ZERO,
        count: 0,
        count_at_start: 0,
        is_signalling: false,
        has_discarded: false,
    };

    /// Judges the PDU at the head. `longest_bits` is the length of the longest PDU. A signal is what `signal` does: a
    /// mark, after which the PDU is sent, or a discard.
    pub(super) fn judge(
        &mut self,
        law: Law,
        view: &HeadView,
        longest_bits: u64,
        signal: impl FnOnce() -> Fate,
    ) -> Fate {
        let is_late = self.is_late(law, view, longest_bits);
        if std::mem::take(&mut self.has_discarded) && is_late {
            self.next = law.after(self.count, self.next);
        }
        if !is_late {
            self.is_signalling = false;
            return Fate::Send;
        }
        if !self.is_signalling {
            self.begin(law, view.now);
            return signal();
        }
        if view.now < self.next {
            return Fate::Send;
        }
        self.count += 1;
        let fate = signal();
        match fate {
            Fate::Send => self.next = law.after(self.count, self.next),
            Fate::Discard => self.has_discarded = true,
        }
        fate
    }

    /// The signals in a row; 0 outside an episode.
    pub(super) fn signals(&self) -> u64 {
        if self.is_signalling { self.count } else { 0 }
    }

    /// Whether the waiting times have exceeded the target for an interval.
    fn is_late(&mut self, law: Law, view: &HeadView, longest_bits: u64) -> bool {
        if view.sojourn < law.target || view.behind <= longest_bits {
            self.late_from = None;
            return false;
        }
        view.now >= *self.late_from.get_or_insert(view.now + law.interval)
    }

    /// An episode begins.
    fn begin(&mut self, law: Law, now: Time) {
        let added = self.count - self.count_at_start;
        let is_recent = now.since(self.next) < law.interval * MEMORY;
        self.count = if added > 1 && is_recent { added } else { 1 };
        self.count_at_start = self.count;
        self.next = law.after(self.count, now);
        self.is_signalling = true;
    }
}
