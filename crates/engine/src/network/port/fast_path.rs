//! A fast loop for arrivals at a port, with the state of the port in local variables.
//!
//! It covers the frequent case: the port pushes no PDU out, watches no departures, counts no bits, its line cannot
//! break, and every queue discards by its length alone. `service` has the same behaviour for every port, and handles
//! the PDUs here that are refused or cause a notice.

use super::groups::Groups;
use super::line::{Departure, Line, Server};
use super::{NextLanes, Port, queue_of};
use crate::control::{Congestion, CongestionPoint, Notice, PortView, WithPoint};
use crate::core::fifo::{Fifo, Room};
use crate::core::key::Place;
use crate::core::pdu::Pdu;
use crate::core::probe::Probe;
use crate::core::time::Time;
use crate::network::context::Ctx;
use crate::network::lane::{Lane, Record};
use crate::queue::lengths::{Newest, Queues};
use crate::queue::measures::{QueueMeasures, QueueState};
use crate::queue::store::{Queued, Waiting};
use crate::queue::{Discard, Policy};

/// No congestion point.
struct NoPoint;

impl CongestionPoint for NoPoint {}

/// Destination of departing PDUs.
trait Destination {
    /// Sends one PDU.
    fn send(&mut self, record: &Record);
    /// Sends all of them, in order.
    #[inline(always)]
    fn send_all(&mut self, records: &[Record]) {
        records.iter().for_each(|record| self.send(record));
    }
}

/// A line that leads to one node.
struct OneLane<'a>(&'a mut Lane);

impl Destination for OneLane<'_> {
    #[inline(always)]
    fn send(&mut self, record: &Record) {
        self.0.push(*record);
    }

    #[inline(always)]
    fn send_all(&mut self, records: &[Record]) {
        self.0.push_all(records);
    }
}

/// A line that leads to several nodes.
struct ManyLanes<'a> {
    next_lanes: &'a NextLanes,
    lanes: &'a mut [Lane],
}

impl Destination for ManyLanes<'_> {
    #[inline(always)]
    fn send(&mut self, record: &Record) {
        self.lanes[self.next_lanes.of(&record.pdu).forward.index()].push(*record);
    }
}

/// An arrival that `service` must handle: the PDU as the congestion point left it, whether it is refused, and its
/// notice.
type ForService = (Pdu, bool, Option<Notice>);

/// The state that admits arrivals.
struct Admission<'a> {
    queues: &'a mut Queues,
    first_queue: usize,
    server: &'a mut Server,
    /// Place of the line's deliveries at equal times.
    delivery: Place,
    criteria: Criteria<'a>,
    /// Takes the PDUs that are refused, if the port has no congestion point: nothing else follows from them.
    refused: Option<&'a mut Vec<Record>>,
}

/// The state that decides on an arrival.
struct Criteria<'a> {
    policies: &'a [Policy],
    /// For each queue, the lengths from which on it discards (CLP=0, CLP=1).
    limits: &'a [[u64; 2]],
    groups: &'a mut Groups,
}

impl Criteria<'_> {
    #[inline(always)]
    fn queue_of(&self, pdu: &Pdu) -> usize {
        queue_of(pdu, self.limits.len())
    }

    /// Passes an arrival to the congestion point. Returns `Some` if the arrival does not simply join its queue.
    #[inline(always)]
    fn inspect<C: CongestionPoint>(
        &mut self,
        point: &mut C,
        record: &mut Record,
        queue: usize,
        length: u64,
    ) -> Option<ForService> {
        let pdu = &mut record.pdu;
        let refused = length >= self.limits[queue][usize::from(pdu.is_tagged())];
        let view = PortView { now: record.time, length, size: self.policies[queue].size(), refused };
        let marks = pdu.marks;
        let notice = point.on_arrival(pdu, &view);
        self.groups.count_marked(pdu, marks);
        (refused || notice.is_some()).then_some((*pdu, refused, notice))
    }
}

/// Arrivals per batch. The departures of a batch are copied while they are still in the L1 cache.
const AT_ONCE: usize = 64;

/// The line, with room for new departures.
struct Outlet<'a> {
    line: Line,
    departures: Room<'a, Departure>,
    delivery: Place,
}

impl<'a> Outlet<'a> {
    /// Reserves room for `count` departures.
    fn new(line: &Line, departures: &'a mut Fifo<Departure>, count: usize, delivery: Place) -> Outlet<'a> {
        let nothing = Departure { at: Time::ZERO, bits: 0, queue: 0 };
        Outlet { line: line.clone(), departures: departures.with_room(count, nothing), delivery }
    }

    /// Removes the first departure if it is no later than `now`.
    #[inline(always)]
    fn depart(&mut self, now: Time) -> Option<Departure> {
        self.departures.next_if(|departure| departure.at <= now)
    }

    /// Sends the PDU at the record's time or when the line is free. The caller counts it. The record becomes that of
    /// the PDU's arrival behind the line.
    #[inline(always)]
    fn begin(&mut self, record: &mut Record, queue: usize) {
        let bits = record.pdu.bits();
        let at = self.line.begin(bits, self.line.free_at.max(record.time));
        (record.time, record.place, record.order) = (at + self.line.delay, self.delivery, 0);
        self.departures.push(Departure { at, bits: bits as u32, queue: queue as u32 });
    }
}

/// The first queue while the others are empty: it holds exactly the PDUs in `departures`.
struct FirstQueue<'a> {
    measures: QueueMeasures,
    newest: Newest,
    outlet: Outlet<'a>,
    queue: usize,
}

