//! Sender: decides what a host sends and when, from the traffic model and the reaction point.

use std::collections::VecDeque;

use crate::control::{
    Allowance, AnswerQueueing, Next, Reaction, ReactionParams, ReactionPoint, Ready, WithRateScale, WithReaction,
};
use crate::core::pdu::{Body, FlowId, Kind, Pdu};
use crate::core::probe::Probe;
use crate::core::time::{LineRate, Span, Time, gap};
use crate::network::context::{Counts, Ctx, kind_of};
use crate::network::hosts::uplink::Uplink;
use crate::network::lane::Key;
use crate::traffic::{self, Model, Output, RateScale, Traffic, Transfers, Unit, Upcoming};

/// Discards what an inactive sender produces.
struct Unsent;

impl Output for Unsent {
    fn send(&mut self, _unit: Unit, _now: Time) {}
}

/// Sends data as soon as they are produced.
struct Sending<'a, 'b> {
    flow: FlowId,
    priority: u8,
    sequence: u32,
    bits: u64,
    uplink: &'a mut Uplink<'b>,
}

impl Output for Sending<'_, '_> {
    #[inline(always)]
    fn send(&mut self, unit: Unit, now: Time) {
        let body = Body::Data { born: now, number: unit.number };
        let pdu = Pdu::new(self.flow, self.sequence, unit.octets, self.priority, body);
        self.sequence = self.sequence.wrapping_add(1);
        self.bits += pdu.bits();
        self.uplink.send(&pdu, Key { time: now, place: self.uplink.own });
    }
}

/// Runs a traffic model up to `last`.
struct Producing<'a, T> {
    traffic: &'a mut Model,
    upcoming: Upcoming,
    last: Time,
    output: &'a mut T,
}

impl<T: Output> WithRateScale for Producing<'_, T> {
    type Answer = Upcoming;

    #[inline(always)]
    fn run(self, scale: &mut impl RateScale) -> Upcoming {
        self.traffic.produce(self.upcoming, self.last, scale, self.output)
    }
}

/// State of a sender: its next data, and its counts.
#[derive(Clone, Debug)]
struct Progress {
    flow: FlowId,
    priority: u8,
    line_rate: LineRate,
    upcoming: Upcoming,
    /// Answers of the receiver of the same host, and the time since when each waits.
    answers: VecDeque<(Time, Pdu)>,
    saturates: bool,
    /// Each PDU leaves unchanged at the time of its production.
    as_produced: bool,
    /// Whether it sends its data. If not, the traffic model runs on, unless only the sender limits it.
    is_active: bool,
    /// Whether the parameters of its traffic have changed during the run.
    has_changed: bool,
    /// Its next timer, if that does not depend on the current time. Feedback clears it.
    firm: Option<Time>,
    /// Start time and bits of the last PDU sent. With an allowed rate they give the earliest time for the next PDU.
    last: Option<(Time, u64)>,
    sequence: u32,
    own_sequence: u32,
    sent: u64,
    sent_bits: u64,
    control_bits: u64,
}

/// The sending half of a host.
#[derive(Clone, Debug)]
pub struct Sender {
    traffic: Model,
    reaction: Reaction,
    progress: Progress,
}

impl Sender {
    /// A sender that is active from the start of the run. `line_rate` is the rate of the first line on its path that
    /// has one.
    #[must_use]
    pub fn new(flow: FlowId, priority: u8, line_rate: LineRate, mut traffic: Model, mut reaction: Reaction) -> Sender {
        let upcoming = traffic.start(Time::ZERO, &mut reaction);
        let saturates = traffic.saturates();
        let as_produced = !saturates && !reaction.sends();
        let progress = Progress {
            flow,
            priority,
            line_rate,
            upcoming,
            answers: VecDeque::new(),
            saturates,
            as_produced,
            is_active: true,
            has_changed: false,
            firm: None,
            last: None,
            sequence: 0,
            own_sequence: 0,
            sent: 0,
            sent_bits: 0,
            control_bits: 0,
        };
        Sender { traffic, reaction, progress }
    }

    /// Starts or stops sending data.
    pub fn set_active(&mut self, is_active: bool) {
        self.progress.is_active = is_active;
        self.progress.firm = None;
    }

    /// Gives its traffic model other parameters.
    pub fn retune_traffic(&mut self, params: &traffic::Params) {
        self.traffic.retune(params);
        self.progress.has_changed = true;
    }

    /// Gives its reaction point other parameters, after all events of the instant `now`.
    pub fn retune_reaction(&mut self, params: &ReactionParams, now: Time) {
        self.reaction.retune(params, now);
        self.progress.firm = None;
    }

