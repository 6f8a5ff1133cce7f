//! Port: priority queues, discard policies and congestion point at a line, and the line behind them.
//!
//! A port is *stepped* or a *ring* ([`Form`] tells the ring's variants). Stepped, each service end and each delivery is
//! an event. In the ring, departures are computed when a PDU arrives (or, of low priority, when the next arrival proves
//! that it may start), and only the delivery at the far end of the line is an event, if that. The results are the same
//! to the bit.

mod bits;
mod queues;
mod ring;
mod stepped;
mod transit;

use std::sync::Arc;

use crate::control::{Answer, Congestion, CongestionPoint, Notice, PortView};
use crate::discard::{Discard, Policy, Verdict};
use crate::node::{Ctx, Node, NodeId, Timer};
use crate::pdu::{Body, CELL_OCTETS, Marks, Pdu};
use crate::probe::Probe;
use crate::random::Stream;
use crate::stats::Fingerprint;
use crate::time::{Interval, LineRate, Span, Time};
use bits::BitCount;
use queues::Queues;
pub use queues::{QueueMeasures, QueueState};
use ring::Ring;
use stepped::Stepped;

/// The most queues that a port can have.
pub const MOST_QUEUES: usize = 8;

/// How a port's departures and deliveries come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Service ends and deliveries are events.
    Stepped,
    /// Deliveries are events.
    Ring,
    /// No events: deliveries are caught up when the next PDU is handed over, and at each stop.
    Late,
    /// No deliveries: receivers are told of arrivals as soon as the departure is known.
    Ahead,
}

/// PDUs of one instant, to be taken in random order.
#[derive(Clone, Debug)]
struct Gathering {
    stream: Stream,
    arrived: Vec<Pdu>,
    at: Time,
}

/// What a port did to one group of flows since the last reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupMeasures {
    /// PDUs discarded: data, control.
    pub discarded: [u64; 2],
    /// Data PDUs whose marks the congestion point changed.
    pub marked: u64,
    /// Notices sent, by severity (the last counts all above).
    pub notices: [u64; 4],
    /// Error Report NPDUs sent.
    pub error_reports: u64,
}

/// How PDUs get from the queues to the far end of the line.
#[derive(Clone, Debug)]
enum Transmitter {
    Stepped(Stepped),
    Ring(Ring),
}

/// What a port is built from.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Name, for errors and tables.
    pub name: String,
    /// Number of the port.
    pub number: u32,
    /// Names of the nodes where it stands and where its line ends.
    pub between: [String; 2],
    /// Node at the far end of the line.
    pub to: NodeId,
    /// Node that sends its notices back.
    pub switch: NodeId,
    /// Rate of the line; a mere delay has none.
    pub rate: Option<LineRate>,
    /// Propagation delay of the line.
    pub delay: Span,
    /// When the line is broken.
    pub outage: Option<Interval>,
    /// Discard policy of each queue, by priority; at least one, at most [`MOST_QUEUES`].
    pub policies: Vec<Policy>,
    /// Congestion point.
    pub congestion: Option<Congestion>,
    /// Random numbers for the order of PDUs that arrive in one instant; in the order of the tie rule without.
    pub order: Option<Stream>,
    /// Group of each flow.
    pub groups: Arc<[u32]>,
    /// Number of groups.
    pub group_count: usize,
    /// Whether the bits present are measured.
    pub measures_bits: bool,
}

/// Output port and line.
#[derive(Clone, Debug)]
pub struct Port {
    policies: Vec<Policy>,
    queues: Queues,
    congestion: Option<Congestion>,
    transmitter: Transmitter,
    gathering: Option<Gathering>,
    /// Nothing has to be told, pushed out, gathered or refused by a broken line.
    is_quiet: bool,
    to: NodeId,
    switch: NodeId,
    number: u32,
    wants_departures: bool,
    /// Whether lengths are shown to the congestion point in bits.
    point_counts_bits: bool,
    groups: Arc<[u32]>,
    by_group: Vec<GroupMeasures>,
    notices: u32,
    fingerprint: Fingerprint,
    name: String,
    between: [String; 2],
    rate: Option<LineRate>,
    delay: Span,
    outage: Option<Interval>,
}