impl FirstQueue<'_> {
    /// Admits arrivals up to the first one that `service` must handle or that uses another queue. Returns the number
    /// admitted, and the result of `inspect` for the next. The records become those of the arrivals behind the line.
    #[inline(always)]
    fn admit<C: CongestionPoint>(
        &mut self,
        records: &mut [Record],
        criteria: &mut Criteria<'_>,
        point: &mut C,
    ) -> (usize, Option<ForService>) {
        for (number, record) in records.iter_mut().enumerate() {
            if criteria.queue_of(&record.pdu) != self.queue {
                return (number, None);
            }
            let at = record.time;
            while let Some(departure) = self.outlet.depart(at) {
                self.measures.depart(departure.at, u64::from(departure.bits));
            }
            let length = self.outlet.departures.count() as u64;
            if let Some(for_service) = criteria.inspect(point, record, self.queue, length) {
                return (number, Some(for_service));
            }
            self.measures.join(at, length + 1);
            self.newest = Newest { at, flow: record.pdu.flow };
            self.outlet.begin(record, self.queue);
        }
        (records.len(), None)
    }
}

impl Admission<'_> {
    /// Admits arrivals for the first queue while the others are empty, up to the first one that `service` must handle.
    /// Returns the number processed, and the result of `inspect` for the last.
    #[inline(never)]
    fn admit_first<C: CongestionPoint>(
        mut self,
        records: &mut [Record],
        out: &mut impl Destination,
        point: &mut C,
    ) -> (usize, Option<ForService>) {
        let Queues { states, newest, tied, present, most, .. } = self.queues;
        let Server { line, departures, .. } = self.server;
        let state = &mut states[self.first_queue];
        let newest = &mut newest[self.first_queue];
        let count = records.len().min(line.most_at_once());
        let outlet = Outlet::new(line, departures, count, self.delivery);
        let mut first = FirstQueue { measures: state.measures, newest: *newest, outlet, queue: self.first_queue };
        let (mut joined, mut processed, mut for_service) = (0, 0, None);
        while processed < count {
            let piece = &mut records[processed..count.min(processed + AT_ONCE)];
            let (taken, about) = first.admit(piece, &mut self.criteria, point);
            out.send_all(&piece[..taken]);
            joined += taken;
            processed += taken;
            if taken == piece.len() {
                continue;
            }
            match (about, &mut self.refused) {
                (Some(_), Some(refused)) => {
                    let record = piece[taken];
                    *tied += u64::from(first.newest.is_tied_with(record.time, record.pdu.flow));
                    refused.push(record);
                }
                (about, _) => {
                    for_service = about;
                    break;
                }
            }
            processed += 1;
        }
        *newest = first.newest;
        first.outlet.line.count(joined as u64);
        *line = first.outlet.line;
        let left = first.outlet.departures.count() as u64;
        first.measures.arrived += joined as u64;
        first.measures.departed += state.present + joined as u64 - left;
        *state = QueueState { present: left, measures: first.measures };
        (*present, *most) = (left, state.measures.most.max(*most));
        (processed + usize::from(for_service.is_some()), for_service)
    }

    /// Admits arrivals for all queues, up to the first one that `service` must handle or until the reserved room is
    /// used. Returns the number processed, and the result of `inspect` for the last.
    #[inline(never)]
    fn admit_all<C: CongestionPoint>(
        mut self,
        records: &mut [Record],
        out: &mut impl Destination,
        point: &mut C,
    ) -> (usize, Option<ForService>) {
        let Queues { states, newest, tied, present, most, .. } = self.queues;
        let Server { line, departures, waiting, .. } = self.server;
        let mut all = AllQueues {
            states,
            newest,
            present: *present,
            most: *most,
            outlet: Outlet::new(line, departures, 2 * records.len(), self.delivery),
            waiting,
            room: records.len(),
            first_queue: self.first_queue,
            out,
        };
        let (mut taken, mut for_service) = (0, None);
        for record in records {
            if !all.advance(record.time) {
                break;
            }
            taken += 1;
            let queue = self.criteria.queue_of(&record.pdu);
            let length = all.states[queue].present;
            for_service = self.criteria.inspect(point, record, queue, length);
            if for_service.is_none() {
                all.join(record, queue);
            } else if let Some(refused) = &mut self.refused {
                *tied += u64::from(all.newest[queue].is_tied_with(record.time, record.pdu.flow));
                refused.push(*record);
                for_service = None;
            } else {
                break;
            }
        }
        (*present, *most, *line) = (all.present, all.most, all.outlet.line);
        (taken, for_service)
    }
}

