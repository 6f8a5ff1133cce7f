//! The user's open connection in its sending half: windows, waiting packets, and unacknowledged TPDUs.

use std::collections::VecDeque;

use super::params::Params;
use super::round_trip::RoundTrip;
use super::window::{Window, WindowStrategy};
use crate::core::pdu::Body;
use crate::core::time::{Span, Time};

/// A packet of the user (TSDU), or its rest, that waits to be sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    pub(super) produced: Time,
    pub(super) octets: u16,
}

/// The user data of one DT TPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) produced: Time,
    pub(super) octets: u16,
    /// Whether it ends its packet (EOT).
    pub(super) is_last: bool,
}

/// A DT TPDU that may need retransmission.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retained {
    pub(super) octets: u16,
    pub(super) is_last: bool,
    /// Whether an AK has reported it as received, beyond a missing one.
    pub(super) is_reported: bool,
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
    /// How many of them come before the end of the last that is reported, itself included.
    pub(super) known: usize,
    /// Lower and upper edge of the window that the receiver advertises. No modulus.
    pub(super) lower: u64,
    pub(super) upper: u64,
    pub(super) subsequence: u16,
    /// When T1 of a TPDU that may be sent again is next checked.
    pub(super) check_at: Time,
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
        Body::AcknowledgementTpdu { number: 0, credit: 1, subsequence, received: 0, connection: self.reference }
    }

    /// Number of packets that would wait if this one joined them. Packets that may be sent whole at once do not wait.
    pub(super) fn would_wait(&self, packet: &Packet, most_octets: u16) -> u64 {
        let mut room = self.room();
        let fits = |packet: &&Packet| {
            let segments = u64::from(packet.octets.div_ceil(most_octets).max(1));
            room.checked_sub(segments).map(|left| room = left).is_some()
        };
        let sent = self.waiting.iter().chain([packet]).take_while(fits).count();
        (self.waiting.len() + 1 - sent) as u64
    }

    /// Takes the user data of the next DT TPDU from the packet that waits first (X.224, 6.3: no TPDU has data of two
    /// packets).
    pub(super) fn next_segment(&mut self, most_octets: u16) -> Option<Segment> {
        let first = self.waiting.front_mut()?;
        let (produced, octets) = (first.produced, first.octets.min(most_octets));
        first.octets -= octets;
        let is_last = first.octets == 0;
        if is_last {
            self.waiting.pop_front();
        }
        Some(Segment { produced, octets, is_last })
    }

    /// An AK acknowledges the first `count` TPDUs, and reports those `received` beyond the next. Returns when the newest
    /// TPDU of which this is the first news was sent, because the AK answers it. No sample if one of these gives none, or,
    /// with `sampled = "newest"`, if the newest gives none.
    pub(super) fn acknowledge(&mut self, count: u64, received: u32) -> Option<Time> {
        let (mut newest, mut is_sampled) = (None, true);
        let mut learn = |retained: &Retained| {
            is_sampled |= self.round_trip.regards_newest();
            is_sampled &= self.round_trip.is_sampled(retained.transmissions);
            newest = Some(retained.sent);
        };
        self.retained.drain(..count as usize).filter(|retained| !retained.is_reported).for_each(|each| learn(&each));
        self.known = self.known.saturating_sub(count as usize);
        let most = (u32::BITS - received.leading_zeros()) as usize;
        let reported = (1..).zip(self.retained.iter_mut().skip(1).take(most));
        for (place, retained) in reported.filter(|(place, _)| received >> (place - 1) & 1 == 1) {
            if !std::mem::replace(&mut retained.is_reported, true) {
                learn(retained);
            }
            self.known = self.known.max(place + 1);
        }
        newest.filter(|_| is_sampled)
    }

    /// TPDUs that may be sent again when their T1 expires, with their places: the oldest, and those before a reported one
    /// that are not reported. Of what was sent after these, the sender does not know what is missing.
    fn missing(&self) -> impl Iterator<Item = (usize, &Retained)> {
        let known = self.retained.iter().take(self.known.max(1)).enumerate();
        known.filter(|(_, retained)| !retained.is_reported)
    }

    /// When T1 of a TPDU is next checked, from `now` on. It may have expired before the TPDU was known to be missing.
    /// Then it is checked after every recheck time.
    fn next_check(&self, retained: &Retained, now: Time) -> Time {
        let first = retained.sent + retained.timeout;
        let recheck = self.round_trip.recheck(retained.timeout);
        first + recheck * now.since(first).0.div_ceil(recheck.0)
    }

    /// Schedules the next check of T1, from `now` on.
    pub(super) fn plan_check(&mut self, now: Time) {
        let checks = self.missing().map(|(_, retained)| self.next_check(retained, now));
        self.check_at = checks.min().unwrap_or(Time::NEVER);
    }

    /// The places of the TPDUs that the next check sends again.
    pub(super) fn expired(&self) -> Vec<usize> {
        let expired = self.missing().filter(|(_, retained)| self.next_check(retained, self.check_at) == self.check_at);
        expired.map(|(place, _)| place).collect()
    }
}
