//! Admission, service and notices of a port.

use super::buffer::Room;
use super::scheduler::Schedule;
use super::{Port, queue_of};
use crate::control::{Answer, CongestionPoint, Notice, PortView, ServiceView};
use crate::core::key::{Key, Place};
use crate::core::pdu::{Body, CELL_OCTETS, Marks, Pdu};
use crate::core::probe::Probe;
use crate::core::time::Time;
use crate::network::context::{Ctx, kind_of};
use crate::network::inbox::Inbox;
use crate::network::lane::{LaneId, Record};
use crate::queue::lengths::Newest;
use crate::queue::store::Waiting;
use crate::queue::{Discard, Discipline, Fate, HeadView, QueueView, Verdict};

impl Port {
    /// Handles all arrivals and timers before `until`.
    pub fn run<P: Probe>(&mut self, inbox: &Inbox, until: Key, ctx: &mut Ctx<P>) {
        inbox.drain(until, ctx, |lane, records, ctx| {
            if self.observed[lane] {
                records.iter().for_each(|record| self.observe_only(record, ctx));
            } else if self.gathering.is_some() {
                self.gather(records, ctx);
            } else {
                self.admit_all(records, ctx);
            }
        });
        self.serve_until(until, ctx);
        self.bound_other_delays(until.time);
        ctx.end = ctx.end.min(self.server.line.end);
    }

    /// Computes all departures and services up to `now`.
    pub fn catch_up<P: Probe>(&mut self, now: Time, ctx: &mut Ctx<P>) {
        self.advance(now, ctx);
        ctx.end = ctx.end.min(self.server.line.end);
        self.forget_other_delays(now);
        for queue in 0..self.policies.len() {
            let view = self.queue_view(queue, now);
            self.policies[queue].catch_up(&view);
            self.catch_up_lists(queue, now);
        }
    }

    /// A backward PDU that the congestion point only observes.
    fn observe_only<P: Probe>(&mut self, record: &Record, ctx: &mut Ctx<P>) {
        if self.gathered().is_some_and(|gathered| gathered < record.key()) {
            self.admit_gathered(ctx);
        }
        self.observe_backward(record, ctx);
    }

    /// Admits PDUs one after another.
    fn admit_all<P: Probe>(&mut self, records: &mut [Record], ctx: &mut Ctx<P>) {
        if self.limits.is_some() {
            self.admit_in_loop(records, ctx);
        } else {
            records.iter().for_each(|record| self.admit(record, ctx));
        }
    }

    /// Collects PDUs for a random order: more PDUs of the last instant may follow.
    fn gather<P: Probe>(&mut self, records: &[Record], ctx: &mut Ctx<P>) {
        let Some(gathering) = &mut self.gathering else { return };
        let place = self.places.gathering;
        for record in records {
            // PDUs that another port gathered can arrive after this port has admitted its own PDUs of the same instant.
            if (Key { time: gathering.at, place }) < record.key() {
                gathering.draw(place);
            }
            gathering.arrived.push(*record);
            gathering.at = record.time;
        }
        self.admit_drawn(ctx);
    }

    /// Admits the PDUs of an instant that is over.
    fn admit_gathered<P: Probe>(&mut self, ctx: &mut Ctx<P>) {
        if let Some(gathering) = &mut self.gathering {
            gathering.draw(self.places.gathering);
        }
        self.admit_drawn(ctx);
    }

    /// Admits the PDUs whose order is drawn.
    fn admit_drawn<P: Probe>(&mut self, ctx: &mut Ctx<P>) {
        let Some(gathering) = &mut self.gathering else { return };
        let mut drawn = std::mem::take(&mut gathering.drawn);
        self.admit_all(&mut drawn, ctx);
        drawn.clear();
        if let Some(gathering) = &mut self.gathering {
            gathering.drawn = drawn;
        }
    }

    /// Handles services that are not known in advance, and admits gathered PDUs, before `until`.
    #[inline]
    fn serve_until<P: Probe>(&mut self, until: Key, ctx: &mut Ctx<P>) {
        loop {
            let key = self.timer();
            if key >= until {
                return;
            }
            if self.gathered() == Some(key) {
                self.admit_gathered(ctx);
            } else {
                self.advance(key.time, ctx);
            }
        }
    }

