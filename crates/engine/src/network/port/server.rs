//! Server: what waits at a port, and the line that it waits for.
//!
//! A PDU of the highest priority departs right after those of its priority before it and whatever is in service: known
//! when it arrives. It goes into the next node's lane at once, and only a short record of it stays for the books of the
//! queue. Everything else waits: a PDU of lower priority until the line is free, one that may be pushed out likewise,
//! and where the congestion point watches departures every PDU until its own.

use std::collections::VecDeque;

use crate::pdu::Pdu;
use crate::round::fifo::Fifo;
use crate::round::lane::Place;
use crate::time::{LineRate, Serialiser, Span, Time};

/// What the books of a queue must still learn of a PDU whose service has begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Departure {
    pub(super) at: Time,
    pub(super) bits: u32,
    pub(super) queue: u32,
}

/// A PDU that waits, and the place among equal times in which it came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) pdu: Pdu,
    pub(super) place: Place,
}

/// The line and what waits for it.
#[derive(Clone, Debug)]
pub(super) struct Server {
    serialiser: Serialiser,
    /// Propagation delay of the line.
    pub(super) delay: Span,
    /// When the line has sent everything whose service has begun or is known.
    pub(super) free_at: Time,
    /// PDUs that are sent, or will be at a known instant, and have not departed.
    pub(super) departures: Fifo<Departure>,
    /// PDUs whose service is not known, by priority.
    waiting: Vec<VecDeque<Waiting>>,
    pub(super) waiting_count: usize,
    /// The PDU in service, where departures are watched.
    pub(super) in_service: Option<Waiting>,
    begun: u64,
    stop_at: u64,
}

impl Server {
    pub(super) fn new(rate: Option<LineRate>, delay: Span) -> Server {
        Server {
            serialiser: Serialiser::new(rate),
            delay,
            free_at: Time::ZERO,
            departures: Fifo::default(),
            waiting: Vec::new(),
            waiting_count: 0,
            in_service: None,
            begun: 0,
            stop_at: u64::MAX,
        }
    }

    /// The next PDU, of `bits`, is sent from `start` on; when it departs. The instant ends the run if it is the last
    /// that was asked for.
    #[inline(always)]
    pub(super) fn begin(&mut self, bits: u64, start: Time, queue: usize, end: &mut Time) -> Time {
        let at = start + self.serialiser.next(bits);
        self.free_at = at;
        self.departures.push(Departure { at, bits: bits as u32, queue: queue as u32 });
        self.begun += 1;
        if self.begun == self.stop_at {
            *end = at.min(*end);
        }
        at
    }

    /// What departs first, if that is by `now`.
    #[inline(always)]
    pub(super) fn depart(&mut self, now: Time) -> Option<Departure> {
        let first = *self.departures.front()?;
        if first.at > now {
            return None;
        }
        self.departures.drop_front(1);
        Some(first)
    }

    /// A PDU waits behind those of its priority.
    pub(super) fn wait(&mut self, queue: usize, waiting: Waiting) {
        if self.waiting.len() <= queue {
            self.waiting.resize_with(queue + 1, VecDeque::new);
        }
        self.waiting[queue].push_back(waiting);
        self.waiting_count += 1;
    }

    /// The next to be served.
    pub(super) fn next(&mut self) -> Option<Waiting> {
        let next = self.waiting.iter_mut().find_map(VecDeque::pop_front)?;
        self.waiting_count -= 1;
        Some(next)
    }

    /// Takes the newest waiting PDU tagged CLP=1 out of the queue.
    pub(super) fn remove_tagged(&mut self, queue: usize) -> Option<Pdu> {
        let queue = self.waiting.get_mut(queue)?;
        let position = queue.iter().rposition(|waiting| waiting.pdu.is_tagged())?;
        let removed = queue.remove(position)?;
        self.waiting_count -= 1;
        Some(removed.pdu)
    }

    /// No PDU of `bits` or more that is not yet known arrives earlier at the far end of the line, if none joins before
    /// `from`.
    #[inline]
    pub(super) fn bound(&self, from: Time, bits: u64) -> Time {
        if self.in_service.is_some() {
            // Its departure is known, but not yet what departs.
            return self.free_at + self.delay;
        }
        self.free_at.max(from) + self.serialiser.floor(bits) + self.delay
    }

    /// Counts departures from now on: the end, if it is known already.
    pub(super) fn stop_after(&mut self, departures: u64) -> Option<Time> {
        self.stop_at = (self.begun - self.departures.len() as u64).saturating_add(departures);
        let last = usize::try_from(departures).ok()?.checked_sub(1)?;
        self.departures.iter().nth(last).map(|departure| departure.at)
    }

    /// The run does not end before this instant, whatever joins from `from` on: the departures that are still missing
    /// take the line their time.
    pub(super) fn earliest_stop(&self, from: Time, bits: u64) -> Time {
        if self.stop_at == u64::MAX || self.begun >= self.stop_at {
            return Time::NEVER;
        }
        self.free_at.max(from) + self.serialiser.floor(bits) * (self.stop_at - self.begun)
    }

    /// Shows every PDU that has not gone into a lane.
    pub(super) fn held(&self, each: &mut dyn FnMut(&Pdu)) {
        self.waiting.iter().flatten().chain(&self.in_service).for_each(|waiting| each(&waiting.pdu));
    }
}
