//! The plain form of a port: one event ends each service, one delivers each PDU.

use std::collections::VecDeque;

use crate::pdu::Pdu;
use crate::time::{LineRate, Serialiser, Span, Time};

/// Queues, the PDU in service, and the line.
#[derive(Clone, Debug)]
pub(super) struct Stepped {
    serialiser: Serialiser,
    delay: Span,
    waiting: Vec<VecDeque<Pdu>>,
    in_service: Option<(Time, Pdu)>,
    line: VecDeque<(Time, Pdu)>,
    departures_left: Option<u64>,
}

impl Stepped {
    pub(super) fn new(rate: Option<LineRate>, delay: Span, queues: usize) -> Stepped {
        Stepped {
            serialiser: Serialiser::new(rate),
            delay,
            waiting: vec![VecDeque::new(); queues],
            in_service: None,
            line: VecDeque::new(),
            departures_left: None,
        }
    }

    /// Counts from now on.
    pub(super) fn stop_after(&mut self, departures: u64) -> Option<Time> {
        self.departures_left = Some(departures);
        None
    }

    pub(super) fn next_service(&self) -> Time {
        self.in_service.map_or(Time::NEVER, |(end, _)| end)
    }

    pub(super) fn next_delivery(&self) -> Time {
        self.line.front().map_or(Time::NEVER, |&(at, _)| at)
    }

    pub(super) fn push(&mut self, queue: usize, pdu: Pdu, now: Time) {
        self.waiting[queue].push_back(pdu);
        self.serve(now);
    }

    /// Takes the newest waiting PDU tagged CLP=1 out of the queue.
    pub(super) fn remove_tagged(&mut self, queue: usize) -> Option<Pdu> {
        let position = self.waiting[queue].iter().rposition(Pdu::is_tagged)?;
        self.waiting[queue].remove(position)
    }

    /// The PDU whose service ends now; the line stays idle until `depart`.
    pub(super) fn finish(&mut self, now: Time, end: &mut Time) -> Pdu {
        let (_, pdu) = self.in_service.take().expect("a service end is an event only while a PDU is in service");
        if let Some(left) = &mut self.departures_left {
            *left = left.saturating_sub(1);
            if *left == 0 {
                *end = now.min(*end);
            }
        }
        pdu
    }

    /// Puts the PDU whose service ended on the line, and begins to serve the next.
    pub(super) fn depart(&mut self, pdu: Pdu, now: Time) {
        self.line.push_back((now + self.delay, pdu));
        self.serve(now);
    }

    pub(super) fn deliver(&mut self) -> Pdu {
        let (_, pdu) = self.line.pop_front().expect("a delivery is an event only while the line holds a PDU");
        pdu
    }

    /// Departure and bits of the PDU in service.
    pub(super) fn serving(&self) -> Option<(Time, u64)> {
        self.in_service.as_ref().map(|(departure, pdu)| (*departure, pdu.bits()))
    }

    pub(super) fn held(&self, each: &mut dyn FnMut(&Pdu)) {
        self.waiting.iter().flatten().for_each(&mut *each);
        self.in_service.iter().chain(&self.line).for_each(|(_, pdu)| each(pdu));
    }

    fn serve(&mut self, now: Time) {
        if self.in_service.is_none()
            && let Some(pdu) = self.waiting.iter_mut().find_map(VecDeque::pop_front)
        {
            self.in_service = Some((now + self.serialiser.next(pdu.bits()), pdu));
        }
    }
}