    /// Passes a backward PDU to the congestion point, which may change it, and forwards it.
    fn observe_backward<P: Probe>(&mut self, record: &Record, ctx: &mut Ctx<P>) {
        self.advance(record.time, ctx);
        let mut observed = *record;
        let view = self.view(&observed.pdu, record.time);
        if let Some(point) = &mut self.congestion {
            point.on_backward(&mut observed.pdu, &view);
        }
        ctx.send(self.next_lanes.of(&record.pdu).backward, observed);
    }

    #[inline]
    pub(super) fn queue_of(&self, pdu: &Pdu) -> usize {
        queue_of(pdu, self.policies.len())
    }

    #[inline]
    fn view(&self, pdu: &Pdu, now: Time) -> PortView {
        let queue = self.queue_of(pdu);
        let length = self.observed_length(queue, pdu, now);
        PortView { now, length, size: self.policies[queue].size(), refused: false }
    }

    /// The queue length that the congestion point observes for `pdu` of this queue.
    #[inline]
    fn observed_length(&self, queue: usize, pdu: &Pdu, now: Time) -> u64 {
        if !self.point_counts_bits {
            return self.queues.states[queue].present;
        }
        let precedence = self.precedence.as_ref();
        let parts = precedence.and_then(|precedence| precedence.bits(queue, pdu.npdu_priority(), now));
        let [waiting, transmitted] = parts.unwrap_or_else(|| {
            let first = self.server.departures.front().filter(|first| first.queue as usize == queue);
            let transmitted = first.map_or(0, |first| u64::from(first.bits));
            [self.queues.bits_in(queue).saturating_sub(transmitted), transmitted]
        });
        waiting + if self.point_counts_transmission { transmitted } else { 0 }
    }

    /// A PDU arrives: it joins its queue or is discarded.
    #[inline(never)]
    fn admit<P: Probe>(&mut self, record: &Record, ctx: &mut Ctx<P>) {
        let (at, mut pdu) = (record.time, record.pdu);
        let queue = self.queue_of(&pdu);
        self.advance(at, ctx);
        let state = self.queues.of(queue);
        state.measures.arrived += 1;
        if let Some(bits) = &mut self.queues.bits {
            bits.arrived += pdu.bits();
        }
        if self.outage.is_some_and(|outage| outage.covers(at)) {
            // A broken line is not congestion: the congestion point does not see the PDU.
            return self.count_discard(&pdu, at, ctx);
        }
        let (mut victim, mut victims) = (None, None);
        let room = self.room_for(&pdu, queue);
        let verdict = if room == Room::None { Verdict::Discard } else { self.judge(&mut pdu, queue, at) };
        let refused = match verdict {
            Verdict::Admit => false,
            Verdict::Discard => true,
            Verdict::PushOut => {
                victim = self.server.waiting.remove_tagged(queue);
                victim.is_none()
            }
            Verdict::MakeRoom => {
                victims = self.find_victims(&pdu, queue);
                victims.is_none()
            }
        };
        if self.congestion.is_some() {
            let size = self.policies[queue].size();
            let length = self.observed_length(queue, &pdu, at);
            self.observe_arrival(&mut pdu, record.key(), &PortView { now: at, length, size, refused }, ctx);
        }
        if refused {
            self.queues.refuse(queue, at, pdu.flow);
            return self.discard(&pdu, record.key(), ctx);
        }
        if let Some(victim) = victim {
            self.queues.evict(queue, at, victim.bits());
            self.discard(&victim, record.key(), ctx);
        }
        if let Some(victims) = victims {
            self.discard_heads(victims, record.key(), queue, ctx);
        }
        if let Room::Behind(longest) = room {
            self.make_room(pdu.bits(), longest, record.key(), ctx);
        }
        self.join(pdu, record.key(), queue, ctx);
    }