impl Port {
    /// Builds the port in the given form.
    #[must_use]
    pub fn new(parts: Parts, form: Form) -> Port {
        let wants_departures = parts.congestion.as_ref().is_some_and(CongestionPoint::wants_departures);
        let point_counts_bits = parts.congestion.as_ref().is_some_and(CongestionPoint::counts_bits);
        let counts_bits = parts.measures_bits || point_counts_bits || parts.policies.iter().any(Discard::counts_bits);
        let bits = counts_bits.then(|| Box::new(BitCount::new(parts.rate)));
        let transmitter = match form {
            Form::Stepped => Transmitter::Stepped(Stepped::new(parts.rate, parts.delay, parts.policies.len())),
            _ => Transmitter::Ring(Ring::new(parts.rate, parts.delay, parts.policies.len(), form)),
        };
        let is_ring = matches!(transmitter, Transmitter::Ring(_));
        Port {
            is_quiet: is_ring
                && bits.is_none()
                && parts.congestion.is_none()
                && parts.order.is_none()
                && parts.outage.is_none(),
            policies: parts.policies,
            queues: Queues { bits, ..Queues::default() },
            congestion: parts.congestion,
            transmitter,
            gathering: parts.order.map(|stream| Gathering { stream, arrived: Vec::new(), at: Time::NEVER }),
            to: parts.to,
            switch: parts.switch,
            number: parts.number,
            wants_departures,
            point_counts_bits,
            by_group: vec![GroupMeasures::default(); parts.group_count],
            groups: parts.groups,
            notices: 0,
            fingerprint: Fingerprint::default(),
            name: parts.name,
            between: parts.between,
            rate: parts.rate,
            delay: parts.delay,
            outage: parts.outage,
        }
    }

    /// Name of the port.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Names of the nodes where it stands and where its line ends.
    #[must_use]
    pub fn between(&self) -> &[String; 2] {
        &self.between
    }

    /// Rate of its line; a mere delay has none.
    #[must_use]
    pub fn rate(&self) -> Option<LineRate> {
        self.rate
    }

    /// Propagation delay of its line.
    #[must_use]
    pub fn delay(&self) -> Span {
        self.delay
    }

    /// Its queues, by priority.
    #[must_use]
    pub fn queues(&self) -> &[QueueState] {
        &self.queues.states[..self.policies.len()]
    }

    /// Most PDUs present in all queues together since the last reset.
    #[must_use]
    pub fn most_present(&self) -> u64 {
        self.queues.most
    }

    /// Most PDUs present in all queues together before the last reset.
    #[must_use]
    pub fn most_present_before(&self) -> u64 {
        self.queues.most_before
    }

    /// Bits present in all queues together, where they are counted.
    #[must_use]
    pub fn bits_present(&self) -> Option<u64> {
        self.queues.bits.as_ref().map(|count| count.total())
    }

    /// Area under the bits present since the last reset, in bits times picoseconds: whole, and without the PDU in
    /// transmission.
    #[must_use]
    pub fn bits_areas(&self, now: Time) -> Option<(u128, u128)> {
        let serving = match &self.transmitter {
            Transmitter::Stepped(stepped) => stepped.serving(),
            Transmitter::Ring(ring) => ring.serving(),
        };
        self.queues.bits.as_ref().map(|count| count.areas(now, serving))
    }

    /// What it did to each group.
    #[must_use]
    pub fn by_group(&self) -> &[GroupMeasures] {
        &self.by_group
    }

    /// Its congestion point.
    pub fn congestion_mut(&mut self) -> Option<&mut Congestion> {
        self.congestion.as_mut()
    }

