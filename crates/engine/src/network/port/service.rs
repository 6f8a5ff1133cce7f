//! What a port does with the PDUs that reach it: admission, service, notices.

use super::server::Waiting;
use super::{GroupMeasures, Port};
use crate::control::{Answer, CongestionPoint, Notice, PortView};
use crate::discard::{Discard, Verdict};
use crate::network::{Ctx, kind_of};
use crate::pdu::{Body, CELL_OCTETS, Marks, Pdu};
use crate::probe::Probe;
use crate::round::lane::{Inbox, Key, LaneId, Place, Record};
use crate::time::Time;

impl Port {
    /// Takes what arrives before `until`, and serves.
    pub fn run<P: Probe>(&mut self, inbox: &mut Inbox, until: Key, ctx: &mut Ctx<P>) {
        match self.quiet.take() {
            Some(limits) => {
                self.run_lean(&limits, inbox, until, ctx);
                self.quiet = Some(limits);
            }
            None => inbox.drain(until, ctx, |lane, record, ctx| self.take_any(lane, record, ctx)),
        }
        self.serve_until(until, ctx);
    }

    /// Brings what is evaluated late up to `now`.
    pub fn catch_up<P: Probe>(&mut self, now: Time, ctx: &mut Ctx<P>) {
        self.advance(now, ctx);
    }

    /// A PDU at any port.
    fn take_any<P: Probe>(&mut self, lane: usize, record: &Record, ctx: &mut Ctx<P>) {
        if let Some(key) = self.gathered()
            && key < record.key()
        {
            self.take_gathered(ctx);
        }
        if self.shown[lane] {
            return self.show_backward(record, ctx);
        }
        match &mut self.gathering {
            Some(gathering) => {
                gathering.arrived.push(record.pdu);
                gathering.at = record.time;
            }
            None => self.take(record, ctx),
        }
    }

    /// Serves until then what cannot be told before, and takes what has been gathered.
    #[inline]
    fn serve_until<P: Probe>(&mut self, until: Key, ctx: &mut Ctx<P>) {
        loop {
            let key = self.timer();
            if key >= until {
                return;
            }
            if self.gathered() == Some(key) {
                self.take_gathered(ctx);
            } else {
                self.advance(key.time, ctx);
            }
        }
    }

    /// Takes the PDUs of an instant at random.
    fn take_gathered<P: Probe>(&mut self, ctx: &mut Ctx<P>) {
        let Some(gathering) = &mut self.gathering else { return };
        let time = std::mem::replace(&mut gathering.at, Time::NEVER);
        let mut arrived = std::mem::take(&mut gathering.arrived);
        while !arrived.is_empty() {
            let chosen = match (arrived.len(), &mut self.gathering) {
                (count @ 2.., Some(gathering)) => gathering.stream.below(count as u64) as usize,
                _ => 0,
            };
            let pdu = arrived.swap_remove(chosen);
            self.take(&Record { time, place: self.places.gathering, order: 0, pdu }, ctx);
        }
        if let Some(gathering) = &mut self.gathering {
            gathering.arrived = arrived;
        }
    }

    /// Shows a PDU on its way back to the congestion point, which may change it, and lets it go on.
    pub(super) fn show_backward<P: Probe>(&mut self, record: &Record, ctx: &mut Ctx<P>) {
        self.advance(record.time, ctx);
        let mut shown = *record;
        let view = self.view(&shown.pdu, record.time);
        if let Some(point) = &mut self.congestion {
            point.on_backward(&mut shown.pdu, &view);
        }
        ctx.put(self.ways.of(&record.pdu).back, shown);
    }

    #[inline]
    fn queue_of(&self, pdu: &Pdu) -> usize {
        usize::from(pdu.priority).min(self.policies.len() - 1)
    }

    #[inline]
    fn view(&self, pdu: &Pdu, now: Time) -> PortView {
        let queue = self.queue_of(pdu);
        let length = self.shown_length(queue, self.queues.states[queue].present);
        PortView { now, length, size: self.policies[queue].size(), refused: false }
    }

    /// What the congestion point is told of a queue with `present` PDUs.
    #[inline]
    fn shown_length(&self, queue: usize, present: u64) -> u64 {
        if self.point_counts_bits { self.queues.bits_in(queue) } else { present }
    }

