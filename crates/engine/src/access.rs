//! Access: the line from a sender to the port where flows meet, evaluated together with the sender.
//!
//! Nobody else feeds it and its queue has no limit, so when a PDU gets through follows from when it was sent. Sender and
//! line are one chain with one wake-up, the arrival of the next PDU; what was sent and has not arrived is kept only
//! where somebody looked in between. Its port in the network shows what it has measured, and does nothing else.

use std::collections::VecDeque;

use crate::node::NodeId;
use crate::pdu::Pdu;
use crate::port::QueueState;
use crate::time::{LineRate, Serialiser, Span, Time};

/// The private line of one sender; or its part of a mere delay, in which nobody meets.
#[derive(Clone, Debug)]
pub struct Access {
    serialiser: Serialiser,
    delay: Span,
    /// No PDU is shorter, in bits.
    least_bits: u64,
    free_at: Time,
    /// From the start of its transmission the next PDU is under way no shorter.
    lead: Span,
    /// Arrival and PDU of what was sent and is still under way.
    under_way: VecDeque<(Time, Pdu)>,
    /// The port that shows the measures; a mere delay has none.
    shown_by: Option<NodeId>,
    queue: QueueState,
    /// Departure and bits of what is present in `queue`.
    present: VecDeque<(Time, u64)>,
}

impl Access {
    /// A line of `rate`, or a mere delay, for PDUs of at least `least_bits`; `port` shows what a line measures.
    #[must_use]
    pub fn new(rate: Option<LineRate>, delay: Span, least_bits: u64, port: NodeId) -> Access {
        let serialiser = Serialiser::new(rate);
        Access {
            lead: serialiser.least(least_bits) + delay,
            serialiser,
            delay,
            least_bits,
            free_at: Time::ZERO,
            under_way: VecDeque::new(),
            shown_by: rate.map(|_| port),
            queue: QueueState::default(),
            present: VecDeque::new(),
        }
    }

    /// The port that shows its measures.
    #[must_use]
    pub fn shown_by(&self) -> Option<NodeId> {
        self.shown_by
    }

    /// Its queue, as of the last `look`.
    #[must_use]
    pub fn queue(&self) -> QueueState {
        self.queue
    }

    /// When the next PDU arrives, or may at the earliest if the sender next acts at `due`.
    #[inline]
    #[must_use]
    pub fn next(&self, due: Time) -> Time {
        match self.under_way.front() {
            Some(&(arrival, _)) => arrival,
            None => self.earliest(due),
        }
    }

    /// No PDU sent at `due` or later arrives before.
    #[inline]
    #[must_use]
    pub fn earliest(&self, due: Time) -> Time {
        due.max(self.free_at) + self.lead
    }

    /// A PDU of `bits` is sent at `at`; returns its arrival.
    #[inline(always)]
    pub fn send(&mut self, bits: u64, at: Time) -> Time {
        let departure = self.free_at.max(at) + self.serialiser.next(bits);
        self.free_at = departure;
        if self.shown_by.is_some() {
            self.lead = self.serialiser.least(self.least_bits) + self.delay;
            self.count(bits, at, departure);
        }
        departure + self.delay
    }

    fn count(&mut self, bits: u64, at: Time, departure: Time) {
        self.look(at);
        self.queue.arrive(at);
        self.present.push_back((departure, bits));
    }

    /// Keeps what has been sent and arrives later.
    pub fn keep(&mut self, pdu: Pdu, arrival: Time) {
        self.under_way.push_back((arrival, pdu));
    }

    /// What was kept and arrives by `now`.
    #[inline]
    pub fn arrived(&mut self, now: Time) -> Option<Pdu> {
        if self.under_way.front().is_none_or(|(arrival, _)| *arrival > now) {
            return None;
        }
        self.under_way.pop_front().map(|(_, pdu)| pdu)
    }

    /// Counts what has departed by `now`.
    #[inline]
    pub fn look(&mut self, now: Time) {
        while let Some(&(departure, bits)) = self.present.front()
            && departure <= now
        {
            self.queue.leave(departure, bits);
            self.present.pop_front();
        }
    }

    /// Forgets what was measured.
    pub fn reset_measures(&mut self, now: Time) {
        self.queue.reset(now);
    }

    /// Shows every PDU under way.
    pub fn held(&self, each: &mut dyn FnMut(&Pdu)) {
        self.under_way.iter().for_each(|(_, pdu)| each(pdu));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdu::{Body, FlowId};
    use crate::time::Rate;

    /// A cell in 100 ps and a third, and 1 ns of delay.
    fn line() -> Access {
        let rate = Rate(424 * 3_000_000_000_000 / 301);
        Access::new(Some(LineRate::Bits(rate)), Span(1_000), 424, NodeId(7))
    }

    #[test]
    fn what_waits_for_the_line_arrives_one_after_the_other() {
        let mut access = line();
        assert_eq!(access.next(Time(50)), Time(1_150));
        // A third of a picosecond is carried to the next: 100, 100, 101.
        let arrivals = [50, 50, 60].map(|at| access.send(424, Time(at)));
        assert_eq!(arrivals, [1_150, 1_250, 1_351].map(Time));
        access.look(Time(250));
        assert_eq!((access.queue().present, access.queue().measures.departed), (1, 2));
        assert_eq!(access.queue().measures.most, 3);
        // 3 from 60 to 150, 2 before and up to 250, and the last has 101 ps more.
        access.look(Time(351));
        assert_eq!(access.queue().area(Time(1_000)), 100 + 200 + 291);
    }

    #[test]
    fn no_arrival_comes_before_the_earliest() {
        let mut access = line();
        let mut due = Time::ZERO;
        for gap in [0, 10, 500, 0, 99, 101, 3, 777] {
            due += Span(gap);
            let earliest = access.earliest(due);
            assert_eq!(access.send(424, due), earliest);
        }
    }

    #[test]
    fn what_is_kept_arrives_in_order_and_a_delay_shows_no_queue() {
        let mut access = Access::new(None, Span(30), 424, NodeId(7));
        assert_eq!((access.shown_by(), line().shown_by()), (None, Some(NodeId(7))));
        for at in [5, 5, 9] {
            let arrival = access.send(424, Time(at));
            access.keep(Pdu::new(FlowId(at as u32), 0, 53, 0, Body::Data { born: Time(at), number: 0 }), arrival);
        }
        assert_eq!(access.next(Time(10)), Time(35));
        let arrived = [34, 35, 35, 35, 40].map(|now| access.arrived(Time(now)).map(|pdu| pdu.flow.0));
        assert_eq!(arrived, [None, Some(5), Some(5), None, Some(9)]);
        assert_eq!(access.next(Time(10)), Time(40));
    }
}
