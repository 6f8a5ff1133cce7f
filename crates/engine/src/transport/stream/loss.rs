//! When a transmission is taken for lost: two rules over one scoreboard.
//!
//! `duplicates` (RFC 6675): three later transmissions have arrived. `rack` (RFC 8985): a later transmission has arrived, and so
//! much time has passed since this one was sent as a round trip and a window for reordering take:
//!
//! ```text
//! sent + rtt + window <= now, with the round trip of the newest transmission that has arrived
//! window = 0 until reordering was seen, in a recovery or with three segments reported; else `reordering_window` of the least
//! round trip, at most SRTT
//! ```
//!
//! `rack` has a tail loss probe: two smoothed round trips after the last transmission, new data are sent, or the last segment
//! again, so that an acknowledgement shows what is missing.

use super::params::{Loss, Params};
use super::round_trip::RoundTrip;
use super::scoreboard::{Change, Scoreboard, Suspect};
use crate::core::time::{PICOSECONDS, Span, Time};

/// Later arrivals after which a transmission is lost, or reordering is not waited for (RFC 6675 DupThresh, RFC 8985).
const DUPLICATES: u64 = 3;
/// The time to a probe before there is a sample of the round trip (RFC 8985, 7.2).
const FIRST_PROBE: Span = Span(PICOSECONDS);

/// Recoveries without a duplicate after which the reordering window has its first length again (RFC 8985, 6.2).
const PERSISTENCE: u32 = 16;

/// What loss detection keeps of one stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detection {
    /// Whether a transmission arrived after a later one.
    has_reordering: bool,
    /// Factor on the reordering window: one more for each round in which data arrived twice.
    factor: u32,
    /// Recoveries until it is 1 again, and the octet that ends the round of the last duplicate.
    persistence: u32,
    duplicates_until: u64,
    /// The round trip of the newest transmission that has arrived.
    round_trip: Span,
    probe: Probe,
}

/// The tail loss probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Probe {
    #[default]
    None,
    /// It had new data.
    New,
    /// It repeated the last segment, with this number.
    Repeat(u64),
}

impl Default for Detection {
    fn default() -> Detection {
        Detection {
            has_reordering: false,
            factor: 1,
            persistence: PERSISTENCE,
            duplicates_until: 0,
            round_trip: Span::ZERO,
            probe: Probe::None,
        }
    }
}

/// What is found at an acknowledgement, or when the reordering window ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// Segments that are now known to be lost.
    pub(super) lost: u64,
    /// When the next may be.
    pub(super) again: Option<Time>,
}

impl Detection {
    /// A transmission arrived after `sample`, or `is_out_of_order` after a later one.
    pub(super) fn learn(&mut self, sample: Span, is_out_of_order: bool) {
        self.has_reordering |= is_out_of_order;
        if !is_out_of_order {
            self.round_trip = sample;
        }
    }

    /// A segment arrived twice: it was not lost. Octets up to `acknowledged` are, and those up to `next` are sent.
    pub(super) fn learn_duplicate(&mut self, acknowledged: u64, next: u64) {
        self.persistence = PERSISTENCE;
        if acknowledged >= self.duplicates_until {
            self.factor = self.factor.saturating_add(1);
            self.duplicates_until = next;
        }
    }

    /// A recovery begins.
    pub(super) fn count_recovery(&mut self) {
        self.persistence = self.persistence.saturating_sub(1);
        if self.persistence == 0 {
            self.factor = 1;
        }
    }

    /// Finds what is lost at `now`.
    pub(super) fn find(
        &self,
        params: &Params,
        board: &mut Scoreboard,
        round_trip: &RoundTrip,
        is_recovering: bool,
        now: Time,
    ) -> Found {
        match params.loss {
            Loss::Duplicates => {
                let (lost, _) = board.judge(|suspect| suspect.arrived_after >= DUPLICATES);
                Found { lost, again: None }
            }
            Loss::Rack => {
                let reported = board.reported() as u64;
                let deadline = |suspect: Suspect| {
                    suspect.sent + self.round_trip + self.window(params, round_trip, is_recovering, reported)
                };
                let (lost, first) = board.judge(|suspect| deadline(suspect) <= now);
                Found { lost, again: first.map(deadline) }
            }
        }
    }

    /// The reordering window, with so many segments reported beyond a missing one.
    fn window(&self, params: &Params, round_trip: &RoundTrip, is_recovering: bool, reported: u64) -> Span {
        if !self.has_reordering && (is_recovering || reported >= DUPLICATES) {
            return Span::ZERO;
        }
        let window = round_trip.least().0 as f64 * params.reordering_window * f64::from(self.factor);
        Span(window as u64).min(round_trip.smoothed())
    }

    /// Before which time a transmission is overdue when the retransmission timer expires at `now`.
    pub(super) fn overdue(&self, params: &Params, now: Time) -> Time {
        match params.loss {
            Loss::Duplicates => Time::NEVER,
            Loss::Rack => Time(now.since(Time::ZERO).0.saturating_sub(self.round_trip.0)),
        }
    }

    /// When a probe is due after new data or an acknowledgement of new data at `now`; not later than the timer at `expires`.
    pub(super) fn probe_at(
        &self,
        params: &Params,
        board: &Scoreboard,
        round_trip: &RoundTrip,
        (now, expires): (Time, Time),
    ) -> Time {
        if params.loss == Loss::Duplicates || board.is_empty() || board.reported() > 0 || self.probe != Probe::None {
            return Time::NEVER;
        }
        let wait = match round_trip.smoothed() {
            Span::ZERO => FIRST_PROBE,
            // One segment alone may wait for the delayed acknowledgement.
            smoothed if board.is_single() && params.ack_every > 1 => smoothed * 2 + params.delayed_ack,
            smoothed => smoothed * 2,
        };
        (now + wait).min(expires)
    }

    /// A probe was sent: the last segment again with this number, or new data.
    pub(super) fn begin_probe(&mut self, repeat: Option<u64>) {
        self.probe = repeat.map_or(Probe::New, Probe::Repeat);
    }

    /// The retransmission timer takes over.
    pub(super) fn forget_probe(&mut self) {
        self.probe = Probe::None;
    }

    /// The transmission `cause` has arrived. Returns whether it is a probe that repaired a loss.
    pub(super) fn end_probe(&mut self, cause: u64, change: &Change) -> bool {
        let is_repaired = self.probe == Probe::Repeat(cause) && change.octets > 0;
        if self.probe == Probe::Repeat(cause) || change.has_progress {
            self.probe = Probe::None;
        }
        is_repaired
    }
}