    /// A PDU joins its queue, or is discarded.
    #[inline(never)]
    fn take<P: Probe>(&mut self, record: &Record, ctx: &mut Ctx<P>) {
        let (at, mut pdu) = (record.time, record.pdu);
        let queue = self.queue_of(&pdu);
        self.advance(at, ctx);
        let state = self.queues.of(queue);
        state.measures.arrived += 1;
        let length = state.present;
        if self.outage.is_some_and(|outage| outage.covers(at)) {
            // A broken line is no congestion: the congestion point learns nothing of it.
            return self.count_discard(&pdu, at, ctx);
        }
        let policy = &self.policies[queue];
        let judged = if policy.counts_bits() { self.queues.bits_in(queue) } else { length };
        let (refused, victim) = match policy.verdict(&pdu, judged) {
            Verdict::Admit => (false, None),
            Verdict::Discard => (true, None),
            Verdict::PushOut => {
                let victim = self.server.remove_tagged(queue);
                (victim.is_none(), victim)
            }
        };
        if self.congestion.is_some() {
            let size = self.policies[queue].size();
            let length = self.shown_length(queue, length);
            self.show_arrival(&mut pdu, record.key(), &PortView { now: at, length, size, refused }, ctx);
        }
        if refused {
            return self.discard(&pdu, record.key(), ctx);
        }
        if let Some(victim) = victim {
            self.queues.evict(queue, at, victim.bits());
            self.discard(&victim, record.key(), ctx);
        }
        self.queues.enter(queue, at, pdu.bits());
        let is_known = queue == 0 && !self.wants_departures && !self.policies[queue].pushes_out();
        let waiting = Waiting { pdu, place: record.place };
        if is_known || self.server.free_at <= at {
            self.begin(waiting, self.server.free_at.max(at), queue, ctx);
        } else {
            self.server.wait(queue, waiting);
        }
    }

    /// The PDU is sent from `start` on.
    fn begin<P: Probe>(&mut self, waiting: Waiting, start: Time, queue: usize, ctx: &mut Ctx<P>) {
        let departure = self.server.begin(waiting.pdu.bits(), start, queue, &mut ctx.end);
        if self.wants_departures {
            self.server.in_service = Some(waiting);
        } else {
            let Waiting { pdu, place } = waiting;
            self.deliver(&pdu, departure, place, ctx);
        }
    }

    /// Puts what departs at `departure` into the lane of the node behind the line.
    #[inline(always)]
    fn deliver<P: Probe>(&mut self, pdu: &Pdu, departure: Time, cause: Place, ctx: &mut Ctx<P>) {
        let lane = match self.only_way {
            Some(lane) => lane,
            None => self.ways.of(pdu).on,
        };
        let place = if self.is_instant { cause } else { self.places.delivery };
        ctx.put(lane, Record { time: departure + self.server.delay, place, order: 0, pdu: *pdu });
    }

    /// Lets everything depart that does by `now`, and serves what waits.
    #[inline(always)]
    fn advance<P: Probe>(&mut self, now: Time, ctx: &mut Ctx<P>) {
        while let Some(departure) = self.server.depart(now) {
            self.queues.leave(departure.queue as usize, departure.at, u64::from(departure.bits));
            if self.wants_departures {
                self.depart(departure.at, departure.queue as usize, ctx);
            }
        }
        if self.server.waiting_count > 0 && self.server.free_at <= now {
            self.serve_waiting(now, ctx);
        }
    }

    #[inline(never)]
    fn serve_waiting<P: Probe>(&mut self, now: Time, ctx: &mut Ctx<P>) {
        while self.server.free_at <= now {
            let start = self.server.free_at;
            let Some(waiting) = self.server.next() else { return };
            let queue = self.queue_of(&waiting.pdu);
            self.begin(waiting, start, queue, ctx);
            while let Some(departure) = self.server.depart(now) {
                self.queues.leave(departure.queue as usize, departure.at, u64::from(departure.bits));
                if self.wants_departures {
                    self.depart(departure.at, departure.queue as usize, ctx);
                }
            }
        }
    }

    /// The congestion point watches the departure at `now` of the PDU in service.
    fn depart<P: Probe>(&mut self, now: Time, queue: usize, ctx: &mut Ctx<P>) {
        let Some(Waiting { mut pdu, place }) = self.server.in_service.take() else { return };
        let length = self.shown_length(queue, self.queues.states[queue].present);
        let size = self.policies[queue].size();
        let marks = pdu.marks;
        if let Some(point) = &mut self.congestion {
            point.on_departure(&mut pdu, &PortView { now, length, size, refused: false });
        }
        self.count_marked(&pdu, marks);
        self.deliver(&pdu, now, place, ctx);
    }

