//! The sending half of a byte stream: it numbers, sends and repeats the octets of its user, as far as its controller allows.

mod acknowledged;
mod allowed;
mod timers;
mod undo;

use std::sync::Arc;

use super::controller::{Controller, ControllerState, Env, PathTerms};
use super::credit::Credit;
use super::loss::Detection;
use super::measures::SendingMeasures;
use super::messages::UnderWay;
use super::params::{Ecn, Params, Reuse};
use super::rate_sample::Sampler;
use super::recovery::Reduction;
use super::round_trip::RoundTrip;
use super::scoreboard::{Scoreboard, Segment};
use super::side::SideRecords;
use super::user::{User, amount};
use crate::core::class::Broken;
use crate::core::pdu::{Body, FlowId, Marks, Pdu};
use crate::core::reading::{Each, Reading};
use crate::core::time::{Span, Time, gap};
use crate::traffic::{self, Amount, Model, Offered};

/// What a stream needs to act at one instant.
pub struct Turn<'a> {
    /// The instant.
    pub now: Time,
    /// Which stream of its flow it is.
    pub slot: u16,
    /// The messages of the flow.
    pub messages: &'a mut UnderWay,
    /// The records beside PDUs.
    pub records: &'a mut SideRecords,
    /// Takes what it sends.
    pub send: &'a mut dyn FnMut(Pdu),
}

/// What a stream knows of its flow.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// Octets of a whole segment, without its headers.
    pub segment: u16,
    /// What the random numbers of its controllers come from.
    pub seed: u64,
    /// What its controllers know of the path.
    pub path: PathTerms,
}

/// The opening of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opening {
    Closed,
    /// The request was sent at this time, and is sent again at the other.
    Requested {
        sent: Time,
        deadline: Time,
    },
    Open,
}

/// What a stream does about congestion.
#[derive(Clone, Debug)]
enum Phase {
    Open,
    /// It repairs losses; with the pace of a proportional reduction, or with the window alone.
    Recovery(Option<Reduction>),
    /// It repairs losses after a timeout.
    Timeout,
}

/// What a sender was before a timeout.
#[derive(Clone, Debug)]
struct Before {
    controller: ControllerState,
    phase: Phase,
    recovery_end: u64,
    reduced: u64,
    /// The number of the first transmission after it.
    first: u64,
}

/// Sending half of one stream.
#[derive(Clone, Debug)]
pub struct Sending {
    params: Arc<Params>,
    flow: FlowId,
    priority: u8,
    site: Site,
    /// Whether the ports of the path write beside its segments.
    has_telemetry: bool,
    user: User,
    controller: ControllerState,
    /// What the receiver allows, if the controller needs credit.
    credit: Option<Credit>,
    /// Samples of the rate of delivery, if the controller asks for them.
    sampler: Option<Box<Sampler>>,
    board: Scoreboard,
    detection: Detection,
    round_trip: RoundTrip,
    opening: Opening,
    /// Whether it has been given a message.
    has_begun: bool,
    phase: Phase,
    /// What it was before a timeout, until data are acknowledged.
    before: Option<Box<Before>>,
    /// All octets below it are acknowledged.
    acknowledged: u64,
    /// The losses of what was sent before this octet have been told to the controller, and the marks before the other.
    recovery_end: u64,
    reduced: u64,
    /// A round ends when this octet is acknowledged.
    round: u64,
    /// Marked segments that the receiver has told of, modulo 2^16.
    marked: u16,
    /// A lost segment may be sent whatever is in flight: the first of a recovery.
    must_repeat: bool,
    /// When the retransmission timer expires, a probe is due, losses are looked for, and the pace allows the next segment.
    expires: Time,
    probe_at: Time,
    judge_at: Time,
    paced: Time,
    /// When it last sent data.
    last_sent: Option<Time>,
    measures: SendingMeasures,
}