    /// The flow that it sends.
    #[must_use]
    pub fn flow(&self) -> FlowId {
        self.progress.flow
    }

    /// Data PDUs sent since the last reset, and their bits.
    #[must_use]
    pub fn sent(&self) -> (u64, u64) {
        (self.progress.sent, self.progress.sent_bits)
    }

    /// Bits of the scheme's own PDUs and of answers sent since the last reset.
    #[must_use]
    pub fn control_bits(&self) -> u64 {
        self.progress.control_bits
    }

    /// Whether it now only sends its data, unchanged, at the time of production.
    #[inline]
    #[must_use]
    pub fn is_as_produced(&self) -> bool {
        self.progress.as_produced && self.progress.answers.is_empty()
    }

    /// Reads what it needs to send.
    #[inline]
    #[must_use]
    pub fn touch<P>(&self, ctx: &Ctx<P>) -> u64 {
        let progress = &self.progress;
        let counts = ctx.counts[progress.flow.index()][0].sent;
        self.traffic.touch() ^ progress.sent ^ progress.upcoming.time().0 ^ u64::from(progress.own_sequence) ^ counts
    }

    /// Sends all data produced before `last`. `is_as_produced` must hold. Returns the time of its next timer.
    #[inline]
    pub fn produce<P: Probe>(&mut self, last: Time, ctx: &mut Ctx<P>, uplink: &mut Uplink<'_>) -> Time {
        if !self.progress.is_active {
            return self.produce_unsent(last);
        }
        let Progress { flow, priority, sequence, upcoming, .. } = self.progress;
        let mut sending = Sending { flow, priority, sequence, bits: 0, uplink };
        let traffic = &mut self.traffic;
        let upcoming = self.reaction.with_rate_scale(Producing { traffic, upcoming, last, output: &mut sending });
        let (next, bits) = (sending.sequence, sending.bits);
        let count = u64::from(next.wrapping_sub(sequence));
        let progress = &mut self.progress;
        (progress.sequence, progress.upcoming) = (next, upcoming);
        progress.sent += count;
        progress.sent_bits += bits;
        ctx.counts[flow.index()][0].sent += count;
        ctx.sent += count;
        upcoming.time()
    }

    /// Runs the traffic model up to `last`, and sends nothing. Returns the time of its next timer.
    #[cold]
    fn produce_unsent(&mut self, last: Time) -> Time {
        let Sender { traffic, reaction, progress } = self;
        let upcoming = progress.upcoming;
        progress.upcoming = reaction.with_rate_scale(Producing { traffic, upcoming, last, output: &mut Unsent });
        progress.upcoming.time()
    }

    /// Time of its next timer, as of `now`.
    #[inline]
    #[must_use]
    pub fn due(&mut self, now: Time) -> Time {
        if self.progress.is_active {
            self.progress.due(&mut self.reaction, now)
        } else {
            self.progress.due_inactive(&mut self.reaction, now)
        }
    }

    /// Handles everything due before `last`, starting at `due`. Returns the time of its next timer.
    #[inline]
    pub fn act<P: Probe>(&mut self, due: Time, last: Time, ctx: &mut Ctx<P>, uplink: &mut Uplink<'_>) -> Time {
        let Sender { traffic, reaction, progress } = self;
        let Ctx { counts, sent, .. } = ctx;
        let span = (due, last);
        let counts = (&mut counts[..], sent);
        if !progress.is_active {
            return Acting { traffic, progress, span, counts, uplink }.answer(reaction);
        }
        match traffic {
            Model::Greedy(traffic) => reaction.with_variant(Acting { traffic, progress, span, counts, uplink }),
            traffic => Acting { traffic, progress, span, counts, uplink }.run(reaction),
        }
    }

    /// Queues an answer of the receiver of the same host.
    pub fn queue_answer(&mut self, answer: Pdu, queueing: AnswerQueueing, now: Time) {
        if queueing == AnswerQueueing::Overwrite {
            self.progress.answers.clear();
        }
        self.progress.answers.push_back((now, answer));
        self.progress.firm = None;
    }

    /// A backward PDU of its flow arrives.
    pub fn on_feedback(&mut self, pdu: &Pdu, now: Time) {
        self.reaction.on_feedback(pdu, now);
        self.progress.firm = None;
        if matches!(pdu.kind(), Kind::GapReport | Kind::FileReport)
            && let Some(upcoming) = self.traffic.on_report(&pdu.body(), now, &mut self.reaction)
        {
            self.progress.upcoming = upcoming;
        }
    }

    /// Its reaction point.
    #[must_use]
    pub fn reaction(&self) -> &Reaction {
        &self.reaction
    }

