//! The timers of a sending half: its user, the request, the pace, the reordering window, the probe, and the retransmission timer.

use super::{Opening, Phase, Sending, Turn};
use crate::core::pdu::{Body, Pdu};
use crate::core::time::{Span, Time};
use crate::transport::stream::controller::Signal;
use crate::transport::stream::user::amount;

impl Sending {
    /// Time of its next timer.
    #[must_use]
    pub fn due(&self) -> Time {
        let timers = self.expires.min(self.probe_at).min(self.judge_at);
        let may_send = self.may_send();
        let user = self.user.due(may_send);
        match self.opening {
            Opening::Open => {}
            // What the user produces waits for the answer.
            Opening::Requested { deadline, .. } => return deadline.min(user),
            Opening::Closed => return self.user.due(true),
        }
        let user = if self.user.saturates() { user.max(self.paced) } else { user };
        let repeats = self.board.has_lost() && (self.has_room() || self.must_repeat);
        let waits = may_send && !self.user.has_nothing();
        let paced = if repeats || waits { self.paced } else { Time::NEVER };
        timers.min(user).min(paced)
    }

    /// Handles all timers up to `now`, and sends what may be sent.
    pub fn act(&mut self, turn: &mut Turn<'_>) {
        let now = turn.now;
        while let Some(octets) = self.user.produce(now) {
            self.accept(octets, turn);
        }
        if self.judge_at <= now {
            self.find_losses(self.board.in_flight(), now);
            self.allow(0, false);
        }
        if self.expires <= now {
            self.expire(now);
        } else if self.probe_at <= now {
            self.probe(turn);
        }
        self.send_all(turn);
    }

    /// The user produces a packet. It is refused if it would have to wait, and too many wait.
    fn accept(&mut self, octets: u16, turn: &mut Turn<'_>) {
        if octets == 0 {
            return;
        }
        let waits = !self.user.has_nothing() || !self.may_send();
        if waits && self.user.waiting() >= self.params.waiting.0 {
            let segments = amount(u64::from(octets), self.site.segment, self.params.header);
            self.measures.produced += 1;
            self.measures.refused += 1;
            self.measures.offered = self.measures.offered.and(segments);
            self.measures.lost = self.measures.lost.and(segments);
            return;
        }
        self.offer(u64::from(octets), turn.now, turn);
        self.send_all(turn);
    }

    /// Sends the request, if data are ready, or sends it again.
    pub(super) fn request(&mut self, turn: &mut Turn<'_>) {
        let now = turn.now;
        match self.opening {
            Opening::Closed if self.user.is_ready(now) => {}
            Opening::Requested { deadline, .. } if deadline <= now => {
                self.round_trip.back_off();
                self.round_trip.doubt();
            }
            _ => return,
        }
        // The doubt is about the timeout of data, and not about that of the request.
        let timeout = self.round_trip.request_timeout();
        self.opening = Opening::Requested { sent: now, deadline: now + timeout };
        let body = Body::StreamHandshake { born: now };
        let pdu = Pdu::new(self.flow, 0, self.params.header, self.priority, body);
        self.measures.control_bits += pdu.bits();
        (turn.send)(pdu);
    }

    /// The answer to the request arrives.
    pub(super) fn on_answer(&mut self, born: Time, turn: &mut Turn<'_>) {
        if let Opening::Requested { sent, .. } = self.opening {
            // By Karn's rule, the answer to one of several requests gives no sample.
            if born == sent || !self.params.karn {
                self.round_trip.record(turn.now.since(born));
            }
            self.opening = Opening::Open;
            self.send_all(turn);
        }
    }

    /// The retransmission timeout.
    pub(super) fn timeout(&self) -> Span {
        self.round_trip.timeout(self.params.min_rto)
    }

    /// The retransmission timer begins anew.
    pub(super) fn restart_timer(&mut self, now: Time) {
        self.expires = now + self.timeout();
    }

    /// The retransmission timer expires (RFC 6298, 5.4 to 5.7).
    fn expire(&mut self, now: Time) {
        self.measures.timeouts += 1;
        let is_first = !matches!(self.phase, Phase::Timeout) || self.acknowledged >= self.recovery_end;
        let outstanding = self.user.next() - self.acknowledged;
        if is_first {
            self.remember();
        }
        self.board.lose_before(self.detection.overdue(&self.params, now));
        self.tell_lost(now);
        self.congest(Signal::Timeout { is_first }, outstanding, now);
        self.round_trip.back_off();
        self.detection.forget_probe();
        (self.phase, self.recovery_end) = (Phase::Timeout, self.user.next());
        self.reduced = self.recovery_end;
        (self.probe_at, self.judge_at) = (Time::NEVER, Time::NEVER);
        // With a window one segment may always be in flight.
        self.must_repeat = self.credit.is_some();
        self.restart_timer(now);
    }

    /// Plans the next tail loss probe.
    pub(super) fn plan_probe(&mut self, now: Time) {
        self.probe_at = match self.phase {
            Phase::Open => self.detection.probe_at(&self.params, &self.board, &self.round_trip, (now, self.expires)),
            _ => Time::NEVER,
        };
    }

    /// Sends new data, whatever is in flight, or the last segment again (RFC 8985, 7.3).
    fn probe(&mut self, turn: &mut Turn<'_>) {
        let now = turn.now;
        self.measures.probes += 1;
        if self.is_accepted() && self.send_new(turn) {
            self.detection.begin_probe(None);
        } else {
            let number = self.board.next_number();
            if let Some(segment) = self.board.probe(now) {
                self.measures.retransmitted += 1;
                self.transmit(segment, (number, true), turn);
                self.detection.begin_probe(Some(number));
            }
        }
        self.probe_at = Time::NEVER;
        self.restart_timer(now);
    }
}