impl Sending {
    /// A sending half of a flow of this priority, which begins with the run. Without traffic it is given messages.
    #[must_use]
    pub fn new(params: Arc<Params>, (flow, priority): (FlowId, u8), site: Site, traffic: Option<Model>) -> Sending {
        let Begun { controller, sampler, opening } = begin(&params, site);
        Sending {
            credit: controller.unsolicited().map(Credit::new),
            controller,
            sampler,
            opening,
            site,
            has_telemetry: params.controller.nature().reads_telemetry,
            measures: SendingMeasures { opened: u64::from(traffic.is_some()), ..SendingMeasures::default() },
            params,
            flow,
            priority,
            user: User::new(traffic),
            board: Scoreboard::default(),
            detection: Detection::default(),
            round_trip: RoundTrip::new(),
            has_begun: false,
            phase: Phase::Open,
            before: None,
            acknowledged: 0,
            recovery_end: 0,
            reduced: 0,
            round: 0,
            marked: 0,
            must_repeat: false,
            expires: Time::NEVER,
            probe_at: Time::NEVER,
            judge_at: Time::NEVER,
            paced: Time::ZERO,
            last_sent: None,
        }
    }

    /// The flow of this sending half.
    #[must_use]
    pub fn flow(&self) -> FlowId {
        self.flow
    }

    /// The counts since the last reset.
    #[must_use]
    pub fn measures(&self) -> &SendingMeasures {
        &self.measures
    }

