//! The user's open connection in its sending half: windows, waiting packets, and unacknowledged TPDUs.

use std::collections::VecDeque;

use super::params::Params;
use super::round_trip::RoundTrip;
use super::window::{Window, WindowStrategy};
use crate::core::pdu::Body;
use crate::core::time::{Span, Time};

/// A packet that waits to be sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    pub(super) produced: Time,
    pub(super) octets: u16,
}

/// A DT TPDU that may need retransmission.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retained {
    pub(super) octets: u16,
    pub(super) transmissions: u32,
    /// Time of the last transmission, and T1 from that time.
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

/// The user's open connection.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    pub(super) reference: u32,
    /// The CR TPDU until it is confirmed.
    pub(super) request: Option<Request>,
    pub(super) waiting: VecDeque<Packet>,
    /// TPDUs sent and not acknowledged. The first has the number `lower`.
    pub(super) retained: VecDeque<Retained>,
    /// Lower and upper edge of the window that the receiver advertises. No modulus.
    pub(super) lower: u64,
    pub(super) upper: u64,
    pub(super) subsequence: u16,
    /// When T1 of the oldest retained TPDU is next checked.
    pub(super) oldest_due: Time,
    pub(super) round_trip: RoundTrip,
    pub(super) window: Window,
    /// When the inactivity timer expires, and when the next AK shows the receiver that the connection is open.
    pub(super) inactive_at: Time,
    pub(super) alive_at: Time,
    /// Subsequence number of the next of these AKs.
    pub(super) alive: u16,
}

impl Connection {
    pub(super) fn credit(&self) -> u64 {
        self.upper.saturating_sub(self.lower)
    }

    /// Number of further DT TPDUs that may be sent.
    pub(super) fn room(&self) -> u64 {
        let window = if self.request.is_none() { self.credit().min(self.window.window()) } else { 0 };
        window.saturating_sub(self.retained.len() as u64)
    }

    pub(super) fn may_send(&self) -> bool {
        self.room() > 0
    }

    /// The AK that ends the set-up, and shows later that the connection is open, sent at `now`. It gives credit for
    /// data in the other direction, which has no data.
    pub(super) fn show_alive(&mut self, params: &Params, now: Time) -> Body {
        if params.inactivity_time.is_some() {
            self.alive_at = now + params.window_time;
        }
        let subsequence = self.alive;
        self.alive = subsequence.wrapping_add(1);
        Body::AcknowledgementTpdu { number: 0, credit: 1, subsequence, connection: self.reference }
    }

    /// Schedules the check of the oldest TPDU, which is the oldest from `now`. Its T1 may have expired before. Then it
    /// was checked again after every recheck time.
    pub(super) fn plan_oldest(&mut self, now: Time) {
        self.oldest_due = self.retained.front().map_or(Time::NEVER, |oldest| {
            let first = oldest.sent + oldest.timeout;
            let recheck = self.round_trip.recheck(oldest.timeout);
            first + recheck * now.since(first).0.div_ceil(recheck.0)
        });
    }
}
