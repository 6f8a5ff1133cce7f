//! The connection that a user has open, as its sending half keeps it: windows, what waits, and what is not acknowledged.

use std::collections::VecDeque;

use super::round_trip::RoundTrip;
use super::window::{Window, WindowStrategy};
use crate::core::time::{Span, Time};

/// A packet that waits to be sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    pub(super) produced: Time,
    pub(super) octets: u16,
}

/// A DT TPDU that may have to be sent again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retained {
    pub(super) octets: u16,
    pub(super) transmissions: u32,
    /// When it was last sent, and how long its T1 runs from there.
    pub(super) sent: Time,
    pub(super) timeout: Span,
}

/// The CR TPDU, sent until it is answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) transmissions: u32,
    pub(super) sent: Time,
    pub(super) deadline: Time,
}

/// The connection that the user has open.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    pub(super) reference: u32,
    /// The CR TPDU until it is confirmed.
    pub(super) request: Option<Request>,
    pub(super) waiting: VecDeque<Packet>,
    /// Sent and not acknowledged; the first has the number `lower`.
    pub(super) retained: VecDeque<Retained>,
    /// Lower and upper edge of the window that the receiver advertises; no modulus.
    pub(super) lower: u64,
    pub(super) upper: u64,
    pub(super) subsequence: u16,
    /// When T1 of the oldest retained TPDU is next looked at.
    pub(super) oldest_due: Time,
    pub(super) round_trip: RoundTrip,
    pub(super) window: Window,
}

impl Connection {
    pub(super) fn credit(&self) -> u64 {
        self.upper.saturating_sub(self.lower)
    }

    /// How many more DT TPDUs may go out.
    pub(super) fn room(&self) -> u64 {
        let window = if self.request.is_none() { self.credit().min(self.window.window()) } else { 0 };
        window.saturating_sub(self.retained.len() as u64)
    }

    pub(super) fn may_send(&self) -> bool {
        self.room() > 0
    }

    /// The oldest TPDU has become so at `now`. While it was another's turn its T1 may have run out: it was then looked at
    /// again every recheck of it.
    pub(super) fn plan_oldest(&mut self, now: Time) {
        self.oldest_due = self.retained.front().map_or(Time::NEVER, |oldest| {
            let first = oldest.sent + oldest.timeout;
            let recheck = self.round_trip.recheck(oldest.timeout);
            first + recheck * now.since(first).0.div_ceil(recheck.0)
        });
    }
}