    /// Packets of the user that wait to be sent, or of which a part waits.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        self.user.waiting()
    }

    /// Segments sent and not acknowledged in sequence.
    #[must_use]
    pub fn outstanding(&self) -> u64 {
        self.board.len()
    }

    /// Whether everything is sent and acknowledged.
    #[must_use]
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.board.is_empty() && self.user.has_nothing()
    }

    /// Mean rate at which the user produces data, in bits per second, if its parameters tell and have not changed.
    #[must_use]
    pub fn mean_rate(&self) -> Option<f64> {
        self.user.mean_rate()
    }

    /// Gives the traffic of its user other parameters.
    pub fn retune_traffic(&mut self, params: &traffic::Params) {
        self.user.retune(params);
    }

    /// Takes other parameters at `now`. The state stays.
    pub fn retune(&mut self, params: &Arc<Params>, now: Time) {
        self.controller.retune(&params.controller, now);
        let before = std::mem::replace(&mut self.params, Arc::clone(params));
        if let Some(class) = before.controller.class() {
            Arc::make_mut(&mut self.params).controller.set_host(&class.host);
        }
    }

    /// Why its controller is not called any more.
    #[must_use]
    pub fn broken(&self) -> Option<&Broken> {
        self.controller.broken()
    }

    /// Resets the counts. Waiting packets count as produced now.
    pub fn reset_measures(&mut self, now: Time) {
        let before = self.user.amount(self.site.segment, self.params.header);
        self.measures = SendingMeasures { produced: self.waiting(), before, ..SendingMeasures::default() };
        self.user.reset_measures(now);
    }

    /// The segments that a message of so many octets makes.
    #[must_use]
    pub fn amount(&self, octets: u64) -> Amount {
        amount(octets, self.site.segment, self.params.header)
    }

    /// What its user has offered since the last reset, in segments, and what became of it. `None` if the user always has
    /// data to send.
    #[must_use]
    pub fn offered(&self) -> Option<Offered> {
        let SendingMeasures { offered, lost, .. } = self.measures;
        let waiting = || self.user.amount(self.site.segment, self.params.header);
        (!self.user.saturates()).then(|| Offered { offered, lost, waiting: waiting(), withheld: Amount::default() })
    }

    /// Whether every segment offered was sent, waits, or was refused.
    #[must_use]
    pub fn is_conserved(&self) -> bool {
        let SendingMeasures { offered, before, lost, transmitted, .. } = self.measures;
        let waiting = self.user.amount(self.site.segment, self.params.header);
        self.user.saturates() || offered.pdus + before.pdus == transmitted + waiting.pdus + lost.pdus
    }

    /// Readings for a time series: window and octets in flight in segments, smoothed round trip, packets that wait, and those of
    /// the controller.
    pub fn readings(&self, each: &mut Each<'_>) {
        let segments = |octets: u64| octets as f64 / f64::from(self.site.segment);
        each(Reading::pdus("window"), segments(self.allowed()));
        each(Reading::pdus("in_flight"), segments(self.board.in_flight()));
        each(Reading::seconds("round_trip_s"), self.round_trip.smoothed().seconds());
        each(Reading::pdus("waiting"), self.waiting() as f64);
        each(Reading::count("timeouts"), self.measures.timeouts as f64);
        self.controller.readings(each);
    }

    /// Begins a message of so many octets on an idle stream. The user produced it at that time.
    pub fn begin(&mut self, octets: u64, produced: Time, turn: &mut Turn<'_>) {
        if self.params.reuse == Reuse::Cold || !std::mem::replace(&mut self.has_begun, true) {
            self.open_anew(turn.slot);
        }
        self.offer(octets, produced, turn);
        self.send_all(turn);
    }

    fn open_anew(&mut self, slot: u16) {
        // Each connection of each slot has random numbers of its own.
        let seed = self.site.seed.wrapping_add(self.user.next() << 16 | u64::from(slot));
        let begun = begin(&self.params, Site { seed, ..self.site });
        (self.controller, self.sampler, self.opening) = (begun.controller, begun.sampler, begun.opening);
        self.round_trip = RoundTrip::new();
        self.detection = Detection::default();
        (self.phase, self.before) = (Phase::Open, None);
        let next = self.user.next();
        (self.recovery_end, self.reduced, self.round) = (next, next, next);
        (self.paced, self.last_sent) = (Time::ZERO, None);
        self.measures.opened += 1;
    }

    /// The user produces a packet or message.
    pub(super) fn offer(&mut self, octets: u64, produced: Time, turn: &mut Turn<'_>) {
        self.measures.produced += 1;
        self.measures.offered = self.measures.offered.and(amount(octets, self.site.segment, self.params.header));
        self.begin_credit();
        self.user.push(octets, produced, turn.slot, turn.messages);
    }

    /// The most octets that may be in flight.
    #[cfg(test)]
    pub(super) fn window(&self) -> u64 {
        match &self.phase {
            Phase::Recovery(Some(reduction)) => reduction.window(),
            _ => self.controller.window(),
        }
    }

    /// Whether the window has room for a segment. One segment may always be in flight. In a proportional reduction, which
    /// counts in octets, a part of a segment is enough, as if it counted whole segments.
    #[inline]
    fn has_room(&self) -> bool {
        let in_flight = self.board.in_flight();
        match &self.phase {
            Phase::Recovery(Some(reduction)) => in_flight < reduction.window(),
            _ => match &self.credit {
                Some(credit) => credit.covers(self.board.next_number()),
                None => in_flight == 0 || in_flight + u64::from(self.site.segment) <= self.controller.window(),
            },
        }
    }

    /// Whether the receiver has room for a new segment.
    #[inline]
    fn is_accepted(&self) -> bool {
        let end = self.user.next() + u64::from(self.site.segment);
        self.params.receive_window.is_none_or(|window| end <= self.acknowledged + window.0 / 8)
    }

    /// Whether new data may be sent, as far as the windows say.
    #[inline(always)]
    fn may_send(&self) -> bool {
        self.opening == Opening::Open && self.has_room() && self.is_accepted()
    }

    /// Whether data are ready that only a window or the pace holds back.
    #[inline]
    fn is_held_back(&self, now: Time) -> bool {
        self.board.has_lost() || self.user.is_ready(now)
    }

    /// Sends what may be sent: lost segments first (RFC 6675, NextSeg).
    fn send_all(&mut self, turn: &mut Turn<'_>) {
        let now = turn.now;
        self.user.decide(now);
        if self.opening != Opening::Open {
            return self.request(turn);
        }
        self.send_ready(turn);
        self.plan_request(now);
        if let Some(sampler) = &mut self.sampler
            && !self.board.has_lost()
            && !self.user.is_ready(now)
        {
            let in_flight = self.board.in_flight();
            if in_flight + u64::from(self.site.segment) <= self.controller.window() {
                sampler.limit(in_flight);
            }
        }
    }

    fn send_ready(&mut self, turn: &mut Turn<'_>) {
        let now = turn.now;
        while self.paced <= now {
            if self.board.has_lost() {
                if !self.has_room() && !self.must_repeat {
                    break;
                }
                self.must_repeat = false;
                let number = self.board.next_number();
                let Some(segment) = self.board.repeat(now) else { break };
                self.measures.retransmitted += 1;
                self.transmit(segment, (number, true), turn);
            } else if !self.has_room() || !self.is_accepted() || !self.send_new(turn) {
                break;
            }
        }
    }

    /// Sends a new segment, if the user has one.
    fn send_new(&mut self, turn: &mut Turn<'_>) -> bool {
        let now = turn.now;
        if !self.user.is_ready(now) {
            return false;
        }
        self.heed_pause(now);
        let Some(segment) = self.user.take(now, self.site.segment) else { return false };
        let number = self.board.next_number();
        self.board.send(segment, now);
        self.measures.transmitted += 1;
        if segment.is_last {
            turn.messages.finish_sending(turn.slot, segment.offset + u64::from(segment.octets), now);
        }
        self.transmit(segment, (number, false), turn);
        if self.expires == Time::NEVER {
            self.restart_timer(now);
        }
        self.plan_probe(now);
        true
    }

    /// After a pause of a timeout the window begins anew (RFC 5681, 4.1).
    fn heed_pause(&mut self, now: Time) {
        if self.board.is_empty()
            && self.params.slow_start_after_idle
            && self.last_sent.is_some_and(|last| now.since(last) > self.timeout())
        {
            self.controller.on_idle(now);
        }
    }

    /// Sends a segment, with the number of this transmission and whether it is a repetition.
    fn transmit(&mut self, segment: Segment, (number, is_repeat): (u64, bool), turn: &mut Turn<'_>) {
        let Segment { offset, octets, is_last } = segment;
        let length = octets.saturating_add(self.params.header);
        let new = |body| Pdu::new(self.flow, number as u32, length, self.priority, body);
        let mut pdu = if self.has_telemetry {
            let record = turn.records.begin_trace(turn.now);
            new(Body::TelemetrySegment { offset, octets, is_last, is_repeat, record })
        } else {
            new(Body::Segment { born: turn.now, offset, octets, is_last, is_repeat })
        };
        if self.params.ecn != Ecn::Off {
            let is_l4s = self.params.controller.nature().is_l4s;
            pdu.marks.set(if is_l4s { Marks::ECT_1 } else { Marks::ECT_0 });
        }
        self.ask_for_credit(&mut pdu, turn.now);
        self.measures.sent_bits += pdu.bits();
        self.last_sent = Some(turn.now);
        if let Phase::Recovery(Some(reduction)) = &mut self.phase {
            reduction.send(octets);
        }
        if let Some(sampler) = &mut self.sampler {
            sampler.send(number, octets, self.board.in_flight(), turn.now);
        }
        if let Some(rate) = self.pace() {
            self.paced = self.paced.max(turn.now) + gap(pdu.bits(), rate);
        }
        (turn.send)(pdu);
    }

    /// The pace in bits per second: that of the controller, or a multiple of the window over the round trip.
    pub(super) fn pace(&self) -> Option<f64> {
        if let Some(rate) = self.controller.pacing_rate() {
            return Some(rate);
        }
        let pacing = self.params.pacing?;
        let factor = if self.controller.is_in_slow_start() { self.params.pacing_slow_start } else { pacing };
        let round_trip: Span = self.round_trip.smoothed();
        let wire = 1.0 + f64::from(self.params.header) / f64::from(self.site.segment);
        let rate = factor * self.controller.window() as f64 * 8.0 * wire / round_trip.seconds();
        (round_trip > Span::ZERO).then_some(rate)
    }
}

/// What a stream begins with.
struct Begun {
    controller: ControllerState,
    sampler: Option<Box<Sampler>>,
    opening: Opening,
}

fn begin(params: &Params, Site { segment, seed, path }: Site) -> Begun {
    let env = Env { segment, initial_window: params.initial_window, header: params.header, seed, path };
    Begun {
        controller: params.controller.build(env),
        sampler: params.controller.nature().samples_rate.then(Box::default),
        opening: if params.handshake { Opening::Closed } else { Opening::Open },
    }
}