/// All queues; each may have PDUs.
struct AllQueues<'a, O> {
    states: &'a mut [QueueState],
    newest: &'a mut [Newest],
    /// PDUs present in all queues, and the most since the last reset.
    present: u64,
    most: u64,
    outlet: Outlet<'a>,
    waiting: &'a mut Queued,
    /// Number of waiting PDUs that may still be sent before the reserved room is used.
    room: usize,
    first_queue: usize,
    out: &'a mut O,
}

impl<O: Destination> AllQueues<'_, O> {
    /// Handles all departures up to `now`, and sends waiting PDUs. Returns whether the reserved room was enough.
    #[inline(always)]
    fn advance(&mut self, now: Time) -> bool {
        while self.waiting.count > 0 && self.outlet.line.free_at <= now {
            if self.room == 0 {
                return false;
            }
            self.room -= 1;
            let Some(queue) = self.waiting.first() else { break };
            if let Some(Waiting { pdu, place, .. }) = self.waiting.pop(queue) {
                self.begin(&mut Record { time: self.outlet.line.free_at, place, order: 0, pdu }, queue);
            }
        }
        while let Some(departure) = self.outlet.depart(now) {
            self.states[departure.queue as usize].leave(departure.at, u64::from(departure.bits));
            self.present -= 1;
        }
        true
    }

    /// A PDU joins its queue.
    #[inline(always)]
    fn join(&mut self, record: &mut Record, queue: usize) {
        self.states[queue].arrive(record.time);
        self.newest[queue] = Newest { at: record.time, flow: record.pdu.flow };
        self.present += 1;
        self.most = self.most.max(self.present);
        if queue == self.first_queue || self.outlet.line.free_at <= record.time {
            self.begin(record, queue);
        } else {
            self.waiting.push(queue, Waiting { pdu: record.pdu, place: record.place, arrived: record.time });
        }
    }

    /// Sends the PDU into the lane behind the line.
    #[inline(always)]
    fn begin(&mut self, record: &mut Record, queue: usize) {
        self.outlet.begin(record, queue);
        self.outlet.line.count(1);
        self.out.send(record);
    }
}

/// Arrivals, the state that admits them, and the destination of departures.
struct Batch<'a, O>(&'a mut [Record], Admission<'a>, O);

impl<O: Destination> WithPoint for Batch<'_, O> {
    type Answer = (usize, Option<ForService>);

    #[inline]
    fn run<C: CongestionPoint>(self, point: &mut C) -> (usize, Option<ForService>) {
        let Batch(records, admission, mut out) = self;
        let Queues { states, present, .. } = &*admission.queues;
        let queue = admission.criteria.queue_of(&records[0].pdu);
        if queue == admission.first_queue && states[queue].present == *present {
            admission.admit_first(records, &mut out, point)
        } else {
            admission.admit_all(records, &mut out, point)
        }
    }
}

impl<O: Destination> Batch<'_, O> {
    fn run_with(self, point: Option<&mut Congestion>) -> (usize, Option<ForService>) {
        match point {
            Some(point) => point.with_variant(self),
            None => self.run(&mut NoPoint),
        }
    }
}

impl Port {
    /// Admits arrivals with the fast loop.
    pub(super) fn admit_in_loop<P: Probe>(&mut self, mut records: &mut [Record], ctx: &mut Ctx<P>) {
        while !records.is_empty() {
            let (taken, for_service) = self.admit_until_service(records, &mut ctx.lanes);
            self.count_refused(ctx);
            if let Some((pdu, refused, notice)) = for_service {
                self.admit_observed(pdu, records[taken - 1].key(), (refused, notice), ctx);
            }
            records = &mut records[taken..];
        }
    }

    fn admit_until_service(&mut self, records: &mut [Record], lanes: &mut [Lane]) -> (usize, Option<ForService>) {
        let Port { queues, limits, policies, server, groups, next_lanes, refused, .. } = self;
        let limits = limits.as_deref().unwrap_or_default();
        let criteria = Criteria { policies, limits, groups };
        let delivery = self.places.delivery;
        let point = self.congestion.as_deref_mut();
        let refused = if point.is_none() { Some(refused) } else { None };
        let admission = Admission { queues, first_queue: self.first_queue, server, delivery, criteria, refused };
        match self.only_lane {
            Some(lane) => Batch(records, admission, OneLane(&mut lanes[lane.index()])).run_with(point),
            None => Batch(records, admission, ManyLanes { next_lanes, lanes }).run_with(point),
        }
    }

    /// Counts the PDUs that the fast loop has refused.
    fn count_refused<P: Probe>(&mut self, ctx: &mut Ctx<P>) {
        let mut refused = std::mem::take(&mut self.refused);
        for Record { pdu, time, .. } in &refused {
            let queue = self.queue_of(pdu);
            self.queues.of(queue).measures.arrived += 1;
            self.count_discard(pdu, *time, ctx);
        }
        refused.clear();
        self.refused = refused;
    }
}