    /// The verdict of the queue's policy about `pdu`, which has not joined it yet. The policy may mark the PDU.
    #[inline]
    fn judge(&mut self, pdu: &mut Pdu, queue: usize, now: Time) -> Verdict {
        let view = self.queue_view(queue, now);
        self.catch_up_lists(queue, now);
        let policy = &mut self.policies[queue];
        let marks = pdu.marks;
        policy.catch_up(&view);
        let verdict = policy.on_arrival(pdu, &view);
        self.groups.count_marked(pdu, marks);
        verdict
    }

    /// A queue as its policy sees it.
    #[inline]
    pub(super) fn queue_view(&self, queue: usize, now: Time) -> QueueView {
        let counts_bits = self.policies[queue].counts_bits();
        QueueView {
            now,
            length: if counts_bits { self.queues.bits_in(queue) } else { self.queues.states[queue].present },
            free_at: self.server.line.free_at,
            head_since: self.server.waiting.head_since(queue),
            waiting_bits: self.server.waiting.bits(queue),
        }
    }

    /// Handles `pdu` after the congestion point has processed its arrival with the key `key` and returned `notice`.
    pub(super) fn admit_observed<P: Probe>(
        &mut self,
        pdu: Pdu,
        key: Key,
        (refused, notice): (bool, Option<Notice>),
        ctx: &mut Ctx<P>,
    ) {
        let queue = self.queue_of(&pdu);
        self.queues.of(queue).measures.arrived += 1;
        if let Some(notice) = notice {
            self.notify(notice, &pdu, key, ctx);
        }
        if refused {
            self.queues.refuse(queue, key.time, pdu.flow);
            self.discard(&pdu, key, ctx);
        } else {
            self.join(pdu, key, queue, ctx);
        }
    }

    /// A PDU joins its queue.
    fn join<P: Probe>(&mut self, pdu: Pdu, Key { time: at, place }: Key, queue: usize, ctx: &mut Ctx<P>) {
        self.queues.enter(queue, at, pdu.bits());
        self.queues.newest[queue] = Newest { at, flow: pdu.flow };
        let is_known = self.is_first_known && queue == self.first_queue;
        let mut waiting = Waiting { pdu, place, arrived: at };
        let free_at = self.server.line.free_at;
        let is_free = free_at <= at && self.scheduler.is_strict() && !self.has_lists;
        self.rest_lists(at);
        if is_known || is_free {
            if is_known || self.passes_head(&mut waiting, at, queue, ctx) {
                self.begin(waiting, free_at.max(at), queue, false, ctx);
            }
            return;
        }
        if let Some(precedence) = &mut self.precedence {
            precedence.wait(queue, &pdu);
            self.server.waiting.insert(queue, waiting, |other| precedence.overtakes(queue, &waiting, other));
        } else {
            self.wait(queue, waiting);
        }
        if free_at <= at {
            self.serve_waiting(at, ctx);
        }
    }

    /// Whether the policy of the queue lets the PDU at its head pass, for which the line is free at `start`. A PDU that does
    /// not pass is discarded.
    #[inline(always)]
    fn passes_head<P: Probe>(&mut self, waiting: &mut Waiting, start: Time, queue: usize, ctx: &mut Ctx<P>) -> bool {
        !self.decides_at_head || self.ask_head(waiting, start, queue, ctx)
    }

    fn ask_head<P: Probe>(&mut self, waiting: &mut Waiting, start: Time, queue: usize, ctx: &mut Ctx<P>) -> bool {
        let Waiting { pdu, arrived, .. } = waiting;
        let policy = &mut self.policies[queue];
        if !policy.decides_at_head() {
            return true;
        }
        let view =
            HeadView { now: start, sojourn: start.since(*arrived), behind: self.server.waiting.bits_behind(queue) };
        let marks = pdu.marks;
        let fate = policy.on_head(pdu, &view);
        self.groups.count_marked(pdu, marks);
        if fate == Fate::Discard {
            self.queues.evict(queue, start, pdu.bits());
            self.discard(pdu, Key { time: start, place: self.places.service }, ctx);
        }
        fate == Fate::Send
    }

