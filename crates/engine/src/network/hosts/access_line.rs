//! Access: a sender's own line into the network, worked out together with the sender.
//!
//! Nothing waits in it but that sender's PDUs, so what is sent at an instant arrives at a known one. Its port shows what
//! it has measured, and does nothing else.

use std::collections::VecDeque;

use crate::core::fifo::Fifo;
use crate::core::pdu::Pdu;
use crate::core::time::{LineRate, Serialiser, Span, Time};
use crate::network::lane::{Place, Record};
use crate::network::queue_state::QueueState;

/// The private line of one sender; or its part of a mere delay, in which nobody meets.
#[derive(Clone, Debug)]
pub struct AccessLine {
    serialiser: Serialiser,
    delay: Span,
    /// From its sending on a PDU is under way no shorter.
    lead: Span,
    free_at: Time,
    /// Place among equal times of what arrives; what takes no time at all keeps the place of what caused it.
    place: Option<Place>,
    /// What was sent, and arrives too late to be handed on yet.
    holding: VecDeque<Record>,
    /// The port that shows the measures, by number; a mere delay has none.
    shown_by: Option<u32>,
    queue: QueueState,
    /// Departure and bits of what is present in `queue`.
    present: Fifo<(Time, u64)>,
}

/// What an access line is built from.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// Rate of the line; a mere delay has none.
    pub rate: Option<LineRate>,
    /// Its propagation delay.
    pub delay: Span,
    /// No PDU is shorter, in bits.
    pub least_bits: u64,
    /// Place among equal times of its deliveries.
    pub place: Place,
    /// Number of the port that shows what a line measures.
    pub port: u32,
}

impl AccessLine {
    /// A line, or a mere delay.
    #[must_use]
    pub fn new(parts: Parts) -> AccessLine {
        let serialiser = Serialiser::new(parts.rate);
        let is_instant = parts.rate.is_none() && parts.delay == Span::ZERO;
        AccessLine {
            lead: serialiser.floor(parts.least_bits) + parts.delay,
            serialiser,
            delay: parts.delay,
            free_at: Time::ZERO,
            place: (!is_instant).then_some(parts.place),
            holding: VecDeque::new(),
            shown_by: parts.rate.map(|_| parts.port),
            queue: QueueState::default(),
            present: Fifo::default(),
        }
    }

    /// The number of the port that shows its measures.
    #[must_use]
    pub fn shown_by(&self) -> Option<u32> {
        self.shown_by
    }

    /// Its queue, as of the last `look`.
    #[must_use]
    pub fn queue(&self) -> QueueState {
        self.queue
    }

    /// From its sending on a PDU is under way no shorter.
    #[must_use]
    pub fn lead(&self) -> Span {
        self.lead
    }

    /// Place among equal times of what it delivers, if it takes any time.
    #[inline(always)]
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// A PDU of `bits` is sent at `at`; returns its arrival.
    #[inline(always)]
    pub fn send(&mut self, bits: u64, at: Time) -> Time {
        let departure = self.free_at.max(at) + self.serialiser.next(bits);
        self.free_at = departure;
        if self.shown_by.is_some() {
            self.count(bits, at, departure);
        }
        departure + self.delay
    }

    fn count(&mut self, bits: u64, at: Time, departure: Time) {
        self.look(at);
        self.queue.arrive(at);
        self.present.push((departure, bits));
    }

    /// Keeps what has been sent and cannot be handed on yet.
    pub fn hold(&mut self, record: Record) {
        self.holding.push_back(record);
    }

    /// When the first that was kept arrives.
    #[inline]
    #[must_use]
    pub fn first_held(&self) -> Time {
        self.holding.front().map_or(Time::NEVER, |record| record.time)
    }

    /// What was kept and arrives before `limit`.
    #[inline]
    pub fn held_before(&mut self, limit: Time) -> Option<Record> {
        if self.first_held() >= limit {
            return None;
        }
        self.holding.pop_front()
    }

    /// Counts what has departed by `now`.
    #[inline]
    pub fn look(&mut self, now: Time) {
        while let Some((departure, bits)) = self.present.next_if(|(departure, _)| *departure <= now) {
            self.queue.leave(departure, bits);
        }
    }

    /// Forgets what was measured.
    pub fn reset_measures(&mut self, now: Time) {
        self.queue.reset(now);
    }

    /// Shows every PDU under way.
    pub fn held(&self, each: &mut dyn FnMut(&Pdu)) {
        self.holding.iter().for_each(|record| each(&record.pdu));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::pdu::{Body, FlowId};
    use crate::core::time::Rate;

    fn access(rate: Option<LineRate>, delay: u64) -> AccessLine {
        AccessLine::new(Parts { rate, delay: Span(delay), least_bits: 424, place: Place(3), port: 7 })
    }

    /// A cell in 100 ps and a third, and 1 ns of delay.
    fn line() -> AccessLine {
        access(Some(LineRate::Bits(Rate(424 * 3_000_000_000_000 / 301))), 1_000)
    }

    #[test]
    fn what_waits_for_the_line_arrives_one_after_the_other() {
        let mut access = line();
        assert_eq!((access.lead(), access.place()), (Span(1_100), Some(Place(3))));
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
    fn no_arrival_comes_before_the_lead() {
        let mut access = line();
        let mut at = Time::ZERO;
        for gap in [0, 10, 500, 0, 99, 101, 3, 777] {
            at += Span(gap);
            assert!(access.send(424, at) >= at + access.lead());
        }
    }

    #[test]
    fn what_is_kept_goes_on_in_order_and_a_delay_shows_no_queue() {
        let mut access = access(None, 30);
        assert_eq!((access.shown_by(), line().shown_by()), (None, Some(7)));
        for at in [5, 5, 9] {
            let time = access.send(424, Time(at));
            let pdu = Pdu::new(FlowId(at as u32), 0, 53, 0, Body::Data { born: Time(at), number: 0 });
            access.hold(Record { time, place: Place(0), order: 0, pdu });
        }
        assert_eq!(access.first_held(), Time(35));
        let kept = [35, 36, 36, 36, 40].map(|limit| access.held_before(Time(limit)).map(|record| record.pdu.flow.0));
        assert_eq!(kept, [None, Some(5), Some(5), None, Some(9)]);
        assert_eq!(access.first_held(), Time::NEVER);
    }

    #[test]
    fn what_takes_no_time_keeps_its_place() {
        assert_eq!(access(None, 0).place(), None);
    }
}
