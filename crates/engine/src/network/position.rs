//! Where a PDU is at an instant: in a queue, in service, on a line, in a policer, or held back by the jitter of its sender.
//!
//! Positions are computed at a stop, when they are asked for. All events of the instant have happened: a PDU that
//! arrives at a node at this instant has been read.

use crate::core::pdu::Pdu;
use crate::core::time::{LineRate, PICOSECONDS, Time};
use crate::queue::measures::MOST_QUEUES;

/// The place of a PDU. Ports are given by number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spot {
    /// It waits in a queue of a port.
    Queue {
        /// The port.
        port: u32,
        /// The queue, by priority.
        queue: u32,
        /// PDUs before it in this queue, with the one in service.
        place: u32,
        /// Its service does not start before this time. It starts then if no other PDU can go before it.
        starts: Time,
    },
    /// A port sends it. It still counts as the first of its queue.
    Service {
        /// The port.
        port: u32,
        /// The queue that it came from.
        queue: u32,
        /// Share of its bits that are sent, 0 to 1.
        sent: f64,
        /// End of its service, unless the rate of the line changes before.
        departs: Time,
    },
    /// It is on the line behind a port.
    Line {
        /// The port.
        port: u32,
        /// Fraction of the line behind it, from 0 to less than 1.
        fraction: f64,
        /// When it left the port.
        departed: Time,
        /// When it arrives at the far end.
        arrives: Time,
    },
    /// It waits in a shaper among the policers of its flow.
    Shaper {
        /// The shaper, by its place among the policers of the flow.
        stage: u32,
        /// PDUs of the flow before it in this shaper.
        place: u32,
        /// It does not leave before this time.
        leaves: Time,
    },
    /// Its sender has sent it, and holds it back.
    Sender {
        /// When it leaves the sender.
        leaves: Time,
    },
}

/// One PDU, and where it is.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// The PDU, with the marks that it has there.
    pub pdu: Pdu,
    /// Its place.
    pub spot: Spot,
}

/// Finds the positions of the PDUs of one port, from the far end of its line to the ends of its queues.
#[derive(Debug)]
pub(crate) struct Finder<'a> {
    port: u32,
    rate: Option<LineRate>,
    now: Time,
    /// PDUs found in each queue.
    lengths: [u32; MOST_QUEUES],
    /// Departure of the last PDU whose service is decided.
    free_at: Option<Time>,
    found: &'a mut Vec<Position>,
}

impl Finder<'_> {
    /// Finds PDUs of the port with that number, whose line has this rate now.
    pub(crate) fn new(port: u32, rate: Option<LineRate>, now: Time, found: &mut Vec<Position>) -> Finder<'_> {
        Finder { port, rate, now, lengths: [0; MOST_QUEUES], free_at: None, found }
    }

    /// A PDU on the line.
    pub(crate) fn on_line(&mut self, pdu: &Pdu, departed: Time, arrives: Time) {
        let fraction = self.now.since(departed).0 as f64 / arrives.since(departed).0 as f64;
        self.found.push(Position { pdu: *pdu, spot: Spot::Line { port: self.port, fraction, departed, arrives } });
    }

    /// The next PDU whose departure is decided. The first of them is in service.
    pub(crate) fn with_departure(&mut self, pdu: &Pdu, queue: usize, departs: Time) {
        let (queue, place) = self.join(queue);
        let spot = match self.free_at.replace(departs) {
            None => Spot::Service { port: self.port, queue, sent: self.sent(pdu, departs), departs },
            Some(starts) => Spot::Queue { port: self.port, queue, place, starts },
        };
        self.found.push(Position { pdu: *pdu, spot });
    }

    /// The next PDU of a queue whose service is not decided.
    pub(crate) fn waiting(&mut self, pdu: &Pdu, queue: usize) {
        let (queue, place) = self.join(queue);
        let starts = self.free_at.unwrap_or(self.now);
        self.found.push(Position { pdu: *pdu, spot: Spot::Queue { port: self.port, queue, place, starts } });
    }

    /// The queue, and the place of its next PDU.
    fn join(&mut self, queue: usize) -> (u32, u32) {
        let length = &mut self.lengths[queue & (MOST_QUEUES - 1)];
        *length += 1;
        (queue as u32, *length - 1)
    }

    /// Share of the bits that are sent of the PDU in service. What is left takes the present rate.
    fn sent(&self, pdu: &Pdu, departs: Time) -> f64 {
        let all = u128::from(pdu.bits()) * u128::from(PICOSECONDS);
        // A service may take a picosecond more than its bits, for remainders of those before it.
        let left = self.rate.map_or(0, |rate| rate.picobits(departs.since(self.now)).min(all));
        (all - left) as f64 / all as f64
    }
}