    /// Sends a PDU, which has waited or not, from `start` on.
    fn begin<P: Probe>(&mut self, waiting: Waiting, start: Time, queue: usize, has_waited: bool, ctx: &mut Ctx<P>) {
        if self.writes_telemetry {
            self.write_telemetry(&waiting.pdu, start, ctx);
        }
        let departure = self.server.begin(waiting.pdu.bits(), [waiting.arrived, start], queue);
        if let Some(precedence) = &mut self.precedence {
            precedence.transmit(queue, &waiting.pdu, has_waited, departure);
        }
        if self.wants_departures {
            self.server.in_service = Some(waiting);
        } else {
            let Waiting { pdu, place, .. } = waiting;
            self.deliver(&pdu, departure, place, ctx);
        }
    }

    /// Tells the congestion point of a PDU whose service begins at `start`, and writes its answer beside it.
    #[inline(never)]
    fn write_telemetry<P: Probe>(&mut self, pdu: &Pdu, start: Time, ctx: &mut Ctx<P>) {
        let Some(point) = &mut self.congestion else { return };
        let waiting = (0..self.policies.len()).map(|queue| self.server.waiting.bits(queue)).sum();
        let hop = point.on_service(pdu, &ServiceView { start, waiting });
        ctx.records.side.write(pdu, hop);
    }

    /// Appends a PDU that departs at `departure` to the lane behind the line.
    #[inline(always)]
    fn deliver<P: Probe>(&mut self, pdu: &Pdu, departure: Time, cause: Place, ctx: &mut Ctx<P>) {
        let lane = match self.only_lane {
            Some(lane) => lane,
            None => self.next_lanes.of(pdu).forward,
        };
        let place = if self.is_instant { cause } else { self.places.delivery };
        let mut time = self.server.arrival(departure);
        if self.server.line.last_arrival.is_some() {
            if self.server.reorders() {
                time = self.keep_own_delay(departure, time);
                return ctx.insert(lane, Record { time, place, order: 0, pdu: *pdu });
            }
            self.keep_other_delay(departure, time);
        }
        ctx.send(lane, Record { time, place, order: 0, pdu: *pdu });
    }

    /// Handles all departures up to `now`, and serves waiting PDUs.
    #[inline(always)]
    fn advance<P: Probe>(&mut self, now: Time, ctx: &mut Ctx<P>) {
        while let Some(departure) = self.server.depart(now) {
            self.queues.leave(departure.queue as usize, departure.at, u64::from(departure.bits));
            if self.wants_departures {
                self.depart(departure.at, departure.queue as usize, ctx);
            }
        }
        if self.server.waiting.count > 0 && self.server.line.free_at <= now {
            self.serve_waiting(now, ctx);
        }
    }

    #[inline(never)]
    fn serve_waiting<P: Probe>(&mut self, now: Time, ctx: &mut Ctx<P>) {
        while self.server.line.free_at <= now {
            self.choose_lists();
            let Some(queue) = self.scheduler.next(&self.server.waiting) else { return };
            let Some(mut waiting) = self.server.waiting.pop(queue) else { return };
            // The line may have been free for a while.
            let start = self.server.line.free_at.max(waiting.arrived);
            if !self.passes_head(&mut waiting, start, queue, ctx) {
                continue;
            }
            self.scheduler.sent(queue, waiting.pdu.bits());
            self.begin(waiting, start, queue, true, ctx);
            while let Some(departure) = self.server.depart(now) {
                self.queues.leave(departure.queue as usize, departure.at, u64::from(departure.bits));
                if self.wants_departures {
                    self.depart(departure.at, departure.queue as usize, ctx);
                }
            }
        }
    }

    /// Passes the PDU in service, which departs at `now`, to the congestion point.
    fn depart<P: Probe>(&mut self, now: Time, queue: usize, ctx: &mut Ctx<P>) {
        let Some(Waiting { mut pdu, place, .. }) = self.server.in_service.take() else { return };
        let length = self.observed_length(queue, &pdu, now);
        let size = self.policies[queue].size();
        let marks = pdu.marks;
        if let Some(point) = &mut self.congestion {
            point.on_departure(&mut pdu, &PortView { now, length, size, refused: false });
        }
        self.groups.count_marked(&pdu, marks);
        self.deliver(&pdu, now, place, ctx);
    }

