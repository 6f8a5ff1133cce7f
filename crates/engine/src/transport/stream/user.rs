//! The user of a byte stream: what it has produced and what waits to be sent. A packet of the user is sent in segments of its
//! own, so that each segment belongs to one packet.

use std::collections::VecDeque;

use super::messages::{Message, UnderWay};
use super::scoreboard::Segment;
use crate::core::time::Time;
use crate::traffic::{self, Amount, Model, Nominal, Traffic, Upcoming};

/// What the user has produced.
#[derive(Clone, Debug)]
pub(super) struct User {
    /// None if it is given one message after another.
    traffic: Option<Model>,
    upcoming: Upcoming,
    /// Whether it always has data to send.
    saturates: bool,
    has_changed: bool,
    /// For each packet or message that is not wholly sent, the octets that wait.
    waiting: VecDeque<u64>,
    /// The number of the octet behind the last that was produced, and of the next to be sent.
    end: u64,
    next: u64,
}

impl User {
    pub(super) fn new(mut traffic: Option<Model>) -> User {
        User {
            upcoming: traffic.as_mut().map_or(Upcoming::Never, |traffic| traffic.start(Time::ZERO, &mut Nominal)),
            saturates: traffic.as_ref().is_some_and(Traffic::saturates),
            traffic,
            has_changed: false,
            waiting: VecDeque::new(),
            end: 0,
            next: 0,
        }
    }

    /// Whether it always has data to send.
    pub(super) fn saturates(&self) -> bool {
        self.saturates
    }

    /// Whether everything that it has produced was sent.
    pub(super) fn has_nothing(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Packets that wait, or of which a part waits.
    pub(super) fn waiting(&self) -> u64 {
        self.waiting.len() as u64
    }

    /// The number of the next octet to be sent.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// The segments that wait, with headers of so many octets.
    pub(super) fn amount(&self, segment: u16, header: u16) -> Amount {
        self.waiting.iter().fold(Amount::default(), |sum, &left| sum.and(amount(left, segment, header)))
    }

    /// Mean rate at which it produces data, in bits per second, if its parameters tell and have not changed.
    pub(super) fn mean_rate(&self) -> Option<f64> {
        self.traffic.as_ref().and_then(Traffic::mean_rate).filter(|_| !self.has_changed)
    }

    /// Gives its traffic other parameters.
    pub(super) fn retune(&mut self, params: &traffic::Params) {
        if let Some(traffic) = &mut self.traffic {
            traffic.retune(params);
        }
        self.has_changed = true;
    }

    /// Starts the measures afresh.
    pub(super) fn reset_measures(&mut self, now: Time) {
        if let Some(traffic) = &mut self.traffic {
            traffic.reset_measures(now);
        }
    }

    /// When it next acts; with `can_send` data of a saturating user, too.
    pub(super) fn due(&self, can_send: bool) -> Time {
        match self.upcoming {
            Upcoming::Pdu(_) if self.saturates && !can_send => Time::NEVER,
            upcoming => upcoming.time(),
        }
    }

    /// Whether a segment is ready at `now`.
    pub(super) fn is_ready(&self, now: Time) -> bool {
        !self.has_nothing() || self.saturates && matches!(self.upcoming, Upcoming::Pdu(at) if at <= now)
    }

    /// The octets of the next packet that it has produced by `now`; `None` if there is no further one. Not for a saturating user.
    pub(super) fn produce(&mut self, now: Time) -> Option<u16> {
        while !self.saturates && self.upcoming.time() <= now {
            if let Some(octets) = self.advance(now) {
                return Some(octets);
            }
        }
        None
    }

    /// Decisions of a saturating user: its start, the end of a pause.
    pub(super) fn decide(&mut self, now: Time) {
        while matches!(self.upcoming, Upcoming::Decision(at) if at <= now) {
            self.advance(now);
        }
    }

    fn advance(&mut self, now: Time) -> Option<u16> {
        let (unit, next) = self.traffic.as_mut()?.advance(now, &mut Nominal);
        self.upcoming = next;
        unit.map(|unit| unit.octets)
    }

    /// A packet or message of so many octets, produced at that time, waits, as message of the stream `slot`.
    pub(super) fn push(&mut self, octets: u64, produced: Time, slot: u16, messages: &mut UnderWay) {
        self.waiting.push_back(octets);
        self.end += octets;
        messages.begin(slot, Message { end: self.end, octets, produced, sent: produced });
    }

    /// Takes the octets of the next new segment at `now`, at most `most`.
    pub(super) fn take(&mut self, now: Time, most: u16) -> Option<Segment> {
        let offset = self.next;
        let (octets, is_last) = if self.saturates {
            let is_ready = matches!(self.upcoming, Upcoming::Pdu(at) if at <= now);
            (self.advance(now).filter(|_| is_ready)?, false)
        } else {
            let left = self.waiting.front_mut()?;
            let octets = (*left).min(u64::from(most)) as u16;
            *left -= u64::from(octets);
            let is_last = *left == 0;
            if is_last {
                self.waiting.pop_front();
            }
            (octets, is_last)
        };
        self.next += u64::from(octets);
        self.end = self.end.max(self.next);
        Some(Segment { offset, octets, is_last })
    }
}

/// The segments that a packet of so many octets makes.
pub(super) fn amount(octets: u64, segment: u16, header: u16) -> Amount {
    let pdus = octets.div_ceil(u64::from(segment.max(1)));
    Amount { pdus, bits: (octets + pdus * u64::from(header)) * 8 }
}
