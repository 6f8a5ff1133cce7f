//! Server: what waits at a port, and the line that it waits for.
//!
//! A PDU of the highest priority departs right after those of its priority before it and whatever is in service: known
//! when it arrives. It goes into the next node's lane at once, and only a short record of it stays for the books of the
//! queue. Everything else waits: a PDU of lower priority until the line is free, one that may be pushed out likewise,
//! and where the congestion point watches departures every PDU until its own.

use std::collections::VecDeque;

use crate::core::fifo::Fifo;
use crate::core::pdu::Pdu;
use crate::core::time::{LineRate, Serialiser, Span, Time};
use crate::network::lane::Place;

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

/// No run has more departures than this; the count of a line that ends no run stays beyond it.
const MOST_LEFT: u64 = u64::MAX / 2;

/// The line: what is put on it, one PDU after the other.
#[derive(Clone, Debug)]
pub(super) struct Line {
    serialiser: Serialiser,
    /// Propagation delay.
    pub(super) delay: Span,
    /// When it has sent everything whose service has begun or is known.
    pub(super) free_at: Time,
    /// PDUs that are still to be sent until one ends the run; 0 or beyond any number where none does.
    left: u64,
    /// The departure that ends the run, once it is known.
    pub(super) end: Time,
}

impl Line {
    /// The next PDU, of `bits`, is sent from `start` on, and must be counted; when it departs.
    #[inline(always)]
    pub(super) fn begin(&mut self, bits: u64, start: Time) -> Time {
        let at = start + self.serialiser.next(bits);
        self.free_at = at;
        at
    }

    /// So many PDUs have been sent, no more than may be counted at once.
    #[inline(always)]
    pub(super) fn count(&mut self, sent: u64) {
        if sent > 0 {
            self.left = self.left.wrapping_sub(sent);
            if self.left == 0 {
                self.end = self.free_at;
            }
        }
    }

    /// How many PDUs may be counted at once: the one that ends the run must be the last.
    #[inline]
    pub(super) fn most_at_once(&self) -> usize {
        if self.left == 0 { usize::MAX } else { usize::try_from(self.left).unwrap_or(usize::MAX) }
    }
}

/// The line and what waits for it.
#[derive(Clone, Debug)]
pub(super) struct Server {
    pub(super) line: Line,
    /// PDUs that are sent, or will be at a known instant, and have not departed.
    pub(super) departures: Fifo<Departure>,
    /// PDUs whose service is not known.
    pub(super) waiting: Queued,
    /// The PDU in service, where departures are watched.
    pub(super) in_service: Option<Waiting>,
}

/// PDUs that wait, by priority.
#[derive(Clone, Debug, Default)]
pub(super) struct Queued {
    queues: Vec<VecDeque<Waiting>>,
    pub(super) count: usize,
}

impl Queued {
    /// A PDU waits behind those of its priority.
    #[inline]
    pub(super) fn push(&mut self, queue: usize, waiting: Waiting) {
        if self.queues.len() <= queue {
            self.queues.resize_with(queue + 1, VecDeque::new);
        }
        self.queues[queue].push_back(waiting);
        self.count += 1;
    }

    /// The next to be served, and its queue.
    #[inline]
    pub(super) fn next(&mut self) -> Option<(usize, Waiting)> {
        let mut queues = self.queues.iter_mut().enumerate();
        let next = queues.find_map(|(number, queue)| queue.pop_front().map(|waiting| (number, waiting)))?;
        self.count -= 1;
        Some(next)
    }

    /// Takes the newest waiting PDU tagged CLP=1 out of the queue.
    pub(super) fn remove_tagged(&mut self, queue: usize) -> Option<Pdu> {
        let queue = self.queues.get_mut(queue)?;
        let position = queue.iter().rposition(|waiting| waiting.pdu.is_tagged())?;
        let removed = queue.remove(position)?;
        self.count -= 1;
        Some(removed.pdu)
    }
}

impl Server {
    pub(super) fn new(rate: Option<LineRate>, delay: Span) -> Server {
        Server {
            line: Line {
                serialiser: Serialiser::new(rate),
                delay,
                free_at: Time::ZERO,
                left: u64::MAX,
                end: Time::NEVER,
            },
            departures: Fifo::default(),
            waiting: Queued::default(),
            in_service: None,
        }
    }

    /// The next PDU, of `bits`, is sent from `start` on; when it departs.
    #[inline]
    pub(super) fn begin(&mut self, bits: u64, start: Time, queue: usize) -> Time {
        let at = self.line.begin(bits, start);
        self.line.count(1);
        self.departures.push(Departure { at, bits: bits as u32, queue: queue as u32 });
        at
    }

    /// What departs first, if that is by `now`.
    #[inline(always)]
    pub(super) fn depart(&mut self, now: Time) -> Option<Departure> {
        self.departures.next_if(|departure| departure.at <= now)
    }

    /// No PDU of `bits` or more that is not yet known arrives earlier at the far end of the line, if none joins before
    /// `from`.
    #[inline]
    pub(super) fn bound(&self, from: Time, bits: u64) -> Time {
        if self.in_service.is_some() {
            // Its departure is known, but not yet what departs.
            return self.line.free_at + self.line.delay;
        }
        self.line.free_at.max(from) + self.line.serialiser.floor(bits) + self.line.delay
    }

    /// Counts departures from now on: the end, if it is known already.
    pub(super) fn stop_after(&mut self, departures: u64) -> Option<Time> {
        self.line.end = Time::NEVER;
        // One that is known already ends the run at once; beyond it nothing is counted.
        self.line.left = departures.saturating_sub(self.departures.len() as u64);
        let last = usize::try_from(departures).ok()?.checked_sub(1)?;
        self.departures.iter().nth(last).map(|departure| departure.at)
    }

    /// The run does not end before this instant, whatever joins from `from` on: the departures that are still missing
    /// take the line their time.
    pub(super) fn earliest_stop(&self, from: Time, bits: u64) -> Time {
        if !(1..MOST_LEFT).contains(&self.line.left) {
            return Time::NEVER;
        }
        self.line.free_at.max(from) + self.line.serialiser.floor(bits) * self.line.left
    }

    /// Shows every PDU that has not gone into a lane.
    pub(super) fn held(&self, each: &mut dyn FnMut(&Pdu)) {
        self.waiting.queues.iter().flatten().chain(&self.in_service).for_each(|waiting| each(&waiting.pdu));
    }
}