    #[inline]
    fn observe_arrival<P: Probe>(&mut self, pdu: &mut Pdu, key: Key, view: &PortView, ctx: &mut Ctx<P>) {
        let Some(point) = &mut self.congestion else { return };
        let marks = pdu.marks;
        let notice = point.on_arrival(pdu, view);
        self.groups.count_marked(pdu, marks);
        if let Some(notice) = notice {
            self.notify(notice, pdu, key, ctx);
        }
    }

    #[cold]
    fn notify<P: Probe>(&mut self, notice: Notice, about: &Pdu, key: Key, ctx: &mut Ctx<P>) {
        if let Some(report) = self.congestion.as_deref().and_then(|point| point.error_report(about)) {
            return self.report(&report, about, key, ctx);
        }
        let own = Body::Notice { point: self.number, severity: notice.severity };
        let mut pdu = match self.congestion.as_deref().and_then(|point| point.notice_cell(about)) {
            Some(Answer { body, marks, octets }) => {
                let mut pdu = Pdu::new(about.flow, self.notices, octets, about.priority, body);
                pdu.marks.set(marks);
                pdu
            }
            None => Pdu::new(about.flow, self.notices, CELL_OCTETS, 0, own),
        };
        pdu.marks.set(Marks::DIR.with(Marks::BN));
        self.groups.of(about).notices[notice.class()] += 1;
        ctx.probe.on_notice(&self.name, about.flow, notice.severity, key.time);
        self.send_back(pdu, key, ctx);
    }

    /// Sends an Error Report in the direction from which `about` came.
    fn report<P: Probe>(&mut self, report: &Answer, about: &Pdu, key: Key, ctx: &mut Ctx<P>) {
        let mut pdu = Pdu::new(about.flow, self.notices, report.octets, about.priority, report.body);
        pdu.set_npdu_priority(about.npdu_priority());
        pdu.marks.set(report.marks);
        if !about.is_backward() {
            pdu.marks.set(Marks::DIR);
        }
        self.groups.of(about).error_reports += 1;
        self.send_back(pdu, key, ctx);
    }

    /// Sends a PDU of the port itself; it has the place of its cause.
    fn send_back<P: Probe>(&mut self, pdu: Pdu, key: Key, ctx: &mut Ctx<P>) {
        self.notices = self.notices.wrapping_add(1);
        ctx.count_sent(&pdu);
        let lane = self.next_lanes.of(&pdu).backward;
        debug_assert!(lane != LaneId::NONE, "a port that sends notices has a backward lane");
        ctx.send(lane, Record { time: key.time, place: key.place, order: 0, pdu });
    }

    #[cold]
    pub(super) fn discard<P: Probe>(&mut self, pdu: &Pdu, key: Key, ctx: &mut Ctx<P>) {
        self.count_discard(pdu, key.time, ctx);
        let view = PortView { refused: true, ..self.view(pdu, key.time) };
        self.tell_discard(pdu, key, &view, ctx);
    }

    /// Reports a discard to the congestion point.
    fn tell_discard<P: Probe>(&mut self, pdu: &Pdu, key: Key, view: &PortView, ctx: &mut Ctx<P>) {
        let notice = self.congestion.as_deref_mut().and_then(|point| point.on_discard(pdu, view));
        if let Some(notice) = notice {
            self.notify(notice, pdu, key, ctx);
        }
    }

    /// Counts a discarded PDU.
    #[cold]
    pub(super) fn count_discard<P: Probe>(&mut self, pdu: &Pdu, at: Time, ctx: &mut Ctx<P>) {
        let queue = self.queue_of(pdu);
        self.queues.of(queue).measures.discarded += 1;
        self.end_here(pdu, at, ctx);
    }

    /// Counts a discarded PDU that its queue has already counted.
    #[cold]
    fn end_here<P: Probe>(&mut self, pdu: &Pdu, at: Time, ctx: &mut Ctx<P>) {
        self.groups.of(pdu).discarded[kind_of(pdu)] += 1;
        self.fingerprint.mix(at.0);
        self.fingerprint.mix(u64::from(pdu.flow.0) << 32 | u64::from(pdu.sequence));
        ctx.count_dropped(pdu);
        ctx.probe.on_discarded(&self.name, pdu, at);
    }
}
