//! Server: the line of a port, and the PDUs that wait for it.
//!
//! A PDU of the highest priority departs directly after the PDUs of its priority before it and the PDU in service, so
//! its departure time is known at its arrival. It goes into the next node's lane at once, and the server keeps only a
//! short record for the measures of the queue. All other PDUs wait: a PDU of lower priority, and a PDU that can be
//! pushed out or overtaken, until the line is free. If the congestion point watches departures, every PDU waits until its own
//! departure.

pub mod jitter;
pub mod opportunities;
pub(super) mod rate;

use jitter::Jitter;
use opportunities::Opportunities;

use crate::core::fifo::Fifo;
use crate::core::pdu::Pdu;
use crate::core::time::{LineRate, Serialiser, Span, Time};
use crate::queue::store::{Queued, Waiting};

/// The data that the measures of a queue still need about a PDU whose service is decided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Departure {
    pub(super) at: Time,
    pub(super) bits: u32,
    pub(super) queue: u32,
}

/// A PDU whose delay is not the present one of the line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    pub(super) departed: Time,
    pub(super) arrives: Time,
}

/// More departures than any run has. The counter of a line that does not end the run starts here or higher.
const MOST_LEFT: u64 = u64::MAX / 2;

/// The line: it serialises PDUs one after another.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) serialiser: Serialiser,
    /// Propagation delay.
    pub(super) delay: Span,
    /// Arrival of the last PDU at the far end, once the delay has become shorter, or with jitter: the next must not arrive before
    /// it.
    pub(super) last_arrival: Option<Time>,
    /// Time when the line is free: all PDUs with a decided service are sent.
    pub(super) free_at: Time,
    /// Number of departures until one ends the run; 0 or very large if none does.
    left: u64,
    /// Time of the departure that ends the run, once it is known.
    pub(super) end: Time,
}

impl Line {
    /// Sends the next PDU, of `bits`, from `start` on. Returns its departure time. The caller must count it.
    #[inline(always)]
    pub(super) fn begin(&mut self, bits: u64, start: Time) -> Time {
        let at = start + self.serialiser.next(bits);
        self.free_at = at;
        at
    }

    /// Counts `sent` PDUs; at most `most_at_once`.
    #[inline(always)]
    pub(super) fn count(&mut self, sent: u64) {
        if sent > 0 {
            self.left = self.left.wrapping_sub(sent);
            if self.left == 0 {
                self.end = self.free_at;
            }
        }
    }

    /// How many PDUs may be counted together: the one that ends the run must be the last of them.
    #[inline]
    pub(super) fn most_at_once(&self) -> usize {
        if self.left == 0 { usize::MAX } else { usize::try_from(self.left).unwrap_or(usize::MAX) }
    }
}

/// The line and the PDUs that wait for it.
#[derive(Clone, Debug)]
pub(super) struct Server {
    pub(super) line: Line,
    /// When the line can send, if it cannot always. Boxed: few lines have them. PDUs take no time of the line itself then.
    opportunities: Option<Box<Opportunities>>,
    /// What the line adds to its delay. Boxed: few lines do.
    pub(super) jitter: Option<Box<Jitter>>,
    /// PDUs with a decided departure time that have not departed yet.
    pub(super) departures: Fifo<Departure>,
    /// PDUs without a decided departure time.
    pub(super) waiting: Queued,
    /// The PDU in service, if departures are watched.
    pub(super) in_service: Option<Waiting>,
}

impl Server {
    pub(super) fn new(
        rate: Option<LineRate>,
        delay: Span,
        opportunities: Option<Opportunities>,
        jitter: Option<Jitter>,
    ) -> Server {
        Server {
            line: Line {
                serialiser: Serialiser::new(rate.filter(|_| opportunities.is_none())),
                delay,
                last_arrival: jitter.as_ref().map(|_| Time::ZERO),
                free_at: Time::ZERO,
                left: u64::MAX,
                end: Time::NEVER,
            },
            opportunities: opportunities.map(Box::new),
            jitter: jitter.map(Box::new),
            departures: Fifo::default(),
            waiting: Queued::default(),
            in_service: None,
        }
    }

    /// Sends the next PDU, of `bits`, which arrived then, from `start` on. Returns its departure time.
    #[inline]
    pub(super) fn begin(&mut self, bits: u64, [arrived, start]: [Time; 2], queue: usize) -> Time {
        let at = match &mut self.opportunities {
            None => self.line.begin(bits, start),
            Some(opportunities) => {
                self.line.free_at = opportunities.begin(bits, arrived).max(start + Span(1));
                self.line.free_at
            }
        };
        self.line.count(1);
        self.departures.push(Departure { at, bits: bits as u32, queue: queue as u32 });
        at
    }

    /// Whether PDUs may overtake each other on the line.
    #[inline]
    pub(super) fn reorders(&self) -> bool {
        self.jitter.as_ref().is_some_and(|jitter| jitter.reorders())
    }

    /// Whether the line cannot always send.
    pub(super) fn has_opportunities(&self) -> bool {
        self.opportunities.is_some()
    }

    /// Removes the first departure if it is no later than `now`.
    #[inline(always)]
    pub(super) fn depart(&mut self, now: Time) -> Option<Departure> {
        self.departures.next_if(|departure| departure.at <= now)
    }

    /// If no PDU joins before `from`, PDUs of at least `bits` that are not yet in a lane reach the far end of the line
    /// no earlier than this.
    #[inline]
    pub(super) fn bound(&self, from: Time, bits: u64) -> Time {
        if self.in_service.is_some() {
            // The departure time of the PDU in service is known, but the congestion point may still change the PDU.
            return self.line.free_at + self.line.delay;
        }
        self.line.free_at.max(from) + self.line.serialiser.floor(bits) + self.line.delay
    }

    /// Counts departures from now on. Returns the end of the run if it is already known.
    pub(super) fn stop_after(&mut self, departures: u64) -> Option<Time> {
        self.line.end = Time::NEVER;
        // If that departure is already known, it ends the run and no more are counted.
        self.line.left = departures.saturating_sub(self.departures.len() as u64);
        let last = usize::try_from(departures).ok()?.checked_sub(1)?;
        self.departures.iter().nth(last).map(|departure| departure.at)
    }

    /// Lower bound of the end of the run, for any arrivals from `from` on: the missing departures need at least their
    /// serialisation time.
    pub(super) fn earliest_stop(&self, from: Time, bits: u64) -> Time {
        if !(1..MOST_LEFT).contains(&self.line.left) {
            return Time::NEVER;
        }
        self.line.free_at.max(from) + self.line.serialiser.floor(bits) * self.line.left
    }

    /// How many of the PDUs with a decided departure are in a lane: all but one that is watched until it departs.
    pub(super) fn decided(&self) -> usize {
        if self.in_service.is_some() { 0 } else { self.departures.len() }
    }

    /// The waiting PDUs of each queue, in order.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (usize, &Pdu)> {
        self.waiting.all().map(|(queue, waiting)| (queue, &waiting.pdu))
    }

    /// Calls `each` for every PDU that is not in a lane.
    pub(super) fn held(&self, each: &mut dyn FnMut(&Pdu)) {
        let waiting = self.waiting.all().map(|(_, waiting)| waiting);
        waiting.chain(&self.in_service).for_each(|waiting| each(&waiting.pdu));
    }
}