    /// Notices obeyed since the last reset, by severity.
    #[must_use]
    pub fn obeyed(&self) -> [u64; 4] {
        self.reaction.obeyed()
    }

    /// Files transferred since the last reset.
    #[must_use]
    pub fn transfers(&self, now: Time) -> Option<Transfers> {
        self.traffic.transfers(now)
    }

    /// PDUs of files sent since the last reset, for the first time and again, if lost ones are sent again.
    #[must_use]
    pub fn repeats(&self) -> Option<[u64; 2]> {
        self.traffic.repeats()
    }

    /// Mean rate of the offered traffic, if the parameters determine it, and have not changed.
    #[must_use]
    pub fn mean_rate(&self) -> Option<f64> {
        self.traffic.mean_rate().filter(|_| !self.progress.has_changed)
    }

    /// Resets the measures.
    pub fn reset_measures(&mut self, now: Time) {
        let progress = &mut self.progress;
        (progress.sent, progress.sent_bits, progress.control_bits) = (0, 0, 0);
        self.traffic.reset_measures(now);
        self.reaction.reset_measures(now);
    }
}

/// Runs a sender over an interval of time, under a reaction point that controls when PDUs leave.
struct Acting<'a, 'b, T> {
    traffic: &'a mut T,
    progress: &'a mut Progress,
    /// Start (inclusive) and end (exclusive).
    span: (Time, Time),
    /// PDU counts of each flow (answers belong to another flow), and of all flows together.
    counts: (&'a mut [Counts], &'a mut u64),
    uplink: &'a mut Uplink<'b>,
}

impl<T: Traffic> WithReaction for Acting<'_, '_, T> {
    type Answer = Time;

    #[inline(never)]
    fn run<R: ReactionPoint>(self, reaction: &mut R) -> Time {
        let Acting { traffic, progress, span: (mut now, last), counts: (counts, all), uplink } = self;
        // Answers leave after the sender's own PDUs of the same time.
        let mut answers = Vec::new();
        while now < last {
            let cause = Key { time: now, place: uplink.own };
            let mut due = progress.firm.unwrap_or_else(|| progress.due(reaction, now));
            while due <= now {
                if let Some(pdu) = progress.next(traffic, reaction, now) {
                    counts[pdu.flow.index()][kind_of(&pdu)].sent += 1;
                    *all += 1;
                    if pdu.is_backward() { answers.push(pdu) } else { uplink.send(&pdu, cause) }
                }
                due = progress.due(reaction, now);
            }
            answers.drain(..).for_each(|pdu| uplink.send(&pdu, cause));
            now = due;
        }
        now
    }
}

impl Acting<'_, '_, Model> {
    /// Runs an inactive sender: answers are sent, and the data of its traffic model are not.
    #[cold]
    fn answer(self, reaction: &mut Reaction) -> Time {
        let Acting { traffic, progress, span: (mut now, last), counts: (counts, all), uplink } = self;
        while now < last {
            let cause = Key { time: now, place: uplink.own };
            if progress.produces_by(now) {
                progress.upcoming = traffic.advance(now, reaction).1;
            } else if let Some(pdu) = progress.next_answer(reaction, now) {
                counts[pdu.flow.index()][kind_of(&pdu)].sent += 1;
                *all += 1;
                uplink.send(&pdu, cause);
            }
            now = progress.due_inactive(reaction, now).max(now);
        }
        now
    }
}

impl Progress {
    /// Time of the next timer of an inactive sender, as of `now`.
    fn due_inactive(&mut self, reaction: &mut impl ReactionPoint, now: Time) -> Time {
        let model = if self.saturates { Time::NEVER } else { self.upcoming.time() };
        match self.answers.front() {
            Some(&(since, _)) => self.permitted(reaction, since, now, true).min(model),
            None => model,
        }
    }

    /// Whether the traffic model of an inactive sender goes on by `now`.
    fn produces_by(&self, now: Time) -> bool {
        !self.saturates && self.upcoming.time() <= now
    }

    /// The PDU that an inactive sender sends at `now`, if any: an answer, or a PDU of the scheme before it.
    fn next_answer(&mut self, reaction: &mut impl ReactionPoint, now: Time) -> Option<Pdu> {
        let &(since, _) = self.answers.front()?;
        if self.permitted(reaction, since, now, true) > now {
            return None;
        }
        let model = std::mem::replace(&mut self.upcoming, Upcoming::Never);
        let pdu = self.instead_of_data(reaction, now);
        self.upcoming = model;
        pdu.map(|pdu| self.leave(pdu, reaction, now))
    }

