//! Arrivals at a port at which nothing rare can happen, with its state in local variables.
//!
//! Nothing is pushed out, gathered, watched at its departure, counted in bits or refused by a broken line, and every queue
//! discards by its length alone. That is what most ports do most of the time. `service` says the same for any port, and
//! is asked here where a PDU is refused or a notice is due.

use super::queues::Queues;
use super::server::{Departure, Line, Queued, Server, Waiting};
use super::{GroupMeasures, Port, QueueMeasures, QueueState, Ways};
use crate::control::{Congestion, CongestionPoint, Notice, PortView, WithPoint};
use crate::discard::{Discard, Policy};
use crate::network::Ctx;
use crate::pdu::Pdu;
use crate::probe::Probe;
use crate::round::fifo::Room;
use crate::round::lane::{Lane, Place, Record};
use crate::time::Time;

/// No congestion point.
struct Nobody;

impl CongestionPoint for Nobody {}

/// Where what departs goes. It is written where it will stand, so that nothing is copied twice.
trait Out {
    /// The next to go.
    fn next(&mut self) -> &mut Record;
    /// The next goes.
    fn send(&mut self);
}

impl Out for Room<'_, Record> {
    #[inline(always)]
    fn next(&mut self) -> &mut Record {
        Room::vacant(self)
    }

    #[inline(always)]
    fn send(&mut self) {
        self.fill();
    }
}

/// A line that leads to several nodes.
struct Several<'a> {
    ways: &'a Ways,
    lanes: &'a mut [Lane],
    next: Record,
}

impl Out for Several<'_> {
    #[inline(always)]
    fn next(&mut self) -> &mut Record {
        &mut self.next
    }

    #[inline(always)]
    fn send(&mut self) {
        self.lanes[self.ways.of(&self.next.pdu).on.index()].push(self.next);
    }
}

/// A PDU about which a port with all its means must be asked: as the congestion point left it, whether it is refused,
/// and the notice that is due.
type Asked = (Pdu, bool, Option<Notice>);

/// What arrivals meet.
struct Meeting<'a> {
    queues: &'a mut Queues,
    first_queue: usize,
    server: &'a mut Server,
    /// Place of the line's deliveries; of what is there at once, that of what caused it.
    delivery: Option<Place>,
}

/// Arrivals, and by what they are judged.
struct Arrivals<'a> {
    records: &'a [Record],
    policies: &'a [Policy],
    limits: &'a [[u64; 2]],
    groups: &'a [u32],
    by_group: &'a mut [GroupMeasures],
}

/// What the loop keeps in registers.
struct Hand<'a, O, const PRIORITIES: bool> {
    /// Measures of the first queue, where no other has any PDUs: all that are to depart are then present in it.
    first: QueueMeasures,
    /// PDUs that were present in it at the start.
    before: usize,
    /// All queues, where others have.
    states: &'a mut [QueueState],
    present: u64,
    most: u64,
    line: Line,
    departures: Room<'a, Departure>,
    waiting: &'a mut Queued,
    /// PDUs that waited and may be sent yet, before there is no more room.
    room: usize,
    first_queue: usize,
    delivery: Option<Place>,
    out: O,
    /// Where the line and the PDUs present, and the most of them, are kept.
    home: (&'a mut Line, &'a mut u64, &'a mut u64),
}