    /// Hash of every discard.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint.value()
    }

    /// Ends the run at the n-th departure from now on; returns its time if it is known already.
    pub fn stop_after(&mut self, departures: u64) -> Option<Time> {
        match &mut self.transmitter {
            Transmitter::Stepped(stepped) => stepped.stop_after(departures),
            Transmitter::Ring(ring) => ring.stop_after(departures),
        }
    }

    /// When the PDU in service is done, if that is an event.
    #[inline]
    #[must_use]
    pub fn next_service(&self) -> Time {
        match &self.transmitter {
            Transmitter::Stepped(stepped) => stepped.next_service(),
            Transmitter::Ring(_) => Time::NEVER,
        }
    }

    /// When the line next delivers, or the port must act for another reason, if that is an event.
    #[inline]
    #[must_use]
    pub fn next_delivery(&self) -> Time {
        match &self.transmitter {
            Transmitter::Stepped(stepped) => stepped.next_delivery(),
            Transmitter::Ring(ring) => ring.next_wake(),
        }
    }

    /// Where what arrives at the far end of its line goes.
    #[inline]
    #[must_use]
    pub fn to(&self) -> NodeId {
        self.to
    }

    /// Shows a queue that is evaluated elsewhere.
    pub fn show(&mut self, queue: QueueState) {
        self.queues.states[0] = queue;
        self.queues.present = queue.present;
        self.queues.most = queue.measures.most;
    }

    /// Whether so much has arrived by `now`, at a port without deliveries of its own, that it should go on.
    #[inline]
    #[must_use]
    pub fn is_ripe(&self, now: Time) -> bool {
        matches!(&self.transmitter, Transmitter::Ring(ring) if ring.is_ripe(now))
    }

    /// Whether it has no deliveries of its own, but is caught up.
    #[must_use]
    pub fn is_late(&self) -> bool {
        matches!(&self.transmitter, Transmitter::Ring(ring) if ring.is_late())
    }

    /// Takes the next PDU that arrives by `now` at the far end of the line off it, with the instant; the port has been
    /// woken or caught up. What is stepped delivers by itself.
    #[inline]
    pub fn arrived(&mut self, now: Time) -> Option<(Time, Pdu)> {
        match &mut self.transmitter {
            Transmitter::Ring(ring) => ring.arrived(now),
            Transmitter::Stepped(_) => None,
        }
    }

    /// The same for all of them, where there is but one way on.
    #[inline]
    pub fn deliver(&mut self, now: Time, each: impl FnMut(&Pdu, Time)) {
        if let Transmitter::Ring(ring) = &mut self.transmitter {
            ring.deliver(now, each);
        }
    }

    /// When it takes what it has gathered, if it gathers.
    #[inline]
    #[must_use]
    pub fn next_gathering(&self) -> Time {
        self.gathering.as_ref().map_or(Time::NEVER, |gathering| gathering.at)
    }

    /// Takes the PDUs of this instant at random.
    fn take_gathered<P: Probe>(&mut self, now: Time, ctx: &mut Ctx<P>) {
        let Some(gathering) = &mut self.gathering else { return };
        gathering.at = Time::NEVER;
        let mut arrived = std::mem::take(&mut gathering.arrived);
        while !arrived.is_empty() {
            let chosen = match (arrived.len(), &mut self.gathering) {
                (count @ 2.., Some(gathering)) => gathering.stream.below(count as u64) as usize,
                _ => 0,
            };
            let pdu = arrived.swap_remove(chosen);
            self.take(&pdu, now, ctx);
        }
        if let Some(gathering) = &mut self.gathering {
            gathering.arrived = arrived;
        }
    }

    /// Shows a PDU on its way back to the congestion point, which may change it.
    pub fn on_backward(&mut self, pdu: &mut Pdu, now: Time) {
        let view = self.view(pdu, now);
        if let Some(point) = &mut self.congestion {
            point.on_backward(pdu, &view);
        }
    }

    #[inline]
    fn queue_of(&self, pdu: &Pdu) -> usize {
        usize::from(pdu.priority).min(self.policies.len() - 1)
    }

    #[inline]
    fn view(&self, pdu: &Pdu, now: Time) -> PortView {
        let queue = self.queue_of(pdu);
        let present = self.queues.states[queue].present;
        let length = self.shown_length(queue, present);
        PortView { now, length, size: self.policies[queue].size(), refused: false }
    }

    /// What the congestion point is told of a queue with `present` PDUs.
    #[inline]
    fn shown_length(&self, queue: usize, present: u64) -> u64 {
        if self.point_counts_bits { self.queues.bits_in(queue) } else { present }
    }

    #[cold]
    fn notify<P: Probe>(&mut self, notice: Notice, pdu: &Pdu, at: Time, ctx: &mut Ctx<P>) {
        let about = pdu.flow;
        if let Some(report) = self.congestion.as_ref().and_then(|point| point.error_report(pdu)) {
            return self.report(&report, pdu, at, ctx);
        }
        let body = Body::Notice { point: self.number, severity: notice.severity };
        let mut pdu = Pdu::new(about, self.notices, CELL_OCTETS, 0, body);
        pdu.marks.set(Marks::DIR.with(Marks::BN));
        self.notices = self.notices.wrapping_add(1);
        let group = self.groups[about.index()] as usize;
        self.by_group[group].notices[usize::from(notice.severity).min(3)] += 1;
        ctx.count_sent(&pdu);
        ctx.probe.on_notice(&self.name, about, notice.severity, at);
        ctx.outbox.put(self.switch, at, pdu);
    }

    /// Sends an Error Report back the way `about` came.
    fn report<P: Probe>(&mut self, report: &Answer, about: &Pdu, at: Time, ctx: &mut Ctx<P>) {
        let mut pdu = Pdu::new(about.flow, self.notices, report.octets, about.priority, report.body);
        pdu.marks.set(report.marks);
        if !about.is_backward() {
            pdu.marks.set(Marks::DIR);
        }
        self.notices = self.notices.wrapping_add(1);
        self.by_group[self.groups[about.flow.index()] as usize].error_reports += 1;
        ctx.count_sent(&pdu);
        ctx.outbox.put(self.switch, at, pdu);
    }

    #[cold]
    fn discard<P: Probe>(&mut self, pdu: &Pdu, at: Time, ctx: &mut Ctx<P>) {
        self.count_discard(pdu, at, ctx);
        let view = PortView { refused: true, ..self.view(pdu, at) };
        let notice = self.congestion.as_mut().and_then(|point| point.on_discard(pdu, &view));
        if let Some(notice) = notice {
            self.notify(notice, pdu, at, ctx);
        }
    }

    /// A PDU ends here.
    #[cold]
    fn count_discard<P: Probe>(&mut self, pdu: &Pdu, at: Time, ctx: &mut Ctx<P>) {
        let queue = self.queue_of(pdu);
        self.queues.of(queue).measures.discarded += 1;
        let group = self.groups[pdu.flow.index()] as usize;
        self.by_group[group].discarded[crate::node::kind_of(pdu)] += 1;
        self.fingerprint.mix(at.0);
        self.fingerprint.mix(u64::from(pdu.flow.0) << 32 | u64::from(pdu.sequence));
        ctx.count_dropped(pdu);
        ctx.probe.on_discarded(&self.name, pdu, at);
    }

    #[inline]
    fn show_arrival<P: Probe>(&mut self, pdu: &mut Pdu, view: &PortView, ctx: &mut Ctx<P>) {
        let Some(point) = &mut self.congestion else { return };
        let marks = pdu.marks;
        let notice = point.on_arrival(pdu, view);
        if pdu.marks != marks && pdu.kind().is_data() {
            self.by_group[self.groups[pdu.flow.index()] as usize].marked += 1;
        }
        if let Some(notice) = notice {
            self.notify(notice, pdu, view.now, ctx);
        }
    }

    /// A PDU joins its queue, or is discarded.
    // Not inlined: a PDU behind a reference stays whole, where inlining would take it apart field by field.
    #[inline(never)]
    fn take<P: Probe>(&mut self, pdu: &Pdu, at: Time, ctx: &mut Ctx<P>) {
        let queue = self.queue_of(pdu);
        if let Transmitter::Ring(ring) = &mut self.transmitter {
            ring.touch(at, &mut self.queues, self.to, ctx);
        }
        let state = self.queues.of(queue);
        state.measures.arrived += 1;
        let length = state.present;
        if self.outage.is_some_and(|outage| outage.covers(at)) {
            // A broken line is no congestion: the congestion point learns nothing of it.
            return self.count_discard(pdu, at, ctx);
        }
        let policy = &self.policies[queue];
        let judged = if policy.counts_bits() { self.queues.bits_in(queue) } else { length };
        let (refused, victim) = match policy.verdict(pdu, judged) {
            Verdict::Admit => (false, None),
            Verdict::Discard => (true, None),
            Verdict::PushOut => match &mut self.transmitter {
                Transmitter::Stepped(stepped) => {
                    let victim = stepped.remove_tagged(queue);
                    (victim.is_none(), victim)
                }
                Transmitter::Ring(_) => (true, None),
            },
        };
        let mut shown;
        let mut pdu = pdu;
        if self.congestion.is_some() {
            shown = *pdu;
            let size = self.policies[queue].size();
            let length = self.shown_length(queue, length);
            self.show_arrival(&mut shown, &PortView { now: at, length, size, refused }, ctx);
            pdu = &shown;
        }
        if refused {
            return self.discard(pdu, at, ctx);
        }
        if let Some(victim) = victim {
            self.queues.evict(queue, at, victim.bits());
            self.discard(&victim, at, ctx);
        }
        self.queues.enter(queue, at, pdu.bits());
        match &mut self.transmitter {
            Transmitter::Ring(ring) => ring.push(queue, pdu, at, self.to, ctx),
            Transmitter::Stepped(stepped) => stepped.push(queue, *pdu, at),
        }
    }

    /// The same at a quiet port.
    // A PDU that was just made stays in registers until it is in the ring: only copies of it have an address.
    #[inline(always)]
    fn take_in<P: Probe>(&mut self, pdu: &Pdu, at: Time, ctx: &mut Ctx<P>) {
        let Transmitter::Ring(ring) = &mut self.transmitter else { return self.take(&{ *pdu }, at, ctx) };
        ring.touch(at, &mut self.queues, self.to, ctx);
        let queue = usize::from(pdu.priority).min(self.policies.len() - 1);
        let state = self.queues.of(queue);
        state.measures.arrived += 1;
        if self.policies[queue].verdict(pdu, state.present) != Verdict::Admit {
            return self.discard(&{ *pdu }, at, ctx);
        }
        self.queues.enter(queue, at, pdu.bits());
        ring.push(queue, pdu, at, self.to, ctx);
    }

    /// A wake-up that the port asked for has come.
    #[inline]
    pub fn on_wake<P: Probe>(&mut self, timer: Timer, now: Time, ctx: &mut Ctx<P>) {
        if timer == Timer::Gathering {
            return self.take_gathered(now, ctx);
        }
        match &mut self.transmitter {
            Transmitter::Ring(ring) => ring.touch(now, &mut self.queues, self.to, ctx),
            Transmitter::Stepped(stepped) if timer == Timer::Delivery => {
                ctx.outbox.put(self.to, now, stepped.deliver());
            }
            Transmitter::Stepped(stepped) => {
                let mut pdu = stepped.finish(now, &mut ctx.end);
                let queue = usize::from(pdu.priority).min(self.policies.len() - 1);
                self.queues.leave(queue, now, pdu.bits());
                if self.wants_departures
                    && let Some(point) = &mut self.congestion
                {
                    let present = self.queues.of(queue).present;
                    let length = if self.point_counts_bits { self.queues.bits_in(queue) } else { present };
                    let size = self.policies[queue].size();
                    let marks = pdu.marks;
                    point.on_departure(&mut pdu, &PortView { now, length, size, refused: false });
                    if pdu.marks != marks && pdu.kind().is_data() {
                        self.by_group[self.groups[pdu.flow.index()] as usize].marked += 1;
                    }
                }
                stepped.depart(pdu, now);
            }
        }
    }

    /// Brings what is evaluated late up to `now`.
    pub fn catch_up<P: Probe>(&mut self, now: Time, ctx: &mut Ctx<P>) {
        if let Transmitter::Ring(ring) = &mut self.transmitter {
            ring.touch(now, &mut self.queues, self.to, ctx);
        }
    }
}

impl Node for Port {
    #[inline(always)]
    fn on_pdu<P: Probe>(&mut self, pdu: &Pdu, at: Time, ctx: &mut Ctx<P>) {
        match &mut self.gathering {
            _ if self.is_quiet => self.take_in(pdu, at, ctx),
            Some(gathering) => {
                gathering.arrived.push(*pdu);
                gathering.at = at;
            }
            None => self.take(&{ *pdu }, at, ctx),
        }
    }

    fn reset_measures(&mut self, now: Time) {
        self.queues.reset(now);
        self.by_group.fill(GroupMeasures::default());
    }

    fn held(&self, each: &mut dyn FnMut(&Pdu)) {
        self.gathering.iter().flat_map(|gathering| &gathering.arrived).for_each(&mut *each);
        match &self.transmitter {
            Transmitter::Stepped(stepped) => stepped.held(each),
            Transmitter::Ring(ring) => ring.held(each),
        }
    }
}