    /// Time of its next timer, as of `now`.
    #[inline(always)]
    fn due(&mut self, reaction: &mut impl ReactionPoint, now: Time) -> Time {
        self.firm = None;
        let own = match self.upcoming {
            Upcoming::Pdu(at) if self.as_produced => at,
            Upcoming::Pdu(at) => self.permitted(reaction, at, now, false),
            Upcoming::Decision(at) => at,
            Upcoming::Never => Time::NEVER,
        };
        let due = match self.answers.front() {
            Some(&(since, _)) => self.permitted(reaction, since, now, true).min(own),
            None => own,
        };
        self.firm = self.firm.map(|_| due);
        due
    }

    /// The PDU to send now, if any: the traffic model may only have made a decision.
    #[inline(always)]
    fn next(&mut self, traffic: &mut impl Traffic, reaction: &mut impl ReactionPoint, now: Time) -> Option<Pdu> {
        let pdu = match self.instead_of_data(reaction, now) {
            Some(pdu) => pdu,
            None => self.next_data(traffic, reaction, now)?,
        };
        Some(self.leave(pdu, reaction, now))
    }

    /// `pdu` leaves at `now`.
    #[inline(always)]
    fn leave(&mut self, mut pdu: Pdu, reaction: &mut impl ReactionPoint, now: Time) -> Pdu {
        if !self.as_produced {
            reaction.on_send(&mut pdu, now);
            // Tagged PDUs of a scheme do not use the allowed rate (TM 4.0: out of rate).
            if !pdu.is_tagged() {
                self.last = Some((now, pdu.bits()));
            }
        }
        pdu
    }

    /// The data of the traffic model at `now`, if any; makes its pending decision.
    #[inline(always)]
    fn next_data(&mut self, traffic: &mut impl Traffic, scale: &mut impl RateScale, now: Time) -> Option<Pdu> {
        let (unit, upcoming) = traffic.advance(now, scale);
        self.upcoming = upcoming;
        let unit = unit?;
        let body = Body::Data { born: now, number: unit.number };
        let pdu = Pdu::new(self.flow, self.sequence, unit.octets, self.priority, body);
        self.sequence = self.sequence.wrapping_add(1);
        self.sent += 1;
        self.sent_bits += pdu.bits();
        Some(pdu)
    }

    /// The scheme's own PDU or an answer, if it goes before data.
    #[inline(always)]
    fn instead_of_data(&mut self, reaction: &mut impl ReactionPoint, now: Time) -> Option<Pdu> {
        let ready = match self.upcoming {
            Upcoming::Pdu(_) if self.as_produced && self.answers.is_empty() => return None,
            // The decision at this time may produce data.
            Upcoming::Decision(at) if at <= now => return None,
            Upcoming::Pdu(at) => Ready { data: at <= now, answer: !self.answers.is_empty() },
            Upcoming::Decision(_) | Upcoming::Never => Ready { data: false, answer: true },
        };
        let pdu = match reaction.choose(ready, now) {
            Next::Own(own) => {
                let mut pdu = Pdu::new(self.flow, self.own_sequence, own.octets, self.priority, own.body);
                pdu.marks.set(own.marks);
                self.own_sequence = self.own_sequence.wrapping_add(1);
                pdu
            }
            Next::Data if ready.data => return None,
            Next::Data | Next::Answer => self.answers.pop_front()?.1,
        };
        self.control_bits += pdu.bits();
        Some(pdu)
    }

    /// When a PDU may be sent because data, or an answer, are ready since `at`.
    #[inline(always)]
    fn permitted(&mut self, reaction: &mut impl ReactionPoint, at: Time, now: Time, is_answer: bool) -> Time {
        match reaction.allowance(now) {
            Allowance::AsProduced if !self.saturates => at,
            Allowance::AsProduced => self.paced(at, |bits| self.line_gap(bits)),
            Allowance::Rate(rate) => self.paced(at, |bits| gap(bits, rate).max(self.line_gap(bits))),
            Allowance::From(earliest) => {
                self.firm = Some(Time::NEVER);
                at.max(earliest)
            }
            Allowance::Apart { own, answer } => {
                self.firm = Some(Time::NEVER);
                at.max(if is_answer { own.min(answer) } else { own })
            }
            Allowance::Window { open: true } => at,
            Allowance::Window { open: false } => Time::NEVER,
        }
    }

    fn paced(&self, at: Time, gap: impl Fn(u64) -> Span) -> Time {
        self.last.map_or(at, |(start, bits)| at.max(start + gap(bits)))
    }

    /// Serialisation time of `bits` on the line.
    fn line_gap(&self, bits: u64) -> Span {
        match self.line_rate {
            LineRate::Bits(rate) => gap(bits, rate.bits_per_second()),
            LineRate::CellIn(_) => self.line_rate.span(bits),
        }
    }
}