impl<'a, O: Out, const PRIORITIES: bool> Hand<'a, O, PRIORITIES> {
    /// Takes in hand what `count` arrivals bear on.
    #[inline(always)]
    fn open(arrivals: Meeting<'a>, count: usize, out: O) -> Hand<'a, O, PRIORITIES> {
        let Meeting { queues: Queues { states, present, most, .. }, server, first_queue, delivery } = arrivals;
        let Server { line, departures, waiting, .. } = server;
        Hand {
            first: states[first_queue].measures,
            before: departures.len(),
            states,
            present: *present,
            most: *most,
            line: line.clone(),
            departures: departures.with_room(2 * count, Departure { at: Time::ZERO, bits: 0, queue: 0 }),
            waiting,
            room: count,
            first_queue,
            delivery,
            out,
            home: (line, present, most),
        }
    }

    /// Puts everything back where it is kept; so many arrivals have joined.
    #[inline(always)]
    fn close(self, joined: usize) {
        let (line, present, most) = self.home;
        *line = self.line;
        if PRIORITIES {
            return (*present, *most) = (self.present, self.most);
        }
        line.count(joined as u64);
        let first = &mut self.states[self.first_queue];
        let left = self.departures.count();
        *first = QueueState { present: left as u64, measures: self.first };
        first.measures.arrived += joined as u64;
        first.measures.departed += (self.before + joined - left) as u64;
        (*present, *most) = (first.present, first.measures.most.max(*most));
    }

    #[inline(always)]
    fn present(&self, queue: usize) -> u64 {
        if PRIORITIES { self.states[queue].present } else { self.departures.count() as u64 }
    }

    /// Lets everything depart that does by `now`, and serves what waits; whether there was room for all of it.
    #[inline(always)]
    fn advance(&mut self, now: Time) -> bool {
        if PRIORITIES && self.waiting.count > 0 && self.line.free_at <= now && !self.serve(now) {
            return false;
        }
        while let Some(departure) = self.departures.front()
            && departure.at <= now
        {
            self.departures.drop_first();
            let bits = u64::from(departure.bits);
            if PRIORITIES {
                self.states[departure.queue as usize].leave(departure.at, bits);
                self.present -= 1;
            } else {
                self.first.depart(departure.at, bits);
            }
        }
        true
    }

    /// Serves what waits and may begin by `now`; whether there was room for all of it.
    #[inline(always)]
    fn serve(&mut self, now: Time) -> bool {
        while self.line.free_at <= now
            && let Some((queue, Waiting { pdu, place })) = self.waiting.next()
        {
            *self.out.next() = Record { time: now, place, order: 0, pdu };
            self.begin(self.line.free_at, queue);
            self.room -= 1;
            if self.room == 0 {
                return false;
            }
        }
        true
    }

    /// The next to go is sent from `start` on, and goes into the lane of the node behind the line.
    #[inline(always)]
    fn begin(&mut self, start: Time, queue: usize) {
        let next = self.out.next();
        let bits = next.pdu.bits();
        let at = self.line.begin(bits, start);
        if PRIORITIES {
            self.line.count(1);
        }
        self.departures.push(Departure { at, bits: bits as u32, queue: queue as u32 });
        next.time = at + self.line.delay;
        next.place = self.delivery.unwrap_or(next.place);
        self.out.send();
    }

    /// The next to go arrives at `at`, and joins its queue.
    #[inline(always)]
    fn join(&mut self, at: Time, queue: usize) {
        if PRIORITIES {
            self.states[queue].arrive(at);
            self.present += 1;
            self.most = self.most.max(self.present);
        } else {
            self.first.join(at, self.present(queue) + 1);
        }
        if !PRIORITIES || queue == self.first_queue || self.line.free_at <= at {
            self.begin(self.line.free_at.max(at), queue);
        } else {
            let Record { pdu, place, .. } = *self.out.next();
            self.waiting.push(queue, Waiting { pdu, place });
        }
    }
}

impl Arrivals<'_> {
    /// Takes them until somebody must be asked, there is no more room, or (without priorities) one comes for another
    /// queue than the first: how many, and what must be asked about the last.
    #[inline(never)]
    fn take<const PRIORITIES: bool, C: CongestionPoint>(
        self,
        meeting: Meeting<'_>,
        out: impl Out,
        point: &mut C,
    ) -> (usize, Option<Asked>) {
        let Arrivals { records, policies, limits, groups, by_group } = self;
        let (first_queue, last_queue) = (meeting.first_queue, limits.len() - 1);
        let records = &records[..records.len().min(meeting.server.line.most_at_once())];
        let mut hand = Hand::<_, PRIORITIES>::open(meeting, records.len(), out);
        let (mut taken, mut asked) = (0, None);
        for record in records {
            let queue = usize::from(record.pdu.priority).min(last_queue);
            if (!PRIORITIES && queue != first_queue) || !hand.advance(record.time) {
                break;
            }
            taken += 1;
            let length = hand.present(queue);
            let refused = length >= limits[queue][usize::from(record.pdu.is_tagged())];
            let view = PortView { now: record.time, length, size: policies[queue].size(), refused };
            let next = hand.out.next();
            *next = *record;
            next.order = 0;
            let pdu = &mut next.pdu;
            let marks = pdu.marks;
            let notice = point.on_arrival(pdu, &view);
            if pdu.marks != marks && pdu.kind().is_data() {
                by_group[groups[pdu.flow.index()] as usize].marked += 1;
            }
            if refused || notice.is_some() {
                asked = Some((*pdu, refused, notice));
                break;
            }
            hand.join(record.time, queue);
        }
        hand.close(taken - usize::from(asked.is_some()));
        (taken, asked)
    }
}

/// Arrivals, what they meet, and where what departs goes.
struct Pass<'a, O>(Arrivals<'a>, Meeting<'a>, O);

impl<O: Out> WithPoint for Pass<'_, O> {
    type Answer = (usize, Option<Asked>);

    #[inline]
    fn run<C: CongestionPoint>(self, point: &mut C) -> (usize, Option<Asked>) {
        let Pass(arrivals, meeting, out) = self;
        let Queues { states, present, .. } = &*meeting.queues;
        let first = usize::from(arrivals.records[0].pdu.priority).min(arrivals.limits.len() - 1);
        if first == meeting.first_queue && states[first].present == *present {
            arrivals.take::<false, C>(meeting, out, point)
        } else {
            arrivals.take::<true, C>(meeting, out, point)
        }
    }
}

impl<O: Out> Pass<'_, O> {
    fn meet(self, point: Option<&mut Congestion>) -> (usize, Option<Asked>) {
        match point {
            Some(point) => point.show(self),
            None => self.run(&mut Nobody),
        }
    }
}

impl Port {
    /// Takes arrivals where nothing rare can happen.
    pub(super) fn take_quietly<P: Probe>(&mut self, mut records: &[Record], ctx: &mut Ctx<P>) {
        while !records.is_empty() {
            let (taken, asked) = self.take_until_asked(records, &mut ctx.lanes);
            if let Some((pdu, refused, notice)) = asked {
                self.take_seen(pdu, records[taken - 1].key(), (refused, notice), ctx);
            }
            records = &records[taken..];
        }
    }

    fn take_until_asked(&mut self, records: &[Record], lanes: &mut [Lane]) -> (usize, Option<Asked>) {
        let Port { queues, quiet, policies, server, groups, by_group, ways, .. } = self;
        let limits = quiet.as_deref().unwrap_or_default();
        let arrivals = Arrivals { records, policies, limits, groups, by_group };
        let delivery = (!self.is_instant).then_some(self.places.delivery);
        let meeting = Meeting { queues, first_queue: self.first_queue, server, delivery };
        let point = self.congestion.as_deref_mut();
        match self.only_way {
            Some(lane) => {
                let out = lanes[lane.index()].with_room(2 * records.len(), records[0]);
                Pass(arrivals, meeting, out).meet(point)
            }
            None => Pass(arrivals, meeting, Several { ways, lanes, next: records[0] }).meet(point),
        }
    }
}