    #[inline]
    pub(super) fn count_marked(&mut self, pdu: &Pdu, before: Marks) {
        if pdu.marks != before && pdu.kind().is_data() {
            self.group_of(pdu).marked += 1;
        }
    }

    fn group_of(&mut self, pdu: &Pdu) -> &mut GroupMeasures {
        &mut self.by_group[self.groups[pdu.flow.index()] as usize]
    }

    #[inline]
    fn show_arrival<P: Probe>(&mut self, pdu: &mut Pdu, key: Key, view: &PortView, ctx: &mut Ctx<P>) {
        let Some(point) = &mut self.congestion else { return };
        let marks = pdu.marks;
        let notice = point.on_arrival(pdu, view);
        self.count_marked(pdu, marks);
        if let Some(notice) = notice {
            self.notify(notice, pdu, key, ctx);
        }
    }

    #[cold]
    pub(super) fn notify<P: Probe>(&mut self, notice: Notice, about: &Pdu, key: Key, ctx: &mut Ctx<P>) {
        if let Some(report) = self.congestion.as_ref().and_then(|point| point.error_report(about)) {
            return self.report(&report, about, key, ctx);
        }
        let body = Body::Notice { point: self.number, severity: notice.severity };
        let mut pdu = Pdu::new(about.flow, self.notices, CELL_OCTETS, 0, body);
        pdu.marks.set(Marks::DIR.with(Marks::BN));
        self.group_of(about).notices[usize::from(notice.severity).min(3)] += 1;
        ctx.probe.on_notice(&self.name, about.flow, notice.severity, key.time);
        self.send_back(pdu, key, ctx);
    }

    /// Sends an Error Report back the way `about` came.
    fn report<P: Probe>(&mut self, report: &Answer, about: &Pdu, key: Key, ctx: &mut Ctx<P>) {
        let mut pdu = Pdu::new(about.flow, self.notices, report.octets, about.priority, report.body);
        pdu.marks.set(report.marks);
        if !about.is_backward() {
            pdu.marks.set(Marks::DIR);
        }
        self.group_of(about).error_reports += 1;
        self.send_back(pdu, key, ctx);
    }

    /// Sends a PDU of its own, in the place of what caused it.
    fn send_back<P: Probe>(&mut self, pdu: Pdu, key: Key, ctx: &mut Ctx<P>) {
        self.notices = self.notices.wrapping_add(1);
        ctx.count_sent(&pdu);
        let lane = self.ways.of(&pdu).back;
        debug_assert!(lane != LaneId::NONE, "a port that tells has a way back");
        ctx.put(lane, Record { time: key.time, place: key.place, order: 0, pdu });
    }

    #[cold]
    fn discard<P: Probe>(&mut self, pdu: &Pdu, key: Key, ctx: &mut Ctx<P>) {
        self.count_discard(pdu, key.time, ctx);
        let view = PortView { refused: true, ..self.view(pdu, key.time) };
        self.tell_discard(pdu, key, &view, ctx);
    }

    /// The congestion point learns of a discard.
    pub(super) fn tell_discard<P: Probe>(&mut self, pdu: &Pdu, key: Key, view: &PortView, ctx: &mut Ctx<P>) {
        let notice = self.congestion.as_mut().and_then(|point| point.on_discard(pdu, view));
        if let Some(notice) = notice {
            self.notify(notice, pdu, key, ctx);
        }
    }

    /// A PDU ends here.
    #[cold]
    fn count_discard<P: Probe>(&mut self, pdu: &Pdu, at: Time, ctx: &mut Ctx<P>) {
        let queue = self.queue_of(pdu);
        self.queues.of(queue).measures.discarded += 1;
        self.end_here(pdu, at, ctx);
    }

    /// A PDU ends here, of which its queue knows.
    #[cold]
    pub(super) fn end_here<P: Probe>(&mut self, pdu: &Pdu, at: Time, ctx: &mut Ctx<P>) {
        self.group_of(pdu).discarded[kind_of(pdu)] += 1;
        self.fingerprint.mix(at.0);
        self.fingerprint.mix(u64::from(pdu.flow.0) << 32 | u64::from(pdu.sequence));
        ctx.count_dropped(pdu);
        ctx.probe.on_discarded(&self.name, pdu, at);
    }
}
